//! The direction of ski traffic beside a ragged shore, with noise: who keeps it is never said to breach it, and who
//! goes against it is found.

use std::sync::Arc;

use buoyline::engine::{Engine, Event};
use buoyline::findings::{Finding, Status, Verdict};
use buoyline::geo::Vec2;
use buoyline::observation::{Observation, VesselId};
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
