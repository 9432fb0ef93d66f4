//! What is kept for one vessel.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use thin_vec::ThinVec;

use super::account::Keeper;
use super::grid::{Entry, Extent, Pace};
use super::lease::Lease;
use super::rounding::ROUNDED_S;
use super::tow::TOW_KEPT_S;
use super::trail::Trail;
use super::water::WaterState;
use super::{Change, Event, refusal_of};
use crate::findings::Ledger;
use crate::observation::{Activity, NavStatus, VesselId};
use crate::rulebook::Motion;
use crate::skier::{Crew, Habit, Knot, Rounding, parts_between};
use crate::time::EventTime;
use crate::track::{ASHORE, Passed, Track, TrackFix, Water};

/// One vessel, as long as it is known.
///
/// What every fix needs is here, in three lines of the processor's cache; what few vessels have is boxed.
/// With many vessels the time goes into fetching this from memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[repr(C, align(64))]
pub(super) struct Vessel {
    /// Its recent fixes.
    pub track: Track,
    /// Which one.
    pub id: VesselId,
    /// Findings in the making.
    pub docket: Option<Box<Docket>>,
    /// What it said about itself, and what else is rarely there.
    pub file: Option<Box<File>>,
    /// What is known of the water around it. Never changes an outcome.
    #[serde(skip)]
    pub lease: Option<Lease>,
    /// When it was last at rest or trolling.
    pub last_notable: EventTime,
    /// When it was last fast enough for any rule.
    pub last_fast: EventTime,
    /// When it was last entered in the grid of those at rest or trolling.
    pub noted: EventTime,
    /// Cells of the grids it is entered in.
    pub cells: ThinVec<Entry>,
    /// The waterway it was last on.
    pub water: Water,
    /// Whether it ever said what it is doing.
    pub says_status: bool,
    /// Whether it ever said that somebody is in tow.
    pub tows: bool,
    /// Whether it may ever have said that it is at rest or trolling. Never changes an outcome.
    #[serde(skip, default = "maybe")]
    pub says_notable: bool,
}

/// Whether two fixes are both on the water, or both ashore.
fn are_both_afloat(a: &TrackFix, b: &TrackFix) -> bool {
    (a.water == ASHORE) == (b.water == ASHORE)
}

/// Of a vessel that was restored.
fn maybe() -> bool {
    true
}

/// Findings in the making of one vessel.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Docket {
    /// One for each clause of which there is a piece.
    pub ledgers: Vec<Ledger>,
    /// Whether pieces were put in or taken out since they were last looked at.
    pub is_touched: bool,
    /// The newest leg of which there is a piece.
    pub last_piece: EventTime,
    /// When they have to be looked at in any case.
    pub due: EventTime,
    /// The newest fix after which the vessel was silent for so long that odds were asked early.
    pub asked: EventTime,
}

impl Docket {
    /// Bytes held, as far as they can be counted.
    pub fn bytes(&self) -> usize {
        let spare = (self.ledgers.capacity() - self.ledgers.len()) * size_of::<Ledger>();
        size_of::<Self>() + spare + self.ledgers.iter().map(Ledger::bytes).sum::<usize>()
    }
}

/// What few vessels have.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct File {
    /// The last `nav_status` of fixes that are settled.
    pub settled_status: Option<(EventTime, NavStatus)>,
    /// What was declared, in order of time.
    pub activities: Vec<Activity>,
    /// What it has been doing, at each fix of its track, where it is guessed from that who tows.
    pub habits: VecDeque<Habit>,
    /// What its crew had said about skiing before the first of `activities`.
    pub crew_before: Crew,
    /// The estimated skier at each of its fixes, in order of time, where it tows.
    pub knots: VecDeque<Knot>,
    /// Its latest legs with what is in tow on them. Never changes an outcome.
    #[serde(skip)]
    pub trail: Trail,
    /// The buoys of lines that it and its skiers rounded lately, in order of time.
    pub roundings: Vec<Rounding>,
    /// Behind which vessel this tracker is on a skier, from when on, in order of time.
    pub towers: Vec<(EventTime, VesselId)>,
    /// Legs that end by then were judged under an earlier map or rulebook.
    pub judged_before: Option<EventTime>,
    /// When it was last heard of, where its track has been ended since.
    pub heard: Option<EventTime>,
    /// Account of what could be judged, where asked for.
    pub keeper: Option<Box<Keeper>>,
}

impl File {
    /// Drops the oldest activities, of which the next one has taken over what it does not say.
    fn drop_activities(&mut self, count: usize) {
        for dropped in self.activities.drain(..count) {
            self.crew_before = self.crew_before.after(&dropped);
        }
    }
}

