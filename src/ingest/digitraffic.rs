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
//! | `posAcc` | better than 10 m or not; see [`ais_codes::accuracy_m`] |
//! | `navStat` | navigational status of AIS |
//!
//! `metadata` gives the vessel's `name`, `type` (of ship) and hull (`refA` to `refD`, metres); its `timestamp`,
//! in **milliseconds**, is not read. The vessel is the MMSI of the topic. Left out: `rot`, `raim`,
//! draught, destination. `vessels-v2/status` is an aside; the GeoJSON of `vessels/…` is no longer published.

use super::ais_codes;
use super::decoder::{Decoded, Format, Message, Sample, Speaker, wrong_vessel};
use super::json::{self, Object};
use super::news::only_news;
use super::reported::{angle_deg, speed_mps};
use crate::observation::{Fix, Observation, Refusal};
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format =
    Format { name: "digitraffic", topic: "vessels-v2/#", recognise, settings: &[], build: |_| only_news(decode) };

fn recognise(sample: &Sample<'_>) -> bool {
    sample.topic.starts_with("vessels-v2/")
}

/// Decodes one message.
fn decode(message: &Message<'_>, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
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
        "location" => Ok(Decoded::Observation(Observation::Fix(vessel, location(&object)?))),
        "metadata" => {
            let mut hull_m = [None; 4];
            for (m, key) in hull_m.iter_mut().zip(["refA", "refB", "refC", "refD"]) {
                *m = object.number(key, "metres, such as 12")?;
            }
            let name = object.text("name", "the vessel's name")?;
            let ship_type = object.count("type", "the type of ship")?;
            let profile = ais_codes::profile(mmsi, name, ship_type, hull_m);
            Ok(Decoded::Observation(Observation::Profile(vessel, Box::new(profile))))
        }
        _ => Ok(Decoded::Aside("other_topic")),
    }
}

fn location(object: &Object<'_>) -> Result<Fix, Refusal> {
    let position = object.position("lat", "lon", 1.0)?;
    let mut fix = Fix::new(object.epoch_s("time")?.ok_or_else(|| object.time_missing("time"))?, position);
    fix.sog_mps = speed_mps(object.number("sog", "knots, such as 8.2")?, SpeedUnit::Kn);
    fix.cog_deg = angle_deg(object.number("cog", "degrees, such as 214.0")?);
    fix.heading_deg = angle_deg(object.number("heading", "degrees, such as 214")?);
    fix.accuracy_m = Some(ais_codes::accuracy_m(object.flag("posAcc")? == Some(true)));
    fix.nav_status = object.count("navStat", "the status, 0 to 15")?.and_then(ais_codes::nav_status);
    Ok(fix)
}
