//! Reads the map and the rulebook that are judged by, from files or from what is built in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::args::Law;
use super::tell;
use crate::law::{RULES, Unread, ZONES, map_options};
use crate::rulebook::{Rulebook, RulebookError};
use crate::zones::{Map, Severity, ZoneFault, ZoneFile};

/// What is wrong with a file of the map or with the rulebook.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Fault {
    /// How bad it is.
    pub severity: Severity,
    /// The lint of the map that found it.
    pub lint: Option<&'static str>,
    /// Which file.
    pub file: String,
    /// Line and column, counted from 1, and where the value ends on that line.
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub end_column: Option<usize>,
    /// The byte in the text of a map.
    #[serde(skip)]
    pub offset: Option<usize>,
    /// Which feature of the map.
    pub feature_index: Option<usize>,
    pub feature_id: Option<String>,
    /// Where in the JSON or TOML.
    pub path: Option<String>,
    /// Longitude and latitude in degrees.
    pub position: Option<[f64; 2]>,
    value: Option<String>,
    pub reason: String,
    pub mend: Option<String>,
    /// All of it for people.
    #[serde(skip)]
    pub text: String,
}

impl Fault {
    fn is_of_whole_file(&self) -> bool {
        self.severity == Severity::Error && self.feature_index.is_none()
    }
}

impl From<Unread> for Fault {
    fn from(unread: Unread) -> Self {
        Self {
            severity: Severity::Error,
            text: format!("error: {unread}"),
            file: unread.path.display().to_string(),
            lint: None,
            line: None,
            column: None,
            end_column: None,
            offset: None,
            feature_index: None,
            feature_id: None,
            path: None,
            position: None,
            value: None,
            reason: unread.reason,
            mend: None,
        }
    }
}

impl From<ZoneFault> for Fault {
    fn from(fault: ZoneFault) -> Self {
        Self {
            text: fault.to_string(),
            severity: fault.severity,
            lint: fault.lint,
            file: fault.file,
            line: fault.line,
            column: fault.column,
            end_column: fault.end_column,
            offset: fault.offset,
            position: fault.position,
            feature_index: fault.feature_index,
            feature_id: fault.feature_id,
            path: fault.path,
            value: fault.value,
            reason: fault.reason,
            mend: Some(fault.mend),
        }
    }
}

impl From<RulebookError> for Fault {
    fn from(error: RulebookError) -> Self {
        Self {
            severity: Severity::Error,
            text: format!("error: {error}"),
            file: error.file,
            lint: None,
            line: Some(error.line),
            column: Some(error.column),
            end_column: None,
            offset: None,
            position: None,
            feature_index: None,
            feature_id: None,
            path: (!error.key.is_empty()).then_some(error.key),
            value: error.value,
            reason: error.reason,
            mend: None,
        }
    }
}

/// The rulebook, or what is wrong with it.
pub(super) fn rulebook(law: &Law) -> Result<Rulebook, Vec<Fault>> {
    rulebook_at(law.rules.as_deref())
}

/// The rulebook in a file, else the usual one.
pub(super) fn rulebook_at(rules: Option<&Path>) -> Result<Rulebook, Vec<Fault>> {
    let path = rules.unwrap_or(Path::new(RULES));
    let (name, text) = if rules.is_none() && !path.exists() {
        let (name, text) = crate::law::built_in_rulebook();
        tell(format_args!("note: no {RULES} here; judging by the {name}"));
        (name, text)
    } else {
        let text = crate::law::rulebook_text(path).map_err(|unread| vec![Fault::from(unread)])?;
        (path.display().to_string(), text)
    };
    Rulebook::from_toml(&name, &text).map_err(|errors| errors.into_iter().map(Fault::from).collect())
}

/// The map and what is wrong with it.
fn map(law: &Law, rulebook: &Rulebook) -> (Map, Vec<Fault>) {
    let (files, mut faults) = zone_files(law);
    let (map, found) = Map::from_files(&files, &map_options(Some(rulebook)));
    faults.extend(found.into_iter().map(Fault::from));
    (map, faults)
}

/// As [`map`], with what may be wrong though it can be read, and the files it was read from.
pub(super) fn checked_map(law: &Law, rulebook: Option<&Rulebook>) -> (Map, Vec<Fault>, Vec<ZoneFile>) {
    let (files, mut faults) = zone_files(law);
    let (map, found) = check(&files, rulebook);
    faults.extend(found);
    (map, faults, files)
}

/// Checks the files of a map.
pub(super) fn check(files: &[ZoneFile], rulebook: Option<&Rulebook>) -> (Map, Vec<Fault>) {
    let (map, found) = crate::law::check_map(files, rulebook);
    (map, found.into_iter().map(Fault::from).collect())
}

/// What is judged by.
pub(super) struct Judging {
    pub map: Arc<Map>,
    pub rulebook: Arc<Rulebook>,
    /// Whether every file of the map could be used; single features of it may have been set aside.
    pub is_whole: bool,
}

/// Map and rulebook to judge by; `None` where something is wrong that stops the work. All that is wrong has been told.
pub(super) fn to_judge_by(law: &Law) -> Option<Judging> {
    let rulebook = match rulebook(law) {
        Ok(rulebook) => rulebook,
        Err(faults) => {
            faults.iter().for_each(|fault| tell(&fault.text));
            return None;
        }
    };
    let (map, faults) = map(law, &rulebook);
    tell_zone_faults(&faults);
    if map.waterways.is_empty() {
        tell("error: the map has no waterway; name a map that has one with --zones");
        return None;
    }
    let is_whole = !faults.iter().any(Fault::is_of_whole_file);
    Some(Judging { map: Arc::new(map), rulebook: Arc::new(rulebook), is_whole })
}

/// How many faults of the map are told before judging; `check` tells all.
const TOLD_MAX: usize = 3;

fn tell_zone_faults(faults: &[Fault]) {
    let mut errors: Vec<&Fault> = faults.iter().filter(|fault| fault.severity == Severity::Error).collect();
    errors.sort_by_key(|fault| !fault.is_of_whole_file());
    errors.iter().take(TOLD_MAX).for_each(|fault| tell(&fault.text));
    let warnings = faults.iter().filter(|fault| fault.severity == Severity::Warning).count();
    if errors.len() > TOLD_MAX || warnings > 0 {
        tell(format_args!(
            "note: the map has {} and {}; `buoyline check` names them all",
            counted(errors.len(), "error"),
            counted(warnings, "warning")
        ));
    }
}

/// "1 error", "2 errors".
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn zone_files(law: &Law) -> (Vec<ZoneFile>, Vec<Fault>) {
    let mut paths = law.zones.clone();
    if paths.is_empty() {
        if !Path::new(ZONES).exists() {
            let file = crate::law::built_in_zones();
            tell(format_args!("note: no folder {ZONES} here; judging by the {}", file.name));
            return (vec![file], Vec::new());
        }
        paths.push(PathBuf::from(ZONES));
    }
    let (files, unread) = crate::law::zone_files(&paths);
    (files, unread.into_iter().map(Fault::from).collect())
}
