//! The texts of one track point, of whatever format, become a fix.

use std::ops::ControlFlow;

use chrono::{FixedOffset, NaiveDate, NaiveTime};

use super::published::nav_status;
use super::stamp::{self, StampError};
use crate::ingest::{accuracy_m, angle_deg, position, speed_mps};
use crate::observation::{Fix, Observation, Refusal, RefusalReason, VesselId};
use crate::replay::recording::{Place, ReadOptions, RecordingError, Sink};
use crate::time::EventTime;
use crate::units::SpeedUnit;

/// A track point as it is written. An empty text counts as absent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Record<'a> {
    /// The instant, where the time is no text to be read.
    pub t: Option<EventTime>,
    /// The date, where it stands apart from the time of day.
    pub date: Option<&'a str>,
    pub time: Option<&'a str>,
    pub lat: Option<&'a str>,
    pub lon: Option<&'a str>,
    pub speed: Option<&'a str>,
    pub course: Option<&'a str>,
    pub heading: Option<&'a str>,
    pub accuracy: Option<&'a str>,
    pub status: Option<&'a str>,
    pub towed_by: Option<&'a str>,
}

/// A track point as its elements come in, one after the other. What is empty has not come. One is used for all
/// points of a recording, so that its texts need no new memory.
#[derive(Debug, Default)]
pub(super) struct Point {
    /// Where it begins; `None` between points.
    pub line: Option<u64>,
    pub time: String,
    pub lat: String,
    pub lon: String,
    pub speed: String,
    pub course: String,
    pub heading: String,
    pub accuracy: String,
    pub status: String,
    pub towed_by: String,
}

impl Point {
    /// Begins a point, with nothing in it.
    pub(super) fn begin(&mut self, line: u64) {
        self.line = Some(line);
        let Self { line: _, time, lat, lon, speed, course, heading, accuracy, status, towed_by } = self;
        for text in [time, lat, lon, speed, course, heading, accuracy, status, towed_by] {
            text.clear();
        }
    }

    /// What has come in.
    pub(super) fn record(&self) -> Record<'_> {
        Record {
            time: Some(&self.time),
            lat: Some(&self.lat),
            lon: Some(&self.lon),
            speed: Some(&self.speed),
            course: Some(&self.course),
            heading: Some(&self.heading),
            accuracy: Some(&self.accuracy),
            status: Some(&self.status),
            towed_by: Some(&self.towed_by),
            ..Record::default()
        }
    }
}

/// How a recording writes times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    /// As dates and times of day; those without a zone are of this offset.
    Stamps(Option<FixedOffset>),
    /// As `31/12/2025 23:59:59`, the day first; those without a zone are of this offset.
    DayFirst(Option<FixedOffset>),
    /// As a number of units since 1970 in UTC, this many a second.
    Epoch {
        /// 1 for seconds, 1000 for milliseconds.
        per_s: i64,
    },
}

/// Turns the records of one recording into fixes and hands them on.
pub(super) struct Records<'a> {
    clock: Clock,
    speed_unit: SpeedUnit,
    options: &'a ReadOptions,
    sink: &'a mut dyn Sink,
    has_timed_one: bool,
    /// The day of times of day, and the last of them.
    day: Option<(NaiveDate, NaiveTime)>,
}

/// Why a record is no fix.
enum Fault {
    Refused(Refusal),
    NoZone,
    NoDate,
}

impl<'a> Records<'a> {
    /// For a recording that writes times by `clock` and speeds in `speed_unit`.
    pub(super) fn new(clock: Clock, speed_unit: SpeedUnit, options: &'a ReadOptions, sink: &'a mut dyn Sink) -> Self {
        Self { clock, speed_unit, options, sink, has_timed_one: false, day: None }
    }

    /// Hands on one record, of the vessel called `vessel` where the recording says so.
    ///
    /// # Errors
    /// [`RecordingError::Needs`] where the first time has no zone or date and none was said, or no vessel is known.
    pub(super) fn take(
        &mut self,
        line: u64,
        vessel: Option<VesselId>,
        record: Record<'_>,
    ) -> Result<ControlFlow<()>, RecordingError> {
        match self.fix(line, vessel, record)? {
            Some((vessel, fix)) => Ok(self.hand_on(line, Observation::Fix(vessel, fix))),
            None => Ok(ControlFlow::Continue(())),
        }
    }

    /// Speeds are in this unit from here on.
    pub(super) fn set_speed_unit(&mut self, unit: SpeedUnit) {
        self.speed_unit = unit;
    }

    /// Times are written by this clock from here on.
    pub(super) fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    /// Hands on an observation.
    pub(super) fn hand_on(&mut self, line: u64, observation: Observation) -> ControlFlow<()> {
        self.sink.observation(Place { line }, &observation)
    }

