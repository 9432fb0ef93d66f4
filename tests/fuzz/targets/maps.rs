//! Zone files, and maps of other tools.

use buoyline::import::{self, Beside, Mapping, Source};
use buoyline::rulebook::Rulebook;
use buoyline::zones::{Map, MapLaw, MapOptions, Severity, ZoneFault, ZoneFile};
use geojson::{Feature, FeatureCollection};
use serde_json::Value;

use crate::runner::Outcome;
use crate::seeds::{NEXT, PART};

fn check(bytes: &[u8]) -> (Map, Map, Vec<ZoneFault>) {
    let files = [ZoneFile { name: "lake.geojson".to_owned(), bytes: bytes.to_vec() }];
    let options = MapOptions::default();
    let duties = Rulebook::spokane().duties;
    let law = MapLaw { shore_within: None, utc_offset_h: Some(-8.0), duties, rules: vec!["speed-cap"] };
    let (plain, _) = Map::from_files(&files, &options);
    let (map, faults) = Map::check(&files, &options, &law);
    (plain, map, faults)
}

/// A feature is on the map or has a fault that says why not; each fault says where, what and how to mend it; looking
/// for lints changes nothing.
pub fn zones(input: &[u8]) -> Outcome {
    let (plain, map, faults) = check(input);
    let shown = |map: &Map| map.waterways.iter().map(|w| format!("{:?}", w.features)).collect::<Vec<_>>();
    if shown(&plain) != shown(&map) || plain.version != map.version {
        return Err("the map is another one when it is checked".to_owned());
    }
    let lines = input.split(|b| *b == b'\n').count().max(1);
    for fault in &faults {
        if fault.reason.trim().is_empty() || fault.mend.trim().is_empty() {
            return Err(format!("a fault that does not say what is wrong or how to mend it: {fault:?}"));
        }
        if fault.line.is_some_and(|line| line == 0 || line > lines) {
            return Err(format!("a fault beyond the file's {lines} lines: {fault:?}"));
        }
        if fault.position.is_some_and(|at| !(at[0].abs() <= 180.0 && at[1].abs() <= 90.0)) {
            return Err(format!("a fault off the earth: {fault:?}"));
        }
    }
    let is_whole = faults.iter().any(|fault| fault.severity == Severity::Error && fault.feature_index.is_none());
    if map.waterways.is_empty() && !faults.iter().any(|fault| fault.severity == Severity::Error) {
        return Err("no map, and no fault says why".to_owned());
    }
    if !is_whole && let Ok(Value::Object(root)) = serde_json::from_slice(input) {
        let drawn = root.get("features").and_then(Value::as_array).map_or(0, Vec::len);
        let kept = map.waterways.iter().map(|w| w.features.len()).sum::<usize>();
        let mut aside: Vec<usize> = faults.iter().filter_map(|fault| fault.feature_index).collect();
        aside.sort_unstable();
        aside.dedup();
        // All features of the water are one on the map.
        let is_water =
            |feature: &&Value| feature.pointer("/properties/kind").and_then(Value::as_str) == Some("waterway");
        let waters = root.get("features").and_then(Value::as_array).map_or(0, |f| f.iter().filter(is_water).count());
        if kept + aside.len() + waters < drawn {
            return Err(format!("{drawn} features, of which {kept} are on the map and {} set aside", aside.len()));
        }
    }
    let shown = faults.iter().map(|fault| format!("{} {}", fault.lint.unwrap_or("read"), fault.reason));
    Ok(shown.chain([format!("{} waterways", "w".repeat(map.waterways.len()))]).collect())
}

/// A file is read or refused with reason and mend; each drawn thing becomes a feature or is listed with its reason;
/// what is imported is a zone file.
fn imported(source: &Source) -> Outcome {
    let drawn = match import::read(source) {
        Ok(drawn) => drawn,
        Err(error) if error.reason.trim().is_empty() || error.mend.trim().is_empty() => {
            return Err(format!("refused without reason or mend: {error:?}"));
        }
        Err(error) => return Ok(vec![error.to_string()]),
    };
    let mut said: Vec<String> = drawn.iter().filter_map(|one| one.geometry.clone().err()).collect();
    if said.iter().any(|reason| reason.trim().is_empty()) {
        return Err("a geometry that cannot be used, without a reason".to_owned());
    }
    let count = drawn.len();
    let mapping = Mapping { kinds: vec!["dock".parse().expect("a kind")], ..Mapping::default() };
    let collection = match mapping.collect(drawn) {
        Ok(collection) => collection,
        Err(reason) => return Ok(vec![reason]),
    };
    if collection.features.len() + collection.left.len() != count {
        let (kept, left) = (collection.features.len(), collection.left.len());
        return Err(format!("{count} drawn, {kept} imported, {left} left out"));
    }
    said.extend(collection.left.iter().map(|left| left.reason.clone()));
    let features: Vec<Feature> = collection.features.into_iter().map(|(feature, _)| feature).collect();
    let is_any = !features.is_empty();
    let file = FeatureCollection { bbox: None, features, foreign_members: None }.to_string();
    let (_, _, faults) = check(file.as_bytes());
    if is_any && faults.iter().any(|fault| fault.reason.contains("JSON")) {
        return Err(format!("what was imported is no zone file: {}", faults[0]));
    }
    said.extend(faults.into_iter().map(|fault| fault.reason));
    Ok(said)
}

pub fn import(input: &[u8]) -> Outcome {
    imported(&Source { name: "drawn".to_owned(), bytes: input.to_vec(), beside: Beside::default() })
}

/// A shapefile and those beside it.
pub fn shapefile(input: &[u8]) -> Outcome {
    let mark = [PART, NEXT, PART];
    let mut files = Vec::new();
    let mut rest = input;
    while let Some(at) = rest.windows(mark.len()).position(|piece| piece == mark) {
        files.push(rest[..at].to_vec());
        rest = &rest[at + mark.len()..];
    }
    files.push(rest.to_vec());
    let mut files = files.into_iter();
    let bytes = files.next().unwrap_or_default();
    let beside = Beside { dbf: files.next(), prj: files.next(), cpg: files.next() };
    imported(&Source { name: "lake.shp".to_owned(), bytes, beside })
}
