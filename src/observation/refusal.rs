//! Input that is not judged, and why.
//!
//! A refusal is a counted value, never a lost message: silence about a vessel has to be told apart
//! from a clean record.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a message is not judged, under the names that the summary counts it by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalReason {
    /// It cannot be read, or a value in it has no meaning.
    Unparsable,
    /// It has no position.
    NoPosition,
    /// Its position is none: out of range, AIS 91/181, exactly 0/0.
    BadPosition,
    /// It has no time, or what stands there is none.
    NoTime,
    /// Its time lies in the future of the clock or, in a recording, days after the fixes around it.
    Future,
    /// It is an impossible jump.
    Implausible,
    /// Its vessel and time have been seen.
    Duplicate,
    /// It is older than the reorder window.
    Late,
    /// It lies outside every waterway.
    OffWater,
    /// It names a vessel for which its topic or source may not speak.
    WrongVessel,
}

impl RefusalReason {
    /// All reasons, in the order in which they are listed outside.
    pub const ALL: &'static [Self] = &[
        Self::Unparsable,
        Self::NoPosition,
        Self::BadPosition,
        Self::NoTime,
        Self::Future,
        Self::Implausible,
        Self::Duplicate,
        Self::Late,
        Self::OffWater,
        Self::WrongVessel,
    ];

    /// The reason as the summary writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unparsable => "unparsable",
            Self::NoPosition => "no_position",
            Self::BadPosition => "bad_position",
            Self::NoTime => "no_time",
            Self::Future => "future",
            Self::Implausible => "implausible",
            Self::Duplicate => "duplicate",
            Self::Late => "late",
            Self::OffWater => "off_water",
            Self::WrongVessel => "wrong_vessel",
        }
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One message that is not judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// What it is counted under.
    pub reason: RefusalReason,
    /// What stood where, and how to mend it.
    pub detail: String,
}

impl Refusal {
    /// A refusal for `reason` with its detail.
    pub fn new(reason: RefusalReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }

    /// What cannot be read.
    pub fn unparsable(detail: impl Into<String>) -> Self {
        Self::new(RefusalReason::Unparsable, detail)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_summary() {
        for reason in RefusalReason::ALL {
            let json = serde_json::to_string(reason).expect("a name");
            assert_eq!(json, format!("\"{reason}\""));
        }
    }
}
