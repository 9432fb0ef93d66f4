//! A recording: a file or standard input, packed or not, and the format its content shows.
//!
//! What a recording is, is told by a bounded look at its beginning, not by its name alone. Reading
//! gives observations and refusals to a [`Sink`] in file order, without sorting.

use std::fs::File;
use std::io::{self, BufRead, Read, Seek};
use std::ops::ControlFlow;
use std::path::Path;

use chrono::{FixedOffset, NaiveDate};

use super::{FORMATS, container};
use crate::observation::{Observation, Refusal, VesselId};
use crate::units::SpeedUnit;

/// The longest line or XML piece that is read; a longer one is refused as a whole.
pub(super) const LINE_BYTES_MAX: usize = 1 << 20;

/// No recording is blank, or without a line end, for longer than this.
const NOTHING_BYTES_MAX: u64 = 64 << 20;

/// A format of recordings: how it is recognised and read.
pub struct Format {
    /// What `--as` calls it.
    pub name: &'static str,
    /// Whether records stand in the order in which they came, so that one can come too late. The records of
    /// a document or table came in no order: they are sorted by time, and none is late.
    pub is_log: bool,
    /// Whether a recording that begins with `head` and has this file name (in lower case, without `.gz`)
    /// is of this format.
    pub recognise: fn(head: &[u8], file_name: &str) -> bool,
    /// Reads a recording to its end or until the sink breaks off.
    pub read: fn(&mut dyn BufRead, &ReadOptions, &mut dyn Sink) -> Result<(), RecordingError>,
}

/// Where in a recording something stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line, counted from 1; in a recording without lines the record.
    pub line: u64,
}

