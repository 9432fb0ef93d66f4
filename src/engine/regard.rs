//! What the engine knows of a vessel right now, for those who look on: the limit in force where it is and why, what it
//! is doing, what it has in tow. Asking never changes an outcome.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Engine;
use super::around::{Patch, crossings, features_near, gather};
use super::judge::{Bench, profile_at};
use super::permits::{lifted, permits_in};
use super::vessel::Vessel;
use crate::findings::{Words, name_of};
use crate::geo::Spans;
use crate::observation::{Activity, NavStatus, Profile, VesselId, WaterwayId};
use crate::rules::{OtherPath, Place, Rule, Scene, Sighting, SkierSeen, Subject};
use crate::skier::{Crew, KnownBy};
use crate::time::EventTime;
use crate::track::{Leg, SpeedLaw, Standing};
use crate::zones::{KindSet, ZoneKind};

/// Faster than any limit, m/s: what would break a limit at this speed is the limit.
const ANY_LIMIT_MPS: f64 = 1_000.0;
/// How far around a vessel the nearest feature is looked for, metres.
const LOOK_M: f64 = 500.0;
/// How many of its last fixes tell how often a vessel is heard.
const FIXES: usize = 9;
/// A skier's place by the rope, as a radius of 68 %, in standard deviations of one axis.
const SIGMAS_IN_68: f64 = 1.509_592_153;

/// What is known of a vessel at its newest fix.
#[derive(Debug, Clone, PartialEq)]
pub struct Regard {
    /// When that fix was.
    pub t: EventTime,
    /// The waterway it is on.
    pub waterway: Option<WaterwayId>,
    /// What it is doing.
    pub doing: Doing,
    /// Its mean speed on the way there, m/s, where it reports none.
    pub way_mps: Option<f64>,
    /// Its course on the way there, degrees true.
    pub way_deg: Option<f64>,
    /// The strictest speed limit where it is.
    pub limit: Option<LimitInForce>,
    /// The nearest feature of the map.
    pub nearest: Option<NearestFeature>,
    /// What it has in tow.
    pub tow: Option<TowSeen>,
    /// Permits that lift some rule for it where it is.
    pub permits: Vec<Arc<str>>,
    /// How often it is usually heard, seconds: the median of late.
    pub interval_s: Option<f64>,
    /// Why the way to its newest fix was not judged.
    pub not_judged: Option<String>,
    /// What it said it is.
    pub profile: Option<Profile>,
}

/// What a vessel is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Under way.
    UnderWay,
    /// At rest.
    AtRest,
    /// Trolling.
    Trolling,
}

/// A speed limit that holds for a vessel where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitInForce {
    /// The highest speed, m/s.
    pub speed_mps: f64,
    /// The rule.
    pub rule: &'static str,
    /// The clause, with the zone whose own limit it is.
    pub clause: String,
    /// Why it holds here, in words, as in "within 50 ft of dock D-19".
    pub reason: String,
    /// The feature that makes it hold here.
    pub feature: Option<Arc<str>>,
    /// What that is.
    pub kind: Option<ZoneKind>,
    /// How far away that is, or the other vessel, metres.
    pub distance_m: Option<f64>,
    /// The other vessel that makes it hold here.
    pub other: Option<VesselId>,
}

/// The nearest feature.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestFeature {
    /// Its id.
    pub feature: Arc<str>,
    /// What it is.
    pub kind: ZoneKind,
    /// How far away, metres.
    pub distance_m: f64,
}

/// What a vessel has in tow.
#[derive(Debug, Clone, PartialEq)]
pub struct TowSeen {
    /// Whether the skier is up.
    pub is_up: bool,
    /// The length of the rope, metres.
    pub rope_m: f64,
    /// When the tow was taken up.
    pub since: EventTime,
    /// When somebody last said something of the tow.
    pub said_at: EventTime,
    /// Where the skier is.
    pub skier: Option<SkierSeen>,
}

