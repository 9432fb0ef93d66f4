//! The polygons of the water: parts that touch become one, and one that lies on another adds nothing.

use std::collections::BTreeMap;

use geo::Polygon;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use super::ZoneKind;
use super::map::{Feature, Shape};
use super::plane::{Rings, area_m2, intersection, to_polygon, to_rings, union};
use super::read::Read;
use super::report::{Problem, Report};
use crate::geo::{LocalFrame, Position, Region, near_lon_deg};

/// What a polygon may reach beyond the one it lies on, square metres.
const BEYOND_M2: f64 = 1.0;

/// Sets aside each polygon of the water that lies wholly on another: it adds no water, and is often meant as an island.
pub(super) fn drowned(read: &mut Vec<Read>, report: &mut Report<'_>) {
    let is_water = |r: &&Read| r.feature.kind == ZoneKind::Waterway;
    let count: usize = read.iter().filter(is_water).map(|r| r.feature.shape.polygons().len()).sum();
    if count < 2 {
        return;
    }
    let polygons: Vec<(usize, Rings)> = read
        .iter()
        .enumerate()
        .filter(|(_, r)| is_water(r))
        .flat_map(|(i, r)| r.feature.shape.polygons().into_iter().map(move |rings| (i, rings.clone())))
        .collect();
    let bounds: Vec<Bounds> = polygons.iter().filter_map(|(_, rings)| Bounds::of_rings(rings)).collect();
    let boxes = Boxes::of(&bounds);
    let mut under: Vec<usize> = Vec::new();
    for (j, bound) in bounds.iter().enumerate() {
        let frame = LocalFrame::at(bound.reference);
        let plane = |i: usize| to_polygon(&frame, &polygons[i].1);
        let own = plane(j);
        let own_m2 = area_m2(&own);
        let lies_on = |i: usize| {
            let other = plane(i);
            // Of two alike the second is one too many.
            let is_larger = area_m2(&other) > own_m2 || (area_m2(&other) == own_m2 && i < j);
            let holds_corners = || {
                let region = Region::new(std::slice::from_ref(&polygons[i].1));
                polygons[j].1.first().is_some_and(|outer| outer.iter().all(|&p| region.contains(p)))
            };
            i != j
                && is_larger
                && holds_corners()
                && own_m2 - intersection(&own, &other).iter().map(area_m2).sum::<f64>() < BEYOND_M2
        };
        let mut candidates: Vec<usize> = boxes.meeting(j).collect();
        candidates.sort_unstable();
        if candidates.into_iter().any(lies_on) {
            under.push(j);
        }
    }
    for &j in &under {
        let (i, at) = (polygons[j].0, &read[polygons[j].0].at);
        let number = j - polygons.partition_point(|(of, _)| *of < i);
        let geometry = at.path.clone().key("geometry");
        // One polygon of several is marked alone: the water that the others draw stays.
        let (path, reason) = match &read[i].feature.shape {
            Shape::Areas(all) if all.len() > 1 => (
                geometry.key("coordinates").index(number),
                "this one polygon of the waterway lies wholly on water drawn elsewhere in the file, so it adds none; it alone was set aside, the rest of the waterway is used",
            ),
            _ => (
                geometry,
                "this polygon of the water lies wholly on water drawn elsewhere in the file, so it adds none; it was set aside",
            ),
        };
        let mend = "if it is an island, make it a hole: add its ring to the waterway's polygon, as a second ring after the outer one (QGIS: Fill Ring, or Difference); else remove it";
        let problem = Problem::error(path, reason, mend);
        report.add(Some(at), problem.on(bounds[j].reference));
    }
    let mut touched: Vec<usize> = under.iter().map(|&j| polygons[j].0).collect();
    touched.dedup();
    for &i in touched.iter().rev() {
        let own = polygons.partition_point(|(of, _)| *of < i)..polygons.partition_point(|(of, _)| *of <= i);
        let left: Vec<Rings> = own.filter(|j| under.binary_search(j).is_err()).map(|j| polygons[j].1.clone()).collect();
        if left.is_empty() {
            read.remove(i);
        } else {
            let feature = &mut read[i].feature;
            feature.region = Some(Region::new(&left));
            feature.shape = Shape::Areas(left);
        }
    }
}

