//! Puts the daemon together, and takes it apart again.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rumqttc::QoS;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, oneshot, watch};
use tokio::task::JoinHandle;

use super::board::{Board, InForce};
use super::client::{ClientError, Endpoint};
use super::desk::{Desk, Pages, no_pages};
use super::judge::{Judge, JudgeError};
use super::keeper::{Keeper, Listening, Terms};
use super::post::{Letterbox, Letterboxes};
use super::publisher::Publisher;
use super::source::Source;
use super::work::{Arrival, Receipt, Work};
use super::{INBOX, calendar, http, watch as law_watch};
use crate::broker::{self, Access, Broker, BrokerError, Embedded, Intake, Published, Settings, Tls, TlsError};
use crate::config::{Config, Durable, EMBEDDED, HTTP, Secret};
use crate::store::{Content, Entry, Log, Retention, Sqlite, StoreError, Sync};
use crate::time::EventTime;

/// Of the states of the judge one an hour stays, so that any period can be judged again.
const CHECKPOINTS_KEPT_S: f64 = 3_600.0;
/// How long tasks may take to end.
const STOP_WITHIN: Duration = Duration::from_secs(5);
/// How often the write-ahead log of the store is moved.
const MOVE_LOG_EVERY: Duration = Duration::from_millis(500);
/// The daemon's own user at the broker inside.
const DAEMON: &str = "buoyline-daemon";

/// Why the daemon cannot start, or had to end.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Map or rulebook are not in order, and there are none from before.
    #[error("map or rulebook: {0}")]
    Law(String),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log cannot be judged.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// The broker inside.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// TLS before the broker inside.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Another broker.
    #[error("broker {name:?}: {source}")]
    Client {
        /// Which.
        name: String,
        /// What is wrong.
        source: ClientError,
    },
    /// The address for health and metrics is not free.
    #[error("http.listen: {listen}: {source}")]
    Http {
        /// Where.
        listen: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// A source or a secret.
    #[error("{0}")]
    Config(String),
    /// The keeper ended by a fault of this program.
    #[error("the thread that stores and judges has ended unexpectedly")]
    Keeper,
}

/// A daemon that runs.
pub struct Running {
    board: Board,
    broker: Option<Arc<Embedded>>,
    tls: Option<SocketAddr>,
    http: Option<SocketAddr>,
    inbox: flume::Sender<Work>,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
    keeper: Mutex<Option<JoinHandle<Result<(), ServeError>>>>,
}

/// Starts a daemon without pages; when this returns, it takes messages.
///
/// # Errors
/// [`ServeError`].
pub async fn start(config: &Config) -> Result<Running, ServeError> {
    start_with(config, no_pages).await
}

/// Starts a daemon; `pages` makes what it serves over HTTP beside health, metrics and posted messages.
///
/// # Errors
/// [`ServeError`].
pub async fn start_with(config: &Config, pages: impl FnOnce(Desk) -> Pages) -> Result<Running, ServeError> {
    // Two providers of cryptography in one program make TLS panic when first used; this is the only one.
    let _ = rustls::crypto::ring::default_provider().install_default();

    let (store, judge) = open(config)?;
    let counts = store.counts()?;
    let counted_to = counts.iter().find(|(name, ..)| name == "counted_to").map_or(0, |(_, _, value)| *value);
    let board = Board::new(InForce {
        version: judge.law().clone(),
        map: judge.map().clone(),
        rulebook: judge.rulebook().clone(),
        since: now(),
        fault: None,
    });

    board.meter().resume(&counts);

    let (inbox, work) = flume::bounded(INBOX);
    // What is due has to be known before the first message.
    let law = store.law_at(u64::MAX)?.map_or_else(|| judge.law().to_string(), |(_, version)| version);
    let foreseen = calendar::of_store(&store, &law)?;
    board.set_coming_faults(foreseen.faults);
    // It has room for that.
    let _ = inbox.try_send(Work::Coming(foreseen.coming));
    let (stop, stops) = watch::channel(false);
    let mut listening = Vec::new();
    for source in &config.sources {
        let decoder =
            source.decoder().map_err(|error| ServeError::Config(format!("sources {:?}: {error}", source.name)))?;
        listening.push(Listening::new(&source.name, decoder, &board));
    }
    let terms = Terms {
        holder: format!("{}-{}", config.name, std::process::id()),
        checkpoint_every: Duration::from_secs_f64(config.store.checkpoint_every.s()),
        silence: Duration::from_secs_f64(config.judging.silence.s()),
        retention: Retention {
            tracks_s: config.store.keep_tracks.s(),
            around_findings_s: config.store.keep_around_findings.s(),
            checkpoint_every_s: CHECKPOINTS_KEPT_S,
            refused_s: config.store.keep_refused.s(),
        },
    };
    let keeper = Keeper::new(store, judge, counted_to, board.clone(), terms, listening, work, now);
    let keeper = tokio::task::spawn_blocking(move || keeper.run().map_err(ServeError::from));

    let mut running = Running {
        board,
        broker: None,
        tls: None,
        http: None,
        inbox,
        stop,
        tasks: Vec::new(),
        keeper: Mutex::new(Some(keeper)),
    };
    let pages = pages(running.desk(config, &stops)).map_err(ServeError::Config);
    let connected = match pages {
        Ok(pages) => running.connect(config, pages, &stops).await,
        Err(error) => Err(error),
    };
    match connected {
        Ok(()) => Ok(running),
        Err(error) => {
            // What runs already is taken apart, so that nothing is left half done.
            if let Err(other) = running.stop().await {
                tracing::error!(error = %other, "stopping after a failed start");
            }
            Err(error)
        }
    }
}

