//! Reads the map and the rulebook that are judged by, from files or from what is built in.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{NaiveDate, Offset, TimeZone};
use chrono_tz::Tz;
use serde::Serialize;

use super::args::Law;
use super::tell;
use crate::rulebook::{Rulebook, RulebookError, SHIPPED};
use crate::zones::{Map, MapLaw, MapOptions, Severity, ZoneFault, ZoneFile};

/// Where maps are looked for, and the map that stands in where that folder is missing.
const ZONES: &str = "zones";
const BUILT_IN_ZONES: (&str, &[u8]) = ("built-in zones/charles.geojson", include_bytes!("../../zones/charles.geojson"));
/// Where the rulebook is looked for; the first of [`SHIPPED`] stands in where it is missing.
const RULES: &str = "config/rules/spokane.toml";

/// The largest zone file that is read, bytes: one water with all that belongs to it has some megabytes.
const ZONE_FILE_BYTES_MAX: u64 = 64 << 20;
/// The largest rulebook that is read, bytes: a boating code has some ten thousand.
const RULEBOOK_BYTES_MAX: u64 = 4 << 20;

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
    fn of_file(path: &Path, reason: String) -> Self {
        let file = path.display().to_string();
        Self {
            severity: Severity::Error,
            text: format!("error: {file}: {reason}"),
            file,
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
            reason,
            mend: None,
        }
    }

    fn is_of_whole_file(&self) -> bool {
        self.severity == Severity::Error && self.feature_index.is_none()
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
        let (name, text) = SHIPPED[0];
        tell(format_args!("note: no {RULES} here; judging by the built-in {name}"));
        (format!("built-in {name}"), text.to_owned())
    } else {
        let mend = "name a rulebook, which has some pages of text";
        let bytes =
            read_at_most(path, RULEBOOK_BYTES_MAX, mend).map_err(|reason| vec![Fault::of_file(path, reason)])?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            vec![Fault::of_file(path, format!("is no text: byte {good} is not UTF-8; save it as UTF-8"))]
        })?;
        (path.display().to_string(), text)
    };
    Rulebook::from_toml(&name, &text).map_err(|errors| errors.into_iter().map(Fault::from).collect())
}

/// The map and what is wrong with it.
fn map(law: &Law, rulebook: &Rulebook) -> (Map, Vec<Fault>) {
    let (files, mut faults) = zone_files(law);
    let (map, found) = Map::from_files(&files, &options(Some(rulebook)));
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
    let asked = rulebook.map_or_else(MapLaw::default, |rulebook| {
        let within = rulebook.rules.iter().filter_map(|rule| rule.shore_within());
        MapLaw {
            shore_within: within.min_by(|a, b| a.m().total_cmp(&b.m())),
            utc_offset_h: winter_offset_h(rulebook.time_zone),
            duties: rulebook.duties.clone(),
        }
    });
    let (map, found) = Map::check(files, &options(rulebook), &asked);
    (map, found.into_iter().map(Fault::from).collect())
}

/// Links of buoy lines are as long as the rulebook allows, where there is one.
fn options(rulebook: Option<&Rulebook>) -> MapOptions {
    rulebook.map_or_else(MapOptions::default, |rulebook| MapOptions { max_link_m: rulebook.motion.max_link_m })
}

/// Hours from UTC of the clocks of a zone, without daylight saving time.
fn winter_offset_h(zone: Tz) -> Option<f64> {
    let hours = |month: u32| {
        let day = NaiveDate::from_ymd_opt(2026, month, 1)?.and_hms_opt(12, 0, 0)?;
        Some(f64::from(zone.offset_from_utc_datetime(&day).fix().local_minus_utc()) / 3600.0)
    };
    Some(hours(1)?.min(hours(7)?))
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
            let (name, bytes) = BUILT_IN_ZONES;
            tell(format_args!("note: no folder {ZONES} here; judging by the {name}"));
            return (vec![ZoneFile { name: name.to_owned(), bytes: bytes.to_vec() }], Vec::new());
        }
        paths.push(PathBuf::from(ZONES));
    }
    let (mut files, mut faults) = (Vec::new(), Vec::new());
    for path in paths {
        let listed = if path.is_dir() { files_in(&path) } else { Ok(vec![path.clone()]) };
        match listed {
            Ok(listed) if listed.is_empty() => {
                faults.push(Fault::of_file(&path, "holds no .geojson or .json file".to_owned()));
            }
            Ok(listed) => {
                for file in listed {
                    let mend = "a zone file holds one water with what belongs to it; cut that out (`buoyline import --where NAME=…`)";
                    match read_at_most(&file, ZONE_FILE_BYTES_MAX, mend) {
                        Ok(bytes) => files.push(ZoneFile { name: file.display().to_string(), bytes }),
                        Err(reason) => faults.push(Fault::of_file(&file, reason)),
                    }
                }
            }
            Err(error) => faults.push(Fault::of_file(&path, format!("cannot be listed: {error}"))),
        }
    }
    (files, faults)
}

/// A file's bytes, if they are at most `max_bytes`, a multiple of a MiB; a pipe, too, is read no further.
///
/// # Errors
/// Why it cannot be read, with the mend where it is too large.
pub(super) fn read_at_most(path: &Path, max_bytes: u64, mend: &str) -> Result<Vec<u8>, String> {
    let too_large = || format!("has more than {} MiB; {mend}", max_bytes >> 20);
    let failed = |error: std::io::Error| format!("cannot be read: {error}");
    let file = fs::File::open(path).map_err(failed)?;
    let told_bytes = file.metadata().map_err(failed)?.len();
    if told_bytes > max_bytes {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(told_bytes).unwrap_or(0));
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > max_bytes { Err(too_large()) } else { Ok(bytes) }
}

/// The map files of a folder, by name.
fn files_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_map =
            path.extension().is_some_and(|e| e.eq_ignore_ascii_case("geojson") || e.eq_ignore_ascii_case("json"));
        if is_map && !path.is_dir() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
