//! One source: a subscription at an outside broker, and the acknowledgement of what it brings.
//!
//! The measured facts that shape it: only a persistent session loses nothing when a connection is cut; subscriptions
//! may be gone after any reconnect, so they are made again on each; acknowledging inside the polling loop, or from many
//! tasks, stalls or breaks order, so one task does it; and "connected" is not "receiving".

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rumqttc::{AsyncClient, ConnectionError, Event, EventLoop, Packet, Publish, QoS, StateError, SubscribeReasonCode};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep, timeout};

use super::board::Board;
use super::client::{Endpoint, backoff};
use super::meter::Source as Label;
use super::work::{Arrival, Receipt, Work};
use super::{ACKS, REQUESTS};
use crate::time::EventTime;

/// How long the broker may take to confirm a subscription.
const SUBSCRIBE_WITHIN: Duration = Duration::from_secs(10);
/// A connection that stood for so long was a good one.
const STEADY: Duration = Duration::from_secs(30);
/// The largest packet that is ever taken, bytes: one that is larger than usual is poison, but has to be taken to be set
/// aside, or it would come again for ever.
const POISON_BYTES_MAX: usize = 64 << 20;

/// What a source needs.
pub(super) struct Source {
    /// Its place in the list.
    pub place: usize,
    pub name: String,
    pub client_id: String,
    pub endpoint: Endpoint,
    pub filters: Vec<String>,
    pub qos: QoS,
    pub silence: Duration,
    pub inbox: flume::Sender<Work>,
    pub board: Board,
    pub clock: fn() -> EventTime,
}

/// Why a connection ended.
enum Ended {
    /// The daemon stops.
    Stopped,
    /// It broke.
    Error(ConnectionError),
    /// It stood, and was of no use.
    Deaf(&'static str),
}

impl Source {
    fn label(&self) -> Label {
        Label { source: self.name.clone() }
    }

    /// Listens until the daemon stops.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut failures = 0;
        let mut packet_bytes_max = super::PACKET_BYTES_MAX;
        loop {
            let since = Instant::now();
            let ended = self.listen(packet_bytes_max, &mut stop).await;
            let meter = self.board.meter();
            meter.connected.get_or_create(&self.label()).set(0);
            if since.elapsed() > STEADY {
                failures = 0;
            }
            match ended {
                Ended::Stopped => return,
                Ended::Deaf(why) => tracing::warn!(source = self.name, why, "connecting anew"),
                Ended::Error(error) => {
                    if let Some(bytes) = too_large(&error) {
                        packet_bytes_max = bytes.saturating_add(1024).clamp(packet_bytes_max, POISON_BYTES_MAX);
                        tracing::error!(source = self.name, bytes, "a message is too large; taking it to set it aside");
                    } else {
                        tracing::warn!(source = self.name, broker = %self.endpoint, %error, "the connection broke");
                    }
                }
            }
            meter.connection_errors.get_or_create(&self.label()).inc();
            let wait = backoff(failures);
            failures += 1;
            tokio::select! {
                () = sleep(wait) => {}
                () = super::stopped(&mut stop) => return,
            }
        }
    }

    /// One connection, with a client of its own: nothing that went wrong in the last one lives on.
    async fn listen(&self, packet_bytes_max: usize, stop: &mut watch::Receiver<bool>) -> Ended {
        let mut options = self.endpoint.options(&self.client_id, true);
        options.set_manual_acks(true);
        options.set_max_packet_size(packet_bytes_max, super::PACKET_BYTES_MAX);
        let (client, mut events) = AsyncClient::new(options, REQUESTS);
        events.network_options.set_tcp_nodelay(true);
        let connection = Arc::new(AtomicU64::new(0));
        let (acks, to_ack) = mpsc::channel(ACKS);
        let acker = tokio::spawn(acknowledge(client.clone(), connection.clone(), to_ack));
        let ended = self.poll(&client, &mut events, &connection, &acks, stop).await;
        acker.abort();
        ended
    }

