//! The water between a buoy line and its shore (SMC 10.14.200).
//!
//! An open line is joined to the nearest points of the water's edge; of the parts into which it divides the
//! water the largest is open water and every other is inshore. A closed ring divides the water by itself:
//! inshore is the side on which its nearest shore lies.

use std::collections::BTreeSet;
use std::sync::Arc;

use geo::Polygon;

use super::ZoneKind;
use super::buoy_line::{BuoyLine, LineSource, rim_of};
use super::index::measure;
use super::map::{Edge, Feature, FeatureIx, Shape, Validity, Waterway};
use super::place::Path;
use super::plane::{area_m2, divide, divide_by_ring, to_polygon, to_rings};
use super::report::{At, Problem, Report};
use crate::geo::{LocalFrame, Position, Region, Vec2};

/// How far a cut is drawn beyond the water's edge, so that rounding cannot leave a gap, metres.
const BEYOND_M: f64 = 0.05;
/// An end this near the water's edge lies on it, metres.
const ON_EDGE_M: f64 = 0.01;
/// Farthest shore that a line is joined to, metres.
const SHORE_MAX_M: f64 = 50_000.0;

/// Derives the inshore area of every buoy line, as features behind the drawn ones.
pub(super) fn derive(waterway: &mut Waterway, places: &[At], report: &mut Report<'_>) {
    let mut lines = std::mem::take(&mut waterway.buoy_lines);
    let mut cut_edges = Vec::new();
    for line in &mut lines {
        let parts = if line.is_closed { ring_parts(waterway, line) } else { open_parts(waterway, line) };
        if parts.areas.is_empty() {
            report_nothing(line, places, report);
            continue;
        }
        if parts.share > 0.5 {
            report_large(line, parts.share, places, report);
        }
        let ix = FeatureIx(waterway.features.len() as u32);
        let pieces = line.positions.windows(2).map(|w| [w[0], w[1]]).chain(line.joins.iter().copied());
        cut_edges.extend(pieces.map(|[a, b]| Edge { a, b, feature: ix, kind: ZoneKind::InshoreArea }));
        line.inshore = Some(ix);
        let id = free_id(&waterway.features, &line.id);
        let validity = validity_of(waterway, line);
        waterway.features.push(Feature { validity, ..inshore_feature(id, parts.areas) });
    }
    waterway.index.add(cut_edges, Vec::new());
    waterway.buoy_lines = lines;
}

/// When a line is there, and so the area behind it: a drawn one as it says itself; one of buoys as they all say, where they
/// say the same. Where some are there longer than others, the line stands for its place all along.
fn validity_of(waterway: &Waterway, line: &BuoyLine) -> Validity {
    if let LineSource::Drawn(ix) = line.source {
        return waterway.feature(ix).validity;
    }
    let mut all = line.buoys.iter().map(|(ix, _)| &waterway.feature(*ix).validity);
    let first = all.next().filter(|first| all.all(|other| other == *first));
    first.copied().unwrap_or_default()
}

fn inshore_feature(id: Arc<str>, areas: Vec<Vec<Vec<Position>>>) -> Feature {
    let region = Some(Region::new(&areas));
    Feature { region, ..Feature::new(id, ZoneKind::InshoreArea, Shape::Areas(areas)) }
}

/// `inshore-` and the line's id, with a number where that is taken.
fn free_id(features: &[Feature], line: &str) -> Arc<str> {
    let taken: BTreeSet<&str> = features.iter().map(|f| &*f.id).collect();
    let base = format!("inshore-{line}");
    let numbered = (2_u32..).map(|n| format!("{base}-{n}"));
    std::iter::once(base.clone()).chain(numbered).find(|id| !taken.contains(id.as_str())).unwrap_or(base).into()
}

/// The inshore parts of a line, and their share of the water that it touches.
struct Parts {
    areas: Vec<Vec<Vec<Position>>>,
    share: f64,
}

