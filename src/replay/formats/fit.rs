//! FIT activities of watches and chartplotters (Garmin's Flexible and Interoperable Data Transfer protocol).
//!
//! A file defines its messages before it uses them; only `record` (global number 20) is a track point. Read are
//! its time (seconds since 1989-12-31 UTC, whole or compressed into five bits), position (semicircles), speed
//! (mm/s; the enhanced one first) and GPS accuracy; invalid values are absent. Developer fields are passed
//! over. Chained files are read one after the other, and one whose length was never written (the recorder
//! stopped) as far as it goes. Places count records, there being no lines.
//!
//! Decoded here and not by a library: the one that is kept up brings 100,000 lines of tables for these six
//! fields, and times on the clock of the machine.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

use super::record::{Clock, Records};
use crate::ingest::{accuracy_m, position, speed_mps};
use crate::observation::{Fix, Observation, Refusal, RefusalReason};
use crate::replay::recording::{Format, ReadOptions, RecordingError, Sink};
use crate::time::EventTime;
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format = Format { name: "fit", is_log: false, recognise, read };

/// 1989-12-31T00:00:00Z in seconds since 1970.
const EPOCH_S: i64 = 631_065_600;
/// Smaller times count from when the device was switched on.
const TIME_MIN: u32 = 0x1000_0000;
/// The message that is a track point.
const RECORD: u16 = 20;
const SEMICIRCLE_DEG: f64 = 180.0 / 2_147_483_648.0;

fn recognise(head: &[u8], _file_name: &str) -> bool {
    head.get(8..12) == Some(b".FIT") && head[0] >= 12
}

fn read(input: &mut dyn BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
    // Times and speeds have their units; only whose track it is may have to be said.
    let records = Records::new(Clock::Stamps(None), SpeedUnit::Mps, options, sink);
    let mut fit = Fit { bytes: Bytes { input, crc: 0, left: None }, records, count: 0, newest: None };
    while fit.has_more()? {
        if fit.file()?.is_break() {
            break;
        }
    }
    Ok(())
}

struct Fit<'a> {
    bytes: Bytes<'a>,
    records: Records<'a>,
    /// How many records there have been.
    count: u64,
    /// The last time, which compressed ones go on from.
    newest: Option<u32>,
}

/// The layout of a message.
#[derive(Debug, Clone)]
struct Definition {
    is_big_endian: bool,
    message: u16,
    fields: Vec<Field>,
    /// Bytes of fields that only their developer knows.
    passed_over: usize,
}

#[derive(Debug, Clone, Copy)]
struct Field {
    number: u8,
    bytes: u8,
    base: u8,
}

/// A track point as it stands in a file.
#[derive(Debug, Default)]
struct Record {
    time: Option<u32>,
    lat_deg: Option<f64>,
    lon_deg: Option<f64>,
    speed_mmps: Option<u32>,
    accuracy_m: Option<u32>,
}

