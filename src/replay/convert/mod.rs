//! Recordings of any format written as one recording: NDJSON, which holds all there is, or GPX, which other
//! programs read.
//!
//! A log alone keeps its order; documents, tables and several recordings are put in order of time as for judging
//! them, so that what is written is judged like what was read.

mod gpx;
mod ndjson;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use compact_str::CompactString;

use super::driver::Unused;
use super::order::{self, LINE_BITS, Log, Sources};
use super::recording::{Place, ReadOptions, Recording, RecordingError, Sink};
use super::strays::Strays;
use crate::observation::{Observation, Refusal, RefusalReason};

/// A format that recordings are written in.
#[derive(Debug)]
pub struct Target {
    /// What `--to` calls it.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub purpose: &'static str,
    writer: fn() -> Box<dyn Writer>,
}

/// All formats; the first is the default.
pub static TARGETS: &[Target] = &[ndjson::TARGET, gpx::TARGET];

/// Writes observations.
trait Writer {
    /// Takes one, and says what the format has no place for.
    fn put(&mut self, observation: Observation, out: &mut dyn Write) -> io::Result<Option<Lost>>;
    /// Writes what is still to be written.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// What a format has no place for.
enum Lost {
    /// Messages of this kind.
    Message(&'static str),
    /// This part of a message.
    Part(&'static str),
}

/// What became of the recordings.
#[derive(Debug, Default)]
pub struct Converted {
    /// How many observations were written.
    pub written: u64,
    /// What the format has no place for, and how often.
    pub lost: BTreeMap<&'static str, u64>,
    /// Records that were not written, by reason.
    pub refused: BTreeMap<RefusalReason, u64>,
    /// The first few of each reason, with their place.
    pub examples: BTreeMap<RefusalReason, Vec<String>>,
    /// What else the recordings held, and what was refused finer than by reason, each under its name.
    pub unused: BTreeMap<CompactString, Unused>,
    /// Recordings that could not be read to their end, and why.
    pub unread: Vec<(String, RecordingError)>,
}

/// How many refusals of each reason are named.
const EXAMPLES: usize = 3;

/// Reads recordings and writes them to `out`. Fixes of several recordings that, in a log, come more than `window_s` seconds
/// behind their vessel in their own recording are late and left out, as for judging.
///
/// # Errors
/// What `out`, or the disk that holds what is not finished yet, comes to.
pub fn convert(
    tracks: &[PathBuf],
    read: &ReadOptions,
    window_s: f64,
    target: &Target,
    out: &mut dyn Write,
) -> io::Result<Converted> {
    // By name, so that nothing depends on the order in which they are given.
    let mut tracks = tracks.to_vec();
    tracks.sort();
    let mut sources = Sources { tracks: &tracks, read, from: None, to: None, window_s, stdin: None };
    if let [path] = tracks.as_slice() {
        let mut converting = Converting::new(&tracks, target, out);
        let recording = match Recording::open(path, read) {
            Ok(recording) => recording,
            Err(error) => {
                converting.unread(0, error);
                return converting.finish();
            }
        };
        if recording.format().is_log {
            let mut one = One(&mut converting);
            let mut strays = Strays::new(&mut one);
            let outcome = recording.read(read, &mut strays);
            // An error of the output shows at the end.
            let _ = strays.finish();
            if let Err(error) = outcome {
                converting.unread(0, error);
            }
            return converting.finish();
        }
        // What is no file, standard input or a pipe, gives its bytes only once.
        if !path.is_file() {
            sources.sorted_alone(recording, &mut converting);
            return converting.finish();
        }
    }
    if tracks.iter().any(|path| path.as_os_str() == "-") {
        sources.stdin = Some(order::put_stdin_aside().map_err(io::Error::other)?);
    }
    let mut file = tempfile::tempfile()?;
    let mut merged = attempt(&file, &tracks, target, |log| sources.merged(log))?;
    if merged.is_none() {
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        merged = attempt(&file, &tracks, target, |log| {
            sources.sorted(log);
            ControlFlow::Continue(())
        })?;
    }
    file.seek(SeekFrom::Start(0))?;
    io::copy(&mut file, out)?;
    Ok(merged.unwrap_or_default())
}

/// Writes observations in a format of this name; what it has no place for is left out.
///
/// # Errors
/// What `out` comes to, or that there is no such format.
pub fn write(format: &str, observations: &mut dyn Iterator<Item = Observation>, out: &mut dyn Write) -> io::Result<()> {
    let target = TARGETS.iter().find(|target| target.name == format);
    let mut writer = (target.ok_or_else(|| io::Error::other(format!("{format:?} is no format")))?.writer)();
    for observation in observations {
        writer.put(observation, out)?;
    }
    writer.finish(out)
}

/// Writes to a file what `read` gives; `None` where it broke off.
fn attempt(
    file: &File,
    tracks: &[PathBuf],
    target: &Target,
    read: impl FnOnce(&mut dyn Log) -> ControlFlow<()>,
) -> io::Result<Option<Converted>> {
    let mut out = BufWriter::new(file);
    let mut converting = Converting::new(tracks, target, &mut out);
    if read(&mut converting).is_break() {
        return Ok(None);
    }
    let converted = converting.finish()?;
    out.flush()?;
    Ok(Some(converted))
}

struct Converting<'c> {
    tracks: &'c [PathBuf],
    writer: Box<dyn Writer>,
    out: &'c mut dyn Write,
    converted: Converted,
    failed: Option<io::Error>,
}

impl<'c> Converting<'c> {
    fn new(tracks: &'c [PathBuf], target: &Target, out: &'c mut dyn Write) -> Self {
        Self { tracks, writer: (target.writer)(), out, converted: Converted::default(), failed: None }
    }

