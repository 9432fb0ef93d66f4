//! Garmin Training Center tracks (TCX).
//!
//! Speed is `Speed` in a trackpoint's extensions, m/s (ActivityExtension v2). `Time` is an `xsd:dateTime`
//! whose zone the schema leaves open, so one without a zone has to be told with `--utc-offset`.
//! Trackpoints without a position, as heart rate monitors write them, are refused and counted.

use std::io::BufRead;
use std::ops::ControlFlow;

use super::record::{Clock, Point, Records};
use super::xml::{self, Attributes, Handler};
use crate::replay::recording::{Format, ReadOptions, RecordingError, Sink};
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format = Format { name: "tcx", recognise, read };

fn recognise(head: &[u8], file_name: &str) -> bool {
    let root = b"<TrainingCenterDatabase";
    let is_xml = head.trim_ascii_start().starts_with(b"<");
    is_xml && (file_name.ends_with(".tcx") || head.windows(root.len()).any(|piece| piece == root))
}

fn read(input: &mut dyn BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
    let unit = options.speed_unit.unwrap_or(SpeedUnit::Mps);
    let records = Records::new(Clock::Stamps(options.utc_offset), unit, options, sink);
    xml::read(input, &mut Tcx { records, point: None })
}

struct Tcx<'a> {
    records: Records<'a>,
    point: Option<Point>,
}

impl Handler for Tcx<'_> {
    fn open(&mut self, line: u64, name: &str, _attributes: &Attributes<'_>) {
        if name == "Trackpoint" {
            self.point = Some(Point { line, ..Point::default() });
        }
    }

    fn close(&mut self, _line: u64, name: &str, text: &str) -> Result<ControlFlow<()>, RecordingError> {
        let Some(point) = &mut self.point else { return Ok(ControlFlow::Continue(())) };
        match name {
            "Time" => point.time = Some(text.to_owned()),
            "LatitudeDegrees" => point.lat = Some(text.to_owned()),
            "LongitudeDegrees" => point.lon = Some(text.to_owned()),
            "Speed" => point.speed = Some(text.to_owned()),
            "Trackpoint" => return self.take(),
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Tcx<'_> {
    fn take(&mut self) -> Result<ControlFlow<()>, RecordingError> {
        let Some(point) = self.point.take() else { return Ok(ControlFlow::Continue(())) };
        self.records.take(point.line, None, point.record())
    }
}
