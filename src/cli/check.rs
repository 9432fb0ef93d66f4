//! `buoyline check`: everything that is wrong with a map and a rulebook, and what is derived from the map.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use geojson::FeatureCollection;
use serde::Serialize;

use super::args::{Check, CheckFormat};
use super::law::{self, Fault, counted};
use super::{Ending, print, tell};
use crate::rulebook::Rulebook;
use crate::zones::{Map, Severity};

pub(super) fn run(args: &Check) -> Ending {
    let (rulebook, mut faults) = match law::rulebook(&args.law) {
        Ok(rulebook) => (Some(rulebook), Vec::new()),
        Err(faults) => (None, faults),
    };
    let (map, zone_faults, map_files) = law::map(&args.law, rulebook.as_ref());
    faults.extend(zone_faults);
    // By file in the order of reading, errors first, else in the order of the file.
    let mut files: Vec<String> = Vec::new();
    for fault in &faults {
        if !files.contains(&fault.file) {
            files.push(fault.file.clone());
        }
    }
    faults.sort_by_key(|fault| (files.iter().position(|file| *file == fault.file), fault.severity != Severity::Error));

    let report = Report { rulebook: rulebook.as_ref(), map: &map, map_files, faults: &faults };
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
    map_files: usize,
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
        }
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut file = None;
        for fault in self.faults {
            if file.is_some_and(|last| last != &fault.file) {
                writeln!(out)?;
            }
            file = Some(&fault.file);
            writeln!(out, "{}", fault.text)?;
        }
        if !self.faults.is_empty() {
            writeln!(out)?;
        }
        for waterway in &self.map.waterways {
            let features = counted(waterway.features.len(), "feature");
            writeln!(out, "map: {}, {features}, {}", waterway.id, counted(waterway.buoy_lines.len(), "buoy line"))?;
        }
        if let Some(rulebook) = self.rulebook {
            writeln!(out, "rulebook: {}, {}", rulebook.name, counted(rulebook.rules.len(), "rule"))?;
        }
        writeln!(
            out,
            "{}, {} in {} and a rulebook",
            counted(self.count(Severity::Error), "error"),
            counted(self.count(Severity::Warning), "warning"),
            counted(self.map_files, "map file"),
        )
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Shown<'a> {
            errors: usize,
            warnings: usize,
            faults: &'a [Fault],
            map_version: &'a str,
            rulebook_version: Option<&'a str>,
        }
        let shown = Shown {
            errors: self.count(Severity::Error),
            warnings: self.count(Severity::Warning),
            faults: self.faults,
            map_version: &self.map.version,
            rulebook_version: self.rulebook.map(|rulebook| &*rulebook.version),
        };
        serde_json::to_writer_pretty(&mut *out, &shown)?;
        writeln!(out)
    }
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
