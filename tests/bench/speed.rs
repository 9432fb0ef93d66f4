//! How fast Buoyline judges, as a table. `cargo bench`, or `cargo bench -- 200000` for another number of fixes.
//!
//! `--formats` measures only how fast recordings are read. `--keep FOLDER` leaves the made-up maps and recordings there.
//!
//! Everything is measured in one run, in turn, and each figure is the median of five; on a shared machine
//! only the ratios mean something. Nothing here fails.

#![allow(clippy::print_stdout)]

mod ais;
mod formats;
mod lake;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use buoyline::engine::Engine;
use buoyline::observation::{Observation, Refusal};
use buoyline::replay::driver::{Job, judge};
use buoyline::replay::{Place, ReadOptions, Recording, Sink};
use buoyline::rulebook::Rulebook;
use buoyline::zones::{KindSet, Map, MapOptions, ZoneFile};

const RUNS: usize = 5;

#[derive(Default)]
struct Count {
    observations: u64,
    refused: u64,
}

impl Sink for Count {
    fn observation(&mut self, _: Place, observation: &Observation) -> ControlFlow<()> {
        std::hint::black_box(&observation);
        self.observations += 1;
        ControlFlow::Continue(())
    }
    fn refused(&mut self, _: Place, _: Refusal) {
        self.refused += 1;
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn read_alone(path: &Path) -> Count {
    let options = ReadOptions::default();
    let mut count = Count::default();
    let recording = Recording::open(path, &options).expect("the recording was just written");
    recording.read(&options, &mut count).expect("it can be read");
    count
}

fn load(text: &str, rulebook: &Rulebook) -> Arc<Map> {
    let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: text.as_bytes().to_vec() };
    let options = MapOptions { max_link_m: rulebook.motion.max_link_m };
    let (map, faults) = Map::from_files(&[file], &options);
    assert!(faults.is_empty(), "the made-up lake has faults: {}", faults[0]);
    Arc::new(map)
}

fn main() {
    let fixes: usize = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(500_000);
    let rulebook = Arc::new(Rulebook::spokane());
    let scratch = tempfile::tempdir().expect("a folder for the recordings");
    let kept = std::env::args().skip_while(|arg| arg != "--keep").nth(1);
    let folder = kept.map_or_else(|| scratch.path().to_owned(), std::path::PathBuf::from);
    let vessels = 2000.min(fixes);

    if std::env::args().any(|arg| arg == "--formats") {
        let path = folder.join("formats.ndjson");
        std::fs::write(&path, lake::Lake::of(10_000, 7).recording(vessels, fixes / vessels, 11)).expect("room for it");
        return formats::table(&path, &folder);
    }
    let mut lakes = Vec::new();
    for segments in [10_000, 1_000_000] {
        let lake = lake::Lake::of(segments, 7);
        let text = lake.geojson();
        let path = folder.join(format!("{segments}.ndjson"));
        std::fs::write(folder.join(format!("{segments}.geojson")), &text).expect("room for the map");
        std::fs::write(&path, lake.recording(vessels, fixes / vessels, 11)).expect("room for the recording");
        let loads: Vec<f64> = (0..RUNS).map(|_| seconds(|| drop(load(&text, &rulebook)))).collect();
        lakes.push((segments, load(&text, &rulebook), path, median(loads)));
    }

    let mut read_s = vec![Vec::new(); lakes.len()];
    let mut replay_s = vec![Vec::new(); lakes.len()];
    let mut findings = vec![0; lakes.len()];
    let mut count = Count::default();
    for _ in 0..RUNS {
        for (i, (_, map, path, _)) in lakes.iter().enumerate() {
            read_s[i].push(seconds(|| count = read_alone(path)));
            replay_s[i].push(seconds(|| {
                let job = Job { tracks: vec![path.clone()], ..Job::default() };
                let outcome = judge(&job, map, &rulebook, &mut |_| {});
                let mut out = Vec::new();
                for finding in &outcome.findings {
                    serde_json::to_writer(&mut out, finding).expect("memory does not fail");
                }
                std::hint::black_box(&out);
                findings[i] = outcome.findings.len();
            }));
        }
    }

    let n = count.observations as f64;
    println!("{n} fixes of {vessels} boats, {} refused; medians of {RUNS}, in turn, one core", count.refused);
    for (segments, map, path, _) in &lakes {
        let share = |of: u64| 100.0 * of as f64 / n;
        let kinds = hardness(path, map);
        println!(
            "{segments} segments: {:.1} % within 50 ft of something, {:.1} % faster than 5 mph, {:.1} % both",
            share(kinds[0]),
            share(kinds[1]),
            share(kinds[2])
        );
    }
    println!();
    println!("| map segments | load | (a) read and parse | (b) whole replay | b of a | rules a fix | findings |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let mut rules_ns = Vec::new();
    for (i, (segments, _, _, load_s)) in lakes.iter().enumerate() {
        let (a, b) = (median(read_s[i].clone()), median(replay_s[i].clone()));
        rules_ns.push((b - a) / n * 1e9);
        println!(
            "| {segments} | {load_s:.2} s | {:.2} M/s | {:.2} M/s | {:.2} | {:.0} ns | {} |",
            n / a / 1e6,
            n / b / 1e6,
            a / b,
            rules_ns[i],
            findings[i]
        );
    }
    println!();
    println!("rules a fix, 1,000,000 segments of 10,000: {:.2}", rules_ns[1] / rules_ns[0]);
    formats::table(&lakes[0].2, &folder);
    memory(&lakes[0].1, &rulebook);
}

/// How many fixes are within 50 ft of something, faster than 5 mph, and both.
fn hardness(path: &Path, map: &Map) -> [u64; 3] {
    struct Look<'m>(&'m Map, [u64; 3]);
    impl Sink for Look<'_> {
        fn observation(&mut self, _: Place, observation: &Observation) -> ControlFlow<()> {
            if let Observation::Fix(_, fix) = observation {
                let near = self.0.waterways[0].nearest(fix.position, KindSet::ALL, 15.24).is_some();
                let fast = fix.sog_mps.is_some_and(|mps| mps > 2.2352);
                for (count, is) in self.1.iter_mut().zip([near, fast, near && fast]) {
                    *count += u64::from(is);
                }
            }
            ControlFlow::Continue(())
        }
        fn refused(&mut self, _: Place, _: Refusal) {}
    }
    let options = ReadOptions::default();
    let mut look = Look(map, [0; 3]);
    let recording = Recording::open(path, &options).expect("the recording was just written");
    recording.read(&options, &mut look).expect("it can be read");
    look.1
}

