//! A GeoJSON geometry becomes a [`Shape`], or everything that is wrong with it.
//!
//! Elevations are dropped, both windings are taken, an open ring is closed with a warning. Nothing else is
//! mended: a coordinate that cannot be meant sets the feature aside.

use std::fmt::Write as _;

use geojson::{Geometry, GeometryValue};
use serde_json::Value;

use super::map::Shape;
use super::place::Path;
use super::read::bare;
use super::report::Problem;
use super::{ZoneKind, lint};
use crate::geo::{Crossings, EdgePlace, Position, Region};

/// A geometry as read, and the inside of its polygons.
pub(super) struct Drawn {
    pub shape: Shape,
    pub region: Option<Region>,
}

/// Reads the geometry at `path` for a feature of `kind`; warnings go to `warn`.
///
/// # Errors
/// Each [`Problem`] that sets the feature aside.
pub(super) fn read(
    text: &str,
    kind: ZoneKind,
    path: &Path,
    warn: &mut dyn FnMut(Problem),
) -> Result<Drawn, Vec<Problem>> {
    let geometry: Geometry = serde_json::from_str(text).map_err(|error| vec![diagnose(text, path, &error)])?;
    let mut reader = Reader { kind, warn, faults: Vec::new(), bad_positions: 0 };
    let Some(shape) = reader.shape(&geometry.value, path) else { return Err(reader.into_faults()) };
    if !fills(kind, &shape) {
        return Ok(Drawn { shape, region: None });
    }
    let polygons: Vec<_> = shape.polygons().into_iter().cloned().collect();
    let region = Region::new(&polygons);
    match region.crossing() {
        Some(_) => Err(vec![crossing_problem(&polygons, &region.crossings(), path, &geometry.value, text)]),
        None => Ok(Drawn { shape, region: Some(region) }),
    }
}

/// Whether polygons of this kind have an inside; those of a shoreline are lines only.
fn fills(kind: ZoneKind, shape: &Shape) -> bool {
    kind != ZoneKind::Shoreline && !shape.polygons().is_empty()
}

/// How many places are named at which a ring crosses itself.
const CROSSINGS_NAMED_MAX: usize = 5;

/// All crossings as one problem at the first: rounding, the usual cause, makes many at once.
fn crossing_problem(
    polygons: &[Vec<Vec<Position>>],
    crossings: &Crossings,
    path: &Path,
    value: &GeometryValue,
    text: &str,
) -> Problem {
    let place = |e: EdgePlace| {
        let base = path.clone().key("coordinates");
        match value {
            GeometryValue::MultiPolygon { .. } => base.index(e.polygon).index(e.ring).index(e.position),
            _ => base.index(e.ring).index(e.position),
        }
    };
    let show = |e: EdgePlace| {
        let ring = &polygons[e.polygon][e.ring];
        let end = |i: usize| ring.get(i).map_or_else(String::new, |p| format!("[{}, {}]", p.lon_deg(), p.lat_deg()));
        format!("{} to {}", end(e.position), end(e.position + 1))
    };
    let mut reason = "the ring crosses itself".to_owned();
    if let Some(&[first, second]) = crossings.pairs.first() {
        let _ = write!(reason, ": the edge {} crosses the edge {} (at {})", show(first), show(second), place(second));
    }
    let count = crossings.pairs.len();
    if count > 1 {
        let others = crossings.pairs[1..].iter().take(CROSSINGS_NAMED_MAX - 1);
        let others = others.map(|[first, _]| place(*first).to_string()).collect::<Vec<_>>().join(", ");
        let (at_least, more) = (if crossings.is_part { "at least " } else { "" }, count > CROSSINGS_NAMED_MAX);
        let more = if more { ", …" } else { "" };
        let _ = write!(reason, "; in {at_least}{count} places in all, the next at {others}{more}");
    }
    let decimals = lint::decimals_max(text);
    let mut mend = "move or remove one of these positions so that the two edges no longer cross".to_owned();
    if decimals < lint::DECIMALS_ENOUGH {
        let _ = write!(
            mend,
            "; where the rounding to {decimals} decimals is the cause, save it again with 7 from where it was drawn (QGIS: COORDINATE_PRECISION 7)"
        );
    }
    let at = crossings.pairs.first().map_or_else(|| path.clone(), |&[first, _]| place(first));
    Problem::error(at, reason, mend)
}

