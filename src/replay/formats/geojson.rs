//! GeoJSON with times: a feature a point, or lines with a list of times beside their coordinates.
//!
//! RFC 7946 has no times; read is what is written: `time` and the like among the properties of a point
//! (known by the names of `columns`); `coordTimes`, `times` or `coordinateProperties.times` beside a line; else
//! a fourth coordinate. A time that is a number counts from 1970, in milliseconds where seconds would lie
//! beyond the year 5000. Features stream, one at a time; one of more than 16 MiB ends the reading. Features one
//! a line (RFC 8142) are read as well. Places are the line on which a feature begins.

use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::columns::{Columns, Header};
use super::record::{Clock, Record, Records};
use crate::observation::{Refusal, RefusalReason};
use crate::replay::recording::{Format, ReadOptions, RecordingError, Sink};
use crate::time::EventTime;
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format = Format { name: "geojson", is_log: false, recognise, read };

/// A feature is held as a whole; what it takes in memory is some times its text.
const FEATURE_BYTES_MAX: u64 = 16 << 20;

/// Where times of a line stand among its properties; the last one in `coordinateProperties`.
const LISTS_OF_TIMES: &[&str] = &["coordTimes", "times", "timestamps", "time"];

fn recognise(head: &[u8], file_name: &str) -> bool {
    let begins = head.trim_ascii_start().first().is_some_and(|b| *b == b'{' || *b == 0x1e);
    // The kind of a geometry would be that of any message about a place; the kinds of features are GeoJSON's own.
    let is_feature = || {
        let text = String::from_utf8_lossy(head);
        let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        squeezed.contains("\"type\":\"FeatureCollection\"") || squeezed.contains("\"type\":\"Feature\"")
    };
    begins && (file_name.ends_with(".geojson") || is_feature())
}

fn read(input: &mut dyn BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
    let position = Rc::new(At { line: Cell::new(1), left: Cell::new(FEATURE_BYTES_MAX) });
    let mut counted = Counted { input, at: position.clone() };
    let records = Records::new(Clock::Stamps(options.utc_offset), SpeedUnit::Mps, options, sink);
    let mut reading = Reading { records, options, at: position, known: None, stopped: None };
    while !counted.is_at_end().map_err(|e| RecordingError::damaged(reading.at.line.get(), e))? {
        let first = reading.at.line.get();
        let mut json = serde_json::Deserializer::from_reader(&mut counted);
        let outcome = Root(&mut reading).deserialize(&mut json);
        match (reading.stopped.take(), outcome) {
            (Some(stopped), _) => return stopped,
            (None, Err(e)) => {
                let text = e.to_string();
                let reason = text.split(" at line ").next().unwrap_or(&text);
                return Err(RecordingError::damaged(first + e.line().saturating_sub(1) as u64, reason));
            }
            (None, Ok(())) => {}
        }
    }
    Ok(())
}

/// How far the reading has come, and how much of one feature may still come.
struct At {
    line: Cell<u64>,
    left: Cell<u64>,
}

/// An input that counts its lines and ends where a feature gets too long.
struct Counted<'a> {
    input: &'a mut dyn BufRead,
    at: Rc<At>,
}

impl Counted<'_> {
    /// Whether nothing follows but white space and separators.
    fn is_at_end(&mut self) -> io::Result<bool> {
        loop {
            let bytes = self.input.fill_buf()?;
            let is_blank = |b: &u8| b.is_ascii_whitespace() || matches!(b, 0x1e | 0xef | 0xbb | 0xbf);
            let blank = bytes.iter().take_while(|b| is_blank(b)).count();
            let is_over = bytes.is_empty();
            if is_over || blank < bytes.len() {
                self.pass(blank);
                return Ok(is_over);
            }
            self.pass(blank);
        }
    }

    fn pass(&mut self, count: usize) {
        if let Ok(bytes) = self.input.fill_buf() {
            let lines = bytes[..count].iter().filter(|b| **b == b'\n').count() as u64;
            self.at.line.set(self.at.line.get() + lines);
        }
        self.input.consume(count);
    }
}

impl Read for Counted<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.input.fill_buf()?.read(out)?;
        let left = self.at.left.get().checked_sub(n as u64);
        self.at.left.set(left.ok_or_else(|| io::Error::other("a feature of more than 16 MiB; split its track"))?);
        self.pass(n);
        Ok(n)
    }
}

struct Reading<'a> {
    records: Records<'a>,
    options: &'a ReadOptions,
    at: Rc<At>,
    /// The property names last seen and what they mean.
    known: Option<(Vec<String>, Columns)>,
    /// Why the reading ends before the text does: the sink has enough, or something has to be said first.
    stopped: Option<Result<(), RecordingError>>,
}

/// A collection or a feature.
struct Root<'r, 'a>(&'r mut Reading<'a>);

