//! How sure a finding is, given the errors of position and speed.
//!
//! One fix by itself proves little: over a minute the worst of sixty noisy looks makes a lawful boat a
//! speeder. So each instant is seen through all fixes up to [`BEARING_S`] before and after it, under a
//! few [`STORIES`] of how they can have come about: a boat that keeps its way, one that changes it, one
//! that darts about, a receiver whose errors are larger than it says. Each story says where the boat was
//! and how fast (a Kalman filter from either side, velocity a random walk), and how well it foretells the
//! fixes; by that the stories are weighed, and where they disagree the error grows. A receiver's error
//! partly changes from fix to fix and partly stays for minutes: velocity is estimated as if all of it
//! changed, which most looks like speeding; of the position's variance half is taken to stay, however many
//! fixes agree: σ² = ½ σ_stated² + ½ σ_estimate² + sag², where between fixes T apart the sag is
//! a s (T - s) / 2, at most a T² / 8. A reported speed is the average of the nearest reports, of those on
//! one side where a line does not fit all of them; where the positions contradict it, it counts no more
//! than they do.
//!
//! The odds of an instant are the odds that the vessel was where the clause binds, Φ(margin / σ), times
//! the odds that it was faster than allowed, Φ((v - limit) / σ_v). A finding takes the highest of the
//! instants asked; `tests/suite/odds` holds that against known truth.

use smallvec::SmallVec;

use super::course::share_within;
use super::stories::{Estimate, Look, STORIES};
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
/// Share of the position variance that stays the same for as long as anything is averaged. A choice: the
/// half is what makes the simulated findings as often true as they say (`tests/suite/odds`).
const LASTING_SHARE: f64 = 0.5;
/// Reported speed: σ = 0.1 m/s + 1 % (what consumer receivers state).
const SPEED_SIGMA_MPS: f64 = 0.1;
const SPEED_SIGMA_SHARE: f64 = 0.01;
/// Acceleration that a path between two fixes may hide, m/s²: what a motor boat does in a turn or on
/// slowing down without anybody noticing.
const HIDDEN_MPS2: f64 = 1.0;
/// More acceleration than any boat has, m/s²: one g; what needs more is an error.
const IMPOSSIBLE_MPS2: f64 = 9.81;
/// How many fixes on either side of an instant bear on its odds: at 1 Hz all of them.
const BEARING_COUNT: usize = 12;
/// Difference between a reported speed and one by the positions that calls for no explanation, m/s.
const AGREE_MPS: f64 = 0.5;
/// So many times the variance of one reported speed shows that several do not lie on a line. A choice: of seven that do
/// one in a million looks so; where fewer were enough, boats that keep just under a limit all day would be told of.
const BENDS: f64 = 8.0;
/// How many reported speeds on either side are averaged.
const SPEED_COUNT: usize = 3;
/// Of the directions around a place about so many tell something of their own: neighbours see the same shore.
const INDEPENDENT_WAYS: f64 = 4.0;

/// Where a vessel was at an instant and how fast, with the standard deviations of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Odds {
    /// The most likely position.
    pub position: Position,
    /// Standard deviation of the position along one axis, metres.
    pub position_sigma_m: f64,
    /// Speed over ground by the positions, m/s, and its standard deviation; `None` for a fix alone.
    pub along_path: Option<(f64, f64)>,
    /// Velocity by the positions, m/s, and the standard deviation of either component; `None` for a fix alone.
    pub velocity: Option<(Vec2, f64)>,
    /// Speed over ground by the reports, m/s, and its standard deviation; `None` where none is near.
    pub reported: Option<(f64, f64)>,
}