const POINT: u8 = 1;
const LINE: u8 = 2;
const AREA: u8 = 4;

/// What a kind may be drawn as, as a mask and in words.
fn allowed(kind: ZoneKind) -> (u8, &'static str) {
    use ZoneKind as K;
    match kind {
        K::Waterway | K::SwimArea | K::MooringArea | K::SpeedZone | K::PermitArea | K::InshoreArea => {
            (AREA, "a Polygon or MultiPolygon")
        }
        K::Shoreline => (LINE | AREA, "a LineString, MultiLineString or Polygon"),
        K::SafetyBuoy | K::Swimmer | K::Float | K::SkiDock | K::DiveFlag | K::MooringBuoy => {
            (POINT, "a Point or MultiPoint")
        }
        K::BuoyLine | K::Circulation => (LINE, "a LineString or MultiLineString"),
        K::Dock | K::LaunchRamp => (POINT | LINE | AREA, "a Point, LineString or Polygon"),
        K::Course => (LINE | AREA, "a LineString or Polygon"),
    }
}

struct Reader<'w> {
    kind: ZoneKind,
    warn: &'w mut dyn FnMut(Problem),
    faults: Vec<Problem>,
    /// Of all positions that are none the first is told; a file in another projection has nothing else.
    bad_positions: usize,
}