    /// The fix that a record is, and whose; `None` where it has been refused.
    ///
    /// # Errors
    /// As [`Records::take`].
    pub(super) fn fix(
        &mut self,
        line: u64,
        vessel: Option<VesselId>,
        record: Record<'_>,
    ) -> Result<Option<(VesselId, Fix)>, RecordingError> {
        match self.read(&record) {
            Ok(fix) => {
                self.has_timed_one = true;
                Ok(Some((self.vessel(line, vessel)?, fix)))
            }
            Err(Fault::Refused(refusal)) => {
                self.refuse(line, refusal);
                Ok(None)
            }
            Err(fault) if self.has_timed_one => {
                let what = if matches!(fault, Fault::NoZone) { "zone" } else { "date" };
                let detail =
                    format!("time {:?} has no {what}, others in the recording have one", record.time.unwrap_or(""));
                self.refuse(line, Refusal::new(RefusalReason::NoTime, detail));
                Ok(None)
            }
            Err(Fault::NoZone) => Err(RecordingError::needs(
                line,
                format!(
                    "times such as {:?} have no zone: say it with --utc-offset; many recorders write UTC (--utc-offset=+00:00), others the clock on shore (as in --utc-offset=-06:00)",
                    record.time.unwrap_or("")
                ),
            )),
            Err(Fault::NoDate) => Err(RecordingError::needs(
                line,
                format!(
                    "times such as {:?} have no date: say the day of the first one with --date, as in --date 2026-07-04",
                    record.time.unwrap_or("")
                ),
            )),
        }
    }

    /// The vessel that a record is of: as the recording says, else as the user says, else as the file is called.
    ///
    /// # Errors
    /// [`RecordingError::Needs`] where nothing says it.
    pub(super) fn vessel(&self, line: u64, vessel: Option<VesselId>) -> Result<VesselId, RecordingError> {
        vessel.or_else(|| self.options.vessel.clone()).or_else(|| self.options.file_vessel.clone()).ok_or_else(|| {
            RecordingError::needs(
                line,
                "nothing says whose track it is: say it with --track-vessel, as in --track-vessel boat-1",
            )
        })
    }

    /// Hands on a record that is neither to judge nor a fault, by what it is.
    pub(super) fn unused(&mut self, line: u64, what: &'static str) {
        self.sink.unused(Place { line }, &what, false);
    }

    /// Refuses the record of this line, in which another one begins.
    pub(super) fn refuse_unclosed(&mut self, line: u64) {
        let detail = "another point begins inside of this one: nobody knows what belongs to which";
        self.refuse(line, Refusal::unparsable(detail));
    }

    /// Hands on a record that is no fix.
    pub(super) fn refuse(&mut self, line: u64, refusal: Refusal) {
        self.sink.refused(Place { line }, refusal);
    }
}

impl Records<'_> {
    fn read(&mut self, record: &Record<'_>) -> Result<Fix, Fault> {
        let (lat_deg, lon_deg) = (degrees("latitude", record.lat)?, degrees("longitude", record.lon)?);
        let position = position(lat_deg, lon_deg).map_err(Fault::Refused)?;
        let t = match (record.t, record.date.filter(|date| !date.is_empty())) {
            (Some(t), _) => t,
            (None, None) => self.time(record.time)?,
            // Without a time of day a date is no time.
            (None, Some(date)) => {
                self.time(record.time.filter(|t| !t.is_empty()).map(|t| format!("{date} {t}")).as_deref())?
            }
        };
        Ok(Fix {
            sog_mps: speed_mps(number("speed", record.speed)?, self.speed_unit),
            cog_deg: angle_deg(number("course", record.course)?),
            heading_deg: angle_deg(number("heading", record.heading)?),
            accuracy_m: accuracy_m(number("accuracy", record.accuracy)?),
            nav_status: record.status.and_then(nav_status),
            towed_by: record.towed_by.and_then(VesselId::from_foreign),
            ..Fix::new(t, position)
        })
    }

    fn time(&mut self, text: Option<&str>) -> Result<EventTime, Fault> {
        match time(text, self.clock) {
            Err(Fault::NoDate) => self.time_of_day(text.unwrap_or("")),
            other => other,
        }
    }

    /// The instant of a time of day: on the day that was said, or a later one where midnights came between.
    fn time_of_day(&mut self, text: &str) -> Result<EventTime, Fault> {
        let Some(time) = stamp::time_of_day(text) else {
            return Err(Fault::NoDate);
        };
        let (mut day, last) = match (self.day, self.options.date) {
            (Some(known), _) => known,
            (None, Some(date)) => (date, time),
            (None, None) => return Err(Fault::NoDate),
        };
        // A step back of more than half a day is a midnight; a smaller one is a fix out of order.
        const HALF_A_DAY_S: i64 = 43_200;
        let step_s = (time - last).num_seconds();
        if step_s < -HALF_A_DAY_S {
            day = day.succ_opt().unwrap_or(day);
        } else if step_s > HALF_A_DAY_S {
            day = day.pred_opt().unwrap_or(day);
        }
        self.day = Some((day, time));
        stamp_time(&format!("{day}T{}", text.trim()), self.clock)
    }
}