impl Fit<'_> {
    fn damaged(&self, reason: impl ToString) -> RecordingError {
        RecordingError::damaged(self.count.max(1), reason)
    }

    fn has_more(&mut self) -> Result<bool, RecordingError> {
        let rest = self.bytes.input.fill_buf().map(|rest| !rest.is_empty());
        rest.map_err(|e| self.damaged(e))
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], RecordingError> {
        let mut bytes = [0; N];
        self.bytes.fill(&mut bytes).map_err(|e| self.damaged(e))?;
        Ok(bytes)
    }

    /// Reads one of the chained files.
    fn file(&mut self) -> Result<ControlFlow<()>, RecordingError> {
        (self.bytes.crc, self.bytes.left, self.newest) = (0, None, None);
        let header: [u8; 12] = self.bytes()?;
        if header[8..] != *b".FIT" || header[0] < 12 {
            return Err(self.damaged("what follows is no FIT file"));
        }
        let mut more = vec![0; usize::from(header[0]) - 12];
        self.bytes.fill(&mut more).map_err(|e| self.damaged(e))?;
        let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        // A recorder that was cut off never came to write the length, nor the checksum at the end.
        let is_finished = !matches!(length, 0 | u32::MAX);
        self.bytes.left = is_finished.then_some(u64::from(length));
        let mut definitions: [Option<Definition>; 16] = Default::default();
        while match self.bytes.left {
            Some(left) => left > 0,
            None => self.has_more()?,
        } {
            if self.message(&mut definitions)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        if is_finished {
            self.bytes.left = None;
            let crc = self.bytes.crc;
            let written = u16::from_le_bytes(self.bytes()?);
            if written != crc {
                return Err(self.damaged("its checksum is another: it has been changed or damaged"));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn message(&mut self, definitions: &mut [Option<Definition>; 16]) -> Result<ControlFlow<()>, RecordingError> {
        let [header] = self.bytes()?;
        let is_compressed = header & 0x80 != 0;
        let local = usize::from(if is_compressed { (header >> 5) & 0x3 } else { header & 0xf });
        if !is_compressed && header & 0x40 != 0 {
            definitions[local] = Some(self.definition(header & 0x20 != 0)?);
            return Ok(ControlFlow::Continue(()));
        }
        let Some(definition) = &definitions[local] else {
            return Err(self.damaged(format!("a message of kind {local} comes before its definition")));
        };
        let mut record = Record::default();
        let mut cell = [0; 255];
        for field in &definition.fields {
            let bytes = &mut cell[..usize::from(field.bytes)];
            self.bytes.fill(bytes).map_err(|e| self.damaged(e))?;
            let value = || number(field.base, bytes, definition.is_big_endian);
            match (definition.message, field.number) {
                (_, 253) => record.time = value(),
                (RECORD, 0) => record.lat_deg = value().map(semicircles_deg),
                (RECORD, 1) => record.lon_deg = value().map(semicircles_deg),
                (RECORD, 6) => record.speed_mmps = record.speed_mmps.or_else(value),
                (RECORD, 73) => record.speed_mmps = value().or(record.speed_mmps),
                (RECORD, 31) => record.accuracy_m = value(),
                _ => {}
            }
        }
        self.bytes.pass_over(definition.passed_over).map_err(|e| self.damaged(e))?;
        if is_compressed && let Some(newest) = self.newest {
            let offset = u32::from(header & 0x1f);
            record.time = newest.checked_add(offset.wrapping_sub(newest) & 0x1f);
        }
        self.newest = record.time.or(self.newest);
        if definition.message == RECORD { self.take(&record) } else { Ok(ControlFlow::Continue(())) }
    }

    fn definition(&mut self, has_developer_fields: bool) -> Result<Definition, RecordingError> {
        let [_reserved, order, a, b, count] = self.bytes()?;
        let is_big_endian = order == 1;
        let message = if is_big_endian { u16::from_be_bytes([a, b]) } else { u16::from_le_bytes([a, b]) };
        let mut fields = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            let [number, bytes, base] = self.bytes()?;
            fields.push(Field { number, bytes, base });
        }
        let mut passed_over = 0;
        if has_developer_fields {
            let [count] = self.bytes()?;
            for _ in 0..count {
                let [_number, bytes, _developer] = self.bytes()?;
                passed_over += usize::from(bytes);
            }
        }
        Ok(Definition { is_big_endian, message, fields, passed_over })
    }

    fn take(&mut self, record: &Record) -> Result<ControlFlow<()>, RecordingError> {
        self.count += 1;
        let line = self.count;
        let fix = position(record.lat_deg, record.lon_deg).and_then(|position| {
            let t = time(record.time)?;
            Ok(Fix {
                sog_mps: speed_mps(record.speed_mmps.map(|mmps| f64::from(mmps) / 1000.0), SpeedUnit::Mps),
                accuracy_m: accuracy_m(record.accuracy_m.map(f64::from)),
                ..Fix::new(t, position)
            })
        });
        match fix {
            Ok(fix) => {
                let vessel = self.records.vessel(line, None)?;
                Ok(self.records.hand_on(line, Observation::Fix(vessel, fix)))
            }
            Err(refusal) => {
                self.records.refuse(line, refusal);
                Ok(ControlFlow::Continue(()))
            }
        }
    }
}

fn time(seconds: Option<u32>) -> Result<EventTime, Refusal> {
    let refused = |detail: String| Refusal::new(RefusalReason::NoTime, detail);
    match seconds {
        None => Err(refused("the record has no time".to_owned())),
        Some(s) if s < TIME_MIN => {
            Err(refused(format!("time {s} counts seconds since the device was switched on, not since 1989")))
        }
        Some(s) => Ok(EventTime::from_unix_ms((EPOCH_S + i64::from(s)) * 1000)),
    }
}

/// Degrees of a signed number of semicircles, given as its bits.
fn semicircles_deg(bits: u32) -> f64 {
    f64::from(bits.cast_signed()) * SEMICIRCLE_DEG
}

/// The whole number of a base type, signed ones as their bits; `None` for its invalid value, for a type
/// that is none or larger, and for an array.
fn number(base: u8, bytes: &[u8], is_big_endian: bool) -> Option<u32> {
    let (width, invalid) = match base & 0x1f {
        // enum, uint8, byte; sint8; uint8z
        0 | 2 | 13 => (1, u32::from(u8::MAX)),
        1 => (1, 0x7f),
        10 => (1, 0),
        // uint16; sint16; uint16z
        4 => (2, u32::from(u16::MAX)),
        3 => (2, 0x7fff),
        11 => (2, 0),
        // uint32; sint32; uint32z
        6 => (4, u32::MAX),
        5 => (4, 0x7fff_ffff),
        12 => (4, 0),
        _ => return None,
    };
    if bytes.len() != width {
        return None;
    }
    let join = |sum: u32, byte: &u8| (sum << 8) | u32::from(*byte);
    let value = if is_big_endian { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) };
    (value != invalid).then_some(value)
}

/// The bytes of one file, counted and summed.
struct Bytes<'a> {
    input: &'a mut dyn BufRead,
    crc: u16,
    /// How many are left of its messages, where that is known.
    left: Option<u64>,
}

