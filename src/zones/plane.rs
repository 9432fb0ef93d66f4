//! Polygons in the plane of a [`LocalFrame`], for the few steps that need polygon overlay.
//!
//! The frame is affine, so edges that are straight in longitude and latitude stay straight. The overlay
//! snaps to a grid of about a billionth of the extent: a tenth of a millimetre on a lake of 100 km.

use geo::{Area, BooleanOps, Coord, LineString, MultiPolygon, Polygon, unary_union};
use i_overlay::core::fill_rule::FillRule;
use i_overlay::float::slice::FloatSlice;

use crate::geo::{LocalFrame, Position, Vec2};

/// A list of rings, the outer one first.
pub(super) type Rings = Vec<Vec<Position>>;

/// Parts smaller than this are rounding, square metres.
const SLIVER_M2: f64 = 0.01;

/// A polygon in the plane of a frame.
pub(super) fn to_polygon(frame: &LocalFrame, rings: &[Vec<Position>]) -> Polygon<f64> {
    let mut lines = rings.iter().map(|ring| line(ring.iter().map(|&p| frame.to_plane(p))));
    Polygon::new(lines.next().unwrap_or_else(|| LineString::new(Vec::new())), lines.collect())
}

fn line(points: impl Iterator<Item = Vec2>) -> LineString<f64> {
    LineString::new(points.map(|v| Coord { x: v.east_m, y: v.north_m }).collect())
}

/// A polygon of the plane in degrees, as closed rings; `None` where it leaves the range of latitudes.
pub(super) fn to_rings(frame: &LocalFrame, polygon: &Polygon<f64>) -> Option<Rings> {
    let ring =
        |l: &LineString<f64>| l.0.iter().map(|c| frame.to_position(Vec2::new(c.x, c.y))).collect::<Option<Vec<_>>>();
    std::iter::once(polygon.exterior()).chain(polygon.interiors()).map(ring).collect()
}

/// The union of polygons.
pub(super) fn union(polygons: &[Polygon<f64>]) -> Vec<Polygon<f64>> {
    unary_union(polygons).0
}

/// What two polygons share.
pub(super) fn intersection(a: &Polygon<f64>, b: &Polygon<f64>) -> Vec<Polygon<f64>> {
    a.intersection(b).0
}

/// What two sets of polygons share.
pub(super) fn shared(a: &[Polygon<f64>], b: &[Polygon<f64>]) -> Vec<Polygon<f64>> {
    MultiPolygon::new(a.to_vec()).intersection(&MultiPolygon::new(b.to_vec())).0
}

/// The parts into which `cut` divides a polygon, largest first.
pub(super) fn divide(polygon: &Polygon<f64>, cut: &[Vec2]) -> Vec<Polygon<f64>> {
    let contour = |l: &LineString<f64>| -> Vec<[f64; 2]> { l.0.iter().skip(1).map(|c| [c.x, c.y]).collect() };
    let shape: Vec<Vec<[f64; 2]>> =
        std::iter::once(polygon.exterior()).chain(polygon.interiors()).map(contour).collect();
    let cut: Vec<[f64; 2]> = cut.iter().map(|v| [v.east_m, v.north_m]).collect();
    let closed = |contour: Vec<[f64; 2]>| {
        let mut line = LineString::new(contour.into_iter().map(|[x, y]| Coord { x, y }).collect());
        line.close();
        line
    };
    let parts = shape.slice_by(&cut, FillRule::EvenOdd).into_iter().filter_map(|part| {
        let mut contours = part.into_iter().map(closed);
        Some(Polygon::new(contours.next()?, contours.collect()))
    });
    largest_first(parts.collect())
}

/// The parts of a polygon inside and outside a closed ring, each largest first.
pub(super) fn divide_by_ring(polygon: &Polygon<f64>, ring: &[Vec2]) -> [Vec<Polygon<f64>>; 2] {
    let ring = Polygon::new(line(ring.iter().copied()), Vec::new());
    let parts = |parts: MultiPolygon<f64>| largest_first(parts.0);
    [parts(polygon.intersection(&ring)), parts(polygon.difference(&ring))]
}

/// Area in square metres.
pub(super) fn area_m2(polygon: &Polygon<f64>) -> f64 {
    polygon.unsigned_area()
}

fn largest_first(mut parts: Vec<Polygon<f64>>) -> Vec<Polygon<f64>> {
    parts.retain(|p| area_m2(p) > SLIVER_M2);
    let first = |p: &Polygon<f64>| p.exterior().0.first().map_or((0.0, 0.0), |c| (c.x, c.y));
    parts.sort_by(|p, q| {
        let (a, b) = (first(p), first(q));
        area_m2(q).total_cmp(&area_m2(p)).then(a.0.total_cmp(&b.0)).then(a.1.total_cmp(&b.1))
    });
    parts
}
