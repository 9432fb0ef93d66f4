//! `speed-cap`: a highest speed at all times, anywhere on the waterway (SMC 10.14.140(A)).

use chrono_tz::Tz;

use super::{Place, Rule, RuleKind, Scene, Sighting};
use crate::rulebook::{Clause, Section};
use crate::units::Speed;
use crate::window::{Neighbourhood, Sky};
use crate::zones::Waterway;

pub(super) const KIND: RuleKind = RuleKind { id: "speed-cap", build: |section| Capped::build("speed-cap", section) };

/// A speed limit that holds everywhere, while its clause does.
#[derive(Debug)]
pub(super) struct Capped {
    id: &'static str,
    clauses: Vec<(Clause, Speed)>,
}

impl Capped {
    /// Reads the clauses, each with its `limit`.
    pub(super) fn build(id: &'static str, section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
        let mut clauses = Vec::new();
        for mut table in section.tables("clause") {
            let clause = table.clause();
            let limit = table.need("limit");
            table.finish();
            clauses.extend(limit.map(|limit| (clause, limit)));
        }
        Some(Box::new(Self { id, clauses }))
    }
}

impl Rule for Capped {
    fn id(&self) -> &'static str {
        self.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|(clause, _)| clause).collect()
    }

    fn quiet_below_mps(&self, _: &Waterway) -> f64 {
        self.clauses.iter().map(|(_, limit)| limit.mps()).fold(f64::INFINITY, f64::min)
    }

    fn quiet_in_mps(&self, _: &Waterway, near: &Neighbourhood, sky: &dyn Sky, time_zone: Tz) -> f64 {
        let bound = self.clauses.iter().filter(|(clause, _)| !clause.when.is_shut(sky, time_zone, near));
        bound.map(|(_, limit)| limit.mps()).fold(f64::INFINITY, f64::min)
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        for (i, (clause, limit)) in self.clauses.iter().enumerate() {
            if scene.leg.faster_than(limit.mps()).is_some() {
                scene.too_fast(i as u16, limit.mps(), &scene.bound_by(clause), &Place::Anywhere, out);
            }
        }
    }
}
