//! One value of one path, and the dialect in which each is a message of its own.

use serde_json::Value;

use super::join::{Joiner, Part};
use super::vessel;
use crate::ingest::decoder::{Decoded, Message, Speaker};
use crate::ingest::json::{self, Object, shown};
use crate::ingest::reported::{angle_deg, speed_mps};
use crate::observation::{Activity, Fix, NavStatus, Observation, Refusal, RefusalReason, VesselId};
use crate::time::EventTime;
use crate::units::SpeedUnit;

/// The path of positions.
pub(super) const POSITION: &str = "navigation.position";
const SPEED: &str = "navigation.speedOverGround";
const COURSE: &str = "navigation.courseOverGroundTrue";
const HEADING: &str = "navigation.headingTrue";
const DILUTION: &str = "navigation.gnss.horizontalDilution";
const QUALITY: &str = "navigation.gnss.methodQuality";
const STATE: &str = "navigation.state";

/// Values by topic are taken where the position before came within this span: a shorter one is a burst of
/// stored values, after a longer one the first of a burst could not be told.
const STEADY_S: std::ops::RangeInclusive<f64> = 0.2..=30.0;

/// What stands in the place of metres per second where a vessel's AIS says "102.2 knots or more".
const TOO_FAST_TO_SAY: f64 = 102.2;

/// Whether a path is read.
pub(super) fn is_known(path: &str) -> bool {
    [POSITION, SPEED, COURSE, HEADING, DILUTION, QUALITY, STATE].contains(&path)
}

/// The vessel and the path that a topic of values names, as `self` and `navigation.position`; `None` for a
/// topic of deltas.
pub(super) fn address(topic: &str) -> Option<(String, String)> {
    let mut levels = topic.split('/').skip_while(|level| *level != "vessels").skip(1);
    let who = levels.next().filter(|who| !who.is_empty())?;
    let path: Vec<&str> = levels.collect();
    (!path.is_empty()).then(|| (who.to_owned(), path.join(".")))
}

/// Where, when and from whom a value is.
pub(super) struct At<'a> {
    pub joiner: &'a mut Joiner,
    pub vessel: &'a VesselId,
    pub source: &'a str,
    pub t: EventTime,
    pub arrival: EventTime,
}

impl At<'_> {
    /// Takes in one value of a known path: the observation that it makes, or `None` where it is kept for the
    /// next position.
    pub(super) fn value(&mut self, path: &str, value: &Value) -> Result<Option<Observation>, Refusal> {
        let part = match path {
            POSITION => return self.position(value).map(|fix| Some(Observation::Fix(self.vessel.clone(), fix))),
            STATE => return Ok(self.state(value)),
            SPEED => {
                let speed = number(path, value, "m/s, such as 4.2")?.filter(|mps| *mps != TOO_FAST_TO_SAY);
                Part::Speed(speed_mps(speed, SpeedUnit::Mps))
            }
            COURSE => Part::Course(angle_of_rad(number(path, value, "radians, such as 3.74")?)),
            HEADING => Part::Heading(angle_of_rad(number(path, value, "radians, such as 3.74")?)),
            DILUTION => Part::Dilution(number(path, value, "times the best dilution, such as 0.9")?),
            _ => Part::Doubt(value.as_str().and_then(doubt)),
        };
        self.joiner.keep(self.vessel, self.source, self.t, self.arrival, part);
        Ok(None)
    }

    fn position(&mut self, value: &Value) -> Result<Fix, Refusal> {
        if value.is_null() {
            return Err(Refusal::new(RefusalReason::NoPosition, "`navigation.position` is null: no fix"));
        }
        let place = Object::message(value)
            .map_err(|_| Refusal::unparsable(format!("`{POSITION}` is {}; it should be an object", shown(value))))?;
        let place = place.position("latitude", "longitude", 1.0)?;
        self.joiner.fix(self.vessel, self.source, self.t, self.arrival, place)
    }

    fn state(&self, value: &Value) -> Option<Observation> {
        let nav_status = Some(match value.as_str()? {
            "motoring" | "under way using engine" | "constrained by draft" | "constrained by draught" => {
                NavStatus::UnderWay
            }
            "sailing" => NavStatus::Sailing,
            "anchored" => NavStatus::Anchored,
            "moored" => NavStatus::Moored,
            "aground" => NavStatus::Aground,
            "fishing" | "trawling" => NavStatus::Fishing,
            "not under command" | "not-under-command" => NavStatus::NotUnderCommand,
            "restricted manouverability" | "restricted maneuverability" => NavStatus::Restricted,
            _ => return None,
        });
        let activity = Activity {
            t: self.t,
            towing: None,
            nav_status,
            observer_age: None,
            operator_age: None,
            supervised: None,
            persons_aboard: None,
            warning_flag: None,
            siren: None,
            lights: None,
        };
        Some(Observation::Activity(self.vessel.clone(), Box::new(activity)))
    }
}

