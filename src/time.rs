//! Event time: when something was measured, never when it arrived.
//!
//! An [`EventTime`] is an instant of the data, an integer count of nanoseconds since 1970 in UTC, so
//! that equal texts are equal instants and sorting is exact. Nothing here reads a clock.

use std::fmt;

use chrono::{DateTime, SecondsFormat, TimeZone, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The instant at which something was measured, in UTC, to the nanosecond (years 1678 to 2262).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventTime(i64);

/// Why a text is no instant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{value:?} is no time: {reason}; write RFC 3339 with a zone, as in \"2026-07-04T20:15:03.250Z\"")]
pub struct TimeError {
    /// The text as found.
    pub value: String,
    /// What is wrong with it.
    pub reason: String,
}

impl EventTime {
    /// The earliest instant that can be held.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest instant that can be held.
    pub const MAX: Self = Self(i64::MAX);

    /// The instant `ns` nanoseconds after 1970-01-01T00:00:00Z.
    pub const fn from_unix_ns(ns: i64) -> Self {
        Self(ns)
    }

    /// The instant `ms` milliseconds after 1970-01-01T00:00:00Z, held at the ends of the range.
    pub const fn from_unix_ms(ms: i64) -> Self {
        Self(ms.saturating_mul(1_000_000))
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z.
    pub const fn unix_ns(self) -> i64 {
        self.0
    }

    /// Milliseconds since 1970-01-01T00:00:00Z, rounded to the nearest: the precision of all output.
    pub const fn unix_ms(self) -> i64 {
        self.0.saturating_add(500_000).div_euclid(1_000_000)
    }

    /// Reads an RFC 3339 time with zone and any number of fraction digits (beyond nine they are cut).
    ///
    /// # Errors
    /// [`TimeError`] where the text is no RFC 3339 time or lies outside the years 1678 to 2262.
    pub fn parse_rfc3339(text: &str) -> Result<Self, TimeError> {
        if let Some(t) = plain_utc(text.as_bytes()) {
            return Ok(t);
        }
        let fail = |reason: String| TimeError { value: text.to_owned(), reason };
        let parsed = DateTime::parse_from_rfc3339(text).map_err(|e| fail(e.to_string()))?;
        Self::from_chrono(parsed.to_utc()).ok_or_else(|| fail("outside the years 1678 to 2262".to_owned()))
    }

    /// The instant of a chrono value, if it can be held.
    pub fn from_chrono(t: DateTime<Utc>) -> Option<Self> {
        t.timestamp_nanos_opt().map(Self)
    }

    /// The instant as a chrono value.
    pub fn to_chrono(self) -> DateTime<Utc> {
        Utc.timestamp_nanos(self.0)
    }

    /// The instant as RFC 3339 in UTC with as many digits as it has: what is written can be read back.
    pub fn to_rfc3339(self) -> String {
        self.to_chrono().to_rfc3339_opts(SecondsFormat::AutoSi, true)
    }

    /// Seconds from `earlier` to `self`; negative where `earlier` is later. Held at ±292 years.
    pub fn seconds_since(self, earlier: Self) -> f64 {
        // Divided, not multiplied by 1e-9, which is no exact number: 15 s have to be 15 s, since limits are met exactly.
        self.0.saturating_sub(earlier.0) as f64 / 1e9
    }

    /// Nanoseconds from `earlier` to `self`, as of [`EventTime::seconds_since`]: to compare with what is given so, that is
    /// for less.
    pub const fn ns_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The instant `seconds` later (earlier where negative), rounded to the nanosecond and held at the
    /// ends of the range.
    pub fn plus_seconds(self, seconds: f64) -> Self {
        Self(self.0.saturating_add(rounded(seconds * 1e9)))
    }
}

/// The nearest whole number, halves away from zero, held at the ends of the range: `round` without a call into the
/// mathematical library, which is most of the work.
fn rounded(x: f64) -> i64 {
    let toward_zero = x as i64;
    let rest = x - toward_zero as f64;
    toward_zero.saturating_add(i64::from(rest >= 0.5)).saturating_sub(i64::from(rest <= -0.5))
}

/// Reads `YYYY-MM-DDTHH:MM:SS[.fraction]Z`, the form of nearly all input, by hand: it is on the path of
/// every message. `None` for any other form, the years at the edge of the range and leap seconds,
/// which chrono then reads or explains.
fn plain_utc(text: &[u8]) -> Option<EventTime> {
    let (fixed, rest) = text.split_first_chunk::<19>()?;
    let fraction_ns = match rest {
        b"Z" => 0,
        [b'.', digits @ .., b'Z'] if (1..=9).contains(&digits.len()) => {
            number(digits)? * 10_i64.pow(9 - digits.len() as u32)
        }
        _ => return None,
    };
    if [fixed[4], fixed[7], fixed[10], fixed[13], fixed[16]] != *b"--T::" {
        return None;
    }
    let (year, month, day) = (number(&fixed[..4])?, number(&fixed[5..7])?, number(&fixed[8..10])?);
    let (hour, minute, second) = (number(&fixed[11..13])?, number(&fixed[14..16])?, number(&fixed[17..19])?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_in_month = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        _ => return None,
    };
    let in_range =
        (1678..2262).contains(&year) && (1..=days_in_month).contains(&day) && hour < 24 && minute < 60 && second < 60;
    if !in_range {
        return None;
    }
    // Days since 1970-01-01, counting years from March so that the leap day is the last of its year.
    let from_march = (month + 9) % 12;
    let y = year - i64::from(month < 3);
    let day_of_year = (153 * from_march + 2) / 5 + day - 1;
    let days = 365 * y + y / 4 - y / 100 + y / 400 + day_of_year - 719_468;
    Some(EventTime((days * 86_400 + hour * 3600 + minute * 60 + second) * 1_000_000_000 + fraction_ns))
}

/// The number written in at most nine decimal digits.
fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |sum, b| b.is_ascii_digit().then(|| sum * 10 + i64::from(b - b'0')))
}

