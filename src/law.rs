//! The files that are judged by: maps and rulebooks, from where the user says, or what is built in.
//!
//! Paths become bytes; what the bytes mean is told by `zones` and `rulebook`.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use chrono::{NaiveDate, Offset as _, TimeZone as _};
use chrono_tz::Tz;

use crate::rulebook::{Rulebook, SHIPPED};
use crate::zones::{Map, MapLaw, MapOptions, ZoneFault, ZoneFile};

/// Where maps are looked for.
pub const ZONES: &str = "zones";
/// The map that stands in where that folder is missing.
const BUILT_IN_ZONES: (&str, &[u8]) = ("built-in zones/charles.geojson", include_bytes!("../zones/charles.geojson"));
/// Where the rulebook is looked for; the first of [`SHIPPED`] stands in where it is missing.
pub const RULES: &str = "config/rules/spokane.toml";

/// The largest zone file that is read, bytes: one water with all that belongs to it has some megabytes.
const ZONE_FILE_BYTES_MAX: u64 = 64 << 20;
/// The largest rulebook that is read, bytes: a boating code has some ten thousand.
const RULEBOOK_BYTES_MAX: u64 = 4 << 20;

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}", path = path.display())]
pub struct Unread {
    /// Which file or folder.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: String,
}

impl Unread {
    fn new(path: &Path, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), reason: reason.into() }
    }
}

/// The built-in map.
pub fn built_in_zones() -> ZoneFile {
    let (name, bytes) = BUILT_IN_ZONES;
    ZoneFile { name: name.to_owned(), bytes: bytes.to_vec() }
}

/// The name and text of the built-in rulebook.
pub fn built_in_rulebook() -> (String, String) {
    let (name, text) = SHIPPED[0];
    (format!("built-in {name}"), text.to_owned())
}

/// The map files at these paths, each a file or a folder of them, and what could not be read.
pub fn zone_files(paths: &[PathBuf]) -> (Vec<ZoneFile>, Vec<Unread>) {
    let (mut files, mut faults) = (Vec::new(), Vec::new());
    for path in paths {
        let listed = if path.is_dir() { files_in(path) } else { Ok(vec![path.clone()]) };
        match listed {
            Ok(listed) if listed.is_empty() => faults.push(Unread::new(path, "holds no .geojson or .json file")),
            Ok(listed) => {
                for file in listed {
                    let mend = "a zone file holds one water with what belongs to it; cut that out (`buoyline import --where NAME=…`)";
                    match read_at_most(&file, ZONE_FILE_BYTES_MAX, mend) {
                        Ok(bytes) => files.push(ZoneFile { name: file.display().to_string(), bytes }),
                        Err(reason) => faults.push(Unread::new(&file, reason)),
                    }
                }
            }
            Err(error) => faults.push(Unread::new(path, format!("cannot be listed: {error}"))),
        }
    }
    (files, faults)
}

/// The map of these files, and everything that is wrong or doubtful about it as this rulebook has it.
pub fn check_map(files: &[ZoneFile], rulebook: Option<&Rulebook>) -> (Map, Vec<ZoneFault>) {
    let rules: Vec<&str> = crate::rules::ALL.iter().map(|rule| rule.id).collect();
    let asked = rulebook.map_or_else(MapLaw::default, |rulebook| {
        let within = rulebook.rules.iter().filter_map(|rule| rule.shore_within());
        MapLaw {
            shore_within: within.min_by(|a, b| a.m().total_cmp(&b.m())),
            utc_offset_h: winter_offset_h(rulebook.time_zone),
            duties: rulebook.duties.clone(),
            ..MapLaw::default()
        }
    });
    Map::check(files, &map_options(rulebook), &MapLaw { rules, ..asked })
}

/// Links of buoy lines are as long as the rulebook allows, where there is one.
pub fn map_options(rulebook: Option<&Rulebook>) -> MapOptions {
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

/// The text of a rulebook.
///
/// # Errors
/// [`Unread`] where the file cannot be read or is no text.
pub fn rulebook_text(path: &Path) -> Result<String, Unread> {
    let mend = "name a rulebook, which has some pages of text";
    let bytes = read_at_most(path, RULEBOOK_BYTES_MAX, mend).map_err(|reason| Unread::new(path, reason))?;
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        Unread::new(path, format!("is no text: byte {good} is not UTF-8; save it as UTF-8"))
    })
}

/// A file's bytes, if they are at most `max_bytes`, a multiple of a MiB; a pipe, too, is read no further.
///
/// # Errors
/// Why it cannot be read, with the mend where it is too large.
pub fn read_at_most(path: &Path, max_bytes: u64, mend: &str) -> Result<Vec<u8>, String> {
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
        // Hidden files are no maps: editors and other systems leave some beside those that are.
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let is_map = !is_hidden
            && path.extension().is_some_and(|e| e.eq_ignore_ascii_case("geojson") || e.eq_ignore_ascii_case("json"));
        if is_map && !path.is_dir() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
