//! A boat as it is shown.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::fleet::Seen;
use crate::engine::{Doing, Regard};
use crate::observation::{VesselClass, VesselId};
use crate::serve::VesselState;
use crate::time::EventTime;
use crate::zones::ZoneKind;

/// A vessel at rest this near to a dock lies at it, metres.
const AT_DOCK_M: f64 = 10.0;

/// A boat as it was last heard.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Boat<'a> {
    #[schema(value_type = String)]
    pub id: &'a str,
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<VesselClass>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length_m: Option<f64>,
    /// The time of its newest fix.
    #[schema(value_type = String)]
    pub t: EventTime,
    /// When that arrived.
    #[schema(value_type = String)]
    pub received_at: EventTime,
    pub lat: f64,
    pub lon: f64,
    /// Speed over ground: as reported, else the mean on the way there.
    pub sog_mps: Option<f64>,
    /// Course over ground: as reported, else of the way there.
    pub cog_deg: Option<f64>,
    /// Whether the speed is of the way, as none was reported.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_derived: bool,
    pub heading_deg: Option<f64>,
    pub accuracy_m: Option<f64>,
    /// How often it is usually heard, seconds.
    pub interval_s: Option<f64>,
    /// `under_way`, `at_rest`, `at_dock` or `trolling`.
    pub state: &'static str,
    pub limit: Option<LimitShown<'a>>,
    pub nearest: Option<Nearest<'a>>,
    pub tow: Option<Tow>,
    /// Permits that lift some rule for it where it is.
    #[schema(value_type = Vec<String>)]
    pub permits: Vec<&'a str>,
    /// Ids of its findings that are open.
    #[schema(value_type = Vec<String>)]
    pub open: Vec<&'a str>,
    /// Why the way to its newest fix was not judged.
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_judged: Option<&'a str>,
}

/// The strictest speed limit where a boat is.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct LimitShown<'a> {
    pub speed_mps: f64,
    #[schema(value_type = String)]
    pub rule: &'a str,
    #[schema(value_type = String)]
    pub clause: &'a str,
    /// Why it holds there, as in "within 50 ft of dock D-19".
    #[schema(value_type = String)]
    pub reason: &'a str,
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<&'a str>,
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ZoneKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_m: Option<f64>,
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<&'a str>,
}

/// The nearest feature of the map.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Nearest<'a> {
    #[schema(value_type = String)]
    pub feature: &'a str,
    #[schema(value_type = String)]
    pub kind: ZoneKind,
    pub distance_m: f64,
}

/// What a boat has in tow.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Tow {
    /// `up` or `down`.
    state: &'static str,
    rope_m: f64,
    #[schema(value_type = String)]
    since: EventTime,
    skier: Option<SkierShown>,
    /// Who declared it at the console, if nobody said anything else since.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

/// Where a skier is.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SkierShown {
    lat: f64,
    lon: f64,
    /// Radius of 68 % confidence, metres.
    error_m: Option<f64>,
    /// Whether it is an estimate by the boat's path and the rope.
    is_estimated: bool,
}

/// Boats at an instant.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Boats<'a> {
    #[schema(value_type = String)]
    at: EventTime,
    #[schema(value_type = Vec<Boat>)]
    boats: Vec<&'a RawValue>,
    /// In the stream: those who have gone, or left the box that was asked for.
    #[schema(value_type = Vec<String>)]
    gone: Vec<&'a str>,
}

impl Boats<'_> {
    /// As JSON.
    pub fn json(at: EventTime, boats: &[Arc<Seen>], gone: &[VesselId]) -> String {
        let gone = gone.iter().map(VesselId::as_str).collect();
        let boats = boats.iter().map(|seen| &*seen.json).collect();
        serde_json::to_string(&Boats { at, boats, gone }).expect("boats have only keys that are text")
    }
}

