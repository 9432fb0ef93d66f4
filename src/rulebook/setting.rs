//! Values that a rulebook can hold, each read from TOML with its own message where it will not do.

use chrono::NaiveDate;
use chrono_tz::Tz;
use toml::de::DeValue;

use super::fault::nearest;
use super::section::Entry;
use crate::observation::{VesselClass, Weather};
use crate::time::EventTime;
use crate::units::{Acceleration, Angle, Length, LengthUnit, Speed, SpeedUnit, TimeSpan};
use crate::window::Window;
use crate::zones::{KindSet, ZoneKind};

/// A value that can be taken from a [`super::Section`].
pub trait Setting: Sized {
    /// How one is written, for messages.
    fn example() -> String;
    /// Reads it, or notes on the entry why that cannot be done.
    fn read(entry: &Entry<'_>) -> Option<Self>;
}

/// A share of a whole, or a probability, from 0 to 1: written `0.5` or `"50 %"`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Share(f64);

impl Share {
    /// The share of `ratio`, held between 0 and 1.
    pub const fn of(ratio: f64) -> Self {
        Self(ratio.clamp(0.0, 1.0))
    }
    /// The number from 0 to 1.
    pub const fn ratio(self) -> f64 {
        self.0
    }
}

/// A number without a unit.
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix()).ok().map(|n| n as f64),
        DeValue::Float(x) => x.as_str().parse().ok(),
        _ => None,
    }
}

macro_rules! quantities {
    ($( $name:ident = $example:literal ),+) => { $(
        impl Setting for $name {
            fn example() -> String {
                concat!("\"", $example, "\"").to_owned()
            }
            fn read(entry: &Entry<'_>) -> Option<Self> {
                let text = match entry.value() {
                    DeValue::String(text) => text.as_ref(),
                    DeValue::Integer(_) | DeValue::Float(_) => {
                        entry.fault(concat!("a bare number has no unit; write it as in \"", $example, "\""));
                        return None;
                    }
                    _ => {
                        entry.fault(concat!("should be a number with its unit, as in \"", $example, "\""));
                        return None;
                    }
                };
                text.parse().map_err(|e: crate::units::QuantityError| entry.fault(format!("no {}: {}", e.what, e.reason))).ok()
            }
        }
    )+ };
}

quantities!(Speed = "5 mph", Length = "50 ft", TimeSpan = "30 min", Acceleration = "1.0 m/s2", Angle = "45 deg");

impl Setting for String {
    fn example() -> String {
        "\"…\"".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        let text = entry.text()?;
        if text.trim().is_empty() {
            entry.fault("the text is empty");
            return None;
        }
        Some(text.trim().to_owned())
    }
}

impl Setting for bool {
    fn example() -> String {
        "true".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        let value = entry.value().as_bool();
        if value.is_none() {
            entry.fault("should be true or false, without quotes");
        }
        value
    }
}

impl Setting for u32 {
    fn example() -> String {
        "3".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        let value = match entry.value() {
            DeValue::Integer(n) => Self::from_str_radix(n.as_str(), n.radix()).ok(),
            _ => None,
        };
        if value.is_none() {
            entry.fault("should be a whole number of zero or more, without quotes");
        }
        value
    }
}

impl Setting for Share {
    fn example() -> String {
        "0.5".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        let ratio = match entry.value() {
            DeValue::String(text) => {
                text.trim().strip_suffix('%').and_then(|percent| percent.trim().parse::<f64>().ok()).map(|p| p / 100.0)
            }
            value => number(value),
        };
        let share = ratio.filter(|ratio| (0.0..=1.0).contains(ratio)).map(Self);
        if share.is_none() {
            entry.fault("should be a number from 0 to 1, or a percentage as in \"50 %\"");
        }
        share
    }
}

impl Setting for Window {
    fn example() -> String {
        "\"from sunset to sunrise\"".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        Self::parse(entry.text()?).map_err(|e| entry.fault(format!("no window: {}", e.reason))).ok()
    }
}

