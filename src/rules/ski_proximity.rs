//! `ski-proximity`: neither boat nor skier near what could be hurt, at any speed (SMC 10.14.170(D)).
//!
//! Each clause names what it protects: kinds of features, and vessels that are stationary or trolling. All
//! features of a clause make one sighting, each other vessel one of its own.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::takeoff::TakeOff;
use super::{Limit, NearFeature, OtherPath, Place, Rule, RuleKind, Scene, Sight, Sighting, Told};
use crate::geo::{Span, Spans};
use crate::rulebook::{Clause, Section};
use crate::skier::{Skier, Steady};
use crate::units::Length;
use crate::zones::{KindSet, Waterway};

pub(super) const KIND: RuleKind = RuleKind { id: "ski-proximity", build };

#[derive(Debug)]
struct SkiProximity {
    clauses: Vec<Protected>,
}

#[derive(Debug)]
struct Protected {
    clause: Clause,
    within: Length,
    of: KindSet,
    of_stationary: bool,
    of_trolling: bool,
    takeoff: Option<TakeOff>,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let clause = table.clause();
        let (within, of) = (table.need("within"), table.need("of"));
        let of_stationary = table.or("of_stationary_vessels", false);
        let of_trolling = table.or("of_trolling_vessels", false);
        let takeoff = TakeOff::read(&mut table);
        table.finish();
        if let (Some(within), Some(of)) = (within, of) {
            clauses.push(Protected { clause, within, of, of_stationary, of_trolling, takeoff });
        }
    }
    Some(Box::new(SkiProximity { clauses }))
}

impl Rule for SkiProximity {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|protected| &protected.clause).collect()
    }

    fn quiet_below_mps(&self, _: &Waterway) -> f64 {
        f64::INFINITY
    }

    fn looks_around(&self) -> bool {
        true
    }

    fn reach_m(&self) -> f64 {
        self.clauses.iter().map(|protected| protected.within.m()).fold(0.0, f64::max)
    }

    fn minds_others(&self) -> bool {
        self.clauses.iter().any(|protected| protected.of_stationary || protected.of_trolling)
    }

    fn needs_tow(&self) -> bool {
        true
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let up = scene.skier_up();
        if up.is_empty() {
            return;
        }
        for (i, protected) in self.clauses.iter().enumerate() {
            let lawful = protected.takeoff.map_or_else(Spans::none, |takeoff| takeoff.lawful(scene));
            let bound = scene.bound_by(&protected.clause).intersect(&up).subtract(&lawful);
            if bound.is_empty() {
                continue;
            }
            let first = out.len();
            protected.near_features(i as u16, &bound, scene, out);
            protected.near_vessels(i as u16, &bound, scene, out);
            if let Some(takeoff) = protected.takeoff.filter(|_| out.len() > first) {
                let excuses = takeoff.excuses(scene);
                out[first..].iter_mut().for_each(|sighting| sighting.excuses.clone_from(&excuses));
            }
        }
    }

    fn tells(&self, told: &Told<'_>) -> Option<String> {
        let who = if told.is_of_skier {
            format!("the skier behind {}", told.vessel)
        } else {
            format!("{}, with a skier in tow,", told.vessel)
        };
        let near = told.other.map_or_else(|| told.near.clone(), |other| Some(format!("vessel {other}")))?;
        let (distance, within) = (told.distance.clone()?, told.within.clone()?);
        Some(format!("{who} came within {distance} of {near}; {within} must be kept"))
    }
}

/// The boat, or one of its skiers.
#[derive(Clone, Copy)]
enum Who<'a> {
    Boat,
    Skier(&'a Skier),
}

impl Protected {
    fn near_features(&self, clause: u16, bound: &Spans, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let radius_m = self.within.m();
        let mut near: SmallVec<[(&NearFeature<'_>, Who<'_>, Spans); 4]> = SmallVec::new();
        for feature in scene.of_kinds(self.of) {
            for who in everybody(scene) {
                let spans = match who {
                    Who::Boat => scene.within_of(feature, radius_m),
                    Who::Skier(skier) => scene.skier_within_of(skier, feature, radius_m),
                }
                .intersect(bound);
                if !spans.is_empty() {
                    near.push((feature, who, spans));
                }
            }
        }
        let any: Spans = near.iter().flat_map(|(_, _, spans)| spans.iter()).collect();
        for span in any.iter() {
            let involved = near.iter().filter(|(_, _, spans)| spans.iter().any(|s| s.intersect(span).is_some()));
            let nearest = involved
                .clone()
                .flat_map(|(feature, who, spans)| {
                    let within = spans.within(span);
                    within
                        .iter()
                        .map(|part| (nearest_to(scene, *who, feature, part), *feature, *who))
                        .collect::<SmallVec<[_; 2]>>()
                })
                .min_by(|p, q| nearer(p.0, q.0).then(p.1.id.cmp(q.1.id)));
            let Some(((at_s, distance_m), feature, who)) = nearest else { continue };
            let mut features: SmallVec<[_; 2]> = involved.map(|(feature, _, _)| feature.id.clone()).collect();
            features.sort();
            features.dedup();
            let place = match who {
                Who::Boat => Place::Near { kinds: self.of, radius_m },
                Who::Skier(skier) => {
                    Place::SkierNear { kinds: self.of, radius_m, skier: Box::new(scene.skier_spot(skier, at_s)) }
                }
            };
            let mut sighting = self.sighting(clause, span, at_s, distance_m, who, place, scene);
            sighting.peak.feature = Some(feature.id.clone());
            sighting.features = features;
            out.push(sighting);
        }
    }

