//! Where people look on and say what they know: what the console is given of the daemon.
//!
//! What is stated here goes through the same inbox into the same log as a message of a tracker, with who said it, so
//! it is judged live and replayed alike.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::board::Board;
use super::pulse::Pulse;
use super::work::{Said, Work};
use crate::observation::Observation;
use crate::time::EventTime;

/// How long a statement may wait to be stored and judged before who made it is told to try again.
const STATE_WITHIN: Duration = Duration::from_secs(10);

/// What is served over HTTP beside health, metrics and posted messages; or why that cannot be.
pub type Pages = Result<Router, String>;

/// No pages.
///
/// # Errors
/// None; it has the shape of what makes pages.
pub fn no_pages(_: Desk) -> Pages {
    Ok(Router::new())
}

/// What was stated has not been stored and judged, or it is not known whether it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it was not stored in time; look whether it is in force, else try again")]
pub struct NotStored;

/// A place beside the keeper. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Desk {
    board: Board,
    inbox: flume::Sender<Work>,
    store: PathBuf,
    sources: Arc<[String]>,
    stops: watch::Receiver<bool>,
    clock: fn() -> EventTime,
}

impl Desk {
    pub(super) fn new(
        board: Board,
        inbox: flume::Sender<Work>,
        store: PathBuf,
        sources: Arc<[String]>,
        stops: watch::Receiver<bool>,
        clock: fn() -> EventTime,
    ) -> Self {
        Self { board, inbox, store, sources, stops, clock }
    }

    /// What is known right now.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The file of the store.
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// The clock of the machine.
    pub fn now(&self) -> EventTime {
        (self.clock)()
    }

    /// What has been counted and measured.
    pub fn pulse(&self) -> Pulse {
        Pulse::of(self.board.meter(), &self.sources)
    }

    /// Puts a statement into the log, under the name of who made it; returns when it is stored and judged.
    ///
    /// # Errors
    /// [`NotStored`].
    pub async fn state(&self, observation: Observation, by: &str) -> Result<(), NotStored> {
        let (done, is_done) = oneshot::channel();
        let said = Said { observation, by: by.into(), received_at: self.now(), done };
        let stored = async { self.inbox.send_async(Work::Said(said)).await.is_ok() && is_done.await.is_ok() };
        if timeout(STATE_WITHIN, stored).await.unwrap_or(false) { Ok(()) } else { Err(NotStored) }
    }

    /// Returns when the daemon stops.
    pub async fn stopped(&self) {
        super::stopped(&mut self.stops.clone()).await;
    }
}
