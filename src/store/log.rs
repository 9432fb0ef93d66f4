//! The ordered log.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Row, params};

use super::entry::{Columns, Kind, payload_hash};
use super::{Content, Entry, Log, Logged, Refused, Sample, Sqlite, StoreError};
use crate::observation::{Fix, Observation, Profile};
use crate::time::EventTime;

/// Names of topics and sources are looked up and, where new, added.
const TABLES: [(&str, &str); 2] = [
    ("SELECT n FROM source WHERE name = ?1", "INSERT INTO source (name) VALUES (?1)"),
    ("SELECT n FROM topic WHERE name = ?1", "INSERT INTO topic (name) VALUES (?1)"),
];

impl Log for Sqlite {
    fn append(&mut self, entries: &[Entry]) -> Result<Vec<Option<u64>>, StoreError> {
        let mut last = self.last_position()?;
        let mut places = Vec::with_capacity(entries.len());
        for entry in entries {
            let columns = Columns::of(&entry.content).map_err(|reason| self.unreadable(last + 1, reason))?;
            let is_new = self.insert(last + 1, &columns, entry)?;
            last += u64::from(is_new);
            places.push(is_new.then_some(last));
        }
        Ok(places)
    }

    fn read(&self, after: u64, limit: usize) -> Result<Vec<Logged>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT position, kind, about, t, content, lat, lon, sog_mps, cog_deg, heading_deg, accuracy_m, body,
                    received_at
             FROM log WHERE position > ?1 ORDER BY position LIMIT ?2",
        ))?;
        let rows = statement.query_map(params![after as i64, limit as i64], columns_of).and_then(Iterator::collect);
        self.logged(self.ok(rows)?)
    }

    fn last_position(&self) -> Result<u64, StoreError> {
        // Retention never takes the last entry, so positions are not given twice.
        let mut statement = self.ok(self.connection.prepare_cached("SELECT max(position) FROM log"))?;
        let last: Option<i64> = self.ok(statement.query_row([], |row| row.get(0)))?;
        Ok(last.unwrap_or(0).unsigned_abs())
    }
}

pub(super) type Read = (i64, Columns, i64);

pub(super) fn columns_of(row: &Row<'_>) -> rusqlite::Result<Read> {
    let mut numbers = [None; 6];
    for (i, number) in numbers.iter_mut().enumerate() {
        *number = row.get(5 + i)?;
    }
    let columns = Columns {
        kind: row.get(1)?,
        about: row.get(2)?,
        t_ns: row.get(3)?,
        content: row.get(4)?,
        numbers,
        body: row.get(11)?,
    };
    Ok((row.get(0)?, columns, row.get(12)?))
}

impl Sqlite {
    /// Inserts an entry unless it is there; whether it was new.
    fn insert(&mut self, position: u64, columns: &Columns, entry: &Entry) -> Result<bool, StoreError> {
        let is_timeless = match &entry.content {
            Content::Law(_) => true,
            Content::Observation(Observation::Profile(_, profile)) if profile.t.is_none() => {
                // Said again it is nothing new, unless something else was said in between.
                if self.last_profile(&columns.about)?.is_some_and(|last| last == columns.content) {
                    return Ok(false);
                }
                true
            }
            _ => false,
        };
        if !is_timeless {
            return self.write(position, columns, entry);
        }
        // What has no time of its own may come again: its place stands in for the time.
        let columns = Columns { t_ns: i64::MIN + position as i64, ..columns.clone() };
        self.write(position, &columns, entry)
    }

    fn last_profile(&self, vessel: &str) -> Result<Option<[u8; 16]>, StoreError> {
        self.row(
            "SELECT content FROM log WHERE kind = 2 AND about = ?1 ORDER BY position DESC LIMIT 1",
            [vessel],
            |row| row.get(0),
        )
    }

