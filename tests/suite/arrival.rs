//! The order of arrival within the reorder window, duplicates, further fixes on the straight path, far
//! company and the cutting of files change nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use buoyline::engine::{Engine, Event, Offline};
use buoyline::findings::Status;
use buoyline::geo::Vec2;
use buoyline::observation::{Observation, RefusalReason};
use buoyline::time::EventTime;
use buoyline::zones::{Map, MapOptions, ZoneFile};
use serde_json::json;

use crate::support::judged::{Judged, Slack, difference, judge, label, unlike};
use crate::support::rng::Rng;
use crate::support::scenario::{Ingredients, Message, Plot, Says, Scenario, observation, v};
use crate::support::site::Site;
use crate::support::{replay, scratch, spokane, sweep, write_lines};

/// A little less than the reorder window, seconds.
const WINDOW_S: f64 = 29.9;

/// The observations in an order in which they may arrive: none is overtaken by one that is newer by
/// more than the window.
fn shuffled(observations: &[Observation], rng: &mut Rng) -> Vec<Observation> {
    let window_s = rng.pick(&[2.0, 10.0, WINDOW_S]);
    let mut arrival: Vec<(f64, Observation)> = observations
        .iter()
        .map(|observation| {
            let t_s = observation.t().expect("all have a time").unix_ms() as f64 / 1000.0;
            (t_s + rng.between(0.0, window_s), observation.clone())
        })
        .collect();
    arrival.sort_by(|a, b| a.0.total_cmp(&b.0));
    arrival.into_iter().map(|(_, observation)| observation).collect()
}

fn counts(judged: &Judged) -> (u64, &BTreeMap<RefusalReason, u64>) {
    (judged.accepted, &judged.refused)
}

/// What differs in findings and counts, whatever the revisions.
fn changes(a: &Judged, b: &Judged) -> Vec<String> {
    let mut out = difference(&a.outcome(), &b.outcome());
    if counts(a) != counts(b) {
        out.push(format!("counts {:?} and {:?}", counts(a), counts(b)));
    }
    out
}

#[test]
fn shuffled_is_sorted() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(60, |seed| {
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let observations = scenario.observations(&site, site.noon_unix_ms());
        let map = scenario.map(&site);
        let sorted = judge(&map, &rulebook, &observations);
        let mut rng = Rng::new(seed + 1_000_000);
        let other = judge(&map, &rulebook, &shuffled(&observations, &mut rng));
        changes(&sorted, &other)
    });
}

/// Open water with boats close together that turn at every fix, as far as their errors go; every third has somebody
/// in tow.
fn crowd(site: &Site, rng: &mut Rng) -> (Arc<Map>, Vec<Observation>) {
    const HALF_M: f64 = 200.0;
    let position = |at: Vec2| {
        let p = site.place(at);
        [p.lon_deg(), p.lat_deg()]
    };
    let rim = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
    let rim = rim.map(|(x, y)| position(v(x, y) * (HALF_M + 900.0)));
    let water = json!({"type": "Feature", "id": "open", "properties": {"kind": "waterway"},
        "geometry": {"type": "Polygon", "coordinates": [rim]}});
    let bytes = json!({"type": "FeatureCollection", "features": [water]}).to_string().into_bytes();
    let file = ZoneFile { name: "open.geojson".to_owned(), bytes };
    let map = Arc::new(Map::from_files(&[file], &MapOptions::default()).0);

    let start = EventTime::from_unix_ms(site.noon_unix_ms());
    let mut lines = Vec::new();
    for n in 0..36 {
        let vessel = format!("boat-{n}");
        if n % 3 == 0 {
            let towing = json!({"state": "up", "persons": 1});
            lines.push(json!({"type": "activity", "vessel": vessel, "t": start.to_string(), "towing": towing}));
        }
        let mut at = v(rng.between(-HALF_M, HALF_M), rng.between(-HALF_M, HALF_M));
        let (mut course_rad, mps, late_s) = (rng.between(0.0, 6.3), rng.between(7.0, 15.0), rng.between(0.0, 1.0));
        for second in 0..100 {
            course_rad += rng.between(-0.15, 0.15);
            if at.norm() > HALF_M {
                course_rad = (-at.east_m).atan2(-at.north_m);
            }
            at = at + v(course_rad.sin(), course_rad.cos()) * mps;
            let [lon, lat] = position(at + v(rng.between(-4.0, 4.0), rng.between(-4.0, 4.0)));
            let t = start.plus_seconds(f64::from(second) + late_s).to_string();
            lines.push(json!({"type": "fix", "vessel": vessel, "t": t, "lat": lat, "lon": lon,
                "sog_kn": mps * 3600.0 / 1852.0, "accuracy_m": 3.0}));
        }
    }
    let mut observations: Vec<Observation> = lines.iter().map(|line| observation(&line.to_string())).collect();
    observations.sort_by_key(Observation::t);
    (map, observations)
}

