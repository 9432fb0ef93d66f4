//! `inshore-wake`: wake speed between the buoy line and the shore, unless departing (SMC 10.14.200(C)).
//!
//! Departing is a course within some angle of straight away from the nearest shoreline. Which shoreline
//! is nearest changes along a leg; [`super::shore`] says where.

use smallvec::SmallVec;

use super::shore::nearest_along;
use super::{Place, Rule, RuleKind, Scene, Sighting};
use crate::geo::{Span, Spans, Vec2};
use crate::rulebook::{Clause, Section};
use crate::units::{Angle, Speed};
use crate::zones::{KindSet, Waterway, ZoneKind};

pub(super) const KIND: RuleKind = RuleKind { id: "inshore-wake", build };

#[derive(Debug)]
struct InshoreWake {
    clauses: Vec<Inshore>,
}

#[derive(Debug)]
struct Inshore {
    clause: Clause,
    limit: Speed,
    departing_within: Angle,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let clause = table.clause();
        let (limit, departing_within) = (table.need("limit"), table.need("departing_within"));
        table.finish();
        if let (Some(limit), Some(departing_within)) = (limit, departing_within) {
            clauses.push(Inshore { clause, limit, departing_within });
        }
    }
    Some(Box::new(InshoreWake { clauses }))
}

impl Rule for InshoreWake {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|inshore| &inshore.clause).collect()
    }

    fn quiet_below_mps(&self, waterway: &Waterway) -> f64 {
        if !waterway.kinds.contains(ZoneKind::InshoreArea) {
            return f64::INFINITY;
        }
        self.clauses.iter().map(|inshore| inshore.limit.mps()).fold(f64::INFINITY, f64::min)
    }

    fn looks_around(&self) -> bool {
        true
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let areas: SmallVec<[_; 2]> = scene
            .of_kinds(KindSet::only(ZoneKind::InshoreArea))
            .map(|area| (area, scene.inside_of(area)))
            .filter(|(_, inside)| !inside.is_empty())
            .collect();
        if areas.is_empty() {
            return;
        }
        for (i, inshore) in self.clauses.iter().enumerate() {
            if scene.leg.faster_than(inshore.limit.mps()).is_none() {
                continue;
            }
            let bound = scene.bound_by(&inshore.clause);
            let departing = departing(scene, inshore.departing_within);
            for (area, inside) in &areas {
                let first = out.len();
                let place = Place::Inside { area: area.id.clone() };
                // Taken away last: at the waterline, where both begin, nothing may be left between them.
                let spans = inside.intersect(&bound).subtract(&departing);
                scene.too_fast(i as u16, inshore.limit.mps(), &spans, &place, out);
                for sighting in &mut out[first..] {
                    sighting.features.push(area.id.clone());
                    sighting.peak.feature = Some(area.id.clone());
                }
            }
        }
    }
}

/// The part of the leg on which the vessel's course is within `angle` of straight away from the nearest
/// shoreline.
fn departing(scene: &Scene<'_>, angle: Angle) -> Spans {
    let Some(course_deg) = scene.leg.course_deg() else { return Spans::none() };
    let (sin, cos) = libm::sincos(course_deg.to_radians());
    let course = Vec2::new(sin, cos);
    let cos_angle = libm::cos(angle.deg().to_radians());
    let motion = &scene.leg.motion;
    let mut spans = Spans::none();
    for part in nearest_along(motion, scene.shore_edges().into_iter()) {
        let (from, to) = (part.shore.away(motion.at(part.from_s)), part.shore.away(motion.at(part.to_s)));
        let off = |away: Vec2| away.dot(course) - cos_angle * away.norm();
        // Along one piece of shore the angle off changes one way only: not at all beside a straight shore
        // unless it is crossed, steadily smaller past a corner.
        let span = match (off(from) >= 0.0, off(to) >= 0.0) {
            (true, true) => Span::new(part.from_s, part.to_s),
            (false, false) => None,
            (is_departing, _) => {
                let at = crossing(part.from_s, part.to_s, |s| off(part.shore.away(motion.at(s))) >= 0.0, is_departing);
                if is_departing { Span::new(part.from_s, at) } else { Span::new(at, part.to_s) }
            }
        };
        if let Some(span) = span {
            spans.add(span);
        }
    }
    spans
}

/// Where a statement changes from `at_start` within a span, to less than the slivers that a subtraction drops:
/// who comes from ashore straight out departs from the waterline on.
fn crossing(from_s: f64, to_s: f64, holds: impl Fn(f64) -> bool, at_start: bool) -> f64 {
    let (mut lo, mut hi) = (from_s, to_s);
    while hi - lo > 1e-7 {
        let mid = 0.5 * (lo + hi);
        if holds(mid) == at_start { lo = mid } else { hi = mid }
    }
    0.5 * (lo + hi)
}
