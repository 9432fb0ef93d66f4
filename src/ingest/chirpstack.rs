//! ChirpStack 3 and 4 over MQTT: `application/{id}/device/{devEui}/event/{kind}`, with JSON payloads.
//!
//! | key | meaning here |
//! | --- | --- |
//! | `object` (4), `objectJSON` (3, JSON in a string) | what the device's codec made of the bytes; the position is where the source's `fields` say ([`FieldMap`]) |
//! | `time` (4), `publishedAt` or the first `rxInfo[].time` (3) | when the network received it: the time of the fix unless `fields.time` gives one |
//! | `deviceInfo.devEui` (4), `devEUI` (3) | the vessel, where the topic does not name it; 16 hex digits |
//!
//! Kinds other than `up` are asides, `location` among them: the network's own guess, kilometres wide. So is an
//! uplink without a position, and one without a codec's `object`. Frames arrive minutes apart: enough to say in
//! which area a boat is, hardly how fast.

use serde_json::Value;

use super::decoder::{Decoded, Format, Message, Sample, Speaker, one};
use super::field_map::FieldMap;
use super::json::{self, Object};
use crate::observation::{Observation, Refusal};
use crate::time::EventTime;

pub(super) const FORMAT: Format = Format {
    name: "chirpstack",
    topic: "application/+/device/{vessel}/event/+",
    recognise,
    settings: &["fields"],
    build: |settings| {
        let fields = settings.fields.clone().unwrap_or_default();
        one(move |message, speaker| decode(&fields, message, speaker))
    },
};

/// Kinds of events that are no uplinks, and the name each is counted by.
const ASIDES: &[(&str, &str)] = &[
    ("join", "join"),
    ("status", "status"),
    ("ack", "downlink"),
    ("txack", "downlink"),
    ("log", "log"),
    ("error", "log"),
    ("location", "network_location"),
    ("integration", "integration"),
];

fn recognise(sample: &Sample<'_>) -> bool {
    let is_event = sample.topic.starts_with("application/") && sample.topic.contains("/event/");
    is_event || sample.has_keys(&["deviceInfo", "deduplicationId"]) || sample.has_keys(&["devEUI", "fPort", "rxInfo"])
}

/// Decodes one message.
fn decode(fields: &FieldMap, message: &Message<'_>, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    let kind = message.topic.split_once("/event/").map(|(_, kind)| kind);
    if let Some((_, name)) = ASIDES.iter().find(|(name, _)| kind == Some(name)) {
        return Ok(Decoded::Aside(name));
    }
    let value = json::parse(message.payload).map_err(|refusal| {
        Refusal::unparsable(format!("{}; have the server send JSON (`json = true`), not protobuf", refusal.detail))
    })?;
    let object = Object::message(&value)?;
    let info = object.object("deviceInfo")?;
    let name = match &info {
        Some(info) => info.text("devEui", "16 hex digits")?,
        // Version 3 can be set to write it in base 64, which names nobody that the topic would name.
        None => object.text("devEUI", "16 hex digits")?.filter(|eui| eui.len() == 16),
    };
    let vessel = speaker.vessel(name)?;
    let Some(decoded) = codec_output(&object)? else { return Ok(Decoded::Aside("no_codec")) };
    Ok(match fields.fix(&decoded, network_time(&object)?)? {
        Some(fix) => Decoded::Observation(Observation::Fix(vessel, fix)),
        None => Decoded::Aside("no_position_in_it"),
    })
}

/// What the codec made of the bytes.
fn codec_output(object: &Object<'_>) -> Result<Option<Value>, Refusal> {
    match object.text("objectJSON", "JSON in a string")? {
        Some(text) => serde_json::from_str(text)
            .map(Some)
            .map_err(|e| Refusal::unparsable(format!("`objectJSON` holds no JSON: {e}"))),
        None => Ok(object.get("object").cloned()),
    }
}

/// When the network received it.
fn network_time(object: &Object<'_>) -> Result<Option<EventTime>, Refusal> {
    if let Some(t) = object.time("time")? {
        return Ok(Some(t));
    }
    let by_gateway = object.get("rxInfo").and_then(|info| json::written_time(info.pointer("/0/time")?.as_str()?));
    match by_gateway {
        Some(t) => Ok(Some(t)),
        None => object.time("publishedAt"),
    }
}
