//! What every input ends up as: fixes, activities, profiles, marks and conditions.
//!
//! Whatever a tracker speaks, behind its decoder there are only these. "Not available" codes have
//! become `None`, units are SI, and an id is known to be well formed.

mod fix;
mod id;
mod refusal;
mod report;

pub use fix::{Fix, Light, NavStatus};
pub use id::{IdError, VesselId, WaterwayId};
pub use refusal::{Refusal, RefusalReason};
pub use report::{Activity, Conditions, Mark, MarkChange, Profile, Towing, TowingState, VesselClass, Weather};

use crate::time::EventTime;

/// One message of the ordered log that can change a verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum Observation {
    /// A position report of one vessel.
    Fix(VesselId, Fix),
    /// What a vessel is doing, from now on.
    Activity(VesselId, Box<Activity>),
    /// What a vessel is.
    Profile(VesselId, Box<Profile>),
    /// Something put on the water or taken in.
    Mark(Box<Mark>),
    /// Visibility, weather and level on one waterway.
    Conditions(Box<Conditions>),
}

impl Observation {
    /// When it was measured or took effect; a profile without a time holds for all time.
    pub fn t(&self) -> Option<EventTime> {
        match self {
            Self::Fix(_, fix) => Some(fix.t),
            Self::Activity(_, activity) => Some(activity.t),
            Self::Profile(_, profile) => profile.t,
            Self::Mark(mark) => Some(mark.t),
            Self::Conditions(conditions) => Some(conditions.t),
        }
    }

    /// The vessel it is about, where it is about one.
    pub fn vessel(&self) -> Option<&VesselId> {
        match self {
            Self::Fix(vessel, _) | Self::Activity(vessel, _) | Self::Profile(vessel, _) => Some(vessel),
            Self::Mark(_) | Self::Conditions(_) => None,
        }
    }
}
