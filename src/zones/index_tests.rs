//! The index agrees with a scan over all edges, and distances with the geodesic.

use geographiclib_rs::{Geodesic, InverseGeodesic};

use super::*;
use crate::geo::{LocalFrame, Position, Vec2};

/// A small deterministic generator.
struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }
    fn within(&mut self, half: f64) -> f64 {
        (self.unit() * 2.0 - 1.0) * half
    }
}

fn at(frame: &LocalFrame, east_m: f64, north_m: f64) -> Position {
    frame.to_position(Vec2::new(east_m, north_m)).expect("away from the poles")
}

fn text(p: Position) -> String {
    format!("[{},{}]", p.lon_deg(), p.lat_deg())
}

/// A jagged lake of some 2 km with an island, docks and buoys, as a zone file.
fn lake(centre: Position, seed: u64) -> ZoneFile {
    let mut dice = Dice(seed);
    let frame = LocalFrame::at(centre);
    let mut ring = |radius_m: f64, rough_m: f64, n: usize| -> String {
        let mut points: Vec<String> = (0..n)
            .map(|i| {
                let (sin, cos) = (std::f64::consts::TAU * i as f64 / n as f64).sin_cos();
                let r = radius_m + dice.within(rough_m);
                text(at(&frame, r * cos, r * sin))
            })
            .collect();
        points.push(points[0].clone());
        format!("[{}]", points.join(","))
    };
    let mut features = vec![format!(
        r#"{{"type":"Feature","id":"lake","properties":{{"kind":"waterway"}},"geometry":{{"type":"Polygon","coordinates":[{},{}]}}}}"#,
        ring(1800.0, 150.0, 400),
        ring(300.0, 80.0, 60)
    )];
    for (kind, count) in [("dock", 40), ("safety_buoy", 12), ("float", 5)] {
        for _ in 0..count {
            let (x, y) = (dice.within(1500.0), dice.within(1500.0));
            let a = at(&frame, x, y);
            let geometry = if kind == "dock" {
                let b = at(&frame, x + dice.within(40.0), y + dice.within(40.0));
                format!(r#"{{"type":"LineString","coordinates":[{},{}]}}"#, text(a), text(b))
            } else {
                format!(r#"{{"type":"Point","coordinates":{}}}"#, text(a))
            };
            features.push(format!(r#"{{"type":"Feature","properties":{{"kind":"{kind}"}},"geometry":{geometry}}}"#));
        }
    }
    let bytes = format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(",")).into_bytes();
    ZoneFile { name: "lake.geojson".to_owned(), bytes }
}

fn map_of(file: ZoneFile) -> Map {
    let (map, faults) = Map::from_files(&[file], &MapOptions::default());
    assert!(faults.iter().all(|f| f.severity == Severity::Warning), "{faults:?}");
    map
}

/// Every edge of the drawn features, without the index.
fn all_edges(waterway: &Waterway) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (feature, ix) in waterway.features.iter().zip(0..).filter(|(f, _)| f.kind != ZoneKind::InshoreArea) {
        let kind = if feature.kind == ZoneKind::Waterway { waterway.rim() } else { feature.kind };
        feature.shape.each_edge(&mut |a, b| edges.push(Edge { a, b, feature: FeatureIx(ix), kind }));
    }
    edges
}

/// Geodesic distance to an edge that is straight in longitude and latitude, by golden section.
fn geodesic_m(p: Position, edge: &Edge) -> f64 {
    let geodesic = Geodesic::wgs84();
    let along = |t: f64| {
        let lon_b = crate::geo::near_lon_deg(edge.b.lon_deg(), edge.a.lon_deg());
        let lat = edge.a.lat_deg() + t * (edge.b.lat_deg() - edge.a.lat_deg());
        let lon = edge.a.lon_deg() + t * (lon_b - edge.a.lon_deg());
        let s: f64 = geodesic.inverse(p.lat_deg(), p.lon_deg(), lat, lon);
        s
    };
    let ratio = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut lo, mut hi) = (0.0, 1.0);
    for _ in 0..60 {
        let (c, d) = (hi - ratio * (hi - lo), lo + ratio * (hi - lo));
        if along(c) < along(d) { hi = d } else { lo = c }
    }
    [along(0.0), along(1.0), along(0.5 * (lo + hi))].into_iter().fold(f64::INFINITY, f64::min)
}

const PLACES: [(f64, f64); 8] = [
    (0.01, 10.0),
    (47.66, -117.0),
    (-36.84, 174.77),
    (-18.1, 179.995),
    (64.0, -179.99),
    (69.6, 180.0),
    (-78.0, 3.0),
    (84.9, -60.0),
];

#[test]
fn the_nearest_edge_is_that_of_a_scan_and_of_the_geodesic() {
    for (seed, (lat, lon)) in PLACES.into_iter().enumerate() {
        let centre = Position::from_lat_lon(lat, lon).expect("in range");
        let frame = LocalFrame::at(centre);
        let map = map_of(lake(centre, seed as u64));
        let waterway = &map.waterways[0];
        let edges = all_edges(waterway);
        let mut dice = Dice(99);
        for _ in 0..60 {
            let p = at(&frame, dice.within(2500.0), dice.within(2500.0));
            for kinds in [KindSet::only(ZoneKind::Shoreline), KindSet::only(ZoneKind::Dock).with(ZoneKind::Float)] {
                let scan = edges
                    .iter()
                    .filter(|e| kinds.contains(e.kind))
                    .map(|e| index::measure(&LocalFrame::at(p), e.a, e.b).0)
                    .fold(f64::INFINITY, f64::min);
                let found = waterway.nearest(p, kinds, 5000.0).expect("within five kilometres");
                assert_eq!(found.distance_m, scan, "at {p:?}");
                let geodesic = geodesic_m(p, &found.edge);
                let tolerance_m = if scan <= 91.44 { 1e-3 } else { 1e-2 };
                assert!(
                    (found.distance_m - geodesic).abs() < tolerance_m,
                    "{lat}: {} against {geodesic}",
                    found.distance_m
                );
                assert_eq!(waterway.nearest(p, kinds, scan * 0.999), None);
            }
            let around = waterway.surroundings(p);
            let scan = |pick: &dyn Fn(&Edge) -> bool| {
                let distances =
                    edges.iter().filter(|e| pick(e)).map(|e| index::measure(&LocalFrame::at(p), e.a, e.b).0);
                distances.fold(SURROUNDINGS_M, f64::min)
            };
            // Cut lines of derived areas may be nearer than anything drawn.
            assert!(around.clear_m <= scan(&|_| true));
            assert_eq!(around.water_m.abs(), scan(&|e| e.kind == ZoneKind::Shoreline));
            assert_eq!(around.water_m > 0.0, waterway.contains(p));
            // By the boxes of edges, the longest of which have a little more than 300 m.
            let shore_m = scan(&|e| e.kind == ZoneKind::Shoreline);
            let clear_m = waterway.clear_m(p, KindSet::only(ZoneKind::Shoreline), SURROUNDINGS_M);
            assert!((shore_m - 320.0..=shore_m).contains(&clear_m), "{clear_m} of {shore_m}");
        }
    }
}

#[test]
fn no_edge_near_a_path_is_missed_and_none_is_visited_twice() {
    for (seed, (lat, lon)) in PLACES.into_iter().enumerate() {
        let centre = Position::from_lat_lon(lat, lon).expect("in range");
        let frame = LocalFrame::at(centre);
        let map = map_of(lake(centre, 7 + seed as u64));
        let waterway = &map.waterways[0];
        let edges = all_edges(waterway);
        let mut dice = Dice(5);
        for _ in 0..100 {
            let (x, y) = (dice.within(2200.0), dice.within(2200.0));
            let (a, b) = (at(&frame, x, y), at(&frame, x + dice.within(150.0), y + dice.within(150.0)));
            let margin_m = dice.unit() * 200.0;
            let mut visited: Vec<Edge> = Vec::new();
            waterway.edges_near(a, b, margin_m, &mut |e| visited.push(*e));
            for (i, e) in visited.iter().enumerate() {
                assert!(!visited[i + 1..].contains(e), "visited twice: {e:?}");
            }
            let local = LocalFrame::at(a);
            let path = crate::geo::motion::Motion { from: local.to_plane(a), to: local.to_plane(b), span_s: 1.0 };
            for e in &edges {
                let (pa, pb) = (local.to_plane(e.a), local.to_plane(e.b));
                let (_, distance_m) = path.nearest_to_edge(pa, pb, path.whole());
                if distance_m < margin_m * 0.999 {
                    assert!(visited.contains(e), "{lat}: missed {e:?} at {distance_m} m, margin {margin_m}");
                }
            }
        }
    }
}

#[test]
fn a_long_edge_is_measured_where_it_passes() {
    let line = |id: &str, a: [f64; 2], b: [f64; 2]| {
        format!(
            r#"{{"type":"Feature","id":"{id}","properties":{{"kind":"dock"}},"geometry":{{"type":"LineString","coordinates":[{a:?},{b:?}]}}}}"#
        )
    };
    let water = r#"{"type":"Feature","id":"sea","properties":{"kind":"waterway"},"geometry":{"type":"Polygon","coordinates":[[[10,60],[14,60],[14,62],[10,62],[10,60]]]}}"#;
    let text =
        format!(r#"{{"type":"FeatureCollection","features":[{water},{}]}}"#, line("boom", [10.5, 60.2], [13.5, 61.7]));
    let map = map_of(ZoneFile { name: "sea.geojson".to_owned(), bytes: text.into_bytes() });
    let p = Position::from_lat_lon(60.9505, 12.0).expect("in range");
    let found = map.waterways[0].nearest(p, KindSet::only(ZoneKind::Dock), 2000.0).expect("it passes within 100 m");
    assert!((found.distance_m - geodesic_m(p, &found.edge)).abs() < 1e-3, "{found:?}");
}

#[test]
fn the_water_at_the_antimeridian_has_no_shore_at_the_seam() {
    // As RFC 7946, section 3.1.9, asks for: one polygon on either side.
    let text = r#"{"type":"Feature","id":"bay","properties":{"kind":"waterway"},"geometry":{"type":"MultiPolygon","coordinates":[
        [[[179.98,-18.02],[180,-18.02],[180,-17.98],[179.98,-17.98],[179.98,-18.02]]],
        [[[-180,-18.02],[-179.98,-18.02],[-179.98,-17.98],[-180,-17.98],[-180,-18.02]]]]}}"#;
    let map = map_of(ZoneFile { name: "bay.geojson".to_owned(), bytes: text.into() });
    for lon in [180.0, -180.0, 179.9999, -179.9999] {
        let p = Position::from_lat_lon(-18.0, lon).expect("in range");
        let around = map.waterways[0].surroundings(p);
        assert!(around.water_m > 900.0, "{lon}: {around:?}");
        assert_eq!(map.locate(p, 0.0), Some(WaterwayIx(0)));
    }
}

