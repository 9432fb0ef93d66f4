//! `wake-zone`: slow near what could be hurt (SMC 10.14.140(B)).
//!
//! Each clause names what it protects: kinds of features, or vessels that are stationary or trolling.
//! All features of a clause make one sighting; each other vessel makes one of its own.

use smallvec::SmallVec;

use super::{Limit, NearFeature, OtherPath, Place, Rule, RuleKind, Scene, Sight, Sighting};
use crate::geo::motion::Motion;
use crate::geo::{Span, Spans, Vec2};
use crate::rulebook::{Clause, Section};
use crate::units::{Length, Speed};
use crate::zones::{KindSet, Waterway, ZoneKind};

pub(super) const KIND: RuleKind = RuleKind { id: "wake-zone", build };

#[derive(Debug)]
struct WakeZone {
    clauses: Vec<Protected>,
}

#[derive(Debug)]
struct Protected {
    clause: Clause,
    limit: Speed,
    within: Length,
    of: Of,
}

/// What other vessels have to be doing to be protected.
#[derive(Debug, Clone, Copy)]
enum VesselState {
    Stationary,
    Trolling,
}

/// What is protected.
#[derive(Debug, Clone, Copy)]
enum Of {
    Features(KindSet),
    Vessels(VesselState),
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let clause = table.clause();
        let (limit, within) = (table.need("limit"), table.need("within"));
        let states = [("stationary", VesselState::Stationary), ("trolling", VesselState::Trolling)];
        let of = match table.choice("of_vessels", &states) {
            Some(state) => Some(Of::Vessels(state)),
            None => table.need("of").map(Of::Features),
        };
        table.finish();
        if let (Some(limit), Some(within), Some(of)) = (limit, within, of) {
            clauses.push(Protected { clause, limit, within, of });
        }
    }
    Some(Box::new(WakeZone { clauses }))
}

impl Rule for WakeZone {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|protected| &protected.clause).collect()
    }

    fn quiet_below_mps(&self, _: &Waterway) -> f64 {
        self.clauses.iter().map(|protected| protected.limit.mps()).fold(f64::INFINITY, f64::min)
    }

    fn shore_within(&self) -> Option<Length> {
        let of_shore = |of: &Of| matches!(of, Of::Features(kinds) if kinds.contains(ZoneKind::Shoreline));
        let within = self.clauses.iter().filter(|protected| of_shore(&protected.of)).map(|protected| protected.within);
        within.min_by(|a, b| a.m().total_cmp(&b.m()))
    }

    fn slow_near(&self) -> Vec<(KindSet, f64)> {
        let near = self.clauses.iter().filter_map(|protected| match protected.of {
            Of::Features(kinds) => Some((kinds, protected.within.m())),
            Of::Vessels(_) => None,
        });
        near.collect()
    }

    fn looks_around(&self) -> bool {
        true
    }

    fn reach_m(&self) -> f64 {
        self.clauses.iter().map(|protected| protected.within.m()).fold(0.0, f64::max)
    }

    fn minds_others(&self) -> bool {
        self.clauses.iter().any(|protected| matches!(protected.of, Of::Vessels(_)))
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        for (i, protected) in self.clauses.iter().enumerate() {
            let Some(fast) = scene.leg.faster_than(protected.limit.mps()) else { continue };
            match protected.of {
                Of::Features(kinds) => protected.near_features(i as u16, kinds, fast, scene, out),
                Of::Vessels(state) => protected.near_vessels(i as u16, state, fast, scene, out),
            }
        }
    }
}

