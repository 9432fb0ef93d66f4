//! One way in for all formats: a message as it arrived becomes observations, asides or refusals.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::FORMATS;
use super::field_map::FieldMap;
use super::topic::{TopicPattern, TopicPatternError};
use crate::observation::{Observation, Refusal, RefusalReason, VesselId};
use crate::time::EventTime;
use crate::units::SpeedUnit;

/// One message as it arrived, live or out of a recording.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// The topic it was published to.
    pub topic: &'a str,
    /// Its bytes.
    pub payload: &'a [u8],
    /// When it arrived. It stands in for the time of a fix only where a format says so.
    pub received_at: EventTime,
    /// Whether the broker had kept it: it may be days old.
    pub retained: bool,
}

/// What a message, or a part of one, turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoded {
    /// Something to judge or to judge by.
    Observation(Observation),
    /// Recognised, and neither to judge nor a fault: a last will, a battery report. To be counted by this
    /// name, which is `snake_case` and one of few.
    Aside(&'static str),
    /// Not judged, and why. To be counted by its reason.
    Refused(Refusal),
}

/// What is said about a source of messages because they do not say so themselves.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Its topics, with the place of the vessel's id in them.
    pub topic: Option<TopicPattern>,
    /// Whose messages they are where neither topic nor message says so.
    pub vessel: Option<VesselId>,
    /// What the vessels are called here, by the name that topic or message gives them.
    pub ids: BTreeMap<String, VesselId>,
    /// The only vessels for which this source may speak.
    pub only: Option<BTreeSet<VesselId>>,
    /// The unit of its speeds, for formats that leave it open.
    #[serde(deserialize_with = "speed_unit")]
    pub speed_unit: Option<SpeedUnit>,
    /// How many units of its courses make one degree, for formats that leave it open.
    pub course_per_deg: Option<f64>,
    /// Where the values stand in the payload, for formats that leave it open.
    pub fields: Option<FieldMap>,
}

pub(super) fn speed_unit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SpeedUnit>, D::Error> {
    let text = String::deserialize(deserializer)?;
    match SpeedUnit::from_symbol(&text) {
        Some(unit) => Ok(Some(unit)),
        None => Err(serde::de::Error::custom(format!("{text:?} is no unit of speed; known are mph, km/h, kn, m/s"))),
    }
}

impl<'de> Deserialize<'de> for TopicPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(deserializer)?).map_err(|e: TopicPatternError| serde::de::Error::custom(e))
    }
}

/// Why no decoder can be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecoderError {
    /// No format has this name.
    #[error("{name:?} is no decoder; known are {known}", known = names())]
    Unknown {
        /// The name given.
        name: String,
    },
    /// A setting says something about the messages that the format itself fixes.
    #[error("`{setting}` means nothing to the decoder {decoder:?}: leave it out")]
    Unused {
        /// The setting.
        setting: &'static str,
        /// The format.
        decoder: &'static str,
    },
    /// A setting has a value with which nothing can be decoded.
    #[error("`{setting}` is {value}; it should be {should}")]
    Useless {
        /// The setting.
        setting: &'static str,
        /// Its value.
        value: String,
        /// What it should be.
        should: &'static str,
    },
}

fn names() -> String {
    FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
}

/// A format of live messages.
pub struct Format {
    /// What a configuration calls it.
    pub name: &'static str,
    /// Where its messages usually come from, as a [`TopicPattern`].
    pub topic: &'static str,
    /// Whether a message is of this format, by its content and the shape of its topic.
    pub(super) recognise: fn(&Sample<'_>) -> bool,
    /// The settings about the content that it knows.
    pub(super) settings: &'static [&'static str],
    /// A decoder that has heard nothing yet.
    pub(super) build: fn(&Settings) -> Box<dyn Decode>,
}

/// A message to recognise.
pub(super) struct Sample<'a> {
    pub topic: &'a str,
    pub payload: &'a [u8],
    /// What the payload holds, where it is JSON.
    pub json: Option<&'a Value>,
}

