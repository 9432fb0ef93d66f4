//! Tows: what a vessel has in tow on its legs, and where its skiers are. Which tows are `beside` another vessel's leg is
//! told there.
//!
//! A waterway on which nobody tows pays for this with one look at an empty grid a leg. Where somebody does, towing
//! vessels with their skiers are in a grid of their own, and every vessel that moves is in the one of those that
//! are judged, so that a pair is found from either side.

use std::ops::ControlFlow;
use std::sync::Arc;

use smallvec::SmallVec;

use super::beside::Run;
use super::grid::{Extent, Pace};
use super::judge::Scope;
use super::trail::Step;
use super::vessel::Vessel;
use super::water::state_of;
use super::{Engine, Event};
use crate::findings::sigma_m;
use crate::geo::position::wrap_lon_deg;
use crate::geo::{Vec2, distance_m};
use crate::observation::NavStatus;
use crate::rulebook::TowInference;
use crate::rules::{OwnTow, Roundings, Turn};
use crate::skier::{Habit, Knot, Skier, Tow, TowLeg, TowPart, parts_between};
use crate::time::EventTime;
use crate::track::{ASHORE, Leg, TrackFix, Water};

/// For how long the fixes of a towing vessel, and of a tracker on a skier, are kept beyond those of others, seconds:
/// other vessels' legs may be judged, and given odds, long after.
pub(super) const TOW_KEPT_S: f64 = 90.0;

/// A leg of a towing vessel, or a stay, before it is known where trackers show its skiers.
struct Begun {
    /// On which waterway.
    water: Water,
    /// The fix at which it begins, by its time.
    from: EventTime,
    /// The next one; as late as can be where there is none.
    until: EventTime,
    /// Whether the path leads there.
    is_leg: bool,
    /// The leg, or the stay.
    leg: Leg,
    /// What is in tow on its parts.
    parts: SmallVec<[TowPart; 1]>,
    /// The skiers by the rope.
    estimated: SmallVec<[Skier; 2]>,
}

impl Vessel {
    /// The parts of a leg on which it has somebody in tow.
    fn tow_parts(&self, leg: &Leg) -> SmallVec<[TowPart; 1]> {
        match &self.file {
            Some(file) if self.tows => parts_between(file.crew_before, &file.activities, leg),
            _ => SmallVec::new(),
        }
    }

    /// What is known of the estimated skier at fix `i`.
    fn knot_at(&self, i: usize) -> Knot {
        let t = self.track.fixes()[i].t;
        let knots = self.file.as_ref().map(|file| &file.knots);
        let found = knots.and_then(|knots| knots.binary_search_by_key(&t, |knot| knot.t).ok().map(|at| knots[at]));
        found.unwrap_or(Knot::loose(t))
    }

    /// Follows the estimated skier anew along the track from `from` on; hands out what begins at each fix, from the last
    /// one before that on, where somebody is in tow there. `rest` as for [`Vessel::begins_at`].
    fn retrace(&mut self, from: EventTime, rope_m: f64, rest: (f64, f64), mut found: impl FnMut(Begun)) {
        let Self { track, file: Some(file), .. } = self else { return };
        let fix_at = |t: EventTime| {
            let i = track.index_of(t);
            track.fixes().get(i).is_some_and(|fix| fix.t == t && fix.is_accepted()).then_some(i)
        };
        while file.knots.back().is_some_and(|knot| knot.t >= from || fix_at(knot.t).is_none()) {
            file.knots.pop_back();
        }
        let last = file.knots.back().and_then(|knot| fix_at(knot.t));
        file.trail.cut(last.map_or(EventTime::MIN, |i| track.fixes()[i].t));
        let mut at = last.or_else(|| (0..track.fixes().len()).find(|&i| track.fixes()[i].is_accepted()));
        if let Some(i) = at.filter(|_| last.is_none()) {
            let t = track.fixes()[i].t;
            file.knots.push_back(Knot::loose(t));
        }
        while let Some(i) = at {
            let next = self.track.accepted_after(i);
            let mut knot = next.map(|k| Knot::loose(self.track.fixes()[k].t));
            if let Some((leg, is_leg)) = self.begins_at(i, next, rest) {
                let parts = self.tow_parts(&leg);
                let (estimated, mut behind) = self.knot_at(i).along(&leg, &parts, rope_m);
                if let Some(knot) = knot.as_mut().filter(|_| is_leg) {
                    // The end of a leg is counted from its start, and found again by the fix.
                    behind.t = knot.t;
                    *knot = behind;
                }
                let fixes = self.track.fixes();
                let (water, from) = (fixes[i].water, fixes[i].t);
                if !parts.is_empty() && water != ASHORE && !fixes[i].is_person {
                    let until = next.map_or(EventTime::MAX, |k| fixes[k].t);
                    found(Begun { water, from, until, is_leg, leg, parts, estimated });
                }
            }
            if let (Some(file), Some(knot)) = (&mut self.file, knot) {
                file.knots.push_back(knot);
            }
            at = next;
        }
    }

