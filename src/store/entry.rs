//! Entries of the log, and how they are written: what is decoded goes into columns, exactly, bit by bit.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::geo::Position;
use crate::observation::{Fix, Light, NavStatus, Observation, VesselId, WaterwayId};
use crate::time::EventTime;

/// An entry of the ordered log.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Something observed.
    Observation(Observation),
    /// The law of this version is in force from here.
    Law(Arc<str>),
    /// It is at least this late on a waterway, or on none, although nothing more is heard there.
    Clock(Option<WaterwayId>, EventTime),
}

/// Where an observation came from.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The source, as the configuration names it.
    pub source: Arc<str>,
    /// The topic.
    pub topic: Arc<str>,
    /// The message; `None` where an entry before has it.
    pub payload: Option<Arc<[u8]>>,
}

/// Something to be appended.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What it says.
    pub content: Content,
    /// When it was heard, by the clock of the machine.
    pub received_at: EventTime,
    /// From where; `None` for what the daemon itself puts into the log.
    pub origin: Option<Origin>,
}

/// An entry with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// Its position.
    pub position: u64,
    /// What it says.
    pub content: Content,
    /// When it was heard.
    pub received_at: EventTime,
}

/// A message that is no observation.
#[derive(Debug, Clone)]
pub struct Refused {
    /// When it was heard.
    pub received_at: EventTime,
    /// The source, as the configuration names it.
    pub source: Arc<str>,
    /// The topic.
    pub topic: Arc<str>,
    /// What it is counted under.
    pub reason: &'static str,
    /// What stood where, and how to mend it.
    pub detail: String,
    /// The message.
    pub payload: Arc<[u8]>,
}

/// A message that was refused, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// When it was heard.
    pub received_at: EventTime,
    /// The source.
    pub source: String,
    /// The topic.
    pub topic: String,
    /// What it is counted under.
    pub reason: String,
    /// What stood where, and how to mend it.
    pub detail: String,
    /// The message.
    pub payload: Vec<u8>,
}

/// Kinds of entries, as the log writes them; numbers are never given to another kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i64)]
pub(super) enum Kind {
    Fix = 0,
    Activity = 1,
    Profile = 2,
    Mark = 3,
    Conditions = 4,
    Law = 5,
    Clock = 6,
}

/// The decoded columns of an entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Columns {
    pub kind: i64,
    pub about: String,
    pub t_ns: i64,
    pub content: [u8; 16],
    pub numbers: [Option<f64>; 6],
    pub body: Option<Vec<u8>>,
}

/// What a fix has beside its numbers. Fields may be added, with a default.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct FixExtras {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nav_status: Option<NavStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    towed_by: Option<VesselId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lights: Option<Box<[Light]>>,
}

impl FixExtras {
    /// Reads the body of a fix.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(json).map_err(|error| error.to_string())
    }

    /// Adds them to a fix.
    pub fn put_in(self, fix: &mut Fix) {
        let Self { nav_status, towed_by, lights } = self;
        (fix.nav_status, fix.towed_by, fix.lights) = (nav_status, towed_by, lights);
    }
}

/// The layout of bodies; grows with every change of what is observed of anything but fixes.
const BODY_LAYOUT: u8 = 1;

impl Columns {
    pub fn of(content: &Content) -> Result<Self, String> {
        let none = [None; 6];
        let (kind, about, t_ns, numbers, body) = match content {
            Content::Observation(Observation::Fix(vessel, fix)) => {
                let numbers = [
                    Some(fix.position.lat_deg()),
                    Some(fix.position.lon_deg()),
                    fix.sog_mps,
                    fix.cog_deg,
                    fix.heading_deg,
                    fix.accuracy_m,
                ];
                (Kind::Fix, vessel.as_str(), fix.t.unix_ns(), numbers, extras_of(fix)?)
            }
            Content::Observation(Observation::Activity(vessel, activity)) => {
                (Kind::Activity, vessel.as_str(), activity.t.unix_ns(), none, Some(body_of(activity)?))
            }
            Content::Observation(Observation::Profile(vessel, profile)) => {
                let t = profile.t.unwrap_or(EventTime::MIN);
                (Kind::Profile, vessel.as_str(), t.unix_ns(), none, Some(body_of(profile)?))
            }
            Content::Observation(Observation::Mark(mark)) => {
                (Kind::Mark, &*mark.id, mark.t.unix_ns(), none, Some(body_of(mark)?))
            }
            Content::Observation(Observation::Conditions(conditions)) => (
                Kind::Conditions,
                conditions.waterway.as_str(),
                conditions.t.unix_ns(),
                none,
                Some(body_of(conditions)?),
            ),
            Content::Law(version) => (Kind::Law, &**version, 0, none, None),
            Content::Clock(waterway, t) => {
                (Kind::Clock, waterway.as_ref().map_or("", |id| id.as_str()), t.unix_ns(), none, None)
            }
        };
        let content = hash_of(&numbers, body.as_deref());
        Ok(Self { kind: kind as i64, about: about.to_owned(), t_ns, content, numbers, body })
    }

