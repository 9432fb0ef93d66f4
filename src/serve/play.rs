//! Plays a recording to a broker as live trackers would: each message at its time, acknowledged, and sent again where
//! a connection broke before that.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rumqttc::{AsyncClient, Event, Outgoing, Packet, QoS};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use super::REQUESTS;
use super::client::{Endpoint, backoff};
use crate::replay::player::Line;

/// How many messages are published and not acknowledged at a time.
const UNDER_WAY: u16 = 100;
/// A broker that was reached before may be away for so long.
const AWAY_MAX: Duration = Duration::from_secs(300);

/// Why a recording could not be played to its end.
#[derive(Debug, thiserror::Error)]
#[error("broker {broker}: {reason}; {acknowledged} of {all} messages were acknowledged")]
pub struct PlayError {
    /// Which broker.
    pub broker: String,
    /// What happened.
    pub reason: String,
    /// How far it got.
    pub acknowledged: usize,
    /// How many there are.
    pub all: usize,
}

/// A recording that is played.
pub struct Player {
    /// The broker.
    pub endpoint: Endpoint,
    /// The client's id there.
    pub client_id: String,
    /// How many seconds of the recording pass in one; 0 for as fast as it goes.
    pub speed: f64,
    /// What is played, in order.
    pub lines: Arc<[Line]>,
}

/// How far it has got.
struct Progress {
    is_acknowledged: Vec<bool>,
    count: usize,
    /// When the first message was due; later connections go by it too.
    began: Option<Instant>,
    reached: Option<Instant>,
}

impl Player {
    /// Plays it to its end. `progress` is told how many messages have been acknowledged.
    ///
    /// # Errors
    /// [`PlayError`] where the broker cannot be reached, or not any more.
    pub async fn play(&self, progress: &mut (dyn FnMut(usize) + Send)) -> Result<(), PlayError> {
        let all = self.lines.len();
        let mut so_far = Progress { is_acknowledged: vec![false; all], count: 0, began: None, reached: None };
        let mut failures = 0;
        while so_far.count < all {
            let before = so_far.count;
            let Err(reason) = self.connection(&mut so_far, progress).await else { break };
            let is_hopeless = so_far.reached.is_none_or(|at| at.elapsed() > AWAY_MAX);
            if is_hopeless {
                let (broker, acknowledged) = (self.endpoint.to_string(), so_far.count);
                return Err(PlayError { broker, reason, acknowledged, all });
            }
            tracing::warn!(broker = %self.endpoint, reason, "the connection broke; connecting again");
            failures = if so_far.count > before { 0 } else { failures + 1 };
            sleep(backoff(failures)).await;
        }
        Ok(())
    }

    /// One connection, with a client of its own: what is not acknowledged is sent again.
    async fn connection(&self, so_far: &mut Progress, progress: &mut (dyn FnMut(usize) + Send)) -> Result<(), String> {
        let mut options = self.endpoint.options(&self.client_id, false);
        options.set_inflight(UNDER_WAY);
        let (client, mut events) = AsyncClient::new(options, REQUESTS);
        events.network_options.set_tcp_nodelay(true);
        let (note, mut notes) = mpsc::channel(REQUESTS);
        let (mut handed, mut sent) = (VecDeque::new(), BTreeMap::new());
        let mut feeder = None;
        let ended = loop {
            match events.poll().await {
                Ok(Event::Incoming(Packet::ConnAck(_))) => {
                    if feeder.is_some() {
                        break Err("the client connected again by itself".to_owned());
                    }
                    so_far.reached = Some(Instant::now());
                    let began = *so_far.began.get_or_insert_with(Instant::now);
                    let left = (0..self.lines.len()).filter(|&i| !so_far.is_acknowledged[i]).collect();
                    let (lines, client, note) = (self.lines.clone(), client.clone(), note.clone());
                    feeder = Some(tokio::spawn(feed(lines, left, client, note, began, self.speed)));
                }
                Ok(Event::Outgoing(Outgoing::Publish(packet))) => {
                    while let Ok(i) = notes.try_recv() {
                        handed.push_back(i);
                    }
                    // Each is noted before it is handed over, so there is one.
                    sent.extend(handed.pop_front().map(|i: usize| (packet, i)));
                }
                Ok(Event::Incoming(Packet::PubAck(ack))) => {
                    let Some(i) = sent.remove(&ack.pkid) else { continue };
                    so_far.reached = Some(Instant::now());
                    so_far.is_acknowledged[i] = true;
                    so_far.count += 1;
                    progress(so_far.count);
                    if so_far.count == self.lines.len() {
                        // All is safe; what comes of the farewell does not matter.
                        let _ = client.disconnect().await;
                        let _ = events.poll().await;
                        break Ok(());
                    }
                }
                Ok(_) => {}
                Err(error) => break Err(error.to_string()),
            }
        };
        if let Some(feeder) = feeder {
            feeder.abort();
        }
        ended
    }
}

/// Hands over what is left, each message at its time.
async fn feed(
    lines: Arc<[Line]>,
    left: Vec<usize>,
    client: AsyncClient,
    note: mpsc::Sender<usize>,
    began: Instant,
    speed: f64,
) {
    for i in left {
        let line = &lines[i];
        if speed > 0.0 {
            sleep_until(began + Duration::from_secs_f64(line.at_s / speed)).await;
        }
        let payload = line.payload.as_bytes();
        let is_gone = note.send(i).await.is_err()
            || client.publish(line.topic.as_str(), QoS::AtLeastOnce, line.retain, payload).await.is_err();
        if is_gone {
            return;
        }
    }
}