impl Running {
    async fn connect(
        &mut self,
        config: &Config,
        pages: axum::Router,
        stops: &watch::Receiver<bool>,
    ) -> Result<(), ServeError> {
        let mut own_login = None;
        if config.broker.enabled {
            // Only this process knows it, and only as long as it runs.
            let key: String = std::iter::repeat_with(fastrand::alphanumeric).take(32).collect();
            let broker = Embedded::start(broker_settings(config, &key)?, self.intake(config)).await?;
            tracing::info!(listen = %broker.address(), "the embedded broker listens");
            let tls = &config.broker.tls;
            if let Some(listen) = tls.listen {
                let (certificate, key, client_ca) = (tls.certificate.clone(), tls.key.clone(), tls.client_ca.clone());
                let inner = reachable(broker.address());
                let tls = Tls { listen, certificate, key, client_ca };
                let listens = broker::pass_on(&tls, inner, stops.clone()).await?;
                tracing::info!(listen = %listens, "the embedded broker speaks TLS");
                self.tls = Some(listens);
            }
            own_login = Some((broker.address(), (DAEMON.to_owned(), key)));
            self.broker = Some(Arc::new(broker));
        }
        let endpoint = |name: &str| match (&own_login, config.brokers.get(name)) {
            (Some((address, login)), None) => {
                let address = reachable(*address);
                Ok(Endpoint::plain(&address.ip().to_string(), address.port(), Some(login.clone())))
            }
            (_, Some(connection)) => {
                Endpoint::new(connection).map_err(|source| ServeError::Client { name: name.to_owned(), source })
            }
            (None, None) => Err(ServeError::Config(format!("there is no broker {name:?}"))),
        };

        for (place, source) in config.sources.iter().enumerate().filter(|(_, source)| !source.is_inside()) {
            let task = Source {
                place,
                name: source.name.clone(),
                client_id: format!("{}-{}", config.name, source.name),
                endpoint: endpoint(&source.broker)?,
                filters: source.filters(),
                qos: if source.qos == 0 { QoS::AtMostOnce } else { QoS::AtLeastOnce },
                silence: Duration::from_secs_f64(source.silence.s()),
                inbox: self.inbox.clone(),
                board: self.board.clone(),
                clock: now,
            };
            self.tasks.push(tokio::spawn(task.run(stops.clone())));
        }
        let publisher = Publisher {
            name: config.name.clone(),
            client_id: format!("{}-findings", config.name),
            endpoint: endpoint(&config.publish.broker)?,
            store: config.store.path.clone(),
            state_every_s: config.publish.state_every.s(),
            inbox: self.inbox.clone(),
            board: self.board.clone(),
            clock: now,
        };
        self.tasks.push(tokio::spawn(publisher.run(stops.clone())));
        let beside = Sqlite::open(&config.store.path, Sync::Process)?;
        self.tasks.push(tokio::spawn(move_log(beside, self.board.clone(), stops.clone())));
        let (zones, rules) = (config.zones.clone(), config.rules.clone());
        let watching = law_watch::run(zones, rules, self.inbox.clone(), self.board.clone(), stops.clone());
        self.tasks.push(tokio::spawn(watching));
        let (board, changes) = (self.board.clone(), self.board.schedule());
        let coming = calendar::run(config.store.path.clone(), self.inbox.clone(), board, changes, stops.clone());
        self.tasks.push(tokio::spawn(coming));
        if let Some(listen) = config.http.listen {
            let fail = |source| ServeError::Http { listen, source };
            let listener = TcpListener::bind(listen).await.map_err(fail)?;
            self.http = Some(listener.local_addr().map_err(fail)?);
            let letterboxes = self.letterboxes(config)?;
            self.tasks.push(tokio::spawn(http::run(listener, self.board.clone(), letterboxes, pages, stops.clone())));
        }
        Ok(())
    }

