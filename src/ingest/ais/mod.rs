//! AIS: the messages of ship transponders (ITU-R M.1371-5) become values, and values become observations.
//!
//! | type | what it is | becomes |
//! | --- | --- | --- |
//! | 1, 2, 3 | position of a class A station (table 48) | fix |
//! | 18 | position of a class B station (table 70) | fix |
//! | 19 | the same with name, type and size (table 71) | fix, profile |
//! | 27 | position for long range (table 84) | fix |
//! | 5 | name, type, size and voyage of class A (table 52) | profile |
//! | 24 A, B | name; type and size of class B (tables 80, 81) | profile |
//! | 9 | position of a rescue aircraft (table 58) | counted |
//! | 4, 11 | base station, answer of a mobile one (table 51) | counted |
//! | 21 | aid to navigation (table 74) | counted |
//!
//! A message is decoded in two steps, both pure: [`Payload`] unpacks the characters of its sentences, [`Message`]
//! reads the bits. "Not available" codes end there and become `None`. Messages have one length each (5, 21 and 24
//! may vary within narrow bounds); about one in a hundred that is heard has another, and is refused: a guess at what
//! was cut off or added would be a guess at a position. [`Assembler`] puts messages of several sentences together.
//! How sentences are framed, and when a message was received, is [`super::nmea`]'s to say.
//!
//! Left out: communication state, spare and regional bits, and all other types, which say nothing about where a boat
//! is. They are counted by their type.

mod assemble;
mod fields;
mod message;
mod mmsi;
mod observe;
mod payload;
mod time;

pub use assemble::{Assembler, Key, Part, Whole};
pub use fields::{Dimensions, Timestamp};
pub use message::{
    AidReport, BaseStationReport, Body, Message, PositionKind, PositionReport, StaticReport, StaticReportPart,
};
pub use mmsi::{Mmsi, StationKind};
pub use observe::{nav_status, vessel_class};
pub use payload::{BITS_MAX, Payload};
pub use time::refined;

/// Why bits are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AisFault {
    /// A character that stands for no six bits.
    #[error("character {:?} stands for no bits of an AIS message", char::from(*.0))]
    Character(u8),
    /// More fill bits than a character has, or than there are bits.
    #[error("{0} fill bits are more than can be filled up with; it should be 0 to 5")]
    Fill(u8),
    /// A message that no transponder sends.
    #[error("the message is longer than {BITS_MAX} bits")]
    TooLong,
    /// A message cut off or run together.
    #[error("message {kind} has {bits} bits; it should have {expected}")]
    Length {
        /// The type of the message.
        kind: u8,
        /// How many bits it has.
        bits: usize,
        /// How many it should have.
        expected: &'static str,
    },
}

#[cfg(test)]
mod laws_tests;
