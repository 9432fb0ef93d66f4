//! Maps of other programs, read to be looked at: nothing is kept.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Published;
use super::check::shown;
use crate::console::problem::{Query, Raw};
use crate::console::{Console, Manager, Problem};
use crate::draft::Collection;
use crate::import::{self, Beside, Mapping, Source};
use crate::law::check_map;
use crate::zones::ZoneFile;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(read))
}

/// What is said about a file.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    waterway: String,
    /// The name of the file.
    name: Option<String>,
}

/// What was read.
#[derive(Debug, Serialize, ToSchema)]
struct Read {
    format: String,
    /// As they stand in the file.
    #[schema(value_type = Object)]
    features: Value,
    /// With the coordinates the other way round.
    #[schema(value_type = Object)]
    swapped: Value,
    /// What is wrong with them as they stand.
    #[schema(value_type = Vec<Object>)]
    faults: Vec<Value>,
    /// What has no kind or cannot be used, with the reason.
    left: Vec<String>,
}

/// Reads a map of another program: GeoJSON, KML, KMZ, GPX, a shapefile in a ZIP, or a table (CSV) of
/// points.
#[utoipa::path(post, path = "/import", tag = "map editing", params(Asked),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Read), (status = 422, body = Problem)))]
async fn read(
    State(console): State<Console>,
    Manager(who): Manager,
    Query(asked): Query<Asked>,
    Raw(bytes): Raw,
) -> Result<Json<Read>, Problem> {
    console.heavy(&who)?;
    let published = Published::of(&console, &asked.waterway).await?;
    let name = asked.name.unwrap_or_else(|| "upload".to_owned());
    let rulebook = published.in_force.rulebook.clone();
    let waterway = published.waterway.clone();
    let work = tokio::task::spawn_blocking(move || {
        let (source, format) = source(name.clone(), bytes.to_vec())?;
        let (features, left) = match (zone_file(&source.bytes), table(&source.bytes)) {
            (Some(collection), _) => (collection.into_value(), Vec::new()),
            (None, Some((features, left))) => (json!({"type": "FeatureCollection", "features": features}), left),
            (None, None) => {
                let drawn = import::read(&source).map_err(|error| {
                    Problem::unusable("the file cannot be imported").detail(error.reason).mend(error.mend)
                })?;
                let mapping = Mapping {
                    kinds: Vec::new(),
                    only: Vec::new(),
                    waterway_id: Some(waterway.to_string()),
                    speed_limit: None,
                };
                let collected = mapping.collect(drawn);
                let collected =
                    collected.map_err(|reason| Problem::unusable("the file cannot be imported").detail(reason))?;
                let left = collected.left.iter().map(|left| format!("{}: {}", left.place, left.reason)).collect();
                let features: Vec<Value> =
                    collected.features.iter().filter_map(|(feature, _)| serde_json::to_value(feature).ok()).collect();
                (json!({"type": "FeatureCollection", "features": features}), left)
            }
        };
        let text = features.to_string().into_bytes();
        let (_, faults) = check_map(&[ZoneFile { name, bytes: text }], Some(&rulebook));
        let swapped = swapped(&features);
        Ok(Read { format, swapped, faults: shown(&faults), features, left })
    });
    let read: Result<Read, Problem> = work.await.map_err(|error| Problem::inside(&error))?;
    Ok(Json(read?))
}

/// The file, of a shapefile's archive with what lies beside it; and what format it is.
fn source(name: String, bytes: Vec<u8>) -> Result<(Source, String), Problem> {
    let mut source = Source { name, bytes, beside: Beside::default() };
    if source.bytes.starts_with(b"PK")
        && let Some(unpacked) = unpacked(&source)?
    {
        source = unpacked;
    }
    let is_table = || table(&source.bytes).map(|_| "CSV");
    let format = import::format_of(&source).or_else(is_table).unwrap_or("unknown").to_owned();
    Ok((source, format))
}

