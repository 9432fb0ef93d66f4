//! Features that say what they are in the words of OpenStreetMap or of the US hydrography (NHD).
//!
//! Sea marks are in `seamark`. Only what has a clear counterpart is mapped.

use serde_json::{Map as JsonMap, Value};

use super::ZoneKind;
use super::seamark::{self, Foreign};

/// What the members say in any vocabulary that is known; `None` where they have the words of none.
pub(super) fn read(members: &JsonMap<String, Value>) -> Option<Foreign> {
    seamark::read(members).or_else(|| osm(members)).or_else(|| nhd(members))
}

/// The kind that properties of another vocabulary say, or how they call something that has none; `None` where they
/// are of no vocabulary that is known.
pub fn kind_in_other_words(members: &JsonMap<String, Value>) -> Option<Result<ZoneKind, String>> {
    read(members).map(|foreign| match foreign {
        Foreign::Kind(kind) => Ok(kind),
        Foreign::Unmapped(name) => Err(name),
    })
}

/// Tags of OpenStreetMap (wiki.openstreetmap.org, Map features).
fn osm(members: &JsonMap<String, Value>) -> Option<Foreign> {
    let tag = |key: &str| members.get(key).and_then(Value::as_str);
    let kind = match () {
        () if matches!(tag("man_made"), Some("pier" | "jetty")) => ZoneKind::Dock,
        () if tag("leisure") == Some("slipway") => ZoneKind::LaunchRamp,
        () if tag("leisure") == Some("swimming_area") => ZoneKind::SwimArea,
        () if tag("natural") == Some("coastline") => ZoneKind::Shoreline,
        () if tag("waterway") == Some("riverbank") => ZoneKind::Waterway,
        () if tag("natural") == Some("water") => match tag("water") {
            None
            | Some("lake" | "reservoir" | "river" | "pond" | "lagoon" | "oxbow" | "canal" | "harbour" | "basin") => {
                ZoneKind::Waterway
            }
            Some(other) => return Some(Foreign::Unmapped(format!("natural=water water={other}"))),
        },
        () => {
            let key =
                ["man_made", "leisure", "natural", "waterway", "sport"].into_iter().find(|key| tag(key).is_some())?;
            return Some(Foreign::Unmapped(format!("{key}={}", tag(key).unwrap_or_default())));
        }
    };
    Some(Foreign::Kind(kind))
}

/// Feature types of the National Hydrography Dataset: by name, or by number as in newer editions.
fn nhd(members: &JsonMap<String, Value>) -> Option<Foreign> {
    let (key, value) = ["FTYPE", "FType", "ftype"].into_iter().find_map(|key| Some((key, members.get(key)?)))?;
    let name = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    // A swamp is no boating water.
    match name.as_str() {
        "LakePond" | "Reservoir" | "StreamRiver" | "390" | "436" | "460" => Some(Foreign::Kind(ZoneKind::Waterway)),
        _ => Some(Foreign::Unmapped(format!("{key} {name}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_feature_types_are_mapped_or_named() {
        for (json, expected) in [
            (r#"{"natural":"water","water":"lake","name":"Mirror Lake"}"#, Ok("waterway")),
            (r#"{"natural":"water"}"#, Ok("waterway")),
            (r#"{"natural":"water","water":"wastewater"}"#, Err("natural=water water=wastewater")),
            (r#"{"man_made":"pier","floating":"yes"}"#, Ok("dock")),
            (r#"{"leisure":"slipway"}"#, Ok("launch_ramp")),
            (r#"{"leisure":"swimming_area"}"#, Ok("swim_area")),
            (r#"{"leisure":"park"}"#, Err("leisure=park")),
            (r#"{"natural":"coastline"}"#, Ok("shoreline")),
            (r#"{"FTYPE":"LakePond"}"#, Ok("waterway")),
            (r#"{"FTYPE":"SwampMarsh"}"#, Err("FTYPE SwampMarsh")),
            (r#"{"FType":390}"#, Ok("waterway")),
            (r#"{"seamark:type":"mooring","seamark:mooring:category":"buoy","natural":"water"}"#, Ok("mooring_buoy")),
        ] {
            let found = kind_in_other_words(&serde_json::from_str(json).expect("an object")).expect("known words");
            assert_eq!(found.as_ref().map(|kind| kind.as_str()).map_err(String::as_str), expected, "{json}");
        }
        assert_eq!(kind_in_other_words(&serde_json::from_str(r#"{"TYPE":"DOCK"}"#).expect("an object")), None);
    }
}
