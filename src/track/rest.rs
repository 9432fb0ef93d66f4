//! Rest, known from the past only: a minute of slow fixes near each other.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::TrackFix;
use super::screen::are_surely_within;
use crate::geo::{LocalFrame, Position, distance_m};
use crate::rulebook::Motion;
use crate::time::EventTime;

/// All slow fixes since a time lie within half the rest radius of a place, and so within the radius of
/// each other: most fixes of a vessel at rest need no look at the minute before them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Calm {
    pub(super) centre: Position,
    pub(super) since: EventTime,
}

/// Whether a fix is slow and since when the vessel has been quiet there: every fix since then is below the rest speed
/// and, within the last `rest_time`, within the rest radius of every other. `before` is the accepted fix before it, from
/// which the path leads there if it is `linked`. A speed that is not known is not slow.
pub(super) fn observe(
    fixes: &VecDeque<TrackFix>,
    before: Option<usize>,
    fix: &TrackFix,
    linked: bool,
    motion: &Motion,
    calm: &mut Option<Calm>,
) -> (bool, EventTime) {
    let speed_mps = fix.sog_mps().or_else(|| {
        let from = &fixes[before.filter(|_| linked)?];
        Some(distance_m(from.position, fix.position) / fix.t.seconds_since(from.t))
    });
    let is_slow = speed_mps.is_some_and(|mps| mps < motion.rest_speed_mps);
    let quiet_since = match before.filter(|&b| is_slow && fixes[b].is_slow) {
        Some(before) => since(fixes, before, fix, motion, calm),
        None => {
            *calm = is_slow.then_some(Calm { centre: fix.position, since: fix.t });
            fix.t
        }
    };
    (is_slow, quiet_since)
}

/// Since when a vessel has been quiet that was slow at the fix before and is so now.
fn since(
    fixes: &VecDeque<TrackFix>,
    before: usize,
    fix: &TrackFix,
    motion: &Motion,
    calm: &mut Option<Calm>,
) -> EventTime {
    let previous_since = fixes[before].quiet_since;
    let minute_ago = fix.t.plus_seconds(-motion.rest_time_s);
    let half_m = 0.5 * motion.rest_radius_m;
    if let Some(calm) = calm
        && calm.since <= previous_since.max(minute_ago)
        && (are_surely_within(calm.centre, fix.position, half_m) || distance_m(calm.centre, fix.position) <= half_m)
    {
        return previous_since;
    }
    let mut since = previous_since;
    let frame = LocalFrame::at(fix.position);
    let mut later = fix.t;
    let mut all_half = true;
    for k in (0..=before).rev() {
        let other = &fixes[k];
        if other.t < since || (k < before && other.t < minute_ago) {
            break;
        }
        if !other.is_accepted() {
            continue;
        }
        let away_m = frame.to_plane(other.position).norm();
        all_half &= away_m <= half_m;
        if away_m > motion.rest_radius_m {
            since = later;
            break;
        }
        later = other.t;
    }
    // Calm about this fix, as far back as was looked, or from here on.
    let calm_since = if all_half { later } else { fix.t };
    *calm = Some(Calm { centre: fix.position, since: calm_since });
    since
}