    /// What begins at fix `i`, before the next fix `next`: the leg that leads there, which is said as well, or else a
    /// stay. `rest`: how long a vessel is slow before it is at rest, and how long it then stays, seconds.
    fn begins_at(&self, i: usize, next: Option<usize>, rest: (f64, f64)) -> Option<(Leg, bool)> {
        let fixes = self.track.fixes();
        match next.filter(|&k| self.leg_before(k) == Some(i)) {
            Some(k) => Some((self.track.leg(i, k), true)),
            None if next.is_some_and(|k| fixes[k].linked) => None,
            None => {
                let alone = || self.leg_before(i).is_none().then(|| Leg::at(&fixes[i], None));
                self.stay(i, next, rest).or_else(alone).map(|leg| (leg, false))
            }
        }
    }

    /// The leg between two fixes of which the path leads from one to the other.
    pub(super) fn leg_between(&self, from: usize, to: usize) -> Leg {
        match self.tow_leg_from(from) {
            Some(way) => way.leg,
            None => self.track.leg(from, to),
        }
    }

    /// The leg that begins at a fix with what is in tow, where that was kept.
    fn tow_leg_from(&self, from: usize) -> Option<&Arc<TowLeg>> {
        let file = self.file.as_ref().filter(|_| self.tows)?;
        file.trail.leg_from(self.track.fixes()[from].t)
    }

    /// How it turned at fix `i`, where legs lead there and on. `default_accuracy_m` is the 68 % radius of a fix that
    /// says none, metres.
    pub(super) fn turn_at(&self, i: usize, default_accuracy_m: f64) -> Option<Turn> {
        let course_deg = |from: usize, to: usize| match self.tow_leg_from(from) {
            Some(way) => way.course_deg,
            None => self.track.leg(from, to).course_deg(),
        };
        let span_s = |from: usize, to: usize| self.track.fixes()[to].t.seconds_since(self.track.fixes()[from].t);
        let (before, after) = (self.leg_before(i)?, self.leg_after(i)?);
        let [a, b, c] = [before, i, after].map(|k| &self.track.fixes()[k]);
        let error_m = |fix: &TrackFix| sigma_m(fix.accuracy_m().unwrap_or(default_accuracy_m));
        // The one in the middle is on both legs.
        let off_m = error_m(a).hypot(2.0 * error_m(b)).hypot(error_m(c));
        let way_m = distance_m(a.position, b.position).min(distance_m(b.position, c.position));
        let (from_deg, to_deg) = (course_deg(before, i)?, course_deg(i, after)?);
        let turned = |a: f64, b: f64| wrap_lon_deg(b - a).to_radians();
        let earlier_deg = self.leg_before(before).and_then(|k| course_deg(k, before));
        let later_deg = self.leg_after(after).and_then(|k| course_deg(after, k));
        Some(Turn {
            from: Vec2::toward_deg(from_deg),
            span_s: span_s(before, i).min(span_s(i, after)),
            earlier_rad: earlier_deg.map_or(0.0, |deg| turned(deg, from_deg)),
            rad: turned(from_deg, to_deg),
            later_rad: later_deg.map_or(0.0, |deg| turned(to_deg, deg)),
            error_rad: off_m / way_m.max(f64::MIN_POSITIVE),
        })
    }

