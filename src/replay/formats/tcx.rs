//! Garmin Training Center tracks (TCX).
//!
//! Speed is `Speed` in a trackpoint's extensions, m/s (ActivityExtension v2). `Time` is an `xsd:dateTime`
//! whose zone the schema leaves open, so one without a zone has to be told with `--utc-offset`.
//! Trackpoints without a position, as heart rate monitors write them, are refused and counted.

use std::io::BufRead;
use std::ops::ControlFlow;

use super::record::{Clock, Point, Records};
use super::xml::{self, Attributes, Handler, Line};
use crate::replay::recording::{Format, ReadOptions, RecordingError, Sink};
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format = Format { name: "tcx", is_log: false, recognise, read };

fn recognise(head: &[u8], file_name: &str) -> bool {
    let root = b"<TrainingCenterDatabase";
    let is_xml = head.trim_ascii_start().starts_with(b"<");
    is_xml && (file_name.ends_with(".tcx") || head.windows(root.len()).any(|piece| piece == root))
}

fn read(input: &mut dyn BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
    let unit = options.speed_unit.unwrap_or(SpeedUnit::Mps);
    let records = Records::new(Clock::Stamps(options.utc_offset), unit, options, sink);
    xml::read(input, &["TrainingCenterDatabase"], &mut Tcx { records, point: Point::default() })
}

struct Tcx<'a> {
    records: Records<'a>,
    point: Point,
}

impl Handler for Tcx<'_> {
    fn open(&mut self, line: Line<'_>, name: &str, _attributes: &Attributes<'_>) {
        if name == "Trackpoint" {
            if let Some(line) = self.point.line {
                self.records.refuse_unclosed(line);
            }
            self.point.begin(line.get());
        }
    }

    fn close(&mut self, _line: Line<'_>, name: &str, text: &str) -> Result<ControlFlow<()>, RecordingError> {
        let point = &mut self.point;
        let Some(line) = point.line else { return Ok(ControlFlow::Continue(())) };
        let slot = match name {
            "Time" => &mut point.time,
            "LatitudeDegrees" => &mut point.lat,
            "LongitudeDegrees" => &mut point.lon,
            "Speed" => &mut point.speed,
            "Trackpoint" => {
                point.line = None;
                return self.records.take(line, None, self.point.record());
            }
            _ => return Ok(ControlFlow::Continue(())),
        };
        text.clone_into(slot);
        Ok(ControlFlow::Continue(()))
    }
}
