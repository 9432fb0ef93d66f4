//! The almanac against the plain computation, and the plain computation against sampling.

use super::reference_tests::Seed;
use super::*;
use crate::geo::Position;
use crate::time::EventTime;

const OFFSETS: [(f64, f64); 7] = [
    (1800.0, 1800.0),
    (3600.0, 3600.0),
    (0.0, 0.0),
    (-3600.0, 0.0),
    (-1800.0, -1800.0),
    (3600.0, -5400.0),
    (30_000.0, 20_000.0),
];

/// A place up to `reach_deg` of arc from another, across the antimeridian where that is shorter.
fn near(seed: &mut Seed, centre: Position, reach_deg: f64) -> Position {
    let lat_deg = (centre.lat_deg() + seed.between(-reach_deg, reach_deg)).clamp(-90.0, 90.0);
    let widening = lat_deg.to_radians().cos().max(0.01);
    let lon_deg = centre.lon_deg() + seed.between(-reach_deg, reach_deg) / widening;
    Position::from_lat_lon(lat_deg, lon_deg - 360.0 * (lon_deg / 360.0).round()).expect("a position")
}

#[test]
fn what_is_remembered_is_what_would_be_computed() {
    let mut seed = Seed(11);
    let (mut asked, mut cut, mut all) = (0, 0, 0);
    for _ in 0..400 {
        let (centre, middle) = (seed.place(), seed.time());
        let almanac = Almanac::new();
        for _ in 0..60 {
            let place = near(&mut seed, centre, 0.45);
            let from = middle.plus_seconds(seed.between(-4000.0, 4000.0));
            let to = from.plus_seconds(if seed.unit() < 0.2 { 0.0 } else { seed.between(0.0, 15.0) });
            let (after_s, before_s) = OFFSETS[(seed.unit() * OFFSETS.len() as f64) as usize];
            let plain = night(after_s, before_s, place, from, to);
            assert_eq!(
                almanac.night(after_s, before_s, place, from, to),
                plain,
                "{after_s} {before_s} {place:?} {from}"
            );
            asked += 1;
            cut += usize::from(plain.length_s() > 0.0 && plain.length_s() < to.seconds_since(from));
            all += usize::from(!plain.is_empty());
        }
    }
    assert!(all > asked / 10 && all < asked * 9 / 10, "{asked} {all}");
    eprintln!("{asked} random questions, {all} at night, {cut} cut");
}

#[test]
fn memory_holds_close_to_the_edges() {
    let mut seed = Seed(12);
    let mut cut = 0;
    for _ in 0..150 {
        let centre = seed.place();
        let (after_s, before_s) = OFFSETS[(seed.unit() * OFFSETS.len() as f64) as usize];
        let (event, offset_s) = if seed.unit() < 0.5 { (SunEvent::Set, after_s) } else { (SunEvent::Rise, -before_s) };
        let Some(edge) = next(event, centre, seed.time()).map(|t| t.plus_seconds(offset_s)) else { continue };
        let almanac = Almanac::new();
        for i in 0..60 {
            // From far to near, so that the leases taken early are stretched to their end.
            let scale = 1.0 - f64::from(i) / 60.0;
            let place = near(&mut seed, centre, 0.5 * scale);
            let from = edge.plus_seconds(seed.between(-1500.0, 1500.0) * scale - 7.0);
            let to = from.plus_seconds(seed.between(0.0, 15.0));
            let plain = night(after_s, before_s, place, from, to);
            assert_eq!(
                almanac.night(after_s, before_s, place, from, to),
                plain,
                "{after_s} {before_s} {place:?} {from}"
            );
            cut += usize::from(plain.length_s() > 0.0 && plain.length_s() < to.seconds_since(from));
        }
    }
    assert!(cut > 50, "{cut}");
}

#[test]
fn night_is_where_the_sun_has_been_down_all_the_while() {
    let mut seed = Seed(13);
    for _ in 0..1500 {
        let (place, t) = (seed.place(), seed.time());
        for (after_s, before_s) in [(1800.0, 1800.0), (0.0, 0.0), (3600.0, -5400.0), (-3600.0, 0.0)] {
            let is_night = night(after_s, before_s, place, t, t).contains(0.0);
            let (begin_s, end_s) = (f64::min(-after_s, before_s), f64::max(-after_s, before_s));
            let altitudes = (0..=60)
                .map(|i| altitude_deg(place, t.plus_seconds(begin_s + (end_s - begin_s) * f64::from(i) / 60.0)));
            // Offsets that cross: where it is down at some instant between them.
            let extreme_deg = if after_s + before_s >= 0.0 {
                altitudes.fold(f64::NEG_INFINITY, f64::max)
            } else {
                altitudes.fold(f64::INFINITY, f64::min)
            } - HORIZON_DEG;
            assert!(is_night == (extreme_deg < 0.0) || extreme_deg.abs() < 0.03, "{after_s} {before_s} {place:?} {t}");
        }
    }
}

