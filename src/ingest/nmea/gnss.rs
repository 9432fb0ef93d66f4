//! Sentences of a satellite receiver or compass become what they say about one epoch.
//!
//! | sentence | time | position | motion | beside |
//! | --- | --- | --- | --- | --- |
//! | RMC | yes | yes | speed (knots), course true | date, status, mode |
//! | GGA | yes | yes | | quality, HDOP |
//! | GLL | yes | yes | | status, mode |
//! | VTG | | | speed (knots), course true | mode |
//! | GST | yes | | | standard deviations, metres |
//! | ZDA | yes | | | date |
//! | HDT | | | heading true | |
//!
//! Whichever talker says it (`GP`, `GN`, `GL`, `II`, …). Fields after those that are read are left out.

use chrono::NaiveDate;

use super::frame::Frame;
use crate::observation::Refusal;

/// Nanoseconds in a second.
pub(super) const SECOND_NS: i64 = 1_000_000_000;

/// Which sentence it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sentence {
    /// Recommended minimum.
    Rmc,
    /// Fix data.
    Gga,
    /// Geographic position.
    Gll,
    /// Track and ground speed.
    Vtg,
    /// Error statistics.
    Gst,
    /// Time and date.
    Zda,
    /// True heading.
    Hdt,
}

/// What a sentence says. What it does not say, or leaves empty, is `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Which sentence it was.
    pub sentence: Sentence,
    /// The UTC time of day, nanoseconds since midnight.
    pub time_ns: Option<i64>,
    /// The UTC date.
    pub date: Option<NaiveDate>,
    /// Why its position and motion are no measurement, where they are none.
    pub void: Option<&'static str>,
    /// Latitude and longitude, degrees north and east.
    pub lat_lon_deg: Option<(f64, f64)>,
    /// Speed over ground, knots.
    pub sog_kn: Option<f64>,
    /// Course over ground, degrees true.
    pub cog_deg: Option<f64>,
    /// Heading, degrees true.
    pub heading_deg: Option<f64>,
    /// Horizontal dilution of precision.
    pub hdop: Option<f64>,
    /// Standard deviations of latitude and longitude, metres.
    pub deviations_m: Option<(f64, f64)>,
}

impl Said {
    const fn nothing(sentence: Sentence) -> Self {
        Self {
            sentence,
            time_ns: None,
            date: None,
            void: None,
            lat_lon_deg: None,
            sog_kn: None,
            cog_deg: None,
            heading_deg: None,
            hdop: None,
            deviations_m: None,
        }
    }

    /// What `frame` says; `None` where it is another sentence than those of the table above.
    ///
    /// # Errors
    /// A refusal where a field that is read holds what it cannot mean.
    pub fn read(frame: &Frame<'_>) -> Option<Result<Self, Refusal>> {
        let sentence = match &frame.formatter()? {
            b"RMC" => Sentence::Rmc,
            b"GGA" => Sentence::Gga,
            b"GLL" => Sentence::Gll,
            b"VTG" => Sentence::Vtg,
            b"GST" => Sentence::Gst,
            b"ZDA" => Sentence::Zda,
            b"HDT" => Sentence::Hdt,
            _ => return None,
        };
        let mut fields = [&[][..]; 13];
        for (slot, field) in fields.iter_mut().zip(frame.fields()) {
            *slot = field;
        }
        Some(read(sentence, &fields))
    }
}

