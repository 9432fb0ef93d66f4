//! OwnTracks, over MQTT or posted over HTTP (booklet, "JSON", and its apps).
//!
//! | key | meaning here |
//! | --- | --- |
//! | `_type` | `location` is a fix; other known types are asides |
//! | `tst` | time of the fix, seconds since 1970 |
//! | `lat`, `lon` | degrees |
//! | `vel` | speed in whole km/h. The apps leave out zero, and some phones send zero always: an absent or zero `vel` is not reported |
//! | `cog` | course, degrees true; left out for zero |
//! | `acc` | radius of 68 % confidence in metres; negative where the phone had no position |
//! | `t` | `p` (a ping, with the time of now) and `l`, `L` (last known position) repeat an old fix: asides |
//! | `topic` | over HTTP: the topic it would have been published to |
//!
//! The vessel is named by the topic, `owntracks/{user}/{device}`; `tid` is a label for maps and names nobody.
//! Left out: `alt`, `vac`, `batt`, regions, and `created_at`, the time at which the message was built.
//! Encrypted messages cannot be read and are refused, so that silence is explained.

use super::decoder::{Decoded, Format, Message, Sample, Speaker, one, wrong_vessel};
use super::json::{self, Object};
use super::reported::{accuracy_m, angle_deg, speed_mps};
use crate::observation::{Fix, Observation, Refusal, RefusalReason};
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format = Format {
    name: "owntracks",
    topic: "owntracks/{vessel}/{vessel}/#",
    recognise,
    settings: &[],
    build: |_| one(decode),
};

/// Types of messages that are no positions of the device, and the name each is counted by.
const ASIDES: &[(&str, &str)] = &[
    ("lwt", "last_will"),
    ("cmd", "command"),
    ("steps", "steps"),
    ("step", "steps"),
    ("transition", "transition"),
    ("waypoint", "waypoint"),
    ("waypoints", "waypoint"),
    ("beacon", "beacon"),
    ("card", "card"),
    ("configuration", "configuration"),
    ("dump", "configuration"),
    ("status", "status"),
    ("request", "request"),
    ("msg", "text"),
];

fn recognise(sample: &Sample<'_>) -> bool {
    let known = |kind: &str| ["location", "encrypted"].contains(&kind) || ASIDES.iter().any(|(name, _)| *name == kind);
    let kind = sample.json.and_then(|json| json.get("_type")?.as_str());
    kind.is_some_and(known) || (sample.topic.starts_with("owntracks/") && sample.payload.is_empty())
}

/// Decodes one message.
pub(super) fn decode(message: &Message<'_>, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    // What a phone sends to make the broker forget a retained message.
    if message.payload.trim_ascii().is_empty() {
        return Ok(Decoded::Aside("empty"));
    }
    let value = json::parse(message.payload).map_err(|refusal| match message.payload.trim_ascii() {
        [b'0'..=b'9' | b'A'..=b'Z', b'0'..=b'9' | b'A'..=b'Z', b',', ..] => {
            Refusal::unparsable("a line of comma-separated values: have the tracker send JSON (payload type 1)")
        }
        _ => refusal,
    })?;
    let object = Object::message(&value)?;
    let kind = object.text("_type", "the type of message")?;
    match kind {
        Some("location") => {}
        Some("encrypted") => {
            let detail =
                "`_type` is \"encrypted\"; it should be readable: clear the encryption key in the app and use TLS";
            return Err(Refusal::unparsable(detail));
        }
        Some(kind) => {
            let aside = ASIDES.iter().find(|(name, _)| *name == kind);
            return aside.map(|(_, name)| Decoded::Aside(name)).ok_or_else(|| object.fault("_type", "a known type"));
        }
        None => return Err(object.fault("_type", "\"location\"")),
    }
    if let Some("p" | "l" | "L") = object.text("t", "what led to the message")? {
        return Ok(Decoded::Aside("repeated_fix"));
    }
    if let Some(topic) = object.text("topic", "the topic")?.filter(|topic| !is_of(message.topic, topic)) {
        return Err(wrong_vessel(format!("published to {:?}, the message says {topic:?}", message.topic)));
    }
    let vessel = speaker.vessel(None)?;
    let accuracy = object.number("acc", "metres, such as 6")?;
    if let Some(negative) = accuracy.filter(|m| *m < 0.0) {
        let detail = format!("`acc` is {negative}: the phone had no position");
        return Err(Refusal::new(RefusalReason::BadPosition, detail));
    }
    let position = object.position("lat", "lon", 1.0)?;
    let t = object.epoch_s("tst")?.ok_or_else(|| object.time_missing("tst"))?;
    let mut fix = Fix::new(t, position);
    let speed_kmh = object.number("vel", "km/h, such as 37")?.filter(|kmh| *kmh != 0.0);
    fix.sog_mps = speed_mps(speed_kmh, SpeedUnit::Kmh);
    fix.cog_deg = angle_deg(object.number("cog", "degrees, such as 214")?);
    fix.accuracy_m = accuracy_m(accuracy);
    Ok(Decoded::Observation(Observation::Fix(vessel, fix)))
}

/// Whether a message that was published to `topic` may say that it is of `said`.
fn is_of(topic: &str, said: &str) -> bool {
    topic == said || topic.strip_prefix(said).is_some_and(|rest| rest.starts_with('/'))
}
