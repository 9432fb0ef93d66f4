//! The reference system that a file names, as GeoJSON had it before RFC 7946.

use serde_json::Value;

use super::place::Path;
use super::report::Problem;

/// What to say of a `crs` member: positions in another system than WGS 84 would be read as if they were in it.
pub(super) fn other_system(crs: &Value) -> Option<Problem> {
    let name = crs.pointer("/properties/name").and_then(Value::as_str)?;
    let upper = name.to_uppercase();
    let is_code = |codes: &[&str]| codes.iter().any(|code| upper == *code || upper.ends_with(&format!(":{code}")));
    if is_code(&["CRS84", "4326", "4979"]) {
        return None;
    }
    let path = || Path::default().key("crs");
    // North American and European frames that differ from WGS 84 by a metre or two.
    if is_code(&["4269", "CRS83", "4258", "6318"]) {
        let reason = "the file is not in WGS 84 but in a system a metre or two beside it; it was read as WGS 84";
        return Some(Problem::warning(path(), reason, "save it again in WGS 84 (EPSG:4326)").value(name));
    }
    let reason = "the file says that its positions are in another system than WGS 84";
    let mend =
        "save it again in WGS 84 (EPSG:4326), longitude and latitude in degrees; if they are already, remove \"crs\"";
    Some(Problem::error(path(), reason, mend).value(name))
}
