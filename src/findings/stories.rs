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
    /// How well the story foretells the fixes, up to a constant that all stories share.
    pub log_odds: f64,
}

/// A state, and the logarithm of how well the fixes were foretold on the way to it.
type Told = (State, f64);

impl Estimate {
    /// What each of the first `count` stories makes of looks up to an instant and of those after it, in order.
    pub fn of_stories(count: usize, earlier: &[Look], later: &[Look]) -> SmallVec<[Self; COUNT]> {
        let forward = States::after(earlier.iter().copied());
        let back = States::after(later.iter().rev().map(|look| Look { s: -look.s, ..*look }));
        let of = |states: &Option<States>, i: usize| states.as_ref().map(|states| states.of(i));
        let stories = STORIES.iter().enumerate().take(count);
        stories.filter_map(|(i, story)| Self::by(story, of(&forward, i), of(&back, i))).collect()
    }

    /// What a story makes of what it says after the fixes before the instant, and with time running the other way
    /// after those behind it.
    fn by(story: &Story, forward: Option<Told>, back: Option<Told>) -> Option<Self> {
        let (state, log_evidence) = match (forward, back.map(|(state, log)| (state.reversed(), log))) {
            (Some((a, log_a)), Some((b, log_b))) => {
                let (both, log_both) = a.and(&b);
                (both, log_a + log_b + log_both)
            }
            (one, other) => one.or(other)?,
        };
        Some(Self {
            at: state.at,
            velocity: state.velocity,
            at_m2: state.pp,
            velocity_m2ps2: state.vv,
            worse: story.worse,
            log_odds: libm::log(story.share) + log_evidence,
        })
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

    /// Two independent accounts of the same state made one, and how well they agree.
    fn and(&self, other: &Self) -> (Self, f64) {
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
        (both, -libm::log(det) - 0.5 * distance2)
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
    /// Minus half of the sum of the squared misses, each in standard deviations, and minus the logarithm of the spreads
    /// but for those in `spread_m2`.
    log_evidence: Each,
    /// The product of the latest spreads: a logarithm of all of them once costs less than one of each.
    spread_m2: Each,
    /// How many there are in it.
    spread_count: usize,
}

/// How many spreads are multiplied at most: errors of a micrometre up to a thousand kilometres stay finite.
const SPREADS_MAX: usize = 6;

impl States {
    /// What each story says at time zero after fixes at times up to zero, in order.
    fn after(mut looks: impl Iterator<Item = Look>) -> Option<Self> {
        let first = looks.next()?;
        let mut all = Self {
            east_m: [first.at.east_m; COUNT],
            north_m: [first.at.north_m; COUNT],
            east_mps: [0.0; COUNT],
            north_mps: [0.0; COUNT],
            pp: variances_m2(&first),
            pv: [0.0; COUNT],
            vv: [ANY_MPS * ANY_MPS; COUNT],
            log_evidence: [0.0; COUNT],
            spread_m2: [1.0; COUNT],
            spread_count: 0,
        };
        let mut s = first.s;
        for look in looks {
            all.go_on(look.s - s);
            all.correct(&look);
            s = look.s;
        }
        all.go_on(-s);
        all.take_logarithms();
        Some(all)
    }

    fn of(&self, i: usize) -> Told {
        let at = Vec2::new(self.east_m[i], self.north_m[i]);
        let velocity = Vec2::new(self.east_mps[i], self.north_mps[i]);
        (State { at, velocity, pp: self.pp[i], pv: self.pv[i], vv: self.vv[i] }, self.log_evidence[i])
    }

    fn go_on(&mut self, s: f64) {
        for (i, story) in STORIES.iter().enumerate() {
            let unrest_m2ps3 = story.unrest_m2ps3;
            self.east_m[i] += self.east_mps[i] * s;
            self.north_m[i] += self.north_mps[i] * s;
            self.pp[i] += s * (2.0 * self.pv[i] + s * (self.vv[i] + unrest_m2ps3 * s / 3.0));
            self.pv[i] += s * (self.vv[i] + 0.5 * unrest_m2ps3 * s);
            self.vv[i] += unrest_m2ps3 * s;
        }
    }

    fn correct(&mut self, look: &Look) {
        if self.spread_count == SPREADS_MAX {
            self.take_logarithms();
        }
        let variances_m2 = variances_m2(look);
        for i in 0..COUNT {
            let spread_m2 = self.pp[i] + variances_m2[i];
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
            self.spread_m2[i] *= spread_m2;
            self.log_evidence[i] -= 0.5 * (off_east_m * off_east_m + off_north_m * off_north_m) * one_in_spread;
        }
        self.spread_count += 1;
    }

    fn take_logarithms(&mut self) {
        for i in 0..COUNT {
            self.log_evidence[i] -= libm::log(self.spread_m2[i]);
        }
        (self.spread_m2, self.spread_count) = ([1.0; COUNT], 0);
    }
}

/// The variance of a look in each story.
fn variances_m2(look: &Look) -> Each {
    STORIES.each_ref().map(|story| story.worse * story.worse * look.variance_m2)
}