    /// Follows what it is doing anew along the track from `from` on, to guess from that whether it tows.
    pub fn follow_habit(&mut self, from: EventTime, terms: &TowInference) {
        let file = self.file.get_or_insert_default();
        let keep = file.habits.partition_point(|habit| habit.t < from);
        file.habits.truncate(keep);
        let mut habit = file.habits.back().copied();
        let first = habit.map_or(0, |last| self.track.index_of(last.t) + 1);
        for i in first..self.track.fixes().len() {
            let fix = self.track.fixes()[i];
            if !fix.is_accepted() {
                continue;
            }
            let before = habit.unwrap_or_else(|| Habit::unknown(fix.t));
            let mut now = match self.leg_before(i) {
                Some(k) => before.after(&self.track.leg(k, i), terms),
                None => before.interrupted(fix.t),
            };
            // The end of a leg is counted from its start, and found again by the fix.
            now.t = fix.t;
            habit = Some(now);
            self.file.get_or_insert_default().habits.push_back(now);
        }
    }

    /// What it is guessed to have in tow on the leg from fix `from` to fix `to`, if anything: a skier who is up, of
    /// whom nothing else is known.
    pub fn guessed_tow(&self, leg: &Leg, from: usize, to: usize, terms: &TowInference) -> Option<OwnTow> {
        let habits = &self.file.as_ref()?.habits;
        let since = |i: usize| {
            let t = self.track.fixes()[i].t;
            let at = habits.binary_search_by_key(&t, |habit| habit.t).ok()?;
            habits[at].towing_since(terms)
        };
        let since = since(from).and(since(to))?;
        let tow = Tow { is_up: true, rope_m: None, taken_up: since, came_up: Some(since) };
        let part = TowPart { span: leg.whole(), tow, observer_age: None, warning_flag: None };
        let roundings = Roundings { is_fresh: false, leg: leg.start, all: Vec::new() };
        let way = Arc::new(TowLeg::new(*leg, SmallVec::from_iter([part]), Vec::new()));
        Some(OwnTow { way, roundings, guessed: Some(terms.likelihood) })
    }

    /// Where it stays from fix `i` until it is heard again, where it is at rest there. `rest`: how long a vessel is
    /// slow before it is at rest, and how long it then stays, seconds.
    fn stay(&self, i: usize, next: Option<usize>, rest: (f64, f64)) -> Option<Leg> {
        let fix = &self.track.fixes()[i];
        let is_at_rest = fix.is_at_rest(rest.0) || self.status_at(i, fix.t).is_some_and(NavStatus::is_stationary);
        let until_s = next.map_or(f64::INFINITY, |k| self.track.fixes()[k].t.seconds_since(fix.t));
        let mut leg = Leg::at(fix, None);
        leg.motion.span_s = until_s.min(rest.1);
        is_at_rest.then_some(leg)
    }
}

impl Engine {
    /// What a vessel has in tow on a leg that begins at fix `from` of its track, if anything.
    pub(super) fn tow_on(&self, slot: u32, leg: &Leg, from: usize) -> Option<OwnTow> {
        let vessel = &self.vessels[slot as usize];
        let kept = vessel.tow_leg_from(from).filter(|way| way.leg.motion.span_s == leg.motion.span_s);
        let way = match kept {
            Some(way) => way.clone(),
            None => {
                let parts = vessel.tow_parts(leg);
                if parts.is_empty() {
                    return None;
                }
                let skiers = self.skiers_on(vessel, leg, from, &parts);
                Arc::new(TowLeg::new(*leg, parts, skiers))
            }
        };
        let roundings = Roundings { is_fresh: false, leg: leg.start, all: Vec::new() };
        Some(OwnTow { way, roundings, guessed: None })
    }

    /// Where the skiers of a vessel are on a leg of it: by their trackers, else by the rope.
    fn skiers_on(&self, vessel: &Vessel, leg: &Leg, from: usize, parts: &[TowPart]) -> Vec<Skier> {
        let estimated = vessel.knot_at(from).along(leg, parts, self.rulebook.motion.tow_rope_m).0;
        self.with_trackers(vessel, leg, parts, estimated)
    }

