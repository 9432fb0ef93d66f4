//! NMEA 0183 logs: the own boat's receiver and the vessels heard by AIS, in one file.
//!
//! Lines may have a logger's time in front, a tag block, a time behind. A file is known by a whole sentence with its
//! checksum among its first lines, whatever its name. What is read how is [`crate::ingest::nmea`]'s to say. The own
//! boat is called as the user says, else as the file; the others are called by their MMSI.

use std::io::BufRead;
use std::ops::ControlFlow;

use crate::ingest::nmea::{Entry, Frames, Reader, Settings};
use crate::replay::recording::{Format, Line, Lines, Place, ReadOptions, RecordingError, Sink};

pub(super) const FORMAT: Format = Format { name: "nmea", is_log: true, recognise, read };

/// How many of the first sentences of a file may be damaged.
const LOOKED_AT: usize = 20;

fn recognise(head: &[u8], file_name: &str) -> bool {
    if [".nmea", ".nm4"].iter().any(|end| file_name.ends_with(end)) {
        return true;
    }
    // JSON may carry sentences as texts; it is not for this format to read.
    if matches!(head.trim_ascii_start(), [b'{' | b'[' | b'<', ..]) {
        return false;
    }
    let sentences = head.split(|byte| *byte == b'\n').flat_map(Frames::of);
    sentences.take(LOOKED_AT).flatten().any(|frame| frame.formatter().is_some())
}

fn read(input: &mut dyn BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
    let mut reader = Reader::new(Settings {
        vessel: options.vessel.clone().or_else(|| options.file_vessel.clone()),
        date: options.date,
        utc_offset: options.utc_offset,
    });
    let mut taken = Taken { sink, ended: Ok(ControlFlow::Continue(())) };
    let mut lines = Lines::new(input);
    while let Some((_, line)) = lines.next()? {
        match line {
            Line::Text(text) => reader.line(text, None, &mut |line, entry| taken.take(line, entry)),
            Line::TooLong(limit) => {
                let detail = format!("the line is longer than {limit} bytes");
                reader.skip_line(detail, &mut |line, entry| taken.take(line, entry));
            }
        }
        if !matches!(taken.ended, Ok(ControlFlow::Continue(()))) {
            return taken.ended.map(drop);
        }
    }
    reader.finish(&mut |line, entry| taken.take(line, entry));
    taken.ended.map(drop)
}

/// Hands on what comes out of the reader, until the sink breaks off or the log has to be asked for something.
struct Taken<'a> {
    sink: &'a mut dyn Sink,
    ended: Result<ControlFlow<()>, RecordingError>,
}

impl Taken<'_> {
    fn take(&mut self, line: u64, entry: Entry) {
        if !matches!(self.ended, Ok(ControlFlow::Continue(()))) {
            return;
        }
        let place = Place { line };
        match entry {
            Entry::Observation(observation) => self.ended = Ok(self.sink.observation(place, &observation)),
            Entry::Refused(cause, refusal) => {
                self.sink.unused(place, &cause, true);
                self.sink.refused(place, refusal);
            }
            Entry::Unused(cause) => self.sink.unused(place, &cause, false),
            Entry::Needs(need) => self.ended = Err(RecordingError::needs(line, need.to_string())),
        }
    }
}
