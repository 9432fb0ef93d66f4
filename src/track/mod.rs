//! Fixes become a track: screened, in order, with what the past says about rest.
//!
//! A [`Track`] keeps a vessel's fixes of the last minute or two, sorted by their own time, each with
//! its standing. A fix that arrives out of order is put in its place and everything after it is screened
//! again, so the track is always that of the sorted order. What lies further back is handed out as
//! settled and forgotten. [`Leg`] is the stretch between two fixes that rules judge.

mod leg;
mod rest;
mod screen;

pub use leg::{Leg, SpeedLaw};

use std::collections::{VecDeque, vec_deque};

use serde::{Deserialize, Serialize};

use crate::geo::{LocalFrame, Position};
use crate::observation::{Fix, NavStatus};
use crate::rulebook::Motion;
use crate::time::EventTime;

/// Where a fix lies: the number of a waterway, or [`ASHORE`].
pub type Water = u16;

/// On no waterway.
pub const ASHORE: Water = Water::MAX;

/// How far around an instant fixes bear on where the vessel is thought to have been, seconds.
pub const BEARING_S: f64 = 10.0;

/// For how long after it ended a leg can still be judged anew, or its odds change, seconds: a late fix may
/// cut it, bear on its odds, or tell where another vessel was meanwhile on a leg of its own.
pub fn open_for_s(motion: &Motion) -> f64 {
    motion.reorder_window_s + motion.max_gap_s.max(BEARING_S)
}

/// Over how long a way shows a course where that from one fix to the next is too short for it, seconds: with ten fixes a
/// second who goes a metre in that time has a course, as with one fix a second. With fewer fixes nothing changes.
const COURSE_S: f64 = 1.0;

/// How often fixes are settled, seconds: rarely enough to cost little.
const SETTLE_EVERY_S: f64 = 30.0;

/// How many of the newest fixes are looked at before a guess is made.
const RECENT: usize = 3;
/// How many fixes are looked at beside the one that was guessed.
const GUESSES: usize = 6;
/// From so many fixes on room is made with care, for at least so many more.
const ROOM: usize = 16;

/// What became of a fix so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// Part of the track.
    Accepted,
    /// Too far from the track to be true, and waiting for others that agree with it.
    Waiting,
    /// Too far from the track to be true; nothing agreed with it.
    Implausible,
}

/// A fix as a track keeps it. "Not reported" is `NaN` here and nowhere else; read it by the accessors.
/// It fills one line of the processor's cache.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[repr(align(64))]
pub struct TrackFix {
    /// Its own time.
    pub t: EventTime,
    /// Where.
    pub position: Position,
    /// Its place in the log it came from.
    pub source: u64,
    /// Since when every fix has been slow and near every other one of the last minute; its own time
    /// where it is not slow itself.
    pub quiet_since: EventTime,
    sog_mps: f64,
    cog_deg: f32,
    accuracy_m: f32,
    /// Which waterway it lies on.
    pub water: Water,
    /// Whether it is part of the track.
    pub standing: Standing,
    /// The `nav_status` sent with it.
    pub nav_status: Option<NavStatus>,
    /// Whether the tracker is on a towed person rather than a vessel.
    pub is_person: bool,
    /// Whether the path leads here from the accepted fix before: at most `max_gap` later, no jump between.
    pub linked: bool,
    /// Whether it was accepted for agreeing with later fixes at a new place.
    pub resumed: bool,
    /// Whether its speed, reported or along the path, is known to be below the rest speed.
    pub is_slow: bool,
}

impl TrackFix {
    /// The fix as it arrived from place `source` of the log; where it lies is found out later.
    pub fn new(fix: &Fix, source: u64) -> Self {
        Self {
            t: fix.t,
            position: fix.position,
            source,
            quiet_since: fix.t,
            sog_mps: fix.sog_mps.unwrap_or(f64::NAN),
            cog_deg: fix.cog_deg.map_or(f32::NAN, |deg| deg as f32),
            accuracy_m: fix.accuracy_m.map_or(f32::NAN, |m| m as f32),
            water: ASHORE,
            standing: Standing::Accepted,
            nav_status: fix.nav_status,
            is_person: fix.towed_by.is_some(),
            linked: false,
            resumed: false,
            is_slow: false,
        }
    }

