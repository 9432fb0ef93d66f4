//! Other vessels: who is near a leg, where they are meanwhile, and whose legs a new fix bears on.

use super::grid::{Extent, Pace};
use super::judge::{Bench, Desk, Scope};
use super::vessel::Vessel;
use super::{Engine, Event};
use crate::geo::motion::Motion as Path;
use crate::geo::{Position, Span, Vec2};
use crate::observation::{NavStatus, VesselId};
use crate::rulebook::Motion;
use crate::rules::OtherPath;
use crate::time::EventTime;
use crate::track::{Leg, Track, TrackFix, Water};

/// How long a vessel at rest is not entered in the grid anew, seconds.
const NOTE_AGAIN_S: f64 = 8.0;

/// Where another vessel is over a stretch of time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Other {
    /// Which vessel.
    pub slot: u32,
    from: (EventTime, Position),
    to: (EventTime, Position),
    is_stationary: bool,
    is_trolling: bool,
    accuracy_m: Option<f64>,
}

impl Other {
    /// Whether it is within reach of the vessel on the leg at any time of both.
    fn meets(&self, leg: &Leg, reach_m: f64) -> bool {
        let (during, path) = self.motion(leg);
        if during.from_s > during.to_s {
            return false;
        }
        let own =
            Path { from: leg.motion.at(during.from_s), to: leg.motion.at(during.to_s), span_s: during.length_s() };
        own.relative_to(&path).within_of_edge(Vec2::default(), Vec2::default(), reach_m).is_some()
    }

    /// The part of it that falls into the leg, and its motion then, in the leg's plane.
    fn motion(&self, leg: &Leg) -> (Span, Path) {
        let (start_s, end_s) = (leg.seconds_to(self.from.0), leg.seconds_to(self.to.0));
        let during = Span { from_s: start_s.max(0.0), to_s: end_s.min(leg.motion.span_s) };
        let (a, b) = (leg.frame.to_plane(self.from.1), leg.frame.to_plane(self.to.1));
        let whole = Path { from: a, to: b, span_s: end_s - start_s };
        let at = |s: f64| whole.at(s - start_s);
        (during, Path { from: at(during.from_s), to: at(during.to_s), span_s: during.length_s().max(0.0) })
    }

    /// The part of it that falls into the leg, in the leg's plane.
    pub fn path<'a>(&self, leg: &Leg, id: &'a VesselId) -> OtherPath<'a> {
        let (during, motion) = self.motion(leg);
        OtherPath {
            vessel: id,
            during,
            motion,
            is_stationary: self.is_stationary,
            is_trolling: self.is_trolling,
            accuracy_m: self.accuracy_m,
        }
    }
}

/// Vessels that may be near a stretch of path: those at rest or trolling, or those that tow.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// Whose path, and its ends in time.
    of: Option<(u32, EventTime, EventTime)>,
    /// Which vessels, in order.
    pub slots: Vec<u32>,
}

impl Candidates {
    /// Whether they are those of this vessel's path, all through a time.
    pub(super) fn are_of(&self, slot: u32, from: EventTime, to: EventTime) -> bool {
        self.of.is_some_and(|of| of.0 == slot && of.1 <= from && to <= of.2)
    }

    /// Takes it that they are those of this vessel's path, all through a time.
    pub fn note(&mut self, slot: u32, (from, to): (EventTime, EventTime)) {
        self.of = Some((slot, from, to));
    }

    /// Forgets whose they are: paths, or where the others are, have changed.
    pub fn forget(&mut self) {
        self.of = None;
    }
}

impl Vessel {
    /// Whether it may come, at rest or trolling, within reach of a box given by its corners, at or after `start`: a quick
    /// look.
    pub(super) fn may_be_beside(&self, corners: &[Position; 2], start: EventTime, bench: &Bench<'_>) -> bool {
        let motion = &bench.rulebook.motion;
        let clear_m = bench.reach_m + motion.rest_radius_m;
        let lies_far = |place| bench.state.apart_from_box_m_min(corners, place) > clear_m;
        self.last_notable.plus_seconds(motion.rest_ttl_s) >= start
            && !self.track.calm_place_since(start).is_some_and(lies_far)
    }

