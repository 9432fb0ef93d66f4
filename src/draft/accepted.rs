//! Whose word it is that a warning may stand: the account that saved it, and nobody else.
//!
//! An acceptance stands in `accepted_warnings` of its feature, or of the file: what the warning says, why it may stand,
//! by whom and since when. Whoever saves a draft says that of itself; so what does not stand in something that was saved
//! or published before is signed anew by who saves it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::collection::Collection;

const ACCEPTED: &str = "accepted_warnings";

/// Where an acceptance stands (its feature, or nothing for the file), and what it says, by whom.
type Key = (Option<String>, [Value; 4]);

/// Acceptances that are known, with when each was given.
#[derive(Debug, Default)]
pub struct Known {
    since: BTreeMap<String, Value>,
}

impl Known {
    /// Takes what stands in a file; of one that stands in several what was taken first holds.
    pub fn take(&mut self, collection: &Collection) {
        for (holder, list) in lists(collection) {
            for one in list.iter().filter_map(Value::as_object) {
                self.since
                    .entry(text_of(&key(holder, one)))
                    .or_insert_with(|| one.get("at").cloned().unwrap_or(Value::Null));
            }
        }
    }

    /// Whether a file has an acceptance in another name that is not known.
    pub fn has_foreign(&self, collection: &Collection, by: &str) -> bool {
        lists(collection).any(|(holder, list)| {
            let said = list.iter().filter_map(Value::as_object);
            said.filter(|one| one.get("by").is_some_and(|who| who != by))
                .any(|one| !self.since.contains_key(&text_of(&key(holder, one))))
        })
    }

    /// Signs what is not known with the name of who saves it and the time; what is known stays as it was given.
    pub fn sign(&self, collection: &mut Collection, by: &str, at: &str) {
        sign_list(None, collection.members.get_mut(ACCEPTED), &self.since, by, at);
        for (id, feature) in &mut collection.features {
            let list = feature.get_mut("properties").and_then(|properties| properties.get_mut(ACCEPTED));
            sign_list(Some(id), list, &self.since, by, at);
        }
    }
}

fn sign_list(holder: Option<&str>, list: Option<&mut Value>, since: &BTreeMap<String, Value>, by: &str, at: &str) {
    for one in list.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
        let since = since.get(&text_of(&key(holder, one)));
        if since.is_none() {
            one.insert("by".to_owned(), by.into());
        }
        let at = since.cloned().unwrap_or_else(|| at.into());
        if !at.is_null() {
            one.insert("at".to_owned(), at);
        }
    }
}

fn lists(collection: &Collection) -> impl Iterator<Item = (Option<&str>, &Vec<Value>)> {
    let of_file = std::iter::once((None, collection.members.get(ACCEPTED)));
    let of_features =
        collection.features.iter().map(|(id, feature)| (Some(id.as_str()), feature["properties"].get(ACCEPTED)));
    of_file.chain(of_features).filter_map(|(holder, list)| Some((holder, list?.as_array()?)))
}

fn key(holder: Option<&str>, one: &Map<String, Value>) -> Key {
    let said = ["lint", "says", "reason", "by"].map(|key| one.get(key).cloned().unwrap_or(Value::Null));
    (holder.map(str::to_owned), said)
}

fn text_of((holder, said): &Key) -> String {
    serde_json::json!([holder, said]).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn file(of_file: Value, of_dock: Value) -> Collection {
        let dock = json!({"type": "Feature", "id": "D-1", "geometry": null,
            "properties": {"kind": "dock", "accepted_warnings": of_dock}});
        let whole = json!({"type": "FeatureCollection", "accepted_warnings": of_file, "features": [dock]});
        Collection::of(whole).expect("a collection")
    }

    fn said(says: &str, by: &str, at: &str) -> Value {
        json!({"lint": "spike", "says": says, "reason": "surveyed", "by": by, "at": at})
    }

    #[test]
    fn nobody_signs_for_another_and_what_stands_stays() {
        let base = file(json!([said("all", "hale", "1")]), json!([said("one", "hale", "2")]));
        let mut known = Known::default();
        known.take(&base);
        // As it was, in another place, with another word, anew in another's name and in one's own.
        let of_dock = json!([
            said("one", "hale", "9"),
            said("all", "hale", "1"),
            said("two", "hale", "2"),
            said("three", "ortiz", "3"),
            "odd"
        ]);
        let mut mine = file(json!([said("all", "hale", "1"), {"says": "bare"}]), of_dock);
        assert!(known.has_foreign(&mine, "ortiz"));
        known.sign(&mut mine, "ortiz", "now");
        let list = &mine.features["D-1"]["properties"][ACCEPTED];
        let signed: Vec<(&str, &str)> = list.as_array().expect("a list")[..4]
            .iter()
            .map(|one| (one["by"].as_str().expect("who"), one["at"].as_str().expect("when")))
            .collect();
        assert_eq!(signed, [("hale", "2"), ("ortiz", "now"), ("ortiz", "now"), ("ortiz", "now")]);
        assert_eq!(list[4], "odd");
        assert_eq!(mine.members[ACCEPTED][0], said("all", "hale", "1"));
        assert_eq!(mine.members[ACCEPTED][1], json!({"says": "bare", "by": "ortiz", "at": "now"}));
        assert!(!known.has_foreign(&mine, "ortiz"));
        // Saved again nothing changes.
        let mut later = Known::default();
        later.take(&mine);
        let mut again = mine.clone();
        later.sign(&mut again, "kim", "later");
        assert_eq!(again, mine);
    }
}
