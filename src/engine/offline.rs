//! The engine as it judges recordings: the same findings for less work.
//!
//! Nobody watches while a recording is judged, so findings are told once, when they are closed. And since the
//! order in which vessels are heard does not matter, fixes wait until there are some seconds of all of them
//! and are then judged vessel by vessel: with thousands of vessels, fetching each one's state from memory
//! for every single fix takes longer than judging it. Neighbours are judged one after the other, since what is known of
//! one is asked for by all the others beside it.

use super::waiting::Waiting;
use super::{Engine, Event, FORGET_S};
use crate::geo::Position;
use crate::observation::{Fix, Observation, VesselId};
use crate::time::EventTime;
use crate::track::TrackFix;

/// At most this many fixes wait, or else this many of each vessel: with many of them there have to be some of each.
const FIXES_MAX: usize = 1 << 16;
/// See [`FIXES_MAX`].
const FIXES_EACH_MAX: usize = 16;
/// Those that wait are at most this far apart in time, seconds; nor further than the reorder window, by
/// which vessels may be apart anyway without a leg of one being settled while fixes of another bear on it.
const SPAN_MAX_S: f64 = 16.0;
/// The state of this many vessels is fetched at a time.
const AHEAD: usize = 16;

/// No slot.
const NONE: u32 = u32::MAX;

/// An engine that judges in bunches and tells of closed findings only.
pub struct Offline {
    engine: Engine,
    waiting: Waiting,
    /// The vessels of which fixes wait: where they are on a curve that keeps neighbours together, and their slots.
    heard: Vec<(u64, u32)>,
    /// By slot, which vessel was heard after this one the last time, and which one was heard last.
    followers: Vec<u32>,
    last: u32,
    /// The time of the oldest and the newest fix that waits.
    span: Option<(EventTime, EventTime)>,
    /// See [`SPAN_MAX_S`].
    span_max_ns: i64,
}

impl Offline {
    /// Takes over an engine that has seen nothing yet.
    pub fn new(mut engine: Engine) -> Self {
        engine.terms.tells_open = false;
        let span_max_s = engine.rulebook.motion.reorder_window_s.min(SPAN_MAX_S);
        Self {
            engine,
            waiting: Waiting::default(),
            heard: Vec::new(),
            followers: Vec::new(),
            last: NONE,
            span: None,
            span_max_ns: (span_max_s * 1e9) as i64,
        }
    }

    /// The engine, with nothing waiting.
    pub fn engine(&mut self, out: &mut Vec<Event>) -> &mut Engine {
        self.judge_waiting(out);
        &mut self.engine
    }

    /// Takes one observation; `position` is its place in the log. Events of earlier ones are added to `out`.
    pub fn observe(&mut self, position: u64, observation: &Observation, out: &mut Vec<Event>) {
        match observation {
            Observation::Fix(vessel, fix) if self.may_wait(vessel, fix) => self.wait(position, vessel, fix, out),
            _ => self.engine(out).observe(position, observation, out),
        }
    }

    /// Whether nothing comes of a fix before it is judged: that of a tracker on a skier only where it goes on behind
    /// the same vessel.
    fn may_wait(&self, id: &VesselId, fix: &Fix) -> bool {
        let Some(tower) = &fix.towed_by else { return true };
        let Some(slot) = self.engine.directory.get(id, &self.engine.vessels) else { return false };
        let last = self.waiting.last_of(slot).map(|fix| fix.t);
        let last = last.or_else(|| self.engine.vessels[slot as usize].last_fix());
        // Who was silent for long begins anew, as nobody's tracker.
        last.is_some_and(|last| fix.t.seconds_since(last) <= FORGET_S) && self.engine.is_noted(slot, tower, fix.t)
    }

    fn wait(&mut self, position: u64, vessel: &VesselId, fix: &Fix, out: &mut Vec<Event>) {
        let widened = |(from, to): (EventTime, EventTime)| (from.min(fix.t), to.max(fix.t));
        let mut span = self.span.map_or((fix.t, fix.t), widened);
        let fixes_max = FIXES_MAX.max(FIXES_EACH_MAX * self.engine.vessel_count());
        if self.waiting.len() >= fixes_max || span.1.ns_since(span.0) > self.span_max_ns {
            self.judge_waiting(out);
            span = (fix.t, fix.t);
        }
        self.span = Some(span);
        let slot = self.slot_of(vessel, out);
        if self.waiting.push(slot, TrackFix::new(fix, position)) {
            self.heard.push((place_on_curve(fix.position), slot));
        }
    }