/// A shapefile out of an archive; `None` where there is none in it.
fn unpacked(packed: &Source) -> Result<Option<Source>, Problem> {
    use std::io::Read as _;
    let damaged =
        |error: &dyn std::fmt::Display| Problem::unusable("the archive cannot be read").detail(error.to_string());
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&packed.bytes)).map_err(|error| damaged(&error))?;
    let names: Vec<String> = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect();
    let Some(shp) = names.iter().find(|name| name.to_ascii_lowercase().ends_with(".shp")).cloned() else {
        return Ok(None);
    };
    let stem = shp[..shp.len() - 4].to_owned();
    let mut part = |ending: &str| -> Result<Option<Vec<u8>>, Problem> {
        let wanted = format!("{stem}.{ending}");
        let name = names.iter().find(|name| name.eq_ignore_ascii_case(&wanted));
        let Some(name) = name else { return Ok(None) };
        let file = archive.by_name(name).map_err(|error| damaged(&error))?;
        let mut bytes = Vec::new();
        // What unpacks to more than any map has is no map.
        file.take(super::MAP_BYTES_MAX as u64 * 4).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
        Ok(Some(bytes))
    };
    let bytes = part("shp")?.unwrap_or_default();
    let beside = Beside { dbf: part("dbf")?, prj: part("prj")?, cpg: part("cpg")? };
    Ok(Some(Source { name: shp, bytes, beside }))
}

/// The file itself, where it is one of ours: features that say their kind.
fn zone_file(bytes: &[u8]) -> Option<Collection> {
    let collection = Collection::parse(bytes).ok()?;
    let says_kind = |feature: &Value| feature["properties"]["kind"].is_string();
    collection.features.values().any(says_kind).then_some(collection)
}

/// The rows of a table with columns for latitude and longitude, as points with the other columns as properties, and the
/// rows that have no place; `None` where it is no such table.
fn table(bytes: &[u8]) -> Option<(Vec<Value>, Vec<String>)> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(bytes);
    let names: Vec<String> = reader.headers().ok()?.iter().map(str::to_owned).collect();
    let column = |known: &[&str]| names.iter().position(|name| known.contains(&name.to_ascii_lowercase().as_str()));
    let (lat, lon) = (column(&["lat", "latitude", "y"])?, column(&["lon", "lng", "long", "longitude", "x"])?);
    let (mut features, mut left) = (Vec::new(), Vec::new());
    for (row, record) in reader.records().enumerate() {
        let number =
            |record: &csv::StringRecord, at: usize| record.get(at)?.parse::<f64>().ok().filter(|n| n.is_finite());
        let place = record.as_ref().ok().and_then(|record| number(record, lon).zip(number(record, lat)));
        let (Ok(record), Some((lon_deg, lat_deg))) = (&record, place) else {
            left.push(format!("line {}: no latitude and longitude", row + 2));
            continue;
        };
        let others =
            names.iter().zip(record).enumerate().filter(|(at, (_, text))| ![lat, lon].contains(at) && !text.is_empty());
        let mut properties: serde_json::Map<String, Value> =
            others.map(|(_, (name, text))| (name.clone(), text.into())).collect();
        let id = properties.remove("id");
        let geometry = json!({"type": "Point", "coordinates": [lon_deg, lat_deg]});
        let mut feature = json!({"type": "Feature", "geometry": geometry, "properties": properties});
        if let Some(id) = id {
            feature["id"] = id;
        }
        features.push(feature);
    }
    Some((features, left))
}

/// The same with every pair of coordinates the other way round.
fn swapped(value: &Value) -> Value {
    match value {
        Value::Object(keys) => {
            let pairs = keys.iter().map(|(key, value)| {
                let value = if key == "coordinates" { turned(value) } else { swapped(value) };
                (key.clone(), value)
            });
            Value::Object(pairs.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(swapped).collect()),
        value => value.clone(),
    }
}

fn turned(value: &Value) -> Value {
    let Value::Array(items) = value else { return value.clone() };
    match items.as_slice() {
        [x @ Value::Number(_), y @ Value::Number(_), rest @ ..] => {
            Value::Array([y.clone(), x.clone()].into_iter().chain(rest.iter().cloned()).collect())
        }
        items => Value::Array(items.iter().map(turned).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_points_is_read_and_told_apart() {
        let text =
            b"id,kind,name,Latitude,Longitude\nB-1,safety_buoy,North,47.6,-117.1\nB-2,safety_buoy,South,none,-117.2\n";
        let (features, left) = table(text).expect("a table");
        assert_eq!((features.len(), left.len()), (1, 1));
        assert_eq!(features[0]["id"], "B-1");
        assert_eq!(features[0]["geometry"]["coordinates"], json!([-117.1, 47.6]));
        assert_eq!(features[0]["properties"], json!({"kind": "safety_buoy", "name": "North"}));
        assert!(table(b"a,b\n1,2\n").is_none());
        let turned = swapped(&json!({"features": features}));
        assert_eq!(turned["features"][0]["geometry"]["coordinates"], json!([47.6, -117.1]));
    }
}
