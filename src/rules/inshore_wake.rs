//! `inshore-wake`: wake speed between the buoy line and the shore, unless departing (SMC 10.14.200(C)).
//!
//! Departing is a course within some angle of straight away from the nearest shoreline. Which shoreline
//! is nearest changes along a leg; [`super::shore`] says where. Who takes off with a skier as the clause on
//! take-offs asks is not bound either.

use super::shore::heading_out;
use super::takeoff::TakeOff;
use super::{Excuse, Place, Rule, RuleKind, Scene, Sighting};
use crate::geo::Spans;
use crate::rulebook::{Clause, Section};
use crate::time::EventTime;
use crate::units::{Angle, Speed};
use crate::zones::{Waterway, ZoneKind};

pub(super) const KIND: RuleKind = RuleKind { id: "inshore-wake", build };

#[derive(Debug)]
struct InshoreWake {
    clauses: Vec<Inshore>,
}

#[derive(Debug)]
struct Inshore {
    clause: Clause,
    limit: Speed,
    departing_within: Angle,
    takeoff: Option<TakeOff>,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let clause = table.clause();
        let (limit, departing_within) = (table.need("limit"), table.need("departing_within"));
        let takeoff = TakeOff::read(&mut table);
        table.finish();
        if let (Some(limit), Some(departing_within)) = (limit, departing_within) {
            clauses.push(Inshore { clause, limit, departing_within, takeoff });
        }
    }
    Some(Box::new(InshoreWake { clauses }))
}

impl Rule for InshoreWake {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|inshore| &inshore.clause).collect()
    }

    fn quiet_below_mps(&self, waterway: &Waterway) -> f64 {
        if !waterway.kinds.contains(ZoneKind::InshoreArea) {
            return f64::INFINITY;
        }
        self.clauses.iter().map(|inshore| inshore.limit.mps()).fold(f64::INFINITY, f64::min)
    }

    fn looks_around(&self) -> bool {
        true
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let areas = scene.areas_entered(ZoneKind::InshoreArea);
        if areas.is_empty() {
            return;
        }
        for (i, inshore) in self.clauses.iter().enumerate() {
            if scene.leg.faster_than(inshore.limit.mps()).is_none() {
                continue;
            }
            let bound = scene.bound_by(&inshore.clause);
            let departing = heading_out(scene, inshore.departing_within);
            let taking_off = inshore.takeoff.map_or_else(Spans::none, |takeoff| takeoff.lawful(scene));
            let within_deg = inshore.departing_within.deg();
            let mut excuses = vec![Excuse { from: EventTime::MIN, until: EventTime::MAX, within_deg }];
            excuses.extend(inshore.takeoff.iter().flat_map(|takeoff| takeoff.excuses(scene)));
            for (area, inside) in &areas {
                let first = out.len();
                let place = Place::Inside { area: area.id.clone() };
                // Taken away last: at the waterline, where both begin, nothing may be left between them.
                let spans = inside.intersect(&bound).subtract(&departing).subtract(&taking_off);
                scene.too_fast(i as u16, inshore.limit.mps(), &spans, &place, out);
                for sighting in &mut out[first..] {
                    sighting.features.push(area.id.clone());
                    sighting.peak.feature = Some(area.id.clone());
                    sighting.excuses.clone_from(&excuses);
                }
            }
        }
    }
}
