//! GPX 1.1: a track for each vessel, named by its id.
//!
//! Speed and course are written as other programs read them (Garmin's TrackPointExtension v2), heading,
//! accuracy, status and who tows in elements of our own; the GPX reader knows them all. Tracks need all fixes of a
//! vessel together, so all fixes are held until the end.

use std::io::{self, Write};

use foldhash::fast::FixedState;
use indexmap::IndexMap;
use serde::Serialize;

use super::{Lost, Target, Writer};
use crate::observation::{Fix, Observation, VesselId};

pub(super) const TARGET: Target = Target {
    name: "gpx",
    purpose: "tracks for other programs; holds fixes only",
    writer: || Box::new(Gpx(IndexMap::default())),
};

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Buoyline" xmlns="http://www.topografix.com/GPX/1/1" xmlns:tpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:b="urn:buoyline:track">
"#;

struct Gpx(IndexMap<VesselId, Vec<Fix>, FixedState>);

impl Writer for Gpx {
    fn put(&mut self, observation: Observation, _: &mut dyn Write) -> io::Result<Option<Lost>> {
        let (vessel, fix) = match observation {
            Observation::Fix(vessel, fix) => (vessel, fix),
            Observation::Activity(..) => return Ok(Some(Lost::Message("activities"))),
            Observation::Profile(..) => return Ok(Some(Lost::Message("what vessels are"))),
            Observation::Mark(_) => return Ok(Some(Lost::Message("marks"))),
            Observation::Conditions(_) => return Ok(Some(Lost::Message("conditions"))),
        };
        let lost = fix.lights.is_some().then_some(Lost::Part("lights of fixes"));
        self.0.entry(vessel).or_default().push(fix);
        Ok(lost)
    }

    fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(HEAD.as_bytes())?;
        for (vessel, fixes) in &self.0 {
            // Ids have no characters that XML minds.
            writeln!(out, "<trk><name>{vessel}</name><trkseg>")?;
            for fix in fixes {
                point(fix, out)?;
            }
            writeln!(out, "</trkseg></trk>")?;
        }
        writeln!(out, "</gpx>")
    }
}

fn point(fix: &Fix, out: &mut dyn Write) -> io::Result<()> {
    let (lat_deg, lon_deg) = (fix.position.lat_deg(), fix.position.lon_deg());
    write!(out, r#"<trkpt lat="{lat_deg}" lon="{lon_deg}"><time>{}</time>"#, fix.t.to_rfc3339())?;
    let Fix { sog_mps, cog_deg, heading_deg, accuracy_m, nav_status, towed_by, .. } = fix;
    let has_motion = sog_mps.is_some() || cog_deg.is_some();
    let has_own = heading_deg.is_some() || accuracy_m.is_some() || nav_status.is_some() || towed_by.is_some();
    if has_motion || has_own {
        write!(out, "<extensions>")?;
        if has_motion {
            write!(out, "<tpx:TrackPointExtension>")?;
            element(out, "tpx:speed", *sog_mps)?;
            element(out, "tpx:course", *cog_deg)?;
            write!(out, "</tpx:TrackPointExtension>")?;
        }
        element(out, "b:heading", *heading_deg)?;
        element(out, "b:accuracy", *accuracy_m)?;
        element(out, "b:nav_status", nav_status.as_ref().map(name))?;
        element(out, "b:towed_by", towed_by.as_ref())?;
        write!(out, "</extensions>")?;
    }
    writeln!(out, "</trkpt>")
}

fn element(out: &mut dyn Write, name: &str, value: Option<impl std::fmt::Display>) -> io::Result<()> {
    match value {
        Some(value) => write!(out, "<{name}>{value}</{name}>"),
        None => Ok(()),
    }
}

/// The name of a value that is written as a text.
fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
