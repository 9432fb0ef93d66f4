//! Where a polynomial is zero, by bisection between the zeros of its derivative.

use smallvec::SmallVec;

/// The highest degree that is asked for.
const DEGREE_MAX: usize = 4;
/// Halvings of an interval: to the last digit of a leg's seconds.
const HALVINGS: u32 = 50;

/// Zeros, in order.
pub type Roots = SmallVec<[f64; DEGREE_MAX]>;

/// The zeros between `lo` and `hi` at which a polynomial changes its sign, in order; `coefficients` from that of
/// degree 0 on. A zero that it only touches may be left out.
pub fn roots_within(coefficients: &[f64], lo: f64, hi: f64) -> Roots {
    let mut degree = coefficients.len().saturating_sub(1);
    while degree > 0 && coefficients[degree] == 0.0 {
        degree -= 1;
    }
    if degree == 0 || lo > hi {
        return Roots::new();
    }
    let value = |s: f64| coefficients[..=degree].iter().rev().fold(0.0, |sum, c| sum * s + c);
    let slope: SmallVec<[f64; DEGREE_MAX]> =
        coefficients[1..=degree].iter().zip(1_u32..).map(|(c, k)| c * f64::from(k)).collect();
    let mut knots = roots_within(&slope, lo, hi);
    knots.insert(0, lo);
    knots.push(hi);
    let mut roots = Roots::new();
    for ends in knots.windows(2) {
        let (mut from, mut to) = (ends[0], ends[1]);
        let starts_below = value(from) < 0.0;
        if starts_below == (value(to) < 0.0) {
            continue;
        }
        for _ in 0..HALVINGS {
            let mid = 0.5 * (from + to);
            if (value(mid) < 0.0) == starts_below { from = mid } else { to = mid }
        }
        roots.push(0.5 * (from + to));
    }
    roots
}

/// The product of two polynomials of degree 2 at most.
pub fn product(a: [f64; 3], b: [f64; 3]) -> [f64; 5] {
    let mut out = [0.0; 5];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] += x * y;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_found_in_order() {
        // (s - 1)(s - 2)(s - 3)(s + 4)
        let found = roots_within(&[-24.0, 38.0, -13.0, -2.0, 1.0], -10.0, 10.0);
        assert_eq!(found.len(), 4);
        for (root, truth) in found.iter().zip([-4.0, 1.0, 2.0, 3.0]) {
            assert!((root - truth).abs() < 1e-9, "{root}");
        }
        assert_eq!(roots_within(&[-24.0, 38.0, -13.0, -2.0, 1.0], 1.5, 2.5).len(), 1);
    }

    #[test]
    fn what_has_no_zero_has_none() {
        assert!(roots_within(&[1.0, 0.0, 1.0], -5.0, 5.0).is_empty());
        assert!(roots_within(&[0.0, 0.0], -5.0, 5.0).is_empty());
        assert!(roots_within(&[1.0], -5.0, 5.0).is_empty());
        assert!(roots_within(&[], -5.0, 5.0).is_empty());
        assert_eq!(roots_within(&[-2.0, 1.0, 0.0], 0.0, 5.0).len(), 1);
    }

    #[test]
    fn factors_multiply() {
        assert_eq!(product([1.0, 2.0, 0.0], [3.0, 0.0, 1.0]), [3.0, 6.0, 1.0, 2.0, 0.0]);
    }
}
