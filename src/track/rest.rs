//! Rest, known from the past only: a minute of slow fixes near each other.

use std::collections::VecDeque;

use super::TrackFix;
use crate::geo::{LocalFrame, distance_m};
use crate::rulebook::Motion;

/// Sets whether fix `i` is slow and since when the vessel has been quiet there: every fix since then is
/// below the rest speed and, within the last `rest_time`, within the rest radius of every other.
/// `before` is the accepted fix before `i`. A speed that is not known is not slow.
pub(super) fn observe(fixes: &mut VecDeque<TrackFix>, before: Option<usize>, i: usize, motion: &Motion) {
    let fix = fixes[i];
    let speed_mps = fix.sog_mps().or_else(|| {
        let from = &fixes[before.filter(|_| fix.linked)?];
        Some(distance_m(from.position, fix.position) / fix.t.seconds_since(from.t))
    });
    let is_slow = speed_mps.is_some_and(|mps| mps < motion.rest_speed_mps);
    let mut since = fix.t;
    if let Some(before) = before.filter(|&b| is_slow && fixes[b].is_slow) {
        since = fixes[before].quiet_since;
        let frame = LocalFrame::at(fix.position);
        let mut later = fix.t;
        for k in (0..=before).rev() {
            let other = &fixes[k];
            if other.t < since || (k < before && fix.t.seconds_since(other.t) > motion.rest_time_s) {
                break;
            }
            if !other.is_accepted() {
                continue;
            }
            if frame.to_plane(other.position).norm2() > motion.rest_radius_m * motion.rest_radius_m {
                since = later;
                break;
            }
            later = other.t;
        }
    }
    fixes[i].is_slow = is_slow;
    fixes[i].quiet_since = since;
}
