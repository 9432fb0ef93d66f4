//! What was derived from a waterway's map, as GeoJSON to look at: lines, joins, inshore areas, and which way ski
//! traffic goes, as a field of arrows.

use geojson::{Feature, FeatureCollection, Geometry, GeometryValue, JsonObject};

use super::map::{FeatureIx, Validity, Waterway};
use super::plane::{area_m2, to_polygon};
use super::{LineSource, Travel, TravelTerms, ZoneKind};
use crate::geo::{LocalFrame, Position, Vec2};

/// About how many arrows a waterway gets.
const ARROWS: f64 = 1500.0;
/// Arrows are no nearer to each other than this, metres.
const SPACING_MIN_M: f64 = 20.0;

impl Waterway {
    /// The buoy lines, their joins to the shore and the inshore areas they cut off, and with `travel` the
    /// direction of ski traffic; `properties.role` says which is which.
    pub fn explain(&self, travel: Option<&TravelTerms>) -> FeatureCollection {
        let mut features = Vec::new();
        for line in &self.buoy_lines {
            let source = match line.source {
                LineSource::Drawn(_) => "drawn",
                LineSource::Ordered => "ordered",
                LineSource::Joined => "joined",
            };
            let buoys: Vec<&str> = line.buoys.iter().map(|&(ix, _)| &*self.feature(ix).id).collect();
            let mut properties = properties("buoy_line", &line.id);
            properties.insert("source".to_owned(), source.into());
            properties.insert("closed".to_owned(), line.is_closed.into());
            properties.insert("buoys".to_owned(), buoys.into());
            features.push(feature(line_string(&line.positions), properties));
            features
                .extend(line.joins.iter().map(|join| feature(line_string(join), self::properties("join", &line.id))));
        }
        for area in self.features.iter().filter(|f| f.kind == ZoneKind::InshoreArea) {
            let polygons =
                area.shape.polygons().into_iter().map(|rings| rings.iter().map(|r| coordinates(r)).collect::<Vec<_>>());
            features.push(feature(GeometryValue::new_multi_polygon(polygons), properties("inshore_area", &area.id)));
        }
        if let Some(terms) = travel {
            self.explain_travel(terms, &mut features);
        }
        FeatureCollection { bbox: None, features, foreign_members: None }
    }

    /// An arrow in the direction of travel at every place of a grid (`role` `direction`, `course_deg`), with how much
    /// the places around agree with each other (`agreement`, 0 to 1: little beside a ragged shore), and the water
    /// on which the shore gives no direction (`mid_water`).
    fn explain_travel(&self, terms: &TravelTerms, features: &mut Vec<Feature>) {
        let Some(grid) = Grid::over(self) else { return };
        let lines = self.circulation_lines();
        for &ix in &lines {
            let line = self.feature(ix);
            let mut properties = properties("circulation", &line.id);
            say_when(line.validity, &mut properties);
            let mut edges = Vec::new();
            line.shape.each_edge(&mut |a, b| edges.push(coordinates(&[a, b])));
            features.push(feature(GeometryValue::new_multi_line_string(edges), properties));
        }
        let (always, dated): (Vec<_>, Vec<_>) =
            lines.into_iter().partition(|&ix| self.feature(ix).validity == Validity::Always);
        self.explain_field(&grid, terms, &always, Validity::Always, features);
        let mut times: Vec<Validity> = Vec::new();
        for validity in dated.iter().map(|&ix| self.feature(ix).validity) {
            if !times.contains(&validity) {
                times.push(validity);
            }
        }
        for time in times {
            let then = dated.iter().copied().filter(|&ix| self.feature(ix).validity == time);
            let lines: Vec<FeatureIx> = always.iter().copied().chain(then).collect();
            self.explain_field(&grid, terms, &lines, time, features);
        }
    }

    /// The field by some circulation lines, or without any by the shore, with when these are in force; one that holds
    /// always is that of all other times.
    fn explain_field(
        &self,
        grid: &Grid<'_>,
        terms: &TravelTerms,
        lines: &[FeatureIx],
        time: Validity,
        features: &mut Vec<Feature>,
    ) {
        let by = if lines.is_empty() { "shore" } else { "circulation" };
        grid.each(1.0, |place, _, _| {
            let Some(Travel::Toward(way)) = self.travel_at(place, terms, lines) else { return };
            let around = self.travel_around(place, 0.5 * grid.spacing_m, terms, lines);
            let Some(arrow) = arrow(place, way, 0.7 * grid.spacing_m) else { return };
            let mut properties = properties("direction", self.id.as_str());
            properties.insert("course_deg".to_owned(), rounded(way.bearing_deg().unwrap_or(0.0), 1).into());
            properties.insert("agreement".to_owned(), rounded(around.agreement(), 2).into());
            properties.insert("by".to_owned(), by.into());
            say_when(time, &mut properties);
            features.push(feature(GeometryValue::new_multi_line_string(arrow), properties));
        });
        let mid_water = grid.cells_where(|place| self.is_mid_water(place, terms, lines));
        if !mid_water.is_empty() {
            let properties = properties("mid_water", self.id.as_str());
            features.push(feature(GeometryValue::new_multi_polygon(mid_water), properties));
        }
    }

    fn is_mid_water(&self, p: Position, terms: &TravelTerms, lines: &[FeatureIx]) -> bool {
        self.travel_at(p, terms, lines) == Some(Travel::MidWater)
    }
}

