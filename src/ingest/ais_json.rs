//! AIS messages that AIS-catcher or gpsd have unpacked to JSON.
//!
//! | key | meaning here |
//! | --- | --- |
//! | `type`, `mmsi` | the message type decides what it is; the vessel is `mmsi:` and nine digits |
//! | `lat`, `lon` | degrees; 91 and 181 are "not available" |
//! | `speed` | knots in tenths; 102.3 is "not available", 102.2 "that or faster"; whole knots in types 9 and 27, 63 in type 27 is "not available" |
//! | `course` | degrees true; 360, in type 27 also 511, is "not available" |
//! | `heading` | degrees true; 511 is "not available" |
//! | `accuracy` | better than 10 m or not; see [`ais_codes::accuracy_m`] |
//! | `second` | second of the minute in which it was measured; see [`ais_codes::fix_time`] |
//! | `status` | navigational status of types 1 to 3 |
//! | `shipname`, `shiptype`, `to_bow`, `to_stern`, `to_port`, `to_starboard` | static data of type 5 |
//!
//! Left out: `turn`, and the static data of types 19 and 24, which come in parts and would undo each other.
//! Values not scaled (`"scaled": false`) are refused.

use super::ais_codes;
use super::decoder::{Decoded, Speaker};
use super::json::Object;
use super::reported::{angle_deg, speed_mps};
use crate::observation::{Fix, Observation, Refusal};
use crate::time::EventTime;
use crate::units::SpeedUnit;

/// What is told about the antenna's place in the hull.
const HULL: [&str; 4] = ["to_bow", "to_stern", "to_port", "to_starboard"];

/// Decodes one message that arrived at the receiver at `arrival`.
pub(super) fn decode(message: &Object<'_>, arrival: EventTime, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    if message.flag("scaled")? == Some(false) {
        return Err(message.fault("scaled", "true: have the values scaled to knots and degrees"));
    }
    let kind = message.count("type", "the message type, 1 to 27")?;
    let kind = kind.ok_or_else(|| message.fault("type", "the number of a message type, 1 to 27"))?;
    let mmsi = message.count("mmsi", "the nine digits of the station")?.filter(|mmsi| *mmsi <= 999_999_999);
    let mmsi = mmsi.ok_or_else(|| message.fault("mmsi", "a whole number: the nine digits of the station"))?;
    match kind {
        1 | 2 | 3 | 18 | 19 | 27 => {}
        5 => return static_data(message, mmsi, speaker),
        4 | 11 => return Ok(Decoded::Aside("coast_station")),
        9 => return Ok(Decoded::Aside("aircraft")),
        21 => return Ok(Decoded::Aside("aid_to_navigation")),
        24 => return Ok(Decoded::Aside("static_data")),
        _ => return Ok(Decoded::Aside("other_ais")),
    }
    if let Some(name) = ais_codes::no_vessel(mmsi) {
        return Ok(Decoded::Aside(name));
    }
    let is_long_range = kind == 27;
    let position = message.position("lat", "lon", 1.0)?;
    let t = ais_codes::fix_time(arrival, message.count("second", "seconds, 0 to 63")?)?;
    let speed_kn = message.number("speed", "knots, such as 8.2")?;
    // Some programs scale in 32-bit floats and write 8.1999998.
    let speed_kn = speed_kn.map(|kn| (kn * 10.0).round() / 10.0).filter(|kn| !(is_long_range && *kn == 63.0));
    let mut fix = Fix::new(t, position);
    fix.sog_mps = speed_mps(speed_kn, SpeedUnit::Kn);
    fix.cog_deg = angle_deg(message.number("course", "degrees, such as 214.0")?);
    fix.heading_deg = angle_deg(message.number("heading", "degrees, such as 214")?);
    let is_accurate = message.flag("accuracy")? == Some(true);
    let by_flag_m = ais_codes::accuracy_m(is_accurate);
    fix.accuracy_m = Some(if is_long_range { ais_codes::LONG_RANGE_ACCURACY_M } else { by_flag_m });
    fix.nav_status = message.count("status", "the status, 0 to 15")?.and_then(ais_codes::nav_status);
    Ok(Decoded::Observation(Observation::Fix(speaker.station(mmsi)?, fix)))
}

fn static_data(message: &Object<'_>, mmsi: u32, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    if let Some(name) = ais_codes::no_vessel(mmsi) {
        return Ok(Decoded::Aside(name));
    }
    let mut hull_m = [None; 4];
    for (m, key) in hull_m.iter_mut().zip(HULL) {
        *m = message.number(key, "metres, such as 12")?;
    }
    let name = message.text("shipname", "the vessel's name")?;
    let ship_type = message.count("shiptype", "the type of ship")?;
    let profile = ais_codes::profile(mmsi, name, ship_type, hull_m);
    Ok(Decoded::Observation(Observation::Profile(speaker.station(mmsi)?, Box::new(profile))))
}
