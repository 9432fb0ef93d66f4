//! How sure a finding is, given the errors of position and speed.
//!
//! A receiver's error has a part that changes from fix to fix and a part that stays for minutes. The
//! first is averaged out over the few fixes around an instant, the second is not. So the position and
//! speed at an instant are estimated by a straight line fitted through the fixes nearest to it, and the
//! error of that estimate keeps the lasting share in full. What the fit leaves over (a boat that turns
//! or slows) widens the error, and so does the sag of the path between fixes, a·T²/8.
//!
//! The odds that a clause was broken are the odds that the vessel was where the clause binds, times the
//! odds that it was faster than the clause allows. A finding takes the highest over its pieces.

use smallvec::SmallVec;

use crate::geo::{LocalFrame, Position, Vec2};
use crate::time::EventTime;
use crate::track::{BEARING_S, Track, TrackFix};

/// Error settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// 68 % radius of a position whose receiver reports none, metres.
    pub default_accuracy_m: f64,
}

/// The radius of a 2-D Gaussian that holds 68 % is this many standard deviations of one axis:
/// √(-2 ln 0.32).
const SIGMAS_IN_68: f64 = 1.509_592_153;
/// Share of the position variance that stays the same for as long as anything is averaged.
const LASTING_SHARE: f64 = 0.5;
/// Reported speed: σ = 0.1 m/s + 1 % (rules.md, "Confidence").
const SPEED_SIGMA_MPS: f64 = 0.1;
const SPEED_SIGMA_SHARE: f64 = 0.01;
/// Acceleration that a path between two fixes may hide, m/s²: the standard deviation of a boat's.
const HIDDEN_MPS2: f64 = 1.0;
/// More acceleration than any boat has, m/s²; what needs more is an error.
const IMPOSSIBLE_MPS2: f64 = 9.81;
/// How many fixes on either side of an instant bear on its odds.
const BEARING_COUNT: usize = 12;
/// Difference between a reported speed and one by the positions that calls for no explanation, m/s.
const AGREE_MPS: f64 = 0.5;
/// How many reported speeds on either side are averaged.
const SPEED_COUNT: usize = 2;
/// A speed that says nothing, m/s: the spread of velocity before any fix is looked at.
const ANY_MPS: f64 = 30.0;

/// One way in which fixes can have come about.
struct Story {
    /// By how much the variance of each component of velocity grows a second, m²/s³.
    unrest_m2ps3: f64,
    /// How many times larger the errors are than the receiver says.
    worse: f64,
    /// How likely this is before the fixes are looked at.
    share: f64,
}

/// A boat that keeps its way, one that changes it, one that darts about; and one that keeps its way
/// with a receiver that claims too much.
const STORIES: [Story; 4] = [
    Story { unrest_m2ps3: 0.003, worse: 1.0, share: 0.3 },
    Story { unrest_m2ps3: 0.1, worse: 1.0, share: 0.3 },
    Story { unrest_m2ps3: 3.0, worse: 1.0, share: 0.3 },
    Story { unrest_m2ps3: 0.03, worse: 4.0, share: 0.1 },
];

/// Where a vessel was at an instant and how fast, with the standard deviations of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Odds {
    /// The most likely position.
    pub position: Position,
    /// Standard deviation of the position along one axis, metres.
    pub position_sigma_m: f64,
    /// Speed over ground by the positions, m/s, and its standard deviation; `None` for a fix alone.
    pub along_path: Option<(f64, f64)>,
    /// Speed over ground by the reports, m/s, and its standard deviation; `None` where none is near.
    pub reported: Option<(f64, f64)>,
}

/// A fix as odds see it: seconds from the instant asked about, place, variance along one axis.
#[derive(Clone, Copy)]
struct Look {
    s: f64,
    at: Vec2,
    variance_m2: f64,
}