    /// Reported speed over ground, m/s.
    pub fn sog_mps(&self) -> Option<f64> {
        (!self.sog_mps.is_nan()).then_some(self.sog_mps)
    }
    /// Reported course over ground, degrees true.
    pub fn cog_deg(&self) -> Option<f64> {
        (!self.cog_deg.is_nan()).then_some(f64::from(self.cog_deg))
    }
    /// Reported radius of 68 % confidence, metres.
    pub fn accuracy_m(&self) -> Option<f64> {
        (!self.accuracy_m.is_nan()).then_some(f64::from(self.accuracy_m))
    }
    /// Whether the vessel can have come here from an earlier fix: by what that takes of speed, or by what either reports.
    pub fn can_follow(&self, earlier: &Self, motion: &Motion) -> bool {
        screen::is_plausible(earlier, self, motion)
    }
    /// Whether it follows plainly from the newest fix of a track, as nearly every one does: it is then accepted as it comes.
    pub fn leads_on(&self, newest: &Self, motion: &Motion) -> bool {
        screen::leads_on(newest, self, motion)
    }
    /// Whether it is part of the track.
    pub fn is_accepted(&self) -> bool {
        self.standing == Standing::Accepted
    }
    /// Whether there is nothing more to say of it than that it was judged: accepted, and on a waterway.
    fn is_plain(&self) -> bool {
        self.is_accepted() && self.water != ASHORE
    }
    /// Whether the vessel had been at rest for `rest_time_s`, as known at this fix.
    pub fn is_at_rest(&self, rest_time_s: f64) -> bool {
        self.t.seconds_since(self.quiet_since) >= rest_time_s
    }
}

/// What happened to a fix that was offered to a track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// It was put in its place; fixes from this time on may have changed their standing or their path.
    Taken {
        /// The earliest fix whose standing or path may have changed.
        changed_from: EventTime,
    },
    /// The track already has a fix of this time.
    Duplicate,
    /// Older than the reorder window allows.
    Late,
}

/// A vessel's recent fixes in order of their own time.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[repr(C)]
pub struct Track {
    fixes: VecDeque<TrackFix>,
    /// A place that all fixes since a time are within half the rest radius of.
    calm: Option<rest::Calm>,
    /// When fixes are next worth settling.
    settle_due: EventTime,
    has_settled: bool,
    /// Whether all fixes are known to be [plain](TrackFix::is_plain). Spares looking at them again when they settle.
    #[serde(skip)]
    is_plain: bool,
}

/// Fixes that leave a track, oldest first.
#[derive(Debug, Clone)]
pub struct Passed<'t> {
    fixes: vec_deque::Iter<'t, TrackFix>,
    /// Whether all of them are known to be accepted and on a waterway.
    pub is_plain: bool,
}

impl<'t> Iterator for Passed<'t> {
    type Item = &'t TrackFix;
    fn next(&mut self) -> Option<&'t TrackFix> {
        self.fixes.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.fixes.size_hint()
    }
}

impl DoubleEndedIterator for Passed<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.fixes.next_back()
    }
}

impl ExactSizeIterator for Passed<'_> {}

impl Default for Track {
    fn default() -> Self {
        Self { fixes: VecDeque::new(), calm: None, settle_due: EventTime::MIN, has_settled: false, is_plain: false }
    }
}

impl Track {
    /// The fixes, oldest first, whatever their standing.
    pub fn fixes(&self) -> &VecDeque<TrackFix> {
        &self.fixes
    }

    /// Whether fixes before the first one have been handed out.
    pub fn has_settled(&self) -> bool {
        self.has_settled
    }

