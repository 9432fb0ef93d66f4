//! Where along a leg the course is against the direction of travel that [`crate::zones::Travel`] is at a position.
//!
//! Along a leg the nearest guide (shore or drawn line) is, piece by piece, one corner or one side ([`super::shore`]),
//! so the way to it is linear in time, and so is everything that decides. Whether the course is against the
//! direction, or mid-water near, changes only where one of a few polynomials is zero: those instants are
//! solved, and between two of them any instant answers for all.

use smallvec::SmallVec;

use super::NearEdge;
use super::shore::nearest_along;
use crate::geo::motion::{Motion, part_behind};
use crate::geo::roots::{product, roots_within};
use crate::geo::{Position, Span, Spans, Vec2};
use crate::track::Leg;
use crate::zones::{FeatureIx, Hand, TravelTerms, Waterway};

/// A stretch of a leg on which the course is against the direction of travel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Against {
    /// From when to when, seconds since the start of the leg.
    pub span: Span,
    /// The instant at which it is most so.
    pub worst_s: f64,
    /// By how much it is off then, degrees, 0 to 180.
    pub off_deg: f64,
}

/// The stretches of the leg on which its course is more than `turned_deg` (90 to 180) away from the direction of
/// travel. `lines` are the circulation lines and when they are in force; without one the shore gives it.
pub(super) fn against(
    leg: &Leg,
    waterway: &Waterway,
    terms: &TravelTerms,
    turned_deg: f64,
    lines: &[(FeatureIx, Spans)],
) -> Vec<Against> {
    let Some(course_deg) = leg.course_deg() else { return Vec::new() };
    let (sin, cos) = libm::sincos(course_deg.to_radians());
    let turned = Turned { course: Vec2::new(sin, cos), cos_within: -libm::cos(turned_deg.to_radians()) };

    let mut found = Vec::new();
    let ends = lines.iter().flat_map(|(_, present)| present.iter()).flat_map(|span| [span.from_s, span.to_s]);
    let mut cuts: SmallVec<[f64; 4]> = ends.chain([0.0, leg.motion.span_s]).collect();
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    let windows = cuts.windows(2).map(|ends| Span { from_s: ends[0], to_s: ends[1] });
    // A fix alone is an instant.
    for window in windows.chain((cuts.len() == 1).then_some(leg.whole())) {
        let middle_s = 0.5 * (window.from_s + window.to_s);
        let in_force: SmallVec<[FeatureIx; 2]> =
            lines.iter().filter(|(_, present)| present.contains(middle_s)).map(|&(ix, _)| ix).collect();
        if in_force.is_empty() {
            turned.by_shore(leg, waterway, terms, window, &mut found);
        } else {
            turned.by_lines(leg, waterway, &in_force, window, &mut found);
        }
    }
    found
}

/// A course, and how far from the opposite of the direction of travel it still counts as against it.
struct Turned {
    /// Unit vector.
    course: Vec2,
    /// Cosine of that angle, 0 to 1.
    cos_within: f64,
}

/// A stretch of a leg on which the way to the guide is linear in time.
#[derive(Clone, Copy)]
struct Part {
    span: Span,
    /// The way to the nearest point of the guide: at time zero, and its change in a second.
    guide: [Vec2; 2],
}

impl Turned {
    fn by_shore(&self, leg: &Leg, waterway: &Waterway, terms: &TravelTerms, window: Span, out: &mut Vec<Against>) {
        let band_m = 2.0 * terms.mid_water_m;
        let (edges, reach_m) = outer_edges(leg, waterway, band_m);
        for (span, parts) in self.stretches(terms.shore_to, &leg.motion, &edges, window) {
            let band = Band { motion: &leg.motion, edges: &edges, reach_m: reach_m + band_m, band_m };
            let mut clear = Spans::one(span);
            for part in &parts {
                clear = clear.subtract(&band.near_mid_water(part));
            }
            out.extend(clear.iter().map(|span| self.worst(terms.shore_to, &parts, span)));
        }
    }

