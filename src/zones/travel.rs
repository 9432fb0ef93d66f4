//! Which way ski traffic goes: derived from the outer shore, or along a line drawn for it.
//!
//! A direction is that of keeping a guide on one hand: the nearest point of the outer shore (islands aside) on the
//! hand the code names, or the nearest point of a `circulation` line, where one is in force, to port. Near
//! mid-water, where opposite shores are equally near, the shore gives none. Exact at a position; what a ragged
//! shore makes of it is seen by asking around ([`Waterway::travel_around`]). How it changes along a leg is solved
//! by the rule that asks.

use super::ZoneKind;
use serde::{Deserialize, Serialize};

use super::index::measure;
use super::map::{FeatureIx, Waterway};
use crate::geo::{LocalFrame, Position, Vec2};

/// A side of a vessel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hand {
    /// Left.
    Port,
    /// Right.
    Starboard,
}

/// How the shore gives a direction of travel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TravelTerms {
    /// The hand on which the outer shore is kept.
    pub shore_to: Hand,
    /// How near to mid-water there is no direction: half of what the opposite shore is further off, metres.
    pub mid_water_m: f64,
}

/// Which way traffic goes at a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Travel {
    /// In the direction of this unit vector, east and north.
    Toward(Vec2),
    /// Opposite shores are about equally near: no way is wrong.
    MidWater,
}

/// The directions around a position, taken together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TravelAround {
    /// Mean of the directions, of length 1 where all are the same and shorter where they differ or are none.
    pub mean: Vec2,
}

impl TravelAround {
    /// The mean direction, degrees true; `None` where there is none.
    pub fn course_deg(&self) -> Option<f64> {
        self.mean.bearing_deg()
    }

    /// How much the directions agree: 1 fully, 0 not at all.
    pub fn agreement(&self) -> f64 {
        self.mean.norm()
    }
}

impl Hand {
    /// The direction of travel, as a vector as long as the way there, of who has a guide in direction `guide` on
    /// this hand.
    pub fn keeping(self, guide: Vec2) -> Vec2 {
        match self {
            // A quarter turn to the left of the guide keeps it on the right.
            Self::Starboard => Vec2::new(-guide.north_m, guide.east_m),
            Self::Port => Vec2::new(guide.north_m, -guide.east_m),
        }
    }
}

/// Places looked at around a position: shares of the radius, and how many on that ring.
const RINGS: [(f64, u32); 2] = [(0.5, 6), (1.0, 10)];

impl Waterway {
    /// Which way traffic goes at a position of the water: by `lines`, the circulation lines in force, else by the
    /// shore. `None` on the guide itself and where there is no shore.
    pub fn travel_at(&self, p: Position, terms: &TravelTerms, lines: &[FeatureIx]) -> Option<Travel> {
        let frame = LocalFrame::at(p);
        let (hand, guide) = if lines.is_empty() {
            let near = self.nearest_outer(p, f64::INFINITY)?;
            if self.opposite_outer(p, near.point, near.distance_m + 2.0 * terms.mid_water_m).is_some() {
                return Some(Travel::MidWater);
            }
            (terms.shore_to, near.point)
        } else {
            (Hand::Port, self.nearest_of(&frame, lines)?)
        };
        let way = hand.keeping(frame.to_plane(guide));
        let length_m = way.norm();
        (length_m > 0.0).then(|| Travel::Toward(way * (1.0 / length_m)))
    }

    /// The directions of travel within a radius of a position, taken together: a cove or a spit of that size
    /// does not turn their mean.
    pub fn travel_around(&self, p: Position, radius_m: f64, terms: &TravelTerms, lines: &[FeatureIx]) -> TravelAround {
        let mut sum = Vec2::default();
        let mut count = 0.0;
        self.each_around(p, radius_m, |at| {
            count += 1.0;
            if let Some(Travel::Toward(way)) = self.travel_at(at, terms, lines) {
                sum = sum + way;
            }
        });
        TravelAround { mean: if count > 0.0 { sum * (1.0 / count) } else { sum } }
    }

    /// Calls `f` with a position and places on the water evenly around it, up to a radius.
    pub fn each_around(&self, p: Position, radius_m: f64, mut f: impl FnMut(Position)) {
        let frame = LocalFrame::at(p);
        f(p);
        for (share, places) in RINGS {
            for i in 0..places {
                let angle = std::f64::consts::TAU * f64::from(i) / f64::from(places);
                let (sin, cos) = libm::sincos(angle);
                let at = frame.to_position(Vec2::new(sin, cos) * (share * radius_m));
                if let Some(at) = at.filter(|&at| self.contains(at)) {
                    f(at);
                }
            }
        }
    }

    /// The circulation lines of the map, whenever they are in force.
    pub fn circulation_lines(&self) -> Vec<FeatureIx> {
        self.of_kind(ZoneKind::Circulation).map(|(ix, _)| ix).collect()
    }

    /// The nearest point of some features.
    fn nearest_of(&self, frame: &LocalFrame, features: &[FeatureIx]) -> Option<Position> {
        let mut best: Option<(f64, Position)> = None;
        for &ix in features {
            self.feature(ix).shape.each_edge(&mut |a, b| {
                let found = measure(frame, a, b);
                if best.is_none_or(|best| found.0 < best.0) {
                    best = Some(found);
                }
            });
        }
        best.map(|(_, point)| point)
    }
}
