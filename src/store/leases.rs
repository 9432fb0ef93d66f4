//! Who works on what.

use rusqlite::params;

use super::{Leases, Sqlite, StoreError};
use crate::time::EventTime;

impl Leases for Sqlite {
    fn lease(&mut self, name: &str, holder: &str, now: EventTime, until: EventTime) -> Result<bool, StoreError> {
        let taken = self.connection.execute(
            "INSERT INTO lease (name, holder, until) VALUES (?1, ?2, ?3)
             ON CONFLICT (name) DO UPDATE SET holder = ?2, until = ?3 WHERE holder = ?2 OR until <= ?4",
            params![name, holder, until.unix_ns(), now.unix_ns()],
        );
        Ok(self.ok(taken)? > 0)
    }
}
