//! The geometry of a mark.

use geojson::{Geometry, GeometryValue};
use serde_json::Value;

use super::fault::shown;
use crate::geo::Position;
use crate::observation::{Refusal, RefusalReason};
use crate::zones::Shape;

/// The shape of a GeoJSON geometry (RFC 7946): a point, lines or polygons.
pub(super) fn from_geojson(geometry: Value) -> Result<Shape, Refusal> {
    let as_written = shown(&geometry);
    let fault = |reason: String| Refusal::unparsable(format!("`geometry` is {as_written}: {reason}"));
    let geometry: Geometry = serde_json::from_value(geometry).map_err(|e| fault(e.to_string()))?;
    shape(&geometry.value)
}

fn shape(value: &GeometryValue) -> Result<Shape, Refusal> {
    Ok(match value {
        GeometryValue::Point { coordinates } => Shape::Point(position(coordinates.as_slice())?),
        GeometryValue::MultiPoint { coordinates } => Shape::Points(all(coordinates, |c| position(c.as_slice()))?),
        GeometryValue::LineString { coordinates } => Shape::Lines(vec![line(coordinates)?]),
        GeometryValue::MultiLineString { coordinates } => Shape::Lines(all(coordinates, |c| line(c))?),
        GeometryValue::Polygon { coordinates } => Shape::Areas(vec![all(coordinates, |c| ring(c))?]),
        GeometryValue::MultiPolygon { coordinates } => {
            Shape::Areas(all(coordinates, |polygon| all(polygon, |c| ring(c)))?)
        }
        GeometryValue::GeometryCollection { geometries } => {
            Shape::Mixed(all(geometries, |geometry| shape(&geometry.value))?)
        }
    })
}

/// Every part as `one` makes it; a geometry has at least one.
fn all<T, U>(parts: &[T], one: impl Fn(&T) -> Result<U, Refusal>) -> Result<Vec<U>, Refusal> {
    if parts.is_empty() {
        return Err(Refusal::unparsable("`geometry` is empty; it should have coordinates"));
    }
    parts.iter().map(one).collect()
}

fn line(coordinates: &[geojson::Position]) -> Result<Vec<Position>, Refusal> {
    if coordinates.len() < 2 {
        return Err(Refusal::unparsable("`geometry` has a line of less than two positions"));
    }
    coordinates.iter().map(|c| position(c.as_slice())).collect()
}

fn ring(coordinates: &[geojson::Position]) -> Result<Vec<Position>, Refusal> {
    if coordinates.len() < 4 || coordinates.first() != coordinates.last() {
        let detail = "`geometry` has a ring that is not closed: its last position should repeat its first, \
                      with at least three different ones";
        return Err(Refusal::unparsable(detail));
    }
    coordinates.iter().map(|c| position(c.as_slice())).collect()
}

fn position(lon_lat: &[f64]) -> Result<Position, Refusal> {
    let [lon, lat, ..] = lon_lat else {
        return Err(Refusal::unparsable("`geometry` has a position of less than two numbers"));
    };
    Position::from_geojson([*lon, *lat]).map_err(|e| Refusal::new(RefusalReason::BadPosition, e.to_string()))
}