impl<'de> DeserializeSeed<'de> for Root<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Root<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a GeoJSON feature or collection of features")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let line = self.0.at.line.get();
        let mut feature = Feature::default();
        let mut is_collection = false;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "features" => {
                    is_collection = true;
                    map.next_value_seed(Features(self.0))?;
                }
                "geometry" => feature.geometry = map.next_value()?,
                "properties" => feature.properties = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        self.0.at.left.set(FEATURE_BYTES_MAX);
        if is_collection { Ok(()) } else { self.0.take(line, feature) }
    }
}

/// The features of a collection.
struct Features<'r, 'a>(&'r mut Reading<'a>);

impl<'de> DeserializeSeed<'de> for Features<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Features<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of features")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut features: S) -> Result<(), S::Error> {
        while let Some(()) = features.next_element_seed(Root(self.0))? {}
        Ok(())
    }
}

#[derive(Default)]
struct Feature {
    geometry: Option<Geometry>,
    properties: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Geometry {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    coordinates: Coordinates,
}

/// Longitude, latitude, height and what a fourth coordinate means; those absent are no numbers.
type Place = [f64; 4];

/// Coordinates of any depth that a track can have.
#[derive(Default)]
enum Coordinates {
    Number(f64),
    Point(Place),
    Line(Vec<Place>),
    Lines(Vec<Vec<Place>>),
    /// Areas, and nothing.
    #[default]
    Other,
}

impl<'de> Deserialize<'de> for Coordinates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Nested;
        impl<'de> Visitor<'de> for Nested {
            type Value = Coordinates;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("coordinates")
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Coordinates, E> {
                Ok(Coordinates::Number(number))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Coordinates, E> {
                Ok(Coordinates::Number(number as f64))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Coordinates, E> {
                Ok(Coordinates::Number(number as f64))
            }
            fn visit_unit<E: Error>(self) -> Result<Coordinates, E> {
                Ok(Coordinates::Number(f64::NAN))
            }
            fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Coordinates, S::Error> {
                let mut all = Coordinates::Other;
                let mut count = 0;
                while let Some(item) = items.next_element()? {
                    all = all.with(item, count).ok_or_else(|| S::Error::custom("coordinates of mixed depth"))?;
                    count += 1;
                }
                Ok(all)
            }
        }
        deserializer.deserialize_any(Nested)
    }
}

impl Coordinates {
    /// With one more item, the one numbered `count`; `None` where that is of another depth.
    fn with(self, item: Self, count: usize) -> Option<Self> {
        Some(match (self, item) {
            (Self::Other, Self::Number(number)) if count == 0 => Self::Point([number, f64::NAN, f64::NAN, f64::NAN]),
            (Self::Point(mut place), Self::Number(number)) => {
                if let Some(slot) = place.get_mut(count) {
                    *slot = number;
                }
                Self::Point(place)
            }
            (Self::Other, Self::Point(place)) if count == 0 => Self::Line(vec![place]),
            (Self::Line(mut line), Self::Point(place)) => {
                line.push(place);
                Self::Line(line)
            }
            (Self::Other, Self::Line(line)) if count == 0 => Self::Lines(vec![line]),
            (Self::Lines(mut lines), Self::Line(line)) => {
                lines.push(line);
                Self::Lines(lines)
            }
            (Self::Other, Self::Lines(_) | Self::Other) => Self::Other,
            _ => return None,
        })
    }
}

impl Reading<'_> {
    /// Takes one feature that begins on a line.
    fn take<E: Error>(&mut self, line: u64, feature: Feature) -> Result<(), E> {
        match self.hand_on(line, feature) {
            Ok(ControlFlow::Continue(())) => Ok(()),
            Ok(ControlFlow::Break(())) => {
                self.stopped = Some(Ok(()));
                Err(E::custom("enough"))
            }
            Err(error) => {
                self.stopped = Some(Err(error));
                Err(E::custom("something has to be said"))
            }
        }
    }

