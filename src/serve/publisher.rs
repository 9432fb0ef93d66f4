//! Publishes findings from the outbox, and beside them status and the state of vessels.
//!
//! It has a connection of its own, so that what comes in never holds up what goes out. A finding stays in the outbox
//! until the broker has acknowledged it, so it is published at least once, always under the same id and revision.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rumqttc::{AsyncClient, ConnectionError, Event, LastWill, Outgoing, Packet, Publish, QoS};
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, mpsc, watch};
use tokio::time::{Instant, sleep, timeout};

use super::board::{Board, InForce};
use super::client::{Endpoint, backoff};
use super::meter::Source as Label;
use super::work::Work;
use super::{LETTERS, REQUESTS, states};
use crate::observation::VesselId;
use crate::store::{Findings, Letter, Sqlite, StoreError};
use crate::time::EventTime;

/// Where the daemon says whether it runs.
const STATUS: &str = "buoyline/status";
/// Where the states of all vessels are kept.
const STATES: &str = "buoyline/vessels/+/state";
/// How often it looks into the outbox although nobody said there was something.
const LOOK: Duration = Duration::from_secs(5);
/// A connection that stood for so long was a good one.
const STEADY: Duration = Duration::from_secs(30);
/// How many findings are published and not acknowledged at a time.
const UNDER_WAY: u16 = 100;

/// What the publisher needs.
pub(super) struct Publisher {
    pub name: String,
    pub client_id: String,
    pub endpoint: Endpoint,
    pub store: PathBuf,
    pub state_every_s: f64,
    pub inbox: flume::Sender<Work>,
    pub board: Board,
    pub clock: fn() -> EventTime,
}

/// What the daemon says of itself.
#[derive(Serialize)]
struct Status<'a> {
    state: &'a str,
    name: &'a str,
    version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<EventTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    map_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rulebook_version: Option<&'a str>,
}

/// What it says of a waterway.
#[derive(Serialize)]
struct WaterwayStatus<'a> {
    waterway: &'a str,
    map_version: &'a str,
    rulebook_version: &'a str,
    since: EventTime,
    /// Why the newest change of the files was refused, if it was.
    fault: Option<&'a str>,
}

/// What has been handed to the client and not been acknowledged, in the order in which it goes out.
#[derive(Default)]
struct UnderWay {
    /// Handed over; `None` is something else than a letter.
    handed: VecDeque<Option<i64>>,
    /// Sent, by packet id.
    sent: BTreeMap<u16, Option<i64>>,
}

