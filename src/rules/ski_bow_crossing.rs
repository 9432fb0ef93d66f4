//! `ski-bow-crossing`: nobody crosses close ahead of a towing vessel (SMC 10.14.170(F)).
//!
//! What is crossed is the line dead ahead, the course line. A crossing is an instant, and it is made by the
//! crossing vessel: a line that sweeps over somebody because the towing vessel turns is none. Along a straight
//! leg of the towing vessel the line moves along itself, so every change of side there is the other's doing.

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

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        for (i, ahead) in self.clauses.iter().enumerate() {
            let bound = scene.bound_by(&ahead.clause);
            for tow in scene.tows {
                let Some((there_s, ahead_m)) = crossing(tow) else { continue };
                let at_s = there_s + tow.offset_s;
                if !(0.0..ahead.closer_than.m()).contains(&ahead_m) || !bound.contains(at_s) {
                    continue;
                }
                out.push(Sighting {
                    clause: i as u16,
                    zone: None,
                    other: Some(tow.vessel.clone()),
                    span: Span { from_s: at_s, to_s: at_s },
                    limit: Limit { speed_mps: None, distance_m: Some(ahead.closer_than.m()) },
                    peak: Sight {
                        at_s,
                        speed_mps: scene.leg.speed_at_mps(at_s),
                        distance_m: Some(ahead_m),
                        feature: None,
                        skier: None,
                    },
                    features: SmallVec::new(),
                    place: Place::Ahead { boat: tow.vessel.clone(), radius_m: ahead.closer_than.m() },
                });
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

/// When, on the clock of the towing vessel's leg, the subject crosses the line ahead of it, and how far ahead that
/// is, metres (less than zero astern).
fn crossing(tow: &TowBeside) -> Option<(f64, f64)> {
    let course = tow.course?;
    let Span { from_s, to_s } = tow.during;
    let away = |s: f64| tow.own.at(s) - tow.boat.at(s);
    let (from_m, to_m) = (course.cross(away(from_s)), course.cross(away(to_s)));
    // On the line counts to its left, so that who comes to it at the end of one leg crosses it once.
    let crosses = (from_m < 0.0) != (to_m < 0.0);
    let makes_it = course.cross(tow.own.velocity) * (to_m - from_m) > 0.0;
    let in_tow = |s: f64| tow.parts.iter().any(|part| part.span.contains(s));
    let at_s = from_s + (to_s - from_s) * from_m / (from_m - to_m);
    (crosses && makes_it && in_tow(at_s)).then(|| (at_s, course.dot(away(at_s))))
}
