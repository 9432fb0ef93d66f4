//! Times that loggers write around sentences.

use chrono::{FixedOffset, NaiveDate, NaiveTime};

use crate::time::EventTime;

/// A time in front of or behind a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamp {
    /// An instant.
    Instant(EventTime),
    /// A date and time of day on the clock of a zone that is not said.
    NoZone(chrono::NaiveDateTime),
    /// A time of day on the clock of a zone that is not said, on a day that is not said.
    NoDate(NaiveTime),
}

/// Numbers of seconds since 1970 that are taken for a time: 2001 to 2100. A smaller one may be an MMSI.
const EPOCH_S: std::ops::Range<i64> = 1_000_000_000..4_102_444_800;

/// The instant of a number of seconds, or milliseconds where it is too large for that, since 1970; a fraction is fine.
/// `None` outside the years 1970 to 2262.
pub fn since_1970(digits: &[u8]) -> Option<EventTime> {
    const MS_FROM: i64 = 100_000_000_000;
    let text = std::str::from_utf8(digits).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let unit_ns = if whole < MS_FROM { 1_000_000_000 } else { 1_000_000 };
    let fraction: f64 = if fraction.is_empty() { 0.0 } else { format!("0.{fraction}").parse().ok()? };
    let fraction_ns = (fraction * unit_ns as f64).round() as i64;
    whole.checked_mul(unit_ns)?.checked_add(fraction_ns).map(EventTime::from_unix_ns)
}

/// The first time in the text around a sentence: RFC 3339 or nearly so (a blank for the `T`, slashes in the date),
/// seconds or milliseconds since 1970 as in `(1586295590.123456)`, or a time of day. Whatever else stands there, as
/// the name of a port, is no time.
pub fn find(text: &[u8]) -> Option<Stamp> {
    if text.is_empty() {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    let is_between = |c: char| c.is_whitespace() || ",;|()[]{}<>\"'".contains(c);
    let mut words = text.split(is_between).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        if let Some(t) = epoch(word) {
            return Some(Stamp::Instant(t));
        }
        let (date, time) = word.split_once(['T', 't']).unwrap_or((word, ""));
        let Some(day) = day(date) else {
            if let Some((time, None)) = time_of_day(word) {
                return Some(Stamp::NoDate(time));
            }
            continue;
        };
        let time = if time.is_empty() { words.next()? } else { time };
        let Some((time, zone)) = time_of_day(time) else { continue };
        let zone = zone.or_else(|| words.peek().and_then(|word| offset(word)));
        let local = day.and_time(time);
        return Some(match zone {
            Some(zone) => Stamp::Instant(instant(local, zone)?),
            None => Stamp::NoZone(local),
        });
    }
    None
}

/// The instant at which a clock of a zone shows a date and time.
pub fn instant(local: chrono::NaiveDateTime, zone: FixedOffset) -> Option<EventTime> {
    EventTime::from_chrono(local.and_local_timezone(zone).single()?.to_utc())
}

fn epoch(word: &str) -> Option<EventTime> {
    let t = since_1970(word.as_bytes())?;
    EPOCH_S.contains(&t.unix_ns().div_euclid(1_000_000_000)).then_some(t)
}

fn day(word: &str) -> Option<NaiveDate> {
    let bytes = word.as_bytes();
    let is_date = bytes.len() == 10 && bytes[4] == bytes[7] && matches!(bytes[4], b'-' | b'/');
    let number = |range: std::ops::Range<usize>| word.get(range)?.parse::<u32>().ok();
    if !is_date {
        return None;
    }
    NaiveDate::from_ymd_opt(number(0..4)? as i32, number(5..7)?, number(8..10)?)
}

/// A time of day with seconds, and its zone where it has one.
fn time_of_day(word: &str) -> Option<(NaiveTime, Option<FixedOffset>)> {
    let end = word.find(|c: char| !(c.is_ascii_digit() || c == ':' || c == '.')).unwrap_or(word.len());
    let (time, zone) = word.split_at(end);
    let time = NaiveTime::parse_from_str(time, "%H:%M:%S%.f").ok()?;
    if zone.is_empty() {
        return Some((time, None));
    }
    Some((time, Some(offset(zone)?)))
}

fn offset(word: &str) -> Option<FixedOffset> {
    match word {
        "Z" | "z" | "UTC" | "GMT" => FixedOffset::east_opt(0),
        _ if word.starts_with(['+', '-']) => word.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_loggers_are_found() {
        for (text, t) in [
            ("2018-09-04T12:00:01Z;", "2018-09-04T12:00:01.000Z"),
            ("2018-09-04 12:00:01.250 UTC ", "2018-09-04T12:00:01.250Z"),
            ("[2018/09/04 12:00:01+02:00] ", "2018-09-04T10:00:01.000Z"),
            ("(1586295590.123456) ais ", "2020-04-07T21:39:50.123Z"),
            ("244660000 1586295590123 ", "2020-04-07T21:39:50.123Z"),
            (",s25754,d-103,T24.98,x162574,r003669945,1241544035", "2009-05-05T17:20:35.000Z"),
            ("2018-09-04T12:00:01.000Z,AIVDM,AIVDM,\"", "2018-09-04T12:00:01.000Z"),
        ] {
            let Some(Stamp::Instant(found)) = find(text.as_bytes()) else {
                panic!("{text}: {:?}", find(text.as_bytes()))
            };
            assert_eq!(found.to_string(), t, "{text}");
        }
    }

    #[test]
    fn what_leaves_out_zone_or_date_is_told_apart() {
        assert!(matches!(find(b"2018-09-04T12:00:01 "), Some(Stamp::NoZone(_))));
        assert!(matches!(find(b"2018-09-04 12:00:01, port 2: "), Some(Stamp::NoZone(_))));
        assert!(matches!(find(b"12:00:01.5 "), Some(Stamp::NoDate(_))));
        for none in ["", "ais0: ", "12:00 ", "999999999 ", "99999999999999999999 ", "2018-13-04T12:00:01Z", "\u{fffd}"]
        {
            assert_eq!(find(none.as_bytes()), None, "{none}");
        }
    }
}
