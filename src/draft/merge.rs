//! The work of two editors of one map: what only one of them changed is taken, what both changed is asked about.

use serde::Serialize;
use serde_json::{Map, Value};

use super::collection::{Collection, is_same};

/// A feature, or a member of the file, that both changed, each in another way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Conflict {
    /// The feature; of the file itself, the member's name with a colon before it.
    pub id: String,
    /// What both began from.
    pub base: Option<Value>,
    /// What one made of it.
    pub mine: Option<Value>,
    /// What the other made of it.
    pub theirs: Option<Value>,
}

/// Both changes in one, in the order of `theirs`; new features of `mine` follow the one that they follow there.
///
/// # Errors
/// What both changed.
pub fn merge(base: &Collection, mine: &Collection, theirs: &Collection) -> Result<Collection, Vec<Conflict>> {
    let mut conflicts = Vec::new();
    let mut merged = Collection { members: Map::new(), features: indexmap::IndexMap::new() };
    for id in theirs.features.keys() {
        let three = (base.features.get(id), mine.features.get(id), theirs.features.get(id));
        if let Some(feature) = choose(id, three, &mut conflicts) {
            merged.features.insert(id.clone(), feature);
        }
    }
    let mut before: Option<&String> = None;
    for id in mine.features.keys() {
        if !theirs.features.contains_key(id) {
            let three = (base.features.get(id), mine.features.get(id), None);
            if let Some(feature) = choose(id, three, &mut conflicts) {
                let at = before.and_then(|before| merged.features.get_index_of(before)).map_or(0, |at| at + 1);
                let at = if before.is_some() { at } else { merged.features.len() };
                merged.features.shift_insert(at, id.clone(), feature);
            }
        }
        if merged.features.contains_key(id) {
            before = Some(id);
        }
    }
    let mine_only = mine.members.keys().filter(|key| !theirs.members.contains_key(*key));
    for key in theirs.members.keys().chain(mine_only) {
        let three = (base.members.get(key), mine.members.get(key), theirs.members.get(key));
        if let Some(member) = choose(&format!(":{key}"), three, &mut conflicts) {
            merged.members.insert(key.clone(), member);
        }
    }
    if conflicts.is_empty() { Ok(merged) } else { Err(conflicts) }
}

/// What is left of three versions of one thing; a conflict is noted, and theirs stays for the while.
fn choose(
    id: &str,
    (base, mine, theirs): (Option<&Value>, Option<&Value>, Option<&Value>),
    conflicts: &mut Vec<Conflict>,
) -> Option<Value> {
    let same = |a: Option<&Value>, b: Option<&Value>| match (a, b) {
        (Some(a), Some(b)) => is_same(a, b),
        (None, None) => true,
        _ => false,
    };
    if same(mine, theirs) || same(mine, base) {
        return theirs.cloned();
    }
    if same(theirs, base) {
        return mine.cloned();
    }
    let (base, mine, theirs) = (base.cloned(), mine.cloned(), theirs.cloned());
    conflicts.push(Conflict { id: id.to_owned(), base, mine, theirs: theirs.clone() });
    theirs
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::draft::{What, diff};

    fn collection(ids: &[(&str, i32)]) -> Collection {
        let features: Vec<Value> = ids
            .iter()
            .map(|(id, x)| {
                json!({"type": "Feature", "id": id, "geometry": {"type": "Point", "coordinates": [x, 0]},
                "properties": {"kind": "dock", "x-owner": "kept"}})
            })
            .collect();
        let whole = json!({"type": "FeatureCollection", "x-source": "survey 7", "features": features, "name": "lake"});
        Collection::of(whole).expect("a collection")
    }

    #[test]
    fn what_one_side_changed_is_taken() {
        let base = collection(&[("a", 0), ("b", 0), ("c", 0), ("d", 0)]);
        let mine = collection(&[("a", 1), ("new", 5), ("b", 0), ("c", 0), ("d", 0)]);
        let theirs = collection(&[("d", 0), ("a", 0), ("b", 2)]);
        let merged = merge(&base, &mine, &theirs).expect("no conflict");
        let keys: Vec<&str> = merged.features.keys().map(String::as_str).collect();
        assert_eq!(keys, ["d", "a", "new", "b"], "their order, with what is new behind what it followed");
        assert_eq!(merged.features["a"]["geometry"]["coordinates"][0], 1);
        assert_eq!(merged.features["b"]["geometry"]["coordinates"][0], 2);
        assert_eq!(merged.members["x-source"], "survey 7");
        let text = merged.to_text();
        assert!(
            text.find("x-source") < text.find("features") && text.find("features") < text.find("\"name\""),
            "{text}"
        );
        assert_eq!(Collection::parse(text.as_bytes()).expect("it is read back"), merged);
    }

    #[test]
    fn what_both_changed_is_asked_about() {
        let base = collection(&[("a", 0), ("b", 0)]);
        let conflicts = merge(&base, &collection(&[("a", 1), ("b", 0)]), &collection(&[("a", 2), ("b", 0)]));
        let conflicts = conflicts.expect_err("both moved it");
        assert_eq!(conflicts.len(), 1);
        assert_eq!(conflicts[0].id, "a");
        let gone = merge(&base, &collection(&[("a", 1), ("b", 0)]), &collection(&[("b", 0)]));
        assert_eq!(gone.expect_err("moved and removed")[0].theirs, None);
        merge(&base, &collection(&[("a", 3), ("b", 0)]), &collection(&[("a", 3), ("b", 0)]))
            .expect("both did the same");
    }

    #[test]
    fn differences_name_what_differs() {
        let (before, mut after) = (collection(&[("a", 0), ("b", 0)]), collection(&[("a", 0), ("c", 0)]));
        after.features["a"]["properties"]["lit"] = json!(true);
        after.features["a"]["geometry"]["coordinates"] = json!([0.0, 0.0]);
        let changes = diff(&before, &after);
        let told: Vec<(&str, What)> = changes.iter().map(|change| (change.id.as_str(), change.what)).collect();
        assert_eq!(told, [("a", What::Changed), ("c", What::Added), ("b", What::Removed)]);
        assert_eq!((changes[0].geometry, changes[0].properties.as_slice()), (false, &["lit".to_owned()][..]));
    }
}