impl Sample<'_> {
    /// Whether the payload is an object with all of these keys.
    pub(super) fn has_keys(&self, keys: &[&str]) -> bool {
        self.json.is_some_and(|json| keys.iter().all(|key| json.get(key).is_some()))
    }

    /// Whether a key of the payload holds one of these texts.
    pub(super) fn says(&self, key: &str, texts: &[&str]) -> bool {
        self.json.and_then(|json| json.get(key)?.as_str()).is_some_and(|text| texts.contains(&text))
    }
}

/// Decodes messages of one format. What it keeps between messages is documented by the format, bounded,
/// and a function of the messages alone.
pub(super) trait Decode: Send {
    /// Hands on everything that `message` holds, in order.
    fn decode(&mut self, message: &Message<'_>, speaker: &Speaker<'_>, each: &mut dyn FnMut(Decoded));

    /// Hands on what waits for another message.
    fn finish(&mut self, _each: &mut dyn FnMut(Decoded)) {}
}

/// A format of which every message is one thing and nothing is kept between messages.
struct One<F>(F);

impl<F> Decode for One<F>
where
    F: Fn(&Message<'_>, &Speaker<'_>) -> Result<Decoded, Refusal> + Send,
{
    fn decode(&mut self, message: &Message<'_>, speaker: &Speaker<'_>, each: &mut dyn FnMut(Decoded)) {
        each((self.0)(message, speaker).unwrap_or_else(Decoded::Refused));
    }
}

/// The decoder that a pure function of one message is.
pub(super) fn one(
    decode: impl Fn(&Message<'_>, &Speaker<'_>) -> Result<Decoded, Refusal> + Send + 'static,
) -> Box<dyn Decode> {
    Box::new(One(decode))
}

/// For whom a message may speak.
pub(super) struct Speaker<'a> {
    /// The vessel that the topic names.
    by_topic: Option<VesselId>,
    /// The vessel where nothing else names one.
    otherwise: Option<&'a VesselId>,
    ids: &'a BTreeMap<String, VesselId>,
}

impl Speaker<'_> {
    /// The vessel of a message that calls it `name`, or does not name it.
    ///
    /// # Errors
    /// [`RefusalReason::WrongVessel`] where topic and message name different ones, or nothing names one.
    pub(super) fn vessel(&self, name: Option<&str>) -> Result<VesselId, Refusal> {
        self.known(name.and_then(|name| known_as(self.ids, name)))
    }

    /// The vessel of a message that gives its MMSI.
    ///
    /// # Errors
    /// As [`Speaker::vessel`].
    pub(super) fn station(&self, mmsi: u32) -> Result<VesselId, Refusal> {
        self.vessel(Some(VesselId::from_mmsi(mmsi).as_str()))
    }

    /// The vessel that the topic names.
    pub(super) fn by_topic(&self) -> Option<&VesselId> {
        self.by_topic.as_ref()
    }

    fn known(&self, by_message: Option<VesselId>) -> Result<VesselId, Refusal> {
        match (&self.by_topic, by_message) {
            (Some(topic), Some(message)) if *topic != message => Err(wrong_vessel(format!(
                "the topic names {topic}, the message {message}: a tracker speaks for its own vessel; \
                 `ids` can say that both are one"
            ))),
            (Some(topic), _) => Ok(topic.clone()),
            (None, Some(message)) => Ok(message),
            (None, None) => self.otherwise.cloned().ok_or_else(|| {
                wrong_vessel(
                    "neither topic nor message names a vessel; write `{vessel}` at its place in the source's `topic`, \
                     or say `vessel`",
                )
            }),
        }
    }
}

/// The id of a vessel that another system calls `name`; `None` for an empty name.
fn known_as(ids: &BTreeMap<String, VesselId>, name: &str) -> Option<VesselId> {
    ids.get(name).cloned().or_else(|| VesselId::from_foreign(name))
}

