//! AIS messages that AIS-catcher, gpsd or Digitraffic have unpacked to JSON.
//!
//! | key | meaning here |
//! | --- | --- |
//! | `type`, `mmsi` | the message type decides what it is; the vessel is the nine digits |
//! | `lat`, `lon` | degrees; 91 and 181 are "not available" |
//! | `speed` | knots in tenths; 102.3 is "not available", 102.2 "that or faster"; whole knots in type 27, where 63 is "not available" |
//! | `course` | degrees true; 360, in type 27 also 511, is "not available" |
//! | `heading` | degrees true; 511 is "not available" |
//! | `accuracy` | whether it is better than 10 m |
//! | `second` | second of the minute in which it was measured; 60 is "not available", 61 to 63 no measurement |
//! | `status` | navigational status of types 1 to 3 |
//! | `shipname` (24 A: also `name`), `shiptype`, `to_bow`, `to_stern`, `to_port`, `to_starboard` | static data of types 5, 19 and 24 |
//!
//! They become the reports of [`ais`], and what holds for those holds for these. Left out: `turn` and all that is
//! about radio or the voyage. Values not scaled (`"scaled": false`) are refused.

use compact_str::CompactString;

use super::ais::{Dimensions, Mmsi, PositionKind, PositionReport, StaticReport, Timestamp};
use super::ais_codes;
use super::decoder::{Decoded, Speaker};
use super::json::Object;
use super::nmea::Vessels;
use crate::observation::{Observation, Profile, Refusal, VesselId};
use crate::time::EventTime;

/// Decodes one message that arrived at the receiver at `arrival`.
pub(super) fn decode(
    message: &Object<'_>,
    arrival: EventTime,
    speaker: &Speaker<'_>,
    vessels: &mut Vessels,
    each: &mut dyn FnMut(Decoded),
) -> Result<(), Refusal> {
    if message.flag("scaled")? == Some(false) {
        return Err(message.fault("scaled", "true: have the values scaled to knots and degrees"));
    }
    let kind = message.count("type", "the message type, 1 to 27")?;
    let kind = kind.ok_or_else(|| message.fault("type", "a whole number: the message type, 1 to 27"))?;
    let digits = "the nine digits of the station";
    let mmsi = message.count("mmsi", digits)?.filter(|mmsi| *mmsi <= 999_999_999);
    let mmsi = mmsi.ok_or_else(|| message.fault("mmsi", &format!("a whole number: {digits}")))?;
    let aside = match kind {
        4 | 11 => Some("ais_base_station"),
        9 => Some("ais_aircraft"),
        21 => Some("ais_aid_to_navigation"),
        1..=3 | 5 | 18 | 19 | 24 | 27 => ais_codes::no_vessel(mmsi),
        _ => Some("ais_other_type"),
    };
    if let Some(name) = aside {
        each(Decoded::Aside(name));
        return Ok(());
    }
    let vessel = speaker.station(mmsi)?;
    if matches!(kind, 1..=3 | 18 | 19 | 27) {
        let kind = match kind {
            1..=3 => PositionKind::ClassA,
            27 => PositionKind::LongRange,
            _ => PositionKind::ClassB,
        };
        let fix = position(message, kind, &["lat", "lon", "speed", "course", "heading", "accuracy", "status"])?;
        each(Decoded::Observation(Observation::Fix(vessel.clone(), fix.fix(arrival)?)));
    }
    if matches!(kind, 5 | 19 | 24) {
        let said = static_report(message, ["shipname", "name"], "shiptype", HULL)?;
        each(learned(vessels, vessel, mmsi, &said, arrival));
    }
    Ok(())
}

/// What becomes of what a vessel says about itself at `t`. That comes in parts and is repeated every few minutes: the
/// profile is handed on with all that is known, and only where that has changed; else it is an aside.
pub(super) fn learned(
    vessels: &mut Vessels,
    vessel: VesselId,
    mmsi: u32,
    said: &StaticReport,
    t: EventTime,
) -> Decoded {
    match vessels.learn(Mmsi::from_number(mmsi), |profile| said.add_to(profile)) {
        Some(profile) => {
            Decoded::Observation(Observation::Profile(vessel, Box::new(Profile { t: Some(t), ..profile })))
        }
        None => Decoded::Aside("known_profile"),
    }
}

/// The distances of the antenna from bow, stern, port and starboard.
const HULL: [&str; 4] = ["to_bow", "to_stern", "to_port", "to_starboard"];

/// The position report of `keys`: latitude, longitude, speed, course, heading, accuracy and status.
pub(super) fn position(message: &Object<'_>, kind: PositionKind, keys: &[&str; 7]) -> Result<PositionReport, Refusal> {
    let [lat, lon, speed, course, heading, accuracy, status] = keys;
    let at = message.position(lat, lon, 1.0)?;
    // Some programs scale in 32-bit floats and write 8.1999998.
    let sog_kn = message.number(speed, "knots, such as 8.2")?.map(|kn| (kn * 10.0).round() / 10.0);
    let code = message.count(status, "the status, 0 to 15")?;
    Ok(PositionReport {
        kind,
        nav_status_code: code.and_then(|code| u8::try_from(code).ok()),
        turn_deg_per_min: None,
        sog_kn: sog_kn.filter(|kn| !(kind == PositionKind::LongRange && *kn == 63.0)),
        is_accurate: message.flag(accuracy)? == Some(true),
        lon_deg: Some(at.lon_deg()),
        lat_deg: Some(at.lat_deg()),
        cog_deg: message.number(course, "degrees, such as 214.0")?,
        heading_deg: message.number(heading, "degrees, such as 214")?,
        timestamp: timestamp(message)?,
        raim: false,
        altitude_m: None,
    })
}

fn timestamp(message: &Object<'_>) -> Result<Timestamp, Refusal> {
    Ok(match message.count("second", "seconds, 0 to 63")? {
        None | Some(60) => Timestamp::NotAvailable,
        Some(second @ 0..60) => Timestamp::Second(second as u8),
        Some(61) => Timestamp::Manual,
        Some(62) => Timestamp::Estimated,
        Some(63) => Timestamp::Inoperative,
        Some(_) => return Err(message.fault("second", "a whole number: seconds, 0 to 63")),
    })
}

/// The static report of a name under one of `names`, a type of ship and the place of the antenna.
pub(super) fn static_report(
    message: &Object<'_>,
    names: [&str; 2],
    ship_type: &str,
    hull: [&str; 4],
) -> Result<StaticReport, Refusal> {
    let metres = |key: &str| message.count(key, "metres, such as 12");
    let mut said = StaticReport::default();
    for key in names {
        // "@" fills up what is left of a name (M.1371-5 table 47).
        let name = message.text(key, "the vessel's name")?.map(|name| name.split('@').next().unwrap_or("").trim());
        said.name = said.name.or(name.filter(|name| !name.is_empty()).map(CompactString::new));
    }
    said.ship_type = message.count(ship_type, "the type of ship")?.and_then(|number| u8::try_from(number).ok());
    let [bow, stern, port, starboard] = hull.map(metres);
    if let (Some(bow), Some(stern), Some(port), Some(starboard)) = (bow?, stern?, port?, starboard?) {
        said.dimensions = Some(Dimensions {
            to_bow_m: bow.min(511) as u16,
            to_stern_m: stern.min(511) as u16,
            to_port_m: port.min(63) as u8,
            to_starboard_m: starboard.min(63) as u8,
        });
    }
    Ok(said)
}