/// How far apart the boxes of parts of one water may lie, degrees: a river is often drawn in reaches between bridges.
const APART_MAX_DEG: f64 = 0.002;

/// Whether the waterway features that will be made one are several waters: those of another id are told apart before.
/// Parts are of one water where an id or a name says so, or where they lie close; reports it where they do not.
pub(super) fn are_several(read: &[Read], report: &mut Report<'_>) -> bool {
    let is_water = |r: &&Read| r.feature.kind == ZoneKind::Waterway;
    let named = read.iter().filter(is_water).find(|r| r.has_id).map(|r| &r.feature.id);
    let waters: Vec<(&Read, Bounds)> = read
        .iter()
        .filter(is_water)
        .filter(|r| !r.has_id || named == Some(&r.feature.id))
        .filter_map(|r| Some((r, Bounds::of(&r.feature.shape)?)))
        .collect();
    let bounds: Vec<Bounds> = waters.iter().map(|(_, bounds)| *bounds).collect();
    let boxes = Boxes::of(&bounds);
    // From the first water on everything that belongs to one already reached is reached.
    let mut water_of: Vec<Option<usize>> = vec![None; waters.len()];
    let mut by_word: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let words = |i: usize| {
        let feature = &waters[i].0.feature;
        let id = waters[i].0.has_id.then_some(&*feature.id);
        id.into_iter().chain(feature.name.as_deref())
    };
    for i in 0..waters.len() {
        words(i).for_each(|word| by_word.entry(word).or_default().push(i));
    }
    let mut count = 0;
    for start in 0..waters.len() {
        if water_of[start].is_some() {
            continue;
        }
        let mut open = vec![start];
        while let Some(i) = open.pop() {
            if water_of[i].replace(count).is_none() {
                let said = words(i).flat_map(|word| by_word.remove(word).unwrap_or_default());
                open.extend(said.chain(boxes.near(i, APART_MAX_DEG)).collect::<Vec<_>>());
            }
        }
        count += 1;
    }
    let Some(other) = water_of.iter().position(|&water| water == Some(1)) else { return false };
    let reason = format!(
        "{count} waters in the file, but a zone file holds one; this is the second, without an id or name that makes it part of the first and not beside it; the file was set aside"
    );
    let mend = "keep one water in the file (`buoyline import --where NAME=…` takes one of a layer); or, if they are parts of one, give them all the same id";
    let at = &waters[other].0.at;
    // Of the whole file, so no feature is named, only the place marked.
    report.add(None, Problem::error(at.path.clone(), reason, mend).on(bounds[other].reference));
    true
}

/// Where polygons of the water touch or overlap (a lake split at the antimeridian, or drawn in parts),
/// the edges between them are no shore: makes them one.
pub(super) fn unite(water: &mut Feature) {
    let polygons: Vec<Vec<Vec<Position>>> = water.shape.polygons().into_iter().cloned().collect();
    let bounds: Vec<Bounds> = polygons.iter().filter_map(|rings| Bounds::of_rings(rings)).collect();
    let boxes = Boxes::of(&bounds);
    let touching = (0..bounds.len()).any(|i| boxes.meeting(i).any(|j| j != i));
    let Some(frame) = bounds.first().filter(|_| touching).map(|b| LocalFrame::at(b.reference)) else { return };
    let parts: Vec<_> = polygons.iter().map(|rings| to_polygon(&frame, rings)).collect();
    let union = union(&parts);
    let area = |polygons: &[Polygon<f64>]| polygons.iter().map(area_m2).sum::<f64>();
    // Where they only lie close, they stay as drawn, to the last digit.
    if union.len() != parts.len() || area(&parts) - area(&union) > 1.0 {
        let united: Vec<_> = union.iter().filter_map(|p| to_rings(&frame, p)).collect();
        water.region = Some(Region::new(&united));
        water.shape = Shape::Areas(united);
    }
}