    fn by_lines(&self, leg: &Leg, waterway: &Waterway, lines: &[FeatureIx], window: Span, out: &mut Vec<Against>) {
        let mut edges = Vec::new();
        for &ix in lines {
            waterway.feature(ix).shape.each_edge(&mut |a, b| edges.push(in_plane(leg, a, b)));
        }
        let stretches = self.stretches(Hand::Port, &leg.motion, &edges, window);
        out.extend(stretches.into_iter().map(|(span, parts)| self.worst(Hand::Port, &parts, span)));
    }

    /// The stretches of a window on which the course is against keeping the nearest edge on a hand, with their parts.
    fn stretches(
        &self,
        hand: Hand,
        motion: &Motion,
        edges: &[NearEdge],
        window: Span,
    ) -> Vec<(Span, SmallVec<[Part; 2]>)> {
        let parts: Vec<Part> = nearest_along(motion, edges.iter().copied())
            .into_iter()
            .filter_map(|nearest| {
                let span = Span::new(nearest.from_s, nearest.to_s)?.intersect(window)?;
                let way = |s: f64| nearest.shore.away(motion.at(s)) * -1.0;
                let start = way(0.0);
                let a_second = if motion.span_s > 0.0 {
                    (way(motion.span_s) - start) * (1.0 / motion.span_s)
                } else {
                    Vec2::default()
                };
                Some(Part { span, guide: [start, a_second] })
            })
            .collect();
        let against: Spans = parts.iter().flat_map(|part| self.against_in(hand, part)).collect();
        against
            .iter()
            .map(|span| (span, parts.iter().copied().filter(|p| p.span.intersect(span).is_some()).collect()))
            .collect()
    }

    /// The spans of a part on which the course is against the direction of travel: the guide is on the wrong hand,
    /// within the angle of abeam.
    fn against_in(&self, hand: Hand, part: &Part) -> SmallVec<[Span; 2]> {
        // Where the sine of the bearing of the guide passes the cosine: across² = cos² length².
        let across = [0, 1].map(|i| self.course.cross(part.guide[i]));
        let k = self.cos_within * self.cos_within;
        let square = |a: f64, b: f64| [a * a, 2.0 * a * b, b * b];
        let [g, d] = part.guide;
        let length2 = [g.norm2(), 2.0 * g.dot(d), d.norm2()];
        let beside = square(across[0], across[1]);
        let gap: [f64; 3] = std::array::from_fn(|i| beside[i] - k * length2[i]);
        let changes = roots_within(&gap, part.span.from_s, part.span.to_s).into_iter().chain(roots_within(
            &across,
            part.span.from_s,
            part.span.to_s,
        ));
        part.spans_where(changes, |s| self.off_cos(hand, part.way(s)).is_some_and(|cos| cos < -self.cos_within))
    }

    /// Cosine of the angle between the course and the direction of travel of who has the guide that way.
    fn off_cos(&self, hand: Hand, guide: Vec2) -> Option<f64> {
        let way = hand.keeping(guide);
        let length_m = way.norm();
        (length_m > 0.0).then(|| self.course.dot(way) / length_m)
    }

    /// The instant of a span at which the course is most against the direction. It changes one way only along a part,
    /// but for passing the very opposite.
    fn worst(&self, hand: Hand, parts: &[Part], span: Span) -> Against {
        let mut worst = (span.from_s, 1.0);
        for part in parts {
            let Some(shared) = part.span.intersect(span) else { continue };
            let along = [0, 1].map(|i| self.course.dot(part.guide[i]));
            let abeam = roots_within(&along, shared.from_s, shared.to_s);
            for s in [shared.from_s].into_iter().chain(abeam).chain([shared.to_s]) {
                if let Some(cos) = self.off_cos(hand, part.way(s)).filter(|&cos| cos < worst.1) {
                    worst = (s, cos);
                }
            }
        }
        let off_deg = libm::acos(worst.1.clamp(-1.0, 1.0)).to_degrees();
        Against { span, worst_s: worst.0, off_deg }
    }
}