    async fn poll(
        &self,
        client: &AsyncClient,
        events: &mut EventLoop,
        connection: &AtomicU64,
        acks: &mpsc::Sender<(u64, Publish)>,
        stop: &mut watch::Receiver<bool>,
    ) -> Ended {
        let mut heard = Instant::now();
        let mut subscribing: Option<Instant> = None;
        loop {
            let deadline = subscribing.map_or(heard + self.silence, |since| since + SUBSCRIBE_WITHIN);
            let event = tokio::select! {
                event = events.poll() => event,
                () = tokio::time::sleep_until(deadline) => {
                    return Ended::Deaf(if subscribing.is_some() {
                        "the broker did not confirm the subscription"
                    } else {
                        "connected, and nothing heard for long"
                    });
                }
                () = super::stopped(stop) => {
                    // The broker keeps the session, and what comes meanwhile.
                    if client.try_disconnect().is_ok() {
                        let farewell = async { while events.poll().await.is_ok() {} };
                        let _ = timeout(Duration::from_secs(1), farewell).await;
                    }
                    return Ended::Stopped;
                }
            };
            match event {
                Ok(Event::Incoming(Packet::ConnAck(connack))) => {
                    connection.fetch_add(1, Ordering::AcqRel);
                    tracing::info!(
                        source = self.name,
                        broker = %self.endpoint,
                        session_present = connack.session_present,
                        "connected"
                    );
                    for filter in &self.filters {
                        // The client is new, so there is room.
                        if let Err(error) = client.try_subscribe(filter, self.qos) {
                            tracing::error!(source = self.name, filter, %error, "cannot subscribe");
                            return Ended::Deaf("the subscription could not be sent");
                        }
                    }
                    subscribing = Some(Instant::now());
                    heard = Instant::now();
                }
                Ok(Event::Incoming(Packet::SubAck(suback))) => {
                    if suback.return_codes.iter().any(|code| matches!(code, SubscribeReasonCode::Failure)) {
                        tracing::error!(source = self.name, filters = ?self.filters, "the broker refuses the subscription");
                        return Ended::Deaf("the broker refuses the subscription; may this user subscribe there?");
                    }
                    subscribing = None;
                    self.board.meter().connected.get_or_create(&self.label()).set(1);
                }
                Ok(Event::Incoming(Packet::Publish(publish))) => {
                    heard = Instant::now();
                    if !self.forward(publish, connection.load(Ordering::Acquire), acks).await {
                        return Ended::Stopped;
                    }
                }
                Ok(_) => {}
                Err(error) => return Ended::Error(error),
            }
        }
    }

    /// Hands a message to the keeper; `false` where that has gone.
    async fn forward(&self, publish: Publish, connection: u64, acks: &mpsc::Sender<(u64, Publish)>) -> bool {
        let is_acked = publish.qos != QoS::AtMostOnce;
        let work = Work::Arrival(Arrival {
            source: self.place,
            topic: publish.topic.as_str().into(),
            payload: publish.payload.clone(),
            retained: publish.retain,
            received_at: (self.clock)(),
            receipt: if is_acked {
                Receipt::Ack { connection, publish: Box::new(publish), to: acks.clone() }
            } else {
                Receipt::None
            },
        });
        if is_acked {
            // The broker sends no more than its window before it is acknowledged, so this waits only for the store.
            return self.inbox.send_async(work).await.is_ok();
        }
        match self.inbox.try_send(work) {
            Ok(()) => true,
            Err(flume::TrySendError::Full(_)) => {
                self.board.meter().dropped.get_or_create(&self.label()).inc();
                true
            }
            Err(flume::TrySendError::Disconnected(_)) => false,
        }
    }
}

/// Acknowledges in order. What came over an earlier connection is not: its number may mean another message by now, and
/// the broker sends it again.
async fn acknowledge(client: AsyncClient, connection: Arc<AtomicU64>, mut to_ack: mpsc::Receiver<(u64, Publish)>) {
    while let Some((of, publish)) = to_ack.recv().await {
        if of == connection.load(Ordering::Acquire) && client.ack(&publish).await.is_err() {
            return;
        }
    }
}

/// The size of the packet that an error is about, where it is that it was too large.
fn too_large(error: &ConnectionError) -> Option<usize> {
    match error {
        ConnectionError::MqttState(StateError::Deserialization(
            rumqttc::mqttbytes::Error::PayloadSizeLimitExceeded(bytes),
        )) => Some(*bytes),
        _ => None,
    }
}