impl Protected {
    fn near_features(&self, clause: u16, kinds: KindSet, fast: Span, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let radius_m = self.within.m();
        let near: SmallVec<[(&NearFeature<'_>, Spans); 4]> = scene
            .of_kinds(kinds)
            .map(|feature| (feature, scene.within_of(feature, radius_m).within(fast)))
            .filter(|(_, spans)| !spans.is_empty())
            .collect();
        if near.is_empty() {
            return;
        }
        let any: Spans = near.iter().flat_map(|(_, spans)| spans.iter()).collect();
        for span in any.intersect(&scene.bound_by(&self.clause)).iter() {
            let involved = || near.iter().filter(|(_, spans)| spans.iter().any(|s| s.intersect(span).is_some()));
            let at_s = scene.worst_instant_s(span, involved().map(|(feature, _)| *feature));
            let nearest = involved()
                .filter(|(_, spans)| spans.contains(at_s))
                .map(|(feature, _)| (scene.distance_to_m(feature, at_s), feature.id))
                .min_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(q.1)));
            out.push(Sighting {
                clause,
                zone: None,
                other: None,
                span,
                limit: self.allowed(),
                peak: Sight {
                    at_s,
                    speed_mps: scene.leg.speed_at_mps(at_s),
                    distance_m: nearest.map(|(m, _)| m),
                    feature: nearest.map(|(_, id)| id.clone()),
                    skier: None,
                },
                features: involved().map(|(feature, _)| feature.id.clone()).collect(),
                place: Place::Near { kinds, radius_m },
                excuses: Vec::new(),
            });
        }
    }

    fn near_vessels(&self, clause: u16, state: VesselState, fast: Span, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let radius_m = self.within.m();
        for other in scene.others {
            let is_meant = match state {
                VesselState::Stationary => other.is_stationary,
                VesselState::Trolling => other.is_trolling,
            };
            let Some(during) = is_meant.then(|| other.during.intersect(fast)).flatten() else { continue };
            let Some(near) = apart(scene, other).within_of_edge(Vec2::default(), Vec2::default(), radius_m) else {
                continue;
            };
            let Some(near) = Span::new(near.from_s + other.during.from_s, near.to_s + other.during.from_s) else {
                continue;
            };
            let Some(span) = near.intersect(during) else { continue };
            for span in scene.bound_by(&self.clause).within(span).iter() {
                let at_s = worst_beside(scene, other, span);
                let there = other.motion.at(at_s - other.during.from_s);
                let here = scene.leg.motion.at(at_s);
                out.push(Sighting {
                    clause,
                    zone: None,
                    other: Some(other.vessel.clone()),
                    span,
                    limit: self.allowed(),
                    peak: Sight {
                        at_s,
                        speed_mps: scene.leg.speed_at_mps(at_s),
                        distance_m: Some((there - here).norm()),
                        feature: None,
                        skier: None,
                    },
                    features: SmallVec::new(),
                    place: Place::NearVessel {
                        position: scene.leg.frame.to_position(there).unwrap_or(scene.leg.frame.origin()),
                        accuracy_m: other.accuracy_m,
                        radius_m,
                    },
                    excuses: Vec::new(),
                });
            }
        }
    }

    fn allowed(&self) -> Limit {
        Limit { speed_mps: Some(self.limit.mps()), distance_m: Some(self.within.m()) }
    }
}

/// The subject's motion as seen from the other vessel, over the time both are known.
fn apart(scene: &Scene<'_>, other: &OtherPath<'_>) -> Motion {
    let own = Motion {
        from: scene.leg.motion.at(other.during.from_s),
        to: scene.leg.motion.at(other.during.to_s),
        span_s: other.during.length_s(),
    };
    own.relative_to(&other.motion)
}

/// The instant of `span` with the highest speed, or where that is steady, nearest to the other vessel.
fn worst_beside(scene: &Scene<'_>, other: &OtherPath<'_>, span: Span) -> f64 {
    let speed = |s| scene.leg.speed_at_mps(s).unwrap_or(0.0);
    if speed(span.from_s) == speed(span.to_s) {
        let start = other.during.from_s;
        let window = Span { from_s: span.from_s - start, to_s: span.to_s - start };
        start + apart(scene, other).nearest_to_edge(Vec2::default(), Vec2::default(), window).0
    } else if speed(span.from_s) > speed(span.to_s) {
        span.from_s
    } else {
        span.to_s
    }
}
