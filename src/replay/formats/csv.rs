//! Tables with a header: one track point a line, columns recognised by their names.
//!
//! The delimiter (`,`, `;` or tab) is the header's. A speed's unit stands in its column's name
//! (`speed_kn`, `Speed [km/h]`) or is told with `--speed-unit`; a time without a zone is UTC where its
//! column's name says so (`time_utc`), else told with `--utc-offset`. Numbers since 1970 are times only in
//! columns called so (`epoch_s`, `unix_ms`). A quoted field that runs over a line end is not read.

use std::io::BufRead;

use chrono::{Offset, Utc};
use csv_core::{ReadRecordResult, ReaderBuilder};

use super::record::{Clock, Record, Records};
use crate::observation::{Refusal, VesselId};
use crate::replay::recording::{Format, Line, Lines, ReadOptions, RecordingError, Sink};
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format = Format { name: "csv", recognise, read };

/// A line with more columns is refused.
const COLUMNS_MAX: usize = 1024;

const TIME: &[&str] = &["t", "time", "timestamp", "datetime", "date_time", "utc", "base_date_time", "basedatetime"];
const LAT: &[&str] = &["lat", "latitude"];
const LON: &[&str] = &["lon", "lng", "long", "longitude"];
// Not "id": in most tables it numbers the lines, and every line would be a vessel of its own.
const VESSEL: &[&str] = &["vessel", "vessel_id", "boat", "boat_id", "mmsi", "device_id", "vessel_name", "name"];
const SPEED: &[&str] = &["sog", "speed", "speed_over_ground", "gps_speed", "velocity", "vel"];
const COURSE: &[&str] = &["cog", "course", "course_over_ground"];
const HEADING: &[&str] = &["heading", "hdg", "true_heading"];
const ACCURACY: &[&str] = &["accuracy", "hacc", "h_accuracy", "horizontal_accuracy"];

fn recognise(head: &[u8], file_name: &str) -> bool {
    if [".csv", ".tsv"].iter().any(|end| file_name.ends_with(end)) {
        return true;
    }
    let first_line = head.split(|b| *b == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or(b"");
    let mut table = Table::new(delimiter(first_line));
    let header = table.split(first_line).map(Header::new).unwrap_or_default();
    header.find(LAT).is_some() && header.find(LON).is_some()
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
        let columns = header.columns(options).map_err(|reason| RecordingError::needs(place.line, reason))?;
        break (table, columns);
    };
    let mut records = Records::new(columns.clock, columns.speed_unit, options, sink);
    while let Some((place, line)) = lines.next()? {
        let line = match line {
            Line::Text(line) if line.trim_ascii().is_empty() => continue,
            Line::Text(line) => line,
            Line::TooLong(limit) => {
                records.refuse(place.line, Refusal::unparsable(format!("the line is longer than {limit} bytes")));
                continue;
            }
        };
        let cells = match table.split(line) {
            Ok(cells) => cells,
            Err(reason) => {
                records.refuse(place.line, Refusal::unparsable(reason));
                continue;
            }
        };
        let cell = |column: Option<usize>| column.and_then(|ix| cells.get(ix)).map(|text| text.trim());
        let record = Record {
            time: cell(Some(columns.time)),
            lat: cell(Some(columns.lat)),
            lon: cell(Some(columns.lon)),
            speed: cell(columns.speed),
            course: cell(columns.course),
            heading: cell(columns.heading),
            accuracy: cell(columns.accuracy),
        };
        let vessel = match cell(columns.vessel).map(|name| (name, VesselId::from_foreign(name))) {
            Some((_, None)) => {
                records.refuse(place.line, Refusal::unparsable("the vessel is empty"));
                continue;
            }
            vessel => vessel.and_then(|(_, id)| id),
        };
        if records.take(place.line, vessel, record)?.is_break() {
            return Ok(());
        }
    }
    Ok(())
}

/// The delimiter that the header has most of.
fn delimiter(header: &[u8]) -> u8 {
    let count = |delimiter: u8| header.iter().filter(|b| **b == delimiter).count();
    [b',', b';', b'\t'].into_iter().rev().max_by_key(|d| count(*d)).unwrap_or(b',')
}

/// Splits lines into cells, reusing its space.
struct Table {
    reader: csv_core::Reader,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Table {
    fn new(delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(delimiter).build();
        Self { reader, bytes: Vec::new(), ends: vec![0; COLUMNS_MAX] }
    }

    /// The cells of one line.
    fn split(&mut self, line: &[u8]) -> Result<Vec<&str>, String> {
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
        let text = std::str::from_utf8(&self.bytes[..written]).map_err(|e| format!("no UTF-8: {e}"))?;
        let mut start = 0;
        let split = self.ends[..cells].iter().map(|end| {
            let cell = text.get(start..*end).ok_or("a cell that begins inside a character");
            start = *end;
            cell
        });
        Ok(split.collect::<Result<_, _>>()?)
    }
}

/// The names of the columns.
#[derive(Default)]
struct Header {
    names: Vec<Name>,
}

/// A column's name without its unit, and the unit, both in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Name {
    written: String,
    base: String,
    unit: String,
}

