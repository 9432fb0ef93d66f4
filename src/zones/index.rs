//! Edges of one waterway by place: what lies near a path, and what lies nearest to a position.
//!
//! One R-tree a kind, in degrees with longitudes scaled by one cosine so that near in the tree is nearly
//! near on the water. The tree only proposes: every distance is measured in the frame of the position
//! asked about. Longitudes are brought near the waterway's own, so it may lie across the antimeridian.

use std::cell::Cell;
use std::ops::ControlFlow;

use rstar::{AABB, PointDistance, RTree, RTreeObject, SelectionFunction};

use super::map::{Edge, FeatureIx, Nearest};
use super::{KindSet, ZoneKind};
use crate::geo::motion::point_edge;
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
}

impl RTreeObject for Entry {
    type Envelope = AABB<[f64; 2]>;
    fn envelope(&self) -> Self::Envelope {
        let [a, b] = self.corners();
        AABB::from_corners(a, b)
    }
}

impl PointDistance for Entry {
    fn distance_2(&self, p: &[f64; 2]) -> f64 {
        let [a, b] = self.corners();
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let (px, py) = (p[0] - a[0], p[1] - a[1]);
        let len2 = dx * dx + dy * dy;
        let t = if len2 > 0.0 { ((px * dx + py * dy) / len2).clamp(0.0, 1.0) } else { 0.0 };
        let (ex, ey) = (px - t * dx, py - t * dy);
        ex * ex + ey * ey
    }
}

/// The edges of one kind.
#[derive(Debug)]
struct Layer {
    kind: ZoneKind,
    tree: RTree<Entry>,
}

/// All edges of a waterway.
#[derive(Debug)]
pub(super) struct EdgeIndex {
    reference: Position,
    lon_scale: f32,
    layers: Vec<Layer>,
}

impl EdgeIndex {
    /// The index of `edges`; `reference` is a position of the waterway.
    pub(super) fn new(reference: Position, edges: impl IntoIterator<Item = Edge>) -> Self {
        let lon_scale = libm::cos(reference.lat_deg().to_radians()).max(1e-3) as f32;
        let mut by_kind: Vec<Vec<Edge>> = vec![Vec::new(); ZoneKind::ALL.len()];
        for edge in edges {
            by_kind[edge.kind as usize].push(edge);
        }
        let mut index = Self { reference, lon_scale, layers: Vec::new() };
        for (&kind, edges) in ZoneKind::ALL.iter().zip(by_kind) {
            index.add(kind, edges);
        }
        index
    }

    /// Adds the edges of a kind that the index has none of yet.
    pub(super) fn add(&mut self, kind: ZoneKind, edges: Vec<Edge>) {
        let turns = |p: Position| turns_near(p.lon_deg(), self.reference.lon_deg());
        let lon_scale = self.lon_scale;
        let entries: Vec<Entry> = edges
            .into_iter()
            .map(|e| Entry { a: e.a, b: e.b, feature: e.feature, turns: [turns(e.a), turns(e.b)], lon_scale })
            .collect();
        if !entries.is_empty() {
            self.layers.push(Layer { kind, tree: RTree::bulk_load(entries) });
        }
    }

    /// Visits every edge of `kinds` whose box comes within `margin_m` of the box of `a`–`b`.
    pub(super) fn visit(&self, a: Position, b: Position, margin_m: f64, kinds: KindSet, mut f: impl FnMut(&Edge)) {
        let frame = LocalFrame::at(if a.lat_deg().abs() > b.lat_deg().abs() { a } else { b });
        let envelope = self.envelope(&frame, a, b, margin_m);
        for layer in self.layers.iter().filter(|l| kinds.contains(l.kind)) {
            layer.visit(&envelope, &mut f);
        }
    }

    /// The nearest edge of `kinds` within `cap_m`, exactly; among equally near ones that of the first
    /// feature, then the first by its positions.
    pub(super) fn nearest(&self, p: Position, kinds: KindSet, cap_m: f64) -> Option<Nearest> {
        let frame = LocalFrame::at(p);
        let mut best: Option<Nearest> = None;
        let cap_m = Cell::new(cap_m);
        for layer in self.layers.iter().filter(|l| kinds.contains(l.kind)) {
            self.nearest_in(layer, &frame, &cap_m, &mut best);
        }
        best
    }

