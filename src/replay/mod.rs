//! Recorded tracks: files of several formats become the same observations as live messages.

mod container;
pub mod driver;
mod formats;
pub mod recording;

pub use formats::FORMATS;
pub use recording::{Format, Place, ReadOptions, Recording, RecordingError, Sink};