/// Degrees, with a sign or with the letter of the hemisphere behind.
fn degrees(what: &str, text: Option<&str>) -> Result<Option<f64>, Fault> {
    let Some(written) = text.map(str::trim_ascii).filter(|text| !text.is_empty()) else { return Ok(None) };
    let (plain, sign) = match written.as_bytes() {
        [.., b'0'..=b'9' | b'.' | b' ', b'N' | b'E'] => (&written[..written.len() - 1], 1.0),
        [.., b'0'..=b'9' | b'.' | b' ', b'S' | b'W'] => (&written[..written.len() - 1], -1.0),
        _ => (written, 1.0),
    };
    Ok(number(what, Some(plain))?.map(|deg| sign * deg))
}

fn number(what: &str, text: Option<&str>) -> Result<Option<f64>, Fault> {
    let Some(text) = text.map(str::trim_ascii).filter(|text| !text.is_empty()) else { return Ok(None) };
    // A comma can only be a decimal one: nothing here reaches a thousand.
    match text.parse().or_else(|_| text.replacen(',', ".", 1).parse()) {
        Ok(value) => Ok(Some(value)),
        Err(_) => {
            let detail = format!("{what} {} is no number; it should be plain, with a decimal point", shown(text));
            Err(Fault::Refused(Refusal::unparsable(detail)))
        }
    }
}

fn time(text: Option<&str>, clock: Clock) -> Result<EventTime, Fault> {
    let refused = |detail: String| Fault::Refused(Refusal::new(RefusalReason::NoTime, detail));
    let Some(text) = text.map(str::trim_ascii).filter(|text| !text.is_empty()) else {
        return Err(refused("the record has no time".to_owned()));
    };
    match clock {
        Clock::Stamps(_) | Clock::DayFirst(_) => stamp_time(text, clock),
        Clock::Epoch { per_s } => {
            let unit = if per_s == 1 { "seconds" } else { "milliseconds" };
            since_1970(text, per_s)
                .ok_or_else(|| refused(format!("time {} is no number of {unit} since 1970", shown(text))))
        }
    }
}

fn stamp_time(text: &str, clock: Clock) -> Result<EventTime, Fault> {
    let read = match clock {
        Clock::DayFirst(offset) => stamp::read_day_first(text, offset),
        Clock::Stamps(offset) => stamp::read(text, offset),
        Clock::Epoch { .. } => Err(StampError::NotATime),
    };
    let refused = |detail: String| Fault::Refused(Refusal::new(RefusalReason::NoTime, detail));
    read.map_err(|e| match e {
        StampError::ZoneMissing => Fault::NoZone,
        StampError::DateMissing => Fault::NoDate,
        StampError::NotATime if text.parse::<f64>().is_ok() => refused(format!(
            "time {} is a bare number; a column with seconds or milliseconds since 1970 should be called epoch_s or epoch_ms",
            shown(text)
        )),
        StampError::NotATime => {
            refused(format!("time {} is none; it should be one such as 2026-07-04T20:15:03.250Z", shown(text)))
        }
    })
}

/// The instant of a decimal number of units since 1970, exact to the nanosecond.
pub(super) fn since_1970(text: &str, per_s: i64) -> Option<EventTime> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let unit_ns = 1_000_000_000 / per_s;
    let whole: i64 = whole.parse().ok()?;
    let fraction: f64 = format!("0.{fraction}0").parse().ok()?;
    let fraction_ns = (fraction * unit_ns as f64).round() as i64;
    let sign = if text.starts_with('-') { -1 } else { 1 };
    whole.checked_mul(unit_ns)?.checked_add(sign * fraction_ns).map(EventTime::from_unix_ns)
}

/// A text for a refusal, cut where it is long.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_since_1970_are_exact() {
        for (text, per_s, ns) in [
            ("1796022001", 1, 1_796_022_001_000_000_000),
            ("1796022001.25", 1, 1_796_022_001_250_000_000),
            ("1796022001250", 1000, 1_796_022_001_250_000_000),
            ("-0.5", 1, -500_000_000),
        ] {
            assert_eq!(since_1970(text, per_s).map(EventTime::unix_ns), Some(ns), "{text}");
        }
        for text in ["", "1e9", "NaN", "1.e3", "1.5x", "99999999999999999999"] {
            assert_eq!(since_1970(text, 1), None, "{text}");
        }
    }
}
