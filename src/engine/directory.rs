//! Where a vessel is kept, by its id.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::vessel::Vessel;
use crate::observation::VesselId;

/// Which slot a vessel is kept in. Only ever asked for one vessel, never gone through.
#[derive(Default)]
pub(super) struct Directory {
    /// The slots, in no order that means anything.
    pub slots: HashTable<u32>,
    state: FixedState,
}

impl Directory {
    /// The slot of a vessel, if it has one.
    pub fn get(&self, id: &VesselId, vessels: &[Vessel]) -> Option<u32> {
        self.slots.find(self.state.hash_one(id), |&slot| vessels[slot as usize].id == *id).copied()
    }

    /// Enters a vessel that is not there yet.
    pub fn insert(&mut self, id: &VesselId, slot: u32, vessels: &[Vessel]) {
        let hash_of = |&slot: &u32| self.state.hash_one(&vessels[slot as usize].id);
        self.slots.insert_unique(self.state.hash_one(id), slot, hash_of);
    }

    /// Takes a vessel out.
    pub fn remove(&mut self, id: &VesselId, vessels: &[Vessel]) {
        let hash = self.state.hash_one(id);
        if let Ok(entry) = self.slots.find_entry(hash, |&slot| vessels[slot as usize].id == *id) {
            entry.remove();
        }
    }
}
