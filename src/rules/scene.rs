//! What a rule may look at: one leg and what lies around it.

use std::sync::Arc;

use chrono_tz::Tz;
use smallvec::SmallVec;

use super::tow_beside::{TowBeside, seen, spot_of};
use super::{Carrier, Place, Sight, Sighting, SkierSeen, Spot};
use crate::geo::motion::{Motion, point_edge};
use crate::geo::{Position, Region, Span, Spans, Vec2};
use crate::observation::{Conditions, VesselClass, VesselId};
use crate::rulebook::{Applies, Clause};
use crate::skier::{Rounding, Skier, TowLeg, TowPart};
use crate::sun::Almanac;
use crate::time::EventTime;
use crate::track::Leg;
use crate::units::TimeSpan;
use crate::window::Window;
use crate::zones::{Feature, FeatureIx, KindSet, Waterway, ZoneKind};

/// The vessel judged, as far as it was declared.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Which vessel.
    pub id: &'a VesselId,
    /// Its class.
    pub class: Option<VesselClass>,
    /// Its length over all, metres.
    pub length_m: Option<f64>,
}

/// An edge near the leg, in the leg's plane.
#[derive(Debug, Clone, Copy)]
pub struct NearEdge {
    /// One end.
    pub a: Vec2,
    /// The other end; the same for a point.
    pub b: Vec2,
    /// Whose it is: place in [`Scene::features`].
    pub feature: u32,
}

/// A feature of the map, or a mark, near the leg.
#[derive(Debug, Clone)]
pub struct NearFeature<'a> {
    /// Its id.
    pub id: &'a Arc<str>,
    /// What it is; the rings of a waterway count as shoreline where no shoreline is drawn.
    pub kind: ZoneKind,
    /// The part of the leg during which it is there.
    pub present: Spans,
    /// Its inside, for areas.
    pub region: Option<&'a Region>,
    /// The feature of the map; `None` for a mark.
    pub feature: Option<&'a Feature>,
    /// Its edges: a range of [`Scene::edges`].
    pub edges: std::ops::Range<usize>,
}

/// Something that was put on the water, for the time that it lies there.
#[derive(Debug, Clone)]
pub struct LaidMark {
    /// Its id.
    pub id: Arc<str>,
    /// What it is.
    pub kind: ZoneKind,
    /// Its points and edges.
    pub edges: Vec<(Position, Position)>,
    /// Its inside, for areas.
    pub region: Option<Region>,
    /// From when.
    pub from: EventTime,
    /// Until when, as far as known.
    pub until: Option<EventTime>,
}

/// Where another vessel is during part of the leg, in the leg's plane.
#[derive(Debug, Clone)]
pub struct OtherPath<'a> {
    /// Which vessel.
    pub vessel: &'a VesselId,
    /// During which part of the leg.
    pub during: Span,
    /// Its motion over that part.
    pub motion: Motion,
    /// Whether it is at rest then.
    pub is_stationary: bool,
    /// Whether it is trolling then.
    pub is_trolling: bool,
    /// Radius of its 68 % confidence, metres, where reported.
    pub accuracy_m: Option<f64>,
}

/// What the vessel has in tow on its leg.
#[derive(Debug, Clone)]
pub struct OwnTow {
    /// The leg with what is in tow.
    pub way: Arc<TowLeg>,
    /// The buoys rounded lately.
    pub roundings: Roundings,
    /// How likely it is that anybody is in tow, where that is only guessed from how the vessel moves.
    pub guessed: Option<f64>,
}

/// The buoys that boat and skiers have rounded lately, up to the end of the leg.
#[derive(Debug, Clone)]
pub struct Roundings {
    /// Whether any was rounded on the leg; where none was, the others are not told.
    pub is_fresh: bool,
    /// What those of the leg say of it.
    pub leg: EventTime,
    /// In order of time.
    pub all: Vec<Rounding>,
}

