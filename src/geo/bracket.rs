//! When a function of time is not negative, and where it is lowest: by brackets that cannot miss anything.
//!
//! For motions that have no closed form. Whoever asks says how fast the function changes at most; then its
//! values at both ends of a bracket bound it inside, and brackets in which nothing can happen are not
//! looked into. Others are halved until they are shorter than a time that decides nothing.

use super::spans::{Span, Spans};

/// A bracket shorter than this is taken for straight, seconds: well below the 0.05 s to which ends are exact.
const SHORT_S: f64 = 1e-3;
/// Lower by less than this is no lower.
const SAME: f64 = 1e-5;

/// The part of `window` on which `f` is not negative. `rate` is the most by which `f` changes in a second.
pub fn holds(window: Span, rate: f64, f: impl Fn(f64) -> f64) -> Spans {
    let mut spans = Spans::none();
    let (a, b) = (window.from_s, window.to_s);
    let (fa, fb) = (f(a), f(b));
    if b <= a {
        if fa >= 0.0 {
            spans.add(window);
        }
        return spans;
    }
    look((a, fa), (b, fb), rate, &f, &mut spans);
    spans
}

fn look(a: (f64, f64), b: (f64, f64), rate: f64, f: &impl Fn(f64) -> f64, spans: &mut Spans) {
    let (mean, swing) = (0.5 * (a.1 + b.1), 0.5 * rate * (b.0 - a.0));
    if mean - swing >= 0.0 {
        spans.add(Span { from_s: a.0, to_s: b.0 });
    } else if mean + swing < 0.0 {
    } else if b.0 - a.0 <= SHORT_S {
        let root = || a.0 + (b.0 - a.0) * a.1 / (a.1 - b.1);
        let span = match (a.1 >= 0.0, b.1 >= 0.0) {
            (true, true) => Some((a.0, b.0)),
            (true, false) => Some((a.0, root())),
            (false, true) => Some((root(), b.0)),
            (false, false) => None,
        };
        if let Some((from_s, to_s)) = span {
            spans.add(Span { from_s, to_s });
        }
    } else {
        let mid_s = 0.5 * (a.0 + b.0);
        let mid = (mid_s, f(mid_s));
        look(a, mid, rate, f, spans);
        look(mid, b, rate, f, spans);
    }
}

/// The instant of `window` at which `f` is lowest, the earliest of several, and its value there.
pub fn lowest(window: Span, rate: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    let (a, b) = ((window.from_s, f(window.from_s)), (window.to_s, f(window.to_s)));
    let mut best = if b.1 < a.1 { b } else { a };
    if b.0 > a.0 {
        descend(a, b, rate, &f, &mut best);
    }
    best
}

fn descend(a: (f64, f64), b: (f64, f64), rate: f64, f: &impl Fn(f64) -> f64, best: &mut (f64, f64)) {
    let floor = 0.5 * (a.1 + b.1 - rate * (b.0 - a.0));
    if floor >= best.1 - SAME || b.0 - a.0 <= SHORT_S {
        return;
    }
    let mid_s = 0.5 * (a.0 + b.0);
    let mid = (mid_s, f(mid_s));
    if mid.1 < best.1 {
        *best = mid;
    }
    // The lower side first: it prunes the other.
    if a.1 <= b.1 {
        descend(a, mid, rate, f, best);
        descend(mid, b, rate, f, best);
    } else {
        descend(mid, b, rate, f, best);
        descend(a, mid, rate, f, best);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Span = Span { from_s: 0.0, to_s: 9.0 };

    #[test]
    fn every_stretch_is_found_and_its_ends_are_exact() {
        let spans = holds(WINDOW, 2.0, |s| libm::sin(2.0 * s) - 0.5);
        let edges: Vec<f64> = spans.iter().flat_map(|span| [span.from_s, span.to_s]).collect();
        let pi = std::f64::consts::PI;
        let truth: Vec<f64> =
            (0..3).flat_map(|k| [pi / 12.0, 5.0 * pi / 12.0].map(|s| s + f64::from(k) * pi)).collect();
        assert_eq!(edges.len(), truth.len(), "{edges:?}");
        assert!(edges.iter().zip(&truth).all(|(a, b)| (a - b).abs() < 1e-6), "{edges:?} {truth:?}");
    }

    #[test]
    fn a_short_dip_is_not_missed() {
        let dip = |s: f64| 3.0 * (s - 7.003).abs() - 0.012;
        let spans = holds(WINDOW, 3.0, |s| -dip(s));
        let span = spans.iter().next().expect("found");
        assert!((span.from_s - 6.999).abs() < 1e-3 && (span.to_s - 7.007).abs() < 1e-3, "{span:?}");
        let (s, value) = lowest(WINDOW, 3.0, dip);
        assert!((s - 7.003).abs() < 2e-3 && (value + 0.012).abs() < 3e-3, "{s} {value}");
    }

    #[test]
    fn an_instant_holds_or_not() {
        let instant = Span { from_s: 3.0, to_s: 3.0 };
        assert_eq!(holds(instant, 1.0, |_| 0.0), Spans::one(instant));
        assert!(holds(instant, 1.0, |_| -1.0).is_empty());
        assert_eq!(lowest(instant, 1.0, |s| s), (3.0, 3.0));
    }
}