/// A boat as it was last heard. `declared` is who stated its tow at the console last, and when.
pub(super) fn boat<'a>(id: &'a VesselId, state: &'a VesselState, declared: Option<&(String, EventTime)>) -> Boat<'a> {
    let fix = &state.fix;
    let regard = state.regard.as_deref();
    let profile = regard.and_then(|regard| regard.profile.as_ref());
    let way_mps = regard.filter(|_| fix.sog_mps.is_none()).and_then(|regard| regard.way_mps);
    Boat {
        id: id.as_str(),
        name: profile.and_then(|profile| profile.name.as_deref()),
        class: profile.and_then(|profile| profile.class),
        length_m: profile.and_then(|profile| profile.length_m),
        t: fix.t,
        received_at: state.received_at,
        lat: rounded(fix.position.lat_deg(), 7),
        lon: rounded(fix.position.lon_deg(), 7),
        sog_mps: fix.sog_mps.or(way_mps).map(|mps| rounded(mps, 2)),
        cog_deg: fix.cog_deg.or(regard.and_then(|regard| regard.way_deg)).map(|deg| rounded(deg, 1)),
        is_derived: way_mps.is_some(),
        heading_deg: fix.heading_deg.map(|deg| rounded(deg, 1)),
        accuracy_m: fix.accuracy_m.map(|m| rounded(m, 1)),
        interval_s: regard.and_then(|regard| regard.interval_s).map(|s| rounded(s, 1)),
        state: regard.map_or("under_way", doing),
        limit: regard.and_then(|regard| regard.limit.as_ref()).map(|limit| LimitShown {
            speed_mps: rounded(limit.speed_mps, 4),
            rule: limit.rule,
            clause: &limit.clause,
            reason: &limit.reason,
            feature: limit.feature.as_deref(),
            kind: limit.kind,
            distance_m: limit.distance_m.map(|m| rounded(m, 1)),
            other: limit.other.as_ref().map(VesselId::as_str),
        }),
        nearest: regard.and_then(|regard| regard.nearest.as_ref()).map(|nearest| Nearest {
            feature: &nearest.feature,
            kind: nearest.kind,
            distance_m: rounded(nearest.distance_m, 1),
        }),
        tow: regard.and_then(|regard| regard.tow.as_ref()).map(|tow| Tow {
            state: if tow.is_up { "up" } else { "down" },
            rope_m: rounded(tow.rope_m, 1),
            since: tow.since,
            skier: tow.skier.map(|skier| SkierShown {
                lat: rounded(skier.position.lat_deg(), 7),
                lon: rounded(skier.position.lon_deg(), 7),
                error_m: skier.accuracy_m.map(|m| rounded(m, 1)),
                is_estimated: skier.is_estimated,
            }),
            by: declared.filter(|(_, t)| *t == tow.said_at).map(|(by, _)| format!("declared by {by}")),
        }),
        permits: regard.map(|regard| regard.permits.iter().map(|permit| &**permit).collect()).unwrap_or_default(),
        open: state.open.keys().map(String::as_str).collect(),
        not_judged: regard.and_then(|regard| regard.not_judged.as_deref()),
    }
}

impl Boat<'_> {
    /// As JSON.
    pub fn json(&self) -> Arc<RawValue> {
        let text = serde_json::to_string(self).expect("a boat has only keys that are text");
        RawValue::from_string(text).map(Arc::from).expect("what was just written is JSON")
    }
}

/// What a vessel is doing, in a word.
pub(in crate::console) fn doing(regard: &Regard) -> &'static str {
    let is_at_dock = regard.nearest.as_ref().is_some_and(|n| n.kind == ZoneKind::Dock && n.distance_m <= AT_DOCK_M);
    match regard.doing {
        Doing::UnderWay => "under_way",
        Doing::Trolling => "trolling",
        Doing::AtRest if is_at_dock => "at_dock",
        Doing::AtRest => "at_rest",
    }
}

pub(super) fn rounded(value: f64, digits: i32) -> f64 {
    let factor = 10_f64.powi(digits);
    (value * factor).round() / factor
}
