//! Clauses that have to be broken for some time without a break.

use smallvec::SmallVec;

use super::{Evidence, Key, Ledger, Peak, Piece, Status, Terms};
use crate::geo::Position;
use crate::rules::{Lasting, Limit, Place};
use crate::time::EventTime;

const TERMS: Terms = Terms {
    merge_gap_s: 10.0,
    settled_after_s: 45.0,
    final_after_s: 70.0,
    tells_open: true,
    step_mps: 1.0,
    step_m: 1.0,
    step_confidence: 0.05,
};

const LASTING: Lasting = Lasting { s: 10.0, is_bridged: true };

fn at(s: f64) -> EventTime {
    EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time").plus_seconds(s)
}

fn piece(from_s: f64, to_s: f64) -> Piece {
    Piece {
        leg: at(to_s.ceil()),
        from: at(from_s),
        to: at(to_s),
        limit: Limit::default(),
        peak: Peak {
            t: at(from_s),
            position: Position::NULL_ISLAND,
            speed_mps: None,
            distance_m: None,
            feature: None,
            off_course_deg: Some(170.0),
            skier: None,
        },
        features: SmallVec::new(),
        place: Place::Anywhere,
        excuses: Vec::new(),
        confidence: None,
        early: None,
        follows: None,
        guessed: None,
    }
}

/// Explains every break, or none.
struct Says(bool);

impl Evidence for Says {
    fn early_odds(&mut self, _: &Piece) -> Option<f64> {
        None
    }
    fn odds(&mut self, _: &Piece) -> f64 {
        0.9
    }
    fn explains_break(&mut self, _: EventTime, _: &Piece) -> bool {
        self.0
    }
}

/// What is found in the end, in seconds, of pieces that come one a second; looked at after each, as a vessel's
/// fixes come, and for a minute and a half more.
fn found(pieces: &[(f64, f64)], explains: bool) -> (Vec<(f64, f64)>, usize) {
    found_lasting(pieces, explains, LASTING)
}

fn found_lasting(pieces: &[(f64, f64)], explains: bool, lasting: Lasting) -> (Vec<(f64, f64)>, usize) {
    let told = told(pieces, explains, lasting, &TERMS);
    let at_the_end = self::told(pieces, explains, lasting, &Terms { tells_open: false, ..TERMS });
    assert_eq!(told.0, at_the_end.0, "whether it is told before it is over changes nothing");
    told
}

fn told(pieces: &[(f64, f64)], explains: bool, lasting: Lasting, terms: &Terms) -> (Vec<(f64, f64)>, usize) {
    let key = Key { rule: 0, clause: 0, water: 0, zone: None, other: None };
    let mut ledger = Ledger::new(key, lasting);
    let (mut closed, mut withdrawn) = (Vec::new(), 0);
    let mut left = pieces.iter().peekable();
    for second in 0..200 {
        let now = at(f64::from(second));
        while let Some(&(from_s, to_s)) = left.next_if(|piece| at(piece.1.ceil()) <= now) {
            ledger.add(piece(from_s, to_s), terms);
        }
        ledger.look(Some(now), terms, &mut Says(explains), |news| match news.status {
            Status::Closed => {
                assert!((news.merged.confidence - 0.9).abs() < 1e-9);
                closed.push((news.merged.start.seconds_since(at(0.0)), news.merged.end.seconds_since(at(0.0))));
            }
            Status::Withdrawn => withdrawn += 1,
            Status::Open => {}
        });
    }
    assert!(ledger.is_empty());
    (closed, withdrawn)
}

/// The seconds from one to another, each a piece.
fn seconds(from: u32, to: u32) -> Vec<(f64, f64)> {
    (from..to).map(|s| (f64::from(s), f64::from(s + 1))).collect()
}

#[test]
fn only_a_stretch_without_a_break_counts() {
    assert_eq!(found(&seconds(5, 14), false), (vec![], 0), "nine seconds");
    assert_eq!(found(&seconds(5, 15), false), (vec![(5.0, 15.0)], 0), "ten seconds");
    let halves: Vec<_> = seconds(5, 12).into_iter().chain(seconds(13, 20)).collect();
    assert_eq!(found(&halves, false), (vec![], 0), "seven seconds twice");
    assert_eq!(found(&halves, true), (vec![(5.0, 20.0)], 0), "with a break that is none");
    let counted = Lasting { is_bridged: false, ..LASTING };
    assert_eq!(found_lasting(&halves, true, counted), (vec![], 0), "with a break that counts");
}

#[test]
fn stretches_that_count_merge_and_short_ones_beside_them_do_not() {
    let runs = |ends: &[(u32, u32)]| -> Vec<_> { ends.iter().flat_map(|&(from, to)| seconds(from, to)).collect() };
    assert_eq!(found(&runs(&[(5, 17), (22, 40)]), false).0, [(5.0, 40.0)]);
    assert_eq!(found(&runs(&[(5, 17), (28, 40)]), false).0, [(5.0, 17.0), (28.0, 40.0)]);
    assert_eq!(found(&runs(&[(2, 5), (8, 20), (23, 26)]), false).0, [(8.0, 20.0)]);
}

#[test]
fn a_long_stretch_is_one_though_its_beginning_is_settled_long_before_its_end() {
    assert_eq!(found(&seconds(1, 120), false), (vec![(1.0, 120.0)], 0));
}
