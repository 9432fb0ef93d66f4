//! Judges recordings offline: reads them in order, drives the engine, gathers what comes out.
//!
//! A recording in time order is judged as it streams, in constant memory beside its findings. Where one
//! vessel's track comes after another's, or files overlap in time, pairs of vessels could not be judged
//! that way; then everything is read, sorted by event time and judged from the start. Which fixes are
//! late is decided by the order of arrival in either case, so the outcome is the same.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use serde::Serialize;

use super::recording::{Place, ReadOptions, Recording, RecordingError, Sink};
use crate::engine::{Account, Engine, Event, Offline};
use crate::findings::{Finding, Status};
use crate::geo::Position;
use crate::observation::{Observation, Refusal, RefusalReason, VesselId};
use crate::rulebook::Rulebook;
use crate::time::EventTime;
use crate::zones::Map;

/// What to judge.
#[derive(Debug, Clone, Default)]
pub struct Job {
    /// The recordings, read one after the other.
    pub tracks: Vec<PathBuf>,
    /// What the user says about them.
    pub read: ReadOptions,
    /// Only fixes from this instant on.
    pub from: Option<EventTime>,
    /// Only what was observed until this instant.
    pub to: Option<EventTime>,
    /// Only findings about this vessel.
    pub vessel: Option<VesselId>,
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
    /// How often a permit lifted a rule, by rule and permit area.
    pub lifts: BTreeMap<(&'static str, Arc<str>), u64>,
    /// What could be judged, where asked for.
    pub accounts: Vec<(VesselId, Account)>,
    /// The first and last event time of any fix.
    pub period: Option<(EventTime, EventTime)>,
    /// The accepted fixes of each vessel in order of time, where asked for.
    pub paths: BTreeMap<VesselId, Vec<(EventTime, Position)>>,
    /// The towing vessel of each tracker on a towed person, where paths were asked for.
    pub towed: BTreeMap<VesselId, VesselId>,
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

/// How many refusals of each reason are named.
const EXAMPLES: usize = 3;
/// Bits of a log position that hold the line; the file's number is above them.
const LINE_BITS: u32 = 40;

/// Judges recordings. `progress` is told, now and then, how many records have been read.
pub fn judge(job: &Job, map: &Arc<Map>, rulebook: &Arc<Rulebook>, progress: &mut dyn FnMut(u64)) -> Outcome {
    let mut run = Run::new(job, Engine::new(map.clone(), rulebook.clone()), rulebook, false);
    if run.read_all(progress).is_break() {
        let mut sorted = Run::new(job, Engine::new(map.clone(), rulebook.clone()), rulebook, true);
        sorted.spool = run.spool.take();
        // Without the streaming judge nothing breaks off.
        let _ = sorted.read_all(progress);
        run = sorted;
    }
    run.finish()
}

struct Run<'j> {
    job: &'j Job,
    engine: Offline,
    outcome: Outcome,
    events: Vec<Event>,
    file: u64,
    newest: EventTime,
    window_s: f64,
    /// Where everything is gathered to be sorted: the observations and each vessel's newest fix.
    gathered: Option<Gathered>,
    /// What of standard input has been read, so that it can be read again.
    spool: Option<File>,
    seen: IndexMap<VesselId, (), FixedState>,
    /// The fixes handed to the engine and not refused by it, with their places in the log.
    kept: BTreeMap<VesselId, Vec<(u64, EventTime, Position)>>,
    broke_order: bool,
    records: u64,
}

#[derive(Default)]
struct Gathered {
    observations: Vec<(u64, Observation)>,
    newest: IndexMap<VesselId, EventTime, FixedState>,
}

impl<'j> Run<'j> {
    fn new(job: &'j Job, mut engine: Engine, rulebook: &Rulebook, sorts: bool) -> Self {
        if job.accounts {
            engine.keep_accounts();
        }
        Self {
            job,
            engine: Offline::new(engine),
            outcome: Outcome::default(),
            events: Vec::new(),
            file: 0,
            newest: EventTime::MIN,
            window_s: rulebook.motion.reorder_window_s,
            gathered: sorts.then(Gathered::default),
            spool: None,
            seen: IndexMap::default(),
            kept: BTreeMap::new(),
            broke_order: false,
            records: 0,
        }
    }

    /// Reads all recordings; breaks off where they turn out not to be in time order.
    fn read_all(&mut self, progress: &mut dyn FnMut(u64)) -> ControlFlow<()> {
        for (number, path) in self.job.tracks.iter().enumerate() {
            self.file = number as u64;
            let name = path.display().to_string();
            let opened = if name == "-" { self.open_stdin() } else { Recording::open(path, &self.job.read) };
            let read = opened.and_then(|recording| {
                let mut reading = Reading { run: self, progress };
                recording.read(&reading.run.job.read.clone(), &mut reading)
            });
            if self.broke_order {
                return ControlFlow::Break(());
            }
            if let Err(error) = read {
                self.outcome.unread.push((name, error));
            }
        }
        if let Some(mut gathered) = self.gathered.take() {
            gathered.observations.sort_by_key(|(_, observation)| observation.t());
            for (position, observation) in &gathered.observations {
                self.judge(*position, observation);
            }
        }
        ControlFlow::Continue(())
    }

