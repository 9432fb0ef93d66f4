//! Native messages: one JSON object, or an array of them, becomes observations or refusals.
//!
//! The messages of trackers as JSON. Unknown keys are ignored, so that messages may grow; a known key with a
//! value that has no meaning refuses its message, and only its message. A fix in its usual form is read by hand
//! in one pass; what that pass cannot read is read again as JSON, and once more to say what was wrong.
//! An empty payload that takes in a mark carries no time and is the broker's to translate.

mod fault;
mod fix;
mod quick;
mod report;
mod shape;
mod text;
mod topic;
mod write;

pub(super) use topic::FORMAT;
pub use write::encode;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::observation::{Observation, Refusal};

/// Kinds of native messages, as `type` writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// A position report.
    Fix,
    /// What a vessel is doing.
    Activity,
    /// What a vessel is.
    Vessel,
    /// Something put on the water or taken in.
    Mark,
    /// Visibility, weather and level.
    Conditions,
}

impl MessageKind {
    const NAMES: &'static str = "fix, activity, vessel, mark, conditions";

    /// The kind called `name`, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "fix" => Some(Self::Fix),
            "activity" => Some(Self::Activity),
            "vessel" => Some(Self::Vessel),
            "mark" => Some(Self::Mark),
            "conditions" => Some(Self::Conditions),
            _ => None,
        }
    }
}

/// What is known about a message without reading it: from its topic, or from the command line.
/// What the message itself says goes first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Envelope<'a> {
    /// What it is, where it does not say so.
    pub kind: Option<MessageKind>,
    /// Which vessel, mark or waterway it is about, where it does not say so.
    pub id: Option<&'a str>,
}

/// Decodes one payload or line of UTF-8: a message, or an array of messages.
///
/// `each` gets one result for each message in order. White space around is fine; an array that breaks off
/// gives its whole messages and one refusal for the rest; an empty array gives nothing.
pub fn decode(bytes: &[u8], envelope: Envelope<'_>, mut each: impl FnMut(Result<Observation, Refusal>)) {
    if let Some(read) = quick::decode(bytes, envelope) {
        return each(read);
    }
    let json = match std::str::from_utf8(bytes) {
        Ok(json) => json,
        Err(e) => return each(Err(Refusal::unparsable(format!("no UTF-8 after byte {}", e.valid_up_to())))),
    };
    if !json.trim_ascii_start().starts_with('[') {
        return each(decode_object(json, envelope));
    }
    let mut json = serde_json::Deserializer::from_str(json);
    let elements = Elements { envelope, each: &mut each };
    if let Err(e) = (&mut json).deserialize_seq(elements).and_then(|()| json.end()) {
        each(Err(Refusal::unparsable(format!("no JSON array of messages: {e}"))));
    }
}

/// Hands on the elements of an array one by one, so that a long one is never held twice.
struct Elements<'a, F> {
    envelope: Envelope<'a>,
    each: &'a mut F,
}

impl<'de, F: FnMut(Result<Observation, Refusal>)> Visitor<'de> for Elements<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element_seed(Raw)? {
            (self.each)(decode_object(element.get(), self.envelope));
        }
        Ok(())
    }
}

/// One element, borrowed.
struct Raw;

impl<'de> DeserializeSeed<'de> for Raw {
    type Value = &'de RawValue;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        <&RawValue>::deserialize(deserializer)
    }
}

/// Decodes one message, trying it as a fix first: nearly all are.
fn decode_object(json: &str, envelope: Envelope<'_>) -> Result<Observation, Refusal> {
    let Ok(wire) = serde_json::from_str::<fix::Wire>(json) else {
        return decode_slowly(json, envelope);
    };
    match wire.kind(envelope)? {
        MessageKind::Fix => wire.into_observation(envelope),
        kind => report::decode(kind, json, envelope),
    }
}

/// Decodes what is no well-formed fix: another kind whose keys have other types, or nothing.
fn decode_slowly(json: &str, envelope: Envelope<'_>) -> Result<Observation, Refusal> {
    match fault::kind_of(json, envelope)? {
        MessageKind::Fix => Err(fault::explain::<fix::Wire>(json, fix::KEYS)),
        kind => report::decode(kind, json, envelope),
    }
}

#[cfg(test)]
mod native_tests;