fn read(sentence: Sentence, fields: &[&[u8]; 13]) -> Result<Said, Refusal> {
    let mut said = Said::nothing(sentence);
    match sentence {
        Sentence::Rmc => {
            said.time_ns = time_ns(fields[0])?;
            said.void = status(fields[1]).or(mode(fields[11]));
            said.lat_lon_deg = lat_lon_deg([fields[2], fields[3], fields[4], fields[5]])?;
            said.sog_kn = number("speed", fields[6])?;
            said.cog_deg = number("course", fields[7])?;
            said.date = date(fields[8])?;
        }
        Sentence::Gga => {
            said.time_ns = time_ns(fields[0])?;
            said.lat_lon_deg = lat_lon_deg([fields[1], fields[2], fields[3], fields[4]])?;
            said.void = quality(fields[5]);
            said.hdop = number("HDOP", fields[7])?;
        }
        Sentence::Gll => {
            said.lat_lon_deg = lat_lon_deg([fields[0], fields[1], fields[2], fields[3]])?;
            said.time_ns = time_ns(fields[4])?;
            said.void = status(fields[5]).or(mode(fields[6]));
        }
        Sentence::Vtg => {
            said.cog_deg = number("course", fields[0])?;
            said.sog_kn = number("speed", fields[4])?;
            said.void = mode(fields[8]);
        }
        Sentence::Gst => {
            said.time_ns = time_ns(fields[0])?;
            said.deviations_m =
                number("deviation of latitude", fields[5])?.zip(number("deviation of longitude", fields[6])?);
        }
        Sentence::Zda => {
            said.time_ns = time_ns(fields[0])?;
            said.date = date_of(fields[3], fields[2], fields[1])?;
        }
        Sentence::Hdt => said.heading_deg = number("heading", fields[0])?,
    }
    Ok(said)
}

/// Status of RMC and GLL: `A` valid, `V` a warning.
fn status(field: &[u8]) -> Option<&'static str> {
    match field {
        b"A" => None,
        _ => Some("the receiver had no fix (status is not A)"),
    }
}

/// Mode of RMC, GLL and VTG. A receiver before version 2.3 sends none.
fn mode(field: &[u8]) -> Option<&'static str> {
    match field {
        b"N" => Some("the receiver had no fix (mode N)"),
        b"E" => Some("the position is dead reckoning (mode E), no measurement"),
        b"M" => Some("the position was typed in (mode M), no measurement"),
        b"S" => Some("the position is simulated (mode S), no measurement"),
        _ => None,
    }
}

/// Quality of GGA.
fn quality(field: &[u8]) -> Option<&'static str> {
    match field {
        b"0" | b"" => Some("the receiver had no fix (quality 0)"),
        b"6" => Some("the position is dead reckoning (quality 6), no measurement"),
        b"7" => Some("the position was typed in (quality 7), no measurement"),
        b"8" => Some("the position is simulated (quality 8), no measurement"),
        _ => None,
    }
}

fn wrong(what: &str, field: &[u8], should: &str) -> Refusal {
    const LONGEST: usize = 24;
    let shown = field[..field.len().min(LONGEST)].escape_ascii();
    Refusal::unparsable(format!("{what} \"{shown}\" is none; it should be {should}"))
}

/// A decimal number; an empty field is none.
fn number(what: &str, field: &[u8]) -> Result<Option<f64>, Refusal> {
    if field.is_empty() {
        return Ok(None);
    }
    let is_plain = field.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+'));
    let value = std::str::from_utf8(field).ok().filter(|_| is_plain).and_then(|text| text.parse().ok());
    value.map(Some).ok_or_else(|| wrong(what, field, "a plain number"))
}

/// A number of two digits at `at`.
fn two(field: &[u8], at: usize) -> Option<u32> {
    match field.get(at..at + 2)? {
        [a @ b'0'..=b'9', b @ b'0'..=b'9'] => Some(u32::from(a - b'0') * 10 + u32::from(b - b'0')),
        _ => None,
    }
}

/// `hhmmss` with or without a fraction, as nanoseconds since midnight. The second 60 is a leap second.
fn time_ns(field: &[u8]) -> Result<Option<i64>, Refusal> {
    if field.is_empty() {
        return Ok(None);
    }
    let read = || {
        let (hour, minute, second) = (two(field, 0)?, two(field, 2)?, two(field, 4)?);
        let mut fraction_ns = 0;
        if let [b'.', digits @ ..] = &field[6..] {
            let mut unit_ns = SECOND_NS / 10;
            for digit in digits {
                fraction_ns += i64::from(digit.is_ascii_digit().then(|| digit - b'0')?) * unit_ns;
                unit_ns /= 10;
            }
        } else if field.len() > 6 {
            return None;
        }
        let is_time = hour < 24 && minute < 60 && second <= 60;
        is_time.then(|| i64::from(hour * 3600 + minute * 60 + second) * SECOND_NS + fraction_ns)
    };
    read().map(Some).ok_or_else(|| wrong("time", field, "hours, minutes and seconds, as 201503.25"))
}