    /// Whether every fix since `t` is within the rest radius of every other one since then.
    pub fn is_calm_since(&self, t: EventTime) -> bool {
        self.calm.is_some_and(|calm| calm.since <= t)
    }

    /// A place that the vessel has been within half the rest radius of ever since `t`, as far as known.
    pub fn calm_place_since(&self, t: EventTime) -> Option<Position> {
        self.calm.filter(|calm| calm.since <= t).map(|calm| calm.centre)
    }

    /// The newest time of any fix offered and taken.
    pub fn newest(&self) -> Option<EventTime> {
        self.fixes.back().map(|fix| fix.t)
    }

    /// Index of the first fix at or after `t`. Looks at the newest ones first: most that is asked for is recent. Further
    /// back it looks where it would be if fixes came evenly: each other one looked at has to be fetched from memory.
    pub fn index_of(&self, t: EventTime) -> usize {
        let count = self.fixes.len();
        for at in (count.saturating_sub(RECENT)..count).rev() {
            if self.fixes[at].t < t {
                return at + 1;
            }
        }
        let (Some(first), Some(last)) = (self.fixes.front(), self.fixes.back()) else { return 0 };
        if t <= first.t {
            return 0;
        }
        let share = t.seconds_since(first.t) / last.t.seconds_since(first.t);
        let mut at = ((share * (count - 1) as f64) as usize).min(count - 1);
        for _ in 0..GUESSES {
            if self.fixes[at].t < t {
                at += 1;
            } else if self.fixes[at - 1].t >= t {
                at -= 1;
            } else {
                return at;
            }
        }
        self.fixes.partition_point(|fix| fix.t < t)
    }

    /// Makes room for the first fixes of a track, of which so many are coming.
    pub fn expect(&mut self, count: usize) {
        self.fixes.reserve_exact(count.min(ROOM));
    }

    /// Makes room for one more fix, of time `t`. The room for fixes is used in turn, all of it: with many vessels what is too
    /// much keeps the rest out of the processor's cache. So room is made for as many as are going to be kept at the pace at
    /// which they come.
    #[inline]
    fn make_room(&mut self, t: EventTime, is_slow: bool, motion: &Motion) {
        let count = self.fixes.len();
        if count >= ROOM && count == self.fixes.capacity() {
            self.widen(t, is_slow, motion);
        }
    }

    #[cold]
    fn widen(&mut self, t: EventTime, is_slow: bool, motion: &Motion) {
        let count = self.fixes.len();
        let kept_s = open_for_s(motion) + BEARING_S + 2.0 * SETTLE_EVERY_S;
        let kept_s = if is_slow { kept_s + motion.rest_time_s } else { kept_s };
        let span_s = self.fixes.front().map_or(0.0, |first| t.seconds_since(first.t));
        let kept = (count as f64 * kept_s / span_s) as usize;
        self.fixes.reserve_exact(kept.saturating_sub(count).clamp((count / 4).max(ROOM), 9 * count));
    }

    /// The accepted fix before index `i`.
    pub fn accepted_before(&self, i: usize) -> Option<usize> {
        // Nearly always it is the one next to it.
        if i > 0 && self.fixes[i - 1].is_accepted() {
            return Some(i - 1);
        }
        (0..i).rev().find(|&k| self.fixes[k].is_accepted())
    }

    /// The accepted fix after index `i`.
    pub fn accepted_after(&self, i: usize) -> Option<usize> {
        (i + 1..self.fixes.len()).find(|&k| self.fixes[k].is_accepted())
    }

    /// The leg between two fixes of which the path leads from one to the other.
    pub fn leg(&self, from: usize, to: usize) -> Leg {
        let leg = Leg::between(&self.fixes[from], &self.fixes[to]);
        if leg.lacks_course() { leg.with_course(self.course_to(to)) } else { leg }
    }

