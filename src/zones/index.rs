//! Edges of one waterway by place: what lies near a path, and what lies nearest to a position.
//!
//! One tree of boxes, in degrees with longitudes scaled by one cosine so that near in the tree is nearly
//! near on the water. The tree only proposes: every distance is measured in the frame of the position
//! asked about. Longitudes are brought near the waterway's own, so it may lie across the antimeridian.

use smallvec::SmallVec;

use super::map::{Edge, Nearest};
use super::packed::{Child, Corners, FAN, PackedTree};
use super::{KindSet, ZoneKind};
use crate::geo::motion::{part_behind, point_edge};
use crate::geo::{LocalFrame, Position, Vec2, distance_m, near_lon_deg};

/// All edges of a waterway.
#[derive(Debug)]
pub(super) struct EdgeIndex {
    reference: Position,
    /// The cosine that scales longitudes.
    lon_scale: f64,
    /// That of what is drawn, and that of what is derived from it.
    trees: Vec<PackedTree>,
}

/// The bit in the tree for edges of a kind, or for shores of islands of that kind.
fn sort_of(kind: ZoneKind, is_island: bool) -> u32 {
    KindSet::only(kind).bits() << if is_island { ZoneKind::ALL.len() } else { 0 }
}

/// The bits for all edges of some kinds.
fn sorts_of(kinds: KindSet) -> u32 {
    // Nothing else goes round an island.
    let shores = [ZoneKind::Waterway, ZoneKind::Shoreline].into_iter().filter(|kind| kinds.contains(*kind));
    shores.fold(kinds.bits(), |sorts, kind| sorts | sort_of(kind, true))
}

impl EdgeIndex {
    /// An index without edges; `reference` is a position of the waterway.
    pub(super) fn new(reference: Position) -> Self {
        let lon_scale = libm::cos(reference.lat_deg().to_radians()).max(1e-3);
        Self { reference, lon_scale, trees: Vec::new() }
    }

    /// Adds edges, those of islands apart.
    pub(super) fn add(&mut self, outer: Vec<Edge>, islands: Vec<Edge>) {
        let outer = outer.into_iter().map(|edge| (edge, false));
        let placed = outer.chain(islands.into_iter().map(|edge| (edge, true))).map(|(edge, is_island)| {
            let corners = Corners::around(self.tree_point(edge.a), self.tree_point(edge.b));
            (edge, corners, sort_of(edge.kind, is_island))
        });
        self.trees.extend(PackedTree::of(placed.collect()));
    }

    /// Visits every edge of `kinds` whose box comes within `margin_m` of the box of `a`–`b`.
    pub(super) fn visit(&self, a: Position, b: Position, margin_m: f64, kinds: KindSet, f: impl FnMut(&Edge)) {
        self.visit_sorts(a, b, margin_m, sorts_of(kinds), f);
    }

    /// As [`Self::visit`], of one kind, islands aside.
    pub(super) fn visit_outer(&self, a: Position, b: Position, margin_m: f64, kind: ZoneKind, f: impl FnMut(&Edge)) {
        self.visit_sorts(a, b, margin_m, sort_of(kind, false), f);
    }

    fn visit_sorts(&self, a: Position, b: Position, margin_m: f64, sorts: u32, mut f: impl FnMut(&Edge)) {
        let frame = LocalFrame::at(if a.lat_deg().abs() > b.lat_deg().abs() { a } else { b });
        let corners = self.corners(&frame, a, b, margin_m);
        self.trees.iter().for_each(|tree| tree.visit(&corners, sorts, &mut f));
    }

    /// The nearest edge of `kinds` within `cap_m`, exactly; among equally near ones that of the first
    /// feature, then the first by its positions.
    pub(super) fn nearest(&self, p: Position, kinds: KindSet, cap_m: f64) -> Option<Nearest> {
        self.search(p, cap_m, None, sorts_of(kinds))
    }

