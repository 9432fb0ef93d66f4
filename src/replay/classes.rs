//! Classes of vessels that never say of what class they are, as the user knows them.

use std::collections::BTreeMap;

use crate::observation::{Observation, Profile, VesselClass, VesselId};

/// What the user says about the class of vessels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classes {
    /// Of vessels that are not named.
    pub all: Option<VesselClass>,
    /// Of vessels by name.
    pub of: BTreeMap<VesselId, VesselClass>,
}

/// Fills in [`Classes`] where vessels say nothing themselves.
#[derive(Debug)]
pub(super) struct Declared<'c> {
    classes: &'c Classes,
    /// Vessels heard of, and their class as far as anybody has said it.
    known: BTreeMap<VesselId, Option<VesselClass>>,
}

impl<'c> Declared<'c> {
    /// `None` where the user says nothing.
    pub(super) fn new(classes: &'c Classes) -> Option<Self> {
        (*classes != Classes::default()).then_some(Self { classes, known: BTreeMap::new() })
    }

    fn class(&self, vessel: &VesselId) -> Option<VesselClass> {
        self.classes.of.get(vessel).copied().or(self.classes.all)
    }

    /// Completes a profile without a class, and gives the profile that has to go before an observation: that
    /// of a vessel heard for the first time. It holds for all time, until the vessel says otherwise.
    pub(super) fn before(&mut self, observation: &mut Observation) -> Option<Observation> {
        if let Observation::Profile(vessel, profile) = observation {
            // What it once said about its class it has not taken back.
            let said = self.known.get(vessel).copied().flatten();
            profile.class = profile.class.or(said).or_else(|| self.class(vessel));
            self.known.insert(vessel.clone(), profile.class);
            return None;
        }
        let vessel = observation.vessel().filter(|vessel| !self.known.contains_key(*vessel))?;
        let class = self.class(vessel);
        self.known.insert(vessel.clone(), class);
        let profile = Profile { class: Some(class?), ..Profile::default() };
        Some(Observation::Profile(vessel.clone(), Box::new(profile)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_vessel_says_goes_first() {
        let id = |name| VesselId::new(name).expect("an id");
        let classes =
            Classes { all: Some(VesselClass::Motorboat), of: BTreeMap::from([(id("ski"), VesselClass::Pwc)]) };
        let mut declared = Declared::new(&classes).expect("something is said");
        let mut profile = |vessel, class| {
            let said = Profile { class, ..Profile::default() };
            let mut observation = Observation::Profile(id(vessel), Box::new(said));
            assert_eq!(declared.before(&mut observation), None);
            match observation {
                Observation::Profile(_, profile) => profile.class,
                _ => None,
            }
        };
        assert_eq!(profile("a", None), Some(VesselClass::Motorboat));
        assert_eq!(profile("ski", None), Some(VesselClass::Pwc));
        assert_eq!(profile("b", Some(VesselClass::Sailboat)), Some(VesselClass::Sailboat));
        assert_eq!(profile("b", None), Some(VesselClass::Sailboat), "not taken back");
        assert!(Declared::new(&Classes::default()).is_none());
    }
}
