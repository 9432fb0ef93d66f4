//! A map as drawn, beside what was made of it: what lints look at.

use geojson::GeometryValue;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::map::{Feature, Waterway};
use super::super::place::Path;
use super::super::report::At;
use super::super::{MapLaw, ZoneKind};
use crate::geo::Position;

/// One file's map.
pub(in super::super) struct Chart<'c> {
    /// What was made of it.
    pub waterway: &'c Waterway,
    /// Where the waterway's features stand in the file; derived ones stand nowhere.
    pub places: &'c [At],
    /// The features as drawn, in the order of the file.
    pub sheets: Vec<Sheet<'c>>,
    /// What the boating code asks of it.
    pub law: &'c MapLaw,
}

/// A feature as drawn.
pub(in super::super) struct Sheet<'c> {
    pub at: &'c At,
    pub kind: ZoneKind,
    /// Whether the file gives the id.
    pub has_id: bool,
    /// The geometry's text.
    pub text: &'c str,
    /// Its lines, rings and points.
    pub parts: Vec<Part>,
    /// Whether a position has a third number.
    pub has_elevation: bool,
    /// Whether it is a GeometryCollection.
    pub is_collection: bool,
}

/// What a part of a geometry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum PartKind {
    /// One point, or several.
    Points,
    Line,
    /// A polygon's outer ring, or an island of it.
    Ring {
        is_hole: bool,
    },
}

/// A line, a ring or points of a feature.
pub(in super::super) struct Part {
    pub path: Path,
    pub kind: PartKind,
    pub positions: Vec<Position>,
}

impl Part {
    /// The path to one of its positions.
    pub(super) fn at(&self, i: usize) -> Path {
        self.path.clone().index(i)
    }

    pub(super) fn is_ring(&self) -> bool {
        matches!(self.kind, PartKind::Ring { .. })
    }

    /// Its edges, each with the place of its first position.
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, Position, Position)> {
        let pairs = if self.kind == PartKind::Points { &[] } else { self.positions.as_slice() };
        pairs.windows(2).enumerate().map(|(i, w)| (i, w[0], w[1]))
    }
}

#[derive(Deserialize)]
struct RawFeature<'t> {
    #[serde(borrow)]
    geometry: Option<&'t RawValue>,
}

impl<'c> Sheet<'c> {
    /// The feature of a file's text that stands at `at`; `None` where there is none.
    pub(in super::super) fn read(file: &'c str, at: &'c At, kind: ZoneKind, has_id: bool) -> Option<Self> {
        let text = file.get(at.start..)?;
        let feature = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>().next()?.ok()?.get();
        let raw: RawFeature<'c> = serde_json::from_str(feature).ok()?;
        // A bare geometry is the whole file.
        let (text, path) = match raw.geometry {
            Some(geometry) => (geometry.get(), at.path.clone().key("geometry")),
            None => (feature, at.path.clone()),
        };
        let geometry: geojson::Geometry = serde_json::from_str(text).ok()?;
        let is_collection = matches!(geometry.value, GeometryValue::GeometryCollection { .. });
        let mut sheet = Self { at, kind, has_id, text, parts: Vec::new(), has_elevation: false, is_collection };
        sheet.add(&geometry.value, &path);
        Some(sheet)
    }

    fn add(&mut self, value: &GeometryValue, path: &Path) {
        use PartKind::{Line, Points};
        let at = path.clone().key("coordinates");
        match value {
            GeometryValue::Point { coordinates } => self.part(at, Points, std::slice::from_ref(coordinates)),
            GeometryValue::MultiPoint { coordinates } => self.part(at, Points, coordinates),
            GeometryValue::LineString { coordinates } => self.part(at, Line, coordinates),
            GeometryValue::MultiLineString { coordinates } => {
                coordinates.iter().enumerate().for_each(|(i, line)| self.part(at.clone().index(i), Line, line));
            }
            GeometryValue::Polygon { coordinates } => self.polygon(&at, coordinates),
            GeometryValue::MultiPolygon { coordinates } => {
                coordinates.iter().enumerate().for_each(|(i, rings)| self.polygon(&at.clone().index(i), rings));
            }
            GeometryValue::GeometryCollection { geometries } => {
                let at = path.clone().key("geometries");
                geometries.iter().enumerate().for_each(|(i, part)| self.add(&part.value, &at.clone().index(i)));
            }
        }
    }

    fn polygon(&mut self, at: &Path, rings: &[Vec<geojson::Position>]) {
        for (i, ring) in rings.iter().enumerate() {
            self.part(at.clone().index(i), PartKind::Ring { is_hole: i > 0 }, ring);
        }
    }

    fn part(&mut self, path: Path, kind: PartKind, coordinates: &[geojson::Position]) {
        self.has_elevation |= coordinates.iter().any(|c| c.as_slice().len() > 2);
        let position = |c: &geojson::Position| match c.as_slice() {
            &[lon, lat, ..] => Position::from_geojson([lon, lat]).ok(),
            _ => None,
        };
        let positions = coordinates.iter().filter_map(position).collect();
        self.parts.push(Part { path, kind, positions });
    }

    /// How many positions it has.
    pub(super) fn position_count(&self) -> usize {
        self.parts.iter().map(|part| part.positions.len()).sum()
    }
}

impl Chart<'_> {
    /// The features of the waterway that are drawn, each with where it stands.
    pub(super) fn drawn(&self) -> impl Iterator<Item = (&Feature, &At)> {
        self.waterway.features.iter().zip(self.places)
    }

    /// The features as drawn of some kinds.
    pub(super) fn sheets_of(&self, kinds: &[ZoneKind]) -> impl Iterator<Item = &Sheet<'_>> {
        self.sheets.iter().filter(move |sheet| kinds.contains(&sheet.kind))
    }

    /// The parts that are the waterline: shoreline features, where there are any, else the edges of the water.
    pub(super) fn shores(&self) -> impl Iterator<Item = (&Sheet<'_>, &Part)> {
        let has_shoreline = self.sheets.iter().any(|sheet| sheet.kind == ZoneKind::Shoreline);
        let kind = if has_shoreline { ZoneKind::Shoreline } else { ZoneKind::Waterway };
        self.sheets.iter().filter(move |sheet| sheet.kind == kind).flat_map(|s| s.parts.iter().map(move |p| (s, p)))
    }
}
