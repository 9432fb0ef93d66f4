//! Where values stand in payloads whose keys are the user's own.

use serde::Deserialize;
use serde_json::Value;

use super::decoder::DecoderError;
use super::json;
use super::reported::{accuracy_m, angle_deg, position, speed_mps};
use crate::observation::{Fix, Refusal, RefusalReason};
use crate::time::EventTime;
use crate::units::SpeedUnit;

/// JSON pointers (RFC 6901) to the values of a fix in a decoded payload, as in `/gps/lat`.
///
/// Units: degrees; metres; times RFC 3339, or seconds or milliseconds since 1970 (told apart by their size).
/// A speed is only read where its unit is said. Without a map, `latitude` and `longitude` are read, and
/// nothing else: other names are never guessed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FieldMap {
    /// Latitude in degrees.
    pub lat: String,
    /// Longitude in degrees.
    pub lon: String,
    /// Time of the position; else the time at which the network received it.
    pub time: Option<String>,
    /// Speed over ground.
    pub speed: Option<String>,
    /// The unit of the speed.
    #[serde(deserialize_with = "super::decoder::speed_unit")]
    pub speed_unit: Option<SpeedUnit>,
    /// Course over ground in degrees true.
    pub course: Option<String>,
    /// Radius of 68 % confidence in metres.
    pub accuracy: Option<String>,
}

impl Default for FieldMap {
    fn default() -> Self {
        Self {
            lat: "/latitude".to_owned(),
            lon: "/longitude".to_owned(),
            time: None,
            speed: None,
            speed_unit: None,
            course: None,
            accuracy: None,
        }
    }
}

impl FieldMap {
    /// Whether everything in it can be used.
    pub(super) fn check(&self) -> Result<(), DecoderError> {
        let useless =
            |setting, value: &str, should| Err(DecoderError::Useless { setting, value: format!("{value:?}"), should });
        let pointers = [
            ("fields.lat", Some(&self.lat)),
            ("fields.lon", Some(&self.lon)),
            ("fields.time", self.time.as_ref()),
            ("fields.speed", self.speed.as_ref()),
            ("fields.course", self.course.as_ref()),
            ("fields.accuracy", self.accuracy.as_ref()),
        ];
        for (setting, pointer) in pointers {
            if let Some(pointer) = pointer.filter(|pointer| !pointer.starts_with('/')) {
                return useless(setting, pointer, "a JSON pointer, as in \"/gps/lat\"");
            }
        }
        match (&self.speed, self.speed_unit) {
            (Some(_), None) => useless("fields.speed_unit", "", "the unit of the speed: mph, km/h, kn or m/s"),
            (None, Some(_)) => useless("fields.speed", "", "a JSON pointer to the speed, as in \"/gps/speed\""),
            _ => Ok(()),
        }
    }

    /// The fix in `payload`, at `received_at` where it holds no time of its own; `None` where it has no
    /// position at all.
    pub(super) fn fix(&self, payload: &Value, received_at: Option<EventTime>) -> Result<Option<Fix>, Refusal> {
        let number = |pointer: &str| match payload.pointer(pointer).filter(|value| !value.is_null()) {
            None => Ok(None),
            Some(value) => json::number(value).map(Some).ok_or_else(|| {
                Refusal::unparsable(format!("`{pointer}` is {}; it should be a number", json::shown(value)))
            }),
        };
        let maybe = |pointer: &Option<String>| pointer.as_deref().map_or(Ok(None), number);
        let (lat, lon) = (number(&self.lat)?, number(&self.lon)?);
        if lat.is_none() && lon.is_none() {
            return Ok(None);
        }
        let position = position(lat, lon)?;
        let t = match self.time.as_deref().and_then(|pointer| Some((pointer, payload.pointer(pointer)?))) {
            Some((pointer, value)) => time(pointer, value)?,
            None => received_at.ok_or_else(|| {
                Refusal::new(RefusalReason::NoTime, "neither the payload nor the network gives a time")
            })?,
        };
        let unit = self.speed_unit.unwrap_or(SpeedUnit::Mps);
        let mut fix = Fix::new(t, position);
        fix.sog_mps = speed_mps(maybe(&self.speed)?, unit);
        fix.cog_deg = angle_deg(maybe(&self.course)?);
        fix.accuracy_m = accuracy_m(maybe(&self.accuracy)?);
        Ok(Some(fix))
    }
}

/// The time that a value of any usual form is.
fn time(pointer: &str, value: &Value) -> Result<EventTime, Refusal> {
    let written = value.as_str().and_then(json::written_time);
    let counted = || json::counted_time(json::number(value)?);
    written.or_else(counted).ok_or_else(|| {
        let shown = json::shown(value);
        let should = "a time with its zone, or seconds or milliseconds since 1970";
        Refusal::new(RefusalReason::NoTime, format!("`{pointer}` is {shown}; it should be {should}"))
    })
}
