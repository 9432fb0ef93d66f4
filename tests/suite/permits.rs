//! A permit lifts its rule whatever else the rulebook asks for.

use std::sync::Arc;

use buoyline::rulebook::Rulebook;
use buoyline::zones::{Map, MapOptions, ZoneFile};

use crate::support::{replay, scratch, spokane, write_lines};

/// A lake of three kilometres, and a permit for everybody over the eastern half of it.
const LAKE: &str = r#"{"type":"FeatureCollection","features":[
{"type":"Feature","id":"lake","properties":{"kind":"waterway"},"geometry":{"type":"Polygon",
 "coordinates":[[[12.00,44.30],[12.04,44.30],[12.04,44.32],[12.00,44.32],[12.00,44.30]]]}},
{"type":"Feature","id":"trial","properties":{"kind":"permit_area","permit":"T-1"},"geometry":{"type":"Polygon",
 "coordinates":[[[12.02,44.305],[12.035,44.305],[12.035,44.315],[12.02,44.315],[12.02,44.305]]]}}]}"#;

const NOTHING_ELSE: &str = r#"
name = "one limit"
edition = "first"
authority = "nobody"
time_zone = "UTC"

[[rules.speed-cap.clause]]
citation = "1"
limit = "50 mph"
"#;

#[test]
fn a_permit_lifts_the_only_rule_of_a_rulebook() {
    let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: LAKE.as_bytes().to_vec() };
    let map = Arc::new(Map::from_files(&[file], &MapOptions::default()).0);
    // 24 m/s due east, from 12.010 to 12.025: over the permit's edge halfway between the fixes at 33 s and 34 s.
    let lines: Vec<String> = (0..50)
        .map(|i| {
            let lon = 12.010 + 0.0003 * (f64::from(i) - 0.166_667);
            format!(
                r#"{{"type":"fix","vessel":"boat","t":"2026-06-15T10:00:{i:02}Z","lat":44.31,"lon":{lon:.9},"sog_kn":46.6}}"#
            )
        })
        .collect();
    let folder = scratch();
    let track = write_lines(folder.path(), "track.ndjson", &lines);
    let alone = Rulebook::from_toml("alone.toml", NOTHING_ELSE).expect("a rulebook");
    for rulebook in [spokane(), Arc::new(alone)] {
        let outcome = replay(std::slice::from_ref(&track), &map, &rulebook);
        let caps: Vec<_> = outcome.findings.iter().filter(|f| f.rule == "speed-cap").collect();
        assert_eq!(caps.len(), 1, "{}: {caps:?}", rulebook.name);
        let end_s = caps[0].end.expect("closed").seconds_since(caps[0].start);
        assert!((end_s - 33.5).abs() < 0.01, "{}: lifted after {end_s} s", rulebook.name);
    }
}