impl Vessel {
    /// A vessel of which nothing is known yet.
    pub fn new(id: VesselId, keeps_account: bool) -> Self {
        let file = File { keeper: Some(Box::default()), ..File::default() };
        Self {
            track: Track::default(),
            lease: None,
            last_notable: EventTime::MIN,
            last_fast: EventTime::MIN,
            noted: EventTime::MIN,
            cells: ThinVec::new(),
            docket: None,
            file: keeps_account.then(|| Box::new(file)),
            water: ASHORE,
            says_status: false,
            says_notable: false,
            tows: false,
            id,
        }
    }

    /// Whether it said anything about itself that still holds.
    pub fn has_said_something(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.settled_status.is_some() || !file.activities.is_empty())
    }

    /// Takes note of what it says with a fix that it is doing.
    pub fn hear(&mut self, fix: &TrackFix) {
        self.says_status |= fix.nav_status.is_some();
        self.says_notable |= fix.nav_status.is_some_and(NavStatus::is_notable);
    }

    /// The time of its newest fix, also of one whose track has been ended since.
    pub fn last_fix(&self) -> Option<EventTime> {
        self.track.newest().or_else(|| self.file.as_ref().and_then(|file| file.heard))
    }

    /// What it declared, in order of time.
    pub fn activities(&self) -> &[Activity] {
        self.file.as_ref().map_or(&[], |file| &file.activities)
    }

    /// The newest time of anything heard of it.
    pub fn last_heard(&self) -> Option<EventTime> {
        let heard = self.file.as_ref().and_then(|file| file.heard);
        self.track.newest().max(heard).max(self.activities().last().map(|activity| activity.t))
    }

    /// Bytes on the heap beside its fixes and findings, as far as they can be counted.
    pub fn heap_bytes(&self) -> usize {
        let cells = if self.cells.capacity() == 0 { 0 } else { 16 + self.cells.capacity() * size_of::<Entry>() };
        let file = |file: &File| {
            let keeper = file.keeper.as_ref().map_or(0, |_| size_of::<Keeper>());
            size_of::<File>()
                + file.activities.capacity() * size_of::<Activity>()
                + file.knots.capacity() * size_of::<Knot>()
                + file.trail.heap_bytes()
                + file.habits.capacity() * size_of::<Habit>()
                + file.towers.capacity() * size_of::<(EventTime, VesselId)>()
                + keeper
        };
        cells + self.file.as_deref().map_or(0, file)
    }

    /// The first instant from which legs can still be judged: those before are settled after `open_s`.
    pub fn judgeable_from(&self, open_s: f64) -> EventTime {
        let after = |t: EventTime| EventTime::from_unix_ns(t.unix_ns().saturating_add(1));
        let settled = self.track.fixes().front().filter(|_| self.track.has_settled()).map(|front| after(front.t));
        let open = self.track.newest().map(|newest| newest.plus_seconds(-open_s));
        settled
            .max(open)
            .max(self.file.as_ref().and_then(|file| file.judged_before).map(after))
            .unwrap_or(EventTime::MIN)
    }

    /// The fix at which the leg that leads to fix `i` begins, if one does: both its ends are on the water. From one
    /// waterway to the next it is judged on that to which it leads.
    pub fn leg_before(&self, i: usize) -> Option<usize> {
        let fixes = self.track.fixes();
        let before = self.track.accepted_before(i).filter(|_| fixes[i].linked)?;
        (are_both_afloat(&fixes[before], &fixes[i]) && !fixes[before].is_person).then_some(before)
    }

    /// The fix from which the path leads to fix `i` on a way that is not judged, since it began ashore. The fix itself is
    /// judged, and how fast it was reached is its speed.
    pub fn unjudged_way_to(&self, i: usize) -> Option<usize> {
        let fixes = self.track.fixes();
        let before = self.track.accepted_before(i).filter(|_| fixes[i].linked)?;
        (!are_both_afloat(&fixes[before], &fixes[i]) && !fixes[before].is_person).then_some(before)
    }

    /// The fix at which the leg that begins at fix `i` ends, if one does.
    pub fn leg_after(&self, i: usize) -> Option<usize> {
        self.track.accepted_after(i).filter(|&next| self.leg_before(next) == Some(i))
    }

    /// Whether fix `i` reports a speed that no leg to or from it takes over, so that it counts at its
    /// instant.
    pub fn reports_alone(&self, i: usize) -> bool {
        let fixes = self.track.fixes();
        let taken_over = |k: usize| fixes[k].sog_mps().is_some();
        fixes[i].sog_mps().is_some()
            && !self.leg_before(i).is_some_and(taken_over)
            && !self.leg_after(i).is_some_and(taken_over)
    }

    /// Whether fix `i`, seen without what follows it, counts at its instant.
    pub fn stands_alone(&self, i: usize) -> bool {
        let fixes = self.track.fixes();
        fixes[i].sog_mps().is_some() && self.leg_before(i).is_none_or(|k| fixes[k].sog_mps().is_none())
    }

    /// Whether fix `i`, of which nothing followed, is to be judged anew once a leg leads on from it: it stands alone no more.
    pub fn is_over(&self, i: usize) -> bool {
        self.stands_alone(i) || (self.tows && self.leg_before(i).is_none())
    }

    /// Takes what was declared.
    pub fn declare(&mut self, activity: Activity) {
        self.tows |= matches!(activity.towing, Some(Some(_)));
        let activities = &mut self.file.get_or_insert_default().activities;
        let at = activities.partition_point(|other| other.t <= activity.t);
        activities.insert(at, activity);
    }

    /// What the vessel says it is doing at an instant, which is not before fix `i` and not after the next.
    pub fn status_at(&self, i: usize, t: EventTime) -> Option<NavStatus> {
        let own = self.track.fixes()[i].nav_status;
        if own.is_some() && self.activities().is_empty() && self.says_status && self.track.fixes()[i].is_accepted() {
            return own;
        }
        let by_fix = if self.says_status {
            let fixes = self.track.fixes();
            (0..=i)
                .rev()
                .find_map(|k| fixes[k].nav_status.filter(|_| fixes[k].is_accepted()).map(|status| (fixes[k].t, status)))
                .or(self.file.as_ref().and_then(|file| file.settled_status))
        } else {
            None
        };
        let declared = self.activities().iter().rev().filter(|activity| activity.t <= t);
        let by_activity = declared.filter_map(|activity| activity.nav_status.map(|status| (activity.t, status))).next();
        match (by_fix, by_activity) {
            (Some(fix), Some(activity)) => Some(if activity.0 >= fix.0 { activity.1 } else { fix.1 }),
            (fix, activity) => fix.or(activity).map(|(_, status)| status),
        }
    }

    /// Hands out what no late fix can change any more.
    ///
    /// Returns whether it was time for that.
    pub fn settle(&mut self, motion: &Motion, id: &VesselId, out: &mut Vec<Event>, water_count: usize) -> bool {
        let Self { track, file, says_status, tows, .. } = self;
        let kept_s = if file.as_ref().is_some_and(|file| *tows || !file.towers.is_empty()) { TOW_KEPT_S } else { 0.0 };
        let was_due = track.settle(motion, kept_s, |fixes| settled(fixes, id, file, *says_status, out, water_count));
        if let (Some(file), Some(front)) = (file, track.fixes().front())
            && was_due
        {
            let gone = file.knots.partition_point(|knot| knot.t < front.t);
            file.knots.drain(..gone);
            let gone = file.habits.partition_point(|habit| habit.t < front.t);
            file.habits.drain(..gone);
            let long_ago = front.t.plus_seconds(-ROUNDED_S);
            file.roundings.retain(|rounding| rounding.t >= long_ago);
            let over = file.towers.partition_point(|(from, _)| *from <= front.t);
            file.towers.drain(..over.saturating_sub(1));
            // The last one before the track's first fix still holds, for whatever it says.
            let before = file.activities.partition_point(|activity| activity.t < front.t);
            for i in 1..before {
                let (earlier, later) = file.activities.split_at_mut(i);
                later[0].inherit(&earlier[i - 1]);
            }
            file.drop_activities(before.saturating_sub(1));
        }
        was_due
    }

    /// Enters it in a grid, in every cell that a box touches.
    pub fn enter_grid(
        &mut self,
        slot: u32,
        pace: Pace,
        water: Water,
        state: &mut WaterState,
        extent: &Extent,
        until: EventTime,
    ) {
        let grid = state.grid_of(pace);
        for cell in grid.cells_of(extent) {
            match self.cells.iter_mut().find(|entry| (entry.water, entry.pace, entry.cell) == (water, pace, cell)) {
                Some(entry) => entry.until = entry.until.max(until),
                None => {
                    grid.enter(cell, slot);
                    if self.cells.capacity() == 0 {
                        // Most vessels are in one cell.
                        self.cells.reserve_exact(1);
                    }
                    self.cells.push(Entry { water, pace, cell, until });
                }
            }
        }
    }

    /// Takes it out of the cells it left long ago; where it was last at rest it stays.
    pub fn leave_grids(&mut self, slot: u32, waters: &mut [WaterState], is_long_ago: impl Fn(&Entry) -> bool) {
        self.cells.retain(|entry| {
            let stays = !is_long_ago(entry);
            if !stays {
                waters[usize::from(entry.water)].grid_of(entry.pace).leave(entry.cell, slot);
            }
            stays
        });
    }

    /// Ends its stay: hands out all fixes, forgets what it said.
    ///
    /// Unless it `forgets`, what the vessel said about itself stays.
    pub fn end(&mut self, id: &VesselId, forgets: bool, out: &mut Vec<Event>, water_count: usize) {
        let newest = self.track.newest();
        let Self { track, file, says_status, .. } = self;
        track.drain(|fixes| settled(fixes, id, file, *says_status, out, water_count));
        if let Some(file) = file {
            if let Some(keeper) = &mut file.keeper {
                keeper.break_off();
            }
            file.judged_before = None;
            file.knots.clear();
            file.trail.clear();
            file.habits.clear();
            file.roundings.clear();
            file.towers.clear();
            file.heard = newest.or(file.heard);
            for i in 1..file.activities.len() {
                let (earlier, later) = file.activities.split_at_mut(i);
                later[0].inherit(&earlier[i - 1]);
            }
            file.drop_activities(file.activities.len().saturating_sub(1));
            if forgets {
                file.settled_status = None;
                file.crew_before = Crew::default();
                file.activities.clear();
            }
        }
        self.says_status &= !forgets;
        self.says_notable &= !forgets;
        self.tows &= !forgets;
        if !self.has_said_something() {
            self.water = ASHORE;
        }
        self.lease = None;
        self.noted = EventTime::MIN;
    }

    /// Takes out the findings in the making on waterways that stay the same, by the numbers to come.
    pub fn set_aside(&mut self, change: &Change) -> Option<Box<Docket>> {
        let mut docket = self.docket.take()?;
        let all = std::mem::take(&mut docket.ledgers);
        let (mut stay, go): (Vec<Ledger>, Vec<Ledger>) = all.into_iter().partition(|l| change.stays(l.key.water));
        if !go.is_empty() {
            self.docket = Some(Box::new(Docket { ledgers: go, ..*docket }));
        }
        stay.iter_mut().for_each(|ledger| ledger.key.water = change.number(ledger.key.water));
        docket.ledgers = stay;
        Some(docket).filter(|docket| !docket.ledgers.is_empty())
    }

    /// Gives its fixes the numbers that waterways have on another map.
    pub fn renumber(&mut self, change: &Change) {
        let was_elsewhere = self.track.fixes().iter().any(|fix| fix.water != ASHORE && !change.stays(fix.water));
        self.track.renumber(|water| change.number(water));
        if let Some(newest) = self.track.newest().filter(|_| was_elsewhere) {
            self.file.get_or_insert_default().judged_before = Some(newest);
        }
        self.water = change.number(self.water);
        self.lease = None;
        if let Some(file) = &mut self.file {
            file.trail.clear();
        }
        self.cells.retain(|entry| change.stays(entry.water));
        self.cells.iter_mut().for_each(|entry| entry.water = change.number(entry.water));
        self.noted = EventTime::MIN;
    }
}

