//! Judges recordings offline: reads them in order, drives the engine, gathers what comes out.
//!
//! A recording in time order is judged as it streams, in constant memory beside its findings; several are merged
//! by time (`order`). Where one vessel's track comes after another's in the same file, pairs of vessels could
//! not be judged that way; then everything is read, sorted by event time and judged from the start. Which
//! fixes are late is decided by the order in each recording in either case, so the outcome is the same; in
//! documents and tables, which are no logs, none is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use compact_str::{CompactString, ToCompactString};
use foldhash::fast::FixedState;
use indexmap::IndexMap;
use serde::Serialize;

use super::classes::{Classes, Declared};
use super::kept::{KeptPaths, note_tracker};
use super::order::{self, LINE_BITS, Log, Sources, is_wanted};
use super::recording::{Place, ReadOptions, Recording, RecordingError, Sink};
use super::strays::Strays;
use crate::engine::{Account, Engine, Event, Offline};
use crate::findings::{Finding, Status};
use crate::geo::Position;
use crate::observation::{Observation, Refusal, RefusalReason, VesselId};
use crate::rulebook::{Motion, Rulebook};
use crate::time::EventTime;
use crate::zones::Map;

/// What to judge.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// The recordings, in any order.
    pub tracks: Vec<PathBuf>,
    /// What the user says about them.
    pub read: ReadOptions,
    /// Only fixes from this instant on.
    pub from: Option<EventTime>,
    /// Only what was observed until this instant.
    pub to: Option<EventTime>,
    /// Only findings about this vessel.
    pub vessel: Option<VesselId>,
    /// The class of vessels that never say it.
    pub classes: Classes,
    /// Whether to keep account of what could be judged.
    pub accounts: bool,
    /// Whether to keep where the vessels went. It takes memory with every fix: ask only for what draws them.
    pub paths: Keep,
}

/// Whose paths are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// Nobody's.
    #[default]
    Nothing,
    /// Those of the vessels that findings are asked about.
    Asked,
    /// Everybody's.
    All,
}

/// What came out.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Closed findings, ordered by start, rule, vessel and id.
    pub findings: Vec<Finding>,
    /// Counts of fixes.
    pub fixes: FixCounts,
    /// The first few refusals of each reason, with their place.
    pub examples: BTreeMap<RefusalReason, Vec<String>>,
    /// What else the recordings held, and what was refused finer than by reason, each under its name.
    pub unused: BTreeMap<CompactString, Unused>,
    /// How often a permit lifted a rule, by rule and permit area.
    pub lifts: BTreeMap<(&'static str, Arc<str>), u64>,
    /// What could be judged, where asked for.
    pub accounts: Vec<(VesselId, Account)>,
    /// The first and last event time of any fix.
    pub period: Option<(EventTime, EventTime)>,
    /// The accepted fixes of each vessel in order of time, where asked for.
    pub paths: BTreeMap<VesselId, Vec<(EventTime, Position)>>,
    /// The fixes in `paths` to which no path leads from the one before, though it may be near in time, by their times:
    /// after a jump, or from ashore.
    pub breaks: BTreeMap<VesselId, Vec<EventTime>>,
    /// The towing vessels of each tracker on a towed person, from when on, where paths were asked for; `None` for none.
    pub towed: BTreeMap<VesselId, Vec<(EventTime, Option<VesselId>)>>,
    /// Trackers that were ever on a towed person.
    pub trackers: BTreeSet<VesselId>,
    /// Vessels whose tracks stand in several documents that only name them, with two of these: they may be
    /// different boats.
    pub shared: BTreeMap<VesselId, [String; 2]>,
    /// Vessels heard of, the first one heard first.
    pub vessels: Vec<VesselId>,
    /// Recordings that could not be read to their end, and why.
    pub unread: Vec<(String, RecordingError)>,
}

/// Counts of fixes, as the summary writes them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FixCounts {
    /// Fixes that were judged.
    pub accepted: u64,
    /// Input that was not, by reason.
    pub refused: BTreeMap<RefusalReason, u64>,
}

/// Something that gave no fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unused {
    /// How often.
    pub count: u64,
    /// Whether it is also among what was refused: it should have been a fix.
    pub is_refused: bool,
}

impl Unused {
    /// Counts one more thing under its name.
    pub(super) fn count_in(all: &mut BTreeMap<CompactString, Self>, what: &dyn fmt::Display, is_refused: bool) {
        let unused = all.entry(what.to_compact_string()).or_default();
        unused.count += 1;
        unused.is_refused = is_refused;
    }
}

