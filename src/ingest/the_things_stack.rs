//! The Things Stack 3 (The Things Network) over MQTT: `v3/{application}@{tenant}/devices/{device}/{kind}`.
//!
//! | key | meaning here |
//! | --- | --- |
//! | `uplink_message.decoded_payload` | what the device's formatter made of the bytes; the position is where the source's `fields` say ([`FieldMap`]) |
//! | `uplink_message.received_at`, else `received_at` | when the network received it: the time of the fix unless `fields.time` gives one |
//! | `end_device_ids.device_id` | the vessel |
//! | `simulated` | made up in the console: an aside |
//!
//! The stack leaves out what is empty, 0 or false. Kinds other than `up` are asides, `location/solved` among
//! them: the network's own guess. So is an uplink without a position. It publishes with QoS 0 only, minutes apart.

use super::decoder::{Decoded, Format, Message, Sample, Speaker, one};
use super::field_map::FieldMap;
use super::json::{self, Object};
use crate::observation::{Observation, Refusal};

pub(super) const FORMAT: Format = Format {
    name: "the-things-stack",
    topic: "v3/+/devices/{vessel}/#",
    recognise,
    settings: &["fields"],
    build: |settings| {
        let fields = settings.fields.clone().unwrap_or_default();
        one(move |message, speaker| decode(&fields, message, speaker))
    },
};

/// Keys of messages that are no uplinks, and the name each is counted by.
const ASIDES: &[(&str, &str)] = &[
    ("join_accept", "join"),
    ("downlink_ack", "downlink"),
    ("downlink_nack", "downlink"),
    ("downlink_sent", "downlink"),
    ("downlink_failed", "downlink"),
    ("downlink_queued", "downlink"),
    ("downlink_queue_invalidated", "downlink"),
    ("location_solved", "network_location"),
    ("service_data", "service"),
    ("uplink_normalized", "normalized"),
];

fn recognise(sample: &Sample<'_>) -> bool {
    sample.has_keys(&["end_device_ids"])
}

/// Decodes one message.
fn decode(fields: &FieldMap, message: &Message<'_>, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    let value = json::parse(message.payload)?;
    let object = Object::message(&value)?;
    let Some(uplink) = object.object("uplink_message")? else {
        let aside = ASIDES.iter().find(|(key, _)| object.has(key));
        return aside
            .map(|(_, name)| Decoded::Aside(name))
            .ok_or_else(|| object.fault("uplink_message", "an object: the uplink"));
    };
    if object.flag("simulated")? == Some(true) {
        return Ok(Decoded::Aside("simulated"));
    }
    let ids = object.object("end_device_ids")?;
    let name = ids.map(|ids| ids.text("device_id", "the device's id")).transpose()?.flatten();
    let vessel = speaker.vessel(name)?;
    let Some(decoded) = uplink.get("decoded_payload") else { return Ok(Decoded::Aside("no_codec")) };
    let received_at = match uplink.time("received_at")? {
        Some(t) => Some(t),
        None => object.time("received_at")?,
    };
    Ok(match fields.fix(decoded, received_at)? {
        Some(fix) => Decoded::Observation(Observation::Fix(vessel, fix)),
        None => Decoded::Aside("no_position_in_it"),
    })
}
