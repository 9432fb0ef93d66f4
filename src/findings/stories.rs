//! Stories of how fixes can have come about, and what each makes of them: a Kalman filter from either side of an
//! instant, velocity a random walk.

use smallvec::SmallVec;

use crate::geo::Vec2;

/// One way in which fixes can have come about.
pub(super) struct Story {
    /// By how much the variance of each component of velocity grows a second, m²/s³.
    pub unrest_m2ps3: f64,
    /// How many times larger the errors are than the receiver says.
    pub worse: f64,
    /// How likely this is before the fixes are looked at.
    pub share: f64,
}

/// A boat that keeps its way (velocity wanders by 0.3 m/s in 10 s), one that changes it (1 m/s), one that
/// darts about (5 m/s); and boats at their ease with a receiver that claims too much. Choices: three steps of
/// 10 to 30 times cover boats and shells, and shares of 3 to 10 % for a bad receiver were tried against
/// `tests/suite/odds`; less trust costs sparse tracks, more makes a boat at rest under a roof a speeder.
pub(super) const STORIES: [Story; COUNT] = [
    Story { unrest_m2ps3: 0.01, worse: 1.0, share: 0.28 },
    Story { unrest_m2ps3: 0.1, worse: 1.0, share: 0.28 },
    Story { unrest_m2ps3: 3.0, worse: 1.0, share: 0.28 },
    Story { unrest_m2ps3: 0.01, worse: 2.0, share: 0.08 },
    Story { unrest_m2ps3: 0.01, worse: 5.0, share: 0.08 },
];

/// How many stories there are.
const COUNT: usize = 5;

impl Story {
    /// The variance of a look, m².
    fn variance_m2(&self, look: &Look) -> f64 {
        self.worse * self.worse * look.variance_m2
    }
}

/// A speed that says nothing, m/s: the spread of velocity before any fix is looked at.
const ANY_MPS: f64 = 30.0;

/// A fix as odds see it: seconds from the instant asked about, place, variance along one axis.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub s: f64,
    pub at: Vec2,
    pub variance_m2: f64,
}

/// What one story says of the state at the instant asked about.
pub(super) struct Estimate {
    pub at: Vec2,
    pub velocity: Vec2,
    /// Variances along one axis.
    pub at_m2: f64,
    pub velocity_m2ps2: f64,
    pub worse: f64,
    /// How likely the story is by how well it foretells the fixes: the shares of all are one.
    pub share: f64,
}

impl Estimate {
    /// What each of the first `count` stories makes of looks up to an instant and of those after it, in order.
    pub fn of_stories(count: usize, earlier: &[Look], later: &[Look]) -> SmallVec<[Self; COUNT]> {
        let forward = States::after(earlier.iter().copied());
        let back = States::after(later.iter().rev().map(|look| Look { s: -look.s, ..*look }));
        let of = |states: &Option<States>, i: usize| states.as_ref().map(|states| states.of(i));
        let mut told: SmallVec<[(Told, &Story); COUNT]> = SmallVec::new();
        for (i, story) in STORIES.iter().enumerate().take(count) {
            let back = of(&back, i).map(|told| Told { state: told.state.reversed(), ..told });
            let both = match (of(&forward, i), back) {
                (Some(a), Some(b)) => Some(a.and(&b)),
                (one, other) => one.or(other),
            };
            told.extend(both.map(|told| (told, story)));
        }
        // The spreads of all stories are told in those of the first one, but for that of the two sides.
        let Some(spread) = told.first().map(|(first, _)| first.spread) else { return SmallVec::new() };
        let least = told.iter().map(|(told, _)| told.misses).fold(f64::INFINITY, f64::min);
        let mut all: SmallVec<[Self; COUNT]> = SmallVec::new();
        for (Told { state, spread: own_spread, misses }, story) in told {
            all.push(Self {
                at: state.at,
                velocity: state.velocity,
                at_m2: state.pp,
                velocity_m2ps2: state.vv,
                worse: story.worse,
                share: story.share * (spread / own_spread) * libm::exp(least - misses),
            });
        }
        let total: f64 = all.iter().map(|estimate| estimate.share).sum();
        all.iter_mut().for_each(|estimate| estimate.share /= total);
        all
    }
}

/// A state, and how well the fixes were foretold on the way to it: the smaller both figures, the better.
#[derive(Clone, Copy)]
struct Told {
    state: State,
    /// The product of the variances with which they were foretold, in those of the first story.
    spread: f64,
    /// Half of the sum of the squared misses, each in standard deviations.
    misses: f64,
}

impl Told {
    /// Two independent accounts made one.
    fn and(&self, other: &Self) -> Self {
        let (state, spread, misses) = self.state.and(&other.state);
        Self { state, spread: self.spread * other.spread * spread, misses: self.misses + other.misses + misses }
    }
}

/// Position and velocity, with the covariance of both along one axis.
#[derive(Clone, Copy)]
struct State {
    at: Vec2,
    velocity: Vec2,
    pp: f64,
    pv: f64,
    vv: f64,
}

