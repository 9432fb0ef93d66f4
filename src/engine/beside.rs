//! Which towing vessels, with their skiers, are beside a leg of another vessel, and whose legs a new way of theirs
//! bears on.

use std::ops::{ControlFlow, Range};

use super::judge::Scope;
use super::vessel::Vessel;
use super::{Engine, Event};
use crate::geo::Position;
use crate::geo::motion::Motion;
use crate::geo::position::wrap_lon_deg;
use crate::rules::TowBeside;
use crate::skier::{Extent, Steady};
use crate::time::EventTime;
use crate::track::{Leg, Water};

/// The box around some positions, by its south-western and its north-eastern corner; `None` for none.
pub(super) fn corners_of(positions: impl IntoIterator<Item = Position>) -> Option<[Position; 2]> {
    let mut positions = positions.into_iter();
    let first = positions.next()?;
    let mut low = [first.lat_deg(), 0.0];
    let mut high = low;
    for position in positions {
        let corner = [position.lat_deg(), wrap_lon_deg(position.lon_deg() - first.lon_deg())];
        low = [low[0].min(corner[0]), low[1].min(corner[1])];
        high = [high[0].max(corner[0]), high[1].max(corner[1])];
    }
    let position = |[lat, east]: [f64; 2]| Position::from_lat_lon(lat, wrap_lon_deg(first.lon_deg() + east)).ok();
    Some([position(low)?, position(high)?])
}

/// Where a leg begins and ends, and the box around it.
struct Way {
    begin: Position,
    end: Position,
    corners: [Position; 2],
}

impl Way {
    fn of(leg: &Leg) -> Option<Self> {
        let (begin, end) = (leg.position_at(0.0), leg.position_at(leg.motion.span_s));
        Some(Self { begin, end, corners: corners_of([begin, end])? })
    }
}

impl Engine {
    /// Lists, on the desk, the towing vessels that may come, with their skiers, near the path of `slot` on the legs that
    /// lead to some fixes. Says nothing where that path is not all on one waterway.
    pub(super) fn list_tows_near(&mut self, slot: u32, fixes: Range<usize>) {
        let here = usize::from(self.vessels[slot as usize].water);
        if !self.desk.minds_tows || self.waters.get(here).is_none_or(|state| state.tows.is_empty()) {
            return;
        }
        let mut listed = std::mem::take(&mut self.desk.tow_candidates);
        if let Some((water, corners, during)) = self.vessels[slot as usize].way_to(fixes) {
            self.look_for_towing(slot, water, &corners, during, &mut listed.slots);
            listed.note(slot, during);
        }
        self.desk.tow_candidates = listed;
    }

    /// Finds the towing vessels that may come, with their skiers, near a box while a time lasts, in order.
    fn look_for_towing(
        &self,
        slot: u32,
        water: Water,
        corners: &[Position; 2],
        (from, to): (EventTime, EventTime),
        found: &mut Vec<u32>,
    ) {
        found.clear();
        let Some(state) = self.waters.get(usize::from(water)) else { return };
        let reach_m = self.desk.tow_reach_m;
        state.tows.near(&state.tows.extent(corners[0], corners[1]), reach_m, found);
        found.retain(|&other| other != slot && self.may_tow_near(other, water, corners, (from, to), reach_m));
    }

