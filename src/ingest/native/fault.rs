//! What is wrong with a message that could not be decoded: key, value, and how to mend it.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Envelope, MessageKind};
pub(super) use crate::ingest::json::shown;
use crate::observation::{Refusal, RefusalReason};

/// A key of a message and what it should hold.
pub(super) type Key = (&'static str, Expect);

/// What a key should hold; null always passes as "not reported".
#[derive(Debug, Clone, Copy)]
pub(super) enum Expect {
    /// A string: what it means.
    Text(&'static str),
    /// An RFC 3339 time.
    Time,
    /// A number: its unit and an example.
    Number(&'static str),
    /// A whole number of zero or more.
    Count,
    /// `true` or `false`.
    Flag,
    /// One of these names.
    OneOf(&'static [&'static str]),
    /// A list of any of these names.
    ListOf(&'static [&'static str]),
    /// An object with these keys.
    Object(&'static [Key]),
}

/// The names of [`crate::observation::NavStatus`].
pub(super) const NAV_STATUSES: &[&str] = &[
    "under_way",
    "anchored",
    "moored",
    "aground",
    "fishing",
    "trolling",
    "sailing",
    "rowing",
    "not_under_command",
    "restricted",
];

/// The names of [`crate::observation::Light`].
pub(super) const LIGHTS: &[&str] =
    &["all_round_white", "masthead", "stern", "sidelights", "red_green_combined", "anchor", "flashing_blue"];

/// The kind that a message names in `type`, else the envelope's.
pub(super) fn named_kind(name: Option<&str>, envelope: Envelope<'_>) -> Result<MessageKind, Refusal> {
    let known = MessageKind::NAMES;
    match (name, envelope.kind) {
        (Some(name), _) => MessageKind::from_name(name).ok_or_else(|| {
            Refusal::unparsable(format!("`type` is {}; it should be one of {known}", shown(&Value::from(name))))
        }),
        (None, Some(kind)) => Ok(kind),
        (None, None) => Err(Refusal::unparsable(format!("`type` is missing; it should be one of {known}"))),
    }
}

/// The kind of a message that is no well-formed fix.
///
/// # Errors
/// A refusal where it is no JSON object or of no known kind.
pub(super) fn kind_of(json: &str, envelope: Envelope<'_>) -> Result<MessageKind, Refusal> {
    match object(json)?.get("type") {
        None | Some(Value::Null) => named_kind(None, envelope),
        Some(Value::String(name)) => named_kind(Some(name), envelope),
        Some(other) => Err(Refusal::unparsable(format!(
            "`type` is {}; it should be a string, one of {}",
            shown(other),
            MessageKind::NAMES
        ))),
    }
}

/// Why `json` is no `T`: the first of `keys` with a value it should not have, else serde's own words
/// (a repeated key).
pub(super) fn explain<'a, T: Deserialize<'a>>(json: &'a str, keys: &[Key]) -> Refusal {
    let object = match object(json) {
        Ok(object) => object,
        Err(refusal) => return refusal,
    };
    first_fault(&object, "", keys).unwrap_or_else(|| {
        let words = serde_json::from_str::<T>(json).err().map(|e| e.to_string());
        Refusal::unparsable(words.unwrap_or_else(|| "the message has a key twice".to_owned()))
    })
}

fn object(json: &str) -> Result<Map<String, Value>, Refusal> {
    match serde_json::from_str(json) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(Refusal::unparsable(format!("{} is no message: it should be a JSON object", shown(&other)))),
        Err(e) => Err(Refusal::unparsable(format!("no JSON: {e}"))),
    }
}

/// The first of `keys` in `object` that holds what it should not.
fn first_fault(object: &Map<String, Value>, inside: &str, keys: &[Key]) -> Option<Refusal> {
    keys.iter().find_map(|(key, expect)| {
        let value = object.get(*key).filter(|value| !value.is_null())?;
        if let (Expect::Object(keys), Value::Object(inner)) = (expect, value) {
            return first_fault(inner, &format!("{inside}{key}."), keys);
        }
        let (fine, should) = expect.check(value);
        let reason = if *key == "t" { RefusalReason::NoTime } else { RefusalReason::Unparsable };
        (!fine).then(|| Refusal::new(reason, format!("`{inside}{key}` is {}; it should be {should}", shown(value))))
    })
}

impl Expect {
    /// Whether `value` is as it should be, and how that is said.
    fn check(self, value: &Value) -> (bool, String) {
        let named = |value: &Value, names: &[&str]| value.as_str().is_some_and(|name| names.contains(&name));
        match self {
            Self::Text(what) => (value.is_string(), format!("a string: {what}")),
            Self::Time => (value.is_string(), "a string such as \"2026-07-04T20:15:03.250Z\"".to_owned()),
            Self::Number(unit) => (value.is_number(), format!("a number of {unit}")),
            Self::Count => {
                (value.as_u64().is_some_and(|n| u32::try_from(n).is_ok()), "a whole number of zero or more".to_owned())
            }
            Self::Flag => (value.is_boolean(), "true or false".to_owned()),
            Self::OneOf(names) => (named(value, names), format!("one of {}", names.join(", "))),
            Self::ListOf(names) => (
                value.as_array().is_some_and(|list| list.iter().all(|item| named(item, names))),
                format!("a list of any of {}", names.join(", ")),
            ),
            Self::Object(keys) => {
                let names: Vec<_> = keys.iter().map(|(key, _)| *key).collect();
                (value.is_object(), format!("null or an object with {}", names.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::{Light, NavStatus};

    #[test]
    fn the_names_told_are_the_names_read() {
        for name in NAV_STATUSES {
            assert!(serde_json::from_value::<NavStatus>(Value::from(*name)).is_ok(), "{name}");
        }
        for name in LIGHTS {
            assert!(serde_json::from_value::<Light>(Value::from(*name)).is_ok(), "{name}");
        }
        let refused = serde_json::from_value::<NavStatus>(Value::from("?")).expect_err("unknown").to_string();
        assert_eq!(refused.matches('`').count(), 2 * (NAV_STATUSES.len() + 1));
        let refused = serde_json::from_value::<Light>(Value::from("?")).expect_err("unknown").to_string();
        assert_eq!(refused.matches('`').count(), 2 * (LIGHTS.len() + 1));
    }
}
