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
use buoyline::review::{Changed, Progress, Question, what_would_change};
use buoyline::rulebook::Rulebook;
use buoyline::serve::Judge;
use buoyline::store::{Bunches, Content, Counters, Entry, Findings, Law, Log, Sqlite, Sync};
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
        fill(&path, &recording, &law_of(&zones));
    }
    let rulebook = Arc::new(Rulebook::spokane());
    let map_of = |text: &str| law_of(text).read().expect("a map").0;
    let (in_force, same, draft) = (map_of(&zones), map_of(&zones), map_of(&without_a_tenth_of_the_docks(&zones)));
    // The same lake in other words: it was never in force, so the store has no findings of it.
    let other = map_of(&zones.replacen("\"properties\":{", "\"properties\":{\"note\":\"surveyed\",", 1));
    assert_ne!(other.version, in_force.version);
    let store = store_of(&path);
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
    let ask = |before: &Arc<Map>, map: &Arc<Map>| {
        let question =
            Question { from, to, in_force: (before.clone(), rulebook.clone()), draft: (map.clone(), rulebook.clone()) };
        let (progress, since) = (Progress::default(), Instant::now());
        let (mut first_s, mut changed) = (f64::INFINITY, None);
        std::thread::scope(|scope| {
            let work = scope.spawn(|| what_would_change(&store_of(&path), &question, &progress));
            while !work.is_finished() {
                let so_far = progress.so_far();
                if first_s.is_infinite() && so_far.same + so_far.lost.len() + so_far.gained.len() > 0 {
                    first_s = since.elapsed().as_secs_f64();
                }
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            changed = work.join().ok();
        });
        (changed.expect("it ends").expect("a store that can be read"), first_s)
    };
    let tell = |what: &str, seconds: f64, (changed, first_s): &(Changed, f64)| {
        println!(
            "  {what} {seconds:6.2} s  first result {first_s:.2} s; gained {}, lost {}, other odds {}, same {} of {} fixes",
            changed.gained.len(),
            changed.lost.len(),
            changed.other_odds.len(),
            changed.same,
            changed.fixes
        );
    };
    let mut came = ask(&in_force, &draft);
    let judging = best(|| came = ask(&in_force, &draft));
    tell("the draft, beside the store ", judging, &came);
    let twice = best(|| came = ask(&other, &draft));
    tell("the draft and another map   ", twice, &came);
    let nothing = best(|| came = ask(&in_force, &same));
    tell("the same map                ", nothing, &came);
    println!("  the goal of 3 s is {}", if judging < 3.0 { "met" } else { "missed" });
}

fn store_of(path: &Path) -> Sqlite {
    Sqlite::open_to_read(path).expect("a store")
}

fn law_of(zones: &str) -> Law {
    let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: zones.as_bytes().to_vec() };
    let (name, rules) = buoyline::law::built_in_rulebook();
    Law::new(vec![file], name, rules)
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

/// A store with everything of a recording, in its order, and what the law makes of it, as a daemon leaves it.
fn fill(path: &Path, recording: &Path, law: &Law) {
    struct Filling(Sqlite, Vec<Entry>, EventTime);
    impl Filling {
        fn flush(&mut self) {
            let entries = std::mem::take(&mut self.1);
            self.0.whole(|store| store.append(&entries)).expect("room for the store");
        }
    }
    impl Sink for Filling {
        fn observation(&mut self, _: Place, observation: &Observation) -> ControlFlow<()> {
            let received_at = observation.t().unwrap_or(EventTime::MIN);
            self.2 = self.2.max(received_at);
            self.1.push(Entry { content: Content::Observation(observation.clone()), received_at, origin: None });
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
    let mut store = Sqlite::open(path, Sync::Process).expect("a store");
    let (map, rulebook) = law.read().expect("a law");
    let in_force = Content::Law(law.version.clone());
    let entry = Entry { content: in_force, received_at: EventTime::from_unix_ms(0), origin: None };
    store.whole(|store| store.keep_law(law, &map, &rulebook)).expect("room for the law");
    store.append(&[entry]).expect("room for an entry");
    let mut filling = Filling(store, Vec::new(), EventTime::MIN);
    Recording::open(recording, &options).expect("a recording").read(&options, &mut filling).expect("read");
    // Nothing more is heard, which closes what is open.
    let over = filling.2.plus_seconds(3_600.0);
    let waters = map.waterways.iter().map(|waterway| Some(waterway.id.clone())).chain([None]);
    let clock = |id| Entry { content: Content::Clock(id, over), received_at: over, origin: None };
    filling.1.extend(waters.map(clock));
    filling.flush();
    let mut store = filling.0;
    let mut judge = Judge::from_the_beginning(&store).expect("a law");
    let last = store.last_position().expect("a log");
    let mut kept = Vec::new();
    judge.catch_up(&store, last, &mut |judged| kept.extend(judged.kept(EventTime::MIN))).expect("a log");
    store
        .whole(|store| {
            store.keep_findings(&kept)?;
            store.count(&Counters::from([(("counted_to", String::new()), last)]))
        })
        .expect("room for the findings");
}
