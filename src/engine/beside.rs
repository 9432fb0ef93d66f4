//! Which towing vessels, with their skiers, are beside a leg of another vessel, and whose legs a new way of theirs
//! bears on.

use std::ops::{ControlFlow, Range};

use super::grid::Extent;
use super::judge::Scope;
use super::trail::Step;
use super::vessel::Vessel;
use super::water::{WaterState, state_of};
use super::{Engine, Event};
use crate::geo::motion::Motion;
use crate::rules::TowBeside;
use crate::skier::{self, Steady};
use crate::time::EventTime;
use crate::track::{Leg, Water};

/// The way of a vessel along some of its legs, all on one waterway.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// On which waterway.
    pub water: Water,
    /// The box around it, in the grids of the waterway.
    pub extent: Extent,
    /// When it begins.
    pub start: EventTime,
    /// When it ends.
    pub end: EventTime,
}

/// What towing vessels do that may come, with their skiers, near the legs that lead to some fixes of a vessel.
#[derive(Debug, Default)]
pub(super) struct TowsNear {
    /// Whose legs, by the fixes to which they lead.
    of: Option<(u32, Range<usize>)>,
    /// In order of fixes, then of vessels, then of time.
    all: Vec<TowNear>,
    /// The vessels that may be near at all.
    towers: Vec<u32>,
    /// The runs along single legs, by the fixes to which they lead.
    runs: Vec<(usize, Run)>,
}

/// Something that a towing vessel does near a leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TowNear {
    /// The fix to which the leg leads.
    fix: usize,
    /// The towing vessel.
    tower: u32,
    /// The place of the step in its trail; `None` where that has to be looked for.
    step: Option<usize>,
}

impl TowsNear {
    /// Forgets whose legs they are near: paths have changed.
    pub fn forget(&mut self) {
        self.of = None;
    }

    /// Whether it is known of the legs that lead to some fixes.
    fn is_of(&self, slot: u32, fixes: &Range<usize>) -> bool {
        self.of.as_ref().is_some_and(|(of, all)| *of == slot && all.start <= fixes.start && fixes.end <= all.end)
    }

    fn of_fixes(&self, fixes: &Range<usize>) -> &[TowNear] {
        let from = self.all.partition_point(|near| near.fix < fixes.start);
        let count = self.all[from..].partition_point(|near| near.fix < fixes.end);
        &self.all[from..from + count]
    }

    /// Whether any may be near the legs that lead to some fixes.
    pub fn are_near(&self, slot: u32, fixes: Range<usize>) -> bool {
        !self.is_of(slot, &fixes) || !self.of_fixes(&fixes).is_empty()
    }
}

impl Engine {
    /// Lists, on the desk, what towing vessels do near the path of `slot` on the legs that lead to some fixes. Says nothing
    /// where that path is not all on one waterway.
    pub(super) fn list_tows_near(&mut self, slot: u32, fixes: Range<usize>) {
        let vessel = &self.vessels[slot as usize];
        let state = state_of(&self.waters, vessel.water);
        if !self.is_pairing(state) {
            return;
        }
        let Some(whole) = vessel.way_to(fixes.clone(), &self.waters) else { return };
        let mut listed = std::mem::take(&mut self.desk.tows_near);
        self.list_towers_near(slot, &whole, &mut listed);
        if !listed.towers.is_empty() {
            let vessel = &self.vessels[slot as usize];
            let legs = fixes.clone().filter_map(|i| Some((i, vessel.way_to(i..i + 1, &self.waters)?)));
            listed.runs.clear();
            listed.runs.extend(legs);
        }
        self.list_steps_near(&whole, &mut listed);
        listed.of = Some((slot, fixes));
        self.desk.tows_near = listed;
    }

