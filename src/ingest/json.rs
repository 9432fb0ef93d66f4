//! JSON of other systems, read key by key.
//!
//! A key that is absent or null is `None`. A number may stand as a string, as older clients write it. What
//! is neither refuses the message with the key's whole path, the value and what it should be.

use serde_json::{Map, Value};

use super::reported::position;
use crate::geo::Position;
use crate::observation::{Refusal, RefusalReason};
use crate::time::EventTime;

/// The value that `payload` holds.
pub(super) fn parse(payload: &[u8]) -> Result<Value, Refusal> {
    let text = std::str::from_utf8(payload)
        .map_err(|e| Refusal::unparsable(format!("no UTF-8 after byte {}", e.valid_up_to())))?;
    serde_json::from_str(text).map_err(|e| Refusal::unparsable(format!("no JSON: {e}")))
}

/// A JSON object and where in the message it stands.
#[derive(Debug, Clone)]
pub(super) struct Object<'a> {
    keys: &'a Map<String, Value>,
    /// What stands before its keys in an error text: nothing, or as in `position.attributes.`.
    inside: String,
}

impl<'a> Object<'a> {
    /// The object that a whole message is.
    pub(super) fn message(value: &'a Value) -> Result<Self, Refusal> {
        match value {
            Value::Object(keys) => Ok(Self { keys, inside: String::new() }),
            other => Err(Refusal::unparsable(format!("{} is no message: it should be a JSON object", shown(other)))),
        }
    }

    /// The value of a key, unless it is absent or null.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.keys.get(key).filter(|value| !value.is_null())
    }

    /// Whether a key is there with a value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The object of a key.
    pub(super) fn object(&self, key: &str) -> Result<Option<Self>, Refusal> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Object(keys)) => Ok(Some(Self { keys, inside: format!("{}{key}.", self.inside) })),
            Some(_) => Err(self.fault(key, "an object")),
        }
    }

    /// The text of a key. Empty is as good as absent.
    pub(super) fn text(&self, key: &str, what: &str) -> Result<Option<&'a str>, Refusal> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.trim().is_empty())),
            Some(_) => Err(self.fault(key, &format!("a string: {what}"))),
        }
    }

    /// The number of a key, which may stand as a string; `what` is its unit and an example.
    pub(super) fn number(&self, key: &str, what: &str) -> Result<Option<f64>, Refusal> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => number(value).map(Some).ok_or_else(|| self.fault(key, &format!("a number of {what}"))),
        }
    }

    /// The whole number of zero or more of a key; `what` says which.
    pub(super) fn count(&self, key: &str, what: &str) -> Result<Option<u32>, Refusal> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let whole = number(value).filter(|number| f64::from(*number as u32) == *number);
        whole.map(|number| Some(number as u32)).ok_or_else(|| self.fault(key, &format!("a whole number: {what}")))
    }

    /// The position of two keys that hold degrees times `per_deg`.
    ///
    /// # Errors
    /// As [`position`], and where one is no number.
    pub(super) fn position(&self, lat_key: &str, lon_key: &str, per_deg: f64) -> Result<Position, Refusal> {
        let degrees = |key: &str| match self.number(key, "degrees")? {
            Some(scaled) => Ok(scaled / per_deg),
            None => {
                let detail = format!("`{}{key}` is missing or null", self.inside);
                Err(Refusal::new(RefusalReason::NoPosition, detail))
            }
        };
        position(Some(degrees(lat_key)?), Some(degrees(lon_key)?))
    }

    /// The truth of a key.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, Refusal> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(self.fault(key, "true or false")),
        }
    }

    /// The RFC 3339 time of a key, also with a zone written `+0000`.
    pub(super) fn time(&self, key: &str) -> Result<Option<EventTime>, Refusal> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => match written_time(text) {
                Some(t) => Ok(Some(t)),
                None => Err(self.no_time(key, "a time with its zone, as in \"2026-07-04T20:15:03.250Z\"")),
            },
            Some(_) => Err(self.no_time(key, "a string such as \"2026-07-04T20:15:03.250Z\"")),
        }
    }

    /// The time of a key in seconds since 1970, fractions to the millisecond.
    pub(super) fn epoch_s(&self, key: &str) -> Result<Option<EventTime>, Refusal> {
        self.epoch(key, 1000.0, "seconds since 1970, such as 1796022001")
    }

    /// The time of a key in milliseconds since 1970.
    pub(super) fn epoch_ms(&self, key: &str) -> Result<Option<EventTime>, Refusal> {
        self.epoch(key, 1.0, "milliseconds since 1970, such as 1796022001400")
    }

    fn epoch(&self, key: &str, unit_ms: f64, should: &str) -> Result<Option<EventTime>, Refusal> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let ms = number(value).map(|value| value * unit_ms).filter(|ms| is_of_this_age(*ms));
        match ms {
            Some(ms) => Ok(Some(EventTime::from_unix_ms(ms.round() as i64))),
            None => Err(self.no_time(key, should)),
        }
    }

    /// The refusal of a key whose value is not as it should be.
    pub(super) fn fault(&self, key: &str, should: &str) -> Refusal {
        Refusal::unparsable(self.fault_text(key, should))
    }

    fn no_time(&self, key: &str, should: &str) -> Refusal {
        Refusal::new(RefusalReason::NoTime, self.fault_text(key, should))
    }

    fn fault_text(&self, key: &str, should: &str) -> String {
        let value = self.keys.get(key).map_or_else(|| "missing".to_owned(), shown);
        format!("`{}{key}` is {value}; it should be {should}", self.inside)
    }

    /// What is missing without a time.
    pub(super) fn time_missing(&self, key: &str) -> Refusal {
        let detail = format!("`{}{key}` is missing or null; it should be the time of the position", self.inside);
        Refusal::new(RefusalReason::NoTime, detail)
    }
}

/// A finite number, or one written as a string.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
    .filter(|number: &f64| number.is_finite())
}

/// An RFC 3339 time, or one with its zone written `+0000` as some Java libraries do.
pub(super) fn written_time(text: &str) -> Option<EventTime> {
    EventTime::parse_rfc3339(text).ok().or_else(|| {
        let t = chrono::DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z").ok()?;
        EventTime::from_chrono(t.to_utc())
    })
}

/// Whether milliseconds since 1970 lie in the years 2000 to 2099: seconds taken for milliseconds, or the
/// other way round, do not.
fn is_of_this_age(unix_ms: f64) -> bool {
    (946_684_800_000.0..4_102_444_800_000.0).contains(&unix_ms)
}

/// The time that a number of seconds or milliseconds since 1970 is, told apart by its size.
pub(super) fn counted_time(number: f64) -> Option<EventTime> {
    let ms = [number * 1000.0, number].into_iter().find(|ms| is_of_this_age(*ms))?;
    Some(EventTime::from_unix_ms(ms.round() as i64))
}

/// A value for an error text, cut where it is long.
pub(super) fn shown(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}
