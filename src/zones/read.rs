//! Zone files become a [`Map`]: GeoJSON (RFC 7946) bytes in, waterways and faults out.
//!
//! Each feature is read on its own, so that one that is wrong is set aside with its fault and the rest of
//! the file works. Foreign members are ignored. Reading the files from disk is the adapters' work.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Map as JsonMap, Value};
use sha2::{Digest, Sha256};

use super::assemble::assemble;
use super::fault::{Severity, ZoneFault};
use super::lint::{self, Chart, Sheet};
use super::map::Map;
use super::place::{Lines, Path};
use super::report::{At, Problem, Report};
use super::{Feature, MapLaw, ZoneKind, geometry, property, said, system};

/// A zone file: its name, for messages and as the last resort for an id, and its bytes.
#[derive(Debug, Clone)]
pub struct ZoneFile {
    /// Name or path.
    pub name: String,
    /// Content.
    pub bytes: Vec<u8>,
}

/// What the rulebook says about deriving things from the map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapOptions {
    /// Longest link between two buoys that are joined to a line, metres.
    pub max_link_m: f64,
}

impl Default for MapOptions {
    fn default() -> Self {
        Self { max_link_m: 400.0 }
    }
}

/// A feature that is in order, and where it stands.
pub(super) struct Read {
    pub feature: Feature,
    /// Whether the file gives the id.
    pub has_id: bool,
    pub at: At,
}

impl Map {
    /// The map that the files draw, and what is wrong with them. A feature or file with an error is set
    /// aside, everything else is there.
    pub fn from_files(files: &[ZoneFile], options: &MapOptions) -> (Self, Vec<ZoneFault>) {
        Self::read(files, options, None)
    }

    /// As [`Map::from_files`], and looks for what may be wrong though it can be read: the lints of the map, and
    /// what the boating code asks of it. The map is the same.
    pub fn check(files: &[ZoneFile], options: &MapOptions, law: &MapLaw) -> (Self, Vec<ZoneFault>) {
        Self::read(files, options, Some(law))
    }

    fn read(files: &[ZoneFile], options: &MapOptions, law: Option<&MapLaw>) -> (Self, Vec<ZoneFault>) {
        let mut waterways = BTreeMap::new();
        let mut faults = Vec::new();
        for file in files {
            let Some(text) = text_of(file, &mut faults) else { continue };
            let mut report = Report::new(&file.name, text);
            if let Some(features) = read_features(text, &mut report) {
                let version: Arc<str> = content_hash(&[&file.bytes]).into();
                let sheets: Vec<(At, ZoneKind, bool)> = match law {
                    Some(_) => features.iter().map(|r| (r.at.clone(), r.feature.kind, r.has_id)).collect(),
                    None => Vec::new(),
                };
                if let Some((waterway, places)) = assemble(&file.name, version, features, options, &mut report) {
                    if let Some(law) = law {
                        let sheets =
                            sheets.iter().filter_map(|(at, kind, has_id)| Sheet::read(text, at, *kind, *has_id));
                        let chart = Chart { waterway: &waterway, places: &places, sheets: sheets.collect(), law };
                        lint::look(&chart, &mut report);
                    }
                    match waterways.entry(waterway.id.clone()) {
                        Entry::Vacant(free) => {
                            free.insert(waterway);
                        }
                        Entry::Occupied(taken) => {
                            let id = taken.key().as_str();
                            let reason =
                                format!("another file has the waterway {id:?} already; this file was set aside");
                            let mend = "give each waterway one file and an id of its own";
                            report.add(None, Problem::error(Path::default(), reason, mend));
                        }
                    }
                }
            }
            faults.extend(report.into_faults());
        }
        let hashes: Vec<&[u8]> = waterways.values().map(|w| w.version.as_bytes()).collect();
        let version = content_hash(&hashes).into();
        (Self { waterways: waterways.into_values().collect(), version }, faults)
    }
}

/// The content hash of a zone file: the version of its waterway.
pub fn version_of(file: &[u8]) -> String {
    content_hash(&[file])
}

