//! A recording read whole into memory, as judging wants it: in order of time, what came too late left out.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::PathBuf;

use super::order::{Log, Sources};
use super::recording::{ReadOptions, RecordingError};
use crate::observation::{Observation, Refusal, RefusalReason};

/// What a recording held.
#[derive(Debug, Default)]
pub struct Whole {
    /// Observations in order of time, each with its position.
    pub observations: Vec<(u64, Observation)>,
    /// Records that gave none, by reason.
    pub refused: BTreeMap<RefusalReason, u64>,
}

/// Reads the bytes of a recording; `name` is that of its file, which may say whose track it is and what format. Fixes
/// that in a log come more than `window_s` seconds behind their vessel are late.
///
/// # Errors
/// [`RecordingError`].
pub fn whole(name: &str, bytes: &[u8], options: &ReadOptions, window_s: f64) -> Result<Whole, RecordingError> {
    // Archives are read from a file, wherever it is.
    let folder = tempfile::tempdir().map_err(RecordingError::Open)?;
    let plain = |c: char| if c.is_alphanumeric() || "._- ".contains(c) { c } else { '_' };
    let name: String = name.rsplit(['/', '\\']).next().unwrap_or_default().chars().take(100).map(plain).collect();
    let name = if name.trim_matches(['.', ' ']).is_empty() { "recording".to_owned() } else { name };
    let path = folder.path().join(name);
    fs::write(&path, bytes).map_err(RecordingError::Open)?;
    let mut gathering = Gathering { whole: Whole::default(), error: None };
    let tracks: [PathBuf; 1] = [path];
    Sources { tracks: &tracks, read: options, from: None, to: None, window_s, stdin: None }.sorted(&mut gathering);
    match gathering.error {
        // What breaks off has been read up to there; what asks for something, not at all.
        Some(error) if gathering.whole.observations.is_empty() || matches!(error, RecordingError::Needs { .. }) => {
            Err(error)
        }
        _ => Ok(gathering.whole),
    }
}

struct Gathering {
    whole: Whole,
    error: Option<RecordingError>,
}

impl Log for Gathering {
    fn observation(&mut self, position: u64, observation: Observation) {
        self.whole.observations.push((position, observation));
    }

    fn refused(&mut self, _: u64, refusal: Refusal) {
        *self.whole.refused.entry(refusal.reason).or_default() += 1;
    }

    fn unused(&mut self, _: &dyn fmt::Display, _: bool) {}

    fn unread(&mut self, _: usize, error: RecordingError) {
        self.error = Some(error);
    }
}
