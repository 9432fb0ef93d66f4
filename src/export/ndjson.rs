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
}

fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.outcome.findings {
        serde_json::to_writer(&mut *out, &Line { finding, in_force: report.in_force(finding) })?;
        out.write_all(b"\n")?;
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
