//! Vessels that are silent: what is likely of them by the tracks of others is asked while those are there.

use super::Engine;
use crate::time::EventTime;
use crate::track::BEARING_S;

/// How often silent vessels are looked for, seconds: others' tracks are kept for longer than that.
const ASK_SILENT_S: f64 = 15.0;

impl Engine {
    /// Asks, before the fix of time `t` is put in on a waterway, for the odds that rest on others' tracks of vessels that
    /// have been silent, while those tracks are still there. Nothing that bears on them can come any more by then, but
    /// from vessels that had not been heard for longer than the reorder window.
    pub(super) fn ask_of_silent(&mut self, place: usize, t: EventTime) {
        let clock = self.waters[place].clock.max(t);
        let is_needed = self.desk.minds_tows || !self.trackers.is_empty();
        if !is_needed || clock.seconds_since(self.waters[place].asked) < ASK_SILENT_S {
            return;
        }
        self.waters[place].asked = clock;
        let silent_s = self.rulebook.motion.reorder_window_s + BEARING_S;
        let is_silent = |slot: &&u32| {
            let vessel = &self.vessels[**slot as usize];
            // In this order: few have findings in the making, and the newest fix of the others is not in the cache.
            let Some(docket) = &vessel.docket else { return false };
            let Some(newest) = vessel.track.newest() else { return false };
            docket.asked < newest
                && clock.seconds_since(newest) > silent_s
                && docket.ledgers.iter().any(|ledger| usize::from(ledger.key.water) == place)
        };
        let silent: Vec<u32> = self.directory.slots.iter().filter(is_silent).copied().collect();
        for slot in silent {
            let newest = self.vessels[slot as usize].track.newest();
            let Some(mut docket) = self.vessels[slot as usize].docket.take() else { continue };
            self.ask_of_each(&mut docket.ledgers, slot, newest, |ledger, evidence| ledger.ask_early(evidence));
            docket.asked = newest.unwrap_or(docket.asked);
            self.vessels[slot as usize].docket = Some(docket);
        }
    }
}