/// The first 16 bytes of the SHA-256 of the parts, in hexadecimal digits.
fn content_hash(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().iter().take(16).fold(String::with_capacity(32), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The file as text, without a byte order mark; `None` with a fault where it is none.
fn text_of<'f>(file: &'f ZoneFile, faults: &mut Vec<ZoneFault>) -> Option<&'f str> {
    let bytes = file.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&file.bytes);
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Some(text),
        Err(error) => error,
    };
    let before = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
    let (line, column) = Lines::of(before).place(before, before.len());
    let mut report = Report::new(&file.name, before);
    let problem = Problem::error(Path::default(), "the file is not UTF-8", "save it as UTF-8 (RFC 8259, section 8.1)")
        .value(format_args!("byte 0x{:02X}", bytes[error.valid_up_to()]));
    report.add_at(line, column, problem);
    faults.extend(report.into_faults());
    None
}

#[derive(Deserialize)]
struct RawRoot<'t> {
    #[serde(rename = "type")]
    kind: Option<Value>,
    #[serde(borrow)]
    features: Option<Vec<&'t RawValue>>,
    /// The reference system, as GeoJSON had it before RFC 7946.
    crs: Option<Value>,
}

#[derive(Deserialize)]
struct RawFeature<'t> {
    #[serde(rename = "type")]
    kind: Option<Value>,
    id: Option<Value>,
    properties: Option<JsonMap<String, Value>>,
    #[serde(borrow)]
    geometry: Option<&'t RawValue>,
}

/// All features of the text that are in order.
fn read_features(text: &str, report: &mut Report<'_>) -> Option<Vec<Read>> {
    let root: RawRoot<'_> = match serde_json::from_str(text) {
        Ok(root) if is_object(text) => root,
        Ok(_) => {
            report.add_at(1, 1, no_geojson("it is no object"));
            return None;
        }
        Err(error) => {
            let problem = match error.classify() {
                Category::Data if is_object(text) => no_geojson(&bare(&error)),
                Category::Data => no_geojson("it is no object"),
                Category::Eof => {
                    let mend = "the file may have been cut off while it was copied or written; get it whole";
                    Problem::error(Path::default(), "the file is no JSON: it ends too early", mend)
                }
                Category::Syntax | Category::Io => {
                    let mend = "mend the JSON at this place; often a comma or bracket is missing just before it";
                    Problem::error(Path::default(), format!("the file is no JSON: {}", bare(&error)), mend)
                }
            };
            // serde_json counts columns in bytes.
            let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
            let column = line.char_indices().take_while(|&(byte, _)| byte < error.column()).count();
            report.add_at(error.line().max(1), column.max(1), problem);
            return None;
        }
    };
    if let Some(problem) = root.crs.as_ref().and_then(system::other_system) {
        let is_error = problem.severity == Severity::Error;
        report.add(None, problem);
        if is_error {
            return None;
        }
    }
    match root.kind.as_ref().and_then(Value::as_str) {
        Some("FeatureCollection") => {
            let Some(raw) = root.features else {
                let mend = "add \"features\": [ … ]";
                report.add(None, Problem::error(Path::default(), "the FeatureCollection has no \"features\"", mend));
                return None;
            };
            let read = raw.iter().enumerate().filter_map(|(index, raw)| {
                // The raw text is a part of the whole, so its address says where it starts.
                let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
                let at = At { index, id: None, path: Path::default().key("features").index(index), start };
                read_feature(raw.get(), at, report)
            });
            Some(read.collect())
        }
        Some("Feature") => Some(read_feature(text, At::default(), report).into_iter().collect()),
        Some(
            "Polygon" | "MultiPolygon" | "GeometryCollection" | "Point" | "MultiPoint" | "LineString"
            | "MultiLineString",
        ) => {
            let at = At::default();
            let mend = "wrap it in a Feature with \"properties\": {\"kind\": \"waterway\"}";
            report.add(
                Some(&at),
                Problem::warning(Path::default(), "a bare geometry has no kind; it is taken as the waterway", mend),
            );
            let read = read_geometry(
                text,
                ZoneKind::Waterway,
                Some(property::Properties::default()),
                &at,
                &Path::default(),
                report,
            );
            Some(read.map(|feature| Read { feature, has_id: false, at }).into_iter().collect())
        }
        _ => {
            let problem = Problem::error(
                Path::default().key("type"),
                "the file is no GeoJSON",
                "\"type\" should be \"FeatureCollection\" (RFC 7946, section 3.3)",
            );
            report.add(None, problem.value(root.kind.unwrap_or(Value::Null)));
            None
        }
    }
}

