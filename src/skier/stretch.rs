//! One stretch of a skier's way: straight as a tracker shows it, lying still, or drawn by the boat.

use super::passing::Passing;
use crate::geo::bracket;
use crate::geo::motion::{Motion, point_edge};
use crate::geo::{Span, Spans, Vec2};

/// A point that moves steadily: where it is at an instant, and its velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steady {
    /// The instant, seconds on the clock of a leg.
    pub at_s: f64,
    /// Where it is then, metres in the plane of that leg.
    pub from: Vec2,
    /// Velocity, m/s.
    pub velocity: Vec2,
}

impl Steady {
    /// The motion of a leg, or of part of one, that starts at `at_s`.
    pub fn of(motion: &Motion, at_s: f64) -> Self {
        let velocity =
            if motion.span_s > 0.0 { (motion.to - motion.from) * (1.0 / motion.span_s) } else { Vec2::default() };
        Self { at_s, from: motion.from, velocity }
    }

    /// Where it is at `s`.
    pub fn at(&self, s: f64) -> Vec2 {
        self.from + self.velocity * (s - self.at_s)
    }

    /// Its motion over a span.
    pub fn over(&self, span: Span) -> Motion {
        Motion { from: self.at(span.from_s), to: self.at(span.to_s), span_s: span.length_s() }
    }
}

/// How a skier moves on one stretch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Way {
    /// Steadily.
    Straight(Steady),
    /// Drawn straight toward a boat that moves steadily, on a taut rope.
    Drawn(Drawn),
}

/// The pursuit curve behind a boat on a straight course: a tractrix.
///
/// With the rope's angle off the course θ and w such that sech w = sin θ, the skier is L tanh w behind the boat
/// and L sech w beside it, and w grows by one for every rope's length that the boat runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// The boat.
    pub boat: Steady,
    /// Direction of its course, of unit length.
    pub course: Vec2,
    /// Its speed, m/s, more than zero.
    pub speed_mps: f64,
    /// Length of the rope, metres.
    pub rope_m: f64,
    /// w at the boat's instant.
    pub w: f64,
    /// To the side on which the skier is, of unit length.
    pub side: Vec2,
}

impl Drawn {
    fn w_at(&self, s: f64) -> f64 {
        self.w + self.speed_mps * (s - self.boat.at_s) / self.rope_m
    }

    fn at(&self, s: f64) -> Vec2 {
        let (behind, beside) = behind_and_beside(self.w_at(s));
        self.boat.at(s) + (self.side * beside - self.course * behind) * self.rope_m
    }

    /// Where the skier is at `s`, metres, and how fast, m/s.
    pub(super) fn place_and_velocity(&self, s: f64) -> (Vec2, Vec2) {
        let (behind, beside) = behind_and_beside(self.w_at(s));
        let place = self.boat.at(s) + (self.side * beside - self.course * behind) * self.rope_m;
        let swing = (self.side * behind + self.course * beside) * (self.speed_mps * beside);
        (place, self.boat.velocity - swing)
    }

    /// How fast the rope's end swings at most during a time, as a share of the boat's speed: the highest sech w.
    pub(super) fn swing_max(&self, window: Span) -> f64 {
        let (from, to) = (self.w_at(window.from_s), self.w_at(window.to_s));
        if from <= 0.0 && to >= 0.0 { 1.0 } else { behind_and_beside(from).1.max(behind_and_beside(to).1) }
    }
}

/// tanh w and sech w, of one exponential for both.
fn behind_and_beside(w: f64) -> (f64, f64) {
    let less_one = libm::expm1(-2.0 * w.abs());
    let sum = 2.0 + less_one;
    (-less_one / sum * w.signum(), 2.0 * (1.0 + less_one).sqrt() / sum)
}

/// One stretch of a skier's way, on the clock and in the plane of a leg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// When.
    pub span: Span,
    /// How.
    pub way: Way,
    /// The skier's own course, where that is not what `way` shows: of a tracker too slow to show one, as
    /// reported. Of unit length.
    pub said_course: Option<Vec2>,
}

impl Stretch {
    /// Where the skier is at `s`.
    pub fn at(&self, s: f64) -> Vec2 {
        match &self.way {
            Way::Straight(steady) => steady.at(s),
            Way::Drawn(drawn) => drawn.at(s),
        }
    }

    /// The skier's own course at `s`, of unit length; `None` where there is none.
    pub fn course_at(&self, s: f64) -> Option<Vec2> {
        self.course_from(self.at(s), s)
    }

    /// The same, where the skier is then being known.
    fn course_from(&self, here: Vec2, s: f64) -> Option<Vec2> {
        match &self.way {
            Way::Straight(_) => self.said_course,
            Way::Drawn(drawn) => Some((drawn.boat.at(s) - here) * (1.0 / drawn.rope_m)),
        }
    }

    /// The most by which the skier's velocity differs from `velocity`, m/s.
    pub fn rate_against(&self, velocity: Vec2) -> f64 {
        match &self.way {
            Way::Straight(steady) => (steady.velocity - velocity).norm(),
            Way::Drawn(drawn) => (drawn.boat.velocity - velocity).norm() + drawn.speed_mps * drawn.swing_max(self.span),
        }
    }

