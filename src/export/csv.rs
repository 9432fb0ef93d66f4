//! Comma-separated values with a header, for spreadsheets. What is not known is an empty cell.

use std::io::{self, Write};

use super::encounter_row::{LOOK_COLUMNS, LookRow};
use super::row::{COLUMNS, Row};
use super::{Format, Report};
use crate::encounter::Encounter;

pub(super) const FORMAT: Format = Format {
    name: "csv",
    purpose: "a table, for spreadsheets",
    draws_paths: false,
    tells_accounts: false,
    write,
    write_encounters,
};

fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    if report.outcome.findings.is_empty() {
        table.write_record(COLUMNS)?;
    }
    for finding in &report.outcome.findings {
        table.serialize(Row::of(finding, report)).map_err(as_io)?;
    }
    table.flush()
}

/// One row for each instant that an encounter was looked at, with what it came to.
fn write_encounters(met: &[Encounter], _: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    if met.is_empty() {
        table.write_record(LOOK_COLUMNS)?;
    }
    for (number, met) in met.iter().enumerate() {
        for look in &met.looks {
            table.serialize(LookRow::of(number + 1, met, look)).map_err(as_io)?;
        }
    }
    table.flush()
}

/// The error of the writer beneath, where it was that: whoever stops reading a table is told apart by its kind.
fn as_io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
