//! The state of a vessel, as it is published: where it is, how fast, the limit in force and why, what
//! is nearest, and what it seems to break.

use serde::Serialize;

use super::board::VesselState;
use crate::observation::VesselId;
use crate::time::EventTime;
use crate::units::KNOT_MPS;
use crate::zones::{KindSet, Map, ZoneKind};

/// How far around a vessel the nearest feature is looked for, metres.
const LOOK_M: f64 = 500.0;
/// How far ashore a vessel may seem to be and still be on the water, metres.
const TOLERANCE_M: f64 = 25.0;

#[derive(Serialize)]
struct Shown<'a> {
    vessel: &'a str,
    t: EventTime,
    lat: f64,
    lon: f64,
    sog_kn: Option<f64>,
    cog_deg: Option<f64>,
    heading_deg: Option<f64>,
    accuracy_m: Option<f64>,
    waterway: Option<&'a str>,
    nearest: Option<Nearest<'a>>,
    /// The strictest speed limit where it is, and why it holds there.
    limit: Option<LimitShown<'a>>,
    /// Findings that are open, each with its limit.
    open: Vec<Open<'a>>,
}

#[derive(Serialize)]
struct Nearest<'a> {
    feature: &'a str,
    kind: ZoneKind,
    distance_m: f64,
}

#[derive(Serialize)]
struct LimitShown<'a> {
    speed_mps: f64,
    rule: &'a str,
    clause: &'a str,
    reason: &'a str,
    feature: Option<&'a str>,
    distance_m: Option<f64>,
}

#[derive(Serialize)]
struct Open<'a> {
    id: &'a str,
    rule: &'a str,
    clause: &'a str,
    limit_speed_mps: Option<f64>,
    limit_distance_m: Option<f64>,
}

/// The state as JSON.
pub(super) fn shown(vessel: &VesselId, state: &VesselState, map: &Map) -> Vec<u8> {
    let fix = &state.fix;
    let waterway = map.locate(fix.position, TOLERANCE_M).map(|ix| map.waterway(ix));
    let nearest = waterway.and_then(|waterway| {
        let nearest = waterway.nearest(fix.position, KindSet::ALL, LOOK_M)?;
        let feature = waterway.feature(nearest.edge.feature);
        Some(Nearest { feature: &feature.id, kind: nearest.edge.kind, distance_m: rounded(nearest.distance_m, 1) })
    });
    let shown = Shown {
        vessel: vessel.as_str(),
        t: fix.t,
        lat: rounded(fix.position.lat_deg(), 7),
        lon: rounded(fix.position.lon_deg(), 7),
        sog_kn: fix.sog_mps.map(|mps| rounded(mps / KNOT_MPS, 2)),
        cog_deg: fix.cog_deg,
        heading_deg: fix.heading_deg,
        accuracy_m: fix.accuracy_m,
        waterway: waterway.map(|waterway| waterway.id.as_str()),
        nearest,
        limit: state.regard.as_ref().and_then(|regard| regard.limit.as_ref()).map(|limit| LimitShown {
            speed_mps: rounded(limit.speed_mps, 4),
            rule: limit.rule,
            clause: &limit.clause,
            reason: &limit.reason,
            feature: limit.feature.as_deref(),
            distance_m: limit.distance_m.map(|m| rounded(m, 1)),
        }),
        open: state
            .open
            .values()
            .map(|opened| Open {
                id: &opened.id,
                rule: &opened.rule,
                clause: &opened.clause,
                limit_speed_mps: opened.limit.speed_mps,
                limit_distance_m: opened.limit.distance_m,
            })
            .collect(),
    };
    serde_json::to_vec(&shown).expect("a state has only keys that are text")
}

fn rounded(value: f64, digits: i32) -> f64 {
    let factor = 10_f64.powi(digits);
    (value * factor).round() / factor
}
