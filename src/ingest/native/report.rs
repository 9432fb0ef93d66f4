//! The messages `activity`, `vessel`, `mark` and `conditions`.

use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::fault::{self, Expect, Key, LIGHTS, NAV_STATUSES};
use super::shape;
use super::text::{self, Text};
use super::{Envelope, MessageKind};
use crate::ingest::position;
use crate::observation::{
    Activity, Conditions, Light, Mark, MarkChange, NavStatus, Observation, Profile, Refusal, Towing, VesselClass,
    WaterwayId, Weather,
};
use crate::zones::{Shape, ZoneKind};

/// Decodes a message of a kind other than `fix`.
pub(super) fn decode(kind: MessageKind, json: &str, envelope: Envelope<'_>) -> Result<Observation, Refusal> {
    match kind {
        MessageKind::Activity => activity(read(json, ACTIVITY_KEYS)?, envelope),
        MessageKind::Vessel => profile(read(json, PROFILE_KEYS)?, envelope),
        MessageKind::Mark => mark(read(json, MARK_KEYS)?, envelope),
        MessageKind::Conditions => conditions(read(json, CONDITIONS_KEYS)?, envelope),
        MessageKind::Fix => Err(fault::explain::<super::fix::Wire>(json, super::fix::KEYS)),
    }
}

fn read<'a, T: Deserialize<'a>>(json: &'a str, keys: &[Key]) -> Result<T, Refusal> {
    serde_json::from_str(json).map_err(|_| fault::explain::<T>(json, keys))
}

/// A number that must lie in a range where it is given.
fn within(key: &str, value: Option<f64>, range: RangeInclusive<f64>, unit: &str) -> Result<Option<f64>, Refusal> {
    match value {
        Some(value) if !range.contains(&value) => Err(Refusal::unparsable(format!(
            "`{key}` is {value}; it should be {} to {} {unit}",
            range.start(),
            range.end()
        ))),
        _ => Ok(value),
    }
}

/// Tells a key with null (`Some(None)`: "none") from one that is absent (`None`: nothing said).
fn said<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct ActivityWire<'a> {
    #[serde(borrow)]
    vessel: Option<Text<'a>>,
    #[serde(borrow)]
    t: Option<Text<'a>>,
    #[serde(default, deserialize_with = "said")]
    towing: Option<Option<Towing>>,
    nav_status: Option<NavStatus>,
    #[serde(default, deserialize_with = "said")]
    observer_age: Option<Option<f64>>,
    operator_age: Option<f64>,
    supervised: Option<bool>,
    persons_aboard: Option<u32>,
    warning_flag: Option<bool>,
    siren: Option<bool>,
    lights: Option<Box<[Light]>>,
}

const ACTIVITY_KEYS: &[Key] = &[
    ("vessel", Expect::Text("the vessel's id")),
    ("t", Expect::Time),
    ("towing", Expect::Object(TOWING_KEYS)),
    ("nav_status", Expect::OneOf(NAV_STATUSES)),
    ("observer_age", Expect::Number("years, such as 34")),
    ("operator_age", Expect::Number("years, such as 34")),
    ("supervised", Expect::Flag),
    ("persons_aboard", Expect::Count),
    ("warning_flag", Expect::Flag),
    ("siren", Expect::Flag),
    ("lights", Expect::ListOf(LIGHTS)),
];

const TOWING_KEYS: &[Key] = &[
    ("state", Expect::OneOf(&["up", "down"])),
    ("rope_m", Expect::Number("metres, such as 23.0")),
    ("persons", Expect::Count),
];

fn activity(wire: ActivityWire<'_>, envelope: Envelope<'_>) -> Result<Observation, Refusal> {
    const AGES: RangeInclusive<f64> = 0.0..=130.0;
    let vessel = text::vessel(Text::of(&wire.vessel), envelope)?;
    let t = text::required_time(Text::of(&wire.t))?;
    if let Some(Some(towing)) = &wire.towing {
        within("towing.rope_m", towing.rope_m, 0.0..=1000.0, "metres")?;
    }
    let observer_age = match wire.observer_age {
        Some(age) => Some(within("observer_age", age, AGES, "years")?),
        None => None,
    };
    let activity = Activity {
        t,
        towing: wire.towing,
        nav_status: wire.nav_status,
        observer_age,
        operator_age: within("operator_age", wire.operator_age, AGES, "years")?,
        supervised: wire.supervised,
        persons_aboard: wire.persons_aboard,
        warning_flag: wire.warning_flag,
        siren: wire.siren,
        lights: wire.lights,
    };
    Ok(Observation::Activity(vessel, Box::new(activity)))
}

#[derive(Deserialize)]
struct ProfileWire<'a> {
    #[serde(borrow)]
    vessel: Option<Text<'a>>,
    #[serde(borrow)]
    t: Option<Text<'a>>,
    name: Option<String>,
    mmsi: Option<String>,
    class: Option<VesselClass>,
    length_m: Option<f64>,
    beam_m: Option<f64>,
    engine_hp: Option<f64>,
    year: Option<i32>,
}

const PROFILE_KEYS: &[Key] = &[
    ("vessel", Expect::Text("the vessel's id")),
    ("t", Expect::Time),
    ("name", Expect::Text("the vessel's name")),
    ("mmsi", Expect::Text("its nine digits, as in \"366999712\"")),
    ("class", Expect::OneOf(&["motorboat", "pwc", "sailboat", "nonmotorized", "commercial", "patrol"])),
    ("length_m", Expect::Number("metres, such as 6.1")),
    ("beam_m", Expect::Number("metres, such as 2.4")),
    ("engine_hp", Expect::Number("horsepower, such as 150")),
    ("year", Expect::Count),
];

