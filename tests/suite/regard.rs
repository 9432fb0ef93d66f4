//! Asking what is known of a vessel changes nothing, and tells the limit that findings are made by.

use std::sync::Arc;

use buoyline::engine::{Engine, Event};
use buoyline::observation::Observation;
use buoyline::zones::{Map, MapOptions};

use crate::support::scenario::{Ingredients, Scenario};
use crate::support::site::Site;
use crate::support::spokane;

const BEGIN_UNIX_MS: i64 = 1_750_000_000_000;

fn observations(seed: u64) -> (Arc<Map>, Vec<Observation>) {
    let site = Site::SPOKANE;
    let scenario = Scenario::random(seed, &Ingredients::ALL);
    let rulebook = spokane();
    let options = MapOptions { max_link_m: rulebook.motion.max_link_m };
    let (map, _) = Map::from_files(&scenario.zone_files(&site), &options);
    (Arc::new(map), scenario.observations(&site, BEGIN_UNIX_MS))
}

#[test]
fn asking_changes_no_outcome() {
    for seed in 0..8 {
        let (map, observations) = observations(seed);
        let judge = |asks: bool| {
            let mut engine = Engine::new(map.clone(), spokane());
            let mut events = Vec::new();
            for (i, observation) in observations.iter().enumerate() {
                engine.observe(i as u64, observation, &mut events);
                if let Some(vessel) = observation.vessel().filter(|_| asks) {
                    engine.regard(vessel);
                    engine.posted();
                }
            }
            engine.finish(&mut events);
            events
        };
        assert!(judge(false) == judge(true), "seed {seed}");
    }
}

#[test]
fn who_is_found_too_fast_was_told_no_higher_limit() {
    let mut told = 0;
    for seed in 0..20 {
        let (map, observations) = observations(seed);
        let mut engine = Engine::new(map, spokane());
        let mut events = Vec::new();
        for (i, observation) in observations.iter().enumerate() {
            events.clear();
            engine.observe(i as u64, observation, &mut events);
            let Observation::Fix(vessel, fix) = observation else { continue };
            for event in &events {
                let Event::Finding(finding) = event else { continue };
                // One whose worst instant is this very fix is about the place where the limit is asked.
                let Some(limit_mps) = finding.limit.speed_mps.filter(|_| finding.vessel == *vessel) else { continue };
                if finding.peak.t != fix.t {
                    continue;
                }
                let regard = engine.regard(vessel).expect("it was just heard");
                let limit = regard.limit.unwrap_or_else(|| panic!("seed {seed}: no limit beside {}", finding.text));
                assert!(limit.speed_mps <= limit_mps + 1e-9, "seed {seed}: {limit:?} beside {}", finding.text);
                told += 1;
            }
        }
    }
    assert!(told > 50, "{told} findings make a poor test");
}