    /// The accepted fix before fix `first`, where from there on the vessel has been at rest in one place all the while.
    fn lies_calm_before(&self, first: usize, rest_time_s: f64) -> Option<usize> {
        let fixes = self.track.fixes();
        let before = self.track.accepted_before(first).filter(|_| first < fixes.len())?;
        let is_calm = self.track.is_calm_since(fixes[before].t) && fixes[before].is_at_rest(rest_time_s);
        let goes_on = |fix: &TrackFix| {
            fix.is_accepted()
                && !fix.is_person
                && fix.linked
                && fix.water == fixes[before].water
                && fix.is_at_rest(rest_time_s)
        };
        (is_calm && fixes.range(first..).all(goes_on)).then_some(before)
    }

    /// Whether it was at rest at no fix from the accepted one before fix `first` on: it has been quiet for less than that
    /// takes even at the last one, and since when it is never moves back.
    fn moves_all_along(&self, first: usize, rest_time_s: f64) -> bool {
        let fixes = self.track.fixes();
        let before = fixes.get(self.track.accepted_before(first).unwrap_or(first));
        let (Some(before), Some(last)) = (before, fixes.back()) else { return true };
        last.t.seconds_since(before.quiet_since) < rest_time_s
    }
}

impl Engine {
    /// Lists, on the desk, the vessels that may be at rest or trolling near a stretch of path of `slot`, given by the corners
    /// of its box and its ends in time.
    pub(super) fn look_for_candidates(
        &mut self,
        slot: u32,
        water: Water,
        corners: [Position; 2],
        (from, to): (EventTime, EventTime),
    ) {
        let Self { map, rulebook, vessels, waters, desk, .. } = self;
        if desk.candidates.are_of(slot, from, to) {
            return;
        }
        let (place, motion) = (usize::from(water), &rulebook.motion);
        let (state, waterway) = (&waters[place], &map.waterways[place]);
        let near = &mut desk.candidates.slots;
        near.clear();
        if !state.notable.is_empty() {
            let extent = state.notable.extent(corners[0], corners[1]);
            state.notable.near(&extent, desk.reach_m + motion.rest_radius_m, near);
            let bench = Bench { rulebook, waterway, state, reach_m: desk.reach_m };
            near.retain(|&near| near != slot && vessels[near as usize].may_be_beside(&corners, from, &bench));
        }
        desk.candidates.note(slot, (from, to));
    }

    /// Collects, on the desk, where stationary and trolling vessels near a leg of `slot` are meanwhile; `farther_m`
    /// is how far behind the vessel there is somebody to come near to.
    pub(super) fn look_for_others(&mut self, slot: u32, water: Water, leg: &Leg, farther_m: f64) {
        let Self { rulebook, vessels, waters, desk, .. } = self;
        let motion = &rulebook.motion;
        let Desk { others, near, candidates, reach_m, .. } = desk;
        others.clear();
        let reach_m = *reach_m + farther_m;
        let (from, to) = (leg.frame.origin(), leg.position_at(leg.motion.span_s));
        let (start, end) = (leg.start, leg.end());
        let near = if farther_m == 0.0 && candidates.are_of(slot, start, end) {
            &candidates.slots
        } else {
            let grid = &waters[usize::from(water)].notable;
            near.clear();
            grid.near(&grid.extent(from, to), reach_m + motion.rest_radius_m, near);
            &*near
        };
        for &near in near {
            let vessel = &vessels[near as usize];
            let is_notable = vessel.last_notable.plus_seconds(motion.rest_ttl_s) >= start;
            // Most of those near enough for the grid lie too far away, and never left their place.
            let lies_far = vessel.track.calm_place_since(start).is_some_and(|place| {
                let place = leg.frame.to_plane(place);
                let clear_m = reach_m + motion.rest_radius_m;
                box_distance_m([place; 2], [leg.motion.from, leg.motion.to]) > clear_m
            });
            if near != slot && is_notable && !lies_far {
                stretches(vessel, water, start, end, motion, |mut other| {
                    other.slot = near;
                    others.push(other);
                });
            }
        }
        others.retain(|other| comes_near(other, leg, reach_m));
        let id = |other: &Other| &vessels[other.slot as usize].id;
        others.sort_by(|a, b| id(a).cmp(id(b)).then(a.from.0.cmp(&b.from.0)));
    }

