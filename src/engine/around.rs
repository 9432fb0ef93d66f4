//! What lies around a leg: edges, features and marks within reach, as a scene shows them.

use smallvec::SmallVec;

use super::glance::Far;
use super::judge::Bench;
use super::lease::{Lease, Seen};
use crate::geo::{LocalFrame, Position, Spans, Vec2};
use crate::rules::{NearEdge, NearFeature, OwnTow};
use crate::skier::{Extent, Skier};
use crate::track::{Leg, Water};
use crate::zones::{Edge, Feature, FeatureIx, Validity, ZoneKind};

/// How far around a stretch of path edges are looked at, beyond the reach of rules, to know for how long there are none,
/// metres.
const LOOK_AHEAD_M: f64 = 10.0;
/// A stretch of path is looked around at once where it reaches no farther than this from its middle, metres.
const PATCH_MAX_M: f64 = 500.0;
/// More than a plane errs by within a patch, metres.
const PATCH_SLACK_M: f64 = 0.5;

/// The edges and areas around a stretch of path: those around its legs, and the next ones, are among them.
#[derive(Debug, Default)]
pub(super) struct Patch {
    place: Option<Covered>,
    edges: Vec<Edge>,
    /// The boxes of the edges.
    boxes: Vec<PlaneBox>,
    areas: Vec<(FeatureIx, PlaneBox)>,
    /// The edges that come into a box of the patch.
    shortlist: Vec<u32>,
    listed: Option<PlaneBox>,
    /// Whether it was asked since this was last set.
    pub is_used: bool,
}

/// What a patch covers.
#[derive(Debug, Clone, Copy)]
struct Covered {
    /// The waterway.
    water: Water,
    /// The plane about the middle.
    frame: LocalFrame,
    /// Everything that comes into this is on the patch.
    all: PlaneBox,
}

/// What lies between two corners, south-west and north-east.
#[derive(Debug, Clone, Copy)]
struct PlaneBox(Vec2, Vec2);

impl PlaneBox {
    fn around(a: Vec2, b: Vec2, margin_m: f64) -> Self {
        Self(
            Vec2::new(a.east_m.min(b.east_m) - margin_m, a.north_m.min(b.north_m) - margin_m),
            Vec2::new(a.east_m.max(b.east_m) + margin_m, a.north_m.max(b.north_m) + margin_m),
        )
    }

    fn meets(&self, other: &Self) -> bool {
        // Without a branch: which of these decides cannot be foretold.
        (self.0.east_m <= other.1.east_m)
            & (self.1.east_m >= other.0.east_m)
            & (self.0.north_m <= other.1.north_m)
            & (self.1.north_m >= other.0.north_m)
    }

    fn holds(&self, other: &Self) -> bool {
        self.0.east_m <= other.0.east_m
            && self.0.north_m <= other.0.north_m
            && self.1.east_m >= other.1.east_m
            && self.1.north_m >= other.1.north_m
    }

    /// At most how far a point outside is from it, metres.
    fn apart_m_min(&self, p: Vec2) -> f64 {
        let beside_m = (self.0.east_m - p.east_m).max(p.east_m - self.1.east_m);
        beside_m.max(self.0.north_m - p.north_m).max(p.north_m - self.1.north_m).max(0.0)
    }

    /// How far a point inside is from its nearest side, metres; negative outside.
    fn inset_m(&self, p: Vec2) -> f64 {
        let beside_m = (p.east_m - self.0.east_m).min(self.1.east_m - p.east_m);
        beside_m.min(p.north_m - self.0.north_m).min(self.1.north_m - p.north_m)
    }
}

