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

/// Which way traffic goes around a position, taken together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TravelAround {
    /// Mean of the directions, of length 1 where all are the same and shorter where they differ.
    pub mean: Vec2,
    /// How far the position is from where mid-water begins, metres, negative inside it: by the shore opposite to the
    /// mean. Infinite where that is far.
    pub off_mid_water_m: f64,
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

/// Mid-water further off than this is far: no error of a position reaches it, metres.
const FAR_M: f64 = 100.0;
/// Places looked at around a position: shares of the radius, and how many on that ring.
const RINGS: [(f64, u32); 2] = [(0.5, 6), (1.0, 10)];

impl Waterway {
    /// Which way traffic goes at a position of the water: by `lines`, the circulation lines in force, else by the
    /// shore. `None` on the guide itself and where there is no shore.
    pub fn travel_at(&self, p: Position, terms: &TravelTerms, lines: &[FeatureIx]) -> Option<Travel> {
        let guide = self.guide_at(p, lines)?;
        if lines.is_empty() && self.opposite_outer(p, guide.1, guide.0 + 2.0 * terms.mid_water_m).is_some() {
            return Some(Travel::MidWater);
        }
        let hand = if lines.is_empty() { terms.shore_to } else { Hand::Port };
        unit(hand.keeping(LocalFrame::at(p).to_plane(guide.1))).map(Travel::Toward)
    }

    /// Which way traffic goes within a radius of a position, taken together: a cove or a spit of that size does not
    /// turn it, nor is the next spit an opposite shore. Where the shore is smooth it is what
    /// [`Waterway::travel_at`] says.
    pub fn travel_around(&self, p: Position, radius_m: f64, terms: &TravelTerms, lines: &[FeatureIx]) -> TravelAround {
        let (mut sum, mut places) = (Vec2::default(), 0.0);
        // Looked at from the guide on, the places turn with the map.
        let first = self.guide_at(p, lines).and_then(|(_, point)| unit(LocalFrame::at(p).to_plane(point)));
        self.each_around(p, first.unwrap_or(Vec2::new(0.0, 1.0)), radius_m, |at| {
            let guide = self.guide_at(at, lines);
            if let Some(way) = guide.and_then(|(_, point)| unit(LocalFrame::at(at).to_plane(point))) {
                sum = sum + way;
                places += 1.0;
            }
        });
        let guide = if places > 0.0 { sum * (1.0 / places) } else { sum };
        let hand = if lines.is_empty() { terms.shore_to } else { Hand::Port };
        let off_mid_water_m = self.off_mid_water_m(p, guide, terms).filter(|_| lines.is_empty());
        TravelAround { mean: hand.keeping(guide), off_mid_water_m: off_mid_water_m.unwrap_or(f64::INFINITY) }
    }

    /// How far a position is from where mid-water begins, with the shore in the direction of `guide` as the near one;
    /// `None` where the opposite shore is far.
    fn off_mid_water_m(&self, p: Position, guide: Vec2, terms: &TravelTerms) -> Option<f64> {
        let near_m = self.nearest_outer(p, f64::INFINITY)?.distance_m;
        let toward = LocalFrame::at(p).to_position(unit(guide)?)?;
        let far_m = self.opposite_outer(p, toward, near_m + 2.0 * (terms.mid_water_m + FAR_M))?.distance_m;
        Some(0.5 * (far_m - near_m) - terms.mid_water_m)
    }

    /// The nearest point of the guide and how far it is, metres.
    fn guide_at(&self, p: Position, lines: &[FeatureIx]) -> Option<(f64, Position)> {
        if lines.is_empty() {
            return self.nearest_outer(p, f64::INFINITY).map(|near| (near.distance_m, near.point));
        }
        let frame = LocalFrame::at(p);
        let mut best: Option<(f64, Position)> = None;
        for &ix in lines {
            self.feature(ix).shape.each_edge(&mut |a, b| {
                let found = measure(&frame, a, b);
                if best.is_none_or(|best| found.0 < best.0) {
                    best = Some(found);
                }
            });
        }
        best
    }

    /// Calls `f` with a position and places on the water evenly around it, up to a radius, from a direction on.
    fn each_around(&self, p: Position, first: Vec2, radius_m: f64, mut f: impl FnMut(Position)) {
        let right = Vec2::new(first.north_m, -first.east_m);
        let frame = LocalFrame::at(p);
        f(p);
        for (share, places) in RINGS {
            for i in 0..places {
                let angle = std::f64::consts::TAU * f64::from(i) / f64::from(places);
                let (sin, cos) = libm::sincos(angle);
                let at = frame.to_position((first * cos + right * sin) * (share * radius_m));
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
}

fn unit(v: Vec2) -> Option<Vec2> {
    let length_m = v.norm();
    (length_m > 0.0).then(|| v * (1.0 / length_m))
}
