//! What judging boats against each other costs: recordings of more boats on more water, thin and crowded, replayed
//! with and without the rules about two vessels. `cargo bench --bench pairs`, or with `-- crowd` for the smallest crowds
//! alone.
//!
//! Every boat has as many fixes, however many boats there are. Beside whole replays it says what a fix costs once all
//! boats are known: by how much longer the whole takes than its first half. Everything is measured in one run, in turn,
//! in time on the processor where the system tells that, and each figure is the median of three; on a shared machine
//! only the ratios mean something. What grows without the rules about two vessels as well is memory: with more boats less
//! of what is known of each is in the processor's cache. Nothing here fails.

#![allow(clippy::print_stdout)]

use std::f64::consts::TAU;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use buoyline::geo::{LocalFrame, Position, Vec2};
use buoyline::replay::driver::{Job, judge};
use buoyline::rulebook::{Rulebook, SHIPPED};
use buoyline::time::EventTime;
use buoyline::zones::{Map, MapOptions, ZoneFile};

#[path = "lake.rs"]
#[allow(dead_code)]
mod lake;
use lake::Random;

const RUNS: usize = 3;
/// For how long a replay is done again and again, seconds.
const LONG_ENOUGH_S: f64 = 0.5;
/// How many fixes each boat has, unless another number is given.
const SECONDS: usize = 48;
/// The rules about two vessels of which one tows.
const PAIRS: [&str; 3] = ["ski-following", "ski-bow-crossing", "ski-clearance"];

fn start() -> EventTime {
    EventTime::parse_rfc3339("2026-07-04T19:00:00Z").expect("a time")
}

/// Square open water and the map of it.
struct Sea {
    frame: LocalFrame,
    half_m: f64,
    map: Arc<Map>,
}

impl Sea {
    fn of(km2: f64) -> Self {
        let frame = LocalFrame::at(Position::from_lat_lon(47.66, -117.43).expect("a place"));
        let half_m = 500.0 * km2.sqrt();
        let corner = |x: f64, y: f64| {
            let p = frame.to_position(Vec2::new(x, y) * (half_m + 100.0)).expect("a place");
            format!("[{},{}]", p.lon_deg(), p.lat_deg())
        };
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(x, y)| corner(x, y));
        let text = format!(
            r#"{{"type":"FeatureCollection","features":[{{"type":"Feature","id":"sea","properties":{{"kind":"waterway"}},"geometry":{{"type":"Polygon","coordinates":[[{}]]}}}}]}}"#,
            corners.join(",")
        );
        let file = ZoneFile { name: "sea.geojson".to_owned(), bytes: text.into_bytes() };
        Self { frame, half_m, map: Arc::new(Map::from_files(&[file], &MapOptions::default()).0) }
    }

    /// Records boats that run about at 7 to 15 m/s, one fix a second each, for so many seconds, and the first half of
    /// that by itself; every `nth` has a skier behind.
    fn record(&self, count: usize, seconds: usize, nth: usize, [half, whole]: [&Path; 2]) -> std::io::Result<()> {
        let mut random = Random::new(17);
        let mut boats: Vec<(Vec2, f64, f64)> = (0..count)
            .map(|_| {
                let at = Vec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0)) * self.half_m;
                (at, random.between(0.0, TAU), random.between(7.0, 15.0))
            })
            .collect();
        let mut out = BufWriter::new(File::create(whole)?);
        for i in (0..count).step_by(nth) {
            writeln!(
                out,
                r#"{{"type":"activity","vessel":"boat-{i:06}","t":"{}","towing":{{"state":"up","persons":1}}}}"#,
                start()
            )?;
        }
        for second in 0..seconds {
            if second == seconds / 2 {
                out.flush()?;
                std::fs::copy(whole, half)?;
            }
            for (i, (at, course, mps)) in boats.iter_mut().enumerate() {
                *course += 0.08 * random.normal();
                if at.east_m.abs().max(at.north_m.abs()) > self.half_m {
                    *course = (-at.east_m).atan2(-at.north_m);
                }
                *at = *at + Vec2::new(course.sin(), course.cos()) * *mps;
                let t = start().plus_seconds(second as f64 + (i * 997 % 1000) as f64 / 1000.0);
                let p = self.frame.to_position(*at).expect("a place");
                writeln!(
                    out,
                    r#"{{"type":"fix","vessel":"boat-{i:06}","t":"{t}","lat":{:.7},"lon":{:.7},"sog_kn":{:.2},"accuracy_m":3.0}}"#,
                    p.lat_deg(),
                    p.lon_deg(),
                    *mps * 3600.0 / 1852.0
                )?;
            }
        }
        out.flush()
    }
}