impl Reader<'_> {
    /// All faults, the first bad position with how many others there are.
    fn into_faults(mut self) -> Vec<Problem> {
        let more = self.bad_positions.saturating_sub(1);
        if more > 0
            && let Some(first) = self.faults.iter_mut().find(|fault| fault.lint == Some(BAD_POSITION))
        {
            first.reason = format!("{} (the first of {} such positions)", first.reason, more + 1);
        }
        for fault in &mut self.faults {
            fault.lint = None;
        }
        self.faults
    }

    fn fault<T>(&mut self, problem: Problem) -> Option<T> {
        self.faults.push(problem);
        None
    }

    fn shape(&mut self, value: &GeometryValue, path: &Path) -> Option<Shape> {
        let at = || path.clone().key("coordinates");
        match value {
            GeometryValue::Point { coordinates } => {
                self.check(POINT, value, path)?;
                self.position(coordinates, at).map(Shape::Point)
            }
            GeometryValue::MultiPoint { coordinates } => {
                self.check(POINT, value, path)?;
                let points = self.positions(coordinates, &at())?;
                self.non_empty(points, at).map(Shape::Points)
            }
            GeometryValue::LineString { coordinates } => {
                self.check(LINE, value, path)?;
                Some(Shape::Lines(vec![self.line(coordinates, &at())?]))
            }
            GeometryValue::MultiLineString { coordinates } => {
                self.check(LINE, value, path)?;
                let lines = self.each(coordinates, &at(), |reader, c, path| reader.line(c, path))?;
                self.non_empty(lines, at).map(Shape::Lines)
            }
            GeometryValue::Polygon { coordinates } => {
                self.check(AREA, value, path)?;
                Some(Shape::Areas(vec![self.polygon(coordinates, &at())?]))
            }
            GeometryValue::MultiPolygon { coordinates } => {
                self.check(AREA, value, path)?;
                let areas = self.each(coordinates, &at(), |reader, c, path| reader.polygon(c, path))?;
                self.non_empty(areas, at).map(Shape::Areas)
            }
            GeometryValue::GeometryCollection { geometries } => {
                let at = || path.clone().key("geometries");
                let parts = self.each(geometries, &at(), |reader, g, path| reader.shape(&g.value, path))?;
                self.non_empty(parts, at).map(Shape::Mixed)
            }
        }
    }

    /// All parts, or `None` where one of them is faulty; the others are looked at all the same.
    fn each<C, T>(
        &mut self,
        parts: &[C],
        path: &Path,
        mut read: impl FnMut(&mut Self, &C, &Path) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut all = Vec::with_capacity(parts.len());
        for (i, part) in parts.iter().enumerate() {
            all.extend(read(self, part, &path.clone().index(i)));
        }
        (all.len() == parts.len()).then_some(all)
    }

    fn non_empty<T>(&mut self, parts: Vec<T>, path: impl Fn() -> Path) -> Option<Vec<T>> {
        if parts.is_empty() { self.fault(empty(path())) } else { Some(parts) }
    }

    fn check(&mut self, is: u8, value: &GeometryValue, path: &Path) -> Option<()> {
        let (mask, words) = allowed(self.kind);
        if mask & is != 0 {
            return Some(());
        }
        let reason = format!("a {} cannot be drawn as a {}", self.kind, value.type_name());
        self.fault(Problem::error(path.clone().key("type"), reason, format!("draw it as {words}")))
    }

    fn position(&mut self, coordinates: &geojson::Position, path: impl Fn() -> Path) -> Option<Position> {
        match position(coordinates, path) {
            Ok(position) => Some(position),
            Err(problem) => {
                self.bad_positions += 1;
                if self.bad_positions == 1 {
                    self.faults.push(Problem { lint: Some(BAD_POSITION), ..problem });
                }
                None
            }
        }
    }

    fn positions(&mut self, coordinates: &[geojson::Position], path: &Path) -> Option<Vec<Position>> {
        let mut all = Vec::with_capacity(coordinates.len());
        for (i, c) in coordinates.iter().enumerate() {
            // A path is made for a fault only.
            all.extend(self.position(c, || path.clone().index(i)));
        }
        (all.len() == coordinates.len()).then_some(all)
    }

    fn line(&mut self, coordinates: &[geojson::Position], path: &Path) -> Option<Vec<Position>> {
        let line = self.positions(coordinates, path)?;
        match line.len() {
            0 => self.fault(empty(path.clone())),
            1 => self.fault(Problem::error(
                path.clone(),
                "a line has one position only",
                "give it two or more positions",
            )),
            _ => Some(line),
        }
    }

    fn polygon(&mut self, rings: &[Vec<geojson::Position>], path: &Path) -> Option<Vec<Vec<Position>>> {
        let rings = self.each(rings, path, |reader, ring, path| reader.ring(ring, path))?;
        self.non_empty(rings, || path.clone())
    }

    fn ring(&mut self, coordinates: &[geojson::Position], path: &Path) -> Option<Vec<Position>> {
        let mut ring = self.positions(coordinates, path)?;
        let (Some(&first), Some(&last)) = (ring.first(), ring.last()) else {
            return self.fault(empty(path.clone()));
        };
        let is_open = ring.len() < 2 || first != last;
        if is_open {
            ring.push(first);
        }
        if ring.len() < 4 {
            let reason = format!("the ring has {} positions, an area needs four", coordinates.len());
            let mend = "give it three corners or more and repeat the first position at the end";
            return self.fault(Problem::error(path.clone(), reason, mend));
        }
        if is_open {
            let end = path.clone().index(coordinates.len() - 1);
            let mend = format!("repeat the first position, [{}, {}], at the end", first.lon_deg(), first.lat_deg());
            (self.warn)(
                Problem::warning(end, "the ring is not closed; it was closed with a straight edge", mend)
                    .value(format_args!("[{}, {}]", last.lon_deg(), last.lat_deg())),
            );
        }
        Some(ring)
    }
}

/// Marks the fault of the first bad position until the reading ends.
const BAD_POSITION: &str = "bad position";

fn empty(path: Path) -> Problem {
    Problem::error(path, "the geometry is empty", "draw the feature, or remove it from the file")
}

/// A position in range, or what is wrong with the numbers.
fn position(coordinates: &geojson::Position, path: impl Fn() -> Path) -> Result<Position, Problem> {
    let &[lon, lat, ..] = coordinates.as_slice() else {
        let mend = "write [longitude, latitude] in degrees";
        return Err(Problem::error(path(), "a position has fewer than two numbers", mend)
            .value(format_args!("{:?}", coordinates.as_slice())));
    };
    Position::from_geojson([lon, lat]).map_err(|error| {
        let (reason, mend) = range_advice(lon, lat)
            .unwrap_or_else(|| (error.to_string(), "write [longitude, latitude] in degrees of WGS 84".to_owned()));
        Problem::error(path(), reason, mend).value(format_args!("[{lon}, {lat}]"))
    })
}

