//! How likely a piece is, given where the vessel may have been: its odds against the map and other vessels.

use super::judge::Bench;
use crate::findings::{Errors, Evidence, Odds, Piece, sigma_m};
use crate::geo::motion::point_edge;
use crate::geo::{LocalFrame, Position, distance_m};
use crate::observation::Activity;
use crate::rules::Place;
use crate::time::EventTime;
use crate::track::Track;

/// A piece no longer than this has the odds of its middle, seconds: the fixes around tell no more.
const SHORT_PIECE_S: f64 = 2.0;

/// What the fixes around a piece, and what the vessel said, tell about it.
pub(super) struct Around<'a> {
    pub track: &'a Track,
    pub activities: &'a [Activity],
    pub bench: &'a Bench<'a>,
    pub errors: &'a Errors,
}

impl Evidence for Around<'_> {
    fn odds(&mut self, piece: &Piece) -> f64 {
        odds_of(piece, self.track, self.bench, self.errors)
    }

    /// Only of a course: whether it was likelier than not against the mean direction midway, and nothing was said of the
    /// tow meanwhile.
    fn explains_break(&mut self, end: EventTime, next: &Piece) -> bool {
        let is_said = |activity: &Activity| activity.towing.is_some() && activity.t > end && activity.t < next.from;
        if self.activities.iter().any(is_said) {
            return false;
        }
        let middle = end.plus_seconds(0.5 * next.from.seconds_since(end));
        let odds = Odds::at(self.track, middle, next.leg, self.errors);
        odds.is_some_and(|odds| odds_astray(next, &odds, self.bench) >= LIKELY)
    }
}

/// From here on something is likelier than not.
const LIKELY: f64 = 0.5;

/// The probability that a clause was broken in a piece: at its middle, or in a long one also at its worst
/// instant, if that is higher. (Of a short one the worst instant is often its edge, where it hardly began.)
fn odds_of(piece: &Piece, track: &Track, bench: &Bench<'_>, errors: &Errors) -> f64 {
    let length_s = piece.to.seconds_since(piece.from);
    let middle = piece.from.plus_seconds(0.5 * length_s);
    [middle, piece.peak.t]
        .into_iter()
        .take(if length_s <= SHORT_PIECE_S { 1 } else { 2 })
        .filter_map(|t| {
            let odds = Odds::at(track, t, piece.leg, errors)?;
            let fast = piece.limit.speed_mps.map_or(1.0, |limit_mps| odds.faster_than(limit_mps));
            Some(fast * odds_of_place(piece, &odds, bench, errors))
        })
        .fold(0.0, f64::max)
}

/// The probability that the vessel was where the clause binds.
fn odds_of_place(piece: &Piece, odds: &Odds, bench: &Bench<'_>, errors: &Errors) -> f64 {
    match &piece.place {
        Place::Anywhere => 1.0,
        Place::Near { radius_m, .. } => {
            odds.beyond(radius_m - distance_to_features_m(piece, odds, *radius_m, bench), 0.0)
        }
        Place::NearVessel { position, accuracy_m, radius_m } => {
            let other_sigma_m = sigma_m(accuracy_m.unwrap_or(errors.default_accuracy_m));
            odds.beyond(radius_m - distance_m(odds.position, *position), other_sigma_m)
        }
        Place::Astray { .. } => odds_astray(piece, odds, bench),
        Place::Inside { area } => {
            let Some(feature) = bench.waterway.features.iter().find(|feature| feature.id == *area) else { return 1.0 };
            let inside = feature.region.as_ref().is_some_and(|region| region.contains(odds.position));
            let edge_m = distance_to_features_m(piece, odds, 0.0, bench);
            odds.beyond(if inside { edge_m } else { -edge_m }, 0.0)
        }
    }
}

/// The probability that the vessel's course was against the direction of travel: of the mean direction around, for
/// what a ragged shore says of one place alone proves little, and as far as it was not in mid-water.
fn odds_astray(piece: &Piece, odds: &Odds, bench: &Bench<'_>) -> f64 {
    let Place::Astray { travel, off_course_deg, faster_than_mps, smoothing_m, .. } = &piece.place else { return 0.0 };
    let waterway = bench.waterway;
    let mut lines = waterway.circulation_lines();
    lines.retain(|&ix| piece.features.contains(&waterway.feature(ix).id));
    let around = waterway.travel_around(odds.position, *smoothing_m, travel, &lines);
    odds.faster_than(*faster_than_mps)
        * odds.beyond(around.off_mid_water_m, 0.0)
        * odds.astray(around.mean, *off_course_deg)
}

/// Beyond this many standard deviations of margin the odds no longer change.
const ODDS_REACH_SIGMAS: f64 = 6.0;

/// Distance from a position to the edges of a piece's features, metres, as far as odds need it; zero
/// inside one that is near or not at all.
fn distance_to_features_m(piece: &Piece, odds: &Odds, radius_m: f64, bench: &Bench<'_>) -> f64 {
    let p = odds.position;
    let frame = LocalFrame::at(p);
    let here = frame.to_plane(p);
    let reach_m = radius_m + ODDS_REACH_SIGMAS * odds.position_sigma_m;
    let mut nearest_m = reach_m;
    let mut consider = |a: Position, b: Position| {
        nearest_m = nearest_m.min(point_edge(here, frame.to_plane(a), frame.to_plane(b)).0);
    };
    bench.waterway.edges_near(p, p, reach_m, &mut |edge| {
        if piece.features.contains(&bench.waterway.feature(edge.feature).id) {
            consider(edge.a, edge.b);
        }
    });
    for mark in bench.state.laid.iter().filter(|mark| piece.features.contains(&mark.id)) {
        for (a, b) in &mark.edges {
            consider(*a, *b);
        }
    }
    let is_near = matches!(piece.place, Place::Near { .. });
    let mut inside = false;
    if is_near {
        bench.state.areas.near(p, p, 0.0, &mut |ix| {
            let feature = bench.waterway.feature(ix);
            inside |= piece.features.contains(&feature.id)
                && feature.region.as_ref().is_some_and(|region| region.contains(p));
        });
    }
    if inside { 0.0 } else { nearest_m }
}