    /// Where the vessel was at an instant, by its path; `None` where no path leads over it.
    pub fn position_at(&self, t: EventTime) -> Option<Position> {
        let to = (self.index_of(t)..self.fixes.len()).find(|&i| self.fixes[i].is_accepted())?;
        let fix = &self.fixes[to];
        if fix.t == t {
            return Some(fix.position);
        }
        let leg = Leg::between(&self.fixes[self.accepted_before(to).filter(|_| fix.linked)?], fix);
        Some(leg.position_at(leg.seconds_to(t)))
    }

    /// The course to a fix by the nearest one of the last second that is far enough away for the way from there to
    /// have one, degrees true.
    fn course_to(&self, to: usize) -> Option<f64> {
        let end = &self.fixes[to];
        let mut at = to;
        while self.fixes[at].linked {
            at = self.accepted_before(at)?;
            let start = &self.fixes[at];
            if end.t.seconds_since(start.t) > COURSE_S {
                return None;
            }
            let frame = LocalFrame::between(start.position, end.position);
            let way = frame.to_plane(end.position) - frame.to_plane(start.position);
            if way.norm() >= leg::SHORT_M {
                return way.bearing_deg();
            }
        }
        None
    }

    /// Puts a fix behind all others, from the newest of which it leads on plainly. It lies on `water`.
    pub fn follow(&mut self, fix: &TrackFix, water: Water, motion: &Motion) {
        let Some(newest) = self.fixes.back() else { return };
        let linked = fix.t.seconds_since(newest.t) <= motion.max_gap_s;
        let before = Some(self.fixes.len() - 1);
        let (is_slow, quiet_since) = rest::observe(&self.fixes, before, fix, linked, motion, &mut self.calm);
        self.is_plain &= fix.is_accepted() && water != ASHORE;
        self.make_room(fix.t, is_slow, motion);
        // Put there whole and then changed: made elsewhere first it would be copied in wide steps, for which the processor
        // waits where what is copied was written in narrow ones.
        self.fixes.push_back(*fix);
        if let Some(fix) = self.fixes.back_mut() {
            (fix.water, fix.linked, fix.is_slow, fix.quiet_since) = (water, linked, is_slow, quiet_since);
        }
    }

    /// Puts a fix in its place and screens it and all after it.
    pub fn offer(&mut self, fix: TrackFix, motion: &Motion) -> Offer {
        let newest = self.newest();
        if newest.is_none_or(|newest| fix.t > newest) {
            if self.fixes.back().is_some_and(|before| screen::leads_on(before, &fix, motion)) {
                self.follow(&fix, fix.water, motion);
                return Offer::Taken { changed_from: fix.t };
            }
            // The first of a track is accepted.
            self.is_plain = self.fixes.is_empty() && fix.is_plain();
            self.make_room(fix.t, fix.is_slow, motion);
            self.fixes.push_back(fix);
            let changed = self.screen_from(self.fixes.len() - 1, motion);
            return Offer::Taken { changed_from: self.fixes[changed].t };
        }
        if newest.is_some_and(|newest| newest.seconds_since(fix.t) > motion.reorder_window_s) {
            return Offer::Late;
        }
        self.calm = None;
        let at = self.index_of(fix.t);
        if self.fixes.get(at).is_some_and(|there| there.t == fix.t) {
            return Offer::Duplicate;
        }
        self.is_plain = false;
        self.fixes.insert(at, fix);
        let changed = self.screen_from(at, motion);
        Offer::Taken { changed_from: self.fixes[changed].t }
    }

