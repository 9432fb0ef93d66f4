//! Which shore is nearest, all along a leg.
//!
//! The distance to each edge is, piece by piece, the root of a quadratic in time: to one end, to the
//! edge's line, to the other end. Walking along the leg from one piece to the next that becomes nearer
//! gives the nearest shore at every instant, exactly.

use super::{NearEdge, Scene};
use crate::geo::motion::Motion;
use crate::geo::{Span, Spans, Vec2};
use crate::units::Angle;

/// Along which span the nearest shore is one corner or the inside of one edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Nearest {
    /// From when, seconds since the start of the leg.
    pub from_s: f64,
    /// Until when.
    pub to_s: f64,
    /// What is nearest.
    pub shore: Shore,
}

/// The nearest piece of shore.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shore {
    /// A corner, at this point of the plane.
    Corner(Vec2),
    /// The inside of an edge through the first point in the direction of the second.
    Side(Vec2, Vec2),
}

/// A stretch of the leg on which the squared distance to one edge is one quadratic c0 + c1 s + c2 s².
struct Piece {
    from_s: f64,
    to_s: f64,
    c: [f64; 3],
    shore: Shore,
}

/// The nearest of `edges` all along the motion, in order of time. Empty where there are none.
pub(super) fn nearest_along(motion: &Motion, edges: impl Iterator<Item = NearEdge>) -> Vec<Nearest> {
    let pieces: Vec<Piece> = edges.flat_map(|edge| pieces_of(motion, &edge)).collect();
    let mut out: Vec<Nearest> = Vec::new();
    let mut s = 0.0;
    let mut current = match best_at(&pieces, s, None) {
        Some(i) => i,
        None => return out,
    };
    loop {
        let piece = &pieces[current];
        // Where another piece becomes nearer, or this one ends.
        let mut next_s = piece.to_s.min(motion.span_s);
        for other in &pieces {
            if let Some(at) = becomes_nearer(piece, other, s, next_s) {
                next_s = next_s.min(at);
            }
        }
        out.push(Nearest { from_s: s, to_s: next_s, shore: piece.shore });
        if next_s >= motion.span_s {
            return out;
        }
        s = next_s;
        match best_at(&pieces, s, Some(motion.span_s)) {
            Some(i) => current = i,
            None => return out,
        }
    }
}

/// The piece that is nearest from `s` on: of those equally near at `s`, the one that is nearest just after.
fn best_at(pieces: &[Piece], s: f64, span_s: Option<f64>) -> Option<usize> {
    let just_after = span_s.map_or(s, |span_s| (s + 1e-6).min(span_s));
    let is_there =
        |p: &Piece| p.from_s <= just_after && (just_after < p.to_s || p.to_s >= span_s.unwrap_or(just_after));
    (0..pieces.len())
        .filter(|&i| is_there(&pieces[i]))
        .reduce(|best, i| if is_nearer_from(&pieces[i], &pieces[best], s) { i } else { best })
}

fn value(piece: &Piece, s: f64) -> f64 {
    piece.c[0] + s * (piece.c[1] + s * piece.c[2])
}

/// Whether one piece is nearer than another from `s` on. Where a side follows its corner, distances and how fast they
/// change are equal: then the one that bends down is.
fn is_nearer_from(piece: &Piece, other: &Piece, s: f64) -> bool {
    let d: [f64; 3] = std::array::from_fn(|i| piece.c[i] - other.c[i]);
    let scale = 1.0 + value(other, s).abs();
    let gap = d[0] + s * (d[1] + s * d[2]);
    let slope = d[1] + 2.0 * d[2] * s;
    if gap.abs() > 1e-9 * scale {
        gap < 0.0
    } else if slope.abs() > 1e-8 * scale {
        slope < 0.0
    } else {
        d[2] < 0.0
    }
}