    /// Hands out the legs and stays of a vessel on a waterway, as far as it has somebody in tow on them and they fall
    /// into a time, until enough is found.
    pub(super) fn tow_steps(&self, vessel: &Vessel, run: &Run, mut found: impl FnMut(&Step) -> ControlFlow<()>) {
        let (Some(file), Some(front)) = (&vessel.file, vessel.track.fixes().front()) else { return };
        if let Some(steps) = file.trail.lasting(run.start, front.t) {
            let steps = steps.map(|(_, step)| step).take_while(|step| step.from <= run.end);
            let _ = steps.filter(|step| step.is_during(run)).try_for_each(found);
            return;
        }
        let grid = &state_of(&self.waters, run.water).tows;
        let fixes = vessel.track.fixes();
        let first = vessel.track.accepted_before(vessel.track.index_of(run.start));
        let mut at = first.or_else(|| (0..fixes.len()).find(|&k| fixes[k].is_accepted()));
        while let Some(i) = at.filter(|&i| fixes[i].t <= run.end) {
            let next = vessel.track.accepted_after(i);
            at = next;
            if fixes[i].water != run.water || fixes[i].is_person {
                continue;
            }
            let Some((leg, is_leg)) = vessel.begins_at(i, next, self.rest()) else { continue };
            let parts = vessel.tow_parts(&leg);
            if parts.is_empty() || leg.end() < run.start {
                continue;
            }
            let skiers = self.skiers_on(vessel, &leg, i, &parts);
            let times = [fixes[i].t, next.map_or(EventTime::MAX, |k| fixes[k].t)];
            if found(&Step::new(run.water, grid, times, is_leg, TowLeg::new(leg, parts, skiers))).is_break() {
                return;
            }
        }
    }

    /// How long a vessel is slow before it is at rest, and how long it then stays where it is not heard, seconds.
    fn rest(&self) -> (f64, f64) {
        (self.rulebook.motion.rest_time_s, self.rulebook.motion.rest_ttl_s)
    }

    /// Follows the skier of a towing vessel anew from `from` on, and enters both in the grid of those that tow.
    pub(super) fn note_tow(&mut self, slot: u32, from: EventTime, out: &mut Vec<Event>) {
        let (rope_m, rest) = (self.rulebook.motion.tow_rope_m, self.rest());
        let mut begun: Vec<Begun> = Vec::new();
        self.vessels[slot as usize].retrace(from, rope_m, rest, |begins| begun.push(begins));
        let vessel = &self.vessels[slot as usize];
        let steps = begun.into_iter().map(|begun| {
            let Begun { water, from, until, is_leg, leg, parts, estimated } = begun;
            let skiers = self.with_trackers(vessel, &leg, &parts, estimated);
            let grid = &state_of(&self.waters, water).tows;
            Step::new(water, grid, [from, until], is_leg, TowLeg::new(leg, parts, skiers))
        });
        let steps: Vec<Step> = steps.collect();
        let water = vessel.water;
        if !self.desk.minds_tows || usize::from(water) >= self.map.waterways.len() {
            self.vessels[slot as usize].lay_trail(steps);
            return;
        }
        let mut ways: SmallVec<[(Extent, EventTime); 2]> = SmallVec::new();
        let mut first = EventTime::MAX;
        let mut reach_m = 0.0_f64;
        for step in &steps {
            if step.water == water && step.until >= from && step.end >= from {
                ways.push((step.extent, step.end));
                first = first.min(step.way.leg.start);
                reach_m = reach_m.max(step.way.away_m);
            }
        }
        self.vessels[slot as usize].lay_trail(steps);
        let state = &mut self.waters[usize::from(water)];
        let was_alone = state.tows.is_empty();
        if was_alone {
            state.skier_reach_m = 0.0;
        }
        state.skier_reach_m = state.skier_reach_m.max(reach_m);
        for (way, until) in ways {
            self.vessels[slot as usize].enter_grid(slot, Pace::Towing, water, state, &way, until);
        }
        // Until now nobody on this water was looked at as to whom it passes.
        if was_alone && !self.waters[usize::from(water)].tows.is_empty() {
            let here = |slot: &u32| *slot != u32::MAX && self.vessels[*slot as usize].water == water;
            let slots: Vec<u32> = self.directory.slots.iter().copied().filter(here).collect();
            self.judge_again(&slots, first, Scope::BesideTows, out);
        }
    }
}

impl Vessel {
    /// Keeps what begins at its latest fixes.
    fn lay_trail(&mut self, steps: Vec<Step>) {
        if let Some(file) = &mut self.file {
            steps.into_iter().for_each(|step| file.trail.push(step));
        }
    }
}