/// Whether a text that is JSON is an object; serde takes an array for a struct as well.
fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

fn no_geojson(why: &str) -> Problem {
    let mend = "make it a FeatureCollection with \"features\": [ … ] (RFC 7946, section 3.3)";
    Problem::error(Path::default(), format!("the file is no GeoJSON: {why}"), mend)
}

/// The message of a serde_json error without its line and column.
pub(super) fn bare(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rfind(" at line ").map_or(text.clone(), |end| text[..end].to_owned())
}

fn read_feature(text: &str, mut at: At, report: &mut Report<'_>) -> Option<Read> {
    let mend = "write it as RFC 7946, section 3.2, has it, with \"properties\" and \"geometry\"";
    if !is_object(text) {
        report.add(Some(&at), Problem::error(at.path.clone(), "this is no GeoJSON feature", mend).value(text));
        return None;
    }
    let raw: RawFeature<'_> = match serde_json::from_str(text) {
        Ok(raw) => raw,
        Err(error) => {
            let reason = format!("this is no GeoJSON feature: {}", bare(&error));
            report.add(Some(&at), Problem::error(at.path.clone(), reason, mend));
            return None;
        }
    };
    if raw.kind.as_ref().and_then(Value::as_str) != Some("Feature") {
        let problem = Problem::error(
            at.path.clone().key("type"),
            "this is no GeoJSON feature",
            "its \"type\" should be \"Feature\"",
        );
        report.add(Some(&at), problem.value(raw.kind.unwrap_or(Value::Null)));
        return None;
    }
    let members = raw.properties.unwrap_or_default();
    at.id = id_of(raw.id.as_ref()).or_else(|| id_of(members.get("id")));
    let path = at.path.clone().key("properties");
    let kind = match said::of(&members, &path) {
        Ok(kind) => kind,
        Err(problem) => {
            report.add(Some(&at), problem);
            return None;
        }
    };
    // The geometry is looked at even where the properties are faulty: all faults are told at once.
    let properties = property::read(&members, kind, &path, &mut |problem| report.add(Some(&at), problem));
    let path = at.path.clone().key("geometry");
    let Some(geometry) = raw.geometry.filter(|g| g.get() != "null") else {
        report
            .add(Some(&at), Problem::error(path, "the feature has no geometry", "draw it, or remove it from the file"));
        return None;
    };
    let has_id = at.id.is_some();
    let feature = read_geometry(geometry.get(), kind, properties, &at, &path, report)?;
    at.id = Some(feature.id.to_string());
    Some(Read { feature, has_id, at })
}

fn read_geometry(
    text: &str,
    kind: ZoneKind,
    properties: Option<property::Properties>,
    at: &At,
    path: &Path,
    report: &mut Report<'_>,
) -> Option<Feature> {
    let drawn = match geometry::read(text, kind, path, &mut |problem| report.add(Some(at), problem)) {
        Ok(drawn) => drawn,
        Err(problems) => {
            problems.into_iter().for_each(|problem| report.add(Some(at), problem));
            return None;
        }
    };
    let properties = properties?;
    Some(Feature {
        name: properties.name,
        validity: properties.validity,
        lit: properties.lit,
        permit: properties.permit,
        line: properties.line,
        order: properties.order,
        closed: properties.closed,
        note: properties.note,
        speed_limit: properties.speed_limit,
        hours: properties.hours,
        vessels: properties.vessels,
        lifts: properties.lifts,
        region: drawn.region,
        ..Feature::new(at.id.clone().unwrap_or_else(|| format!("{kind}-{}", at.index)).into(), kind, drawn.shape)
    })
}

/// An id that is a text or a number.
fn id_of(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
