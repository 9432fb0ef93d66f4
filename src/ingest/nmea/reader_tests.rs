//! Laws of the reader: what comes later changes nothing of what was read, nothing is lost, nothing panics.

use proptest::prelude::*;

use super::{Cause, Entry, Need, Reader, Settings};
use crate::observation::{Observation, RefusalReason, VesselId};
use crate::time::EventTime;

/// A sentence with its checksum.
fn sentence(body: &str) -> String {
    let sum = body[1..].bytes().fold(0, |sum, byte| sum ^ byte);
    format!("{body}*{sum:02X}")
}

fn reader() -> Reader {
    Reader::new(Settings { vessel: VesselId::new("own").ok(), ..Settings::default() })
}

/// What came out, by line.
type Told = Vec<(u64, Entry)>;

/// What comes out of lines, without what waits at the end, and what then waited.
fn read(reader: &mut Reader, lines: &[impl AsRef<[u8]>]) -> (Told, Told) {
    let (mut out, mut rest) = (Vec::new(), Vec::new());
    for line in lines {
        reader.line(line.as_ref(), None, &mut |line, entry| out.push((line, entry)));
    }
    reader.finish(&mut |line, entry| rest.push((line, entry)));
    (out, rest)
}

fn rmc(time: &str, knots: &str, date: &str) -> String {
    sentence(&format!("$GPRMC,{time},A,4739.1234,N,11704.5678,W,{knots},87.3,{date},,,A"))
}

/// A log with a bit of everything.
fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for s in 0..40 {
        let time = format!("2015{s:02}.00");
        lines.push(sentence(&format!("$GPGGA,{time},4739.1234,N,11704.5678,W,1,09,0.8,650.0,M,-17.0,M,,")));
        lines.push(rmc(&time, "4.9", "040726"));
        lines.push("!AIVDM,1,1,,A,15N9?cP01BGR1ttC>C03Tjon00S@,0*2F".to_owned());
        lines.push("!AIVDM,2,1,3,B,55P5TL01VIaAL@7WKO@mBplU@<PDhh000000001S;AJ::4A80?4i@E53,0*3E".to_owned());
        lines.push("!AIVDM,1,1,,B,H52IRsTU000000000000000@5120,0*75".to_owned());
        lines.push("!AIVDM,2,2,3,B,1@0000000000000,2*55".to_owned());
        lines.push("$GPVTG,87.3,T,,M,4.9,N,9.1,K,A*34".to_owned());
        lines.push("\\c:1783196112*58\\!AIVDM,1,1,,A,15N9?cP01BGR1ttC>C03Tjon00S@,0*2F".to_owned());
        lines.push("2026-07-04T20:15:03Z $GPGSV,1,1,01,02,10,039,*41".to_owned());
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// A prefix of a log means what it means in the whole log, however it is damaged.
    #[test]
    fn what_follows_changes_nothing_before(
        cut in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
    ) {
        let mut bytes = lines().join("\n").into_bytes();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        let (whole, rest) = read(&mut reader(), &lines);
        let (prefix, _) = read(&mut reader(), &lines[..cut.index(lines.len())]);
        prop_assert!(prefix.len() <= whole.len());
        prop_assert_eq!(&prefix[..], &whole[..prefix.len()]);
        // Nothing comes out of a line that was not there, and every fix is of the time around.
        for (line, entry) in whole.iter().chain(&rest) {
            prop_assert!((1..=lines.len() as u64).contains(line));
            if let Entry::Observation(Observation::Fix(_, fix)) = entry {
                prop_assert!(fix.position.lat_deg().abs() <= 90.0 && fix.sog_mps.is_none_or(|mps| mps >= 0.0));
            }
        }
    }

    /// Lines of pieces of sentences: read or refused, and not one of them silently.
    #[test]
    fn pieces_are_read_or_refused(
        text in "(\\$GP|!AIVDM|RMC|GGA|ZDA|PGHP|,1|,2|,A|,[0-9]{6}|,[0-9.]{0,9}|,N|,|\\*[0-9A-F]{2}|\\\\[cgs]:|\\\\|[0-9:T-]{8,20}|\n| ){0,60}",
    ) {
        let lines: Vec<&[u8]> = text.as_bytes().split(|byte| *byte == b'\n').collect();
        let (out, rest) = read(&mut reader(), &lines);
        for (number, line) in (1..).zip(&lines) {
            let is_told = out.iter().chain(&rest).any(|(at, _)| *at == number);
            prop_assert!(is_told || line.trim_ascii().is_empty() || line.contains(&b'*'), "{}", line.escape_ascii());
        }
    }

    /// Positions, speeds and times that are written are read, to the last digit that is written.
    #[test]
    fn what_is_written_is_read(
        (lat, lon) in (-5_400_000_000_i64..=5_400_000_000, -10_800_000_000_i64..=10_800_000_000),
        (thousandths_kn, tenths_deg) in (0_u32..102_000, 0_u32..3600),
        ms in 946_684_800_000_i64..3_000_000_000_000,
    ) {
        prop_assume!(lat != 0 || lon != 0);
        let t = EventTime::from_unix_ms(ms);
        let angle = |minutes_e6: i64, width: usize| {
            let (minutes, fraction) = (minutes_e6.abs() / 1_000_000, minutes_e6.abs() % 1_000_000);
            format!("{:0width$}{:02}.{fraction:06}", minutes / 60, minutes % 60)
        };
        let side = |value: i64, plus, minus| if value < 0 { minus } else { plus };
        let line = sentence(&format!(
            "$GNRMC,{},A,{},{},{},{},{}.{:03},{}.{},{},,,A",
            t.to_chrono().format("%H%M%S%.3f"),
            angle(lat, 2), side(lat, "N", "S"), angle(lon, 3), side(lon, "E", "W"),
            thousandths_kn / 1000, thousandths_kn % 1000, tenths_deg / 10, tenths_deg % 10,
            t.to_chrono().format("%d%m%y"),
        ));
        let (out, rest) = read(&mut reader(), &[line]);
        prop_assert_eq!(out, []);
        let Some((1, Entry::Observation(Observation::Fix(_, fix)))) = rest.first() else { panic!("{rest:?}") };
        let year = t.to_chrono().format("%Y").to_string();
        // Two digits of a year from 80 on are of the last century.
        prop_assert_eq!(fix.t == t, year.as_str() < "2080");
        prop_assert!((fix.position.lat_deg() - lat as f64 / 6e7).abs() < 1e-12);
        prop_assert!((fix.position.lon_deg() - lon as f64 / 6e7).abs() < 1e-12);
        prop_assert_eq!(fix.cog_deg, Some(f64::from(tenths_deg) / 10.0));
        let knots = f64::from(thousandths_kn) / 1000.0;
        let is_not_available = (102.25..102.35).contains(&knots);
        prop_assert_eq!(fix.sog_mps.is_none(), is_not_available);
    }
}

