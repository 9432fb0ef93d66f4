//! Which way traffic goes on lakes, rivers, round islands and beside drawn lines.

use super::*;
use crate::geo::{LocalFrame, Position, Vec2};

const TERMS: TravelTerms = TravelTerms { shore_to: Hand::Starboard, mid_water_m: 30.0 };

fn frame() -> LocalFrame {
    LocalFrame::at(Position::from_lat_lon(47.0, 9.0).expect("in range"))
}

fn at(east_m: f64, north_m: f64) -> Position {
    frame().to_position(Vec2::new(east_m, north_m)).expect("away from the poles")
}

fn line(points: &[(f64, f64)]) -> serde_json::Value {
    points.iter().map(|&(x, y)| serde_json::json!(at(x, y).to_geojson())).collect()
}

fn rectangle(west_m: f64, south_m: f64, east_m: f64, north_m: f64) -> serde_json::Value {
    line(&[(west_m, south_m), (east_m, south_m), (east_m, north_m), (west_m, north_m), (west_m, south_m)])
}

fn feature(id: &str, kind: &str, shape: &str, coordinates: &serde_json::Value) -> serde_json::Value {
    serde_json::json!({
        "type": "Feature", "id": id, "properties": {"kind": kind},
        "geometry": {"type": shape, "coordinates": coordinates},
    })
}

fn waterway(features: &[serde_json::Value]) -> Waterway {
    let text = serde_json::json!({"type": "FeatureCollection", "features": features}).to_string();
    let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: text.into_bytes() };
    let (mut map, faults) = Map::from_files(&[file], &MapOptions::default());
    assert!(faults.iter().all(|fault| fault.severity != Severity::Error), "{faults:?}");
    map.waterways.remove(0)
}

fn course_deg(waterway: &Waterway, p: Position, lines: &[FeatureIx]) -> Option<f64> {
    match waterway.travel_at(p, &TERMS, lines)? {
        Travel::Toward(way) => way.bearing_deg().map(f64::round),
        Travel::MidWater => None,
    }
}

fn lake_with_island() -> serde_json::Value {
    serde_json::json!([rectangle(0.0, 0.0, 2000.0, 800.0), rectangle(900.0, 300.0, 1100.0, 350.0)])
}

#[test]
fn the_outer_shore_is_kept_to_starboard_whatever_the_order_of_its_ring() {
    let mut rings = lake_with_island();
    for _ in 0..2 {
        let lake = waterway(&[feature("lake", "waterway", "Polygon", &rings)]);
        assert_eq!(course_deg(&lake, at(1000.0, 100.0), &[]), Some(90.0), "beside the south shore");
        assert_eq!(course_deg(&lake, at(1000.0, 700.0), &[]), Some(270.0), "beside the north shore");
        assert_eq!(course_deg(&lake, at(1900.0, 400.0), &[]), Some(0.0), "at the east end");
        assert_eq!(course_deg(&lake, at(1000.0, 360.0), &[]), Some(90.0), "the island's shore is nearer");
        assert_eq!(lake.travel_at(at(1000.0, 0.0), &TERMS, &[]), None, "on the shore itself");
        rings[0].as_array_mut().expect("a ring").reverse();
    }
}

#[test]
fn traffic_keeps_right_on_a_river_but_for_its_middle() {
    let river =
        waterway(&[feature("river", "waterway", "Polygon", &serde_json::json!([rectangle(0.0, 0.0, 5000.0, 200.0)]))]);
    let way = |north_m: f64| river.travel_at(at(2500.0, north_m), &TERMS, &[]);
    for (north_m, is_mid_water) in [(69.5, false), (70.5, true), (100.0, true), (129.5, true), (130.5, false)] {
        assert_eq!(way(north_m) == Some(Travel::MidWater), is_mid_water, "{north_m}");
    }
    assert_eq!(course_deg(&river, at(2500.0, 60.0), &[]), Some(90.0));
    assert_eq!(course_deg(&river, at(2500.0, 140.0), &[]), Some(270.0));
}

#[test]
fn a_code_may_keep_the_shore_to_port() {
    let lake = waterway(&[feature("lake", "waterway", "Polygon", &lake_with_island())]);
    let terms = TravelTerms { shore_to: Hand::Port, ..TERMS };
    let Some(Travel::Toward(way)) = lake.travel_at(at(1000.0, 100.0), &terms, &[]) else { panic!("no way") };
    assert_eq!(way.bearing_deg().map(f64::round), Some(270.0));
}

#[test]
fn a_drawn_line_is_kept_to_port_instead_even_in_mid_water() {
    let lane = line(&[(200.0, 400.0), (1800.0, 400.0)]);
    let lake = waterway(&[
        feature("lake", "waterway", "Polygon", &lake_with_island()),
        feature("lane", "circulation", "LineString", &lane),
    ]);
    let lines = lake.circulation_lines();
    assert_eq!(course_deg(&lake, at(600.0, 390.0), &lines), Some(90.0));
    assert_eq!(course_deg(&lake, at(600.0, 410.0), &lines), Some(270.0));
    assert_eq!(lake.travel_at(at(600.0, 390.0), &TERMS, &[]), Some(Travel::MidWater));
}

