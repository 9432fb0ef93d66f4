//! Real and written maps of other tools: how many features there are, which kinds they become, and what is left out.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::geo::Position;
use crate::geo::distance_m;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/import")
}

fn source(name: &str) -> Source {
    let path = folder().join(name);
    let beside = |ending: &str| fs::read(path.with_extension(ending)).ok();
    Source {
        name: name.to_owned(),
        bytes: fs::read(&path).expect("part of the sources"),
        beside: Beside { dbf: beside("dbf"), prj: beside("prj"), cpg: beside("cpg") },
    }
}

fn drawn(name: &str) -> Vec<Drawn> {
    read(&source(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Features by type of geometry and positions, as "2 Point, 1 Polygon; 17 positions".
fn counts(name: &str) -> String {
    let drawn = drawn(name);
    let mut types: Vec<&str> =
        drawn.iter().map(|d| d.geometry.as_ref().map_or("unusable", |g| g.type_name())).collect();
    types.sort_unstable();
    let groups = types.chunk_by(|a, b| a == b).map(|group| format!("{} {}", group.len(), group[0]));
    let positions: usize = drawn.iter().filter_map(|d| d.geometry.as_ref().ok()).map(position_count).sum();
    format!("{}; {positions} positions", groups.collect::<Vec<_>>().join(", "))
}

fn mapping(kinds: &[&str], only: &[&str]) -> Mapping {
    Mapping {
        kinds: kinds.iter().map(|kind| kind.parse().expect("a choice")).collect(),
        only: only.iter().map(|only| only.parse().expect("a selector")).collect(),
        ..Mapping::default()
    }
}

/// The kinds of what is kept, as "2 dock, 1 waterway", and the reasons of what is left out.
fn kinds(mapping: &Mapping, names: &[&str]) -> (String, Vec<String>) {
    let all = names.iter().flat_map(|name| drawn(name)).collect();
    let collection = mapping.collect(all).expect("one water at most");
    let kind = |feature: &::geojson::Feature| feature.property("kind").and_then(Value::as_str).map(str::to_owned);
    let mut kinds: Vec<String> = collection.features.iter().filter_map(|(feature, _)| kind(feature)).collect();
    kinds.sort();
    let groups = kinds.chunk_by(|a, b| a == b).map(|group| format!("{} {}", group.len(), group[0]));
    let left = collection.left.iter().map(|left| format!("{}: {}", left.place, left.reason));
    (groups.collect::<Vec<_>>().join(", "), left.collect())
}

#[test]
fn every_file_reads_with_its_counts() {
    for (name, expected) in [
        ("charles-water.geojson", "1 MultiPolygon, 14 Polygon; 2456 positions"),
        ("charles-docks.geojson", "1 MultiPolygon, 33 Polygon; 1022 positions"),
        ("charles-bridges.geojson", "6 Polygon; 46 positions"),
        ("lake-texana.geojson", "1 Polygon; 7008 positions"),
        ("lake-texana-stateplane.shp", "1 Polygon; 7008 positions"),
        ("millinocket-lake.geojson", "1 Polygon; 4694 positions"),
        ("millinocket-piers.geojson", "38 LineString; 101 positions"),
        ("mendota-nhd.geojson", "13 Polygon; 761 positions"),
        ("sunapee-nhd.geojson", "13 Polygon; 918 positions"),
        ("miami-enc-us5miacc.geojson", "18 LineString, 9 Point, 5 Polygon; 278 positions"),
        ("keywest-enc-us5fl4dr.geojson", "15 LineString, 11 Point, 14 Polygon; 521 positions"),
        ("mirror-lake.kml", "1 LineString, 1 MultiPoint, 1 Point, 1 Polygon, 2 unusable; 14 positions"),
        ("mirror-lake.kmz", "1 LineString, 1 MultiPoint, 1 Point, 1 Polygon, 2 unusable; 14 positions"),
        ("buoys.gpx", "1 LineString, 3 Point, 2 unusable; 5 positions"),
    ] {
        assert_eq!(counts(name), expected, "{name}");
    }
}

/// The GeoJSON was brought to WGS 84 by PROJ and rounded to 1e-7 degrees, which is 7.4 mm from corner to corner of
/// a cell's quarter: the largest difference found is 7.3 mm.
#[test]
fn a_state_plane_in_survey_feet_becomes_degrees() {
    let rings = |name: &str| match drawn(name).remove(0).geometry {
        Ok(GeometryValue::Polygon { coordinates }) => coordinates,
        other => panic!("{name}: {other:?}"),
    };
    let (ours, theirs) = (rings("lake-texana-stateplane.shp"), rings("lake-texana.geojson"));
    assert_eq!(ours.iter().map(Vec::len).collect::<Vec<_>>(), theirs.iter().map(Vec::len).collect::<Vec<_>>());
    assert_eq!(ours.len(), 23, "22 islands");
    let at = |p: &::geojson::Position| Position::from_geojson([p.as_slice()[0], p.as_slice()[1]]).expect("in range");
    let apart_m = ours.iter().flatten().zip(theirs.iter().flatten()).map(|(a, b)| distance_m(at(a), at(b)));
    let largest_m = apart_m.fold(0.0, f64::max);
    assert!((0.005..0.0075).contains(&largest_m), "{largest_m} m");
    let lake = &drawn("lake-texana-stateplane.shp")[0];
    assert_eq!(lake.properties.get("Source"), Some(&Value::from("2004 DOQQs")), "{:?}", lake.properties);
}

#[test]
fn a_projection_is_known_or_refused() {
    let with_prj = |prj: Option<&str>| {
        let mut source = source("lake-texana-stateplane.shp");
        source.beside.prj = prj.map(|prj| prj.as_bytes().to_vec());
        read(&source).map(|drawn| drawn.len()).map_err(|error| error.to_string())
    };
    let prj = String::from_utf8(source("lake-texana-stateplane.shp").beside.prj.expect("beside it")).expect("text");
    assert_eq!(with_prj(Some(&prj)), Ok(1));
    for (prj, said) in [
        (None, "no .prj file lies beside it"),
        (Some("LOCAL_CS[\"somewhere\"]"), "the projection is unknown"),
        (Some("nothing"), "the projection is unknown"),
        (
            Some(
                &*prj
                    .replace("D_NAD_1983_2011", "D_North_American_1927")
                    .replace("GRS_1980\",6378137.0,298.257222101", "Clarke_1866\",6378206.4,294.9786982"),
            ),
            "the datum \"D_North_American_1927\" lies off WGS 84",
        ),
        (Some(&*prj.replace("Lambert_Conformal_Conic", "Peirce_Quincuncial")), "the projection is unknown"),
    ] {
        let error = with_prj(prj).expect_err(said);
        assert!(error.contains(said) && error.contains("EPSG:4326"), "{error}");
    }
}

/// Where the answer is known: on a central meridian the northing is the arc of the meridian (4,984,944.378 m to 45
/// degrees on GRS 80) times the scale, and Web Mercator is a formula on a sphere.
#[test]
fn usual_projections_give_known_positions() {
    const NAD83: &str = r#"GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]"#;
    const WGS84: &str = r#"GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]"#;
    let utm = format!(
        r#"PROJCS["NAD_1983_UTM_Zone_16N",{NAD83},PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-87.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]"#
    );
    let web = format!(
        r#"PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",{WGS84},PROJECTION["Mercator_Auxiliary_Sphere"],PARAMETER["False_Easting",0.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",0.0],PARAMETER["Standard_Parallel_1",0.0],PARAMETER["Auxiliary_Sphere_Type",0.0],UNIT["Meter",1.0]]"#
    );
    let mercator = |lon: f64, lat: f64| {
        let tan = libm::tan((45.0 + 0.5 * lat).to_radians());
        [6_378_137.0 * lon.to_radians(), 6_378_137.0 * libm::log(tan)]
    };
    for (wkt, [x, y], [lon, lat]) in [
        (&utm, [500_000.0, 4_984_944.378 * 0.9996], [-87.0, 45.0]),
        (&web, mercator(-117.52, 47.81), [-117.52, 47.81]),
        (&WGS84.to_owned(), [-117.52, 47.81], [-117.52, 47.81]),
    ] {
        let found = projection::ToWgs84::of(wkt).and_then(|to| to.position(x, y)).expect("a usual projection");
        let apart_m = distance_m(
            Position::from_geojson(found).expect("in range"),
            Position::from_geojson([lon, lat]).expect("in range"),
        );
        assert!(apart_m < 0.002, "{found:?} is {apart_m} m from {lon}, {lat}: {wkt}");
    }
}

#[test]
fn features_become_kinds_by_what_they_say_and_what_is_said_of_them() {
    let none: Vec<String> = Vec::new();
    let docks = mapping(&["TYPE=DOCK:dock", "TYPE=PIER:dock"], &[]);
    assert_eq!(kinds(&docks, &["charles-docks.geojson"]), ("34 dock".to_owned(), none.clone()));
    assert_eq!(kinds(&mapping(&["TYPE=DOCK:dock"], &[]), &["charles-docks.geojson"]).0, "28 dock");
    let piers = kinds(&mapping(&["waterway"], &[]), &["millinocket-lake.geojson", "millinocket-piers.geojson"]);
    assert_eq!(piers, ("38 dock, 1 waterway".to_owned(), none));
    let (kept, left) = kinds(&mapping(&[], &["GNIS_NAME=Lake Mendota 254"]), &["mendota-nhd.geojson"]);
    assert_eq!((kept.as_str(), left.len()), ("1 waterway", 12));
    // Of two files only the one whose features have names is chosen from.
    let both = mapping(&["file=charles-water:waterway", "dock"], &["NAME=Jerry's Pit"]);
    let (kept, left) = kinds(&both, &["charles-water.geojson", "charles-docks.geojson"]);
    assert_eq!((kept.as_str(), left.len()), ("34 dock, 1 waterway", 14));
    let (kept, left) = kinds(&Mapping::default(), &["keywest-enc-us5fl4dr.geojson"]);
    assert_eq!(kept, "6 dock, 3 launch_ramp, 1 mooring_area, 2 swim_area");
    assert_eq!(left.len(), 28);
    assert_eq!(left[0], "keywest-enc-us5fl4dr.geojson feature 0: S-57 BOYLAT has no counterpart among the kinds");
    let (kept, left) = kinds(&Mapping::default(), &["charles-bridges.geojson"]);
    assert_eq!((kept.as_str(), left.len()), ("", 6));
}

#[test]
fn placemarks_and_waypoints_become_features() {
    let mapping = mapping(&["sym=Buoy, White:safety_buoy"], &[]);
    let (kept, left) = kinds(&mapping, &["mirror-lake.kmz", "buoys.gpx"]);
    assert_eq!(kept, "1 circulation, 2 dock, 1 float, 2 safety_buoy, 1 waterway");
    assert_eq!(
        left,
        [
            "mirror-lake.kmz:13: nothing says what kind it is",
            "mirror-lake.kmz:14: it is a recorded track, no map feature; `buoyline replay` reads those",
            "mirror-lake.kmz:15: \"-117.5,\" is no position, which is longitude,latitude without spaces",
            "buoys.gpx:6: its lon is no number: \"east\"",
            "buoys.gpx:8: it is a recorded track, no map feature; `buoyline replay` reads those",
        ]
    );
    let collection = mapping.collect([drawn("mirror-lake.kml"), drawn("buoys.gpx")].concat()).expect("one water");
    let ids: Vec<String> = collection
        .features
        .iter()
        .map(|(feature, _)| match &feature.id {
            Some(::geojson::feature::Id::String(id)) => id.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids, ["d-1", "two-rafts", "mirror-lake", "b1", "b2", "raft", "round-trip"]);
}

#[test]
fn several_waters_are_for_people_to_choose_from() {
    let error = Mapping::default().collect(drawn("sunapee-nhd.geojson")).expect_err("eleven of them");
    assert!(error.starts_with("11 waters, but a zone file holds one: choose with --where, as in --where GNIS_NAME=…"));
    assert!(error.contains("\n     16.44 km²  \"Sunapee Lake\" (sunapee-nhd.geojson feature "), "{error}");
}

#[test]
fn a_limit_is_added_only_where_a_zone_has_none() {
    let zone = |properties: &str| {
        let text = format!(
            r#"{{"type":"Feature","properties":{properties},"geometry":{{"type":"Polygon","coordinates":[[[-80.1,25.7],[-80.0,25.7],[-80.0,25.8],[-80.1,25.7]]]}}}}"#
        );
        let source = Source { name: "zones.geojson".to_owned(), bytes: text.into_bytes(), ..Source::default() };
        let mapping = Mapping { speed_limit: "5 mph".parse().ok(), ..Mapping::default() };
        let collection = mapping.collect(read(&source).expect("GeoJSON")).expect("no water");
        collection.features[0].0.property("speed_limit").cloned()
    };
    assert_eq!(zone(r#"{"OBJL":112,"RESTRN":"13"}"#), Some(Value::from("5 mph")));
    assert_eq!(zone(r#"{"kind":"speed_zone","speed_limit":"8 kn"}"#), Some(Value::from("8 kn")));
}

#[test]
fn damaged_and_foreign_files_are_refused_with_a_reason() {
    let refused = |name: &str, bytes: &[u8]| {
        let source = Source { name: name.to_owned(), bytes: bytes.to_vec(), ..Source::default() };
        read(&source).expect_err(name).to_string()
    };
    let kml = source("mirror-lake.kml").bytes;
    for (name, bytes, said) in [
        ("nothing", &b""[..], "the content is of no known format; known are shapefile, KMZ, KML, GPX, GeoJSON, CSV"),
        ("drawing.dxf", b"0\nSECTION\n", "the content is of no known format"),
        ("cut.kml", &kml[..700], "no XML that can be read"),
        ("bomb.kml", b"<!DOCTYPE kml [<!ENTITY a \"aaaa\">]><kml>&a;</kml>", "no XML that can be read"),
        ("latin.gpx", b"<gpx><wpt lat='1' lon='2'><name>H\xF6he</name></wpt></gpx>", "byte 33 is not UTF-8"),
        ("cut.kmz", &source("mirror-lake.kmz").bytes[..200], "no KMZ that can be unpacked"),
        ("cut.shp", &source("lake-texana-stateplane.shp").bytes[..500], "no .prj file lies beside it"),
        ("cut.geojson", b"{\"type\": \"FeatureCollection\", \"features\": [", "no JSON"),
        ("topology.json", b"{\"type\": \"Topology\"}", "it is neither a FeatureCollection nor a Feature"),
        (
            "mercator.geojson",
            b"{\"type\":\"FeatureCollection\",\"crs\":{\"properties\":{\"name\":\"EPSG:3857\"}},\"features\":[]}",
            "the positions are in EPSG:3857, not in WGS 84; save it again in WGS 84",
        ),
    ] {
        let error = refused(name, bytes);
        assert!(error.contains(said), "{name}: {error}");
    }
    let mut swollen = source("lake-texana-stateplane.shp");
    swollen.bytes[100 + 8 + 40..100 + 8 + 44].copy_from_slice(&i32::MAX.to_le_bytes());
    let error = read(&swollen).expect_err("two billion positions").to_string();
    assert!(error.contains("record 0 says 2147483647 positions in 23 parts, which it has no room for"), "{error}");
    // Every beginning of a shapefile is read or refused.
    let whole = source("lake-texana-stateplane.shp");
    for length in (0..whole.bytes.len()).step_by(4999) {
        let Source { name, bytes, .. } = source("lake-texana-stateplane.shp");
        let beside = Beside { prj: whole.beside.prj.clone(), dbf: whole.beside.dbf.clone(), cpg: None };
        let cut = Source { name, bytes: bytes[..length].to_vec(), beside };
        assert!(read(&cut).is_err(), "{length} bytes");
    }
}

/// A shapefile small enough to be changed at every byte: two points with a table of one column.
fn small_shapefile() -> Source {
    let mut shp = vec![0_u8; 100];
    shp[..4].copy_from_slice(&9994_i32.to_be_bytes());
    shp[28..32].copy_from_slice(&1000_i32.to_le_bytes());
    shp[32..36].copy_from_slice(&1_i32.to_le_bytes());
    for (number, x) in [(1_i32, -117.5_f64), (2, -117.6)] {
        shp.extend(number.to_be_bytes());
        shp.extend(10_i32.to_be_bytes());
        shp.extend(1_i32.to_le_bytes());
        shp.extend(x.to_le_bytes());
        shp.extend(47.8_f64.to_le_bytes());
    }
    let words = (shp.len() / 2) as i32;
    shp[24..28].copy_from_slice(&words.to_be_bytes());
    let whole = source("lake-texana-stateplane.shp");
    let prj = br#"GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.017453292519943295]]"#;
    let beside = Beside { dbf: whole.beside.dbf, prj: Some(prj.to_vec()), cpg: whole.beside.cpg };
    Source { name: "small.shp".to_owned(), bytes: shp, beside }
}

#[test]
fn degrees_stay_degrees() {
    let mut small = small_shapefile();
    small.beside.dbf = None;
    let points: Vec<_> = read(&small).expect("points").into_iter().filter_map(|drawn| drawn.geometry.ok()).collect();
    assert_eq!(points, [[-117.5, 47.8], [-117.6, 47.8]].map(GeometryValue::new_point));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is done to a file, it is read or refused, and so is what lies beside it.
    #[test]
    fn no_mutated_file_panics(
        which in 0_usize..6,
        in_table in any::<bool>(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6, prop::collection::vec(any::<u8>(), 0..4)), 1..6),
    ) {
        let names = ["mirror-lake.kml", "mirror-lake.kmz", "buoys.gpx", "miami-enc-us5miacc.geojson"];
        let mut file = match names.get(which) {
            Some(name) => source(name),
            None => small_shapefile(),
        };
        if which == 5 {
            file.beside.prj = source("lake-texana-stateplane.shp").beside.prj;
        }
        let target = match (which, in_table) {
            (4, true) => file.beside.dbf.as_mut(),
            (5, true) => file.beside.prj.as_mut(),
            _ => None,
        };
        let bytes = target.unwrap_or(&mut file.bytes);
        for (at, length, with) in cuts {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                let end = (at + length).min(bytes.len());
                bytes.splice(at..end, with);
            }
        }
        if let Ok(drawn) = read(&file) {
            let count = drawn.len();
            let collection = mapping(&["dock"], &[]).collect(drawn).expect("no water");
            prop_assert_eq!(collection.features.len() + collection.left.len(), count);
        }
    }
}
