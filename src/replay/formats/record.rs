//! The texts of one track point, of whatever format, become a fix.

use std::ops::ControlFlow;

use chrono::FixedOffset;

use super::stamp::{self, StampError};
use crate::ingest::{accuracy_m, angle_deg, position, speed_mps};
use crate::observation::{Fix, Observation, Refusal, RefusalReason, VesselId};
use crate::replay::recording::{Place, ReadOptions, RecordingError, Sink};
use crate::time::EventTime;
use crate::units::SpeedUnit;

/// A track point as it is written. An empty text counts as absent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Record<'a> {
    pub time: Option<&'a str>,
    pub lat: Option<&'a str>,
    pub lon: Option<&'a str>,
    pub speed: Option<&'a str>,
    pub course: Option<&'a str>,
    pub heading: Option<&'a str>,
    pub accuracy: Option<&'a str>,
}

/// A track point as its elements come in, one after the other.
#[derive(Debug, Default)]
pub(super) struct Point {
    /// Where it begins.
    pub line: u64,
    pub time: Option<String>,
    pub lat: Option<String>,
    pub lon: Option<String>,
    pub speed: Option<String>,
    pub course: Option<String>,
    pub accuracy: Option<String>,
}

impl Point {
    /// What has come in.
    pub(super) fn record(&self) -> Record<'_> {
        Record {
            time: self.time.as_deref(),
            lat: self.lat.as_deref(),
            lon: self.lon.as_deref(),
            speed: self.speed.as_deref(),
            course: self.course.as_deref(),
            accuracy: self.accuracy.as_deref(),
            heading: None,
        }
    }
}

/// How a recording writes times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    /// As dates and times of day; those without a zone are of this offset.
    Stamps(Option<FixedOffset>),
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
}

/// Why a record is no fix.
enum Fault {
    Refused(Refusal),
    NoZone,
}

impl<'a> Records<'a> {
    /// For a recording that writes times by `clock` and speeds in `speed_unit`.
    pub(super) fn new(clock: Clock, speed_unit: SpeedUnit, options: &'a ReadOptions, sink: &'a mut dyn Sink) -> Self {
        Self { clock, speed_unit, options, sink, has_timed_one: false }
    }

    /// Hands on one record, of the vessel called `vessel` where the recording says so.
    ///
    /// # Errors
    /// [`RecordingError::Needs`] where the first time has no zone and none was said, or no vessel is known.
    pub(super) fn take(
        &mut self,
        line: u64,
        vessel: Option<VesselId>,
        record: Record<'_>,
    ) -> Result<ControlFlow<()>, RecordingError> {
        match record.fix(self.clock, self.speed_unit) {
            Ok(fix) => {
                self.has_timed_one = true;
                let vessel =
                    vessel.or_else(|| self.options.vessel.clone()).or_else(|| self.options.file_vessel.clone());
                let vessel = vessel.ok_or_else(|| {
                    RecordingError::needs(
                        line,
                        "nothing says whose track it is: say it with --track-vessel, as in --track-vessel boat-1",
                    )
                })?;
                Ok(self.sink.observation(Place { line }, Observation::Fix(vessel, fix)))
            }
            Err(Fault::Refused(refusal)) => {
                self.refuse(line, refusal);
                Ok(ControlFlow::Continue(()))
            }
            Err(Fault::NoZone) if self.has_timed_one => {
                let detail =
                    format!("time {:?} has no zone, others in the recording have one", record.time.unwrap_or(""));
                self.refuse(line, Refusal::new(RefusalReason::NoTime, detail));
                Ok(ControlFlow::Continue(()))
            }
            Err(Fault::NoZone) => Err(RecordingError::needs(
                line,
                format!(
                    "times such as {:?} have no zone: say it with --utc-offset; many recorders write UTC (--utc-offset=+00:00), others the clock on shore (as in --utc-offset=-06:00)",
                    record.time.unwrap_or("")
                ),
            )),
        }
    }

    /// Hands on a record that is no fix.
    pub(super) fn refuse(&mut self, line: u64, refusal: Refusal) {
        self.sink.refused(Place { line }, refusal);
    }
}

impl Record<'_> {
    fn fix(&self, clock: Clock, speed_unit: SpeedUnit) -> Result<Fix, Fault> {
        let position =
            position(number("latitude", self.lat)?, number("longitude", self.lon)?).map_err(Fault::Refused)?;
        let t = time(self.time, clock)?;
        Ok(Fix {
            sog_mps: speed_mps(number("speed", self.speed)?, speed_unit),
            cog_deg: angle_deg(number("course", self.course)?),
            heading_deg: angle_deg(number("heading", self.heading)?),
            accuracy_m: accuracy_m(number("accuracy", self.accuracy)?),
            ..Fix::new(t, position)
        })
    }
}

fn number(what: &str, text: Option<&str>) -> Result<Option<f64>, Fault> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    match text.parse() {
        Ok(value) => Ok(Some(value)),
        Err(_) => {
            let detail = format!("{what} {} is no number; it should be plain, with a decimal point", shown(text));
            Err(Fault::Refused(Refusal::unparsable(detail)))
        }
    }
}

fn time(text: Option<&str>, clock: Clock) -> Result<EventTime, Fault> {
    let refused = |detail: String| Fault::Refused(Refusal::new(RefusalReason::NoTime, detail));
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Err(refused("the record has no time".to_owned()));
    };
    match clock {
        Clock::Stamps(offset) => stamp::read(text, offset).map_err(|e| match e {
            StampError::NoZone => Fault::NoZone,
            StampError::NoTime if text.parse::<f64>().is_ok() => refused(format!(
                "time {} is a bare number; a column with seconds or milliseconds since 1970 should be called epoch_s or epoch_ms",
                shown(text)
            )),
            StampError::NoTime => {
                refused(format!("time {} is none; it should be one such as 2026-07-04T20:15:03.250Z", shown(text)))
            }
        }),
        Clock::Epoch { per_s } => {
            let unit = if per_s == 1 { "seconds" } else { "milliseconds" };
            since_1970(text, per_s)
                .ok_or_else(|| refused(format!("time {} is no number of {unit} since 1970", shown(text))))
        }
    }
}

/// The instant of a decimal number of units since 1970, exact to the nanosecond.
fn since_1970(text: &str, per_s: i64) -> Option<EventTime> {
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