#[test]
fn a_crowd_with_skiers_is_judged_alike_in_any_order() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(3, |seed| {
        let mut rng = Rng::new(seed + 5_000_000);
        let (map, observations) = crowd(&site, &mut rng);
        let sorted = judge(&map, &rulebook, &observations);
        let other = judge(&map, &rulebook, &shuffled(&observations, &mut rng));
        // Fixes come in bursts, vessel by vessel: what a tracker has gathered meanwhile.
        let first = observations[0].t().map_or(0, |t| t.unix_ms());
        let burst = |observation: &Observation| observation.t().map_or(0, |t| (t.unix_ms() - first) / 5_000);
        let mut bursts = observations.clone();
        bursts.sort_by_key(|observation| (burst(observation), observation.vessel().cloned()));
        let gathered = judge(&map, &rulebook, &bursts);
        let crossings = sorted.outcome().iter().filter(|finding| finding.rule == "ski-bow-crossing").count();
        let mut offline = Offline::new(Engine::new(map.clone(), rulebook.clone()));
        let mut events = Vec::new();
        for (position, observation) in observations.iter().enumerate() {
            offline.observe(position as u64, observation, &mut events);
        }
        offline.engine(&mut events).finish(&mut events);
        let in_bunches = Judged::of(events);
        let mut faults: Vec<String> =
            [other, gathered, in_bunches].iter().flat_map(|judged| changes(&sorted, judged)).collect();
        if crossings == 0 {
            faults.push("nobody crosses ahead of anybody".to_owned());
        }
        faults
    });
}

#[test]
fn scenarios_hold_what_the_laws_are_about() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    let mut clauses: BTreeMap<String, usize> = BTreeMap::new();
    let mut refused: BTreeMap<RefusalReason, u64> = BTreeMap::new();
    let mut withdrawn = 0;
    for seed in 1..60 {
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let observations = shuffled(&scenario.observations(&site, site.noon_unix_ms()), &mut Rng::new(seed));
        let judged = judge(&scenario.map(&site), &rulebook, &observations);
        for finding in &judged.findings {
            *clauses.entry(format!("{} {}", finding.rule, finding.clause)).or_default() += 1;
        }
        for (reason, count) in judged.refused {
            *refused.entry(reason).or_default() += count;
        }
        let is_withdrawn = |event: &&Event| matches!(event, Event::Finding(f) if f.status == Status::Withdrawn);
        withdrawn += judged.events.iter().filter(is_withdrawn).count();
    }
    assert!(clauses.len() >= 19 && clauses.values().sum::<usize>() > 500, "{clauses:?}");
    for rule in ["ski-proximity", "ski-following", "ski-bow-crossing", "ski-clearance", "ski-observer", "ski-flag"] {
        let count: usize = clauses.iter().filter(|(clause, _)| clause.starts_with(rule)).map(|(_, count)| count).sum();
        assert!(count >= 10, "{rule}: {clauses:?}");
    }
    assert!(refused.contains_key(&RefusalReason::Implausible), "{refused:?}");
    assert!(refused.contains_key(&RefusalReason::OffWater), "{refused:?}");
    assert!(withdrawn > 20, "{withdrawn}");
}

