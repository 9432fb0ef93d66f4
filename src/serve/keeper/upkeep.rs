//! What the keeper does that nobody brings to it: the time of silent waterways, the lease, checkpoints, retention.

use std::time::{Duration, Instant};

use super::{Keeper, Quiet};
use crate::serve::judge::JudgeError;
use crate::serve::meter::Queue;
use crate::store::{Content, Entry, Leases, Snapshots};
use crate::time::EventTime;

/// Entries of the log that one step of retention looks at.
const THIN_STEP: usize = 2_000;
/// How often retention takes a step, and how often it begins anew.
const THIN_EVERY: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(3_600));
/// For how long the lease holds.
const LEASE_S: f64 = 15.0;
/// A checkpoint is made after so many entries at the latest.
const CHECKPOINT_ENTRIES: u64 = 200_000;

impl Keeper {
    /// What nobody brings: entries of another process, the time, checkpoints, what is old.
    pub(super) fn look_after(&mut self) -> Result<(), JudgeError> {
        let now = (self.clock)();
        self.catch_up()?;
        self.come_by_clock(now);
        self.settle()?;
        // How far all is judged is in the store also where nothing was found and nothing more comes.
        if !self.counted.is_empty() {
            self.write()?;
        }
        self.show_seen(true);
        self.tell_the_time(now)?;
        self.lease(now);
        let (at, position) = self.checkpointed;
        let grown = self.judge.position() - position;
        if grown > 0 && (at.elapsed() >= self.terms.checkpoint_every || grown >= CHECKPOINT_ENTRIES) {
            self.keep_checkpoint()?;
        }
        self.thin(now);
        self.board.sweep(now);
        let meter = self.board.meter();
        meter.position.set(self.judge.position() as i64);
        meter.vessels.set(self.judge.vessel_count() as i64);
        if let (Ok(bytes), Ok(letters)) = (self.store.size_bytes(), self.store.outbox_len()) {
            meter.store_bytes.set(bytes as i64);
            meter.queued.get_or_create(&Queue { queue: "outbox" }).set(letters as i64);
        }
        Ok(())
    }

    /// Tells a waterway that has been silent for long how late it is, once.
    fn tell_the_time(&mut self, now: EventTime) -> Result<(), JudgeError> {
        let mut told = Vec::new();
        for (id, clock) in self.judge.clocks() {
            let quiet = self.quiet.entry(id.cloned()).or_insert(Quiet { clock, since: Instant::now(), is_told: false });
            if quiet.clock != clock {
                *quiet = Quiet { clock, since: Instant::now(), is_told: false };
            } else if !quiet.is_told && quiet.since.elapsed() >= self.terms.silence {
                // Its own time has gone on for as long as it was silent.
                quiet.clock = clock.plus_seconds(quiet.since.elapsed().as_secs_f64());
                quiet.is_told = true;
                told.push((id.cloned(), quiet.clock));
            }
        }
        if told.is_empty() {
            return Ok(());
        }
        let entry = |(id, t)| Entry { content: Content::Clock(id, t), received_at: now, origin: None };
        self.batch.entries.extend(told.into_iter().map(entry));
        self.write()
    }

    /// Two daemons on one store do each other no harm; but somebody should know.
    pub(super) fn lease(&mut self, now: EventTime) {
        let until = now.plus_seconds(LEASE_S);
        match self.store.lease("judge", &self.terms.holder, now, until) {
            Ok(true) => self.without_lease = None,
            Ok(false) => {
                // One that was killed holds it for a while yet; one that goes on holding it is alive.
                let (since, is_told) = self.without_lease.get_or_insert((Instant::now(), false));
                if !*is_told && since.elapsed().as_secs_f64() > 2.0 * LEASE_S {
                    tracing::warn!("another daemon works on this store too; both find the same, one would do");
                    *is_told = true;
                }
            }
            Err(error) => tracing::warn!(%error, "the lease could not be prolonged"),
        }
    }

    pub(super) fn keep_checkpoint(&mut self) -> Result<(), JudgeError> {
        // What was found up to here is in the store first.
        if !self.found.is_empty() {
            self.write()?;
        }
        let checkpoint = self.judge.checkpoint((self.clock)())?;
        match self.store.whole(|store| store.keep_checkpoint(&checkpoint)) {
            Ok(is_kept) => {
                tracing::debug!(position = checkpoint.position, is_kept, "checkpoint");
                self.checkpointed = (Instant::now(), checkpoint.position);
            }
            Err(error) => tracing::warn!(%error, "a checkpoint could not be kept; a restart will take longer"),
        }
        Ok(())
    }

    fn thin(&mut self, now: EventTime) {
        let (at, next) = self.thinned;
        if at.elapsed() < if next.is_some() { THIN_EVERY.0 } else { THIN_EVERY.1 } {
            return;
        }
        let retention = self.terms.retention;
        let thinned = self.store.whole(|store| {
            if next.is_none() {
                store.thin_beside(&retention, now)?;
            }
            store.thin(next.unwrap_or(0), THIN_STEP, &retention, now)
        });
        match thinned {
            Ok(thinned) => {
                if thinned.gone > 0 {
                    tracing::info!(gone = thinned.gone, seen = thinned.seen, "old tracks went");
                }
                self.thinned = (Instant::now(), thinned.next);
            }
            Err(error) => {
                tracing::warn!(%error, "old tracks could not be taken");
                self.thinned = (Instant::now(), next);
            }
        }
    }
}
