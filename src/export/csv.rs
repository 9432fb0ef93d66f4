//! Comma-separated values with a header, for spreadsheets. What is not known is an empty cell.

use std::io::{self, Write};

use super::row::{COLUMNS, Row};
use super::{Format, Report};

pub(super) const FORMAT: Format =
    Format { name: "csv", purpose: "a table, for spreadsheets", draws_paths: false, tells_accounts: false, write };

fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    if report.outcome.findings.is_empty() {
        table.write_record(COLUMNS)?;
    }
    for finding in &report.outcome.findings {
        table.serialize(Row::of(finding, report))?;
    }
    table.flush()
}
