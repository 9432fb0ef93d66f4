//! Cut anywhere and restored from snapshots, or put under a new map or rulebook: nothing is lost and
//! nothing changes that need not.

use buoyline::engine::{Engine, Event, Input, SnapshotError};
use buoyline::rulebook::Rulebook;
use std::sync::Arc;

use crate::arrival::revision_faults;
use crate::support::judged::{Judged, difference, judge, label, push};
use crate::support::rng::Rng;
use crate::support::scenario::{Ingredients, Scenario};
use crate::support::site::Site;
use crate::support::{spokane, sweep};

#[test]
fn cut_anywhere_and_restored_is_uninterrupted() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(50, |seed| {
        let mut rng = Rng::new(seed + 6_000_000);
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let map = scenario.map(&site);
        let mut observations = scenario.observations(&site, site.noon_unix_ms());
        // A little out of order, so that something is pending at every cut.
        for i in 1..observations.len() {
            if rng.chance(0.2) {
                observations.swap(i - 1, i);
            }
        }
        let whole = judge(&map, &rulebook, &observations);
        let mut events = Vec::new();
        let mut engine = Engine::new(map.clone(), rulebook.clone());
        let cuts = [rng.below(observations.len()), rng.below(observations.len()), rng.below(observations.len())];
        for (position, observation) in observations.iter().enumerate() {
            if cuts.contains(&position) {
                let waters = map.waterways.iter().map(|waterway| Some(&waterway.id)).chain([None]);
                let snapshots: Vec<Vec<u8>> =
                    waters.map(|id| engine.snapshot(id).expect("a waterway of the map")).collect();
                engine = Engine::restore(map.clone(), rulebook.clone(), snapshots.iter().map(Vec::as_slice))
                    .expect("its own snapshots");
            }
            engine.observe(position as u64, observation, &mut events);
        }
        engine.finish(&mut events);
        match events.iter().zip(&whole.events).position(|(a, b)| a != b) {
            None if events.len() == whole.events.len() => Vec::new(),
            None => vec![format!("{} events, not {} (cuts {cuts:?})", events.len(), whole.events.len())],
            Some(i) => vec![format!("cuts {cuts:?}, event {i}: {}\n{}", show(&whole.events[i]), show(&events[i]))],
        }
    });
}