/// The box of positions, longitudes near that of the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub reference: Position,
    west: f64,
    south: f64,
    east: f64,
    north: f64,
}

impl Bounds {
    pub(super) fn of(shape: &Shape) -> Option<Self> {
        let mut bounds: Option<Self> = None;
        shape.each_edge(&mut |a, b| {
            for p in [a, b] {
                bounds.get_or_insert_with(|| Self::at(p)).add(p);
            }
        });
        bounds
    }

    fn of_rings(rings: &[Vec<Position>]) -> Option<Self> {
        let mut bounds = Self::at(*rings.first()?.first()?);
        rings.iter().flatten().for_each(|&p| bounds.add(p));
        Some(bounds)
    }

    fn at(p: Position) -> Self {
        let (lon, lat) = (p.lon_deg(), p.lat_deg());
        Self { reference: p, west: lon, south: lat, east: lon, north: lat }
    }

    fn add(&mut self, p: Position) {
        let lon = near_lon_deg(p.lon_deg(), self.reference.lon_deg());
        self.west = self.west.min(lon);
        self.east = self.east.max(lon);
        self.south = self.south.min(p.lat_deg());
        self.north = self.north.max(p.lat_deg());
    }

    /// Whether the position lies in the box or less than its own size, and a tenth of a degree, beside it.
    pub(super) fn is_near(&self, p: Position) -> bool {
        let (width, height) = (self.east - self.west + 0.1, self.north - self.south + 0.1);
        let lon = near_lon_deg(p.lon_deg(), self.reference.lon_deg());
        (self.west - width..=self.east + width).contains(&lon)
            && (self.south - height..=self.north + height).contains(&p.lat_deg())
    }

    /// The box, longitudes near those of `reference`.
    fn envelope(&self, reference: Position) -> AABB<[f64; 2]> {
        let shift = near_lon_deg(self.reference.lon_deg(), reference.lon_deg()) - self.reference.lon_deg();
        AABB::from_corners([self.west + shift, self.south], [self.east + shift, self.north])
    }
}

/// Boxes by place.
struct Boxes {
    envelopes: Vec<AABB<[f64; 2]>>,
    tree: RTree<GeomWithData<Rectangle<[f64; 2]>, usize>>,
}

impl Boxes {
    fn of(bounds: &[Bounds]) -> Self {
        let reference = bounds.first().map(|b| b.reference);
        let envelopes: Vec<_> = bounds.iter().filter_map(|b| Some(b.envelope(reference?))).collect();
        let entry = |(i, envelope): (usize, &AABB<[f64; 2]>)| GeomWithData::new(Rectangle::from_aabb(*envelope), i);
        Self { tree: RTree::bulk_load(envelopes.iter().enumerate().map(entry).collect()), envelopes }
    }

    /// The boxes that come within so many degrees of the one at `i`, itself among them.
    fn near(&self, i: usize, margin_deg: f64) -> impl Iterator<Item = usize> {
        let (low, high) = (self.envelopes[i].lower(), self.envelopes[i].upper());
        let grown = AABB::from_corners(low.map(|x| x - margin_deg), high.map(|x| x + margin_deg));
        self.tree.locate_in_envelope_intersecting(grown).map(|entry| entry.data)
    }

    /// The boxes that meet the one at `i`, itself among them.
    fn meeting(&self, i: usize) -> impl Iterator<Item = usize> {
        self.tree.locate_in_envelope_intersecting(self.envelopes[i]).map(|entry| entry.data)
    }
}