    /// Standard input, after what of it was read before, and kept for being read again.
    fn open_stdin(&mut self) -> Result<Recording, RecordingError> {
        let open = |error| RecordingError::Open(error);
        if let Some(mut spool) = self.spool.take() {
            spool.seek(SeekFrom::Start(0)).map_err(open)?;
            return Recording::from_reader("-", spool.chain(std::io::stdin()), &self.job.read);
        }
        let spool = tempfile::tempfile().map_err(open)?;
        self.spool = Some(spool.try_clone().map_err(open)?);
        Recording::from_reader("-", Tee { input: std::io::stdin(), spool }, &self.job.read)
    }

    #[inline]
    fn take(&mut self, place: Place, observation: Observation) -> ControlFlow<()> {
        let position = (self.file << LINE_BITS) | place.line;
        if let Some(t) = observation.t() {
            let is_fix = matches!(observation, Observation::Fix(..));
            if self.job.to.is_some_and(|to| t > to) || (is_fix && self.job.from.is_some_and(|from| t < from)) {
                return ControlFlow::Continue(());
            }
        }
        match &mut self.gathered {
            Some(gathered) => {
                if let Observation::Fix(vessel, fix) = &observation {
                    match gathered.newest.get_mut(vessel) {
                        Some(newest) if newest.seconds_since(fix.t) > self.window_s => {
                            let (vessel, t) = (vessel.clone(), fix.t);
                            self.refuse(position, &vessel, t, RefusalReason::Late);
                            return ControlFlow::Continue(());
                        }
                        Some(newest) => *newest = (*newest).max(fix.t),
                        None => {
                            gathered.newest.insert(vessel.clone(), fix.t);
                        }
                    }
                }
                gathered.observations.push((position, observation));
                ControlFlow::Continue(())
            }
            None => {
                if let Some(t) = observation.t() {
                    if self.newest.seconds_since(t) > self.window_s && !self.is_late(&observation) {
                        self.broke_order = true;
                        return ControlFlow::Break(());
                    }
                    self.newest = self.newest.max(t);
                }
                self.judge(position, &observation);
                ControlFlow::Continue(())
            }
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
            let (first, last) = self.outcome.period.unwrap_or((fix.t, fix.t));
            self.outcome.period = Some((first.min(fix.t), last.max(fix.t)));
            if self.keeps_path_of(vessel) {
                self.kept.entry(vessel.clone()).or_default().push((position, fix.t, fix.position));
                if let Some(by) = &fix.towed_by {
                    self.outcome.towed.insert(vessel.clone(), by.clone());
                }
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
                Event::Accepted => self.outcome.fixes.accepted += 1,
                Event::Appeared { vessel } => {
                    self.seen.insert(vessel, ());
                }
                Event::Refused { position, vessel, t, reason } => self.refuse(position, &vessel, t, reason),
                Event::Lifted { rule, permit, .. } => *self.outcome.lifts.entry((rule, permit)).or_default() += 1,
                Event::Finding(finding) if finding.status == Status::Closed => self.outcome.findings.push(*finding),
                Event::Finding(_) => {}
            }
        }
        self.events = events;
    }

    fn refuse(&mut self, position: u64, vessel: &VesselId, t: EventTime, reason: RefusalReason) {
        if let Some(kept) = self.kept.get_mut(vessel)
            // The engine refuses soon after it has been handed a fix, so that is near the end.
            && let Some(at) = kept.iter().rposition(|fix| (fix.0, fix.1) == (position, t))
        {
            kept.remove(at);
        }
        self.count(reason, position, |_| format!("{vessel} at {t}"));
    }

    fn count(&mut self, reason: RefusalReason, position: u64, detail: impl FnOnce(&Self) -> String) {
        *self.outcome.fixes.refused.entry(reason).or_default() += 1;
        if self.outcome.examples.get(&reason).is_none_or(|named| named.len() < EXAMPLES) {
            let file = self.job.tracks.get((position >> LINE_BITS) as usize).map(|path| path.display().to_string());
            let line = position & ((1 << LINE_BITS) - 1);
            let example = format!("{}:{line}: {}", file.unwrap_or_default(), detail(self));
            self.outcome.examples.entry(reason).or_default().push(example);
        }
    }

    fn finish(mut self) -> Outcome {
        let engine = self.engine.engine(&mut self.events);
        engine.finish(&mut self.events);
        self.outcome.accounts = engine.accounts();
        self.gather_events();
        self.outcome.vessels = std::mem::take(&mut self.seen).into_keys().collect();
        for (vessel, mut kept) in std::mem::take(&mut self.kept) {
            kept.sort_by_key(|fix| fix.1);
            self.outcome.paths.insert(vessel, kept.into_iter().map(|(_, t, position)| (t, position)).collect());
        }
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

struct Reading<'r, 'j> {
    run: &'r mut Run<'j>,
    progress: &'r mut dyn FnMut(u64),
}

impl Sink for Reading<'_, '_> {
    fn observation(&mut self, place: Place, observation: Observation) -> ControlFlow<()> {
        self.run.records += 1;
        if self.run.records.is_multiple_of(8192) {
            (self.progress)(self.run.records);
        }
        self.run.take(place, observation)
    }

    fn refused(&mut self, place: Place, refusal: Refusal) {
        let position = (self.run.file << LINE_BITS) | place.line;
        self.run.count(refusal.reason, position, |_| refusal.detail);
    }
}