    /// The sources that are posted to.
    fn letterboxes(&self, config: &Config) -> Result<Letterboxes, ServeError> {
        let mut by_name = BTreeMap::new();
        for (place, source) in config.sources.iter().enumerate().filter(|(_, source)| source.broker == HTTP) {
            let token = source.token.as_ref().map(Secret::reveal).transpose().map_err(ServeError::Config)?;
            // The settings are refused where a source of this kind has no token or several topics.
            if let (Some(token), Some(filter)) = (token, source.filters().into_iter().next()) {
                by_name.insert(source.name.clone(), Letterbox { place, filter, token });
            }
        }
        Ok(Letterboxes { by_name, inbox: self.inbox.clone(), clock: now })
    }

    /// Where people look on, and say what they know.
    fn desk(&self, config: &Config, stops: &watch::Receiver<bool>) -> Desk {
        let sources = config.sources.iter().map(|source| source.name.clone()).collect();
        Desk::new(self.board.clone(), self.inbox.clone(), config.store.path.clone(), sources, stops.clone(), now)
    }

    /// What takes in the messages of the broker inside.
    fn intake(&self, config: &Config) -> Arc<dyn Intake> {
        let topics = config.sources.iter().enumerate().filter(|(_, source)| source.broker == EMBEDDED);
        let topics = topics.flat_map(|(place, source)| source.filters().into_iter().map(move |filter| (place, filter)));
        Arc::new(Door { topics: topics.collect(), inbox: self.inbox.clone() })
    }

    /// What those who look on may see.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Where the broker inside listens.
    pub fn broker_address(&self) -> Option<SocketAddr> {
        self.broker.as_ref().map(|broker| broker.address())
    }

    /// Where the broker inside speaks TLS.
    pub fn tls_address(&self) -> Option<SocketAddr> {
        self.tls
    }

    /// Where health and metrics are served.
    pub fn http_address(&self) -> Option<SocketAddr> {
        self.http
    }

    /// Returns when the thread that stores and judges has ended, which it only does by a fault.
    ///
    /// # Errors
    /// Why it ended.
    pub async fn ended(&self) -> Result<(), ServeError> {
        let mut keeper = self.keeper.lock().await;
        let Some(handle) = keeper.as_mut() else { return Ok(()) };
        let ended = handle.await;
        *keeper = None;
        ended.map_err(|_| ServeError::Keeper)?.and(Err(ServeError::Keeper))
    }

    /// Stops: no more comes in, what came in is stored and judged, the state is kept. Findings that are open stay open:
    /// a restart goes on where this ends.
    ///
    /// # Errors
    /// Why the last of it could not be stored.
    pub async fn stop(mut self) -> Result<(), ServeError> {
        self.stop.send_replace(true);
        let ending = async {
            for task in &mut self.tasks {
                // A task that panicked has said so.
                let _ = task.await;
            }
        };
        if tokio::time::timeout(STOP_WITHIN, ending).await.is_err() {
            tracing::warn!("some connections did not end in time");
            self.tasks.iter().for_each(JoinHandle::abort);
        }
        if let Some(broker) = &self.broker {
            broker.stop().await;
        }
        let keeper = self.keeper.lock().await.take();
        let Some(keeper) = keeper else { return Ok(()) };
        // Where it has gone already there is nobody to tell.
        let _ = self.inbox.send_async(Work::Stop).await;
        keeper.await.map_err(|_| ServeError::Keeper)?
    }
}