    /// The nearest edge of a kind, islands aside; with `toward` only what lies more than 90° away from
    /// that direction counts.
    pub(super) fn nearest_outer(
        &self,
        p: Position,
        kind: ZoneKind,
        cap_m: f64,
        toward: Option<Position>,
    ) -> Option<Nearest> {
        self.search(p, cap_m, toward, sort_of(kind, false))
    }

    /// No edge of `kinds` is nearer than this, metres, as far as boxes tell, and at most `cap_m`.
    pub(super) fn clear_m(&self, p: Position, kinds: KindSet, cap_m: f64) -> f64 {
        let mut search = Search::around(self, p, cap_m, None, sorts_of(kinds));
        self.trees.iter().for_each(|tree| search.narrow(tree, 0, 0));
        search.cap_m
    }

    fn search(&self, p: Position, cap_m: f64, toward: Option<Position>, sorts: u32) -> Option<Nearest> {
        let mut search = Search::around(self, p, cap_m, toward, sorts);
        self.trees.iter().for_each(|tree| search.walk(tree, 0, 0));
        search.best
    }

    fn tree_point(&self, p: Position) -> [f64; 2] {
        [near_lon_deg(p.lon_deg(), self.reference.lon_deg()) * self.lon_scale, p.lat_deg()]
    }

    /// The box of `a`–`b` and `margin_m` around it; `frame` is at the end that is nearer to a pole.
    fn corners(&self, frame: &LocalFrame, a: Position, b: Position, margin_m: f64) -> Corners {
        let lat_margin = margin_m * 1.01 / frame.north_m_per_deg();
        let east = east_at_least(frame, lat_margin);
        let lon_margin = if east > 1.0 { margin_m * 1.001 / east } else { 360.0 } * self.lon_scale + 1e-12;
        let Corners { low, high } = Corners::around(self.tree_point(a), self.tree_point(b));
        Corners { low: [low[0] - lon_margin, low[1] - lat_margin], high: [high[0] + lon_margin, high[1] + lat_margin] }
    }
}

/// Metres in a degree of longitude anywhere within `lat_reach_deg` of the frame's origin, at least: toward
/// the pole it shrinks by less than 111.7 km times the angle.
fn east_at_least(frame: &LocalFrame, lat_reach_deg: f64) -> f64 {
    (frame.east_m_per_deg() - 111_700.0 * lat_reach_deg.to_radians()).max(0.0)
}

/// A search for the nearest edge: the tree is walked nearest box first, and the cap shrinks on the way.
struct Search {
    sorts: u32,
    frame: LocalFrame,
    /// The frame's origin in the tree.
    centre: [f64; 2],
    lon_scale: f64,
    /// Only what lies more than 90° away from this direction counts.
    away_from: Option<Vec2>,
    /// Metres in one unit of the tree to the north and to the east, at least, as far as the cap reaches.
    north_m: f64,
    east_m: f64,
    /// By how much the frame may overrate a distance within the cap, relative to it.
    slack: f64,
    cap_m: f64,
    best: Option<Nearest>,
}

impl Search {
    fn around(index: &EdgeIndex, p: Position, cap_m: f64, toward: Option<Position>, sorts: u32) -> Self {
        let frame = LocalFrame::at(p);
        let mut search = Self {
            sorts,
            frame,
            centre: index.tree_point(p),
            lon_scale: index.lon_scale,
            away_from: toward.map(|t| frame.to_plane(t)),
            north_m: 0.0,
            east_m: 0.0,
            slack: 0.0,
            cap_m: 0.0,
            best: None,
        };
        search.set_cap(cap_m);
        search
    }

    fn set_cap(&mut self, cap_m: f64) {
        let (north, east) = (self.frame.north_m_per_deg(), self.frame.east_m_per_deg());
        let reach_deg = cap_m * 1.01 / north;
        // A degree of latitude changes by 3 e² sin cos, a hundredth, times the angle.
        let north_shrinks = 0.011 * reach_deg.to_radians() + 1e-9;
        let east_min = east_at_least(&self.frame, reach_deg);
        self.north_m = north * (1.0 - north_shrinks).max(0.0);
        self.east_m = east_min / self.lon_scale;
        self.slack = north_shrinks + if east > 0.0 { (east - east_min) / east } else { 1.0 };
        self.cap_m = cap_m;
    }