impl Name {
    /// Reads `speed_kn`, `Speed (km/h)`, `time_utc`, `# Timestamp`: the last word is a unit where it is
    /// one that the column may have.
    fn new(written: &str) -> Self {
        let lower = written.trim_start_matches(['#', '\u{feff}']).trim().to_lowercase();
        let (name, bracketed) = match lower.split_once(['(', '[']) {
            Some((name, unit)) => (name.trim(), unit.trim_end_matches([')', ']', ' ']).trim()),
            None => (lower.as_str(), ""),
        };
        let name = name.replace([' ', '-', '.'], "_");
        let is_unit = |word: &str| {
            SpeedUnit::from_symbol(word).is_some() || ["deg", "m", "s", "ms", "utc", "local"].contains(&word)
        };
        let (base, unit) = match name.rsplit_once('_') {
            _ if !bracketed.is_empty() => (name.as_str(), bracketed),
            Some((base, unit)) if is_unit(unit) => (base, unit),
            _ => (name.as_str(), ""),
        };
        Self { written: written.trim().to_owned(), base: base.to_owned(), unit: unit.to_owned() }
    }

    /// How it writes times, where it is a column of times.
    fn clock(&self, options: &ReadOptions) -> Option<Clock> {
        let is_epoch =
            ["epoch", "unix", "unix_time", "time_epoch", "time_unix", "timestamp_epoch"].contains(&&*self.base);
        match (is_epoch, self.unit.as_str()) {
            (true, "s") => Some(Clock::Epoch { per_s: 1 }),
            (true, "ms") => Some(Clock::Epoch { per_s: 1000 }),
            _ if self.base == "utc" => Some(Clock::Stamps(Some(Utc.fix()))),
            (false, "utc" | "z") if TIME.contains(&&*self.base) => Some(Clock::Stamps(Some(Utc.fix()))),
            (_, "" | "local") if is_epoch || TIME.contains(&&*self.base) => Some(Clock::Stamps(options.utc_offset)),
            _ => None,
        }
    }
}

/// Which column holds what.
struct Columns {
    clock: Clock,
    time: usize,
    lat: usize,
    lon: usize,
    vessel: Option<usize>,
    speed: Option<usize>,
    speed_unit: SpeedUnit,
    course: Option<usize>,
    heading: Option<usize>,
    accuracy: Option<usize>,
}

impl Header {
    fn new(cells: Vec<&str>) -> Self {
        Self { names: cells.into_iter().map(Name::new).collect() }
    }

    /// The column with the first of these names that there is.
    fn find(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.names.iter().position(|column| column.base == *name))
    }

    fn required(&self, what: &str, column: Option<usize>, known: &[&str]) -> Result<usize, String> {
        column.ok_or_else(|| {
            let there: Vec<_> = self.names.iter().map(|name| format!("`{}`", name.written)).collect();
            format!("no column for the {what}: there are {}; known are {}", there.join(", "), known.join(", "))
        })
    }

    /// Which column holds what, or what is missing.
    fn columns(&self, options: &ReadOptions) -> Result<Columns, String> {
        let clocks = || self.names.iter().enumerate().filter_map(|(ix, name)| Some((ix, name.clock(options)?)));
        // Of several columns with times, one that says its zone.
        let says_zone = |clock: &Clock| !matches!(clock, Clock::Stamps(offset) if *offset == options.utc_offset);
        let clock = clocks().find(|(_, clock)| says_zone(clock)).or_else(|| clocks().next());
        let known = [TIME, &["epoch_s", "epoch_ms"]].concat();
        let time = self.required("time", clock.map(|(ix, _)| ix), &known)?;
        let speed = self.speed();
        let speed_unit = match speed.map(|ix| &self.names[ix]) {
            None => SpeedUnit::Mps,
            Some(name) => SpeedUnit::from_symbol(&name.unit).or(options.speed_unit).ok_or_else(|| {
                format!(
                    "no unit for the speed column `{}`: say it with --speed-unit, as in --speed-unit kn",
                    name.written
                )
            })?,
        };
        Ok(Columns {
            clock: clock.map_or(Clock::Stamps(options.utc_offset), |(_, clock)| clock),
            time,
            lat: self.required("latitude", self.find(LAT), LAT)?,
            lon: self.required("longitude", self.find(LON), LON)?,
            vessel: self.find(VESSEL),
            speed,
            speed_unit,
            course: self.find(COURSE),
            heading: self.find(HEADING),
            accuracy: self.find(ACCURACY).filter(|ix| ["", "m"].contains(&&*self.names[*ix].unit)),
        })
    }

    /// The column of speeds; of several, one with a unit.
    fn speed(&self) -> Option<usize> {
        let is_speed = |ix: &usize| SPEED.contains(&&*self.names[*ix].base);
        let with_unit = |ix: &usize| SpeedUnit::from_symbol(&self.names[*ix].unit).is_some();
        let all = || (0..self.names.len()).filter(is_speed);
        all().find(with_unit).or_else(|| all().next())
    }
}
