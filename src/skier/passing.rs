//! A steadily moving point that passes a skier who is drawn by a boat: when it is near, and when nearest.
//!
//! With r from skier to point, v its rate and a the skier's acceleration against the boat, (r²)'' = 2 (v² - r·a). Where the
//! point passes faster than the skier's way can bend meanwhile, so that v² > |r| |a| all the time, r² is convex: it has one
//! lowest place, and is below a square on one span. Both are then roots of functions that a few steps find. Elsewhere
//! nothing is said, and brackets have to do it ([`crate::geo::bracket`]).

use super::stretch::{Drawn, Steady};
use crate::geo::Span;

/// How exactly an instant is found, seconds.
const SAME_S: f64 = 1e-6;
/// At most this many steps to a root: nearly always three do.
const STEPS_MAX: usize = 64;

/// A passing of which the square of the distance is convex.
pub(super) struct Passing<'a> {
    drawn: &'a Drawn,
    other: &'a Steady,
    /// At the beginning and at the end of the time in question.
    ends: [Look; 2],
    /// The least by which r r' grows in a second, m²/s².
    growth_m2ps2: f64,
}

/// What lies between both at an instant.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// Seconds on the clock of the leg.
    s: f64,
    /// The square of the distance, m².
    r2_m2: f64,
    /// Half of the rate at which that grows, m²/s.
    rate_m2ps: f64,
}

impl<'a> Passing<'a> {
    /// The passing during a time; `None` where its distance may have several lowest places.
    pub fn of(drawn: &'a Drawn, other: &'a Steady, window: Span) -> Option<Self> {
        let boat_mps = (other.velocity - drawn.boat.velocity).norm();
        let swing = drawn.swing_max(window);
        let swing_mps = drawn.speed_mps * swing;
        let bend_mps2 = drawn.speed_mps * swing_mps / drawn.rope_m;
        let least_mps = boat_mps - swing_mps;
        let ends = [window.from_s, window.to_s].map(|s| look(drawn, other, s));
        let far_m = ends[0].r2_m2.sqrt() + (boat_mps + swing_mps) * window.length_s();
        let growth_m2ps2 = least_mps * least_mps - far_m * bend_mps2;
        (least_mps > 0.0 && growth_m2ps2 > 0.0).then_some(Self { drawn, other, ends, growth_m2ps2 })
    }

    /// When the point is nearest, and the distance then in metres.
    pub fn nearest(&self) -> (f64, f64) {
        let Look { s, r2_m2, .. } = self.lowest();
        (s, r2_m2.sqrt())
    }

    /// When the point is at most `radius_m` away.
    pub fn within(&self, radius_m: f64) -> Option<Span> {
        let r2_m2 = radius_m * radius_m;
        let [a, b] = self.ends;
        let is_in = |look: &Look| look.r2_m2 <= r2_m2;
        if !is_in(&a) && !is_in(&b) && !is_in(&self.lowest()) {
            return None;
        }
        let edge = |end: Look| if is_in(&end) { end.s } else { self.comes_within(end, r2_m2) };
        Some(Span { from_s: edge(a), to_s: edge(b) })
    }

    /// The lowest place: where r r' = 0, by false position; where both move straight the first step finds it.
    fn lowest(&self) -> Look {
        let [mut a, mut b] = self.ends;
        if a.rate_m2ps >= 0.0 {
            return a;
        }
        if b.rate_m2ps <= 0.0 {
            return b;
        }
        let (mut low, mut high) = (a.rate_m2ps, b.rate_m2ps);
        let mut best = if a.r2_m2 <= b.r2_m2 { a } else { b };
        for _ in 0..STEPS_MAX {
            best = self.look(a.s + (b.s - a.s) * low / (low - high));
            if best.rate_m2ps.abs() <= SAME_S * self.growth_m2ps2 || b.s - a.s <= SAME_S {
                break;
            }
            // An end that stays counts half the next time, or the other would creep.
            if best.rate_m2ps < 0.0 {
                (a, low, high) = (best, best.rate_m2ps, 0.5 * high);
            } else {
                (b, high, low) = (best, best.rate_m2ps, 0.5 * low);
            }
        }
        best
    }

    /// When the point comes within a distance, given by its square, from an end at which it is farther away: by Newton's
    /// method, which on a convex function never goes too far.
    fn comes_within(&self, end: Look, r2_m2: f64) -> f64 {
        let [first, last] = self.ends;
        let mut at = end;
        for _ in 0..STEPS_MAX {
            let step_s = (at.r2_m2 - r2_m2) / (2.0 * at.rate_m2ps);
            let s = (at.s - step_s).clamp(first.s, last.s);
            if step_s.abs() <= SAME_S || !step_s.is_finite() {
                return if step_s.is_finite() { s } else { at.s };
            }
            at = self.look(s);
        }
        at.s
    }

