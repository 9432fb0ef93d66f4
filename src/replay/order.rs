//! Several recordings become one log in order of event time, whatever their order on the command line.
//!
//! Recordings that are in order themselves are merged as they stream: each is read in a thread of its own from
//! where its time has come, a bounded stretch ahead, and the oldest of what has been read comes next. Where one
//! turns out not to be in order, everything is read, sorted and handed on from the start. What is late is
//! decided recording by recording: what was written down in time is not late because of another recording, and
//! in a format that is no log nothing is late.

use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use compact_str::{CompactString, ToCompactString};
use foldhash::fast::FixedState;
use indexmap::IndexMap;

use super::recording::{Place, ReadOptions, Recording, RecordingError, Sink};
use super::strays::Strays;
use crate::observation::{Observation, Refusal, RefusalReason, VesselId};
use crate::time::EventTime;

/// Bits of a log position that hold the line; the recording's number is above them.
pub(super) const LINE_BITS: u32 = 40;
/// How many entries a thread reads before it hands them over, and how many such batches wait.
const BATCH: usize = 256;
const BATCHES: usize = 2;

/// Takes the entries of a log.
pub(super) trait Log {
    /// One observation. What is not wanted leaves no trace.
    fn observation(&mut self, position: u64, observation: Observation);
    /// One record that is no observation, or a fix that is late.
    fn refused(&mut self, position: u64, refusal: Refusal);
    /// Something that gave no observation, as a [`Sink`] is told of it.
    fn unused(&mut self, what: &dyn fmt::Display, is_refused: bool);
    /// A recording that could not be read to its end.
    fn unread(&mut self, number: usize, error: RecordingError);
}

/// What is read.
pub(super) struct Sources<'a> {
    /// The recordings.
    pub tracks: &'a [PathBuf],
    /// What the user says about them.
    pub read: &'a ReadOptions,
    /// Only fixes from this instant on.
    pub from: Option<EventTime>,
    /// Only what was observed until this instant.
    pub to: Option<EventTime>,
    /// How far behind its vessel a fix may come, seconds.
    pub window_s: f64,
    /// What standard input held, where it is among the recordings and has been read to its end.
    pub stdin: Option<File>,
}

/// One entry of a recording.
enum Entry {
    Observation(Place, Observation),
    Refused(Place, Refusal),
    Unused(CompactString, bool),
}

impl Entry {
    fn t(&self) -> Option<EventTime> {
        match self {
            Self::Observation(_, observation) => observation.t(),
            Self::Refused(..) | Self::Unused(..) => None,
        }
    }
}

/// The position of a place in the log.
pub(super) fn position(number: usize, place: Place) -> u64 {
    ((number as u64) << LINE_BITS) | place.line
}

/// The newest fix of each vessel in one recording.
#[derive(Default)]
struct Newest(IndexMap<VesselId, EventTime, FixedState>);

impl Newest {
    /// Whether a fix comes too late for its vessel.
    fn is_late(&mut self, observation: &Observation, window_s: f64) -> bool {
        let Observation::Fix(vessel, fix) = observation else { return false };
        match self.0.get_mut(vessel) {
            Some(newest) if newest.seconds_since(fix.t) > window_s => true,
            Some(newest) => {
                *newest = (*newest).max(fix.t);
                false
            }
            None => {
                self.0.insert(vessel.clone(), fix.t);
                false
            }
        }
    }
}

fn late(observation: &Observation) -> Refusal {
    let vessel = observation.vessel().map_or("", VesselId::as_str);
    let t = observation.t().unwrap_or(EventTime::MIN);
    Refusal::new(RefusalReason::Late, format!("{vessel} at {t}"))
}

/// Whether an observation lies within the time that is asked for.
pub(super) fn is_wanted(observation: &Observation, from: Option<EventTime>, to: Option<EventTime>) -> bool {
    let Some(t) = observation.t() else { return true };
    let is_fix = matches!(observation, Observation::Fix(..));
    to.is_none_or(|to| t <= to) && !(is_fix && from.is_some_and(|from| t < from))
}

