//! A finding as the outside sees it.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::geo::Position;
use crate::observation::{VesselId, WaterwayId};
use crate::rules::{Limit, SkierSeen};
use crate::time::EventTime;

/// An interval in which one vessel broke one clause of one rule: a lead for an officer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Always `"finding"`.
    #[serde(rename = "type")]
    pub message: &'static str,
    /// Made of what the finding is about, so that the same input gives the same id.
    pub id: String,
    /// Counts up with each publication under the id; a recording is judged to its end first, so there it is 1.
    pub revision: u32,
    /// The rule.
    pub rule: &'static str,
    /// The rulebook's citation.
    pub clause: String,
    /// The vessel.
    pub vessel: VesselId,
    /// The waterway.
    pub waterway: WaterwayId,
    /// The other vessel, where the rule is about two.
    pub other: Option<VesselId>,
    /// Where it stands.
    pub status: Status,
    /// When it began.
    pub start: EventTime,
    /// When it ended; `None` while open.
    pub end: Option<EventTime>,
    /// What was allowed.
    #[serde(serialize_with = "shown_limit")]
    pub limit: Limit,
    /// The worst instant.
    #[serde(serialize_with = "shown_peak")]
    pub peak: Peak,
    /// Ids of all features involved.
    pub features: Vec<Arc<str>>,
    /// Probability that the clause was broken, given the errors of position and speed.
    #[serde(serialize_with = "to_the_thousandth")]
    pub confidence: f64,
    /// What that amounts to.
    pub verdict: Verdict,
    /// Whether the confidence is below what alerts ask for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub below_min_confidence: bool,
    /// Which reading of the clause was applied.
    pub reading: Option<String>,
    /// One sentence for a person.
    pub text: String,
    /// Content hash of the map it was judged by.
    pub map_version: Arc<str>,
    /// Content hash of the rulebook it was judged by.
    pub rulebook_version: Arc<str>,
}

/// Where a finding stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// May go on.
    Open,
    /// Over.
    Closed,
    /// A late fix showed that there was nothing.
    Withdrawn,
}

/// What a confidence amounts to. Never "violation".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Broken, as sure as the errors allow.
    Breach,
    /// Maybe broken.
    Possible,
}

/// The worst instant of a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// When.
    pub t: EventTime,
    /// Where the vessel was.
    pub position: Position,
    /// Its speed over ground, m/s.
    pub speed_mps: Option<f64>,
    /// Its distance to the nearest relevant feature or vessel, metres.
    pub distance_m: Option<f64>,
    /// That feature.
    pub feature: Option<Arc<str>>,
    /// By how much its course was off the direction of travel, degrees, where that is what counts.
    pub off_course_deg: Option<f64>,
    /// The skier it is about, where it is about one.
    pub skier: Option<SkierSeen>,
}

fn rounded(value: f64, digits: i32) -> f64 {
    let factor = 10_f64.powi(digits);
    (value * factor).round() / factor
}

fn to_the_thousandth<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*value, 3))
}

fn shown_peak<S: serde::Serializer>(peak: &Peak, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Shown<'a> {
        t: EventTime,
        lat: f64,
        lon: f64,
        speed_mps: Option<f64>,
        distance_m: Option<f64>,
        feature: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        off_course_deg: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        skier: Option<Skier>,
    }
    #[derive(Serialize)]
    struct Skier {
        lat: f64,
        lon: f64,
        estimated: bool,
        accuracy_m: Option<f64>,
    }
    Shown {
        t: peak.t,
        // Nine decimals are a tenth of a millimetre.
        lat: rounded(peak.position.lat_deg(), 9),
        lon: rounded(peak.position.lon_deg(), 9),
        speed_mps: peak.speed_mps.map(|mps| rounded(mps, 3)),
        distance_m: peak.distance_m.map(|m| rounded(m, 3)),
        feature: peak.feature.as_deref(),
        off_course_deg: peak.off_course_deg.map(|deg| rounded(deg, 1)),
        skier: peak.skier.map(|skier| Skier {
            lat: rounded(skier.position.lat_deg(), 9),
            lon: rounded(skier.position.lon_deg(), 9),
            estimated: skier.is_estimated,
            accuracy_m: skier.accuracy_m.map(|m| rounded(m, 1)),
        }),
    }
    .serialize(serializer)
}

fn shown_limit<S: serde::Serializer>(limit: &Limit, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Shown {
        #[serde(skip_serializing_if = "Option::is_none")]
        speed_mps: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        distance_m: Option<f64>,
    }
    Shown { speed_mps: limit.speed_mps.map(|mps| rounded(mps, 4)), distance_m: limit.distance_m.map(|m| rounded(m, 4)) }
        .serialize(serializer)
}

/// What an id is made of.
pub(super) struct Identity<'a> {
    pub waterway: &'a WaterwayId,
    pub rule: &'a str,
    pub clause: &'a str,
    pub vessel: &'a VesselId,
    pub other: Option<&'a VesselId>,
    pub start: EventTime,
    pub map_version: &'a str,
    pub rulebook_version: &'a str,
}

impl Identity<'_> {
    /// The first 16 bytes, in hex, of the SHA-256 of the parts, the instant rounded to the millisecond.
    pub fn id(&self) -> String {
        let start_ms = self.start.unix_ms().to_string();
        let mut hash = Sha256::new();
        for part in [
            self.waterway.as_str(),
            self.rule,
            self.clause,
            self.vessel.as_str(),
            self.other.map_or("", VesselId::as_str),
            &start_ms,
            self.map_version,
            self.rulebook_version,
        ] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        let mut id = String::with_capacity(32);
        for byte in &hash.finalize()[..16] {
            // Writing to a string cannot fail.
            let _ = write!(id, "{byte:02x}");
        }
        id
    }
}
