//! Boats that leave the shore, alone or with a skier, seen by noisy receivers: who goes straight out is no breach, who
//! does not is found.

use std::sync::Arc;

use buoyline::engine::{Engine, Event};
use buoyline::findings::{Finding, Status, Verdict};
use buoyline::geo::Vec2;
use buoyline::observation::{Activity, Observation, Towing, TowingState, VesselId};
use buoyline::rulebook::Rulebook;
use buoyline::time::EventTime;
use buoyline::zones::{Map, MapOptions, ZoneFile};

use super::world::{Dice, Error, Motion, Receiver, STEP_S, frame, received};

/// How many copies of each run are judged.
const COPIES: usize = 40;
/// How many of runs of which all are to be found.
const FEW: usize = 10;
/// How far off the shore the buoy line is drawn, metres.
const LINE_M: f64 = 60.0;
/// The rules from which leaving the shore excuses.
const RULES: [&str; 3] = ["inshore-wake", "ski-inshore", "ski-proximity"];

/// A lake with a straight shore in the south, and a buoy line along it.
fn lake() -> Arc<Map> {
    let place = |x: f64, y: f64| frame().to_position(Vec2::new(x, y)).expect("a place").to_geojson();
    let ring = [(-3000.0, 0.0), (3000.0, 0.0), (3000.0, 3000.0), (-3000.0, 3000.0), (-3000.0, 0.0)];
    let feature = |kind: &str, shape: &str, coordinates: serde_json::Value| {
        serde_json::json!({
            "type": "Feature", "id": kind, "properties": { "kind": kind },
            "geometry": { "type": shape, "coordinates": coordinates },
        })
    };
    let features = [
        feature("waterway", "Polygon", serde_json::json!([ring.map(|(x, y)| place(x, y))])),
        feature("buoy_line", "LineString", serde_json::json!([-2000.0, 2000.0].map(|x| place(x, LINE_M)))),
    ];
    let text = serde_json::json!({"type": "FeatureCollection", "features": features}).to_string();
    let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: text.into_bytes() };
    Arc::new(Map::from_files(&[file], &MapOptions::default()).0)
}

/// A noisy receiver, and what it tells beside its position.
#[derive(Clone, Copy, Debug)]
struct Noise {
    /// Standard deviation along each axis, metres.
    sigma_m: f64,
    error: Error,
    every_s: f64,
    says_accuracy: bool,
    reports_motion: bool,
}

fn noises() -> Vec<Noise> {
    let mut all = Vec::new();
    for sigma_m in [3.0, 5.0] {
        for error in [Error::Independent, Error::Realistic] {
            for reports_motion in [false, true] {
                for says_accuracy in [true, false] {
                    all.push(Noise { sigma_m, error, every_s: 1.0, says_accuracy, reports_motion });
                }
            }
        }
    }
    all
}

/// What is found about a vessel in noisy copies of a run; a skier comes up `up_s` into it, where one does.
fn judged(
    copies: usize,
    noise: Noise,
    up_s: Option<f64>,
    mut run: impl FnMut(&mut Dice) -> Motion,
) -> Vec<Vec<Finding>> {
    let map = lake();
    let rulebook = Arc::new(Rulebook::spokane());
    let start = EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time");
    let id = VesselId::new("boat").expect("an id");
    let accuracy_m = noise.sigma_m * (-2.0 * libm::log(0.32)).sqrt();
    let Noise { error, every_s, says_accuracy, reports_motion, .. } = noise;
    let receiver = Receiver { error, every_s, accuracy_m, worse: 1.0, reports_speed: reports_motion };
    (0..copies)
        .map(|copy| {
            let mut dice = Dice(copy as u64 + 4711);
            let motion = run(&mut dice);
            let mut engine = Engine::new(map.clone(), rulebook.clone());
            let mut out = Vec::new();
            if let Some(up_s) = up_s {
                for (s, state) in [(-60.0, TowingState::Down), (up_s, TowingState::Up)] {
                    let activity = Box::new(tows(start.plus_seconds(s), state));
                    engine.observe(0, &Observation::Activity(id.clone(), activity), &mut out);
                }
            }
            for (at, mut fix) in received(&motion, &receiver, start, &mut dice).into_iter().enumerate() {
                if reports_motion {
                    let i = ((fix.t.seconds_since(start) / STEP_S) as usize).min(motion.samples.len() - 2);
                    let way = motion.samples[i + 1].0 - motion.samples[i].0;
                    fix.cog_deg = way.bearing_deg().map(|deg| (deg + 5.0 * dice.normal()).rem_euclid(360.0));
                }
                if !says_accuracy {
                    fix.accuracy_m = None;
                }
                engine.observe(at as u64 + 1, &Observation::Fix(id.clone(), fix), &mut out);
            }
            engine.finish(&mut out);
            let closed = out.into_iter().filter_map(|event| match event {
                Event::Finding(finding) if finding.status == Status::Closed => Some(*finding),
                _ => None,
            });
            closed.filter(|finding| RULES.contains(&finding.rule)).collect()
        })
        .collect()
}

