//! GeoJSON (RFC 7946): each finding as the path of its vessel from start to end, for maps such as QGIS.
//!
//! The ends are interpolated between the fixes beside them, as the rules see the motion. A finding of one
//! instant is a point. Attributes are flat.

use std::io::{self, Write};

use geojson::{Feature, Geometry, GeometryValue, feature::Id};

use super::encounter_row::EncounterRow;
use super::row::{DEGREE_DIGITS, Row, rounded};
use super::{Format, Report};
use crate::encounter::Encounter;
use crate::findings::Finding;
use crate::geo::{Position, near_lon_deg};
use crate::time::EventTime;

pub(super) const FORMAT: Format = Format {
    name: "geojson",
    purpose: "paths with attributes, for maps such as QGIS",
    draws_paths: true,
    tells_accounts: false,
    write,
    write_encounters,
};

fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[")?;
    for (number, finding) in report.outcome.findings.iter().enumerate() {
        out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
        let attributes = serde_json::to_value(Row::of(finding, report))?;
        let track = report.outcome.paths.get(&finding.vessel).map_or(&[][..], Vec::as_slice);
        let feature = Feature {
            id: Some(Id::String(finding.id.clone())),
            geometry: Some(Geometry::new(geometry(finding, track))),
            properties: attributes.as_object().cloned(),
            ..Feature::default()
        };
        serde_json::to_writer(&mut *out, &feature)?;
    }
    out.write_all(b"\n]}\n")
}

/// Each encounter as the line between the two where they were closest.
fn write_encounters(met: &[Encounter], _: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[")?;
    for (number, met) in met.iter().enumerate() {
        out.write_all(if number == 0 { b"\n" } else { b",\n" })?;
        let attributes = serde_json::to_value(EncounterRow::of(met))?;
        let feature = Feature {
            geometry: Some(Geometry::new(GeometryValue::new_line_string(met.closest.positions.map(coordinate)))),
            properties: attributes.as_object().cloned(),
            ..Feature::default()
        };
        serde_json::to_writer(&mut *out, &feature)?;
    }
    out.write_all(b"\n]}\n")
}

/// Where the vessel went during the finding; a point where it was, for an instant.
fn geometry(finding: &Finding, track: &[(EventTime, Position)]) -> GeometryValue {
    let (start, end) = (finding.start, finding.end.unwrap_or(finding.peak.t));
    let first = track.partition_point(|fix| fix.0 <= start);
    let inside = track[first..].iter().take_while(|fix| fix.0 < end).map(|fix| fix.1);
    let mut path: Vec<[f64; 2]> =
        at(track, start).into_iter().chain(inside).chain(at(track, end)).map(coordinate).collect();
    path.dedup();
    match path.as_slice() {
        [] => GeometryValue::new_point(coordinate(finding.peak.position)),
        [only] => GeometryValue::new_point(*only),
        _ => GeometryValue::new_line_string(path),
    }
}

/// Where the vessel was, on a straight line at a steady rate between the fixes on either side.
fn at(track: &[(EventTime, Position)], t: EventTime) -> Option<Position> {
    let after = track.partition_point(|fix| fix.0 < t);
    let (t1, b) = *track.get(after)?;
    if t1 == t || after == 0 {
        return (t1 == t).then_some(b);
    }
    let (t0, a) = track[after - 1];
    let share = t.seconds_since(t0) / t1.seconds_since(t0);
    let lat_deg = a.lat_deg() + share * (b.lat_deg() - a.lat_deg());
    let lon_deg = a.lon_deg() + share * (near_lon_deg(b.lon_deg(), a.lon_deg()) - a.lon_deg());
    Position::from_lat_lon(lat_deg, near_lon_deg(lon_deg, 0.0)).ok()
}

fn coordinate(position: Position) -> [f64; 2] {
    position.to_geojson().map(|deg| rounded(deg, DEGREE_DIGITS))
}