impl Engine {
    /// What is known of a vessel at its newest fix; `None` where it is not known, or no vessel but a skier's tracker.
    pub fn regard(&mut self, id: &VesselId) -> Option<Regard> {
        let slot = self.directory.get(id, &self.vessels)?;
        let vessel = &self.vessels[slot as usize];
        let newest = vessel.track.fixes().back()?;
        let i = (0..vessel.track.fixes().len()).rev().find(|&i| vessel.track.fixes()[i].is_accepted())?;
        let newest = *newest;
        self.regard_fix(slot, i, id, newest.standing)
    }

    /// The same as [`Engine::regard`] at the fix of time `t`; `None` also where that is not in the track, or no longer.
    pub fn regard_at(&mut self, id: &VesselId, t: EventTime) -> Option<Regard> {
        let slot = self.directory.get(id, &self.vessels)?;
        let track = &self.vessels[slot as usize].track;
        let i = track.index_of(t);
        let standing = track.fixes().get(i).filter(|fix| fix.t == t && fix.is_accepted())?.standing;
        self.regard_fix(slot, i, id, standing)
    }

    /// What a vessel says it is, as it holds at `t`.
    pub fn profile_at(&self, id: &VesselId, t: EventTime) -> Option<&Profile> {
        self.profiles.get(id).and_then(|history| profile_at(history, t))
    }

    /// What the crew of a vessel said, as far as it is still known, in order of time.
    pub fn activities_of(&self, id: &VesselId) -> &[Activity] {
        self.directory.get(id, &self.vessels).map_or(&[], |slot| self.vessels[slot as usize].activities())
    }

    /// What is known of a vessel at fix `i`; `standing` is that of its newest one.
    fn regard_fix(&mut self, slot: u32, i: usize, id: &VesselId, standing: Standing) -> Option<Regard> {
        let vessel = &self.vessels[slot as usize];
        let fix = vessel.track.fixes()[i];
        if fix.is_person {
            return None;
        }
        let profile = self.profiles.get(id).and_then(|history| profile_at(history, fix.t)).cloned();
        let doing = self.doing(vessel, i);
        let interval_s = interval_s(vessel);
        let gap_s = vessel.track.accepted_before(i).map(|k| fix.t.seconds_since(vessel.track.fixes()[k].t));
        let not_judged = match (standing, gap_s) {
            (Standing::Waiting | Standing::Implausible, _) => Some("a jump that no speed explains".to_owned()),
            _ if usize::from(fix.water) >= self.map.waterways.len() => Some("outside of every waterway".to_owned()),
            (_, Some(gap_s)) if !fix.linked && gap_s > self.rulebook.motion.max_gap_s => {
                Some(format!("a gap of {gap_s:.0} s before it"))
            }
            _ => None,
        };
        let mut regard = Regard {
            t: fix.t,
            waterway: None,
            doing,
            way_mps: None,
            way_deg: None,
            limit: None,
            nearest: None,
            tow: self.tow_seen(slot, i),
            permits: Vec::new(),
            interval_s,
            not_judged,
            profile,
        };
        if usize::from(fix.water) < self.map.waterways.len() {
            self.look_around(slot, i, id, &mut regard);
        }
        Some(regard)
    }

    fn doing(&self, vessel: &Vessel, i: usize) -> Doing {
        let fix = &vessel.track.fixes()[i];
        let status = vessel.status_at(i, fix.t);
        if status.is_some_and(NavStatus::is_trolling) {
            Doing::Trolling
        } else if fix.is_at_rest(self.rulebook.motion.rest_time_s) || status.is_some_and(NavStatus::is_stationary) {
            Doing::AtRest
        } else {
            Doing::UnderWay
        }
    }

