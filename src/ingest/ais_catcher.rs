//! AIS-catcher's JSON (`MSGFORMAT JSON_FULL`, JSON_SPARSE): one topic for all vessels of a receiver.
//!
//! The keys of the AIS message are those of [`super::ais_json`]; of the rest
//!
//! | key | meaning here |
//! | --- | --- |
//! | `class` | `AIS`; others share the topic and are asides |
//! | `rxuxtime` | when the receiver heard it, seconds since 1970 with fraction; else `rxtime`, UTC as `YYYYMMDDhhmmss`; else its arrival here |
//! | `msgtime` | not read: a text of the same |
//!
//! Its JSON_NMEA and JSON_MINIMAL forms carry the sentences only and are for the decoder of AIS sentences.

use super::ais_json;
use super::decoder::{Decoded, Format, Message, Sample, Speaker};
use super::json::{self, Object};
use super::news::only_news;
use crate::observation::{Refusal, RefusalReason};
use crate::time::EventTime;

pub(super) const FORMAT: Format =
    Format { name: "ais-catcher", topic: "data/ais", recognise, settings: &[], build: |_| only_news(decode) };

fn recognise(sample: &Sample<'_>) -> bool {
    let is_its = ["rxuxtime", "rxtime", "nmea"].iter().any(|key| sample.has_keys(&[key]));
    is_its && (sample.says("class", &["AIS"]) || sample.has_keys(&["mmsi", "type"]))
}

/// Decodes one message.
fn decode(message: &Message<'_>, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    let value = json::parse(message.payload)?;
    let object = Object::message(&value)?;
    match object.text("class", "the kind of message")? {
        Some("AIS") => {}
        Some(_) => return Ok(Decoded::Aside("other_class")),
        // The sparse form may leave it out.
        None if object.has("type") && object.has("mmsi") => {}
        None => return Err(object.fault("class", "\"AIS\"")),
    }
    if !object.has("mmsi") && object.has("nmea") {
        return Err(object.fault("mmsi", "there: have AIS-catcher send JSON_FULL, or use the decoder of AIS sentences"));
    }
    let heard_at = match object.epoch_s("rxuxtime")? {
        Some(t) => Some(t),
        None => digits_time(&object)?,
    };
    let arrival = match heard_at {
        Some(t) => t,
        None if message.retained => {
            let detail = "`rxuxtime` is missing and the message was kept by the broker: when it was heard is not known";
            return Err(Refusal::new(RefusalReason::NoTime, detail));
        }
        None => message.received_at,
    };
    ais_json::decode(&object, arrival, speaker)
}

/// The time of `rxtime`, as in `20261130070001`.
fn digits_time(object: &Object<'_>) -> Result<Option<EventTime>, Refusal> {
    let Some(text) = object.text("rxtime", "a time of 14 digits")? else { return Ok(None) };
    let parsed = chrono::NaiveDateTime::parse_from_str(text, "%Y%m%d%H%M%S").ok();
    match parsed.and_then(|t| EventTime::from_chrono(t.and_utc())) {
        Some(t) => Ok(Some(t)),
        None => Err(Refusal::new(
            RefusalReason::NoTime,
            format!("`rxtime` is {text:?}; it should be 14 digits of UTC, as in \"20261130070001\""),
        )),
    }
}