/// The first instant after `s`, before `until_s`, at which `other` becomes nearer than `piece`.
fn becomes_nearer(piece: &Piece, other: &Piece, s: f64, until_s: f64) -> Option<f64> {
    let (lo, hi) = (s.max(other.from_s), until_s.min(other.to_s));
    if lo >= hi {
        return None;
    }
    // A piece that begins nearer takes over where it begins.
    if lo > s && is_nearer_from(other, piece, lo) {
        return Some(lo);
    }
    let d: [f64; 3] = std::array::from_fn(|i| other.c[i] - piece.c[i]);
    let mut roots = [f64::NAN; 2];
    if d[2].abs() < 1e-12 {
        if d[1] != 0.0 {
            roots[0] = -d[0] / d[1];
        }
    } else {
        let discriminant = d[1] * d[1] - 4.0 * d[2] * d[0];
        if discriminant >= 0.0 {
            // The form that does not cancel.
            let q = -0.5 * (d[1] + discriminant.sqrt().copysign(d[1]));
            roots = [q / d[2], if q != 0.0 { d[0] / q } else { f64::NAN }];
        }
    }
    roots.into_iter().filter(|&r| r > lo + 1e-9 && r < hi && d[1] + 2.0 * d[2] * r < 0.0).min_by(f64::total_cmp)
}

/// The distance to one edge along the motion, as up to three pieces.
fn pieces_of(motion: &Motion, edge: &NearEdge) -> Vec<Piece> {
    let span_s = motion.span_s;
    let v = if span_s > 0.0 { (motion.to - motion.from) * (1.0 / span_s) } else { Vec2::default() };
    let corner = |p: Vec2, from_s: f64, to_s: f64| {
        let d = motion.from - p;
        Piece { from_s, to_s, c: [d.norm2(), 2.0 * d.dot(v), v.norm2()], shore: Shore::Corner(p) }
    };
    let ab = edge.b - edge.a;
    let len2 = ab.norm2();
    if len2 == 0.0 {
        return vec![corner(edge.a, 0.0, span_s)];
    }
    // How far along the edge the foot of the perpendicular lies, as a fraction, linear in time.
    let (u0, du) = ((motion.from - edge.a).dot(ab) / len2, v.dot(ab) / len2);
    let mut cuts = vec![0.0, span_s];
    if du != 0.0 {
        cuts.extend([-u0 / du, (1.0 - u0) / du].into_iter().filter(|s| *s > 0.0 && *s < span_s));
    }
    cuts.sort_by(f64::total_cmp);
    let len = len2.sqrt();
    let (w0, dw) = (ab.cross(motion.from - edge.a) / len, ab.cross(v) / len);
    cuts.windows(2)
        .filter(|w| w[1] > w[0] || span_s == 0.0)
        .map(|w| {
            let u = u0 + du * 0.5 * (w[0] + w[1]);
            if u <= 0.0 {
                corner(edge.a, w[0], w[1])
            } else if u >= 1.0 {
                corner(edge.b, w[0], w[1])
            } else {
                Piece {
                    from_s: w[0],
                    to_s: w[1],
                    c: [w0 * w0, 2.0 * w0 * dw, dw * dw],
                    shore: Shore::Side(edge.a, ab * (1.0 / len)),
                }
            }
        })
        .collect()
}

/// The part of the leg on which the vessel's course is within `angle` of straight away from the nearest
/// shoreline.
pub(super) fn heading_out(scene: &Scene<'_>, angle: Angle) -> Spans {
    let Some(course_deg) = scene.leg.course_deg() else { return Spans::none() };
    let (sin, cos) = libm::sincos(course_deg.to_radians());
    let course = Vec2::new(sin, cos);
    let cos_angle = libm::cos(angle.deg().to_radians());
    let motion = &scene.leg.motion;
    let mut spans = Spans::none();
    for part in nearest_along(motion, scene.shore_edges().into_iter()) {
        let (from, to) = (part.shore.away(motion.at(part.from_s)), part.shore.away(motion.at(part.to_s)));
        let off = |away: Vec2| away.dot(course) - cos_angle * away.norm();
        // Along one piece of shore the angle off changes one way only: not at all beside a straight shore
        // unless it is crossed, steadily smaller past a corner.
        let span = match (off(from) >= 0.0, off(to) >= 0.0) {
            (true, true) => Span::new(part.from_s, part.to_s),
            (false, false) => None,
            (is_departing, _) => {
                let at = crossing(part.from_s, part.to_s, |s| off(part.shore.away(motion.at(s))) >= 0.0, is_departing);
                if is_departing { Span::new(part.from_s, at) } else { Span::new(at, part.to_s) }
            }
        };
        if let Some(span) = span {
            spans.add(span);
        }
    }
    spans
}

