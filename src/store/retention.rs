//! What is old goes, in small steps that never hold up what comes in.
//!
//! Tracks without findings go by age; what lies around a finding stays with it. Findings, the law and what holds on
//! (profiles, marks, conditions, laws) stay.

use rusqlite::params;

use super::entry::Kind;
use super::{Sqlite, StoreError};
use crate::time::EventTime;

/// How many messages that are no observation are kept at most: the newest.
const REFUSED_MAX: i64 = 100_000;

/// What is kept for how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retention {
    /// Fixes and activities before this instant go, seconds before now.
    pub tracks_s: f64,
    /// What lies this close around a finding stays, seconds.
    pub around_findings_s: f64,
    /// The states of the judge thin out to one in this time, seconds.
    pub checkpoint_every_s: f64,
    /// Messages that are no observation go after this time, seconds.
    pub refused_s: f64,
}

/// What a step took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Thinned {
    /// Entries of the log that were looked at.
    pub seen: u64,
    /// Entries that went.
    pub gone: u64,
    /// Where the next step goes on; `None` where all has been looked at.
    pub next: Option<u64>,
}

impl Sqlite {
    /// Looks at up to `step` entries behind `after` and takes those that are too old and far from any finding.
    /// Call it within a transaction, again and again.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn thin(
        &mut self,
        after: u64,
        step: usize,
        retention: &Retention,
        now: EventTime,
    ) -> Result<Thinned, StoreError> {
        let before = now.plus_seconds(-retention.tracks_s).unix_ns();
        // What the daemon goes on from, and the last entry, stay whatever their age.
        let end = self.connection.query_row(
            "SELECT min((SELECT coalesce(max(position), 0) FROM checkpoint), (SELECT coalesce(max(position), 0) FROM log) - 1)",
            [],
            |row| row.get::<_, i64>(0),
        );
        let end = self.ok(end)?;
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT position FROM log WHERE position > ?1 AND position <= ?2 AND received_at < ?3
             ORDER BY position LIMIT ?4",
        ))?;
        let seen = statement
            .query_map(params![after as i64, end, before, step as i64], |row| row.get::<_, i64>(0))
            .and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let seen = self.ok(seen)?;
        let (Some(first), Some(last)) = (seen.first(), seen.last()) else { return Ok(Thinned::default()) };
        // Up to here the log may have gaps.
        let noted = self.connection.execute(
            "INSERT INTO counter (name, label, value) VALUES ('thinned_to', '', ?1)
             ON CONFLICT (name, label) DO UPDATE SET value = max(value, ?1)",
            [last],
        );
        self.ok(noted)?;
        let around_ns = (retention.around_findings_s * 1e9) as i64;
        let gone = self.connection.execute(
            "DELETE FROM log WHERE position BETWEEN ?1 AND ?2 AND kind IN (?3, ?4, ?5) AND received_at < ?6
               AND NOT EXISTS (
                 SELECT 1 FROM finding
                 WHERE start_t <= log.t + ?7 AND start_t >= log.t - ?7 - ?8
                   AND coalesce(end_t, start_t) >= log.t - ?7)",
            params![
                first,
                last,
                Kind::Fix as i64,
                Kind::Activity as i64,
                Kind::Clock as i64,
                before,
                around_ns,
                LONGEST_FINDING_NS
            ],
        );
        Ok(Thinned {
            seen: seen.len() as u64,
            gone: self.ok(gone)? as u64,
            next: (seen.len() == step).then_some(last.unsigned_abs()),
        })
    }

    /// Takes the states of the judge that lie closer together than they need to, save the newest two, and messages
    /// that were set aside long ago.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn thin_beside(&mut self, retention: &Retention, now: EventTime) -> Result<(), StoreError> {
        let every_ns = ((retention.checkpoint_every_s * 1e9) as i64).max(1);
        let oldest = now.plus_seconds(-retention.tracks_s).unix_ns();
        // Of each stretch of time the first stays, of what is too old nothing.
        let doomed = "SELECT position FROM checkpoint AS this
             WHERE position NOT IN (SELECT position FROM checkpoint ORDER BY position DESC LIMIT 2)
               AND (made_at < ?2 OR EXISTS (
                 SELECT 1 FROM checkpoint AS other
                 WHERE other.position < this.position AND other.made_at / ?1 = this.made_at / ?1))";
        let snapshots = format!("DELETE FROM snapshot WHERE position IN ({doomed})");
        self.ok(self.connection.execute(&snapshots, params![every_ns, oldest]))?;
        let checkpoints = format!("DELETE FROM checkpoint WHERE position IN ({doomed})");
        self.ok(self.connection.execute(&checkpoints, params![every_ns, oldest]))?;
        let refused_before = now.plus_seconds(-retention.refused_s).unix_ns();
        self.ok(self.connection.execute(
            "DELETE FROM refused
             WHERE received_at < ?1 OR n <= (SELECT coalesce(max(n), 0) FROM refused) - ?2",
            params![refused_before, REFUSED_MAX],
        ))?;
        Ok(())
    }
}

/// No finding lasts longer; it bounds how far back one is looked for.
const LONGEST_FINDING_NS: i64 = 86_400 * 1_000_000_000;
