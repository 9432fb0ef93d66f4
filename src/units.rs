//! Speeds, lengths and spans of time with their units: `"5 mph"` to a value and back.
//!
//! The only place with conversion factors. Inside Buoyline every bare `f64` is in metres, metres per
//! second, seconds or degrees and says so in its name; the unit a person wrote is kept beside the
//! value so that texts can answer in it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Metres in one international foot.
pub const FOOT_M: f64 = 0.3048;
/// Metres in one international yard.
pub const YARD_M: f64 = 0.9144;
/// Metres in one statute mile.
pub const MILE_M: f64 = 1609.344;
/// Metres in one nautical mile.
pub const NAUTICAL_MILE_M: f64 = 1852.0;
/// Metres per second in one statute mile per hour (1609.344 m / 3600 s, exact).
pub const MPH_MPS: f64 = 0.44704;
/// Metres per second in one knot.
pub const KNOT_MPS: f64 = 1852.0 / 3600.0;
/// Metres per second in one kilometre per hour.
pub const KMH_MPS: f64 = 1.0 / 3.6;

/// Why a text is no quantity: what stood there, what was wrong, what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{value:?} is no {what}: {reason}")]
pub struct QuantityError {
    /// The text as found.
    pub value: String,
    /// What was expected: `speed`, `length` or `span of time`.
    pub what: &'static str,
    /// What is wrong and how to mend it.
    pub reason: String,
}

/// Splits `"5 mph"` or `"5mph"` into its number and unit.
fn split<'t>(text: &'t str, what: &'static str, example: &str) -> Result<(f64, &'t str), QuantityError> {
    let fail = |reason: String| QuantityError { value: text.to_owned(), what, reason };
    let trimmed = text.trim();
    let end = trimmed.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-'))).unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(end);
    let value: f64 = number.parse().map_err(|_| fail(format!("it should start with a number, as in \"{example}\"")))?;
    if !value.is_finite() || value < 0.0 {
        return Err(fail("the number should be zero or more".to_owned()));
    }
    let unit = unit.trim();
    if unit.is_empty() {
        return Err(fail(format!("a bare number has no unit; write it as in \"{example}\"")));
    }
    Ok((value, unit))
}