/// `ddmmyy`.
fn date(field: &[u8]) -> Result<Option<NaiveDate>, Refusal> {
    if field.is_empty() {
        return Ok(None);
    }
    let read = || match field.len() {
        6 => NaiveDate::from_ymd_opt(full_year(two(field, 4)?), two(field, 2)?, two(field, 0)?),
        _ => None,
    };
    read().map(Some).ok_or_else(|| wrong("date", field, "day, month and year, as 040726"))
}

/// Day, month and year, of four digits or two.
fn date_of(year: &[u8], month: &[u8], day: &[u8]) -> Result<Option<NaiveDate>, Refusal> {
    if [year, month, day].iter().all(|field| field.is_empty()) {
        return Ok(None);
    }
    let read = || {
        let year = match year.len() {
            4 => (two(year, 0)? * 100 + two(year, 2)?) as i32,
            2 => full_year(two(year, 0)?),
            _ => return None,
        };
        NaiveDate::from_ymd_opt(year, two(month, 0)?, two(day, 0)?)
    };
    let shown = [day, month, year].join(&b',');
    read().map(Some).ok_or_else(|| wrong("date", &shown, "day, month and year, as 04,07,2026"))
}

/// GPS began in 1980: two digits from 80 on are of the last century, smaller ones of this.
fn full_year(two_digits: u32) -> i32 {
    two_digits as i32 + if two_digits < 80 { 2000 } else { 1900 }
}

/// Latitude `ddmm.mm`, N or S, longitude `dddmm.mm`, E or W. All four empty are no position.
fn lat_lon_deg([lat, north, lon, east]: [&[u8]; 4]) -> Result<Option<(f64, f64)>, Refusal> {
    if lat.is_empty() && lon.is_empty() {
        return Ok(None);
    }
    let lat_deg = angle_deg(lat, north, [b"N", b"S"]).ok_or_else(|| {
        wrong("latitude", &[lat, north].join(&b','), "degrees and minutes with N or S, as 4739.1234,N")
    })?;
    let lon_deg = angle_deg(lon, east, [b"E", b"W"]).ok_or_else(|| {
        wrong("longitude", &[lon, east].join(&b','), "degrees and minutes with E or W, as 11704.5678,W")
    })?;
    Ok(Some((lat_deg, lon_deg)))
}

