//! States of the judge.

use rusqlite::{OptionalExtension, params};

use super::{Snapshots, Sqlite, StoreError};
use crate::time::EventTime;

/// The state of the judge after an entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The last entry that it holds.
    pub position: u64,
    /// The law in force there.
    pub law: String,
    /// When it was made, by the clock of the machine.
    pub made_at: EventTime,
    /// A snapshot for each waterway, and one for what is on none.
    pub snapshots: Vec<Vec<u8>>,
}

impl Snapshots for Sqlite {
    fn checkpoint(&self, at_or_before: u64) -> Result<Option<Checkpoint>, StoreError> {
        let newest = self
            .connection
            .query_row(
                "SELECT position, law, made_at FROM checkpoint WHERE position <= ?1 ORDER BY position DESC LIMIT 1",
                [i64::try_from(at_or_before).unwrap_or(i64::MAX)],
                |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get(2)?)),
            )
            .optional();
        let Some((position, law, made_at)) = self.ok(newest)? else { return Ok(None) };
        let mut statement =
            self.ok(self.connection.prepare_cached("SELECT bytes FROM snapshot WHERE position = ?1 ORDER BY place"))?;
        let snapshots = statement.query_map([position], |row| row.get(0)).and_then(Iterator::collect);
        Ok(Some(Checkpoint {
            position: position.unsigned_abs(),
            law,
            made_at: EventTime::from_unix_ns(made_at),
            snapshots: self.ok(snapshots)?,
        }))
    }

    fn keep_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<bool, StoreError> {
        let position = checkpoint.position as i64;
        let kept = self.connection.execute(
            "INSERT INTO checkpoint (position, law, made_at) SELECT ?1, ?2, ?3
             WHERE NOT EXISTS (SELECT 1 FROM checkpoint WHERE position >= ?1)",
            params![position, checkpoint.law, checkpoint.made_at.unix_ns()],
        );
        if self.ok(kept)? == 0 {
            return Ok(false);
        }
        for (place, bytes) in checkpoint.snapshots.iter().enumerate() {
            let written = self.connection.execute(
                "INSERT INTO snapshot (position, place, bytes) VALUES (?1, ?2, ?3)",
                params![position, place as i64, bytes],
            );
            self.ok(written)?;
        }
        Ok(true)
    }
}