/// A refusal because of whose message it is.
pub(super) fn wrong_vessel(detail: impl Into<String>) -> Refusal {
    Refusal::new(RefusalReason::WrongVessel, detail)
}

/// How far ahead of its arrival a fix may be: clocks that are set over a network are not further apart.
const AHEAD_S_MAX: f64 = 120.0;
/// How much older than its arrival a fix may be. A receiver that has missed a rollover of the GPS week is
/// 1024 weeks back; no tracker keeps a fix for half of that.
const BEHIND_S_MAX: f64 = 512.0 * 7.0 * 86_400.0;

/// Decodes the messages of one source.
pub struct Decoder {
    format: &'static Format,
    settings: Settings,
    state: Box<dyn Decode>,
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("format", &self.format.name).field("settings", &self.settings).finish()
    }
}

impl Decoder {
    /// The decoder called `name`, as in `"owntracks"`.
    ///
    /// # Errors
    /// [`DecoderError`] where there is none, or it has no use for a setting.
    pub fn new(name: &str, settings: Settings) -> Result<Self, DecoderError> {
        let format = FORMATS.iter().find(|format| format.name == name);
        let format = format.ok_or_else(|| DecoderError::Unknown { name: name.to_owned() })?;
        let given = [
            ("speed_unit", settings.speed_unit.is_some()),
            ("course_per_deg", settings.course_per_deg.is_some()),
            ("fields", settings.fields.is_some()),
        ];
        if let Some((setting, _)) = given.iter().find(|(name, is_given)| *is_given && !format.settings.contains(name)) {
            return Err(DecoderError::Unused { setting, decoder: format.name });
        }
        if let Some(per_deg) = settings.course_per_deg.filter(|per_deg| !(per_deg.is_finite() && *per_deg > 0.0)) {
            let should = "the number of units in one degree, such as 100";
            return Err(DecoderError::Useless { setting: "course_per_deg", value: per_deg.to_string(), should });
        }
        if let Some(fields) = &settings.fields {
            fields.check()?;
        }
        Ok(Self { format, state: (format.build)(&settings), settings })
    }

    /// Its format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// Decodes one message: `each` gets all that it holds, in order; a message that holds nothing is an
    /// aside. A fix of the future or of a vessel for which the source may not speak is refused here.
    pub fn decode(&mut self, message: &Message<'_>, mut each: impl FnMut(Decoded)) {
        let named = match &self.settings.topic {
            Some(pattern) => pattern.vessel(message.topic),
            None => Ok(None),
        };
        match named {
            Ok(name) => self.decode_named(message, name.as_deref(), None, &mut each),
            Err(refusal) => each(Decoded::Refused(refusal)),
        }
    }

    /// Hands on what waits for another message to be whole, such as the last fix of NMEA lines. For the end of a
    /// recording and an orderly stop; messages may still follow.
    pub fn finish(&mut self, mut each: impl FnMut(Decoded)) {
        let only = self.settings.only.as_ref();
        self.state.finish(&mut |decoded| match decoded {
            Decoded::Observation(observation) if !may_speak_for(&observation, only) => {
                each(Decoded::Refused(not_listed(&observation)));
            }
            other => each(other),
        });
    }

    /// Decodes a message whose topic calls the vessel `name`, and which is of `otherwise` where nothing
    /// names one.
    fn decode_named(
        &mut self,
        message: &Message<'_>,
        name: Option<&str>,
        otherwise: Option<&VesselId>,
        each: &mut dyn FnMut(Decoded),
    ) {
        let ids = &self.settings.ids;
        let by_topic = name.and_then(|name| known_as(ids, name));
        let speaker = Speaker { by_topic, otherwise: self.settings.vessel.as_ref().or(otherwise), ids };
        let only = self.settings.only.as_ref();
        self.state.decode(message, &speaker, &mut |decoded| match decoded {
            Decoded::Observation(observation) => each(match doubt(&observation, message, only) {
                Some(refusal) => Decoded::Refused(refusal),
                None => Decoded::Observation(observation),
            }),
            other => each(other),
        });
    }
}

