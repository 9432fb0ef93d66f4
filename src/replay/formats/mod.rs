//! Formats of recordings, one file a format.
//!
//! A reader streams: what it holds does not grow with the recording. It hands every record on, as an
//! observation or as a refusal with its line, and guesses neither time zones nor units.

mod ndjson;

use super::recording::Format;

/// All formats; the first that recognises a recording reads it.
pub static FORMATS: &[Format] = &[ndjson::FORMAT];
