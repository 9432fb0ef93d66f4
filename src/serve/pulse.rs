//! What has been counted and measured so far, for those who look on without Prometheus.

use super::meter::{Meter, Queue, Source};
use crate::time::EventTime;

/// What has been counted and measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Pulse {
    /// By source.
    pub sources: Vec<SourcePulse>,
    /// What waits in queues, by name.
    pub queues: Vec<(&'static str, i64)>,
    /// Bytes of the store.
    pub store_bytes: i64,
    /// The last entry of the log.
    pub position: i64,
    /// Attempts to write to the store that failed.
    pub store_errors: u64,
    /// Vessels that the judge knows.
    pub vessels: i64,
}

/// What has been counted of a source since the daemon started.
#[derive(Debug, Clone, PartialEq)]
pub struct SourcePulse {
    /// Its name.
    pub name: String,
    /// Messages that arrived.
    pub messages: u64,
    /// Observations that were stored.
    pub stored: u64,
    /// Observations that were in the log already.
    pub repeated: u64,
    /// Messages that a full queue dropped.
    pub dropped: u64,
    /// When the last message arrived.
    pub last_message_at: Option<EventTime>,
    /// The usual time between messages, seconds; `None` before the second one.
    pub usual_interval_s: Option<f64>,
}

impl Pulse {
    pub(super) fn of(meter: &Meter, sources: &[String]) -> Self {
        let of_source = |name: &String| {
            let label = Source { source: name.clone() };
            let last_s = meter.last_message.get_or_create(&label).get();
            SourcePulse {
                name: name.clone(),
                messages: meter.messages.get_or_create(&label).get(),
                stored: meter.stored.get_or_create(&label).get(),
                repeated: meter.repeated.get_or_create(&label).get(),
                dropped: meter.dropped.get_or_create(&label).get(),
                usual_interval_s: Some(meter.message_interval.get_or_create(&label).get()).filter(|s| *s > 0.0),
                last_message_at: (last_s > 0.0).then(|| EventTime::from_unix_ms((last_s * 1e3) as i64)),
            }
        };
        let queue = |queue: &'static str| (queue, meter.queued.get_or_create(&Queue { queue }).get());
        Self {
            sources: sources.iter().map(of_source).collect(),
            queues: ["inbox", "outbox"].map(queue).to_vec(),
            store_bytes: meter.store_bytes.get(),
            position: meter.position.get(),
            store_errors: meter.store_errors.get(),
            vessels: meter.vessels.get(),
        }
    }
}
