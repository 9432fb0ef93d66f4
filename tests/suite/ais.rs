//! AIS messages: field by field what pyais reads in real logs, and what is read writes itself back.
//!
//! `AIS_LOGS=FOLDER` compares the logs of another folder, for which `tests/data/nmea/reference.py` has been run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};

use buoyline::ingest::ais::{Body, Dimensions, Message, PositionKind, PositionReport, StaticReport, StaticReportPart};
use buoyline::ingest::nmea::{Frames, Messages, Taken};
use flate2::read::GzDecoder;

use crate::support::tests_path;

pub fn unzipped(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).expect("a log");
    GzDecoder::new(file).read_to_end(&mut bytes).expect("a log can be unpacked");
    bytes
}

/// Things by the line they stand in.
type ByLine<T> = Vec<(u64, T)>;

/// The messages of a log, by the line of their last part, and what is refused.
fn messages(log: &[u8]) -> (ByLine<Message>, ByLine<String>) {
    let (mut read, mut refused) = (Vec::new(), Vec::new());
    let mut messages = Messages::default();
    for (line, content) in (1..).zip(log.split(|byte| *byte == b'\n')) {
        for frame in Frames::of(content).flatten() {
            if !matches!(frame.formatter(), Some([b'V', b'D', b'M' | b'O'])) {
                continue;
            }
            match messages.take(&frame, line, None, &mut |line, _, _| panic!("line {line} lacks its other parts")) {
                Ok(Taken::Message(message, _)) => read.push((line, message)),
                Ok(_) => {}
                Err(refusal) => refused.push((line, refusal.detail)),
            }
        }
    }
    (read, refused)
}

fn or_dash<T: Display>(value: Option<T>) -> String {
    value.map_or("-".to_owned(), |value| value.to_string())
}

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".to_owned(), |value| format!("{value:.decimals$}"))
}

fn text(value: &Option<impl AsRef<str>>) -> String {
    value.as_ref().map_or("-".to_owned(), |text| text.as_ref().replace(' ', "_"))
}

fn dimensions(d: Dimensions) -> String {
    format!("{} {} {} {}", d.to_bow_m, d.to_stern_m, d.to_port_m, d.to_starboard_m)
}

/// A message as the reference writes it.
fn written(line: u64, message: &Message) -> String {
    let mut fields = vec![line.to_string(), message.kind.to_string(), message.repeat.to_string()];
    fields.push(message.mmsi.number().to_string());
    match &message.body {
        Body::Position(report, vessel) => fields.extend(position(report, vessel.as_deref())),
        Body::BaseStation(r) => fields.extend([
            or_dash(r.t),
            u8::from(r.is_accurate).to_string(),
            number(r.lon_deg, 6),
            number(r.lat_deg, 6),
            r.epfd.to_string(),
            u8::from(r.raim).to_string(),
        ]),
        Body::Static(r) if r.part == StaticReportPart::A => fields.extend(["A".to_owned(), text(&r.name)]),
        Body::Static(r) if r.part == StaticReportPart::B => fields.extend([
            "B".to_owned(),
            or_dash(r.ship_type),
            text(&r.vendor),
            text(&r.call_sign),
            r.dimensions.map_or_else(|| or_dash(r.mother_ship), dimensions),
        ]),
        Body::Static(r) => fields.extend([
            or_dash(r.imo),
            text(&r.call_sign),
            text(&r.name),
            or_dash(r.ship_type),
            dimensions(r.dimensions.expect("type 5 has them")),
            or_dash(r.epfd),
            r.eta.expect("type 5 has it").map(|part| part.to_string()).join(" "),
            number(r.draught_m, 1),
            text(&r.destination),
        ]),
        Body::Aid(r) => fields.extend([
            r.aid_type.to_string(),
            text(&r.name),
            u8::from(r.is_accurate).to_string(),
            number(r.lon_deg, 6),
            number(r.lat_deg, 6),
            dimensions(r.dimensions),
            r.epfd.to_string(),
            r.timestamp.code().to_string(),
            u8::from(r.is_off_position).to_string(),
            u8::from(r.raim).to_string(),
            u8::from(r.is_virtual).to_string(),
        ]),
        Body::Other => {}
    }
    fields.join(" ")
}

fn position(r: &PositionReport, vessel: Option<&StaticReport>) -> Vec<String> {
    let (accurate, raim) = (u8::from(r.is_accurate).to_string(), u8::from(r.raim).to_string());
    let (lon, lat) = (number(r.lon_deg, 6), number(r.lat_deg, 6));
    let second = r.timestamp.code().to_string();
    match r.kind {
        PositionKind::ClassA => vec![
            or_dash(r.nav_status_code),
            // Rounded to zero, a rate to port is -0; pyais writes a plain one only where the indicator says 0.
            number(r.turn_deg_per_min.map(f64::round), 0),
            number(r.sog_kn, 1),
            accurate,
            lon,
            lat,
            number(r.cog_deg, 1),
            number(r.heading_deg, 0),
            second,
            raim,
        ],
        PositionKind::Aircraft => {
            let altitude = or_dash(r.altitude_m);
            vec![altitude, number(r.sog_kn, 0), accurate, lon, lat, number(r.cog_deg, 1), second, raim]
        }
        PositionKind::LongRange => {
            vec![or_dash(r.nav_status_code), number(r.sog_kn, 0), accurate, lon, lat, number(r.cog_deg, 0), raim]
        }
        PositionKind::ClassB => {
            let heading = number(r.heading_deg, 0);
            let mut out = vec![number(r.sog_kn, 1), accurate, lon, lat, number(r.cog_deg, 1), heading, second, raim];
            if let Some(vessel) = vessel {
                out.push(text(&vessel.name));
                out.push(or_dash(vessel.ship_type));
                out.push(dimensions(vessel.dimensions.expect("type 19 has them")));
                out.push(or_dash(vessel.epfd));
            }
            out
        }
    }
}