impl Odds {
    /// The estimate at `t` from the fixes of a track around it; `None` where no accepted fix is near.
    pub fn at(track: &Track, t: EventTime, errors: &Errors) -> Option<Self> {
        let (before, after) = around(track, t);
        let nearest = before.first().or(after.first())?;
        let frame = LocalFrame::at(nearest.position);
        let sigma_m = |fix: &TrackFix| fix.accuracy_m().unwrap_or(errors.default_accuracy_m) / SIGMAS_IN_68;
        let look = |fix: &TrackFix| Look {
            s: fix.t.seconds_since(t),
            at: frame.to_plane(fix.position),
            variance_m2: sigma_m(fix) * sigma_m(fix),
        };
        let mut looks: SmallVec<[Look; 2 * BEARING_COUNT]> = before.iter().rev().chain(&after).map(look).collect();
        widen_spikes(&mut looks);
        let (earlier, later) = looks.split_at(before.len());

        let told: SmallVec<[Estimate; 4]> =
            STORIES.iter().filter_map(|story| Estimate::by(story, earlier, later)).collect();
        let likeliest = told.iter().map(|e| e.log_odds).fold(f64::NEG_INFINITY, f64::max);
        let weight = |e: &Estimate| libm::exp(e.log_odds - likeliest);
        let total: f64 = told.iter().map(weight).sum();
        let mean = |of: &dyn Fn(&Estimate) -> f64| told.iter().map(|e| weight(e) * of(e)).sum::<f64>() / total;
        let vector = |of: &dyn Fn(&Estimate) -> Vec2| Vec2::new(mean(&|e| of(e).east_m), mean(&|e| of(e).north_m));
        let (at, velocity) = (vector(&|e| e.at), vector(&|e| e.velocity));

        // The path between two fixes: a s (T - s) / 2, which is a T²/8 midway.
        let sag_m = match (before.first(), after.first()) {
            (Some(from), Some(to)) => 0.5 * HIDDEN_MPS2 * t.seconds_since(from.t) * to.t.seconds_since(t).max(0.0),
            _ => 0.0,
        };
        let stated_sigma_m = before.first().into_iter().chain(after.first()).map(sigma_m).fold(0.0, f64::max);
        let lasting_m2 = mean(&|e| e.worse * e.worse) * LASTING_SHARE * stated_sigma_m * stated_sigma_m;
        let variance_m2 = mean(&|e| (1.0 - LASTING_SHARE) * e.at_m2 + 0.5 * (e.at - at).norm2());
        let position_sigma_m = (lasting_m2 + variance_m2 + sag_m * sag_m).sqrt();

        let along_path = (looks.len() > 1).then(|| {
            let sigma2 = mean(&|e| e.velocity_m2ps2 + 0.5 * (e.velocity - velocity).norm2());
            let mps = velocity.norm();
            // Error across the way makes a slow vessel look faster than it is.
            (if mps > 0.0 { (mps - sigma2 / (2.0 * mps)).max(0.0) } else { 0.0 }, sigma2.sqrt())
        });
        let position = frame.to_position(at)?;
        Some(Self { position, position_sigma_m, along_path, reported: reported(&before, &after, t) })
    }

    /// The odds that the vessel was faster than `limit_mps`.
    ///
    /// A reported speed that the positions contradict counts no more than they do.
    pub fn faster_than(&self, limit_mps: f64) -> f64 {
        let over = |(mps, sigma_mps): (f64, f64)| normal_cdf((mps - limit_mps) / sigma_mps);
        match (self.reported, self.along_path) {
            (None, None) => 0.0,
            (Some(said), None) => over(said),
            (None, Some(made)) => over(made),
            (Some(said), Some(made)) => {
                let apart = (said.0 - made.0).abs() / said.1.hypot(made.1).hypot(AGREE_MPS);
                let doubt = (apart - 2.0).max(0.0);
                let trust = libm::exp(-0.5 * doubt * doubt);
                trust * over(said) + (1.0 - trust) * over(said).min(over(made))
            }
        }
    }

    /// The odds that it was beyond a boundary from which its most likely position is `margin_m` away:
    /// positive on the far side, negative on the near side. `other_sigma_m` is the error of the boundary.
    pub fn beyond(&self, margin_m: f64, other_sigma_m: f64) -> f64 {
        normal_cdf(margin_m / self.position_sigma_m.hypot(other_sigma_m))
    }
}

