//! GeoJSON of others: a FeatureCollection, one Feature, or NDJSON of features, with any properties.

use ::geojson::Geometry;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map as JsonMap, Value};

use super::{Drawn, Format, ImportError, Source, starts_with_text, stem};

pub(super) const FORMAT: Format =
    Format { name: "GeoJSON", ending: "geojson", looks_like: |bytes| starts_with_text(bytes, b'{'), read };

#[derive(Deserialize)]
struct RawRoot<'t> {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    features: Option<Vec<&'t RawValue>>,
    crs: Option<Value>,
}

#[derive(Deserialize)]
struct RawFeature {
    #[serde(rename = "type")]
    kind: Option<String>,
    id: Option<Value>,
    properties: Option<JsonMap<String, Value>>,
    geometry: Option<Value>,
}

fn read(source: &Source) -> Result<Vec<Drawn>, ImportError> {
    let bytes = source.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&source.bytes);
    let text = std::str::from_utf8(bytes)
        .map_err(|error| ImportError::new(format!("byte {} is not UTF-8", error.valid_up_to()), "save it as UTF-8"))?;
    let damaged = |error: serde_json::Error| ImportError::new(format!("no JSON: {error}"), "export it again");
    let root: RawRoot<'_> = serde_json::from_str(text).map_err(damaged)?;
    let crs = root.crs.as_ref().and_then(|crs| crs.pointer("/properties/name")?.as_str());
    if let Some(crs) = crs.filter(|crs| !is_wgs84(crs)) {
        return Err(ImportError::new(
            format!("the positions are in {crs}, not in WGS 84"),
            "save it again in WGS 84 (EPSG:4326)",
        ));
    }
    let features = match (root.kind.as_deref(), root.features) {
        (Some("FeatureCollection"), Some(features)) => features.into_iter().map(RawValue::get).collect(),
        (Some("Feature"), _) => vec![text],
        _ => {
            let mend = "make it a FeatureCollection (RFC 7946); a bare geometry has no properties to go by";
            return Err(ImportError::new("it is neither a FeatureCollection nor a Feature", mend));
        }
    };
    Ok(features.into_iter().enumerate().map(|(i, feature)| drawn(source, i, feature)).collect())
}

fn drawn(source: &Source, index: usize, text: &str) -> Drawn {
    let raw: Result<RawFeature, _> = serde_json::from_str(text);
    let mut drawn = Drawn {
        place: format!("{} feature {index}", source.name),
        file: stem(&source.name).to_owned(),
        folders: Vec::new(),
        id: None,
        properties: JsonMap::new(),
        geometry: Err("it is no GeoJSON feature".to_owned()),
    };
    let Ok(raw) = raw else { return drawn };
    drawn.id = match &raw.id {
        Some(Value::String(id)) => Some(id.clone()),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    };
    drawn.properties = raw.properties.unwrap_or_default();
    if raw.kind.as_deref() == Some("Feature") {
        drawn.geometry = match raw.geometry {
            None | Some(Value::Null) => Err("it has no geometry".to_owned()),
            Some(value) => serde_json::from_value::<Geometry>(value)
                .map(|geometry| geometry.value)
                .map_err(|error| format!("its geometry cannot be read: {error}")),
        };
    }
    drawn
}

/// Whether a reference system is WGS 84 in degrees, or one that lies within a metre or two of it.
fn is_wgs84(name: &str) -> bool {
    let upper = name.to_uppercase();
    ["CRS84", "4326", "4979", "4269", "CRS83", "4258", "6318"]
        .iter()
        .any(|code| upper == *code || upper.ends_with(&format!(":{code}")))
}
