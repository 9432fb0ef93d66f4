//! What was in force: maps and rulebooks, kept whole, so that any finding can be judged again by them.

use std::fmt::Write as _;
use std::sync::Arc;

use rusqlite::{OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::{Sqlite, StoreError};
use crate::rulebook::Rulebook;
use crate::time::EventTime;
use crate::zones::{Map, MapOptions, Severity, ZoneFault, ZoneFile};

/// The files of a map and a rulebook, as they were read.
#[derive(Debug, Clone)]
pub struct Law {
    /// Made of names and contents: the same files are the same law.
    pub version: Arc<str>,
    /// The files of the map, in order.
    pub zones: Vec<ZoneFile>,
    /// What the rulebook's file is called.
    pub rulebook_name: String,
    /// The rulebook.
    pub rulebook: String,
}

/// Map, rulebook, and what had to be set aside in the map.
type Read = (Arc<Map>, Arc<Rulebook>, Vec<ZoneFault>);

impl Law {
    /// A law of these files.
    pub fn new(zones: Vec<ZoneFile>, rulebook_name: String, rulebook: String) -> Self {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        for file in &zones {
            part(file.name.as_bytes());
            part(&file.bytes);
        }
        part(rulebook.as_bytes());
        let mut version = String::with_capacity(32);
        for byte in &hash.finalize()[..16] {
            // Writing to a string cannot fail.
            let _ = write!(version, "{byte:02x}");
        }
        Self { version: version.into(), zones, rulebook_name, rulebook }
    }

    /// Reads the files: the map, less what has to be set aside in it, and the rulebook.
    ///
    /// # Errors
    /// What is wrong with the rulebook, or that the map has no waterway.
    pub fn read(&self) -> Result<(Arc<Map>, Arc<Rulebook>), String> {
        self.read_with_faults().map(|(map, rulebook, _)| (map, rulebook))
    }

    /// As [`Law::read`], but nothing is set aside: one error in the map, and it is not taken.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn check(&self) -> Result<(Arc<Map>, Arc<Rulebook>), String> {
        let (map, rulebook, faults) = self.read_with_faults()?;
        let errors = faults.iter().filter(|fault| fault.severity == Severity::Error).map(ToString::to_string);
        let errors = errors.collect::<Vec<_>>().join("; ");
        if errors.is_empty() { Ok((map, rulebook)) } else { Err(errors) }
    }

    fn read_with_faults(&self) -> Result<Read, String> {
        let rulebook = Rulebook::from_toml(&self.rulebook_name, &self.rulebook)
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        let options = MapOptions { max_link_m: rulebook.motion.max_link_m };
        let (map, faults) = Map::from_files(&self.zones, &options);
        if map.waterways.is_empty() {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            return Err(format!("the map has no waterway; {}", faults.join("; ")));
        }
        Ok((Arc::new(map), Arc::new(rulebook), faults))
    }
}

/// A stretch of the log that one law was in force for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LawPeriod {
    /// Its version.
    pub law: String,
    /// Content hash of its rulebook.
    pub rulebook_version: String,
    /// From when on, by the clock of the machine.
    pub from: EventTime,
    /// Until when; `None` while it lasts.
    pub to: Option<EventTime>,
}

