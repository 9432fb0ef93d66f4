//! Counts that outlive a restart: `kill -9` loses none that belong to what was stored.

use std::collections::BTreeMap;

use rusqlite::params;

use super::{Sqlite, StoreError};

/// Counts by name and label.
pub type Counters = BTreeMap<(&'static str, String), u64>;

impl Sqlite {
    /// Adds to counts.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn count(&mut self, added: &Counters) -> Result<(), StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "INSERT INTO counter (name, label, value) VALUES (?1, ?2, ?3)
             ON CONFLICT (name, label) DO UPDATE SET value = value + ?3",
        ))?;
        for ((name, label), value) in added {
            self.ok(statement.execute(params![name, label, *value as i64]))?;
        }
        Ok(())
    }

    /// A count without labels; 0 where nothing was counted.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn counted(&self, name: &str) -> Result<u64, StoreError> {
        let mut statement = self.ok(self
            .connection
            .prepare_cached("SELECT coalesce(max(value), 0) FROM counter WHERE name = ?1 AND label = ''"))?;
        Ok(self.ok(statement.query_row([name], |row| row.get::<_, i64>(0)))?.unsigned_abs())
    }

    /// All counts, as (name, label, value).
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn counts(&self) -> Result<Vec<(String, String, u64)>, StoreError> {
        self.rows("SELECT name, label, value FROM counter", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?.unsigned_abs()))
        })
    }
}
