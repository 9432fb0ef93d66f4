//! Tables with a header: one track point a line, columns recognised by their names.
//!
//! The delimiter (`,`, `;`, `|` or tab) is the header's. Numbers may have a decimal comma. A line that is no
//! UTF-8 is read as Latin-1. A quoted field that runs over a line end is not read. Of tables of decoded AIS
//! (see `columns`) also what vessels say about themselves is handed on; their base stations and aids to
//! navigation are counted and not used.

use std::io::BufRead;
use std::ops::ControlFlow;

use csv_core::{ReadRecordResult, ReaderBuilder};

use super::columns::{Columns, Header};
use super::published::{self, Profiles};
use super::record::Records;
use crate::observation::{Observation, Refusal};
use crate::replay::recording::{Format, Line, Lines, ReadOptions, RecordingError, Sink};
use crate::units::Length;

pub(super) const FORMAT: Format = Format { name: "csv", is_log: false, recognise, read };

/// A line with more columns is refused.
const COLUMNS_MAX: usize = 1024;

fn recognise(head: &[u8], file_name: &str) -> bool {
    if [".csv", ".tsv"].iter().any(|end| file_name.ends_with(end)) {
        return true;
    }
    let first_line = head.split(|b| *b == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or(b"");
    let mut table = Table::new(delimiter(first_line));
    table.split(first_line).is_ok_and(|names| Header::new(names).has_position())
}

fn read(input: &mut dyn BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
    let mut lines = Lines::new(input);
    let (mut table, columns) = loop {
        let Some((place, line)) = lines.next()? else {
            return Err(RecordingError::needs(1, "there is no header with the names of the columns"));
        };
        let Line::Text(line) = line else {
            return Err(RecordingError::needs(place.line, "the header is too long"));
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let mut table = Table::new(delimiter(line));
        let header = Header::new(table.split(line).map_err(|e| RecordingError::needs(place.line, e))?);
        let columns = header.of_table(options).map_err(|reason| RecordingError::needs(place.line, reason))?;
        for name in header.unused(&columns) {
            sink.unused(place, &format_args!("unused column `{}`", name.escape_debug()), false);
        }
        break (table, columns);
    };
    let mut rows = Rows {
        records: Records::new(columns.clock, columns.speed_unit, options, sink),
        columns,
        profiles: Profiles::default(),
    };
    while let Some((place, line)) = lines.next()? {
        let line = match line {
            Line::Text(line) if line.trim_ascii().is_empty() => continue,
            Line::Text(line) => line,
            Line::TooLong(limit) => {
                rows.records.refuse(place.line, Refusal::unparsable(format!("the line is longer than {limit} bytes")));
                continue;
            }
        };
        match table.split(line) {
            Ok(cells) => {
                if rows.take(place.line, &cells)?.is_break() {
                    return Ok(());
                }
            }
            Err(reason) => rows.records.refuse(place.line, Refusal::unparsable(reason)),
        }
    }
    Ok(())
}

/// What rows become.
struct Rows<'a> {
    columns: Columns,
    records: Records<'a>,
    profiles: Profiles,
}

impl Rows<'_> {
    fn take(&mut self, line: u64, cells: &[&str]) -> Result<ControlFlow<()>, RecordingError> {
        if let Some(name) = published::no_vessel(&self.columns, cells) {
            self.records.unused(line, name);
            return Ok(ControlFlow::Continue(()));
        }
        let (record, name) = self.columns.record(cells);
        let vessel = name.map(|name| self.columns.vessel_id(name));
        if let Some(None) = vessel {
            self.records.refuse(line, Refusal::unparsable("the vessel is empty"));
            return Ok(ControlFlow::Continue(()));
        }
        let vessel = vessel.flatten();
        let Some((vessel, mut fix)) = self.records.fix(line, vessel, record)? else {
            return Ok(ControlFlow::Continue(()));
        };
        fix.accuracy_m = fix.accuracy_m.map(|accuracy| Length::new(accuracy, self.columns.accuracy_unit).m());
        if self.columns.publisher.is_some() {
            // "102.2 knots or more" is no speed to judge by.
            let is_open_ended = record.speed.is_some_and(|text| text.trim_end_matches('0') == "102.2");
            fix.sog_mps = fix.sog_mps.filter(|_| !is_open_ended);
            if let Some(profile) = self.profiles.news(&vessel, fix.t, &self.columns, cells) {
                let profile = Observation::Profile(vessel.clone(), Box::new(profile));
                if self.records.hand_on(line, profile).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(self.records.hand_on(line, Observation::Fix(vessel, fix)))
    }
}

/// The delimiter that the header has most of.
fn delimiter(header: &[u8]) -> u8 {
    let count = |delimiter: u8| header.iter().filter(|b| **b == delimiter).count();
    [b',', b';', b'|', b'\t'].into_iter().rev().max_by_key(|d| count(*d)).unwrap_or(b',')
}

/// Splits lines into cells, reusing its space.
struct Table {
    delimiter: u8,
    reader: csv_core::Reader,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Table {
    fn new(delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(delimiter).build();
        Self { delimiter, reader, bytes: Vec::new(), ends: vec![0; COLUMNS_MAX] }
    }

    /// The cells of one line.
    fn split<'t>(&'t mut self, line: &'t [u8]) -> Result<Vec<&'t str>, String> {
        // Most lines have no quotes and need not be copied.
        if memchr::memchr2(b'"', b'\r', line).is_none()
            && let Ok(text) = std::str::from_utf8(line)
        {
            let cells: Vec<&str> = text.split(char::from(self.delimiter)).collect();
            return match cells.len() {
                0..=COLUMNS_MAX => Ok(cells),
                _ => Err(format!("the line has more than {COLUMNS_MAX} columns")),
            };
        }
        self.reader.reset();
        self.bytes.resize(line.len() + 1, 0);
        let (_, read, mut written, mut cells) = self.reader.read_record(line, &mut self.bytes, &mut self.ends);
        if read < line.len() {
            return Err(format!("the line has more than {COLUMNS_MAX} columns or a line end in the middle"));
        }
        let rest = self.reader.read_record(&[], &mut self.bytes[written..], &mut self.ends[cells..]);
        if rest.0 == ReadRecordResult::OutputEndsFull {
            return Err(format!("the line has more than {COLUMNS_MAX} columns"));
        }
        written += rest.2;
        cells += rest.3;
        if std::str::from_utf8(&self.bytes[..written]).is_err() {
            self.widen(written, cells);
            written = self.ends[..cells].last().copied().unwrap_or(0);
        }
        let text = std::str::from_utf8(&self.bytes[..written]).map_err(|e| format!("no UTF-8: {e}"))?;
        let mut start = 0;
        let split = self.ends[..cells].iter().map(|end| {
            let cell = text.get(start..*end).ok_or("a cell that begins inside a character");
            start = *end;
            cell
        });
        Ok(split.collect::<Result<_, _>>()?)
    }

    /// Makes UTF-8 of cells in Latin-1.
    fn widen(&mut self, written: usize, cells: usize) {
        let mut wide = Vec::with_capacity(written + written / 2);
        let mut start = 0;
        for end in &mut self.ends[..cells] {
            for byte in &self.bytes[start..*end] {
                wide.extend_from_slice(char::from(*byte).encode_utf8(&mut [0; 2]).as_bytes());
            }
            start = *end;
            *end = wide.len();
        }
        self.bytes = wide;
    }
}
