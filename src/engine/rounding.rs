//! The buoys of lines that towing vessels and their skiers round.

use super::Engine;
use super::around::present;
use super::judge::Bench;
use crate::geo::{Position, Vec2};
use crate::rules::{OwnTow, Roundings};
use crate::skier::{Extent, Gate, KnownBy, Rounder, Rounding, Steady, Stretch, Way, abreast};
use crate::time::EventTime;
use crate::track::{Leg, Water};
use crate::zones::FeatureIx;

/// For how long a buoy rounded is remembered, beyond the fixes of the towing vessel, seconds.
pub(super) const ROUNDED_S: f64 = 600.0;
/// A buoy passed farther off than this is not rounded, whatever a rule asks, metres.
const ROUNDED_WITHIN_M: f64 = 200.0;

impl Engine {
    /// Notes the buoys that a towing vessel and its skiers round on a leg, which ends at the fix of time `tag`.
    pub(super) fn round_buoys(&mut self, slot: u32, water: Water, tag: EventTime, leg: &Leg, tow: &mut OwnTow) {
        let waterway = &self.map.waterways[usize::from(water)];
        let state = &self.waters[usize::from(water)];
        let bench = Bench { rulebook: &self.rulebook, waterway, state, reach_m: self.desk.reach_m };
        let mut fresh: Vec<Rounding> = Vec::new();
        let boat = Stretch { span: leg.whole(), way: Way::Straight(Steady::of(&leg.motion, 0.0)), said_course: None };
        let Extent { low, high } = tow.way.extent;
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
                let skiers = tow.way.skiers.iter().map(|skier| match &skier.by {
                    KnownBy::Tracker { id, .. } => (&skier.stretch, Rounder::Tracked(id.clone()), 0.0),
                    KnownBy::Rope { sigma_m } => (&skier.stretch, Rounder::Estimated, *sigma_m),
                });
                for (stretch, who, sigma_m) in std::iter::once((&boat, Rounder::Boat, 0.0)).chain(skiers) {
                    let Some((at_s, left_m)) = abreast(stretch, &gate) else { continue };
                    let part = tow.way.parts.iter().find(|part| part.span.contains(at_s));
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
