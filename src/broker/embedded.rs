//! The embedded broker: mqtt5 behind [`Broker`].

use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mqtt5::broker::auth::{AuthProvider, AuthResult};
use mqtt5::broker::config::{BrokerConfig, StorageBackend, StorageConfig};
use mqtt5::broker::events::{BrokerEventHandler, ClientPublishEvent, PublishAction};
use mqtt5::broker::server::BrokerShutdownHandle;
use mqtt5::broker::{MqttBroker, auth};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::{Access, Broker, Intake, Published};

/// The largest packet, bytes.
const PACKET_BYTES_MAX: usize = 1 << 20;
/// How many clients may be connected.
const CLIENTS_MAX: usize = 10_000;
/// Messages that wait for one subscriber that is away.
const QUEUED_MAX: usize = 500_000;
/// How long a session waits for its client.
const SESSION_KEPT: Duration = Duration::from_secs(7 * 86_400);
/// How long a stop may take.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// How the broker runs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it listens; port 0 for a free one.
    pub listen: SocketAddr,
    /// Who may do what.
    pub access: Access,
    /// Where retained messages and sessions are kept; `None` for memory.
    pub folder: Option<PathBuf>,
}

/// Why the broker does not run.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// It cannot listen there, or its folder cannot be used.
    #[error("the embedded broker cannot start on {listen}: {reason}; is another broker running there?")]
    Start {
        /// Where.
        listen: SocketAddr,
        /// What mqtt5 says.
        reason: String,
    },
}

/// A running broker.
pub struct Embedded {
    address: SocketAddr,
    shutdown: BrokerShutdownHandle,
    running: Mutex<Option<JoinHandle<()>>>,
    refusals: Arc<AtomicU64>,
}

impl Embedded {
    /// Starts a broker; it accepts clients when this returns.
    ///
    /// # Errors
    /// [`BrokerError`].
    pub async fn start(settings: Settings, intake: Arc<dyn Intake>) -> Result<Self, BrokerError> {
        let listen = settings.listen;
        let fail = |error: mqtt5::MqttError| BrokerError::Start { listen, reason: error.to_string() };
        let refusals = Arc::new(AtomicU64::new(0));
        let storage = StorageConfig {
            backend: if settings.folder.is_some() { StorageBackend::File } else { StorageBackend::Memory },
            base_dir: settings.folder.unwrap_or_default(),
            max_queued_messages_per_client: QUEUED_MAX,
            ..StorageConfig::default()
        };
        // mqtt5's defaults bind all interfaces, keep files in the working folder and take packets of 256 MiB.
        let config = BrokerConfig {
            bind_addresses: vec![listen],
            max_clients: CLIENTS_MAX,
            session_expiry_interval: SESSION_KEPT,
            max_packet_size: PACKET_BYTES_MAX,
            storage_config: storage,
            sys_topics_enabled: false,
            event_handler: Some(Arc::new(Doorkeeper { intake })),
            ..BrokerConfig::default()
        };
        let guard = Guard { access: settings.access, refusals: refusals.clone() };
        let mut broker = MqttBroker::with_config(config).await.map_err(fail)?.with_auth_provider(Arc::new(guard));
        let address = broker.local_addr().unwrap_or(listen);
        let shutdown = broker.shutdown_handle();
        let mut ready = broker.ready_receiver();
        let running = tokio::spawn(async move {
            if let Err(error) = broker.run().await {
                tracing::error!(%error, "the embedded broker has ended");
            }
        });
        if ready.wait_for(|is_ready| *is_ready).await.is_err() {
            return Err(BrokerError::Start { listen, reason: "it ended at once".to_owned() });
        }
        Ok(Self { address, shutdown, running: Mutex::new(Some(running)), refusals })
    }
}

impl Broker for Embedded {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn refusals(&self) -> u64 {
        self.refusals.load(Ordering::Relaxed)
    }

    fn stop(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {
            self.shutdown.shutdown();
            let running = self.running.lock().await.take();
            if let Some(running) = running
                && tokio::time::timeout(STOP_WITHIN, running).await.is_err()
            {
                tracing::warn!("the embedded broker did not end in time");
            }
        })
    }
}

/// Offers each message to the daemon before it is acknowledged.
struct Doorkeeper {
    intake: Arc<dyn Intake>,
}

impl BrokerEventHandler for Doorkeeper {
    fn on_client_publish<'a>(
        &'a self,
        event: ClientPublishEvent,
    ) -> Pin<Box<dyn Future<Output = PublishAction> + Send + 'a>> {
        Box::pin(async move {
            let message =
                Published { topic: event.topic, payload: event.payload, qos: event.qos as u8, retain: event.retain };
            if !self.intake.take(message).await {
                // Not stored, so it must not be acknowledged: the client sends it again when the daemon is back.
                std::future::pending::<()>().await;
            }
            PublishAction::Continue
        })
    }
}

/// Asks [`Access`].
struct Guard {
    access: Access,
    refusals: Arc<AtomicU64>,
}

impl Guard {
    fn refuse(&self) {
        self.refusals.fetch_add(1, Ordering::Relaxed);
    }
}

impl AuthProvider for Guard {
    fn authenticate<'a>(
        &'a self,
        connect: &'a mqtt5::packet::connect::ConnectPacket,
        client: SocketAddr,
    ) -> Pin<Box<dyn Future<Output = mqtt5::Result<AuthResult>> + Send + 'a>> {
        Box::pin(async move {
            let user = connect.username.as_deref();
            if self.access.admits(user, connect.password.as_deref()) {
                return Ok(user.map_or_else(AuthResult::success, AuthResult::success_with_user));
            }
            self.refuse();
            tracing::warn!(%client, user, "refused a client: user name or password are wrong or missing");
            let code = mqtt5::protocol::v5::reason_codes::ReasonCode::BadUsernameOrPassword;
            Ok(auth::AuthResult::fail_with_reason(code, "user name or password are wrong or missing"))
        })
    }

    fn authorize_publish<'a>(
        &'a self,
        client_id: &str,
        user: Option<&'a str>,
        topic: &'a str,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        let may = self.access.may_publish(user, topic);
        if !may {
            self.refuse();
            tracing::warn!(client_id, user, topic, "refused a message: it may not be published there by this user");
        }
        Box::pin(async move { may })
    }

    fn authorize_subscribe<'a>(
        &'a self,
        _client_id: &str,
        user: Option<&'a str>,
        _filter: &'a str,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        let may = self.access.may_subscribe(user);
        if !may {
            self.refuse();
        }
        Box::pin(async move { may })
    }
}