    /// What is in tow by everything that was said, and where the skier is at fix `i`.
    fn tow_seen(&self, slot: u32, i: usize) -> Option<TowSeen> {
        let vessel = &self.vessels[slot as usize];
        let file = vessel.file.as_ref().filter(|_| vessel.tows)?;
        let tow = file.activities.iter().fold(file.crew_before, |crew: Crew, said| crew.after(said)).tow?;
        let fix = vessel.track.fixes()[i];
        let (leg, from) = match vessel.leg_before(i) {
            Some(k) => (vessel.track.leg(k, i), k),
            None => (Leg::at(&fix, None), i),
        };
        let end_s = leg.motion.span_s;
        let tow_on = self.tow_on(slot, &leg, from);
        let skiers = tow_on.as_ref().map_or(&[][..], |tow| &tow.way.skiers);
        let skier = skiers.iter().find(|skier| skier.stretch.span.contains(end_s)).and_then(|skier| {
            let position = leg.frame.to_position(skier.stretch.at(end_s))?;
            Some(match &skier.by {
                KnownBy::Tracker { accuracy_m, .. } => {
                    SkierSeen { position, is_estimated: false, accuracy_m: *accuracy_m }
                }
                KnownBy::Rope { sigma_m } => {
                    SkierSeen { position, is_estimated: true, accuracy_m: Some(SIGMAS_IN_68 * sigma_m) }
                }
            })
        });
        let rope_m = tow.rope_m.unwrap_or(self.rulebook.motion.tow_rope_m);
        let said_at =
            file.activities.iter().rev().find(|said| said.towing.is_some()).map_or(tow.taken_up, |said| said.t);
        Some(TowSeen { is_up: tow.is_up, rope_m, since: tow.taken_up, said_at, skier })
    }

    /// Adds what depends on where the vessel is at fix `i`.
    fn look_around(&mut self, slot: u32, i: usize, id: &VesselId, regard: &mut Regard) {
        let vessel = &self.vessels[slot as usize];
        let fix = vessel.track.fixes()[i];
        let way = vessel.leg_before(i).map(|k| vessel.track.leg(k, i));
        let mut leg = Leg::at(&fix, way.as_ref());
        regard.way_deg = way.as_ref().and_then(Leg::course_deg);
        regard.way_mps = way.as_ref().filter(|_| fix.sog_mps().is_none()).and_then(Leg::top_speed_mps);
        // Every limit is broken at this speed, so every rule tells its own.
        leg.speed = Some(SpeedLaw { from_mps: ANY_LIMIT_MPS, to_mps: ANY_LIMIT_MPS });
        let tow = if vessel.tows { self.tow_on(slot, &leg, i) } else { None };
        let kept = std::mem::take(&mut self.desk.others);
        if self.desk.minds_others {
            self.look_for_others(slot, fix.water, &leg, 0.0);
        }
        let others = std::mem::replace(&mut self.desk.others, kept);
        let waterway = &self.map.waterways[usize::from(fix.water)];
        let state = &self.waters[usize::from(fix.water)];
        let bench = Bench { rulebook: &self.rulebook, waterway, state, reach_m: self.desk.reach_m };
        let (mut edges, mut areas) = (Vec::new(), Vec::new());
        gather(&leg, fix.water, &bench, &mut Patch::default(), &mut edges, &mut areas);
        let (near_edges, features) = features_near(&leg, &bench, None, &edges, &areas);
        let crossings_s = crossings(&leg, &near_edges);
        let ids: SmallVec<[&VesselId; 2]> = others.iter().map(|other| &self.vessels[other.slot as usize].id).collect();
        let paths: SmallVec<[OtherPath<'_>; 2]> =
            others.iter().zip(ids).map(|(other, id)| other.path(&leg, id)).collect();
        let profile = regard.profile.as_ref();
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
            others: &paths,
            tow: tow.as_ref(),
            circulation: &[],
            tows: &[],
            conditions: &state.conditions,
            sky: &state.sky,
            time_zone: self.rulebook.time_zone,
            lifted: Spans::none(),
        };
        let words = Words::of(&self.rulebook);
        let mut strictest: Option<LimitInForce> = None;
        let mut sightings = Vec::new();
        for rule in self.rulebook.rules.iter().filter(|rule| !rule.needs_tow() && rule.tow_reach_m() <= 0.0) {
            rule.judge(&scene, &mut sightings);
            for sighting in sightings.drain(..) {
                for left in lifted(rule.id(), sighting, &scene, &mut Vec::new()) {
                    let Some(speed_mps) = left.limit.speed_mps else { continue };
                    let is_stricter = strictest.as_ref().is_none_or(|so_far| {
                        // Of two that are alike, what is near tells more than what holds everywhere.
                        speed_mps < so_far.speed_mps
                            || speed_mps == so_far.speed_mps
                                && nearness(left.peak.distance_m) < nearness(so_far.distance_m)
                    });
                    if is_stricter {
                        strictest = Some(in_force(&**rule, &left, speed_mps, &scene, &words));
                    }
                }
            }
        }
        regard.limit = strictest;
        regard.permits = permits_in(&scene);
        regard.nearest = waterway.nearest(fix.position, KindSet::ALL, LOOK_M).map(|nearest| NearestFeature {
            feature: waterway.feature(nearest.edge.feature).id.clone(),
            kind: nearest.edge.kind,
            distance_m: nearest.distance_m,
        });
        regard.waterway = Some(waterway.id.clone());
    }
}