    fn nearest_in(&self, layer: &Layer, frame: &LocalFrame, cap_m: &Cell<f64>, best: &mut Option<Nearest>) {
        let within = self.disc(frame, cap_m);
        if !within.meets(&layer.tree.root().envelope()) {
            return;
        }
        if let Some(entry) = layer.tree.nearest_neighbor(within.centre) {
            cap_m.set(cap_m.get().min(measure(frame, entry.a, entry.b).0));
        }
        for entry in layer.tree.locate_with_selection_function(self.disc(frame, cap_m)) {
            // The plane errs by its reference latitude; what it puts well beyond the best is not measured.
            let rough_m = point_edge(Vec2::default(), frame.to_plane(entry.a), frame.to_plane(entry.b)).0;
            if rough_m > cap_m.get() * (1.001 + 2e-6 * cap_m.get()) + 1e-6 {
                continue;
            }
            let (distance_m, point) = measure(frame, entry.a, entry.b);
            let found = Nearest { distance_m, point, edge: layer.edge(entry) };
            if distance_m <= cap_m.get() && best.as_ref().is_none_or(|b| found.precedes(b)) {
                cap_m.set(distance_m);
                *best = Some(found);
            }
        }
    }

    /// The disc of `cap_m` about the frame's origin, as far as the tree can tell.
    fn disc<'c>(&self, frame: &LocalFrame, cap_m: &'c Cell<f64>) -> Disc<'c> {
        let p = frame.origin();
        let lat_reach = cap_m.get() * 1.01 / frame.north_m_per_deg();
        Disc {
            centre: self.tree_point(p.lon_deg(), p.lat_deg()),
            north_m: frame.north_m_per_deg() * 0.99,
            east_m: east_at_least(frame, lat_reach) * 0.999 / f64::from(self.lon_scale),
            cap_m,
        }
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

/// What may lie within `cap_m` of a centre; the cap shrinks while the tree is walked.
struct Disc<'c> {
    centre: [f64; 2],
    north_m: f64,
    east_m: f64,
    cap_m: &'c Cell<f64>,
}

impl Disc<'_> {
    fn meets(&self, envelope: &AABB<[f64; 2]>) -> bool {
        let (lower, upper) = (envelope.lower(), envelope.upper());
        let beside = |i: usize| (lower[i] - self.centre[i]).max(self.centre[i] - upper[i]).max(0.0);
        let (east_m, north_m) = (beside(0) * self.east_m, beside(1) * self.north_m);
        let reach_m = self.cap_m.get() + 1e-6;
        east_m * east_m + north_m * north_m <= reach_m * reach_m
    }
}

impl SelectionFunction<Entry> for Disc<'_> {
    fn should_unpack_parent(&self, envelope: &AABB<[f64; 2]>) -> bool {
        self.meets(envelope)
    }
    fn should_unpack_leaf(&self, leaf: &Entry) -> bool {
        self.meets(&leaf.envelope())
    }
}

impl Layer {
    fn edge(&self, entry: &Entry) -> Edge {
        Edge { a: entry.a, b: entry.b, feature: entry.feature, kind: self.kind }
    }

    fn visit(&self, envelope: &AABB<[f64; 2]>, f: &mut impl FnMut(&Edge)) {
        let flow = self.tree.locate_in_envelope_intersecting_int(*envelope, |entry: &Entry| {
            f(&self.edge(entry));
            ControlFlow::<()>::Continue(())
        });
        debug_assert!(flow.is_continue(), "the visitor never stops");
    }
}

/// Distance in metres from the frame's origin to the edge `a`–`b`, and the nearest point of it.
pub(super) fn measure(frame: &LocalFrame, a: Position, b: Position) -> (f64, Position) {
    let (pa, pb) = (frame.to_plane(a), frame.to_plane(b));
    let ab = pb - pa;
    let len2 = ab.norm2();
    let fraction = if len2 > 0.0 { (-pa.dot(ab) / len2).clamp(0.0, 1.0) } else { 0.0 };
    let point = if fraction <= 0.0 {
        a
    } else if fraction >= 1.0 {
        b
    } else {
        frame.to_position(pa.lerp(pb, fraction)).unwrap_or(a)
    };
    (distance_m(frame.origin(), point), point)
}
