//! A review as it is handed out: columns rather than rows, for there are many fixes.

use serde::Serialize;
use serde_json::Value;

use crate::time::EventTime;

/// What happened on a waterway in a period.
#[derive(Debug, Serialize)]
pub struct Review {
    /// Its beginning.
    pub from: EventTime,
    /// Its end.
    pub to: EventTime,
    /// The clocks that people read, as in `America/Los_Angeles`.
    pub time_zone: String,
    /// What it was judged by, at the end of the period.
    pub law: Law,
    /// The draft that it was judged by, where that was not what was in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftOf>,
    /// The vessels, by id.
    pub vessels: Vec<Track>,
    /// Findings that overlap the period, as they are published.
    pub findings: Vec<Value>,
    /// Sunsets and sunrises from the night before the period to the night after it.
    pub sun: Vec<SunTime>,
    /// Spans of the period during which a night limit holds, milliseconds since `from`.
    pub night: Vec<[i64; 2]>,
    /// How many boats there were over time.
    pub overview: Overview,
    /// Records that gave nothing, by reason; only of a recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
}

/// What was judged by.
#[derive(Debug, Serialize)]
pub struct Law {
    /// The waterway.
    pub waterway: String,
    /// Content hash of its map.
    pub map_version: String,
    /// Content hash of the rulebook.
    pub rulebook_version: String,
    /// What the rulebook is called.
    pub rulebook_name: String,
}

/// A draft of a map.
#[derive(Debug, Clone, Serialize)]
pub struct DraftOf {
    /// Its id.
    pub id: String,
    /// What its maker calls it.
    pub name: String,
}

/// One vessel.
#[derive(Debug, Serialize)]
pub struct Track {
    /// Its id.
    pub id: String,
    /// Its name, where it said one.
    pub name: Option<String>,
    /// Its class, where it said one.
    pub class: Option<String>,
    /// When it had somebody in tow.
    pub tow_periods: Vec<Tow>,
    /// Its fixes that were judged.
    pub fixes: Fixes,
    /// What `limit_rule` counts in.
    pub limit_reasons: Vec<LimitReason>,
    /// What `nearest` counts in: ids.
    pub features: Vec<String>,
    /// Where nothing is known in between.
    pub gaps: Vec<Gap>,
    /// Its fixes that were not judged.
    pub refused: Vec<Refused>,
    /// Who was in tow.
    pub skier: Option<SkierColumns>,
    /// For how long it was judged, seconds.
    pub judged_s: f64,
    /// For how long it was not, between its first and last fix, seconds.
    pub not_judged_s: f64,
}

/// Fixes, a column each.
#[derive(Debug, Default, Serialize)]
pub struct Fixes {
    /// Milliseconds since the beginning of the period.
    pub t_ms: Vec<i64>,
    /// Degrees.
    pub lat: Vec<f64>,
    /// Degrees.
    pub lon: Vec<f64>,
    /// Speed over ground, reported or, where `is_derived`, by the path.
    pub sog_mps: Vec<Option<f64>>,
    /// Its standard deviation: as receivers state it, or by the errors of the two positions of the path. The odds of a
    /// finding weigh all fixes around, and are surer.
    pub sog_error_mps: Vec<Option<f64>>,
    /// Whether the speed is by the path.
    pub is_derived: Vec<bool>,
    /// Course over ground, reported or by the path, degrees true.
    pub cog_deg: Vec<Option<f64>>,
    /// Radius of 68 % confidence, metres, reported or as configured.
    pub accuracy_m: Vec<f64>,
    /// The limit in force there and then.
    pub limit_mps: Vec<Option<f64>>,
    /// Why: place in `limit_reasons`.
    pub limit_rule: Vec<Option<u32>>,
    /// Distance to the feature that the limit comes from, else to the nearest one.
    pub distance_m: Vec<Option<f64>>,
    /// That feature: place in `features`.
    pub nearest: Vec<Option<u32>>,
}

/// Why a limit holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitReason {
    /// The rule.
    pub rule: &'static str,
    /// Its clause.
    pub clause: String,
    /// In words: "within 50 ft of dock D-19".
    pub reason: String,
    /// The feature it comes from.
    pub feature: Option<String>,
}

/// A stretch of which nothing is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// Its beginning, milliseconds.
    pub from_ms: i64,
    /// Its end, milliseconds.
    pub to_ms: i64,
    /// Why.
    pub reason: String,
}

/// A fix that was not judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refused {
    /// When, milliseconds.
    pub t_ms: i64,
    /// Degrees.
    pub lat: f64,
    /// Degrees.
    pub lon: f64,
    /// Why.
    pub reason: String,
}

/// A time with somebody in tow, as the crew said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tow {
    /// From when, milliseconds.
    pub from_ms: i64,
    /// Until when; where it went on, the end of the period.
    pub to_ms: i64,
    /// Whether the skier was up.
    pub state: &'static str,
    /// Length of the rope, metres, where it was said.
    pub rope_m: Option<f64>,
}

/// Where skiers were.
#[derive(Debug, Default, Serialize)]
pub struct SkierColumns {
    /// Milliseconds.
    pub t_ms: Vec<i64>,
    /// Degrees.
    pub lat: Vec<f64>,
    /// Degrees.
    pub lon: Vec<f64>,
    /// Radius of 68 % confidence, metres.
    pub error_m: Vec<Option<f64>>,
    /// Whether that is by the boat's path and the rope.
    pub is_estimated: Vec<bool>,
}

/// A sunset or sunrise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SunTime {
    /// `sunset` or `sunrise`.
    pub event: &'static str,
    /// When.
    pub t: EventTime,
}

/// How many boats there were over time.
#[derive(Debug, Default, Serialize)]
pub struct Overview {
    /// How long each count stands for, seconds.
    pub bin_s: f64,
    /// How many boats had a fix in each.
    pub boats: Vec<u32>,
}

/// To so many digits.
pub(super) fn rounded(value: f64, digits: i32) -> f64 {
    let factor = 10_f64.powi(digits);
    (value * factor).round() / factor
}
