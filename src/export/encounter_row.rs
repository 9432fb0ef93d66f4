//! An encounter as flat rows and as one JSON object, a unit in every name.

use serde::Serialize;

use super::row::{DEGREE_DIGITS, rounded};
use crate::encounter::{Encounter, Look};
use crate::observation::VesselId;
use crate::time::EventTime;

/// What an encounter came to. Speeds and positions are those at the closest instant, `other` the second vessel.
#[derive(Debug, Serialize)]
pub(super) struct EncounterRow<'a> {
    vessel: &'a str,
    other: &'a str,
    start: EventTime,
    end: EventTime,
    closest_t: EventTime,
    closest_m: f64,
    speed_mps: f64,
    other_speed_mps: f64,
    lat: f64,
    lon: f64,
    other_lat: f64,
    other_lon: f64,
    within_50_ft_s: f64,
    towed_by: Option<&'a str>,
    other_towed_by: Option<&'a str>,
}

impl<'a> EncounterRow<'a> {
    pub fn of(met: &'a Encounter) -> Self {
        let closest = &met.closest;
        let [own, other] = closest.positions.map(|p| p.to_geojson().map(|deg| rounded(deg, DEGREE_DIGITS)));
        Self {
            vessel: met.vessels[0].as_str(),
            other: met.vessels[1].as_str(),
            start: met.start,
            end: met.end,
            closest_t: closest.t,
            closest_m: rounded(closest.distance_m, 3),
            speed_mps: rounded(closest.speeds_mps[0], 3),
            other_speed_mps: rounded(closest.speeds_mps[1], 3),
            lat: own[1],
            lon: own[0],
            other_lat: other[1],
            other_lon: other[0],
            within_50_ft_s: rounded(met.close_s, 3),
            towed_by: met.towed_by[0].as_ref().map(VesselId::as_str),
            other_towed_by: met.towed_by[1].as_ref().map(VesselId::as_str),
        }
    }
}

/// How it stood at one instant of an encounter. CPA and TCPA are none where the two do not close in.
#[derive(Debug, Serialize)]
pub(super) struct LookRow<'a> {
    encounter: usize,
    vessel: &'a str,
    other: &'a str,
    t: EventTime,
    range_m: f64,
    cpa_m: Option<f64>,
    tcpa_s: Option<f64>,
    closest_t: EventTime,
    closest_m: f64,
    towed_by: Option<&'a str>,
    other_towed_by: Option<&'a str>,
}

/// The columns of [`LookRow`], for a table without rows.
pub(super) const LOOK_COLUMNS: &[&str] = &[
    "encounter",
    "vessel",
    "other",
    "t",
    "range_m",
    "cpa_m",
    "tcpa_s",
    "closest_t",
    "closest_m",
    "towed_by",
    "other_towed_by",
];

impl<'a> LookRow<'a> {
    pub fn of(encounter: usize, met: &'a Encounter, look: &Look) -> Self {
        let Shown { t, range_m, cpa_m, tcpa_s } = Shown::of(look);
        Self {
            encounter,
            vessel: met.vessels[0].as_str(),
            other: met.vessels[1].as_str(),
            t,
            range_m,
            cpa_m,
            tcpa_s,
            closest_t: met.closest.t,
            closest_m: rounded(met.closest.distance_m, 3),
            towed_by: met.towed_by[0].as_ref().map(VesselId::as_str),
            other_towed_by: met.towed_by[1].as_ref().map(VesselId::as_str),
        }
    }
}

#[derive(Debug, Serialize)]
struct Shown {
    t: EventTime,
    range_m: f64,
    cpa_m: Option<f64>,
    tcpa_s: Option<f64>,
}

impl Shown {
    fn of(look: &Look) -> Self {
        Self {
            t: look.t,
            range_m: rounded(look.range_m, 3),
            cpa_m: look.ahead.map(|ahead| rounded(ahead.cpa_m, 3)),
            tcpa_s: look.ahead.map(|ahead| rounded(ahead.tcpa_s, 3)),
        }
    }
}

/// An encounter as one object: what it came to, and how it stood over time.
#[derive(Debug, Serialize)]
pub(super) struct EncounterLine<'a> {
    #[serde(rename = "type")]
    message: &'static str,
    #[serde(flatten)]
    row: EncounterRow<'a>,
    over_time: Vec<Shown>,
}

impl<'a> EncounterLine<'a> {
    pub fn of(met: &'a Encounter) -> Self {
        let over_time = met.looks.iter().map(Shown::of).collect();
        Self { message: "encounter", row: EncounterRow::of(met), over_time }
    }
}
