//! `ski-hours`: no water skiing in the dark (SMC 10.14.170(C)).
//!
//! The clause's `when` says how long after sunset and before sunrise.

use super::{Limit, Place, Rule, RuleKind, SaidOfTow, Scene, Sighting, Told};
use crate::rulebook::{Clause, Section};
use crate::zones::Waterway;

pub(super) const KIND: RuleKind = RuleKind { id: "ski-hours", build };

#[derive(Debug)]
struct SkiHours {
    clauses: Vec<Clause>,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    Some(Box::new(SkiHours { clauses: section.bare_clauses() }))
}

impl Rule for SkiHours {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().collect()
    }

    fn quiet_below_mps(&self, _: &Waterway) -> f64 {
        f64::INFINITY
    }

    fn needs_tow(&self) -> bool {
        true
    }

    fn is_meant_for_tow(&self, _: &SaidOfTow) -> bool {
        true
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        for (i, clause) in self.clauses.iter().enumerate() {
            let spans = scene.towing().intersect(&scene.bound_by(clause));
            scene.all_through(i as u16, &spans, Limit::default(), &Place::Anywhere, out);
        }
    }

    fn tells(&self, told: &Told<'_>) -> Option<String> {
        Some(format!("{} was engaged in water skiing in the dark", told.vessel))
    }
}