#[test]
fn what_waits_is_bounded() {
    let mut reader = reader();
    let mut needs = 0;
    for n in 0..200_000_u32 {
        let lines = [
            sentence(&format!(
                "$GPGGA,{:02}{:02}{:02},4739.1234,N,11704.5678,W,1,09,0.8,,M,,M,,",
                n / 3600 % 24,
                n / 60 % 60,
                n % 60
            )),
            sentence(&format!("!AIVDM,2,1,{},{n},15N9?cP01B,0", n % 10)),
        ];
        for line in &lines {
            reader.line(line.as_bytes(), None, &mut |_, entry| needs += u32::from(entry == Entry::Needs(Need::Date)));
        }
    }
    assert_eq!(needs, 200_000 / 600 - u32::from(200_000 % 600 == 0));
    let size = format!("{reader:?}").len();
    assert!(size < 1_000_000, "{size}");
}

#[test]
fn a_time_of_another_line_does_not_serve_for_ever() {
    let report = "!AIVDM,1,1,,A,15N9?cP01BGR1ttC>C03Tjon00S@,0*2F";
    let mut lines = vec![rmc("201502", "4.9", "040726"), report.to_owned()];
    lines.extend(std::iter::repeat_n("# nothing".to_owned(), 1000));
    lines.push(report.to_owned());
    let (out, _) = read(&mut reader(), &lines);
    let refused =
        |entry: &Entry| matches!(entry, Entry::Refused(Cause::NoTime, r) if r.reason == RefusalReason::NoTime);
    assert!(matches!(out[0], (2, Entry::Observation(_))), "{:?}", out[0]);
    assert!(matches!(out.last(), Some((1003, entry)) if refused(entry)), "{:?}", out.last());
}

/// The arrival that a live feed tells is used where the line says nothing better.
#[test]
fn arrival_serves_where_the_line_says_nothing() {
    let received = EventTime::parse_rfc3339("2026-07-04T20:15:03.250Z").ok();
    let mut out = Vec::new();
    let mut reader = reader();
    let plain = "!AIVDM,1,1,,A,15N9?cP01BGR1ttC>C03Tjon00S@,0*2F";
    reader.line(plain.as_bytes(), received, &mut |_, entry| out.push(entry));
    let tagged = format!("\\c:1783196112*58\\{plain}");
    reader.line(tagged.as_bytes(), received, &mut |_, entry| out.push(entry));
    let times = out.iter().map(|entry| match entry {
        Entry::Observation(observation) => observation.t().expect("a fix has a time").to_string(),
        other => panic!("{other:?}"),
    });
    assert_eq!(times.collect::<Vec<_>>(), ["2026-07-04T20:14:59.000Z", "2026-07-04T20:14:59.000Z"]);
}

/// A receiver that tells no date is dated by the day on which it was heard.
#[test]
fn the_day_of_hearing_is_the_day() {
    let gga = |time: &str| sentence(&format!("$GPGGA,{time},4739.1234,N,11704.5678,W,1,09,0.8,650.0,M,-17.0,M,,"));
    let mut out = Vec::new();
    let mut reader = reader();
    for (time, heard) in [("235959", "2026-07-05T00:00:00.400Z"), ("000000", "2026-07-05T00:00:01.400Z")] {
        let received = EventTime::parse_rfc3339(heard).ok();
        reader.line(gga(time).as_bytes(), received, &mut |_, entry| out.push(entry));
        reader.end_epoch(&mut |_, entry| out.push(entry));
    }
    let logged = format!("2026-07-09T12:00:00Z {}", gga("115959"));
    reader.line(logged.as_bytes(), None, &mut |_, entry| out.push(entry));
    reader.finish(&mut |_, entry| out.push(entry));
    let times = out.iter().map(|entry| match entry {
        Entry::Observation(observation) => observation.t().expect("a fix has a time").to_string(),
        other => panic!("{other:?}"),
    });
    let days = ["2026-07-04T23:59:59.000Z", "2026-07-05T00:00:00.000Z", "2026-07-09T11:59:59.000Z"];
    assert_eq!(times.collect::<Vec<_>>(), days);
}
