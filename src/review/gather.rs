//! Gathers tracks beside an engine that judges them: after each observation it is asked what held there and then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use indexmap::IndexSet;

use super::columns::{
    Fixes, Gap, Law, LimitReason, Overview, Refused, Review, SkierColumns, SunTime, Tow, Track, rounded,
};
use crate::engine::{Engine, LimitInForce};
use crate::findings::{reported_sigma_mps, sigma_m};
use crate::geo::{LocalFrame, Position};
use crate::observation::{
    Activity, Fix, Observation, Profile, RefusalReason, TowingState, VesselClass, VesselId, WaterwayId,
};
use crate::rulebook::Rulebook;
use crate::rules::SkierSeen;
use crate::sun::{SunEvent, next};
use crate::time::EventTime;
use crate::zones::{KindSet, Waterway, ZoneKind};

/// How far a feature may be and still be named, metres.
const NEAREST_MAX_M: f64 = 1_000.0;
/// How far beyond a waterway's box a fix may lie and still be looked at, degrees.
const MARGIN_DEG: f64 = 0.01;
/// About how many counts the overview has.
const BINS: f64 = 240.0;
/// Kinds that distances are told to.
const TOLD: [ZoneKind; 11] = [
    ZoneKind::Shoreline,
    ZoneKind::SafetyBuoy,
    ZoneKind::Dock,
    ZoneKind::SwimArea,
    ZoneKind::Swimmer,
    ZoneKind::Float,
    ZoneKind::SkiDock,
    ZoneKind::DiveFlag,
    ZoneKind::MooringBuoy,
    ZoneKind::LaunchRamp,
    ZoneKind::MooringArea,
];

/// What is asked for.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub from: EventTime,
    pub to: EventTime,
    pub waterway: WaterwayId,
    /// Only these; all, where empty.
    pub vessels: BTreeSet<VesselId>,
}

/// Tracks in the making.
#[derive(Debug)]
pub(super) struct Gathering {
    terms: Terms,
    /// West, south, east, north of the waterway, with a margin; longitudes are near the waterway's first.
    bounds: Option<[f64; 4]>,
    bounds_of: Option<Arc<str>>,
    vessels: BTreeMap<VesselId, Making>,
    activities: BTreeMap<VesselId, Vec<Activity>>,
    features: IndexSet<String>,
    fix_count: usize,
}

#[derive(Debug, Default)]
struct Making {
    rows: Vec<Row>,
    refused: Vec<Refused>,
    reasons: Vec<LimitReason>,
    skiers: Vec<(EventTime, SkierSeen)>,
}

#[derive(Debug)]
struct Row {
    source: u64,
    fix: Fix,
    limit: Option<(f64, u32)>,
    /// Distance and place in the features.
    nearest: Option<(f64, usize)>,
}

impl Gathering {
    pub fn new(terms: Terms) -> Self {
        Self {
            terms,
            bounds: None,
            bounds_of: None,
            vessels: BTreeMap::new(),
            activities: BTreeMap::new(),
            features: IndexSet::new(),
            fix_count: 0,
        }
    }

    /// Takes an observation that the engine has just taken.
    pub fn observed(&mut self, source: u64, observation: &Observation, engine: &mut Engine) {
        match observation {
            Observation::Fix(vessel, fix) => self.fix(source, vessel, fix, engine),
            // What is said of a vessel before its first fix is known to the engine by then.
            Observation::Activity(vessel, activity) if self.activities.contains_key(vessel) => {
                self.activities.entry(vessel.clone()).or_default().push(Activity::clone(activity));
            }
            _ => {}
        }
    }

