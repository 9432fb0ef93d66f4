//! Tows: what a vessel has in tow on its legs, and where its skiers are. Which tows are `beside` another vessel's leg is
//! told there.
//!
//! A waterway on which nobody tows pays for this with one look at an empty grid a leg. Where somebody does, towing
//! vessels with their skiers are in a grid of their own, and every vessel that moves is in the one of those that
//! are judged, so that a pair is found from either side.

use smallvec::SmallVec;

use super::around::present;
use super::grid::Pace;
use super::judge::{Bench, Scope};
use super::vessel::Vessel;
use super::{Engine, Event};
use crate::geo::position::wrap_lon_deg;
use crate::geo::{Position, Vec2};
use crate::observation::{NavStatus, VesselId};
use crate::rulebook::TowInference;
use crate::rules::{OwnTow, Roundings, Turn};
use crate::skier::{
    Gate, Habit, Knot, KnownBy, Rounder, Rounding, Skier, Steady, Stretch, Tow, TowPart, Way, abreast, parts_between,
    tracked, untracked,
};
use crate::time::EventTime;
use crate::track::{ASHORE, Leg, Water};
use crate::zones::FeatureIx;

/// For how long the fixes of a towing vessel, and of a tracker on a skier, are kept beyond those of others, seconds:
/// other vessels' legs may be judged, and given odds, long after.
pub(super) const TOW_KEPT_S: f64 = 90.0;
/// The farthest that a skier is looked for from the boat, metres: no rope is longer.
const ROPE_MAX_M: f64 = 1000.0;

/// For how long a buoy rounded is remembered, beyond the fixes of the towing vessel, seconds.
pub(super) const ROUNDED_S: f64 = 600.0;
/// A buoy passed farther off than this is not rounded, whatever a rule asks, metres.
const ROUNDED_WITHIN_M: f64 = 200.0;

/// A leg of a towing vessel, or a stay, and where it begins in its track.
pub(super) struct TowLeg {
    /// The leg, or the stay.
    pub leg: Leg,
    /// The fix at which it begins.
    pub from: usize,
    /// What is in tow on its parts.
    pub parts: SmallVec<[TowPart; 1]>,
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

    /// Follows the estimated skier anew along the track from `from` on.
    fn retrace(&mut self, from: EventTime, rope_m: f64) {
        let Some(file) = &mut self.file else { return };
        let keep = file.knots.partition_point(|knot| knot.t < from);
        file.knots.truncate(keep);
        let first = file.knots.back().map_or(0, |last| self.track.index_of(last.t) + 1);
        for i in first..self.track.fixes().len() {
            let fix = self.track.fixes()[i];
            if !fix.is_accepted() {
                continue;
            }
            let knot = match self.leg_before(i) {
                Some(k) => {
                    let leg = self.track.leg(k, i);
                    let (_, mut knot) = self.knot_at(k).along(&leg, &self.tow_parts(&leg), rope_m);
                    // The end of a leg is counted from its start, and found again by the fix.
                    knot.t = fix.t;
                    knot
                }
                None => Knot::loose(fix.t),
            };
            if let Some(file) = &mut self.file {
                file.knots.push_back(knot);
            }
        }
    }

    /// Its legs and stays on a waterway, as far as it has somebody in tow on them, they fall into a time, and `is_near`
    /// says so of where they begin and end.
    pub(super) fn tow_legs(
        &self,
        water: Water,
        start: EventTime,
        end: EventTime,
        rest: (f64, f64),
        is_near: impl Fn(Position, Position) -> bool,
        mut found: impl FnMut(TowLeg),
    ) {
        let fixes = self.track.fixes();
        let first = self.track.index_of(start);
        let mut next = self.track.accepted_before(first).or_else(|| (0..fixes.len()).find(|&k| fixes[k].is_accepted()));
        while let Some(i) = next {
            let fix = &fixes[i];
            if fix.t > end {
                return;
            }
            next = self.track.accepted_after(i);
            if fix.water != water || fix.is_person {
                continue;
            }
            if !is_near(fix.position, next.map_or(fix.position, |k| fixes[k].position)) {
                continue;
            }
            let leg = match next.filter(|&k| self.leg_before(k) == Some(i)) {
                Some(k) => Some(self.track.leg(i, k)),
                None if next.is_some_and(|k| fixes[k].linked) => None,
                None => self.stay(i, next, rest).or_else(|| self.leg_before(i).is_none().then(|| Leg::at(fix, None))),
            };
            let Some(leg) = leg.filter(|leg| leg.end() >= start) else { continue };
            let parts = self.tow_parts(&leg);
            if !parts.is_empty() {
                found(TowLeg { leg, from: i, parts });
            }
        }
    }