    fn hand_on(&mut self, line: u64, feature: Feature) -> Result<ControlFlow<()>, RecordingError> {
        let properties = feature.properties.unwrap_or_default();
        // The ring of an area has the depth of lines and is none.
        let of_track =
            |geometry: &Geometry| ["Point", "MultiPoint", "LineString", "MultiLineString"].contains(&&*geometry.kind);
        match feature.geometry.filter(of_track).map(|geometry| geometry.coordinates) {
            Some(Coordinates::Point(place)) => self.take_point(line, place, &properties),
            Some(Coordinates::Line(places)) => self.take_lines(line, &[places], &properties),
            Some(Coordinates::Lines(lines)) => self.take_lines(line, &lines, &properties),
            _ => {
                let detail = "a feature that is neither points nor lines is no part of a track";
                self.records.refuse(line, Refusal::new(RefusalReason::NoTime, detail));
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    /// What the properties say beside the place.
    fn columns(&mut self, line: u64, names: Vec<&String>) -> Result<Columns, RecordingError> {
        if let Some((known, columns)) = &self.known
            && known.iter().eq(names.iter().copied())
        {
            return Ok(columns.clone());
        }
        let header = Header::new(names.iter().map(|name| name.as_str()));
        let columns = header.of_properties(self.options).map_err(|reason| RecordingError::needs(line, reason))?;
        self.known = Some((names.into_iter().cloned().collect(), columns.clone()));
        Ok(columns)
    }

    fn take_point(
        &mut self,
        line: u64,
        [lon_deg, lat_deg, _, fourth]: Place,
        properties: &Map<String, Value>,
    ) -> Result<ControlFlow<()>, RecordingError> {
        let columns = self.columns(line, properties.keys().collect())?;
        let texts: Vec<String> = properties.values().map(text).collect();
        let cells: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (record, name) = columns.record(&cells);
        let t = match record.time.filter(|time| !time.is_empty()) {
            Some(time) if columns.clock == Clock::Stamps(self.options.utc_offset) => {
                time.parse().ok().and_then(since_1970)
            }
            Some(_) => None,
            None => since_1970(fourth),
        };
        let number = |deg: f64| if deg.is_nan() { String::new() } else { deg.to_string() };
        let (lat, lon) = (number(lat_deg), number(lon_deg));
        let record = Record { t, lat: Some(&lat), lon: Some(&lon), ..record };
        self.records.set_clock(columns.clock);
        self.records.set_speed_unit(columns.speed_unit);
        self.records.take(line, name.and_then(|name| columns.vessel_id(name)), record)
    }

    fn take_lines(
        &mut self,
        line: u64,
        lines: &[Vec<Place>],
        properties: &Map<String, Value>,
    ) -> Result<ControlFlow<()>, RecordingError> {
        let listed = || LISTS_OF_TIMES.iter().find_map(|key| properties.get(*key)?.as_array());
        let beside = || properties.get("coordinateProperties")?.get("times")?.as_array();
        let times = listed().or_else(beside);
        let places = || lines.iter().flatten();
        // Of several lines, each has a list of its own.
        let times: Option<Vec<&Value>> = times.map(|times| match lines {
            [_] => times.iter().collect(),
            _ => times.iter().flat_map(|list| list.as_array().map_or(&[][..], Vec::as_slice)).collect(),
        });
        let count = places().count();
        let whole = match &times {
            None if places().any(|place| place[3].is_nan()) => {
                Err("the line has no times: `coordTimes` beside it should have one for each of its points".to_owned())
            }
            Some(times) if times.len() != count => Err(format!(
                "the line has {count} points and {} times: as they differ, nobody knows which belong together",
                times.len()
            )),
            _ => Ok(()),
        };
        if let Err(detail) = whole {
            for _ in 0..count.max(1) {
                self.records.refuse(line, Refusal::new(RefusalReason::NoTime, detail.clone()));
            }
            return Ok(ControlFlow::Continue(()));
        }
        let columns = self.columns(line, properties.keys().collect())?;
        let texts: Vec<String> = properties.values().map(text).collect();
        let cells: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vessel = columns.record(&cells).1.and_then(|name| columns.vessel_id(name));
        self.records.set_clock(Clock::Stamps(self.options.utc_offset));
        for (ix, place) in places().enumerate() {
            let written = times.as_ref().map(|times| times[ix]);
            let time = written.map(text);
            let t = match written {
                Some(value) => value.as_f64().and_then(since_1970),
                None => since_1970(place[3]),
            };
            let number = |deg: f64| if deg.is_nan() { String::new() } else { deg.to_string() };
            let (lon, lat) = (number(place[0]), number(place[1]));
            let record = Record { t, time: time.as_deref(), lat: Some(&lat), lon: Some(&lon), ..Record::default() };
            if self.records.take(line, vessel.clone(), record)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// A value as a table would have it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

/// The instant of a number that counts from 1970: seconds up to the year 5138, else milliseconds, which
/// are those after March 1973. A smaller one is none: it may count from anything; so is one after 2262.
fn since_1970(number: f64) -> Option<EventTime> {
    const SECONDS_MAX: f64 = 1e11;
    const SECONDS_MIN: f64 = 1e8;
    let ms = match number {
        n if (SECONDS_MIN..SECONDS_MAX).contains(&n) => n * 1000.0,
        n if (SECONDS_MAX..SECONDS_MAX * 1000.0).contains(&n) => n,
        _ => return None,
    };
    // To the microsecond: a double has no more of today's seconds. Instants end in 2262.
    ((ms * 1000.0).round() as i64).checked_mul(1000).map(EventTime::from_unix_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_seconds_or_milliseconds_by_its_size() {
        let told = |number| since_1970(number).map(|t| t.to_string());
        assert_eq!(told(1_434_126_869_275.0).as_deref(), Some("2015-06-12T16:34:29.275Z"));
        assert_eq!(told(1_434_126_869.275).as_deref(), Some("2015-06-12T16:34:29.275Z"));
        for none in [0.0, 12.5, -1e9, f64::NAN, 1e15, 9.3e9, 9.3e12] {
            assert_eq!(told(none), None, "{none}");
        }
    }
}
