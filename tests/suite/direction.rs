//! The direction of ski traffic. Beside a ragged shore, with noise, who keeps it is never said to breach it, and who
//! goes against it is found.

use std::sync::Arc;

use buoyline::engine::{Engine, Event};
use buoyline::findings::{Finding, Status, Verdict};
use buoyline::geo::Vec2;
use buoyline::observation::{Fix, Observation, VesselId};
use buoyline::time::EventTime;
use buoyline::zones::{Map, MapOptions, ZoneFile};

use crate::odds::world::{Dice, Error, Motion, Receiver, frame, received};
use crate::support::scenario::observation;
use crate::support::spokane;

/// How far along the shore the water goes, and how far out, metres.
const LONG_M: f64 = 3000.0;
const WIDE_M: f64 = 1500.0;
/// How far from the shore's mean line the boats run, metres.
const OFF_M: f64 = 40.0;

/// A lake whose south shore is ragged about its mean line in the east-west axis: bays and spits of 25 to 200 m.
fn ragged_lake(dice: &mut Dice) -> Map {
    let waves: Vec<(f64, f64, f64)> = [(200.0, 9.0), (90.0, 6.0), (45.0, 4.0), (25.0, 2.5)]
        .map(|(length_m, height_m)| (length_m * dice.between(0.8, 1.2), height_m, dice.between(0.0, 6.3)))
        .to_vec();
    let mut ring: Vec<[f64; 2]> = Vec::new();
    let mut put = |east_m: f64, north_m: f64| {
        ring.push(frame().to_position(Vec2::new(east_m, north_m)).expect("a place").to_geojson());
    };
    let mut east_m = -0.5 * LONG_M;
    while east_m < 0.5 * LONG_M {
        let swell: f64 = waves
            .iter()
            .map(|(length_m, height_m, phase)| height_m * libm::sin(std::f64::consts::TAU * east_m / length_m + phase))
            .sum();
        put(east_m, swell + dice.between(-2.0, 2.0));
        east_m += dice.between(5.0, 12.0);
    }
    put(0.5 * LONG_M, 0.0);
    put(0.5 * LONG_M, WIDE_M);
    put(-0.5 * LONG_M, WIDE_M);
    ring.push(ring[0]);
    let lake = serde_json::json!({
        "type": "Feature", "id": "lake", "properties": {"kind": "waterway"},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    });
    let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: lake.to_string().into_bytes() };
    Map::from_files(&[file], &MapOptions::default()).0
}