impl fmt::Display for EventTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = Utc.timestamp_millis_opt(self.unix_ms()).single().unwrap_or_else(|| self.to_chrono());
        f.write_str(&rounded.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for EventTime {
    /// RFC 3339 to the millisecond for people, exact nanoseconds in binary snapshots.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_i64(self.0) }
    }
}

impl<'de> Deserialize<'de> for EventTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return i64::deserialize(deserializer).map(Self);
        }
        struct Rfc3339;
        impl serde::de::Visitor<'_> for Rfc3339 {
            type Value = EventTime;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an RFC 3339 time with a zone")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<EventTime, E> {
                EventTime::parse_rfc3339(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Rfc3339)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_fraction_digits_is_read() {
        for (text, ns) in [
            ("1970-01-01T00:00:01Z", 1_000_000_000),
            ("1970-01-01T00:00:01.5Z", 1_500_000_000),
            ("1970-01-01T00:00:01.123456789Z", 1_123_456_789),
            ("1970-01-01T02:00:01.250+02:00", 1_250_000_000),
        ] {
            assert_eq!(EventTime::parse_rfc3339(text).expect(text).unix_ns(), ns);
        }
    }

    #[test]
    fn texts_that_are_no_time_say_how_to_mend_them() {
        for text in ["yesterday", "2026-07-04", "2026-07-04T20:15:03", "2026-13-04T20:15:03Z", "9999-01-01T00:00:00Z"] {
            let error = EventTime::parse_rfc3339(text).expect_err(text).to_string();
            assert!(error.contains("write RFC 3339 with a zone"), "{error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn the_hand_path_reads_what_chrono_reads(
            (year, month, day) in (1600u32..2400, 0u32..14, 0u32..33),
            (hour, minute, second) in (0u32..26, 0u32..62, 0u32..62),
            fraction in "(\\.[0-9]{0,11})?",
            zone in "Z|z|[+]02:00|",
        ) {
            let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}");
            let chrono = DateTime::parse_from_rfc3339(&text).ok().and_then(|t| EventTime::from_chrono(t.to_utc()));
            if let Some(t) = plain_utc(text.as_bytes()) {
                proptest::prop_assert_eq!(Some(t), chrono, "{}", text);
            }
            proptest::prop_assert_eq!(EventTime::parse_rfc3339(&text).ok(), chrono, "{}", text);
        }

        #[test]
        fn every_day_is_read_as_chrono_reads_it(s in -9_000_000_000_i64..9_000_000_000, ms in 0i64..1000) {
            let t = EventTime::from_unix_ms(s * 1000 + ms);
            proptest::prop_assert_eq!(plain_utc(t.to_string().as_bytes()), Some(t));
        }
    }

    #[test]
    fn whole_seconds_apart_are_whole_numbers() {
        let start = EventTime::from_unix_ms(1_782_000_000_250);
        for s in 0..2000_i32 {
            let apart_s = f64::from(s);
            assert_eq!(start.plus_seconds(apart_s).seconds_since(start), apart_s, "{s}");
        }
        assert_eq!(start.plus_seconds(0.1).seconds_since(start), 0.1);
        for x in [0.0, 0.49, 0.5, 1.5, 2.5, 0.499_999_999_999_999_94, 4_503_599_627_370_495.5, 1e18, 1e19, 1e300] {
            assert_eq!((rounded(x), rounded(-x)), (x.round() as i64, -x.round() as i64), "{x}");
        }
        assert_eq!((rounded(f64::NAN), rounded(f64::INFINITY)), (0, i64::MAX));
    }

    #[test]
    fn output_is_rounded_to_the_millisecond() {
        let t = EventTime::from_unix_ns(1_999_600_000);
        assert_eq!(t.to_string(), "1970-01-01T00:00:02.000Z");
        assert_eq!(EventTime::from_unix_ms(0).plus_seconds(-0.25).to_string(), "1969-12-31T23:59:59.750Z");
    }
}