#[test]
fn the_ends_of_a_night_are_the_events_with_their_offsets() {
    let mut seed = Seed(14);
    for _ in 0..300 {
        let lat_deg = seed.between(-60.0, 60.0);
        let place = Position::from_lat_lon(lat_deg, seed.between(-180.0, 180.0)).expect("a position");
        let set = next(SunEvent::Set, place, seed.time()).expect("a sunset");
        let rise = next(SunEvent::Rise, place, set).expect("a sunrise");
        let from = set.plus_seconds(-7200.0);
        for (after_s, before_s) in [(1800.0, 1800.0), (-3600.0, 600.0), (0.0, -900.0)] {
            let nights = night(after_s, before_s, place, from, rise.plus_seconds(7200.0));
            let span = nights.iter().next().expect("a night");
            assert!((span.from_s - (7200.0 + after_s)).abs() < 1e-3);
            assert!((span.to_s - (rise.seconds_since(from) - before_s)).abs() < 1e-3);
            assert_eq!(nights.iter().count(), 1);
        }
        let length_s = rise.seconds_since(set);
        assert!(night(length_s, 1.0, place, set, rise).is_empty(), "the night is shorter than both offsets");
    }
}

#[test]
fn events_change_steadily_with_place_and_time() {
    let mut seed = Seed(15);
    for _ in 0..60 {
        let lat_deg = seed.between(-60.0, 60.0);
        let place =
            |lon_deg: f64| Position::from_lat_lon(lat_deg, if lon_deg > 180.0 { lon_deg - 360.0 } else { lon_deg });
        let start = seed.time();
        let first =
            next(SunEvent::Set, place(179.95).expect("a position"), start.plus_seconds(3600.0)).expect("a sunset");
        let mut last = first;
        for step in 1..100 {
            // Eastward over the antimeridian the sun sets earlier, 0.24 s for each 0.001 degrees.
            let t = next(
                SunEvent::Set,
                place(179.95 + 0.001 * f64::from(step)).expect("a position"),
                first.plus_seconds(-3600.0),
            );
            let earlier_s = last.seconds_since(t.expect("a sunset"));
            assert!((0.22..0.26).contains(&earlier_s), "{lat_deg} {step}: {earlier_s}");
            last = t.expect("a sunset");
        }
        // An event does not depend on when it is asked for.
        for back_s in [0.001, 1.0, 600.0, 20_000.0, 40_000.0] {
            assert_eq!(
                next(SunEvent::Set, place(179.95).expect("a position"), first.plus_seconds(-back_s)),
                Some(first)
            );
            assert_eq!(
                previous(SunEvent::Set, place(179.95).expect("a position"), first.plus_seconds(back_s)),
                Some(first)
            );
        }
    }
}

#[test]
fn events_near_are_the_previous_and_the_next() {
    let (mut seed, almanac) = (Seed(16), Almanac::new());
    for _ in 0..300 {
        let (place, t) = (seed.place(), seed.time());
        for rising in [true, false, true] {
            let event = if rising { SunEvent::Rise } else { SunEvent::Set };
            for s in [0.0, 5.0, 90_000.0] {
                let t = t.plus_seconds(s);
                let expected = (previous(event, place, t), next(event, place, t));
                assert_eq!(almanac.event_near(rising, place, t), expected);
            }
        }
    }
}

#[test]
fn the_sun_can_be_carried_on_for_hours() {
    let mut seed = Seed(17);
    for _ in 0..2000 {
        let (place, t, s) = (seed.place(), seed.time(), seed.between(-10_800.0, 10_800.0));
        let carried_deg = position::Sun::at(t).carried(s).from(place).altitude_deg;
        let exact_deg = altitude_deg(place, t.plus_seconds(s));
        assert!((carried_deg - exact_deg).abs() < 0.0002, "{place:?} {t} {s}: {carried_deg} {exact_deg}");
    }
}

#[test]
fn the_ends_of_time_are_no_trouble() {
    for place in [Position::from_lat_lon(47.66, -117.43), Position::from_lat_lon(90.0, 180.0)] {
        let (place, almanac) = (place.expect("a position"), Almanac::new());
        for t in [EventTime::MIN, EventTime::MAX] {
            let _ = (almanac.event_near(true, place, t), almanac.event_near(false, place, t));
            let _ = (almanac.night(1800.0, 1800.0, place, t, t), almanac.night(-1e6, 1e6, place, t, t));
        }
        let later = EventTime::from_unix_ns(0);
        assert!(almanac.night(0.0, 0.0, place, later, EventTime::from_unix_ns(-1)).is_empty());
    }
}