/// A published finding counts its revisions up by one, under an id that stands as long as its opening
/// instant does, and ends closed or withdrawn.
#[test]
fn every_published_finding_ends_and_counts_up() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(60, |seed| {
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let mut rng = Rng::new(seed + 2_000_000);
        let observations = shuffled(&scenario.observations(&site, site.noon_unix_ms()), &mut rng);
        revision_faults(&judge(&scenario.map(&site), &rulebook, &observations).events)
    });
}

pub fn revision_faults(events: &[Event]) -> Vec<String> {
    let mut out = Vec::new();
    let mut last: BTreeMap<&str, &buoyline::findings::Finding> = BTreeMap::new();
    for event in events {
        let Event::Finding(finding) = event else { continue };
        match last.get(finding.id.as_str()) {
            None if finding.revision != 1 => out.push(format!("begins at {}: {}", finding.revision, label(finding))),
            Some(before) if finding.revision != before.revision + 1 => {
                out.push(format!("{} after {}: {}", finding.revision, before.revision, label(finding)));
            }
            Some(before) if before.status == Status::Closed => out.push(format!("after its end: {}", label(finding))),
            Some(before) if before.start.unix_ms() != finding.start.unix_ms() => {
                out.push(format!("start moved: {}", label(finding)))
            }
            _ => {}
        }
        last.insert(&finding.id, finding);
    }
    out.extend(last.values().filter(|f| f.status == Status::Open).map(|f| format!("never ends: {}", label(f))));
    out
}

#[test]
fn an_exact_duplicate_only_counts() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(3, |seed| {
        let mut rng = Rng::new(seed + 3_000_000);
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let map = scenario.map(&site);
        let observations = scenario.observations(&site, site.noon_unix_ms());
        let mut doubled = Vec::new();
        let (mut waiting, mut count): (Vec<Observation>, u64) = (Vec::new(), 0);
        for observation in &observations {
            doubled.push(observation.clone());
            let now = observation.t().expect("a time");
            waiting.retain(|old| {
                let due = now.seconds_since(old.t().expect("a time")) > 20.0 || rng.chance(0.2);
                if due {
                    doubled.push(old.clone());
                    count += 1;
                }
                !due
            });
            if matches!(observation, Observation::Fix(..)) && rng.chance(0.1) {
                waiting.push(observation.clone());
            }
        }
        let once = judge(&map, &rulebook, &observations);
        let twice = judge(&map, &rulebook, &doubled);
        let mut out = difference(&once.findings, &twice.findings);
        let mut refused = once.refused.clone();
        *refused.entry(RefusalReason::Duplicate).or_default() += count;
        // A gap can make a waiting one come after the window; then it is late.
        let late = twice.refused.get(&RefusalReason::Late).copied().unwrap_or(0);
        if late > 0 {
            *refused.entry(RefusalReason::Duplicate).or_default() -= late;
            refused.insert(RefusalReason::Late, late);
        }
        if (once.accepted, refused) != (twice.accepted, twice.refused.clone()) {
            out.push(format!("{:?} and {:?}", once.refused, twice.refused));
        }
        out
    });
}

/// Halfway between two fixes, in place, time and speed.
fn halfway(a: &Plot, b: &Plot) -> Plot {
    let both = |a: Option<f64>, b: Option<f64>| Some(0.5 * (a? + b?));
    Plot { at: (a.at + b.at) * 0.5, sog_kn: both(a.sog_kn, b.sog_kn), nav_status: None, ..a.clone() }
}

