//! The properties of a feature, typed: `date` knows when it is there, `name` what a property may be called.
//!
//! Nothing stops at the first fault: all of a feature are told at once.

mod date;
mod name;

use serde_json::{Map as JsonMap, Value};

use super::map::Validity;
use super::place::Path;
use super::report::Problem;
use super::{Severity, ZoneKind};
use crate::observation::VesselId;
use crate::units::Speed;
use crate::window::Window;

/// What a permit lifts where it does not say.
const LIFTS_DEFAULT: &str = "speed-cap";
/// Limits are seldom below a slow walk or above 100 knots; one that is was likely mistyped.
const LIMIT_MIN_MPS: f64 = 0.3;
const LIMIT_MAX_MPS: f64 = 51.4;

/// The optional properties of a feature, as `zones/README.md` lists them.
#[derive(Debug, Default)]
pub(super) struct Properties {
    pub name: Option<String>,
    pub note: Option<String>,
    pub validity: Validity,
    pub lit: Option<bool>,
    pub line: Option<String>,
    pub order: Option<f64>,
    pub closed: Option<bool>,
    pub speed_limit: Option<Speed>,
    pub hours: Option<Window>,
    pub permit: Option<String>,
    pub vessels: Option<Vec<VesselId>>,
    pub lifts: Vec<String>,
}

/// Reads the properties at `path` of a feature of `kind`; everything that is wrong goes to `tell`. `None` where
/// something of it is an error, without whose mending the feature would mean something else.
pub(super) fn read(
    members: &JsonMap<String, Value>,
    kind: ZoneKind,
    path: &Path,
    tell: &mut dyn FnMut(Problem),
) -> Option<Properties> {
    let mut source = Source { members, path, tell, is_faulty: false };
    let mut found = Properties {
        name: ["name", "seamark:name", "OBJNAM"].into_iter().find_map(|key| source.text(key)),
        note: source.text("note"),
        validity: source.validity(),
        lit: source.yes_no("lit").or_else(|| source.sea_light()),
        closed: source.yes_no("closed"),
        line: source.text("line"),
        order: source.order(),
        speed_limit: source.speed_limit(kind),
        hours: source.hours(),
        permit: source.text("permit"),
        vessels: None,
        lifts: Vec::new(),
    };
    if kind == ZoneKind::PermitArea {
        found.vessels = source.vessels();
        found.lifts = source.list("lifts").unwrap_or_else(|| vec![LIFTS_DEFAULT.to_owned()]);
        if found.vessels.as_ref().is_some_and(Vec::is_empty) && !source.is_faulty {
            let mend = "name the vessels, or leave \"vessels\" out where the permit is for all";
            source.tell(Problem::warning(
                source.at("vessels"),
                "the permit names no vessel, so it lifts nothing",
                mend,
            ));
        }
    }
    for problem in name::strange(members, kind, path) {
        source.tell(problem);
    }
    (!source.is_faulty).then_some(found)
}

struct Source<'s> {
    members: &'s JsonMap<String, Value>,
    path: &'s Path,
    tell: &'s mut dyn FnMut(Problem),
    is_faulty: bool,
}

impl<'s> Source<'s> {
    fn tell(&mut self, problem: Problem) {
        self.is_faulty |= problem.severity == Severity::Error;
        (self.tell)(problem);
    }

