//! The daemon: messages in, stored, judged, acknowledged; findings out.
//!
//! ```text
//! embedded broker ─┐                    ┌─ receipts ─▶ acks, in order
//! source (MQTT) ───┤
//! post (HTTP) ─────┼─ inbox ─▶ keeper ──┼─ outbox ───▶ publisher ─▶ broker
//! desk (people) ───┤          │         │
//! watch (files) ───┤          │         └─ board ────▶ states, console, health
//! calendar ────────┘          │
//!                             └─ store, judge
//! ```
//!
//! The *keeper* is one thread. It takes what has come in, appends it to the log in one transaction, gives the
//! receipts, has the *judge* see the new entries in the order of the log, and keeps the findings. Nothing else writes
//! to the log, so there is one order, and what is judged live is judged the same from the log. What people state at
//! the *desk* goes the same way. Maps that are published for a later day are made ready by the *calendar* before it.
//!
//! What always holds:
//!
//! - A message is acknowledged when it is durably stored, or durably set aside, and not before.
//! - A finding is in the store before it is published, and stays in the outbox until a broker has acknowledged it.
//! - No task that polls a connection waits for anything but that connection and room in the inbox.
//! - Every queue is bounded and has a name; what a full one drops (QoS 0 only) is counted.

mod again;
mod board;
mod calendar;
mod client;
mod desk;
mod http;
mod judge;
mod keeper;
mod meter;
mod play;
mod post;
mod publisher;
mod pulse;
mod rejudge;
mod source;
mod start;
mod states;
mod tally;
mod watch;
mod work;

pub use again::{Again, judge_again};
pub use board::{Board, InForce, Opened, OpenedLimit, VesselState};
pub use calendar::{Coming, Foreseen, VersionOf, foresee};
pub use client::{ClientError, Endpoint};
pub use desk::{Desk, NotStored, Pages, no_pages};
pub use judge::{Judge, JudgeError, Judged, RefusedFix};
pub use play::{PlayError, Player};
pub use pulse::{Pulse, SourcePulse};
pub use rejudge::{Amended, rejudge};
pub use start::{Running, ServeError, start, start_with};
pub use tally::Share;
pub use watch::read as read_law;

/// Messages that wait to be stored.
const INBOX: usize = 50_000;
/// Messages that are stored in one transaction at most.
const BATCH: usize = 2_000;
/// Acknowledgements that wait for their connection: as many as can have been taken in.
const ACKS: usize = INBOX + BATCH;
/// Requests that wait inside the MQTT client.
const REQUESTS: usize = 1_000;
/// Findings on their way to the broker at a time.
const LETTERS: usize = 200;
/// Findings that a listener (the terminal, the console) may fall behind before it misses some.
const LISTENERS: usize = 4_096;
/// The largest packet that is taken, bytes.
const PACKET_BYTES_MAX: usize = 1 << 20;

/// Returns when the daemon stops, or whoever could say so has gone.
async fn stopped(stop: &mut tokio::sync::watch::Receiver<bool>) {
    let _ = stop.wait_for(|stops| *stops).await;
}
