//! Features that say what they are in other words: OpenStreetMap `seamark:*` tags and S-57 attributes.
//!
//! Only what has a clear counterpart is mapped; the rest is named in a warning by the caller. Navigation
//! buoys (lateral, cardinal and so on) regulate neither speed nor operations and are no safety buoys. Codes
//! are those of S-57 edition 3.1, appendix A.

use serde_json::{Map as JsonMap, Value};

use super::ZoneKind;

/// What a feature is in another vocabulary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Foreign {
    /// It has a counterpart.
    Kind(ZoneKind),
    /// It has none; this is what it calls itself.
    Unmapped(String),
}

/// S-57 object classes that are looked at: code, acronym, type as OpenStreetMap calls it, and the attribute
/// that says more.
const CLASSES: [(u64, &str, &str, &str); 10] = [
    (4, "ACHARE", "anchorage", "CATACH"),
    (19, "BOYSPP", "buoy_special_purpose", "CATSPM"),
    (30, "COALNE", "coastline", "CATCOA"),
    (69, "LAKARE", "lake", ""),
    (84, "MORFAC", "mooring", "CATMOR"),
    (95, "PONTON", "pontoon", ""),
    (112, "RESARE", "restricted_area", "CATREA"),
    (114, "RIVERS", "river", ""),
    (122, "SLCONS", "shoreline_construction", "CATSLC"),
    (128, "SMCFAC", "small_craft_facility", "CATSCF"),
];

/// What the members say in `seamark:*` tags or S-57 attributes; `None` where they have neither.
pub(super) fn read(members: &JsonMap<String, Value>) -> Option<Foreign> {
    let text = |key: &str| members.get(key).and_then(Value::as_str);
    if let Some(seamark) = text("seamark:type") {
        let category = text(&format!("seamark:{seamark}:category")).unwrap_or_default();
        let restriction = text(&format!("seamark:{seamark}:restriction")).unwrap_or_default();
        let words = category.split(';').chain(restriction.split(';')).map(str::trim);
        return Some(
            mapped(seamark, words).unwrap_or_else(|| Foreign::Unmapped(format!("seamark:type={seamark} {category}"))),
        );
    }
    let code = members.get("OBJL").and_then(Value::as_u64);
    let acronym = text("layer").or_else(|| text("OBJL")).filter(|_| code.is_some() || text("OBJL").is_some());
    let class = CLASSES.iter().find(|c| code == Some(c.0) || acronym == Some(c.1));
    let Some(&(_, acronym, seamark, attribute)) = class else {
        return match (code, acronym) {
            (_, Some(acronym)) => Some(Foreign::Unmapped(format!("S-57 {acronym}"))),
            (Some(code), None) => Some(Foreign::Unmapped(format!("S-57 object class {code}"))),
            (None, None) => None,
        };
    };
    let categories = codes(members.get(attribute));
    let words = categories.iter().map(|&c| word(attribute, c));
    let restrictions = codes(members.get("RESTRN"));
    let words: Vec<&str> = words.chain(restrictions.iter().map(|&c| word("RESTRN", c))).collect();
    let unmapped = || {
        let categories: Vec<String> = categories.iter().map(u64::to_string).collect();
        Foreign::Unmapped(match categories.is_empty() {
            true => format!("S-57 {acronym} without {attribute}"),
            false => format!("S-57 {acronym} {attribute} {}", categories.join(",")),
        })
    };
    Some(mapped(seamark, words.into_iter()).unwrap_or_else(unmapped))
}

/// The numbers of an attribute: a number, or a text such as `"1"` or `"8,27"`.
fn codes(value: Option<&Value>) -> Vec<u64> {
    match value {
        Some(Value::String(text)) => text.split(',').filter_map(|t| t.trim().parse().ok()).collect(),
        Some(Value::Array(items)) => items.iter().flat_map(|item| codes(Some(item))).collect(),
        Some(value) => value.as_u64().into_iter().collect(),
        None => Vec::new(),
    }
}