    /// Lists the towing vessels that may come near a run of `slot`.
    fn list_towers_near(&self, slot: u32, run: &Run, listed: &mut TowsNear) {
        let reach_m = self.desk.tow_reach_m;
        listed.towers.clear();
        state_of(&self.waters, run.water).tows.near(&run.extent, reach_m, &mut listed.towers);
        listed.towers.retain(|&tower| tower != slot && self.may_tow_near(tower, run, reach_m));
    }

    /// Lists what the towing vessels listed do near the runs listed, all of them part of `whole`.
    fn list_steps_near(&self, whole: &Run, listed: &mut TowsNear) {
        listed.all.clear();
        let state = state_of(&self.waters, whole.water);
        let reach_m = self.desk.tow_reach_m;
        for &tower in &listed.towers {
            let vessel = &self.vessels[tower as usize];
            let (Some(file), Some(front)) = (&vessel.file, vessel.track.fixes().front()) else { continue };
            let Some(mut steps) = file.trail.lasting(whole.start, front.t) else {
                let may_come = |(_, run): &&(usize, Run)| self.may_tow_near(tower, run, reach_m);
                let near = listed.runs.iter().filter(may_come);
                listed.all.extend(near.map(|&(fix, _)| TowNear { fix, tower, step: None }));
                continue;
            };
            for (fix, run) in &listed.runs {
                while steps.clone().next().is_some_and(|(_, step)| step.until < run.start) {
                    steps.next();
                }
                let during = steps.clone().take_while(|(_, step)| step.from <= run.end);
                let near = during.filter(|(_, step)| step.is_during(run) && step.may_come_near(run, reach_m, state));
                listed.all.extend(near.map(|(at, _)| TowNear { fix: *fix, tower, step: Some(at) }));
            }
        }
        listed.all.sort_unstable();
    }

