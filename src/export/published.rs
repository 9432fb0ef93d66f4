//! Findings as they were published, in exchange formats: places with attributes.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

/// A format of published findings.
#[derive(Debug)]
pub struct PublishedFormat {
    /// How a file of it ends.
    pub name: &'static str,
    /// What it is called on the web.
    pub media_type: &'static str,
    /// Writes findings.
    pub write: fn(&[Value], &mut dyn Write) -> io::Result<()>,
}

/// All formats of published findings.
pub const PUBLISHED_FORMATS: &[PublishedFormat] = &[
    PublishedFormat { name: "csv", media_type: "text/csv; charset=utf-8", write: csv },
    PublishedFormat { name: "geojson", media_type: "application/geo+json", write: geojson },
    PublishedFormat { name: "gpx", media_type: "application/gpx+xml", write: gpx },
    PublishedFormat { name: "kml", media_type: "application/vnd.google-earth.kml+xml", write: kml },
];

/// The columns, each with the way to its value.
const COLUMNS: &[(&str, &[&str])] = &[
    ("id", &["id"]),
    ("state", &["state"]),
    ("rule", &["rule"]),
    ("clause", &["clause"]),
    ("reading", &["reading"]),
    ("waterway", &["waterway"]),
    ("vessel", &["vessel"]),
    ("other", &["other"]),
    ("start", &["start"]),
    ("end", &["end"]),
    ("verdict", &["verdict"]),
    ("confidence", &["confidence"]),
    ("limit_speed_mps", &["limit", "speed_mps"]),
    ("limit_distance_m", &["limit", "distance_m"]),
    ("peak_t", &["peak", "t"]),
    ("peak_lat", &["peak", "lat"]),
    ("peak_lon", &["peak", "lon"]),
    ("peak_speed_mps", &["peak", "speed_mps"]),
    ("peak_distance_m", &["peak", "distance_m"]),
    ("peak_feature", &["peak", "feature"]),
    ("revision", &["revision"]),
    ("status", &["status"]),
    ("map_version", &["map_version"]),
    ("rulebook_version", &["rulebook_version"]),
    ("text", &["text"]),
];

/// A finding as flat attributes.
pub fn flat(finding: &Value) -> Map<String, Value> {
    let value = |way: &[&str]| way.iter().fold(finding, |value, key| &value[*key]).clone();
    COLUMNS.iter().map(|(name, way)| ((*name).to_owned(), value(way))).collect()
}

/// A finding as a feature: the place of its worst instant.
pub fn finding_feature(finding: &Value) -> Value {
    json!({
        "type": "Feature",
        "id": finding["id"],
        "geometry": {"type": "Point", "coordinates": [finding["peak"]["lon"], finding["peak"]["lat"]]},
        "properties": flat(finding),
    })
}

fn csv(findings: &[Value], out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(COLUMNS.iter().map(|(name, _)| *name))?;
    for finding in findings {
        table.write_record(flat(finding).values().map(|value| match value {
            Value::Null => String::new(),
            // A sheet takes what begins so for a formula.
            Value::String(text) if text.starts_with(['=', '+', '-', '@']) => format!("'{text}"),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        }))?;
    }
    table.flush()
}

fn geojson(findings: &[Value], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[")?;
    for (number, finding) in findings.iter().enumerate() {
        out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &finding_feature(finding))?;
    }
    out.write_all(b"\n]}\n")
}

fn gpx(findings: &[Value], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"Buoyline\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n",
    )?;
    for finding in findings {
        let (peak, text) = (&finding["peak"], |key: &str| escaped(finding[key].as_str().unwrap_or_default()));
        writeln!(
            out,
            "<wpt lat=\"{}\" lon=\"{}\"><time>{}</time><name>{} {}</name><desc>{}</desc><type>{}</type></wpt>",
            peak["lat"],
            peak["lon"],
            peak["t"].as_str().unwrap_or_default(),
            text("rule"),
            text("vessel"),
            text("text"),
            text("verdict")
        )?;
    }
    out.write_all(b"</gpx>\n")
}

fn kml(findings: &[Value], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kml xmlns=\"http://www.opengis.net/kml/2.2\"><Document><name>Findings</name>\n",
    )?;
    for finding in findings {
        let (peak, text) = (&finding["peak"], |key: &str| escaped(finding[key].as_str().unwrap_or_default()));
        writeln!(
            out,
            "<Placemark><name>{} {}</name><description>{}</description><TimeStamp><when>{}</when></TimeStamp><Point><coordinates>{},{}</coordinates></Point></Placemark>",
            text("rule"),
            text("vessel"),
            text("text"),
            peak["t"].as_str().unwrap_or_default(),
            peak["lon"],
            peak["lat"]
        )?;
    }
    out.write_all(b"</Document></kml>\n")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