fn angle_deg(field: &[u8], side: &[u8], [plus, minus]: [&[u8; 1]; 2]) -> Option<f64> {
    let sign = if side == plus {
        1.0
    } else if side == minus {
        -1.0
    } else {
        return None;
    };
    let point = field.iter().position(|byte| *byte == b'.').unwrap_or(field.len());
    let (degrees, minutes) = field.split_at_checked(point.checked_sub(2)?)?;
    let is_plain = |digits: &[u8]| digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    if degrees.is_empty() || !is_plain(degrees) || !is_plain(minutes) {
        return None;
    }
    let read = |digits| std::str::from_utf8(digits).ok()?.parse::<f64>().ok();
    let (degrees, minutes) = (read(degrees)?, read(minutes)?);
    (minutes < 60.0).then(|| sign * (degrees + minutes / 60.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::nmea::frame::Frames;

    fn said(body: &str) -> Result<Said, String> {
        let sum = body.bytes().fold(0, |sum, byte| sum ^ byte);
        let line = format!("${body}*{sum:02X}");
        let frame = Frames::of(line.as_bytes()).next().expect("one").expect("whole");
        Said::read(&frame).expect("a known sentence").map_err(|refusal| refusal.detail)
    }

    #[test]
    fn sentences_say_what_their_fields_say() {
        let rmc = said("GNRMC,070001.25,A,3906.1386,N,12001.8864,W,020.00,214.0,301126,,,A,V").expect("an RMC");
        assert_eq!((rmc.time_ns, rmc.date), (Some(25_201_250_000_000), NaiveDate::from_ymd_opt(2026, 11, 30)));
        let (lat_deg, lon_deg) = rmc.lat_lon_deg.expect("a position");
        assert!((lat_deg - 39.102_31).abs() < 1e-12 && (lon_deg + 120.031_44).abs() < 1e-12);
        assert_eq!((rmc.sog_kn, rmc.cog_deg, rmc.void), (Some(20.0), Some(214.0), None));
        let gga = said("GPGGA,070001,3906.1386,N,12001.8864,W,1,11,0.9,1897.0,M,,M,,").expect("a GGA");
        assert_eq!((gga.hdop, gga.date, gga.void), (Some(0.9), None, None));
        let gst = said("GPGST,070001,5.1,,,,1.5,2.0,3.1").expect("a GST");
        assert_eq!(gst.deviations_m, Some((1.5, 2.0)));
        let vtg = said("GPVTG,,T,,M,0.020,N,0.038,K,A").expect("a VTG");
        assert_eq!((vtg.cog_deg, vtg.sog_kn), (None, Some(0.02)));
        assert_eq!(said("GPZDA,195719,16,04,14,-02,00").expect("a ZDA").date, NaiveDate::from_ymd_opt(2014, 4, 16));
        assert_eq!(said("GPZDA,195719,16,04,2014,-02,00").expect("a ZDA").date, NaiveDate::from_ymd_opt(2014, 4, 16));
        assert_eq!(said("HEHDT,213.0,T").expect("an HDT").heading_deg, Some(213.0));
    }

    #[test]
    fn what_is_no_measurement_is_void() {
        for body in [
            "GPRMC,070001,V,,,,,,,301126,,,N",
            "GPRMC,070001,A,3906.1386,N,12001.8864,W,020.00,214.0,301126,,,E",
            "GPRMC,070001,A,3906.1386,N,12001.8864,W,020.00,214.0,301126,,,S",
            "GPGGA,070001,,,,,0,00,,,M,,M,,",
            "GPGGA,070001,3906.1386,N,12001.8864,W,8,11,0.9,1897.0,M,,M,,",
            "GPGLL,3906.1386,N,12001.8864,W,070001,V,N",
        ] {
            assert!(said(body).expect(body).void.is_some(), "{body}");
        }
        let old = said("GPRMC,070001,A,3906.1386,N,12001.8864,W,020.00,214.0,301126,,").expect("before version 2.3");
        assert_eq!(old.void, None);
    }

    #[test]
    fn fields_without_meaning_are_refused() {
        for (body, told) in [
            (
                "GPRMC,250001,A,,,,,,,301126,,",
                "time \"250001\" is none; it should be hours, minutes and seconds, as 201503.25",
            ),
            ("GPRMC,070001.2x,A,,,,,,,301126,,", "time \"070001.2x\" is none"),
            ("GPRMC,070001,A,3906.1386,X,12001.8864,W,,,301126,,", "latitude \"3906.1386,X\" is none"),
            ("GPRMC,070001,A,3960.0000,N,12001.8864,W,,,301126,,", "latitude \"3960.0000,N\" is none"),
            ("GPRMC,070001,A,3906.1386,N,1,W,,,301126,,", "longitude \"1,W\" is none"),
            (
                "GPRMC,070001,A,3906.1386,N,12001.8864,W,fast,,301126,,",
                "speed \"fast\" is none; it should be a plain number",
            ),
            ("GPRMC,070001,A,3906.1386,N,12001.8864,W,1e3,,301126,,", "speed \"1e3\" is none"),
            ("GPRMC,070001,A,3906.1386,N,12001.8864,W,,,311126,,", "date \"311126\" is none"),
            ("GPZDA,195719,16,04,0,-02,00", "date \"16,04,0\" is none"),
        ] {
            let detail = said(body).expect_err(body);
            assert!(detail.starts_with(told), "{detail}");
        }
    }
}
