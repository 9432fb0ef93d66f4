//! A recording: a file or standard input, plain or gzipped, and the format its content shows.
//!
//! What a recording is, is told by a bounded look at its beginning, not by its name alone. Reading
//! gives observations and refusals to a [`Sink`] in file order, without sorting.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::ops::ControlFlow;
use std::path::Path;

use chrono::{FixedOffset, NaiveDate};
use flate2::bufread::MultiGzDecoder;

use super::FORMATS;
use crate::observation::{Observation, Refusal, VesselId};
use crate::units::SpeedUnit;

/// How much of a recording is looked at to recognise it.
const HEAD_BYTES: u64 = 4096;

/// The longest line or XML piece that is read; a longer one is refused as a whole.
pub(super) const LINE_BYTES_MAX: usize = 1 << 20;

/// A format of recordings: how it is recognised and read.
pub struct Format {
    /// What `--as` calls it.
    pub name: &'static str,
    /// Whether a recording that begins with `head` and has this file name (in lower case, without `.gz`)
    /// is of this format.
    pub recognise: fn(head: &[u8], file_name: &str) -> bool,
    /// Reads a recording to its end or until the sink breaks off.
    pub read: fn(&mut dyn BufRead, &ReadOptions, &mut dyn Sink) -> Result<(), RecordingError>,
}

/// Where in a recording something stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line, counted from 1.
    pub line: u64,
}

/// Takes what a recording holds.
pub trait Sink {
    /// One observation. `Break` ends the reading.
    fn observation(&mut self, place: Place, observation: Observation) -> ControlFlow<()>;
    /// One record that is no observation, and why.
    fn refused(&mut self, place: Place, refusal: Refusal);
    /// Something that gave no observation, by what it was: finer than a refusal's reason where it was refused as well
    /// (`is_refused`), and the only word of it where it was not meant to be one.
    fn unused(&mut self, _place: Place, _what: &dyn std::fmt::Display, _is_refused: bool) {}
}

/// What the user says about a recording because it does not say so itself.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Whose track it is, where the records do not say.
    pub vessel: Option<VesselId>,
    /// The offset from UTC of times that have none.
    pub utc_offset: Option<FixedOffset>,
    /// The unit of speeds that have none.
    pub speed_unit: Option<SpeedUnit>,
    /// The day of the first time, in UTC, where times have no date.
    pub date: Option<NaiveDate>,
    /// The format's name, where the content is not to decide (`--as`).
    pub format: Option<String>,
    /// Whose track it is where nothing else says so: [`Recording::read`] makes it of the file's name.
    pub file_vessel: Option<VesselId>,
}

/// Why a whole recording cannot be read, or not to its end. The caller says which recording it was.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It cannot be opened or its beginning cannot be read.
    #[error("cannot be opened: {0}")]
    Open(#[source] io::Error),
    /// Its content is of no known format.
    #[error(
        "not a format that is known: it begins with {seen}; known are {known}; say which one it is with --as",
        known = known_formats()
    )]
    Unrecognised {
        /// What its beginning looks like.
        seen: String,
    },
    /// `--as` names no format.
    #[error("{name:?} is no format of recordings; known are {known}", known = known_formats())]
    UnknownFormat {
        /// The name given.
        name: String,
    },
    /// It breaks off: an error of the disk or of the compression, or no more XML.
    #[error("line {line}: cannot be read further: {reason}", line = place.line)]
    Damaged {
        /// Where.
        place: Place,
        /// What happened.
        reason: String,
    },
    /// It leaves out something that must not be guessed, or lacks a column.
    #[error("line {line}: {reason}", line = place.line)]
    Needs {
        /// Where that was noticed.
        place: Place,
        /// What is missing and with which option to say it.
        reason: String,
    },
}

fn known_formats() -> String {
    FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
}

impl RecordingError {
    /// A recording that breaks off at a line.
    pub(super) fn damaged(line: u64, reason: impl ToString) -> Self {
        Self::Damaged { place: Place { line }, reason: reason.to_string() }
    }

    /// A recording that leaves out what must not be guessed.
    pub(super) fn needs(line: u64, reason: impl Into<String>) -> Self {
        Self::Needs { place: Place { line }, reason: reason.into() }
    }
}

/// An opened recording.
pub struct Recording {
    name: String,
    format: &'static Format,
    input: Box<dyn BufRead>,
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("name", &self.name).field("format", &self.format.name).finish_non_exhaustive()
    }
}

