//! NMEA 0183: lines of a log or a live feed become fixes of the own boat and of the vessels heard by AIS.
//!
//! ```text
//! line ── frame ──▶ sentence ┬─ gnss ──▶ epoch ──▶ fix of the own boat
//!                            └─ ais ──▶ message ──▶ fix or profile of a vessel heard
//! ```
//!
//! [`Reader`] takes line after line and keeps what goes from one to the next: the epoch that is open, the date, parts
//! of messages, the log's clock. What it keeps is bounded, whatever comes. Reading is pure: no clock is asked, the
//! same lines give the same observations.
//!
//! # Whose fixes
//!
//! Sentences of a satellite receiver (RMC, GGA, GLL) are the own boat's, called as [`Settings::vessel`] says. AIS
//! messages are of the vessel whose MMSI they carry, called by its nine digits, whether heard (VDM) or of the own
//! transponder (VDO). Where a log has both the own receiver and the own transponder (VDO of talker `AI`), they are one
//! boat: what the transponder says of its position is left out while the receiver has one, and is the own boat's
//! where it has none.
//!
//! # When
//!
//! A fix of the own receiver is of its own time and date (`epoch` says how dates are found). An AIS report
//! carries the second of its minute and needs to be told the minute ([`super::ais::refined`]). When it was received
//! is, the first of these that there is:
//!
//! 1. `c:` of the tag block of its first part,
//! 2. the `$PGHP` line before it,
//! 3. a number of seconds since 1970 after the checksum,
//! 4. a time in front of it,
//! 5. `received`, which the caller of [`Reader::line`] says,
//! 6. the newest time of the own receiver or of another line, up to 1000 lines back.
//!
//! What has none of these is refused for want of a time. Base stations (type 4) also send the time, but some are a
//! day off, and they are not asked.

mod calendar;
mod cause;
mod epoch;
mod frame;
mod gnss;
mod messages;
mod reader;
mod stamp;
mod vessels;

pub use cause::{Cause, Need};
pub use frame::{Frame, FrameFault, Frames, Group, TagBlock};
pub use gnss::{Said, Sentence};
pub use messages::{Messages, Taken};
pub use reader::{Entry, Reader, Settings};
pub(in crate::ingest) use vessels::Vessels;

#[cfg(test)]
mod reader_tests;
