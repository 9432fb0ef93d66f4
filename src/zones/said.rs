//! Which kind a feature says it is: its own `kind`, else the words of another vocabulary.

use serde_json::{Map as JsonMap, Value};

use super::ZoneKind;
use super::place::Path;
use super::report::Problem;
use super::seamark::Foreign;
use super::vocabulary;

/// The kind of a feature whose properties, at `path`, these are.
///
/// # Errors
/// The [`Problem`] for which it is left out; a warning where that is likely meant.
pub(super) fn of(members: &JsonMap<String, Value>, path: &Path) -> Result<ZoneKind, Problem> {
    let known = || {
        let names: Vec<&str> =
            ZoneKind::ALL.iter().filter(|&&k| k != ZoneKind::InshoreArea).map(|k| k.as_str()).collect();
        format!("use one of {}", names.join(", "))
    };
    let is_given = members.get("kind").is_some_and(|kind| !kind.is_null());
    match vocabulary::read(members).filter(|_| !is_given) {
        Some(Foreign::Kind(kind)) => return Ok(kind),
        Some(Foreign::Unmapped(name)) => {
            let mend = "nothing has to be done, unless it matters here: then add \"kind\" to its properties";
            let reason = format!("{name} has no counterpart among the kinds; the feature was left out");
            return Err(Problem::warning(path.clone(), reason, mend));
        }
        None => {}
    }
    match members.get("kind") {
        None | Some(Value::Null) => Err(Problem::error(
            path.clone(),
            "the feature has no kind",
            format!("add \"kind\" to its properties: {}", known()),
        )),
        Some(Value::String(name)) => match ZoneKind::from_name(name) {
            Some(ZoneKind::InshoreArea) => {
                let mend = "remove it and draw a buoy_line: the area follows from it";
                Err(Problem::warning(
                    path.clone().key("kind"),
                    "inshore areas are derived, never drawn; this one was left out",
                    mend,
                ))
            }
            Some(kind) => Ok(kind),
            None => Err(Problem::warning(
                path.clone().key("kind"),
                "unknown kind; the feature was left out",
                kind_meant(name).unwrap_or_else(known),
            )
            .value(format_args!("{name:?}"))),
        },
        Some(other) => Err(Problem::error(path.clone().key("kind"), "kind is not a text", known()).value(other)),
    }
}

/// What to do about a kind that is unknown but may be guessed by its name.
fn kind_meant(name: &str) -> Option<String> {
    let word = name.trim().to_lowercase().replace([' ', '-'], "_");
    if ["island", "islet", "land"].contains(&word.as_str()) {
        return Some("make it a hole: add its ring to the waterway's polygon, after the outer one".to_owned());
    }
    let kind = match word.as_str() {
        "lake" | "river" | "water" | "reservoir" => ZoneKind::Waterway,
        "pier" | "jetty" => ZoneKind::Dock,
        "ramp" | "boat_ramp" | "slipway" => ZoneKind::LaunchRamp,
        "no_wake_zone" | "no_wake" => ZoneKind::SpeedZone,
        "buoy" => ZoneKind::SafetyBuoy,
        _ => {
            let distance = |kind: ZoneKind| strsim::damerau_levenshtein(&word, kind.as_str());
            let near = ZoneKind::ALL.iter().copied().min_by_key(|&kind| distance(kind))?;
            Some(near).filter(|&kind| distance(kind) <= 2 && kind != ZoneKind::InshoreArea)?
        }
    };
    Some(format!("write \"{kind}\" if that is meant"))
}