    /// Judges again the legs of other vessels on which the new path of `slot`, from `from` on, bears.
    pub(super) fn judge_those_beside(&mut self, slot: u32, from: EventTime, out: &mut Vec<Event>) {
        if !self.desk.minds_others {
            return;
        }
        let vessel = &self.vessels[slot as usize];
        let motion = &self.rulebook.motion;
        // Only a vessel at rest or trolling, now or where the change begins, bears on others.
        if vessel.last_notable < from {
            return;
        }
        let Some(water) = self.waters.get(usize::from(vessel.water)) else { return };
        let fixes = vessel.track.fixes();
        let first = vessel.track.index_of(from);
        let first = vessel.track.accepted_before(first).unwrap_or(first);
        let whole = fixes.range(first..).map(|fix| water.fast.extent_of(fix.position)).reduce(|a, b| a.union(&b));
        let Some(whole) = whole else { return };
        let mut near = std::mem::take(&mut self.desk.near);
        near.clear();
        water.fast.near(&whole, self.desk.reach_m + water.skier_reach_m, &mut near);
        near.retain(|&other| other != slot && self.vessels[other as usize].last_fast > from);
        near.retain(|&other| self.passes_near(other, slot, from, &whole, motion));
        let mut subjects = std::mem::take(&mut self.changed);
        subjects.clear();
        subjects.extend_from_slice(&near);
        self.desk.near = near;
        // A leg that ends after the change is judged again whole.
        self.judge_again(&subjects, EventTime::from_unix_ns(from.unix_ns().saturating_add(1)), Scope::Whole, out);
        self.changed = subjects;
    }

    /// Whether a leg of `subject` that ends after `from` comes near where `slot` is meanwhile; `whole` is the box around all
    /// that this one did since.
    fn passes_near(&self, subject: u32, slot: u32, from: EventTime, whole: &Extent, motion: &Motion) -> bool {
        let (subject, vessel) = (&self.vessels[subject as usize], &self.vessels[slot as usize]);
        let track = &subject.track;
        let ledgers = subject.docket.as_ref().map_or(&[][..], |docket| &docket.ledgers);
        let has_pieces = ledgers.iter().any(|ledger| {
            ledger.last_leg().is_some_and(|leg| leg > from) && ledger.key.other.as_ref() == Some(&vessel.id)
        });
        has_pieces
            || (track.index_of(from)..track.fixes().len()).any(|i| {
                let fix = &track.fixes()[i];
                if !fix.is_accepted() || !(fix.water != vessel.water || self.may_meet(track, i, whole)) {
                    return false;
                }
                let before = if fix.linked { track.accepted_before(i).map(|k| &track.fixes()[k]) } else { None };
                let leg = before.map_or_else(|| Leg::at(fix, None), |before| Leg::between(before, fix));
                let reach_m = self.desk.reach_m + if subject.tows { self.skier_reach_m(fix.water) } else { 0.0 };
                let mut near = false;
                stretches(vessel, fix.water, leg.start, leg.end(), motion, |other| {
                    near |= comes_near(&other, &leg, reach_m);
                });
                near
            })
    }

    /// How far behind a boat there may be a skier on a waterway, metres.
    fn skier_reach_m(&self, water: Water) -> f64 {
        self.waters.get(usize::from(water)).map_or(0.0, |state| state.skier_reach_m)
    }

    /// Whether the leg that leads to fix `i` of a track can come within reach of a box on the same waterway: a quick look
    /// that rules most of them out.
    fn may_meet(&self, track: &Track, i: usize, whole: &Extent) -> bool {
        let fix = &track.fixes()[i];
        let Some(water) = self.waters.get(usize::from(fix.water)) else { return false };
        let before = track.accepted_before(i).filter(|_| fix.linked).map_or(fix, |k| &track.fixes()[k]);
        let way = water.fast.extent(before.position, fix.position);
        water.boxes_apart_m_min(&way, whole) <= self.desk.reach_m + water.skier_reach_m
    }

    /// Enters a vessel in the grid of those at rest or trolling, for the part of its track from fix `first` on.
    pub(super) fn enter_notable(&mut self, slot: u32, first: usize) {
        self.note(slot, first);
    }

