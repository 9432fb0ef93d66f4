//! The `fix` message.

use serde::Deserialize;

use super::fault::{Expect, Key, LIGHTS, NAV_STATUSES};
use super::text::{self, Text};
use super::{Envelope, MessageKind, fault};
use crate::ingest::{accuracy_m, angle_deg, position, speed_mps};
use crate::observation::{Fix, Light, NavStatus, Observation, Refusal, VesselId};
use crate::units::SpeedUnit;

/// A fix as it stands in JSON.
#[derive(Debug, Deserialize)]
pub(super) struct Wire<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    vessel: Option<Text<'a>>,
    #[serde(borrow)]
    t: Option<Text<'a>>,
    lat: Option<f64>,
    lon: Option<f64>,
    sog_kn: Option<f64>,
    cog_deg: Option<f64>,
    heading_deg: Option<f64>,
    accuracy_m: Option<f64>,
    nav_status: Option<NavStatus>,
    #[serde(borrow)]
    towed_by: Option<Text<'a>>,
    lights: Option<Box<[Light]>>,
}

/// What its keys should hold, to say what is wrong with one that does not.
pub(super) const KEYS: &[Key] = &[
    ("vessel", Expect::Text("the vessel's id")),
    ("t", Expect::Time),
    ("lat", Expect::Number("degrees, such as 47.65")),
    ("lon", Expect::Number("degrees, such as -117.08")),
    ("sog_kn", Expect::Number("knots, such as 8.2")),
    ("cog_deg", Expect::Number("degrees, such as 214.0")),
    ("heading_deg", Expect::Number("degrees, such as 214.0")),
    ("accuracy_m", Expect::Number("metres, such as 5.0")),
    ("nav_status", Expect::OneOf(NAV_STATUSES)),
    ("towed_by", Expect::Text("the towing vessel's id")),
    ("lights", Expect::ListOf(LIGHTS)),
];

impl Wire<'_> {
    /// What the message is, by its own word or the envelope's.
    pub(super) fn kind(&self, envelope: Envelope<'_>) -> Result<MessageKind, Refusal> {
        fault::named_kind(self.kind.as_ref().map(|text| &*text.0), envelope)
    }

    /// The fix it reports.
    pub(super) fn into_observation(self, envelope: Envelope<'_>) -> Result<Observation, Refusal> {
        let parts = NumbersAndTexts {
            vessel: Text::of(&self.vessel),
            t: Text::of(&self.t),
            lat: self.lat,
            lon: self.lon,
            sog_kn: self.sog_kn,
            cog_deg: self.cog_deg,
            heading_deg: self.heading_deg,
            accuracy_m: self.accuracy_m,
            nav_status: self.nav_status,
        };
        let observation = from_parts(parts, envelope)?;
        let Observation::Fix(vessel, fix) = observation else { return Ok(observation) };
        let towed_by = self.towed_by.map(|id| VesselId::new(&id.0)).transpose();
        let towed_by = towed_by.map_err(|e| Refusal::unparsable(format!("`towed_by`: {e}")))?;
        Ok(Observation::Fix(vessel, Fix { towed_by, lights: self.lights, ..fix }))
    }
}

/// What most fixes hold.
#[derive(Debug, Default)]
pub(super) struct NumbersAndTexts<'a> {
    pub vessel: Option<&'a str>,
    pub t: Option<&'a str>,
    pub lat: Option<f64>,
    pub lon: Option<f64>,
    pub sog_kn: Option<f64>,
    pub cog_deg: Option<f64>,
    pub heading_deg: Option<f64>,
    pub accuracy_m: Option<f64>,
    pub nav_status: Option<NavStatus>,
}

/// The fix of these parts.
pub(super) fn from_parts(parts: NumbersAndTexts<'_>, envelope: Envelope<'_>) -> Result<Observation, Refusal> {
    let vessel = text::vessel(parts.vessel, envelope)?;
    let position = position(parts.lat, parts.lon)?;
    let t = text::required_time(parts.t)?;
    let fix = Fix {
        sog_mps: speed_mps(parts.sog_kn, SpeedUnit::Kn),
        cog_deg: angle_deg(parts.cog_deg),
        heading_deg: angle_deg(parts.heading_deg),
        accuracy_m: accuracy_m(parts.accuracy_m),
        nav_status: parts.nav_status,
        ..Fix::new(t, position)
    };
    Ok(Observation::Fix(vessel, fix))
}