    /// Gives standing, path and rest to the fix at `at` and all after it, from what is before it.
    /// Returns the first index that changed.
    fn screen_from(&mut self, at: usize, motion: &Motion) -> usize {
        // What follows an accepted fix that stands by itself depends on nothing before it. Fixes that were
        // accepted for agreeing with later ones, or refused because of later ones, are judged anew.
        let mut from = at;
        while let Some(before) = self.accepted_before(from) {
            if !self.fixes[before].resumed {
                from = before + 1;
                break;
            }
            from = before;
        }
        let mut first = from;
        for i in from..self.fixes.len() {
            first = first.min(screen::judge(&mut self.fixes, i, motion));
        }
        for i in first..self.fixes.len() {
            if self.fixes[i].is_accepted() {
                let before = self.accepted_before(i);
                let fix = &self.fixes[i];
                let (is_slow, quiet_since) =
                    rest::observe(&self.fixes, before, fix, fix.linked, motion, &mut self.calm);
                (self.fixes[i].is_slow, self.fixes[i].quiet_since) = (is_slow, quiet_since);
            }
        }
        first
    }

    /// Takes out the fixes that no later one can change and that nothing needs any more, oldest first.
    ///
    /// What stays: the ends of legs that are open ([`open_for_s`]), the accepted fix before those (the path
    /// leads on from there), what bears on that ([`BEARING_S`]), and before it the minute that decides about
    /// rest, where the vessel was slow.
    ///
    /// Everything stays `longer_s` beyond that where others ask for it. Done once in a while; returns whether it
    /// was time.
    pub fn settle(&mut self, motion: &Motion, longer_s: f64, settled: impl FnMut(Passed<'_>)) -> bool {
        let Some(newest) = self.newest().filter(|&newest| newest >= self.settle_due) else {
            return false;
        };
        self.settle_due = newest.plus_seconds(SETTLE_EVERY_S);
        self.settle_before(newest, motion, open_for_s(motion) + longer_s, settled);
        true
    }

    fn settle_before(&mut self, newest: EventTime, motion: &Motion, open_s: f64, mut settled: impl FnMut(Passed<'_>)) {
        if self.fixes.len() < 3 || newest.seconds_since(self.fixes[1].t) <= open_s {
            return;
        }
        let window = self.index_of(newest.plus_seconds(-open_s));
        let Some(leads_on) = self.accepted_before(window) else { return };
        let mut keep = self.index_of(self.fixes[leads_on].t.plus_seconds(-BEARING_S)).min(leads_on);
        if self.fixes[leads_on].is_slow || self.fixes.get(window).is_some_and(|fix| fix.is_slow) {
            let minute = self.index_of(newest.plus_seconds(-open_s - motion.rest_time_s));
            keep = self.accepted_before(minute).unwrap_or(0).min(keep);
        }
        self.has_settled |= keep > 0;
        settled(Passed { fixes: self.fixes.range(..keep), is_plain: self.is_plain });
        self.fixes.drain(..keep);
        if self.is_plain {
            return;
        }
        // Fixes that were not believed, between the front and the window, cannot come to be accepted, but for
        // the last two: a late one may agree with them.
        for k in (1..(window - keep).saturating_sub(screen::AGREEING - 1)).rev() {
            if self.fixes[k].standing == Standing::Implausible {
                settled(Passed { fixes: self.fixes.range(k..=k), is_plain: false });
                self.fixes.remove(k);
            }
        }
        self.is_plain = self.fixes.iter().all(TrackFix::is_plain);
    }

    /// Gives every fix's waterway another number.
    pub fn renumber(&mut self, number: impl Fn(Water) -> Water) {
        self.is_plain = false;
        for fix in &mut self.fixes {
            fix.water = number(fix.water);
        }
    }

    /// Takes out everything, for the end of a recording or of a vessel's stay.
    pub fn drain(&mut self, settled: impl FnOnce(Passed<'_>)) {
        self.has_settled = false;
        self.settle_due = EventTime::MIN;
        self.calm = None;
        if !self.is_plain {
            let waiting = self.fixes.iter_mut().filter(|fix| fix.standing == Standing::Waiting);
            waiting.for_each(|fix| fix.standing = Standing::Implausible);
        }
        settled(Passed { fixes: self.fixes.iter(), is_plain: self.is_plain });
        self.fixes.clear();
        self.is_plain = false;
    }
}