impl Parts {
    fn new(frame: &LocalFrame, inshore: &[Polygon<f64>], touched_m2: f64) -> Self {
        let inshore_m2: f64 = inshore.iter().map(area_m2).sum();
        let areas = inshore.iter().filter_map(|p| to_rings(frame, p)).collect();
        Self { areas, share: if touched_m2 > 0.0 { inshore_m2 / touched_m2 } else { 0.0 } }
    }
}

/// Joins the ends of an open line to the shore and takes every part of the water it divides but the largest.
fn open_parts(waterway: &Waterway, line: &mut BuoyLine) -> Parts {
    let (Some(&first), Some(&last)) = (line.positions.first(), line.positions.last()) else {
        return Parts { areas: Vec::new(), share: 0.0 };
    };
    let frame = LocalFrame::at(first);
    let mut cut: Vec<Vec2> = Vec::new();
    for (end, is_first) in [(first, true), (last, false)] {
        let reach = reach_shore(waterway, end);
        if let Some(shore) = reach.join {
            line.joins.push([end, shore]);
        }
        // From beyond the shore to the line's end, or the other way round.
        let mut outward: Vec<Vec2> = reach.join.into_iter().chain(reach.beyond).map(|p| frame.to_plane(p)).collect();
        if is_first {
            outward.reverse();
            cut.append(&mut outward);
            cut.extend(line.positions.iter().map(|&p| frame.to_plane(p)));
        } else {
            cut.append(&mut outward);
        }
    }
    let (mut inshore, mut touched_m2) = (Vec::new(), 0.0);
    for polygon in touched(waterway, &frame, &cut) {
        let parts = divide(&polygon, &cut);
        if parts.len() > 1 {
            touched_m2 += area_m2(&polygon);
            inshore.extend(parts.into_iter().skip(1));
        }
    }
    Parts::new(&frame, &inshore, touched_m2)
}

/// How an end of a line gets to the shore.
struct Reach {
    /// The nearest point of the shore, unless the end lies on it or ashore.
    join: Option<Position>,
    /// A point just beyond the shore, unless the end lies there itself.
    beyond: Option<Position>,
}

fn reach_shore(waterway: &Waterway, end: Position) -> Reach {
    let Some(shore) = waterway.nearest(end, rim_of(waterway), SHORE_MAX_M) else {
        return Reach { join: None, beyond: None };
    };
    let frame = LocalFrame::at(shore.point);
    let on_edge = shore.distance_m <= ON_EDGE_M;
    if !on_edge && !waterway.contains(end) {
        return Reach { join: None, beyond: None };
    }
    let edge = frame.to_plane(shore.edge.b) - frame.to_plane(shore.edge.a);
    let outward = Vec2::default() - frame.to_plane(end);
    // Straight on from the end; where that is no direction or leads into water, the first that leads ashore.
    let normal = Vec2::new(edge.north_m, -edge.east_m);
    let start = if on_edge { normal } else { outward };
    let directions = (0..8).map(|k| turned(start, f64::from(k) * std::f64::consts::FRAC_PI_4));
    let mut points = directions.filter(|d| d.norm() > 0.0).filter_map(|d| frame.to_position(d * (BEYOND_M / d.norm())));
    let beyond = points.find(|&p| !waterway.contains(p));
    Reach { join: (!on_edge).then_some(shore.point), beyond }
}

fn turned(v: Vec2, angle_rad: f64) -> Vec2 {
    let (sin, cos) = libm::sincos(angle_rad);
    Vec2::new(v.east_m * cos - v.north_m * sin, v.east_m * sin + v.north_m * cos)
}