impl Part {
    fn way(&self, s: f64) -> Vec2 {
        self.guide[0] + self.guide[1] * s
    }

    /// The spans of this part on which something holds that changes only at some instants.
    fn spans_where(&self, changes: impl Iterator<Item = f64>, holds: impl Fn(f64) -> bool) -> SmallVec<[Span; 2]> {
        let mut ends: SmallVec<[f64; 8]> = [self.span.from_s, self.span.to_s].into_iter().chain(changes).collect();
        ends.sort_by(f64::total_cmp);
        let spans = ends.windows(2).filter(|w| w[1] > w[0] || self.span.length_s() == 0.0);
        spans.filter(|w| holds(0.5 * (w[0] + w[1]))).map(|w| Span { from_s: w[0], to_s: w[1] }).collect()
    }
}

/// What makes mid-water near: shore behind, seen with the nearest shore ahead, that is not much further off.
struct Band<'e> {
    motion: &'e Motion,
    edges: &'e [NearEdge],
    /// No shore further from the leg than this matters, metres.
    reach_m: f64,
    /// By how much the opposite shore may be further off, metres.
    band_m: f64,
}

impl Band<'_> {
    /// When during a part some shore that lies more than 90° away from the nearest is at most `band_m` further off:
    /// when a half disc about the vessel, away from the nearest shore, touches an edge.
    fn near_mid_water(&self, part: &Part) -> Spans {
        let Self { motion, reach_m, .. } = *self;
        let span_s = motion.span_s;
        let velocity = if span_s > 0.0 { (motion.to - motion.from) * (1.0 / span_s) } else { Vec2::default() };
        let near = self.edges.iter().filter(|edge| motion.nearest_to_edge(edge.a, edge.b, part.span).1 <= reach_m);
        near.filter(|edge| part.may_have_behind(motion.from, velocity, edge))
            .flat_map(|edge| {
                let changes = self.changes(part, velocity, edge);
                part.spans_where(changes.into_iter(), |s| self.touches(part, edge, s))
            })
            .collect()
    }

    fn touches(&self, part: &Part, edge: &NearEdge, s: f64) -> bool {
        let (here, guide) = (self.motion.at(s), part.way(s));
        let (a, b) = (edge.a - here, edge.b - here);
        part_behind(a, b, guide).is_some_and(|(from, to)| {
            let nearest_m = crate::geo::motion::point_edge(Vec2::default(), a.lerp(b, from), a.lerp(b, to)).0;
            nearest_m <= guide.norm() + self.band_m
        })
    }

    /// The instants at which the half disc may begin or end to touch an edge: an end of the edge or the edge itself
    /// touches its arc, an end of the edge its diameter, or an end of its diameter the edge.
    fn changes(&self, part: &Part, velocity: Vec2, edge: &NearEdge) -> SmallVec<[f64; 8]> {
        let Span { from_s, to_s } = part.span;
        let [g, d] = part.guide;
        let shore2 = [g.norm2(), 2.0 * g.dot(d), d.norm2()];
        let band = self.band_m;
        let mut out = SmallVec::new();
        // Where a distance q equals the radius √P + band: (q² - P - band²)² = 4 band² P.
        let mut on_arc = |distance2: [f64; 3]| {
            let mut rest: [f64; 3] = std::array::from_fn(|i| distance2[i] - shore2[i]);
            rest[0] -= band * band;
            let mut gap = product(rest, rest);
            for i in 0..3 {
                gap[i] -= 4.0 * band * band * shore2[i];
            }
            out.extend(roots_within(&gap, from_s, to_s));
        };
        for end in [edge.a, edge.b] {
            let r = end - self.motion.from;
            on_arc([r.norm2(), -2.0 * r.dot(velocity), velocity.norm2()]);
        }
        let ab = edge.b - edge.a;
        let length_m = ab.norm();
        if length_m > 0.0 {
            let off = [ab.cross(self.motion.from - edge.a) / length_m, ab.cross(velocity) / length_m];
            on_arc([off[0] * off[0], 2.0 * off[0] * off[1], off[1] * off[1]]);
            // The ends of the diameter lie (√P + band)/√P quarter turns of the guide away: where those cross the
            // edge's line, (off ± turned)² P = band² turned².
            let turned = [0, 1].map(|i| ab.cross(Vec2::new(-part.guide[i].north_m, part.guide[i].east_m)) / length_m);
            let square = |a: f64, b: f64| [a * a, 2.0 * a * b, b * b];
            for sign in [1.0, -1.0] {
                let both = square(off[0] + sign * turned[0], off[1] + sign * turned[1]);
                let mut gap = product(both, shore2);
                let own = square(turned[0], turned[1]);
                for i in 0..3 {
                    gap[i] -= band * band * own[i];
                }
                out.extend(roots_within(&gap, from_s, to_s));
            }
        }
        for end in [edge.a, edge.b] {
            out.extend(roots_within(&part.ahead(self.motion.from, velocity, end), from_s, to_s));
        }
        out
    }
}

