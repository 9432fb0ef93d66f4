//! `ski-inshore`: no water skiing between the buoy line and the shore, but to take off (SMC 10.14.170(E)).

use super::takeoff::TakeOff;
use super::{Limit, Place, Rule, RuleKind, Scene, Sighting, Told};
use crate::geo::Spans;
use crate::rulebook::{Clause, Section};
use crate::zones::{Waterway, ZoneKind};

pub(super) const KIND: RuleKind = RuleKind { id: "ski-inshore", build };

#[derive(Debug)]
struct SkiInshore {
    clauses: Vec<Inshore>,
}

#[derive(Debug)]
struct Inshore {
    clause: Clause,
    takeoff: Option<TakeOff>,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let (clause, takeoff) = (table.clause(), TakeOff::read(&mut table));
        table.finish();
        clauses.push(Inshore { clause, takeoff });
    }
    Some(Box::new(SkiInshore { clauses }))
}

impl Rule for SkiInshore {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|inshore| &inshore.clause).collect()
    }

    fn quiet_below_mps(&self, _: &Waterway) -> f64 {
        f64::INFINITY
    }

    fn looks_around(&self) -> bool {
        true
    }

    fn needs_tow(&self) -> bool {
        true
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let up = scene.skier_up();
        if up.is_empty() {
            return;
        }
        let areas = scene.areas_entered(ZoneKind::InshoreArea);
        if areas.is_empty() {
            return;
        }
        for (i, inshore) in self.clauses.iter().enumerate() {
            let lawful = inshore.takeoff.map_or_else(Spans::none, |takeoff| takeoff.lawful(scene));
            let excuses = inshore.takeoff.map_or_else(Vec::new, |takeoff| takeoff.excuses(scene));
            let bound = scene.bound_by(&inshore.clause).intersect(&up);
            for (area, inside) in &areas {
                let first = out.len();
                let place = Place::Inside { area: area.id.clone() };
                // Taken away last: where both begin at the waterline nothing may be left between them.
                let spans = inside.intersect(&bound).subtract(&lawful);
                scene.all_through(i as u16, &spans, Limit::default(), &place, out);
                for sighting in &mut out[first..] {
                    sighting.features.push(area.id.clone());
                    sighting.peak.feature = Some(area.id.clone());
                    sighting.excuses.clone_from(&excuses);
                }
            }
        }
    }

    fn tells(&self, told: &Told<'_>) -> Option<String> {
        Some(format!(
            "{} towed a skier between the buoy line and the shore, other than to take off straight out",
            told.vessel
        ))
    }
}
