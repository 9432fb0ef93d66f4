//! A zone file as features by id, and what differs between two.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Map, Value};

/// Not what a zone file is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotACollection {
    /// No JSON.
    #[error("no JSON: {0}")]
    Json(String),
    /// Something else.
    #[error("no GeoJSON FeatureCollection: {0}; give an object with \"type\": \"FeatureCollection\" and \"features\"")]
    Other(&'static str),
}

/// A FeatureCollection, its features by id in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Collection {
    /// Everything but the features, in order, with a null where those stood.
    pub members: Map<String, Value>,
    /// The features; one without an id is named by its place, a second one of an id by its count.
    pub features: IndexMap<String, Value>,
}

impl Collection {
    /// Reads one.
    ///
    /// # Errors
    /// [`NotACollection`].
    pub fn parse(bytes: &[u8]) -> Result<Self, NotACollection> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let value = serde_json::from_slice(bytes).map_err(|error| NotACollection::Json(error.to_string()))?;
        Self::of(value)
    }

    /// Takes one that has been read.
    ///
    /// # Errors
    /// [`NotACollection`].
    pub fn of(value: Value) -> Result<Self, NotACollection> {
        let Value::Object(mut members) = value else { return Err(NotACollection::Other("it is no object")) };
        if members.get("type").and_then(Value::as_str) != Some("FeatureCollection") {
            return Err(NotACollection::Other("its type is another"));
        }
        let Some(Value::Array(list)) = members.get_mut("features").map(Value::take) else {
            return Err(NotACollection::Other("it has no list of features"));
        };
        let mut features = IndexMap::with_capacity(list.len());
        for (place, feature) in list.into_iter().enumerate() {
            let id = id_of(&feature).unwrap_or_else(|| format!("#{place}"));
            let mut key = id.clone();
            let mut count = 1;
            while features.contains_key(&key) {
                count += 1;
                key = format!("{id} ({count})");
            }
            features.insert(key, feature);
        }
        Ok(Self { members, features })
    }

    /// As one value.
    pub fn into_value(self) -> Value {
        let Self { mut members, features } = self;
        members.insert("features".to_owned(), Value::Array(features.into_values().collect()));
        Value::Object(members)
    }

    /// As text: a feature a line, so that versions can be compared line by line.
    pub fn to_text(&self) -> String {
        let mut text = String::from("{\n");
        for (number, (key, member)) in self.members.iter().enumerate() {
            let comma = if number + 1 < self.members.len() { "," } else { "" };
            if key == "features" {
                text += "\"features\": [\n";
                for (place, feature) in self.features.values().enumerate() {
                    let comma = if place + 1 < self.features.len() { "," } else { "" };
                    text += &format!("{feature}{comma}\n");
                }
                text += &format!("]{comma}\n");
            } else {
                text += &format!("{}: {member}{comma}\n", Value::String(key.clone()));
            }
        }
        text + "}\n"
    }
}

/// The id of a feature: its own, or that among its properties.
fn id_of(feature: &Value) -> Option<String> {
    let said = |value: &Value| match value {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    };
    said(&feature["id"]).or_else(|| said(&feature["properties"]["id"]))
}

/// Whether two values say the same: 5 is 5.0, and the order of keys tells nothing.
pub fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        _ => a == b,
    }
}

/// What happened to a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is another.
    Changed,
}

/// A feature that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: Option<String>,
    /// What happened.
    pub what: What,
    /// Whether its geometry differs.
    pub geometry: bool,
    /// Which of its properties differ.
    pub properties: Vec<String>,
    /// What it was.
    pub before: Option<Value>,
    /// What it is.
    pub after: Option<Value>,
}

/// What differs from one version to another, in the order of the later one, what is gone last.
pub fn diff(before: &Collection, after: &Collection) -> Vec<Change> {
    let mut changes = Vec::new();
    for (id, feature) in &after.features {
        match before.features.get(id) {
            None => changes.push(change(id, What::Added, None, Some(feature))),
            Some(old) if !is_same(old, feature) => changes.push(change(id, What::Changed, Some(old), Some(feature))),
            Some(_) => {}
        }
    }
    for (id, feature) in before.features.iter().filter(|(id, _)| !after.features.contains_key(*id)) {
        changes.push(change(id, What::Removed, Some(feature), None));
    }
    changes
}

fn change(id: &str, what: What, before: Option<&Value>, after: Option<&Value>) -> Change {
    let null = Value::Null;
    let part = |of: Option<&Value>, key: &str| of.map_or(null.clone(), |feature| feature[key].clone());
    let (old, new) = (part(before, "properties"), part(after, "properties"));
    let mut properties: Vec<String> = Vec::new();
    for key in [&old, &new].into_iter().filter_map(Value::as_object).flat_map(Map::keys) {
        if !properties.contains(key) && !is_same(&old[key], &new[key]) {
            properties.push(key.clone());
        }
    }
    let kind = after.or(before).and_then(|feature| feature["properties"]["kind"].as_str()).map(str::to_owned);
    Change {
        id: id.to_owned(),
        kind,
        what,
        geometry: !is_same(&part(before, "geometry"), &part(after, "geometry")),
        properties,
        before: before.cloned(),
        after: after.cloned(),
    }
}
