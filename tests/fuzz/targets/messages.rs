//! Messages of trackers, one after the other, through the decoder of their format.

use buoyline::ingest::native::{self, Envelope};
use buoyline::ingest::{self, Decoded, Decoder, Message, Settings, Sniffer, http as posted};
use buoyline::observation::{Observation, Refusal};
use buoyline::time::EventTime;

use crate::laws;
use crate::runner::Outcome;
use crate::seeds::{NEXT, PART};

/// Topic, arrival and payload.
type Heard<'a> = (String, EventTime, &'a [u8]);

/// Settings and messages of an input; what is no settings or time becomes the usual.
fn parsed(input: &[u8]) -> (Settings, Vec<Heard<'_>>) {
    let mut records = input.split(|b| *b == NEXT);
    let settings = records.next().and_then(|json| serde_json::from_slice(json).ok()).unwrap_or_default();
    let messages = records.map(|record| {
        let mut parts = record.splitn(3, |b| *b == PART);
        let mut text = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        let (topic, t) = (text(), text());
        let usual = EventTime::from_unix_ms(1_796_022_002_000);
        (topic, EventTime::parse_rfc3339(&t).unwrap_or(usual), parts.next().unwrap_or_default())
    });
    (settings, messages.collect())
}

/// Every message gives something; what it gives does not depend on those that follow.
fn decode(name: &str, input: &[u8]) -> Outcome {
    let (settings, messages) = parsed(input);
    let decoder = |settings: &Settings| Decoder::new(name, settings.clone());
    let mut whole = match decoder(&settings) {
        Ok(decoder) => decoder,
        Err(error) if error.to_string().is_empty() => return Err("no decoder, without a reason".to_owned()),
        Err(error) => return Ok(vec![error.to_string()]),
    };
    let mut said = Vec::new();
    let mut firsts = Vec::new();
    for (topic, received_at, payload) in &messages {
        let message = Message { topic, payload, received_at: *received_at, retained: topic.len() % 7 == 3 };
        let mut given = Vec::new();
        whole.decode(&message, |decoded| given.push(decoded));
        if given.is_empty() {
            return Err(format!("nothing came of a message: {}", payload.escape_ascii()));
        }
        for decoded in &given {
            said.push(laws::decoded(decoded)?);
        }
        firsts.push(given);
    }
    let mut rest = Ok(());
    whole.finish(|decoded| match laws::decoded(&decoded) {
        Ok(text) => said.push(text),
        Err(law) => rest = Err(law),
    });
    rest?;
    // The same messages again, the last one left out.
    let mut again = decoder(&settings).map_err(|e| format!("a decoder the first time and none the second: {e}"))?;
    for ((topic, received_at, payload), first) in messages.iter().zip(&firsts).take(messages.len().saturating_sub(1)) {
        let message = Message { topic, payload, received_at: *received_at, retained: topic.len() % 7 == 3 };
        let mut given = Vec::new();
        again.decode(&message, |decoded| given.push(decoded));
        if format!("{given:?}") != format!("{first:?}") {
            return Err(format!("the same messages gave other things: {given:?}, before {first:?}"));
        }
    }
    Ok(said)
}

/// Targets that are named like their format.
macro_rules! formats {
    ($($target:ident = $name:literal),* $(,)?) => { $(
        pub fn $target(input: &[u8]) -> Outcome {
            decode($name, input)
        }
    )* };
}

formats! {
    native_by_topic = "native", owntracks = "owntracks", nmea = "nmea", ais_catcher = "ais-catcher",
    signalk = "signalk", traccar = "traccar", meshtastic = "meshtastic", chirpstack = "chirpstack",
    the_things_stack = "the-things-stack", digitraffic = "digitraffic", gpsd = "gpsd",
}

/// A message of unknown format is refused, a known one gives something, as its own decoder or refused.
pub fn sniffed(input: &[u8]) -> Outcome {
    let mut sniffer = Sniffer::new();
    let mut said = Vec::new();
    for (topic, received_at, payload) in &parsed(input).1 {
        let mut given = Vec::new();
        let message = Message { topic, payload, received_at: *received_at, retained: false };
        sniffer.decode(&message, |decoded| given.push(decoded));
        let format = ingest::sniff(topic, payload);
        let is_refused = matches!(given.as_slice(), [Decoded::Refused(_)]);
        if given.is_empty() || (format.is_none() && !is_refused) {
            return Err(format!("taken for {format:?}, and {} things came of it", given.len()));
        }
        for decoded in &given {
            said.push(format!("{} {}", format.unwrap_or("unknown"), laws::decoded(decoded)?));
        }
    }
    let mut rest = Ok(());
    sniffer.finish(|decoded| match laws::decoded(&decoded) {
        Ok(text) => said.push(text),
        Err(law) => rest = Err(law),
    });
    rest.map(|()| said)
}

/// What apps post is answered so that they go on, or hear that they may not speak.
pub fn http(input: &[u8]) -> Outcome {
    let mut said = Vec::new();
    for (topic, received_at, payload) in &parsed(input).1 {
        let text = String::from_utf8_lossy(payload);
        let limit = topic.split_once('/');
        for (name, query) in [("owntracks", ""), ("traccar", ""), ("traccar", text.as_ref())] {
            let mut decoder = Decoder::new(name, Settings::default()).map_err(|e| e.to_string())?;
            let request = posted::Request { query, body: payload, limit, received_at: *received_at };
            let mut given = Vec::new();
            let reply = match name {
                "owntracks" => posted::owntracks(&mut decoder, &request, |decoded| given.push(decoded)),
                _ => posted::traccar(&mut decoder, &request, |decoded| given.push(decoded)),
            };
            if given.is_empty() || ![200, 403].contains(&reply.status) {
                return Err(format!("answered {}, and {} things came of it", reply.status, given.len()));
            }
            for decoded in &given {
                said.push(format!("{name} {} {}", reply.status, laws::decoded(decoded)?));
            }
        }
    }
    Ok(said)
}

/// One payload of native messages. The fast reading of a fix gives what the slow one does: in an array every message
/// is read slowly. A kind of message that the topic says changes nothing where the message says its kind.
pub fn native(input: &[u8]) -> Outcome {
    let read = |bytes: &[u8]| {
        let mut read: Vec<Result<Observation, Refusal>> = Vec::new();
        native::decode(bytes, Envelope::default(), |one| read.push(one));
        read
    };
    let given = read(input);
    let is_array = input.trim_ascii_start().starts_with(b"[");
    if given.is_empty() && !is_array {
        return Err("nothing came of a message".to_owned());
    }
    let mut said = Vec::new();
    for one in &given {
        said.push(match one {
            Ok(observation) => laws::accepted(observation)?,
            Err(refusal) => laws::refused(refusal)?,
        });
    }
    if let ([one], false) = (given.as_slice(), is_array) {
        let in_array = read(&[b"[", input, b"]"].concat());
        // A text that is no JSON can be one between brackets: `{} , {}`.
        let is_same = match (one, in_array.as_slice()) {
            (Ok(a), [Ok(b)]) => a == b,
            (Ok(_), _) => false,
            (Err(_), [Ok(_)]) => false,
            (Err(_), _) => true,
        };
        if !is_same {
            return Err(format!("alone it is read as {one:?}, in an array as {in_array:?}"));
        }
    }
    Ok(said)
}