impl Publisher {
    /// Publishes until the daemon stops.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut failures = 0;
        loop {
            let since = Instant::now();
            let ended = self.publish(&mut stop).await;
            self.board.set_publishes(false);
            match ended {
                Ok(()) => return,
                Err(error) => {
                    tracing::warn!(broker = %self.endpoint, %error, "the connection for findings broke");
                    self.board.meter().connection_errors.get_or_create(&Label { source: "findings".to_owned() }).inc();
                }
            }
            failures = if since.elapsed() > STEADY { 0 } else { failures + 1 };
            tokio::select! {
                () = sleep(backoff(failures)) => {}
                () = super::stopped(&mut stop) => return,
            }
        }
    }

    /// One connection, with a client of its own: what is not acknowledged is sent again out of the outbox.
    async fn publish(&self, stop: &mut watch::Receiver<bool>) -> Result<(), PublishError> {
        let mut options = self.endpoint.options(&self.client_id, false);
        options.set_inflight(UNDER_WAY);
        let gone = self.status("offline", None);
        options.set_last_will(LastWill::new(STATUS, gone.clone(), QoS::AtLeastOnce, true));
        let (client, mut events) = AsyncClient::new(options, REQUESTS);
        events.network_options.set_tcp_nodelay(true);
        let (hand_over, mut handed_over) = mpsc::channel::<Option<i64>>(REQUESTS);

        let mut under_way = UnderWay::default();
        let (mut feeders, mut has_heard) = (None, false);
        let result = loop {
            tokio::select! {
                event = events.poll() => match event {
                    Ok(Event::Incoming(Packet::ConnAck(_))) => {
                        if feeders.is_some() {
                            break Err(PublishError::Again);
                        }
                        tracing::info!(broker = %self.endpoint, "connected for findings");
                        self.board.set_publishes(true);
                        let _ = client.try_subscribe(STATES, QoS::AtMostOnce);
                        feeders = Some(self.feed(&client, &hand_over));
                    }
                    // What an earlier run left there of vessels that are long gone.
                    Ok(Event::Incoming(Packet::Publish(publish))) if publish.retain => {
                        if let Some((vessel, t)) = kept_state(&publish)
                            && Board::is_over(t, self.now())
                        {
                            self.board.forget(vessel);
                        }
                    }
                    // All that was kept has come; what is new is known.
                    Ok(Event::Incoming(Packet::Publish(_))) if !has_heard => {
                        has_heard = true;
                        let _ = client.try_unsubscribe(STATES);
                    }
                    Ok(Event::Outgoing(Outgoing::Publish(packet))) if packet != 0 => {
                        while let Ok(handed) = handed_over.try_recv() {
                            under_way.handed.push_back(handed);
                        }
                        // Each is noted before it is handed over, so there is one.
                        let letter = under_way.handed.pop_front().flatten();
                        under_way.sent.insert(packet, letter);
                    }
                    Ok(Event::Incoming(Packet::PubAck(ack))) => {
                        if let Some(Some(letter)) = under_way.sent.remove(&ack.pkid)
                            && self.inbox.send_async(Work::Published(vec![letter])).await.is_err()
                        {
                            break Ok(());
                        }
                    }
                    Ok(_) => {}
                    Err(error) => break Err(error.into()),
                },
                () = super::stopped(stop) => {
                    let last = async {
                        let _ = client.publish(STATUS, QoS::AtLeastOnce, true, self.status("offline", Some(self.now()))).await;
                        let _ = client.disconnect().await;
                    };
                    let farewell = async { while events.poll().await.is_ok() {} };
                    let _ = timeout(Duration::from_secs(1), async { tokio::join!(last, farewell) }).await;
                    break Ok(());
                }
            }
        };
        for feeder in feeders.into_iter().flatten() {
            feeder.abort();
        }
        result
    }

    /// The tasks that hand over what is to be published; the one that polls never waits for them.
    fn feed(&self, client: &AsyncClient, hand_over: &mpsc::Sender<Option<i64>>) -> [tokio::task::JoinHandle<()>; 2] {
        let online = self.status("online", Some(self.now()));
        let hands = Hands { client: client.clone(), notes: Arc::new(Mutex::new(hand_over.clone())) };
        let (store, outbox, of_letters) = (self.store.clone(), self.board.outbox(), hands.clone());
        let letters = tokio::spawn(async move {
            if let Err(error) = feed_letters(&of_letters, store, outbox, online).await {
                tracing::error!(%error, "the outbox cannot be read");
            }
        });
        let (board, every_s, clock) = (self.board.clone(), self.state_every_s, self.clock);
        let states = tokio::spawn(async move { feed_states(&hands, &board, every_s, clock).await });
        [letters, states]
    }

    fn now(&self) -> EventTime {
        (self.clock)()
    }

    fn status(&self, state: &str, t: Option<EventTime>) -> Vec<u8> {
        let law = self.board.law().borrow().clone();
        let is_online = state == "online";
        let status = Status {
            state,
            name: &self.name,
            version: env!("CARGO_PKG_VERSION"),
            t,
            map_version: is_online.then_some(&*law.map.version),
            rulebook_version: is_online.then_some(&*law.rulebook.version),
        };
        serde_json::to_vec(&status).expect("a status has only keys that are text")
    }
}

