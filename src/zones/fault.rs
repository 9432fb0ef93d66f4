//! What is wrong with a zone file, where, and how to mend it.

use std::fmt;

use serde::Serialize;

/// How bad a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth a look; what was meant is used.
    Warning,
    /// The feature, or the whole file, is set aside.
    Error,
}

/// A fault in a zone file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ZoneFault {
    /// How bad it is.
    pub severity: Severity,
    /// Name of the file.
    pub file: String,
    /// Which feature, counted from 0; `None` for the file as a whole.
    pub feature_index: Option<usize>,
    /// The feature's id.
    pub feature_id: Option<String>,
    /// Where in the JSON, for example `features[3].geometry.coordinates[0][17]`.
    pub path: Option<String>,
    /// Line in the file, counted from 1.
    pub line: Option<usize>,
    /// Column in that line, in characters, counted from 1.
    pub column: Option<usize>,
    /// What stands there.
    pub value: Option<String>,
    /// What is wrong.
    pub reason: String,
    /// How to mend it.
    pub mend: String,
}

impl fmt::Display for ZoneFault {
    /// `error: lake.geojson:12:8: feature 3 "dock-1": reason: value` and, on a second line, place and mend.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.severity == Severity::Error { "error" } else { "warning" };
        write!(f, "{severity}: {}", self.file)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        if let Some(index) = self.feature_index {
            write!(f, ": feature {index}")?;
            if let Some(id) = &self.feature_id {
                write!(f, " {id:?}")?;
            }
        }
        write!(f, ": {}", self.reason)?;
        if let Some(value) = &self.value {
            write!(f, ": {value}")?;
        }
        match &self.path {
            Some(path) => write!(f, "\n  at {path}: {}", self.mend),
            None => write!(f, "\n  {}", self.mend),
        }
    }
}