    fn name(&self, number: usize) -> String {
        self.tracks.get(number).map(|path| path.display().to_string()).unwrap_or_default()
    }

    fn finish(mut self) -> io::Result<Converted> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => {
                self.writer.finish(self.out)?;
                Ok(self.converted)
            }
        }
    }
}

impl Log for Converting<'_> {
    fn observation(&mut self, _: u64, observation: Observation) {
        if self.failed.is_some() {
            return;
        }
        match self.writer.put(observation, self.out) {
            Ok(lost) => {
                self.converted.written += u64::from(!matches!(lost, Some(Lost::Message(_))));
                if let Some(Lost::Message(what) | Lost::Part(what)) = lost {
                    *self.converted.lost.entry(what).or_default() += 1;
                }
            }
            Err(error) => self.failed = Some(error),
        }
    }

    fn refused(&mut self, position: u64, refusal: Refusal) {
        let reason = refusal.reason;
        *self.converted.refused.entry(reason).or_default() += 1;
        if self.converted.examples.get(&reason).is_none_or(|named| named.len() < EXAMPLES) {
            let line = position & ((1 << LINE_BITS) - 1);
            let example = format!("{}:{line}: {}", self.name((position >> LINE_BITS) as usize), refusal.detail);
            self.converted.examples.entry(reason).or_default().push(example);
        }
    }

    fn unused(&mut self, what: &dyn fmt::Display, is_refused: bool) {
        Unused::count_in(&mut self.converted.unused, what, is_refused);
    }

    fn unread(&mut self, number: usize, error: RecordingError) {
        self.converted.unread.push((self.name(number), error));
    }
}

/// One recording in its own order.
struct One<'o, 'c>(&'o mut Converting<'c>);

impl Sink for One<'_, '_> {
    fn observation(&mut self, place: Place, observation: &Observation) -> ControlFlow<()> {
        self.0.observation(order::position(0, place), observation.clone());
        if self.0.failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn refused(&mut self, place: Place, refusal: Refusal) {
        Log::refused(self.0, order::position(0, place), refusal);
    }

    fn unused(&mut self, _: Place, what: &dyn fmt::Display, is_refused: bool) {
        Log::unused(self.0, what, is_refused);
    }
}
