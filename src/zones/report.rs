//! Collects the faults of one file and finds the line and column of each.

use super::fault::{Severity, ZoneFault};
use super::place::{Lines, Path, offset_of};

/// Longest value that is quoted.
const VALUE_CHARS_MAX: usize = 60;

/// The feature a fault is about.
#[derive(Debug, Clone, Default)]
pub(super) struct At {
    /// Its place in the file.
    pub index: usize,
    /// Its id, where that is known.
    pub id: Option<String>,
    /// Where it is in the file.
    pub path: Path,
    /// The byte it starts at.
    pub start: usize,
}

/// What is wrong, without the file.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub severity: Severity,
    pub path: Path,
    pub value: Option<String>,
    pub reason: String,
    pub mend: String,
}

impl Problem {
    pub(super) fn error(path: Path, reason: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { severity: Severity::Error, path, value: None, reason: reason.into(), mend: mend.into() }
    }
    pub(super) fn warning(path: Path, reason: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, reason, mend) }
    }
    pub(super) fn value(mut self, value: impl std::fmt::Display) -> Self {
        let text = value.to_string();
        self.value = Some(match text.char_indices().nth(VALUE_CHARS_MAX) {
            Some((cut, _)) => format!("{}…", &text[..cut]),
            None => text,
        });
        self
    }
}

/// The faults of one file.
pub(super) struct Report<'f> {
    file: &'f str,
    text: &'f str,
    /// Made for the first fault that has a place.
    lines: Option<Lines>,
    faults: Vec<ZoneFault>,
}

impl<'f> Report<'f> {
    pub(super) fn new(file: &'f str, text: &'f str) -> Self {
        Self { file, text, lines: None, faults: Vec::new() }
    }

    /// Adds a fault of a feature (`None`: of the file).
    pub(super) fn add(&mut self, at: Option<&At>, problem: Problem) {
        let offset = match at {
            Some(at) => Some(at.start + offset_of(&self.text[at.start..], problem.path.below(&at.path))),
            None => (!problem.path.is_root()).then(|| offset_of(self.text, problem.path.below(&Path::default()))),
        };
        let place =
            offset.map(|offset| self.lines.get_or_insert_with(|| Lines::of(self.text)).place(self.text, offset));
        self.push(at, problem, place);
    }

    /// Adds a fault of the file at a line and column, both counted from 1.
    pub(super) fn add_at(&mut self, line: usize, column: usize, problem: Problem) {
        self.push(None, problem, Some((line, column)));
    }

    fn push(&mut self, at: Option<&At>, problem: Problem, place: Option<(usize, usize)>) {
        self.faults.push(ZoneFault {
            severity: problem.severity,
            file: self.file.to_owned(),
            feature_index: at.map(|a| a.index),
            feature_id: at.and_then(|a| a.id.clone()),
            path: (!problem.path.is_root()).then(|| problem.path.to_string()),
            line: place.map(|p| p.0),
            column: place.map(|p| p.1),
            value: problem.value,
            reason: problem.reason,
            mend: problem.mend,
        });
    }

    pub(super) fn into_faults(self) -> Vec<ZoneFault> {
        self.faults
    }
}
