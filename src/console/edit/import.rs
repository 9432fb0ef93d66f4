//! Maps of other programs, read to be looked at: nothing is kept.
//!
//! What has its coordinates the other way round is read too: both ways are given, and who imports chooses.

use std::collections::BTreeMap;

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
use crate::import::{self, Beside, Cause, Choice, Drawn, Mapping, Source};
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
    /// Kinds for features that say none, a line each, as in `TYPE=DOCK:dock` or, for all the rest, `dock`.
    kinds: Option<String>,
}

impl Asked {
    fn kinds(&self) -> Result<Vec<Choice>, Problem> {
        let lines = self.kinds.iter().flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty());
        lines.map(|line| line.parse().map_err(|error: String| Problem::bad(error).at("kinds"))).collect()
    }
}

/// Features that say no kind, by one of their properties.
#[derive(Debug, Serialize, ToSchema)]
struct Unkinded {
    /// The property.
    key: String,
    /// Its values, and how many features have each.
    values: BTreeMap<String, usize>,
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
    /// How many of those say no kind.
    unkinded: usize,
    /// By what they can be told apart.
    unkinded_by: Vec<Unkinded>,
}

/// Properties by which features are told apart have at most so many values.
const VALUES_MAX: usize = 12;

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
    let kinds = asked.kinds()?;
    let name = asked.name.unwrap_or_else(|| "upload".to_owned());
    let rulebook = published.in_force.rulebook.clone();
    let waterway = published.waterway.clone();
    let work = tokio::task::spawn_blocking(move || {
        let (source, format) = source(name.clone(), bytes.to_vec())?;
        let mut unkinded = (0, Vec::new());
        let (features, left) = match zone_file(&source.bytes) {
            Some(collection) => (collection.into_value(), Vec::new()),
            None => {
                let drawn = import::read(&source).map_err(|error| {
                    Problem::unusable("the file cannot be imported").detail(error.reason).mend(error.mend)
                })?;
                let mapping =
                    Mapping { kinds, only: Vec::new(), waterway_id: Some(waterway.to_string()), speed_limit: None };
                let (features, left) = collected(&mapping, drawn.clone())?;
                let without: Vec<&Drawn> =
                    drawn.iter().filter(|one| left.iter().any(|left| left.2 && left.0 == one.place)).collect();
                unkinded = (without.len(), told_apart(&without));
                (features, left.into_iter().map(|(place, reason, _)| format!("{place}: {reason}")).collect())
            }
        };
        let text = features.to_string().into_bytes();
        let (_, faults) = check_map(&[ZoneFile { name, bytes: text }], Some(&rulebook));
        let swapped = swapped(&features);
        let (unkinded, unkinded_by) = unkinded;
        Ok(Read { format, swapped, faults: shown(&faults), features, left, unkinded, unkinded_by })
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
    let format = import::format_of(&source).unwrap_or("unknown").to_owned();
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

/// A feature that was left out: its place, why, and whether it only says no kind.
type LeftOut = (String, String, bool);

/// The features of a file as they stand in it, and those that are left out. Where more can be used with their
/// coordinates the other way round, that is how they are read, and turned back again.
fn collected(mapping: &Mapping, drawn: Vec<Drawn>) -> Result<(Value, Vec<LeftOut>), Problem> {
    let collect = |drawn: Vec<Drawn>| {
        let collected = mapping.collect(drawn);
        let collected = collected.map_err(|reason| Problem::unusable("the file cannot be imported").detail(reason))?;
        let left = collected.left.into_iter();
        let left: Vec<LeftOut> = left.map(|left| (left.place, left.reason, left.cause == Cause::NoKind)).collect();
        let features: Vec<Value> =
            collected.features.iter().filter_map(|(feature, _)| serde_json::to_value(feature).ok()).collect();
        Ok::<_, Problem>((features, left))
    };
    let around = |one: &Drawn| {
        let geometry = one.geometry.as_ref().map_err(Clone::clone).and_then(|value| {
            let text =
                serde_json::to_value(::geojson::Geometry::new(value.clone())).map_err(|error| error.to_string())?;
            let geometry: ::geojson::Geometry =
                serde_json::from_value(swapped(&text)).map_err(|error| error.to_string())?;
            Ok(geometry.value)
        });
        Drawn { geometry, ..one.clone() }
    };
    let turned: Vec<Drawn> = drawn.iter().map(around).collect();
    // What only lacks a kind lies where it should.
    let usable = |features: &[Value], left: &[LeftOut]| features.len() + left.iter().filter(|left| left.2).count();
    let (mut features, mut left) = collect(drawn)?;
    if !left.is_empty()
        && let Ok((other, other_left)) = collect(turned)
        && usable(&other, &other_left) > usable(&features, &left)
    {
        (features, left) = (other.iter().map(swapped).collect(), other_left);
    }
    Ok((json!({"type": "FeatureCollection", "features": features}), left))
}

/// The properties that tell features apart, with their values; those that have one for each feature tell nothing.
fn told_apart(drawn: &[&Drawn]) -> Vec<Unkinded> {
    let mut by: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let mut count = |key: &str, value: String| {
        *by.entry(key.to_owned()).or_default().entry(value).or_default() += 1;
    };
    for one in drawn {
        if let Some(folder) = one.folders.last() {
            count("folder", folder.clone());
        }
        for (key, value) in &one.properties {
            match value {
                Value::String(text) => count(key, text.trim().to_owned()),
                Value::Number(_) | Value::Bool(_) => count(key, value.to_string()),
                _ => {}
            }
        }
    }
    by.into_iter()
        .filter(|(_, values)| values.len() <= VALUES_MAX && (values.len() < drawn.len() || drawn.len() == 1))
        .map(|(key, values)| Unkinded { key, values })
        .collect()
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

    fn table(text: &str) -> Vec<Drawn> {
        let bytes = text.as_bytes().to_vec();
        import::read(&Source { name: "points.csv".to_owned(), bytes, beside: Beside::default() }).expect("a table")
    }

    #[test]
    fn what_says_no_kind_is_told_apart_by_its_properties() {
        let drawn = table("id,TYPE,note,lat,lon\n1,DOCK,a,47.6,-117.1\n2,DOCK,b,47.6,-117.2\n3,FLOAT,c,47.6,-117.3\n");
        let (features, left) = collected(&Mapping::default(), drawn.clone()).expect("it is read");
        assert_eq!((features["features"].as_array().map(Vec::len), left.len()), (Some(0), 3));
        assert!(left.iter().all(|(_, _, is_without)| *is_without));
        let apart = told_apart(&drawn.iter().collect::<Vec<_>>());
        assert_eq!(apart.len(), 1, "a note of its own for each tells nothing");
        assert_eq!((apart[0].key.as_str(), apart[0].values["DOCK"]), ("TYPE", 2));
        let asked = Asked { waterway: String::new(), name: None, kinds: Some("TYPE=DOCK:dock\nfloat\n".to_owned()) };
        let mapping = Mapping { kinds: asked.kinds().expect("kinds"), ..Mapping::default() };
        let (features, left) = collected(&mapping, drawn).expect("it is read");
        assert_eq!((features["features"].as_array().map(Vec::len), left.len()), (Some(3), 0));
    }

    #[test]
    fn coordinates_the_other_way_round_are_read_and_stand_as_in_the_file() {
        let (features, left) = collected(&Mapping::default(), table("kind,x,y\ndock,47.6,-117.1\n")).expect("read");
        assert_eq!(left, []);
        assert_eq!(features["features"][0]["geometry"]["coordinates"], json!([47.6, -117.1]));
        let turned = swapped(&features);
        assert_eq!(turned["features"][0]["geometry"]["coordinates"], json!([-117.1, 47.6]));
        let (_, left) = collected(&Mapping::default(), table("TYPE,x,y\nDOCK,47.6,-117.1\n")).expect("read");
        assert!(left[0].2, "it only says no kind: {left:?}");
    }
}
