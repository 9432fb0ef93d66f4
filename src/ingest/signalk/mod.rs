//! Signal K over MQTT: whole deltas, or one value a topic.
//!
//! **Deltas** (`signalk/delta`) have a `context` (which vessel) and `updates`, each with `timestamp`, `$source`
//! and `values` of a `path` and a `value`. **Values by topic** (`vessels/self/navigation/position`, also with
//! something before `vessels`) are the value alone, or an object with `value` and perhaps `timestamp`.
//!
//! | path | meaning here |
//! | --- | --- |
//! | `navigation.position` | `latitude` and `longitude` in degrees |
//! | `navigation.speedOverGround` | m/s; 102.2 is "faster than can be said" and not read |
//! | `navigation.courseOverGroundTrue` | radians true; the magnetic one is not read |
//! | `navigation.headingTrue` | radians true |
//! | `navigation.gnss.horizontalDilution` | the accuracy |
//! | `navigation.gnss.methodQuality` | positions by hand, dead reckoning or a simulator are refused |
//! | `navigation.state` | what the vessel is doing |
//!
//! Positions and speeds come in separate messages: [`join`] says how they are put together, and what is kept
//! for that. A vessel is called by its MMSI where the context has one, else by its UUID; `self` is the vessel
//! that the topic or the source's `vessel` names. Other paths are asides.
//!
//! A gateway can be set to publish in both ways at once: take one of them.
//!
//! Values by topic carry no time. They are taken at their arrival, and only where they come one after the
//! other in steady flow: a gateway that was offline sends what it has stored in one burst, and then nothing
//! says how old each is. Speeds that come within a second of such a position are not heard either.

mod delta;
mod join;
mod path;

use super::decoder::{Decode, Decoded, Format, Message, Sample, Speaker, wrong_vessel};
use crate::observation::{Refusal, VesselId};
use join::Joiner;

pub(super) const FORMAT: Format = Format {
    name: "signalk",
    topic: "signalk/#",
    recognise,
    settings: &[],
    build: |_| Box::new(SignalK { joiner: Joiner::default() }),
};

fn recognise(sample: &Sample<'_>) -> bool {
    sample.has_keys(&["updates"]) || path::address(sample.topic).is_some_and(|(_, path)| path::is_known(&path))
}

/// The decoder and what it has heard lately.
struct SignalK {
    joiner: Joiner,
}

impl Decode for SignalK {
    fn decode(&mut self, message: &Message<'_>, speaker: &Speaker<'_>, each: &mut dyn FnMut(Decoded)) {
        match path::address(message.topic) {
            Some((who, path)) => path::decode(&mut self.joiner, message, &who, &path, speaker, each),
            None => delta::decode(&mut self.joiner, message, speaker, each),
        }
    }
}

/// The vessel that a context calls `who`: `self`, `urn:mrn:imo:mmsi:338999111` or `urn:mrn:signalk:uuid:…`.
fn vessel(who: &str, speaker: &Speaker<'_>) -> Result<VesselId, Refusal> {
    match who.rsplit_once(':') {
        Some((scheme, digits)) if scheme.ends_with(":mmsi") => match digits.parse() {
            Ok(mmsi @ 0..=999_999_999) => speaker.station(mmsi),
            _ => Err(wrong_vessel(format!("context {who:?} has no MMSI of nine digits"))),
        },
        None if who == "self" => speaker.vessel(None),
        _ => speaker.vessel(Some(who)),
    }
}
