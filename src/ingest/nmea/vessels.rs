//! What the vessels heard by AIS say about themselves, as far as it has been told on.

use foldhash::fast::FixedState;
use indexmap::IndexMap;

use crate::ingest::ais::Mmsi;
use crate::observation::Profile;

/// How many vessels are remembered. Of one forgotten, what it says is told on once more.
const VESSELS_MAX: usize = 20_000;

/// What each vessel was last known to be.
#[derive(Debug, Default)]
pub(in crate::ingest) struct Vessels {
    known: IndexMap<Mmsi, Profile, FixedState>,
}

impl Vessels {
    /// Adds what a vessel says to what it said before; gives its profile where that has changed. A transponder says
    /// the same every six minutes.
    pub(in crate::ingest) fn learn(&mut self, mmsi: Mmsi, add: impl FnOnce(&mut Profile)) -> Option<Profile> {
        let known = self.known.get(&mmsi);
        let mut profile =
            known.cloned().unwrap_or_else(|| Profile { mmsi: Some(mmsi.to_string()), ..Profile::default() });
        add(&mut profile);
        if known == Some(&profile) {
            return None;
        }
        if known.is_none() && self.known.len() == VESSELS_MAX {
            self.known.swap_remove_index(0);
        }
        self.known.insert(mmsi, profile.clone());
        Some(profile)
    }
}
