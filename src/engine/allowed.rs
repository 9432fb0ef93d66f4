//! What the limit in force is for a vessel where it was, and where its skiers are: asked, not judged.
//!
//! The rules themselves are asked, as if the vessel had been too fast for all of them at that instant: what they would
//! see says how fast it may be. So the limit that is shown is the one that is judged, with everything that bears on it:
//! hours, permits, take-offs, marks, others at rest, the weather. Nothing is remembered of it.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Engine;
use super::around::{Patch, crossings, features_near, gather, gather_behind, present};
use super::judge::{Bench, profile_at};
use super::permits::lifted;
use crate::findings::Words;
use crate::geo::Spans;
use crate::observation::{Activity, Profile, VesselId};
use crate::rules::{OtherPath, Place, Scene, Sighting, SkierSeen, Subject};
use crate::skier::KnownBy;
use crate::time::EventTime;
use crate::track::{Leg, SpeedLaw};
use crate::zones::{FeatureIx, ZoneKind};

/// Faster than any limit, m/s: who is asked about goes so fast.
const FASTER_THAN_ALL_MPS: f64 = 1_000.0;
/// A skier by the rope has a 68 % radius of so many standard deviations of one axis.
const SIGMAS_IN_68: f64 = 1.509_592_153;

/// The limit in force at a place and time for a vessel.
#[derive(Debug, Clone, PartialEq)]
pub struct Allowed {
    /// The highest speed allowed, m/s.
    pub speed_mps: f64,
    /// The rule.
    pub rule: &'static str,
    /// Its clause, as it is cited.
    pub clause: String,
    /// Why, in words and in the rulebook's units: "within 50 ft of dock D-19".
    pub reason: String,
    /// The feature it comes from.
    pub feature: Option<Arc<str>>,
    /// The other vessel it comes from.
    pub other: Option<VesselId>,
    /// How far that feature or vessel is, metres.
    pub distance_m: Option<f64>,
}