    /// Enters a vessel in the grid of those at rest or trolling, where it declared to be that from `from` on.
    pub(super) fn note_declared(&mut self, slot: u32, from: EventTime) {
        let water_count = self.map.waterways.len();
        let vessel = &mut self.vessels[slot as usize];
        vessel.last_notable = vessel.last_notable.max(from);
        let first = vessel.track.index_of(from);
        for i in vessel.track.accepted_before(first).unwrap_or(first)..vessel.track.fixes().len() {
            let fix = vessel.track.fixes()[i];
            if fix.is_accepted() && usize::from(fix.water) < water_count {
                let state = &mut self.waters[usize::from(fix.water)];
                let here = state.notable.extent_of(fix.position);
                vessel.enter_grid(slot, Pace::Notable, fix.water, state, &here, fix.t.max(from));
            }
        }
    }

    /// Enters a vessel in the grid of those at rest or trolling, where it is that before or at a fix from `first` on.
    pub(super) fn note(&mut self, slot: u32, first: usize) {
        let rest_time_s = self.rulebook.motion.rest_time_s;
        let vessel = &mut self.vessels[slot as usize];
        let speaks = vessel.says_status || !vessel.activities().is_empty();
        let is_notable = |vessel: &Vessel, k: usize| {
            let fix = &vessel.track.fixes()[k];
            fix.is_at_rest(rest_time_s) || (speaks && vessel.status_at(k, fix.t).is_some_and(NavStatus::is_notable))
        };
        // Who lies still is near where it was entered a few seconds ago; who looks for it looks that much wider.
        let is_known = |vessel: &Vessel, t: EventTime| {
            (0.0..NOTE_AGAIN_S).contains(&t.seconds_since(vessel.noted)) && vessel.track.is_calm_since(vessel.noted)
        };
        if let Some(from) = vessel.lies_calm_before(first, rest_time_s)
            && let Some(last) = vessel.track.fixes().back().copied()
            && usize::from(last.water) < self.map.waterways.len()
        {
            vessel.last_notable = vessel.last_notable.max(last.t);
            if !is_known(vessel, last.t) {
                vessel.noted = last.t;
                let state = &mut self.waters[usize::from(last.water)];
                let places = vessel.track.fixes().range(from..).map(|fix| state.notable.extent_of(fix.position));
                if let Some(there) = places.reduce(|a, b| a.union(&b)) {
                    vessel.enter_grid(slot, Pace::Notable, last.water, state, &there, last.t);
                }
            }
            return;
        }
        let is_said = vessel.says_notable || !vessel.activities().is_empty();
        if !is_said && vessel.moves_all_along(first, rest_time_s) {
            return;
        }
        let count = vessel.track.fixes().len();
        // What was found of the fix before, as the next one asks for it again.
        let mut known: Option<(usize, bool)> = None;
        for i in first..count {
            let fix = &vessel.track.fixes()[i];
            let (t, position, water, linked) = (fix.t, fix.position, fix.water, fix.linked);
            if !fix.is_accepted() || fix.is_person || usize::from(water) >= self.map.waterways.len() {
                continue;
            }
            let asks_before = speaks || vessel.last_notable > EventTime::MIN;
            let notable_now = is_notable(vessel, i);
            let known_before = known.replace((i, notable_now));
            if notable_now {
                vessel.last_notable = vessel.last_notable.max(t);
            } else if !asks_before {
                continue;
            }
            if i + 1 == count && is_known(vessel, t) {
                continue;
            }
            let before = if asks_before { vessel.track.accepted_before(i) } else { None };
            let was_notable = before.filter(|&k| match known_before {
                Some((known, is)) if known == k => is,
                _ => is_notable(vessel, k),
            });
            let state = &mut self.waters[usize::from(water)];
            if notable_now {
                vessel.noted = t;
                let here = state.notable.extent_of(position);
                vessel.enter_grid(slot, Pace::Notable, water, state, &here, t);
            }
            if let Some(before) = was_notable.map(|k| vessel.track.fixes()[k]).filter(|before| before.water == water) {
                // It was there, or on its way from there, until now.
                let to = if linked { position } else { before.position };
                let way = state.notable.extent(before.position, to);
                vessel.enter_grid(slot, Pace::Notable, water, state, &way, t);
            }
        }
    }
}