/// Where a statement changes from `at_start` within a span, to less than the slivers that a subtraction drops:
/// who comes from ashore straight out departs from the waterline on.
fn crossing(from_s: f64, to_s: f64, holds: impl Fn(f64) -> bool, at_start: bool) -> f64 {
    let (mut lo, mut hi) = (from_s, to_s);
    while hi - lo > 1e-7 {
        let mid = 0.5 * (lo + hi);
        if holds(mid) == at_start { lo = mid } else { hi = mid }
    }
    0.5 * (lo + hi)
}

impl Shore {
    /// From the nearest point of this shore to `p`.
    pub fn away(&self, p: Vec2) -> Vec2 {
        match *self {
            Self::Corner(corner) => p - corner,
            Self::Side(a, along) => p - (a + along * (p - a).dot(along)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::motion::point_edge;

    fn edge(a: (f64, f64), b: (f64, f64)) -> NearEdge {
        NearEdge { a: Vec2::new(a.0, a.1), b: Vec2::new(b.0, b.1), feature: 0 }
    }

    /// The walk names the nearest edge at every instant, compared with looking at all of them.
    #[test]
    fn the_walk_agrees_with_looking_at_every_edge() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 * 100.0
        };
        for _ in 0..200 {
            let edges: Vec<NearEdge> = (0..12)
                .map(|_| {
                    let a = (random(), random());
                    edge(a, (a.0 + random() / 5.0 - 10.0, a.1 + random() / 5.0 - 10.0))
                })
                .collect();
            let motion =
                Motion { from: Vec2::new(random(), random()), to: Vec2::new(random(), random()), span_s: 10.0 };
            let walk = nearest_along(&motion, edges.iter().copied());
            assert_eq!(walk.first().map(|n| n.from_s), Some(0.0));
            assert_eq!(walk.last().map(|n| n.to_s), Some(10.0));
            for step in 0..=1000 {
                let s = f64::from(step) * 0.01;
                let p = motion.at(s);
                let truth = edges.iter().map(|e| point_edge(p, e.a, e.b).0).fold(f64::INFINITY, f64::min);
                let part = walk.iter().find(|n| n.from_s <= s && s <= n.to_s).expect("the walk covers the leg");
                let said = part.shore.away(p).norm();
                assert!((said - truth).abs() < 1e-3, "at {s}: {said} is not {truth}");
            }
        }
    }

    /// Edges that share their corners, as those of a shore do: from a corner on, its side is the nearest.
    #[test]
    fn along_a_shore_of_joined_edges_the_walk_is_exact() {
        let mut state = 11_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..300 {
            let mut at = (-20.0, 0.0);
            let edges: Vec<NearEdge> = (0..30)
                .map(|_| {
                    let from = at;
                    at = (at.0 + random() * 10.0, random() * 14.0 - 7.0);
                    edge(from, at)
                })
                .collect();
            let motion = Motion {
                from: Vec2::new(random() * 100.0, 10.0 + random() * 30.0),
                to: Vec2::new(random() * 100.0, 10.0 + random() * 30.0),
                span_s: 10.0,
            };
            for part in nearest_along(&motion, edges.iter().copied()) {
                for share in [0.01, 0.5, 0.99] {
                    let p = motion.at(part.from_s + share * (part.to_s - part.from_s));
                    let truth = edges.iter().map(|e| point_edge(p, e.a, e.b).0).fold(f64::INFINITY, f64::min);
                    let said = part.shore.away(p).norm();
                    assert!((said - truth).abs() < 1e-6, "{part:?}: {said} is not {truth}");
                }
            }
        }
    }

    #[test]
    fn no_shore_no_walk() {
        let motion = Motion { from: Vec2::default(), to: Vec2::new(1.0, 0.0), span_s: 1.0 };
        assert!(nearest_along(&motion, std::iter::empty()).is_empty());
        let still = Motion { from: Vec2::default(), to: Vec2::default(), span_s: 0.0 };
        assert_eq!(nearest_along(&still, std::iter::once(edge((1.0, -1.0), (1.0, 1.0)))).len(), 1);
    }
}