fn show(event: &Event) -> String {
    match event {
        Event::Finding(finding) => format!("revision {} {}", finding.revision, label(finding)),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_snapshot_of_another_map_or_rulebook_is_refused() {
    let site = Site::SPOKANE;
    let scenarios = [1, 2].map(|seed| Scenario::random(seed, &Ingredients::NONE));
    let [here, there] = [scenarios[0].map(&site), scenarios[1].map(&site)];
    let [_, wisconsin] = buoyline::rulebook::SHIPPED else { panic!("two rulebooks are shipped") };
    let wisconsin = Arc::new(Rulebook::from_toml(wisconsin.0, wisconsin.1).expect("a shipped rulebook"));
    let engine = Engine::new(here.clone(), spokane());
    let id = &here.waterways[0].id;
    let bytes = engine.snapshot(Some(id)).expect("its waterway");
    let restore = |map: &Arc<_>, rulebook, bytes: &[u8]| {
        Engine::restore(Arc::clone(map), rulebook, [bytes]).map(|_| ()).expect_err("it is another")
    };
    assert!(matches!(restore(&there, spokane(), &bytes), SnapshotError::Other { what: "map", .. }));
    assert!(matches!(restore(&here, wisconsin, &bytes), SnapshotError::Other { what: "rulebook", .. }));
    assert!(matches!(restore(&here, spokane(), &bytes[..bytes.len() / 2]), SnapshotError::Unreadable(_)));
    assert!(matches!(restore(&here, spokane(), b""), SnapshotError::Unreadable(_)));
}

/// The inputs of a scenario, with another one in between.
fn interrupted(scenario: &Scenario, site: &Site, at: usize, by: Input) -> Vec<Input> {
    let mut inputs: Vec<Input> =
        scenario.observations(site, site.noon_unix_ms()).into_iter().map(Input::Observation).collect();
    inputs.insert(at, by);
    inputs
}

#[test]
fn a_map_change_closes_under_the_old_and_goes_on_under_the_new() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(50, |seed| {
        let mut rng = Rng::new(seed + 7_000_000);
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let mut redrawn = scenario.clone();
        for lake in &mut redrawn.lakes {
            let gone = rng.pick(&["dock", "float", "safety_buoy", "speed_zone"]);
            lake.features.retain(|feature| feature.kind != gone);
        }
        let lost = redrawn.lakes.len() > 1 && rng.chance(0.3);
        if lost {
            redrawn.lakes.remove(0);
        }
        let (old, new) = (scenario.map(&site), redrawn.map(&site));
        let at = rng.below(scenario.messages.len());
        let judged = push(&old, &rulebook, interrupted(&scenario, &site, at, Input::Map(new.clone())));
        let change_s = |finding_at: buoyline::time::EventTime| {
            finding_at.unix_ms() - site.noon_unix_ms() - scenario.messages[at].at_ms
        };
        let mut out = revision_faults(&judged.events);
        out.extend(uncounted(&scenario, &judged));
        for finding in &judged.findings {
            let version = |map: &buoyline::zones::Map| {
                map.waterways.iter().find(|w| w.id == finding.waterway).map(|w| w.version.clone())
            };
            let is_old = change_s(finding.start) < 0;
            let wanted = if is_old { version(&old) } else { version(&new) };
            if wanted.as_ref() != Some(&finding.map_version) && version(&old) != version(&new) {
                // What began in the legs at the change may have been opened under either.
                if change_s(finding.start).abs() > 31_000 {
                    out.push(format!("version: {}", label(finding)));
                }
            }
        }
        // Well before the change everything is as under the old map, well after it as under the new one.
        let observations = scenario.observations(&site, site.noon_unix_ms());
        let before = |j: &Judged| {
            j.findings.iter().filter(|f| f.end.is_some_and(|t| change_s(t) < -60_000)).cloned().collect::<Vec<_>>()
        };
        let after = |j: &Judged| j.findings.iter().filter(|f| change_s(f.start) > 46_000).cloned().collect::<Vec<_>>();
        out.extend(difference(&before(&judge(&old, &rulebook, &observations)), &before(&judged)));
        if !lost {
            out.extend(difference(&after(&judge(&new, &rulebook, &observations)), &after(&judged)));
        }
        out
    });
}

#[test]
fn a_new_rulebook_holds_from_then_on() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    let text = buoyline::rulebook::SHIPPED[0].1.replace("limit = \"5 mph\"", "limit = \"6 mph\"");
    let stricter = Arc::new(Rulebook::from_toml("changed.toml", &text).expect("a rulebook"));
    sweep(30, |seed| {
        let mut rng = Rng::new(seed + 8_000_000);
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let map = scenario.map(&site);
        let at = rng.below(scenario.messages.len());
        let judged = push(&map, &rulebook, interrupted(&scenario, &site, at, Input::Rulebook(stricter.clone())));
        let since_ms = |t: buoyline::time::EventTime| t.unix_ms() - site.noon_unix_ms() - scenario.messages[at].at_ms;
        let mut out = revision_faults(&judged.events);
        out.extend(uncounted(&scenario, &judged));
        let observations = scenario.observations(&site, site.noon_unix_ms());
        let after = |j: &Judged| j.findings.iter().filter(|f| since_ms(f.start) > 46_000).cloned().collect::<Vec<_>>();
        out.extend(difference(&after(&judge(&map, &stricter, &observations)), &after(&judged)));
        out
    });
}

/// Every fix is accepted or refused exactly once.
fn uncounted(scenario: &Scenario, judged: &Judged) -> Option<String> {
    let fixes = scenario.messages.iter().filter(|message| message.plot().is_some()).count() as u64;
    let counted = judged.accepted + judged.refused.values().sum::<u64>();
    (fixes != counted).then(|| format!("{fixes} fixes, {counted} counted"))
}

#[test]
fn what_is_open_closes_when_it_is_late_although_nothing_more_is_heard() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    let mut were_open = 0;
    for seed in 0..20 {
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let mut engine = Engine::new(scenario.map(&site), rulebook.clone());
        let mut events = Vec::new();
        let observations = scenario.observations(&site, site.noon_unix_ms());
        // It breaks off in the middle, where boats are under way.
        for (position, observation) in observations[..observations.len() / 2].iter().enumerate() {
            engine.observe(position as u64, observation, &mut events);
        }
        let open = |events: &[Event]| {
            let mut standing = std::collections::BTreeMap::new();
            for event in events {
                if let Event::Finding(finding) = event {
                    standing.insert(finding.id.clone(), finding.status);
                }
            }
            standing.values().filter(|status| **status == buoyline::findings::Status::Open).count()
        };
        were_open += open(&events);
        let clocks: Vec<_> = engine.clocks().map(|(id, t)| (id.cloned(), t.plus_seconds(2_100.0))).collect();
        for (id, t) in clocks {
            engine.push(observations.len() as u64, Input::Clock(id, t), &mut events);
        }
        assert_eq!(open(&events), 0, "seed {seed}");
    }
    assert!(were_open > 5, "{were_open} open findings make a poor test");
}
