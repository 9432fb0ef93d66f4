//! Which towing vessels, with their skiers, are beside a leg of another vessel, and whose legs a new way of theirs
//! bears on.

use super::judge::Scope;
use super::tow::extent_of;
use super::{Engine, Event};
use crate::geo::motion::Motion;
use crate::geo::{Position, Vec2};
use crate::rules::TowBeside;
use crate::skier::Steady;
use crate::time::EventTime;
use crate::track::{Leg, TrackFix, Water};

impl Engine {
    /// Collects, on the desk, the towing vessels near a leg of `slot` and where they and their skiers are meanwhile.
    pub(super) fn look_for_tows(&mut self, slot: u32, water: Water, leg: &Leg) {
        self.desk.tows.clear();
        let grid = &self.waters[usize::from(water)].tows;
        if grid.is_empty() {
            return;
        }
        let mut near = std::mem::take(&mut self.desk.near);
        near.clear();
        let (from, to) = (leg.frame.origin(), leg.position_at(leg.motion.span_s));
        grid.near(&grid.extent(from, to), self.desk.tow_reach_m, &mut near);
        let mut tows = std::mem::take(&mut self.desk.tows);
        for &other in near.iter().filter(|&&other| other != slot) {
            self.tows_beside(other, water, leg, |tow| tows.push(tow));
        }
        tows.sort_by(|a, b| a.vessel.cmp(&b.vessel).then(a.offset_s.total_cmp(&b.offset_s)));
        (self.desk.near, self.desk.tows) = (near, tows);
    }

    /// Collects, on the desk, where one towing vessel and its skiers are during a leg of another.
    pub(super) fn look_at_tow(&mut self, other: u32, water: Water, leg: &Leg) {
        let mut tows = std::mem::take(&mut self.desk.tows);
        tows.clear();
        self.tows_beside(other, water, leg, |tow| tows.push(tow));
        self.desk.tows = tows;
    }

    /// Where a towing vessel and its skiers are during a leg of another, as far as they come near.
    fn tows_beside(&self, other: u32, water: Water, leg: &Leg, mut found: impl FnMut(TowBeside)) {
        let motion = &self.rulebook.motion;
        let vessel = &self.vessels[other as usize];
        let rest = (motion.rest_time_s, motion.rest_ttl_s);
        let reach_m = self.desk.tow_reach_m;
        let state = &self.waters[usize::from(water)];
        let end = leg.position_at(leg.motion.span_s);
        let own_m = state.moved_m_max(leg.frame.origin(), end);
        // Most that are near enough for the grid lie too far away.
        let is_near = |from: Position, to: Position| {
            state.apart_m_min(end, to) <= reach_m + state.skier_reach_m + own_m + state.moved_m_max(from, to)
        };
        vessel.tow_legs(water, leg.start, leg.end(), rest, is_near, |tow| {
            let offset_s = leg.seconds_to(tow.leg.start);
            let Some(during) = leg.whole().intersect(tow.leg.whole().later(offset_s)).map(|span| span.later(-offset_s))
            else {
                return;
            };
            // Where one ends as the other begins nothing is known that neighbours do not tell as well.
            if during.length_s() <= 0.0 && leg.motion.span_s > 0.0 && tow.leg.motion.span_s > 0.0 {
                return;
            }
            let plane = &tow.leg.frame;
            let own = Steady::of(
                &Motion {
                    from: plane.to_plane(leg.position_at(0.0)),
                    to: plane.to_plane(leg.position_at(leg.motion.span_s)),
                    span_s: leg.motion.span_s,
                },
                -offset_s,
            );
            let boat = Steady::of(&tow.leg.motion, 0.0);
            let skiers = self.skiers_on(vessel, &tow.leg, tow.from, &tow.parts);
            let (low, high, _) = extent_of(&tow.leg, &skiers);
            let (p, q) = (own.at(during.from_s), own.at(during.to_s));
            let apart = |a1: f64, a2: f64, low: f64, high: f64| (a1.min(a2) - high).max(low - a1.max(a2));
            if apart(p.east_m, q.east_m, low.east_m, high.east_m) > reach_m
                || apart(p.north_m, q.north_m, low.north_m, high.north_m) > reach_m
            {
                return;
            }
            found(TowBeside {
                vessel: vessel.id.clone(),
                offset_s,
                during,
                own,
                boat,
                course: tow.leg.course_deg().map(Vec2::toward_deg),
                turn: vessel.turn_at(tow.from),
                parts: tow.parts,
                skiers,
                frame: tow.leg.frame,
            });
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
        near.retain(|&other| other != slot && self.vessels[other as usize].last_fast > from);
        // Whether it turned at a fix is told by the legs on either side of those that meet there as well.
        let fixes = vessel.track.fixes();
        let earlier = vessel.track.accepted_before(vessel.track.index_of(from)).map(|i| fixes[i].t);
        let earlier = earlier.filter(|t| from.seconds_since(*t) <= self.rulebook.motion.max_gap_s).unwrap_or(from);
        let (turn_reach_m, reach_m) = (self.desk.turn_reach_m, self.desk.tow_reach_m + state.skier_reach_m);
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
        let (subject, tower) = (&self.vessels[subject as usize], &self.vessels[tower as usize]);
        let ledgers = subject.docket.as_ref().map_or(&[][..], |docket| &docket.ledgers);
        let has_pieces = ledgers.iter().any(|ledger| {
            ledger.last_leg().is_some_and(|leg| leg > from) && ledger.key.other.as_ref() == Some(&tower.id)
        });
        let state = &self.waters[usize::from(water)];
        let track = &subject.track;
        has_pieces
            || (track.index_of(from)..track.fixes().len()).any(|i| {
                let fix = &track.fixes()[i];
                if !fix.is_accepted() || fix.water != water {
                    return false;
                }
                let before = subject.leg_before(i).map_or(fix, |k| &track.fixes()[k]);
                let own_m = state.moved_m_max(before.position, fix.position);
                let there = &tower.track;
                let first = there.accepted_before(there.index_of(before.t.max(from))).unwrap_or(0);
                let mut last: Option<&TrackFix> = None;
                for other in there.fixes().range(first..).filter(|other| other.is_accepted()) {
                    let way_m = last.map_or(0.0, |last| state.moved_m_max(last.position, other.position));
                    if state.apart_m_min(fix.position, other.position) <= reach_m + own_m + way_m {
                        return true;
                    }
                    last = Some(other);
                    if other.t > fix.t {
                        break;
                    }
                }
                false
            })
    }
}
