//! What would change: a million fixes out of a store, judged by the map in force and by a draft. The goal is under 3 s.
//!
//! `cargo bench --bench what_would_change [FIXES] [--keep FOLDER]`; a kept folder is used again.

#![allow(clippy::print_stdout)]

#[allow(dead_code)]
mod lake;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use buoyline::observation::{Observation, Refusal};
use buoyline::replay::{Place, ReadOptions, Recording, Sink};
use buoyline::review::{Progress, Question, what_would_change};
use buoyline::rulebook::Rulebook;
use buoyline::store::{Bunches, Content, Entry, Law, Log, Sqlite, Sync};
use buoyline::time::EventTime;
use buoyline::zones::{Map, ZoneFile};

const RUNS: usize = 3;
const SEGMENTS: usize = 10_000;
const VESSELS: usize = 2_000;
/// Entries that are written in one transaction.
const BATCH: usize = 20_000;

fn main() {
    let fixes: usize = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(1_000_000);
    let scratch = tempfile::tempdir().expect("a folder");
    let kept = std::env::args().skip_while(|arg| arg != "--keep").nth(1);
    let folder = kept.map_or_else(|| scratch.path().to_owned(), PathBuf::from);
    let vessels = VESSELS.min(fixes);
    let lake = lake::Lake::of(SEGMENTS, 7);
    let zones = lake.geojson();
    let path = folder.join(format!("store-{fixes}.db"));
    if !path.exists() {
        let recording = folder.join("recording.ndjson");
        std::fs::write(&recording, lake.recording(vessels, fixes / vessels, 11)).expect("room for the recording");
        fill(&path, &recording);
    }
    let rulebook = Arc::new(Rulebook::spokane());
    let law = |text: &str| {
        let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: text.as_bytes().to_vec() };
        let (name, rules) = buoyline::law::built_in_rulebook();
        let (map, _) = Law::new(vec![file], name, rules).read().expect("a map");
        map
    };
    let (in_force, same, draft) = (law(&zones), law(&zones), law(&without_a_tenth_of_the_docks(&zones)));
    let store = Sqlite::open_to_read(&path).expect("a store");
    let (from, to) = (EventTime::from_unix_ms(0), EventTime::from_unix_ms(4_000_000_000_000));

    let decoding = best(|| {
        let mut count = 0;
        let asked = Bunches { after: 0, until: store.last_position().expect("a log"), from, to, size: 8_192 };
        store
            .each_bunch(
                &asked,
                |_, _| true,
                |bunch, _| {
                    count += bunch.len();
                    true
                },
            )
            .expect("a log");
        assert!(count > 0);
    });
    println!("what would change: {fixes} fixes of {vessels} vessels, {SEGMENTS} map segments");
    println!("  decoded from the store      {decoding:6.2} s");
    let ask = |map: &Arc<Map>| {
        let question = Question {
            from,
            to,
            in_force: (in_force.clone(), rulebook.clone()),
            draft: (map.clone(), rulebook.clone()),
        };
        what_would_change(&store, &question, &Progress::default()).expect("a store that can be read")
    };
    let mut changed = ask(&draft);
    let judging = best(|| changed = ask(&draft));
    println!(
        "  judged by both and compared {judging:6.2} s  gained {}, lost {}, other odds {}, same {} of {} fixes",
        changed.gained.len(),
        changed.lost.len(),
        changed.other_odds.len(),
        changed.same,
        changed.fixes
    );
    let nothing = best(|| changed = ask(&same));
    println!("  the same map                {nothing:6.2} s  {} fixes judged", changed.fixes);
    println!("  the goal of 3 s is {}", if judging < 3.0 { "met" } else { "missed" });
}

fn best(mut run: impl FnMut()) -> f64 {
    let times = (0..RUNS).map(|_| {
        let since = Instant::now();
        run();
        since.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

/// The map without every tenth dock: findings beside those go.
fn without_a_tenth_of_the_docks(zones: &str) -> String {
    let mut map: serde_json::Value = serde_json::from_str(zones).expect("JSON");
    let mut docks = 0;
    map["features"].as_array_mut().expect("features").retain(|feature| {
        docks += usize::from(feature["properties"]["kind"] == "dock");
        feature["properties"]["kind"] != "dock" || docks % 10 != 0
    });
    map.to_string()
}

/// A store with everything of a recording, in its order.
fn fill(path: &Path, recording: &Path) {
    struct Filling(Sqlite, Vec<Entry>);
    impl Filling {
        fn flush(&mut self) {
            let entries = std::mem::take(&mut self.1);
            self.0.whole(|store| store.append(&entries)).expect("room for the store");
        }
    }
    impl Sink for Filling {
        fn observation(&mut self, _: Place, observation: Observation) -> ControlFlow<()> {
            let received_at = observation.t().unwrap_or(EventTime::MIN);
            self.1.push(Entry { content: Content::Observation(observation), received_at, origin: None });
            if self.1.len() == BATCH {
                self.flush();
            }
            ControlFlow::Continue(())
        }
        fn refused(&mut self, _: Place, refusal: Refusal) {
            panic!("{refusal:?}");
        }
    }
    let options = ReadOptions::default();
    let mut filling = Filling(Sqlite::open(path, Sync::Process).expect("a store"), Vec::new());
    Recording::open(recording, &options).expect("a recording").read(&options, &mut filling).expect("read");
    filling.flush();
}