/// How many refusals of each reason are named.
const EXAMPLES: usize = 3;

/// Judges recordings. `progress` is told, now and then, how many records have been read.
pub fn judge(job: &Job, map: &Arc<Map>, rulebook: &Arc<Rulebook>, progress: &mut dyn FnMut(u64)) -> Outcome {
    // By name, so that nothing depends on the order in which they are given.
    let mut tracks = job.tracks.clone();
    tracks.sort();
    let engine = || Engine::new(map.clone(), rulebook.clone());
    let mut run = Run::new(job, &tracks, engine(), rulebook);
    if let ControlFlow::Break(stdin) = run.read_in_order(progress) {
        run = Run::new(job, &tracks, engine(), rulebook);
        run.read_sorted(stdin, progress);
    }
    run.finish()
}

struct Run<'j> {
    job: &'j Job,
    /// The recordings in the order of their numbers.
    tracks: &'j [PathBuf],
    declared: Option<Declared<'j>>,
    engine: Offline,
    outcome: Outcome,
    events: Vec<Event>,
    newest: EventTime,
    window_s: f64,
    motion: Motion,
    seen: IndexMap<VesselId, (), FixedState>,
    kept: KeptPaths,
    /// Of several recordings, the first that each vessel is in, and another.
    origins: BTreeMap<VesselId, (usize, Option<usize>)>,
    broke_order: bool,
    /// Whether anything observed is not wanted.
    is_cut: bool,
    /// Whether the only recording is a log, in which a fix can be late.
    is_log: bool,
    records: u64,
}

impl<'j> Run<'j> {
    fn new(job: &'j Job, tracks: &'j [PathBuf], mut engine: Engine, rulebook: &Rulebook) -> Self {
        if job.accounts {
            engine.keep_accounts();
        }
        Self {
            job,
            tracks,
            declared: Declared::new(&job.classes),
            engine: Offline::new(engine),
            outcome: Outcome::default(),
            events: Vec::new(),
            newest: EventTime::MIN,
            window_s: rulebook.motion.reorder_window_s,
            motion: rulebook.motion,
            seen: IndexMap::default(),
            kept: KeptPaths::default(),
            origins: BTreeMap::new(),
            broke_order: false,
            is_cut: job.from.is_some() || job.to.is_some(),
            is_log: true,
            records: 0,
        }
    }