fn profile(wire: ProfileWire<'_>, envelope: Envelope<'_>) -> Result<Observation, Refusal> {
    let vessel = text::vessel(Text::of(&wire.vessel), envelope)?;
    if let Some(mmsi) = wire.mmsi.as_ref().filter(|m| m.is_empty() || !m.bytes().all(|b| b.is_ascii_digit())) {
        let shown = fault::shown(&Value::from(mmsi.as_str()));
        return Err(Refusal::unparsable(format!("`mmsi` is {shown}; it should be its nine digits")));
    }
    let profile = Profile {
        t: wire.t.map(|t| text::time("t", &t.0)).transpose()?,
        name: wire.name,
        mmsi: wire.mmsi,
        class: wire.class,
        length_m: within("length_m", wire.length_m, 0.0..=1000.0, "metres")?,
        beam_m: within("beam_m", wire.beam_m, 0.0..=1000.0, "metres")?,
        engine_hp: within("engine_hp", wire.engine_hp, 0.0..=1.0e6, "horsepower")?,
        year: wire.year,
    };
    Ok(Observation::Profile(vessel, Box::new(profile)))
}

#[derive(Deserialize)]
struct MarkWire<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    t: Option<Text<'a>>,
    #[serde(borrow, default, deserialize_with = "said")]
    kind: Option<Option<Text<'a>>>,
    lat: Option<f64>,
    lon: Option<f64>,
    geometry: Option<Value>,
    #[serde(borrow)]
    until: Option<Text<'a>>,
}

const MARK_KEYS: &[Key] = &[
    ("id", Expect::Text("the mark's id")),
    ("t", Expect::Time),
    ("kind", Expect::Text("a kind of zone, such as \"dive_flag\", or null where it is taken in")),
    ("lat", Expect::Number("degrees, such as 47.65")),
    ("lon", Expect::Number("degrees, such as -117.08")),
    ("until", Expect::Time),
];

fn mark(wire: MarkWire<'_>, envelope: Envelope<'_>) -> Result<Observation, Refusal> {
    let id = wire.id.as_ref().map(|id| &*id.0).or(envelope.id).filter(|id| !id.is_empty());
    let id: Arc<str> = id.ok_or_else(|| Refusal::unparsable("`id` is missing; it should be the mark's id"))?.into();
    let t = text::required_time(Text::of(&wire.t))?;
    let is_empty = wire.lat.is_none() && wire.lon.is_none() && wire.geometry.is_none();
    let change = match wire.kind {
        Some(None) => MarkChange::Removed,
        None if is_empty => MarkChange::Removed,
        None => {
            let detail = "`kind` is missing; it should be a kind of zone, or null where the mark is taken in";
            return Err(Refusal::unparsable(detail));
        }
        Some(Some(Text(name))) => MarkChange::Placed {
            kind: ZoneKind::from_name(&name).filter(is_laid).ok_or_else(|| unknown_kind(&name))?,
            // A geometry says more than a point; beside one, the point is a label's.
            shape: match wire.geometry {
                Some(geometry) => shape::from_geojson(geometry)?,
                None => Shape::Point(position(wire.lat, wire.lon)?),
            },
            until: wire.until.map(|until| text::time("until", &until.0)).transpose()?,
        },
    };
    Ok(Observation::Mark(Box::new(Mark { id, t, change })))
}

/// Whether something of this kind can be put on the water: an inshore area is what a buoy line cuts off.
fn is_laid(kind: &ZoneKind) -> bool {
    *kind != ZoneKind::InshoreArea
}

fn unknown_kind(name: &str) -> Refusal {
    let known: Vec<_> = ZoneKind::ALL.iter().filter(|kind| is_laid(kind)).map(|kind| kind.as_str()).collect();
    let shown = fault::shown(&Value::from(name));
    Refusal::unparsable(format!("`kind` is {shown}; it should be null or one of {}", known.join(", ")))
}

#[derive(Deserialize)]
struct ConditionsWire<'a> {
    #[serde(borrow)]
    waterway: Option<Text<'a>>,
    #[serde(borrow)]
    t: Option<Text<'a>>,
    visibility_m: Option<f64>,
    weather: Option<Weather>,
    water_level_m: Option<f64>,
}

const CONDITIONS_KEYS: &[Key] = &[
    ("waterway", Expect::Text("the waterway's id")),
    ("t", Expect::Time),
    ("visibility_m", Expect::Number("metres, such as 150")),
    ("weather", Expect::OneOf(&["clear", "fog", "mist", "snow", "heavy_rain"])),
    ("water_level_m", Expect::Number("metres, such as 0.4")),
];

fn conditions(wire: ConditionsWire<'_>, envelope: Envelope<'_>) -> Result<Observation, Refusal> {
    let id = wire.waterway.as_ref().map(|id| &*id.0).or(envelope.id);
    let id = id.ok_or_else(|| Refusal::unparsable("`waterway` is missing; it should be the waterway's id"))?;
    let conditions = Conditions {
        waterway: WaterwayId::new(id).map_err(|e| Refusal::unparsable(format!("`waterway`: {e}")))?,
        t: text::required_time(Text::of(&wire.t))?,
        visibility_m: within("visibility_m", wire.visibility_m, 0.0..=1.0e6, "metres")?,
        weather: wire.weather,
        water_level_m: within("water_level_m", wire.water_level_m, -1.0e4..=1.0e4, "metres")?,
    };
    Ok(Observation::Conditions(Box::new(conditions)))
}
