//! Recordings of every format, unpacked.

use std::io::{Cursor, Read};

use buoyline::observation::VesselId;
use buoyline::replay::{ReadOptions, Recording};
use buoyline::units::SpeedUnit;

use crate::laws::Notes;
use crate::runner::Outcome;

/// What was read of a recording, and how that ended.
pub struct Told {
    pub items: Vec<(u64, String)>,
    pub end: Result<(), String>,
}

/// Everything that can be said about a recording; `format` is `None` where its content is to say that.
pub fn options(format: Option<&str>) -> ReadOptions {
    ReadOptions {
        vessel: Some(VesselId::new("boat-1").expect("an id")),
        utc_offset: chrono::FixedOffset::east_opt(0),
        date: chrono::NaiveDate::from_ymd_opt(2026, 7, 4),
        speed_unit: Some(SpeedUnit::Kn),
        format: format.map(str::to_owned),
        ..ReadOptions::default()
    }
}

/// Reads to the end, or fails with the law that was broken.
pub fn told(input: impl Read + 'static, options: &ReadOptions) -> Result<Told, String> {
    let mut notes = Notes::default();
    let outcome = Recording::from_reader("lake.rec", input, options)
        .and_then(|recording| recording.read(options, &mut notes))
        .map_err(|e| e.to_string());
    match (notes.broken, &outcome) {
        (Some(law), _) => Err(law),
        (None, Err(reason)) if reason.trim().is_empty() => Err("not read, without a reason".to_owned()),
        (None, _) => Ok(Told { items: notes.items, end: outcome }),
    }
}

impl Told {
    pub fn said(self) -> Vec<String> {
        let end = self.end.err().map(|reason| format!("ended, {reason}"));
        self.items.into_iter().map(|(_, text)| text).chain(end).collect()
    }

    /// The first difference to another, in words.
    pub fn differs(&self, other: &Self) -> Option<String> {
        let (a, b) = (&self.items, &other.items);
        if let Some(at) = (0..a.len().max(b.len())).find(|at| a.get(*at) != b.get(*at)) {
            return Some(format!("item {at} is {:?} or {:?}", a.get(at), b.get(at)));
        }
        (self.end != other.end).then(|| format!("it ends {:?} or {:?}", self.end, other.end))
    }
}

/// Gives a few bytes at a time, as a slow line does.
struct Slowly(Cursor<Vec<u8>>, usize);

impl Read for Slowly {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let n = out.len().min(self.1);
        self.1 = 1 + self.1 * 5 % 17;
        self.0.read(&mut out[..n])
    }
}

/// What a cut after a line leaves.
#[derive(Clone, Copy, PartialEq)]
enum Cut {
    /// Nothing open: each line stands for itself, and gives something.
    Nothing,
    /// One thing at most, which may end another way.
    One,
    /// Epochs of NMEA and parts of messages, which are told at the end. How they are cut is asked of `nmea-lines` and
    /// the messages, where nothing is ended.
    Several,
}

/// In whatever pieces it arrives, it is read the same; cut after a line, what was whole stays what it was.
fn read(format: &str, input: &[u8], cut: Cut, is_counted: bool) -> Outcome {
    let options = options(Some(format));
    let whole = told(Cursor::new(input.to_vec()), &options)?;
    let slowly = told(Slowly(Cursor::new(input.to_vec()), 1), &options)?;
    if let Some(difference) = whole.differs(&slowly) {
        return Err(format!("in pieces it is read differently: {difference}"));
    }
    let ends: Vec<usize> = input.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1).collect();
    if let Some(&end) = ends.get(ends.len() / 2) {
        let part = told(Cursor::new(input[..end].to_vec()), &options)?;
        let sure = match cut {
            Cut::Nothing => part.items.len(),
            Cut::One => part.items.len().saturating_sub(1),
            Cut::Several => 0,
        };
        if let Some(at) = (0..sure).find(|at| part.items.get(*at) != whole.items.get(*at)) {
            let (a, b) = (part.items.get(at), whole.items.get(at));
            return Err(format!("what follows changed what came before: item {at} was {a:?} and is {b:?}"));
        }
    }
    if is_counted && whole.end.is_ok() {
        every_line_is_counted(input, &whole)?;
    }
    Ok(whole.said())
}

/// Nothing is lost: each line that is not blank has given something. An empty array holds nothing.
fn every_line_is_counted(input: &[u8], told: &Told) -> Result<(), String> {
    let lines: std::collections::BTreeSet<u64> = told.items.iter().map(|(line, _)| *line).collect();
    for (number, line) in (1..).zip(input.split(|b| *b == b'\n')) {
        let text = if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line };
        let squeezed: Vec<u8> = text.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
        if !squeezed.is_empty() && squeezed != b"[]" && !lines.contains(&number) {
            return Err(format!("nothing came of line {number}: {}", text.escape_ascii()));
        }
    }
    Ok(())
}

/// Every element of this name gives something.
fn every_element_is_counted(input: &[u8], begin: &[u8], said: Outcome) -> Outcome {
    let said = said?;
    // A tag may stand in a quoted text, a comment or the like: only where there are none can tags be counted like this.
    let is_tag = |piece: &[u8]| match piece.iter().position(|b| *b == b'>') {
        Some(end) => {
            let quotes = piece[..end].iter().filter(|b| **b == b'"').count();
            quotes % 2 == 0 && !piece[..end].contains(&b'\'') && !b"!?".contains(&piece[0])
        }
        None => false,
    };
    let has_tags_only = input.split(|b| *b == b'<').skip(1).all(is_tag);
    let is_plain = has_tags_only && input.is_ascii();
    let begun = input.windows(begin.len() + 1);
    let begun = begun.filter(|piece| piece.starts_with(begin) && b" >".contains(&piece[begin.len()])).count();
    let is_whole = !said.iter().any(|line| line.starts_with("ended, "));
    if is_plain && is_whole && said.len() < begun {
        return Err(format!("{begun} elements, and {} things came of them", said.len()));
    }
    Ok(said)
}

/// Targets that are named like their format.
macro_rules! formats {
    ($($target:ident = $cut:ident, $is_counted:literal);* $(;)?) => { $(
        pub fn $target(input: &[u8]) -> Outcome {
            read(stringify!($target), input, Cut::$cut, $is_counted)
        }
    )* };
}

formats! {
    ndjson = Nothing, true;
    mqtt = Several, true;
    kml = One, false;
    geojson = One, false;
    fit = One, false;
    nmea = Several, false;
}

/// Every row gives something, but for that with the names of the columns.
pub fn csv(input: &[u8]) -> Outcome {
    let said = read("csv", input, Cut::One, false)?;
    // A quoted text may be of several lines, and UTF-16 has none.
    let is_plain =
        !input.contains(&b'"') && !input.contains(&0) && !said.iter().any(|line| line.starts_with("ended, "));
    let rows = input.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
    if is_plain && said.len() + 1 < rows {
        return Err(format!("{rows} rows, and {} things came of them", said.len()));
    }
    Ok(said)
}

pub fn gpx(input: &[u8]) -> Outcome {
    every_element_is_counted(input, b"<trkpt", read("gpx", input, Cut::One, false))
}

pub fn tcx(input: &[u8]) -> Outcome {
    every_element_is_counted(input, b"<Trackpoint", read("tcx", input, Cut::One, false))
}

/// A recording of any format, known by its content.
pub fn any(input: &[u8]) -> Outcome {
    let told = told(Cursor::new(input.to_vec()), &options(None))?;
    Ok(told.said())
}