    /// What is read, with what standard input held where that has been put aside.
    fn sources(&self, stdin: Option<File>) -> Sources<'j> {
        let Job { read, from, to, .. } = self.job;
        Sources { tracks: self.tracks, read, from: *from, to: *to, window_s: self.window_s, stdin }
    }

    /// Reads the recordings as they stream; breaks off where they turn out not to be in time order, with what
    /// standard input held.
    fn read_in_order(&mut self, progress: &mut dyn FnMut(u64)) -> ControlFlow<Option<File>> {
        match self.tracks {
            [path] => self.read_alone(path, progress),
            _ => self.read_merged(progress),
        }
    }

    fn read_alone(&mut self, path: &Path, progress: &mut dyn FnMut(u64)) -> ControlFlow<Option<File>> {
        let mut spool = None;
        if let Err(error) = self.read_one(path, &mut spool, progress) {
            self.unread(0, error);
        }
        if !self.broke_order {
            return ControlFlow::Continue(());
        }
        if let Some(spool) = &mut spool
            && let Err(error) = std::io::copy(&mut std::io::stdin(), spool)
        {
            self.unread(0, RecordingError::Open(error));
        }
        ControlFlow::Break(spool)
    }

    fn read_merged(&mut self, progress: &mut dyn FnMut(u64)) -> ControlFlow<Option<File>> {
        let mut sources = self.sources(None);
        if let Some(number) = self.tracks.iter().position(|path| path.as_os_str() == "-") {
            match order::put_stdin_aside() {
                Ok(stdin) => sources.stdin = Some(stdin),
                Err(error) => self.unread(number, error),
            }
        }
        match sources.merged(&mut Judging { run: self, progress }) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(()) => ControlFlow::Break(sources.stdin),
        }
    }

    /// Reads all recordings and judges what they hold in order of time.
    fn read_sorted(&mut self, stdin: Option<File>, progress: &mut dyn FnMut(u64)) {
        self.sources(stdin).sorted(&mut Judging { run: self, progress });
    }

    /// Reads the only recording. Standard input is kept for being read again.
    fn read_one(
        &mut self,
        path: &Path,
        spool: &mut Option<File>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), RecordingError> {
        let options = &self.job.read;
        let recording = if path.as_os_str() == "-" {
            let file = tempfile::tempfile().map_err(RecordingError::Open)?;
            let tee = Tee { input: std::io::stdin(), spool: file.try_clone().map_err(RecordingError::Open)? };
            *spool = Some(file);
            Recording::from_reader("-", tee, options)?
        } else {
            Recording::open(path, options)?
        };
        self.is_log = recording.format().is_log;
        let mut reading = Reading { run: self, progress };
        let mut strays = Strays::new(&mut reading);
        let read = recording.read(options, &mut strays);
        // Where the order broke all is read anew, whatever comes of this.
        let _ = strays.finish();
        read
    }

    #[inline]
    fn take(&mut self, position: u64, observation: &Observation) -> ControlFlow<()> {
        if self.is_cut && !is_wanted(observation, self.job.from, self.job.to) {
            return ControlFlow::Continue(());
        }
        if let Some(t) = observation.t() {
            if t >= self.newest {
                self.newest = t;
            } else if self.newest.seconds_since(t) > self.window_s && !(self.is_log && self.is_late(observation)) {
                self.broke_order = true;
                return ControlFlow::Break(());
            }
        }
        self.put(position, observation);
        ControlFlow::Continue(())
    }

    /// Has an observation judged, after what the user says about its vessel.
    #[inline]
    fn put(&mut self, position: u64, observation: &Observation) {
        if self.tracks.len() > 1
            && let Observation::Fix(vessel, _) = observation
        {
            let number = (position >> LINE_BITS) as usize;
            match self.origins.get_mut(vessel) {
                Some((first, other)) if *first != number => *other = other.or(Some(number)),
                Some(_) => {}
                None => {
                    self.origins.insert(vessel.clone(), (number, None));
                }
            }
        }
        let Some(declared) = &mut self.declared else { return self.judge(position, observation) };
        let mut completed = observation.clone();
        if let Some(profile) = declared.before(&mut completed) {
            self.judge(position, &profile);
        }
        self.judge(position, &completed);
    }

    fn step(&mut self, progress: &mut dyn FnMut(u64)) {
        self.records += 1;
        if self.records.is_multiple_of(8192) {
            progress(self.records);
        }
    }

    /// Whether a fix is too old for its own vessel, whatever the others have sent.
    fn is_late(&mut self, observation: &Observation) -> bool {
        match observation {
            Observation::Fix(vessel, fix) => self.engine.engine(&mut self.events).is_late(vessel, fix.t),
            _ => false,
        }
    }

    fn judge(&mut self, position: u64, observation: &Observation) {
        self.engine.observe(position, observation, &mut self.events);
        if let Observation::Fix(vessel, fix) = observation {
            match &mut self.outcome.period {
                Some((first, last)) => (*first, *last) = ((*first).min(fix.t), (*last).max(fix.t)),
                None => self.outcome.period = Some((fix.t, fix.t)),
            }
            note_tracker(vessel, fix, &mut self.outcome.trackers);
            if self.keeps_path_of(vessel) {
                self.kept.take(vessel, fix, position);
            }
        }
        if !self.events.is_empty() {
            self.gather_events();
        }
    }

    fn keeps_path_of(&self, vessel: &VesselId) -> bool {
        match self.job.paths {
            Keep::Nothing => false,
            Keep::Asked => self.job.vessel.as_ref().is_none_or(|only| only == vessel),
            Keep::All => true,
        }
    }

    fn gather_events(&mut self) {
        let mut events = std::mem::take(&mut self.events);
        for event in events.drain(..) {
            match event {
                Event::Accepted { count } => self.outcome.fixes.accepted += count,
                Event::Appeared { vessel } => {
                    self.seen.insert(vessel, ());
                }
                Event::Refused { position, vessel, t, reason } => self.refuse(position, &vessel, t, reason),
                Event::Idle { what } => Unused::count_in(&mut self.outcome.unused, &what, false),
                Event::Lifted { rule, permit, .. } => *self.outcome.lifts.entry((rule, permit)).or_default() += 1,
                Event::Finding(finding) if finding.status == Status::Closed => self.outcome.findings.push(*finding),
                Event::Finding(_) => {}
            }
        }
        self.events = events;
    }

    fn refuse(&mut self, position: u64, vessel: &VesselId, t: EventTime, reason: RefusalReason) {
        self.kept.refuse(vessel, position, t, reason);
        self.count(reason, position, |_| format!("{vessel} at {t}"));
    }

    fn count(&mut self, reason: RefusalReason, position: u64, detail: impl FnOnce(&Self) -> String) {
        *self.outcome.fixes.refused.entry(reason).or_default() += 1;
        if self.outcome.examples.get(&reason).is_none_or(|named| named.len() < EXAMPLES) {
            let file = self.tracks.get((position >> LINE_BITS) as usize).map(|path| path.display().to_string());
            let line = position & ((1 << LINE_BITS) - 1);
            let example = format!("{}:{line}: {}", file.unwrap_or_default(), detail(self));
            self.outcome.examples.entry(reason).or_default().push(example);
        }
    }

    fn unread(&mut self, number: usize, error: RecordingError) {
        let name = self.tracks.get(number).map(|path| path.display().to_string());
        self.outcome.unread.push((name.unwrap_or_default(), error));
    }

    /// Vessels that are one only because documents give their tracks the same name.
    fn shared(&self) -> BTreeMap<VesselId, [String; 2]> {
        let only_names = |number: usize| {
            let recording = self.tracks.get(number).and_then(|path| Recording::open(path, &self.job.read).ok());
            recording.is_some_and(|recording| !recording.format().is_log && recording.format().name != "csv")
        };
        let name = |number: usize| self.tracks.get(number).map(|path| path.display().to_string()).unwrap_or_default();
        let origins = self.origins.iter().filter(|_| self.job.read.vessel.is_none());
        let both = origins.filter_map(|(vessel, (first, other))| Some((vessel, *first, (*other)?)));
        let both = both.filter(|(_, first, other)| only_names(*first) && only_names(*other));
        both.map(|(vessel, first, other)| (vessel.clone(), [name(first), name(other)])).collect()
    }

    fn finish(mut self) -> Outcome {
        self.outcome.shared = self.shared();
        let engine = self.engine.engine(&mut self.events);
        engine.finish(&mut self.events);
        self.outcome.accounts = engine.accounts();
        self.gather_events();
        self.outcome.vessels = std::mem::take(&mut self.seen).into_keys().collect();
        std::mem::take(&mut self.kept).put_in(&mut self.outcome, &self.motion);
        if let Some(vessel) = &self.job.vessel {
            self.outcome.findings.retain(|finding| finding.vessel == *vessel);
            self.outcome.accounts.retain(|(id, _)| id == vessel);
        }
        self.outcome
            .findings
            .sort_by(|a, b| (a.start, a.rule, &a.vessel, &a.id).cmp(&(b.start, b.rule, &b.vessel, &b.id)));
        self.outcome
    }
}

