//! Newline-delimited JSON: one finding a line, as other programs read it.

use std::io::{self, Write};

use serde::Serialize;

use super::encounter_row::EncounterLine;
use super::{Format, Report};
use crate::encounter::Encounter;
use crate::findings::Finding;

pub(super) const FORMAT: Format = Format {
    name: "ndjson",
    purpose: "one JSON object a line, for programs",
    draws_paths: false,
    tells_accounts: false,
    write,
    write_encounters,
};

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    /// Whether the rulebook's edition was in force when the finding began.
    in_force: bool,
    /// Whether it mends, after the fact, what had been published.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    amended: bool,
}

/// A finding as one line of JSON, without its end: what is printed, stored and published alike.
pub fn line(finding: &Finding, in_force: bool) -> String {
    written(&Line { finding, in_force, amended: false })
}

/// As [`line()`], of a finding that mends what had been published before.
pub fn amended_line(finding: &Finding, in_force: bool) -> String {
    written(&Line { finding, in_force, amended: true })
}

fn written(line: &Line<'_>) -> String {
    serde_json::to_string(line).expect("a finding has only keys that are text")
}

fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.outcome.findings {
        writeln!(out, "{}", line(finding, report.in_force(finding)))?;
    }
    Ok(())
}

fn write_encounters(met: &[Encounter], _: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for met in met {
        serde_json::to_writer(&mut *out, &EncounterLine::of(met))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
