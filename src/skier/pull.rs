//! The pursuit curve behind one straight leg of the boat: slack rope first, then a tractrix. Exact, so that it
//! does not matter into how many legs the same way is cut.

use smallvec::SmallVec;

use super::stretch::{Drawn, Steady, Stretch, Way};
use crate::geo::{Span, Vec2};

/// A curve that leaves its chord by less than this is taken for straight, metres.
const STRAIGHT_M: f64 = 1e-4;

/// The skier's way while the boat moves steadily during `span`, from `skier` on, and where that ends.
///
/// Positions are metres in one plane. The skier is at most `rope_m` from the boat; nearer, the rope is slack and the
/// skier stays; else the skier is drawn straight toward the boat.
pub fn pull(boat: &Steady, span: Span, skier: Vec2, rope_m: f64) -> (SmallVec<[Stretch; 2]>, Vec2) {
    let mut stretches = SmallVec::new();
    let start = boat.at(span.from_s);
    let mut from = skier - start;
    let apart_m = from.norm();
    if apart_m > rope_m {
        from = from * (rope_m / apart_m);
    }
    let still = |span: Span| Stretch {
        span,
        way: Way::Straight(Steady { at_s: span.from_s, from: start + from, velocity: Vec2::default() }),
        said_course: None,
    };
    let speed_mps = boat.velocity.norm();
    if speed_mps <= 0.0 || span.length_s() <= 0.0 {
        stretches.push(still(span));
        return (stretches, start + from);
    }
    let course = boat.velocity * (1.0 / speed_mps);
    let behind_m = -from.dot(course);
    let beside = from + course * behind_m;
    let beside_m = beside.norm().min(rope_m);
    // Taut once the boat has run so far ahead that the rope is at its length.
    let taut_behind_m = (rope_m * rope_m - beside_m * beside_m).max(0.0).sqrt();
    let slack_s = ((taut_behind_m - behind_m) / speed_mps).max(0.0);
    let taut_s = span.from_s + slack_s;
    if slack_s > 0.0 {
        let slack = Span { from_s: span.from_s, to_s: taut_s.min(span.to_s) };
        stretches.push(still(slack));
        if taut_s >= span.to_s {
            return (stretches, start + from);
        }
    }

    let taut = Span { from_s: taut_s, to_s: span.to_s };
    let (w, side) = if beside_m > 1e-12 * rope_m {
        (libm::asinh(taut_behind_m / beside_m), beside * (1.0 / beside.norm()))
    } else {
        // Dead astern, and so it stays.
        (f64::from(f32::MAX), Vec2::default())
    };
    let boat = Steady { at_s: taut_s, from: boat.at(taut_s), velocity: boat.velocity };
    let drawn = Drawn { boat, course, speed_mps, rope_m, w, side };
    let curve = Stretch { span: taut, way: Way::Drawn(drawn), said_course: None };
    let (begin, end) = (curve.at(taut.from_s), curve.at(taut.to_s));
    // Acceleration on the curve is at most v²/L times 1.5 sech w.
    let run_m = speed_mps * taut.length_s();
    let off_m = 1.5 * run_m * run_m / (8.0 * rope_m * libm::cosh(w.min(700.0)));
    if off_m < STRAIGHT_M && taut.length_s() > 0.0 {
        let velocity = (end - begin) * (1.0 / taut.length_s());
        stretches.push(Stretch {
            span: taut,
            way: Way::Straight(Steady { at_s: taut.from_s, from: begin, velocity }),
            said_course: curve.course_at(taut.from_s),
        });
    } else {
        stretches.push(curve);
    }
    (stretches, end)
}
