//! KML tracks: `gx:Track`, alone or in a `gx:MultiTrack`, and placemarks of a point with a `TimeStamp`.
//!
//! A track's times and places are two lists that belong together by their order; where they differ in length
//! nobody knows which place a time is of, and the whole track is refused. Speeds and accuracies stand in data
//! that the writer named: a `SimpleArrayData` beside the lists, a `Data` beside a point, known by the names of
//! `columns`. A track is of the vessel that its placemark is named after, a point of the one its data or the
//! folder around it name. Placemarks without a time are no track: they are refused.

use std::io::BufRead;
use std::mem;
use std::ops::ControlFlow;

use super::columns::{Columns, Header};
use super::record::{Clock, Record, Records};
use super::xml::{self, Attributes, Handler, Line};
use crate::observation::{Refusal, RefusalReason, VesselId};
use crate::replay::recording::{Format, ReadOptions, RecordingError, Sink};
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format = Format { name: "kml", is_log: false, recognise, read };

/// A track is read whole before its points are known; none has more than eleven days of seconds.
const POINTS_MAX: usize = 1_000_000;
/// Lists beside a track, and data beside a point.
const LISTS_MAX: usize = 64;

fn recognise(head: &[u8], file_name: &str) -> bool {
    let is_xml = head.trim_ascii_start().starts_with(b"<");
    let root = |piece: &[u8]| piece == b"<kml " || piece == b"<kml>" || piece == b":kml ";
    is_xml && (file_name.ends_with(".kml") || file_name.ends_with(".kmz") || head.windows(5).any(root))
}

fn read(input: &mut dyn BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
    let records = Records::new(Clock::Stamps(options.utc_offset), SpeedUnit::Mps, options, sink);
    let mut kml = Kml {
        records,
        options,
        folders: Vec::new(),
        placemark: None,
        track: None,
        known: None,
        link: None,
        has_placemarks: false,
    };
    // Some writers leave the outermost element out.
    xml::read(input, &["kml", "Document", "Folder", "Placemark"], &mut kml)?;
    match kml.link {
        Some(line) if !kml.has_placemarks => {
            let reason = "it only links to another file (NetworkLink): download that and read it instead";
            Err(RecordingError::needs(line, reason))
        }
        _ => Ok(()),
    }
}

struct Kml<'a> {
    records: Records<'a>,
    options: &'a ReadOptions,
    /// The names of the folders that are open.
    folders: Vec<Option<VesselId>>,
    placemark: Option<Placemark>,
    track: Option<Track>,
    /// The data names last seen and what they mean.
    known: Option<(Vec<String>, Columns)>,
    /// The line of the last link to another file.
    link: Option<u64>,
    has_placemarks: bool,
}

#[derive(Default)]
struct Placemark {
    line: u64,
    name: Option<VesselId>,
    when: Option<String>,
    has_span: bool,
    in_point: bool,
    coordinates: Option<String>,
    had_track: bool,
    names: Vec<String>,
    values: Vec<String>,
}

/// The lists of a track.
#[derive(Default)]
struct Track {
    lines: Vec<u64>,
    whens: Texts,
    coords: Texts,
    angles: Texts,
    names: Vec<String>,
    lists: Vec<Texts>,
}

/// Short texts, one after the other.
#[derive(Default)]
struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.ends.push(self.all.len());
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, ix: usize) -> &str {
        let start = ix.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[ix]]
    }
}

