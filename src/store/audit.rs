//! Who looked at what, and did what. Entries are added, never changed.

use rusqlite::params;

use super::{Sqlite, StoreError};
use crate::time::EventTime;

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audited {
    /// Its number; 0 in a new one.
    pub n: i64,
    /// When, by the clock of the machine.
    pub at: EventTime,
    /// Who.
    pub who: String,
    /// Did what, in one word.
    pub action: String,
    /// To what: a vessel, an account, a mark.
    pub about: String,
    /// What for, where that was asked.
    pub purpose: Option<String>,
    /// What more there is to know.
    pub detail: Option<String>,
}

/// Which entries are asked for. What is `None` is not asked.
#[derive(Debug, Clone, Default)]
pub struct AuditQuery {
    /// Who did it.
    pub who: Option<String>,
    /// What was done.
    pub action: Option<String>,
    /// To what.
    pub about: Option<String>,
    /// From this instant on.
    pub from: Option<EventTime>,
    /// Up to this instant.
    pub to: Option<EventTime>,
    /// Entries before this one.
    pub before: Option<i64>,
    /// How many at most.
    pub limit: usize,
}

impl Sqlite {
    /// Adds an entry.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn audit(&mut self, entry: &Audited) -> Result<(), StoreError> {
        let added = self.connection.execute(
            "INSERT INTO audit (at, who, action, about, purpose, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![entry.at.unix_ns(), entry.who, entry.action, entry.about, entry.purpose, entry.detail],
        );
        self.ok(added).map(drop)
    }

    /// The newest entries that are asked for, the last one first.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn audited(&self, query: &AuditQuery) -> Result<Vec<Audited>, StoreError> {
        self.rows(
            "SELECT n, at, who, action, about, purpose, detail FROM audit
             WHERE (?1 IS NULL OR who = ?1) AND (?2 IS NULL OR action = ?2) AND (?3 IS NULL OR about = ?3)
               AND (?4 IS NULL OR at >= ?4) AND (?5 IS NULL OR at <= ?5) AND (?6 IS NULL OR n < ?6)
             ORDER BY n DESC LIMIT ?7",
            params![
                query.who,
                query.action,
                query.about,
                query.from.map(EventTime::unix_ns),
                query.to.map(EventTime::unix_ns),
                query.before,
                query.limit as i64
            ],
            |row| {
                Ok(Audited {
                    n: row.get(0)?,
                    at: EventTime::from_unix_ns(row.get(1)?),
                    who: row.get(2)?,
                    action: row.get(3)?,
                    about: row.get(4)?,
                    purpose: row.get(5)?,
                    detail: row.get(6)?,
                })
            },
        )
    }
}
