//! How likely a place lies within a distance of another, given where it most likely is.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use super::normal_cdf;

/// Farther out than this many standard deviations nothing counts any more.
const SIGMAS: f64 = 6.5;
/// Steps of the sum. It errs by less than 5e-4, whatever the ratio of distance, radius and error.
const STEPS: u32 = 48;

/// The probability that something comes within `radius_m` of a point from which it most likely is `distance_m` away at
/// its nearest; either component of where it is is spread by `sigma_m`, independent of the other. It passes by for
/// `run_m` before and as far after: an error along its way only shifts when it is nearest.
///
/// Without a run that of a disc (a non-central chi-square distribution with two degrees of freedom); with a long one that
/// of a strip. Across the way a sum of chords, along it each has a normal distribution.
pub fn share_in_disc(distance_m: f64, radius_m: f64, sigma_m: f64, run_m: f64) -> f64 {
    let has_size = radius_m > 0.0 && sigma_m > 0.0;
    if !has_size {
        return normal_cdf((radius_m - distance_m) / sigma_m);
    }
    // By the angle of the radius to the chord's end, from which the sum begins and ends smoothly.
    let angle = |along_m: f64| libm::asin((along_m / radius_m).clamp(-1.0, 1.0));
    let (from, to) = (angle(distance_m - SIGMAS * sigma_m), angle(distance_m + SIGMAS * sigma_m));
    let step = (to - from) / f64::from(STEPS);
    let chords = (1..STEPS).map(|i| {
        let (sin, cos) = libm::sincos(from + step * f64::from(i));
        let off = (radius_m * sin - distance_m) / sigma_m;
        libm::exp(-0.5 * off * off) * libm::erf((radius_m * cos + run_m) / sigma_m * FRAC_1_SQRT_2) * cos
    });
    (chords.sum::<f64>() * step * radius_m / (sigma_m * TAU.sqrt())).clamp(0.0, 1.0)
}

/// The probability that a place is within `radius_m` of a line, on either side, from which it most likely is `distance_m`
/// away; as of [`share_in_disc`].
pub fn share_along_line(distance_m: f64, radius_m: f64, sigma_m: f64) -> f64 {
    let near = normal_cdf((radius_m - distance_m) / sigma_m);
    let beyond = normal_cdf((-radius_m - distance_m) / sigma_m);
    if sigma_m > 0.0 { (near - beyond).max(0.0) } else { near }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn around_the_point_itself() {
        // There it is a Rayleigh distribution.
        for sigma_m in [0.5, 3.3, 6.62, 13.2, 66.0, 660.0] {
            let (radius_m, share) = (15.24_f64, share_in_disc(0.0, 15.24, sigma_m, 0.0));
            let exact = 1.0 - libm::exp(-0.5 * (radius_m / sigma_m).powi(2));
            assert!((share - exact).abs() < 3e-5, "{sigma_m}: {share} is not {exact}");
        }
    }

    #[test]
    fn beside_it() {
        // Against small cells of the disc, in standard deviations.
        let fine = |distance: f64, radius: f64| {
            let cells = (-400..400).map(|i| (f64::from(i) + 0.5) / 400.0);
            let share = |x: f64, y: f64| libm::exp(-0.5 * ((radius * x - distance).powi(2) + (radius * y).powi(2)));
            let inside = cells.clone().flat_map(|x| cells.clone().map(move |y| (x, y)));
            let sum: f64 = inside.filter(|(x, y)| x * x + y * y <= 1.0).map(|(x, y)| share(x, y)).sum();
            sum * (radius / 400.0).powi(2) / TAU
        };
        for (distance, radius) in [(1.0, 2.0), (3.0, 3.0), (5.0, 4.6), (0.3, 0.2), (9.0, 4.0)] {
            let (share, exact) = (share_in_disc(distance, radius, 1.0, 0.0), fine(distance, radius));
            assert!((share - exact).abs() < 1e-3, "{distance}, {radius}: {share} is not {exact}");
        }
    }

    #[test]
    fn where_errors_are_small_it_is_the_side_of_a_boundary() {
        for sigma_m in [0.01, 0.1] {
            assert!((share_in_disc(15.24, 15.24, sigma_m, 0.0) - 0.5).abs() < 0.003);
            assert!((share_along_line(15.24, 15.24, sigma_m) - 0.5).abs() < 1e-9);
        }
        assert_eq!((share_in_disc(3.0, 5.0, 0.0, 1.0), share_in_disc(5.0, 3.0, 0.0, 1.0)), (1.0, 0.0));
        assert_eq!((share_along_line(3.0, 5.0, 0.0), share_along_line(5.0, 3.0, 0.0)), (1.0, 0.0));
        assert_eq!(share_in_disc(5.0, 5.0, 0.0, 0.0), 0.5);
    }

    #[test]
    fn who_passes_far_is_in_a_strip() {
        for distance_m in [0.0, 2.0, 14.0, 20.0] {
            let (past, strip) =
                (share_in_disc(distance_m, 15.24, 11.0, 1e3), share_along_line(distance_m, 15.24, 11.0));
            assert!((past - strip).abs() < 2e-3, "{distance_m}: {past} is not {strip}");
            let less = share_in_disc(distance_m, 15.24, 11.0, 10.0);
            assert!(share_in_disc(distance_m, 15.24, 11.0, 0.0) < less && less < past);
        }
    }

    #[test]
    fn where_nothing_is_known_it_is_nowhere() {
        assert!(share_in_disc(0.0, 15.24, 1e6, 0.0) < 1e-6 && share_along_line(0.0, 15.24, 1e6) < 1e-4);
    }
}
