//! A glance at a stretch of a vessel's path: most of what boats do can break nothing, and that shows without judging
//! one leg of it.
//!
//! Nothing breaks on a stretch on which the vessel is no faster than any limit that could hold there. Above the limits
//! that hold near something nothing breaks either, where nothing is near: no edge of a feature comes within reach of
//! the box around the stretch, no area, no mark, no vessel that is at rest or trolling, and no towing one. The glance
//! takes only what is plain: vessels that tow nobody, and fixes that report their speeds, all of them accepted, on one
//! waterway. Where it says no, it means that it does not know, and the legs are judged.

use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::Engine;
use super::grid::Pace;
use super::judge::Bench;
use super::vessel::Vessel;
use super::water::WaterState;
use crate::geo::Position;
use crate::geo::position::wrap_lon_deg;
use crate::time::EventTime;
use crate::track::Water;

/// The legs that lead to some fixes, or these fixes alone, as one.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    water: Water,
    from: EventTime,
    to: EventTime,
    /// The south-western and the north-eastern corner of the box around it.
    corners: [Position; 2],
    /// The highest speed.
    top_mps: f64,
}

/// From the lowest to the highest of some numbers.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    fn of(x: f64) -> Self {
        Self { low: x, high: x }
    }

    /// Positions are numbers, so that comparing is enough: `min` and `max` cost three times as much.
    fn widen(&mut self, x: f64) {
        self.low = if x < self.low { x } else { self.low };
        self.high = if x > self.high { x } else { self.high };
    }
}

impl Vessel {
    /// The stretch of path that leads to some fixes, where it is plain.
    fn stretch(&self, fixes: Range<usize>) -> Option<Stretch> {
        let all = self.track.fixes();
        let first = all.get(fixes.start)?;
        let from = if first.linked { fixes.start.checked_sub(1)? } else { fixes.start };
        let (mut north, mut east, mut top_mps) = (Bounds::of(first.position.lat_deg()), Bounds::of(0.0), 0.0);
        for fix in all.range(from..fixes.end) {
            if !fix.is_accepted() || fix.is_person || fix.water != first.water {
                return None;
            }
            let mps = fix.sog_mps()?;
            top_mps = if mps > top_mps { mps } else { top_mps };
            north.widen(fix.position.lat_deg());
            east.widen(wrap_lon_deg(fix.position.lon_deg() - first.position.lon_deg()));
        }
        let position = |lat_deg: f64, east_deg: f64| {
            Position::from_lat_lon(lat_deg, wrap_lon_deg(first.position.lon_deg() + east_deg)).ok()
        };
        Some(Stretch {
            water: first.water,
            from: all[from].t,
            to: all[fixes.end - 1].t,
            corners: [position(north.low, east.low)?, position(north.high, east.high)?],
            top_mps,
        })
    }
}

/// The ends of legs.
pub(super) type Ways = SmallVec<[[Position; 2]; 32]>;
/// Of each of some legs, whether something is far.
pub(super) type Far = SmallVec<[bool; 32]>;

/// The corners of the box around two positions.
fn corners_of([a, b]: &[Position; 2]) -> Option<[Position; 2]> {
    let east_deg = wrap_lon_deg(b.lon_deg() - a.lon_deg());
    let corner =
        |lat_deg: f64, east_deg: f64| Position::from_lat_lon(lat_deg, wrap_lon_deg(a.lon_deg() + east_deg)).ok();
    let southwest = corner(a.lat_deg().min(b.lat_deg()), east_deg.min(0.0))?;
    Some([southwest, corner(a.lat_deg().max(b.lat_deg()), east_deg.max(0.0))?])
}

/// What a glance at some legs shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Glance {
    /// Nothing breaks there; what else judging them would do is done.
    Nothing,
    /// Nothing breaks there but what has to do with towing vessels.
    OnlyTows,
    /// Nothing for sure.
    Unclear,
}

impl Engine {
    /// A glance at the legs that lead to some fixes of a vessel.
    pub(super) fn glance(&mut self, slot: u32, fixes: Range<usize>) -> Glance {
        if !self.may_glance(slot) {
            return Glance::Unclear;
        }
        let vessel = &self.vessels[slot as usize];
        let Some(stretch) = vessel.stretch(fixes.clone()) else { return Glance::Unclear };
        let place = usize::from(stretch.water);
        if place >= self.map.waterways.len() {
            return Glance::Nothing;
        }
        let state = &self.waters[place];
        if stretch.top_mps <= self.pace_mps(state) {
            return Glance::Nothing;
        }
        let is_quiet = stretch.top_mps <= self.quiet_mps(&stretch, state);
        if !is_quiet || (stretch.top_mps > state.quiet_near_mps && !self.has_nothing_near(slot, &stretch)) {
            return Glance::Unclear;
        }
        if self.is_pairing(&self.waters[place]) && self.desk.tows_near.are_near(slot, fixes.clone()) {
            return Glance::OnlyTows;
        }
        self.pass_by(slot, fixes, Some(&stretch.corners));
        Glance::Nothing
    }