/// What is found about ski direction in a run along the shore, eastward (shore to starboard) or westward.
fn found(map: &Arc<Map>, is_eastward: bool, receiver: Receiver, says_accuracy: bool, dice: &mut Dice) -> Vec<Finding> {
    let start = EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time");
    let (from_m, heading_deg) = if is_eastward { (-500.0, 90.0) } else { (500.0, 270.0) };
    let speed_mps = dice.between(7.0, 13.0);
    // A boat with a skier weaves a little.
    let weave = dice.between(0.0, 0.03);
    let motion =
        Motion::sailed(Vec2::new(from_m, OFF_M), heading_deg, 75.0, |s, _| (speed_mps, weave * libm::cos(0.35 * s)));
    let id = VesselId::new("tower").expect("an id");
    let mut engine = Engine::new(map.clone(), spokane());
    let mut out = Vec::new();
    let says = format!(r#"{{"type":"activity","vessel":"tower","t":"{start}","towing":{{"state":"up"}}}}"#);
    engine.observe(0, &observation(&says), &mut out);
    for (at, mut fix) in received(&motion, &receiver, start, dice).into_iter().enumerate() {
        if !says_accuracy {
            fix.accuracy_m = None;
        }
        engine.observe(1 + at as u64, &Observation::Fix(id.clone(), fix), &mut out);
    }
    engine.finish(&mut out);
    let findings = out.into_iter().filter_map(|event| match event {
        Event::Finding(finding) if finding.status == Status::Closed => Some(*finding),
        _ => None,
    });
    findings.filter(|finding| finding.rule == "ski-direction").collect()
}

#[test]
fn noise_beside_a_ragged_shore_makes_no_breach_and_hides_none() {
    let mut dice = Dice(20_260_704);
    for noise_m in [3.0, 5.0] {
        // Standard deviation of each axis; the 68 % radius is half as much again.
        for (says_accuracy, error) in [
            (true, Error::Independent),
            (true, Error::Realistic),
            (false, Error::Independent),
            (false, Error::Realistic),
        ] {
            let accuracy_m = noise_m * (-2.0 * libm::log(0.32)).sqrt();
            let (mut runs, mut wrong, mut right, mut right_breaches) = (0, 0, 0, 0);
            for _ in 0..5 {
                let map = Arc::new(ragged_lake(&mut dice));
                for reports_speed in [true, false] {
                    let receiver = Receiver { error, every_s: 1.0, accuracy_m, worse: 1.0, reports_speed };
                    runs += 1;
                    for finding in found(&map, true, receiver, says_accuracy, &mut dice) {
                        assert!(finding.verdict != Verdict::Breach, "noise {noise_m} m, {error:?}: {}", finding.text);
                        wrong += 1;
                    }
                    let against = found(&map, false, receiver, says_accuracy, &mut dice);
                    let lasting_s = |f: &Finding| f.end.map_or(0.0, |end| end.seconds_since(f.start));
                    right += usize::from(against.iter().map(lasting_s).sum::<f64>() > 20.0);
                    right_breaches += usize::from(against.iter().any(|f| f.verdict == Verdict::Breach));
                }
            }
            println!(
                "noise {noise_m} m, {error:?}, accuracy said: {says_accuracy}: of {runs} runs each way {wrong} findings \
                 with the shore to starboard; to port {right} found, {right_breaches} breaches"
            );
            assert!(wrong * 20 <= runs, "{wrong} of {runs}");
            assert!(right == runs && right_breaches == runs, "{right} and {right_breaches} of {runs}");
        }
    }
}

/// A straight river 300 m wide from west to east, its south bank on the plane's axis, with other features.
fn river(more: &[serde_json::Value]) -> Arc<Map> {
    let place = |x: f64, y: f64| frame().to_position(Vec2::new(x, y)).expect("a place").to_geojson();
    let ring = [(-5000.0, 0.0), (5000.0, 0.0), (5000.0, 300.0), (-5000.0, 300.0), (-5000.0, 0.0)];
    let mut features = vec![serde_json::json!({
        "type": "Feature", "id": "river", "properties": {"kind": "waterway"},
        "geometry": {"type": "Polygon", "coordinates": [ring.map(|(x, y)| place(x, y))]},
    })];
    features.extend_from_slice(more);
    let text = serde_json::json!({"type": "FeatureCollection", "features": features}).to_string();
    let file = ZoneFile { name: "river.geojson".to_owned(), bytes: text.into_bytes() };
    Arc::new(Map::from_files(&[file], &MapOptions::default()).0)
}

/// The stretches found against the direction, in seconds since the start, of a boat that is at these places at these
/// times; what it declares stands before.
fn stretches(map: &Arc<Map>, says: &[(f64, &str)], fixes: &[(f64, f64, f64)]) -> Vec<(f64, f64)> {
    let start = EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time");
    let mut engine = Engine::new(map.clone(), spokane());
    let mut out = Vec::new();
    for (s, towing) in says {
        let t = start.plus_seconds(*s);
        let line = format!(r#"{{"type":"activity","vessel":"tower","t":"{t}","towing":{towing}}}"#);
        engine.observe(0, &observation(&line), &mut out);
    }
    let id = VesselId::new("tower").expect("an id");
    for (number, &(s, x, y)) in fixes.iter().enumerate() {
        let fix = Fix::new(start.plus_seconds(s), frame().to_position(Vec2::new(x, y)).expect("a place"));
        engine.observe(1 + number as u64, &Observation::Fix(id.clone(), fix), &mut out);
    }
    engine.finish(&mut out);
    let closed = out.into_iter().filter_map(|event| match event {
        Event::Finding(f) if f.status == Status::Closed && f.rule == "ski-direction" => Some(*f),
        _ => None,
    });
    closed.map(|f| (f.start.seconds_since(start), f.end.expect("closed").seconds_since(start))).collect()
}

#[track_caller]
fn assert_stretches(found: &[(f64, f64)], expected: &[(f64, f64)]) {
    let is_near = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).abs() < 0.05 && (a.1 - b.1).abs() < 0.05;
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(is_near), "{found:?}, not {expected:?}");
}

const UP: &str = r#"{"state":"up"}"#;
const DOWN: &str = r#"{"state":"down"}"#;

/// A fix a time from one second to another: westward at 10 m/s, some metres from the south bank.
fn westward(from_s: u32, to_s: u32, every: usize, north_m: f64) -> Vec<(f64, f64, f64)> {
    (from_s..=to_s).step_by(every).map(f64::from).map(|s| (s, 500.0 - 10.0 * s, north_m)).collect()
}

