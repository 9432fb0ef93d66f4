//! The map of a waterway as GeoJSON to draw: its features, and what the rules derive from them. What is drawn is what is
//! judged. Whom a permit names is left out: the map is for everybody.

use geojson::{Feature, FeatureCollection, Geometry, GeometryValue, JsonObject};
use serde_json::json;

use crate::geo::Position;
use crate::rulebook::Rulebook;
use crate::units::Speed;
use crate::zones::{self, Shape, Validity, Waterway, ZoneKind};

/// The map of a waterway, as text.
pub(super) fn geojson(waterway: &Waterway, rulebook: &Rulebook) -> String {
    let mut features: Vec<Feature> = waterway
        .features
        .iter()
        .filter(|feature| ![ZoneKind::Waterway, ZoneKind::InshoreArea].contains(&feature.kind))
        .map(|feature| drawn(shape(&feature.shape), properties(feature)))
        .collect();
    water(waterway, &mut features);
    let travel = rulebook.rules.iter().find_map(|rule| rule.travel());
    for mut derived in waterway.explain(travel.as_ref()).features {
        if let Some(properties) = &mut derived.properties {
            derive(properties, &mut derived.geometry);
        }
        features.push(derived);
    }
    let near: Vec<_> = rulebook.rules.iter().flat_map(|rule| rule.slow_near()).collect();
    let strip = waterway.strip(&near);
    if !strip.is_empty() {
        let within_m = near.iter().map(|(_, m)| *m).fold(0.0, f64::max);
        let polygons = strip.iter().map(|rings| rings.iter().map(|ring| line(ring)).collect::<Vec<_>>());
        let mut properties = object("strip", "strip");
        properties.insert("within_m".to_owned(), within_m.into());
        features.push(drawn(GeometryValue::new_multi_polygon(polygons), properties));
    }
    FeatureCollection { bbox: None, features, foreign_members: None }.to_string()
}

/// The box around the water: west, south, east, north, degrees.
pub(super) fn bbox(waterway: &Waterway) -> [f64; 4] {
    let mut bbox = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    waterway.water().shape.each_edge(&mut |a, _| {
        let (lon, lat) = (a.lon_deg(), a.lat_deg());
        bbox = [bbox[0].min(lon), bbox[1].min(lat), bbox[2].max(lon), bbox[3].max(lat)];
    });
    bbox
}

/// The water, and what land lies in it.
fn water(waterway: &Waterway, features: &mut Vec<Feature>) {
    let polygons = waterway.water().shape.polygons();
    let all = polygons.iter().map(|rings| rings.iter().map(|ring| line(ring)).collect::<Vec<_>>());
    let mut properties = object("water", &waterway.water().id);
    if let Some(name) = &waterway.water().name {
        properties.insert("name".to_owned(), name.as_str().into());
    }
    properties.insert("kind".to_owned(), ZoneKind::Waterway.as_str().into());
    properties.insert("is_shoreline".to_owned(), (waterway.rim() == ZoneKind::Shoreline).into());
    features.push(drawn(GeometryValue::new_multi_polygon(all), properties));
    let islands: Vec<Vec<Vec<[f64; 2]>>> =
        polygons.iter().flat_map(|rings| rings.iter().skip(1)).map(|ring| vec![line(ring)]).collect();
    if !islands.is_empty() {
        features.push(drawn(GeometryValue::new_multi_polygon(islands), object("land", "islands")));
    }
}

/// Says `derived` where [`Waterway::explain`] says `role`; an arrow becomes the place in its middle.
fn derive(properties: &mut JsonObject, geometry: &mut Option<Geometry>) {
    let role = properties.remove("role").and_then(|role| role.as_str().map(str::to_owned)).unwrap_or_default();
    let derived = match role.as_str() {
        "inshore_area" => "inshore",
        other => other,
    };
    if let Some(course_deg) = properties.remove("course_deg") {
        properties.insert("bearing_deg".to_owned(), course_deg);
        if let Some(GeometryValue::MultiLineString { coordinates }) = geometry.as_ref().map(|geometry| &geometry.value)
            && let Some([tail, tip]) = coordinates.first().and_then(|shaft| shaft.first_chunk::<2>())
        {
            let middle = [0, 1].map(|i| rounded(0.5 * (tail[i] + tip[i])));
            *geometry = Some(Geometry::new(GeometryValue::new_point(middle)));
        }
    }
    properties.insert("derived".to_owned(), derived.into());
}