#[test]
fn a_position_belongs_to_the_water_it_is_on_then_to_the_nearest() {
    let square = |id: &str, west: f64, east: f64| {
        let text = format!(
            r#"{{"type":"Feature","id":"{id}","properties":{{"kind":"waterway"}},"geometry":{{"type":"Polygon","coordinates":[[[{west},50],[{east},50],[{east},50.01],[{west},50.01],[{west},50]]]}}}}"#
        );
        ZoneFile { name: format!("{id}.geojson"), bytes: text.into_bytes() }
    };
    let (map, faults) =
        Map::from_files(&[square("west", 8.0, 8.01), square("east", 8.0105, 8.02)], &MapOptions::default());
    assert_eq!(faults, []);
    let ids: Vec<&str> = map.waterways.iter().map(|w| w.id.as_str()).collect();
    assert_eq!(ids, ["east", "west"]);
    let which = |lon: f64, tolerance_m: f64| {
        let p = Position::from_lat_lon(50.005, lon).expect("in range");
        map.locate(p, tolerance_m).map(|ix| map.waterway(ix).id.as_str())
    };
    assert_eq!(which(8.005, 0.0), Some("west"));
    assert_eq!(which(8.0102, 0.0), None);
    assert_eq!(which(8.0102, 50.0), Some("west"));
    assert_eq!(which(8.0104, 50.0), Some("east"));
    assert_eq!(which(8.03, 50.0), None);
    assert!(map.waterways[1].on_water(Position::from_lat_lon(50.005, 8.0101).expect("in range"), 10.0));
}