    /// The slot of a vessel. Trackers mostly report in turn: who followed the last one before is asked first.
    fn slot_of(&mut self, vessel: &VesselId, out: &mut Vec<Event>) -> u32 {
        let follower = self.followers.get(self.last as usize).copied();
        let slot = match follower.filter(|&slot| self.engine.is_kept_in(vessel, slot)) {
            Some(slot) => slot,
            None => self.engine.slot_of(vessel, out),
        };
        if self.followers.len() <= slot as usize {
            self.followers.resize(slot as usize + 1, slot);
        }
        if let Some(follower) = self.followers.get_mut(self.last as usize) {
            *follower = slot;
        }
        self.last = slot;
        slot
    }

    fn judge_waiting(&mut self, out: &mut Vec<Event>) {
        let Self { engine, waiting, heard, .. } = self;
        if let Some((_, newest)) = self.span {
            (0..engine.waters.len()).for_each(|place| engine.ask_of_silent(place, newest));
        }
        heard.sort_unstable();
        // Those at rest first and the trackers on skiers, then those that tow: the others are then judged once, knowing
        // where these have been.
        let slots = heard.drain(..).map(|(_, slot)| slot);
        let (mut order, moving): (Vec<u32>, Vec<u32>) =
            slots.partition(|slot| engine.is_at_rest(*slot) || engine.is_tracker(*slot));
        let (towing, moving): (Vec<u32>, Vec<u32>) = moving.into_iter().partition(|slot| engine.tows(*slot));
        order.extend(towing.into_iter().chain(moving));
        waiting.sort(&order);
        for some in order.chunks(AHEAD) {
            // In turns: while one waits for memory, so do the others.
            some.iter().for_each(|&slot| engine.fetch(slot));
            some.iter().for_each(|&slot| engine.fetch_more(slot));
            for &slot in some {
                waiting.of(slot).for_each(|fix| _ = std::hint::black_box(fix.t));
            }
            some.iter().for_each(|&slot| engine.fixes(slot, waiting.of(slot), out));
        }
        for place in 0..engine.waters.len() {
            engine.sweep(place, out);
        }
        waiting.clear();
        self.span = None;
    }
}

/// Where a position is on a curve through all of the Earth (Morton's, in steps of 1 cm): what is near there is
/// mostly near on the water.
fn place_on_curve(p: Position) -> u64 {
    let steps = |deg: f64, low_deg: f64| ((deg - low_deg) / 360.0 * f64::from(u32::MAX)) as u64;
    let spread = |mut bits: u64| {
        for (shift, mask) in [
            (16, 0x0000_ffff_0000_ffff_u64),
            (8, 0x00ff_00ff_00ff_00ff),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
            (2, 0x3333_3333_3333_3333),
            (1, 0x5555_5555_5555_5555),
        ] {
            bits = (bits | (bits << shift)) & mask;
        }
        bits
    };
    spread(steps(p.lon_deg(), -180.0)) | (spread(steps(p.lat_deg(), -90.0)) << 1)
}

impl Engine {
    /// Whether a vessel is known to be kept in a slot. A free slot keeps the name of who left it, so nothing is known
    /// while there are any.
    fn is_kept_in(&self, vessel: &VesselId, slot: u32) -> bool {
        self.free.is_empty() && self.vessels.get(slot as usize).is_some_and(|there| there.id == *vessel)
    }

    /// Whether a vessel has been at rest, or trolling, and not fast since.
    fn is_at_rest(&self, slot: u32) -> bool {
        let vessel = &self.vessels[slot as usize];
        vessel.last_notable > vessel.last_fast
    }

    /// Whether it is a tracker on a skier, or was.
    fn is_tracker(&self, slot: u32) -> bool {
        self.vessels[slot as usize].file.as_ref().is_some_and(|file| !file.towers.is_empty())
    }

    /// Whether a vessel ever had somebody in tow.
    fn tows(&self, slot: u32) -> bool {
        self.vessels[slot as usize].tows
    }

    /// Fetches from memory what judging a vessel will want first. Changes nothing.
    fn fetch(&self, slot: u32) {
        let vessel = &self.vessels[slot as usize];
        std::hint::black_box((vessel.last_fast, vessel.track.has_settled(), vessel.water));
    }

    /// Fetches what it will want next, which is told by what was fetched first.
    fn fetch_more(&self, slot: u32) {
        let vessel = &self.vessels[slot as usize];
        let fixes = vessel.track.fixes();
        let (first, before) = (fixes.front().map(|fix| fix.t), fixes.iter().nth_back(1).map(|fix| fix.t));
        let piece = vessel.docket.as_ref().and_then(|docket| docket.ledgers.last()?.last_leg());
        let cell = vessel.cells.first().map(|entry| entry.until);
        let file = vessel.file.as_ref().map(|file| (file.settled_status, file.towers.len(), file.roundings.len()));
        std::hint::black_box((vessel.track.newest(), first, before, piece, cell, file));
    }
}
