//! What the keeper is brought, and who waits for it to be safe.

use std::sync::Arc;

use bytes::Bytes;
use rumqttc::Publish;
use tokio::sync::{mpsc, oneshot};

use super::calendar::Coming;
use crate::observation::Observation;
use crate::rulebook::Rulebook;
use crate::store::Law;
use crate::time::EventTime;
use crate::zones::Map;

/// Something for the keeper to do.
#[derive(Debug)]
pub(super) enum Work {
    /// A message arrived.
    Arrival(Arrival),
    /// Somebody at the desk says something.
    Said(Said),
    /// These letters have been published.
    Published(Vec<i64>),
    /// The files changed, and this is in order.
    Law(Law, Arc<Map>, Arc<Rulebook>),
    /// What is published for a later day, in the order in which it comes.
    Coming(Vec<Coming>),
    /// It is time to end.
    Stop,
}

/// A message that arrived.
#[derive(Debug)]
pub(super) struct Arrival {
    /// The place of its source in the list.
    pub source: usize,
    /// Its topic.
    pub topic: Arc<str>,
    /// Its bytes.
    pub payload: Bytes,
    /// Whether the broker had kept it.
    pub retained: bool,
    /// When it arrived.
    pub received_at: EventTime,
    /// Who waits for it to be safe.
    pub receipt: Receipt,
}

/// What somebody at the desk says.
#[derive(Debug)]
pub(super) struct Said {
    /// What it comes to.
    pub observation: Observation,
    /// Who said it, as the topic of the entry.
    pub by: Arc<str>,
    /// When.
    pub received_at: EventTime,
    /// Told when it is stored and judged.
    pub done: oneshot::Sender<()>,
}

/// Who waits for a message to be safe.
#[derive(Debug)]
pub(super) enum Receipt {
    /// Nobody.
    None,
    /// The broker of a source, on a connection that may have gone since.
    Ack { connection: u64, publish: Box<Publish>, to: mpsc::Sender<(u64, Publish)> },
    /// The broker inside, before it acknowledges the message itself.
    Waiting(oneshot::Sender<()>),
}

impl Receipt {
    /// Says that it is.
    pub fn give(self) {
        match self {
            Self::None => {}
            // Where there is no room the broker sends it again, and it is known then.
            Self::Ack { connection, publish, to } => drop(to.try_send((connection, *publish))),
            // Whoever waited may have gone.
            Self::Waiting(waiting) => drop(waiting.send(())),
        }
    }
}