    fn fix(&mut self, source: u64, vessel: &VesselId, fix: &Fix, engine: &mut Engine) {
        let Terms { from, to, waterway, vessels } = &self.terms;
        if fix.t < *from || fix.t > *to || !(vessels.is_empty() || vessels.contains(vessel)) {
            return;
        }
        let map = engine.map().clone();
        if self.bounds_of.as_ref() != Some(&map.version) {
            self.bounds = map.waterways.iter().find(|w| w.id == *waterway).and_then(bounds);
            self.bounds_of = Some(map.version.clone());
        }
        let Some([west, south, east, north]) = self.bounds else { return };
        let (lat, lon) = (fix.position.lat_deg(), fix.position.lon_deg());
        let lon = crate::geo::near_lon_deg(lon, 0.5 * (west + east));
        if !(south..=north).contains(&lat) || !(west..=east).contains(&lon) {
            return;
        }
        let motion = &engine.rulebook().motion;
        let tolerance_m = fix.accuracy_m.unwrap_or(motion.default_accuracy_m) + motion.off_water_margin_m;
        let place = map.locate(fix.position, tolerance_m).map(|ix| map.waterway(ix));
        self.fix_count += 1;
        let making = self.vessels.entry(vessel.clone()).or_default();
        if !self.activities.contains_key(vessel) {
            self.activities.insert(vessel.clone(), engine.activities_of(vessel).to_vec());
        }
        let Some(place) = place else {
            // The engine says later that it was off the water; where it stays unsaid, it is not judged all the same.
            making.rows.push(Row { source, fix: fix.clone(), limit: None, nearest: None });
            return;
        };
        if place.id != *waterway {
            return;
        }
        let regard = engine.regard_at(vessel, fix.t);
        let allowed = regard.as_ref().and_then(|regard| regard.limit.clone());
        let nearest = match &allowed {
            Some(LimitInForce { feature: Some(id), distance_m: Some(m), .. }) => Some((*m, id.to_string())),
            _ => nearest_of(place, fix.position),
        };
        let nearest = nearest.map(|(m, id)| (m, self.features.insert_full(id).0));
        let limit = allowed.map(|allowed| {
            let reason = LimitReason {
                rule: allowed.rule,
                clause: allowed.clause,
                reason: allowed.reason,
                feature: allowed.feature.as_deref().map(str::to_owned),
            };
            let at = making.reasons.iter().position(|other| *other == reason).unwrap_or_else(|| {
                making.reasons.push(reason);
                making.reasons.len() - 1
            });
            (allowed.speed_mps, at as u32)
        });
        let skier = regard.and_then(|regard| regard.tow).and_then(|tow| tow.skier);
        making.skiers.extend(skier.map(|skier| (fix.t, skier)));
        making.rows.push(Row { source, fix: fix.clone(), limit, nearest });
    }

    /// How many fixes have been gathered.
    pub fn fix_count(&self) -> usize {
        self.fix_count
    }

    /// Takes that a fix was not judged.
    pub fn refused(&mut self, source: u64, vessel: &VesselId, t: EventTime, reason: RefusalReason) {
        let Some(making) = self.vessels.get_mut(vessel) else { return };
        // The engine says so soon after it was given the fix, so that is near the end.
        let Some(at) = making.rows.iter().rposition(|row| row.source == source && row.fix.t == t) else { return };
        let row = making.rows.remove(at);
        making.skiers.retain(|(of, _)| *of != t);
        making.refused.push(Refused {
            t_ms: millis(self.terms.from, t),
            lat: row.fix.position.lat_deg(),
            lon: row.fix.position.lon_deg(),
            reason: reason.as_str().to_owned(),
        });
    }

    /// The review, judged by this law at its end.
    pub fn finish(self, engine: &Engine, findings: Vec<serde_json::Value>) -> Review {
        let Self { terms, vessels, activities, features, .. } = self;
        let Terms { from, to, ref waterway, .. } = terms;
        let rulebook = engine.rulebook();
        let place = engine.map().waterways.iter().find(|w| w.id == *waterway);
        let names: Vec<String> = features.into_iter().collect();
        let overview = overview(&vessels, from, to);
        let tracks = vessels
            .into_iter()
            .filter(|(_, making)| !(making.rows.is_empty() && making.refused.is_empty()))
            .map(|(id, making)| {
                let profile = engine.profile_at(&id, to);
                let tows = activities.get(&id).map(|said| tows(said, from, to)).unwrap_or_default();
                making.into_track(&id, profile, tows, &names, from, rulebook)
            })
            .collect();
        let here = place.and_then(middle);
        Review {
            from,
            to,
            time_zone: rulebook.time_zone.to_string(),
            law: Law {
                waterway: waterway.to_string(),
                map_version: place.map(|place| place.version.to_string()).unwrap_or_default(),
                rulebook_version: rulebook.version.to_string(),
                rulebook_name: rulebook.name.clone(),
            },
            draft: None,
            vessels: tracks,
            findings,
            sun: here.map(|here| sun_times(here, from, to)).unwrap_or_default(),
            night: here.map(|here| night(rulebook, here, from, to)).unwrap_or_default(),
            overview,
            unread: Vec::new(),
        }
    }
}