    /// How it turned at fix `i`, where legs lead there and on.
    pub(super) fn turn_at(&self, i: usize) -> Option<Turn> {
        let between = |k: usize, i: usize| self.track.leg(k, i);
        let (before, after) = (self.leg_before(i)?, self.leg_after(i)?);
        let (from, to) = (between(before, i), between(i, after));
        let (from_deg, to_deg) = (from.course_deg()?, to.course_deg()?);
        let turned = |a: f64, b: f64| wrap_lon_deg(b - a).to_radians();
        let earlier_deg = self.leg_before(before).and_then(|k| between(k, before).course_deg());
        let later_deg = self.leg_after(after).and_then(|k| between(after, k).course_deg());
        Some(Turn {
            from: Vec2::toward_deg(from_deg),
            span_s: from.motion.span_s.min(to.motion.span_s),
            earlier_rad: earlier_deg.map_or(0.0, |deg| turned(deg, from_deg)),
            rad: turned(from_deg, to_deg),
            later_rad: later_deg.map_or(0.0, |deg| turned(to_deg, deg)),
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
        let parts = SmallVec::from_iter([part]);
        Some(OwnTow { parts, skiers: Vec::new(), roundings, guessed: Some(terms.likelihood) })
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
        let parts = vessel.tow_parts(leg);
        if parts.is_empty() {
            return None;
        }
        let skiers = self.skiers_on(vessel, leg, from, &parts);
        let roundings = Roundings { is_fresh: false, leg: leg.start, all: Vec::new() };
        Some(OwnTow { parts, skiers, roundings, guessed: None })
    }

    /// Where the skiers of a vessel are on a leg of it: by their trackers, else by the rope.
    pub(super) fn skiers_on(&self, vessel: &Vessel, leg: &Leg, from: usize, parts: &[TowPart]) -> Vec<Skier> {
        let estimated = vessel.knot_at(from).along(leg, parts, self.rulebook.motion.tow_rope_m).0;
        let Some(trackers) = self.trackers.get(&vessel.id) else { return untracked(estimated, &[]) };
        let mut known = Vec::new();
        for id in trackers {
            let Some(slot) = self.directory.get(id, &self.vessels) else { continue };
            self.vessels[slot as usize].ways_behind(&vessel.id, leg, |skier| {
                for part in parts {
                    let stretch = skier.stretch.within(part.span);
                    let is_near = |stretch: &Stretch| {
                        let s = stretch.span.from_s;
                        (stretch.at(s) - Steady::of(&leg.motion, 0.0).at(s)).norm() <= ROPE_MAX_M
                    };
                    known.extend(stretch.filter(is_near).map(|stretch| Skier { stretch, by: skier.by.clone() }));
                }
            });
        }
        let mut skiers = untracked(estimated, &known);
        skiers.append(&mut known);
        skiers
    }

    /// Notes the buoys that a towing vessel and its skiers round on a leg, which ends at the fix of time `tag`.
    pub(super) fn round_buoys(&mut self, slot: u32, water: Water, tag: EventTime, leg: &Leg, tow: &mut OwnTow) {
        let waterway = &self.map.waterways[usize::from(water)];
        let state = &self.waters[usize::from(water)];
        let bench = Bench { rulebook: &self.rulebook, waterway, state, reach_m: self.desk.reach_m };
        let mut fresh: Vec<Rounding> = Vec::new();
        let boat = Stretch { span: leg.whole(), way: Way::Straight(Steady::of(&leg.motion, 0.0)), said_course: None };
        let (low, high, _) = extent_of(leg, &tow.skiers);
        for line in waterway.buoy_lines.iter().filter(|line| line.buoys.len() > 2) {
            for place in 0..line.buoys.len() {
                let (ix, position) = line.buoys[place];
                let buoy = leg.frame.to_plane(position);
                let off = |x: f64, low: f64, high: f64| (low - x).max(x - high);
                if off(buoy.east_m, low.east_m, high.east_m) > ROUNDED_WITHIN_M
                    || off(buoy.north_m, low.north_m, high.north_m) > ROUNDED_WITHIN_M
                {
                    continue;
                }
                let Some(along) = direction_at(&line.buoys, place, line.is_closed, leg) else { continue };
                let gate = Gate { buoy, along };
                let feature = waterway.feature(ix);
                let there = present(feature, ix, leg, &bench);
                let skiers = tow.skiers.iter().map(|skier| match &skier.by {
                    KnownBy::Tracker { id, .. } => (&skier.stretch, Rounder::Tracked(id.clone()), 0.0),
                    KnownBy::Rope { sigma_m } => (&skier.stretch, Rounder::Estimated, *sigma_m),
                });
                for (stretch, who, sigma_m) in std::iter::once((&boat, Rounder::Boat, 0.0)).chain(skiers) {
                    let Some((at_s, left_m)) = abreast(stretch, &gate) else { continue };
                    let part = tow.parts.iter().find(|part| part.span.contains(at_s));
                    let Some(part) = part.filter(|_| left_m.abs() <= ROUNDED_WITHIN_M && there.contains(at_s)) else {
                        continue;
                    };
                    fresh.push(Rounding {
                        leg: tag,
                        t: leg.time_at(at_s),
                        who,
                        line: line.id.clone(),
                        ring: line.is_closed.then_some(line.buoys.len() as u32),
                        place: place as u32,
                        buoy: feature.id.clone(),
                        left_m,
                        sigma_m,
                        taken_up: part.tow.taken_up,
                    });
                }
            }
        }
        if fresh.is_empty() {
            return;
        }
        fresh.sort_by(|a, b| a.t.cmp(&b.t).then(a.place.cmp(&b.place)));
        if let Some(file) = &mut self.vessels[slot as usize].file {
            file.roundings.append(&mut fresh);
            tow.roundings = Roundings { is_fresh: true, leg: tag, all: file.roundings.clone() };
        }
    }

    /// Takes it that a tracker is on a skier behind `tower` from `t` on.
    pub(super) fn note_tracker(&mut self, slot: u32, tower: &VesselId, t: EventTime) {
        let vessel = &mut self.vessels[slot as usize];
        let towers = &mut vessel.file.get_or_insert_default().towers;
        let at = towers.partition_point(|(from, _)| *from <= t);
        // Only where it changes: a late fix before the first one moves that back.
        if at == 0 || towers[at - 1].1 != *tower {
            if towers.get(at).is_some_and(|next| next.1 == *tower) {
                towers[at].0 = t;
            } else {
                towers.insert(at, (t, tower.clone()));
            }
        }
        let trackers = self.trackers.entry(tower.clone()).or_default();
        if let Err(at) = trackers.binary_search(&vessel.id) {
            trackers.insert(at, vessel.id.clone());
        }
    }

    /// What follows for towing vessels, and for those beside them, from a tracker's new way from `from` on.
    pub(super) fn judge_towers_of(&mut self, slot: u32, from: EventTime, out: &mut Vec<Event>) {
        let Some(file) = self.vessels[slot as usize].file.as_ref().filter(|file| !file.towers.is_empty()) else {
            return;
        };
        let first = file.towers.partition_point(|(since, _)| *since <= from).saturating_sub(1);
        let towers: SmallVec<[VesselId; 1]> = file.towers[first..].iter().map(|(_, tower)| tower.clone()).collect();
        for id in towers {
            let Some(tower) = self.directory.get(&id, &self.vessels) else { continue };
            if self.vessels[tower as usize].tows {
                self.note_tow(tower, from, out);
                self.judge_from(tower, &id, from, out);
                self.judge_those_beside_tow(tower, from, out);
            }
        }
    }

    /// Follows the skier of a towing vessel anew from `from` on, and enters both in the grid of those that tow.
    pub(super) fn note_tow(&mut self, slot: u32, from: EventTime, out: &mut Vec<Event>) {
        let motion = self.rulebook.motion;
        self.vessels[slot as usize].retrace(from, motion.tow_rope_m);
        let vessel = &self.vessels[slot as usize];
        let water = vessel.water;
        if !self.desk.minds_tows || usize::from(water) >= self.map.waterways.len() {
            return;
        }
        let mut ways: SmallVec<[([Position; 2], EventTime); 2]> = SmallVec::new();
        let mut first = EventTime::MAX;
        let mut reach_m = 0.0_f64;
        vessel.tow_legs(
            water,
            from,
            EventTime::MAX,
            (motion.rest_time_s, motion.rest_ttl_s),
            |_, _| true,
            |tow| {
                let skiers = self.skiers_on(vessel, &tow.leg, tow.from, &tow.parts);
                let (low, high, away_m) = extent_of(&tow.leg, &skiers);
                let corner = |v: Vec2| tow.leg.frame.to_position(v).unwrap_or(tow.leg.frame.origin());
                ways.push(([corner(low), corner(high)], tow.leg.end()));
                first = first.min(tow.leg.start);
                reach_m = reach_m.max(away_m);
            },
        );
        let state = &mut self.waters[usize::from(water)];
        let was_alone = state.tows.is_empty();
        if was_alone {
            state.skier_reach_m = 0.0;
        }
        state.skier_reach_m = state.skier_reach_m.max(reach_m);
        for (way, until) in ways {
            self.vessels[slot as usize].enter_grid(slot, Pace::Towing, water, state, way, until);
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
    /// The ways of a tracker that is on a skier behind `tower`, as far as they fall into a leg of that one.
    fn ways_behind(&self, tower: &VesselId, leg: &Leg, mut found: impl FnMut(Skier)) {
        let Some(file) = &self.file else { return };
        let fixes = self.track.fixes();
        let is_behind = |i: usize| {
            let at = file.towers.partition_point(|(from, _)| *from <= fixes[i].t);
            fixes[i].is_person && fixes[i].water != ASHORE && at > 0 && file.towers[at - 1].1 == *tower
        };
        let first = self.track.index_of(leg.start);
        let mut next = self.track.accepted_before(first).or_else(|| (0..fixes.len()).find(|&k| fixes[k].is_accepted()));
        while let Some(i) = next {
            if fixes[i].t > leg.end() {
                return;
            }
            next = self.track.accepted_after(i);
            if !is_behind(i) {
                continue;
            }
            let linked = next.filter(|&k| fixes[k].linked);
            let way = match linked {
                Some(k) if is_behind(k) => Some(self.track.leg(i, k)),
                Some(_) => None,
                None => (!fixes[i].linked).then(|| Leg::at(&fixes[i], None)),
            };
            let skier = way.and_then(|way| tracked(&way, leg, &self.id, fixes[i].accuracy_m()));
            let is_way =
                |skier: &Skier| skier.stretch.span.length_s() > 0.0 || linked.is_none() || leg.motion.span_s == 0.0;
            if let Some(skier) = skier.filter(is_way) {
                found(skier);
            }
        }
    }
}

/// The box around a leg of a boat and its skiers in the plane of the leg, and how far from the boat any of them is,
/// metres.
pub(super) fn extent_of(leg: &Leg, skiers: &[Skier]) -> (Vec2, Vec2, f64) {
    let (a, b) = (leg.motion.from, leg.motion.to);
    let mut low = Vec2::new(a.east_m.min(b.east_m), a.north_m.min(b.north_m));
    let mut high = Vec2::new(a.east_m.max(b.east_m), a.north_m.max(b.north_m));
    let boat = Steady::of(&leg.motion, 0.0);
    let mut away_m = 0.0_f64;
    for skier in skiers {
        // A curve lies within its ends and the straight way between them, widened by less than it is long.
        let (from_s, to_s) = (skier.stretch.span.from_s, skier.stretch.span.to_s);
        let (p, q) = (skier.stretch.at(from_s), skier.stretch.at(to_s));
        let swell_m = match skier.stretch.way {
            Way::Straight(_) => 0.0,
            Way::Drawn(drawn) => 0.5 * drawn.speed_mps * (to_s - from_s),
        };
        low = Vec2::new(
            low.east_m.min(p.east_m.min(q.east_m) - swell_m),
            low.north_m.min(p.north_m.min(q.north_m) - swell_m),
        );
        high = Vec2::new(
            high.east_m.max(p.east_m.max(q.east_m) + swell_m),
            high.north_m.max(p.north_m.max(q.north_m) + swell_m),
        );
        away_m = away_m.max((p - boat.at(from_s)).norm()).max((q - boat.at(to_s)).norm());
    }
    (low, high, away_m)
}

/// The direction of a line of buoys at one of them in the plane of a leg, of unit length: that from the buoy before to
/// the one after.
fn direction_at(buoys: &[(FeatureIx, Position)], place: usize, is_closed: bool, leg: &Leg) -> Option<Vec2> {
    let count = buoys.len();
    let (before, after) = if is_closed {
        ((place + count - 1) % count, (place + 1) % count)
    } else {
        (place.saturating_sub(1), (place + 1).min(count - 1))
    };
    let way = leg.frame.to_plane(buoys[after].1) - leg.frame.to_plane(buoys[before].1);
    (way.norm() > 0.0).then(|| way * (1.0 / way.norm()))
}
