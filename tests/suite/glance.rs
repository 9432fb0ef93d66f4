//! A glance that shows that nothing breaks on a stretch of path changes nothing: the engine says the same, word for word,
//! as one that judges every leg. By day and around dusk, one by one and in bunches.

use std::sync::Arc;

use buoyline::engine::{Engine, Event, Offline};
use buoyline::observation::Observation;
use buoyline::rulebook::Rulebook;
use buoyline::zones::Map;

use crate::support::judged::label;
use crate::support::rng::Rng;
use crate::support::scenario::{Ingredients, Scenario};
use crate::support::site::Site;
use crate::support::{spokane, sweep};

/// What an engine says of observations, judged as they come or in bunches.
fn said(map: &Arc<Map>, rulebook: &Arc<Rulebook>, all: &[Observation], glances: bool, in_bunches: bool) -> Vec<Event> {
    let mut engine = Engine::new(map.clone(), rulebook.clone());
    if !glances {
        engine.judge_every_leg();
    }
    let mut events = Vec::new();
    if in_bunches {
        let mut offline = Offline::new(engine);
        for (position, observation) in all.iter().enumerate() {
            offline.observe(position as u64, observation, &mut events);
        }
        offline.engine(&mut events).finish(&mut events);
    } else {
        for (position, observation) in all.iter().enumerate() {
            engine.observe(position as u64, observation, &mut events);
        }
        engine.finish(&mut events);
    }
    events
}

fn shown(event: Option<&Event>) -> String {
    match event {
        Some(Event::Finding(finding)) => format!("revision {} {}", finding.revision, label(finding)),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_glance_changes_nothing() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    let quiet = Ingredients { skiing: false, second_lake: false, reports: false, ..Ingredients::ALL };
    sweep(80, |seed| {
        let mut rng = Rng::new(seed + 9_000_000);
        let ingredients = rng.pick(&[Ingredients::ALL, Ingredients { skiing: false, ..Ingredients::ALL }, quiet]);
        let scenario = Scenario::random(seed, &ingredients);
        let map = scenario.map(&site);
        // Noon, or some time about when night speed begins: half past eight by the sun, a quarter of an hour more or less.
        let dusk_ms = (8 * 60 + 30) * 60_000 + rng.between(-900.0, 900.0) as i64 * 1000;
        let start_ms = site.noon_unix_ms() + rng.pick(&[0, dusk_ms]);
        let observations = scenario.observations(&site, start_ms);
        let mut out = Vec::new();
        for in_bunches in [false, true] {
            let [with, without] =
                [true, false].map(|glances| said(&map, &rulebook, &observations, glances, in_bunches));
            if let Some(i) = (0..with.len().max(without.len())).find(|&i| with.get(i) != without.get(i)) {
                out.push(format!("event {i}: {}\n  every leg: {}", shown(with.get(i)), shown(without.get(i))));
            }
        }
        out
    });
}