impl Patch {
    /// Goes to where the box between two corners and `margin_m` around it is on the patch; that box in its plane. Where
    /// there is no such place, the patch is nowhere.
    fn go_to(&mut self, [a, b]: [Position; 2], margin_m: f64, water: Water, bench: &Bench<'_>) -> Option<PlaneBox> {
        self.is_used = true;
        let in_plane = |frame: &LocalFrame| PlaneBox::around(frame.to_plane(a), frame.to_plane(b), margin_m);
        if let Some(covered) = self.place.filter(|covered| covered.water == water) {
            let wide = in_plane(&covered.frame);
            if covered.all.holds(&wide) {
                return Some(wide);
            }
        }
        self.listed = None;
        let frame = LocalFrame::between(a, b);
        let middle = frame.to_position(frame.to_plane(b) * 0.5).unwrap_or(a);
        let frame = LocalFrame::at(middle);
        let all_m = margin_m + LOOK_AHEAD_M;
        let all = PlaneBox::around(frame.to_plane(a), frame.to_plane(b), all_m);
        let most_m = all.1.east_m.abs().max(all.1.north_m.abs());
        self.place = (most_m <= PATCH_MAX_M).then_some(Covered { water, frame, all });
        self.place?;
        let (edges, boxes, areas) = (&mut self.edges, &mut self.boxes, &mut self.areas);
        edges.clear();
        boxes.clear();
        areas.clear();
        bench.waterway.edges_near(a, b, all_m + PATCH_SLACK_M, &mut |edge| {
            edges.push(*edge);
            boxes.push(PlaneBox::around(frame.to_plane(edge.a), frame.to_plane(edge.b), PATCH_SLACK_M));
        });
        bench.state.areas.near(a, b, all_m + PATCH_SLACK_M, &mut |ix, [southwest, northeast]| {
            let corners = (frame.to_plane(southwest), frame.to_plane(northeast));
            areas.push((ix, PlaneBox::around(corners.0, corners.1, PATCH_SLACK_M)));
        });
        Some(in_plane(&frame))
    }

    /// Lists the edges that come into a box on the patch, and maybe more.
    fn shortlist(&mut self, wide: &PlaneBox) -> &[u32] {
        if !self.listed.is_some_and(|listed| listed.holds(wide)) {
            self.listed = Some(*wide);
            self.shortlist.clear();
            let met = self.boxes.iter().zip(0_u32..).filter(|(there, _)| there.meets(wide));
            self.shortlist.extend(met.map(|(_, ix)| ix));
        }
        &self.shortlist
    }

    /// Whether no edge and no area comes within `reach_m` of the box between two corners, as far as boxes tell.
    pub fn is_clear(&mut self, corners: [Position; 2], reach_m: f64, water: Water, bench: &Bench<'_>) -> bool {
        let Some(wide) = self.go_to(corners, reach_m, water, bench) else { return false };
        if self.areas.iter().any(|(_, there)| there.meets(&wide)) {
            return false;
        }
        self.shortlist(&wide);
        !self.shortlist.iter().any(|&ix| self.boxes[ix as usize].meets(&wide))
    }

    /// The same for each of several legs on the way between two corners; nothing where that is not on the patch.
    pub fn are_clear(
        &mut self,
        corners: [Position; 2],
        ways: &[[Position; 2]],
        reach_m: f64,
        water: Water,
        bench: &Bench<'_>,
    ) -> Option<Far> {
        let wide = self.go_to(corners, reach_m, water, bench)?;
        let frame = self.place?.frame;
        self.shortlist(&wide);
        let edges = self.shortlist.iter().map(|&ix| &self.boxes[ix as usize]);
        let near: SmallVec<[PlaneBox; 32]> = edges
            .chain(self.areas.iter().map(|(_, there)| there))
            .filter(|there| there.meets(&wide))
            .copied()
            .collect();
        let is_far = |[a, b]: &[Position; 2]| {
            let way = PlaneBox::around(frame.to_plane(*a), frame.to_plane(*b), reach_m);
            !near.iter().any(|there| there.meets(&way))
        };
        Some(ways.iter().map(is_far).collect())
    }

    /// What is known around a position in the water that is on the patch.
    pub fn lease(&self, at: Position, water: Water, bench: &Bench<'_>) -> Option<Lease> {
        let covered = self.place.filter(|covered| covered.water == water)?;
        let here = covered.frame.to_plane(at);
        let inset_m = covered.all.inset_m(here) - PATCH_SLACK_M;
        let mut seen = Seen { clear_m: inset_m, rim_m: inset_m };
        let rim = bench.waterway.rim();
        for (there, edge) in self.boxes.iter().zip(&self.edges) {
            seen.take(edge.kind == rim, there.apart_m_min(here));
        }
        let point = PlaneBox(here, here);
        let in_area = self.areas.iter().any(|(_, there)| there.meets(&point));
        (inset_m > 0.0).then(|| seen.lease(at, water, true, in_area))
    }

