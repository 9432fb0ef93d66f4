//! Continuous is dense sampling, an index is a linear scan, and the same scene elsewhere, turned or
//! mirrored gives the same findings.

use std::collections::BTreeSet;
use std::sync::Arc;

use buoyline::findings::Finding;
use buoyline::observation::Observation;
use buoyline::rulebook::Rulebook;
use buoyline::zones::Waterway;

use crate::support::judged::{Slack, judge, label, unlike};
use crate::support::plane::wake_zone_by_sampling;
use crate::support::scan::{CLAUSES, fixes_of, wake_zone_by_scan};
use crate::support::scenario::{Ingredients, Scenario};
use crate::support::site::Site;
use crate::support::{spokane, sweep};

/// Without what the other ways of judging know nothing of.
const PLAIN: Ingredients = Ingredients { gaps: true, resting: true, islands: true, ..Ingredients::NONE };

#[test]
fn continuous_is_dense_sampling() {
    let (site, rulebook) = (Site { lat_deg: 43.1, lon_deg: -89.4, turn_deg: 25.0, mirror: false }, spokane());
    sweep(30, |seed| {
        let scenario = Scenario::random(seed, &PLAIN);
        let start_unix_ms = site.noon_unix_ms();
        let findings = judge(&scenario.map(&site), &rulebook, &scenario.observations(&site, start_unix_ms)).findings;
        let seconds = |t: buoyline::time::EventTime| (t.unix_ns() - start_unix_ms * 1_000_000) as f64 * 1e-9;
        let is_meant = |f: &&Finding| f.rule == "wake-zone" && f.other.is_none();
        let mut left: Vec<&Finding> = findings.iter().filter(is_meant).collect();
        let mut out = Vec::new();
        for stretch in wake_zone_by_sampling(&scenario) {
            let at = left.iter().position(|f| {
                f.clause == stretch.clause
                    && f.vessel.as_str() == stretch.vessel
                    && (seconds(f.start) - stretch.start_s).abs() <= 0.05
                    && (seconds(f.end.expect("closed")) - stretch.end_s).abs() <= 0.05
                    && f.peak.speed_mps.is_some_and(|mps| (mps - stretch.top_mps).abs() <= 0.05)
            });
            match at {
                Some(at) => drop(left.remove(at)),
                None => out.push(format!("sampled only: {stretch:?}")),
            }
        }
        // Between two samples a circle can be grazed.
        let lasts_s = |f: &Finding| f.end.map_or(0.0, |end| end.seconds_since(f.start));
        out.extend(left.iter().filter(|f| lasts_s(f) > 0.01).map(|f| format!("judged only: {}", label(f))));
        out
    });
}

/// What differs between the engine's wake-zone findings of one vessel and those of a scan of all edges.
pub fn scan_differs(waterway: &Waterway, observations: &[Observation], findings: &[Finding]) -> Vec<String> {
    let vessels: BTreeSet<_> = observations.iter().filter_map(Observation::vessel).cloned().collect();
    let mut out = Vec::new();
    for vessel in vessels {
        let scanned = wake_zone_by_scan(waterway, &fixes_of(observations, &vessel));
        let is_meant = |f: &&Finding| {
            f.vessel == vessel && CLAUSES.iter().any(|(clause, _)| f.clause == *clause) && f.rule == "wake-zone"
        };
        let mut left: Vec<&Finding> = findings.iter().filter(is_meant).collect();
        for s in scanned {
            let at = left.iter().position(|f| {
                let ids: BTreeSet<String> = f.features.iter().map(|id| id.to_string()).collect();
                f.clause == s.clause
                    && f.start.seconds_since(s.start).abs() <= 0.001
                    && f.end.is_some_and(|end| end.seconds_since(s.end).abs() <= 0.001)
                    && ids == s.features
            });
            match at {
                Some(at) => drop(left.remove(at)),
                None => out.push(format!("scanned only: {vessel} {s:?}")),
            }
        }
        out.extend(left.iter().map(|f| format!("judged only: {}", label(f))));
    }
    out
}

#[test]
fn an_index_is_a_linear_scan() {
    let (site, rulebook) = (Site::SPOKANE, spokane());
    sweep(40, |seed| {
        let scenario = Scenario::random(seed, &PLAIN);
        let map = scenario.map(&site);
        let observations = scenario.observations(&site, site.noon_unix_ms());
        let findings = judge(&map, &rulebook, &observations).findings;
        scan_differs(&map.waterways[0], &observations, &findings)
    });
}

#[test]
fn a_scene_elsewhere_turned_or_mirrored_is_the_same() {
    let base = Site::SPOKANE;
    let rulebook = spokane();
    let sites = [
        Site { mirror: true, ..base },
        Site { turn_deg: 90.0, ..base },
        Site { turn_deg: 211.3, mirror: true, ..base },
        Site { lat_deg: -36.85, lon_deg: 174.77, turn_deg: 0.0, mirror: false },
        Site { lat_deg: 60.4, lon_deg: 5.3, turn_deg: 47.0, mirror: false },
        Site { lat_deg: 0.0005, lon_deg: -50.0, turn_deg: 10.0, mirror: false },
        Site { lat_deg: -16.8, lon_deg: 179.9995, turn_deg: 0.0, mirror: false },
        Site { lat_deg: 52.0, lon_deg: -179.9985, turn_deg: 120.0, mirror: true },
    ];
    // Legs of metres hold angles and derived speeds to a few parts in a million. At the waterline, where straight away
    // from the shore turns round, that moves the end of a take-off by some hundredths of a second.
    let slack = Slack { time_s: 0.05, speed_mps: 1e-3, distance_m: 0.01, graze_s: 0.1 };
    // In a mirror, who keeps to starboard keeps to port.
    let (name, text) = buoyline::rulebook::SHIPPED[0];
    let turned = text.replace("shore_to = \"starboard\"", "shore_to = \"port\"");
    assert_ne!(turned, text, "the rulebook says to which side the shore is");
    let mirrored = Arc::new(Rulebook::from_toml(name, &turned).expect("a rulebook"));
    sweep(24, |seed| {
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let start = base.noon_unix_ms();
        let here = judge(&scenario.map(&base), &rulebook, &scenario.observations(&base, start));
        let mut out = Vec::new();
        for site in &sites {
            let there_start = site.noon_unix_ms() + 3 * 86_400_000 + 1_234;
            let law = if site.mirror { &mirrored } else { &rulebook };
            let there = judge(&scenario.map(site), law, &scenario.observations(site, there_start));
            let later_s = (there_start - start) as f64 / 1000.0;
            let found = unlike(&here.findings, &there.findings, later_s, &slack);
            if !found.is_empty() {
                out.push(format!("{site:?}: {}", found.join("\n    ")));
            }
            if (here.accepted, &here.refused) != (there.accepted, &there.refused) {
                out.push(format!("{site:?}: {:?} and {:?}", here.refused, there.refused));
            }
        }
        out
    });
}