/// A code in the words of OpenStreetMap, as far as it matters here.
fn word(attribute: &str, code: u64) -> &'static str {
    match (attribute, code) {
        ("CATSPM", 12) => "recreation_zone",
        ("CATSPM", 14) => "mooring",
        ("CATSPM", 24) => "reduced_wake",
        ("CATSPM", 25) => "speed_limit",
        ("CATSPM", 27) => "warning",
        ("CATSPM", 50) => "no_entry",
        ("CATMOR", 7) => "buoy",
        ("CATREA", 18) => "swimming",
        ("CATREA", 24) | ("RESTRN", 13) => "no_wake",
        ("RESTRN", 27) => "speed_restricted",
        ("CATSLC", 4) => "pier",
        ("CATSLC", 5) => "promenade_pier",
        ("CATSLC", 6) => "wharf",
        ("CATSLC", 15) => "solid_face_wharf",
        ("CATSLC", 16) => "open_face_wharf",
        ("CATSLC", 12) => "ramp",
        ("CATSLC", 13) | ("CATSCF", 28) => "slipway",
        _ => "",
    }
}

/// The kind of a seamark type with one of these categories.
fn mapped<'w>(seamark: &str, words: impl Iterator<Item = &'w str> + Clone) -> Option<Foreign> {
    use ZoneKind as K;
    let has = |any: &[&str]| words.clone().any(|w| any.contains(&w));
    let kind = match seamark {
        "buoy_special_purpose" if has(&["mooring"]) => K::MooringBuoy,
        "buoy_special_purpose"
            if has(&["speed_limit", "reduced_wake", "no_wake", "recreation_zone", "no_entry", "warning"]) =>
        {
            K::SafetyBuoy
        }
        "mooring" if has(&["buoy", "mooring"]) => K::MooringBuoy,
        "shoreline_construction"
            if has(&["pier", "promenade_pier", "wharf", "solid_face_wharf", "open_face_wharf"]) =>
        {
            K::Dock
        }
        "shoreline_construction" | "small_craft_facility" if has(&["ramp", "slipway"]) => K::LaunchRamp,
        "pontoon" => K::Dock,
        "restricted_area" if has(&["swimming"]) => K::SwimArea,
        "restricted_area" if has(&["no_wake", "reduced_wake", "speed_restricted", "speed_limit"]) => K::SpeedZone,
        "anchorage" => K::MooringArea,
        "coastline" => K::Shoreline,
        "lake" | "river" => K::Waterway,
        _ => return None,
    };
    Some(Foreign::Kind(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_vocabularies_are_mapped_or_named() {
        let kind = |json: &str| match read(&serde_json::from_str(json).expect("an object")) {
            Some(Foreign::Kind(kind)) => kind.as_str().to_owned(),
            Some(Foreign::Unmapped(name)) => name,
            None => "nothing".to_owned(),
        };
        for (json, expected) in [
            (
                r#"{"seamark:type":"buoy_special_purpose","seamark:buoy_special_purpose:category":"reduced_wake"}"#,
                "safety_buoy",
            ),
            (r#"{"seamark:type":"mooring","seamark:mooring:category":"buoy"}"#, "mooring_buoy"),
            (r#"{"seamark:type":"shoreline_construction","seamark:shoreline_construction:category":"pier"}"#, "dock"),
            (r#"{"seamark:type":"restricted_area","seamark:restricted_area:category":"swimming"}"#, "swim_area"),
            (
                r#"{"seamark:type":"restricted_area","seamark:restricted_area:restriction":"no_wake;no_entry"}"#,
                "speed_zone",
            ),
            (
                r#"{"seamark:type":"buoy_lateral","seamark:buoy_lateral:category":"port"}"#,
                "seamark:type=buoy_lateral port",
            ),
            (r#"{"OBJL":19,"CATSPM":"25","layer":"BOYSPP"}"#, "safety_buoy"),
            (r#"{"OBJL":19,"CATSPM":"14"}"#, "mooring_buoy"),
            (r#"{"OBJL":122,"CATSLC":4,"layer":"SLCONS"}"#, "dock"),
            (r#"{"OBJL":122,"CATSLC":12}"#, "launch_ramp"),
            (r#"{"OBJL":122,"CATSLC":8,"layer":"SLCONS"}"#, "S-57 SLCONS CATSLC 8"),
            (r#"{"OBJL":112,"CATREA":["18"]}"#, "swim_area"),
            (r#"{"OBJL":112,"RESTRN":"8,13"}"#, "speed_zone"),
            (r#"{"OBJL":17,"layer":"BOYLAT"}"#, "S-57 BOYLAT"),
            (r#"{"OBJL":17}"#, "S-57 object class 17"),
            (r#"{"OBJL":"LAKARE"}"#, "waterway"),
            (r#"{"layer":"roads"}"#, "nothing"),
        ] {
            assert_eq!(kind(json), expected, "{json}");
        }
    }
}