/// Standard deviation along one axis of a position with this 68 % radius.
pub fn sigma_m(accuracy_m: f64) -> f64 {
    accuracy_m / SIGMAS_IN_68
}

/// The speed at `t` by the nearest reports, m/s, and its standard deviation.
fn reported(before: &[TrackFix], after: &[TrackFix], t: EventTime) -> Option<(f64, f64)> {
    let near = before.iter().take(SPEED_COUNT + 1).chain(after.iter().take(SPEED_COUNT));
    let said: SmallVec<[(f64, f64); 5]> = near
        .filter(|fix| fix.t.seconds_since(t).abs() <= 0.5 * BEARING_S)
        .filter_map(|fix| fix.sog_mps().map(|mps| (fix.t.seconds_since(t), mps)))
        .collect();
    if said.is_empty() {
        return None;
    }
    let line = Line::through(said.iter().copied());
    let mps = line.value.max(0.0);
    let sigma_mps = SPEED_SIGMA_MPS + SPEED_SIGMA_SHARE * mps;
    let variance = (sigma_mps * sigma_mps).max(line.residual_variance);
    Some((mps, (variance * (LASTING_SHARE + (1.0 - LASTING_SHARE) * line.value_variance)).sqrt()))
}

/// Gives a fix that no boat could have gone to and come back from an error as large as its excess.
fn widen_spikes(looks: &mut [Look]) {
    let mut excess_m2 = SmallVec::<[f64; 2 * BEARING_COUNT]>::new();
    for three in looks.windows(3) {
        let [a, b, c] = [three[0], three[1], three[2]];
        let u = (b.s - a.s) / (c.s - a.s);
        let off_m = (b.at - a.at.lerp(c.at, u)).norm();
        let reach_m = 0.5 * IMPOSSIBLE_MPS2 * (b.s - a.s) * (c.s - b.s);
        let error_m = 3.0 * (b.variance_m2 + (1.0 - u) * (1.0 - u) * a.variance_m2 + u * u * c.variance_m2).sqrt();
        let excess_m = (off_m - reach_m - error_m).max(0.0);
        excess_m2.push(excess_m * excess_m);
    }
    for (look, excess_m2) in looks.iter_mut().skip(1).zip(excess_m2) {
        look.variance_m2 += excess_m2;
    }
}

/// The accepted fixes before or at `t` and those after it, nearest first, along the unbroken path.
fn around(track: &Track, t: EventTime) -> (SmallVec<[TrackFix; BEARING_COUNT]>, SmallVec<[TrackFix; BEARING_COUNT]>) {
    let fixes = track.fixes();
    let bears = |fix: &TrackFix, so_far: usize| {
        so_far == 0 || (so_far < BEARING_COUNT && fix.t.seconds_since(t).abs() <= BEARING_S)
    };
    let (mut before, mut after) = (SmallVec::<[TrackFix; BEARING_COUNT]>::new(), SmallVec::new());
    let first_after = fixes.partition_point(|fix| fix.t <= t);
    let mut k = first_after;
    while let Some(i) = track.accepted_before(k) {
        let leads_on = before.last().is_none_or(|later: &TrackFix| later.linked);
        if !leads_on || !bears(&fixes[i], before.len()) {
            break;
        }
        before.push(fixes[i]);
        k = i;
    }
    for fix in fixes.range(first_after..).filter(|fix| fix.is_accepted()) {
        if !fix.linked && !before.is_empty() || !bears(fix, after.len()) {
            break;
        }
        after.push(*fix);
    }
    (before, after)
}

