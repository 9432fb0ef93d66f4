//! `restricted-visibility`: able to stop within half of what can be seen (SMC 10.14.140(D)).
//!
//! The distance run while the operator reacts and the boat slows, v·t + v²/(2a), must not exceed a share
//! of the visibility. Solved for v that is one highest speed a report of conditions.

use smallvec::SmallVec;

use super::{Place, Rule, RuleKind, Scene, Sighting};
use crate::geo::Spans;
use crate::observation::{Conditions, VesselClass, Weather};
use crate::rulebook::{Clause, Section, Share};
use crate::units::{Acceleration, TimeSpan};
use crate::zones::Waterway;

pub(super) const KIND: RuleKind = RuleKind { id: "restricted-visibility", build };

#[derive(Debug)]
struct RestrictedVisibility {
    clauses: Vec<InThickWeather>,
}

#[derive(Debug)]
struct InThickWeather {
    clause: Clause,
    weather: Vec<Weather>,
    conditions_ttl: TimeSpan,
    reaction_time: TimeSpan,
    deceleration: Acceleration,
    by_class: Vec<(VesselClass, Acceleration)>,
    sight_share: Share,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let clause = table.clause();
        let weather = table.need("weather");
        let ttl = table.need("conditions_ttl");
        let reaction = table.need("reaction_time");
        let deceleration = table.need("deceleration");
        let share = table.need("sight_share");
        let mut by_class = Vec::new();
        for mut of in table.tables("deceleration_of") {
            let (classes, deceleration) = (of.need::<Vec<VesselClass>>("class"), of.need("deceleration"));
            of.finish();
            if let (Some(classes), Some(deceleration)) = (classes, deceleration) {
                by_class.extend(classes.into_iter().map(|class| (class, deceleration)));
            }
        }
        table.finish();
        if let (Some(weather), Some(conditions_ttl), Some(reaction_time), Some(deceleration), Some(sight_share)) =
            (weather, ttl, reaction, deceleration, share)
        {
            clauses.push(InThickWeather {
                clause,
                weather,
                conditions_ttl,
                reaction_time,
                deceleration,
                by_class,
                sight_share,
            });
        }
    }
    Some(Box::new(RestrictedVisibility { clauses }))
}

impl Rule for RestrictedVisibility {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|thick| &thick.clause).collect()
    }

    fn quiet_below_mps(&self, _: &Waterway) -> f64 {
        // With no sight at all, no speed is slow enough.
        0.0
    }

    fn needs_conditions(&self) -> bool {
        true
    }

    fn conditions_hold_s(&self) -> Option<f64> {
        self.clauses.iter().map(|thick| thick.conditions_ttl.s()).reduce(f64::max)
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        for (i, thick) in self.clauses.iter().enumerate() {
            // Each report holds until the next one, and no longer than its time to live. One of the water
            // level alone says nothing of sight.
            let says_something = |report: &&Conditions| report.weather.is_some() || report.visibility_m.is_some();
            let reports: SmallVec<[&Conditions; 4]> = scene.conditions.iter().filter(says_something).collect();
            for (k, report) in reports.iter().enumerate() {
                let (Some(weather), Some(visibility_m)) = (report.weather, report.visibility_m) else { continue };
                if !thick.weather.contains(&weather) {
                    continue;
                }
                let expires = report.t.plus_seconds(thick.conditions_ttl.s());
                let until = reports.get(k + 1).map_or(expires, |next| next.t.min(expires));
                let Some(held) = scene.leg.part_between(Some(report.t), Some(until)) else { continue };
                let limit_mps = thick.stops_within_mps(visibility_m * thick.sight_share.ratio(), scene.subject.class);
                let spans: Spans = scene.bound_by(&thick.clause).within(held);
                scene.too_fast(i as u16, limit_mps, &spans, &Place::Anywhere, out);
            }
        }
    }
}

impl InThickWeather {
    /// The highest speed from which a vessel of this class stops within `reach_m`, m/s: the positive root
    /// of v·t + v²/(2a) = reach.
    fn stops_within_mps(&self, reach_m: f64, class: Option<VesselClass>) -> f64 {
        let a = self
            .by_class
            .iter()
            .find(|(of, _)| Some(*of) == class)
            .map_or(self.deceleration, |(_, deceleration)| *deceleration)
            .mps2();
        let lost_mps = a * self.reaction_time.s();
        (lost_mps * lost_mps + 2.0 * a * reach_m.max(0.0)).sqrt() - lost_mps
    }
}