    pub fn into_content(self) -> Result<Content, String> {
        let t = EventTime::from_unix_ns(self.t_ns);
        let vessel = || VesselId::new(&self.about).map_err(|error| error.to_string());
        let body = self.body.as_deref();
        let observation = match self.kind {
            kind if kind == Kind::Fix as i64 => {
                let [Some(lat_deg), Some(lon_deg), sog_mps, cog_deg, heading_deg, accuracy_m] = self.numbers else {
                    return Err("a fix without a position".to_owned());
                };
                let position = Position::from_lat_lon(lat_deg, lon_deg).map_err(|error| error.to_string())?;
                let mut fix = Fix::new(t, position);
                fix.sog_mps = sog_mps;
                fix.cog_deg = cog_deg;
                fix.heading_deg = heading_deg;
                fix.accuracy_m = accuracy_m;
                if let Some(json) = body {
                    FixExtras::read(json)?.put_in(&mut fix);
                }
                Observation::Fix(vessel()?, fix)
            }
            kind if kind == Kind::Activity as i64 => Observation::Activity(vessel()?, read_body(body)?),
            kind if kind == Kind::Profile as i64 => Observation::Profile(vessel()?, read_body(body)?),
            kind if kind == Kind::Mark as i64 => Observation::Mark(read_body(body)?),
            kind if kind == Kind::Conditions as i64 => Observation::Conditions(read_body(body)?),
            kind if kind == Kind::Law as i64 => return Ok(Content::Law(self.about.into())),
            kind if kind == Kind::Clock as i64 => {
                let waterway = (!self.about.is_empty()).then(|| WaterwayId::new(&self.about)).transpose();
                return Ok(Content::Clock(waterway.map_err(|error| error.to_string())?, t));
            }
            other => return Err(format!("kind {other} is not known; a newer Buoyline may have written it")),
        };
        Ok(Content::Observation(observation))
    }
}

fn extras_of(fix: &Fix) -> Result<Option<Vec<u8>>, String> {
    if fix.nav_status.is_none() && fix.towed_by.is_none() && fix.lights.is_none() {
        return Ok(None);
    }
    let Fix { nav_status, towed_by, lights, .. } = fix.clone();
    serde_json::to_vec(&FixExtras { nav_status, towed_by, lights }).map(Some).map_err(|error| error.to_string())
}

fn body_of<T: Serialize>(value: &T) -> Result<Vec<u8>, String> {
    postcard::to_extend(value, vec![BODY_LAYOUT]).map_err(|error| error.to_string())
}

fn read_body<T: DeserializeOwned>(body: Option<&[u8]>) -> Result<T, String> {
    match body {
        Some([BODY_LAYOUT, bytes @ ..]) => postcard::from_bytes(bytes).map_err(|error| error.to_string()),
        Some([layout, ..]) => Err(format!("layout {layout} of its body is not known")),
        Some([]) | None => Err("it has no body".to_owned()),
    }
}

/// The first 16 bytes of the SHA-256 of what was decoded: the same fix from two messages is the same.
fn hash_of(numbers: &[Option<f64>; 6], body: Option<&[u8]>) -> [u8; 16] {
    let mut hash = Sha256::new();
    for number in numbers {
        // Bits, not value: what is absent is no number, and -0 is not 0.
        let bits = number.map_or([0xff; 9], |number| {
            let mut bits = [0; 9];
            bits[1..].copy_from_slice(&number.to_bits().to_le_bytes());
            bits
        });
        hash.update(bits);
    }
    hash.update(body.unwrap_or_default());
    first_16(&hash.finalize())
}

/// The first 16 bytes of the SHA-256 of a message.
pub(super) fn payload_hash(payload: &[u8]) -> [u8; 16] {
    first_16(&Sha256::digest(payload))
}

fn first_16(hash: &[u8]) -> [u8; 16] {
    let mut first = [0; 16];
    first.copy_from_slice(&hash[..16]);
    first
}