fn tows(t: EventTime, state: TowingState) -> Activity {
    Activity {
        t,
        towing: Some(Some(Towing { state, rope_m: Some(23.0), persons: Some(1) })),
        nav_status: None,
        observer_age: None,
        operator_age: None,
        supervised: None,
        persons_aboard: None,
        warning_flag: None,
        siren: None,
        lights: None,
    }
}

/// In how many copies there is a breach of any of the rules.
fn breaches(judged: &[Vec<Finding>], rules: &[&str]) -> usize {
    let is_breach = |f: &&Finding| f.verdict == Verdict::Breach && rules.contains(&f.rule);
    judged.iter().filter(|findings| findings.iter().any(|finding| is_breach(&finding))).count()
}

/// What the breaches say.
fn told(judged: &[Vec<Finding>]) -> Vec<String> {
    let breaches = judged.iter().flatten().filter(|finding| finding.verdict == Verdict::Breach);
    breaches.map(|f| format!("{} {:.3} {} {:?}: {}", f.rule, f.confidence, f.start, f.end, f.text)).collect()
}

/// Lies off the shore, then gathers way to `speed_mps`, off straight out by some degrees; turns along the lake well
/// outside of the buoy line.
fn takes_off(off_deg: f64, still_s: f64, speed_mps: f64) -> Motion {
    Motion::sailed(Vec2::new(0.0, 6.0), off_deg, 30.0, |s, at| {
        let mps = (2.0 * (s - still_s)).clamp(0.0, speed_mps);
        (mps, if at.north_m > 2.0 * LINE_M && at.east_m < 400.0 && s < 24.0 { 0.1 } else { 0.0 })
    })
}

#[test]
fn who_leaves_the_shore_straight_is_no_breach() {
    for noise in noises() {
        // A skier comes up at some metres a second.
        let take_off =
            judged(COPIES, noise, Some(7.0), |dice| takes_off(dice.between(-8.0, 8.0), 5.0, dice.between(8.0, 11.0)));
        assert_eq!(breaches(&take_off, &RULES), 0, "a take-off, {noise:?}: {:#?}", told(&take_off));
        let departure =
            judged(COPIES, noise, None, |dice| takes_off(dice.between(-15.0, 15.0), 5.0, dice.between(4.0, 9.0)));
        assert_eq!(breaches(&departure, &RULES), 0, "a departure, {noise:?}");
    }
}

#[test]
fn who_does_not_is_found() {
    let along = |dice: &mut Dice, off_m: f64| {
        let (mps, heading_deg) = (dice.between(7.0, 11.0), dice.one_of(&[90.0, 270.0]));
        Motion::sailed(Vec2::new(0.0, off_m), heading_deg, 40.0, |_, _| (mps, 0.0))
    };
    for noise in noises() {
        let fast = judged(FEW, noise, None, |dice| along(dice, 30.0));
        assert_eq!(breaches(&fast, &["inshore-wake"]), FEW, "along the strip, {noise:?}");
        // With a skier up who came up long ago, and who has only just come up.
        for up_s in [-50.0, 2.0] {
            let skis = judged(FEW, noise, Some(up_s), |dice| along(dice, 30.0));
            assert_eq!(breaches(&skis, &["ski-inshore"]), FEW, "a skier along the strip, {up_s}, {noise:?}");
            let near = judged(FEW, noise, Some(up_s), |dice| along(dice, 3.0));
            assert!(breaches(&near, &["ski-proximity"]) * 10 >= FEW * 9, "close to the shore, {up_s}, {noise:?}");
        }
        // Straight out, but not on a take-off; and straight in.
        let late = judged(FEW, noise, Some(-50.0), |dice| takes_off(dice.between(-8.0, 8.0), 0.0, 9.0));
        assert_eq!(breaches(&late, &["ski-inshore"]), FEW, "long up, {noise:?}");
        let lands = judged(FEW, noise, None, |_| {
            Motion::sailed(Vec2::new(0.0, 200.0), 180.0, 30.0, |_, at| (if at.north_m > 5.0 { 8.0 } else { 0.0 }, 0.0))
        });
        assert_eq!(breaches(&lands, &["inshore-wake"]), FEW, "comes in, {noise:?}");
    }
}

#[test]
fn a_take_off_without_noise_is_lawful_at_any_interval() {
    for every_s in [0.1, 0.2, 0.5, 1.0, 2.0] {
        let noise =
            Noise { sigma_m: 0.0, error: Error::Independent, every_s, says_accuracy: false, reports_motion: false };
        // Up once it goes a metre a second: before that nothing has a course.
        let found = judged(FEW, noise, Some(6.1 + 2.0 * every_s), |dice| takes_off(dice.between(-8.0, 8.0), 5.0, 9.0));
        let found: Vec<_> = found.iter().flatten().map(|f| format!("{} {} {:?}", f.rule, f.start, f.end)).collect();
        assert!(found.is_empty(), "every {every_s} s: {found:#?}");
    }
}