    fn write(&mut self, position: u64, columns: &Columns, entry: &Entry) -> Result<bool, StoreError> {
        let (mut source, mut topic, mut payload) = (None, None, None);
        if let Some(origin) = &entry.origin {
            source = Some(self.number_of(0, &origin.source)?);
            topic = Some(self.number_of(1, &origin.topic)?);
            payload = origin.payload.as_deref();
        }
        let hash = payload.map(payload_hash);
        let mut statement = self.ok(self.connection.prepare_cached(
            "INSERT OR IGNORE INTO log (position, kind, about, t, content, lat, lon, sog_mps, cog_deg, heading_deg,
                                        accuracy_m, body, received_at, source, topic, payload, payload_hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        ))?;
        let [lat, lon, sog_mps, cog_deg, heading_deg, accuracy_m] = columns.numbers;
        let written = statement.execute(params![
            position as i64,
            columns.kind,
            columns.about,
            columns.t_ns,
            columns.content,
            lat,
            lon,
            sog_mps,
            cog_deg,
            heading_deg,
            accuracy_m,
            columns.body,
            entry.received_at.unix_ns(),
            source,
            topic,
            payload,
            hash,
        ]);
        Ok(self.ok(written)? > 0)
    }

    /// The number of a source (0) or topic (1).
    fn number_of(&self, table: usize, name: &str) -> Result<i64, StoreError> {
        let (find, add) = TABLES[table];
        let mut statement = self.ok(self.connection.prepare_cached(find))?;
        if let Some(n) = self.ok(statement.query_row([name], |row| row.get(0)).optional())? {
            return Ok(n);
        }
        self.ok(self.ok(self.connection.prepare_cached(add))?.insert([name]))
    }

    pub(crate) fn unreadable(&self, position: u64, reason: String) -> StoreError {
        StoreError::Unreadable { path: self.path().display().to_string(), position, reason }
    }

    pub(super) fn logged(&self, rows: Vec<Read>) -> Result<Vec<Logged>, StoreError> {
        rows.into_iter()
            .map(|(position, columns, received_at)| {
                let position = position.unsigned_abs();
                let content = columns.into_content().map_err(|reason| self.unreadable(position, reason))?;
                Ok(Logged { position, content, received_at: EventTime::from_unix_ns(received_at) })
            })
            .collect()
    }