    /// The most by which the skier's course turns in a second, radians.
    pub fn turn_max_radps(&self) -> f64 {
        match &self.way {
            Way::Straight(_) => 0.0,
            Way::Drawn(drawn) => drawn.speed_mps * drawn.swing_max(self.span) / drawn.rope_m,
        }
    }

    /// The part of it within `window`, if any.
    pub fn within(&self, window: Span) -> Option<Self> {
        Some(Self { span: self.span.intersect(window)?, ..*self })
    }

    /// When the skier is at most `radius_m` from the edge `a`–`b`.
    pub fn within_of_edge(&self, a: Vec2, b: Vec2, radius_m: f64) -> Spans {
        match &self.way {
            Way::Straight(steady) => steady
                .over(self.span)
                .within_of_edge(a, b, radius_m)
                .map(|span| Span { from_s: span.from_s + self.span.from_s, to_s: span.to_s + self.span.from_s })
                .map_or_else(Spans::none, Spans::one),
            Way::Drawn(_) => {
                let rate = self.rate_against(Vec2::default());
                bracket::holds(self.span, rate, |s| radius_m - point_edge(self.at(s), a, b).0)
            }
        }
    }

    /// When within `window` the skier is nearest to the edge `a`–`b`, and the distance then in metres.
    pub fn nearest_to_edge(&self, a: Vec2, b: Vec2, window: Span) -> (f64, f64) {
        match &self.way {
            Way::Straight(steady) => {
                let shifted = Span { from_s: 0.0, to_s: window.length_s() };
                let (s, m) = steady.over(window).nearest_to_edge(a, b, shifted);
                (s + window.from_s, m)
            }
            Way::Drawn(_) => {
                let rate = self.rate_against(Vec2::default());
                bracket::lowest(window, rate, |s| point_edge(self.at(s), a, b).0)
            }
        }
    }

    /// When within `window` the skier is at most `radius_m` from a steadily moving point.
    pub fn within_of(&self, other: &Steady, radius_m: f64, window: Span) -> Spans {
        let Some(window) = self.span.intersect(window) else { return Spans::none() };
        match &self.way {
            Way::Straight(steady) => {
                let apart = other.over(window).relative_to(&steady.over(window));
                apart
                    .within_of_edge(Vec2::default(), Vec2::default(), radius_m)
                    .map(|span| Span { from_s: span.from_s + window.from_s, to_s: span.to_s + window.from_s })
                    .map_or_else(Spans::none, Spans::one)
            }
            Way::Drawn(drawn) => match Passing::of(drawn, other, window) {
                Some(passing) => passing.within(radius_m).map_or_else(Spans::none, Spans::one),
                None => bracket::holds(window, self.rate_against(other.velocity), |s| {
                    radius_m - (other.at(s) - self.at(s)).norm()
                }),
            },
        }
    }

    /// When within `window` the skier is nearest to a steadily moving point, and the distance then in metres.
    pub fn nearest_to(&self, other: &Steady, window: Span) -> (f64, f64) {
        match &self.way {
            Way::Straight(steady) => {
                let apart = other.over(window).relative_to(&steady.over(window));
                let shifted = Span { from_s: 0.0, to_s: window.length_s() };
                let (s, m) = apart.nearest_to_edge(Vec2::default(), Vec2::default(), shifted);
                (s + window.from_s, m)
            }
            Way::Drawn(drawn) => match Passing::of(drawn, other, window) {
                Some(passing) => passing.nearest(),
                None => {
                    bracket::lowest(window, self.rate_against(other.velocity), |s| (other.at(s) - self.at(s)).norm())
                }
            },
        }
    }

    /// When within `window` a steadily moving point is at most `half_angle_rad` from dead astern of the skier's own
    /// course.
    pub fn astern(&self, other: &Steady, half_angle_rad: f64, window: Span) -> Spans {
        let Some(window) = self.span.intersect(window) else { return Spans::none() };
        if matches!(self.way, Way::Straight(_)) && self.said_course.is_none() {
            return Spans::none();
        }
        let cos = libm::cos(half_angle_rad);
        let rate_mps = self.rate_against(other.velocity);
        let far_m = (other.at(window.from_s) - self.at(window.from_s)).norm() + rate_mps * window.length_s();
        let rate = (1.0 + cos.abs()) * rate_mps + far_m * self.turn_max_radps();
        bracket::holds(window, rate, |s| {
            let here = self.at(s);
            let away = other.at(s) - here;
            self.course_from(here, s).map_or(-1.0, |course| -away.dot(course) - cos * away.norm())
        })
    }

    /// The same on a clock that shows `by_s` more.
    pub fn later(&self, by_s: f64) -> Self {
        let mut later = *self;
        later.span = Span { from_s: self.span.from_s + by_s, to_s: self.span.to_s + by_s };
        match &mut later.way {
            Way::Straight(steady) => steady.at_s += by_s,
            Way::Drawn(drawn) => drawn.boat.at_s += by_s,
        }
        later
    }
}