#[test]
fn islands_are_no_outer_shore_and_the_other_shore_lies_behind() {
    // Some 4 km by 1 km, with an island in the middle.
    let text = r#"{"type":"Feature","id":"lake","properties":{"kind":"waterway"},"geometry":{"type":"Polygon","coordinates":[
        [[9.98,50],[10.04,50],[10.04,50.01],[9.98,50.01],[9.98,50]],
        [[10.009,50.004],[10.009,50.006],[10.011,50.006],[10.011,50.004],[10.009,50.004]]]}}"#;
    let map = map_of(ZoneFile { name: "lake.geojson".to_owned(), bytes: text.into() });
    let waterway = &map.waterways[0];
    let p = Position::from_lat_lon(50.0035, 10.01).expect("in range");
    let (north_m, _) = crate::geo::frame::metres_per_degree(50.0);
    let is_about =
        |found: Option<Nearest>, degrees: f64| (found.expect("near").distance_m - degrees * north_m).abs() < 0.05;
    assert!(is_about(waterway.nearest(p, KindSet::only(ZoneKind::Shoreline), 5e3), 0.0005));
    let near = waterway.nearest_outer(p, 5e3).expect("the south shore");
    assert!(is_about(Some(near), 0.0035));
    assert!(is_about(waterway.opposite_outer(p, near.point, 5e3), 0.0065));
    assert_eq!(waterway.opposite_outer(p, near.point, 500.0), None);
    // From a corner the side shores run past the half-plane's edge: only the part behind counts.
    let q = Position::from_lat_lon(50.001, 10.039).expect("in range");
    let near = waterway.nearest_outer(q, 5e3).expect("the east shore");
    let other = waterway.opposite_outer(q, near.point, 5e3).expect("the south shore, west of here");
    assert!(other.distance_m > near.distance_m && other.point.lon_deg() <= 10.039 + 1e-9, "{other:?}");
    assert!(is_about(Some(other), 0.001));
}

#[test]
fn a_feature_is_found_by_its_id() {
    let map = map_of(lake(Position::from_lat_lon(47.66, -117.0).expect("in range"), 1));
    let waterway = &map.waterways[0];
    for feature in &waterway.features {
        let found = waterway.feature_named(&feature.id).expect("it is there");
        assert!(std::ptr::eq(found, feature));
    }
    assert!(waterway.feature_named("no such feature").is_none());
}
