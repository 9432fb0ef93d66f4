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
use crate::track::{BEARING_FIXES, BEARING_S, Track, TrackFix};

/// Error settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// 68 % radius of a position whose receiver reports none, metres.
    pub default_accuracy_m: f64,
}

/// The radius of a 2-D Gaussian that holds 68 % is this many standard deviations of one axis:
/// √(-2 ln 0.32).
const SIGMAS_IN_68: f64 = 1.509_592_153;
/// Share of the position variance that stays the same over the few seconds of a fit.
const LASTING_SHARE: f64 = 0.5;
/// Reported speed: σ = 0.1 m/s + 1 % (rules.md, "Confidence").
const SPEED_SIGMA_MPS: f64 = 0.1;
const SPEED_SIGMA_SHARE: f64 = 0.01;
/// Acceleration that a path between fixes may hide, m/s².
const HIDDEN_MPS2: f64 = 1.0;

/// Where a vessel was at an instant and how fast, with the standard deviations of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Odds {
    /// The most likely position.
    pub position: Position,
    /// Standard deviation of the position along one axis, metres.
    pub position_sigma_m: f64,
    /// The most likely speed over ground, m/s; `None` where nothing says.
    pub speed_mps: Option<f64>,
    /// Standard deviation of the speed, m/s.
    pub speed_sigma_mps: f64,
}

impl Odds {
    /// The estimate at `t` from the fixes of a track around it; `None` where no accepted fix is near.
    pub fn at(track: &Track, t: EventTime, errors: &Errors) -> Option<Self> {
        let near = around(track, t);
        let frame = LocalFrame::at(near.first()?.position);
        let sigma_m = |fix: &TrackFix| fix.accuracy_m().unwrap_or(errors.default_accuracy_m) / SIGMAS_IN_68;
        let worst_sigma_m = near.iter().map(|fix| sigma_m(fix)).fold(0.0, f64::max);
        let seconds = |fix: &TrackFix| fix.t.seconds_since(t);
        let east = Line::through(near.iter().map(|fix| (seconds(fix), frame.to_plane(fix.position).east_m)));
        let north = Line::through(near.iter().map(|fix| (seconds(fix), frame.to_plane(fix.position).north_m)));

        // What the straight line does not explain counts as error of each fix.
        let left_over = 0.5 * (east.residual_variance + north.residual_variance);
        let variance = (worst_sigma_m * worst_sigma_m).max(left_over);
        let gap_s = near.windows(2).map(|pair| pair[1].t.seconds_since(pair[0].t)).fold(0.0, f64::max);
        let on_a_fix = near.iter().any(|fix| seconds(fix).abs() < 1e-3);
        let sag_m = if on_a_fix { 0.0 } else { HIDDEN_MPS2 * gap_s * gap_s / 8.0 };
        let fluctuating = (1.0 - LASTING_SHARE) * east.value_variance;
        let position_sigma_m = (variance * (LASTING_SHARE + fluctuating) + sag_m * sag_m).sqrt();
        let position = frame.to_position(Vec2::new(east.value, north.value))?;

        let reported: SmallVec<[(f64, f64); 5]> =
            near.iter().filter_map(|fix| fix.sog_mps().map(|mps| (seconds(fix), mps))).collect();
        let (speed_mps, speed_sigma_mps) = if !reported.is_empty() {
            let line = Line::through(reported.iter().copied());
            let mps = line.value.max(0.0);
            let sigma = SPEED_SIGMA_MPS + SPEED_SIGMA_SHARE * mps;
            let variance = (sigma * sigma).max(line.residual_variance);
            (Some(mps), (variance * (LASTING_SHARE + (1.0 - LASTING_SHARE) * line.value_variance)).sqrt())
        } else if near.len() > 1 {
            let sigma = (variance * (1.0 - LASTING_SHARE) * east.slope_variance).sqrt().max(SPEED_SIGMA_MPS);
            let mps = Vec2::new(east.slope, north.slope).norm();
            // Error across the way makes a slow vessel look faster than it is.
            (Some(if mps > 0.0 { (mps - sigma * sigma / (2.0 * mps)).max(0.0) } else { 0.0 }), sigma)
        } else {
            (None, 0.0)
        };
        Some(Self { position, position_sigma_m, speed_mps, speed_sigma_mps })
    }

    /// The odds that the vessel was faster than `limit_mps`.
    pub fn faster_than(&self, limit_mps: f64) -> f64 {
        self.speed_mps.map_or(0.0, |mps| normal_cdf((mps - limit_mps) / self.speed_sigma_mps))
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

/// The accepted fixes nearest to `t` on either side, along the unbroken path.
fn around(track: &Track, t: EventTime) -> SmallVec<[TrackFix; 5]> {
    let fixes = track.fixes();
    let mut near = SmallVec::new();
    let at = track.index_of(t);
    let reach = |fix: &TrackFix| fix.t.seconds_since(t).abs() <= BEARING_S;
    // Backwards from t, as long as the path leads on.
    let mut before = SmallVec::<[TrackFix; 2]>::new();
    let mut k = at;
    while let Some(i) = track.accepted_before(k) {
        let leads_on = near_leads_on(track, i, at);
        if before.len() == BEARING_FIXES || !(leads_on && (reach(&fixes[i]) || before.is_empty())) {
            break;
        }
        before.push(fixes[i]);
        k = i;
    }
    near.extend(before.into_iter().rev());
    let mut after = 0;
    for fix in fixes.range(at..).filter(|fix| fix.is_accepted()) {
        let exact = fix.t == t;
        if after == BEARING_FIXES + usize::from(exact)
            || !(reach(fix) || after == 0)
            || (!near.is_empty() && !fix.linked)
        {
            break;
        }
        near.push(*fix);
        after += 1;
    }
    near
}

/// Whether the path leads from accepted fix `i` to the next accepted one up to index `at`.
fn near_leads_on(track: &Track, i: usize, at: usize) -> bool {
    match track.accepted_after(i) {
        Some(next) => {
            track.fixes()[next].linked || (next >= at && track.fixes()[next].t > track.fixes()[i].t && next > at)
        }
        None => true,
    }
}

/// A straight line by least squares.
struct Line {
    /// Its value at zero.
    value: f64,
    /// Its slope.
    slope: f64,
    /// Variance of the value, for unit variance of each point.
    value_variance: f64,
    /// Variance of the slope, for unit variance of each point.
    slope_variance: f64,
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
            return Self {
                value: mean_y,
                slope: 0.0,
                value_variance: 1.0 / n,
                slope_variance: 0.0,
                residual_variance: 0.0,
            };
        }
        let slope = sxy / sxx;
        let residual: f64 = points.map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum();
        Self {
            value: mean_y - slope * mean_x,
            slope,
            value_variance: 1.0 / n + mean_x * mean_x / sxx,
            slope_variance: 1.0 / sxx,
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
        assert_eq!((line.value, line.slope, line.residual_variance), (3.0, 2.0, 0.0));
        assert_eq!(Line::through([(4.0, 7.0)].into_iter()).value, 7.0);
    }
}