impl Odds {
    /// The estimate at `t`, on the leg that ends at `leg_end`, from the fixes of a track around it; `None`
    /// where no accepted fix is near.
    pub fn at(track: &Track, t: EventTime, leg_end: EventTime, errors: &Errors) -> Option<Self> {
        let (before, after) = around(track, t, leg_end);
        let nearest = before.first().or(after.first())?;
        let frame = LocalFrame::at(nearest.position);
        let sigma_m = |fix: &TrackFix| fix.accuracy_m().unwrap_or(errors.default_accuracy_m) / SIGMAS_IN_68;
        let look = |fix: &TrackFix| Look {
            s: fix.t.seconds_since(t),
            at: frame.to_plane(fix.position),
            variance_m2: sigma_m(fix) * sigma_m(fix),
        };
        let mut looks: SmallVec<[Look; 2 * BEARING_COUNT]> =
            before.iter().rev().chain(&after).copied().map(look).collect();
        widen_spikes(&mut looks);
        let (earlier, later) = looks.split_at(before.len());

        // A fix alone, about which no story can tell anything, is taken at its word.
        let count = if looks.len() > 1 { STORIES.len() } else { 1 };
        let told = Estimate::of_stories(count, earlier, later);
        let vector = |of: fn(&Estimate) -> Vec2| told.iter().fold(Vec2::default(), |sum, e| sum + of(e) * e.share);
        let (at, velocity) = (vector(|e| e.at), vector(|e| e.velocity));
        let mean = |of: &dyn Fn(&Estimate) -> f64| told.iter().map(|e| e.share * of(e)).sum::<f64>();

        // The path between two fixes: a s (T - s) / 2, which is a T²/8 midway.
        let sag_m = match (before.first(), after.first()) {
            (Some(from), Some(to)) => 0.5 * HIDDEN_MPS2 * t.seconds_since(from.t) * to.t.seconds_since(t).max(0.0),
            _ => 0.0,
        };
        let stated_sigma_m = before.first().into_iter().chain(after.first()).copied().map(sigma_m).fold(0.0, f64::max);
        let lasting_m2 = mean(&|e| e.worse * e.worse) * LASTING_SHARE * stated_sigma_m * stated_sigma_m;
        let variance_m2 = mean(&|e| (1.0 - LASTING_SHARE) * e.at_m2 + 0.5 * (e.at - at).norm2());
        let position_sigma_m = (lasting_m2 + variance_m2 + sag_m * sag_m).sqrt();

        let velocity = (looks.len() > 1).then(|| {
            let sigma2 = mean(&|e| e.velocity_m2ps2 + 0.5 * (e.velocity - velocity).norm2());
            (velocity, sigma2.sqrt())
        });
        let along_path = velocity.map(|(velocity, sigma_mps)| {
            let mps = velocity.norm();
            // Error across the way makes a slow vessel look faster than it is.
            (if mps > 0.0 { (mps - sigma_mps * sigma_mps / (2.0 * mps)).max(0.0) } else { 0.0 }, sigma_mps)
        });
        let position = frame.to_position(at)?;
        Some(Self { position, position_sigma_m, along_path, velocity, reported: reported(&before, &after, t) })
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

    /// The odds that its course was more than `off_course_deg` off a direction, given as the mean of several unit
    /// vectors: the shorter it is, the less they agree and the less sure it is.
    pub fn astray(&self, way: Vec2, off_course_deg: f64) -> f64 {
        let Some((velocity, sigma_mps)) = self.velocity else { return 0.0 };
        let (mps, agreement) = (velocity.norm(), way.norm().min(1.0));
        if mps == 0.0 || agreement == 0.0 {
            return 0.0;
        }
        let off_deg = libm::acos((velocity.dot(way) / (mps * agreement)).clamp(-1.0, 1.0)).to_degrees();
        // An error across the way turns the course; directions that spread as those of a wrapped normal distribution do.
        let course_deg = libm::atan2(sigma_mps, mps).to_degrees();
        let way_deg = (-2.0 * libm::log(agreement)).max(0.0).sqrt().to_degrees() / INDEPENDENT_WAYS.sqrt();
        normal_cdf((off_deg - off_course_deg) / course_deg.hypot(way_deg))
    }

    /// The odds that its course was within `within_deg` of a direction, a unit vector; `None` for a fix alone.
    pub fn heads_within(&self, way: Vec2, within_deg: f64) -> Option<f64> {
        let (velocity, sigma_mps) = self.velocity?;
        Some(share_within(velocity, sigma_mps, way, within_deg.to_radians()))
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

/// Standard deviation of one reported speed, m/s.
pub fn reported_sigma_mps(mps: f64) -> f64 {
    SPEED_SIGMA_MPS + SPEED_SIGMA_SHARE * mps
}

/// The speed at `t` by the nearest reports, m/s, and its standard deviation.
fn reported(before: &[&TrackFix], after: &[&TrackFix], t: EventTime) -> Option<(f64, f64)> {
    let near = before.iter().take(SPEED_COUNT + 1).chain(after.iter().take(SPEED_COUNT));
    let said: SmallVec<[(f64, f64); 7]> = near
        .filter(|fix| fix.t.seconds_since(t).abs() <= BEARING_S)
        .filter_map(|fix| fix.sog_mps().map(|mps| (fix.t.seconds_since(t), mps)))
        .collect();
    if said.is_empty() {
        return None;
    }
    let line = Line::through(&said).or_one_sided(&said, |mps| reported_sigma_mps(mps).powi(2));
    let mps = line.value.max(0.0);
    let sigma_mps = reported_sigma_mps(mps);
    let variance = (sigma_mps * sigma_mps).max(line.residual_variance);
    Some((mps, (variance * (LASTING_SHARE + (1.0 - LASTING_SHARE) * line.value_variance)).sqrt()))
}

/// Gives a fix that no boat could have gone to and come back from an error as large as its excess.
fn widen_spikes(looks: &mut [Look]) {
    // Found first: one does not excuse the next.
    let mut spikes = SmallVec::<[(usize, f64); 4]>::new();
    for (at, three) in (1..).zip(looks.windows(3)) {
        let [a, b, c] = [three[0], three[1], three[2]];
        let u = (b.s - a.s) / (c.s - a.s);
        let off = b.at - a.at.lerp(c.at, u);
        let reach_m = 0.5 * IMPOSSIBLE_MPS2 * (b.s - a.s) * (c.s - b.s);
        // Nearly always a boat could.
        if off.norm2() <= reach_m * reach_m {
            continue;
        }
        let error_m = 3.0 * (b.variance_m2 + (1.0 - u) * (1.0 - u) * a.variance_m2 + u * u * c.variance_m2).sqrt();
        let excess_m = (off.norm() - reach_m - error_m).max(0.0);
        spikes.push((at, excess_m * excess_m));
    }
    for (at, excess_m2) in spikes {
        looks[at].variance_m2 += excess_m2;
    }
}

/// Accepted fixes, nearest first.
type Near<'t> = SmallVec<[&'t TrackFix; BEARING_COUNT]>;

/// The accepted fixes before or at `t` and those after it, nearest first, along the unbroken path.
///
/// The fixes on both ends of the leg always bear on it. What comes before it is measured from its end: a
/// track keeps that for as long as the leg can be judged again.
fn around(track: &Track, t: EventTime, leg_end: EventTime) -> (Near<'_>, Near<'_>) {
    let fixes = track.fixes();
    let (mut before, mut after) = (Near::new(), Near::new());
    let first_after = track.index_of(EventTime::from_unix_ns(t.unix_ns().saturating_add(1)));
    let mut k = first_after;
    while let Some(i) = track.accepted_before(k) {
        let leads_on = before.last().is_none_or(|later| later.linked);
        let bears = before.len() < BEARING_COUNT && leg_end.seconds_since(fixes[i].t) <= BEARING_S;
        if !leads_on || !(before.is_empty() || bears) {
            break;
        }
        before.push(&fixes[i]);
        k = i;
    }
    for fix in fixes.range(first_after..).filter(|fix| fix.is_accepted()) {
        let bears = after.len() < BEARING_COUNT && fix.t.seconds_since(t) <= BEARING_S;
        let leads_on = fix.linked || (before.is_empty() && after.is_empty());
        if !leads_on || (fix.t > leg_end && !bears) {
            break;
        }
        after.push(fix);
    }
    (before, after)
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
    /// This one, or where the points bend so much that their errors do not explain it, the better one of those through the
    /// points up to zero and from zero on: a vessel that speeds up and slows down again was fastest in between.
    fn or_one_sided(self, points: &[(f64, f64)], variance: impl Fn(f64) -> f64) -> Self {
        if self.residual_variance <= BENDS * variance(self.value.max(0.0)) {
            return self;
        }
        let of = |is_meant: fn(f64) -> bool| -> SmallVec<[(f64, f64); 7]> {
            points.iter().copied().filter(|(x, _)| is_meant(*x)).collect()
        };
        let sides = [of(|x| x <= 0.0), of(|x| x >= 0.0)];
        let lines = sides.iter().filter(|side| side.len() > 2).map(|side| Self::through(side));
        lines.fold(self, |best, line| if line.residual_variance < best.residual_variance { line } else { best })
    }

    fn through(points: &[(f64, f64)]) -> Self {
        let n = points.len() as f64;
        let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / n;
        let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / n;
        let sxx: f64 = points.iter().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum();
        let sxy: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        if sxx <= 0.0 {
            return Self { value: mean_y, value_variance: 1.0 / n, residual_variance: 0.0 };
        }
        let slope = sxy / sxx;
        let residual: f64 = points.iter().map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum();
        Self {
            value: mean_y - slope * mean_x,
            value_variance: 1.0 / n + mean_x * mean_x / sxx,
            residual_variance: if n > 2.0 { residual / (n - 2.0) } else { 0.0 },
        }
    }
}

/// Φ: the share of a standard normal distribution below `z`.
pub fn normal_cdf(z: f64) -> f64 {
    if z.is_nan() {
        // Zero over zero: exactly on the boundary with no error at all.
        return 0.5;
    }
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Fix;
    use crate::rulebook::Rulebook;

    #[test]
    fn the_normal_distribution() {
        for (z, share) in [(0.0, 0.5), (1.0, 0.841_344_746), (-1.644_853_627, 0.05), (1.959_963_985, 0.975)] {
            assert!((normal_cdf(z) - share).abs() < 1e-9, "{z}");
        }
        assert_eq!(normal_cdf(f64::INFINITY), 1.0);
    }

    #[test]
    fn a_line_through_points() {
        let line = Line::through(&[(-1.0, 1.0), (0.0, 3.0), (1.0, 5.0)]);
        assert_eq!((line.value, line.residual_variance), (3.0, 0.0));
        assert_eq!(Line::through(&[(4.0, 7.0)]).value, 7.0);
    }

    const START: &str = "2026-07-04T18:00:00Z";

    /// A track of one fix a second going east at 3 m/s, changed by `change` before it is offered.
    fn track(change: impl Fn(usize, &mut Fix, &mut f64)) -> (Track, EventTime) {
        let start = EventTime::parse_rfc3339(START).expect("a time");
        let frame = LocalFrame::at(Position::from_lat_lon(47.7, -117.4).expect("a place"));
        let mut track = Track::default();
        for i in 0..21 {
            let mut fix = Fix::new(start.plus_seconds(i as f64), frame.origin());
            let mut east_m = 3.0 * i as f64;
            change(i, &mut fix, &mut east_m);
            fix.position = frame.to_position(Vec2::new(east_m, 0.0)).expect("a place");
            let mut fix = TrackFix::new(&fix, i as u64);
            fix.water = 0;
            track.offer(fix, &Rulebook::spokane().motion);
        }
        (track, start)
    }

    fn odds(track: &Track, t: EventTime) -> Odds {
        let leg_end = track.fixes()[track.index_of(t)].t;
        Odds::at(track, t, leg_end, &Errors { default_accuracy_m: 5.0 }).expect("fixes are near")
    }

    #[test]
    fn a_steady_run_is_known_better_than_any_two_of_its_fixes() {
        let (track, start) = track(|_, _, _| ());
        let odds = odds(&track, start.plus_seconds(10.0));
        let (mps, sigma_mps) = odds.along_path.expect("a path");
        assert!((mps - 3.0).abs() < 0.05 && sigma_mps < 0.3, "{odds:?}");
        // Half of the variance of (5 m / 1.51)² stays, whatever is averaged.
        assert!(odds.position_sigma_m > 2.34 && odds.position_sigma_m < 2.8, "{odds:?}");
    }

    #[test]
    fn a_spike_is_not_followed() {
        let (track, start) = track(|i, _, east_m| *east_m += if i == 10 { 40.0 } else { 0.0 });
        let odds = odds(&track, start.plus_seconds(10.0));
        assert!(odds.faster_than(6.0) < 0.05, "{odds:?}");
    }

    #[test]
    fn a_reported_speed_that_the_positions_contradict_proves_nothing() {
        let (honest, start) = track(|_, fix, _| fix.sog_mps = Some(3.0));
        let t = start.plus_seconds(10.0);
        assert!(odds(&honest, t).faster_than(2.5) > 0.99);
        let (absurd, _) = track(|_, fix, _| fix.sog_mps = Some(20.0));
        assert!(odds(&absurd, t).faster_than(10.0) < 0.01);
    }

    #[test]
    fn a_short_peak_of_speed_counts() {
        // Up to 24 m/s and down again, by 2 m/s every second.
        let mps = |s: f64| 24.0 - 2.0 * (s - 10.0).abs();
        let (peak, start) = track(|i, fix, east_m| {
            fix.sog_mps = Some(mps(i as f64));
            *east_m = (0..i).map(|k| 0.5 * (mps(k as f64) + mps(k as f64 + 1.0))).sum();
        });
        let odds = odds(&peak, start.plus_seconds(10.0));
        assert!(odds.faster_than(22.35) > 0.95 && odds.faster_than(25.0) < 0.05, "{odds:?}");
    }

    #[test]
    fn a_sparse_path_sags() {
        let (sparse, start) = track(|i, fix, _| {
            fix.t = fix.t.plus_seconds(11.0 * i as f64);
        });
        let between = odds(&sparse, start.plus_seconds(6.0));
        assert!(between.position_sigma_m > 12.0 * 12.0 / 8.0, "{between:?}");
        let on_a_fix = odds(&sparse, start.plus_seconds(12.0));
        assert!(on_a_fix.position_sigma_m < 5.0, "{on_a_fix:?}");
    }

    #[test]
    fn a_fix_alone_has_a_place_and_no_speed_but_what_it_reports() {
        let (alone, start) = track(|i, fix, _| fix.t = fix.t.plus_seconds(60.0 * i as f64));
        let odds = odds(&alone, start);
        assert_eq!((odds.along_path, odds.reported, odds.faster_than(0.1)), (None, None, 0.0));
        assert!((odds.position_sigma_m - sigma_m(5.0)).abs() < 1e-9, "{odds:?}");
    }
}