    /// Whether a glance can tell anything of a vessel: nothing of one that tows, or may be guessed to.
    fn may_glance(&self, slot: u32) -> bool {
        self.glances && !self.vessels[slot as usize].tows && self.rulebook.tow_inference.is_none()
    }

    /// At or below this speed nothing breaks on a stretch of path that is near nothing, m/s.
    fn quiet_mps(&self, stretch: &Stretch, state: &WaterState) -> f64 {
        let waterway = &self.map.waterways[usize::from(stretch.water)];
        let is_of_it = stretch.corners.iter().all(|corner| state.is_near(*corner));
        let far_mps = is_of_it.then(|| state.quiet_far_mps(waterway, &self.rulebook, (stretch.from, stretch.to)));
        far_mps.unwrap_or(0.0).max(state.quiet_all_mps)
    }

    /// A glance at each of the legs that lead to some fixes, put on the desk: as [`Self::glance`] at one after the other,
    /// for less where they are one stretch.
    pub(super) fn glance_at_each(&mut self, slot: u32, fixes: Range<usize>) {
        let mut seen = std::mem::take(&mut self.desk.seen);
        seen.clear();
        match self.legs_far(slot, fixes.clone()) {
            Some((far, quiet_mps, corners)) => {
                let track = &self.vessels[slot as usize].track;
                let state = &self.waters[usize::from(track.fixes()[fixes.start].water)];
                let (pace_mps, near_mps) = (self.pace_mps(state), state.quiet_near_mps);
                let is_pairing = self.is_pairing(state);
                let mps = |i: usize| track.fixes()[i].sog_mps().unwrap_or(f64::INFINITY);
                for (i, is_far) in fixes.clone().zip(far) {
                    let top_mps = if track.fixes()[i].linked { mps(i - 1).max(mps(i)) } else { mps(i) };
                    seen.push(if top_mps <= pace_mps {
                        Glance::Nothing
                    } else if top_mps > quiet_mps || (top_mps > near_mps && !is_far) {
                        Glance::Unclear
                    } else if is_pairing && self.desk.tows_near.are_near(slot, i..i + 1) {
                        Glance::OnlyTows
                    } else {
                        Glance::Nothing
                    });
                }
                let mut at = fixes.start;
                for alike in seen.chunk_by(|a, b| a == b) {
                    if alike[0] == Glance::Nothing {
                        self.pass_by(slot, at..at + alike.len(), Some(&corners));
                    }
                    at += alike.len();
                }
            }
            None => seen.extend(fixes.map(|i| self.glance(slot, i..i + 1))),
        }
        self.desk.seen = seen;
    }

    /// For each of the legs that lead to some fixes, whether nothing that lowers a limit comes within reach of it, as far as
    /// boxes tell, the speed up to which nothing breaks there then, and the corners of the box around all. Where they are no
    /// plain stretch, nothing.
    fn legs_far(&mut self, slot: u32, fixes: Range<usize>) -> Option<(Far, f64, [Position; 2])> {
        if !self.may_glance(slot) {
            return None;
        }
        let stretch = self.vessels[slot as usize].stretch(fixes.clone())?;
        let place = usize::from(stretch.water);
        if place >= self.map.waterways.len() || !self.waters[place].laid.is_empty() {
            return None;
        }
        let quiet_mps = self.quiet_mps(&stretch, &self.waters[place]);
        if self.desk.minds_others {
            self.look_for_candidates(slot, stretch.water, stretch.corners, (stretch.from, stretch.to));
        }
        let Self { map, rulebook, vessels, waters, desk, .. } = self;
        let reach_m = desk.reach_m;
        let bench = Bench { rulebook, waterway: &map.waterways[place], state: &waters[place], reach_m };
        let vessel = &vessels[slot as usize];
        let all = vessel.track.fixes();
        let ways: Ways =
            fixes.map(|i| [all[if all[i].linked { i - 1 } else { i }].position, all[i].position]).collect();
        let is_clear =
            vessel.lease.is_some_and(|lease| lease.is_clear(&stretch.corners, reach_m, stretch.water, bench.state));
        let mut far = if is_clear {
            smallvec![true; ways.len()]
        } else {
            desk.patch.are_clear(stretch.corners, &ways, reach_m, stretch.water, &bench)?
        };
        if desk.minds_others && !desk.candidates.slots.is_empty() {
            for (far, way) in far.iter_mut().zip(&ways).filter(|(far, _)| **far) {
                let corners = corners_of(way)?;
                let may_meet = |&near: &u32| vessels[near as usize].may_be_beside(&corners, stretch.from, &bench);
                *far = !desk.candidates.slots.iter().any(may_meet);
            }
        }
        Some((far, quiet_mps, stretch.corners))
    }

