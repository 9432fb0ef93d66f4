//! Samples in twin folders: what is accepted, and what is refused with which words; and any bytes at all.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::geo::Position;
use crate::units::{Length, LengthUnit};

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/zones").join(name)
}

fn samples(name: &str) -> Vec<(PathBuf, ZoneFile)> {
    let entries = fs::read_dir(folder(name)).expect("the folder is part of the sources");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("listed").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "geojson"));
    paths.sort();
    assert!(!paths.is_empty(), "no samples in {name}");
    let read = |path: PathBuf| {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let bytes = fs::read(&path).expect("readable");
        (path, ZoneFile { name, bytes })
    };
    paths.into_iter().map(read).collect()
}

/// Compares what a person sees of the faults with the text beside the sample.
fn check(path: &std::path::Path, faults: &[ZoneFault]) {
    let seen: String = faults.iter().map(|f| format!("{f}\n")).collect();
    let expected = path.with_extension("txt");
    if std::env::var_os("BUOYLINE_BLESS").is_some() {
        if seen.is_empty() {
            let _ = fs::remove_file(&expected);
        } else {
            fs::write(&expected, &seen).expect("writable");
        }
    }
    assert_eq!(seen, fs::read_to_string(&expected).unwrap_or_default(), "{}", path.display());
}

#[test]
fn accepted_samples_have_no_error() {
    for (path, file) in samples("accepted") {
        let (map, faults) = Map::from_files(&[file], &MapOptions::default());
        assert_eq!(map.waterways.len(), 1, "{}: {faults:?}", path.display());
        assert!(faults.iter().all(|f| f.severity != Severity::Error), "{}: {faults:?}", path.display());
        check(&path, &faults);
    }
}

#[test]
fn refused_samples_say_where_why_and_how_to_mend_it() {
    for (path, file) in samples("refused") {
        let (_, faults) = Map::from_files(&[file], &MapOptions::default());
        assert!(faults.iter().any(|f| f.severity == Severity::Error), "{}: {faults:?}", path.display());
        assert!(faults.iter().all(|f| !f.reason.is_empty() && !f.mend.is_empty() && !f.mend.ends_with('.')));
        check(&path, &faults);
    }
}

#[test]
fn what_is_read_is_what_the_file_says() {
    let files: Vec<ZoneFile> =
        samples("accepted").into_iter().map(|(_, f)| f).filter(|f| f.name == "every-kind.geojson").collect();
    let (map, _) = Map::from_files(&files, &MapOptions::default());
    let waterway = &map.waterways[0];
    assert_eq!((waterway.id.as_str(), waterway.version.len(), map.version.len()), ("lake", 32, 32));
    let feature = |kind: ZoneKind| waterway.features.iter().find(|f| f.kind == kind).expect("every kind is there");
    assert_eq!(feature(ZoneKind::Dock).name.as_deref(), Some("Steg Süd"));
    assert_eq!((feature(ZoneKind::Dock).lit, feature(ZoneKind::Float).lit), (Some(true), Some(false)));
    assert_eq!(&*feature(ZoneKind::Swimmer).id, "swimmer-5");
    assert_eq!(feature(ZoneKind::SpeedZone).speed_limit.map(|s| s.to_string()).as_deref(), Some("8 kn"));
    let permit = feature(ZoneKind::PermitArea);
    assert_eq!((permit.permit.as_deref(), permit.lifts.len()), (Some("RACE-7"), 2));
    assert_eq!(permit.vessels.as_ref().map(Vec::len), Some(2));
    assert!(matches!(permit.validity, Validity::Between(Some(_), Some(_))));
    assert!(ZoneKind::ALL.iter().filter(|&&k| k != ZoneKind::SafetyBuoy).all(|&k| waterway.kinds.contains(k)));
    let inside = Position::from_lat_lon(43.1025, -89.4175).expect("in range");
    assert!(feature(ZoneKind::Dock).region.as_ref().expect("a polygon").contains(inside));
}

#[test]
fn the_order_of_the_files_decides_nothing_and_two_of_one_id_are_one_too_many() {
    let mut files: Vec<ZoneFile> = samples("accepted").into_iter().map(|(_, f)| f).collect();
    files.retain(|f| {
        ["every-kind.geojson", "across-the-antimeridian.geojson", "id-in-properties.geojson"].contains(&&*f.name)
    });
    let (map, _) = Map::from_files(&files, &MapOptions::default());
    files.reverse();
    let (turned, _) = Map::from_files(&files, &MapOptions::default());
    assert_eq!((map.waterways.len(), &map.version), (3, &turned.version));
    let twice = [files[0].clone(), files[0].clone()];
    let (map, faults) = Map::from_files(&twice, &MapOptions::default());
    assert_eq!(map.waterways.len(), 1);
    assert!(faults.last().expect("a fault").reason.starts_with("another file has the waterway"), "{faults:?}");
}

