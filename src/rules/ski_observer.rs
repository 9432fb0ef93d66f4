//! `ski-observer`: somebody old enough watches the skier (SMC 10.14.170(B)).
//!
//! Only where the crew says anything about an observer at all: a boat that never did is not judged.

use super::{Limit, Place, Rule, RuleKind, SaidOfTow, Scene, Sighting, Told};
use crate::geo::Spans;
use crate::rulebook::{Clause, Section};
use crate::zones::Waterway;

pub(super) const KIND: RuleKind = RuleKind { id: "ski-observer", build };

#[derive(Debug)]
struct SkiObserver {
    /// Each clause with the observer's least age in years.
    clauses: Vec<(Clause, u32)>,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let clause = table.clause();
        let age_min = table.need("age_years_min");
        table.finish();
        clauses.extend(age_min.map(|age_min| (clause, age_min)));
    }
    Some(Box::new(SkiObserver { clauses }))
}

impl Rule for SkiObserver {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|(clause, _)| clause).collect()
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

    fn can_judge_tow(&self, said: &SaidOfTow) -> bool {
        said.of_observer
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        for (i, (clause, age_min)) in self.clauses.iter().enumerate() {
            let lacks_observer = |said: Option<Option<f64>>| match said {
                None => false,
                Some(age) => age.is_none_or(|years| years < f64::from(*age_min)),
            };
            let without: Spans =
                scene.tow_parts().filter(|part| lacks_observer(part.observer_age)).map(|part| part.span).collect();
            let spans = without.intersect(&scene.bound_by(clause));
            scene.all_through(i as u16, &spans, Limit::default(), &Place::Anywhere, out);
        }
    }
    fn tells(&self, told: &Told<'_>) -> Option<String> {
        Some(format!("{} towed without an observer of age aboard", told.vessel))
    }
}
