//! Times as recordings write them, with or without a zone.

use chrono::{FixedOffset, NaiveDateTime, NaiveTime};

use crate::time::EventTime;

/// Why a text is no instant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StampError {
    /// It is a time, but of no zone, and none was said.
    ZoneMissing,
    /// It is a time of day.
    DateMissing,
    /// It is no time.
    NotATime,
}

/// The instant of a date and time of day, year first, with `T` or a space between; fractions and zones are
/// optional. A time without a zone is one of `offset`; nothing is assumed where that is `None`.
pub(super) fn read(text: &str, offset: Option<FixedOffset>) -> Result<EventTime, StampError> {
    if let Ok(t) = EventTime::parse_rfc3339(text) {
        return Ok(t);
    }
    if time_of_day(text).is_some() {
        return Err(StampError::DateMissing);
    }
    // Forms that are no RFC 3339 but mean one thing only: "2026-07-04 20:15:03", "2026/07/04T20:15:03+0000".
    const DATE_CHARS: usize = 10;
    let (date, rest) = text.split_at_checked(DATE_CHARS).ok_or(StampError::NotATime)?;
    let time = rest.strip_prefix(['T', 't', ' ']).ok_or(StampError::NotATime)?;
    let plain = format!("{}T{}", date.replace('/', "-"), time.trim());
    if let Ok(naive) = NaiveDateTime::parse_from_str(&plain, "%Y-%m-%dT%H:%M:%S%.f") {
        let local = naive.and_local_timezone(offset.ok_or(StampError::ZoneMissing)?).single();
        return local.and_then(|t| EventTime::from_chrono(t.to_utc())).ok_or(StampError::NotATime);
    }
    let plain = plain.replace(" +", "+").replace(" -", "-").replace(" UTC", "Z").replace(" Z", "Z");
    let zoned = EventTime::parse_rfc3339(&plain).ok().or_else(|| {
        let t = chrono::DateTime::parse_from_str(&plain, "%Y-%m-%dT%H:%M:%S%.f%z").ok()?;
        EventTime::from_chrono(t.to_utc())
    });
    zoned.ok_or(StampError::NotATime)
}

/// As [`read`], of a date with its day first and `/`, `-` or `.` between: `31/12/2025 23:59:59`.
pub(super) fn read_day_first(text: &str, offset: Option<FixedOffset>) -> Result<EventTime, StampError> {
    let date = text.get(..10).map(str::as_bytes);
    match date {
        Some([a, b, b'/' | b'-' | b'.', c, d, b'/' | b'-' | b'.', year @ ..]) => {
            let year = std::str::from_utf8(year).map_err(|_| StampError::NotATime)?;
            let [a, b, c, d] = [a, b, c, d].map(|b| char::from(*b));
            read(&format!("{year}-{c}{d}-{a}{b}{}", &text[10..]), offset)
        }
        _ => read(text, offset),
    }
}

/// The time of day of a text such as `23:59:59.25`, with or without a zone.
pub(super) fn time_of_day(text: &str) -> Option<NaiveTime> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.'))).unwrap_or(text.len());
    NaiveTime::parse_from_str(&text[..end], "%H:%M:%S%.f").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_that_mean_one_thing_are_read() {
        let east = FixedOffset::east_opt(2 * 3600);
        for (text, offset, utc) in [
            ("2016-04-02T10:15:08+02:00", None, "2016-04-02T08:15:08.000Z"),
            ("2024-12-13T07:14:02.999000+00:00", None, "2024-12-13T07:14:02.999Z"),
            ("2026-11-30T07:26:45.728901+0000", None, "2026-11-30T07:26:45.729Z"),
            ("2026-11-30 07:26:45 UTC", None, "2026-11-30T07:26:45.000Z"),
            ("2026-11-30 07:26:45 +0100", None, "2026-11-30T06:26:45.000Z"),
            ("2015-10-17T12:45:55", east, "2015-10-17T10:45:55.000Z"),
            ("2010/01/12 12:02:43.25", east, "2010-01-12T10:02:43.250Z"),
            ("2015-10-17T12:45:55Z", east, "2015-10-17T12:45:55.000Z"),
        ] {
            assert_eq!(read(text, offset).map(|t| t.to_string()).as_deref(), Ok(utc), "{text}");
        }
        assert_eq!(read("2015-10-17T12:45:55", None), Err(StampError::ZoneMissing));
        assert_eq!(read("12:45:55Z", None), Err(StampError::DateMissing));
        let day_first = read_day_first("01/09/2025 00:00:07", east).map(|t| t.to_string());
        assert_eq!(day_first.as_deref(), Ok("2025-08-31T22:00:07.000Z"));
        assert_eq!(read_day_first("é1/09/2025 00:00:07", east), Err(StampError::NotATime));
    }

    #[test]
    fn what_could_mean_two_things_is_no_time() {
        let utc = FixedOffset::east_opt(0);
        for text in ["", "01/09/2025 00:00:00", "1796022001", "2015-10-17", "2015-10-17 noon", "é015-10-17T"] {
            assert_eq!(read(text, utc), Err(StampError::NotATime), "{text}");
        }
    }
}
