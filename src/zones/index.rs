//! Edges of one waterway by place: what lies near a path, and what lies nearest to a position.
//!
//! One R-tree a kind, in degrees with longitudes scaled by one cosine so that near in the tree is nearly
//! near on the water. The tree only proposes: every distance is measured in the frame of the position
//! asked about. Longitudes are brought near the waterway's own, so it may lie across the antimeridian.

use std::ops::ControlFlow;

use rstar::{AABB, ParentNode, RStarInsertionStrategy, RTree, RTreeNode, RTreeObject, RTreeParams};
use smallvec::SmallVec;

use super::map::{Edge, FeatureIx, Nearest};
use super::{KindSet, ZoneKind};
use crate::geo::motion::{part_behind, point_edge};
use crate::geo::{LocalFrame, Position, Vec2, distance_m, near_lon_deg, turns_near};

/// An edge and how it is placed in the tree.
#[derive(Debug, Clone, Copy)]
struct Entry {
    a: Position,
    b: Position,
    feature: FeatureIx,
    /// Whole turns that bring the longitudes near the waterway's.
    turns: [i8; 2],
    /// The cosine that scales longitudes, the same in all entries; an envelope is made from the entry alone.
    lon_scale: f32,
}

impl Entry {
    fn corners(&self) -> [[f64; 2]; 2] {
        let x = |p: Position, turns: i8| (p.lon_deg() + f64::from(turns) * 360.0) * f64::from(self.lon_scale);
        [[x(self.a, self.turns[0]), self.a.lat_deg()], [x(self.b, self.turns[1]), self.b.lat_deg()]]
    }

    fn edge(&self, kind: ZoneKind) -> Edge {
        Edge { a: self.a, b: self.b, feature: self.feature, kind }
    }
}

impl RTreeObject for Entry {
    type Envelope = AABB<[f64; 2]>;
    fn envelope(&self) -> Self::Envelope {
        let [a, b] = self.corners();
        AABB::from_corners(a, b)
    }
}

/// Nodes wider than rstar's usual six make the tree flatter: fewer places in memory on the way to an edge.
struct WideNodes;

impl RTreeParams for WideNodes {
    const MIN_SIZE: usize = 6;
    const MAX_SIZE: usize = 12;
    const REINSERTION_COUNT: usize = 2;
    type DefaultInsertionStrategy = RStarInsertionStrategy;
}

/// The edges of one kind, or the islands among them.
#[derive(Debug)]
struct Layer {
    kind: ZoneKind,
    /// Whether these are shores of islands.
    is_island: bool,
    tree: RTree<Entry, WideNodes>,
}

/// All edges of a waterway.
#[derive(Debug)]
pub(super) struct EdgeIndex {
    reference: Position,
    lon_scale: f32,
    layers: Vec<Layer>,
}

impl EdgeIndex {
    /// An index without edges; `reference` is a position of the waterway.
    pub(super) fn new(reference: Position) -> Self {
        let lon_scale = libm::cos(reference.lat_deg().to_radians()).max(1e-3) as f32;
        Self { reference, lon_scale, layers: Vec::new() }
    }

    /// Adds all edges of a kind, or all islands.
    pub(super) fn add(&mut self, kind: ZoneKind, is_island: bool, edges: Vec<Edge>) {
        let turns = |p: Position| turns_near(p.lon_deg(), self.reference.lon_deg());
        let lon_scale = self.lon_scale;
        let entries: Vec<Entry> = edges
            .into_iter()
            .map(|e| Entry { a: e.a, b: e.b, feature: e.feature, turns: [turns(e.a), turns(e.b)], lon_scale })
            .collect();
        if !entries.is_empty() {
            self.layers.push(Layer { kind, is_island, tree: RTree::bulk_load_with_params(entries) });
        }
    }

    /// Visits every edge of `kinds` whose box comes within `margin_m` of the box of `a`–`b`.
    pub(super) fn visit(&self, a: Position, b: Position, margin_m: f64, kinds: KindSet, f: impl FnMut(&Edge)) {
        self.visit_layers(a, b, margin_m, |layer| kinds.contains(layer.kind), f);
    }

    /// As [`Self::visit`], of one kind, islands aside.
    pub(super) fn visit_outer(&self, a: Position, b: Position, margin_m: f64, kind: ZoneKind, f: impl FnMut(&Edge)) {
        self.visit_layers(a, b, margin_m, |layer| layer.kind == kind && !layer.is_island, f);
    }

    fn visit_layers(
        &self,
        a: Position,
        b: Position,
        margin_m: f64,
        of: impl Fn(&Layer) -> bool,
        mut f: impl FnMut(&Edge),
    ) {
        let frame = LocalFrame::at(if a.lat_deg().abs() > b.lat_deg().abs() { a } else { b });
        let envelope = self.envelope(&frame, a, b, margin_m);
        for layer in self.layers.iter().filter(|l| of(l)) {
            layer.visit(&envelope, &mut f);
        }
    }

    /// The nearest edge of `kinds` within `cap_m`, exactly; among equally near ones that of the first
    /// feature, then the first by its positions.
    pub(super) fn nearest(&self, p: Position, kinds: KindSet, cap_m: f64) -> Option<Nearest> {
        self.search(p, cap_m, None, |layer| kinds.contains(layer.kind))
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
        self.search(p, cap_m, toward, |layer| layer.kind == kind && !layer.is_island)
    }

