//! Damaged tracks, maps and rulebooks through the whole way: no panic, no endless work, and nothing is
//! lost without being counted.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use buoyline::ingest::native::{self, Envelope};
use buoyline::observation::Observation;
use buoyline::rulebook::{Rulebook, SHIPPED};
use buoyline::zones::{Map, MapOptions, ZoneFile};

use crate::support::judged::judge;
use crate::support::rng::Rng;
use crate::support::scenario::{Ingredients, Scenario};
use crate::support::site::Site;
use crate::support::{replay, scratch, spokane, sweep, tests_path};

/// What no input may take longer than.
const PATIENCE: Duration = Duration::from_secs(20);

/// Numbers that readers stumble over.
const ODD_NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1e308",
    "-1e308",
    "1e-320",
    "NaN",
    "null",
    "90",
    "-90",
    "90.000001",
    "180",
    "-180",
    "181",
    "360",
    "9223372036854775807",
    "18446744073709551616",
    "\"5\"",
    "[]",
    "{}",
    "true",
    "-1",
    "0.1e",
    "1e999",
];
/// Times at the edges.
const ODD_TIMES: &[&str] = &[
    "1677-09-21T00:12:44Z",
    "2262-04-11T23:47:16Z",
    "0000-00-00T00:00:00Z",
    "2026-02-29T12:00:00Z",
    "2026-06-30T23:59:60Z",
    "9999-12-31T23:59:59Z",
    "1970-01-01T00:00:00Z",
    "2026-06-23T19:50:00+14:00",
    "",
];

/// Damages a text: bytes, numbers, times, lines.
fn damaged(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = text.to_vec();
    for _ in 0..1 + rng.below(12) {
        if out.is_empty() {
            break;
        }
        let at = rng.below(out.len());
        match rng.below(8) {
            0 => out[at] = rng.below(256) as u8,
            1 => drop(out.remove(at)),
            2 => out.insert(at, rng.pick(b"{}[],:\"\n\r\t \0-.e0\xff")),
            3 | 4 => {
                // The number at or after the place becomes another one.
                if let Some(start) = out[at..].iter().position(u8::is_ascii_digit).map(|i| at + i) {
                    let is_number = |b: &u8| b.is_ascii_digit() || b".eE+-".contains(b);
                    let end = out[start..].iter().position(|b| !is_number(b)).map_or(out.len(), |i| start + i);
                    out.splice(start..end, rng.pick(ODD_NUMBERS).bytes());
                }
            }
            5 => {
                if let Some(start) = find(&out[at..], b"\"t\":\"").map(|i| at + i + 5) {
                    let end = out[start..].iter().position(|b| *b == b'"').map_or(out.len(), |i| start + i);
                    out.splice(start..end, rng.pick(ODD_TIMES).bytes());
                }
            }
            6 => out.truncate(at.max(out.len() / 2)),
            _ => {
                // A line moves elsewhere.
                let mut lines: Vec<Vec<u8>> = out.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
                let line = lines.remove(rng.below(lines.len()));
                lines.insert(rng.below(lines.len() + 1), line);
                out = lines.join(&b'\n');
            }
        }
    }
    out
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// How many messages other than fixes the lines hold, and how many results in all.
fn counted(bytes: &[u8]) -> (u64, u64) {
    let (mut others, mut all) = (0, 0);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    for line in bytes.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        native::decode(line, Envelope::default(), |result| {
            all += 1;
            others += u64::from(matches!(result, Ok(ref observation) if !matches!(observation, Observation::Fix(..))));
        });
    }
    (others, all)
}

/// Every record is an observation or refused; every fix is accepted or refused, exactly once.
#[test]
fn damaged_recordings_lose_nothing() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(150, |seed| {
        let mut rng = Rng::new(seed + 9_000_000);
        let scenario = Scenario::random(1 + seed % 12, &Ingredients::ALL);
        let map = scenario.map(&site);
        let text = scenario.lines(&site, site.noon_unix_ms()).join("\n");
        let bytes = damaged(text.as_bytes(), &mut rng);
        let folder = scratch();
        let path = folder.path().join("damaged.ndjson");
        std::fs::write(&path, &bytes).expect("a file can be written");
        let began = Instant::now();
        let outcome = replay(&[path], &map, &rulebook);
        let mut out = Vec::new();
        if began.elapsed() > PATIENCE {
            out.push(format!("took {:?}", began.elapsed()));
        }
        let (others, all) = counted(&bytes);
        let fixes = outcome.fixes.accepted + outcome.fixes.refused.values().sum::<u64>();
        if outcome.unread.is_empty() && fixes + others != all {
            out.push(format!("{all} records, {others} of other kinds, {fixes} counted: {:?}", outcome.fixes));
        }
        out
    });
}