impl Recording {
    /// Opens a file, or standard input for `-`, and recognises its format unless the options name it.
    ///
    /// # Errors
    /// [`RecordingError::Open`], [`RecordingError::Unrecognised`], [`RecordingError::UnknownFormat`].
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, RecordingError> {
        if path == Path::new("-") {
            return Self::from_reader("-", io::stdin(), options);
        }
        let file = File::open(path).map_err(RecordingError::Open)?;
        if file.metadata().map_err(RecordingError::Open)?.is_dir() {
            return Err(RecordingError::Open(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder, not a file",
            )));
        }
        Self::from_reader(&path.to_string_lossy(), file, options)
    }

    /// The recording that `input` holds; `name` is its path, or `-` for standard input, which is taken for
    /// NDJSON where its beginning shows nothing else.
    ///
    /// # Errors
    /// As [`Recording::open`].
    pub fn from_reader(name: &str, input: impl Read + 'static, options: &ReadOptions) -> Result<Self, RecordingError> {
        let is_stdin = name == "-";
        let plain = Box::new(BufReader::with_capacity(1 << 16, input));
        let (mut head, mut input) = peek(plain, is_stdin).map_err(RecordingError::Open)?;
        if head.starts_with(&[0x1f, 0x8b]) {
            let plain = Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(input)));
            (head, input) = peek(plain, is_stdin).map_err(RecordingError::Open)?;
        }
        let format = match &options.format {
            Some(name) => FORMATS
                .iter()
                .find(|format| format.name.eq_ignore_ascii_case(name))
                .ok_or_else(|| RecordingError::UnknownFormat { name: name.clone() })?,
            None => recognise(&head, name).ok_or_else(|| RecordingError::Unrecognised { seen: seen(&head) })?,
        };
        Ok(Self { name: name.to_owned(), format, input })
    }

    /// Its path, or `-`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Reads it to its end, or until the sink breaks off.
    ///
    /// # Errors
    /// [`RecordingError::Damaged`] where it breaks off (what came before has been handed on) and
    /// [`RecordingError::Needs`] where it leaves out what must not be guessed.
    pub fn read(mut self, options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
        let file_vessel = VesselId::from_foreign(file_stem(&self.name)).filter(|_| self.name != "-");
        let options = ReadOptions { file_vessel, ..options.clone() };
        (self.format.read)(&mut *self.input, &options, sink)
    }
}

/// The beginning of `input` and an input that still has it. Of standard input only what is there
/// already, so that a live stream is not held up.
fn peek(mut input: Box<dyn BufRead>, is_stream: bool) -> io::Result<(Vec<u8>, Box<dyn BufRead>)> {
    let mut head = Vec::new();
    if is_stream {
        head.extend_from_slice(input.fill_buf()?);
        head.truncate(HEAD_BYTES as usize);
        return Ok((head, input));
    }
    let read = input.by_ref().take(HEAD_BYTES).read_to_end(&mut head);
    // A gzip stream that breaks off early is still recognised; reading comes to the same error again.
    if head.is_empty() {
        read?;
    }
    Ok((head.clone(), Box::new(Cursor::new(head).chain(input))))
}

fn recognise(head: &[u8], name: &str) -> Option<&'static Format> {
    let lower = name.to_ascii_lowercase();
    let file_name = lower.strip_suffix(".gz").unwrap_or(&lower);
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    FORMATS
        .iter()
        .find(|format| (format.recognise)(head, file_name))
        .or_else(|| FORMATS.iter().find(|format| name == "-" && format.name == "ndjson"))
}

/// A file's name without folders and endings.
fn file_stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let file = file.strip_suffix(".gz").unwrap_or(file);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    }
}

/// What the beginning of an unknown recording looks like.
fn seen(head: &[u8]) -> String {
    const SHOWN: usize = 40;
    match head {
        [] => "nothing, it is empty".to_owned(),
        [b'P', b'K', 3, 4, ..] => "a zip archive, which should be unpacked first".to_owned(),
        [0x1f, 0x8b, ..] => "gzip inside gzip, which should be unpacked first".to_owned(),
        _ => format!("\"{}\"", head[..head.len().min(SHOWN)].escape_ascii()),
    }
}

/// One line of a recording.
pub(super) enum Line<'a> {
    /// Its bytes, without the line end.
    Text(&'a [u8]),
    /// It was longer than this many bytes and has been passed over.
    TooLong(usize),
}

/// The lines of an input, of bounded length, each with its place. The last needs no line end.
pub(super) struct Lines<'a> {
    input: &'a mut dyn BufRead,
    line: u64,
    buffer: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input, line: 0, buffer: Vec::new() }
    }

    /// The next line, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Place, Line<'_>)>, RecordingError> {
        self.line += 1;
        let place = Place { line: self.line };
        let damaged = |e: io::Error| RecordingError::damaged(place.line, e);
        self.buffer.clear();
        let limit = LINE_BYTES_MAX as u64 + 2;
        if (&mut *self.input).take(limit).read_until(b'\n', &mut self.buffer).map_err(damaged)? == 0 {
            return Ok(None);
        }
        if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
        } else if self.buffer.len() as u64 == limit {
            self.input.skip_until(b'\n').map_err(damaged)?;
        }
        if self.buffer.last() == Some(&b'\r') {
            self.buffer.pop();
        }
        if self.buffer.len() > LINE_BYTES_MAX {
            return Ok(Some((place, Line::TooLong(LINE_BYTES_MAX))));
        }
        let text = self.buffer.as_slice();
        let text = if self.line == 1 { text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) } else { text };
        Ok(Some((place, Line::Text(text))))
    }
}
