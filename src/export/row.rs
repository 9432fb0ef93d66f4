//! A finding as one flat row, for tables and map attributes: no nesting, a unit in every name.

use serde::Serialize;

use super::Report;
use crate::findings::{Finding, Verdict};
use crate::time::EventTime;
use crate::units::{FOOT_M, MPH_MPS};

/// The columns, in order. Speeds and distances stand in SI units and in those of American codes.
#[derive(Debug, Serialize)]
pub(super) struct Row<'a> {
    id: &'a str,
    rule: &'a str,
    clause: &'a str,
    reading: Option<&'a str>,
    waterway: &'a str,
    vessel: &'a str,
    other: Option<&'a str>,
    start: EventTime,
    end: Option<EventTime>,
    duration_s: Option<f64>,
    limit_speed_mps: Option<f64>,
    limit_speed_mph: Option<f64>,
    limit_distance_m: Option<f64>,
    limit_distance_ft: Option<f64>,
    peak_t: EventTime,
    peak_lat: f64,
    peak_lon: f64,
    peak_speed_mps: Option<f64>,
    peak_speed_mph: Option<f64>,
    peak_distance_m: Option<f64>,
    peak_distance_ft: Option<f64>,
    peak_feature: Option<&'a str>,
    features: String,
    verdict: Verdict,
    confidence: f64,
    below_min_confidence: bool,
    in_force: bool,
    text: &'a str,
    map_version: &'a str,
    rulebook_version: &'a str,
}

impl<'a> Row<'a> {
    pub fn of(finding: &'a Finding, report: &Report<'_>) -> Self {
        let (limit, peak) = (&finding.limit, &finding.peak);
        Self {
            id: &finding.id,
            rule: finding.rule,
            clause: &finding.clause,
            reading: finding.reading.as_deref(),
            waterway: finding.waterway.as_str(),
            vessel: finding.vessel.as_str(),
            other: finding.other.as_ref().map(|id| id.as_str()),
            start: finding.start,
            end: finding.end,
            duration_s: finding.end.map(|end| rounded(end.seconds_since(finding.start), 3)),
            limit_speed_mps: limit.speed_mps.map(|mps| rounded(mps, 4)),
            limit_speed_mph: limit.speed_mps.map(|mps| rounded(mps / MPH_MPS, 2)),
            limit_distance_m: limit.distance_m.map(|m| rounded(m, 4)),
            limit_distance_ft: limit.distance_m.map(|m| rounded(m / FOOT_M, 2)),
            peak_t: peak.t,
            peak_lat: rounded(peak.position.lat_deg(), DEGREE_DIGITS),
            peak_lon: rounded(peak.position.lon_deg(), DEGREE_DIGITS),
            peak_speed_mps: peak.speed_mps.map(|mps| rounded(mps, 3)),
            peak_speed_mph: peak.speed_mps.map(|mps| rounded(mps / MPH_MPS, 2)),
            peak_distance_m: peak.distance_m.map(|m| rounded(m, 3)),
            peak_distance_ft: peak.distance_m.map(|m| rounded(m / FOOT_M, 2)),
            peak_feature: peak.feature.as_deref(),
            features: finding.features.join(";"),
            verdict: finding.verdict,
            confidence: rounded(finding.confidence, 3),
            below_min_confidence: finding.below_min_confidence,
            in_force: report.in_force(finding),
            text: &finding.text,
            map_version: &finding.map_version,
            rulebook_version: &finding.rulebook_version,
        }
    }
}

/// The columns of [`Row`], for a table without rows.
pub(super) const COLUMNS: &[&str] = &[
    "id",
    "rule",
    "clause",
    "reading",
    "waterway",
    "vessel",
    "other",
    "start",
    "end",
    "duration_s",
    "limit_speed_mps",
    "limit_speed_mph",
    "limit_distance_m",
    "limit_distance_ft",
    "peak_t",
    "peak_lat",
    "peak_lon",
    "peak_speed_mps",
    "peak_speed_mph",
    "peak_distance_m",
    "peak_distance_ft",
    "peak_feature",
    "features",
    "verdict",
    "confidence",
    "below_min_confidence",
    "in_force",
    "text",
    "map_version",
    "rulebook_version",
];

/// Nine decimals of a degree are a tenth of a millimetre.
pub(super) const DEGREE_DIGITS: i32 = 9;

pub(super) fn rounded(value: f64, digits: i32) -> f64 {
    let factor = 10_f64.powi(digits);
    (value * factor).round() / factor
}
