//! Passings with a closed form, and what is no encounter.

use super::*;
use crate::geo::{LocalFrame, Vec2};

const TERMS: Terms = Terms { within_m: 100.0, close_m: 15.24, max_gap_s: 15.0 };

fn start() -> EventTime {
    EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time")
}

fn vessel(id: &str) -> VesselId {
    VesselId::new(id).expect("an id")
}

/// A straight run: fixes every `every_s` from `from` at `mps`, metres and metres a second on the plane of a lake.
fn run(from: (f64, f64), mps: (f64, f64), every_s: f64, span_s: f64) -> Vec<(EventTime, Position)> {
    let frame = LocalFrame::at(Position::from_lat_lon(47.0, 9.0).expect("in range"));
    (0..=(span_s / every_s) as u32)
        .map(|i| {
            let s = f64::from(i) * every_s;
            let at = Vec2::new(from.0 + mps.0 * s, from.1 + mps.1 * s);
            (start().plus_seconds(s), frame.to_position(at).expect("near"))
        })
        .collect()
}

type Track = (VesselId, Option<VesselId>, Vec<(EventTime, Position)>);

fn met(tracks: &[Track]) -> Vec<Encounter> {
    let towers: Vec<_> = tracks.iter().map(|(_, by, _)| [(EventTime::MIN, by.clone())]).collect();
    let sailed = tracks.iter().zip(&towers);
    let paths: Vec<Path<'_>> =
        sailed.map(|((id, _, fixes), towers)| Path { vessel: id, towers, fixes, breaks: &[] }).collect();
    encounters(&paths, &TERMS)
}

#[test]
fn two_that_pass_are_solved_between_their_fixes() {
    // East at 10 m/s and north at 5 m/s; where they cross the one is 20 m ahead.
    let tracks = [
        (vessel("b"), None, run((0.0, -100.0), (0.0, 5.0), 3.0, 60.0)),
        (vessel("a"), None, run((-180.0, 0.0), (10.0, 0.0), 7.0, 56.0)),
    ];
    let met = met(&tracks);
    assert_eq!(met.len(), 1);
    let met = &met[0];
    assert_eq!(met.vessels, [vessel("a"), vessel("b")]);
    // Apart at t: (180 - 10 t, -100 + 5 t); least where 10 (180 - 10 t) = 5 (-100 + 5 t): t = 18.4 s, 8.944 m.
    assert!((met.closest.t.seconds_since(start()) - 18.4).abs() < 1e-3, "{met:?}");
    assert!((met.closest.distance_m - 80.0_f64.sqrt()).abs() < 1e-3, "{met:?}");
    assert!((met.closest.speeds_mps[0] - 10.0).abs() < 1e-3 && (met.closest.speeds_mps[1] - 5.0).abs() < 1e-3);
    // A chord of a circle about the other at 11.18 m/s.
    let chord_s = |r: f64| 2.0 * (r * r - 80.0).sqrt() / 125.0_f64.sqrt();
    assert!((met.end.seconds_since(met.start) - chord_s(100.0)).abs() < 1e-2, "{met:?}");
    assert!((met.close_s - chord_s(15.24)).abs() < 1e-2, "{met:?}");
    // While they close in, both hold on: the same passing is foreseen at every fix.
    let closing: Vec<&Look> = met.looks.iter().filter(|look| look.ahead.is_some()).collect();
    assert!(closing.len() >= 3);
    for look in closing {
        let ahead = look.ahead.expect("closing");
        assert!((ahead.cpa_m - met.closest.distance_m).abs() < 0.01, "{look:?}");
        assert!((look.t.seconds_since(start()) + ahead.tcpa_s - 18.4).abs() < 0.01, "{look:?}");
    }
}

#[test]
fn who_only_draws_apart_or_stays_out_of_range_meets_nobody() {
    let apart = [
        (vessel("a"), None, run((0.0, 0.0), (-5.0, 0.0), 1.0, 60.0)),
        (vessel("b"), None, run((10.0, 0.0), (5.0, 0.0), 1.0, 60.0)),
        (vessel("c"), None, run((0.0, 2000.0), (5.0, 0.0), 1.0, 60.0)),
    ];
    assert!(met(&apart).is_empty());
}

#[test]
fn over_a_gap_nothing_is_inferred() {
    let whole = run((-180.0, 0.0), (10.0, 0.0), 1.0, 60.0);
    let gap: Vec<_> =
        whole.iter().copied().filter(|fix| !(8.0..30.0).contains(&fix.0.seconds_since(start()))).collect();
    let other = run((0.0, -100.0), (0.0, 5.0), 1.0, 60.0);
    let tracks = [(vessel("a"), None, gap), (vessel("b"), None, other)];
    assert!(met(&tracks).is_empty());
    let paths = tracks.each_ref().map(|(id, _, fixes)| Path { vessel: id, towers: &[], fixes, breaks: &[] });
    assert!((common_s(&paths[0], &paths[1], 15.0) - (7.0 + 30.0)).abs() < 1e-9);
}

