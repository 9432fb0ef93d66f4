//! Why a line gives no observation, and what a log has to be asked for.

use std::fmt;

use chrono::NaiveDate;

/// What a line, a sentence or a message that gives no observation was. Those that are refused are here as well, finer
/// than by [`crate::observation::RefusalReason`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A sentence that says nothing about where a boat is and how it moves, by its formatter.
    Sentence([u8; 3]),
    /// A proprietary sentence, or one without a formatter.
    Proprietary,
    /// A line that begins with `#`.
    Comment,
    /// A position, course or heading before any time of day.
    WithoutTime,
    /// A position between those with RMC.
    BesideRmc,
    /// An AIS message that is not read, by its type.
    AisType(u8),
    /// A report of a base station.
    BaseStation,
    /// What a coast station says beside that.
    CoastStation,
    /// An aid to navigation.
    AidToNavigation,
    /// A rescue aircraft.
    Aircraft,
    /// A distress beacon: somebody looks for help, not for a speed limit.
    DistressBeacon,
    /// What the own boat's transponder says beside its satellite receiver.
    OwnTransponder,
    /// A part of a message that repeats one.
    RepeatedPart,
    /// No sentence in the line.
    NoSentence,
    /// A sentence without a checksum, or a damaged tag block.
    Damaged,
    /// Another checksum.
    BadChecksum,
    /// A field, or a message's bits, without a meaning.
    Unreadable,
    /// A message of nobody: MMSI 0, or of more than nine digits.
    NoIdentity,
    /// A message whose other parts never came.
    Incomplete,
    /// A report of which nothing says when it was received.
    NoTime,
    /// An epoch or a report without a position that was measured.
    NoPosition,
    /// A second fix of the same time.
    Duplicate,
}

impl fmt::Display for Cause {
    /// The name under which it is counted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Sentence(formatter) => return write!(f, "{}", formatter.escape_ascii()),
            Self::AisType(kind) => return write!(f, "ais_type_{kind}"),
            Self::Proprietary => "proprietary",
            Self::Comment => "comment",
            Self::WithoutTime => "before_any_time",
            Self::BesideRmc => "position_beside_rmc",
            Self::BaseStation => "ais_base_station",
            Self::CoastStation => "ais_coast_station",
            Self::AidToNavigation => "ais_aid_to_navigation",
            Self::Aircraft => "ais_aircraft",
            Self::DistressBeacon => "ais_distress_beacon",
            Self::OwnTransponder => "own_ais_beside_gps",
            Self::RepeatedPart => "repeated_part",
            Self::NoSentence => "no_sentence",
            Self::Damaged => "damaged",
            Self::BadChecksum => "bad_checksum",
            Self::Unreadable => "unreadable",
            Self::NoIdentity => "no_identity",
            Self::Incomplete => "incomplete_message",
            Self::NoTime => "no_time",
            Self::NoPosition => "no_position",
            Self::Duplicate => "duplicate",
        };
        f.write_str(name)
    }
}

/// What a log leaves out and must not be guessed. The text says with which option to say it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Need {
    /// It has times of day and no date.
    #[error(
        "times of day have no date, and no RMC or ZDA says it: say the day of the first one (in UTC) with --date, as in --date 2026-07-04"
    )]
    Date,
    /// Its dates are older than any log is likely to be.
    #[error(
        "the date {0} is of before August 1999, when GPS weeks first came round: such receivers are 1024 weeks behind, \
         or more; say the day of the first time of day (in UTC) with --date, as in --date 2026-07-04"
    )]
    DateOfOldWeeks(NaiveDate),
    /// Times in front of sentences have no date.
    #[error(
        "the times in front of lines, such as {0}, have no date: say that of the first line with --date, as in --date 2026-07-04"
    )]
    LeadDate(String),
    /// Times in front of sentences have no zone.
    #[error(
        "the times in front of lines, such as {0}, have no zone: say it with --utc-offset; many loggers write UTC \
         (--utc-offset=+00:00), others the clock on shore (as in --utc-offset=-07:00)"
    )]
    UtcOffset(String),
    /// Whose the own boat's fixes are.
    #[error("nothing says whose track it is: say it with --track-vessel, as in --track-vessel boat-1")]
    Vessel,
}