#[test]
fn a_further_fix_on_the_straight_path_changes_nothing() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    let with = Ingredients { gaps: true, islands: true, skiing: true, ..Ingredients::NONE };
    sweep(3, |seed| {
        let mut rng = Rng::new(seed + 4_000_000);
        let scenario = Scenario::random(seed, &with);
        let mut denser = scenario.clone();
        let mut last: BTreeMap<&str, (i64, &Plot)> = BTreeMap::new();
        for message in &scenario.messages {
            let Some(plot) = message.plot() else { continue };
            if let Some((before_ms, before)) = last.insert(&plot.vessel, (message.at_ms, plot)) {
                let span_ms = message.at_ms - before_ms;
                // A leg under a metre has no course of its own, and one that ends ashore is not judged.
                let is_whole = (plot.at - before.at).norm() > 2.5
                    && [before, plot].iter().all(|plot| scenario.lakes[0].contains(plot.at));
                if is_whole && span_ms % 2 == 0 && span_ms <= 15_000 && rng.chance(0.5) {
                    let says = Says::Fix(halfway(before, plot));
                    denser.messages.push(Message { at_ms: before_ms + span_ms / 2, says });
                }
            }
        }
        denser.messages.sort_by_key(|message| message.at_ms);
        let map = scenario.map(&site);
        let judged =
            |scenario: &Scenario| judge(&map, &rulebook, &scenario.observations(&site, site.noon_unix_ms())).findings;
        let slack = Slack { time_s: 0.001_5, speed_mps: 1e-3, distance_m: 2e-3, graze_s: 0.01 };
        unlike(&judged(&scenario), &judged(&denser), 0.0, &slack)
    });
}

#[test]
fn vessels_far_off_change_nothing() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(3, |seed| {
        let scenario = Scenario::random(seed, &Ingredients { second_lake: false, ..Ingredients::ALL });
        let stranger = Scenario::random(seed + 500, &Ingredients { second_lake: false, ..Ingredients::ALL });
        let mut company = scenario.clone();
        for message in &stranger.messages {
            let mut message = message.clone();
            match &mut message.says {
                Says::Fix(plot) => {
                    plot.vessel = format!("far-{}", plot.vessel);
                    plot.towed_by = plot.towed_by.as_ref().map(|tower| format!("far-{tower}"));
                    plot.at = plot.at + v(0.0, -2_000.0);
                }
                _ => continue,
            }
            company.messages.push(message);
        }
        let mut lake = stranger.lakes[0].clone();
        lake.features.truncate(1);
        lake.features[0].id = "far-lake".to_owned();
        lake.shift(v(0.0, -2_000.0));
        let (mut alone, mut both) = (scenario.clone(), company.clone());
        alone.lakes.push(lake.clone());
        both.lakes.push(lake);
        both.messages.sort_by_key(|message| message.at_ms);
        let map = alone.map(&site);
        let judged = |scenario: &Scenario| {
            let mut found = judge(&map, &rulebook, &scenario.observations(&site, site.noon_unix_ms())).findings;
            found.retain(|finding| !finding.vessel.as_str().starts_with("far-"));
            found
        };
        difference(&judged(&alone), &judged(&both))
    });
}