    /// Visits every edge that comes within `reach_m` of the straight segment `a`–`b`, each once, and some that do not,
    /// and lists the areas whose box does; in no particular order.
    fn visit(
        &mut self,
        [a, b]: [Position; 2],
        reach_m: f64,
        (water, bench): (Water, &Bench<'_>),
        areas: &mut Vec<FeatureIx>,
        f: &mut impl FnMut(&Edge),
    ) {
        let Some(wide) = self.go_to([a, b], reach_m, water, bench) else {
            bench.waterway.edges_near(a, b, reach_m, f);
            bench.state.areas.near(a, b, reach_m, &mut |ix, _| areas.push(ix));
            return;
        };
        self.shortlist(&wide);
        let met = self.shortlist.iter().filter(|&&ix| self.boxes[ix as usize].meets(&wide));
        met.for_each(|&ix| f(&self.edges[ix as usize]));
        areas.extend(self.areas.iter().filter(|(_, there)| there.meets(&wide)).map(|(ix, _)| *ix));
    }
}

/// Collects the edges within reach of the leg, grouped by feature, and the areas it may be in.
pub(super) fn gather(
    leg: &Leg,
    water: Water,
    bench: &Bench<'_>,
    patch: &mut Patch,
    edges: &mut Vec<(FeatureIx, ZoneKind, NearEdge)>,
    areas: &mut Vec<FeatureIx>,
) {
    let (from, to) = (leg.frame.origin(), leg.position_at(leg.motion.span_s));
    let (start, end) = (leg.motion.from, leg.motion.to);
    let reach_m = bench.reach_m;
    let beside = |a: f64, b: f64, p: f64, q: f64| a.min(b) <= p.max(q) + reach_m && a.max(b) >= p.min(q) - reach_m;
    patch.visit([from, to], reach_m, (water, bench), areas, &mut |edge| {
        let (a, b) = (leg.frame.to_plane(edge.a), leg.frame.to_plane(edge.b));
        if beside(a.east_m, b.east_m, start.east_m, end.east_m)
            && beside(a.north_m, b.north_m, start.north_m, end.north_m)
        {
            edges.push((edge.feature, edge.kind, NearEdge { a, b, feature: 0 }));
        }
    });
    edges.sort_by_key(|(feature, ..)| *feature);
    areas.sort();
    areas.dedup();
}

/// Collects as well what lies around the skiers of a towing vessel on its leg.
pub(super) fn gather_behind(
    leg: &Leg,
    tow: &OwnTow,
    bench: &Bench<'_>,
    edges: &mut Vec<(FeatureIx, ZoneKind, NearEdge)>,
    areas: &mut Vec<FeatureIx>,
) {
    let Extent { low, high } = tow.way.extent;
    let corner = |v: Vec2| leg.frame.to_position(v).unwrap_or(leg.frame.origin());
    let reach_m = bench.reach_m;
    edges.clear();
    let (middle, half_m) = (corner((low + high) * 0.5), 0.5 * (high - low).norm());
    bench.waterway.edges_near(middle, middle, reach_m + half_m, &mut |edge| {
        let (a, b) = (leg.frame.to_plane(edge.a), leg.frame.to_plane(edge.b));
        let beside = |a: f64, b: f64, low: f64, high: f64| a.min(b) <= high + reach_m && a.max(b) >= low - reach_m;
        if beside(a.east_m, b.east_m, low.east_m, high.east_m)
            && beside(a.north_m, b.north_m, low.north_m, high.north_m)
        {
            edges.push((edge.feature, edge.kind, NearEdge { a, b, feature: 0 }));
        }
    });
    edges.sort_by_key(|(feature, ..)| *feature);
    bench.state.areas.near(corner(low), corner(high), reach_m, &mut |ix, _| areas.push(ix));
    areas.sort();
    areas.dedup();
}

/// The features of gathered edges and areas, and the marks within reach, as a scene shows them.
pub(super) fn features_near<'a>(
    leg: &Leg,
    bench: &Bench<'a>,
    tow: Option<&OwnTow>,
    edges: &[(FeatureIx, ZoneKind, NearEdge)],
    areas: &[FeatureIx],
) -> (Vec<NearEdge>, Vec<NearFeature<'a>>) {
    let mut near_edges = Vec::with_capacity(edges.len());
    let mut features: Vec<NearFeature<'a>> = Vec::new();
    let mut areas = areas.iter().copied().peekable();
    let show = |ix: FeatureIx, kind: ZoneKind, range: std::ops::Range<usize>| {
        let feature = bench.waterway.feature(ix);
        NearFeature {
            id: &feature.id,
            kind,
            present: present(feature, ix, leg, bench),
            // The water itself is no area to be near of: its edges are the shoreline.
            region: feature.region.as_ref().filter(|_| feature.kind != ZoneKind::Waterway),
            feature: Some(feature),
            edges: range,
        }
    };
    let mut i = 0;
    while i < edges.len() {
        let (ix, kind, _) = edges[i];
        while let Some(area) = areas.next_if(|area| *area < ix) {
            features.push(show(area, bench.waterway.feature(area).kind, near_edges.len()..near_edges.len()));
        }
        areas.next_if(|area| *area == ix);
        let start = near_edges.len();
        while i < edges.len() && edges[i].0 == ix {
            near_edges.push(NearEdge { feature: features.len() as u32, ..edges[i].2 });
            i += 1;
        }
        features.push(show(ix, kind, start..near_edges.len()));
    }
    for area in areas {
        features.push(show(area, bench.waterway.feature(area).kind, near_edges.len()..near_edges.len()));
    }
    for mark in &bench.state.laid {
        let Some(there) = leg.part_between(Some(mark.from), mark.until) else { continue };
        let start = near_edges.len();
        for (a, b) in &mark.edges {
            let edge =
                NearEdge { a: leg.frame.to_plane(*a), b: leg.frame.to_plane(*b), feature: features.len() as u32 };
            let is_behind = || {
                let mut skiers = tow.iter().flat_map(|tow| &tow.way.skiers);
                skiers.any(|skier| !skier.stretch.within_of_edge(edge.a, edge.b, bench.reach_m).is_empty())
            };
            if leg.motion.within_of_edge(edge.a, edge.b, bench.reach_m).is_some() || is_behind() {
                near_edges.push(edge);
            }
        }
        let around = mark.region.as_ref().is_some_and(|region| {
            let behind = |skier: &Skier| leg.frame.to_position(skier.stretch.at(skier.stretch.span.from_s));
            let mut skiers = tow.iter().flat_map(|tow| &tow.way.skiers);
            region.contains(leg.frame.origin())
                || skiers.any(|skier| behind(skier).is_some_and(|place| region.contains(place)))
        });
        if near_edges.len() > start || around {
            features.push(NearFeature {
                id: &mark.id,
                kind: mark.kind,
                present: Spans::one(there),
                region: mark.region.as_ref(),
                feature: None,
                edges: start..near_edges.len(),
            });
        }
    }
    (near_edges, features)
}

/// The part of the leg during which a feature of the map is there.
pub(super) fn present(feature: &Feature, ix: FeatureIx, leg: &Leg, bench: &Bench<'_>) -> Spans {
    match feature.validity {
        Validity::Always => Spans::one(leg.whole()),
        Validity::Between(from, until) => leg.part_between(from, until).map_or_else(Spans::none, Spans::one),
        Validity::EveryYear(..) => bench.state.seasons.get(&ix).map_or_else(Spans::none, |season| {
            let place = leg.frame.origin();
            season.spans(&bench.state.sky, bench.rulebook.time_zone, place, leg.start, leg.end())
        }),
    }
}

/// The instants at which the leg crosses an edge, with its start and end, in order.
pub(super) fn crossings(leg: &Leg, edges: &[NearEdge]) -> SmallVec<[f64; 4]> {
    let mut at_s: SmallVec<[f64; 4]> =
        edges.iter().filter_map(|edge| leg.motion.crosses_edge(edge.a, edge.b)).collect();
    at_s.push(0.0);
    at_s.push(leg.motion.span_s);
    at_s.sort_by(f64::total_cmp);
    at_s
}