/// What pyais reads, less what stands behind the end of a text: M.1371-5 ends texts at the first `@`, and what pyais
/// gives behind it is what the unit had in its memory, as in `PUGET_SOUND_TSL_TA@DJD_!N` and `NEIST_POINT@@@…@L`.
/// The name of an aid goes on in a field of its own (after `|`) only where it takes all twenty characters of the first.
fn without_remains(line: &str) -> String {
    let field = |field: &str| {
        let whole = match field.split_once('|') {
            Some((name, _)) if name.len() < 20 => name.to_owned(),
            Some((name, more)) => [name, more].concat(),
            None => field.to_owned(),
        };
        match whole.split_once('@') {
            Some(("", _)) => "-".to_owned(),
            Some((text, _)) => text.trim_end_matches('_').to_owned(),
            None => whole,
        }
    };
    line.split(' ').map(field).collect::<Vec<_>>().join(" ")
}

/// What is read here, with the type of ship as pyais gives it in types 5 and 19: it has no name for the reserved codes of
/// table 53 and gives another code for them, 65 for 66, 0 for 39.
fn with_named_ship_type(written: &str) -> String {
    let mut fields: Vec<String> = written.split(' ').map(str::to_owned).collect();
    let at = match fields[1].as_str() {
        "5" => 7,
        "19" => 13,
        _ => return written.to_owned(),
    };
    let code: u8 = fields[at].parse().expect("a code");
    let named = match code {
        1..=19 | 38 | 39 | 100.. => 0,
        26..=28 => 25,
        57 => 56,
        46..=48 | 66..=68 | 76..=78 | 86..=88 | 96..=98 => code / 10 * 10 + 5,
        _ => code,
    };
    fields[at] = named.to_string();
    fields.join(" ")
}

fn logs() -> Vec<PathBuf> {
    let folder = std::env::var_os("AIS_LOGS").map_or_else(|| tests_path("data/nmea"), PathBuf::from);
    let entries = std::fs::read_dir(folder).expect("the folder of logs");
    let mut logs: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    logs.retain(|path| {
        let name = path.to_string_lossy();
        name.ends_with(".gz") && !name.ends_with(".pyais.gz")
    });
    logs.sort();
    logs
}

#[test]
fn messages_are_what_pyais_reads() {
    let mut compared = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in logs() {
        let reference = path.with_extension("pyais.gz");
        let reference = String::from_utf8(unzipped(&reference)).expect("the reference is text");
        let (read, refused) = messages(&unzipped(&path));
        let mut expected = reference.lines().peekable();
        let (mut remains, mut unnamed) = (0, 0);
        for (line, message) in &read {
            *compared.entry(message.kind).or_insert(0) += 1;
            let written = written(*line, message);
            let beside = loop {
                let next = expected.next().unwrap_or("nothing");
                let skipped = next.split(' ').next().and_then(|line| line.parse::<u64>().ok());
                match refused.iter().find(|(refused, _)| Some(*refused) == skipped) {
                    Some((_, why)) => assert_eq!(why, "message 1 has 204 bits; it should have 168", "{next}"),
                    None => break next,
                }
            };
            let (here, there) = (with_named_ship_type(&written), without_remains(beside));
            remains += usize::from(there != beside.replace('|', ""));
            unnamed += usize::from(here != written);
            if here != there {
                wrong.push(format!("{}:\n  pyais {beside}\n  here  {written}", path.display()));
            }
        }
        assert_eq!(expected.next(), None, "{}: pyais reads more", path.display());
        println!(
            "{}: {} messages, {remains} with remains, {unnamed} ship types without a name",
            path.display(),
            read.len()
        );
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    println!("{} messages: {compared:?}", compared.values().sum::<i32>());
    for kind in [1, 2, 3, 4, 5, 9, 18, 19, 21, 24, 27] {
        assert!(compared.contains_key(&kind), "no message of type {kind} was compared");
    }
}

/// The eight messages of the Californian log beyond 235 stand in lines with their line end written out as `\r\n`.
#[test]
fn messages_and_stations_are_counted() {
    for (log, message_count, station_count) in [
        ("california-mixed-talkers.nmea", 235 + 8, 168),
        ("denmark-pghp-stream-2010-beginning.nmea", 774, 689),
        ("harlingen-moored-own-boat-2014-04-16.nmea", 1459, 171),
        ("lemmer-own-gps-plus-ais-2020-04-07.nmea", 171, 33),
        ("norway-tagblock-2019-08-07.nm4", 877, 833),
        // And one of 204 bits, the only one of its station.
        ("world-mixture-2018-09-04.nmea", 1326 - 1, 1161 - 1),
    ] {
        let (read, _) = messages(&unzipped(&tests_path(&format!("data/nmea/{log}.gz"))));
        let stations: BTreeSet<_> = read.iter().map(|(_, message)| message.mmsi).collect();
        assert_eq!((read.len(), stations.len()), (message_count, station_count), "{log}");
    }
}
