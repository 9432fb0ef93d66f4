//! The broker inside the program, so that one command works with nothing else installed.
//!
//! A [`Broker`] takes what trackers publish, offers it to an [`Intake`] before it acknowledges it, and hands it on to
//! whoever subscribed. It is an adapter that can be exchanged: nothing but `embedded` knows which one it is. A busy or
//! exposed site runs an outside broker instead (`config/mosquitto/`), which is one more connection to the daemon.
//!
//! Chosen by measurement: mqtt5 authenticates, grants publishing topic by topic, delivers all retained messages,
//! refuses with a reason and can be stopped; rumqttd does none of these. It is young, so its version is pinned.

mod access;
mod embedded;
mod tls;

pub use access::{Access, matches};
pub use embedded::{BrokerError, Embedded, Settings};
pub use tls::{Tls, TlsError, pass_on};

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;

/// A message that a client publishes.
#[derive(Debug, Clone)]
pub struct Published {
    /// The topic.
    pub topic: Arc<str>,
    /// The message.
    pub payload: Bytes,
    /// Its quality of service: 0, 1 or 2.
    pub qos: u8,
    /// Whether the broker keeps it for those who subscribe later.
    pub retain: bool,
}

/// Takes messages before the broker acknowledges them.
pub trait Intake: Send + Sync {
    /// Returns when the message is safe, or is none that is taken; whether the broker may acknowledge it.
    fn take(&self, message: Published) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;
}

/// A broker that runs.
pub trait Broker: Send + Sync {
    /// Where it listens.
    fn address(&self) -> SocketAddr;
    /// How many connections and messages it has refused.
    fn refusals(&self) -> u64;
    /// Ends it: clients are disconnected.
    fn stop(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}
