//! Where vessels went, kept while they are judged: the fixes that were not refused, and where no path leads on.

use std::collections::{BTreeMap, BTreeSet};

use super::driver::Outcome;
use crate::observation::{Fix, RefusalReason, VesselId};
use crate::rulebook::Motion;
use crate::time::EventTime;
use crate::track::{ASHORE, TrackFix, Water};

/// The number that the water of a kept fix has, whichever it is.
const ON_WATER: Water = 0;

/// The fixes of vessels that were handed to the engine and not refused by it, with their places in the log.
#[derive(Debug, Default)]
pub(crate) struct KeptPaths {
    fixes: BTreeMap<VesselId, Vec<TrackFix>>,
    /// Of vessels that ever were a tracker on a towed person, behind whom, at each fix.
    towers: BTreeMap<VesselId, Vec<(EventTime, Option<VesselId>)>>,
}

impl KeptPaths {
    /// Takes a fix that comes from a place of the log.
    pub fn take(&mut self, vessel: &VesselId, fix: &Fix, position: u64) {
        let mut kept = TrackFix::new(fix, position);
        kept.water = ON_WATER;
        self.fixes.entry(vessel.clone()).or_default().push(kept);
        if fix.towed_by.is_some() || self.towers.contains_key(vessel) {
            self.towers.entry(vessel.clone()).or_default().push((fix.t, fix.towed_by.clone()));
        }
    }

    /// Takes out a fix that was refused. Who went ashore is remembered to have been on no path.
    pub fn refuse(&mut self, vessel: &VesselId, position: u64, t: EventTime, reason: RefusalReason) {
        if let Some(fixes) = self.fixes.get_mut(vessel)
            // A fix is refused soon after it has been handed over, so it is near the end.
            && let Some(at) = fixes.iter().rposition(|fix| (fix.source, fix.t) == (position, t))
        {
            if reason == RefusalReason::OffWater {
                fixes[at].water = ASHORE;
            } else {
                fixes.remove(at);
            }
        }
    }

    /// Puts the paths in an outcome.
    pub fn put_in(self, outcome: &mut Outcome, motion: &Motion) {
        for (vessel, mut fixes) in self.fixes {
            fixes.sort_by_key(|fix| fix.t);
            let leads_on = |two: &[TrackFix]| two[0].water == ON_WATER && two[1].can_follow(&two[0], motion);
            let breaks = fixes.windows(2).filter(|two| !leads_on(two)).map(|two| two[1].t).collect();
            outcome.breaks.insert(vessel.clone(), breaks);
            let afloat = fixes.iter().filter(|fix| fix.water == ON_WATER);
            outcome.paths.insert(vessel, afloat.map(|fix| (fix.t, fix.position)).collect());
        }
        for (vessel, mut towers) in self.towers {
            towers.sort_by_key(|(from, _)| *from);
            towers.dedup_by(|later, earlier| later.1 == earlier.1);
            outcome.towed.insert(vessel, towers);
        }
        outcome.paths.retain(|_, path| !path.is_empty());
    }
}

/// The trackers that were ever on a towed person.
pub(crate) fn note_tracker(vessel: &VesselId, fix: &Fix, trackers: &mut BTreeSet<VesselId>) {
    if fix.towed_by.is_some() && !trackers.contains(vessel) {
        trackers.insert(vessel.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::{LocalFrame, Position, Vec2};
    use crate::rulebook::Rulebook;

    #[test]
    fn a_jump_and_a_time_ashore_break_the_path_and_a_glitch_does_not() {
        let frame = LocalFrame::at(Position::from_lat_lon(47.0, 9.0).expect("in range"));
        let start = EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time");
        let id = |name: &str| VesselId::new(name).expect("an id");
        let (vessel, t) = (id("boat"), |s: u32| start.plus_seconds(f64::from(s)));
        let mut kept = KeptPaths::default();
        // A glitch at 3 s, a jump before 6 s, ashore at 9 s; behind a boat from 2 s to 4 s.
        for s in 0..12 {
            let east_m = 5.0 * f64::from(s) + if s == 3 { 900.0 } else { 0.0 } + if s >= 6 { 2000.0 } else { 0.0 };
            let mut fix = Fix::new(t(s), frame.to_position(Vec2::new(east_m, 0.0)).expect("near"));
            fix.towed_by = (2..=4).contains(&s).then(|| id("tower"));
            kept.take(&vessel, &fix, u64::from(s));
        }
        kept.refuse(&vessel, 3, t(3), RefusalReason::Implausible);
        kept.refuse(&vessel, 9, t(9), RefusalReason::OffWater);
        let mut outcome = Outcome::default();
        kept.put_in(&mut outcome, &Rulebook::spokane().motion);
        let times: Vec<EventTime> = outcome.paths[&vessel].iter().map(|fix| fix.0).collect();
        assert_eq!(times, [0, 1, 2, 4, 5, 6, 7, 8, 10, 11].map(t));
        assert_eq!(outcome.breaks[&vessel], [6, 10].map(t));
        assert_eq!(outcome.towed[&vessel], [(t(2), Some(id("tower"))), (t(5), None)]);
    }
}
