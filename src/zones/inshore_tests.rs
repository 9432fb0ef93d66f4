//! Which water a buoy line cuts off, on lakes small enough to know the answer by heart.

use super::*;
use crate::geo::{LocalFrame, Position, Vec2};

/// A lake of 2000 m by 1000 m whose south-west corner is the origin, drawn in metres, and what lies on it.
struct Lake {
    frame: LocalFrame,
    features: Vec<String>,
}

impl Lake {
    fn at(lat: f64, lon: f64, islands: &[&[(f64, f64)]]) -> Self {
        let frame = LocalFrame::at(Position::from_lat_lon(lat, lon).expect("in range"));
        let mut lake = Self { frame, features: Vec::new() };
        let shore = [(0.0, 0.0), (2000.0, 0.0), (2000.0, 1000.0), (0.0, 1000.0), (0.0, 0.0)];
        let rings: Vec<String> =
            std::iter::once(&shore[..]).chain(islands.iter().copied()).map(|r| lake.ring(r)).collect();
        lake.add("waterway", "lake", "", &format!(r#""Polygon","coordinates":[{}]"#, rings.join(",")));
        lake
    }

    fn position(&self, (x, y): (f64, f64)) -> Position {
        self.frame.to_position(Vec2::new(x, y)).expect("in range")
    }

    fn ring(&self, points: &[(f64, f64)]) -> String {
        let points: Vec<String> = points
            .iter()
            .map(|&p| {
                let p = self.position(p);
                format!("[{},{}]", p.lon_deg(), p.lat_deg())
            })
            .collect();
        format!("[{}]", points.join(","))
    }

    fn add(&mut self, kind: &str, id: &str, more: &str, geometry: &str) {
        self.features.push(format!(
            r#"{{"type":"Feature","id":"{id}","properties":{{"kind":"{kind}"{more}}},"geometry":{{"type":{geometry}}}}}"#
        ));
    }

    fn line(mut self, id: &str, points: &[(f64, f64)]) -> Self {
        let geometry = format!(r#""LineString","coordinates":{}"#, self.ring(points));
        self.add("buoy_line", id, "", &geometry);
        self
    }

    fn buoys(mut self, more: impl Fn(usize) -> String, points: &[(f64, f64)]) -> Self {
        for (i, &p) in points.iter().enumerate() {
            let at = self.position(p);
            let geometry = format!(r#""Point","coordinates":[{},{}]"#, at.lon_deg(), at.lat_deg());
            let id = format!("buoy-{}", self.features.len());
            self.add("safety_buoy", &id, &more(i), &geometry);
        }
        self
    }

    fn read(&self) -> (Map, Vec<ZoneFault>) {
        let text = format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, self.features.join(","));
        Map::from_files(
            &[ZoneFile { name: "lake.geojson".to_owned(), bytes: text.into_bytes() }],
            &MapOptions::default(),
        )
    }

    /// Checks which of the points are inshore: those marked, and only those.
    fn check(&self, points: &[((f64, f64), bool)]) {
        let (map, faults) = self.read();
        assert_eq!(faults, []);
        for &(point, expected) in points {
            let p = self.position(point);
            let inshore = map.waterways[0]
                .features
                .iter()
                .any(|f| f.kind == ZoneKind::InshoreArea && f.region.as_ref().is_some_and(|r| r.contains(p)));
            assert_eq!(inshore, expected, "{point:?} at {:?}", self.frame.origin());
        }
    }
}

const PLACES: [(f64, f64); 4] = [(47.66, -117.08), (-18.1, 179.99), (69.6, 18.9), (0.0, 0.0)];

#[test]
fn an_open_line_is_joined_to_the_nearest_shore_and_cuts_off_the_smaller_part() {
    for (lat, lon) in PLACES {
        Lake::at(lat, lon, &[]).line("line", &[(500.0, 80.0), (1000.0, 100.0), (1500.0, 60.0)]).check(&[
            ((1000.0, 50.0), true),
            ((501.0, 1.0), true),
            ((499.0, 40.0), false),
            ((1501.0, 40.0), false),
            ((1000.0, 101.0), false),
            ((1000.0, 99.0), true),
            ((1000.0, 700.0), false),
        ]);
    }
}

#[test]
fn a_line_drawn_to_the_shore_or_beyond_needs_no_join() {
    for ends in [0.0, 1e-4, -1e-4, -20.0] {
        let lake =
            Lake::at(54.0, -2.9, &[]).line("line", &[(500.0, ends), (500.0, 80.0), (900.0, 80.0), (900.0, ends)]);
        lake.check(&[((700.0, 40.0), true), ((700.0, 81.0), false), ((499.0, 40.0), false), ((901.0, 40.0), false)]);
        let (map, _) = lake.read();
        assert!(map.waterways[0].buoy_lines[0].joins.is_empty() || ends > 0.0, "{ends}");
    }
}

#[test]
fn a_line_that_crosses_land_cuts_off_every_part_but_the_largest() {
    // Two bays, parted by the land that reaches down from the north shore at 900 to 1100 m.
    let lake = Lake::at(47.66, -117.08, &[]);
    let shore = [
        (0.0, 0.0),
        (2000.0, 0.0),
        (2000.0, 1000.0),
        (1100.0, 1000.0),
        (1100.0, 700.0),
        (900.0, 700.0),
        (900.0, 1000.0),
        (0.0, 1000.0),
        (0.0, 0.0),
    ];
    let water = format!(r#""Polygon","coordinates":[{}]"#, lake.ring(&shore));
    let mut lake = Lake { features: Vec::new(), ..lake };
    lake.add("waterway", "lake", "", &water);
    lake.line("line", &[(50.0, 800.0), (1950.0, 800.0)]).check(&[
        ((500.0, 900.0), true),
        ((1500.0, 900.0), true),
        ((500.0, 700.0), false),
        ((1000.0, 600.0), false),
    ]);
}

#[test]
fn a_closed_ring_takes_the_side_of_its_nearest_shore() {
    let island: &[(f64, f64)] = &[(900.0, 450.0), (900.0, 550.0), (1100.0, 550.0), (1100.0, 450.0), (900.0, 450.0)];
    for (lat, lon) in PLACES {
        let round_island = [(850.0, 400.0), (1150.0, 400.0), (1150.0, 600.0), (850.0, 600.0), (850.0, 400.0)];
        Lake::at(lat, lon, &[island]).line("ring", &round_island).check(&[
            ((870.0, 500.0), true),
            ((1000.0, 500.0), false),
            ((840.0, 500.0), false),
            ((100.0, 100.0), false),
        ]);
        let round_lake = [(60.0, 60.0), (1940.0, 60.0), (1940.0, 940.0), (60.0, 940.0), (60.0, 60.0)];
        Lake::at(lat, lon, &[island]).line("ring", &round_lake).check(&[
            ((30.0, 500.0), true),
            ((1000.0, 970.0), true),
            ((100.0, 500.0), false),
            ((870.0, 500.0), false),
        ]);
    }
}

#[test]
fn ordered_buoys_make_a_line_and_a_ring_where_it_is_declared_closed() {
    let row = [(500.0, 80.0), (1500.0, 80.0), (800.0, 90.0), (1200.0, 90.0)];
    let order = |i: usize| format!(r#","line":"south","order":{}"#, [1, 4, 2, 3][i]);
    let lake = Lake::at(47.66, -117.08, &[]).buoys(order, &row);
    lake.check(&[((1000.0, 50.0), true), ((1000.0, 95.0), false), ((450.0, 50.0), false)]);
    let (map, _) = lake.read();
    let line = &map.waterways[0].buoy_lines[0];
    let ids: Vec<&str> = line.buoys.iter().map(|&(ix, _)| &*map.waterways[0].feature(ix).id).collect();
    assert_eq!(
        (ids, line.source, &*line.id),
        (vec!["buoy-1", "buoy-3", "buoy-4", "buoy-2"], LineSource::Ordered, "south")
    );

    let corners = [(60.0, 60.0), (1940.0, 60.0), (1940.0, 940.0), (60.0, 940.0)];
    let ring = |i: usize| format!(r#","line":"ring","order":{i},"closed":true"#);
    Lake::at(47.66, -117.08, &[]).buoys(ring, &corners).check(&[
        ((30.0, 500.0), true),
        ((100.0, 500.0), false),
        ((1000.0, 30.0), true),
    ]);
}

#[test]
fn scattered_buoys_are_joined_nearest_to_nearest_in_groups() {
    let lake = Lake::at(64.0, -21.0, &[]).buoys(
        |_| String::new(),
        &[(700.0, 70.0), (300.0, 70.0), (1700.0, 70.0), (500.0, 70.0), (1300.0, 70.0), (1500.0, 70.0)],
    );
    lake.check(&[((500.0, 35.0), true), ((1500.0, 35.0), true), ((1000.0, 35.0), false), ((250.0, 35.0), false)]);
    let (map, _) = lake.read();
    let sizes: Vec<usize> = map.waterways[0].buoy_lines.iter().map(|l| l.buoys.len()).collect();
    assert_eq!(sizes, [3, 3]);
}

#[test]
fn a_drawn_line_stands_for_the_buoys_along_it_and_no_others() {
    let row = [(500.0, 80.0), (900.0, 80.0)];
    let far = [(500.0, 920.0), (800.0, 920.0)];
    let lake =
        Lake::at(47.66, -117.08, &[]).line("drawn", &row).buoys(|_| String::new(), &row).buoys(|_| String::new(), &far);
    let (map, faults) = lake.read();
    assert_eq!(faults, []);
    let lines: Vec<(&str, usize)> = map.waterways[0].buoy_lines.iter().map(|l| (&*l.id, l.buoys.len())).collect();
    assert_eq!(lines, [("drawn", 2), ("line-of-buoy-4", 2)]);
}

#[test]
fn cut_lines_are_in_the_index_and_in_the_explanation() {
    let lake = Lake::at(47.66, -117.08, &[]).line("line", &[(500.0, 80.0), (1500.0, 80.0)]);
    let (map, _) = lake.read();
    let waterway = &map.waterways[0];
    let line = &waterway.buoy_lines[0];
    let (area, kind) = (line.inshore.expect("it cuts water off"), ZoneKind::InshoreArea);
    assert_eq!((waterway.feature(area).kind, &*waterway.feature(area).id), (kind, "inshore-line"));
    assert!(waterway.kinds.contains(kind));
    // Beside the join from the line's end down to the shore.
    let found = waterway.nearest(lake.position((495.0, 40.0)), KindSet::only(kind), 10.0).expect("the join is near");
    assert!((found.distance_m - 5.0).abs() < 1e-3 && found.edge.feature == area, "{found:?}");
    let explained = waterway.explain(None);
    let roles: Vec<String> =
        explained.features.iter().filter_map(|f| f.property("role")?.as_str().map(str::to_owned)).collect();
    assert_eq!(roles, ["buoy_line", "join", "join", "inshore_area"]);
}

#[test]
fn a_ring_that_makes_most_of_the_water_inshore_is_worth_a_warning() {
    let patch = [(900.0, 60.0), (1000.0, 60.0), (1000.0, 160.0), (900.0, 160.0), (900.0, 60.0)];
    let (_, faults) = Lake::at(47.66, -117.08, &[]).line("patch", &patch).read();
    assert!(faults.len() == 1 && faults[0].reason.contains("% of the water"), "{faults:?}");
}