/// A number, or null for "not available".
fn number(path: &str, value: &Value, what: &str) -> Result<Option<f64>, Refusal> {
    match value {
        Value::Null => Ok(None),
        value => json::number(value).map(Some).ok_or_else(|| {
            Refusal::unparsable(format!("`{path}` is {}; it should be a number of {what}", shown(value)))
        }),
    }
}

/// Radians true as degrees. Schemas allow a whole turn either way.
fn angle_of_rad(rad: Option<f64>) -> Option<f64> {
    let deg = rad?.to_degrees();
    angle_deg(Some(if deg < 0.0 { deg + 360.0 } else { deg }))
}

/// Why positions of this method are no measurements, if they are not.
fn doubt(quality: &str) -> Option<&'static str> {
    ["no GPS", "Estimated (DR) mode", "Manual input", "Simulator mode", "Error"]
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(quality))
}

/// Decodes one message of the dialect in which each value has a topic.
pub(super) fn decode(
    joiner: &mut Joiner,
    message: &Message<'_>,
    who: &str,
    path: &str,
    speaker: &Speaker<'_>,
    each: &mut dyn FnMut(Decoded),
) {
    if !is_known(path) {
        return each(Decoded::Aside("other_paths"));
    }
    each(one(joiner, message, who, path, speaker).unwrap_or_else(Decoded::Refused));
}

fn one(
    joiner: &mut Joiner,
    message: &Message<'_>,
    who: &str,
    path: &str,
    speaker: &Speaker<'_>,
) -> Result<Decoded, Refusal> {
    let vessel = vessel(who, speaker)?;
    // A text stands without quotation marks, which is no JSON.
    let value = json::parse(message.payload).or_else(|refusal| match std::str::from_utf8(message.payload) {
        Ok(text) if [STATE, QUALITY].contains(&path) => Ok(Value::from(text.trim())),
        _ => Err(refusal),
    })?;
    let (value, t) = match &value {
        Value::Object(keys) if keys.contains_key("value") => {
            (&keys["value"], Object::message(&value)?.time("timestamp")?)
        }
        value => (value, None),
    };
    let t = match t {
        Some(t) => t,
        None => arrival_for(joiner, message, &vessel, path)?,
    };
    let mut at = At { joiner, vessel: &vessel, source: "", t, arrival: message.received_at };
    Ok(match at.value(path, value)? {
        Some(observation) => Decoded::Observation(observation),
        None => Decoded::Aside("part"),
    })
}

/// The arrival of a value without a time, where it can stand for its time.
fn arrival_for(
    joiner: &mut Joiner,
    message: &Message<'_>,
    vessel: &VesselId,
    path: &str,
) -> Result<EventTime, Refusal> {
    let no_time = |detail: &str| Err(Refusal::new(RefusalReason::NoTime, format!("`{path}` has no time and {detail}")));
    if message.retained {
        return no_time("was kept by the broker: how old it is is not known");
    }
    let at = message.received_at;
    if path != POSITION {
        return Ok(at);
    }
    let since_s = joiner.position_arrived(vessel, "", at).map(|before| at.seconds_since(before));
    let doubt = match since_s {
        None => "is the first: it counts from the second on, when they come in steady flow",
        Some(s) if s < *STEADY_S.start() => "came in a burst: it may have been stored while the gateway was offline",
        Some(s) if s > *STEADY_S.end() => "came after a silence: it may have been stored while the gateway was offline",
        Some(_) => return Ok(at),
    };
    joiner.unsettle(vessel, "", at);
    no_time(doubt)
}