impl Part {
    /// How far a point lies toward the guide, times the distance to it, as a polynomial in time.
    fn ahead(&self, from: Vec2, velocity: Vec2, point: Vec2) -> [f64; 3] {
        let ([g, d], r) = (self.guide, point - from);
        [r.dot(g), r.dot(d) - velocity.dot(g), -velocity.dot(d)]
    }

    /// Whether any of an edge may lie more than 90° away from the guide at any instant of this part.
    fn may_have_behind(&self, from: Vec2, velocity: Vec2, edge: &NearEdge) -> bool {
        [edge.a, edge.b].into_iter().any(|end| {
            let c = self.ahead(from, velocity, end);
            let value = |s: f64| c[0] + s * (c[1] + s * c[2]);
            // A parabola strays from its chord by a quarter of its curvature at most.
            let stray = 0.25 * c[2].abs() * self.span.length_s() * self.span.length_s();
            value(self.span.from_s).min(value(self.span.to_s)) - stray < 0.0
        })
    }
}

/// Every edge of the outer shore that is nearest somewhere along the leg, or at most `more_m` further off than that,
/// and some others, in a fixed order; and how far off the nearest is at most, metres.
fn outer_edges(leg: &Leg, waterway: &Waterway, more_m: f64) -> (Vec<NearEdge>, f64) {
    let (from, to) = (leg.position_at(0.0), leg.position_at(leg.motion.span_s));
    let nearest_m = |p: Position| waterway.nearest_outer(p, f64::INFINITY).map(|nearest| nearest.distance_m);
    let (Some(from_m), Some(to_m)) = (nearest_m(from), nearest_m(to)) else { return (Vec::new(), 0.0) };
    let length_m = (leg.motion.to - leg.motion.from).norm();
    let reach_m = 0.5 * (from_m + to_m + length_m) + 0.01;
    let mut edges = Vec::new();
    waterway.outer_edges_near(from, to, reach_m + more_m, &mut |edge| edges.push(in_plane(leg, edge.a, edge.b)));
    let place = |e: &NearEdge| [e.a.east_m, e.a.north_m, e.b.east_m, e.b.north_m];
    edges.sort_by(|p, q| {
        let both = place(p).into_iter().zip(place(q));
        both.map(|(x, y)| x.total_cmp(&y)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    (edges, reach_m)
}

fn in_plane(leg: &Leg, a: Position, b: Position) -> NearEdge {
    NearEdge { a: leg.frame.to_plane(a), b: leg.frame.to_plane(b), feature: 0 }
}