impl Engine {
    /// The strictest limit for a vessel at its fix of time `t`; `None` where no rule limits its speed there, where the
    /// fix is not known (any more) or not judged.
    pub fn allowed_at(&mut self, id: &VesselId, t: EventTime) -> Option<Allowed> {
        let slot = self.directory.get(id, &self.vessels)?;
        let vessel = &self.vessels[slot as usize];
        let i = vessel.track.index_of(t);
        let fix = vessel.track.fixes().get(i).copied().filter(|fix| fix.t == t)?;
        if !fix.is_accepted() || fix.is_person || usize::from(fix.water) >= self.map.waterways.len() {
            return None;
        }
        let between = |k: usize, l: usize| Leg::between(&vessel.track.fixes()[k], &vessel.track.fixes()[l]);
        let way = vessel.leg_before(i).map(|k| between(k, i)).or_else(|| vessel.leg_after(i).map(|k| between(i, k)));
        let fast = SpeedLaw { from_mps: FASTER_THAN_ALL_MPS, to_mps: FASTER_THAN_ALL_MPS };
        let leg = Leg { speed: Some(fast), ..Leg::at(&fix, way.as_ref()) };
        let tow = if vessel.tows { self.tow_on(slot, &leg, i) } else { None };
        self.desk.others.clear();
        if self.desk.minds_others {
            self.look_for_others(slot, fix.water, &leg, 0.0);
        }

        let Self { map, rulebook, vessels, waters, desk, profiles, .. } = self;
        let (waterway, state) = (&map.waterways[usize::from(fix.water)], &waters[usize::from(fix.water)]);
        let bench = Bench { rulebook, waterway, state, reach_m: desk.reach_m };
        let (mut edges, mut areas) = (Vec::new(), Vec::new());
        // Its own patch: that of the desk goes with the vessels that are judged.
        gather(&leg, fix.water, &bench, &mut Patch::default(), &mut edges, &mut areas);
        if let Some(tow) = &tow {
            gather_behind(&leg, tow, &bench, &mut edges, &mut areas);
        }
        let (near_edges, features) = features_near(&leg, &bench, tow.as_ref(), &edges, &areas);
        let crossings_s = crossings(&leg, &near_edges);
        let circulation: SmallVec<[(FeatureIx, Spans); 1]> = waterway
            .of_kind(ZoneKind::Circulation)
            .filter(|_| tow.is_some())
            .map(|(ix, feature)| (ix, present(feature, ix, &leg, &bench)))
            .collect();
        let other_ids: Vec<VesselId> =
            desk.others.iter().map(|other| vessels[other.slot as usize].id.clone()).collect();
        let others: Vec<OtherPath<'_>> =
            desk.others.iter().zip(&other_ids).map(|(other, id)| other.path(&leg, id)).collect();
        let profile = profiles.get(id).and_then(|history| profile_at(history, leg.start));
        let scene = Scene {
            leg: &leg,
            subject: Subject {
                id,
                class: profile.and_then(|profile| profile.class),
                length_m: profile.and_then(|profile| profile.length_m),
            },
            waterway,
            edges: &near_edges,
            features: &features,
            crossings_s: &crossings_s,
            others: &others,
            tow: tow.as_ref(),
            circulation: &circulation,
            tows: &[],
            conditions: &state.conditions,
            sky: &state.sky,
            time_zone: rulebook.time_zone,
            lifted: Spans::none(),
        };
        let (mut sightings, mut lifts) = (Vec::new(), Vec::new());
        let mut strictest: Option<(f64, f64, usize, Sighting)> = None;
        for (number, rule) in rulebook.rules.iter().enumerate() {
            if rule.needs_tow() || rule.tow_reach_m() > 0.0 {
                continue;
            }
            rule.judge(&scene, &mut sightings);
            for sighting in sightings.drain(..) {
                let Some(limit_mps) = sighting.limit.speed_mps else { continue };
                for left in lifted(rule.id(), sighting, &scene, &mut lifts) {
                    let away_m = left.peak.distance_m.unwrap_or(0.0);
                    let is_stricter = strictest.as_ref().is_none_or(|(limit, away, ..)| {
                        limit_mps.total_cmp(limit).then(away_m.total_cmp(away)).is_lt()
                    });
                    if is_stricter {
                        strictest = Some((limit_mps, away_m, number, left));
                    }
                }
            }
        }
        let (speed_mps, _, number, sighting) = strictest?;
        let rule = &rulebook.rules[number];
        let clause = rule.clauses()[usize::from(sighting.clause)];
        let words = Words::of(rulebook);
        let citation = match &sighting.zone {
            Some(zone) => format!("{} {zone}", clause.citation),
            None => clause.citation.clone(),
        };
        let named = sighting.peak.feature.as_ref().map(|id| waterway.name_of(id));
        let reason = match (&sighting.place, &sighting.other, named) {
            (Place::Near { radius_m, .. }, _, Some(name)) => format!("within {} of {name}", words.reach(*radius_m)),
            (Place::NearVessel { radius_m, .. }, Some(other), _) => {
                let doing = clause.title.as_deref().map_or(String::new(), |title| format!(" ({title})"));
                format!("within {} of vessel {other}{doing}", words.reach(*radius_m))
            }
            (Place::Inside { .. }, _, Some(name)) => format!("in {name}"),
            _ => clause.title.clone().unwrap_or_else(|| rule.id().replace('-', " ")),
        };
        Some(Allowed {
            speed_mps,
            rule: rule.id(),
            clause: citation,
            reason,
            feature: sighting.peak.feature,
            other: sighting.other,
            distance_m: sighting.peak.distance_m,
        })
    }

    /// What a vessel says it is, as it holds at `t`.
    pub fn profile_at(&self, id: &VesselId, t: EventTime) -> Option<&Profile> {
        self.profiles.get(id).and_then(|history| profile_at(history, t))
    }

    /// What the crew of a vessel said, as far as it is still known, in order of time.
    pub fn activities_of(&self, id: &VesselId) -> &[Activity] {
        self.directory.get(id, &self.vessels).map_or(&[], |slot| self.vessels[slot as usize].activities())
    }

    /// Where the skiers are whom a vessel has in tow at its fix of time `t`.
    pub fn skiers_at(&self, id: &VesselId, t: EventTime) -> Vec<SkierSeen> {
        let Some(slot) = self.directory.get(id, &self.vessels) else { return Vec::new() };
        let vessel = &self.vessels[slot as usize];
        let i = vessel.track.index_of(t);
        let Some(fix) = vessel.track.fixes().get(i).filter(|fix| fix.t == t && fix.is_accepted() && vessel.tows) else {
            return Vec::new();
        };
        let leg = Leg::at(fix, None);
        let skiers = self.tow_on(slot, &leg, i).map(|tow| tow.skiers).unwrap_or_default();
        skiers
            .iter()
            .filter_map(|skier| {
                let position = leg.frame.to_position(skier.stretch.at(skier.stretch.span.from_s))?;
                Some(match &skier.by {
                    KnownBy::Tracker { accuracy_m, .. } => {
                        SkierSeen { position, is_estimated: false, accuracy_m: *accuracy_m }
                    }
                    KnownBy::Rope { sigma_m } => {
                        SkierSeen { position, is_estimated: true, accuracy_m: Some(SIGMAS_IN_68 * sigma_m) }
                    }
                })
            })
            .collect()
    }
}