    /// The position of the first observation from this event time on that is in the log.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn first_position_from(&self, t: EventTime) -> Result<Option<u64>, StoreError> {
        let mut statement =
            self.ok(self.connection.prepare_cached("SELECT min(position) FROM log WHERE kind = ?1 AND t >= ?2"))?;
        let first: Option<i64> =
            self.ok(statement.query_row(params![Kind::Fix as i64, t.unix_ns()], |row| row.get(0)))?;
        Ok(first.map(i64::unsigned_abs))
    }

    /// The positions of the first and the last fix in the log whose event time lies in a period.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn positions_between(&self, from: EventTime, to: EventTime) -> Result<Option<(u64, u64)>, StoreError> {
        let mut statement = self.ok(self
            .connection
            .prepare_cached("SELECT min(position), max(position) FROM log WHERE t >= ?1 AND t <= ?2 AND kind = ?3"))?;
        let between = params![from.unix_ns(), to.unix_ns(), Kind::Fix as i64];
        let ends =
            statement.query_row(between, |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)));
        let (first, last) = self.ok(ends)?;
        Ok(first.zip(last).map(|(first, last)| (first.unsigned_abs(), last.unsigned_abs())))
    }

    /// The fixes of a vessel in a period of event time, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn fixes_of(&self, vessel: &str, from: EventTime, to: EventTime) -> Result<Vec<Fix>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT position, kind, about, t, content, lat, lon, sog_mps, cog_deg, heading_deg, accuracy_m, body,
                    received_at
             FROM log WHERE t >= ?1 AND t <= ?2 AND about = ?3 AND kind = ?4 ORDER BY t, position",
        ))?;
        let rows = statement
            .query_map(params![from.unix_ns(), to.unix_ns(), vessel, Kind::Fix as i64], columns_of)
            .and_then(Iterator::collect);
        let logged = self.logged(self.ok(rows)?)?;
        let fixes = logged.into_iter().filter_map(|logged| match logged.content {
            Content::Observation(Observation::Fix(_, fix)) => Some(fix),
            _ => None,
        });
        Ok(fixes.collect())
    }

    /// The vessels with a fix since an instant, and the time of the newest of each; it reads an index alone.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn heard_since(&self, t: EventTime) -> Result<BTreeMap<String, EventTime>, StoreError> {
        self.heard("SELECT about, t FROM log WHERE t >= ?1 AND kind = ?2", t.unix_ns())
    }

    /// The vessels with a fix after a position of the log, and the time of the newest of each.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn heard_after(&self, position: u64) -> Result<BTreeMap<String, EventTime>, StoreError> {
        self.heard("SELECT about, t FROM log WHERE position > ?1 AND kind = ?2", position as i64)
    }

    fn heard(&self, sql: &str, after: i64) -> Result<BTreeMap<String, EventTime>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(sql))?;
        let mut rows = self.ok(statement.query(params![after, Kind::Fix as i64]))?;
        let mut heard: BTreeMap<String, EventTime> = BTreeMap::new();
        while let Some(row) = self.ok(rows.next())? {
            let t = EventTime::from_unix_ns(self.ok(row.get(1))?);
            let about = self.ok(row.get_ref(0).and_then(|about| Ok(about.as_str()?)))?;
            match heard.get_mut(about) {
                Some(last) => *last = t.max(*last),
                None => drop(heard.insert(about.to_owned(), t)),
            }
        }
        Ok(heard)
    }

    /// What a vessel said last that it is.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn last_profile_of(&self, vessel: &str) -> Result<Option<Profile>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT position, kind, about, t, content, lat, lon, sog_mps, cog_deg, heading_deg, accuracy_m, body,
                    received_at
             FROM log WHERE kind = 2 AND about = ?1 ORDER BY position DESC LIMIT 1",
        ))?;
        let last = self.ok(statement.query_row([vessel], columns_of).optional())?;
        let logged = self.logged(last.into_iter().collect())?;
        Ok(logged.into_iter().find_map(|logged| match logged.content {
            Content::Observation(Observation::Profile(_, profile)) => Some(Profile::clone(&profile)),
            _ => None,
        }))
    }

    /// Sets messages aside with their bytes.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn set_aside(&mut self, refused: &[Refused]) -> Result<(), StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "INSERT INTO refused (received_at, source, topic, reason, detail, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        ))?;
        for message in refused {
            let written = statement.execute(params![
                message.received_at.unix_ns(),
                &*message.source,
                &*message.topic,
                message.reason,
                message.detail,
                &*message.payload,
            ]);
            self.ok(written)?;
        }
        Ok(())
    }

    /// The newest messages that were set aside, up to so many for each source and reason.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn refused_samples(&self, limit: usize) -> Result<Vec<Sample>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT received_at, source, topic, reason, detail, payload FROM (
               SELECT *, row_number() OVER (PARTITION BY source, reason ORDER BY n DESC) AS place
               FROM (SELECT * FROM refused ORDER BY n DESC LIMIT 10000))
             WHERE place <= ?1 ORDER BY n DESC",
        ))?;
        let rows = statement.query_map([limit as i64], |row| {
            Ok(Sample {
                received_at: EventTime::from_unix_ns(row.get(0)?),
                source: row.get(1)?,
                topic: row.get(2)?,
                reason: row.get(3)?,
                detail: row.get(4)?,
                payload: row.get(5)?,
            })
        });
        self.ok(rows.and_then(Iterator::collect))
    }

    /// The first messages that were set aside: the reason, and their bytes.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn refused(&self, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.rows("SELECT reason, payload FROM refused ORDER BY n LIMIT ?1", [limit as i64], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
    }
}
