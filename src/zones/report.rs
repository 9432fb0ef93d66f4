//! Collects the faults of one file and finds the line and column of each.

use super::fault::{Severity, ZoneFault};
use super::place::{Lines, Path, Step, end_of, offset_of, pair_at};
use crate::geo::Position;

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

/// Where a fault stands in the file.
#[derive(Debug, Clone, Copy)]
struct Place {
    line: usize,
    column: usize,
    offset: Option<usize>,
    end_column: Option<usize>,
}

/// What is wrong, without the file.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub severity: Severity,
    /// The lint that found it.
    pub lint: Option<&'static str>,
    pub path: Path,
    /// Where it is on the Earth, where the path does not say that.
    pub position: Option<Box<Position>>,
    pub value: Option<Box<str>>,
    pub reason: String,
    pub mend: String,
}

impl Problem {
    pub(super) fn error(path: Path, reason: impl Into<String>, mend: impl Into<String>) -> Self {
        let (reason, mend) = (reason.into(), mend.into());
        Self { severity: Severity::Error, lint: None, path, position: None, value: None, reason, mend }
    }
    pub(super) fn warning(path: Path, reason: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(path, reason, mend) }
    }
    pub(super) fn note(path: Path, reason: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(path, reason, mend) }
    }
    pub(super) fn on(mut self, position: Position) -> Self {
        self.position = Some(Box::new(position));
        self
    }
    pub(super) fn value(mut self, value: impl std::fmt::Display) -> Self {
        let text = value.to_string();
        let shown = match text.char_indices().nth(VALUE_CHARS_MAX) {
            Some((cut, _)) => format!("{}…", &text[..cut]),
            None => text,
        };
        self.value = Some(shown.into());
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
        let place = offset.map(|offset| {
            let lines = self.lines.get_or_insert_with(|| Lines::of(self.text));
            let (line, column) = lines.place(self.text, offset);
            let (end_line, end_column) = lines.place(self.text, end_of(self.text, offset));
            Place { line, column, offset: Some(offset), end_column: (end_line == line).then_some(end_column) }
        });
        let position = match (&problem.position, at) {
            (Some(position), _) => Some(position.to_geojson()),
            (None, Some(at)) => self.position_of(at, &problem.path),
            (None, None) => None,
        };
        self.push(at, problem, place, position);
    }

    /// The position that a path of a feature leads to, else the first one of the feature's geometry.
    fn position_of(&self, at: &At, path: &Path) -> Option<[f64; 2]> {
        let feature = &self.text[at.start..];
        let steps = path.below(&at.path);
        let pair = |steps: &[Step]| pair_at(feature, offset_of(feature, steps));
        let is_coordinate = |step: &Step| *step == Step::Key("coordinates".to_owned());
        if steps.iter().any(is_coordinate) {
            // The path may lead to one number of a position.
            return pair(steps).or_else(|| pair(&steps[..steps.len() - 1]));
        }
        pair(&[Step::Key("geometry".to_owned()), Step::Key("coordinates".to_owned())])
    }

    /// Adds a fault of the file at a line and column, both counted from 1.
    pub(super) fn add_at(&mut self, line: usize, column: usize, problem: Problem) {
        self.push(None, problem, Some(Place { line, column, offset: None, end_column: None }), None);
    }

    fn push(&mut self, at: Option<&At>, problem: Problem, place: Option<Place>, position: Option<[f64; 2]>) {
        self.faults.push(ZoneFault {
            severity: problem.severity,
            lint: problem.lint,
            file: self.file.to_owned(),
            feature_index: at.map(|a| a.index),
            feature_id: at.and_then(|a| a.id.clone()),
            path: (!problem.path.is_root()).then(|| problem.path.to_string()),
            line: place.map(|p| p.line),
            column: place.map(|p| p.column),
            offset: place.and_then(|p| p.offset),
            end_column: place.and_then(|p| p.end_column),
            position,
            value: problem.value.map(String::from),
            reason: problem.reason,
            mend: problem.mend,
        });
    }

    pub(super) fn into_faults(self) -> Vec<ZoneFault> {
        self.faults
    }
}
