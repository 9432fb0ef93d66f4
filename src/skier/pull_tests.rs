//! The curve against step-by-step drawing, and against itself cut into other legs.

use super::pull::pull;
use super::stretch::{Steady, Stretch};
use crate::geo::motion::point_edge;
use crate::geo::{Span, Vec2};

const ROPE_M: f64 = 23.0;

fn boat(from: (f64, f64), velocity: (f64, f64), at_s: f64) -> Steady {
    Steady { at_s, from: Vec2::new(from.0, from.1), velocity: Vec2::new(velocity.0, velocity.1) }
}

/// Where the skier is after `span`, drawn in steps of a tenth of a millisecond.
fn step_by_step(boat: &Steady, span: Span, mut skier: Vec2) -> Vec2 {
    let steps = (span.length_s() * 1e4) as usize;
    for i in 1..=steps {
        let at = boat.at(span.from_s + span.length_s() * i as f64 / steps as f64);
        let away = skier - at;
        if away.norm() > ROPE_M {
            skier = at + away * (ROPE_M / away.norm());
        }
    }
    skier
}

fn at(stretches: &[Stretch], s: f64) -> Vec2 {
    stretches.iter().find(|stretch| stretch.span.contains(s)).expect("covered").at(s)
}

#[test]
fn the_curve_is_that_of_small_steps() {
    let span = Span { from_s: 2.0, to_s: 9.0 };
    for (velocity, skier) in [
        ((8.0, 0.0), (-23.0, 0.0)),
        ((8.0, 0.0), (0.0, 23.0)),
        ((8.0, 0.0), (0.0, -23.0)),
        ((0.0, 11.0), (-20.0, 3.0)),
        // The boat comes back past its skier: slack until it is a rope's length beyond.
        ((-8.0, 1.0), (-22.0, -4.0)),
        ((3.0, -3.0), (5.0, 5.0)),
        // A rope that was shortened.
        ((2.0, 1.0), (-40.0, 10.0)),
    ] {
        let boat = boat((1.0, 2.0), velocity, 2.0);
        let skier = Vec2::new(1.0 + skier.0, 2.0 + skier.1);
        let (stretches, end) = pull(&boat, span, skier, ROPE_M);
        assert_eq!(stretches.first().map(|s| s.span.from_s), Some(2.0));
        assert_eq!(stretches.last().map(|s| s.span.to_s), Some(9.0));
        for s in [2.0, 3.7, 5.2, 9.0] {
            let truth = step_by_step(&boat, Span { from_s: 2.0, to_s: s }, skier);
            let found = at(&stretches, s);
            if s > 2.0 {
                assert!((found - truth).norm() < 2e-3, "{velocity:?} at {s}: {found:?} is not {truth:?}");
            }
            assert!((found - boat.at(s)).norm() <= ROPE_M + 1e-6);
        }
        assert!((end - at(&stretches, 9.0)).norm() < 1e-9);
    }
}

/// The same way cut into legs of any length gives the same curve.
#[test]
fn it_does_not_matter_how_often_the_boat_reports() {
    let way = [(0.0, 0.0), (60.0, 0.0), (90.0, 40.0), (60.0, 90.0), (10.0, 95.0)];
    let end_with = |pieces: usize| {
        let mut skier = Vec2::new(-ROPE_M, 0.0);
        for ends in way.windows(2) {
            let (a, b) = (Vec2::new(ends[0].0, ends[0].1), Vec2::new(ends[1].0, ends[1].1));
            for k in 0..pieces {
                let (p, q) = (a.lerp(b, k as f64 / pieces as f64), a.lerp(b, (k + 1) as f64 / pieces as f64));
                let span_s = 6.0 / pieces as f64;
                let boat = Steady { at_s: 0.0, from: p, velocity: (q - p) * (1.0 / span_s) };
                skier = pull(&boat, Span { from_s: 0.0, to_s: span_s }, skier, ROPE_M).1;
            }
        }
        skier
    };
    let whole = end_with(1);
    for pieces in [2, 7, 60] {
        assert!((end_with(pieces) - whole).norm() < 1e-3, "{pieces}: {:?} {whole:?}", end_with(pieces));
    }
}

/// A boat that lies still, or that turned round, leaves its skier where it was.
#[test]
fn on_a_slack_rope_the_skier_stays() {
    let lies = boat((0.0, 0.0), (0.0, 0.0), 0.0);
    let span = Span { from_s: 0.0, to_s: 5.0 };
    let (stretches, end) = pull(&lies, span, Vec2::new(-20.0, 0.0), ROPE_M);
    assert_eq!((stretches.len(), end), (1, Vec2::new(-20.0, 0.0)));
    assert_eq!(stretches[0].course_at(1.0), None);
    let back = boat((0.0, 0.0), (-4.0, 0.0), 0.0);
    let (stretches, end) = pull(&back, span, Vec2::new(-20.0, 0.0), ROPE_M);
    assert_eq!((stretches.len(), end), (1, Vec2::new(-20.0, 0.0)));
    // Dead astern it follows in a straight line at the boat's speed.
    let ahead = boat((0.0, 0.0), (10.0, 0.0), 0.0);
    let (stretches, end) = pull(&ahead, span, Vec2::new(-23.0, 0.0), ROPE_M);
    assert_eq!(stretches.len(), 1);
    assert!((end - Vec2::new(27.0, 0.0)).norm() < 1e-9, "{end:?}");
    assert_eq!(stretches[0].course_at(1.0), Some(Vec2::new(1.0, 0.0)));
}

/// Times within a radius and smallest distances on the curve, against looking every millisecond.
#[test]
fn distances_are_solved_on_the_curve() {
    let boat = boat((0.0, 0.0), (9.0, 0.0), 0.0);
    let span = Span { from_s: 0.0, to_s: 6.0 };
    let (stretches, _) = pull(&boat, span, Vec2::new(-3.0, 22.0), ROPE_M);
    let post = Vec2::new(20.0, 14.0);
    let near: f64 = stretches.iter().map(|s| s.within_of_edge(post, post, 12.0).length_s()).sum();
    let passer = Steady { at_s: 0.0, from: Vec2::new(50.0, 9.0), velocity: Vec2::new(-7.0, 0.5) };
    let beside: f64 = stretches.iter().map(|s| s.within_of(&passer, 25.0, span).length_s()).sum();
    let looks: Vec<Vec2> = (0..6000).map(|i| at(&stretches, (f64::from(i) + 0.5) * 1e-3)).collect();
    let seen_near = looks.iter().filter(|p| point_edge(**p, post, post).0 <= 12.0).count() as f64 * 1e-3;
    let seen_beside =
        (0..6000).filter(|&i| (looks[i] - passer.at((i as f64 + 0.5) * 1e-3)).norm() <= 25.0).count() as f64 * 1e-3;
    assert!(near > 0.5 && (near - seen_near).abs() < 3e-3, "{near} {seen_near}");
    assert!(beside > 0.5 && (beside - seen_beside).abs() < 3e-3, "{beside} {seen_beside}");
    let nearest = stretches.iter().map(|s| s.nearest_to(&passer, s.span).1).fold(f64::INFINITY, f64::min);
    let seen = (0..6000).map(|i| (looks[i] - passer.at((i as f64 + 0.5) * 1e-3)).norm()).fold(f64::INFINITY, f64::min);
    assert!((nearest - seen).abs() < 5e-3, "{nearest} {seen}");
}