/// Reads, and keeps what was read.
struct Tee<R> {
    input: R,
    spool: File,
}

impl<R: Read> Read for Tee<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.spool.write_all(&buffer[..read])?;
        Ok(read)
    }
}

/// Reads the only recording and watches its order.
struct Reading<'r, 'j> {
    run: &'r mut Run<'j>,
    progress: &'r mut dyn FnMut(u64),
}

impl Sink for Reading<'_, '_> {
    #[inline]
    fn observation(&mut self, place: Place, observation: &Observation) -> ControlFlow<()> {
        self.run.step(self.progress);
        self.run.take(order::position(0, place), observation)
    }

    fn refused(&mut self, place: Place, refusal: Refusal) {
        self.run.count(refusal.reason, order::position(0, place), |_| refusal.detail);
    }

    fn unused(&mut self, _: Place, what: &dyn fmt::Display, is_refused: bool) {
        Unused::count_in(&mut self.run.outcome.unused, what, is_refused);
    }
}

/// Judges a log that is in order.
struct Judging<'r, 'j> {
    run: &'r mut Run<'j>,
    progress: &'r mut dyn FnMut(u64),
}

impl Log for Judging<'_, '_> {
    fn observation(&mut self, position: u64, observation: Observation) {
        self.run.step(self.progress);
        self.run.put(position, &observation);
    }

    fn refused(&mut self, position: u64, refusal: Refusal) {
        self.run.count(refusal.reason, position, |_| refusal.detail);
    }

    fn unused(&mut self, what: &dyn fmt::Display, is_refused: bool) {
        Unused::count_in(&mut self.run.outcome.unused, what, is_refused);
    }

    fn unread(&mut self, number: usize, error: RecordingError) {
        self.run.unread(number, error);
    }
}