/// Real recordings of every format, damaged.
#[test]
fn damaged_files_of_every_format_are_read_or_refused() {
    let rulebook = spokane();
    let mut recordings: Vec<PathBuf> = Vec::new();
    for format in ["ndjson", "gpx", "tcx", "csv"] {
        let folder = tests_path("data/recordings").join(format).join("accepted");
        recordings.extend(std::fs::read_dir(folder).expect("samples").map(|entry| entry.expect("an entry").path()));
    }
    recordings.retain(|path| !path.to_string_lossy().ends_with(".read.txt"));
    recordings.sort();
    let map = Scenario::random(1, &Ingredients::ALL).map(&Site::SPOKANE);
    sweep(150, |seed| {
        let mut rng = Rng::new(seed + 10_000_000);
        let original = &recordings[rng.below(recordings.len())];
        let bytes = damaged(&std::fs::read(original).expect("a sample"), &mut rng);
        let folder = scratch();
        let path = folder.path().join(original.file_name().expect("a name"));
        std::fs::write(&path, &bytes).expect("a file can be written");
        let began = Instant::now();
        let outcome = replay(&[path], &map, &rulebook);
        let is_silent = bytes.len() > 300
            && outcome.unread.is_empty()
            && outcome.fixes.accepted == 0
            && outcome.fixes.refused.is_empty()
            && original.extension().is_some_and(|ending| ending == "ndjson");
        let mut out = Vec::new();
        if is_silent {
            out.push(format!("{}: nothing was read and nothing said", original.display()));
        }
        if began.elapsed() > PATIENCE {
            out.push(format!("{}: took {:?}", original.display(), began.elapsed()));
        }
        out
    });
}

/// A damaged map is read as far as it goes, what is wrong is said, and judging by it does not fail.
#[test]
fn damaged_maps_are_judged_by_or_refused() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(150, |seed| {
        let mut rng = Rng::new(seed + 11_000_000);
        let scenario = Scenario::random(1 + seed % 8, &Ingredients::ALL);
        let observations = scenario.observations(&site, site.noon_unix_ms());
        let mut files = scenario.zone_files(&site);
        let (clean, _) = Map::from_files(&files, &MapOptions::default());
        let which = rng.below(files.len());
        files[which].bytes = damaged(&files[which].bytes, &mut rng);
        let began = Instant::now();
        let (map, faults) = Map::from_files(&files, &MapOptions::default());
        let judged = judge(&Arc::new(map), &rulebook, &observations);
        let fixes = observations.iter().filter(|o| matches!(o, Observation::Fix(..))).count() as u64;
        let mut out = Vec::new();
        if judged.accepted + judged.refused.values().sum::<u64>() != fixes {
            out.push(format!("{fixes} fixes, {} accepted, {:?}", judged.accepted, judged.refused));
        }
        if began.elapsed() > PATIENCE {
            out.push(format!("took {:?}", began.elapsed()));
        }
        let (again, _) = Map::from_files(&files, &MapOptions::default());
        let lost = clean.waterways.len() != again.waterways.len();
        if lost && faults.is_empty() {
            out.push("a waterway is gone and nothing was said".to_owned());
        }
        out
    });
}

/// A damaged rulebook is refused with its faults, or judged by.
#[test]
fn damaged_rulebooks_are_judged_by_or_refused() {
    let site = Site::SPOKANE;
    let scenario = Scenario::random(5, &Ingredients::ALL);
    let (map, observations) = (scenario.map(&site), scenario.observations(&site, site.noon_unix_ms()));
    let odd = ["0", "0.0001", "1000000", "1e9", "1e300", "-1", "99999999999999999999", "nan", "inf"];
    sweep(150, |seed| {
        let mut rng = Rng::new(seed + 12_000_000);
        let (name, text) = SHIPPED[rng.below(SHIPPED.len())];
        let damaged = if rng.chance(0.6) {
            // A quantity becomes another one.
            let places: Vec<usize> = text.match_indices(" = \"").map(|(at, _)| at + 4).collect();
            let mut text = text.to_owned();
            let start = rng.pick(&places);
            let length = text[start..].find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(0);
            text.replace_range(start..start + length, rng.pick(&odd));
            text
        } else {
            String::from_utf8_lossy(&damaged(text.as_bytes(), &mut rng)).into_owned()
        };
        let began = Instant::now();
        match Rulebook::from_toml(name, &damaged) {
            Err(faults) if faults.is_empty() => vec!["refused without a fault".to_owned()],
            Err(_) => Vec::new(),
            Ok(rulebook) => {
                judge(&map, &Arc::new(rulebook), &observations);
                let took = began.elapsed();
                if took > PATIENCE { vec![format!("took {took:?}")] } else { Vec::new() }
            }
        }
    });
}

/// Files that are no zone files at all.
#[test]
fn what_is_no_map_is_said_to_be_none() {
    for bytes in [&b""[..], b"{", b"null", b"[]", b"\xff\xfe", b"{\"type\":\"FeatureCollection\",\"features\":[]}"] {
        let file = ZoneFile { name: "none.geojson".to_owned(), bytes: bytes.to_vec() };
        let (map, faults) = Map::from_files(&[file], &MapOptions::default());
        assert!(map.waterways.is_empty() && !faults.is_empty(), "{bytes:?}: {faults:?}");
    }
}
