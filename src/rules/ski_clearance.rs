//! `ski-clearance`: other vessels keep clear of the person being towed (SMC 10.14.170(F)).
//!
//! The vessel that comes near breaks it, in whatever direction it goes.

use super::{Place, Rule, RuleKind, Scene, Sighting, Told};
use crate::rulebook::{Clause, Section};
use crate::units::{Length, Speed};
use crate::zones::Waterway;

pub(super) const KIND: RuleKind = RuleKind { id: "ski-clearance", build };

#[derive(Debug)]
struct SkiClearance {
    clauses: Vec<Clear>,
}

#[derive(Debug)]
struct Clear {
    clause: Clause,
    within: Length,
    faster_than: Speed,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let clause = table.clause();
        let (within, faster_than) = (table.need("within"), table.need("faster_than"));
        table.finish();
        if let (Some(within), Some(faster_than)) = (within, faster_than) {
            clauses.push(Clear { clause, within, faster_than });
        }
    }
    Some(Box::new(SkiClearance { clauses }))
}

impl Rule for SkiClearance {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|clear| &clear.clause).collect()
    }

    fn quiet_below_mps(&self, _: &Waterway) -> f64 {
        f64::INFINITY
    }

    fn tow_reach_m(&self) -> f64 {
        self.clauses.iter().map(|clear| clear.within.m()).fold(0.0, f64::max)
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        for (i, clear) in self.clauses.iter().enumerate() {
            let Some(fast) = scene.leg.faster_than(clear.faster_than.mps()) else { continue };
            let bound = scene.bound_by(&clear.clause).within(fast);
            let radius_m = clear.within.m();
            for tow in scene.tows {
                for skier in tow.skiers_near(radius_m) {
                    let near = skier.stretch.within_of(&tow.own, radius_m, tow.during);
                    for span in tow.on_subjects_clock(&near).intersect(&bound).iter() {
                        out.push(tow.beside_skier(
                            scene,
                            i as u16,
                            span,
                            skier,
                            |one, other| Place::Apart {
                                one,
                                other,
                                radius_m,
                                astern: None,
                                faster_than_mps: clear.faster_than.mps(),
                            },
                            radius_m,
                        ));
                    }
                }
            }
        }
    }

    fn tells(&self, told: &Told<'_>) -> Option<String> {
        Some(format!(
            "{} came within {} of the skier behind {}; {} must be kept",
            told.vessel,
            told.distance.clone()?,
            told.other?,
            told.within.clone()?
        ))
    }
}
