//! How likely a course lies within an angle of a direction, given an uncertain velocity.

use std::f64::consts::{PI, TAU};

use super::normal_cdf;
use crate::geo::Vec2;

/// From this many standard deviations of speed on the course is spread as a normal distribution, to three digits.
const NARROW_SIGMAS: f64 = 6.0;
/// Steps of the sum over the angle where it is not: at most some 4°, where the density spreads over 10° and more.
const STEPS: u32 = 96;

/// The probability that a velocity lies within `within_rad` (0 to π) of the direction `way`; either component is spread
/// by `sigma_mps` about that of `velocity`, independent of the other.
///
/// The direction of such a vector has the projected normal distribution.
pub(super) fn share_within(velocity: Vec2, sigma_mps: f64, way: Vec2, within_rad: f64) -> f64 {
    let off_rad = libm::atan2(way.cross(velocity), way.dot(velocity));
    let sigmas = velocity.norm() / sigma_mps;
    if sigmas.is_nan() {
        // No motion and no doubt of it: any course is as likely as another.
        return within_rad / PI;
    }
    if sigmas > NARROW_SIGMAS {
        let below = |edge_rad: f64| normal_cdf((edge_rad - off_rad.abs()) * sigmas);
        return below(within_rad) - below(-within_rad);
    }
    let density = |rad: f64| {
        let ahead = sigmas * libm::cos(rad - off_rad);
        let run = TAU.sqrt() * ahead * libm::exp(0.5 * ahead * ahead) * normal_cdf(ahead);
        libm::exp(-0.5 * sigmas * sigmas) * (1.0 + run) / TAU
    };
    // Simpson's rule.
    let step_rad = 2.0 * within_rad / f64::from(STEPS);
    let sum: f64 = (0..=STEPS)
        .map(|i| {
            let weight = if i == 0 || i == STEPS {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            };
            weight * density(f64::from(i) * step_rad - within_rad)
        })
        .sum();
    (sum * step_rad / 3.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NORTH: Vec2 = Vec2::new(0.0, 1.0);

    #[test]
    fn of_no_motion_every_course_is_as_likely() {
        assert!((share_within(Vec2::default(), 1.0, NORTH, PI / 6.0) - 1.0 / 6.0).abs() < 1e-6);
        assert_eq!(share_within(Vec2::default(), 0.0, NORTH, PI / 6.0), 1.0 / 6.0);
        assert!((share_within(Vec2::new(0.3, -2.0), 1.0, NORTH, PI) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_half_plane_is_that_of_one_component() {
        for north_mps in [-2.0, 0.0, 0.5, 3.0] {
            let share = share_within(Vec2::new(1.0, north_mps), 0.7, NORTH, 0.5 * PI);
            assert!((share - normal_cdf(north_mps / 0.7)).abs() < 1e-6, "{north_mps}: {share}");
        }
    }

    #[test]
    fn both_ways_of_summing_agree_where_they_meet() {
        for off_deg in [0.0_f64, 10.0, 25.0, 35.0, 60.0, 170.0] {
            let of = |mps: f64| share_within(Vec2::toward_deg(off_deg) * mps, 1.0, NORTH, 30.0_f64.to_radians());
            let (wide, narrow) = (of(NARROW_SIGMAS - 1e-9), of(NARROW_SIGMAS + 1e-9));
            assert!((wide - narrow).abs() < 0.01, "{off_deg}: {wide} {narrow}");
        }
    }

    #[test]
    fn a_sure_course_is_within_or_not() {
        for (off_deg, share) in [(-20.0_f64, 1.0), (29.0, 1.0), (30.0, 0.5), (31.0, 0.0), (180.0, 0.0)] {
            let found = share_within(Vec2::toward_deg(off_deg) * 10.0, 0.01, NORTH, 30.0_f64.to_radians());
            assert!((found - share).abs() < 1e-3, "{off_deg}: {found}");
        }
    }
}
