//! Puts versions of the map in force that were published for a later day.
//!
//! The time of fixes decides: the change stands in the log before the first fix of that time, so that is judged by it
//! live and replayed alike. Where nothing is heard the clock of the machine decides a little later. The file is written
//! first: where the daemon ends in between, the next one finds it there, as if it had been changed by hand.

use std::time::Instant;

use super::{Keeper, TICK};
use crate::draft::put_in_place;
use crate::observation::Observation;
use crate::serve::calendar::Coming;
use crate::store::{Content, Entry, StoreError};
use crate::time::EventTime;

/// A fix of the time of a change counts so long before it by the clock of the machine; clocks that are further apart are
/// wrong, and shall not change the law of everybody.
const AHEAD_S: f64 = 5.0;
/// What is under way at the time of a change, or when the daemon starts, has arrived after so long.
const UNDER_WAY_S: f64 = 2.0;

/// What is to come.
#[derive(Debug)]
pub(super) struct Calendar {
    /// What is ready, in the order in which it comes.
    pub coming: Vec<Coming>,
    started: Instant,
    /// When the first of them could not be put in force, and why.
    stuck: Option<(Instant, String)>,
}

impl Default for Calendar {
    fn default() -> Self {
        Self { coming: Vec::new(), started: Instant::now(), stuck: None }
    }
}

impl Calendar {
    fn may_try(&self) -> bool {
        self.stuck.as_ref().is_none_or(|(at, _)| at.elapsed() >= TICK)
    }

    fn is_due(&self, t: EventTime, received_at: EventTime) -> bool {
        let first = self.coming.first().filter(|_| self.may_try());
        first.is_some_and(|first| first.valid_from <= t && first.valid_from.seconds_since(received_at) <= AHEAD_S)
    }
}

/// What became of one.
enum Came {
    /// It is to be in force from here on.
    Now,
    /// It was withdrawn, or has come already.
    Gone,
    /// It cannot be put in force.
    Stuck(String),
}

impl Keeper {
    /// Takes what is to come in the place of what was.
    pub(super) fn foresee(&mut self, coming: Vec<Coming>) {
        self.calendar.coming = coming;
        self.calendar.stuck = None;
    }

    /// Puts what is due before the first fix of its time among the entries that were decoded last, from this place on.
    pub(super) fn come_with(&mut self, from: usize) {
        let mut at = from;
        while let Some(entry) = self.batch.entries.get(at) {
            match &entry.content {
                Content::Observation(Observation::Fix(_, fix)) if self.calendar.is_due(fix.t, entry.received_at) => {
                    // Looked at again behind it: several may be due.
                    if let Some(law) = self.bring(entry.received_at, at) {
                        self.batch.entries.insert(at, law);
                        self.batch.sources.insert(at, None);
                        at += 1;
                    }
                }
                _ => at += 1,
            }
        }
    }

    /// Puts in force what is due by the clock of the machine.
    pub(super) fn come_by_clock(&mut self, now: EventTime) {
        while let Some(first) = self.calendar.coming.first() {
            let is_over = now.seconds_since(first.valid_from) >= UNDER_WAY_S;
            let is_settled = self.calendar.started.elapsed().as_secs_f64() >= UNDER_WAY_S;
            if !(is_over && is_settled && self.calendar.may_try()) {
                return;
            }
            let end = self.batch.entries.len();
            if let Some(law) = self.bring(now, end) {
                self.batch.entries.push(law);
                self.batch.sources.push(None);
            }
        }
    }

    /// Has the first that is to come be in force from a place of the batch on; the entry for it, where it is another law
    /// than what holds there.
    fn bring(&mut self, now: EventTime, place: usize) -> Option<Entry> {
        let laws = self.batch.entries[..place].iter().rev().filter_map(|entry| match &entry.content {
            Content::Law(version) => Some(version),
            _ => None,
        });
        let law = laws.clone().next().unwrap_or(self.judge.law()).clone();
        let first = self.calendar.coming.first()?;
        if first.follows != law {
            // Another law came between; it is being made ready for that.
            self.calendar.stuck = Some((Instant::now(), String::new()));
            return None;
        }
        let first = first.clone();
        let ((waterway, n), came) = (&first.of, self.try_bring(&first, now));
        match came {
            Ok(Came::Now) => {
                tracing::info!(waterway, n, version = first.version, "a version of the map comes into force");
                self.calendar.coming.remove(0);
                self.calendar.stuck = None;
                let entry = Entry { content: Content::Law(first.law.version.clone()), received_at: now, origin: None };
                (first.law.version != law).then_some(entry)
            }
            Ok(Came::Gone) => {
                self.calendar.coming.remove(0);
                None
            }
            Ok(Came::Stuck(fault)) => {
                self.is_stuck(&first, fault);
                None
            }
            Err(error) => {
                self.board.meter().store_errors.inc();
                self.is_stuck(&first, error.to_string());
                None
            }
        }
    }

    /// Notes that it has come and puts its file in place, both or neither.
    fn try_bring(&mut self, coming: &Coming, now: EventTime) -> Result<Came, StoreError> {
        let Coming { of: (waterway, n), law, map, rulebook, before, after, version, .. } = coming;
        self.store.begin()?;
        let came = (|| {
            if !self.store.version_came((waterway, *n), version, after, now)? {
                return Ok(Came::Gone);
            }
            self.store.keep_law(law, map, rulebook)?;
            if *after != before.bytes {
                let placed = put_in_place(before, &String::from_utf8_lossy(after));
                if let Err(error) = placed {
                    return Ok(Came::Stuck(error.to_string()));
                }
            }
            Ok(Came::Now)
        })();
        match came {
            Ok(Came::Now) => self.store.commit().map(|()| Came::Now).inspect_err(|_| self.store.roll_back()),
            other => {
                self.store.roll_back();
                other
            }
        }
    }

    fn is_stuck(&mut self, coming: &Coming, fault: String) {
        if self.calendar.stuck.as_ref().is_none_or(|(_, told)| *told != fault) {
            let (waterway, n) = &coming.of;
            tracing::error!(waterway, n, fault, "a version of the map is due and cannot be put in force");
            self.board.set_coming_fault(coming.of.clone(), fault.clone());
        }
        self.calendar.stuck = Some((Instant::now(), fault));
    }
}