/// Spokane's rules, without those about two vessels.
fn alone() -> Rulebook {
    let text = SHIPPED[0].1;
    let kept: Vec<&str> = text
        .split("\n[[")
        .filter(|part| !PAIRS.iter().any(|rule| part.starts_with(&format!("rules.{rule}."))))
        .collect();
    Rulebook::from_toml("alone.toml", &kept.join("\n[[")).expect("a rulebook")
}

/// Nanoseconds that this thread has worked.
fn worked_ns(began: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let on_processor = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    on_processor.unwrap_or(began.elapsed().as_nanos() as f64)
}

/// What a replay took, nanoseconds, of how many fixes, and how many findings closed. Short ones are done several times:
/// the system counts in steps of some milliseconds.
fn replayed(map: &Arc<Map>, rulebook: &Arc<Rulebook>, path: &Path) -> (f64, f64, usize) {
    let job = Job { tracks: vec![PathBuf::from(path)], ..Job::default() };
    let began = Instant::now();
    let before_ns = worked_ns(began);
    let mut times = 0.0;
    loop {
        let outcome = judge(&job, map, rulebook, &mut |_| {});
        times += 1.0;
        if began.elapsed().as_secs_f64() >= LONG_ENOUGH_S {
            let ns = (worked_ns(began) - before_ns) / times;
            return (ns, outcome.fixes.accepted as f64, outcome.findings.len());
        }
    }
}

/// What a fix costs, nanoseconds.
#[derive(Clone, Copy)]
struct Cost {
    /// In a whole replay.
    whole_ns: f64,
    /// Once all boats are known.
    steady_ns: f64,
    findings: usize,
}

fn cost(map: &Arc<Map>, rulebook: &Arc<Rulebook>, [half, whole]: [&Path; 2]) -> Cost {
    let (half_ns, half_fixes, _) = replayed(map, rulebook, half);
    let (ns, fixes, findings) = replayed(map, rulebook, whole);
    Cost { whole_ns: ns / fixes, steady_ns: (ns - half_ns) / (fixes - half_fixes), findings }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let arg = std::env::args().skip(1).find_map(|arg| arg.parse().ok());
    let seconds: usize = arg.unwrap_or(SECONDS);
    let (all, alone) = (Arc::new(Rulebook::spokane()), Arc::new(alone()));
    let scratch = tempfile::tempdir().expect("a folder for the recordings");
    println!("replays of boats that run, one fix a second each, {seconds} of each; medians of {RUNS}, one core");
    println!();
    println!(
        "| boats a km² | with a skier | boats | a fix, whole replay | steady | without pairs, whole | steady | pace of that, whole | steady | findings |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let crowd = std::env::args().any(|arg| arg == "crowd");
    for (density, nth) in [(1.0, 20), (100.0, 20), (100.0, 3)].into_iter().skip(if crowd { 1 } else { 0 }) {
        let mut first = None;
        for count in [1_000, 10_000, 100_000].into_iter().take(if crowd { 1 } else { 3 }) {
            let sea = Sea::of(count as f64 / density);
            let paths = ["half.ndjson", "whole.ndjson"].map(|name| scratch.path().join(name));
            let paths = [paths[0].as_path(), paths[1].as_path()];
            sea.record(count, seconds, nth, paths).expect("room for it");
            let mut costs: [Vec<Cost>; 2] = Default::default();
            for _ in 0..RUNS {
                for (costs, rulebook) in costs.iter_mut().zip([&all, &alone]) {
                    costs.push(cost(&sea.map, rulebook, paths));
                }
            }
            let middle = |which: usize, of: fn(&Cost) -> f64| median(costs[which].iter().map(of).collect());
            let [whole, alone] = [0, 1].map(|which| middle(which, |c| c.whole_ns));
            let [steady, steady_alone] = [0, 1].map(|which| middle(which, |c| c.steady_ns));
            let now = [whole, steady, alone, steady_alone];
            let first = *first.get_or_insert(now);
            let cell = |i: usize| format!("{:.0} ns, {:.2} of the first", now[i], now[i] / first[i]);
            println!(
                "| {density} | 1 in {nth} | {count} | {} | {} | {} | {} | {:.2} | {:.2} | {} |",
                cell(0),
                cell(1),
                cell(2),
                cell(3),
                alone / whole,
                steady_alone / steady,
                costs[0][0].findings
            );
        }
    }
}
