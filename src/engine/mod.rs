//! Observations, map and rulebook in; findings out.
//!
//! [`Engine::push`] takes one entry of the ordered log and says what it changed. It reads no clock and
//! keeps no order but that of event time, so live and replayed findings are the same by construction.
//! Everything a waterway's findings depend on is kept with that waterway and can be snapshotted.
//!
//! How an entry goes through: [`Engine::observe`] finds the vessel (`directory`, `vessel`), puts a fix into its track, has
//! the legs that changed judged where a `glance` does not show that nothing breaks there (`judge`, with what lies
//! `around` them and the `others` beside them and the tows `beside` it, less what `permits` lift), and tells what is new.
//! [`Offline`] does the same for recordings, in bunches of fixes that are `waiting`. A vessel's `Docket` holds its ledgers,
//! findings in the making; its `lease` is what is known of the water around it and for how far; its `File` is what it
//! said about itself, `tow` what it has in tow, with the `trackers` on skiers, its `trail` the latest legs of that, and
//! `rounding` the buoys that they round. `water` has the marks, conditions and grids of a waterway, `odds` says how likely a
//! piece is, also of those who are `silent`, `account` for how long each rule could be judged; `change` puts another map or
//! rulebook in force.

mod account;
mod areas;
mod around;
mod beside;
mod change;
mod directory;
mod event;
mod glance;
mod grid;
mod judge;
mod lease;
mod odds;
mod offline;
mod others;
mod permits;
mod posted;
mod regard;
mod rounding;
mod silent;
mod snapshot;
mod tow;
mod trackers;
mod trail;
mod vessel;
mod waiting;
mod water;

pub use account::{Account, NotEvaluable, RuleAccount};
pub use event::{Event, Input};
pub use offline::Offline;
pub use posted::{Posted, PostedMark};
pub use regard::{Doing, LimitInForce, NearestFeature, Regard, TowSeen};
pub use snapshot::SnapshotError;

use std::sync::Arc;

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use smallvec::SmallVec;

use self::change::Change;
use self::directory::Directory;
use self::grid::Pace;
use self::judge::{Desk, Scope};
use self::vessel::Vessel;
use self::water::WaterState;
use crate::findings::Terms;
use crate::observation::{
    Activity, Conditions, Fix, Mark, NavStatus, Observation, Profile, RefusalReason, VesselId, WaterwayId,
};
use crate::rulebook::Rulebook;
use crate::time::EventTime;
use crate::track::{Offer, Standing, TrackFix, Water, open_for_s};
use crate::zones::Map;

/// Bytes held for vessels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VesselBytes {
    /// What is known of them.
    pub state: usize,
    /// Their findings in the making.
    pub findings: usize,
    /// Their fixes of the reorder window and what odds and rest need before it.
    pub fixes: usize,
}

/// The track of a vessel silent for longer than this begins anew, seconds.
const FORGET_S: f64 = 1800.0;
/// What a vessel said about itself holds until it says otherwise, but no longer than this after it was last
/// heard, seconds: what is kept has to end.
const STATEMENTS_S: f64 = 86_400.0;
/// How often, in event time, a waterway looks for vessels to forget, and how much longer than
/// [`FORGET_S`] they must have been silent, so that one whose fixes come a little behind others' begins
/// anew by its own time alone, seconds.
const SWEEP_S: f64 = 60.0;

/// What a fix changed of its vessel's track.
#[derive(Debug, Clone, Copy)]
struct Changed {
    /// The first fix whose standing or path changed.
    since: EventTime,
    /// From here on the path is another.
    path_from: EventTime,
    /// Legs that end from here on have to be judged.
    judge_from: EventTime,
}

impl Changed {
    fn and(self, later: Self) -> Self {
        Self {
            since: self.since.min(later.since),
            path_from: self.path_from.min(later.path_from),
            judge_from: self.judge_from.min(later.judge_from),
        }
    }
}