/// A law that makes every lint look.
fn law() -> MapLaw {
    let duty =
        |place| Duty { citation: "§ 1".to_owned(), of: KindSet::ALL, asks: Asks::Light("a light".to_owned()), place };
    let within = Length::new(50.0, LengthUnit::Ft);
    MapLaw {
        shore_within: Some(within),
        utc_offset_h: Some(-8.0),
        duties: vec![duty(DutyPlace::Beyond(within)), duty(DutyPlace::OutsideBuoyLine)],
        rules: vec!["speed-cap"],
    }
}

/// Lints only tell; the map is the same with them and without.
#[test]
fn lints_change_nothing() {
    let files: Vec<ZoneFile> = samples("accepted").into_iter().map(|(_, f)| f).collect();
    for file in files {
        let (map, faults) = Map::from_files(std::slice::from_ref(&file), &MapOptions::default());
        let (checked, more) = Map::check(&[file], &MapOptions::default(), &law());
        let features = |map: &Map| {
            format!("{:?}", map.waterways[0].features.iter().map(|f| (&f.id, &f.shape)).collect::<Vec<_>>())
        };
        assert_eq!(features(&map), features(&checked));
        let read: Vec<&ZoneFault> = more.iter().filter(|fault| fault.lint.is_none()).collect();
        assert_eq!(read, faults.iter().collect::<Vec<_>>());
        assert!(more.iter().all(|fault| fault.lint.is_none() || fault.severity != Severity::Error));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        Map::check(&[ZoneFile { name: "any".to_owned(), bytes }], &MapOptions::default(), &law());
    }

    #[test]
    fn no_mutated_file_panics_and_every_loss_is_told(
        which in any::<prop::sample::Index>(),
        cuts in proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..12, "[-0-9eE.,\\[\\]{}\":nul]{0,3}"), 1..6),
    ) {
        let mut all = samples("accepted");
        all.extend(samples("refused").into_iter().filter(|(_, f)| f.bytes.len() < 20_000));
        let mut file = all.swap_remove(which.index(all.len())).1;
        for (at, length, with) in cuts {
            if !file.bytes.is_empty() {
                let at = at.index(file.bytes.len());
                let end = (at + length).min(file.bytes.len());
                file.bytes.splice(at..end, with.bytes());
            }
        }
        let (map, faults) = Map::check(&[file], &MapOptions::default(), &law());
        prop_assert!(!map.waterways.is_empty() || !faults.is_empty());
        for fault in faults {
            prop_assert!(!fault.to_string().is_empty());
        }
    }

    #[test]
    fn no_geometry_panics(
        water in proptest::collection::vec((0_i8..12, 0_i8..12), 3..14),
        island in proptest::collection::vec((0_i8..12, 0_i8..12), 3..8),
        line in proptest::collection::vec((0_i8..12, 0_i8..12), 2..9),
        buoys in proptest::collection::vec((0_i8..12, 0_i8..12), 0..16),
        origin in prop::sample::select(vec![[0.0, 0.0], [179.995, -18.0], [-180.0, 89.99], [12.0, -90.0], [-117.0, 47.0]]),
        is_closed in any::<bool>(),
    ) {
        let at = |&(x, y): &(i8, i8)| {
            let lon = crate::geo::position::wrap_lon_deg(origin[0] + f64::from(x) * 1e-3);
            format!("[{lon},{}]", (origin[1] + f64::from(y) * 1e-3).clamp(-90.0, 90.0))
        };
        let ring = |points: &[(i8, i8)], is_closed: bool| {
            let mut all: Vec<String> = points.iter().map(at).collect();
            if is_closed {
                all.push(all[0].clone());
            }
            format!("[{}]", all.join(","))
        };
        let feature = |kind: &str, geometry: &str, coordinates: &str| {
            format!(r#"{{"type":"Feature","properties":{{"kind":"{kind}"}},"geometry":{{"type":"{geometry}","coordinates":{coordinates}}}}}"#)
        };
        let mut features = vec![
            feature("waterway", "MultiPolygon", &format!("[[{}],[{}]]", ring(&water, true), ring(&island, true))),
            feature("waterway", "Polygon", "[[[0,0],[0.01,0],[0.01,0.01],[0,0.01],[0,0]]]"),
            feature("buoy_line", "LineString", &ring(&line, is_closed)),
        ];
        features.extend(buoys.iter().map(|b| feature("safety_buoy", "Point", &at(b))));
        let text = format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(","));
        let (map, _) = Map::check(&[ZoneFile { name: "any".to_owned(), bytes: text.into_bytes() }], &MapOptions::default(), &law());
        let p = Position::from_geojson(origin).expect("in range");
        for waterway in &map.waterways {
            waterway.surroundings(p);
            waterway.edges_near(p, p, 1e3, &mut |_| ());
            waterway.explain(None);
        }
    }

    #[test]
    fn a_truncated_file_is_set_aside_with_a_place(cut in any::<prop::sample::Index>()) {
        let mut file = samples("accepted").into_iter().map(|(_, f)| f).find(|f| f.name == "every-kind.geojson").expect("there");
        let end = file.bytes.len() - 3;
        file.bytes.truncate(cut.index(end));
        let (map, faults) = Map::from_files(&[file], &MapOptions::default());
        prop_assert!(map.waterways.is_empty());
        prop_assert!(faults[0].line.is_some(), "{:?}", faults);
    }
}
