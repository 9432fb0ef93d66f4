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

    /// Seconds from `earlier` to `self`; negative where `earlier` is later.
    pub fn seconds_since(self, earlier: Self) -> f64 {
        (self.0 as i128 - earlier.0 as i128) as f64 * 1e-9
    }

    /// The instant `seconds` later (earlier where negative), rounded to the nanosecond and held at the
    /// ends of the range.
    pub fn plus_seconds(self, seconds: f64) -> Self {
        Self(self.0.saturating_add((seconds * 1e9).round() as i64))
    }
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

    #[test]
    fn output_is_rounded_to_the_millisecond() {
        let t = EventTime::from_unix_ns(1_999_600_000);
        assert_eq!(t.to_string(), "1970-01-01T00:00:02.000Z");
        assert_eq!(EventTime::from_unix_ms(0).plus_seconds(-0.25).to_string(), "1969-12-31T23:59:59.750Z");
    }
}