/// Accounts for fixes that leave a track.
fn settled(
    mut fixes: Passed<'_>,
    id: &VesselId,
    file: &mut Option<Box<File>>,
    says_status: bool,
    out: &mut Vec<Event>,
    water_count: usize,
) {
    let keeps_account = file.as_ref().is_some_and(|file| file.keeper.is_some());
    if !fixes.is_plain || keeps_account {
        fixes.for_each(|fix| settled_fix(fix, id, file, says_status, out, water_count));
        return;
    }
    // Of most nothing has to be looked at again: with many vessels they have long left the processor's cache.
    accept(fixes.len() as u64, out);
    if says_status && let Some(last) = fixes.rfind(|fix| fix.nav_status.is_some()) {
        file.get_or_insert_default().settled_status = last.nav_status.map(|status| (last.t, status));
    }
}

fn settled_fix(
    fix: &TrackFix,
    id: &VesselId,
    file: &mut Option<Box<File>>,
    says_status: bool,
    out: &mut Vec<Event>,
    water_count: usize,
) {
    if fix.is_accepted() {
        if let Some(status) = fix.nav_status.filter(|_| says_status) {
            file.get_or_insert_default().settled_status = Some((fix.t, status));
        }
        if let Some(File { keeper: Some(keeper), crew_before, activities, .. }) = file.as_deref_mut() {
            keeper.settle(fix, |leg| parts_between(*crew_before, activities, leg));
        }
    }
    match refusal_of(fix, water_count) {
        Some(reason) => out.push(Event::Refused { position: fix.source, vessel: id.clone(), t: fix.t, reason }),
        None => accept(1, out),
    }
}

/// Tells that fixes were accepted for good.
fn accept(more: u64, out: &mut Vec<Event>) {
    match out.last_mut() {
        _ if more == 0 => {}
        Some(Event::Accepted { count }) => *count += more,
        _ => out.push(Event::Accepted { count: more }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vessel_is_small() {
        assert!(size_of::<TrackFix>() <= 64, "{}", size_of::<TrackFix>());
        assert!(size_of::<Vessel>() <= 192, "{}", size_of::<Vessel>());
    }
}
