//! Trackers that are on skiers: behind whom, and where that is on a leg of the towing vessel.

use smallvec::SmallVec;

use super::vessel::Vessel;
use super::{Engine, Event};
use crate::observation::VesselId;
use crate::skier::{Skier, Steady, Stretch, TowPart, tracked, untracked};
use crate::time::EventTime;
use crate::track::{ASHORE, Leg};

/// The farthest that a skier is looked for from the boat, metres: no rope is longer.
const ROPE_MAX_M: f64 = 1000.0;

impl Engine {
    /// Where the skiers of a vessel are on a leg of it: by their trackers, else where the rope has them.
    pub(super) fn with_trackers(
        &self,
        vessel: &Vessel,
        leg: &Leg,
        parts: &[TowPart],
        estimated: SmallVec<[Skier; 2]>,
    ) -> Vec<Skier> {
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

    /// Whether a tracker is known to be on a skier behind `tower` at `t`.
    pub(super) fn is_noted(&self, slot: u32, tower: &VesselId, t: EventTime) -> bool {
        let vessel = &self.vessels[slot as usize];
        let towers = vessel.file.as_ref().map_or(&[][..], |file| &file.towers);
        let at = towers.partition_point(|(from, _)| *from <= t);
        let is_behind = at > 0 && towers[at - 1].1 == *tower;
        is_behind && self.trackers.get(tower).is_some_and(|trackers| trackers.binary_search(&vessel.id).is_ok())
    }

    /// Takes it that a tracker is on a skier behind `tower` from `t` on.
    pub(super) fn note_tracker(&mut self, slot: u32, tower: &VesselId, t: EventTime) {
        if self.is_noted(slot, tower, t) {
            return;
        }
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
        // Where skiers are said to be behind them is another matter from now on.
        let towers: SmallVec<[VesselId; 2]> = towers.iter().map(|(_, tower)| tower.clone()).collect();
        for tower in towers {
            let slot = self.directory.get(&tower, &self.vessels);
            if let Some(file) = slot.and_then(|slot| self.vessels[slot as usize].file.as_mut()) {
                file.trail.clear();
            }
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
