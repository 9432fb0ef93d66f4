//! What is known of the water around a vessel, and for how far it holds: most fixes then need not look at the map at all.

use super::vessel::Vessel;
use super::water::WaterState;
use crate::geo::Position;
use crate::rulebook::Motion;
use crate::track::{ASHORE, TrackFix, Water};
use crate::zones::{KindSet, Map, SURROUNDINGS_M, Waterway};

/// What was found around a position, good for as far as nothing else comes near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lease {
    /// Where.
    pub at: Position,
    /// On which waterway.
    pub water: Water,
    /// Distance to the water's edge, metres, positive on the water.
    pub water_m: f32,
    /// No edge of any feature is nearer than this, metres.
    pub clear_m: f32,
    /// Whether it lies in any area drawn on the water.
    pub in_area: bool,
    /// Of how many fixes it told on which waterway they lie.
    pub told: u16,
    /// Of how many it did not.
    pub missed: u16,
}

/// The nearest edges seen around a position so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// No edge seen is nearer, metres.
    pub clear_m: f64,
    /// No edge of the water is nearer, metres.
    pub rim_m: f64,
}

impl Seen {
    /// Takes an edge at a distance.
    pub fn take(&mut self, is_rim: bool, away_m: f64) {
        self.clear_m = self.clear_m.min(away_m);
        if is_rim {
            self.rim_m = self.rim_m.min(away_m);
        }
    }

    /// What is known around `p`, where no edges are nearer than these.
    pub fn lease(self, p: Position, water: Water, is_in_water: bool, in_area: bool) -> Lease {
        // Rounded towards knowing less; the plane of a leg errs by less than this.
        let rim_m = (self.rim_m - 0.05).max(0.0) as f32;
        let water_m = if is_in_water { rim_m } else { -(self.rim_m as f32) - 0.05 };
        Lease { at: p, water, water_m, clear_m: (self.clear_m - 0.05).max(0.0) as f32, in_area, told: 0, missed: 0 }
    }
}

impl Lease {
    /// Looks around a position of a waterway, far.
    pub fn at(p: Position, water: Water, waterway: &Waterway, state: &WaterState) -> Self {
        if waterway.contains(p) {
            return Self::in_water(p, water, waterway, state, SURROUNDINGS_M);
        }
        let found = waterway.surroundings(p);
        let seen = Seen { clear_m: found.clear_m, rim_m: found.water_m.abs() };
        seen.lease(p, water, false, is_in_area(p, waterway, state))
    }

    /// Looks around a position in the water, `far_m` far.
    pub fn in_water(p: Position, water: Water, waterway: &Waterway, state: &WaterState, far_m: f64) -> Self {
        let rim_m = waterway.clear_m(p, KindSet::only(waterway.rim()), far_m);
        let clear_m = waterway.clear_m(p, KindSet::ALL.without(waterway.rim()), rim_m);
        Seen { clear_m, rim_m }.lease(p, water, true, is_in_area(p, waterway, state))
    }

    /// Whether no edge of a feature comes within `reach_m` of a box given by its corners, and no area is around it.
    pub fn is_clear(&self, corners: &[Position; 2], reach_m: f64, water: Water, state: &WaterState) -> bool {
        let is_of_it = self.water == water && !self.in_area;
        is_of_it && state.farthest_m_max(self.at, corners) + reach_m < f64::from(self.clear_m)
    }

    /// The water's edge is hardly farther from a position than this, metres.
    fn water_m_max(&self, p: Position, state: &WaterState) -> f64 {
        (f64::from(self.water_m.abs()) + state.moved_m_max(self.at, p) + 1.0).min(SURROUNDINGS_M)
    }

    /// Whether a position is in the water for sure.
    pub fn is_in_water(&self, p: Position, water: Water, state: &WaterState) -> bool {
        self.water == water && state.are_nearer(self.at, p, f64::from(self.water_m))
    }
}

/// Whether a position lies in any area drawn on the water.
fn is_in_area(p: Position, waterway: &Waterway, state: &WaterState) -> bool {
    let mut in_area = false;
    state.areas.near(p, p, 0.0, &mut |ix, _| {
        in_area |= waterway.feature(ix).region.as_ref().is_some_and(|region| region.contains(p));
    });
    in_area
}

/// Looking around costs about as much as asking of so many fixes whether they lie in the water. So it is worth it once what
/// is known has told of so many, and else once it has missed so many.
const WORTH: u16 = 32;

impl Vessel {
    /// The waterway on which all of some fixes lie, where what is known around the vessel shows it.
    pub fn water_known<'f>(
        &mut self,
        mut fixes: impl Iterator<Item = &'f TrackFix>,
        waters: &[WaterState],
    ) -> Option<Water> {
        let lease = self.lease.as_mut()?;
        let state = &waters[usize::from(lease.water)];
        let mut count = 0;
        let is_known = fixes.all(|fix| {
            count += 1;
            lease.is_in_water(fix.position, lease.water, state)
        });
        if !is_known {
            return None;
        }
        lease.told = lease.told.saturating_add(count);
        self.water = lease.water;
        Some(lease.water)
    }

    /// The waterway a fix lies on, by what is known around the vessel or by looking.
    pub fn locate(&mut self, fix: &TrackFix, motion: &Motion, map: &Map, waters: &[WaterState]) -> Water {
        let p = fix.position;
        let tolerance_m = fix.accuracy_m().unwrap_or(motion.default_accuracy_m) + motion.off_water_margin_m;
        let is_alone = map.waterways.len() == 1;
        if let Some(lease) = &mut self.lease {
            let moved_m = waters[usize::from(lease.water)].moved_m_max(lease.at, p);
            // Beside another waterway, being near this one is not enough.
            let needed_m = if is_alone { -tolerance_m } else { 0.0 };
            if f64::from(lease.water_m) - moved_m >= needed_m {
                lease.told = lease.told.saturating_add(1);
                self.water = lease.water;
                return lease.water;
            }
            lease.missed = lease.missed.saturating_add(1);
        }
        // Where it was is where it most likely is; overlapping waterways are told apart below.
        let was_on = map.waterways.get(usize::from(self.water)).filter(|_| is_alone);
        if let Some(waterway) = was_on.filter(|waterway| waterway.contains(p)) {
            let state = &waters[usize::from(self.water)];
            let far_m = match self.lease {
                None => Some(SURROUNDINGS_M),
                Some(lease) if lease.told >= WORTH || lease.missed >= WORTH => Some(lease.water_m_max(p, state)),
                Some(_) => None,
            };
            if let Some(far_m) = far_m {
                self.lease = Some(Lease::in_water(p, self.water, waterway, state, far_m));
            }
            return self.water;
        }
        match map.locate(p, tolerance_m) {
            Some(ix) => {
                self.lease = Some(Lease::at(p, ix.0, map.waterway(ix), &waters[usize::from(ix.0)]));
                self.water = ix.0;
                ix.0
            }
            None => ASHORE,
        }
    }
}