impl Sqlite {
    /// Which laws were in force when, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn law_periods(&self) -> Result<Vec<LawPeriod>, StoreError> {
        let mut periods: Vec<LawPeriod> = self.rows(
            "SELECT version, rulebook_version, received_at FROM log JOIN law ON version = about
             WHERE kind = 5 ORDER BY position",
            [],
            |row| {
                let (law, rulebook_version) = (row.get(0)?, row.get(1)?);
                Ok(LawPeriod { law, rulebook_version, from: EventTime::from_unix_ns(row.get(2)?), to: None })
            },
        )?;
        for i in 1..periods.len() {
            periods[i - 1].to = Some(periods[i].from);
        }
        Ok(periods)
    }

    /// The name and the text of a rulebook that was in force.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn rulebook(&self, version: &str) -> Result<Option<(String, String)>, StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT rulebook_name, bytes FROM law JOIN file ON hash = rulebook WHERE rulebook_version = ?1 LIMIT 1",
        ))?;
        let kept = statement.query_row([version], |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?))).optional();
        Ok(self.ok(kept)?.map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned())))
    }

    /// Keeps a law; one that is there already stays as it is.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn keep_law(&mut self, law: &Law, map: &Map, rulebook: &Rulebook) -> Result<(), StoreError> {
        let text_hash = self.keep_file(law.rulebook.as_bytes())?;
        let added = self.connection.execute(
            "INSERT OR IGNORE INTO law (version, map_version, rulebook_version, rulebook_name, rulebook)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![&*law.version, &*map.version, &*rulebook.version, law.rulebook_name, text_hash],
        );
        if self.ok(added)? == 0 {
            return Ok(());
        }
        for (place, file) in law.zones.iter().enumerate() {
            let hash = self.keep_file(&file.bytes)?;
            let added = self.connection.execute(
                "INSERT INTO law_file (law, place, name, hash) VALUES (?1, ?2, ?3, ?4)",
                params![&*law.version, place as i64, file.name, hash],
            );
            self.ok(added)?;
        }
        Ok(())
    }

    pub(super) fn keep_file(&mut self, bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
        let hash = Sha256::digest(bytes).to_vec();
        let added = self.connection.execute("INSERT OR IGNORE INTO file VALUES (?1, ?2)", params![hash, bytes]);
        self.ok(added)?;
        Ok(hash)
    }

    /// The law of a version.
    ///
    /// # Errors
    /// [`StoreError::Law`] where it is not there or no text.
    pub fn law(&self, version: &str) -> Result<Law, StoreError> {
        let fault = |reason: &str| StoreError::Law {
            path: self.path().display().to_string(),
            version: version.to_owned(),
            reason: reason.to_owned(),
        };
        let rulebook = self
            .connection
            .query_row(
                "SELECT rulebook_name, bytes FROM law JOIN file ON hash = rulebook WHERE version = ?1",
                [version],
                |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?)),
            )
            .optional();
        let (rulebook_name, text) = self.ok(rulebook)?.ok_or_else(|| fault("is not in the store"))?;
        let rulebook = String::from_utf8(text).map_err(|_| fault("its rulebook is no text"))?;
        let mut statement = self.ok(self
            .connection
            .prepare_cached("SELECT name, bytes FROM law_file JOIN file USING (hash) WHERE law = ?1 ORDER BY place"))?;
        let zones = statement
            .query_map([version], |row| Ok(ZoneFile { name: row.get(0)?, bytes: row.get(1)? }))
            .and_then(Iterator::collect);
        Ok(Law { version: version.into(), zones: self.ok(zones)?, rulebook_name, rulebook })
    }

    /// The law in force at a position of the log, and the position from which on; `None` before the first one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn law_at(&self, position: u64) -> Result<Option<(u64, String)>, StoreError> {
        let found = self
            .connection
            .query_row(
                "SELECT position, about FROM log WHERE kind = ?1 AND position <= ?2 ORDER BY position DESC LIMIT 1",
                params![super::entry::Kind::Law as i64, i64::try_from(position).unwrap_or(i64::MAX)],
                |row| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?)),
            )
            .optional();
        self.ok(found)
    }

    /// Whether nothing but this map and this rulebook was in force from one position of the log to another.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn was_in_force(&self, map: &str, rulebook: &str, first: u64, last: u64) -> Result<bool, StoreError> {
        let Some((began, _)) = self.law_at(first)? else { return Ok(false) };
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT count(*) FROM log LEFT JOIN law ON law.version = log.about
             WHERE kind = ?1 AND position BETWEEN ?2 AND ?3
               AND (map_version IS NOT ?4 OR rulebook_version IS NOT ?5)",
        ))?;
        let kind = super::entry::Kind::Law as i64;
        let asked = params![kind, began as i64, i64::try_from(last).unwrap_or(i64::MAX), map, rulebook];
        let others: i64 = self.ok(statement.query_row(asked, |row| row.get(0)))?;
        Ok(others == 0)
    }
}
