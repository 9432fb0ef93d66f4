//! The query form of the OsmAnd protocol (traccar.org/osmand), as OsmAnd, older Traccar apps and many small
//! trackers send it, in the address or as a posted form:
//!
//! | key | meaning here |
//! | --- | --- |
//! | `id` or `deviceid` | the vessel |
//! | `timestamp` | time of the fix: seconds or milliseconds since 1970 (told apart by their size), or RFC 3339 |
//! | `lat` and `lon`, or `location` as `lat,lon` | degrees |
//! | `speed` | knots; 0 counts as standing still only beside a course |
//! | `bearing` or `heading` | course over ground, degrees true; 0 is not reported |
//! | `accuracy` | metres; 0 is unknown, then `hdop` |
//! | `valid` | `false` or `0`: no position |
//!
//! A message without a position (`batt`, `cell`, `wifi` alone) is an aside. Left out: `altitude`, `batt`, cells.

use super::{coarse, motion};
use crate::ingest::decoder::{Decoded, Speaker};
use crate::ingest::json;
use crate::ingest::reported::{accuracy_m, accuracy_of_hdop_m, position};
use crate::observation::{Fix, Observation, Refusal, RefusalReason};
use crate::time::EventTime;

/// Whether a text is a query rather than JSON.
pub(super) fn is_one(text: &str) -> bool {
    let text = text.trim_ascii_start();
    text.contains('=') && !text.starts_with(['{', '[', '"'])
}

/// Decodes one query, `key=value` joined by `&`, percent-encoded.
pub(super) fn decode(query: &str, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    let pairs = pairs(query)?;
    let text = |keys: &[&str]| {
        let found = pairs.iter().find(|(key, value)| keys.contains(&key.as_str()) && !value.trim().is_empty());
        found.map(|(key, value)| (key.as_str(), value.trim()))
    };
    let number = |keys: &[&str], what: &str| match text(keys) {
        None => Ok(None),
        Some((key, value)) => value
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .map(Some)
            .ok_or_else(|| Refusal::unparsable(format!("`{key}` is {value:?}; it should be a number of {what}"))),
    };
    let vessel = speaker.vessel(text(&["id", "deviceid"]).map(|(_, value)| value))?;
    let (mut lat_deg, mut lon_deg) = (number(&["lat"], "degrees")?, number(&["lon"], "degrees")?);
    if let Some((_, location)) = text(&["location"]) {
        let both = location.split_once(',').and_then(|(lat, lon)| Some((lat.parse().ok()?, lon.parse().ok()?)));
        let (lat, lon) = both.ok_or_else(|| {
            Refusal::unparsable(format!("`location` is {location:?}; it should be two numbers, as in \"60.0,30.0\""))
        })?;
        (lat_deg, lon_deg) = (Some(lat), Some(lon));
    }
    if lat_deg.is_none() && lon_deg.is_none() {
        return Ok(Decoded::Aside("status"));
    }
    if let Some((_, valid)) = text(&["valid"])
        && !(valid.eq_ignore_ascii_case("true") || valid == "1")
    {
        return Err(coarse("`valid` is false: the tracker had no position"));
    }
    let position = position(lat_deg, lon_deg)?;
    let Some((_, written)) = text(&["timestamp"]) else {
        let detail = "`timestamp` is missing; it should be the time of the position";
        return Err(Refusal::new(RefusalReason::NoTime, detail));
    };
    let mut fix = Fix::new(time(written)?, position);
    let course_deg = number(&["bearing", "heading"], "degrees, such as 214.0")?;
    (fix.sog_mps, fix.cog_deg) = motion(number(&["speed"], "knots, such as 8.2")?, course_deg);
    let hdop = number(&["hdop"], "times the best dilution, such as 0.9")?;
    fix.accuracy_m = accuracy_m(number(&["accuracy"], "metres, such as 5.0")?).or(accuracy_of_hdop_m(hdop));
    Ok(Decoded::Observation(Observation::Fix(vessel, fix)))
}

/// The time that a `timestamp` is.
fn time(written: &str) -> Result<EventTime, Refusal> {
    let counted = || json::counted_time(written.parse().ok()?);
    counted().or_else(|| EventTime::parse_rfc3339(written).ok()).ok_or_else(|| {
        let should = "seconds or milliseconds since 1970, or a time with its zone, as in \"2026-07-04T20:15:03Z\"";
        Refusal::new(RefusalReason::NoTime, format!("`timestamp` is {written:?}; it should be {should}"))
    })
}

/// The keys and values of a query, decoded.
fn pairs(query: &str) -> Result<Vec<(String, String)>, Refusal> {
    let query = query.strip_prefix('?').unwrap_or(query);
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((plain(key)?, plain(value)?))
        })
        .collect()
}

/// A part of a query without its percent-encoding (WHATWG URL, "application/x-www-form-urlencoded").
fn plain(part: &str) -> Result<String, Refusal> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    Some(byte) => {
                        bytes.push(byte);
                        rest = &after[2..];
                    }
                    None => bytes.push(b'%'),
                }
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).map_err(|_| Refusal::unparsable(format!("{part:?} of the query is no UTF-8")))
}