/// Defines a quantity: a value with the unit it was written in.
macro_rules! quantity {
    (
        $(#[$meta:meta])* $name:ident in $unit_name:ident, $what:literal, $example:literal, $si:ident,
        $( $(#[$unit_meta:meta])* $variant:ident = $factor:expr, $symbol:literal $(| $alias:literal)* ; )+
    ) => {
        #[doc = concat!("A unit of ", $what, ".")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $unit_name { $( $(#[$unit_meta])* $variant, )+ }

        impl $unit_name {
            /// SI units in one of this unit.
            pub const fn factor(self) -> f64 { match self { $( Self::$variant => $factor, )+ } }
            /// The symbol people write.
            pub const fn symbol(self) -> &'static str { match self { $( Self::$variant => $symbol, )+ } }
            /// The unit written as `text`, ignoring case.
            pub fn from_symbol(text: &str) -> Option<Self> {
                let lower = text.to_ascii_lowercase();
                match lower.as_str() { $( $symbol $(| $alias)* => Some(Self::$variant), )+ _ => None }
            }
            const SYMBOLS: &'static [&'static str] = &[$( $symbol ),+];
        }

        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name { value: f64, unit: $unit_name }

        impl $name {
            /// The quantity of `value` in `unit`.
            pub const fn new(value: f64, unit: $unit_name) -> Self { Self { value, unit } }
            /// The value in SI units.
            pub const fn $si(self) -> f64 { self.value * self.unit.factor() }
            /// The unit it was written in.
            pub const fn unit(self) -> $unit_name { self.unit }
            /// The number as written, in [`Self::unit`].
            pub const fn value(self) -> f64 { self.value }
        }

        impl FromStr for $name {
            type Err = QuantityError;
            fn from_str(text: &str) -> Result<Self, QuantityError> {
                let (value, unit) = split(text, $what, $example)?;
                match $unit_name::from_symbol(unit) {
                    Some(unit) => Ok(Self { value, unit }),
                    None => Err(QuantityError {
                        value: text.to_owned(),
                        what: $what,
                        reason: format!("unknown unit {unit:?}; known are {}", $unit_name::SYMBOLS.join(", ")),
                    }),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = QuantityError;
            fn try_from(text: String) -> Result<Self, QuantityError> { text.parse() }
        }
        impl From<$name> for String { fn from(q: $name) -> Self { q.to_string() } }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{} {}", self.value, self.unit.symbol()) }
        }
    };
}

quantity! {
    /// A speed over ground. Inside: [`Speed::mps`].
    Speed in SpeedUnit, "speed", "5 mph", mps,
    /// Statute miles per hour.
    Mph = MPH_MPS, "mph" | "mi/h";
    /// Kilometres per hour.
    Kmh = KMH_MPS, "km/h" | "kmh" | "kph" | "kmph";
    /// Knots.
    Kn = KNOT_MPS, "kn" | "kt" | "kts" | "knot" | "knots";
    /// Metres per second.
    Mps = 1.0, "m/s" | "mps";
}

quantity! {
    /// A distance. Inside: [`Length::m`].
    Length in LengthUnit, "length", "50 ft", m,
    /// International feet.
    Ft = FOOT_M, "ft" | "feet" | "foot";
    /// Metres.
    M = 1.0, "m" | "metre" | "metres" | "meter" | "meters";
    /// International yards.
    Yd = YARD_M, "yd" | "yds" | "yard" | "yards";
    /// Kilometres.
    Km = 1000.0, "km";
    /// Statute miles.
    Mi = MILE_M, "mi" | "mile" | "miles";
    /// Nautical miles.
    Nmi = NAUTICAL_MILE_M, "nmi" | "nm";
}

quantity! {
    /// A span of time. Inside: [`TimeSpan::s`].
    TimeSpan in TimeUnit, "span of time", "30 min", s,
    /// Seconds.
    S = 1.0, "s" | "sec" | "second" | "seconds";
    /// Minutes.
    Min = 60.0, "min" | "minute" | "minutes";
    /// Hours.
    H = 3600.0, "h" | "hour" | "hours";
    /// Days of 24 hours.
    D = 86_400.0, "d" | "day" | "days";
}

quantity! {
    /// An acceleration. Inside: [`Acceleration::mps2`].
    Acceleration in AccelerationUnit, "acceleration", "1.0 m/s2", mps2,
    /// Metres per second squared.
    Mps2 = 1.0, "m/s2" | "m/s²" | "m/s^2";
}

quantity! {
    /// An angle. Inside: [`Angle::deg`].
    Angle in AngleUnit, "angle", "45 deg", deg,
    /// Degrees.
    Deg = 1.0, "deg" | "°" | "degree" | "degrees";
}

impl SpeedUnit {
    /// The value of a speed in this unit.
    pub fn of_mps(self, mps: f64) -> f64 {
        mps / self.factor()
    }
}

impl LengthUnit {
    /// The value of a length in this unit.
    pub fn of_m(self, m: f64) -> f64 {
        m / self.factor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_quantities_become_si() {
        assert_eq!("5 mph".parse::<Speed>().expect("speed").mps(), 2.2352);
        assert_eq!("50 ft".parse::<Length>().expect("length").m(), 15.24);
        assert_eq!("8 kn".parse::<Speed>().expect("speed").mps(), 8.0 * KNOT_MPS);
        assert_eq!("10km/h".parse::<Speed>().expect("speed").mps(), 10.0 * KMH_MPS);
        assert_eq!("30 min".parse::<TimeSpan>().expect("span").s(), 1800.0);
        assert_eq!("45°".parse::<Angle>().expect("angle").deg(), 45.0);
    }

    #[test]
    fn a_bare_number_is_refused_with_the_mend() {
        let error = "5".parse::<Speed>().expect_err("no unit").to_string();
        assert_eq!(error, "\"5\" is no speed: a bare number has no unit; write it as in \"5 mph\"");
        let error = "5 ft".parse::<Speed>().expect_err("a length").to_string();
        assert_eq!(error, "\"5 ft\" is no speed: unknown unit \"ft\"; known are mph, km/h, kn, m/s");
        assert!("fast".parse::<Speed>().is_err());
        assert!("-3 mph".parse::<Speed>().is_err());
    }

    #[test]
    fn what_is_read_is_written_back() {
        for text in ["5 mph", "10 km/h", "0.5 kn", "3 m/s"] {
            assert_eq!(text.parse::<Speed>().expect("speed").to_string(), text);
        }
    }
}
