//! Whether a fix can be true: the reachable-distance test and the resuming of a track elsewhere.
//!
//! A fix that would need more than `implausible_speed` from the last accepted one, and whose reported
//! speed does not say so too, is not believed; the track stays where it was. Once three fixes in a row agree
//! with each other at the new place, the track resumes there, from the first of them, with no path between.
//! A fix that could be reached from either place belongs to the nearer one: a jump of 60 m in a second does
//! not become a trip of 30 m/s because a second one passes.

use std::collections::VecDeque;

use super::{Standing, TrackFix};
use crate::geo::{Position, distance_m};
use crate::rulebook::Motion;

/// How many fixes have to agree with each other before a track resumes elsewhere.
pub(super) const AGREEING: usize = 3;
/// How far a reported speed may be from the needed one and still vouch for it, m/s.
const AGREE_MPS: f64 = 5.0;
/// The same as a share of the needed speed.
const AGREE_SHARE: f64 = 0.2;
/// More metres than any degree of latitude, or of longitude, is long.
const DEGREE_M_MAX: f64 = 111_800.0;

/// Whether two positions are within a distance of each other however long their degrees are. A quick look: where it says
/// no it does not know.
pub(super) fn are_surely_within(a: Position, b: Position, reach_m: f64) -> bool {
    let (north_deg, east_deg) = (b.lat_deg() - a.lat_deg(), b.lon_deg() - a.lon_deg());
    (north_deg * north_deg + east_deg * east_deg) * DEGREE_M_MAX * DEGREE_M_MAX <= reach_m * reach_m
}

/// Whether a vessel can have gone from one fix to a later one.
pub(super) fn is_plausible(from: &TrackFix, to: &TrackFix, motion: &Motion) -> bool {
    let span_s = to.t.seconds_since(from.t);
    let reach_m = motion.implausible_speed_mps * span_s;
    // Nearly every fix is within reach however long its degrees are; only the others need the ellipsoid.
    if are_surely_within(from.position, to.position, reach_m) {
        return true;
    }
    needed_mps(from, to) <= motion.implausible_speed_mps || is_vouched_for(from, to)
}

/// The speed it takes to go from one fix to a later one, m/s.
fn needed_mps(from: &TrackFix, to: &TrackFix) -> f64 {
    distance_m(from.position, to.position) / to.t.seconds_since(from.t)
}

/// Whether a speed that either fix reports says that the vessel went from one to the other.
fn is_vouched_for(from: &TrackFix, to: &TrackFix) -> bool {
    let needed_mps = needed_mps(from, to);
    [from.sog_mps(), to.sog_mps()].into_iter().flatten().any(|sog_mps| {
        let off_mps = (sog_mps - needed_mps).abs();
        off_mps <= AGREE_MPS || off_mps <= AGREE_SHARE * needed_mps
    })
}

/// Whether fix `i` belongs to the waiting one shortly before it rather than to the track.
fn belongs_to_waiting(fixes: &VecDeque<TrackFix>, reference: usize, i: usize, motion: &Motion) -> bool {
    let (track, waiting, fix) = (&fixes[reference], &fixes[i - 1], &fixes[i]);
    reference < i - 1
        && waiting.standing == Standing::Waiting
        && fix.t.seconds_since(waiting.t) <= motion.max_gap_s
        && is_plausible(waiting, fix, motion)
        && needed_mps(waiting, fix) < needed_mps(track, fix)
        && !is_vouched_for(track, fix)
}

/// Whether a fix follows plainly from the newest one, which is accepted, as nearly every fix does: [`judge`] would accept
/// it as it comes, and link it where that is near in time.
pub(super) fn leads_on(newest: &TrackFix, fix: &TrackFix, motion: &Motion) -> bool {
    fix.t > newest.t && newest.is_accepted() && !newest.resumed && is_plausible(newest, fix, motion)
}

/// Decides the standing of fix `i` and its link from the fixes before it; returns the first index it set.
pub(super) fn judge(fixes: &mut VecDeque<TrackFix>, i: usize, motion: &Motion) -> usize {
    let near_in_time = |from: &TrackFix, to: &TrackFix| to.t.seconds_since(from.t) <= motion.max_gap_s;
    let Some(reference) = (0..i).rev().find(|&k| fixes[k].is_accepted()) else {
        // The first of a track is its reference.
        fixes[i].standing = Standing::Accepted;
        fixes[i].linked = false;
        fixes[i].resumed = false;
        return i;
    };
    if is_plausible(&fixes[reference], &fixes[i], motion) && !belongs_to_waiting(fixes, reference, i, motion) {
        fixes[i].standing = Standing::Accepted;
        fixes[i].linked = near_in_time(&fixes[reference], &fixes[i]);
        fixes[i].resumed = false;
        for fix in fixes.range_mut(reference + 1..i) {
            fix.standing = Standing::Implausible;
        }
        return i;
    }
    fixes[i].standing = Standing::Waiting;
    // The run of waiting fixes that ends here and agrees within itself.
    let mut first = i;
    while first > reference + 1
        && fixes[first - 1].standing == Standing::Waiting
        && is_plausible(&fixes[first - 1], &fixes[first], motion)
    {
        first -= 1;
    }
    for fix in fixes.range_mut(reference + 1..first) {
        fix.standing = Standing::Implausible;
    }
    if i + 1 - first < AGREEING {
        return i;
    }
    for k in first..=i {
        let linked = k > first && near_in_time(&fixes[k - 1], &fixes[k]);
        fixes[k].standing = Standing::Accepted;
        fixes[k].linked = linked;
        fixes[k].resumed = true;
    }
    first
}
