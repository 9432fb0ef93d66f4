//! Formats of recordings, one file a format.
//!
//! A reader streams: what it holds does not grow with the recording. It hands every record on, as an
//! observation or as a refusal with its line, and guesses neither time zones nor units.

mod columns;
mod csv;
mod fit;
mod geojson;
mod gpx;
mod kml;
mod mqtt;
mod ndjson;
mod nmea;
mod published;
mod record;
mod stamp;
mod tcx;
mod xml;

use super::recording::Format;

/// All formats; the first that recognises a recording reads it.
pub static FORMATS: &[Format] = &[
    fit::FORMAT,
    gpx::FORMAT,
    tcx::FORMAT,
    kml::FORMAT,
    geojson::FORMAT,
    mqtt::FORMAT,
    ndjson::FORMAT,
    nmea::FORMAT,
    csv::FORMAT,
];

#[cfg(test)]
mod formats_tests;
#[cfg(test)]
mod hostile_tests;
