//! The latest legs and stays of a towing vessel with what is in tow on them, as they were made: every vessel beside it
//! asks for the same ones. Nothing here changes an outcome. What is not here is made anew.

use std::collections::VecDeque;
use std::sync::Arc;

use super::beside::Run;
use super::grid::{Extent, MoverGrid};
use super::water::WaterState;
use crate::geo::Vec2;
use crate::skier::TowLeg;
use crate::time::EventTime;
use crate::track::Water;

/// How long ago what is kept here may have ended, seconds: recordings are judged in bunches not much longer than half
/// of it, and live fixes are seldom later.
const KEPT_S: f64 = 32.0;

/// What begins at one fix of a towing vessel, where somebody is in tow then.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// On which waterway.
    pub water: Water,
    /// The fix, by its time.
    pub from: EventTime,
    /// The next fix; at the last one as late as can be.
    pub until: EventTime,
    /// Whether the path leads to the next fix.
    pub is_leg: bool,
    /// When the leg or the stay ends.
    pub end: EventTime,
    /// The box around boat and skiers, in the grids of the waterway.
    pub extent: Extent,
    /// The leg, or the stay.
    pub way: Arc<TowLeg>,
}

impl Step {
    /// The leg or stay between two fixes, on a waterway with these grids.
    pub fn new(water: Water, grid: &MoverGrid, [from, until]: [EventTime; 2], is_leg: bool, way: TowLeg) -> Self {
        let frame = &way.leg.frame;
        let corner = |v: Vec2| frame.to_position(v).unwrap_or(frame.origin());
        let extent = grid.extent(corner(way.extent.low), corner(way.extent.high));
        Self { water, from, until, is_leg, end: way.leg.end(), extent, way: Arc::new(way) }
    }

    /// Whether it falls into the time of a run, on the same waterway.
    pub fn is_during(&self, run: &Run) -> bool {
        let is_then = self.from <= run.end && self.until >= run.start && self.end >= run.start;
        is_then && self.water == run.water
    }

    /// Whether it may come within `reach_m` of a run.
    pub fn may_come_near(&self, run: &Run, reach_m: f64, state: &WaterState) -> bool {
        state.boxes_apart_m_min(&self.extent, &run.extent) <= reach_m
    }
}

/// The steps of a vessel, in order.
#[derive(Debug, Clone)]
pub(super) struct Trail {
    steps: VecDeque<Step>,
    /// What begins at this fix or a later one is all here.
    since: EventTime,
}

impl Default for Trail {
    fn default() -> Self {
        Self { steps: VecDeque::new(), since: EventTime::MAX }
    }
}

impl Trail {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Forgets what begins at the fix of time `from` or later; all of that is then to be put in again.
    pub fn cut(&mut self, from: EventTime) {
        while self.steps.back().is_some_and(|step| step.from >= from) {
            self.steps.pop_back();
        }
        self.since = self.since.min(from);
    }

    /// Puts in what begins next.
    pub fn push(&mut self, step: Step) {
        let newest = step.from;
        self.steps.push_back(step);
        while self.steps.front().is_some_and(|first| newest.seconds_since(first.until) > KEPT_S) {
            let gone = self.steps.pop_front();
            self.since = gone.map_or(self.since, |gone| gone.until);
        }
    }

    /// Those that last until `start` or longer, with their places, where all of them are here. `first` is the first fix
    /// of the track.
    pub fn lasting(&self, start: EventTime, first: EventTime) -> Option<impl Iterator<Item = (usize, &Step)> + Clone> {
        if start <= self.since && first < self.since {
            return None;
        }
        let at = self.first_lasting(start);
        Some((at..).zip(self.steps.range(at..)))
    }

    /// The one at a place.
    pub fn step(&self, at: usize) -> Option<&Step> {
        self.steps.get(at)
    }

    /// Index of the first step that lasts until `start` or longer. Most that is asked for is recent; further back it is
    /// looked for where it would be if fixes came evenly.
    fn first_lasting(&self, start: EventTime) -> usize {
        let count = self.steps.len();
        let ended = |at: usize| self.steps[at].until < start;
        let recent = (1..=count.min(RECENT)).find(|back| ended(count - back));
        if let Some(back) = recent {
            return count - back + 1;
        }
        let (Some(first), Some(last)) = (self.steps.front(), self.steps.back()) else { return 0 };
        let share = start.seconds_since(first.from) / last.from.seconds_since(first.from);
        let mut at = ((share * (count - 1) as f64) as usize).min(count - 1);
        for _ in 0..RECENT {
            if ended(at) {
                at += 1;
            } else if at > 0 && !ended(at - 1) {
                at -= 1;
            } else {
                return at;
            }
        }
        self.steps.partition_point(|step| step.until < start)
    }

    /// The leg that begins at the fix of time `from`, if it is here.
    pub fn leg_from(&self, from: EventTime) -> Option<&Arc<TowLeg>> {
        let count = self.steps.len();
        let recent = self.steps.iter().rev().take(RECENT).position(|step| step.from <= from);
        let at = match recent {
            Some(back) => count - 1 - back,
            None => self.steps.partition_point(|step| step.from < from),
        };
        self.steps.get(at).filter(|step| step.from == from && step.is_leg).map(|step| &step.way)
    }

    /// Bytes held, as far as they can be counted.
    pub fn heap_bytes(&self) -> usize {
        self.steps.capacity() * size_of::<Step>() + self.steps.iter().map(|step| step.way.bytes()).sum::<usize>()
    }
}

/// How many of the last steps are looked at one by one, and how many around a guess.
const RECENT: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::Position;
    use crate::observation::Fix;
    use crate::track::{Leg, TrackFix};

    fn at(s: u32) -> EventTime {
        EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time").plus_seconds(f64::from(s))
    }

    fn step(s: u32) -> Step {
        let place = Position::from_lat_lon(47.66, -117.43 + 1e-4 * f64::from(s)).expect("a place");
        let fix = TrackFix::new(&Fix::new(at(s), place), 0);
        let mut leg = Leg::at(&fix, None);
        leg.motion.span_s = 1.0;
        let grid = MoverGrid::around(place);
        Step::new(0, &grid, [at(s), at(s + 1)], true, TowLeg::new(leg, Default::default(), Vec::new()))
    }

    fn lasting(trail: &Trail, s: u32) -> Option<Vec<EventTime>> {
        trail.lasting(at(s), at(0)).map(|steps| steps.map(|(_, step)| step.from).collect())
    }

    #[test]
    fn what_is_not_all_there_is_not_handed_out() {
        let mut trail = Trail::default();
        assert_eq!(lasting(&trail, 3), None);
        trail.cut(at(0));
        (0..100).for_each(|s| trail.push(step(s)));
        assert_eq!(lasting(&trail, 98), Some(vec![at(97), at(98), at(99)]));
        assert_eq!(lasting(&trail, 80).map(|all| all.len()), Some(21));
        // The oldest are gone by now.
        assert_eq!(lasting(&trail, 10), None);
        assert!(
            trail.leg_from(at(97)).is_some() && trail.leg_from(at(80)).is_some() && trail.leg_from(at(10)).is_none()
        );
        trail.cut(at(98));
        trail.push(step(98));
        assert_eq!(lasting(&trail, 98), Some(vec![at(97), at(98)]));
        trail.clear();
        assert_eq!(lasting(&trail, 98), None);
    }
}
