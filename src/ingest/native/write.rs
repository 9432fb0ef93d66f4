//! Observations as native messages.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::geo::Position;
use crate::observation::{Activity, Conditions, Fix, Mark, MarkChange, Observation, Profile, VesselId};
use crate::time::EventTime;
use crate::units::KNOT_MPS;
use crate::zones::Shape;

/// The native message that says what `observation` says, on one line without its end.
///
/// Read back it is the same observation. Only a number of 16 digits or more may then differ in its last place,
/// as may a speed for which no number of knots stands exactly; trackers write neither.
pub fn encode(observation: &Observation) -> String {
    let message = match observation {
        Observation::Fix(vessel, fix) => of_fix(vessel, fix),
        Observation::Activity(vessel, activity) => of_activity(vessel, activity),
        Observation::Profile(vessel, profile) => of_profile(vessel, profile),
        Observation::Mark(mark) => of_mark(mark),
        Observation::Conditions(conditions) => of_conditions(conditions),
    };
    Value::Object(message.keys).to_string()
}

/// A message in the making: what is `None` is left out.
struct Keys {
    keys: Map<String, Value>,
}

impl Keys {
    fn new(kind: &str) -> Self {
        Self { keys: Map::from_iter([("type".to_owned(), Value::from(kind))]) }
    }

    fn put(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.keys.insert(key.to_owned(), value.into());
        self
    }

    /// `Some(None)` is a null.
    fn maybe(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.put(key, value),
            None => self,
        }
    }

    /// What has a name of its own in JSON.
    fn named(self, key: &str, value: Option<impl Serialize>) -> Self {
        self.maybe(key, value.and_then(|value| serde_json::to_value(value).ok()))
    }
}

fn of_fix(vessel: &VesselId, fix: &Fix) -> Keys {
    Keys::new("fix")
        .put("vessel", vessel.as_str())
        .put("t", written(fix.t))
        .put("lat", fix.position.lat_deg())
        .put("lon", fix.position.lon_deg())
        .maybe("sog_kn", fix.sog_mps.map(knots))
        .maybe("cog_deg", fix.cog_deg)
        .maybe("heading_deg", fix.heading_deg)
        .maybe("accuracy_m", fix.accuracy_m)
        .named("nav_status", fix.nav_status)
        .maybe("towed_by", fix.towed_by.as_ref().map(VesselId::as_str))
        .named("lights", fix.lights.as_ref())
}

fn of_activity(vessel: &VesselId, activity: &Activity) -> Keys {
    Keys::new("activity")
        .put("vessel", vessel.as_str())
        .put("t", written(activity.t))
        .named("towing", activity.towing.as_ref())
        .named("nav_status", activity.nav_status)
        .maybe("observer_age", activity.observer_age)
        .maybe("operator_age", activity.operator_age)
        .maybe("supervised", activity.supervised)
        .maybe("persons_aboard", activity.persons_aboard)
        .maybe("warning_flag", activity.warning_flag)
        .maybe("siren", activity.siren)
        .named("lights", activity.lights.as_ref())
}

fn of_profile(vessel: &VesselId, profile: &Profile) -> Keys {
    Keys::new("vessel")
        .put("vessel", vessel.as_str())
        .maybe("t", profile.t.map(written))
        .maybe("name", profile.name.as_deref())
        .maybe("mmsi", profile.mmsi.as_deref())
        .named("class", profile.class)
        .maybe("length_m", profile.length_m)
        .maybe("beam_m", profile.beam_m)
        .maybe("engine_hp", profile.engine_hp)
        .maybe("year", profile.year)
}

fn of_mark(mark: &Mark) -> Keys {
    let keys = Keys::new("mark").put("id", &*mark.id).put("t", written(mark.t));
    match &mark.change {
        MarkChange::Removed => keys.put("kind", Value::Null),
        MarkChange::Placed { kind, shape, until } => {
            let keys = keys.put("kind", kind.as_str());
            let keys = match shape {
                Shape::Point(at) => keys.put("lat", at.lat_deg()).put("lon", at.lon_deg()),
                other => keys.put("geometry", geometry(other)),
            };
            keys.maybe("until", until.map(written))
        }
    }
}

fn of_conditions(conditions: &Conditions) -> Keys {
    Keys::new("conditions")
        .put("waterway", conditions.waterway.as_str())
        .put("t", written(conditions.t))
        .maybe("visibility_m", conditions.visibility_m)
        .named("weather", conditions.weather)
        .maybe("water_level_m", conditions.water_level_m)
}

