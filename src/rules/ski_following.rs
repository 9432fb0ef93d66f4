//! `ski-following`: nobody follows close behind the person being towed (SMC 10.14.170(F)).
//!
//! The distance is to the skier, not to the boat. Behind is near dead astern of the skier's own course, and
//! following is a course much like the towing vessel's. The follower breaks it.

use super::{Astern, Place, Rule, RuleKind, Scene, Sighting, Told};
use crate::geo::Vec2;
use crate::rulebook::{Clause, Section};
use crate::skier::KnownBy;
use crate::units::{Angle, Length, Speed};
use crate::zones::Waterway;

pub(super) const KIND: RuleKind = RuleKind { id: "ski-following", build };

#[derive(Debug)]
struct SkiFollowing {
    clauses: Vec<Behind>,
}

#[derive(Debug)]
struct Behind {
    clause: Clause,
    closer_than: Length,
    astern_within: Angle,
    course_within: Angle,
    faster_than: Speed,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let clause = table.clause();
        let (closer, faster) = (table.need("closer_than"), table.need("faster_than"));
        let (astern, course) = (table.need("astern_within"), table.need("course_within"));
        table.finish();
        if let (Some(closer_than), Some(faster_than), Some(astern_within), Some(course_within)) =
            (closer, faster, astern, course)
        {
            clauses.push(Behind { clause, closer_than, astern_within, course_within, faster_than });
        }
    }
    Some(Box::new(SkiFollowing { clauses }))
}

impl Rule for SkiFollowing {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|behind| &behind.clause).collect()
    }

    fn quiet_below_mps(&self, _: &Waterway) -> f64 {
        f64::INFINITY
    }

    fn tow_reach_m(&self) -> f64 {
        self.clauses.iter().map(|behind| behind.closer_than.m()).fold(0.0, f64::max)
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let Some(own_course) = scene.leg.course_deg().map(Vec2::toward_deg) else { return };
        for (i, behind) in self.clauses.iter().enumerate() {
            let Some(fast) = scene.leg.faster_than(behind.faster_than.mps()) else { continue };
            let bound = scene.bound_by(&behind.clause).within(fast);
            let radius_m = behind.closer_than.m();
            let astern_rad = behind.astern_within.deg().to_radians();
            let course_rad = behind.course_within.deg().to_radians();
            let along = libm::cos(course_rad);
            for tow in scene.tows {
                let goes_along = |course: Vec2| own_course.dot(course) >= along;
                if !tow.way.course.is_some_and(goes_along) {
                    continue;
                }
                for skier in tow.skiers_near(radius_m) {
                    let near = skier.stretch.within_of(&tow.own, radius_m, tow.during);
                    if near.is_empty() {
                        continue;
                    }
                    let astern = near.intersect(&skier.stretch.astern(&tow.own, astern_rad, tow.during));
                    for span in tow.on_subjects_clock(&astern).intersect(&bound).iter() {
                        let place = |one, other, skier_course: Option<Vec2>| Place::Apart {
                            one,
                            other,
                            radius_m,
                            astern: Some(Box::new(Astern {
                                boat: tow.vessel.clone(),
                                within_rad: astern_rad,
                                course_within_rad: course_rad,
                                skier_course: skier_course.map(|course| [course.east_m, course.north_m]),
                            })),
                            faster_than_mps: behind.faster_than.mps(),
                        };
                        let by_rope = matches!(skier.by, KnownBy::Rope { .. });
                        let middle_s = 0.5 * (span.from_s + span.to_s) - tow.offset_s;
                        let course = skier.stretch.course_at(middle_s).filter(|_| by_rope);
                        let sighting = tow.beside_skier(
                            scene,
                            i as u16,
                            span,
                            skier,
                            |one, other| place(one, other, course),
                            radius_m,
                        );
                        out.push(sighting);
                    }
                }
            }
        }
    }

    fn tells(&self, told: &Told<'_>) -> Option<String> {
        Some(format!(
            "{} followed within {} of the skier behind {}; {} must be kept",
            told.vessel,
            told.distance.clone()?,
            told.other?,
            told.within.clone()?
        ))
    }
}