/// The judge of all waterways of a map.
pub struct Engine {
    map: Arc<Map>,
    rulebook: Arc<Rulebook>,
    terms: Terms,
    directory: Directory,
    /// By slot; a free one keeps its last vessel, with nothing in it.
    vessels: Vec<Vessel>,
    free: Vec<u32>,
    profiles: IndexMap<VesselId, Vec<Profile>, FixedState>,
    /// By towing vessel, the trackers that are or were on its skiers, in order.
    trackers: IndexMap<VesselId, SmallVec<[VesselId; 2]>, FixedState>,
    /// One for each waterway of the map, and one for what is on none of them.
    waters: Vec<WaterState>,
    desk: Desk,
    keeps_accounts: bool,
    /// Whether a glance may show that nothing breaks.
    glances: bool,
    changed: Vec<u32>,
}

impl Engine {
    /// An engine that has seen nothing yet.
    pub fn new(map: Arc<Map>, rulebook: Arc<Rulebook>) -> Self {
        let waters = WaterState::all(&map, &rulebook);
        Self {
            terms: terms(&rulebook),
            desk: Desk::new(&rulebook),
            directory: Directory::default(),
            vessels: Vec::new(),
            free: Vec::new(),
            profiles: IndexMap::default(),
            trackers: IndexMap::default(),
            waters,
            map,
            rulebook,
            keeps_accounts: false,
            glances: true,
            changed: Vec::new(),
        }
    }

    /// Also keeps account of how long each rule could be judged, for [`Engine::accounts`].
    pub fn keep_accounts(&mut self) {
        self.keeps_accounts = true;
    }

    /// Judges every leg from here on, also those on which a glance shows that nothing breaks. The findings are the same:
    /// that is what it is for.
    pub fn judge_every_leg(&mut self) {
        self.glances = false;
    }

    /// The map in force.
    pub fn map(&self) -> &Arc<Map> {
        &self.map
    }

    /// The rulebook in force.
    pub fn rulebook(&self) -> &Arc<Rulebook> {
        &self.rulebook
    }

    /// Whether a fix of this time comes too late for its vessel's track.
    pub fn is_late(&self, vessel: &VesselId, t: EventTime) -> bool {
        let slot = self.directory.get(vessel, &self.vessels);
        let newest = slot.and_then(|slot| self.vessels[slot as usize].track.newest());
        newest.is_some_and(|newest| newest.seconds_since(t) > self.rulebook.motion.reorder_window_s)
    }

    /// How many vessels are known.
    pub fn vessel_count(&self) -> usize {
        self.directory.slots.len()
    }

    /// Bytes held for vessels, as far as they can be counted.
    pub fn vessel_bytes(&self) -> VesselBytes {
        let table = self.directory.slots.allocation_size();
        let slots = self.vessels.capacity() * size_of::<Vessel>();
        let heap: usize = self.vessels.iter().map(Vessel::heap_bytes).sum();
        let findings = self.vessels.iter().filter_map(|vessel| vessel.docket.as_ref()).map(|d| d.bytes()).sum();
        let grids: usize = self
            .waters
            .iter()
            .map(|water| water.fast.heap_bytes() + water.notable.heap_bytes() + water.tows.heap_bytes())
            .sum();
        let fixes = self.vessels.iter().map(|vessel| vessel.track.fixes().capacity() * size_of::<TrackFix>()).sum();
        VesselBytes { state: table + slots + heap + grids, findings, fixes }
    }

    /// Takes one entry of the log; `position` is its place there. Events are added to `out`.
    pub fn push(&mut self, position: u64, input: Input, out: &mut Vec<Event>) {
        match input {
            Input::Observation(observation) => self.observe(position, &observation, out),
            Input::Map(map) => {
                let rulebook = self.rulebook.clone();
                self.put_in_force(map, rulebook, out);
            }
            Input::Rulebook(rulebook) => {
                let map = self.map.clone();
                self.put_in_force(map, rulebook, out);
            }
            Input::Clock(waterway, t) => {
                let place = self.waters_named().position(|id| id == waterway.as_ref());
                if let Some(place) = place {
                    let clock = &mut self.waters[place].clock;
                    *clock = (*clock).max(t);
                    self.sweep(place, out);
                }
            }
        }
    }

    /// How late it is on each waterway, and last on none, by what was heard there; nothing where nothing was.
    pub fn clocks(&self) -> impl Iterator<Item = (Option<&WaterwayId>, EventTime)> {
        let clocks = self.waters.iter().map(|water| water.clock);
        self.waters_named().zip(clocks).filter(|(_, clock)| *clock > EventTime::MIN)
    }

