//! A zone file holds one waterway; a layer of water bodies holds many.

use ::geojson::GeometryValue;

use super::Drawn;
use super::mapping::name_of;
use crate::geo::{LocalFrame, Position};
use crate::zones::ZoneKind;

/// How many waters are named, the largest first.
const NAMED_MAX: usize = 10;

/// Refuses several waters. Polygons of one name are parts of one.
///
/// # Errors
/// What there is to choose from.
pub(super) fn only_one(kept: &[(Drawn, ZoneKind, GeometryValue)]) -> Result<(), String> {
    let waters: Vec<(Option<String>, &Drawn, f64)> = kept
        .iter()
        .filter(|(_, kind, _)| *kind == ZoneKind::Waterway)
        .map(|(drawn, _, geometry)| (name_of(&drawn.properties), drawn, area_m2(geometry)))
        .collect();
    let Some((first, rest)) = waters.split_first() else { return Ok(()) };
    if rest.iter().all(|water| first.0.is_some() && water.0 == first.0) {
        return Ok(());
    }
    let mut largest: Vec<&(Option<String>, &Drawn, f64)> = waters.iter().collect();
    largest.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.1.place.cmp(&b.1.place)));
    let lines = largest.iter().take(NAMED_MAX).map(|(name, drawn, m2)| {
        let name = name.as_ref().map_or_else(|| "without a name".to_owned(), |name| format!("{name:?}"));
        format!("\n  {:>8.2} km²  {name} ({})", m2 / 1e6, drawn.place)
    });
    let more = if waters.len() > NAMED_MAX { "\n  …" } else { "" };
    let key = ["name", "NAME", "GNIS_NAME", "OBJNAM"].into_iter().find(|key| first.1.properties.contains_key(*key));
    Err(format!(
        "{} waters, but a zone file holds one: choose with --where, as in --where {}=…; the largest are{}{more}",
        waters.len(),
        key.unwrap_or("NAME"),
        lines.collect::<String>()
    ))
}

fn area_m2(value: &GeometryValue) -> f64 {
    let polygons: Vec<&Vec<Vec<::geojson::Position>>> = match value {
        GeometryValue::Polygon { coordinates } => vec![coordinates],
        GeometryValue::MultiPolygon { coordinates } => coordinates.iter().collect(),
        _ => return 0.0,
    };
    let ring_m2 = |ring: &Vec<::geojson::Position>| {
        let at = |p: &::geojson::Position| match p.as_slice() {
            &[lon, lat, ..] => Position::from_geojson([lon, lat]).ok(),
            _ => None,
        };
        let ring: Vec<Position> = ring.iter().filter_map(at).collect();
        let Some(&first) = ring.first() else { return 0.0 };
        let frame = LocalFrame::at(first);
        let twice: f64 = ring.windows(2).map(|w| frame.to_plane(w[0]).cross(frame.to_plane(w[1]))).sum();
        0.5 * twice.abs()
    };
    let polygon_m2 = |rings: &&Vec<Vec<::geojson::Position>>| {
        rings.first().map_or(0.0, ring_m2) - rings.iter().skip(1).map(ring_m2).sum::<f64>()
    };
    polygons.iter().map(polygon_m2).sum()
}
