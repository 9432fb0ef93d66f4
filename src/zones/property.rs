//! The properties of a feature, typed.

use serde_json::{Map as JsonMap, Value};

use super::ZoneKind;
use super::map::Validity;
use super::place::Path;
use super::report::Problem;
use crate::observation::VesselId;
use crate::time::EventTime;
use crate::units::Speed;
use crate::window::Window;

/// What a permit lifts where it does not say.
const LIFTS_DEFAULT: &str = "speed-cap";

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

/// Reads the properties at `path` of a feature of `kind`; warnings go to `warn`.
///
/// # Errors
/// The first [`Problem`] without whose mending the feature would mean something else.
pub(super) fn read(
    members: &JsonMap<String, Value>,
    kind: ZoneKind,
    path: &Path,
    warn: &mut dyn FnMut(Problem),
) -> Result<Properties, Problem> {
    let source = Source { members, path };
    let mut found = Properties {
        name: ["name", "seamark:name", "OBJNAM"].into_iter().find_map(|key| source.text(key)),
        note: source.text("note"),
        validity: source.validity()?,
        line: source.text("line"),
        permit: source.text("permit"),
        ..Properties::default()
    };
    match source.yes_no("lit") {
        Ok(lit) => found.lit = lit,
        Err(problem) => warn(problem),
    }
    match source.yes_no("closed") {
        Ok(closed) => found.closed = closed,
        Err(problem) => warn(problem),
    }
    match source.order() {
        Ok(order) => found.order = order,
        Err(problem) => warn(problem),
    }
    found.speed_limit = source.speed_limit()?;
    if kind == ZoneKind::SpeedZone && found.speed_limit.is_none() {
        let mend = "add \"speed_limit\" with a unit, as in \"5 mph\"";
        return Err(Problem::error(path.clone(), "the speed zone has no speed_limit", mend));
    }
    found.hours = source.hours()?;
    if kind == ZoneKind::PermitArea {
        found.vessels = source.vessels()?;
        found.lifts = source.list("lifts")?.unwrap_or_else(|| vec![LIFTS_DEFAULT.to_owned()]);
        if found.vessels.as_ref().is_some_and(Vec::is_empty) {
            let mend = "name the vessels, or leave \"vessels\" out where the permit is for all";
            warn(Problem::warning(
                path.clone().key("vessels"),
                "the permit names no vessel, so it lifts nothing",
                mend,
            ));
        }
    }
    Ok(found)
}

struct Source<'s> {
    members: &'s JsonMap<String, Value>,
    path: &'s Path,
}

