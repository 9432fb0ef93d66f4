//! What lies around a leg: edges, features and marks within reach, as a scene shows them.

use smallvec::SmallVec;

use super::judge::Bench;
use super::tow::extent_of;
use super::vessel::{Lease, Seen};
use crate::geo::motion::point_edge;
use crate::geo::{Spans, Vec2};
use crate::rules::{NearEdge, NearFeature, OwnTow};
use crate::skier::Skier;
use crate::track::{Leg, Water};
use crate::zones::{Feature, FeatureIx, Validity, ZoneKind};

/// How far around a leg edges are looked at, beyond its reach, to know for how long there are none, metres.
const LOOK_AHEAD_M: f64 = 50.0;

/// Collects the edges within reach of the leg, grouped by feature, and the areas it may be in. What it
/// sees on the way of the wider surroundings of the leg's end is the vessel's new lease.
pub(super) fn gather(
    leg: &Leg,
    water: Water,
    bench: &Bench<'_>,
    edges: &mut Vec<(FeatureIx, ZoneKind, NearEdge)>,
    areas: &mut Vec<FeatureIx>,
) -> Lease {
    let (from, to) = (leg.frame.origin(), leg.position_at(leg.motion.span_s));
    let (start, end) = (leg.motion.from, leg.motion.to);
    let far_m = bench.reach_m + LOOK_AHEAD_M;
    let mut seen = Seen { clear_m: far_m, rim_m: far_m };
    let reach_m = bench.reach_m;
    let beside = |a: f64, b: f64, p: f64, q: f64| a.min(b) <= p.max(q) + reach_m && a.max(b) >= p.min(q) - reach_m;
    bench.waterway.edges_near(from, to, far_m, &mut |edge| {
        let (a, b) = (leg.frame.to_plane(edge.a), leg.frame.to_plane(edge.b));
        seen.take(edge.kind == bench.waterway.rim(), point_edge(end, a, b).0);
        if beside(a.east_m, b.east_m, start.east_m, end.east_m)
            && beside(a.north_m, b.north_m, start.north_m, end.north_m)
        {
            edges.push((edge.feature, edge.kind, NearEdge { a, b, feature: 0 }));
        }
    });
    edges.sort_by_key(|(feature, ..)| *feature);
    bench.state.areas.near(from, to, bench.reach_m, &mut |ix| areas.push(ix));
    areas.sort();
    areas.dedup();
    if edges.is_empty() && seen.clear_m >= far_m {
        return Lease::at(to, water, bench.waterway, bench.state);
    }
    seen.lease(to, water, bench.waterway, bench.state)
}

/// Collects as well what lies around the skiers of a towing vessel on its leg.
pub(super) fn gather_behind(
    leg: &Leg,
    tow: &OwnTow,
    bench: &Bench<'_>,
    edges: &mut Vec<(FeatureIx, ZoneKind, NearEdge)>,
    areas: &mut Vec<FeatureIx>,
) {
    let (low, high, _) = extent_of(leg, &tow.skiers);
    let corner = |v: Vec2| leg.frame.to_position(v).unwrap_or(leg.frame.origin());
    let reach_m = bench.reach_m;
    edges.clear();
    bench.waterway.edges_near(corner(low), corner(high), reach_m, &mut |edge| {
        let (a, b) = (leg.frame.to_plane(edge.a), leg.frame.to_plane(edge.b));
        let beside = |a: f64, b: f64, low: f64, high: f64| a.min(b) <= high + reach_m && a.max(b) >= low - reach_m;
        if beside(a.east_m, b.east_m, low.east_m, high.east_m)
            && beside(a.north_m, b.north_m, low.north_m, high.north_m)
        {
            edges.push((edge.feature, edge.kind, NearEdge { a, b, feature: 0 }));
        }
    });
    edges.sort_by_key(|(feature, ..)| *feature);
    bench.state.areas.near(corner(low), corner(high), reach_m, &mut |ix| areas.push(ix));
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
                let mut skiers = tow.iter().flat_map(|tow| &tow.skiers);
                skiers.any(|skier| !skier.stretch.within_of_edge(edge.a, edge.b, bench.reach_m).is_empty())
            };
            if leg.motion.within_of_edge(edge.a, edge.b, bench.reach_m).is_some() || is_behind() {
                near_edges.push(edge);
            }
        }
        let around = mark.region.as_ref().is_some_and(|region| {
            let behind = |skier: &Skier| leg.frame.to_position(skier.stretch.at(skier.stretch.span.from_s));
            let mut skiers = tow.iter().flat_map(|tow| &tow.skiers);
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