    fn search(
        &self,
        p: Position,
        cap_m: f64,
        toward: Option<Position>,
        of: impl Fn(&Layer) -> bool,
    ) -> Option<Nearest> {
        let frame = LocalFrame::at(p);
        let mut search = Search {
            frame,
            centre: self.tree_point(p.lon_deg(), p.lat_deg()),
            lon_scale: f64::from(self.lon_scale),
            away_from: toward.map(|t| frame.to_plane(t)),
            north_m: 0.0,
            east_m: 0.0,
            slack: 0.0,
            cap_m: 0.0,
            best: None,
        };
        search.set_cap(cap_m);
        for layer in self.layers.iter().filter(|l| of(l)) {
            let root = layer.tree.root();
            if search.may_reach(search.least_m2(&root.envelope())) {
                search.walk(root, layer.kind);
            }
        }
        search.best
    }

    fn tree_point(&self, lon_deg: f64, lat_deg: f64) -> [f64; 2] {
        [near_lon_deg(lon_deg, self.reference.lon_deg()) * f64::from(self.lon_scale), lat_deg]
    }

    /// The box of `a`–`b` and `margin_m` around it; `frame` is at the end that is nearer to a pole.
    fn envelope(&self, frame: &LocalFrame, a: Position, b: Position, margin_m: f64) -> AABB<[f64; 2]> {
        let lat_margin = margin_m * 1.01 / frame.north_m_per_deg();
        let east = east_at_least(frame, lat_margin);
        let lon_margin = if east > 1.0 { margin_m * 1.001 / east } else { 360.0 } * f64::from(self.lon_scale) + 1e-12;
        let [a, b] = [self.tree_point(a.lon_deg(), a.lat_deg()), self.tree_point(b.lon_deg(), b.lat_deg())];
        AABB::from_corners(
            [a[0].min(b[0]) - lon_margin, a[1].min(b[1]) - lat_margin],
            [a[0].max(b[0]) + lon_margin, a[1].max(b[1]) + lat_margin],
        )
    }
}

/// Metres in a degree of longitude anywhere within `lat_reach_deg` of the frame's origin, at least: toward
/// the pole it shrinks by less than 111.7 km times the angle.
fn east_at_least(frame: &LocalFrame, lat_reach_deg: f64) -> f64 {
    (frame.east_m_per_deg() - 111_700.0 * lat_reach_deg.to_radians()).max(0.0)
}

/// A search for the nearest edge: the tree is walked nearest box first, and the cap shrinks on the way.
struct Search {
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

    /// No point of the box is nearer than the root of this, square metres.
    fn least_m2(&self, envelope: &AABB<[f64; 2]>) -> f64 {
        let (lower, upper) = (envelope.lower(), envelope.upper());
        let beside = |i: usize| (lower[i] - self.centre[i]).max(self.centre[i] - upper[i]).max(0.0);
        let (east_m, north_m) = (beside(0) * self.east_m, beside(1) * self.north_m);
        east_m * east_m + north_m * north_m
    }

    fn may_reach(&self, least_m2: f64) -> bool {
        let reach_m = self.cap_m + 1e-6;
        least_m2 <= reach_m * reach_m
    }

    fn walk(&mut self, node: &ParentNode<Entry>, kind: ZoneKind) {
        let mut children: SmallVec<[(f64, &RTreeNode<Entry>); 12]> =
            node.children().iter().map(|child| (self.least_m2(&child.envelope()), child)).collect();
        children.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (least_m2, child) in children {
            if !self.may_reach(least_m2) {
                break;
            }
            match child {
                RTreeNode::Parent(parent) => self.walk(parent, kind),
                RTreeNode::Leaf(entry) => self.consider(entry, kind),
            }
        }
    }

    fn consider(&mut self, entry: &Entry, kind: ZoneKind) {
        // The plane errs by its reference latitude; what it puts beyond that is not measured.
        let (a, b) = (self.frame.to_plane(entry.a), self.frame.to_plane(entry.b));
        let rough_m = point_edge(Vec2::default(), a, b).0;
        if rough_m > self.cap_m * (1.0 + 2.0 * self.slack) + 1e-6 {
            return;
        }
        let Some(part) = self.away_from.map_or(Some((0.0, 1.0)), |direction| part_behind(a, b, direction)) else {
            return;
        };
        let (distance_m, point) = measure_part(&self.frame, entry.a, entry.b, part);
        let found = Nearest { distance_m, point, edge: entry.edge(kind) };
        if distance_m <= self.cap_m && self.best.as_ref().is_none_or(|b| found.precedes(b)) {
            self.set_cap(distance_m);
            self.best = Some(found);
        }
    }
}

impl Layer {
    fn visit(&self, envelope: &AABB<[f64; 2]>, f: &mut impl FnMut(&Edge)) {
        let flow = self.tree.locate_in_envelope_intersecting_int(*envelope, |entry: &Entry| {
            f(&entry.edge(self.kind));
            ControlFlow::<()>::Continue(())
        });
        debug_assert!(flow.is_continue(), "the visitor never stops");
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
