//! GPX 1.0 and 1.1 tracks.
//!
//! Speed is in m/s: by the schema of GPX 1.0, by Garmin's TrackPointExtension v2 and by the habit of the
//! other extensions, whose elements are taken by name whatever their prefix; `--speed-unit` says otherwise.
//! Times without a zone are UTC, as both schemas say of `time`. Dilutions of precision are no metres and
//! are left out. Points of routes and waypoints are no track: they are refused.

use std::io::BufRead;
use std::ops::ControlFlow;

use chrono::{FixedOffset, Offset, Utc};

use super::record::{Clock, Point, Records};
use super::xml::{self, Attributes, Handler, Line};
use crate::observation::{Refusal, RefusalReason, VesselId};
use crate::replay::recording::{Format, ReadOptions, RecordingError, Sink};
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format = Format { name: "gpx", is_log: false, recognise, read };

fn recognise(head: &[u8], file_name: &str) -> bool {
    let is_xml = head.trim_ascii_start().starts_with(b"<");
    is_xml && (file_name.ends_with(".gpx") || head.windows(5).any(|piece| piece == b"<gpx " || piece == b"<gpx>"))
}

fn read(input: &mut dyn BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
    let offset: FixedOffset = options.utc_offset.unwrap_or(Utc.fix());
    let unit = options.speed_unit.unwrap_or(SpeedUnit::Mps);
    let records = Records::new(Clock::Stamps(Some(offset)), unit, options, sink);
    let mut gpx = Gpx { records, options, track: None, in_segment: false, point: Point::default() };
    xml::read(input, &["gpx"], &mut gpx)
}

struct Gpx<'a> {
    records: Records<'a>,
    options: &'a ReadOptions,
    /// The vessel that the current track is named after.
    track: Option<VesselId>,
    in_segment: bool,
    point: Point,
}

impl Handler for Gpx<'_> {
    fn open(&mut self, line: Line<'_>, name: &str, attributes: &Attributes<'_>) {
        match name {
            "trk" => (self.track, self.in_segment) = (None, false),
            "trkseg" => self.in_segment = true,
            "trkpt" => {
                if let Some(line) = self.point.line {
                    self.records.refuse_unclosed(line);
                }
                self.point.begin(line.get());
                attributes.get_into("lat", &mut self.point.lat);
                attributes.get_into("lon", &mut self.point.lon);
            }
            "rtept" | "wpt" => {
                let detail = "a point of a route or a waypoint is no part of a track";
                self.records.refuse(line.get(), Refusal::new(RefusalReason::NoTime, detail));
            }
            _ => {}
        }
    }

    fn close(&mut self, _line: Line<'_>, name: &str, text: &str) -> Result<ControlFlow<()>, RecordingError> {
        let point = &mut self.point;
        let Some(line) = point.line else {
            if name == "name" && !self.in_segment {
                self.track = VesselId::from_foreign(text);
            }
            return Ok(ControlFlow::Continue(()));
        };
        let slot = match name {
            "time" => &mut point.time,
            "speed" => &mut point.speed,
            "course" => &mut point.course,
            "heading" => &mut point.heading,
            "accuracy" | "hacc" | "hAcc" => &mut point.accuracy,
            "nav_status" => &mut point.status,
            "towed_by" => &mut point.towed_by,
            "trkpt" => {
                point.line = None;
                // A track's name is often "Move" or "Afternoon sail": what the user says goes first.
                let vessel = self.options.vessel.as_ref().or(self.track.as_ref()).cloned();
                return self.records.take(line, vessel, self.point.record());
            }
            _ => return Ok(ControlFlow::Continue(())),
        };
        text.clone_into(slot);
        Ok(ControlFlow::Continue(()))
    }
}