fn nearness(distance_m: Option<f64>) -> f64 {
    distance_m.unwrap_or(f64::INFINITY)
}

/// The limit that a sighting tells of, and why it holds.
fn in_force(rule: &dyn Rule, seen: &Sighting, speed_mps: f64, scene: &Scene<'_>, words: &Words) -> LimitInForce {
    let clauses = rule.clauses();
    let clause = clauses[usize::from(seen.clause)];
    let citation = match &seen.zone {
        Some(zone) => format!("{} {zone}", clause.citation),
        None => clause.citation.clone(),
    };
    let feature = seen.peak.feature.clone();
    let near = feature.as_ref().map(|id| named(id, scene));
    let within = seen.limit.distance_m.map(|m| format!("within {} of ", words.reach(m)));
    let reason = match (&seen.other, within, near, &seen.place) {
        (Some(other), Some(within), ..) => {
            let is_trolling = scene.others.iter().any(|path| path.vessel == other && path.is_trolling);
            format!("{within}vessel {other}, {}", if is_trolling { "trolling" } else { "at rest" })
        }
        (None, Some(within), Some(near), _) => within + &near,
        (None, None, Some(near), Place::Inside { .. }) => format!("in {near}"),
        _ if clause.when.is_always() && seen.place == Place::Anywhere && !rule.needs_conditions() => {
            "on open water".to_owned()
        }
        _ => clause.title.clone().unwrap_or_else(|| clause.citation.clone()),
    };
    let kind = feature.as_ref().and_then(|id| scene.features.iter().find(|near| near.id == id)).map(|near| near.kind);
    let (distance_m, other) = (seen.peak.distance_m, seen.other.clone());
    LimitInForce { speed_mps, rule: rule.id(), clause: citation, reason, feature, kind, distance_m, other }
}

/// What a feature or a mark is called.
fn named(id: &Arc<str>, scene: &Scene<'_>) -> String {
    let near = scene.features.iter().find(|near| near.id == id);
    match near {
        Some(mark) if mark.feature.is_none() => format!("{} {id}", mark.kind.as_str().replace('_', " ")),
        _ => name_of(id, scene.waterway),
    }
}

/// The median time between the last fixes of a vessel.
fn interval_s(vessel: &Vessel) -> Option<f64> {
    let fixes = vessel.track.fixes();
    let accepted: SmallVec<[EventTime; FIXES]> =
        fixes.iter().rev().filter(|fix| fix.is_accepted()).take(FIXES).map(|fix| fix.t).collect();
    let mut gaps: SmallVec<[f64; FIXES]> = accepted.windows(2).map(|pair| pair[0].seconds_since(pair[1])).collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).copied()
}
