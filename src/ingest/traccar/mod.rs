//! Traccar: positions and events that its server forwards, and what its phone app and OsmAnd send to it.
//!
//! Three shapes, told apart by their keys. **Forwarded** by a server (`forward.type` mqtt or json):
//!
//! | key | meaning here |
//! | --- | --- |
//! | `position.fixTime` | time of the fix; trackers keep fixes for hours, so neither `deviceTime` nor `serverTime` |
//! | `position.latitude`, `longitude` | degrees |
//! | `position.speed` | knots; what a tracker does not report stands as 0, so a 0 counts as standing still only beside a course |
//! | `position.course` | degrees true; 0 is not reported |
//! | `position.accuracy` | metres; 0 is unknown, then `attributes.hdop` |
//! | `position.valid`, `outdated`, `network`, `attributes.approximate` | see below |
//! | `device.uniqueId` | the vessel |
//!
//! `outdated` repeats the fix before with a new time: an aside. `valid: false`, `approximate`, or a network
//! cell without satellites is a place of a mobile network, kilometres wide: refused. A message with `event`
//! tells of an alarm or a geofence, with the position repeated: an aside.
//!
//! The **app** (from 9.0) sends `location.coords`, where speed is in m/s, and −1 is "unknown"; see [`app`].
//! **Query** parameters are read by [`query`].

mod app;
mod query;

use super::decoder::{Decoded, Format, Message, Sample, Speaker, one};
use super::json::{self, Object};
use super::reported::{accuracy_m, accuracy_of_hdop_m, angle_deg, speed_mps};
use crate::observation::{Fix, Observation, Refusal, RefusalReason};
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format =
    Format { name: "traccar", topic: "traccar/#", recognise, settings: &[], build: |_| one(decode) };

fn recognise(sample: &Sample<'_>) -> bool {
    let forwarded = sample.json.is_some_and(|json| json.pointer("/position/fixTime").is_some());
    let event = sample.json.is_some_and(|json| json.pointer("/event/eventTime").is_some());
    let app = sample.has_keys(&["location", "device_id"]);
    forwarded || event || app
}

/// Decodes one message.
fn decode(message: &Message<'_>, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    if let Some(query) = std::str::from_utf8(message.payload).ok().filter(|text| query::is_one(text)) {
        return query::decode(query, speaker);
    }
    let value = json::parse(message.payload)?;
    let object = Object::message(&value)?;
    if object.has("event") {
        return Ok(Decoded::Aside("event"));
    }
    if object.has("location") {
        return app::decode(&object, speaker);
    }
    let found = object.object("position")?.ok_or_else(|| object.fault("position", "an object"))?;
    let device = object.object("device")?;
    let name = device.map(|device| device.text("uniqueId", "the device's id")).transpose()?.flatten();
    forwarded(&found, name, speaker)
}

/// The fix of a forwarded position.
fn forwarded(found: &Object<'_>, name: Option<&str>, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    let vessel = speaker.vessel(name)?;
    if found.flag("outdated")? == Some(true) {
        return Ok(Decoded::Aside("repeated_fix"));
    }
    let attributes = found.object("attributes")?;
    let flag = |key| attributes.as_ref().map_or(Ok(None), |object| object.flag(key));
    let number = |key, what| attributes.as_ref().map_or(Ok(None), |object| object.number(key, what));
    if found.flag("valid")? == Some(false) {
        return Err(coarse("`position.valid` is false: the tracker had no position"));
    }
    if flag("approximate")? == Some(true) {
        return Err(coarse("`position.attributes.approximate` is true: a place of a mobile network, no position"));
    }
    let hdop = number("hdop", "times the best dilution, such as 0.9")?;
    let has_satellites = number("sat", "satellites")?.is_some_and(|count| count > 0.0) || hdop.is_some();
    if found.has("network") && !has_satellites {
        return Err(coarse(
            "`position.network` names cells and nothing names satellites: a place of a mobile network, no position",
        ));
    }
    let position = found.position("latitude", "longitude", 1.0)?;
    let t = found.time("fixTime")?.ok_or_else(|| found.time_missing("fixTime"))?;
    let course_deg = found.number("course", "degrees, such as 214.0")?;
    let speed_kn = found.number("speed", "knots, such as 8.2")?;
    let mut fix = Fix::new(t, position);
    (fix.sog_mps, fix.cog_deg) = motion(speed_kn, course_deg);
    let accuracy = accuracy_m(found.number("accuracy", "metres, such as 5.0")?);
    fix.accuracy_m = accuracy.or(accuracy_of_hdop_m(hdop));
    Ok(Decoded::Observation(Observation::Fix(vessel, fix)))
}

/// Speed in m/s and course of two numbers that are zero where nothing was reported: a speed of zero counts
/// where a course stands beside it, a course of zero never.
fn motion(speed_kn: Option<f64>, course_deg: Option<f64>) -> (Option<f64>, Option<f64>) {
    let course_deg = course_deg.filter(|deg| *deg != 0.0);
    let speed_kn = speed_kn.filter(|kn| *kn != 0.0 || course_deg.is_some());
    (speed_mps(speed_kn, SpeedUnit::Kn), angle_deg(course_deg))
}

/// The refusal of a place that is no position of a receiver.
fn coarse(detail: &str) -> Refusal {
    Refusal::new(RefusalReason::BadPosition, detail)
}