/// The side of a ring on which its nearest shore lies.
fn ring_parts(waterway: &Waterway, line: &BuoyLine) -> Parts {
    let frame = LocalFrame::at(line.positions[0]);
    let ring: Vec<Vec2> = line.positions.iter().map(|&p| frame.to_plane(p)).collect();
    let inside = Region::new(&[vec![line.positions.clone()]]);
    let shore_is_inside = nearest_shore(waterway, &line.positions).is_some_and(|shore| inside.contains(shore));
    let (mut inshore, mut touched_m2) = (Vec::new(), 0.0);
    for polygon in touched(waterway, &frame, &ring) {
        let [within, without] = divide_by_ring(&polygon, &ring);
        if !within.is_empty() && !without.is_empty() {
            touched_m2 += area_m2(&polygon);
            inshore.extend(if shore_is_inside { within } else { without });
        }
    }
    Parts::new(&frame, &inshore, touched_m2)
}

/// The point of the shore that is nearest to a ring; where the ring crosses the shore, nearest to a buoy of it.
fn nearest_shore(waterway: &Waterway, ring: &[Position]) -> Option<Position> {
    let kinds = rim_of(waterway);
    let from_buoys = ring.iter().filter_map(|&p| waterway.nearest(p, kinds, SHORE_MAX_M));
    let best = from_buoys.min_by(|a, b| a.distance_m.total_cmp(&b.distance_m))?;
    // A corner of the shore may be nearer to a link than to the buoys at its ends.
    let (mut best_m, mut best_at) = (best.distance_m, best.point);
    for link in ring.windows(2) {
        waterway.edges_of_kind_near(link[0], link[1], best_m, kinds, &mut |edge| {
            for corner in [edge.a, edge.b] {
                let frame = LocalFrame::at(corner);
                let (distance_m, _) = measure(&frame, link[0], link[1]);
                if distance_m < best_m {
                    (best_m, best_at) = (distance_m, corner);
                }
            }
        });
    }
    Some(best_at)
}

/// The polygons of the water whose box meets that of the cut.
fn touched(waterway: &Waterway, frame: &LocalFrame, cut: &[Vec2]) -> Vec<Polygon<f64>> {
    let span = |points: &mut dyn Iterator<Item = Vec2>| {
        let start = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        points.fold(start, |[w, s, e, n], v| [w.min(v.east_m), s.min(v.north_m), e.max(v.east_m), n.max(v.north_m)])
    };
    let [w, s, e, n] = span(&mut cut.iter().copied());
    let meets = |rings: &Vec<Vec<Position>>| {
        let outer = rings.first().map_or(&[][..], Vec::as_slice);
        let [w2, s2, e2, n2] = span(&mut outer.iter().map(|&p| frame.to_plane(p)));
        w2 <= e && w <= e2 && s2 <= n && s <= n2
    };
    waterway.water().shape.polygons().into_iter().filter(|r| meets(r)).map(|r| to_polygon(frame, r)).collect()
}

/// The feature that a fault of a line is about.
fn place_of<'p>(line: &BuoyLine, places: &'p [At]) -> Option<&'p At> {
    let ix = match line.source {
        LineSource::Drawn(ix) => ix,
        LineSource::Ordered | LineSource::Joined => line.buoys.first()?.0,
    };
    places.get(ix.0 as usize)
}

fn report_nothing(line: &BuoyLine, places: &[At], report: &mut Report<'_>) {
    let place = place_of(line, places);
    let path = place.map_or_else(Path::default, |at| at.path.clone());
    let reason = format!("line {:?} cuts no water off, so there is no inshore area", &*line.id);
    let mend = "its ends, joined to the nearest shore, should divide the water; check that it lies on this water";
    report.add(place, Problem::warning(path, reason, mend));
}

fn report_large(line: &BuoyLine, share: f64, places: &[At], report: &mut Report<'_>) {
    let place = place_of(line, places);
    let path = place.map_or_else(Path::default, |at| at.path.clone());
    let percent = (share * 100.0).round();
    let reason = format!("the inshore area of line {:?} is {percent} % of the water", &*line.id);
    let mend = "check with --explain that this is meant; draw a buoy_line where another side is the shore's";
    report.add(place, Problem::warning(path, reason, mend));
}
