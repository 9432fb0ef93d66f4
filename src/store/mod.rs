//! What is kept: the log of observations, the state of the judge, findings and the law they were judged by; and what
//! the console needs beside them: outcomes, accounts, drafts.
//!
//! Four small traits say what a daemon needs of a store; [`Sqlite`] has them all in one file. One store holds one
//! log: that of the waterways of a map, which are judged together. A distributed log under the same traits would
//! hold one for each group of waterways.
//!
//! What always holds:
//!
//! - The log is append-only and has one order. A position is a number without a meaning beyond that order.
//! - Writing is idempotent by content: an observation heard twice is one entry, a finding's revision made twice is
//!   one row. So whoever is not sure whether something was written writes it again.
//! - Between [`Sqlite::begin`] and [`Sqlite::commit`] all is written or nothing.

mod accounts;
mod audit;
mod counters;
mod decode;
mod drafts;
mod entry;
mod findings;
mod law;
mod leases;
mod log;
mod outcomes;
mod retention;
mod schema;
mod snapshots;
mod sqlite;
mod standing;
#[cfg(test)]
mod store_tests;
mod stretch;

pub use accounts::{Account, Role, Session, Token};
pub use audit::{AuditQuery, Audited};
pub use counters::Counters;
pub use decode::{Bunch, Bunches};
pub use drafts::{ComingVersion, Draft, MapVersion};
pub use entry::{Content, Entry, Logged, Origin, Refused, Sample};
pub use findings::{Kept, Letter, Stands};
pub use law::{Law, LawPeriod};
pub use outcomes::{Action, NewOutcome, Outcome, Quiet};
pub use retention::{Retention, Thinned};
pub use snapshots::Checkpoint;
pub use sqlite::{Sqlite, Sync};
pub use standing::{Counts, Happened, Happening, Standing, StandingQuery};

use crate::time::EventTime;

/// Why the store could not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite says no: the disk is full, the file is damaged, another process holds it.
    #[error("store {path}: {source}")]
    Database {
        /// The file.
        path: String,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The file was written by a newer Buoyline.
    #[error(
        "store {path}: has layout {found}, this Buoyline knows up to {known}; use the newer Buoyline that wrote it"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its layout.
        found: i64,
        /// The newest layout that is known.
        known: i64,
    },
    /// An entry cannot be understood.
    #[error("store {path}: entry {position} of the log cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// Its position.
        position: u64,
        /// What is wrong.
        reason: String,
    },
    /// What was in force is not in the store, or cannot be read any more.
    #[error("store {path}: law {version}: {reason}")]
    Law {
        /// The file.
        path: String,
        /// Which one.
        version: String,
        /// What is wrong.
        reason: String,
    },
}

impl StoreError {
    /// Whether trying again later may help: another process writes, or the disk is full.
    pub fn may_pass(&self) -> bool {
        use rusqlite::ErrorCode::{CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, SystemIoFailure};
        match self {
            Self::Database { source, .. } => source.sqlite_error_code().is_some_and(|code| {
                matches!(code, DatabaseBusy | DatabaseLocked | DiskFull | SystemIoFailure | CannotOpen)
            }),
            _ => false,
        }
    }
}

/// The ordered log.
pub trait Log {
    /// Appends what is not in it yet. The answer has, for each entry, its position, or `None` where it was there.
    ///
    /// # Errors
    /// [`StoreError`].
    fn append(&mut self, entries: &[Entry]) -> Result<Vec<Option<u64>>, StoreError>;

    /// Up to `limit` entries behind a position, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    fn read(&self, after: u64, limit: usize) -> Result<Vec<Logged>, StoreError>;

    /// The position of the last entry; 0 in an empty log.
    ///
    /// # Errors
    /// [`StoreError`].
    fn last_position(&self) -> Result<u64, StoreError>;
}

/// Who works on what. Ownership spares work; that two work on one thing does no harm.
pub trait Leases {
    /// Takes or prolongs a lease; `false` where somebody else has it.
    ///
    /// # Errors
    /// [`StoreError`].
    fn lease(&mut self, name: &str, holder: &str, now: EventTime, until: EventTime) -> Result<bool, StoreError>;
}

/// States of the judge.
pub trait Snapshots {
    /// The newest checkpoint at or before a position.
    ///
    /// # Errors
    /// [`StoreError`].
    fn checkpoint(&self, at_or_before: u64) -> Result<Option<Checkpoint>, StoreError>;

    /// Keeps a checkpoint unless there is one at its position or behind it; whether it was kept.
    ///
    /// # Errors
    /// [`StoreError`].
    fn keep_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<bool, StoreError>;
}

/// Findings, their history, and those still to be published.
pub trait Findings {
    /// Keeps revisions that are not there yet, and puts those into the outbox. The answer counts the revisions that
    /// were there with other contents; the ones that were there first stay.
    ///
    /// # Errors
    /// [`StoreError`].
    fn keep_findings(&mut self, findings: &[Kept]) -> Result<u64, StoreError>;

    /// Up to `limit` letters of the outbox behind number `after`, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    fn outbox(&self, after: i64, limit: usize) -> Result<Vec<Letter>, StoreError>;

    /// Strikes what has been published off the outbox.
    ///
    /// # Errors
    /// [`StoreError`].
    fn published(&mut self, letters: &[i64]) -> Result<(), StoreError>;
}