impl Handler for Kml<'_> {
    fn open(&mut self, line: Line<'_>, name: &str, attributes: &Attributes<'_>) {
        match name {
            "Folder" | "Document" => self.folders.push(None),
            "NetworkLink" => self.link = Some(line.get()),
            "Placemark" => {
                self.has_placemarks = true;
                self.refuse_unclosed(line.get());
                (self.placemark, self.track) = (Some(Placemark { line: line.get(), ..Placemark::default() }), None);
            }
            "Track" => {
                self.refuse_unclosed_track(line.get());
                self.track = Some(Track::default());
            }
            "Point" => self.with_placemark(|placemark| placemark.in_point = true),
            "TimeSpan" => self.with_placemark(|placemark| placemark.has_span = true),
            "SimpleArrayData" => {
                if let Some(track) = self.track.as_mut().filter(|track| track.names.len() < LISTS_MAX) {
                    track.names.push(attributes.get("name").unwrap_or_default());
                    track.lists.push(Texts::default());
                }
            }
            "Data" | "SimpleData" if self.track.is_none() => {
                self.with_placemark(|placemark| {
                    if placemark.names.len() < LISTS_MAX {
                        placemark.names.push(attributes.get("name").unwrap_or_default());
                        placemark.values.push(String::new());
                    }
                });
            }
            _ => {}
        }
    }

    fn close(&mut self, line: Line<'_>, name: &str, text: &str) -> Result<ControlFlow<()>, RecordingError> {
        if let Some(track) = &mut self.track {
            match name {
                "when" => {
                    track.lines.push(line.get());
                    track.whens.push(text);
                }
                "coord" => track.coords.push(text),
                "angles" => track.angles.push(text),
                "value" => {
                    if let Some(list) = track.lists.last_mut() {
                        list.push(text);
                    }
                }
                "Track" => return self.take_track(line.get()),
                _ => {}
            }
            let longest = track.lists.iter().chain([&track.whens, &track.coords, &track.angles]).map(Texts::len).max();
            return match longest {
                Some(length) if length > POINTS_MAX => {
                    Err(RecordingError::damaged(line.get(), format!("a track of more than {POINTS_MAX} points")))
                }
                _ => Ok(ControlFlow::Continue(())),
            };
        }
        match (name, &mut self.placemark) {
            ("Folder" | "Document", _) => {
                self.folders.pop();
            }
            ("name", Some(placemark)) => placemark.name = VesselId::from_foreign(text),
            ("name", None) => {
                if let Some(folder) = self.folders.last_mut() {
                    *folder = VesselId::from_foreign(text);
                }
            }
            ("when", Some(placemark)) => placemark.when = Some(text.to_owned()),
            ("coordinates", Some(placemark)) if placemark.in_point => placemark.coordinates = Some(text.to_owned()),
            ("value" | "SimpleData", Some(placemark)) => {
                if let Some(value) = placemark.values.last_mut() {
                    text.clone_into(value);
                }
            }
            ("Placemark", _) => return self.take_point(),
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Kml<'_> {
    fn with_placemark(&mut self, change: impl FnOnce(&mut Placemark)) {
        if let Some(placemark) = &mut self.placemark {
            change(placemark);
        }
    }

    /// The vessel that the folders around are named after: the innermost name counts, a document's does not.
    fn folder(&self) -> Option<VesselId> {
        self.folders.iter().skip(1).rev().find_map(Clone::clone)
    }

    /// What data of these names mean.
    fn columns(&mut self, line: u64, names: Vec<String>) -> Result<Columns, RecordingError> {
        if let Some((known, columns)) = &self.known
            && *known == names
        {
            return Ok(columns.clone());
        }
        let header = Header::new(names.iter().map(String::as_str));
        let columns = header.of_properties(self.options).map_err(|reason| RecordingError::needs(line, reason))?;
        self.known = Some((names, columns.clone()));
        Ok(columns)
    }

    /// Refuses what is open where a placemark begins, on this line.
    fn refuse_unclosed(&mut self, line: u64) {
        self.refuse_unclosed_track(line);
        if let Some(placemark) = self.placemark.take().filter(|placemark| !placemark.had_track) {
            self.records.refuse_unclosed(placemark.line);
        }
    }

    /// Refuses the points of a track in which another one begins, on this line.
    fn refuse_unclosed_track(&mut self, line: u64) {
        let Some(track) = self.track.take() else { return };
        self.with_placemark(|placemark| placemark.had_track = true);
        for ix in 0..track.whens.len().max(track.coords.len()) {
            self.records.refuse_unclosed(track.lines.get(ix).copied().unwrap_or(line));
        }
    }

    fn take_track(&mut self, line: u64) -> Result<ControlFlow<()>, RecordingError> {
        let Some(mut track) = self.track.take() else { return Ok(ControlFlow::Continue(())) };
        self.with_placemark(|placemark| placemark.had_track = true);
        let columns = self.columns(line, mem::take(&mut track.names))?;
        let (times, places, angles) = (track.whens.len(), track.coords.len(), track.angles.len());
        let is_whole = |length: usize| length == 0 || length == places;
        if times != places || !is_whole(angles) || !track.lists.iter().map(Texts::len).all(is_whole) {
            let detail = format!(
                "the track has {times} <when> and {places} <gx:coord>, {angles} <gx:angles> and lists of {:?}: as they differ, nobody knows which belong together",
                track.lists.iter().map(Texts::len).collect::<Vec<_>>()
            );
            for _ in 0..times.max(places) {
                self.records.refuse(line, Refusal::unparsable(detail.clone()));
            }
            return Ok(ControlFlow::Continue(()));
        }
        let name = self.placemark.as_ref().and_then(|placemark| placemark.name.clone());
        // What the user says goes first: a track's name is often a date.
        let vessel = self.options.vessel.clone().or(name).or_else(|| self.folder());
        self.records.set_speed_unit(columns.speed_unit);
        let mut cells = Vec::new();
        for ix in 0..places {
            cells.clear();
            cells.extend(track.lists.iter().map(|list| if list.len() == 0 { "" } else { list.get(ix) }));
            let (beside, _) = columns.record(&cells);
            let heading = (angles > 0).then(|| words(track.angles.get(ix)).next()).flatten();
            let record = Record {
                date: None,
                time: Some(track.whens.get(ix)),
                heading: heading.or(beside.heading),
                ..placed(beside, track.coords.get(ix))
            };
            if self.records.take(track.lines[ix], vessel.clone(), record)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn take_point(&mut self) -> Result<ControlFlow<()>, RecordingError> {
        let Some(mut placemark) = self.placemark.take() else { return Ok(ControlFlow::Continue(())) };
        if placemark.had_track {
            return Ok(ControlFlow::Continue(()));
        }
        let line = placemark.line;
        let (Some(when), Some(coordinates)) = (&placemark.when, &placemark.coordinates) else {
            let detail = if placemark.has_span {
                "a placemark with a TimeSpan is no fix: it has no instant"
            } else {
                "a placemark without a TimeStamp and a Point is no part of a track"
            };
            self.records.refuse(line, Refusal::new(RefusalReason::NoTime, detail));
            return Ok(ControlFlow::Continue(()));
        };
        let columns = self.columns(line, mem::take(&mut placemark.names))?;
        let cells: Vec<&str> = placemark.values.iter().map(String::as_str).collect();
        let (beside, name) = columns.record(&cells);
        let vessel = name.and_then(|name| columns.vessel_id(name));
        let vessel = vessel.or_else(|| self.options.vessel.clone()).or_else(|| self.folder());
        self.records.set_speed_unit(columns.speed_unit);
        let record = Record { date: None, time: Some(when), ..placed(beside, coordinates) };
        self.records.take(line, vessel, record)
    }
}

/// A record at the place of `lon lat alt`, with commas or spaces between.
fn placed<'a>(record: Record<'a>, coordinates: &'a str) -> Record<'a> {
    let mut words = words(coordinates);
    let (lon, lat) = (words.next(), words.next());
    Record { lat, lon, ..record }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', ',', '\t', '\n', '\r']).filter(|word| !word.is_empty())
}