impl Making {
    fn into_track(
        mut self,
        id: &VesselId,
        profile: Option<&Profile>,
        tow_periods: Vec<Tow>,
        names: &[String],
        from: EventTime,
        rulebook: &Rulebook,
    ) -> Track {
        self.rows.sort_by_key(|row| row.fix.t);
        self.refused.sort_by_key(|refused| refused.t_ms);
        self.skiers.sort_by_key(|(t, _)| *t);
        let motion = &rulebook.motion;
        let (mut fixes, mut gaps, mut features) = (Fixes::default(), Vec::new(), IndexSet::new());
        let (mut judged_s, mut not_judged_s) = (0.0, 0.0);
        for (i, row) in self.rows.iter().enumerate() {
            let fix = &row.fix;
            let before = i.checked_sub(1).map(|k| &self.rows[k].fix);
            let span_s = before.map(|before| fix.t.seconds_since(before.t));
            let is_linked = span_s.is_some_and(|s| s > 0.0 && s <= motion.max_gap_s);
            if let (Some(before), Some(span_s), false) = (before, span_s, is_linked) {
                not_judged_s += span_s;
                let reason =
                    format!("no fix for {span_s:.0} s; nothing is inferred over more than {:.0} s", motion.max_gap_s);
                gaps.push(Gap { from_ms: millis(from, before.t), to_ms: millis(from, fix.t), reason });
            }
            judged_s += span_s.filter(|_| is_linked).unwrap_or(0.0);
            let way = before.filter(|_| is_linked).map(|before| {
                let way = LocalFrame::between(before.position, fix.position);
                let v = way.to_plane(fix.position) - way.to_plane(before.position);
                (v.norm(), v.bearing_deg())
            });
            let by_path_mps = way.zip(span_s).map(|((m, _), s)| m / s);
            let sigma_of_m = |fix: &Fix| sigma_m(fix.accuracy_m.unwrap_or(motion.default_accuracy_m));
            let by_path_sigma_mps =
                before.zip(by_path_mps.and(span_s)).map(|(before, s)| sigma_of_m(before).hypot(sigma_of_m(fix)) / s);
            let by_path_deg = way.filter(|(m, _)| *m >= 1.0).and_then(|(_, deg)| deg);
            fixes.t_ms.push(millis(from, fix.t));
            fixes.lat.push(rounded(fix.position.lat_deg(), 7));
            fixes.lon.push(rounded(fix.position.lon_deg(), 7));
            fixes.sog_mps.push(fix.sog_mps.or(by_path_mps).map(|mps| rounded(mps, 3)));
            let sigma_mps = fix.sog_mps.map(reported_sigma_mps).or(by_path_sigma_mps);
            fixes.sog_error_mps.push(sigma_mps.map(|mps| rounded(mps, 3)));
            fixes.is_derived.push(fix.sog_mps.is_none() && by_path_mps.is_some());
            fixes.cog_deg.push(fix.cog_deg.or(by_path_deg).map(|deg| rounded(deg, 1)));
            fixes.accuracy_m.push(rounded(fix.accuracy_m.unwrap_or(motion.default_accuracy_m), 1));
            fixes.limit_mps.push(row.limit.map(|(mps, _)| rounded(mps, 4)));
            fixes.limit_rule.push(row.limit.map(|(_, reason)| reason));
            fixes.distance_m.push(row.nearest.map(|(m, _)| rounded(m, 2)));
            fixes.nearest.push(row.nearest.map(|(_, feature)| features.insert_full(feature).0 as u32));
        }
        let skier = (!self.skiers.is_empty()).then(|| {
            let mut columns = SkierColumns::default();
            for (t, skier) in &self.skiers {
                columns.t_ms.push(millis(from, *t));
                columns.lat.push(rounded(skier.position.lat_deg(), 7));
                columns.lon.push(rounded(skier.position.lon_deg(), 7));
                columns.error_m.push(skier.accuracy_m.map(|m| rounded(m, 1)));
                columns.is_estimated.push(skier.is_estimated);
            }
            columns
        });
        Track {
            id: id.to_string(),
            name: profile.and_then(|profile| profile.name.as_ref()).map(ToString::to_string),
            class: profile.and_then(|profile| profile.class).map(class_name),
            tow_periods,
            fixes,
            limit_reasons: self.reasons,
            features: features.iter().filter_map(|&at: &usize| names.get(at).cloned()).collect(),
            gaps,
            refused: self.refused,
            skier,
            judged_s: rounded(judged_s, 1),
            not_judged_s: rounded(not_judged_s, 1),
        }
    }
}

/// The class of a vessel as the contract writes it.
fn class_name(class: VesselClass) -> String {
    let value = serde_json::to_value(class).ok();
    value.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
}

/// Milliseconds since an instant.
pub(super) fn millis(from: EventTime, t: EventTime) -> i64 {
    t.unix_ms() - from.unix_ms()
}