    fn look(&self, s: f64) -> Look {
        look(self.drawn, self.other, s)
    }
}

fn look(drawn: &Drawn, other: &Steady, s: f64) -> Look {
    let (there, velocity) = drawn.place_and_velocity(s);
    let between = other.at(s) - there;
    Look { s, r2_m2: between.norm2(), rate_m2ps: between.dot(other.velocity - velocity) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::{Vec2, bracket};

    const WINDOW: Span = Span { from_s: 0.0, to_s: 1.0 };

    fn steady(from: (f64, f64), velocity: (f64, f64)) -> Steady {
        Steady { at_s: 0.0, from: Vec2::new(from.0, from.1), velocity: Vec2::new(velocity.0, velocity.1) }
    }

    /// Numbers that look random, between -1 and 1.
    fn wild(n: u32) -> f64 {
        let x = libm::sin(f64::from(n) * 12.9898) * 43_758.5453;
        2.0 * (x - x.floor()) - 1.0
    }

    #[test]
    fn roots_find_what_brackets_find() {
        let mut counts = [0, 0, 0];
        for n in 0..4_000 {
            let k = 8 * n;
            let speed_mps = 11.0 + 4.0 * wild(k);
            let boat = steady((0.0, 0.0), (0.0, speed_mps));
            let (course, side) = (Vec2::new(0.0, 1.0), Vec2::new(wild(k + 1).signum(), 0.0));
            let drawn =
                Drawn { boat, course, speed_mps, rope_m: 18.0 + 6.0 * wild(k + 2), w: 2.0 + 2.0 * wild(k + 3), side };
            let other =
                steady((60.0 * wild(k + 4), -30.0 + 60.0 * wild(k + 5)), (15.0 * wild(k + 6), 15.0 * wild(k + 7)));
            let Some(passing) = Passing::of(&drawn, &other, WINDOW) else { continue };
            counts[0] += 1;
            let m = |s: f64| (other.at(s) - drawn.place_and_velocity(s).0).norm();
            let rate = 60.0;
            let (nearest, (_, slowly_m)) = (passing.nearest(), bracket::lowest(WINDOW, rate, m));
            assert!(nearest.1 <= slowly_m + 1e-5, "{n}: {nearest:?} {slowly_m}");
            assert!((m(nearest.0) - nearest.1).abs() < 1e-9 && WINDOW.contains(nearest.0), "{n}: {nearest:?}");
            counts[1] += usize::from(nearest.0 > 0.0 && nearest.0 < 1.0);
            for radius_m in [12.0, 30.48, nearest.1 + 1e-6, nearest.1 + 0.2] {
                let slowly = bracket::holds(WINDOW, rate, |s| radius_m - m(s));
                let within = passing.within(radius_m);
                let ends = |span: Span| [span.from_s, span.to_s];
                match (within, slowly.iter().next()) {
                    (None, None) => {}
                    (Some(span), None) => {
                        assert!(span.length_s() < 1e-2 && radius_m < nearest.1 + 1e-5, "{n}: {span:?}")
                    }
                    (None, Some(span)) => panic!("{n}: not {span:?}, nearest {nearest:?}, within {radius_m}"),
                    (Some(span), Some(other)) => {
                        counts[2] += 1;
                        let apart = ends(span).into_iter().zip(ends(other)).map(|(a, b)| (m(a) - m(b)).abs());
                        assert!(apart.fold(0.0, f64::max) < 1e-4, "{n}: {span:?} {other:?}");
                    }
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 300), "too few of a kind: {counts:?}");
    }

    #[test]
    fn an_instant_is_within_or_not() {
        let boat = steady((0.0, 0.0), (0.0, 10.0));
        let (course, side) = (Vec2::new(0.0, 1.0), Vec2::new(1.0, 0.0));
        let drawn = Drawn { boat, course, speed_mps: 10.0, rope_m: 20.0, w: 3.0, side };
        let other = steady((30.0, -20.0), (-12.0, 3.0));
        let instant = Span { from_s: 0.5, to_s: 0.5 };
        let passing = Passing::of(&drawn, &other, instant).expect("fast");
        let (s, m) = passing.nearest();
        assert_eq!(s, 0.5);
        assert_eq!(passing.within(m + 0.1), Some(instant));
        assert_eq!(passing.within(m - 0.1), None);
    }
}
