//! Bytes of one message become observations or a refusal; one file a format.
//!
//! Decoders are given bytes, never sockets or paths, and are pure: the same messages give the same
//! observations, live or replayed. "Not available" codes end here and become `None`; a value without a
//! meaning refuses its message with the key, the value and the mend, and is counted by its reason. What is
//! recognised and no position (a last will, a battery report) is an aside, counted by its name.
//!
//! [`Decoder`] decodes the messages of one source by the format that its configuration names; [`Sniffer`]
//! those of a recording, by what they look like. A format is a file here and a line in [`FORMATS`].

pub mod ais;
mod ais_catcher;
pub mod ais_codes;
mod ais_json;
mod chirpstack;
mod decoder;
mod digitraffic;
mod field_map;
mod gpsd;
pub mod http;
mod json;
mod meshtastic;
pub mod native;
pub mod nmea;
mod nmea_lines;
mod owntracks;
mod reported;
mod signalk;
mod the_things_stack;
mod topic;
mod traccar;

pub use decoder::{Decoded, Decoder, DecoderError, Format, Message, Settings, Sniffer, sniff};
pub use field_map::FieldMap;
pub use reported::{accuracy_m, accuracy_of_hdop_m, angle_deg, position, speed_mps};
pub use topic::{TopicPattern, TopicPatternError};

/// All formats of live messages; the first that recognises a message decodes it where nobody says which.
pub static FORMATS: &[Format] = &[
    native::FORMAT,
    owntracks::FORMAT,
    nmea_lines::FORMAT,
    ais_catcher::FORMAT,
    signalk::FORMAT,
    traccar::FORMAT,
    meshtastic::FORMAT,
    chirpstack::FORMAT,
    the_things_stack::FORMAT,
    digitraffic::FORMAT,
    gpsd::FORMAT,
];
