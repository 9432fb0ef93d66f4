//! `buoyline check`: everything that is wrong with a map and a rulebook, and what is derived from the map.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use geojson::{Feature, FeatureCollection, Geometry, GeometryValue};
use indexmap::IndexMap;
use serde::Serialize;

use super::args::{Check, CheckFormat};
use super::law::{self, Fault, counted};
use super::{Ending, picture, print, tell};
use crate::rulebook::Rulebook;
use crate::zones::{Map, Severity, ZoneFile};

pub(super) fn run(args: &Check) -> Ending {
    let (rulebook, mut faults) = match law::rulebook(&args.law) {
        Ok(rulebook) => (Some(rulebook), Vec::new()),
        Err(faults) => (None, faults),
    };
    let (map, zone_faults, files) = law::checked_map(&args.law, rulebook.as_ref());
    faults.extend(zone_faults);
    sort(&mut faults);
    let report = Report { rulebook: rulebook.as_ref(), map: &map, files: &files, faults: &faults };
    let explains_here = args.explain.as_deref() == Some(Path::new("-"));
    let mut endings = Vec::new();
    if explains_here {
        // The result that was asked for is what was derived; the faults are told beside it.
        let mut text = Vec::new();
        match report.write(args.format, &mut text) {
            Ok(()) => tell(String::from_utf8_lossy(&text).trim_end()),
            Err(error) => tell(format_args!("error: {error}")),
        }
        endings.push(print(|out| write_derived(&map, rulebook.as_ref(), out)));
    } else {
        endings.push(print(|out| report.write(args.format, out)));
        if let Some(path) = &args.explain {
            let written = File::create(path).map(BufWriter::new).and_then(|mut out| {
                write_derived(&map, rulebook.as_ref(), &mut out)?;
                out.flush()
            });
            if let Err(error) = written {
                tell(format_args!("error: {}: cannot be written: {error}", path.display()));
                endings.push(Ending::Faulty);
            }
        }
    }
    let is_written = endings.iter().all(|ending| matches!(ending, Ending::Done));
    if is_written && report.count(Severity::Error) == 0 { Ending::Done } else { Ending::Faulty }
}

/// What there is to say.
struct Report<'a> {
    rulebook: Option<&'a Rulebook>,
    map: &'a Map,
    files: &'a [ZoneFile],
    faults: &'a [Fault],
}

impl Report<'_> {
    fn count(&self, severity: Severity) -> usize {
        self.faults.iter().filter(|fault| fault.severity == severity).count()
    }

    fn write(&self, format: CheckFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            CheckFormat::Text => self.write_text(out),
            CheckFormat::Json => self.write_json(out),
            CheckFormat::Geojson => self.write_geojson(out),
        }
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        if write_faults(self.faults, self.files, out)? {
            writeln!(out)?;
        }
        for waterway in &self.map.waterways {
            let features = counted(waterway.features.len(), "feature");
            writeln!(out, "map: {}, {features}, {}", waterway.id, counted(waterway.buoy_lines.len(), "buoy line"))?;
        }
        if let Some(rulebook) = self.rulebook {
            writeln!(out, "rulebook: {}, {}", rulebook.name, counted(rulebook.rules.len(), "rule"))?;
        }
        let notes = match self.count(Severity::Note) {
            0 => String::new(),
            count => format!(", {}", counted(count, "note")),
        };
        writeln!(
            out,
            "{}, {}{notes} in {} and a rulebook",
            counted(self.count(Severity::Error), "error"),
            counted(self.count(Severity::Warning), "warning"),
            counted(self.files.len(), "map file"),
        )
    }

    /// Where on the water the faults are, for a map program; those of a whole file have no place.
    fn write_geojson(&self, out: &mut dyn Write) -> io::Result<()> {
        let feature = |fault: &Fault| -> io::Result<Feature> {
            let properties = serde_json::to_value(fault)?.as_object().cloned();
            let geometry = fault.position.map(|[lon, lat]| Geometry::new(GeometryValue::new_point([lon, lat])));
            Ok(Feature { geometry, properties, ..Feature::default() })
        };
        let features = self.faults.iter().map(feature).collect::<io::Result<Vec<_>>>()?;
        serde_json::to_writer(&mut *out, &FeatureCollection { bbox: None, features, foreign_members: None })?;
        writeln!(out)
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Shown<'a> {
            errors: usize,
            warnings: usize,
            notes: usize,
            faults: &'a [Fault],
            map_version: &'a str,
            rulebook_version: Option<&'a str>,
        }
        let shown = Shown {
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            notes: self.count(Severity::Note),
            faults: self.faults,
            map_version: &self.map.version,
            rulebook_version: self.rulebook.map(|rulebook| &*rulebook.version),
        };
        serde_json::to_writer_pretty(&mut *out, &shown)?;
        writeln!(out)
    }
}

/// By file in the order of reading, the worst first, else in the order of the file.
pub(super) fn sort(faults: &mut [Fault]) {
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    for fault in faults.iter() {
        let next = files.len();
        files.entry(fault.file.clone()).or_insert(next);
    }
    faults.sort_by_key(|fault| (files.get(&fault.file).copied(), Reverse(fault.severity), fault.line, fault.column));
}

/// Writes the faults for people, each with a picture of its line, those alike once; whether there are any.
pub(super) fn write_faults(faults: &[Fault], files: &[ZoneFile], out: &mut dyn Write) -> io::Result<bool> {
    let alike = |fault: &Fault| (fault.file.clone(), fault.severity, fault.reason.clone(), fault.mend.clone());
    let mut groups: IndexMap<_, Vec<&Fault>> = IndexMap::new();
    for fault in faults {
        groups.entry(alike(fault)).or_default().push(fault);
    }
    let mut file = None;
    for group in groups.values() {
        let Some((first, others)) = group.split_first() else { continue };
        if file.is_some_and(|last| last != &first.file) {
            writeln!(out)?;
        }
        file = Some(&first.file);
        writeln!(out, "{}", first.text.lines().next().unwrap_or_default())?;
        picture::write(first, files, out)?;
        // A rulebook's faults say both in the first line.
        if let Some(mend) = &first.mend {
            writeln!(out, "  {mend}")?;
            if let Some(path) = &first.path {
                writeln!(out, "  at {path}")?;
            }
        }
        if !others.is_empty() {
            let ids: Vec<&str> =
                others.iter().filter_map(|fault| fault.feature_id.as_deref()).take(NAMED_MAX).collect();
            let more = if others.len() > ids.len() { ", …" } else { "" };
            let ids = if ids.is_empty() { String::new() } else { format!(": {}{more}", ids.join(", ")) };
            writeln!(out, "  the same {} more{ids}", times(others.len()))?;
        }
    }
    Ok(!groups.is_empty())
}

/// How many features are named that have the same fault.
const NAMED_MAX: usize = 8;

fn times(count: usize) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// What was derived from all waterways as one collection, each feature with its waterway. Which way ski traffic goes is
/// drawn as the rulebook has it, where it has a rule about that.
fn write_derived(map: &Map, rulebook: Option<&Rulebook>, out: &mut dyn Write) -> io::Result<()> {
    let travel = rulebook.and_then(|rulebook| rulebook.rules.iter().find_map(|rule| rule.travel()));
    let mut features = Vec::new();
    for waterway in &map.waterways {
        for mut feature in waterway.explain(travel.as_ref()).features {
            feature.set_property("waterway", waterway.id.as_str());
            features.push(feature);
        }
    }
    serde_json::to_writer(&mut *out, &FeatureCollection { bbox: None, features, foreign_members: None })?;
    writeln!(out)
}
