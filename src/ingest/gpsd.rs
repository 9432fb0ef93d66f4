//! gpsd's JSON (gpsd_json(5)), as a bridge script publishes it line by line.
//!
//! | key | meaning here |
//! | --- | --- |
//! | `class` | `TPV` is a fix, `AIS` a message of another vessel ([`super::ais_json`]); other classes are asides |
//! | `mode` | 2 or 3; 0 and 1 have no position |
//! | `status` | 5 (dead reckoning), 6 (mixed with it), 7 (surveyed place) and 8 (simulated) are refused |
//! | `time` | time of the fix, RFC 3339 |
//! | `lat`, `lon` | degrees |
//! | `speed` | m/s |
//! | `track` | course over ground, degrees true; not `magtrack` |
//! | `eph`, else `epx` and `epy` | metres. The manual leaves their confidence open; they are taken as 68 %, which claims least |
//!
//! Nothing in it names the vessel: the topic or the source's `vessel` has to. Left out: altitude, climb, `eps`.

use super::ais_json;
use super::decoder::{Decode, Decoded, Format, Message, Sample, Speaker};
use super::json::{self, Object};
use super::nmea::Vessels;
use super::reported::{accuracy_m, angle_deg, speed_mps};
use crate::observation::{Fix, Observation, Refusal, RefusalReason};
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format = Format {
    name: "gpsd",
    topic: "gpsd/{vessel}/#",
    recognise,
    settings: &[],
    build: |_| Box::new(Gpsd { vessels: Vessels::default() }),
};

/// Classes of messages that are no positions, and the name each is counted by.
const ASIDES: &[(&str, &str)] = &[
    ("SKY", "satellites"),
    ("GST", "noise"),
    ("ATT", "attitude"),
    ("IMU", "attitude"),
    ("DEVICE", "device"),
    ("DEVICES", "device"),
    ("VERSION", "version"),
    ("WATCH", "watch"),
    ("POLL", "watch"),
    ("PPS", "clock"),
    ("TOFF", "clock"),
    ("OSC", "clock"),
    ("RAW", "raw"),
    ("SUBFRAME", "raw"),
    ("RTCM2", "raw"),
    ("RTCM3", "raw"),
    ("ERROR", "error"),
];

fn recognise(sample: &Sample<'_>) -> bool {
    sample.says("class", &["TPV", "AIS"]) || ASIDES.iter().any(|(class, _)| sample.says("class", &[class]))
}

/// What vessels heard by AIS have said about themselves.
struct Gpsd {
    vessels: Vessels,
}

impl Decode for Gpsd {
    fn decode(&mut self, message: &Message<'_>, speaker: &Speaker<'_>, each: &mut dyn FnMut(Decoded)) {
        if let Err(refusal) = decode(&mut self.vessels, message, speaker, each) {
            each(Decoded::Refused(refusal));
        }
    }
}

/// Decodes one message.
fn decode(
    vessels: &mut Vessels,
    message: &Message<'_>,
    speaker: &Speaker<'_>,
    each: &mut dyn FnMut(Decoded),
) -> Result<(), Refusal> {
    let value = json::parse(message.payload)?;
    let object = Object::message(&value)?;
    match object.text("class", "the class of message")? {
        Some("TPV") => each(Decoded::Observation(report(&object, speaker)?)),
        Some("AIS") if message.retained => {
            let detail = "an AIS message kept by the broker: when it was heard is not known";
            return Err(Refusal::new(RefusalReason::NoTime, detail));
        }
        Some("AIS") => ais_json::decode(&object, message.received_at, speaker, vessels, each)?,
        Some(class) => {
            let aside = ASIDES.iter().find(|(name, _)| *name == class);
            let (_, name) = aside.ok_or_else(|| object.fault("class", "a known class"))?;
            each(Decoded::Aside(name));
        }
        None => return Err(object.fault("class", "\"TPV\"")),
    }
    Ok(())
}

/// The fix of a TPV report.
fn report(object: &Object<'_>, speaker: &Speaker<'_>) -> Result<Observation, Refusal> {
    let vessel = speaker.vessel(None)?;
    let mode = object.count("mode", "the mode, 0 to 3")?;
    if !mode.is_some_and(|mode| mode == 2 || mode == 3) {
        return Err(Refusal::new(RefusalReason::NoPosition, "`mode` is not 2 or 3: the receiver had no fix"));
    }
    let refused = match object.count("status", "the status, 0 to 9")? {
        Some(5) => Some("dead reckoning"),
        Some(6) => Some("partly dead reckoning"),
        Some(7) => Some("a surveyed place"),
        Some(8) => Some("simulated"),
        _ => None,
    };
    if let Some(why) = refused {
        return Err(Refusal::new(RefusalReason::BadPosition, format!("by its `status` the position is {why}")));
    }
    let position = object.position("lat", "lon", 1.0)?;
    let t = object.time("time")?.ok_or_else(|| object.time_missing("time"))?;
    let mut fix = Fix::new(t, position);
    fix.sog_mps = speed_mps(object.number("speed", "m/s, such as 4.2")?, SpeedUnit::Mps);
    fix.cog_deg = angle_deg(object.number("track", "degrees, such as 214.0")?);
    let axes = object.number("epx", "metres")?.zip(object.number("epy", "metres")?);
    let across = axes.map(|(x_m, y_m)| libm::hypot(x_m, y_m));
    fix.accuracy_m = accuracy_m(object.number("eph", "metres, such as 3.2")?).or(accuracy_m(across));
    Ok(Observation::Fix(vessel, fix))
}