/// Whether the other vessel comes within reach of the one on the leg while both are known.
fn comes_near(other: &Other, leg: &Leg, reach_m: f64) -> bool {
    let way = [leg.frame.to_plane(other.from.1), leg.frame.to_plane(other.to.1)];
    box_distance_m(way, [leg.motion.from, leg.motion.to]) <= reach_m && other.meets(leg, reach_m)
}

/// How far apart the boxes around two ways are, along the axis on which they are farther, metres; at most
/// the distance between the ways.
fn box_distance_m([a, b]: [Vec2; 2], [p, q]: [Vec2; 2]) -> f64 {
    let apart = |a1: f64, a2: f64, b1: f64, b2: f64| (a1.min(a2) - b1.max(b2)).max(b1.min(b2) - a1.max(a2));
    apart(a.east_m, b.east_m, p.east_m, q.east_m).max(apart(a.north_m, b.north_m, p.north_m, q.north_m))
}

/// Where a vessel is between two instants, as far as it is at rest or trolling there.
///
/// Between two linked fixes it moves steadily; after the last one, or over a longer gap, a vessel at rest
/// stays where it was for `rest_ttl`. What it is doing is known from the past only.
fn stretches(
    vessel: &Vessel,
    water: Water,
    start: EventTime,
    end: EventTime,
    motion: &Motion,
    mut found: impl FnMut(Other),
) {
    let fixes = vessel.track.fixes();
    let mut i = vessel.track.accepted_before(vessel.track.index_of(start));
    if i.is_none() {
        i = (0..fixes.len()).find(|&k| fixes[k].is_accepted());
    }
    while let Some(at) = i {
        let fix = &fixes[at];
        if fix.t > end {
            return;
        }
        let next = vessel.track.accepted_after(at);
        let linked = next.map(|k| &fixes[k]).filter(|next| next.linked);
        if fix.water == water && !fix.is_person {
            let held_until = fix.t.plus_seconds(motion.rest_ttl_s);
            let until = match (linked, next) {
                (Some(next), _) if next.water == water => Some((next.t, next.position)),
                (Some(_), _) => None,
                (None, Some(next)) => Some((fixes[next].t.min(held_until), fix.position)),
                (None, None) => Some((held_until, fix.position)),
            };
            if let Some(until) = until {
                each_status(vessel, at, fix.t, until.0, |from, to, status| {
                    let is_stationary =
                        fix.is_at_rest(motion.rest_time_s) || status.is_some_and(NavStatus::is_stationary);
                    let is_trolling = status.is_some_and(NavStatus::is_trolling);
                    // Where it goes after a fix alone is not known: that counts at its instant.
                    let is_there = linked.is_some() || is_stationary;
                    let to = if is_there { to } else { from };
                    if (is_there || from == fix.t) && (is_stationary || is_trolling) && from <= end && to >= start {
                        let place = |t: EventTime| along((fix.t, fix.position), until, t);
                        found(Other {
                            slot: 0,
                            from: (from, place(from)),
                            to: (to, place(to)),
                            is_stationary,
                            is_trolling,
                            accuracy_m: fix.accuracy_m(),
                        });
                    }
                });
            }
        }
        i = next;
    }
}

/// Cuts the time after fix `i` where a declaration changes what the vessel says it is doing.
fn each_status(
    vessel: &Vessel,
    i: usize,
    from: EventTime,
    to: EventTime,
    mut f: impl FnMut(EventTime, EventTime, Option<NavStatus>),
) {
    let mut start = from;
    for activity in vessel.activities().iter().filter(|activity| activity.nav_status.is_some()) {
        if activity.t > start && activity.t < to {
            f(start, activity.t, vessel.status_at(i, start));
            start = activity.t;
        }
    }
    f(start, to, vessel.status_at(i, start));
}

/// The position at `t` on the straight way between two instants.
fn along(from: (EventTime, Position), to: (EventTime, Position), t: EventTime) -> Position {
    let span_s = to.0.seconds_since(from.0);
    if span_s <= 0.0 || t <= from.0 || from.1 == to.1 {
        return from.1;
    }
    if t >= to.0 {
        return to.1;
    }
    let frame = crate::geo::LocalFrame::between(from.1, to.1);
    let way = frame.to_plane(to.1) * (t.seconds_since(from.0) / span_s);
    frame.to_position(way).unwrap_or(from.1)
}