impl State {
    /// Seen with time running the other way.
    fn reversed(self) -> Self {
        Self { velocity: self.velocity * -1.0, pv: -self.pv, ..self }
    }

    /// Two independent accounts of the same state made one, and how well they agree: the determinant of the covariance of
    /// their difference, and half of the squared miss in standard deviations.
    fn and(&self, other: &Self) -> (Self, f64, f64) {
        let (spp, spv, svv) = (self.pp + other.pp, self.pv + other.pv, self.vv + other.vv);
        let det = spp * svv - spv * spv;
        let (ipp, ipv, ivv) = (svv / det, -spv / det, spp / det);
        let (off_at, off_velocity) = (other.at - self.at, other.velocity - self.velocity);
        // Gain: own covariance times the inverse of the sum.
        let (k11, k12) = (self.pp * ipp + self.pv * ipv, self.pp * ipv + self.pv * ivv);
        let (k21, k22) = (self.pv * ipp + self.vv * ipv, self.pv * ipv + self.vv * ivv);
        let both = Self {
            at: self.at + off_at * k11 + off_velocity * k12,
            velocity: self.velocity + off_at * k21 + off_velocity * k22,
            pp: self.pp - k11 * self.pp - k12 * self.pv,
            pv: self.pv - k11 * self.pv - k12 * self.vv,
            vv: self.vv - k21 * self.pv - k22 * self.vv,
        };
        let distance2 = ipp * off_at.norm2() + 2.0 * ipv * off_at.dot(off_velocity) + ivv * off_velocity.norm2();
        (both, det, 0.5 * distance2)
    }
}

/// A number for each story.
type Each = [f64; COUNT];

/// What all stories say, and how well each foretold the fixes on the way. Side by side: each step of one waits for the
/// step before it, but not for those of the others, and the processor takes two at a time.
struct States {
    east_m: Each,
    north_m: Each,
    east_mps: Each,
    north_mps: Each,
    pp: Each,
    pv: Each,
    vv: Each,
    /// As of [`Told`].
    spread: Each,
    /// As of [`Told`].
    misses: Each,
}

impl States {
    /// What each story says at time zero after fixes at times up to zero, in order.
    fn after(mut looks: impl Iterator<Item = Look>) -> Option<Self> {
        let first = looks.next()?;
        let mut all = Self {
            east_m: [first.at.east_m; COUNT],
            north_m: [first.at.north_m; COUNT],
            east_mps: [0.0; COUNT],
            north_mps: [0.0; COUNT],
            pp: STORIES.each_ref().map(|story| story.variance_m2(&first)),
            pv: [0.0; COUNT],
            vv: [ANY_MPS * ANY_MPS; COUNT],
            spread: [1.0; COUNT],
            misses: [0.0; COUNT],
        };
        let mut s = first.s;
        for look in looks {
            all.go_on(look.s - s);
            all.correct(&look);
            s = look.s;
        }
        all.go_on(-s);
        Some(all)
    }

    fn of(&self, i: usize) -> Told {
        let at = Vec2::new(self.east_m[i], self.north_m[i]);
        let velocity = Vec2::new(self.east_mps[i], self.north_mps[i]);
        let state = State { at, velocity, pp: self.pp[i], pv: self.pv[i], vv: self.vv[i] };
        Told { state, spread: self.spread[i], misses: self.misses[i] }
    }

    fn go_on(&mut self, s: f64) {
        for (i, story) in STORIES.iter().enumerate() {
            let unrest_m2ps3 = story.unrest_m2ps3;
            self.east_m[i] += self.east_mps[i] * s;
            self.north_m[i] += self.north_mps[i] * s;
            self.pp[i] += s * (2.0 * self.pv[i] + s * (self.vv[i] + unrest_m2ps3 * (s / 3.0)));
            self.pv[i] += s * (self.vv[i] + 0.5 * unrest_m2ps3 * s);
            self.vv[i] += unrest_m2ps3 * s;
        }
    }

    fn correct(&mut self, look: &Look) {
        // Told in those of the first story the spreads are neither too large nor too small for a product of many.
        let one_in_first = 1.0 / (self.pp[0] + STORIES[0].variance_m2(look));
        for (i, story) in STORIES.iter().enumerate() {
            let spread_m2 = self.pp[i] + story.variance_m2(look);
            let (off_east_m, off_north_m) = (look.at.east_m - self.east_m[i], look.at.north_m - self.north_m[i]);
            let one_in_spread = 1.0 / spread_m2;
            let (k_at, k_velocity) = (self.pp[i] * one_in_spread, self.pv[i] * one_in_spread);
            self.east_m[i] += off_east_m * k_at;
            self.north_m[i] += off_north_m * k_at;
            self.east_mps[i] += off_east_m * k_velocity;
            self.north_mps[i] += off_north_m * k_velocity;
            self.vv[i] -= k_velocity * self.pv[i];
            self.pv[i] -= k_at * self.pv[i];
            self.pp[i] -= k_at * self.pp[i];
            self.spread[i] *= spread_m2 * one_in_first;
            self.misses[i] += 0.5 * (off_east_m * off_east_m + off_north_m * off_north_m) * one_in_spread;
        }
    }
}