    /// The ids of `waters`, in order.
    fn waters_named(&self) -> impl Iterator<Item = Option<&WaterwayId>> {
        self.map.waterways.iter().map(|waterway| Some(&waterway.id)).chain([None])
    }

    /// Takes one observation; the common case of [`Engine::push`].
    pub fn observe(&mut self, position: u64, observation: &Observation, out: &mut Vec<Event>) {
        match observation {
            Observation::Fix(vessel, fix) => self.fix(position, vessel, fix, out),
            Observation::Activity(vessel, activity) => self.activity(vessel, activity, out),
            Observation::Profile(vessel, profile) => self.profile(vessel, profile, out),
            Observation::Mark(mark) => self.mark(mark, out),
            Observation::Conditions(conditions) => self.conditions(conditions, out),
        }
    }

    /// Ends everything: all findings are closed, all fixes accounted for.
    pub fn finish(&mut self, out: &mut Vec<Event>) {
        // What is likely of one may depend on the fixes of another: all are closed before any is forgotten.
        let named = self.named_slots();
        for (id, slot) in &named {
            self.close_ledgers(*slot, id, None, out);
        }
        for (id, slot) in named {
            self.end(slot, &id, true, out);
            self.close_account(slot, &id);
        }
        self.directory.slots.clear();
        self.vessels.clear();
        self.free.clear();
    }

    fn fix(&mut self, position: u64, id: &VesselId, fix: &Fix, out: &mut Vec<Event>) {
        let slot = self.slot_of(id, out);
        if let Some(tower) = &fix.towed_by {
            self.note_tracker(slot, tower, fix.t);
        }
        self.ask_of_silent(place_of(self.vessels[slot as usize].water, self.map.waterways.len()), fix.t);
        self.fixes(slot, std::iter::once(&TrackFix::new(fix, position)), out);
        self.sweep(place_of(self.vessels[slot as usize].water, self.map.waterways.len()), out);
    }

