//! `ski-bow-crossing`: nobody crosses close ahead of a towing vessel (SMC 10.14.170(F)).
//!
//! What is crossed is the line dead ahead, the course line. A crossing is an instant, and it is made by the
//! crossing vessel: a line that sweeps over somebody because the towing vessel turns is none. Along a straight
//! leg of the towing vessel the line moves along itself, so every change of side there is the other's doing. Where
//! two legs meet the line jumps, be it by a turn or by the error of a fix, and may pass over one who is crossing.

use smallvec::SmallVec;

use super::{Limit, Place, Rule, RuleKind, Scene, Sight, Sighting, Told, TowBeside};
use crate::geo::Span;
use crate::rulebook::{Clause, Section};
use crate::units::Length;
use crate::zones::Waterway;

pub(super) const KIND: RuleKind = RuleKind { id: "ski-bow-crossing", build };

#[derive(Debug)]
struct SkiBowCrossing {
    clauses: Vec<Ahead>,
}

#[derive(Debug)]
struct Ahead {
    clause: Clause,
    closer_than: Length,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let (clause, closer_than) = (table.clause(), table.need("closer_than"));
        table.finish();
        clauses.extend(closer_than.map(|closer_than| Ahead { clause, closer_than }));
    }
    Some(Box::new(SkiBowCrossing { clauses }))
}

impl Rule for SkiBowCrossing {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|ahead| &ahead.clause).collect()
    }

    fn quiet_below_mps(&self, _: &Waterway) -> f64 {
        f64::INFINITY
    }

    fn tow_reach_m(&self) -> f64 {
        self.clauses.iter().map(|ahead| ahead.closer_than.m()).fold(0.0, f64::max)
    }

    fn minds_turns(&self) -> bool {
        true
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        for (i, ahead) in self.clauses.iter().enumerate() {
            let bound = scene.bound_by(&ahead.clause);
            for tow in scene.tows {
                for (there_s, ahead_m) in crossings(tow) {
                    let at_s = there_s + tow.offset_s;
                    if (0.0..ahead.closer_than.m()).contains(&ahead_m) && bound.contains(at_s) {
                        out.push(ahead.sighting(i as u16, at_s, ahead_m, tow, scene));
                    }
                }
            }
        }
    }

    fn tells(&self, told: &Told<'_>) -> Option<String> {
        Some(format!(
            "{} crossed {} ahead of {}, which had a skier in tow; {} must be kept",
            told.vessel,
            told.distance.clone()?,
            told.other?,
            told.within.clone()?
        ))
    }
}

impl Ahead {
    fn sighting(&self, clause: u16, at_s: f64, ahead_m: f64, tow: &TowBeside, scene: &Scene<'_>) -> Sighting {
        Sighting {
            clause,
            zone: None,
            other: Some(tow.vessel.clone()),
            span: Span { from_s: at_s, to_s: at_s },
            limit: Limit { speed_mps: None, distance_m: Some(self.closer_than.m()) },
            peak: Sight {
                at_s,
                speed_mps: scene.leg.speed_at_mps(at_s),
                distance_m: Some(ahead_m),
                feature: None,
                skier: None,
            },
            features: SmallVec::new(),
            place: Place::Ahead { boat: tow.vessel.clone(), radius_m: self.closer_than.m() },
            excuses: Vec::new(),
        }
    }
}

/// When, on the clock of the towing vessel's leg, the subject crosses the line ahead of it, and how far ahead that
/// is, metres (less than zero astern).
fn crossings(tow: &TowBeside) -> SmallVec<[(f64, f64); 2]> {
    let mut found = SmallVec::new();
    let Some(course) = tow.way.course else { return found };
    let Span { from_s, to_s } = tow.during;
    let away = |s: f64| tow.own.at(s) - tow.way.boat.at(s);
    let in_tow = |s: f64| tow.way.parts.iter().any(|part| part.span.contains(s));
    let across_mps = course.cross(tow.own.velocity);

    // Between two fixes of the towing vessel. On the line counts to its left, so that who comes to it at the end of one
    // leg crosses it once.
    let (from_m, to_m) = (course.cross(away(from_s)), course.cross(away(to_s)));
    if (from_m < 0.0) != (to_m < 0.0) && across_mps * (to_m - from_m) > 0.0 {
        let at_s = from_s + (to_s - from_s) * from_m / (from_m - to_m);
        found.push((at_s, course.dot(away(at_s))));
    }
    // At a fix, where the line jumps to another course: the other's doing where it goes that way too, and either goes
    // farther in the time of a leg than the line jumps, or the jump is but the error of a fix, or it may be and the
    // other crosses the line as it lies between both courses in the time of a leg.
    if let Some(turn) = tow.turn.filter(|_| from_s == 0.0) {
        let (was_m, is_m) = (turn.from.cross(away(0.0)), from_m);
        let middle = turn.from + course;
        if (was_m < 0.0) != (is_m < 0.0) && middle.norm() > 0.0 {
            // What is off by the error of one fix is right in the middle of both courses.
            let middle = middle * (1.0 / middle.norm());
            let is_by_error = turn.is_by_error();
            // Ahead on either course: a line that is turned round does not pass over who comes to be astern.
            let is_ahead = turn.from.dot(away(0.0)) > 0.0 && course.dot(away(0.0)) > 0.0;
            let is_ahead = is_ahead || is_by_error && middle.dot(away(0.0)) > 0.0;
            let passes_mps = middle.cross(tow.own.velocity);
            let goes_over = if is_by_error { passes_mps } else { across_mps } * (is_m - was_m) > 0.0;
            let goes_m = passes_mps.abs() * turn.span_s;
            let goes_farther = goes_m >= (is_m - was_m).abs();
            let crosses_middle = || turn.may_be_by_error() && middle.cross(away(0.0)).abs() <= goes_m;
            if is_ahead && goes_over && (goes_farther || is_by_error || crosses_middle()) {
                found.push((0.0, away(0.0).norm()));
            }
        }
    }
    found.retain(|(at_s, _)| in_tow(*at_s));
    found
}