impl Sources<'_> {
    fn open(&self, number: usize) -> Result<Recording, RecordingError> {
        let path = &self.tracks[number];
        match &self.stdin {
            Some(stdin) if path == Path::new("-") => {
                let mut stdin = stdin.try_clone().map_err(RecordingError::Open)?;
                stdin.seek(SeekFrom::Start(0)).map_err(RecordingError::Open)?;
                Recording::from_reader("-", stdin, self.read)
            }
            _ => Recording::open(path, self.read),
        }
    }

    fn read(&self, recording: Recording, sink: &mut dyn Sink) -> Result<(), RecordingError> {
        let mut strays = Strays::new(sink);
        recording.read(self.read, &mut strays)?;
        // Where the sink broke off, it takes no more.
        let _ = strays.finish();
        Ok(())
    }

    /// Reads everything, sorts it and hands it on.
    pub(super) fn sorted(&self, log: &mut dyn Log) {
        let mut all = Vec::new();
        for number in 0..self.tracks.len() {
            if let Err(error) = self.open(number).and_then(|recording| self.gather(number, recording, &mut all, log)) {
                log.unread(number, error);
            }
        }
        hand_on_sorted(all, log);
    }

    /// Reads the first recording, which has been opened, sorts it and hands it on.
    pub(super) fn sorted_alone(&self, recording: Recording, log: &mut dyn Log) {
        let mut all = Vec::new();
        if let Err(error) = self.gather(0, recording, &mut all, log) {
            log.unread(0, error);
        }
        hand_on_sorted(all, log);
    }

    fn gather(
        &self,
        number: usize,
        recording: Recording,
        all: &mut Vec<(u64, Observation)>,
        log: &mut dyn Log,
    ) -> Result<(), RecordingError> {
        let newest = recording.format().is_log.then(Newest::default);
        self.read(recording, &mut Gathering { sources: self, number, newest, all, log })
    }

    /// Merges the recordings as they stream; breaks off where one is not in order.
    pub(super) fn merged(&self, log: &mut dyn Log) -> ControlFlow<()> {
        let (begins, are_logs): (Vec<Option<EventTime>>, Vec<bool>) =
            (0..self.tracks.len()).map(|number| self.begins(number)).unzip();
        let mut coming: Vec<usize> = (0..self.tracks.len()).collect();
        // The last one comes first; without a time it is opened at once.
        coming.sort_by_key(|number| std::cmp::Reverse((begins[*number], *number)));
        std::thread::scope(|scope| {
            let mut streams: Vec<Stream> = Vec::new();
            let mut reached = EventTime::MIN;
            loop {
                let mut first = next_of(&mut streams, log);
                // Whose time has come is opened before anything later is handed on.
                while let Some(number) = coming.last().copied()
                    && first.is_none_or(|first| begins[number] <= streams[first].t())
                {
                    coming.pop();
                    streams.push(Stream::open(number, are_logs[number], self, scope));
                    first = next_of(&mut streams, log);
                }
                let Some(first) = first else { return ControlFlow::Continue(()) };
                let stream = &mut streams[first];
                let Some(Entry::Observation(place, observation)) = stream.take() else { continue };
                let position = position(stream.number, place);
                if stream.newest.as_mut().is_some_and(|newest| newest.is_late(&observation, self.window_s)) {
                    log.refused(position, late(&observation));
                    continue;
                }
                if let Some(t) = observation.t() {
                    if reached.seconds_since(t) > self.window_s {
                        return ControlFlow::Break(());
                    }
                    reached = reached.max(t);
                }
                log.observation(position, observation);
            }
        })
    }

    /// When the first thing with a time was observed in a recording, and whether that is a log.
    fn begins(&self, number: usize) -> (Option<EventTime>, bool) {
        struct First(Option<EventTime>);
        impl Sink for First {
            fn observation(&mut self, _: Place, observation: &Observation) -> ControlFlow<()> {
                self.0 = observation.t();
                if self.0.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }
            fn refused(&mut self, _: Place, _: Refusal) {}
        }
        let mut first = First(None);
        // A fault is told when the recording is read.
        let Ok(recording) = self.open(number) else { return (None, false) };
        let is_log = recording.format().is_log;
        let _ = recording.read(self.read, &mut first);
        (first.0, is_log)
    }
}

/// Hands on what was gathered, in order of time; what has the same time keeps its order.
fn hand_on_sorted(mut all: Vec<(u64, Observation)>, log: &mut dyn Log) {
    all.sort_by_key(|(_, observation)| observation.t());
    for (position, observation) in all {
        log.observation(position, observation);
    }
}

/// Gathers what one recording holds.
struct Gathering<'g, 's> {
    sources: &'g Sources<'s>,
    number: usize,
    /// Of a log.
    newest: Option<Newest>,
    all: &'g mut Vec<(u64, Observation)>,
    log: &'g mut dyn Log,
}

impl Sink for Gathering<'_, '_> {
    fn observation(&mut self, place: Place, observation: &Observation) -> ControlFlow<()> {
        let position = position(self.number, place);
        if !is_wanted(observation, self.sources.from, self.sources.to) {
            return ControlFlow::Continue(());
        }
        let window_s = self.sources.window_s;
        if self.newest.as_mut().is_some_and(|newest| newest.is_late(observation, window_s)) {
            self.log.refused(position, late(observation));
        } else {
            self.all.push((position, observation.clone()));
        }
        ControlFlow::Continue(())
    }

