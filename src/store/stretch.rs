//! Parts of the log by time and vessel, for those who look at something again.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rusqlite::{Row, ToSql, params};

use super::entry::Kind;
use super::log::{Read, columns_of};
use super::{Logged, Sqlite, StoreError};
use crate::observation::VesselId;
use crate::time::EventTime;

const COLUMNS: &str =
    "position, kind, about, t, content, lat, lon, sog_mps, cog_deg, heading_deg, accuracy_m, body, received_at";

/// A statement that is this old says nothing of a vessel any more, seconds.
const ACTIVITIES_S: f64 = 86_400.0;

/// Fixes that are looked through for the newest of each vessel at most: of 2,000 boats with one a second, those of a
/// quarter of an hour.
const LOOKED_THROUGH_MAX: i64 = 2_000_000;

impl Sqlite {
    /// The fixes of some vessels in a period, and of everybody who says that one of them tows him, in the order of the
    /// log.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn fixes_beside(
        &self,
        vessels: &[&VesselId],
        from: EventTime,
        to: EventTime,
    ) -> Result<Vec<Logged>, StoreError> {
        let names: Vec<&str> = vessels.iter().map(|vessel| vessel.as_str()).collect();
        let names = serde_json::to_string(&names).unwrap_or_default();
        // Extras are few, and stand in their rows as JSON.
        let sql = format!(
            "SELECT {COLUMNS} FROM log WHERE t >= ?1 AND t <= ?2 AND kind = ?3
               AND (about IN (SELECT value FROM json_each(?4))
                    OR (body IS NOT NULL AND json_extract(CAST(body AS TEXT), '$.towed_by') IN (SELECT value FROM json_each(?4))))
             ORDER BY position"
        );
        self.stretch(&sql, &[&from.unix_ns(), &to.unix_ns(), &(Kind::Fix as i64), &names])
    }

    /// What was said until an instant beside fixes: of vessels' doings what may still hold at `from`, of everything
    /// else all.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn said(&self, from: EventTime, to: EventTime) -> Result<Vec<Logged>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM log WHERE kind IN (1, 2, 3, 4) AND t <= ?1 AND (kind <> ?2 OR t >= ?3) ORDER BY position"
        );
        let since = from.plus_seconds(-ACTIVITIES_S).unix_ns();
        self.stretch(&sql, &[&to.unix_ns(), &(Kind::Activity as i64), &since])
    }

    /// The newest fix of each vessel that was heard since an instant; what lies further back than two million fixes is
    /// not looked at.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn last_fixes(&self, since: EventTime) -> Result<Vec<Logged>, StoreError> {
        // The index alone is read, newest first; then one row for each vessel.
        let mut statement = self.ok(self
            .connection
            .prepare_cached("SELECT about, position FROM log WHERE t >= ?1 AND kind = ?2 ORDER BY t DESC LIMIT ?3"))?;
        let mut rows = self.ok(statement.query(params![since.unix_ns(), Kind::Fix as i64, LOOKED_THROUGH_MAX]))?;
        let mut last: HashMap<String, i64, FixedState> = HashMap::default();
        while let Some(row) = self.ok(rows.next())? {
            let about = self.ok(row.get_ref(0).and_then(|about| Ok(about.as_str()?)))?;
            if !last.contains_key(about) {
                last.insert(about.to_owned(), self.ok(row.get(1))?);
            }
        }
        let mut positions: Vec<i64> = last.into_values().collect();
        positions.sort_unstable();
        let positions = serde_json::to_string(&positions).expect("a list of numbers is JSON");
        let sql =
            format!("SELECT {COLUMNS} FROM log WHERE position IN (SELECT value FROM json_each(?1)) ORDER BY position");
        self.stretch(&sql, &[&positions])
    }

    fn stretch(&self, sql: &str, asked: &[&dyn ToSql]) -> Result<Vec<Logged>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(sql))?;
        let rows = statement.query_map(asked, columns_of).and_then(Iterator::collect::<rusqlite::Result<Vec<Read>>>);
        self.logged(self.ok(rows)?)
    }

    /// The position of the log at which a finding was first told, and the version of the law in force there.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn law_of_finding(&self, id: &str) -> Result<Option<(u64, String)>, StoreError> {
        let mut statement = self.ok(self
            .connection
            .prepare_cached("SELECT position FROM finding WHERE id = ?1 ORDER BY revision LIMIT 1"))?;
        let mut positions = self.ok(statement
            .query_map([id], |row: &Row<'_>| row.get::<_, i64>(0))
            .and_then(Iterator::collect::<Result<Vec<i64>, _>>))?;
        let Some(position) = positions.pop().map(i64::unsigned_abs) else { return Ok(None) };
        Ok(self.law_at(position)?.map(|(_, version)| (position, version)))
    }

    /// The SHA-256 of the messages that a vessel's fixes of a period came in, each with its position, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn messages_of(
        &self,
        vessel: &VesselId,
        from: EventTime,
        to: EventTime,
    ) -> Result<Vec<(u64, [u8; 16])>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT position, coalesce(payload_hash, content) FROM log
             WHERE t >= ?1 AND t <= ?2 AND about = ?3 AND kind = ?4 ORDER BY position",
        ))?;
        let asked = params![from.unix_ns(), to.unix_ns(), vessel.as_str(), Kind::Fix as i64];
        let rows = statement.query_map(asked, |row| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?)));
        self.ok(rows.and_then(Iterator::collect))
    }
}
