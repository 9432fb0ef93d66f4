//! `ski-slalom`: the line of safety buoys is no slalom course (SMC 10.14.170(G)).
//!
//! Somebody who rounds several buoys of a line in a row on alternating sides uses it as one, be it the boat or
//! the skier behind it. Of two buoys passed nobody can tell; the finding begins at the first of the row.

use smallvec::SmallVec;

use super::{Limit, Place, Rule, RuleKind, SaidOfTow, Scene, Sight, Sighting, Told};
use crate::geo::Span;
use crate::rulebook::{Clause, Section};
use crate::skier::{Rounder, Rounding, slalom};
use crate::units::Length;
use crate::zones::Waterway;

pub(super) const KIND: RuleKind = RuleKind { id: "ski-slalom", build };

#[derive(Debug)]
struct SkiSlalom {
    clauses: Vec<Course>,
}

#[derive(Debug)]
struct Course {
    clause: Clause,
    within: Length,
    buoys_min: u32,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let clause = table.clause();
        let (within, buoys_min) = (table.need("within"), table.need("buoys_min"));
        table.finish();
        if let (Some(within), Some(buoys_min)) = (within, buoys_min) {
            clauses.push(Course { clause, within, buoys_min });
        }
    }
    Some(Box::new(SkiSlalom { clauses }))
}

impl Rule for SkiSlalom {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|course| &course.clause).collect()
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
        let Some(tow) = scene.tow.filter(|tow| tow.roundings.is_fresh) else { return };
        let all = &tow.roundings.all;
        let now = all.iter().enumerate().filter(|(_, rounding)| rounding.leg == tow.roundings.leg);
        for (at, newest) in now {
            for (i, course) in self.clauses.iter().enumerate() {
                let chain = slalom(&all[..=at], course.within.m());
                let at_s = scene.leg.seconds_to(newest.t).clamp(0.0, scene.leg.motion.span_s);
                if chain.len() >= course.buoys_min.max(2) as usize && scene.bound_by(&course.clause).contains(at_s) {
                    out.push(course.sighting(i as u16, &chain, at_s, scene));
                }
            }
        }
    }

    fn tells(&self, told: &Told<'_>) -> Option<String> {
        Some(format!("{} used the line of safety buoys as a slalom course", told.vessel))
    }
}

impl Course {
    fn sighting(&self, clause: u16, chain: &[&Rounding], at_s: f64, scene: &Scene<'_>) -> Sighting {
        let (first, newest) = (chain[0], chain[chain.len() - 1]);
        let margin_m = |rounding: &&Rounding| rounding.left_m.abs().min(self.within.m() - rounding.left_m.abs());
        let skiers = scene.tow.into_iter().flat_map(|tow| &tow.way.skiers);
        let skier = skiers
            .filter(|skier| newest.who != Rounder::Boat && skier.stretch.span.contains(at_s))
            .find(|skier| skier.is(&newest.who));
        Sighting {
            clause,
            zone: None,
            other: None,
            span: Span { from_s: scene.leg.seconds_to(first.t), to_s: at_s },
            limit: Limit { speed_mps: None, distance_m: Some(self.within.m()) },
            peak: Sight {
                at_s,
                speed_mps: scene.leg.speed_at_mps(at_s),
                distance_m: Some(newest.left_m.abs()),
                feature: Some(newest.buoy.clone()),
                skier: skier.map(|skier| scene.skier_seen(skier, at_s)),
            },
            features: chain.iter().map(|rounding| rounding.buoy.clone()).collect::<SmallVec<_>>(),
            place: Place::Beyond {
                margin_m: chain.iter().map(margin_m).fold(f64::INFINITY, f64::min),
                sigma_m: chain.iter().map(|rounding| rounding.sigma_m).fold(0.0, f64::max),
            },
            excuses: Vec::new(),
        }
    }
}