/// Says when something is in force, in the words of the map; nothing of what always is.
fn say_when(time: Validity, properties: &mut JsonObject) {
    let day = |(month, day): (u8, u8)| format!("{month:02}-{day:02}");
    let (from, until) = match time {
        Validity::Always => (None, None),
        Validity::Between(from, until) => (from.map(|t| t.to_string()), until.map(|t| t.to_string())),
        Validity::EveryYear(from, until) => (Some(day(from)), Some(day(until))),
    };
    for (key, text) in [("valid_from", from), ("valid_until", until)] {
        if let Some(text) = text {
            properties.insert(key.to_owned(), text.into());
        }
    }
}

/// Places at even distances over the box of a waterway.
struct Grid<'w> {
    waterway: &'w Waterway,
    frame: LocalFrame,
    south_west: Vec2,
    north_east: Vec2,
    spacing_m: f64,
}

impl<'w> Grid<'w> {
    fn over(waterway: &'w Waterway) -> Option<Self> {
        let shape = &waterway.water().shape;
        let mut frame = None;
        let (mut south_west, mut north_east) = (Vec2::default(), Vec2::default());
        shape.each_edge(&mut |a, _| {
            let at = frame.get_or_insert_with(|| LocalFrame::at(a)).to_plane(a);
            south_west = Vec2::new(south_west.east_m.min(at.east_m), south_west.north_m.min(at.north_m));
            north_east = Vec2::new(north_east.east_m.max(at.east_m), north_east.north_m.max(at.north_m));
        });
        let frame = frame?;
        let area_m2: f64 = shape.polygons().into_iter().map(|rings| area_m2(&to_polygon(&frame, rings))).sum();
        let spacing_m = (area_m2 / ARROWS).sqrt().max(SPACING_MIN_M);
        Some(Self { waterway, frame, south_west, north_east, spacing_m })
    }

    /// Calls `f` with every place on the water, `share` of the spacing apart, its row and its column.
    fn each(&self, share: f64, mut f: impl FnMut(Position, u32, u32)) {
        let step_m = share * self.spacing_m;
        let count = |from: f64, to: f64| ((to - from) / step_m).ceil() as u32;
        for row in 0..count(self.south_west.north_m, self.north_east.north_m) {
            for column in 0..count(self.south_west.east_m, self.north_east.east_m) {
                let at = self.corner(row, column, step_m) + Vec2::new(0.5, 0.5) * step_m;
                if let Some(place) = self.frame.to_position(at).filter(|&place| self.waterway.contains(place)) {
                    f(place, row, column);
                }
            }
        }
    }

    fn corner(&self, row: u32, column: u32, step_m: f64) -> Vec2 {
        self.south_west + Vec2::new(f64::from(column), f64::from(row)) * step_m
    }

    /// The cells, half as wide as the spacing, whose middle is such a place: rectangles along a row.
    fn cells_where(&self, is_such: impl Fn(Position) -> bool) -> Vec<Vec<Vec<[f64; 2]>>> {
        let step_m = 0.5 * self.spacing_m;
        // Row, first column, column after the last.
        let mut runs: Vec<(u32, u32, u32)> = Vec::new();
        self.each(0.5, |place, row, column| {
            if !is_such(place) {
                return;
            }
            match runs.last_mut() {
                Some(last) if last.0 == row && last.2 == column => last.2 += 1,
                _ => runs.push((row, column, column + 1)),
            }
        });
        let rectangle = |(row, from, to): (u32, u32, u32)| {
            [(row, from), (row, to), (row + 1, to), (row + 1, from), (row, from)]
                .into_iter()
                .map(|(row, column)| self.frame.to_position(self.corner(row, column, step_m)).map(to_seven_digits))
                .collect::<Option<Vec<_>>>()
                .map(|ring| vec![ring])
        };
        runs.into_iter().filter_map(rectangle).collect()
    }
}

/// An arrow through a place: its shaft, and its head.
fn arrow(place: Position, way: Vec2, length_m: f64) -> Option<Vec<Vec<[f64; 2]>>> {
    let frame = LocalFrame::at(place);
    let to = |v: Vec2| frame.to_position(v * length_m).map(to_seven_digits);
    let side = Vec2::new(-way.north_m, way.east_m);
    let tip = to(way * 0.5)?;
    Some(vec![vec![to(way * -0.5)?, tip], vec![to(way * 0.2 + side * 0.2)?, tip, to(way * 0.2 + side * -0.2)?]])
}

/// As GeoJSON has it, to the centimetre.
fn to_seven_digits(p: Position) -> [f64; 2] {
    p.to_geojson().map(|deg| rounded(deg, 7))
}

fn rounded(value: f64, digits: i32) -> f64 {
    let factor = 10_f64.powi(digits);
    (value * factor).round() / factor
}

fn properties(role: &str, id: &str) -> JsonObject {
    let mut properties = JsonObject::new();
    properties.insert("role".to_owned(), role.into());
    properties.insert("id".to_owned(), id.into());
    properties
}

fn feature(value: GeometryValue, properties: JsonObject) -> Feature {
    Feature { geometry: Some(Geometry::new(value)), properties: Some(properties), ..Feature::default() }
}

fn line_string(line: &[Position]) -> GeometryValue {
    GeometryValue::new_line_string(coordinates(line))
}

fn coordinates(line: &[Position]) -> Vec<[f64; 2]> {
    line.iter().map(|p| p.to_geojson()).collect()
}
