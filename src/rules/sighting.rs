//! What a rule saw on one leg.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geo::{Position, Span};
use crate::observation::VesselId;
use crate::zones::{KindSet, TravelTerms};

/// One stretch of one leg on which one clause is broken.
#[derive(Debug, Clone, PartialEq)]
pub struct Sighting {
    /// Which of the rule's clauses.
    pub clause: u16,
    /// The zone whose own limit it is, where the clause is the zone's.
    pub zone: Option<Arc<str>>,
    /// The other vessel, where it is about two.
    pub other: Option<VesselId>,
    /// From when to when, in seconds since the start of the leg.
    pub span: Span,
    /// What was allowed.
    pub limit: Limit,
    /// The worst instant.
    pub peak: Sight,
    /// All features involved.
    pub features: SmallVec<[Arc<str>; 2]>,
    /// Where the vessel must have been for this to be true.
    pub place: Place,
}

/// What was measured at one instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Sight {
    /// When, in seconds since the start of the leg.
    pub at_s: f64,
    /// Speed over ground, m/s.
    pub speed_mps: Option<f64>,
    /// Distance to the nearest relevant feature or vessel, metres.
    pub distance_m: Option<f64>,
    /// That feature.
    pub feature: Option<Arc<str>>,
}

/// What a clause allows.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Limit {
    /// The highest speed that is allowed, m/s.
    pub speed_mps: Option<f64>,
    /// The distance that decides, metres.
    pub distance_m: Option<f64>,
}

/// Where a vessel must have been for a clause to be broken; what position errors bear on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Place {
    /// Anywhere on the waterway.
    Anywhere,
    /// Within a distance of any feature of these kinds.
    Near {
        /// The kinds.
        kinds: KindSet,
        /// The distance, metres.
        radius_m: f64,
    },
    /// Within a distance of another vessel.
    NearVessel {
        /// Where that one was at the worst instant.
        position: Position,
        /// Radius of its 68 % confidence, metres; as configured where it reported none.
        accuracy_m: Option<f64>,
        /// The distance, metres.
        radius_m: f64,
    },
    /// On a course against the direction of travel, which position and shore decide.
    Astray {
        /// How the direction is derived where no line is among the features.
        travel: TravelTerms,
        /// By how much the course is off it at the worst instant, degrees.
        off_deg: f64,
        /// By how much it may be off, degrees.
        off_course_deg: f64,
        /// The speed from which on that counts, m/s.
        faster_than_mps: f64,
        /// How far around the direction is asked, metres.
        smoothing_m: f64,
    },
    /// Inside an area.
    Inside {
        /// The area's id.
        area: Arc<str>,
    },
}