/// What two numbers that are no position are likely to be.
fn range_advice(lon: f64, lat: f64) -> Option<(String, String)> {
    if lon.abs() > 360.0 || lat.abs() > 180.0 {
        return Some((
            "these look like metres or feet of a projection, not degrees".to_owned(),
            "export the file in WGS 84 (EPSG:4326), longitude and latitude in degrees".to_owned(),
        ));
    }
    if lat.abs() > 90.0 && lon.abs() <= 90.0 {
        return Some((
            "longitude and latitude look swapped".to_owned(),
            format!("GeoJSON writes longitude first: [{lat}, {lon}]"),
        ));
    }
    if lon.abs() > 180.0 && lat.abs() <= 90.0 {
        let wrapped = if lon > 0.0 { lon - 360.0 } else { lon + 360.0 };
        return Some((
            format!("longitude {lon} is not between -180 and 180 degrees"),
            format!("beyond the antimeridian count from the other side: [{wrapped}, {lat}]"),
        ));
    }
    None
}

/// Why a text that is JSON is no geometry: the first place where it departs from RFC 7946.
fn diagnose(text: &str, path: &Path, error: &serde_json::Error) -> Problem {
    let general = || {
        Problem::error(
            path.clone(),
            format!("this is no GeoJSON geometry: {}", bare(error)),
            "write it as RFC 7946, section 3.1, has it",
        )
    };
    match serde_json::from_str::<Value>(text) {
        Ok(value) => diagnose_value(&value, path).unwrap_or_else(general),
        Err(_) => general(),
    }
}

fn diagnose_value(value: &Value, path: &Path) -> Option<Problem> {
    let Value::Object(object) = value else {
        let mend = "write a geometry object with \"type\" and \"coordinates\"";
        return Some(Problem::error(path.clone(), "the geometry is no object", mend).value(value));
    };
    let name = object.get("type").and_then(Value::as_str);
    let depth = match name {
        Some("Point") => 0,
        Some("MultiPoint" | "LineString") => 1,
        Some("MultiLineString" | "Polygon") => 2,
        Some("MultiPolygon") => 3,
        Some("GeometryCollection") => {
            let Some(Value::Array(parts)) = object.get("geometries") else {
                let mend = "list the geometries, or use one of the other types";
                return Some(Problem::error(path.clone(), "the collection has no \"geometries\"", mend));
            };
            let at = path.clone().key("geometries");
            return parts.iter().enumerate().find_map(|(i, part)| diagnose_value(part, &at.clone().index(i)));
        }
        _ => {
            let problem = Problem::error(
                path.clone().key("type"),
                "this is no type of geometry",
                "use Point, LineString, Polygon, or one of their Multi forms",
            );
            return Some(problem.value(object.get("type").unwrap_or(&Value::Null)));
        }
    };
    match object.get("coordinates") {
        None => Some(Problem::error(path.clone(), "the geometry has no \"coordinates\"", "give it coordinates")),
        Some(coordinates) => diagnose_coordinates(coordinates, depth, path.clone().key("coordinates")),
    }
}

fn diagnose_coordinates(value: &Value, depth: usize, path: Path) -> Option<Problem> {
    let Value::Array(parts) = value else {
        let what = if depth == 0 { "a position" } else { "a list of positions" };
        let mend = format!("write {what} here, as [longitude, latitude] in degrees");
        return Some(Problem::error(path, format!("this is not {what}"), mend).value(value));
    };
    if depth > 0 {
        if parts.is_empty() {
            return Some(empty(path));
        }
        return parts
            .iter()
            .enumerate()
            .find_map(|(i, part)| diagnose_coordinates(part, depth - 1, path.clone().index(i)));
    }
    let mend = "write [longitude, latitude] in degrees";
    if parts.len() < 2 {
        return Some(Problem::error(path, "a position has fewer than two numbers", mend).value(value));
    }
    let (i, part) = parts.iter().enumerate().find(|(_, part)| !part.is_number())?;
    Some(Problem::error(path.index(i), "this coordinate is not a number", mend).value(part))
}