/// Why publishing broke off.
#[derive(Debug, thiserror::Error)]
enum PublishError {
    #[error(transparent)]
    Connection(#[from] Box<ConnectionError>),
    #[error("the client connected again by itself")]
    Again,
}

impl From<ConnectionError> for PublishError {
    fn from(error: ConnectionError) -> Self {
        Self::Connection(Box::new(error))
    }
}

/// Hands messages over to the client, and notes them in the order in which it will send them.
#[derive(Clone)]
struct Hands {
    client: AsyncClient,
    /// Held from noting a message to handing it over, so that two tasks do not cross.
    notes: Arc<Mutex<mpsc::Sender<Option<i64>>>>,
}

impl Hands {
    /// Publishes something that is to be acknowledged; `false` where the connection has gone.
    async fn over(&self, letter: Option<i64>, topic: String, retain: bool, payload: impl Into<Vec<u8>>) -> bool {
        let notes = self.notes.lock().await;
        notes.send(letter).await.is_ok() && self.client.publish(topic, QoS::AtLeastOnce, retain, payload).await.is_ok()
    }
}

/// Hands over everything in the outbox, in order, and what comes into it.
async fn feed_letters(
    hands: &Hands,
    store: PathBuf,
    mut outbox: watch::Receiver<i64>,
    online: Vec<u8>,
) -> Result<(), StoreError> {
    if !hands.over(None, STATUS.to_owned(), true, online).await {
        return Ok(());
    }
    let store = Sqlite::open_to_read(&store)?;
    let mut after = 0;
    loop {
        outbox.borrow_and_update();
        loop {
            let letters: Vec<Letter> = store.outbox(after, LETTERS)?;
            let Some(last) = letters.last() else { break };
            after = last.n;
            for letter in letters {
                let topic = letter.topic();
                if !hands.over(Some(letter.n), topic, false, letter.json).await {
                    return Ok(());
                }
            }
        }
        // The daemon may have gone; then so does this task.
        let _ = timeout(LOOK, outbox.changed()).await;
    }
}

/// Where the state of a vessel is kept.
fn state_topic(vessel: &VesselId) -> String {
    format!("buoyline/vessels/{vessel}/state")
}

/// The vessel and the time of a state that the broker has kept.
fn kept_state(publish: &Publish) -> Option<(VesselId, EventTime)> {
    #[derive(Deserialize)]
    struct State {
        vessel: VesselId,
        t: EventTime,
    }
    let state: State = serde_json::from_slice(&publish.payload).ok()?;
    (publish.topic == state_topic(&state.vessel)).then_some((state.vessel, state.t))
}

/// Hands over the states of vessels as they change, and the status of waterways.
async fn feed_states(hands: &Hands, board: &Board, every_s: f64, clock: fn() -> EventTime) {
    let mut law = board.law();
    law.mark_changed();
    let mut look = tokio::time::interval(Duration::from_millis(if every_s > 0.0 { 250 } else { 1_000 }));
    loop {
        look.tick().await;
        if law.has_changed().unwrap_or(false) {
            let law = law.borrow_and_update().clone();
            if !tell_law(hands, &law).await {
                return;
            }
        }
        if every_s > 0.0 {
            let map = board.law().borrow().map.clone();
            for vessel in board.gone() {
                // What is retained goes with an empty message.
                if hands.client.publish(state_topic(&vessel), QoS::AtMostOnce, true, Vec::new()).await.is_err() {
                    board.forget(vessel);
                    return;
                }
            }
            for (vessel, state) in board.due(clock(), every_s) {
                let topic = state_topic(&vessel);
                let shown = states::shown(&vessel, &state, &map);
                // Each takes the place of the one before, so one that is lost does no harm.
                if hands.client.publish(topic, QoS::AtMostOnce, true, shown).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn tell_law(hands: &Hands, law: &InForce) -> bool {
    for waterway in &law.map.waterways {
        let status = WaterwayStatus {
            waterway: waterway.id.as_str(),
            map_version: &waterway.version,
            rulebook_version: &law.rulebook.version,
            since: law.since,
            fault: law.fault.as_deref(),
        };
        let payload = serde_json::to_vec(&status).expect("a status has only keys that are text");
        if !hands.over(None, format!("{STATUS}/{}", waterway.id), true, payload).await {
            return false;
        }
    }
    true
}