/// Keeps the write-ahead log of the store short, on a connection of its own, so that it holds up the keeper less.
async fn move_log(store: Sqlite, board: Board, mut stop: watch::Receiver<bool>) {
    let store = Arc::new(std::sync::Mutex::new(store));
    while tokio::time::timeout(MOVE_LOG_EVERY, super::stopped(&mut stop)).await.is_err() {
        let store = store.clone();
        let moving = move || store.lock().unwrap_or_else(std::sync::PoisonError::into_inner).move_log();
        if let Ok(Err(error)) = tokio::task::spawn_blocking(moving).await {
            // The keeper moves it itself then, as it does what is left.
            board.meter().store_errors.inc();
            tracing::warn!(%error, "the write-ahead log could not be moved");
        }
    }
}

/// Where this machine reaches what listens at an address.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port()),
        IpAddr::V6(ip) if ip.is_unspecified() => SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port()),
        _ => address,
    }
}

/// The clock of the machine. Only adapters read it.
fn now() -> EventTime {
    EventTime::from_chrono(chrono::Utc::now()).unwrap_or(EventTime::MAX)
}

/// The store, and the judge where it left off. The law of the files is in force, or where they are not in order the
/// last one that was.
fn open(config: &Config) -> Result<(Sqlite, Judge), ServeError> {
    let sync = if config.store.durable == Durable::Disk { Sync::Full } else { Sync::Process };
    make_folder(&config.store.path);
    let mut store = Sqlite::open(&config.store.path, sync)?;
    let last = store.law_at(u64::MAX)?.map(|(_, version)| version);
    match law_watch::read(&config.zones, &config.rules) {
        Ok((law, map, rulebook)) if last.as_deref() != Some(&*law.version) => {
            store.whole(|store| {
                store.keep_law(&law, &map, &rulebook)?;
                let entry = Entry { content: Content::Law(law.version.clone()), received_at: now(), origin: None };
                store.append(&[entry])
            })?;
        }
        Ok(_) => {}
        Err(fault) if last.is_some() => {
            tracing::error!(fault, "map or rulebook are not in order; the last ones that were stay in force");
        }
        Err(fault) => return Err(ServeError::Law(fault)),
    }
    let judge = Judge::resume(&store, u64::MAX)?;
    Ok((store, judge))
}

fn make_folder(path: &Path) {
    if let Some(folder) = path.parent()
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        // Opening the store says what is wrong.
        tracing::warn!(folder = %folder.display(), %error, "the folder of the store cannot be made");
    }
}

fn broker_settings(config: &Config, key: &str) -> Result<Settings, ServeError> {
    let mut access = Access::default();
    access.grant_daemon(DAEMON, key);
    for user in &config.broker.users {
        let password = user.password.reveal().map_err(ServeError::Config)?;
        access.grant(&user.name, &password, user.publish.clone());
    }
    Ok(Settings { listen: config.broker.listen, access, folder: config.broker.folder.clone() })
}

/// Takes messages of the broker inside to the keeper, and waits until they are stored.
struct Door {
    topics: Vec<(usize, String)>,
    inbox: flume::Sender<Work>,
}

impl Intake for Door {
    fn take(&self, message: Published) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        Box::pin(async move {
            let wanted = self.topics.iter().filter(|(_, topic)| crate::broker::matches(topic, &message.topic));
            for (source, _) in wanted {
                let (done, is_done) = oneshot::channel();
                let is_acked = message.qos > 0;
                let arrival = Arrival {
                    source: *source,
                    topic: message.topic.clone(),
                    payload: message.payload.clone(),
                    // The broker keeps it for others; here it is as new as it gets.
                    retained: false,
                    received_at: now(),
                    receipt: if is_acked { Receipt::Waiting(done) } else { Receipt::None },
                };
                if self.inbox.send_async(Work::Arrival(arrival)).await.is_err() {
                    return false;
                }
                if is_acked && is_done.await.is_err() {
                    return false;
                }
            }
            true
        })
    }
}
