//! When a feature is there: instants, or days of every year.

use serde_json::Value;

use super::super::map::Validity;
use super::super::place::Path;
use super::super::report::Problem;
use crate::time::EventTime;

/// An end of a feature's time.
#[derive(Debug, Clone, Copy)]
pub(super) enum Date {
    Once(EventTime),
    EveryYear((u8, u8)),
}

const MEND: &str = "write RFC 3339 with a zone, as in \"2026-07-04T20:15:00Z\", or MM-DD for every year";

/// Milliseconds since 1970 that are likelier than seconds: seconds would lie beyond the year 5000.
const MILLISECONDS_MIN: i64 = 100_000_000_000;

/// The date that stands at `path`.
///
/// # Errors
/// The [`Problem`] where it is none; what it may be meant as is in the mend.
pub(super) fn read(key: &str, value: &Value, path: &Path) -> Result<Date, Problem> {
    let fail = |reason: String, mend: String| Problem::error(path.clone(), reason, mend);
    let text = match value {
        Value::String(text) => text.trim(),
        _ => {
            let mend = value.as_i64().and_then(epoch).map_or_else(|| MEND.to_owned(), meant);
            return Err(fail(format!("{key} is not a text"), mend).value(value));
        }
    };
    if let Some(day) = month_day(text) {
        return day.map(Date::EveryYear).map_err(|()| fail(format!("{text:?} is no day of the year"), MEND.to_owned()));
    }
    EventTime::parse_rfc3339(text).map(Date::Once).map_err(|e| {
        if let Some(t) = text.parse().ok().and_then(epoch) {
            return fail(format!("{text:?} is no date but a count of seconds or milliseconds"), meant(t));
        }
        if let Some([a, b, year]) = slashed(text) {
            let reason = format!("{text:?} does not say which number is the day and which the month");
            let mend = format!(
                "write \"{year}-{a:02}-{b:02}T00:00:00Z\" or \"{year}-{b:02}-{a:02}T00:00:00Z\", with the zone"
            );
            return fail(reason, mend);
        }
        if is_day(text) {
            if EventTime::parse_rfc3339(&format!("{text}T00:00:00Z")).is_err() {
                return fail(format!("{text:?} is no day of the calendar"), MEND.to_owned());
            }
            let mend = format!("write when on that day and in which zone, as in \"{text}T00:00:00-07:00\"");
            return fail(format!("{text:?} is a day without a time and zone"), mend);
        }
        fail(format!("{text:?} is no time: {}", e.reason), MEND.to_owned())
    })
}

/// The validity between two ends.
///
/// # Errors
/// The [`Problem`] where the two do not go together.
pub(super) fn validity(from: Option<Date>, until: Option<Date>, path: &Path) -> Result<Validity, Problem> {
    match (from, until) {
        (None, None) => Ok(Validity::Always),
        (Some(Date::EveryYear(from)), until @ (None | Some(Date::EveryYear(_)))) => {
            let until = if let Some(Date::EveryYear(day)) = until { day } else { (12, 31) };
            Ok(Validity::EveryYear(from, until))
        }
        (None, Some(Date::EveryYear(until))) => Ok(Validity::EveryYear((1, 1), until)),
        (Some(Date::Once(from)), Some(Date::Once(until))) if from > until => {
            let reason = format!("valid_from {from} is after valid_until {until}");
            Err(Problem::error(path.clone().key("valid_from"), reason, "swap or correct the two"))
        }
        (from @ (None | Some(Date::Once(_))), until @ (None | Some(Date::Once(_)))) => {
            let instant = |d: Option<Date>| if let Some(Date::Once(t)) = d { Some(t) } else { None };
            Ok(Validity::Between(instant(from), instant(until)))
        }
        _ => {
            let reason = "one of valid_from and valid_until is an instant, the other a day of every year";
            Err(Problem::error(path.clone().key("valid_until"), reason, "write both the same way"))
        }
    }
}

/// The instant that a count since 1970 is likely to mean: Esri services write milliseconds.
fn epoch(count: i64) -> Option<EventTime> {
    let ms = if count.abs() >= MILLISECONDS_MIN { Some(count) } else { count.checked_mul(1000) };
    // Years and compact dates such as 20260704 are no counts.
    let t = EventTime::from_unix_ms(ms.filter(|ms| (MILLISECONDS_MIN..=4_102_444_800_000).contains(ms))?);
    Some(t)
}

fn meant(t: EventTime) -> String {
    format!("if it counts from 1970, write \"{t}\"; {MEND}")
}

/// A text such as `4/7/2026`.
fn slashed(text: &str) -> Option<[u16; 3]> {
    let numbers: Vec<u16> = text.split(['/', '.']).map(|n| n.trim().parse()).collect::<Result<_, _>>().ok()?;
    let numbers: [u16; 3] = numbers.try_into().ok()?;
    ((1..=12).contains(&numbers[0]) && (1..=12).contains(&numbers[1]) && numbers[2] > 31).then_some(numbers)
}

/// Whether it is `YYYY-MM-DD`.
fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(i, b)| if i == 4 || i == 7 { *b == b'-' } else { b.is_ascii_digit() })
}

/// A text of the form `MM-DD`: the day, or `Err` where no year has it.
fn month_day(text: &str) -> Option<Result<(u8, u8), ()>> {
    let &[a, b, b'-', c, d] = text.as_bytes() else { return None };
    if ![a, b, c, d].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (month, day) = ((a - b'0') * 10 + (b - b'0'), (c - b'0') * 10 + (d - b'0'));
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 29,
        _ => 0,
    };
    Some(if (1..=length).contains(&day) { Ok((month, day)) } else { Err(()) })
}
