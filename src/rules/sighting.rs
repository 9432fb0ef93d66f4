//! What a rule saw on one leg.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geo::{Position, Span};
use crate::observation::VesselId;
use crate::time::EventTime;
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
    /// On what courses it would not be.
    pub excuses: Vec<Excuse>,
}

/// A time for which a clause does not bind who leaves the shore straight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Excuse {
    /// From when.
    pub from: EventTime,
    /// Until when.
    pub until: EventTime,
    /// How far the course may be off straight away from the nearest shoreline, degrees.
    pub within_deg: f64,
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
    /// The skier it is about, where it is about one.
    pub skier: Option<SkierSeen>,
}

/// Where a skier was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SkierSeen {
    /// Where.
    pub position: Position,
    /// Whether that is an estimate by the boat's path and the rope, and no tracker's report.
    pub is_estimated: bool,
    /// Radius of its 68 % confidence, metres; of an estimate without the boat's own error. `None` where a tracker
    /// reported none.
    pub accuracy_m: Option<f64>,
}

/// Whose track carries a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Carrier {
    /// The vessel judged.
    Subject,
    /// Another vessel, or a tracker on a skier.
    Other(VesselId),
    /// None: it lies where it is, or hardly moves.
    Nobody,
}

/// A place that moves with a track.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spot {
    /// Whose track.
    pub carrier: Carrier,
    /// Where it is from there, metres to the east and to the north.
    pub offset_m: [f64; 2],
    /// Standard deviation along one axis beyond that of the track, metres.
    pub sigma_m: f64,
    /// Where it is by the fixes alone.
    pub position: Position,
    /// Radius of 68 % confidence that goes with that, metres; as configured where none was reported.
    pub accuracy_m: Option<f64>,
}

/// What following asks beyond a distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Astern {
    /// The towing vessel.
    pub boat: VesselId,
    /// How far from dead astern of the skier still counts, radians.
    pub within_rad: f64,
    /// How far the follower's course may be from the towing vessel's, radians.
    pub course_within_rad: f64,
    /// The skier's own course by the rope, of unit length; `None` where a tracker shows it.
    pub skier_course: Option<[f64; 2]>,
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
    /// A skier of the vessel within a distance of any feature of these kinds.
    SkierNear {
        /// The kinds.
        kinds: KindSet,
        /// The distance, metres.
        radius_m: f64,
        /// The skier at the worst instant.
        skier: Box<Spot>,
    },
    /// Within a distance of another vessel's skier, or one's own skier of another vessel.
    Apart {
        /// One of the two at the worst instant.
        one: Box<Spot>,
        /// The other one.
        other: Box<Spot>,
        /// The distance, metres.
        radius_m: f64,
        /// What more it takes, where it is about following.
        astern: Option<Box<Astern>>,
        /// A speed that it takes as well, m/s.
        faster_than_mps: f64,
    },
    /// Across the course line of a vessel, nearer ahead of it than a distance.
    Ahead {
        /// That vessel.
        boat: VesselId,
        /// The distance, metres.
        radius_m: f64,
    },
    /// On the far side of a boundary.
    Beyond {
        /// How far from it, metres.
        margin_m: f64,
        /// Standard deviation of where it is, beyond that of the vessel's track, metres.
        sigma_m: f64,
    },
    /// Inside an area.
    Inside {
        /// The area's id.
        area: Arc<str>,
    },
}
