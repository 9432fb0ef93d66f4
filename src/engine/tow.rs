//! What a vessel has in tow on its legs.

use super::vessel::Vessel;
use crate::rules::OwnTow;
use crate::skier::parts_between;
use crate::track::Leg;

impl Vessel {
    /// What it has in tow somewhere on a leg, if anything.
    pub fn tow_on(&self, leg: &Leg) -> Option<OwnTow> {
        let file = self.file.as_ref()?;
        let parts = parts_between(file.crew_before, &file.activities, leg);
        (!parts.is_empty()).then_some(OwnTow { parts })
    }
}
