//! The drawn strip against the distances that rules ask.

use super::*;
use crate::geo::{LocalFrame, Region, Vec2};

/// A fixed sequence of numbers between 0 and 1.
fn numbers() -> impl Iterator<Item = f64> {
    let mut state = 7_u64;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    })
}

#[test]
fn the_strip_is_what_lies_within_the_distance() {
    for name in ["charles", "lake-texana"] {
        let bytes = std::fs::read(format!("{}/zones/{name}.geojson", env!("CARGO_MANIFEST_DIR"))).expect("a map");
        let (map, _) = Map::from_files(&[ZoneFile { name: name.to_owned(), bytes }], &MapOptions::default());
        let waterway = &map.waterways[0];
        let kinds = KindSet::only(ZoneKind::Shoreline).with(ZoneKind::Dock).with(ZoneKind::SafetyBuoy);
        let within_m = 15.24;
        let strip = waterway.strip(&[(kinds, within_m)]);
        let region = Region::new(&strip);
        let mut random = numbers();
        let (mut inside, mut outside) = (0, 0);
        let mut edges = Vec::new();
        waterway.water().shape.each_edge(&mut |a, b| edges.push((a, b)));
        for _ in 0..4_000 {
            let mut next = || random.next().expect("it has no end");
            let (a, b) = edges[(next() * edges.len() as f64) as usize];
            let frame = LocalFrame::at(a);
            let along = frame.to_plane(b) * next();
            let place = frame.to_position(along + Vec2::new(60.0 * (next() - 0.5), 60.0 * (next() - 0.5)));
            let Some(place) = place.filter(|&place| waterway.contains(place)) else { continue };
            let near = waterway.nearest(place, kinds, 100.0).map_or(100.0, |nearest| nearest.distance_m);
            // Arcs are drawn a little inside, and a lake is not quite flat.
            if near < within_m - 0.35 {
                assert!(region.contains(place), "{name}: {near} m");
                inside += 1;
            } else if near > within_m + 0.1 {
                assert!(!region.contains(place), "{name}: {near} m");
                outside += 1;
            }
        }
        assert!(inside > 300 && outside > 300, "{name}: {inside} {outside}");
    }
}