#[test]
fn split_files_are_the_whole_file_and_vessel_after_vessel_is_merged() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(25, |seed| {
        let mut rng = Rng::new(seed + 5_000_000);
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let map = scenario.map(&site);
        let lines = scenario.lines(&site, site.noon_unix_ms());
        let folder = scratch();
        let whole = replay(&[write_lines(folder.path(), "whole.ndjson", &lines)], &map, &rulebook);

        let mut cuts = [rng.below(lines.len()), rng.below(lines.len())];
        cuts.sort();
        let parts = [&lines[..cuts[0]], &lines[cuts[0]..cuts[1]], &lines[cuts[1]..]];
        let files: Vec<_> = parts
            .iter()
            .enumerate()
            .filter(|(_, part)| !part.is_empty())
            .map(|(i, part)| write_lines(folder.path(), &format!("part-{i}.ndjson"), part))
            .collect();
        let split = replay(&files, &map, &rulebook);
        let mut out = difference(&whole.findings, &split.findings);
        if whole.fixes != split.fixes || whole.accounts != split.accounts {
            out.push(format!("split: {:?} and {:?}", whole.fixes, split.fixes));
        }

        // One vessel's track after the other's, in one file and in a file each.
        let mut by_vessel: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (message, line) in scenario.messages.iter().zip(&lines) {
            let name = message.plot().map_or_else(|| "reports".to_owned(), |plot| plot.vessel.clone());
            by_vessel.entry(name).or_default().push(line.clone());
        }
        let one: Vec<String> = by_vessel.values().flatten().cloned().collect();
        let one = write_lines(folder.path(), "vessel-after-vessel.ndjson", &one);
        let each: Vec<_> = by_vessel
            .iter()
            .map(|(name, lines)| write_lines(folder.path(), &format!("{name}.ndjson"), lines))
            .collect();
        let bare = |found: &[buoyline::findings::Finding]| {
            found.iter().map(|f| buoyline::findings::Finding { revision: 0, ..f.clone() }).collect::<Vec<_>>()
        };
        for files in [&[one][..], &each] {
            let other = replay(files, &map, &rulebook);
            out.extend(difference(&bare(&whole.findings), &bare(&other.findings)));
            if whole.fixes != other.fixes || whole.period != other.period {
                out.push(format!("by vessel: {:?} and {:?}", whole.fixes, other.fixes));
            }
        }
        out
    });
}

/// A boat seems to run straight past a float; a late fix shows that it went round, and the finding that
/// was published is withdrawn under its id.
#[test]
fn a_late_fix_that_shows_that_there_was_nothing_withdraws() {
    let site = Site::SPOKANE;
    let degrees = |east_m: f64, north_m: f64| site.place(v(east_m, north_m)).to_geojson();
    let ring = [(-300.0, -300.0), (300.0, -300.0), (300.0, 300.0), (-300.0, 300.0), (-300.0, -300.0)];
    let ring: Vec<_> = ring.iter().map(|(east_m, north_m)| degrees(*east_m, *north_m)).collect();
    let feature = |id: &str, kind: &str, geometry: serde_json::Value| serde_json::json!({"type": "Feature", "id": id, "properties": {"kind": kind}, "geometry": geometry});
    let map = serde_json::json!({"type": "FeatureCollection", "features": [
        feature("pond", "waterway", serde_json::json!({"type": "Polygon", "coordinates": [ring]})),
        feature("float", "float", serde_json::json!({"type": "Point", "coordinates": degrees(0.0, 0.0)})),
    ]});
    let file = ZoneFile { name: "pond.geojson".to_owned(), bytes: map.to_string().into_bytes() };
    let map = Arc::new(Map::from_files(&[file], &MapOptions::default()).0);
    let fix = |s: i64, east_m: f64, north_m: f64| {
        let [lon, lat] = degrees(east_m, north_m);
        let t = EventTime::from_unix_ms(site.noon_unix_ms() + s * 1000);
        observation(&format!(r#"{{"type":"fix","vessel":"boat","t":"{t}","lat":{lat},"lon":{lon}}}"#))
    };
    // The third one comes last of all, eight seconds late.
    let arrived = [fix(0, -60.0, 0.0), fix(10, 60.0, 0.0), fix(18, 160.0, 0.0), fix(5, 0.0, 60.0)];
    let judged = judge(&map, &spokane(), &arrived);
    let told: Vec<_> = judged
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Finding(finding) => Some((&finding.id, finding.revision, finding.status)),
            _ => None,
        })
        .collect();
    let [(opened, 1, Status::Open), (withdrawn, 2, Status::Withdrawn)] = told[..] else { panic!("{told:?}") };
    assert_eq!(opened, withdrawn);
}