/// What one story says of the state at the instant asked about.
struct Estimate {
    at: Vec2,
    velocity: Vec2,
    /// Variances along one axis.
    at_m2: f64,
    velocity_m2ps2: f64,
    worse: f64,
    /// How well the story foretells the fixes, up to a constant that all stories share.
    log_odds: f64,
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

impl Estimate {
    /// What a story makes of the fixes before the instant and those after it.
    fn by(story: &Story, earlier: &[Look], later: &[Look]) -> Option<Self> {
        let forward = State::after(story, earlier.iter().copied());
        let back = State::after(story, later.iter().rev().map(|look| Look { s: -look.s, ..*look }));
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

impl State {
    /// The state at time zero after fixes at times up to zero, in order (a Kalman filter), and the
    /// logarithm of how well each was foretold by those before.
    fn after(story: &Story, looks: impl Iterator<Item = Look>) -> Option<(Self, f64)> {
        let mut state: Option<(Self, f64)> = None;
        let (mut log_evidence, worse2) = (0.0, story.worse * story.worse);
        for look in looks {
            let variance_m2 = worse2 * look.variance_m2;
            let now = match state {
                None => {
                    Self { at: look.at, velocity: Vec2::default(), pp: variance_m2, pv: 0.0, vv: ANY_MPS * ANY_MPS }
                }
                Some((mut now, s)) => {
                    now.go_on(look.s - s, story.unrest_m2ps3);
                    log_evidence += now.correct(look.at, variance_m2);
                    now
                }
            };
            state = Some((now, look.s));
        }
        let (mut now, s) = state?;
        now.go_on(-s, story.unrest_m2ps3);
        Some((now, log_evidence))
    }

    fn go_on(&mut self, s: f64, unrest_m2ps3: f64) {
        self.at = self.at + self.velocity * s;
        self.pp += s * (2.0 * self.pv + s * (self.vv + unrest_m2ps3 * s / 3.0));
        self.pv += s * (self.vv + 0.5 * unrest_m2ps3 * s);
        self.vv += unrest_m2ps3 * s;
    }

    fn correct(&mut self, seen: Vec2, variance_m2: f64) -> f64 {
        let spread_m2 = self.pp + variance_m2;
        let off = seen - self.at;
        let (k_at, k_velocity) = (self.pp / spread_m2, self.pv / spread_m2);
        self.at = self.at + off * k_at;
        self.velocity = self.velocity + off * k_velocity;
        self.vv -= k_velocity * self.pv;
        self.pv -= k_at * self.pv;
        self.pp -= k_at * self.pp;
        -libm::log(spread_m2) - 0.5 * off.norm2() / spread_m2
    }

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

/// A straight line by least squares.
struct Line {
    /// Its value at zero.
    value: f64,
    /// Variance of the value, for unit variance of each point.
    value_variance: f64,
    /// Variance of the points about the line; zero for fewer than three.
    residual_variance: f64,
}

impl Line {
    fn through(points: impl Iterator<Item = (f64, f64)> + Clone) -> Self {
        let n = points.clone().count() as f64;
        let mean_x = points.clone().map(|(x, _)| x).sum::<f64>() / n;
        let mean_y = points.clone().map(|(_, y)| y).sum::<f64>() / n;
        let sxx: f64 = points.clone().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum();
        let sxy: f64 = points.clone().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        if sxx <= 0.0 {
            return Self { value: mean_y, value_variance: 1.0 / n, residual_variance: 0.0 };
        }
        let slope = sxy / sxx;
        let residual: f64 = points.map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum();
        Self {
            value: mean_y - slope * mean_x,
            value_variance: 1.0 / n + mean_x * mean_x / sxx,
            residual_variance: if n > 2.0 { residual / (n - 2.0) } else { 0.0 },
        }
    }
}

/// Φ: the share of a standard normal distribution below `z`.
fn normal_cdf(z: f64) -> f64 {
    if z.is_nan() {
        // Zero over zero: exactly on the boundary with no error at all.
        return 0.5;
    }
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution() {
        for (z, share) in [(0.0, 0.5), (1.0, 0.841_344_746), (-1.644_853_627, 0.05), (1.959_963_985, 0.975)] {
            assert!((normal_cdf(z) - share).abs() < 1e-9, "{z}");
        }
        assert_eq!(normal_cdf(f64::INFINITY), 1.0);
    }

    #[test]
    fn a_line_through_points() {
        let line = Line::through([(-1.0, 1.0), (0.0, 3.0), (1.0, 5.0)].into_iter());
        assert_eq!((line.value, line.residual_variance), (3.0, 0.0));
        assert_eq!(Line::through([(4.0, 7.0)].into_iter()).value, 7.0);
    }
}
