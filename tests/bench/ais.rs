//! AIS lines a second, beside the crate nmea-parser on the same lines in the same run.

use std::io::Read;
use std::path::Path;

use buoyline::ingest::nmea::{Entry, Reader, Settings};
use buoyline::time::EventTime;
use nmea_parser::{NmeaParser, ParsedMessage};

use crate::{RUNS, median, seconds};

const LOGS: [&str; 3] =
    ["denmark-pghp-stream-2010-beginning.nmea", "norway-tagblock-2019-08-07.nm4", "world-mixture-2018-09-04.nmea"];
const REPEATED: usize = 40;

/// The AIS sentences of real logs, each alone in its line.
fn sentences() -> Vec<String> {
    let mut sentences = Vec::new();
    for log in LOGS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/nmea/{log}.gz"));
        let file = std::fs::File::open(path).expect("a log of the tests");
        let mut text = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("a log can be unpacked");
        let starts = text.lines().filter_map(|line| line.find("VD").map(|at| &line[at - 3..]));
        // The other parser knows talkers by a list and refuses `--`.
        sentences.extend(starts.filter(|line| line.starts_with('!') && !line.starts_with("!--")).map(str::to_owned));
    }
    sentences
}

/// How many observations come of the lines, all the way to fixes and profiles.
fn read_here(lines: &[String], received: EventTime) -> usize {
    let mut reader = Reader::new(Settings::default());
    let mut count = 0;
    for line in lines {
        reader.line(line.as_bytes(), Some(received), &mut |_, entry| {
            count += usize::from(matches!(std::hint::black_box(&entry), Entry::Observation(_)));
        });
    }
    count
}

/// How many messages the other parser gives.
fn read_there(lines: &[String]) -> usize {
    let mut parser = NmeaParser::new();
    let is_message = |message: &ParsedMessage| {
        matches!(message, ParsedMessage::VesselDynamicData(_) | ParsedMessage::VesselStaticData(_))
    };
    let parsed = lines.iter().map(|line| parser.parse_sentence(line));
    parsed.filter(|parsed| std::hint::black_box(parsed).as_ref().is_ok_and(is_message)).count()
}

/// Prints a row of how fast both are.
pub fn row() {
    let lines = sentences();
    let received = EventTime::from_unix_ms(1_796_022_000_000);
    let (mut here_s, mut there_s) = (Vec::new(), Vec::new());
    let (mut here, mut there) = (0, 0);
    for _ in 0..RUNS {
        here_s.push(seconds(|| (0..REPEATED).for_each(|_| here = read_here(&lines, received))));
        there_s.push(seconds(|| (0..REPEATED).for_each(|_| there = read_there(&lines))));
    }
    let ns = |values: Vec<f64>| median(values) / (lines.len() * REPEATED) as f64 * 1e9;
    let (here_ns, there_ns) = (ns(here_s), ns(there_s));
    println!();
    println!("| AIS lines | here | nmea-parser | here of it |");
    println!("| --- | --- | --- | --- |");
    println!(
        "| {} | {here_ns:.0} ns, {here} observations | {there_ns:.0} ns, {there} messages | {:.1} |",
        lines.len(),
        there_ns / here_ns
    );
}