#[test]
fn drawn_shorelines_count_and_closed_small_ones_are_islands() {
    let lake = waterway(&[
        feature("lake", "waterway", "Polygon", &serde_json::json!([rectangle(-100.0, -100.0, 2100.0, 900.0)])),
        feature("shore", "shoreline", "Polygon", &serde_json::json!([rectangle(0.0, 0.0, 2000.0, 800.0)])),
        feature("isle", "shoreline", "LineString", &rectangle(900.0, 200.0, 1100.0, 250.0)),
    ]);
    let near = lake.nearest_outer(at(1000.0, 150.0), 1e4).expect("a shore");
    assert!((near.distance_m - 150.0).abs() < 0.01, "{near:?}");
    assert_eq!(course_deg(&lake, at(1000.0, 150.0), &[]), Some(90.0));
}

#[test]
fn a_pond_on_an_island_does_not_turn_traffic_around_the_island() {
    let rings = serde_json::json!([
        [rectangle(0.0, 0.0, 2000.0, 900.0), rectangle(800.0, 300.0, 1200.0, 600.0)],
        [rectangle(810.0, 310.0, 1190.0, 590.0)],
    ]);
    let lake = waterway(&[feature("lake", "waterway", "MultiPolygon", &rings)]);
    assert_eq!(course_deg(&lake, at(1000.0, 290.0), &[]), Some(90.0));
}

#[test]
fn around_a_narrow_cove_the_mean_keeps_its_way() {
    // A cove 30 m wide in a straight shore.
    let shore = line(&[
        (0.0, 0.0),
        (985.0, 0.0),
        (985.0, -80.0),
        (1015.0, -80.0),
        (1015.0, 0.0),
        (2000.0, 0.0),
        (2000.0, 900.0),
        (0.0, 900.0),
        (0.0, 0.0),
    ]);
    let lake = waterway(&[feature("lake", "waterway", "Polygon", &serde_json::json!([shore]))]);
    let around = lake.travel_around(at(1000.0, 40.0), 60.0, &TERMS, &[]);
    assert!((around.course_deg().expect("a way") - 90.0).abs() < 15.0 && around.agreement() > 0.7, "{around:?}");
    assert!(around.off_mid_water_m > 30.0, "{around:?}");
}

#[test]
fn mid_water_is_as_far_off_as_the_shores_say() {
    let river =
        waterway(&[feature("river", "waterway", "Polygon", &serde_json::json!([rectangle(0.0, 0.0, 5000.0, 200.0)]))]);
    for (north_m, off_m) in [(40.0, 30.0), (69.0, 1.0), (90.0, -20.0), (140.0, 10.0)] {
        let around = river.travel_around(at(2500.0, north_m), 20.0, &TERMS, &[]);
        assert!((around.off_mid_water_m - off_m).abs() < 0.01, "{north_m}: {around:?}");
    }
}

#[test]
fn the_field_is_drawn_with_its_mid_water() {
    let river =
        waterway(&[feature("river", "waterway", "Polygon", &serde_json::json!([rectangle(0.0, 0.0, 2000.0, 200.0)]))]);
    let drawn = river.explain(Some(&TERMS));
    let role = |f: &geojson::Feature| f.property("role").and_then(|r| r.as_str().map(str::to_owned));
    let arrows: Vec<_> = drawn.features.iter().filter(|f| role(f).as_deref() == Some("direction")).collect();
    assert!(arrows.len() > 200, "{}", arrows.len());
    for arrow in arrows {
        let course_deg = arrow.property("course_deg").and_then(|c| c.as_f64()).expect("a course");
        assert!(course_deg < 0.0 + 360.0 && arrow.property("agreement").is_some());
    }
    let bands: Vec<_> = drawn.features.iter().filter(|f| role(f).as_deref() == Some("mid_water")).collect();
    assert_eq!(bands.len(), 1);
    assert!(river.explain(None).features.is_empty());
}

#[test]
fn the_field_of_a_season_says_so() {
    let water = feature("river", "waterway", "Polygon", &serde_json::json!([rectangle(0.0, 0.0, 2000.0, 400.0)]));
    let mut line = feature(
        "summer",
        "circulation",
        "LineString",
        &serde_json::json!([at(100.0, 100.0).to_geojson(), at(1900.0, 100.0).to_geojson()]),
    );
    line["properties"]["valid_from"] = "05-01".into();
    line["properties"]["valid_until"] = "09-30".into();
    let drawn = waterway(&[water, line]).explain(Some(&TERMS));
    let said = |f: &geojson::Feature, key: &str| f.property(key).and_then(|v| v.as_str().map(str::to_owned));
    let of = |role: &str, by: Option<&str>| {
        let is_meant =
            |f: &&geojson::Feature| said(f, "role").as_deref() == Some(role) && said(f, "by").as_deref() == by;
        drawn
            .features
            .iter()
            .filter(is_meant)
            .map(|f| said(f, "valid_from").zip(said(f, "valid_until")))
            .collect::<Vec<_>>()
    };
    let season = Some(("05-01".to_owned(), "09-30".to_owned()));
    assert_eq!(of("circulation", None), std::slice::from_ref(&season));
    let (by_line, by_shore) = (of("direction", Some("circulation")), of("direction", Some("shore")));
    assert!(by_line.len() > 200 && by_line.iter().all(|when| *when == season));
    assert!(by_shore.len() > 100 && by_shore.iter().all(Option::is_none));
}