impl Bytes<'_> {
    fn fill(&mut self, out: &mut [u8]) -> io::Result<()> {
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(out.len() as u64).ok_or_else(|| {
                io::Error::other("a message is longer than the file says it is; it has been changed or damaged")
            })?;
        }
        self.input.read_exact(out).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::other("the file ends inside a message; it has been cut off"),
            _ => e,
        })?;
        self.crc = out.iter().fold(self.crc, |crc, byte| sum(crc, *byte));
        Ok(())
    }

    fn pass_over(&mut self, mut count: usize) -> io::Result<()> {
        let mut cell = [0; 255];
        while count > 0 {
            let n = count.min(cell.len());
            self.fill(&mut cell[..n])?;
            count -= n;
        }
        Ok(())
    }
}

/// The checksum after one more byte: CRC-16 of polynomial 0x8005, reflected (FIT protocol, section 3.3.2).
fn sum(crc: u16, byte: u8) -> u16 {
    const OF_NIBBLE: [u16; 16] = [
        0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401, 0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01,
        0x8801, 0x4400,
    ];
    let nibble = |crc: u16, nibble: u8| (crc >> 4) ^ OF_NIBBLE[usize::from((crc as u8 ^ nibble) & 0xf)];
    nibble(nibble(crc, byte), byte >> 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_both_orders_and_invalid_ones_are_none() {
        assert_eq!(number(0x84, &[0x34, 0x12], false), Some(0x1234));
        assert_eq!(number(0x84, &[0x12, 0x34], true), Some(0x1234));
        for (base, bytes) in
            [(0x02, &[0xff][..]), (0x84, &[0xff, 0xff]), (0x85, &[0xff, 0xff, 0xff, 0x7f]), (0x8c, &[0; 4]), (7, &[1])]
        {
            assert_eq!(number(base, bytes, false), None, "{base}");
        }
        assert_eq!(number(0x84, &[1, 0, 2, 0], false), None, "an array");
        assert_eq!(semicircles_deg(0x8000_0000), -180.0);
        assert_eq!(semicircles_deg(0x4000_0000), 90.0);
    }

    #[test]
    fn the_checksum_is_that_of_the_protocol() {
        // CRC-16/ARC of its catalogue's check text.
        assert_eq!(b"123456789".iter().fold(0, |crc, byte| sum(crc, *byte)), 0xbb3d);
    }
}