/// Takes what a recording holds.
pub trait Sink {
    /// One observation. `Break` ends the reading.
    fn observation(&mut self, place: Place, observation: &Observation) -> ControlFlow<()>;
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
    /// The day of the first of times that have no date.
    pub date: Option<NaiveDate>,
    /// The unit of speeds that have none.
    pub speed_unit: Option<SpeedUnit>,
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
        let mut file = File::open(path).map_err(RecordingError::Open)?;
        if file.metadata().map_err(RecordingError::Open)?.is_dir() {
            return Err(RecordingError::Open(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder, not a file",
            )));
        }
        let name = path.to_string_lossy();
        let mut head = Vec::new();
        (&file).take(container::ZIP.len() as u64).read_to_end(&mut head).map_err(RecordingError::Open)?;
        if head == container::ZIP {
            let (head, input) = container::open_archive(file).map_err(RecordingError::Open)?;
            return Self::of(&name, &head, input, options);
        }
        if head.is_empty() || file.rewind().is_err() {
            // A pipe gives its bytes only once.
            return Self::from_reader(&name, io::Cursor::new(head).chain(file), options);
        }
        Self::from_reader(&name, file, options)
    }

    /// The recording that `input` holds; `name` is its path, or `-` for standard input, which is taken for
    /// NDJSON where its beginning shows nothing else.
    ///
    /// # Errors
    /// As [`Recording::open`].
    pub fn from_reader(name: &str, input: impl Read + 'static, options: &ReadOptions) -> Result<Self, RecordingError> {
        let (head, input) = container::open(input, name == "-").map_err(RecordingError::Open)?;
        Self::of(name, &head, input, options)
    }

    fn of(name: &str, head: &[u8], input: Box<dyn BufRead>, options: &ReadOptions) -> Result<Self, RecordingError> {
        let format = match &options.format {
            Some(name) => FORMATS
                .iter()
                .find(|format| format.name.eq_ignore_ascii_case(name))
                .ok_or_else(|| RecordingError::UnknownFormat { name: name.clone() })?,
            None => recognise(head, name).ok_or_else(|| RecordingError::Unrecognised { seen: seen(head) })?,
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

fn recognise(head: &[u8], name: &str) -> Option<&'static Format> {
    let lower = name.to_ascii_lowercase();
    let file_name = without_packing(&lower);
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    FORMATS
        .iter()
        .find(|format| (format.recognise)(head, file_name))
        .or_else(|| FORMATS.iter().find(|format| name == "-" && format.name == "ndjson"))
}

/// A file's name without the ending of what it is packed in.
fn without_packing(name: &str) -> &str {
    [".gz", ".zst", ".zip"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// A file's name without folders and endings.
fn file_stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let file = without_packing(file);
    match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    }
}

/// What the beginning of an unknown recording looks like.
fn seen(head: &[u8]) -> String {
    const SHOWN: usize = 40;
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    match head {
        [] => "nothing, it is empty".to_owned(),
        _ if container::is_packed(head) => "an archive inside an archive, which should be unpacked first".to_owned(),
        _ if head.iter().all(|b| *b == 0) => "nothing but zeros".to_owned(),
        _ if head.iter().step_by(2).all(|b| *b == 0) || head.iter().skip(1).step_by(2).all(|b| *b == 0) => {
            "what looks like UTF-16 without its mark, which should be saved as UTF-8".to_owned()
        }
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
    /// A line that the input does not have in one piece.
    buffer: Vec<u8>,
    /// How many bytes of the input the last line took, which are still there.
    taken: usize,
    /// How many bytes have held nothing since the last line that held something.
    nothing_bytes: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input, line: 0, buffer: Vec::new(), taken: 0, nothing_bytes: 0 }
    }

    /// The next line, `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(Place, Line<'_>)>, RecordingError> {
        self.line += 1;
        let place = Place { line: self.line };
        let damaged = |e: io::Error| RecordingError::damaged(place.line, e);
        self.input.consume(std::mem::take(&mut self.taken));
        // Mostly the input has the whole line, and it is not copied.
        let end = memchr::memchr(b'\n', self.input.fill_buf().map_err(damaged)?).filter(|end| *end <= LINE_BYTES_MAX);
        let text = match end {
            Some(end) => {
                self.taken = end + 1;
                &self.input.fill_buf().map_err(damaged)?[..end]
            }
            None => {
                self.buffer.clear();
                let limit = LINE_BYTES_MAX as u64 + 2;
                if (&mut *self.input).take(limit).read_until(b'\n', &mut self.buffer).map_err(damaged)? == 0 {
                    return Ok(None);
                }
                if self.buffer.last() == Some(&b'\n') {
                    self.buffer.pop();
                } else if self.buffer.len() as u64 == limit {
                    let rest = skip_line(self.input, NOTHING_BYTES_MAX).map_err(damaged)?;
                    self.nothing_bytes += limit + rest;
                }
                self.buffer.as_slice()
            }
        };
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.len() > LINE_BYTES_MAX {
            check_for_nothing(self.nothing_bytes, place)?;
            return Ok(Some((place, Line::TooLong(LINE_BYTES_MAX))));
        }
        self.nothing_bytes = if text.is_empty() { self.nothing_bytes + 1 } else { 0 };
        check_for_nothing(self.nothing_bytes, place)?;
        let text = if self.line == 1 { text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text) } else { text };
        Ok(Some((place, Line::Text(text))))
    }
}

fn check_for_nothing(nothing_bytes: u64, place: Place) -> Result<(), RecordingError> {
    if nothing_bytes <= NOTHING_BYTES_MAX {
        return Ok(());
    }
    let reason = "there are 64 MiB with nothing in them that could be read; is it a recording?";
    Err(RecordingError::damaged(place.line, reason))
}

/// Passes over the rest of a line, or `most` bytes of it; how many it were.
fn skip_line(input: &mut dyn BufRead, most: u64) -> io::Result<u64> {
    let mut skipped = 0;
    while skipped <= most {
        let bytes = input.fill_buf()?;
        let end = memchr::memchr(b'\n', bytes);
        let n = end.map_or(bytes.len(), |end| end + 1);
        let is_over = bytes.is_empty() || end.is_some();
        input.consume(n);
        skipped += n as u64;
        if is_over {
            break;
        }
    }
    Ok(skipped)
}