    /// What judging the legs that lead to some fixes would do, where they are on one waterway and nothing breaks; `corners`
    /// are those of a box around them, if known.
    pub(super) fn pass_by(&mut self, slot: u32, fixes: Range<usize>, corners: Option<&[Position; 2]>) {
        let water = self.vessels[slot as usize].track.fixes()[fixes.start].water;
        let pace_mps = self.pace_mps(&self.waters[usize::from(water)]);
        self.enter_fast(slot, fixes, water, pace_mps, corners);
    }

    /// At or below this speed nothing breaks on a waterway, m/s: where somebody tows, who moves at all may follow or cross.
    fn pace_mps(&self, state: &WaterState) -> f64 {
        if self.is_pairing(state) { 0.0 } else { state.quiet_all_mps }
    }

    /// Whether on a waterway anybody may be beside a towing vessel that is judged for it.
    pub(super) fn is_pairing(&self, state: &WaterState) -> bool {
        self.desk.minds_tows && !state.tows.is_empty()
    }

    /// Whether nothing that lowers a limit comes within reach of a stretch of path, as far as boxes tell.
    fn has_nothing_near(&mut self, slot: u32, stretch: &Stretch) -> bool {
        let Stretch { water, from, to, corners, .. } = *stretch;
        if self.desk.minds_others {
            self.look_for_candidates(slot, water, corners, (from, to));
        }
        let Self { map, rulebook, vessels, waters, desk, .. } = self;
        let (waterway, state) = (&map.waterways[usize::from(water)], &waters[usize::from(water)]);
        if !state.laid.is_empty() {
            return false;
        }
        let reach_m = desk.reach_m;
        let bench = Bench { rulebook, waterway, state, reach_m };
        let is_clear =
            vessels[slot as usize].lease.is_some_and(|lease| lease.is_clear(&corners, reach_m, water, state))
                || desk.patch.is_clear(corners, reach_m, water, &bench);
        let may_meet = |candidate: &u32| vessels[*candidate as usize].may_be_beside(&corners, from, &bench);
        is_clear && !(desk.minds_others && desk.candidates.slots.iter().any(may_meet))
    }

    /// Enters a vessel in the grid of those that are fast, all along the legs that lead to some fixes and are faster than
    /// `pace_mps`; `corners` are those of a box around them, if known.
    fn enter_fast(
        &mut self,
        slot: u32,
        mut fixes: Range<usize>,
        water: Water,
        pace_mps: f64,
        corners: Option<&[Position; 2]>,
    ) {
        let Self { vessels, waters, .. } = self;
        let (vessel, state) = (&mut vessels[slot as usize], &mut waters[usize::from(water)]);
        let is_fast = |vessel: &Vessel, i: usize| {
            let all = vessel.track.fixes();
            let is_over = |i: usize| all[i].sog_mps().is_some_and(|mps| mps > pace_mps);
            is_over(i) || (all[i].linked && is_over(i - 1))
        };
        if let Some([a, b]) = corners.filter(|[a, b]| state.fast.is_one_cell(*a, *b)) {
            if let Some(last) = fixes.rfind(|&i| is_fast(vessel, i)) {
                let until = vessel.track.fixes()[last].t;
                vessel.last_fast = vessel.last_fast.max(until);
                let all = state.fast.extent(*a, *b);
                vessel.enter_grid(slot, Pace::Fast, water, state, &all, until);
            }
            return;
        }
        // Legs within one cell are entered as one.
        let mut way: Option<([Position; 2], EventTime)> = None;
        for i in fixes {
            if !is_fast(vessel, i) {
                continue;
            }
            let fix = &vessel.track.fixes()[i];
            let (t, to) = (fix.t, fix.position);
            let from = if fix.linked { vessel.track.fixes()[i - 1].position } else { to };
            vessel.last_fast = vessel.last_fast.max(t);
            way = match way {
                Some(([from, _], _)) if state.fast.is_one_cell(from, to) => Some(([from, to], t)),
                ended => {
                    if let Some(([from, to], until)) = ended {
                        let way = state.fast.extent(from, to);
                        vessel.enter_grid(slot, Pace::Fast, water, state, &way, until);
                    }
                    Some(([from, to], t))
                }
            };
        }
        if let Some(([from, to], until)) = way {
            let way = state.fast.extent(from, to);
            vessel.enter_grid(slot, Pace::Fast, water, state, &way, until);
        }
    }
}