    /// A member that is there and not null.
    fn get(&self, key: &str) -> Option<&'s Value> {
        self.members.get(key).filter(|v| !v.is_null())
    }

    fn at(&self, key: &str) -> Path {
        self.path.clone().key(key)
    }

    /// Tells what is wrong with a value, if anything is.
    fn keep<T>(&mut self, read: Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.tell(problem)).ok()
    }

    fn text(&self, key: &str) -> Option<String> {
        self.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    fn yes_no(&mut self, key: &str) -> Option<bool> {
        let value = self.get(key)?;
        if let Value::Bool(is) = value {
            return Some(*is);
        }
        let word = value.as_str().map(str::to_lowercase);
        let is = match word.as_deref() {
            Some("yes" | "true") => true,
            Some("no" | "false") => false,
            _ => {
                let reason = format!("{key} is neither true nor false; it was left out");
                self.tell(Problem::warning(self.at(key), reason, "write true or false, without quotes").value(value));
                return None;
            }
        };
        let reason = format!("{key} is a text; it was read as {is}");
        self.tell(Problem::note(self.at(key), reason, format!("write {is}, without quotes")).value(value));
        Some(is)
    }

    /// A light in the words of OpenStreetMap: `seamark:light:character`, `seamark:light:1:colour`.
    fn sea_light(&self) -> Option<bool> {
        self.members.keys().any(|key| key.starts_with("seamark:light:")).then_some(true)
    }

    fn order(&mut self) -> Option<f64> {
        let value = self.get("order")?;
        let number = value.as_f64().or_else(|| value.as_str().and_then(|t| t.trim().parse().ok()));
        let Some(number) = number.filter(|n| n.is_finite()) else {
            let mend = "number the buoys of a line 1, 2, 3 and so on";
            self.tell(Problem::warning(self.at("order"), "order is not a number; it was left out", mend).value(value));
            return None;
        };
        if value.is_string() {
            let mend = "write the number without quotes";
            self.tell(Problem::note(self.at("order"), "order is a text; it was read as a number", mend).value(value));
        }
        Some(number)
    }

    /// The limit of the zone; OpenStreetMap calls it `maxspeed`.
    fn speed_limit(&mut self, kind: ZoneKind) -> Option<Speed> {
        let key = ["speed_limit", "maxspeed"].into_iter().find(|key| self.get(key).is_some());
        let Some((key, value)) = key.and_then(|key| Some((key, self.get(key)?))) else {
            if kind == ZoneKind::SpeedZone {
                let mend = "add \"speed_limit\" with a unit, as in \"5 mph\"";
                self.tell(Problem::error(self.path.clone(), "the speed zone has no speed_limit", mend));
            }
            return None;
        };
        if key == "maxspeed" && kind != ZoneKind::SpeedZone {
            return None;
        }
        let mend = match key {
            "maxspeed" => "write the unit, as in \"5 mph\"; OpenStreetMap means km/h by a bare number",
            _ => "write it as in \"5 mph\", \"10 km/h\" or \"8 kn\"",
        };
        let fail = |reason: String| Problem::error(self.at(key), reason, mend);
        let read = match value {
            Value::String(text) if is_no_wake(text) => {
                let reason = format!("{text:?} is no speed");
                let mend = "write the speed that your authority means by it, as in \"5 mph\"";
                Err(Problem::error(self.at(key), reason, mend))
            }
            Value::String(text) => text.parse().map_err(|e: crate::units::QuantityError| fail(e.to_string())),
            _ => Err(fail("the speed limit has no unit".to_owned()).value(value)),
        };
        let limit: Option<Speed> = self.keep(read);
        if let Some(limit) = limit {
            let strange = match limit.mps() {
                mps if mps < LIMIT_MIN_MPS => "finds fault with every boat that moves",
                mps if mps > LIMIT_MAX_MPS => "is faster than boats go, so it limits nothing",
                _ => return Some(limit),
            };
            let mend = "correct the number or its unit; what must not be entered at all is no speed zone";
            self.tell(Problem::warning(self.at(key), format!("a speed limit of {limit} {strange}"), mend));
        }
        limit
    }

    fn hours(&mut self) -> Option<Window> {
        let value = self.get("hours")?;
        let mend = "write the hours as the rulebook does, or leave them out for all day";
        let fail = |reason: String| Problem::error(self.at("hours"), reason, mend);
        let read = match value {
            Value::String(text) => {
                // On maps "10:00-18:00" is as usual as the rulebook's "from 10:00 to 18:00".
                let ends =
                    text.split_once(['-', '–']).map(|(from, to)| format!("from {} to {}", from.trim(), to.trim()));
                let window = Window::parse(text);
                let window = window.or_else(|e| ends.and_then(|ends| Window::parse(&ends).ok()).ok_or(e));
                window.map_err(|e| fail(e.to_string()))
            }
            _ => Err(fail("hours is not a text".to_owned()).value(value)),
        };
        self.keep(read)
    }

    fn list(&mut self, key: &str) -> Option<Vec<String>> {
        let value = self.get(key)?;
        let fail = |path: Path, value: &Value| {
            Problem::error(path, format!("{key} is not a list of texts"), format!("write \"{key}\": [\"…\", \"…\"]"))
                .value(value)
        };
        let read = match value {
            Value::String(text) => Ok(vec![text.clone()]),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(i, item)| item.as_str().map(str::to_owned).ok_or_else(|| fail(self.at(key).index(i), item)))
                .collect(),
            _ => Err(fail(self.at(key), value)),
        };
        self.keep(read)
    }

    fn vessels(&mut self) -> Option<Vec<VesselId>> {
        let names = self.list("vessels")?;
        let mut ids = Vec::with_capacity(names.len());
        for (i, name) in names.iter().enumerate() {
            let id = VesselId::new(name).map_err(|error| {
                let mend = "write the id under which the vessel's tracker reports";
                Problem::error(self.at("vessels").index(i), error.to_string(), mend)
            });
            ids.extend(self.keep(id));
        }
        Some(ids)
    }

    fn validity(&mut self) -> Validity {
        let [from, until] = ["valid_from", "valid_until"].map(|key| {
            let value = self.get(key)?;
            let read = date::read(key, value, &self.at(key));
            self.keep(read)
        });
        let read = date::validity(from, until, self.path);
        self.keep(read).unwrap_or_default()
    }
}

/// Whether a limit is given in the words of a sign.
fn is_no_wake(text: &str) -> bool {
    let letters: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    ["nowake", "nowash", "slownowake", "idlespeed", "idle", "wakespeed", "slow"].contains(&letters.as_str())
}
