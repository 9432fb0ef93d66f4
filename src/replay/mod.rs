//! Recorded tracks: files of several formats become the same observations as live messages.

mod classes;
mod container;
pub mod convert;
pub mod driver;
mod formats;
pub(crate) mod kept;
mod order;
pub mod player;
pub mod recording;
mod strays;
mod whole;

pub use classes::Classes;
pub use formats::FORMATS;
pub use recording::{Format, Place, ReadOptions, Recording, RecordingError, Sink};
pub use strays::Strays;
pub use whole::{Whole, whole};
