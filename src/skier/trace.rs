//! The skier along the boat's track: from knot to knot, one at each fix, by the pursuit curve.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::pull::pull;
use super::rounding::Rounder;
use super::stretch::{Steady, Stretch, Way};
use super::tow::TowPart;
use crate::geo::position::wrap_lon_deg;
use crate::geo::{Position, Span, Spans, Vec2};
use crate::observation::VesselId;
use crate::time::EventTime;
use crate::track::Leg;

/// A skier on one stretch of the way, and how that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Skier {
    /// When and where.
    pub stretch: Stretch,
    /// How that is known.
    pub by: KnownBy,
}

impl Skier {
    /// Whether it is this one who rounded a buoy.
    pub fn is(&self, who: &Rounder) -> bool {
        match (&self.by, who) {
            (KnownBy::Tracker { id, .. }, Rounder::Tracked(of)) => id == of,
            (KnownBy::Rope { .. }, Rounder::Estimated) => true,
            _ => false,
        }
    }
}

/// How it is known where a skier is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum KnownBy {
    /// By a tracker on the skier.
    Tracker {
        /// Which one.
        id: VesselId,
        /// Radius of its 68 % confidence, metres, where reported.
        accuracy_m: Option<f64>,
    },
    /// By the boat's path and the rope.
    Rope {
        /// Standard deviation along one axis that this adds to the boat's, metres.
        sigma_m: f64,
    },
}

/// A skier swings out to both sides of where a dead weight would be drawn: share of the rope, one standard
/// deviation. A choice: 15 % is some 9° off the wake.
const SWING_SHARE: f64 = 0.15;
/// What turning adds, as a share of the rope a radian turned lately: whoever is drawn through a turn goes wide
/// or cuts in. A choice, as is that no more than a radian counts.
const TURN_SHARE: f64 = 0.35;

/// What is known of the estimated skier at a fix of the boat.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Knot {
    /// The fix, by its time.
    pub t: EventTime,
    /// Where the skier is; `None` where nobody is in tow or it cannot be told yet.
    skier: Option<Position>,
    /// When that tow was taken up.
    taken_up: EventTime,
    /// How much the boat has turned lately since it took up the tow, radians, forgotten as it runs on: by a factor e every
    /// rope's length.
    turned_rad: f64,
    /// The boat's last course, degrees true.
    course_deg: Option<f64>,
}

impl Knot {
    /// A fix to which no leg leads: nothing is known there.
    pub fn loose(t: EventTime) -> Self {
        Self { t, skier: None, taken_up: EventTime::MIN, turned_rad: 0.0, course_deg: None }
    }

    /// The skier's way on a leg that begins here, and the knot at its end. `rope_m` is the length of a rope of
    /// which none was said, metres.
    ///
    /// Who takes up a tow has the skier a rope's length dead astern of the course; where that is not known yet,
    /// neither is the skier.
    pub fn along(&self, leg: &Leg, parts: &[TowPart], rope_m: f64) -> (SmallVec<[Skier; 2]>, Self) {
        let boat = Steady::of(&leg.motion, 0.0);
        let course_deg = leg.course_deg();
        let course = course_deg.map(Vec2::toward_deg);
        let mut skiers = SmallVec::new();
        let mut skier = self.skier.map(|position| leg.frame.to_plane(position));
        let mut taken_up = self.taken_up;
        let run_m = (leg.motion.to - leg.motion.from).norm();
        let turn_rad = match (self.course_deg, course_deg) {
            (Some(a), Some(b)) => wrap_lon_deg(b - a).abs().to_radians(),
            _ => 0.0,
        };
        let mut turned_rad = self.turned_rad + turn_rad;
        let mut forgets_m = f64::MAX;
        let mut towed_until_s = 0.0;
        for part in parts {
            let rope_m = part.tow.rope_m.unwrap_or(rope_m).max(f64::MIN_POSITIVE);
            if part.tow.taken_up != taken_up || part.span.from_s > towed_until_s {
                skier = None;
            }
            let fresh = skier.is_none();
            if fresh {
                turned_rad = 0.0;
            }
            let from = skier.or_else(|| course.map(|course| boat.at(part.span.from_s) - course * rope_m));
            (taken_up, towed_until_s) = (part.tow.taken_up, part.span.to_s);
            skier = from;
            let Some(from) = from else { continue };
            let (stretches, to) = pull(&boat, part.span, from, rope_m);
            let sigma_m = rope_m * (SWING_SHARE + TURN_SHARE * turned_rad.min(1.0));
            skiers.extend(stretches.into_iter().map(|mut stretch| {
                if fresh && leg.motion.span_s == 0.0 {
                    stretch.said_course = course;
                }
                Skier { stretch, by: KnownBy::Rope { sigma_m } }
            }));
            skier = Some(to);
            forgets_m = rope_m;
        }
        turned_rad *= libm::exp(-run_m / forgets_m);
        if parts.is_empty() || towed_until_s < leg.motion.span_s {
            skier = None;
            turned_rad = 0.0;
        }
        let position = skier.and_then(|skier| leg.frame.to_position(skier));
        let course_deg = course_deg.or(self.course_deg);
        (skiers, Self { t: leg.end(), skier: position, taken_up, turned_rad, course_deg })
    }
}

/// The parts of estimated ways during which no tracker tells where a skier is.
pub fn untracked(estimated: SmallVec<[Skier; 2]>, tracked: &[Skier]) -> Vec<Skier> {
    if tracked.is_empty() {
        return estimated.into_vec();
    }
    let known = tracked.iter().map(|skier| skier.stretch.span).collect();
    let mut left = Vec::new();
    for skier in estimated {
        let span = skier.stretch.span;
        for part in Spans::one(span).subtract(&known).iter() {
            if let Some(stretch) =
                skier.stretch.within(part).filter(|_| part.length_s() > 0.0 || span.length_s() == 0.0)
            {
                left.push(Skier { stretch, by: skier.by.clone() });
            }
        }
    }
    left
}

/// A tracker's way from one fix to the next, or at one fix alone, on the clock and in the plane of a leg of the
/// boat. `way` is the tracker's leg.
pub fn tracked(way: &Leg, boat: &Leg, id: &VesselId, accuracy_m: Option<f64>) -> Option<Skier> {
    let place = |s: f64| boat.frame.to_plane(way.position_at(s));
    let start_s = boat.seconds_to(way.start);
    let (from, to) = (place(0.0), place(way.motion.span_s));
    let span_s = way.motion.span_s;
    let velocity = if span_s > 0.0 { (to - from) * (1.0 / span_s) } else { Vec2::default() };
    let span = Span { from_s: start_s, to_s: start_s + span_s }.intersect(boat.whole())?;
    let said_course = way.course_deg().map(Vec2::toward_deg);
    let stretch = Stretch { span, way: Way::Straight(Steady { at_s: start_s, from, velocity }), said_course };
    Some(Skier { stretch, by: KnownBy::Tracker { id: id.clone(), accuracy_m } })
}
