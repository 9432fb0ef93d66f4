//! `speed-zone`: the limits that zones of the map carry themselves, inside them and in their hours.

use super::{Place, Rule, RuleKind, Scene, Sighting};
use crate::geo::Spans;
use crate::rulebook::{Clause, Section};
use crate::units::Speed;
use crate::zones::{KindSet, Waterway, ZoneKind};

pub(super) const KIND: RuleKind = RuleKind { id: "speed-zone", build };

#[derive(Debug)]
struct SpeedZone {
    clauses: Vec<Clause>,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    Some(Box::new(SpeedZone { clauses: section.bare_clauses() }))
}

impl Rule for SpeedZone {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().collect()
    }

    fn quiet_below_mps(&self, waterway: &Waterway) -> f64 {
        let limits = waterway.features.iter().filter_map(|feature| feature.speed_limit);
        limits.map(Speed::mps).fold(f64::INFINITY, f64::min)
    }

    fn looks_around(&self) -> bool {
        true
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        for (i, clause) in self.clauses.iter().enumerate() {
            for zone in scene.of_kinds(KindSet::only(ZoneKind::SpeedZone)) {
                let Some((feature, limit)) = zone.feature.and_then(|f| f.speed_limit.map(|limit| (f, limit))) else {
                    continue;
                };
                if scene.leg.faster_than(limit.mps()).is_none() {
                    continue;
                }
                let hours = feature.hours.as_ref().map_or(Spans::one(scene.leg.whole()), |hours| scene.during(hours));
                let spans = scene.inside_of(zone).intersect(&hours).intersect(&scene.bound_by(clause));
                let first = out.len();
                scene.too_fast(i as u16, limit.mps(), &spans, &Place::Inside { area: zone.id.clone() }, out);
                for sighting in &mut out[first..] {
                    sighting.zone = Some(zone.id.clone());
                    sighting.features.push(zone.id.clone());
                    sighting.peak.feature = Some(zone.id.clone());
                }
            }
        }
    }
}
