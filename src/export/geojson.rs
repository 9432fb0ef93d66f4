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
        _ => {
            let mut lines = cut_at_antimeridian(&path);
            let only = if lines.len() == 1 { lines.pop() } else { None };
            only.map_or_else(|| GeometryValue::new_multi_line_string(lines), GeometryValue::new_line_string)
        }
    }
}

/// A path in the parts that it has on either side of ±180°, as RFC 7946 (3.1.9) asks: drawn as one line it would go
/// round the globe.
fn cut_at_antimeridian(path: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let mut lines: Vec<Vec<[f64; 2]>> = vec![Vec::new()];
    for (i, &to) in path.iter().enumerate() {
        let from = if i > 0 { path[i - 1] } else { to };
        if (to[0] - from[0]).abs() > 180.0 {
            let edge_deg = 180.0_f64.copysign(from[0]);
            let east_deg = near_lon_deg(to[0], from[0]) - from[0];
            let share = if east_deg == 0.0 { 0.0 } else { (edge_deg - from[0]) / east_deg };
            let lat_deg = rounded(from[1] + share * (to[1] - from[1]), DEGREE_DIGITS);
            if let Some(line) = lines.last_mut().filter(|line| line.last() != Some(&[edge_deg, lat_deg])) {
                line.push([edge_deg, lat_deg]);
            }
            lines.push(vec![[-edge_deg, lat_deg]]);
        }
        if let Some(line) = lines.last_mut().filter(|line| line.last() != Some(&to)) {
            line.push(to);
        }
    }
    lines.retain(|line| line.len() > 1);
    lines
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_over_the_antimeridian_is_cut_there() {
        let path = [[179.9998, -16.5], [179.9999, -16.5], [-179.9999, -16.6], [-179.9998, -16.6]];
        let parts = cut_at_antimeridian(&path);
        assert_eq!(parts[0], [[179.9998, -16.5], [179.9999, -16.5], [180.0, -16.55]]);
        assert_eq!(parts[1], [[-180.0, -16.55], [-179.9999, -16.6], [-179.9998, -16.6]]);
        let back: Vec<[f64; 2]> = path.iter().rev().copied().collect();
        assert_eq!(cut_at_antimeridian(&back)[0].last(), Some(&[-180.0, -16.55]));
        assert_eq!(cut_at_antimeridian(&path[..2]), [path[..2].to_vec()]);
        let touching = [[179.9, 1.0], [180.0, 2.0], [-179.9, 3.0]];
        assert_eq!(cut_at_antimeridian(&touching).concat(), [[179.9, 1.0], [180.0, 2.0], [-180.0, 2.0], [-179.9, 3.0]]);
    }
}
