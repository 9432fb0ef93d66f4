//! When a steadily moving point is near an edge: solved, never sampled.
//!
//! The distance from a moving point to an edge is a convex function of time, so the point is within a
//! radius during one span at most: the union of two discs and a slab, two quadratics and a division.

use super::frame::Vec2;
use super::spans::Span;

/// A point that moves in a straight line at a steady rate, from `from` to `to` in `span_s` seconds.
/// With `span_s` of zero it is an instant at `from`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Where it starts, metres in a local frame.
    pub from: Vec2,
    /// Where it ends.
    pub to: Vec2,
    /// How long it takes, seconds, zero or more.
    pub span_s: f64,
}

impl Motion {
    /// The whole time of the motion.
    pub fn whole(&self) -> Span {
        Span { from_s: 0.0, to_s: self.span_s }
    }

    /// Where the point is `s` seconds after the start.
    pub fn at(&self, s: f64) -> Vec2 {
        if self.span_s > 0.0 { self.from.lerp(self.to, s / self.span_s) } else { self.from }
    }

    /// The motion as seen from another point that moves during the same time.
    pub fn relative_to(&self, other: &Motion) -> Motion {
        Motion { from: self.from - other.from, to: self.to - other.to, span_s: self.span_s }
    }

    /// During which span the point is at most `radius_m` from the edge `a`–`b` (a point where both are
    /// equal); ends included, `None` where it never is.
    pub fn within_of_edge(&self, a: Vec2, b: Vec2, radius_m: f64) -> Option<Span> {
        let d = self.to - self.from;
        if self.span_s <= 0.0 || d.norm2() == 0.0 {
            return (point_edge(self.from, a, b).0 <= radius_m).then_some(self.whole());
        }
        let mut found: Option<(f64, f64)> = None;
        let mut join = |part: Option<(f64, f64)>| {
            if let Some((lo, hi)) = part {
                found = Some(found.map_or((lo, hi), |(l, h)| (l.min(lo), h.max(hi))));
            }
        };
        join(in_disc(self.from - a, d, radius_m));
        let ab = b - a;
        let len2 = ab.norm2();
        if len2 > 0.0 {
            join(in_disc(self.from - b, d, radius_m));
            let along0 = (self.from - a).dot(ab) / len2;
            let across0 = ab.cross(self.from - a) / len2.sqrt();
            let part = between(along0, d.dot(ab) / len2, 0.0, 1.0).and_then(|p| {
                between(across0, ab.cross(d) / len2.sqrt(), -radius_m, radius_m).and_then(|q| overlap(p, q))
            });
            join(part);
        }
        let (lo, hi) = found?;
        Span::new(lo.max(0.0) * self.span_s, hi.min(1.0) * self.span_s)
    }

    /// The instant within `window` at which the point is nearest to the edge `a`–`b`, and the distance
    /// there in metres.
    pub fn nearest_to_edge(&self, a: Vec2, b: Vec2, window: Span) -> (f64, f64) {
        let distance = |s: f64| point_edge(self.at(s), a, b).0;
        let mut best = (window.from_s, distance(window.from_s));
        let mut consider = |s: f64| {
            if s >= window.from_s && s <= window.to_s {
                let d = distance(s);
                if d < best.1 {
                    best = (s, d);
                }
            }
        };
        consider(window.to_s);
        if self.span_s > 0.0 {
            let v = (self.to - self.from) * (1.0 / self.span_s);
            let v2 = v.norm2();
            if v2 > 0.0 {
                for corner in [a, b] {
                    consider((corner - self.from).dot(v) / v2);
                }
                let ab = b - a;
                let turn = ab.cross(v);
                if turn != 0.0 {
                    consider(ab.cross(a - self.from) / turn);
                }
            }
        }
        best
    }

    /// The instants at which the path crosses the edge `a`–`b`, if it crosses it at one.
    pub fn crosses_edge(&self, a: Vec2, b: Vec2) -> Option<f64> {
        let d = self.to - self.from;
        let ab = b - a;
        let denominator = d.cross(ab);
        if denominator == 0.0 {
            return None;
        }
        let along_path = (a - self.from).cross(ab) / denominator;
        let along_edge = (a - self.from).cross(d) / denominator;
        ((0.0..=1.0).contains(&along_path) && (0.0..=1.0).contains(&along_edge)).then_some(along_path * self.span_s)
    }
}

/// Fractions of `p + u d` within a disc of `r` about the origin.
fn in_disc(p: Vec2, d: Vec2, r: f64) -> Option<(f64, f64)> {
    let a = d.norm2();
    let half_b = p.dot(d);
    // The distance of the line from the centre is exact where the textbook discriminant cancels.
    let off = p.cross(d);
    let discriminant = r * r * a - off * off;
    if discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    Some(((-half_b - root) / a, (-half_b + root) / a))
}

/// Fractions at which `x0 + u dx` lies in `lo ..= hi`.
fn between(x0: f64, dx: f64, lo: f64, hi: f64) -> Option<(f64, f64)> {
    if dx == 0.0 {
        return (lo <= x0 && x0 <= hi).then_some((f64::NEG_INFINITY, f64::INFINITY));
    }
    let (p, q) = ((lo - x0) / dx, (hi - x0) / dx);
    Some((p.min(q), p.max(q)))
}

fn overlap(p: (f64, f64), q: (f64, f64)) -> Option<(f64, f64)> {
    let (lo, hi) = (p.0.max(q.0), p.1.min(q.1));
    (lo <= hi).then_some((lo, hi))
}

/// Distance in metres from a point to the edge `a`–`b`, and the nearest point of the edge.
pub fn point_edge(p: Vec2, a: Vec2, b: Vec2) -> (f64, Vec2) {
    let ab = b - a;
    let len2 = ab.norm2();
    let fraction = if len2 > 0.0 { ((p - a).dot(ab) / len2).clamp(0.0, 1.0) } else { 0.0 };
    let nearest = a.lerp(b, fraction);
    ((p - nearest).norm(), nearest)
}

/// From which fraction to which the edge `a`–`b` lies more than 90° away from a direction, seen from the
/// origin.
pub fn part_behind(a: Vec2, b: Vec2, direction: Vec2) -> Option<(f64, f64)> {
    let (at_a, at_b) = (a.dot(direction), b.dot(direction));
    match (at_a < 0.0, at_b < 0.0) {
        (true, true) => Some((0.0, 1.0)),
        (true, false) => Some((0.0, at_a / (at_a - at_b))),
        (false, true) => Some((at_a / (at_a - at_b), 1.0)),
        (false, false) => None,
    }
}
