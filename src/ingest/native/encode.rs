//! Observations written as native messages: what [`super::decode`] reads, it writes.
//!
//! Nothing that an observation holds is lost but for speeds in the last bit: they are written in knots, and not
//! every number of metres per second is one of knots.

use geojson::{Geometry, GeometryValue};
use serde::Serialize;

use crate::geo::Position;
use crate::observation::{
    Activity, Conditions, Fix, Light, Mark, MarkChange, NavStatus, Observation, Profile, Towing, VesselClass, VesselId,
    WaterwayId, Weather,
};
use crate::time::EventTime;
use crate::units::KNOT_MPS;
use crate::zones::Shape;

/// The native message of an observation, one JSON object.
pub fn encode(observation: &Observation) -> String {
    let message = match observation {
        Observation::Fix(vessel, fix) => Message::Fix(fix_out(vessel, fix)),
        Observation::Activity(vessel, activity) => Message::Activity(activity_out(vessel, activity)),
        Observation::Profile(vessel, profile) => Message::Vessel(profile_out(vessel, profile)),
        Observation::Mark(mark) => Message::Mark(mark_out(mark)),
        Observation::Conditions(conditions) => Message::Conditions(conditions_out(conditions)),
    };
    serde_json::to_string(&message).expect("texts and finite numbers are JSON")
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Message<'a> {
    Fix(FixOut<'a>),
    Activity(ActivityOut<'a>),
    Vessel(ProfileOut<'a>),
    Mark(MarkOut<'a>),
    Conditions(ConditionsOut<'a>),
}

#[derive(Serialize)]
struct FixOut<'a> {
    vessel: &'a VesselId,
    t: String,
    lat: f64,
    lon: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sog_kn: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cog_deg: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heading_deg: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy_m: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nav_status: Option<NavStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    towed_by: Option<&'a VesselId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lights: Option<&'a [Light]>,
}

fn fix_out<'a>(vessel: &'a VesselId, fix: &'a Fix) -> FixOut<'a> {
    FixOut {
        vessel,
        t: fix.t.to_rfc3339(),
        lat: fix.position.lat_deg(),
        lon: fix.position.lon_deg(),
        sog_kn: fix.sog_mps.map(knots),
        cog_deg: fix.cog_deg,
        heading_deg: fix.heading_deg,
        accuracy_m: fix.accuracy_m,
        nav_status: fix.nav_status,
        towed_by: fix.towed_by.as_ref(),
        lights: fix.lights.as_deref(),
    }
}

/// The knots that are read back as this speed, or as the nearest there is.
fn knots(mps: f64) -> f64 {
    let near = mps / KNOT_MPS;
    // What people wrote in tenths of a knot is one of these, to the last bit.
    let tenths = (near * 10.0).round() / 10.0;
    [tenths, near, near.next_up(), near.next_down()].into_iter().find(|kn| kn * KNOT_MPS == mps).unwrap_or(near)
}

#[derive(Serialize)]
struct ActivityOut<'a> {
    vessel: &'a VesselId,
    t: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    towing: Option<Option<Towing>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nav_status: Option<NavStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observer_age: Option<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operator_age: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    supervised: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    persons_aboard: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning_flag: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    siren: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lights: Option<&'a [Light]>,
}

fn activity_out<'a>(vessel: &'a VesselId, activity: &'a Activity) -> ActivityOut<'a> {
    ActivityOut {
        vessel,
        t: activity.t.to_rfc3339(),
        towing: activity.towing,
        nav_status: activity.nav_status,
        observer_age: activity.observer_age,
        operator_age: activity.operator_age,
        supervised: activity.supervised,
        persons_aboard: activity.persons_aboard,
        warning_flag: activity.warning_flag,
        siren: activity.siren,
        lights: activity.lights.as_deref(),
    }
}

#[derive(Serialize)]
struct ProfileOut<'a> {
    vessel: &'a VesselId,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mmsi: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<VesselClass>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length_m: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beam_m: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine_hp: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    year: Option<i32>,
}

fn profile_out<'a>(vessel: &'a VesselId, profile: &'a Profile) -> ProfileOut<'a> {
    ProfileOut {
        vessel,
        t: profile.t.map(EventTime::to_rfc3339),
        name: profile.name.as_deref(),
        mmsi: profile.mmsi.as_deref(),
        class: profile.class,
        length_m: profile.length_m,
        beam_m: profile.beam_m,
        engine_hp: profile.engine_hp,
        year: profile.year,
    }
}

#[derive(Serialize)]
struct MarkOut<'a> {
    id: &'a str,
    t: String,
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lat: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lon: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    geometry: Option<Geometry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
}

fn mark_out(mark: &Mark) -> MarkOut<'_> {
    let mut out =
        MarkOut { id: &mark.id, t: mark.t.to_rfc3339(), kind: None, lat: None, lon: None, geometry: None, until: None };
    if let MarkChange::Placed { kind, shape, until } = &mark.change {
        out.kind = Some(kind.as_str());
        out.until = until.map(EventTime::to_rfc3339);
        match shape {
            Shape::Point(place) => (out.lat, out.lon) = (Some(place.lat_deg()), Some(place.lon_deg())),
            other => out.geometry = Some(Geometry::new(geometry(other))),
        }
    }
    out
}