    /// Puts fixes of one vessel in its track, in this order, and has what changed judged.
    fn fixes<'f>(&mut self, slot: u32, fixes: impl Iterator<Item = &'f TrackFix> + Clone, out: &mut Vec<Event>) {
        let id = self.vessels[slot as usize].id.clone();
        let (mut fixes, mut changed) = (fixes, None);
        if self.vessels[slot as usize].last_fix().is_none() {
            self.vessels[slot as usize].track.expect(fixes.clone().count());
            changed = fixes.next().and_then(|first| self.offer(slot, &id, *first, out));
        }
        if let Some(now) = self.lead_on(slot, fixes.clone()) {
            let changed = changed.map_or(now, |before| before.and(now));
            return self.judge_changed(slot, &id, Some(changed), out);
        }
        for fix in fixes {
            let last = self.vessels[slot as usize].last_fix();
            if let Some(silent_s) = last.map(|last| fix.t.seconds_since(last)).filter(|&s| s > FORGET_S) {
                self.judge_changed(slot, &id, changed.take(), out);
                self.end(slot, &id, silent_s > STATEMENTS_S, out);
            }
            let Some(now) = self.offer(slot, &id, *fix, out) else { continue };
            changed = Some(changed.map_or(now, |before| before.and(now)));
            // Fixes that only lead on are judged together; one that changes the past is judged at once.
            if now.since < fix.t {
                self.judge_changed(slot, &id, changed.take(), out);
            }
        }
        self.judge_changed(slot, &id, changed, out);
    }

    /// Puts fixes in their vessel's track where all of them lead on plainly, as they nearly always do; what that changed
    /// there. What [`Self::offer`] would do of each, for less.
    fn lead_on<'f>(&mut self, slot: u32, fixes: impl Iterator<Item = &'f TrackFix> + Clone) -> Option<Changed> {
        let Self { map, rulebook, vessels, waters, .. } = self;
        let (motion, vessel) = (&rulebook.motion, &mut vessels[slot as usize]);
        let newest = vessel.track.fixes().back()?;
        let follow = |before: &'_ TrackFix, fix: &'f TrackFix| fix.leads_on(before, motion).then_some(fix);
        let mut others = fixes.clone();
        let first = follow(newest, others.next()?)?;
        let last = others.try_fold(first, follow)?;
        if last.t.seconds_since(newest.t) > FORGET_S {
            return None;
        }
        let path_from = newest.t;
        let judge_from = if vessel.is_over(vessel.track.fixes().len() - 1) { path_from } else { first.t };
        let known = vessel.water_known(fixes.clone(), waters);
        for fix in fixes {
            let water = known.unwrap_or_else(|| vessel.locate(fix, motion, map, waters));
            vessel.hear(fix);
            vessel.track.follow(fix, water, motion);
            if known.is_none() || fix.t == last.t {
                let clock = &mut waters[place_of(water, map.waterways.len())].clock;
                *clock = (*clock).max(fix.t);
            }
        }
        Some(Changed { since: first.t, path_from, judge_from })
    }

    /// Puts a fix in its vessel's track; what it changed there, unless it was refused.
    fn offer(&mut self, slot: u32, id: &VesselId, mut fix: TrackFix, out: &mut Vec<Event>) -> Option<Changed> {
        let motion = &self.rulebook.motion;
        let vessel = &mut self.vessels[slot as usize];
        fix.water = vessel.locate(&fix, motion, &self.map, &self.waters);
        let offered = vessel.track.offer(fix, motion);
        let since = match offered {
            Offer::Taken { changed_from } => changed_from,
            Offer::Duplicate | Offer::Late => {
                let reason = if offered == Offer::Late { RefusalReason::Late } else { RefusalReason::Duplicate };
                out.push(Event::Refused { position: fix.source, vessel: id.clone(), t: fix.t, reason });
                return None;
            }
        };
        vessel.hear(&fix);
        let clock = &mut self.waters[place_of(fix.water, self.map.waterways.len())].clock;
        *clock = (*clock).max(fix.t);

        // The path has changed from the accepted fix before the first changed one.
        let fixes = vessel.track.fixes();
        let is_last = fixes.back().is_some_and(|last| last.t == since);
        let first = if is_last { fixes.len() - 1 } else { vessel.track.index_of(since) };
        let before = vessel.track.accepted_before(first);
        let path_from = before.map_or(since, |i| vessel.track.fixes()[i].t);
        let judge_from = before.filter(|&i| vessel.is_over(i)).map_or(since, |_| path_from);
        Some(Changed { since, path_from, judge_from })
    }

    /// Judges what changed of a vessel's track, and what of others' that bears on, and settles what is old.
    fn judge_changed(&mut self, slot: u32, id: &VesselId, changed: Option<Changed>, out: &mut Vec<Event>) {
        let Some(changed) = changed else { return };
        let tows = self.vessels[slot as usize].tows;
        if tows {
            self.note_tow(slot, changed.since, out);
        }
        self.judge_from(slot, id, changed.judge_from, out);
        self.judge_those_beside(slot, changed.path_from, out);
        if tows {
            self.judge_those_beside_tow(slot, changed.path_from, out);
        }
        self.judge_towers_of(slot, changed.path_from, out);
        let motion = &self.rulebook.motion;
        let vessel = &mut self.vessels[slot as usize];
        if vessel.settle(motion, id, out, self.map.waterways.len()) {
            let stay_s = motion.reorder_window_s + motion.max_gap_s;
            let newest = vessel.track.newest();
            vessel.leave_grids(slot, &mut self.waters, |entry| {
                let longer_s = if entry.pace == Pace::Towing { tow::TOW_KEPT_S } else { 0.0 };
                newest.is_some_and(|newest| newest.seconds_since(entry.until) > stay_s + longer_s)
            });
        }
    }

    fn activity(&mut self, id: &VesselId, activity: &Activity, out: &mut Vec<Event>) {
        let slot = self.slot_of(id, out);
        let from = activity.t;
        let is_notable = activity.nav_status.is_some_and(NavStatus::is_notable);
        self.vessels[slot as usize].declare(activity.clone());
        if is_notable {
            self.note_declared(slot, from);
        }
        let tows = self.vessels[slot as usize].tows;
        if tows {
            self.note_tow(slot, from, out);
        }
        self.judge_from(slot, id, from, out);
        self.judge_those_beside(slot, from, out);
        if tows {
            self.judge_those_beside_tow(slot, from, out);
        }
    }

    fn profile(&mut self, id: &VesselId, profile: &Profile, out: &mut Vec<Event>) {
        let from = profile.t.unwrap_or(EventTime::MIN);
        let history = self.profiles.entry(id.clone()).or_default();
        let at = history.partition_point(|other| other.t <= profile.t);
        if at > 0 && history[at - 1].t == profile.t {
            history[at - 1] = profile.clone();
        } else {
            history.insert(at, profile.clone());
        }
        if let Some(slot) = self.directory.get(id, &self.vessels) {
            self.judge_from(slot, id, from, out);
        }
    }

    fn mark(&mut self, mark: &Mark, out: &mut Vec<Event>) {
        if !self.map.waterways.iter().any(|waterway| water::is_here(mark, waterway)) {
            out.push(Event::Idle { what: "mark on none of the waterways" });
        }
        for place in 0..self.map.waterways.len() {
            let waterway = &self.map.waterways[place];
            let Some(touched) = self.waters[place].lay(mark, waterway) else { continue };
            let mut near = std::mem::take(&mut self.changed);
            near.clear();
            let water = &self.waters[place];
            water.fast.near(&touched, self.desk.reach_m + water.skier_reach_m, &mut near);
            self.judge_again(&near, mark.t, Scope::Whole, out);
            self.changed = near;
        }
    }

    fn conditions(&mut self, conditions: &Conditions, out: &mut Vec<Event>) {
        let Some(place) = self.map.waterways.iter().position(|w| w.id == conditions.waterway) else {
            out.push(Event::Idle { what: "conditions of a waterway that is not on the map" });
            return;
        };
        let from = conditions.t;
        let water = &mut self.waters[place];
        let at = water.conditions.partition_point(|other| other.t <= from);
        water.conditions.insert(at, conditions.clone());
        water.had_conditions = true;
        water.learn_quiet(&self.map.waterways[place], &self.rulebook);
        if water.clock > from {
            let slots: Vec<u32> = self.directory.slots.iter().copied().collect();
            self.judge_again(&slots, from, Scope::Whole, out);
        }
    }

    /// Judges several vessels again from a time on, in the order of their ids.
    fn judge_again(&mut self, slots: &[u32], from: EventTime, scope: Scope, out: &mut Vec<Event>) {
        let mut named: Vec<(VesselId, u32)> = slots
            .iter()
            .filter(|&&slot| self.vessels[slot as usize].track.newest().is_some_and(|newest| newest >= from))
            .map(|&slot| (self.vessels[slot as usize].id.clone(), slot))
            .collect();
        named.sort();
        named.dedup();
        for (id, slot) in named {
            self.judge_scope(slot, &id, from, scope, out);
        }
    }

    fn slot_of(&mut self, id: &VesselId, out: &mut Vec<Event>) -> u32 {
        if let Some(slot) = self.directory.get(id, &self.vessels) {
            return slot;
        }
        out.push(Event::Appeared { vessel: id.clone() });
        self.admit(id)
    }

    /// Gives a vessel that is not known a slot.
    fn admit(&mut self, id: &VesselId) -> u32 {
        let slot = self.free.pop().unwrap_or(self.vessels.len() as u32);
        let vessel = Vessel::new(id.clone(), self.keeps_accounts);
        if slot as usize == self.vessels.len() {
            if self.vessels.len() == self.vessels.capacity() {
                // An eighth more at a time: with many vessels half of the room would stand empty.
                self.vessels.reserve_exact(self.vessels.len() / 8 + 16);
            }
            self.vessels.push(vessel);
        } else {
            self.vessels[slot as usize] = vessel;
        }
        self.directory.insert(id, slot, &self.vessels);
        slot
    }

    /// All vessels with their slots, in the order of their ids.
    fn named_slots(&self) -> Vec<(VesselId, u32)> {
        let mut named: Vec<(VesselId, u32)> =
            self.directory.slots.iter().map(|&slot| (self.vessels[slot as usize].id.clone(), slot)).collect();
        named.sort();
        named
    }

    /// Ends a vessel's stay: closes what is open, accounts for its fixes, leaves an empty track.
    fn end(&mut self, slot: u32, id: &VesselId, forgets: bool, out: &mut Vec<Event>) {
        self.close_ledgers(slot, id, None, out);
        let water_count = self.map.waterways.len();
        let vessel = &mut self.vessels[slot as usize];
        vessel.leave_grids(slot, &mut self.waters, |_| true);
        vessel.end(id, forgets, out, water_count);
    }

    /// Forgets the vessels of a waterway that have been silent for long, once in a while.
    fn sweep(&mut self, place: usize, out: &mut Vec<Event>) {
        let clock = self.waters[place].clock;
        if clock.seconds_since(self.waters[place].swept) < SWEEP_S {
            return;
        }
        self.waters[place].swept = clock;
        let water_count = self.map.waterways.len();
        let motion = self.rulebook.motion;
        // A vessel that has been silent may have legs open beside a mark that is long gone.
        self.waters[place].forget_before(clock.plus_seconds(-FORGET_S - open_for_s(&motion)));
        let mut silent: Vec<(VesselId, u32)> = Vec::new();
        for &slot in &self.directory.slots {
            let vessel = &self.vessels[slot as usize];
            let there = place_of(vessel.water, water_count) == place;
            if there && vessel.last_heard().is_none_or(|t| clock.seconds_since(t) > FORGET_S + SWEEP_S) {
                silent.push((vessel.id.clone(), slot));
            }
        }
        silent.sort();
        for (id, slot) in silent {
            let vessel = &self.vessels[slot as usize];
            let silent_s = vessel.last_heard().map_or(f64::INFINITY, |t| clock.seconds_since(t));
            if vessel.has_said_something() && silent_s <= STATEMENTS_S {
                if vessel.track.newest().is_some() {
                    self.end(slot, &id, false, out);
                }
                continue;
            }
            self.end(slot, &id, true, out);
            self.close_account(slot, &id);
            self.directory.remove(&id, &self.vessels);
            self.trackers.retain(|tower, trackers| {
                trackers.retain(|tracker| *tracker != id);
                *tower != id && !trackers.is_empty()
            });
            self.free.push(slot);
        }
    }

    /// Sums up what could be judged of a vessel that goes.
    fn close_account(&mut self, slot: u32, id: &VesselId) {
        let file = self.vessels[slot as usize].file.as_mut();
        let Some(keeper) = file.and_then(|file| file.keeper.take()) else { return };
        let profile = self.profiles.get(id).and_then(|history| history.last());
        let default_accuracy_m = self.rulebook.motion.default_accuracy_m;
        let had_conditions = self.waters.iter().any(|water| water.had_conditions);
        let account = self.desk.accounts.entry(id.clone()).or_default();
        for rule in &self.rulebook.rules {
            let evaluate = |accuracy_m| account::evaluation(rule.as_ref(), profile, accuracy_m, had_conditions);
            let of_rule = if rule.needs_tow() {
                keeper.of_tow(rule.as_ref(), profile)
            } else {
                keeper.of_rule(default_accuracy_m, evaluate)
            };
            if let Some(of_rule) = of_rule {
                account.rules.entry(rule.id()).or_default().add(&of_rule);
            }
        }
    }

    /// How long each rule could be judged for each vessel, where [`Engine::keep_accounts`] was asked for.
    /// Complete after [`Engine::finish`] has handed out what was left.
    pub fn accounts(&mut self) -> Vec<(VesselId, Account)> {
        std::mem::take(&mut self.desk.accounts).into_iter().collect()
    }
}

/// The index in a list of waterways followed by one place for ashore.
fn place_of(water: Water, water_count: usize) -> usize {
    usize::from(water).min(water_count)
}

fn terms(rulebook: &Rulebook) -> Terms {
    let motion = &rulebook.motion;
    Terms {
        final_after_s: open_for_s(motion) + motion.max_gap_s + motion.merge_gap_s,
        merge_gap_s: rulebook.motion.merge_gap_s,
        settled_after_s: open_for_s(motion),
        tells_open: true,
        step_mps: rulebook.findings.update_speed_mps,
        step_m: rulebook.findings.update_distance_m,
        step_confidence: rulebook.findings.update_confidence,
    }
}

/// Why a settled fix was not judged, if it was not.
fn refusal_of(fix: &TrackFix, water_count: usize) -> Option<RefusalReason> {
    match fix.standing {
        Standing::Waiting | Standing::Implausible => Some(RefusalReason::Implausible),
        Standing::Accepted if usize::from(fix.water) >= water_count => Some(RefusalReason::OffWater),
        Standing::Accepted => None,
    }
}