/// One leg and everything around it that a rule may ask about.
#[derive(Clone)]
pub struct Scene<'a> {
    /// The leg.
    pub leg: &'a Leg,
    /// The vessel on it.
    pub subject: Subject<'a>,
    /// The waterway the leg is on.
    pub waterway: &'a Waterway,
    /// Edges near the leg, grouped by feature.
    pub edges: &'a [NearEdge],
    /// Features near the leg or around it, in the order of the map, marks last.
    pub features: &'a [NearFeature<'a>],
    /// Instants at which the leg crosses an edge, with its start and end, in order.
    pub crossings_s: &'a [f64],
    /// Other vessels near the leg, as far as they are at rest or trolling.
    pub others: &'a [OtherPath<'a>],
    /// What the vessel has in tow somewhere on the leg; `None` where nothing.
    pub tow: Option<&'a OwnTow>,
    /// The circulation lines of the map and when they are in force; only looked up for who has somebody in tow.
    pub circulation: &'a [(FeatureIx, Spans)],
    /// Towing vessels beside the leg, each for as long as one leg of its own.
    pub tows: &'a [TowBeside],
    /// What was reported of sight and weather, in order of time.
    pub conditions: &'a [Conditions],
    /// The sun.
    pub sky: &'a Almanac,
    /// The rulebook's time zone.
    pub time_zone: Tz,
    /// The part of the leg on which a permit lifts the rule that is asked, where that is known already.
    pub lifted: Spans,
}

