//! Tables (CSV) of points: a row a point, a column for its latitude and one for its longitude, the others properties.

use ::geojson::GeometryValue;
use serde_json::{Map as JsonMap, Value};

use super::{Drawn, Format, ImportError, Source, stem};

pub(super) const FORMAT: Format =
    Format { name: "CSV", ending: "csv", looks_like: |bytes| head(bytes).is_some(), read };

/// What the columns of a place are called, in any case.
const LATITUDES: [&str; 5] = ["lat", "latitude", "lat_deg", "y", "ycoord"];
const LONGITUDES: [&str; 7] = ["lon", "lng", "long", "longitude", "lon_deg", "x", "xcoord"];
/// What separates columns.
const SEPARATORS: [u8; 3] = *b",;\t";

/// What the first line says.
struct Head {
    separator: u8,
    names: Vec<String>,
    lat: usize,
    lon: usize,
}

/// The first line, where it names both columns of a place.
fn head(bytes: &[u8]) -> Option<Head> {
    let line = plain(bytes).split(|byte| *byte == b'\n').next()?;
    SEPARATORS.into_iter().find_map(|separator| {
        let mut reader = reader(line, separator);
        let names: Vec<String> = reader.headers().ok()?.iter().map(str::to_owned).collect();
        let column = |known: &[&str]| names.iter().position(|name| known.contains(&name.to_lowercase().as_str()));
        let (lat, lon) = column(&LATITUDES).zip(column(&LONGITUDES))?;
        Some(Head { separator, names, lat, lon })
    })
}

fn plain(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

fn reader(bytes: &[u8], separator: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().delimiter(separator).flexible(true).trim(csv::Trim::All).from_reader(bytes)
}

fn read(source: &Source) -> Result<Vec<Drawn>, ImportError> {
    let Some(head) = head(&source.bytes) else {
        let mend = "name the columns in the first line, as in id,kind,name,lat,lon";
        return Err(ImportError::new("no columns are called lat and lon", mend));
    };
    let drawn: Vec<Drawn> = reader(plain(&source.bytes), head.separator)
        .into_records()
        .enumerate()
        .map(|(row, record)| match record {
            Ok(record) => head.drawn(source, row, &record),
            Err(error) => unread(source, row, format!("the line cannot be read: {error}")),
        })
        .collect();
    let is_far = |one: &&Drawn| matches!(&one.geometry, Ok(GeometryValue::Point { coordinates }) if coordinates.as_slice().iter().any(|n| n.abs() > 180.0));
    if drawn.iter().filter(is_far).count() * 2 > drawn.len() {
        let mend = "save the table with latitude and longitude in degrees of WGS 84 (EPSG:4326)";
        return Err(ImportError::new(
            "most positions are beyond 180: they are metres of a projection, not degrees",
            mend,
        ));
    }
    Ok(drawn)
}

/// A row that is no point; the first line is the head.
fn unread(source: &Source, row: usize, reason: String) -> Drawn {
    Drawn {
        place: format!("{}:{}", source.name, row + 2),
        file: stem(&source.name).to_owned(),
        folders: Vec::new(),
        id: None,
        properties: JsonMap::new(),
        geometry: Err(reason),
    }
}

impl Head {
    fn drawn(&self, source: &Source, row: usize, record: &csv::StringRecord) -> Drawn {
        let mut drawn = unread(source, row, "the line has no latitude and longitude in degrees".to_owned());
        let place = self.degrees(record, self.lon).zip(self.degrees(record, self.lat));
        if let Some((lon_deg, lat_deg)) = place {
            drawn.geometry = Ok(GeometryValue::new_point([lon_deg, lat_deg]));
        }
        for (at, (name, text)) in self.names.iter().zip(record).enumerate() {
            if at == self.lat || at == self.lon || text.is_empty() || name.is_empty() {
                continue;
            }
            if name.eq_ignore_ascii_case("id") {
                drawn.id = Some(text.to_owned());
            } else {
                drawn.properties.insert(name.clone(), value(text));
            }
        }
        drawn
    }

    fn degrees(&self, record: &csv::StringRecord, at: usize) -> Option<f64> {
        let text = record.get(at)?;
        // Where a comma does not separate columns it may separate decimals.
        let text = if self.separator == b',' { text.to_owned() } else { text.replace(',', ".") };
        text.parse().ok().filter(|degrees: &f64| degrees.is_finite())
    }
}

/// A cell as the map has it: whole numbers and yes or no are no texts; `007` is a name.
fn value(text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => number.into(),
        _ => match text.to_ascii_lowercase().as_str() {
            "true" => true.into(),
            "false" => false.into(),
            _ => text.into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { name: "points.csv".to_owned(), bytes: text.as_bytes().to_vec(), ..Source::default() }
    }

    #[test]
    fn rows_are_points_and_the_rest_says_why_not() {
        let text = "id,kind,order,name,Latitude,Longitude\nB-1,safety_buoy,1,North,47.6,-117.1\nB-2,safety_buoy,02,,none,-117.2\n";
        let drawn = super::super::read(&source(text)).expect("a table");
        assert_eq!((drawn.len(), super::super::format_of(&source(text))), (2, Some("CSV")));
        assert_eq!(drawn[0].id.as_deref(), Some("B-1"));
        assert_eq!(drawn[0].geometry, Ok(GeometryValue::new_point([-117.1, 47.6])));
        let said = serde_json::to_string(&drawn[0].properties).expect("plain values");
        assert_eq!(said, r#"{"kind":"safety_buoy","order":1,"name":"North"}"#);
        assert_eq!(drawn[1].place, "points.csv:3");
        assert!(drawn[1].geometry.is_err());
        assert_eq!(drawn[1].properties["order"], "02", "a number with a zero before it is a name");
    }

    #[test]
    fn other_separators_are_told_by_the_first_line() {
        let drawn = read(&source("\u{feff}lat;lon;kind\r\n47,65;-117,08;dock\r\n")).expect("semicolons");
        assert_eq!(drawn[0].geometry, Ok(GeometryValue::new_point([-117.08, 47.65])));
        assert_eq!(read(&source("x\ty\n-117.08\t47.65\n")).expect("tabs").len(), 1);
        assert!(head(b"a,b\n1,2\n").is_none());
        assert!(head(b"").is_none());
    }

    #[test]
    fn metres_are_no_degrees() {
        let error = read(&source("x,y\n512345.1,5278123.4\n512346,5278124\n")).expect_err("projected");
        assert!(error.reason.contains("metres of a projection"), "{error}");
    }
}