fn properties(feature: &zones::Feature) -> JsonObject {
    let mut properties = JsonObject::new();
    let mut put = |key: &str, value: Option<serde_json::Value>| {
        if let Some(value) = value {
            properties.insert(key.to_owned(), value);
        }
    };
    put("kind", Some(feature.kind.as_str().into()));
    put("id", Some((*feature.id).into()));
    put("name", feature.name.as_deref().map(Into::into));
    put("limit_mps", feature.speed_limit.map(|limit| limit.mps().into()));
    put("limit", feature.speed_limit.map(|limit: Speed| limit.to_string().into()));
    put("hours", feature.hours.as_ref().map(|hours| String::from(hours.clone()).into()));
    put("lit", feature.lit.map(Into::into));
    put("line", feature.line.as_deref().map(Into::into));
    put("order", feature.order.map(Into::into));
    put("permit", feature.permit.as_deref().map(Into::into));
    put("note", feature.note.as_deref().map(Into::into));
    put("lifts", (!feature.lifts.is_empty()).then(|| json!(feature.lifts)));
    let day = |(month, day): (u8, u8)| Some(format!("{month:02}-{day:02}").into());
    match feature.validity {
        Validity::Always => {}
        Validity::Between(from, until) => {
            put("valid_from", from.map(|t| t.to_string().into()));
            put("valid_until", until.map(|t| t.to_string().into()));
        }
        Validity::EveryYear(from, until) => {
            put("valid_from", day(from));
            put("valid_until", day(until));
        }
    }
    properties
}

/// One feature of a map as GeoJSON.
pub(super) fn zone(feature: &zones::Feature) -> Feature {
    drawn(shape(&feature.shape), properties(feature))
}

/// A shape as GeoJSON.
pub(super) fn shape(shape: &Shape) -> GeometryValue {
    match shape {
        Shape::Point(p) => GeometryValue::new_point(coordinates(*p)),
        Shape::Points(points) => GeometryValue::new_multi_point(points.iter().map(|p| coordinates(*p))),
        Shape::Lines(lines) => match &lines[..] {
            [only] => GeometryValue::new_line_string(line(only)),
            _ => GeometryValue::new_multi_line_string(lines.iter().map(|l| line(l))),
        },
        Shape::Areas(areas) => match &areas[..] {
            [only] => GeometryValue::new_polygon(only.iter().map(|ring| line(ring))),
            _ => GeometryValue::new_multi_polygon(
                areas.iter().map(|rings| rings.iter().map(|ring| line(ring)).collect::<Vec<_>>()),
            ),
        },
        Shape::Mixed(parts) => {
            GeometryValue::new_geometry_collection(parts.iter().map(|part| Geometry::new(self::shape(part))))
        }
    }
}

fn line(line: &[Position]) -> Vec<[f64; 2]> {
    line.iter().map(|p| coordinates(*p)).collect()
}

fn coordinates(p: Position) -> [f64; 2] {
    p.to_geojson().map(rounded)
}

/// To a seventh of a degree's decimals: a centimetre.
fn rounded(deg: f64) -> f64 {
    (deg * 1e7).round() / 1e7
}

fn object(derived: &str, id: &str) -> JsonObject {
    let mut properties = JsonObject::new();
    properties.insert("derived".to_owned(), derived.into());
    properties.insert("id".to_owned(), id.into());
    properties
}

fn drawn(value: GeometryValue, properties: JsonObject) -> Feature {
    Feature { geometry: Some(Geometry::new(value)), properties: Some(properties), ..Feature::default() }
}
