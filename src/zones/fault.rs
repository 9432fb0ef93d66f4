//! What is wrong with a zone file, where, and how to mend it.

use std::fmt;

use serde::Serialize;

/// How bad a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; nothing has to be done.
    Note,
    /// Worth a look; what was meant is used.
    Warning,
    /// The feature, or the whole file, is set aside.
    Error,
}

impl Severity {
    /// In one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A fault in a zone file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ZoneFault {
    /// How bad it is.
    pub severity: Severity,
    /// The lint that found it; `None` where the reading itself did.
    pub lint: Option<&'static str>,
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
    /// The byte in the file, a byte order mark not counted.
    #[serde(skip)]
    pub offset: Option<usize>,
    /// Where on that line the value ends, in characters, counted from 1, itself not part of it.
    pub end_column: Option<usize>,
    /// Where on the water or beside it, longitude and latitude in degrees.
    pub position: Option<[f64; 2]>,
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
        write!(f, "{}: {}", self.severity.as_str(), self.file)?;
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
