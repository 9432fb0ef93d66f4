//! When a limit holds: by the sun, the clock, the season, or several of them.

use serde::{Deserialize, Serialize};

/// A window of time as a person wrote it. Stand-in until the rulebook's windows are merged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Window(String);

/// Why a text is no window.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no window of time")]
pub struct WindowError(String);

impl Window {
    /// Reads a window.
    ///
    /// # Errors
    /// [`WindowError`] where the text holds nothing.
    pub fn parse(text: &str) -> Result<Self, WindowError> {
        if text.trim().is_empty() { Err(WindowError(text.to_owned())) } else { Ok(Self(text.to_owned())) }
    }
}
