//! What is counted, for Prometheus.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// Of a source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Source {
    /// Its name.
    pub source: String,
}

/// Of a source, for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Because {
    /// The source's name; empty where it is not known.
    pub source: String,
    /// The reason.
    pub reason: String,
}

/// Of a queue.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Queue {
    /// Its name.
    pub queue: &'static str,
}

/// Of a version in force.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Version {
    /// Of the map.
    pub map: String,
    /// Of the rulebook.
    pub rulebook: String,
}

/// Of findings.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct Rule {
    /// The rule.
    pub rule: &'static str,
    /// Where the finding stands.
    pub status: &'static str,
}

/// A gauge of a number that is not whole.
pub type Float = Gauge<f64, AtomicU64>;

/// All that is counted. One daemon has one; nothing is global.
#[derive(Debug)]
pub struct Meter {
    registry: Registry,
    /// Messages that arrived.
    pub messages: Family<Source, Counter>,
    /// Observations that were stored, without repetitions.
    pub stored: Family<Source, Counter>,
    /// Observations that were in the log already.
    pub repeated: Family<Source, Counter>,
    /// What was refused.
    pub refused: Family<Because, Counter>,
    /// What was recognised and is no observation.
    pub asides: Family<Because, Counter>,
    /// Messages that a full queue dropped.
    pub dropped: Family<Source, Counter>,
    /// Fixes that were judged.
    pub accepted: Counter,
    /// Revisions of findings that were made.
    pub findings: Family<Rule, Counter>,
    /// Revisions that the store has with other contents.
    pub differing: Counter,
    /// Connections that were lost, or not made.
    pub connection_errors: Family<Source, Counter>,
    /// Whether a connection stands.
    pub connected: Family<Source, Gauge>,
    /// When the last message arrived, Unix time.
    pub last_message: Family<Source, Float>,
    /// The usual time between messages.
    pub message_interval: Family<Source, Float>,
    /// What waits in queues.
    pub queued: Family<Queue, Gauge>,
    /// From the arrival of a message to its receipt.
    pub stored_after: Histogram,
    /// From the arrival of a message to the finding it led to.
    pub found_after: Histogram,
    /// What the broker inside has refused.
    pub broker_refusals: Gauge,
    /// The law in force: 1 for it, and since when.
    pub law: Family<Version, Float>,
    /// Changes of map or rulebook that were refused since the last good one.
    pub law_faults: Gauge,
    /// Vessels that are known.
    pub vessels: Gauge,
    /// Bytes of the store.
    pub store_bytes: Gauge,
    /// The last entry of the log.
    pub position: Gauge,
    /// Attempts to write to the store that failed.
    pub store_errors: Counter,
}

impl Meter {
    /// All at zero.
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("buoyline");
        let seconds = || Histogram::new(exponential_buckets(0.000_5, 2.0, 16));
        let meter = Self {
            messages: Family::default(),
            stored: Family::default(),
            repeated: Family::default(),
            refused: Family::default(),
            asides: Family::default(),
            dropped: Family::default(),
            accepted: Counter::default(),
            findings: Family::default(),
            differing: Counter::default(),
            connection_errors: Family::default(),
            connected: Family::default(),
            last_message: Family::default(),
            message_interval: Family::default(),
            queued: Family::default(),
            stored_after: seconds(),
            found_after: seconds(),
            broker_refusals: Gauge::default(),
            law: Family::default(),
            law_faults: Gauge::default(),
            vessels: Gauge::default(),
            store_bytes: Gauge::default(),
            position: Gauge::default(),
            store_errors: Counter::default(),
            registry: Registry::default(),
        };
        let r = &mut registry;
        r.register("messages", "Messages that arrived", meter.messages.clone());
        r.register("observations_stored", "Observations stored, each once", meter.stored.clone());
        r.register("observations_repeated", "Observations that were in the log already", meter.repeated.clone());
        r.register("refused", "Messages and fixes that were refused, by reason", meter.refused.clone());
        r.register("asides", "Messages that were recognised and are no observation", meter.asides.clone());
        r.register("messages_dropped", "QoS 0 messages that a full inbox dropped", meter.dropped.clone());
        r.register("fixes_accepted", "Fixes that were judged", meter.accepted.clone());
        r.register("finding_revisions", "Revisions of findings, by rule and status", meter.findings.clone());
        r.register("finding_conflicts", "Revisions the store has with other contents", meter.differing.clone());
        r.register("connection_errors", "Connections lost or not made", meter.connection_errors.clone());
        r.register("connected", "Whether the connection stands", meter.connected.clone());
        r.register_with_unit("last_message", "When the last message came", Unit::Seconds, meter.last_message.clone());
        let interval = meter.message_interval.clone();
        r.register_with_unit("message_interval", "Usual time between messages", Unit::Seconds, interval);
        r.register("queue_length", "What waits", meter.queued.clone());
        r.register_with_unit("stored_after", "Arrival to receipt", Unit::Seconds, meter.stored_after.clone());
        r.register_with_unit("found_after", "Arrival to finding", Unit::Seconds, meter.found_after.clone());
        r.register("broker_refusals", "Connections and messages the broker refused", meter.broker_refusals.clone());
        r.register_with_unit("law_since", "Since when the law is in force", Unit::Seconds, meter.law.clone());
        r.register("law_faults", "Refused changes since the last good one", meter.law_faults.clone());
        r.register("vessels", "Vessels known", meter.vessels.clone());
        r.register_with_unit("store", "Size of the store", Unit::Bytes, meter.store_bytes.clone());
        r.register("log_position", "Last entry of the log", meter.position.clone());
        r.register("store_errors", "Failed attempts to write to the store", meter.store_errors.clone());
        Self { registry, ..meter }
    }

    /// Goes on from counts that outlived a restart, as (name, label, value).
    pub fn resume(&self, counts: &[(String, String, u64)]) {
        for (name, label, value) in counts {
            match name.as_str() {
                "accepted" => {
                    self.accepted.inc_by(*value);
                }
                "refused" => {
                    let (source, reason) = label.split_once('/').unwrap_or(("", label));
                    let because = Because { source: source.to_owned(), reason: reason.to_owned() };
                    self.refused.get_or_create(&because).inc_by(*value);
                }
                _ => {}
            }
        }
    }

    /// All of it in the text format of Prometheus.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}