    /// Whether a towing vessel, or who it has in tow, may come within reach of a run.
    fn may_tow_near(&self, tower: u32, run: &Run, reach_m: f64) -> bool {
        let state = state_of(&self.waters, run.water);
        let mut is_near = false;
        self.tow_steps(&self.vessels[tower as usize], run, |step| {
            is_near = step.may_come_near(run, reach_m, state);
            if is_near { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        is_near
    }

    /// Collects, on the desk, the towing vessels near a leg of `slot`, which leads to fix `i`, and where they and their
    /// skiers are meanwhile.
    pub(super) fn look_for_tows(&mut self, slot: u32, i: usize, leg: &Leg, run: &Run) {
        let mut listed = std::mem::take(&mut self.desk.tows_near);
        if !listed.is_of(slot, &(i..i + 1)) {
            listed.forget();
            listed.runs.clear();
            listed.runs.push((i, *run));
            self.list_towers_near(slot, run, &mut listed);
            self.list_steps_near(run, &mut listed);
        }
        let mut tows = std::mem::take(&mut self.desk.tows);
        tows.clear();
        for near in listed.of_fixes(&(i..i + 1)) {
            let tower = &self.vessels[near.tower as usize];
            match near.step.and_then(|at| tower.file.as_ref()?.trail.step(at)) {
                Some(step) => tows.extend(self.tow_beside(tower, step, leg)),
                None => self.tows_beside(tower, leg, run, &mut tows),
            }
        }
        tows.sort_by(|a, b| a.vessel.cmp(&b.vessel).then(a.offset_s.total_cmp(&b.offset_s)));
        self.desk.tows = tows;
        self.desk.tows_near = listed;
    }

    /// Collects, on the desk, where one towing vessel and its skiers are during a leg of another.
    pub(super) fn look_at_tow(&mut self, tower: u32, leg: &Leg, run: &Run) {
        let mut tows = std::mem::take(&mut self.desk.tows);
        tows.clear();
        self.tows_beside(&self.vessels[tower as usize], leg, run, &mut tows);
        self.desk.tows = tows;
    }

    /// Collects where a towing vessel and its skiers are during a leg of another, as far as they come near.
    fn tows_beside(&self, tower: &Vessel, leg: &Leg, run: &Run, found: &mut Vec<TowBeside>) {
        let state = state_of(&self.waters, run.water);
        self.tow_steps(tower, run, |step| {
            if step.may_come_near(run, self.desk.tow_reach_m, state) {
                found.extend(self.tow_beside(tower, step, leg));
            }
            ControlFlow::Continue(())
        });
    }

    /// Where a towing vessel and its skiers are on one step of it during a leg of another, if they come near.
    fn tow_beside(&self, tower: &Vessel, step: &Step, leg: &Leg) -> Option<TowBeside> {
        let tow = &step.way;
        let offset_s = leg.seconds_to(tow.leg.start);
        let during = leg.whole().intersect(tow.leg.whole().later(offset_s))?.later(-offset_s);
        // Where one ends as the other begins nothing is known that neighbours do not tell as well.
        if during.length_s() <= 0.0 && leg.motion.span_s > 0.0 && tow.leg.motion.span_s > 0.0 {
            return None;
        }
        let plane = &tow.leg.frame;
        let (begin, end) = (leg.position_at(0.0), leg.position_at(leg.motion.span_s));
        let motion = Motion { from: plane.to_plane(begin), to: plane.to_plane(end), span_s: leg.motion.span_s };
        let own = Steady::of(&motion, -offset_s);
        let own_extent = skier::Extent::of(own.at(during.from_s), own.at(during.to_s));
        if own_extent.apart_m(&tow.extent) > self.desk.tow_reach_m {
            return None;
        }
        // Where the towing vessel turns matters to who is ahead of it then.
        let is_ahead = || (own.at(0.0) - tow.boat.at(0.0)).norm() <= self.desk.turn_reach_m;
        let turn = if during.from_s == 0.0 && is_ahead() {
            tower.turn_at(tower.track.index_of(step.from), self.rulebook.motion.default_accuracy_m)
        } else {
            None
        };
        Some(TowBeside { vessel: tower.id.clone(), offset_s, during, own, own_extent, turn, way: tow.clone() })
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
            .map(|fix| state.fast.extent_of(fix.position))
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
                let run = vessel.way_to(i..i + 1, &self.waters).filter(|run| run.water == water);
                let run = run.map(|run| Run { start: run.start.max(from), ..run });
                run.is_some_and(|run| self.may_tow_near(tower, &run, reach_m))
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
        match vessel.way_to(fixes.clone(), &self.waters) {
            Some(run) => run.water == water && self.may_tow_near(tower, &run, self.desk.tow_reach_m),
            // On more than one waterway.
            None => !fixes.is_empty(),
        }
    }

    /// Whether a towing vessel, or who it has in tow, may come near the leg that leads to fix `i` of a vessel.
    pub(super) fn comes_near_tow(&self, slot: u32, i: usize, tower: u32) -> bool {
        let run = self.vessels[slot as usize].way_to(i..i + 1, &self.waters);
        run.is_some_and(|run| self.may_tow_near(tower, &run, self.desk.tow_reach_m))
    }
}

impl Vessel {
    /// The run along the legs that lead to some fixes, or over fixes alone; `None` where that is not all on one waterway,
    /// or none is part of the track.
    pub(super) fn way_to(&self, fixes: Range<usize>, waters: &[WaterState]) -> Option<Run> {
        let all = self.track.fixes();
        let first = fixes.clone().find(|&i| all[i].is_accepted())?;
        let from = self.leg_before(first).unwrap_or(first);
        let water = all[first].water;
        let grid = &state_of(waters, water).fast;
        let mut run = Run { water, extent: grid.extent_of(all[from].position), start: all[from].t, end: all[from].t };
        for fix in all.range(from..fixes.end).filter(|fix| fix.is_accepted()) {
            if fix.water != water {
                return None;
            }
            run.extent = run.extent.union(&grid.extent_of(fix.position));
            run.end = fix.t;
        }
        Some(run)
    }
}