/// Why an observation is not taken, whatever format it came in.
fn doubt(observation: &Observation, message: &Message<'_>, only: Option<&BTreeSet<VesselId>>) -> Option<Refusal> {
    if !may_speak_for(observation, only) {
        return Some(not_listed(observation));
    }
    let t = observation.t()?;
    let ahead_s = t.seconds_since(message.received_at);
    if ahead_s > AHEAD_S_MAX {
        let detail = format!("its time {t} is {ahead_s:.0} s after it arrived; check the tracker's clock and ours");
        return Some(Refusal::new(RefusalReason::Future, detail));
    }
    if ahead_s < -BEHIND_S_MAX && matches!(observation, Observation::Fix(..)) {
        let detail = format!("its time {t} is years before it arrived: a receiver that lost count of the GPS weeks");
        return Some(Refusal::new(RefusalReason::NoTime, detail));
    }
    None
}

/// Whether a source that may speak for `only` these vessels may make this observation.
fn may_speak_for(observation: &Observation, only: Option<&BTreeSet<VesselId>>) -> bool {
    only.is_none_or(|only| observation.vessel().is_none_or(|vessel| only.contains(vessel)))
}

/// The refusal of an observation of a vessel that the source may not speak for.
fn not_listed(observation: &Observation) -> Refusal {
    let vessel = observation.vessel().map_or("it", VesselId::as_str);
    wrong_vessel(format!("the source may not speak for {vessel}; those it may are listed in `only`"))
}

/// The name of the format that a message is of, by its content and the shape of its topic.
pub fn sniff(topic: &str, payload: &[u8]) -> Option<&'static str> {
    recognised(topic, payload).map(|format| format.name)
}

fn recognised(topic: &str, payload: &[u8]) -> Option<&'static Format> {
    let json = serde_json::from_slice(payload).ok();
    let sample = Sample { topic, payload, json: json.as_ref() };
    FORMATS.iter().find(|format| (format.recognise)(&sample))
}

/// Decodes the messages of a recording in which many formats may stand side by side, each by what it is
/// recognised as.
///
/// The vessel is the one that the topic names where it has the shape usual for the format, else the one
/// that the message names, else one called like the whole topic.
#[derive(Debug, Default)]
pub struct Sniffer {
    decoders: BTreeMap<&'static str, (Decoder, TopicPattern)>,
}

impl Sniffer {
    /// One that has heard nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Decodes one message; `each` gets all that it holds, in order.
    pub fn decode(&mut self, message: &Message<'_>, mut each: impl FnMut(Decoded)) {
        let Some(format) = recognised(message.topic, message.payload) else {
            let begin = &message.payload[..message.payload.len().min(40)];
            let detail = format!(
                "on topic {:?}: \"{}\" is of no known format; known are {}",
                message.topic,
                begin.escape_ascii(),
                names()
            );
            return each(Decoded::Refused(Refusal::unparsable(detail)));
        };
        let (decoder, pattern) = self.decoders.entry(format.name).or_insert_with(|| {
            let settings = Settings::default();
            let decoder = Decoder { format, state: (format.build)(&settings), settings };
            (decoder, TopicPattern::new(format.topic).expect("the pattern of a format is one"))
        });
        let name = pattern.vessel(message.topic).ok().flatten();
        let otherwise = VesselId::from_foreign(message.topic);
        decoder.decode_named(message, name.as_deref(), otherwise.as_ref(), &mut each);
    }

    /// Hands on what waits for another message; see [`Decoder::finish`].
    pub fn finish(&mut self, mut each: impl FnMut(Decoded)) {
        for (decoder, _) in self.decoders.values_mut() {
            decoder.finish(&mut each);
        }
    }
}