impl Setting for Tz {
    fn example() -> String {
        "\"America/Los_Angeles\"".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        let zone = entry.text()?.parse().ok();
        if zone.is_none() {
            entry.fault("unknown time zone; write its IANA name, as in \"America/Los_Angeles\"");
        }
        zone
    }
}

impl Setting for NaiveDate {
    fn example() -> String {
        "1992-06-08".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        let date = match entry.value() {
            DeValue::String(text) => text.trim().parse().ok(),
            // A TOML date comes checked from its parser.
            DeValue::Datetime(when) if when.time.is_none() => {
                when.date.and_then(|d| Self::from_ymd_opt(d.year.into(), d.month.into(), d.day.into()))
            }
            _ => None,
        };
        if date.is_none() {
            entry.fault("no date; write year, month and day, as in 1992-06-08");
        }
        date
    }
}

impl Setting for EventTime {
    fn example() -> String {
        "2026-07-04T20:15:00Z".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        let text = match entry.value() {
            DeValue::String(text) => text.to_string(),
            DeValue::Datetime(when) => when.to_string(),
            _ => String::new(),
        };
        let time = Self::parse_rfc3339(&text).ok();
        if time.is_none() {
            entry.fault("no time; write date, time and zone, as in 2026-07-04T20:15:00Z");
        }
        time
    }
}

impl<T: Setting> Setting for Vec<T> {
    fn example() -> String {
        format!("[{}]", T::example())
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        let items = entry.items();
        if items.is_empty() && entry.value().is_array() {
            entry.fault("the list is empty");
        }
        let (all, wanted): (Self, _) = (items.iter().filter_map(T::read).collect(), items.len());
        (wanted > 0 && all.len() == wanted).then_some(all)
    }
}

/// Reads a name of a list that somebody else keeps.
fn named<T>(entry: &Entry<'_>, what: &str, known: &[&str], find: impl Fn(&str) -> Option<T>) -> Option<T> {
    let text = entry.text()?;
    let found = find(text);
    if found.is_none() {
        entry.fault(format!("unknown {what}; {}", nearest(text, known)));
    }
    found
}

/// Settings that are one of a few names.
macro_rules! names {
    ($( $name:ident, $what:literal: $( $text:literal = $value:expr ),+ ; )+) => { $(
        impl Setting for $name {
            fn example() -> String {
                let known = [$( $text ),+];
                format!("\"{}\"", known[0])
            }
            fn read(entry: &Entry<'_>) -> Option<Self> {
                named(entry, $what, &[$( $text ),+], |text| match text { $( $text => Some($value), )+ _ => None })
            }
        }
    )+ };
}

names! {
    VesselClass, "class of vessel":
        "motorboat" = Self::Motorboat, "pwc" = Self::Pwc, "sailboat" = Self::Sailboat,
        "nonmotorized" = Self::Nonmotorized, "commercial" = Self::Commercial, "patrol" = Self::Patrol;
    Weather, "weather":
        "fog" = Self::Fog, "mist" = Self::Mist, "snow" = Self::Snow, "heavy_rain" = Self::HeavyRain, "clear" = Self::Clear;
    SpeedUnit, "unit of speed":
        "mph" = Self::Mph, "km/h" = Self::Kmh, "kn" = Self::Kn, "m/s" = Self::Mps;
    LengthUnit, "unit of length":
        "ft" = Self::Ft, "m" = Self::M, "yd" = Self::Yd;
}

impl Setting for ZoneKind {
    fn example() -> String {
        "\"dock\"".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        let known: Vec<_> = Self::ALL.iter().map(|kind| kind.as_str()).collect();
        named(entry, "kind of feature", &known, Self::from_name)
    }
}

impl Setting for KindSet {
    fn example() -> String {
        Vec::<ZoneKind>::example()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        Vec::<ZoneKind>::read(entry).map(|kinds| kinds.into_iter().collect())
    }
}