    /// Whether a towing vessel, or who it has in tow, may come within reach of a box while a time lasts.
    pub(super) fn may_tow_near(
        &self,
        tower: u32,
        water: Water,
        corners: &[Position; 2],
        (from, to): (EventTime, EventTime),
        reach_m: f64,
    ) -> bool {
        let state = &self.waters[usize::from(water)];
        let mut is_near = false;
        self.tow_steps(&self.vessels[tower as usize], water, from, to, |step| {
            is_near = step.may_come_near(corners, reach_m, state);
            if is_near { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        is_near
    }

    /// Collects, on the desk, the towing vessels near a leg of `slot` and where they and their skiers are meanwhile.
    pub(super) fn look_for_tows(&mut self, slot: u32, water: Water, leg: &Leg) {
        self.desk.tows.clear();
        if self.waters[usize::from(water)].tows.is_empty() {
            return;
        }
        let Some(way) = Way::of(leg) else { return };
        let mut tows = std::mem::take(&mut self.desk.tows);
        let mut find = |engine: &Self, near: &[u32]| {
            for &other in near {
                engine.tows_beside(other, water, leg, &way, |tow| tows.push(tow));
            }
        };
        let listed = &self.desk.tow_candidates;
        if listed.are_of(slot, leg.start, leg.end()) {
            find(self, &listed.slots);
        } else {
            let mut near = std::mem::take(&mut self.desk.near);
            self.look_for_towing(slot, water, &way.corners, (leg.start, leg.end()), &mut near);
            find(self, &near);
            self.desk.near = near;
        }
        tows.sort_by(|a, b| a.vessel.cmp(&b.vessel).then(a.offset_s.total_cmp(&b.offset_s)));
        self.desk.tows = tows;
    }

    /// Collects, on the desk, where one towing vessel and its skiers are during a leg of another.
    pub(super) fn look_at_tow(&mut self, other: u32, water: Water, leg: &Leg) {
        let mut tows = std::mem::take(&mut self.desk.tows);
        tows.clear();
        if let Some(way) = Way::of(leg) {
            self.tows_beside(other, water, leg, &way, |tow| tows.push(tow));
        }
        self.desk.tows = tows;
    }

    /// Where a towing vessel and its skiers are during a leg of another, as far as they come near.
    fn tows_beside(&self, other: u32, water: Water, leg: &Leg, way: &Way, mut found: impl FnMut(TowBeside)) {
        let vessel = &self.vessels[other as usize];
        let (reach_m, turn_reach_m) = (self.desk.tow_reach_m, self.desk.turn_reach_m);
        let default_accuracy_m = self.rulebook.motion.default_accuracy_m;
        let state = &self.waters[usize::from(water)];
        self.tow_steps(vessel, water, leg.start, leg.end(), |step| {
            if !step.may_come_near(&way.corners, reach_m, state) {
                return ControlFlow::Continue(());
            }
            let tow = &step.way;
            let offset_s = leg.seconds_to(tow.leg.start);
            let Some(during) = leg.whole().intersect(tow.leg.whole().later(offset_s)).map(|span| span.later(-offset_s))
            else {
                return ControlFlow::Continue(());
            };
            // Where one ends as the other begins nothing is known that neighbours do not tell as well.
            if during.length_s() <= 0.0 && leg.motion.span_s > 0.0 && tow.leg.motion.span_s > 0.0 {
                return ControlFlow::Continue(());
            }
            let plane = &tow.leg.frame;
            let (from, to) = (plane.to_plane(way.begin), plane.to_plane(way.end));
            let motion = Motion { from, to, span_s: leg.motion.span_s };
            let own = Steady::of(&motion, -offset_s);
            let own_extent = Extent::of(own.at(during.from_s), own.at(during.to_s));
            if own_extent.apart_m(&tow.extent) > reach_m {
                return ControlFlow::Continue(());
            }
            // Where the towing vessel turns matters to who is ahead of it then.
            let is_ahead = during.from_s == 0.0 && (own.at(0.0) - tow.boat.at(0.0)).norm() <= turn_reach_m;
            let turn = is_ahead.then(|| vessel.turn_at(vessel.track.index_of(step.from), default_accuracy_m)).flatten();
            let vessel = vessel.id.clone();
            found(TowBeside { vessel, offset_s, during, own, own_extent, turn, way: tow.clone() });
            ControlFlow::Continue(())
        });
    }

    /// Judges again the legs of other vessels on which the new way of a towing vessel or its skiers, from `from` on,
    /// bears.
    pub(super) fn judge_those_beside_tow(&mut self, slot: u32, from: EventTime, out: &mut Vec<Event>) {
        if !self.desk.minds_tows {
            return;
        }
        let vessel = &self.vessels[slot as usize];
        let water = vessel.water;
        let Some(state) = self.waters.get(usize::from(water)) else { return };
        let mut near = std::mem::take(&mut self.desk.near);
        near.clear();
        let extent = vessel
            .track
            .fixes()
            .range(vessel.track.accepted_before(vessel.track.index_of(from)).unwrap_or(0)..)
            .filter(|fix| fix.water == water)
            .map(|fix| state.fast.extent(fix.position, fix.position))
            .reduce(|a, b| a.union(&b));
        if let Some(extent) = extent {
            state.fast.near(&extent, self.desk.tow_reach_m + state.skier_reach_m, &mut near);
        }
        // Whether it turned at a fix is told by the legs on either side of those that meet there as well.
        let fixes = vessel.track.fixes();
        let earlier = vessel.track.accepted_before(vessel.track.index_of(from)).map(|i| fixes[i].t);
        let earlier = earlier.filter(|t| from.seconds_since(*t) <= self.rulebook.motion.max_gap_s).unwrap_or(from);
        near.retain(|&other| other != slot && self.vessels[other as usize].last_fast > earlier);
        let (turn_reach_m, reach_m) = (self.desk.turn_reach_m, self.desk.tow_reach_m);
        // Most that are near enough for the grid are too far away all the time.
        near.retain(|&other| {
            self.has_pieces_beside(other, slot, earlier) || self.is_beside(other, slot, earlier, water)
        });
        let mut subjects = std::mem::take(&mut self.changed);
        for (since, reach_m) in [(earlier, turn_reach_m), (from, reach_m)] {
            subjects.clear();
            let is_meant = |&other: &u32| self.is_touched_by_tow(other, slot, since, water, reach_m);
            subjects.extend(near.iter().copied().filter(is_meant));
            if since == earlier {
                near.retain(|other| !subjects.contains(other));
            }
            let since = EventTime::from_unix_ns(since.unix_ns().saturating_add(1));
            self.judge_again(&subjects, since, Scope::Beside(slot), out);
        }
        self.desk.near = near;
        self.changed = subjects;
    }

    /// Whether what a vessel did after `from` has to be judged again since a towing vessel's way has changed: it
    /// comes near now, or was found to.
    fn is_touched_by_tow(&self, subject: u32, tower: u32, from: EventTime, water: Water, reach_m: f64) -> bool {
        let vessel = &self.vessels[subject as usize];
        let track = &vessel.track;
        self.has_pieces_beside(subject, tower, from)
            || (track.index_of(from)..track.fixes().len()).any(|i| {
                let way = vessel.way_to(i..i + 1).filter(|(there, ..)| *there == water);
                way.is_some_and(|(_, corners, (start, end))| {
                    self.may_tow_near(tower, water, &corners, (start.max(from), end), reach_m)
                })
            })
    }

    /// Whether anything was found of a vessel on a leg after `from` that has to do with a towing one.
    fn has_pieces_beside(&self, subject: u32, tower: u32, from: EventTime) -> bool {
        let Some(docket) = &self.vessels[subject as usize].docket else { return false };
        let id = &self.vessels[tower as usize].id;
        docket
            .ledgers
            .iter()
            .any(|ledger| ledger.last_leg().is_some_and(|leg| leg > from) && ledger.key.other.as_ref() == Some(id))
    }

    /// Whether a towing vessel, or who it has in tow, may come near a vessel anywhere on its way after `from`.
    fn is_beside(&self, subject: u32, tower: u32, from: EventTime, water: Water) -> bool {
        let vessel = &self.vessels[subject as usize];
        let fixes = vessel.track.index_of(from)..vessel.track.fixes().len();
        match vessel.way_to(fixes.clone()) {
            Some((there, corners, (start, end))) => {
                there == water && self.may_tow_near(tower, water, &corners, (start, end), self.desk.tow_reach_m)
            }
            // On more than one waterway.
            None => !fixes.is_empty(),
        }
    }

    /// Whether a towing vessel, or who it has in tow, may come near the leg that leads to fix `i` of a vessel.
    pub(super) fn comes_near_tow(&self, slot: u32, i: usize, tower: u32) -> bool {
        let reach_m = self.desk.tow_reach_m;
        let way = self.vessels[slot as usize].way_to(i..i + 1);
        way.is_some_and(|(water, corners, during)| self.may_tow_near(tower, water, &corners, during, reach_m))
    }
}

impl Vessel {
    /// The box around the legs that lead to some fixes, or around fixes alone, from when to when they last, and on which
    /// waterway; `None` where that is not the same for all, or none is part of the track.
    pub(super) fn way_to(&self, fixes: Range<usize>) -> Option<(Water, [Position; 2], (EventTime, EventTime))> {
        let all = self.track.fixes();
        let first = fixes.clone().find(|&i| all[i].is_accepted())?;
        let from = self.leg_before(first).unwrap_or(first);
        let accepted = all.range(from..fixes.end).filter(|fix| fix.is_accepted());
        let (water, start) = (all[first].water, all[from].t);
        let end = accepted.clone().next_back()?.t;
        if accepted.clone().any(|fix| fix.water != water) {
            return None;
        }
        Some((water, corners_of(accepted.map(|fix| fix.position))?, (start, end)))
    }
}