#[test]
fn on_a_river_each_bank_has_its_direction_up_to_mid_water() {
    // Westward and slowly across: 0.5 m/s northward, from 90 m on. From 120 m to 180 m off it is mid-water, then the
    // north bank is the near one, and westward is right.
    let across: Vec<_> = (0..200).map(f64::from).map(|s| (s, 900.0 - 10.0 * s, 90.0 + 0.5 * s)).collect();
    assert_stretches(&stretches(&river(&[]), &[(0.0, UP)], &across), &[(0.0, 60.0)]);
    // The same way back is right up to mid-water, and wrong beyond it.
    let back: Vec<_> = (0..200).map(f64::from).map(|s| (s, -900.0 + 10.0 * s, 90.0 + 0.5 * s)).collect();
    assert_stretches(&stretches(&river(&[]), &[(0.0, UP)], &back), &[(180.0, 199.0)]);
}

#[test]
fn a_break_in_mid_water_is_one_however_short() {
    // Into mid-water for less than a second, between two runs of some eight seconds: neither lasts. (120 m off it begins.)
    let dips = |s: f64| if s == 9.0 { 121.5 } else { 118.0 };
    let way: Vec<_> = (0..18).map(f64::from).map(|s| (s, 500.0 - 10.0 * s, dips(s))).collect();
    assert_stretches(&stretches(&river(&[]), &[(0.0, UP)], &way), &[]);
    let straight: Vec<_> = way.iter().map(|&(s, x, _)| (s, x, 118.0)).collect();
    assert_stretches(&stretches(&river(&[]), &[(0.0, UP)], &straight), &[(0.0, 17.0)]);
}

#[test]
fn seldom_heard_fallen_or_interrupted_is_not_without_a_break() {
    let river = river(&[]);
    let up = [(0.0, UP)];
    assert_stretches(&stretches(&river, &up, &westward(0, 40, 1, 60.0)), &[(0.0, 40.0)]);
    assert_stretches(&stretches(&river, &up, &westward(0, 45, 15, 60.0)), &[(0.0, 45.0)]);
    assert_stretches(&stretches(&river, &up, &westward(0, 120, 30, 60.0)), &[]);
    // A silence of 20 s: nothing is known of it.
    let mut silent = westward(0, 60, 1, 60.0);
    silent.retain(|fix| !(25.0..44.0).contains(&fix.0));
    assert_stretches(&stretches(&river, &up, &silent), &[(0.0, 24.0), (44.0, 60.0)]);
    // A skier who is down for three seconds, between two stretches of eight.
    let falls = [(0.0, UP), (8.0, DOWN), (11.0, UP), (19.0, DOWN)];
    assert_stretches(&stretches(&river, &falls, &westward(0, 40, 1, 60.0)), &[]);
    // Nobody in tow, and slower than 5 mph.
    assert_stretches(&stretches(&river, &[(0.0, "null")], &westward(0, 40, 1, 60.0)), &[]);
    let slow: Vec<_> = westward(0, 40, 1, 60.0).into_iter().map(|(s, x, y)| (s, 0.2 * x, y)).collect();
    assert_stretches(&stretches(&river, &up, &slow), &[]);
}

#[test]
fn a_drawn_line_holds_while_it_is_in_force() {
    let place = |x: f64, y: f64| frame().to_position(Vec2::new(x, y)).expect("a place").to_geojson();
    // Drawn either way, it is kept to port. It is lifted 30 s after the start.
    for points in [[(-900.0, 100.0), (900.0, 100.0)], [(900.0, 100.0), (-900.0, 100.0)]] {
        let line = serde_json::json!({
            "type": "Feature", "id": "line",
            "properties": {"kind": "circulation", "valid_until": "2026-07-04T18:00:30Z"},
            "geometry": {"type": "LineString", "coordinates": points.map(|(x, y)| place(x, y))},
        });
        let river = river(&[line]);
        // South of the line, westward has it to starboard: wrong by the line, and by the shore.
        let west = westward(0, 60, 1, 60.0);
        assert_stretches(&stretches(&river, &[(0.0, UP)], &west), &[(0.0, 60.0)]);
        // North of it, westward has it to port: right by the line; wrong by the shore, which holds from 30 s on.
        let north = westward(0, 60, 1, 110.0);
        assert_stretches(&stretches(&river, &[(0.0, UP)], &north), &[(30.0, 60.0)]);
    }
}
