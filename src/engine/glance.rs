//! A glance at a stretch of a vessel's path: most of what boats do can break nothing, and that shows without judging
//! one leg of it.
//!
//! Nothing breaks on a stretch on which the vessel is no faster than any limit that could hold there. Above the limits
//! that hold near something nothing breaks either, where nothing is near: no edge of a feature comes within reach of
//! the box around the stretch, no area, no mark, no vessel that is at rest or trolling, and no towing one. The glance
//! takes only what is plain: vessels that tow nobody, and fixes that report their speeds, all of them accepted, on one
//! waterway. Where it says no, it means that it does not know, and the legs are judged.

use std::ops::Range;

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

impl Vessel {
    /// The stretch of path that leads to some fixes, where it is plain.
    fn stretch(&self, fixes: Range<usize>) -> Option<Stretch> {
        let all = self.track.fixes();
        let first = all.get(fixes.start)?;
        let from = if first.linked { fixes.start.checked_sub(1)? } else { fixes.start };
        let mut low = [first.position.lat_deg(), 0.0];
        let (mut high, mut top_mps) = (low, 0.0_f64);
        for fix in all.range(from..fixes.end) {
            if !fix.is_accepted() || fix.is_person || fix.water != first.water {
                return None;
            }
            top_mps = top_mps.max(fix.sog_mps()?);
            let east_deg = wrap_lon_deg(fix.position.lon_deg() - first.position.lon_deg());
            let corner = [fix.position.lat_deg(), east_deg];
            low = [low[0].min(corner[0]), low[1].min(corner[1])];
            high = [high[0].max(corner[0]), high[1].max(corner[1])];
        }
        let position = |[lat_deg, east_deg]: [f64; 2]| {
            Position::from_lat_lon(lat_deg, wrap_lon_deg(first.position.lon_deg() + east_deg)).ok()
        };
        Some(Stretch {
            water: first.water,
            from: all[from].t,
            to: all[fixes.end - 1].t,
            corners: [position(low)?, position(high)?],
            top_mps,
        })
    }
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
        let vessel = &self.vessels[slot as usize];
        if !self.glances || vessel.tows || self.rulebook.tow_inference.is_some() {
            return Glance::Unclear;
        }
        let Some(stretch) = vessel.stretch(fixes.clone()) else { return Glance::Unclear };
        let place = usize::from(stretch.water);
        if place >= self.map.waterways.len() {
            return Glance::Nothing;
        }
        let state = &self.waters[place];
        if stretch.top_mps <= self.pace_mps(state) {
            return Glance::Nothing;
        }
        let waterway = &self.map.waterways[place];
        let is_quiet_far = stretch.corners.iter().all(|corner| state.is_near(*corner))
            && stretch.top_mps <= state.quiet_far_mps(waterway, &self.rulebook, (stretch.from, stretch.to));
        let is_quiet = stretch.top_mps <= state.quiet_all_mps || is_quiet_far;
        if !is_quiet || (stretch.top_mps > state.quiet_near_mps && !self.has_nothing_near(slot, &stretch)) {
            return Glance::Unclear;
        }
        if self.is_pairing(&self.waters[place]) && self.desk.tows_near.are_near(slot, fixes.clone()) {
            return Glance::OnlyTows;
        }
        self.pass_by(slot, fixes);
        Glance::Nothing
    }

    /// What judging the legs that lead to some fixes would do, where they are on one waterway and nothing breaks.
    pub(super) fn pass_by(&mut self, slot: u32, fixes: Range<usize>) {
        let water = self.vessels[slot as usize].track.fixes()[fixes.start].water;
        let pace_mps = self.pace_mps(&self.waters[usize::from(water)]);
        self.enter_fast(slot, fixes, water, pace_mps);
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
    /// `pace_mps`.
    fn enter_fast(&mut self, slot: u32, fixes: Range<usize>, water: Water, pace_mps: f64) {
        let Self { vessels, waters, .. } = self;
        let (vessel, state) = (&mut vessels[slot as usize], &mut waters[usize::from(water)]);
        // Legs within one cell are entered as one.
        let mut way: Option<([Position; 2], EventTime)> = None;
        for i in fixes {
            let fix = vessel.track.fixes()[i];
            let before = if fix.linked { vessel.track.fixes()[i - 1] } else { fix };
            let is_fast = |mps: f64| mps > pace_mps;
            if !fix.sog_mps().is_some_and(is_fast) && !before.sog_mps().is_some_and(is_fast) {
                continue;
            }
            vessel.last_fast = vessel.last_fast.max(fix.t);
            way = match way {
                Some(([from, _], _)) if state.fast.is_one_cell(from, fix.position) => {
                    Some(([from, fix.position], fix.t))
                }
                ended => {
                    if let Some(([from, to], until)) = ended {
                        let way = state.fast.extent(from, to);
                        vessel.enter_grid(slot, Pace::Fast, water, state, &way, until);
                    }
                    Some(([before.position, fix.position], fix.t))
                }
            };
        }
        if let Some(([from, to], until)) = way {
            let way = state.fast.extent(from, to);
            vessel.enter_grid(slot, Pace::Fast, water, state, &way, until);
        }
    }
}