fn nearest_of(place: &Waterway, p: Position) -> Option<(f64, String)> {
    let kinds = TOLD.into_iter().fold(KindSet::only(place.rim()), KindSet::with);
    let nearest = place.nearest(p, kinds, NEAREST_MAX_M)?;
    Some((nearest.distance_m, place.feature(nearest.edge.feature).id.to_string()))
}

fn tows(said: &[Activity], from: EventTime, to: EventTime) -> Vec<Tow> {
    let mut said: Vec<&Activity> =
        said.iter().filter(|activity| activity.towing.is_some() && activity.t <= to).collect();
    said.sort_by_key(|activity| activity.t);
    let mut tows: Vec<Tow> = Vec::new();
    for activity in said {
        let t_ms = millis(from, activity.t);
        if let Some(last) = tows.last_mut().filter(|last| last.to_ms > t_ms) {
            last.to_ms = t_ms;
        }
        if let Some(Some(towing)) = &activity.towing {
            let state = if towing.state == TowingState::Up { "up" } else { "down" };
            tows.push(Tow { from_ms: t_ms.max(0), to_ms: millis(from, to), state, rope_m: towing.rope_m });
        }
    }
    tows.retain(|tow| tow.to_ms > 0);
    tows
}

fn overview(vessels: &BTreeMap<VesselId, Making>, from: EventTime, to: EventTime) -> Overview {
    let bin_s = (to.seconds_since(from) / BINS).ceil().max(1.0);
    let count = (to.seconds_since(from) / bin_s).floor() as usize + 1;
    let mut boats = vec![0_u32; count];
    for making in vessels.values() {
        let bins = making.rows.iter().map(|row| (row.fix.t.seconds_since(from) / bin_s) as usize);
        for bin in bins.collect::<BTreeSet<_>>() {
            if let Some(count) = boats.get_mut(bin) {
                *count += 1;
            }
        }
    }
    Overview { bin_s, boats }
}

/// The box of a waterway with a margin.
fn bounds(place: &Waterway) -> Option<[f64; 4]> {
    let mut bounds: Option<[f64; 4]> = None;
    place.water().shape.each_edge(&mut |a, _| {
        let [west, south, east, north] = bounds.get_or_insert([a.lon_deg(), a.lat_deg(), a.lon_deg(), a.lat_deg()]);
        let lon = crate::geo::near_lon_deg(a.lon_deg(), *west);
        (*west, *east) = (west.min(lon), east.max(lon));
        (*south, *north) = (south.min(a.lat_deg()), north.max(a.lat_deg()));
    });
    bounds.map(|[west, south, east, north]| {
        [west - MARGIN_DEG, south - MARGIN_DEG, east + MARGIN_DEG, north + MARGIN_DEG]
    })
}

/// The middle of a waterway's box.
fn middle(place: &Waterway) -> Option<Position> {
    let [west, south, east, north] = bounds(place)?;
    Position::from_lat_lon(0.5 * (south + north), crate::geo::near_lon_deg(0.5 * (west + east), 0.0)).ok()
}

/// Sunsets and sunrises from the last before a period to the first after it.
pub(super) fn sun_times(here: Position, from: EventTime, to: EventTime) -> Vec<SunTime> {
    let mut times = Vec::new();
    for (event, name) in [(SunEvent::Set, "sunset"), (SunEvent::Rise, "sunrise")] {
        let mut after = from.plus_seconds(-86_400.0);
        while let Some(t) = next(event, here, after) {
            times.push(SunTime { event: name, t });
            if t > to || times.len() > 16 {
                break;
            }
            after = t.plus_seconds(60.0);
        }
    }
    times.sort_by_key(|time| time.t);
    let first = times.iter().rposition(|time| time.t <= from).unwrap_or(0);
    let last = times.iter().position(|time| time.t > to).map_or(times.len(), |last| last + 1);
    times.drain(first..last.max(first)).collect()
}

/// The spans of a period during which a night limit holds, milliseconds.
fn night(rulebook: &Rulebook, here: Position, from: EventTime, to: EventTime) -> Vec<[i64; 2]> {
    let Some(rule) = rulebook.rules.iter().find(|rule| rule.id() == "night-speed") else { return Vec::new() };
    let sky = crate::sun::Almanac::new();
    let ms = |s: f64| (s * 1e3).round() as i64;
    let spans = rule.clauses().into_iter().map(|clause| clause.when.spans(&sky, rulebook.time_zone, here, from, to));
    spans.flat_map(|spans| spans.iter().map(|span| [ms(span.from_s), ms(span.to_s)]).collect::<Vec<_>>()).collect()
}