    fn may_reach(&self, least_m2: f64) -> bool {
        let reach_m = self.cap_m + 1e-6;
        least_m2 <= reach_m * reach_m
    }

    /// Of each child of a node the square of how far it is at least, square metres.
    fn least_m2(&self, tree: &PackedTree, level: usize, ix: usize) -> [f64; FAN] {
        tree.least2((level, ix), self.centre, [self.east_m, self.north_m], self.sorts)
    }

    /// Looks for the nearest edge below a node of the tree.
    fn walk(&mut self, tree: &PackedTree, level: usize, ix: usize) {
        let mut near: SmallVec<[(f64, usize); FAN]> =
            self.least_m2(tree, level, ix).into_iter().zip(0..).filter(|(m2, _)| self.may_reach(*m2)).collect();
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (least_m2, k) in near {
            if !self.may_reach(least_m2) {
                break;
            }
            match tree.child(level, ix, k) {
                Child::Node(level, ix) => self.walk(tree, level, ix),
                Child::Edge(edge) => self.consider(edge),
            }
        }
    }

    /// Brings the cap down to the nearest box of an edge below a node of the tree.
    fn narrow(&mut self, tree: &PackedTree, level: usize, ix: usize) {
        let mut least_m2 = self.least_m2(tree, level, ix);
        loop {
            let nearest = (0..FAN).fold(0, |best, k| if least_m2[k] < least_m2[best] { k } else { best });
            let m2 = std::mem::replace(&mut least_m2[nearest], f64::INFINITY);
            if m2 >= self.cap_m * self.cap_m {
                return;
            }
            match tree.child(level, ix, nearest) {
                Child::Node(level, ix) => self.narrow(tree, level, ix),
                Child::Edge(_) => self.cap_m = m2.sqrt(),
            }
        }
    }

    fn consider(&mut self, edge: &Edge) {
        // The plane errs by its reference latitude; what it puts beyond that is not measured.
        let (a, b) = (self.frame.to_plane(edge.a), self.frame.to_plane(edge.b));
        let rough_m = point_edge(Vec2::default(), a, b).0;
        if rough_m > self.cap_m * (1.0 + 2.0 * self.slack) + 1e-6 {
            return;
        }
        let Some(part) = self.away_from.map_or(Some((0.0, 1.0)), |direction| part_behind(a, b, direction)) else {
            return;
        };
        let (distance_m, point) = measure_part(&self.frame, edge.a, edge.b, part);
        let found = Nearest { distance_m, point, edge: *edge };
        if distance_m <= self.cap_m && self.best.as_ref().is_none_or(|b| found.precedes(b)) {
            self.set_cap(distance_m);
            self.best = Some(found);
        }
    }
}

/// Distance in metres from the frame's origin to the edge `a`–`b`, and the nearest point of it.
pub(super) fn measure(frame: &LocalFrame, a: Position, b: Position) -> (f64, Position) {
    measure_part(frame, a, b, (0.0, 1.0))
}

/// As [`measure`], of the part of the edge between two fractions.
fn measure_part(frame: &LocalFrame, a: Position, b: Position, part: (f64, f64)) -> (f64, Position) {
    let (pa, pb) = (frame.to_plane(a), frame.to_plane(b));
    let ab = pb - pa;
    let len2 = ab.norm2();
    let along = if len2 > 0.0 { -pa.dot(ab) / len2 } else { 0.0 };
    let fraction = along.max(part.0).min(part.1);
    let point = if fraction <= 0.0 {
        a
    } else if fraction >= 1.0 {
        b
    } else {
        frame.to_position(pa.lerp(pb, fraction)).unwrap_or(a)
    };
    (distance_m(frame.origin(), point), point)
}
