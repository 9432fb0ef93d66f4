//! Puts another map or rulebook in force.

use std::sync::Arc;

use super::judge::Desk;
use super::water::WaterState;
use super::{Engine, Event, terms};
use crate::findings::Terms;
use crate::rulebook::Rulebook;
use crate::time::EventTime;
use crate::track::{ASHORE, Water};
use crate::zones::Map;

/// What another map or rulebook changes.
pub(super) struct Change {
    /// By its number so far, the number a waterway has from now on; [`ASHORE`] for one that is no more.
    renumbered: Vec<Water>,
    /// By its number so far, whether neither the waterway nor the rulebook is another.
    stays: Vec<bool>,
}

impl Change {
    /// What changes from one map and rulebook to the next.
    pub fn between((map, rulebook): (&Map, &Rulebook), (new_map, new_rulebook): (&Map, &Rulebook)) -> Self {
        let is_same_law = rulebook.version == new_rulebook.version;
        let (mut renumbered, mut stays) = (Vec::new(), Vec::new());
        for waterway in &map.waterways {
            let at = new_map.waterways.iter().position(|new| new.id == waterway.id);
            renumbered.push(at.map_or(ASHORE, |at| at as Water));
            stays.push(is_same_law && at.is_some_and(|at| new_map.waterways[at].version == waterway.version));
        }
        Self { renumbered, stays }
    }

    /// The number a waterway has from now on.
    pub fn number(&self, water: Water) -> Water {
        self.renumbered.get(usize::from(water)).copied().unwrap_or(ASHORE)
    }

    /// Whether what is kept for a waterway goes on as if nothing had happened.
    pub fn stays(&self, water: Water) -> bool {
        self.stays.get(usize::from(water)).copied().unwrap_or(false)
    }
}

impl Engine {
    /// Puts a map and a rulebook in force. On waterways that change, open findings close under what they opened
    /// with, and nothing that was judged before is judged again; what stays the same goes on as if nothing had
    /// happened.
    pub(super) fn put_in_force(&mut self, map: Arc<Map>, rulebook: Arc<Rulebook>, out: &mut Vec<Event>) {
        let change = Change::between((&self.map, &self.rulebook), (&map, &rulebook));
        let slots = self.named_slots();
        for (id, slot) in &slots {
            let goes_on = self.vessels[*slot as usize].set_aside(&change);
            self.close_ledgers(*slot, id, None, out);
            self.vessels[*slot as usize].docket = goes_on;
        }
        let mut waters = WaterState::all(&map, &rulebook);
        for (old, &new) in change.renumbered.iter().enumerate() {
            let Some(state) = waters.get_mut(usize::from(new)).filter(|_| new != ASHORE) else { continue };
            if change.stays(old as Water) {
                std::mem::swap(state, &mut self.waters[old]);
            } else {
                state.take_over(&mut self.waters[old], &map.waterways[usize::from(new)], &rulebook);
            }
        }
        self.terms = Terms { tells_open: self.terms.tells_open, ..terms(&rulebook) };
        let accounts = std::mem::take(&mut self.desk.accounts);
        self.desk = Desk::new(&rulebook);
        self.desk.accounts = accounts;
        self.waters = waters;
        self.map = map;
        self.rulebook = rulebook;
        for (_, slot) in slots {
            let goes_on = change.stays(self.vessels[slot as usize].water);
            self.vessels[slot as usize].renumber(&change);
            self.enter_notable(slot, 0);
            if self.vessels[slot as usize].tows && !goes_on {
                self.note_tow(slot, EventTime::MIN, out);
            }
        }
    }
}