impl Scene<'_> {
    /// The part of the leg on which a clause binds this vessel: empty where it is meant for others.
    pub fn bound_by(&self, clause: &Clause) -> Spans {
        match clause.vessels.applies(self.subject.class, self.subject.length_m) {
            Applies::Yes if self.lifted.is_empty() => self.during(&clause.when),
            Applies::Yes => self.during(&clause.when).subtract(&self.lifted),
            Applies::No | Applies::Unknown => Spans::none(),
        }
    }

    /// The part of the leg that lies in a time window.
    pub fn during(&self, window: &Window) -> Spans {
        if window.is_always() {
            return Spans::one(self.leg.whole());
        }
        window.spans(self.sky, self.time_zone, self.leg.position_at(0.0), self.leg.start, self.leg.end())
    }

    /// The part of the leg on which the vessel is engaged in water skiing: somebody is in tow, up or down.
    pub fn towing(&self) -> Spans {
        self.tow_parts().map(|part| part.span).collect()
    }

    /// The part of the leg on which a skier in tow is up.
    pub fn skier_up(&self) -> Spans {
        self.tow_parts().filter(|part| part.tow.is_up).map(|part| part.span).collect()
    }

    /// The part of the leg on which a skier is taking off: up, and for no longer than `time` so far.
    pub fn taking_off(&self, time: TimeSpan) -> Spans {
        let up = self.tow_parts().filter(|part| part.tow.is_up);
        up.filter_map(|part| {
            let came_up = part.tow.came_up?;
            self.leg.part_between(Some(came_up), Some(came_up.plus_seconds(time.s())))?.intersect(part.span)
        })
        .collect()
    }

    /// The parts of the leg on which somebody is in tow, with what the crew says there.
    pub fn tow_parts(&self) -> impl Iterator<Item = &TowPart> {
        self.tow.into_iter().flat_map(|tow| &tow.way.parts)
    }

    /// The circulation lines in force `s` seconds into the leg.
    pub fn circulation_at(&self, s: f64) -> impl Iterator<Item = FeatureIx> {
        self.circulation.iter().filter(move |(_, present)| present.contains(s)).map(|&(ix, _)| ix)
    }

    /// The part of the leg that is within `radius_m` of a feature, or inside it, while it is there.
    pub fn within_of(&self, feature: &NearFeature<'_>, radius_m: f64) -> Spans {
        let mut spans = Spans::none();
        for edge in &self.edges[feature.edges.clone()] {
            if let Some(span) = self.leg.motion.within_of_edge(edge.a, edge.b, radius_m) {
                spans.add(span);
            }
        }
        if feature.region.is_some() {
            for span in self.inside_of(feature).iter() {
                spans.add(span);
            }
        }
        spans.intersect(&feature.present)
    }

    /// The areas of a kind that the leg comes into, with the part of it inside each.
    pub fn areas_entered(&self, kind: ZoneKind) -> SmallVec<[(&NearFeature<'_>, Spans); 2]> {
        let areas = self.of_kinds(KindSet::only(kind)).map(|area| (area, self.inside_of(area)));
        areas.filter(|(_, inside)| !inside.is_empty()).collect()
    }

    /// The part of the leg inside an area, while it is there.
    pub fn inside_of(&self, feature: &NearFeature<'_>) -> Spans {
        let Some(region) = feature.region else { return Spans::none() };
        let mut spans = Spans::none();
        let mut from_s = 0.0;
        for &to_s in self.crossings_s {
            if region.contains(self.leg.position_at(0.5 * (from_s + to_s)))
                && let Some(span) = Span::new(from_s, to_s)
            {
                spans.add(span);
            }
            from_s = to_s;
        }
        spans.intersect(&feature.present)
    }

    /// The part of the leg on which a skier of the vessel is within `radius_m` of a feature, or inside it, while it is
    /// there.
    pub fn skier_within_of(&self, skier: &Skier, feature: &NearFeature<'_>, radius_m: f64) -> Spans {
        let stretch = &skier.stretch;
        let mut spans = Spans::none();
        for edge in &self.edges[feature.edges.clone()] {
            for span in stretch.within_of_edge(edge.a, edge.b, radius_m).iter() {
                spans.add(span);
            }
        }
        if let Some(region) = feature.region {
            // Away from its edge nobody comes into an area or out of it.
            for span in Spans::one(stretch.span).subtract(&spans).iter() {
                let middle = stretch.at(0.5 * (span.from_s + span.to_s));
                if self.leg.frame.to_position(middle).is_some_and(|place| region.contains(place)) {
                    spans.add(span);
                }
            }
        }
        spans.intersect(&feature.present)
    }

    /// The part of the leg on which the vessel is within `radius_m` of another one.
    pub fn within_of_vessel(&self, other: &OtherPath<'_>, radius_m: f64) -> Spans {
        let apart = self.apart_from(other);
        let near = apart.within_of_edge(Vec2::default(), Vec2::default(), radius_m);
        near.map_or_else(Spans::none, |span| Spans::one(span.later(other.during.from_s)))
    }

    /// When within `span` the vessel is nearest to another one, and how near, metres.
    pub fn nearest_to_vessel(&self, other: &OtherPath<'_>, span: Span) -> (f64, f64) {
        let start_s = other.during.from_s;
        let apart = self.apart_from(other);
        let (s, m) = apart.nearest_to_edge(Vec2::default(), Vec2::default(), span.later(-start_s));
        (s + start_s, m)
    }

    /// The vessel's motion as seen from another one, over the time both are known.
    pub fn apart_from(&self, other: &OtherPath<'_>) -> Motion {
        let own = Motion {
            from: self.leg.motion.at(other.during.from_s),
            to: self.leg.motion.at(other.during.to_s),
            span_s: other.during.length_s(),
        };
        own.relative_to(&other.motion)
    }

    /// The vessel `s` seconds into the leg.
    pub fn own_spot(&self, s: f64) -> Spot {
        Spot {
            carrier: Carrier::Subject,
            offset_m: [0.0, 0.0],
            sigma_m: 0.0,
            position: self.leg.position_at(s),
            accuracy_m: None,
        }
    }

    /// Another vessel that is at rest or trolling, `s` seconds into the leg.
    pub fn vessel_spot(&self, other: &OtherPath<'_>, s: f64) -> Spot {
        let there = other.motion.at(s - other.during.from_s);
        Spot {
            carrier: Carrier::Nobody,
            offset_m: [0.0, 0.0],
            sigma_m: 0.0,
            position: self.leg.frame.to_position(there).unwrap_or(self.leg.frame.origin()),
            accuracy_m: other.accuracy_m,
        }
    }

    /// A skier of the vessel `s` seconds into the leg.
    pub fn skier_spot(&self, skier: &Skier, s: f64) -> Spot {
        let there = skier.stretch.at(s);
        let position = self.leg.frame.to_position(there).unwrap_or(self.leg.frame.origin());
        spot_of(&skier.by, Carrier::Subject, there - self.leg.motion.at(s), position)
    }

    /// The same, as a finding shows it.
    pub fn skier_seen(&self, skier: &Skier, s: f64) -> SkierSeen {
        let position = self.leg.frame.to_position(skier.stretch.at(s)).unwrap_or(self.leg.frame.origin());
        seen(&skier.by, position)
    }

    /// Distance to a feature `s` seconds into the leg, metres; zero inside an area.
    pub fn distance_to_m(&self, feature: &NearFeature<'_>, s: f64) -> f64 {
        let here = self.leg.motion.at(s);
        if feature.region.is_some_and(|region| region.contains(self.leg.position_at(s))) {
            return 0.0;
        }
        self.edges[feature.edges.clone()]
            .iter()
            .map(|edge| point_edge(here, edge.a, edge.b).0)
            .fold(f64::INFINITY, f64::min)
    }

    /// The instant of `span` at which speed excess is worst: its faster end, or where speed is steady
    /// the instant nearest to any of `features`.
    pub fn worst_instant_s<'f>(&self, span: Span, features: impl Iterator<Item = &'f NearFeature<'f>>) -> f64 {
        let speed = |s| self.leg.speed_at_mps(s).unwrap_or(0.0);
        match speed(span.from_s).total_cmp(&speed(span.to_s)) {
            std::cmp::Ordering::Less => span.to_s,
            std::cmp::Ordering::Greater => span.from_s,
            std::cmp::Ordering::Equal => features
                .flat_map(|feature| &self.edges[feature.edges.clone()])
                .map(|edge| self.leg.motion.nearest_to_edge(edge.a, edge.b, span))
                .min_by(|p, q| p.1.total_cmp(&q.1).then(p.0.total_cmp(&q.0)))
                .map_or(span.from_s, |(s, _)| s),
        }
    }

    /// Features near the leg of the given kinds.
    pub fn of_kinds(&self, kinds: KindSet) -> impl Iterator<Item = &NearFeature<'_>> {
        self.features.iter().filter(move |feature| kinds.contains(feature.kind) && !feature.present.is_empty())
    }

    /// Every edge of shoreline that is nearest somewhere along the leg, and some that are not.
    pub fn shore_edges(&self) -> Vec<NearEdge> {
        let shores = KindSet::only(ZoneKind::Shoreline);
        let (from, to) = (self.leg.position_at(0.0), self.leg.position_at(self.leg.motion.span_s));
        let nearest_m = |p| self.waterway.nearest(p, shores, f64::INFINITY).map(|nearest| nearest.distance_m);
        let (Some(from_m), Some(to_m)) = (nearest_m(from), nearest_m(to)) else { return Vec::new() };
        // Nowhere on the way is the shore further off than this.
        let length_m = (self.leg.motion.to - self.leg.motion.from).norm();
        let reach_m = 0.5 * (from_m + to_m + length_m) + 0.01;
        let mut edges = Vec::new();
        self.waterway.edges_near(from, to, reach_m, &mut |edge| {
            if edge.kind == ZoneKind::Shoreline {
                let (a, b) = (self.leg.frame.to_plane(edge.a), self.leg.frame.to_plane(edge.b));
                edges.push(NearEdge { a, b, feature: 0 });
            }
        });
        // The index hands them out in no particular order.
        edges.sort_by(|p, q| {
            let key = |e: &NearEdge| [e.a.east_m, e.a.north_m, e.b.east_m, e.b.north_m];
            key(p)
                .iter()
                .zip(key(q))
                .map(|(x, y)| x.total_cmp(&y))
                .find(|o| o.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        edges
    }

    /// Sightings of a clause that is broken all through `spans`, whatever the speed; worst where they begin.
    pub fn all_through(&self, clause: u16, spans: &Spans, limit: super::Limit, place: &Place, out: &mut Vec<Sighting>) {
        for span in spans.iter() {
            let at_s = span.from_s;
            out.push(Sighting {
                clause,
                zone: None,
                other: None,
                span,
                limit,
                peak: Sight {
                    at_s,
                    speed_mps: self.leg.speed_at_mps(at_s),
                    distance_m: None,
                    feature: None,
                    skier: None,
                },
                features: Default::default(),
                place: place.clone(),
                excuses: Vec::new(),
            });
        }
    }

    /// Sightings of a plain speed limit: the leg faster than `limit_mps` during `spans`.
    pub fn too_fast(&self, clause: u16, limit_mps: f64, spans: &Spans, place: &Place, out: &mut Vec<Sighting>) {
        let Some(fast) = self.leg.faster_than(limit_mps) else { return };
        for span in spans.within(fast).iter() {
            let at_s = self.worst_instant_s(span, std::iter::empty());
            out.push(Sighting {
                clause,
                zone: None,
                other: None,
                span,
                limit: super::Limit { speed_mps: Some(limit_mps), distance_m: None },
                peak: Sight {
                    at_s,
                    speed_mps: self.leg.speed_at_mps(at_s),
                    distance_m: None,
                    feature: None,
                    skier: None,
                },
                features: Default::default(),
                place: place.clone(),
                excuses: Vec::new(),
            });
        }
    }
}
