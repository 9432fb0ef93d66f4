//! Digitraffic: the open AIS messages of Finland over MQTT (meri.digitraffic.fi), `vessels-v2/{mmsi}/location`
//! and `…/metadata`.
//!
//! | key of `location` | meaning here |
//! | --- | --- |
//! | `time` | time of the fix, **seconds** since 1970 |
//! | `lat`, `lon` | degrees |
//! | `sog` | knots; 102.3 is "not available" |
//! | `cog` | degrees true; 360 is "not available" |
//! | `heading` | degrees true; 511 is "not available" |
//! | `posAcc` | whether it is better than 10 m |
//! | `navStat` | navigational status of AIS |
//!
//! `metadata` gives the vessel's `name`, `type` (of ship) and hull (`refA` to `refD`, metres), from its `timestamp`
//! on, which is in **milliseconds**. The vessel is the MMSI of the topic. Left out: `rot`, `raim`,
//! draught, destination. `vessels-v2/status` is an aside; the GeoJSON of `vessels/…` is no longer published.

use super::ais::PositionKind;
use super::ais_codes;
use super::ais_json;
use super::decoder::{Decode, Decoded, Format, Message, Sample, Speaker, wrong_vessel};
use super::json::{self, Object};
use super::nmea::Vessels;
use crate::observation::{Observation, Refusal};

pub(super) const FORMAT: Format = Format {
    name: "digitraffic",
    topic: "vessels-v2/#",
    recognise,
    settings: &[],
    build: |_| Box::new(Digitraffic { vessels: Vessels::default() }),
};

fn recognise(sample: &Sample<'_>) -> bool {
    sample.topic.starts_with("vessels-v2/")
}

/// What vessels have said about themselves.
struct Digitraffic {
    vessels: Vessels,
}

impl Decode for Digitraffic {
    fn decode(&mut self, message: &Message<'_>, speaker: &Speaker<'_>, each: &mut dyn FnMut(Decoded)) {
        each(decode(&mut self.vessels, message, speaker).unwrap_or_else(Decoded::Refused));
    }
}

/// Decodes one message.
fn decode(vessels: &mut Vessels, message: &Message<'_>, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    let mut levels = message.topic.rsplit('/');
    let (kind, station) = (levels.next().unwrap_or(""), levels.next().unwrap_or(""));
    if kind == "status" {
        return Ok(Decoded::Aside("status"));
    }
    let is_number = !station.is_empty() && station.len() <= 9 && station.bytes().all(|b| b.is_ascii_digit());
    let mmsi: u32 = match station.parse() {
        Ok(mmsi) if is_number => mmsi,
        _ => {
            let topic = message.topic;
            return Err(wrong_vessel(format!(
                "topic {topic:?} has no MMSI; it should be as in \"vessels-v2/230123456/location\""
            )));
        }
    };
    if let Some(name) = ais_codes::no_vessel(mmsi) {
        return Ok(Decoded::Aside(name));
    }
    let value = json::parse(message.payload)?;
    let object = Object::message(&value)?;
    let vessel = speaker.station(mmsi)?;
    match kind {
        "location" => {
            let t = object.epoch_s("time")?.ok_or_else(|| object.time_missing("time"))?;
            let keys = &["lat", "lon", "sog", "cog", "heading", "posAcc", "navStat"];
            let fix = ais_json::position(&object, PositionKind::ClassA, keys)?.fix(t)?;
            Ok(Decoded::Observation(Observation::Fix(vessel, fix)))
        }
        "metadata" => {
            let t = object.epoch_ms("timestamp")?.unwrap_or(message.received_at);
            let said = ais_json::static_report(&object, ["name", "name"], "type", ["refA", "refB", "refC", "refD"])?;
            Ok(ais_json::learned(vessels, vessel, mmsi, &said, t))
        }
        _ => Ok(Decoded::Aside("other_topic")),
    }
}