fn geometry(shape: &Shape) -> Value {
    let pair = |at: &Position| json!(at.to_geojson());
    let pairs = |line: &[Position]| line.iter().map(pair).collect::<Value>();
    let rings = |area: &[Vec<Position>]| area.iter().map(|ring| pairs(ring)).collect::<Value>();
    match shape {
        Shape::Point(at) => json!({"type": "Point", "coordinates": pair(at)}),
        Shape::Points(points) => json!({"type": "MultiPoint", "coordinates": pairs(points)}),
        Shape::Lines(lines) => match &lines[..] {
            [line] => json!({"type": "LineString", "coordinates": pairs(line)}),
            lines => json!({"type": "MultiLineString", "coordinates": rings(lines)}),
        },
        Shape::Areas(areas) => match &areas[..] {
            [area] => json!({"type": "Polygon", "coordinates": rings(area)}),
            areas => {
                json!({"type": "MultiPolygon", "coordinates": areas.iter().map(|a| rings(a)).collect::<Value>()})
            }
        },
        Shape::Mixed(parts) => {
            json!({"type": "GeometryCollection", "geometries": parts.iter().map(geometry).collect::<Value>()})
        }
    }
}

/// The time with as many digits as it has: milliseconds, or all nine.
fn written(t: EventTime) -> String {
    if t.unix_ns() % 1_000_000 == 0 {
        return t.to_string();
    }
    let mut text = t.to_chrono().format("%Y-%m-%dT%H:%M:%S").to_string();
    let _ = write!(text, ".{:09}Z", t.unix_ns().rem_euclid(1_000_000_000));
    text
}

/// The number of knots that is read back as this speed: the one with the fewest digits where the division leaves
/// some too many.
fn knots(mps: f64) -> f64 {
    let near = mps / KNOT_MPS;
    let short = (near * 1e4).round() / 1e4;
    [short, near, near.next_up(), near.next_down()].into_iter().find(|kn| kn * KNOT_MPS == mps).unwrap_or(near)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ingest::native::{Envelope, decode};

    fn read_back(observation: &Observation) -> Observation {
        let line = encode(observation);
        let mut results = Vec::new();
        decode(line.as_bytes(), Envelope::default(), |result| results.push(result));
        assert_eq!(results.len(), 1, "{line}");
        results.remove(0).expect(&line)
    }

    /// One place in the last of 16 digits.
    fn is_a_hair_off(a: Option<f64>, b: Option<f64>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 2.0 * f64::EPSILON * a.abs(),
            (a, b) => a == b,
        }
    }

    proptest! {
        #[test]
        fn what_trackers_write_is_read_back_to_the_last_bit(
            (lat, lon) in (-900_000_000..900_000_000_i64, -1_800_000_000..1_800_000_000_i64),
            t_ns in 946_684_800_000_000_000..4_000_000_000_000_000_000_i64,
            tenths_kn in prop::option::of(0..1022_u32),
            (cog, heading) in (prop::option::of(0..3600_u32), prop::option::of(0..360_u32)),
            accuracy in prop::option::of(1..100_000_u32),
        ) {
            let place = Position::from_lat_lon(lat as f64 / 1e7, lon as f64 / 1e7).expect("a position");
            prop_assume!(place != Position::NULL_ISLAND);
            let mut fix = Fix::new(EventTime::from_unix_ns(t_ns), place);
            fix.sog_mps = tenths_kn.map(|kn| f64::from(kn) / 10.0 * KNOT_MPS);
            fix.cog_deg = cog.map(|deg| f64::from(deg) / 10.0);
            fix.heading_deg = heading.map(f64::from);
            fix.accuracy_m = accuracy.map(|m| f64::from(m) / 10.0);
            let observation = Observation::Fix(VesselId::from_mmsi(366_999_712), fix);
            prop_assert_eq!(read_back(&observation), observation);
        }

        #[test]
        fn any_number_is_read_back_to_a_hair(
            (lat, lon) in (-90.0..90.0_f64, -180.0..180.0_f64),
            mps in 0.0..500.0_f64,
            accuracy in 0.001..1e6_f64,
        ) {
            prop_assume!(!(52.60..52.66).contains(&mps));
            let mut fix = Fix::new(EventTime::from_unix_ms(0), Position::from_lat_lon(lat, lon).expect("a position"));
            (fix.sog_mps, fix.accuracy_m) = (Some(mps), Some(accuracy));
            let Observation::Fix(_, again) = read_back(&Observation::Fix(VesselId::from_mmsi(1), fix.clone())) else {
                panic!("no fix")
            };
            let place = |fix: &Fix| (Some(fix.position.lat_deg()), Some(fix.position.lon_deg()));
            let ((lat, lon), (its_lat, its_lon)) = (place(&fix), place(&again));
            prop_assert!(is_a_hair_off(lat, its_lat) && is_a_hair_off(lon, its_lon));
            prop_assert!(is_a_hair_off(fix.sog_mps, again.sog_mps), "{} {:?}", mps, again.sog_mps);
            prop_assert!(is_a_hair_off(fix.accuracy_m, again.accuracy_m));
        }
    }
}
