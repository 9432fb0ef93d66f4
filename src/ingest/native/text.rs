//! Strings of a message, borrowed from it where they hold no escapes.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::observation::{Refusal, RefusalReason, VesselId};
use crate::time::EventTime;

use super::Envelope;

/// A string of a message. (Inside an `Option`, serde's own `Cow` always copies.)
#[derive(Debug)]
pub(super) struct Text<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrowing;
        impl<'de> Visitor<'de> for Borrowing {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Borrowing)
    }
}

impl Text<'_> {
    /// The string, where there is one.
    pub(super) fn of<'t>(text: &'t Option<Text<'_>>) -> Option<&'t str> {
        text.as_ref().map(|text| &*text.0)
    }
}

/// The time that every message but a profile has.
pub(super) fn required_time(t: Option<&str>) -> Result<EventTime, Refusal> {
    let Some(t) = t else {
        let detail =
            "`t` is missing or null; it should be the time of the position, as in \"2026-07-04T20:15:03.250Z\"";
        return Err(Refusal::new(RefusalReason::NoTime, detail));
    };
    time("t", t)
}

/// The time written under `key`.
pub(super) fn time(key: &str, text: &str) -> Result<EventTime, Refusal> {
    EventTime::parse_rfc3339(text).map_err(|e| Refusal::new(RefusalReason::NoTime, format!("`{key}`: {e}")))
}

/// The vessel that a message is about: its own word, else the envelope's.
pub(super) fn vessel(vessel: Option<&str>, envelope: Envelope<'_>) -> Result<VesselId, Refusal> {
    let id = vessel.or(envelope.id);
    let id = id.ok_or_else(|| Refusal::unparsable("`vessel` is missing; it should be the vessel's id"))?;
    VesselId::new(id).map_err(|e| Refusal::unparsable(format!("`vessel`: {e}")))
}