    fn refused(&mut self, place: Place, refusal: Refusal) {
        self.log.refused(position(self.number, place), refusal);
    }

    fn unused(&mut self, _: Place, what: &dyn fmt::Display, is_refused: bool) {
        self.log.unused(what, is_refused);
    }
}

/// Entries read, or how the recording ended.
type Batch = Result<Vec<Entry>, RecordingError>;

/// One recording that is being read in a thread of its own.
struct Stream {
    number: usize,
    entries: std::vec::IntoIter<Entry>,
    coming: Option<Receiver<Batch>>,
    /// Of a log.
    newest: Option<Newest>,
}

impl Stream {
    fn open<'scope>(
        number: usize,
        is_log: bool,
        sources: &'scope Sources<'_>,
        scope: &'scope Scope<'scope, '_>,
    ) -> Self {
        let (out, coming) = sync_channel(BATCHES);
        scope.spawn(move || {
            let mut sending = Sending { sources, out: &out, batch: Vec::new() };
            let read = sources.open(number).and_then(|recording| sources.read(recording, &mut sending));
            // Where nobody listens any more, nobody wants to know.
            let _ = out.send(Ok(std::mem::take(&mut sending.batch)));
            if let Err(error) = read {
                let _ = out.send(Err(error));
            }
        });
        Self { number, entries: Vec::new().into_iter(), coming: Some(coming), newest: is_log.then(Newest::default) }
    }

    /// Whether there is another entry; waits for it. Tells how the recording ended, where that was too early.
    fn has_next(&mut self, log: &mut dyn Log) -> bool {
        while self.entries.as_slice().is_empty() {
            let Some(coming) = &self.coming else { return false };
            match coming.recv() {
                Ok(Ok(batch)) => self.entries = batch.into_iter(),
                Ok(Err(error)) => log.unread(self.number, error),
                Err(_) => self.coming = None,
            }
        }
        true
    }

    /// The time of the next entry.
    fn t(&self) -> Option<EventTime> {
        self.entries.as_slice().first().and_then(Entry::t)
    }

    fn take(&mut self) -> Option<Entry> {
        self.entries.next()
    }
}

/// The stream whose next entry is the oldest observation, of several the one of the first recording; all that
/// is no observation and stands before has been handed on.
fn next_of(streams: &mut Vec<Stream>, log: &mut dyn Log) -> Option<usize> {
    streams.retain_mut(|stream| {
        while stream.has_next(log) {
            match stream.entries.as_slice().first() {
                Some(Entry::Observation(..)) => return true,
                _ => match stream.take() {
                    Some(Entry::Refused(place, refusal)) => log.refused(position(stream.number, place), refusal),
                    Some(Entry::Unused(what, is_refused)) => log.unused(&what, is_refused),
                    _ => {}
                },
            }
        }
        false
    });
    (0..streams.len()).min_by_key(|ix| (streams[*ix].t(), streams[*ix].number))
}

/// Sends what is read in batches.
struct Sending<'s, 'a> {
    sources: &'s Sources<'a>,
    out: &'s SyncSender<Batch>,
    batch: Vec<Entry>,
}

impl Sending<'_, '_> {
    fn push(&mut self, entry: Entry) -> ControlFlow<()> {
        self.batch.push(entry);
        if self.batch.len() < BATCH {
            return ControlFlow::Continue(());
        }
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        match self.out.send(Ok(batch)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

impl Sink for Sending<'_, '_> {
    fn observation(&mut self, place: Place, observation: &Observation) -> ControlFlow<()> {
        if !is_wanted(observation, self.sources.from, self.sources.to) {
            return ControlFlow::Continue(());
        }
        self.push(Entry::Observation(place, observation.clone()))
    }

    fn refused(&mut self, place: Place, refusal: Refusal) {
        // Whether anybody listens shows at the next observation.
        let _ = self.push(Entry::Refused(place, refusal));
    }

    fn unused(&mut self, _: Place, what: &dyn fmt::Display, is_refused: bool) {
        let _ = self.push(Entry::Unused(what.to_compact_string(), is_refused));
    }
}

/// All of standard input, put aside so that it can be read at its time.
///
/// # Errors
/// What the disk comes to.
pub(super) fn put_stdin_aside() -> Result<File, RecordingError> {
    let mut file = tempfile::tempfile().map_err(RecordingError::Open)?;
    let mut input = std::io::stdin().lock();
    std::io::copy(&mut input.by_ref(), &mut file).map_err(RecordingError::Open)?;
    Ok(file)
}