    fn near_vessels(&self, clause: u16, bound: &Spans, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let radius_m = self.within.m();
        let is_meant =
            |other: &&OtherPath<'_>| self.of_stationary && other.is_stationary || self.of_trolling && other.is_trolling;
        for other in scene.others.iter().filter(is_meant) {
            let path = Steady::of(&other.motion, other.during.from_s);
            let mut near: SmallVec<[(Who<'_>, Spans); 2]> = SmallVec::new();
            for who in everybody(scene) {
                let spans = match who {
                    Who::Boat => scene.within_of_vessel(other, radius_m),
                    Who::Skier(skier) => skier.stretch.within_of(&path, radius_m, other.during),
                }
                .intersect(bound);
                if !spans.is_empty() {
                    near.push((who, spans));
                }
            }
            let any: Spans = near.iter().flat_map(|(_, spans)| spans.iter()).collect();
            for span in any.iter() {
                let nearest = near
                    .iter()
                    .flat_map(|(who, spans)| {
                        let within = spans.within(span);
                        let of_part = |part| match who {
                            Who::Boat => scene.nearest_to_vessel(other, part),
                            Who::Skier(skier) => skier.stretch.nearest_to(&path, part),
                        };
                        within.iter().map(|part| (of_part(part), *who)).collect::<SmallVec<[_; 2]>>()
                    })
                    .min_by(|p, q| nearer(p.0, q.0));
                let Some(((at_s, distance_m), who)) = nearest else { continue };
                let there = scene.vessel_spot(other, at_s);
                let here = match who {
                    Who::Boat => scene.own_spot(at_s),
                    Who::Skier(skier) => scene.skier_spot(skier, at_s),
                };
                let place = Place::Apart {
                    one: Box::new(here),
                    other: Box::new(there),
                    radius_m,
                    astern: None,
                    faster_than_mps: 0.0,
                };
                let mut sighting = self.sighting(clause, span, at_s, distance_m, who, place, scene);
                sighting.other = Some(other.vessel.clone());
                out.push(sighting);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn sighting(
        &self,
        clause: u16,
        span: Span,
        at_s: f64,
        distance_m: f64,
        who: Who<'_>,
        place: Place,
        scene: &Scene<'_>,
    ) -> Sighting {
        let skier = match who {
            Who::Boat => None,
            Who::Skier(skier) => Some(scene.skier_seen(skier, at_s)),
        };
        Sighting {
            clause,
            zone: None,
            other: None,
            span,
            limit: Limit { speed_mps: None, distance_m: Some(self.within.m()) },
            peak: Sight {
                at_s,
                speed_mps: scene.leg.speed_at_mps(at_s),
                distance_m: Some(distance_m),
                feature: None,
                skier,
            },
            features: SmallVec::new(),
            place,
            excuses: Vec::new(),
        }
    }
}

/// The boat and its skiers.
fn everybody<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = Who<'a>> {
    let skiers = scene.tow.into_iter().flat_map(|tow| &tow.way.skiers).map(Who::Skier);
    std::iter::once(Who::Boat).chain(skiers)
}

/// When within `span` somebody is nearest to a feature, and how near, metres; zero inside one.
fn nearest_to(scene: &Scene<'_>, who: Who<'_>, feature: &NearFeature<'_>, span: Span) -> (f64, f64) {
    let (inside, edges) = (
        feature.region.and_then(|region| {
            let place = |s: f64| match who {
                Who::Boat => Some(scene.leg.position_at(s)),
                Who::Skier(skier) => scene.leg.frame.to_position(skier.stretch.at(s)),
            };
            let holds = |s: &f64| place(*s).is_some_and(|place| region.contains(place));
            [span.from_s, 0.5 * (span.from_s + span.to_s), span.to_s].into_iter().find(holds)
        }),
        &scene.edges[feature.edges.clone()],
    );
    if let Some(at_s) = inside {
        return (at_s, 0.0);
    }
    edges
        .iter()
        .map(|edge| match who {
            Who::Boat => scene.leg.motion.nearest_to_edge(edge.a, edge.b, span),
            Who::Skier(skier) => skier.stretch.nearest_to_edge(edge.a, edge.b, span),
        })
        .min_by(|p, q| nearer(*p, *q))
        .unwrap_or((span.from_s, f64::INFINITY))
}

/// Orders instants with their distances: the nearer one first, of those that only rounding tells apart the earlier.
fn nearer(p: (f64, f64), q: (f64, f64)) -> Ordering {
    let micrometres = |m: f64| (m * 1e6).round();
    micrometres(p.1).total_cmp(&micrometres(q.1)).then(p.0.total_cmp(&q.0))
}
