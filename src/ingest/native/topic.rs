//! Native messages by the topic they were published to.
//!
//! The topic says of what kind a message is and about whom; what the message says must not differ.

use super::{Envelope, MessageKind, decode};
use crate::ingest::decoder::{Decode, Decoded, Format, Message, Sample, Speaker, wrong_vessel};
use crate::observation::{Mark, MarkChange, Observation, Refusal};

pub(in crate::ingest) const FORMAT: Format =
    Format { name: "native", topic: "buoyline/#", recognise, settings: &[], build: |_| Box::new(Native) };

fn recognise(sample: &Sample<'_>) -> bool {
    let first = match sample.json {
        Some(serde_json::Value::Array(messages)) => messages.first(),
        other => other,
    };
    let kind = first.and_then(|message| message.get("type")?.as_str());
    let known = kind.and_then(MessageKind::from_name);
    let shape = |keys: &[&str]| first.is_some_and(|message| keys.iter().any(|key| message.get(key).is_some()));
    address(sample.topic).is_some() || (known.is_some() && shape(&["t", "vessel", "id", "waterway"]))
}

/// What a topic of the contract says: the kind of message, and about whom.
fn address(topic: &str) -> Option<(MessageKind, &str)> {
    let mut levels = topic.rsplit('/');
    let last = levels.next()?;
    let before = levels.next()?;
    let above = levels.next();
    match (above, before, last) {
        (Some("vessels"), id, "fix") => Some((MessageKind::Fix, id)),
        (Some("vessels"), id, "activity") => Some((MessageKind::Activity, id)),
        (Some("vessels"), id, "profile") => Some((MessageKind::Vessel, id)),
        (Some("buoyline"), "marks", id) => Some((MessageKind::Mark, id)),
        (Some("buoyline"), "conditions", id) => Some((MessageKind::Conditions, id)),
        _ => None,
    }
}

struct Native;

impl Decode for Native {
    fn decode(&mut self, message: &Message<'_>, speaker: &Speaker<'_>, each: &mut dyn FnMut(Decoded)) {
        let address = address(message.topic);
        if message.payload.is_empty() {
            return each(nothing(address, message));
        }
        let by_topic = speaker.by_topic().map(|vessel| vessel.as_str());
        let envelope = Envelope { kind: address.map(|(kind, _)| kind), id: by_topic.or(address.map(|(_, id)| id)) };
        let mut is_any = false;
        decode(message.payload, envelope, |result| {
            is_any = true;
            each(match result.and_then(|observation| spoken_for(observation, envelope, speaker)) {
                Ok(observation) => Decoded::Observation(observation),
                Err(refusal) => Decoded::Refused(refusal),
            });
        });
        // An empty array.
        if !is_any {
            each(Decoded::Aside("empty"));
        }
    }
}

/// What an empty payload says: it takes in a mark, and makes the broker forget anything else.
fn nothing(address: Option<(MessageKind, &str)>, message: &Message<'_>) -> Decoded {
    match address {
        Some((MessageKind::Mark, id)) if !id.is_empty() => {
            let mark = Mark { id: id.into(), t: message.received_at, change: MarkChange::Removed };
            Decoded::Observation(Observation::Mark(Box::new(mark)))
        }
        _ => Decoded::Aside("empty"),
    }
}

/// The observation, if it is about whom the topic names.
fn spoken_for(observation: Observation, envelope: Envelope<'_>, speaker: &Speaker<'_>) -> Result<Observation, Refusal> {
    let about = match &observation {
        Observation::Fix(vessel, _) | Observation::Activity(vessel, _) | Observation::Profile(vessel, _) => {
            vessel.as_str()
        }
        Observation::Mark(mark) => &mark.id,
        Observation::Conditions(conditions) => conditions.waterway.as_str(),
    };
    if let Some(topic) = envelope.id.filter(|topic| *topic != about) {
        return Err(wrong_vessel(format!("the topic names {topic:?}, the message {about:?}: both should be the same")));
    }
    Ok(match observation {
        Observation::Fix(vessel, fix) => Observation::Fix(speaker.vessel(Some(vessel.as_str()))?, fix),
        Observation::Activity(vessel, activity) => {
            Observation::Activity(speaker.vessel(Some(vessel.as_str()))?, activity)
        }
        Observation::Profile(vessel, profile) => Observation::Profile(speaker.vessel(Some(vessel.as_str()))?, profile),
        other => other,
    })
}