/// Bytes a vessel, for 100,000 of them.
fn memory(map: &Arc<Map>, rulebook: &Arc<Rulebook>) {
    const VESSELS: usize = 100_000;
    struct Feed<'e>(&'e mut Engine, Vec<buoyline::engine::Event>);
    impl Sink for Feed<'_> {
        fn observation(&mut self, place: Place, observation: &Observation) -> ControlFlow<()> {
            self.0.observe(place.line, observation, &mut self.1);
            self.1.clear();
            ControlFlow::Continue(())
        }
        fn refused(&mut self, _: Place, _: Refusal) {}
    }
    let lake = lake::Lake::of(10_000, 7);
    let text = lake.recording(VESSELS, 5, 13).replace("\"boat-", "\"many-");
    let mut engine = Engine::new(map.clone(), rulebook.clone());
    let options = ReadOptions::default();
    let recording = Recording::from_reader("many.ndjson", std::io::Cursor::new(text), &options).expect("NDJSON");
    recording.read(&options, &mut Feed(&mut engine, Vec::new())).expect("it can be read");
    let bytes = engine.vessel_bytes();
    let each = |bytes: usize| bytes as f64 / VESSELS as f64;
    println!(
        "{} vessels: {:.0} bytes each, {:.0} for findings in the making, {:.0} for fixes",
        engine.vessel_count(),
        each(bytes.state),
        each(bytes.findings),
        each(bytes.fixes)
    );
}
