//! Maps of other tools become zone files: bytes in, GeoJSON with kinds out.
//!
//! A format is one file and its line in [`FORMATS`]; all give [`Drawn`] features: geometry in WGS 84, properties as
//! they were. [`mapping`] says which kind each of them is, by its own words or by what whoever imports says.
//! What has no kind is listed with its reason, never guessed. Reading and writing files is the caller's work.

mod geojson;
mod gpx;
mod kml;
pub mod mapping;
mod projection;
mod shapefile;
mod table;
mod waters;
mod xml;

#[cfg(test)]
mod import_tests;

use ::geojson::GeometryValue;
use serde_json::{Map as JsonMap, Value};

pub use mapping::{Cause, Choice, Collection, Left, Mapping, Selector};
pub use projection::ProjectionError;

/// A feature that somebody drew.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// Where it stands, for messages: `docks.kml:12`, `lake.shp record 3`.
    pub place: String,
    /// The file's name without folders and endings.
    pub file: String,
    /// The folders it lies in, the innermost last.
    pub folders: Vec<String>,
    /// Its id in the file, where it has one.
    pub id: Option<String>,
    /// Everything that is said about it.
    pub properties: JsonMap<String, Value>,
    /// What it looks like, in degrees of WGS 84; `Err` with the reason where it cannot be used.
    pub geometry: Result<GeometryValue, String>,
}

/// A file and those that belong to it.
#[derive(Debug, Default)]
pub struct Source {
    /// Its name, for messages.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// What lies beside a shapefile: the table, its projection and its encoding.
    pub beside: Beside,
}

/// The other files of a shapefile, as far as they are there.
#[derive(Debug, Default)]
pub struct Beside {
    /// Attributes.
    pub dbf: Option<Vec<u8>>,
    /// Projection, as well-known text.
    pub prj: Option<Vec<u8>>,
    /// Encoding of the attributes.
    pub cpg: Option<Vec<u8>>,
}

/// Why a file cannot be imported at all.
#[derive(Debug, thiserror::Error)]
#[error("{reason}; {mend}")]
pub struct ImportError {
    /// What is wrong.
    pub reason: String,
    /// How to mend it.
    pub mend: String,
}

impl ImportError {
    fn new(reason: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { reason: reason.into(), mend: mend.into() }
    }
}

/// A format of maps.
#[derive(Debug)]
pub struct Format {
    /// What it is called.
    pub name: &'static str,
    /// How its files end.
    pub ending: &'static str,
    looks_like: fn(&[u8]) -> bool,
    read: fn(&Source) -> Result<Vec<Drawn>, ImportError>,
}

/// All formats, in the order in which a content is tried.
pub const FORMATS: &[Format] = &[shapefile::FORMAT, kml::KMZ, kml::KML, gpx::FORMAT, geojson::FORMAT, table::FORMAT];

/// What format a file is of, by its content.
pub fn format_of(source: &Source) -> Option<&'static str> {
    FORMATS.iter().find(|format| (format.looks_like)(&source.bytes)).map(|format| format.name)
}

/// Reads a file, whatever its format.
///
/// # Errors
/// [`ImportError`] where it is of no known format, or damaged, or in an unknown projection.
pub fn read(source: &Source) -> Result<Vec<Drawn>, ImportError> {
    let Some(format) = FORMATS.iter().find(|format| (format.looks_like)(&source.bytes)) else {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        return Err(ImportError::new(
            "the content is of no known format",
            format!("known are {}; export the layer as one of them", names.join(", ")),
        ));
    };
    (format.read)(source)
}

/// How many positions a geometry has; a ring's last one, which repeats its first, counts.
pub fn position_count(value: &GeometryValue) -> usize {
    match value {
        GeometryValue::Point { .. } => 1,
        GeometryValue::MultiPoint { coordinates } | GeometryValue::LineString { coordinates } => coordinates.len(),
        GeometryValue::MultiLineString { coordinates } | GeometryValue::Polygon { coordinates } => {
            coordinates.iter().map(Vec::len).sum()
        }
        GeometryValue::MultiPolygon { coordinates } => coordinates.iter().flatten().map(Vec::len).sum(),
        GeometryValue::GeometryCollection { geometries } => geometries.iter().map(|g| position_count(&g.value)).sum(),
    }
}

/// The file's name without folders and endings.
fn stem(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// The beginning of a text, byte order mark and space apart.
fn starts_with_text(bytes: &[u8], what: u8) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&what)
}