fn geometry(shape: &Shape) -> GeometryValue {
    let line = |line: &Vec<Position>| -> Vec<geojson::Position> {
        line.iter().map(|place| geojson::Position::from(place.to_geojson())).collect()
    };
    let area = |rings: &Vec<Vec<Position>>| -> Vec<Vec<geojson::Position>> { rings.iter().map(line).collect() };
    match shape {
        Shape::Point(place) => GeometryValue::new_point(place.to_geojson()),
        Shape::Points(places) => GeometryValue::new_multi_point(line(places)),
        Shape::Lines(lines) => GeometryValue::new_multi_line_string(lines.iter().map(line)),
        Shape::Areas(areas) => GeometryValue::new_multi_polygon(areas.iter().map(area)),
        Shape::Mixed(parts) => {
            GeometryValue::new_geometry_collection(parts.iter().map(|part| Geometry::new(geometry(part))))
        }
    }
}

#[derive(Serialize)]
struct ConditionsOut<'a> {
    waterway: &'a WaterwayId,
    t: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility_m: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weather: Option<Weather>,
    #[serde(skip_serializing_if = "Option::is_none")]
    water_level_m: Option<f64>,
}

fn conditions_out(conditions: &Conditions) -> ConditionsOut<'_> {
    ConditionsOut {
        waterway: &conditions.waterway,
        t: conditions.t.to_rfc3339(),
        visibility_m: conditions.visibility_m,
        weather: conditions.weather,
        water_level_m: conditions.water_level_m,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::native::{Envelope, decode};

    #[test]
    fn what_is_written_is_read_back() {
        for json in [
            r#"{"type":"fix","vessel":"a","t":"2026-07-04T20:15:03.123456789Z","lat":47.65,"lon":-117.08,"sog_kn":8.2,"cog_deg":1.5,"heading_deg":2.5,"accuracy_m":3.0,"nav_status":"trolling","towed_by":"b","lights":["stern"]}"#,
            r#"{"type":"fix","vessel":"a","t":"2026-07-04T20:15:03Z","lat":47.65,"lon":-117.08}"#,
            r#"{"type":"activity","vessel":"a","t":"2026-07-04T20:15:00Z","towing":null,"observer_age":34.0,"lights":[]}"#,
            r#"{"type":"activity","vessel":"a","t":"2026-07-04T20:15:00Z","towing":{"state":"up","rope_m":23.0,"persons":null},"observer_age":null,"siren":true}"#,
            r#"{"type":"vessel","vessel":"a","name":"Miss \"B\"","mmsi":"366999712","class":"pwc","length_m":3.2,"year":1999}"#,
            r#"{"type":"mark","id":"f","t":"2026-07-04T20:00:00Z","kind":"dive_flag","lat":47.661,"lon":-117.431,"until":"2026-07-04T21:00:00Z"}"#,
            r#"{"type":"mark","id":"f","t":"2026-07-04T21:00:00Z","kind":null}"#,
            r#"{"type":"mark","id":"f","t":"2026-07-04T21:00:00Z","kind":"swim_area","geometry":{"type":"MultiPolygon","coordinates":[[[[0.1,0.0],[1.0,0.0],[1.0,1.0],[0.1,0.0]]]]}}"#,
            r#"{"type":"conditions","waterway":"long-lake","t":"2026-07-04T20:00:00Z","visibility_m":80.0,"weather":"fog","water_level_m":-0.5}"#,
        ] {
            let mut written = Vec::new();
            decode(json.as_bytes(), Envelope::default(), |read| written.push(encode(&read.expect(json))));
            assert_eq!(written, [json]);
        }
    }

    #[test]
    fn knots_in_tenths_and_finer_come_back_to_the_bit() {
        for tenths in 0..2000 {
            let kn = f64::from(tenths) / 10.0;
            assert_eq!(knots(kn * KNOT_MPS), kn);
        }
        for hundredths in 0..5000 {
            let mps = f64::from(hundredths) / 100.0;
            let back = knots(mps) * KNOT_MPS;
            assert!((back - mps).abs() <= f64::EPSILON * mps, "{mps} {back}");
        }
    }
}
