//! What properties are called: one that is nearly a known name is a slip that would be ignored without a word.

use serde_json::{Map as JsonMap, Value};

use super::super::place::Path;
use super::super::report::Problem;
use crate::zones::ZoneKind;

/// All properties that are read, and of which kinds; none named: of all.
const KNOWN: [(&str, &[ZoneKind]); 15] = [
    ("kind", &[]),
    ("id", &[]),
    ("name", &[]),
    ("note", &[]),
    ("valid_from", &[]),
    ("valid_until", &[]),
    ("lit", &[]),
    ("line", &[ZoneKind::SafetyBuoy, ZoneKind::BuoyLine]),
    ("order", &[ZoneKind::SafetyBuoy]),
    ("closed", &[ZoneKind::SafetyBuoy]),
    ("speed_limit", &[ZoneKind::SpeedZone]),
    ("hours", &[ZoneKind::SpeedZone]),
    ("permit", &[ZoneKind::PermitArea, ZoneKind::Course]),
    ("vessels", &[ZoneKind::PermitArea]),
    ("lifts", &[ZoneKind::PermitArea]),
];

/// Other words for the same.
const SYNONYMS: [(&str, &str); 16] = [
    ("light", "lit"),
    ("lighted", "lit"),
    ("lights", "lit"),
    ("speed", "speed_limit"),
    ("limit", "speed_limit"),
    ("maxspeed", "speed_limit"),
    ("maximum_speed", "speed_limit"),
    ("start_date", "valid_from"),
    ("end_date", "valid_until"),
    ("valid_to", "valid_until"),
    ("season", "valid_from"),
    ("permit_id", "permit"),
    ("rule", "lifts"),
    ("rules", "lifts"),
    ("lift", "lifts"),
    ("lifted", "lifts"),
];

/// Properties that are no property, or none of this kind, though whoever wrote them must have meant one.
pub(super) fn strange(members: &JsonMap<String, Value>, kind: ZoneKind, path: &Path) -> Vec<Problem> {
    // Features of other vocabularies have names of their own.
    if !members.contains_key("kind") {
        return Vec::new();
    }
    members
        .iter()
        .filter(|(_, value)| !value.is_null())
        .filter_map(|(key, value)| of(key, value, members, kind, path))
        .collect()
}

fn of(key: &str, value: &Value, members: &JsonMap<String, Value>, kind: ZoneKind, path: &Path) -> Option<Problem> {
    let at = path.clone().key(key);
    if let Some((_, kinds)) = KNOWN.iter().find(|(name, _)| *name == key) {
        let is_read = kinds.is_empty() || kinds.contains(&kind);
        return (!is_read).then(|| {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
            let reason = format!("{key} says nothing on a {kind}; it is read on {}", names.join(" and "));
            Problem::warning(at, reason, format!("correct the kind, or remove {key}")).value(value)
        });
    }
    let meant = nearest(key).filter(|name| !members.contains_key(*name))?;
    let (_, kinds) = KNOWN.iter().find(|(name, _)| *name == meant)?;
    if !(kinds.is_empty() || kinds.contains(&kind)) || (key == "maxspeed" && kind == ZoneKind::SpeedZone) {
        return None;
    }
    let reason = format!("no property is called {key:?}, so it was ignored; the nearest known is {meant:?}");
    let mend = format!("call it {meant:?} if that is meant");
    // A name decides nothing.
    let problem = if ["name", "note"].contains(&meant) { Problem::note } else { Problem::warning };
    Some(problem(at, reason, mend).value(value))
}

/// The known name that is so near that it must be meant.
fn nearest(key: &str) -> Option<&'static str> {
    let bare = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let key = bare(key);
    if let Some((_, meant)) = SYNONYMS.iter().find(|(other, _)| bare(other) == key) {
        return Some(meant);
    }
    let distance = |name: &str| strsim::damerau_levenshtein(&key, &bare(name));
    let (name, _) = *KNOWN.iter().min_by_key(|(name, _)| distance(name))?;
    // Short names are near to many words.
    let most = match name.len() {
        0..=3 => 0,
        4..=5 => usize::from(key.len() >= 4 && key.as_bytes().first() == name.as_bytes().first()),
        6..=8 => 1,
        _ => 2,
    };
    (distance(name) <= most).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_near_and_words_of_others_are_not() {
        for (key, expected) in [
            ("speed_limt", Some("speed_limit")),
            ("Speed-Limit", Some("speed_limit")),
            ("speed_limi", Some("speed_limit")),
            ("validfrom", Some("valid_from")),
            ("vaild_until", Some("valid_until")),
            ("valid_to", Some("valid_until")),
            ("knid", Some("kind")),
            ("LIT", Some("lit")),
            ("lighted", Some("lit")),
            ("vessel", Some("vessels")),
            ("hour", Some("hours")),
            ("rules", Some("lifts")),
            ("lift", Some("lifts")),
            ("lat", None),
            ("list", None),
            ("TYPE", None),
            ("OBJECTID", None),
            ("OBJNAM", None),
            ("FTYPE", None),
            ("elevation_ft", None),
            ("source", None),
            ("area_km2", None),
            ("Shape_Length", None),
        ] {
            assert_eq!(nearest(key), expected, "{key}");
        }
    }
}
