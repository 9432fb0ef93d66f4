//! AIS-catcher's JSON (`MSGFORMAT JSON_FULL`, also the sparse and the NMEA forms): one topic for all vessels of a
//! receiver.
//!
//! | key | meaning here |
//! | --- | --- |
//! | `class` | `AIS`; others share the topic and are asides |
//! | `rxuxtime` | when the receiver heard it, seconds since 1970 with fraction; else `rxtime`, UTC as `YYYYMMDDhhmmss`; else its arrival here |
//! | `nmea` | the sentences of the message: where they are there, they are decoded ([`super::nmea`]) and nothing else is, for the values beside them are rounded to 32 bits |
//!
//! Without sentences the keys of the AIS message are read as told in [`super::ais_json`].

use super::ais_json;
use super::decoder::{Decode, Decoded, Format, Message, Sample, Speaker};
use super::json::{self, Object};
use super::nmea::{Reader, Vessels};
use super::nmea_lines;
use crate::observation::{Refusal, RefusalReason};
use crate::time::EventTime;

pub(super) const FORMAT: Format = Format {
    name: "ais-catcher",
    topic: "data/ais",
    recognise,
    settings: &[],
    build: |_| Box::new(AisCatcher { reader: Reader::new(Default::default()), vessels: Vessels::default() }),
};

fn recognise(sample: &Sample<'_>) -> bool {
    let has_its_keys = ["rxuxtime", "rxtime", "nmea"].iter().any(|key| sample.has_keys(&[key]));
    let is_its = has_its_keys || sample.says("device", &["AIS-catcher"]);
    is_its && (sample.says("class", &["AIS"]) || sample.has_keys(&["mmsi", "type"]))
}

/// What goes from one message to the next: what vessels have said about themselves, and parts of sentences.
struct AisCatcher {
    reader: Reader,
    vessels: Vessels,
}

impl Decode for AisCatcher {
    fn decode(&mut self, message: &Message<'_>, speaker: &Speaker<'_>, each: &mut dyn FnMut(Decoded)) {
        if let Err(refusal) = self.message(message, speaker, each) {
            each(Decoded::Refused(refusal));
        }
    }
}

impl AisCatcher {
    fn message(
        &mut self,
        message: &Message<'_>,
        speaker: &Speaker<'_>,
        each: &mut dyn FnMut(Decoded),
    ) -> Result<(), Refusal> {
        let value = json::parse(message.payload)?;
        let object = Object::message(&value)?;
        match object.text("class", "the kind of message")? {
            Some("AIS") => {}
            // The sparse form may leave it out.
            None if object.has("mmsi") || object.has("nmea") => {}
            None => return Err(object.fault("class", "\"AIS\"")),
            Some(_) => {
                each(Decoded::Aside("other_class"));
                return Ok(());
            }
        }
        let arrival = arrival(&object, message)?;
        let Some(sentences) = object.get("nmea").and_then(|sentences| sentences.as_array()) else {
            return ais_json::decode(&object, arrival, speaker, &mut self.vessels, each);
        };
        let sentences = sentences.iter().filter_map(|sentence| sentence.as_str());
        if !self.sentences(sentences, arrival, speaker, each) {
            // A vessel said again what it is, or a sentence waits for its other part.
            each(Decoded::Aside("nothing_new"));
        }
        Ok(())
    }

    /// Decodes sentences; whether anything came of them.
    fn sentences<'s>(
        &mut self,
        sentences: impl Iterator<Item = &'s str>,
        arrival: EventTime,
        speaker: &Speaker<'_>,
        each: &mut dyn FnMut(Decoded),
    ) -> bool {
        let mut is_any = false;
        for sentence in sentences {
            self.reader.line(sentence.as_bytes(), Some(arrival), &mut |_, entry| {
                is_any = true;
                each(nmea_lines::spoken_for(nmea_lines::decoded(entry), speaker));
            });
        }
        is_any
    }
}

/// When the receiver heard the message.
fn arrival(object: &Object<'_>, message: &Message<'_>) -> Result<EventTime, Refusal> {
    if let Some(t) = object.epoch_s("rxuxtime")? {
        return Ok(t);
    }
    if let Some(text) = object.text("rxtime", "a time of 14 digits")? {
        let parsed = chrono::NaiveDateTime::parse_from_str(text, "%Y%m%d%H%M%S").ok();
        return parsed.and_then(|t| EventTime::from_chrono(t.and_utc())).ok_or_else(|| {
            let should = "it should be 14 digits of UTC, as in \"20261130070001\"";
            Refusal::new(RefusalReason::NoTime, format!("`rxtime` is {text:?}; {should}"))
        });
    }
    if message.retained {
        let detail = "`rxuxtime` is missing and the message was kept by the broker: when it was heard is not known";
        return Err(Refusal::new(RefusalReason::NoTime, detail));
    }
    Ok(message.received_at)
}