#[test]
fn a_skier_meets_others_but_not_the_towing_boat() {
    let boat = run((0.0, 0.0), (8.0, 0.0), 1.0, 60.0);
    let skier = run((-20.0, 1.0), (8.1, 0.0), 1.0, 60.0);
    let other = run((400.0, 20.0), (-8.0, 0.0), 1.0, 60.0);
    let tracks =
        [(vessel("boat"), None, boat), (vessel("skier"), Some(vessel("boat")), skier), (vessel("x"), None, other)];
    let pairs: Vec<_> = met(&tracks).into_iter().map(|met| met.vessels).collect();
    assert_eq!(pairs, [[vessel("boat"), vessel("x")], [vessel("skier"), vessel("x")]]);
}

#[test]
fn whose_skier_it_is_is_told_by_the_time() {
    // Behind one boat for half a minute, then behind the other, both near by.
    let boats =
        [("one", 0.0), ("two", 30.0)].map(|(id, north_m)| (vessel(id), run((0.0, north_m), (8.0, 0.0), 1.0, 60.0)));
    let skier = run((-20.0, 15.0), (8.1, 0.0), 1.0, 60.0);
    let towers = [(start(), Some(vessel("one"))), (start().plus_seconds(30.0), Some(vessel("two")))];
    let id = vessel("skier");
    let mut paths: Vec<Path<'_>> =
        boats.iter().map(|(vessel, fixes)| Path { vessel, towers: &[], fixes, breaks: &[] }).collect();
    paths.push(Path { vessel: &id, towers: &towers, fixes: &skier, breaks: &[] });
    let met = encounters(&paths, &TERMS);
    let of_skier: Vec<_> = met.iter().filter(|met| met.vessels.contains(&id)).collect();
    assert_eq!(of_skier.len(), 2, "{met:?}");
    for met in of_skier {
        let skier_at = usize::from(met.vessels[1] == id);
        let (other, tower) = (&met.vessels[1 - skier_at], met.towed_by[skier_at].as_ref().expect("a tower"));
        assert_ne!(other, tower);
        // The fixes on either side of the change are each behind one of the two, and meet neither.
        let (from_s, to_s) = (met.start.seconds_since(start()), met.end.seconds_since(start()));
        assert_eq!((from_s, to_s), if other == &boats[0].0 { (30.0, 60.0) } else { (0.0, 29.0) });
    }
}

#[test]
fn over_a_break_nothing_is_inferred() {
    // A jump right over the other one, from one second to the next.
    let mut jumps = run((0.0, -400.0), (0.0, 5.0), 1.0, 60.0);
    jumps.drain(..31);
    let mut whole = run((0.0, -600.0), (0.0, 5.0), 1.0, 30.0);
    whole.append(&mut jumps);
    let other = run((0.0, -350.0), (1.0, 0.0), 1.0, 60.0);
    let (a, b) = (vessel("a"), vessel("b"));
    let at = start().plus_seconds(31.0);
    let of = |breaks: &[EventTime]| {
        let paths = [
            Path { vessel: &a, towers: &[], fixes: &whole, breaks },
            Path { vessel: &b, towers: &[], fixes: &other, breaks: &[] },
        ];
        (encounters(&paths, &TERMS).len(), common_s(&paths[0], &paths[1], 15.0))
    };
    assert_eq!(of(&[]), (1, 60.0));
    assert_eq!(of(&[at]), (0, 59.0));
}

#[test]
fn who_keeps_the_distance_is_not_ahead_of_an_encounter() {
    // Side by side at one speed, but for what rounding makes of it.
    let tracks = [
        (vessel("a"), None, run((0.0, 0.0), (8.0, 1.0), 0.1, 20.0)),
        (vessel("b"), None, run((3.0, 40.0), (8.0, 1.0), 0.1, 20.0)),
    ];
    for look in met(&tracks).iter().flat_map(|met| &met.looks) {
        assert!(look.ahead.is_none_or(|ahead| ahead.tcpa_s < 1e5), "{look:?}");
    }
}

#[test]
fn the_order_of_the_paths_decides_nothing() {
    let mut tracks: Vec<Track> = (0..12)
        .map(|i| {
            let k = f64::from(i);
            let from = (k * 37.0 % 300.0, k * 53.0 % 200.0);
            let mps = (8.0 * libm::cos(k), 8.0 * libm::sin(k));
            (vessel(&format!("v{i:02}")), None, run(from, mps, 0.5 + 0.3 * k, 60.0))
        })
        .collect();
    let one = met(&tracks);
    tracks.reverse();
    assert!(one.len() > 5);
    assert_eq!(met(&tracks), one);
}
