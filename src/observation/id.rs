//! Ids that are safe in topics, file names and subject tokens.

use std::fmt;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

/// Why a text is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{value:?} is no {what} id: it should be 1 to 64 of {allowed}")]
pub struct IdError {
    /// The text as found.
    pub value: String,
    /// `vessel` or `waterway`.
    pub what: &'static str,
    /// The characters that are allowed.
    pub allowed: &'static str,
}

macro_rules! id {
    ($(#[$meta:meta])* $name:ident, $what:literal, $allowed:literal, $ok:expr) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "CompactString", into = "CompactString")]
        pub struct $name(CompactString);

        impl $name {
            /// The id written as `text`.
            ///
            /// # Errors
            /// [`IdError`] where it is empty, longer than 64 or has another character.
            pub fn new(text: &str) -> Result<Self, IdError> {
                let ok: fn(u8) -> bool = $ok;
                if (1..=64).contains(&text.len()) && text.bytes().all(ok) {
                    Ok(Self(CompactString::new(text)))
                } else {
                    Err(IdError { value: text.to_owned(), what: $what, allowed: $allowed })
                }
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<CompactString> for $name {
            type Error = IdError;
            fn try_from(text: CompactString) -> Result<Self, IdError> { Self::new(&text) }
        }
        impl From<$name> for CompactString { fn from(id: $name) -> Self { id.0 } }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
    };
}

id! {
    /// Which vessel: 1 to 64 of letters, digits, `_`, `:` and `-`.
    VesselId, "vessel", "letters, digits, '_', ':' and '-'",
    |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'-')
}

id! {
    /// Which waterway: 1 to 64 of lower-case letters, digits, `_` and `-`.
    WaterwayId, "waterway", "lower-case letters, digits, '_' and '-'",
    |b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-')
}

impl VesselId {
    /// The id made of a name of another system: characters that are not allowed become `_`, what is
    /// beyond 64 characters is cut; `None` for an empty name.
    pub fn from_foreign(name: &str) -> Option<Self> {
        let name = name.trim();
        if let Ok(id) = Self::new(name) {
            return Some(id);
        }
        let clean: CompactString = name
            .chars()
            .take(64)
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-') { c } else { '_' })
            .collect();
        (!clean.is_empty()).then_some(Self(clean))
    }

    /// The id of a station of the maritime mobile service: the nine digits of its MMSI, `002190068`.
    pub fn from_mmsi(mmsi: u32) -> Self {
        Self(compact_str::format_compact!("{mmsi:09}"))
    }
}

impl WaterwayId {
    /// The id made of a name: lower case, runs of other characters become one `-`; `None` where nothing is left.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut clean = CompactString::default();
        for c in name.chars().flat_map(char::to_lowercase) {
            if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' {
                clean.push(c);
            } else if !clean.is_empty() && !clean.ends_with('-') {
                clean.push('-');
            }
            if clean.len() == 64 {
                break;
            }
        }
        let trimmed = clean.trim_end_matches('-');
        (!trimmed.is_empty()).then(|| Self(CompactString::new(trimmed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_checked() {
        assert_eq!(VesselId::new("mmsi:366999712").expect("id").as_str(), "mmsi:366999712");
        for bad in ["", "a b", "a.b", "a/b", "a#", "é", &"x".repeat(65)] {
            assert!(VesselId::new(bad).is_err(), "{bad}");
        }
        assert!(WaterwayId::new("Lake").is_err());
    }

    #[test]
    fn foreign_names_become_ids() {
        assert_eq!(VesselId::from_foreign(" Miss B. Haven/2 ").expect("id").as_str(), "Miss_B__Haven_2");
        assert_eq!(VesselId::from_foreign("  "), None);
        assert_eq!(WaterwayId::from_name("Lake Mendota (north)").expect("id").as_str(), "lake-mendota-north");
        assert_eq!(WaterwayId::from_name("湖"), None);
    }
}
