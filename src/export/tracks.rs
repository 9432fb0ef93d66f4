//! Tracks in exchange formats: every fix of every vessel, as it was reported.

use std::io::{self, Write};

use serde_json::json;

use crate::observation::{Fix, Observation, VesselId};
use crate::replay::convert;
use crate::time::EventTime;

/// The fixes of a vessel in order of time.
pub type TrackOf = (VesselId, Vec<Fix>);

/// A format of tracks.
#[derive(Debug)]
pub struct TrackFormat {
    /// How a file of it ends.
    pub name: &'static str,
    /// What it is called on the web.
    pub media_type: &'static str,
    /// Writes tracks.
    pub write: fn(&[TrackOf], &mut dyn Write) -> io::Result<()>,
}

/// All formats of tracks.
pub const TRACK_FORMATS: &[TrackFormat] = &[
    TrackFormat { name: "gpx", media_type: "application/gpx+xml", write: gpx },
    TrackFormat { name: "kml", media_type: "application/vnd.google-earth.kml+xml", write: kml },
    TrackFormat { name: "geojson", media_type: "application/geo+json", write: geojson },
    TrackFormat { name: "csv", media_type: "text/csv; charset=utf-8", write: csv },
];

fn gpx(tracks: &[TrackOf], out: &mut dyn Write) -> io::Result<()> {
    let fixes = tracks.iter().flat_map(|(id, fixes)| fixes.iter().map(|fix| (id.clone(), fix.clone())));
    convert::write("gpx", &mut fixes.map(|(id, fix)| Observation::Fix(id, fix)), out)
}

/// KML with a `gx:Track` for each vessel, which map programs play over time.
fn kml(tracks: &[TrackOf], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kml xmlns=\"http://www.opengis.net/kml/2.2\" xmlns:gx=\"http://www.google.com/kml/ext/2.2\"><Document><name>Tracks</name>\n",
    )?;
    for (id, fixes) in tracks {
        // Ids have no characters that XML minds.
        writeln!(out, "<Placemark><name>{id}</name><gx:Track>")?;
        for fix in fixes {
            writeln!(out, "<when>{}</when>", fix.t.to_rfc3339())?;
        }
        for fix in fixes {
            writeln!(out, "<gx:coord>{} {} 0</gx:coord>", fix.position.lon_deg(), fix.position.lat_deg())?;
        }
        writeln!(out, "</gx:Track></Placemark>")?;
    }
    out.write_all(b"</Document></kml>\n")
}

/// A line for each vessel; times, speeds and courses are lists beside it.
fn geojson(tracks: &[TrackOf], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[")?;
    for (number, track) in tracks.iter().enumerate() {
        out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &track_feature(track))?;
    }
    out.write_all(b"\n]}\n")
}

/// A track as a feature: a line, or a point where there is one fix.
pub fn track_feature((id, fixes): &TrackOf) -> serde_json::Value {
    let places: Vec<[f64; 2]> = fixes.iter().map(|fix| fix.position.to_geojson()).collect();
    let geometry = match places.as_slice() {
        [] => json!(null),
        [only] => json!({"type": "Point", "coordinates": only}),
        _ => json!({"type": "LineString", "coordinates": places}),
    };
    let times: Vec<EventTime> = fixes.iter().map(|fix| fix.t).collect();
    json!({
        "type": "Feature",
        "id": id.as_str(),
        "geometry": geometry,
        "properties": {
            "vessel": id.as_str(),
            "start": times.first(),
            "end": times.last(),
            "fixes": fixes.len(),
            "times": times,
            "sog_mps": fixes.iter().map(|fix| fix.sog_mps).collect::<Vec<_>>(),
            "cog_deg": fixes.iter().map(|fix| fix.cog_deg).collect::<Vec<_>>(),
            "accuracy_m": fixes.iter().map(|fix| fix.accuracy_m).collect::<Vec<_>>(),
        },
    })
}

fn csv(tracks: &[TrackOf], out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(["vessel", "t", "lat", "lon", "sog_mps", "cog_deg", "heading_deg", "accuracy_m"])?;
    for (id, fixes) in tracks {
        for fix in fixes {
            let text = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
            table.write_record([
                id.to_string(),
                fix.t.to_rfc3339(),
                fix.position.lat_deg().to_string(),
                fix.position.lon_deg().to_string(),
                text(fix.sog_mps),
                text(fix.cog_deg),
                text(fix.heading_deg),
                text(fix.accuracy_m),
            ])?;
        }
    }
    table.flush()
}
