//! `ski-flag`: the warning flag is up while a skier is down (SMC 10.14.170(J)).
//!
//! Only where the crew says that it is not: who says nothing about the flag is not judged.

use super::{Limit, Place, Rule, RuleKind, SaidOfTow, Scene, Sighting, Told};
use crate::geo::Spans;
use crate::rulebook::{Clause, Section};
use crate::zones::Waterway;

pub(super) const KIND: RuleKind = RuleKind { id: "ski-flag", build };

#[derive(Debug)]
struct SkiFlag {
    clauses: Vec<Clause>,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    Some(Box::new(SkiFlag { clauses: section.bare_clauses() }))
}

impl Rule for SkiFlag {
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

    fn is_meant_for_tow(&self, said: &SaidOfTow) -> bool {
        !said.is_up
    }

    fn can_judge_tow(&self, said: &SaidOfTow) -> bool {
        said.of_flag
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let is_down = scene.tow_parts().filter(|part| !part.tow.is_up && part.warning_flag == Some(false));
        let without_flag: Spans = is_down.map(|part| part.span).collect();
        for (i, clause) in self.clauses.iter().enumerate() {
            let spans = without_flag.intersect(&scene.bound_by(clause));
            scene.all_through(i as u16, &spans, Limit::default(), &Place::Anywhere, out);
        }
    }

    fn tells(&self, told: &Told<'_>) -> Option<String> {
        Some(format!("{} held up no warning flag while its skier was down", told.vessel))
    }
}