impl Source<'_> {
    /// A member that is there and not null.
    fn get(&self, key: &str) -> Option<&Value> {
        self.members.get(key).filter(|v| !v.is_null())
    }

    fn at(&self, key: &str) -> Path {
        self.path.clone().key(key)
    }

    fn text(&self, key: &str) -> Option<String> {
        self.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    fn yes_no(&self, key: &str) -> Result<Option<bool>, Problem> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value {
            Value::Bool(is) => Ok(Some(*is)),
            _ => match value.as_str() {
                Some("yes" | "true") => Ok(Some(true)),
                Some("no" | "false") => Ok(Some(false)),
                _ => {
                    let reason = format!("{key} is neither true nor false; it was left out");
                    Err(Problem::warning(self.at(key), reason, "write true or false").value(value))
                }
            },
        }
    }

    fn order(&self) -> Result<Option<f64>, Problem> {
        let Some(value) = self.get("order") else { return Ok(None) };
        let number = value.as_f64().or_else(|| value.as_str().and_then(|t| t.trim().parse().ok()));
        match number.filter(|n| n.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => {
                let mend = "number the buoys of a line 1, 2, 3 and so on";
                Err(Problem::warning(self.at("order"), "order is not a number; it was left out", mend).value(value))
            }
        }
    }

    fn speed_limit(&self) -> Result<Option<Speed>, Problem> {
        let Some(value) = self.get("speed_limit") else { return Ok(None) };
        let fail = |reason: String| {
            Problem::error(self.at("speed_limit"), reason, "write it as in \"5 mph\", \"10 km/h\" or \"8 kn\"")
        };
        match value {
            Value::String(text) => text.parse().map(Some).map_err(|e: crate::units::QuantityError| fail(e.to_string())),
            _ => Err(fail("the speed limit has no unit".to_owned()).value(value)),
        }
    }

    fn hours(&self) -> Result<Option<Window>, Problem> {
        let Some(value) = self.get("hours") else { return Ok(None) };
        let fail = |reason: String| {
            Problem::error(
                self.at("hours"),
                reason,
                "write the hours as the rulebook does, or leave them out for all day",
            )
        };
        match value {
            Value::String(text) => {
                // On maps "10:00-18:00" is as usual as the rulebook's "from 10:00 to 18:00".
                let ends =
                    text.split_once(['-', '–']).map(|(from, to)| format!("from {} to {}", from.trim(), to.trim()));
                let window = Window::parse(text);
                let window = window.or_else(|e| ends.and_then(|ends| Window::parse(&ends).ok()).ok_or(e));
                window.map(Some).map_err(|e| fail(e.to_string()))
            }
            _ => Err(fail("hours is not a text".to_owned()).value(value)),
        }
    }

    fn list(&self, key: &str) -> Result<Option<Vec<String>>, Problem> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let fail = |path: Path, value: &Value| {
            Problem::error(path, format!("{key} is not a list of texts"), format!("write \"{key}\": [\"…\", \"…\"]"))
                .value(value)
        };
        match value {
            Value::String(text) => Ok(Some(vec![text.clone()])),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(i, item)| item.as_str().map(str::to_owned).ok_or_else(|| fail(self.at(key).index(i), item)))
                .collect::<Result<_, _>>()
                .map(Some),
            _ => Err(fail(self.at(key), value)),
        }
    }

    fn vessels(&self) -> Result<Option<Vec<VesselId>>, Problem> {
        let Some(names) = self.list("vessels")? else { return Ok(None) };
        let ids = names.iter().enumerate().map(|(i, name)| {
            VesselId::new(name).map_err(|error| {
                let mend = "write the id under which the vessel's tracker reports";
                Problem::error(self.at("vessels").index(i), error.to_string(), mend)
            })
        });
        ids.collect::<Result<_, _>>().map(Some)
    }

    fn validity(&self) -> Result<Validity, Problem> {
        let read = |key: &str| -> Result<Option<Date>, Problem> {
            let Some(value) = self.get(key) else { return Ok(None) };
            let mend = "write RFC 3339 with a zone, as in \"2026-07-04T20:15:00Z\", or MM-DD for every year";
            let fail = |reason: String| Problem::error(self.at(key), reason, mend);
            let text = value.as_str().ok_or_else(|| fail(format!("{key} is not a text")).value(value))?;
            match month_day(text) {
                Some(Ok(day)) => Ok(Some(Date::EveryYear(day))),
                Some(Err(())) => Err(fail(format!("{text:?} is no day of the year"))),
                None => EventTime::parse_rfc3339(text)
                    .map(|t| Some(Date::Once(t)))
                    .map_err(|e| fail(format!("{text:?} is no time: {}", e.reason))),
            }
        };
        match (read("valid_from")?, read("valid_until")?) {
            (None, None) => Ok(Validity::Always),
            (Some(Date::EveryYear(from)), until @ (None | Some(Date::EveryYear(_)))) => {
                let until = if let Some(Date::EveryYear(day)) = until { day } else { (12, 31) };
                Ok(Validity::EveryYear(from, until))
            }
            (None, Some(Date::EveryYear(until))) => Ok(Validity::EveryYear((1, 1), until)),
            (Some(Date::Once(from)), Some(Date::Once(until))) if from > until => {
                let reason = format!("valid_from {from} is after valid_until {until}");
                Err(Problem::error(self.at("valid_from"), reason, "swap or correct the two"))
            }
            (from @ (None | Some(Date::Once(_))), until @ (None | Some(Date::Once(_)))) => {
                let instant = |d: Option<Date>| if let Some(Date::Once(t)) = d { Some(t) } else { None };
                Ok(Validity::Between(instant(from), instant(until)))
            }
            _ => {
                let reason = "one of valid_from and valid_until is an instant, the other a day of every year";
                Err(Problem::error(self.at("valid_until"), reason, "write both the same way"))
            }
        }
    }
}

enum Date {
    Once(EventTime),
    EveryYear((u8, u8)),
}

/// A text of the form `MM-DD`: the day, or `Err` where no year has it.
fn month_day(text: &str) -> Option<Result<(u8, u8), ()>> {
    let &[a, b, b'-', c, d] = text.trim().as_bytes() else { return None };
    if ![a, b, c, d].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (month, day) = ((a - b'0') * 10 + (b - b'0'), (c - b'0') * 10 + (d - b'0'));
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 29,
        _ => 0,
    };
    Some(if (1..=length).contains(&day) { Ok((month, day)) } else { Err(()) })
}
