//! Bytes of one message become observations or a refusal; one file a format.
//!
//! Decoders are given bytes, never sockets or paths, and are pure: the same message gives the same
//! observation, live or replayed. "Not available" codes end here and become `None`; a value without a
//! meaning refuses its message with the key, the value and the mend, and is counted by its reason.

pub mod ais;
pub mod native;
pub mod nmea;
mod reported;

pub use reported::{accuracy_m, angle_deg, position, speed_mps};
