//! Laws that hold for whatever was read, of whatever format.

use std::fmt::Display;
use std::ops::ControlFlow;

use buoyline::ingest::Decoded;
use buoyline::ingest::native::{self, Envelope};
use buoyline::observation::{Observation, Refusal};
use buoyline::replay::{Place, Sink};
use serde_json::Value;

/// How an observation that has to be refused is told, to compare and to see what ran. Its detail is never empty.
pub fn refused(refusal: &Refusal) -> Result<String, String> {
    if refusal.detail.trim().is_empty() {
        return Err(format!("a refusal without a reason: {refusal:?}"));
    }
    if refusal.detail.contains('\0') || refusal.detail.len() > 4000 {
        return Err(format!("a refusal that cannot be printed: {} bytes", refusal.detail.len()));
    }
    Ok(format!("refused, {refusal}"))
}

/// What is accepted is written as a native message and read again as the same.
pub fn accepted(observation: &Observation) -> Result<String, String> {
    let written = native::encode(observation);
    let mut again = Vec::new();
    native::decode(written.as_bytes(), Envelope::default(), |read| again.push(read));
    let broken = |what: &dyn Display| Err(format!("not read again as it was: {what}: {written}"));
    match again.as_slice() {
        [Ok(read)] if read == observation => {}
        [Ok(read)] => {
            // The last place of a number of 16 digits may differ, and of nothing else.
            let (a, b) = (json(&written)?, json(&native::encode(read))?);
            if !is_nearly(&a, &b) {
                return broken(&native::encode(read));
            }
        }
        [Err(refusal)] => return broken(refusal),
        other => return broken(&format!("{} messages", other.len())),
    }
    Ok(keys(&written))
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| format!("not written as JSON: {e}: {text}"))
}

fn is_nearly(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            a == b || (a - b).abs() <= 8.0 * f64::EPSILON * a.abs()
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_nearly(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_nearly(a, b)))
        }
        _ => a == b,
    }
}

/// A message as it is written. Its digits and texts count for nothing where kinds of outcomes are told apart.
fn keys(written: &str) -> String {
    // Keys have to be seen although they are quoted.
    let keys: String = written.split("\":").filter_map(|piece| piece.rsplit('"').next()).collect::<Vec<_>>().join(" ");
    format!("accepted {} {written:?}", keys.split(' ').take(30).collect::<Vec<_>>().join(" "))
}

/// What a message turned out to be, held to the laws.
pub fn decoded(decoded: &Decoded) -> Result<String, String> {
    match decoded {
        Decoded::Observation(observation) => accepted(observation),
        Decoded::Aside(name) => Ok(format!("aside {name}")),
        Decoded::Refused(refusal) => refused(refusal),
    }
}

/// Notes what a recording gives, held to the laws.
#[derive(Default)]
pub struct Notes {
    /// What came, in order, and in which line.
    pub items: Vec<(u64, String)>,
    /// The first law that was broken.
    pub broken: Option<String>,
}

impl Notes {
    fn note(&mut self, place: Place, told: Result<String, String>) {
        match told {
            Ok(text) => self.items.push((place.line, text)),
            Err(law) => self.broken = self.broken.take().or(Some(law)),
        }
    }
}

impl Sink for Notes {
    fn observation(&mut self, place: Place, observation: &Observation) -> ControlFlow<()> {
        self.note(place, accepted(observation));
        ControlFlow::Continue(())
    }

    fn refused(&mut self, place: Place, refusal: Refusal) {
        self.note(place, refused(&refusal));
    }

    fn unused(&mut self, place: Place, what: &dyn Display, is_refused: bool) {
        if !is_refused {
            self.note(place, Ok(format!("unused {what}")));
        }
    }
}
