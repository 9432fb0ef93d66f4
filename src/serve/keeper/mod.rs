//! The one thread that writes: it stores what comes in, gives receipts, and has it judged in the order of the log.

mod coming;
mod upkeep;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use tokio::sync::oneshot;

use crate::findings::Status;
use crate::ingest::{Decoded, Decoder, Message};
use crate::observation::{Fix, Observation, VesselId, WaterwayId};
use crate::rulebook::Rulebook;
use crate::serve::BATCH;
use crate::serve::board::{Board, InForce, SHOWN_S, Sighted};
use crate::serve::judge::{Judge, JudgeError, Judged};
use crate::serve::meter::{Because, Float, Queue, Rule, Source, Version};
use crate::serve::work::{Arrival, Receipt, Said, Work};
use crate::store::{
    Content, Counters, Entry, Findings, Kept, Law, Log, Logged, Origin, Refused, Retention, Sqlite, StoreError,
};
use crate::time::EventTime;
use crate::zones::Map;

use coming::Calendar;

/// How often it looks after what is not brought to it.
const TICK: Duration = Duration::from_millis(500);
/// How long it waits before it tries again to write, at first and at most.
const RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));
/// Letters that were published wait at most this long to be struck off.
const STRIKE_WITHIN: Duration = Duration::from_millis(200);
/// What people state at the desk comes from this source.
pub(in crate::serve) const DESK: &str = "console";
/// A message that was refused is kept up to this size; the rest of a larger one is cut off.
const ASIDE_BYTES_MAX: usize = 64 << 10;

/// A source as the keeper knows it.
pub(in crate::serve) struct Listening {
    name: Arc<str>,
    decoder: Decoder,
    messages: Counter,
    stored: Counter,
    repeated: Counter,
    last_message: Float,
    interval: Float,
}

/// How much of a new interval between messages goes into the usual one.
const NEW_SHARE: f64 = 1.0 / 16.0;

impl Listening {
    pub fn new(name: &str, decoder: Decoder, board: &Board) -> Self {
        let (meter, label) = (board.meter(), Source { source: name.to_owned() });
        // Looked up once, not with every message.
        Self {
            name: name.into(),
            decoder,
            messages: meter.messages.get_or_create(&label).clone(),
            stored: meter.stored.get_or_create(&label).clone(),
            repeated: meter.repeated.get_or_create(&label).clone(),
            last_message: meter.last_message.get_or_create(&label).clone(),
            interval: meter.message_interval.get_or_create(&label).clone(),
        }
    }
}

/// How the keeper works.
#[derive(Debug, Clone)]
pub(in crate::serve) struct Terms {
    pub holder: String,
    pub checkpoint_every: Duration,
    pub silence: Duration,
    pub retention: Retention,
}

pub(in crate::serve) struct Keeper {
    store: Sqlite,
    judge: Judge,
    board: Board,
    terms: Terms,
    sources: Vec<Listening>,
    inbox: flume::Receiver<Work>,
    clock: fn() -> EventTime,

    batch: Batch,
    /// Findings that have been made and are not in the store yet, and what was counted beside them.
    found: Vec<Kept>,
    /// The newest fix of each vessel that those who look on have not seen yet.
    seen: BTreeMap<VesselId, (Fix, EventTime)>,
    counted: Counters,
    /// The last entry whose outcome has been counted: what is judged again after a restart is not counted again.
    counted_to: u64,
    struck: Vec<i64>,
    struck_since: Option<Instant>,
    checkpointed: (Instant, u64),
    thinned: (Instant, Option<u64>),
    /// Since when somebody else has the lease, and whether that has been told.
    without_lease: Option<(Instant, bool)>,
    quiet: BTreeMap<Option<WaterwayId>, Quiet>,
    calendar: Calendar,
    is_stopping: bool,
}

/// How late it is on a waterway, since when nothing has been heard there, and whether it has been told so.
struct Quiet {
    clock: EventTime,
    since: Instant,
    is_told: bool,
}

/// What is written in one transaction.
#[derive(Default)]
struct Batch {
    entries: Vec<Entry>,
    /// The places of the sources that entries came from; `None` for what was said at the desk.
    sources: Vec<Option<usize>>,
    refused: Vec<Refused>,
    receipts: Vec<(EventTime, Receipt)>,
    /// Who waits for what was said to be judged.
    said: Vec<oneshot::Sender<()>>,
    law: Option<(Law, Arc<Map>, Arc<Rulebook>)>,
}

impl Batch {
    fn take(&mut self, said: Said) {
        let Said { observation, by, received_at, done } = said;
        let origin = Origin { source: DESK.into(), topic: by, payload: None };
        self.entries.push(Entry { content: Content::Observation(observation), received_at, origin: Some(origin) });
        self.sources.push(None);
        self.said.push(done);
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.refused.is_empty() && self.receipts.is_empty() && self.law.is_none()
    }
}

impl Keeper {
    #[expect(clippy::too_many_arguments, reason = "called once, where all of it is at hand")]
    pub fn new(
        store: Sqlite,
        judge: Judge,
        counted_to: u64,
        board: Board,
        terms: Terms,
        sources: Vec<Listening>,
        inbox: flume::Receiver<Work>,
        clock: fn() -> EventTime,
    ) -> Self {
        let now = Instant::now();
        Self {
            checkpointed: (now, judge.position()),
            store,
            judge,
            board,
            terms,
            sources,
            inbox,
            clock,
            batch: Batch::default(),
            found: Vec::new(),
            seen: BTreeMap::new(),
            counted: Counters::new(),
            counted_to,
            struck: Vec::new(),
            struck_since: None,
            thinned: (now, Some(0)),
            without_lease: None,
            quiet: BTreeMap::new(),
            calendar: Calendar::default(),
            is_stopping: false,
        }
    }

    /// Works until it is told to stop, or everybody who could bring it something has gone.
    pub fn run(mut self) -> Result<(), JudgeError> {
        // What was counted before is judged again first, and not counted.
        self.catch_up_to(self.counted_to)?;
        self.catch_up()?;
        self.board.set_posted(self.judge.posted());
        self.show_last_seen()?;
        self.board.set_ready(true);
        let mut ticked = Instant::now();
        while !self.is_stopping {
            match self.inbox.recv_timeout(TICK) {
                Ok(work) => self.gather(work),
                Err(flume::RecvTimeoutError::Timeout) => {}
                Err(flume::RecvTimeoutError::Disconnected) => break,
            }
            self.settle()?;
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                self.look_after()?;
            }
        }
        self.board.set_ready(false);
        self.settle()?;
        self.keep_checkpoint()?;
        Ok(())
    }

    /// Takes what has come in, up to a batch.
    fn gather(&mut self, first: Work) {
        let mut next = Some(first);
        while let Some(work) = next {
            match work {
                Work::Arrival(arrival) => self.decode(arrival),
                Work::Said(said) => self.batch.take(said),
                Work::Published(letters) => {
                    self.struck.extend(letters);
                    self.struck_since.get_or_insert_with(Instant::now);
                }
                Work::Law(law, map, rulebook) => self.batch.law = Some((law, map, rulebook)),
                Work::Coming(coming) => self.foresee(coming),
                Work::Stop => self.is_stopping = true,
            }
            if self.batch.receipts.len() >= BATCH || self.batch.law.is_some() {
                break;
            }
            next = self.inbox.try_recv().ok();
        }
        self.board.meter().queued.get_or_create(&Queue { queue: "inbox" }).set(self.inbox.len() as i64);
    }

    fn decode(&mut self, arrival: Arrival) {
        let Arrival { source, topic, payload, retained, received_at, receipt } = arrival;
        let first = self.batch.entries.len();
        let Listening { name, decoder, messages, last_message, interval, .. } = &mut self.sources[source];
        let (meter, batch) = (self.board.meter(), &mut self.batch);
        let because = |reason: &str| Because { source: name.to_string(), reason: reason.to_owned() };
        messages.inc();
        let (last_s, usual_s) = (last_message.get(), interval.get());
        if last_s > 0.0 {
            let since_s = (received_at.unix_ns() as f64 / 1e9 - last_s).max(0.0);
            interval.set(if usual_s > 0.0 { usual_s + NEW_SHARE * (since_s - usual_s) } else { since_s });
        }
        last_message.set(received_at.unix_ns() as f64 / 1e9);

        // One message may hold many observations; the first has its bytes.
        let mut bytes: Option<Arc<[u8]>> = Some((&payload[..]).into());
        let message = Message { topic: &topic, payload: &payload, received_at, retained };
        decoder.decode(&message, |decoded| match decoded {
            // What a broker kept may be days old. It says where a vessel was, which is known, or will be told anew.
            Decoded::Observation(Observation::Fix(..)) if retained => {
                meter.asides.get_or_create(&because("retained_fix")).inc();
            }
            Decoded::Observation(observation) => {
                let origin = Origin { source: name.clone(), topic: topic.clone(), payload: bytes.take() };
                let content = Content::Observation(observation);
                batch.entries.push(Entry { content, received_at, origin: Some(origin) });
                batch.sources.push(Some(source));
            }
            Decoded::Aside(what) => {
                meter.asides.get_or_create(&because(what)).inc();
            }
            Decoded::Refused(refusal) => {
                meter.refused.get_or_create(&because(refusal.reason.as_str())).inc();
                let key = ("refused", format!("{name}/{}", refusal.reason));
                *self.counted.entry(key).or_default() += 1;
                batch.refused.push(Refused {
                    received_at,
                    source: name.clone(),
                    topic: topic.clone(),
                    reason: refusal.reason.as_str(),
                    detail: refusal.detail,
                    payload: payload[..payload.len().min(ASIDE_BYTES_MAX)].into(),
                });
            }
        });
        batch.receipts.push((received_at, receipt));
        self.come_with(first);
    }

    /// Writes what has been gathered, gives receipts, judges, and keeps what was found.
    fn settle(&mut self) -> Result<(), JudgeError> {
        let strikes = self.struck_since.is_some_and(|since| since.elapsed() >= STRIKE_WITHIN);
        let batch = &self.batch;
        let has_messages = !batch.receipts.is_empty() || !batch.said.is_empty() || batch.law.is_some();
        if has_messages || strikes || !self.found.is_empty() {
            self.write()?;
        }
        // Under load they go with the next batch; else at once.
        if !self.found.is_empty() && (self.inbox.is_empty() || self.is_stopping) {
            self.write()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), JudgeError> {
        let batch = std::mem::take(&mut self.batch);
        let mut wait = RETRY.0;
        let places = loop {
            match self.try_write(&batch) {
                Ok(places) => break places,
                Err(error) if error.may_pass() => {
                    self.board.meter().store_errors.inc();
                    self.board.set_ready(false);
                    tracing::error!(%error, wait_ms = wait.as_millis() as u64, "the store cannot be written; trying again");
                    std::thread::sleep(wait);
                    wait = (wait * 2).min(RETRY.1);
                }
                Err(error) => return Err(error.into()),
            }
        };
        self.board.set_ready(true);
        self.struck.clear();
        self.struck_since = None;
        self.counted.clear();
        let published = std::mem::take(&mut self.found);
        if !published.is_empty() {
            self.board.outbox_grew();
            for kept in published {
                self.board.found(&Arc::new(kept));
            }
        }
        let now = (self.clock)();
        for (received_at, receipt) in batch.receipts {
            receipt.give();
            self.board.meter().stored_after.observe(now.seconds_since(received_at).max(0.0));
        }
        self.judge_new(batch.entries, &places)?;
        for waiting in batch.said {
            // Whoever said it may have gone.
            let _ = waiting.send(());
        }
        Ok(())
    }

    /// Writes all of it in one transaction; the answer has the position of each entry that is new.
    fn try_write(&mut self, batch: &Batch) -> Result<Vec<Option<u64>>, StoreError> {
        let (found, counted, struck) = (&self.found, &self.counted, &self.struck);
        let meter = self.board.meter();
        let now = (self.clock)();
        let write = |store: &mut Sqlite| {
            let mut places = store.append(&batch.entries)?;
            if let Some((law, map, rulebook)) = &batch.law {
                store.keep_law(law, map, rulebook)?;
                let entry = Entry { content: Content::Law(law.version.clone()), received_at: now, origin: None };
                places.extend(store.append(&[entry])?);
            }
            store.set_aside(&batch.refused)?;
            let differing = store.keep_findings(found)?;
            store.published(struck)?;
            store.count(counted)?;
            Ok((places, differing))
        };
        // Findings alone can be made again from the log, so nobody has to wait for the disk.
        let (places, differing) =
            if batch.is_empty() { self.store.whole_soon(write)? } else { self.store.whole(write)? };
        if differing > 0 {
            meter.differing.inc_by(differing);
            tracing::error!(differing, "findings were made again and differ; the ones that were there first stay");
        }
        for (source, place) in batch.sources.iter().zip(&places) {
            let Some(source) = source else { continue };
            let Listening { stored, repeated, .. } = &self.sources[*source];
            if place.is_some() {
                stored.inc()
            } else {
                repeated.inc()
            };
        }
        Ok(places)
    }

    /// Judges what has just been appended, and before it what another process has.
    fn judge_new(&mut self, entries: Vec<Entry>, places: &[Option<u64>]) -> Result<(), JudgeError> {
        let mut judged = Judged::default();
        let (mut found_after, mut posts, mut given) = (Vec::new(), false, Vec::new());
        let (law, law_before) = (places.get(entries.len()).copied().flatten(), self.judge.law().clone());
        for (entry, position) in entries.into_iter().zip(places) {
            let Some(position) = *position else { continue };
            if position > self.judge.position() + 1 {
                self.take_in(std::mem::take(&mut judged));
                self.catch_up_to(position - 1)?;
            }
            if position <= self.judge.position() {
                continue;
            }
            let logged = Logged { position, content: entry.content, received_at: entry.received_at };
            let before = judged.findings.len();
            self.judge.take(&self.store, &logged, &mut judged)?;
            if judged.findings.len() > before {
                found_after.push(logged.received_at);
            }
            match logged.content {
                Content::Observation(Observation::Fix(vessel, fix)) => {
                    given.push((vessel.clone(), fix.t));
                    if self.seen.get(&vessel).is_none_or(|(newest, _)| newest.t <= fix.t) {
                        self.seen.insert(vessel, (fix, logged.received_at));
                    }
                }
                Content::Observation(Observation::Mark(_) | Observation::Conditions(_)) => posts = true,
                Content::Observation(Observation::Activity(vessel, _) | Observation::Profile(vessel, _)) => {
                    // What it says of itself changes what is known of it where it was last seen.
                    if let (None, Some(state)) = (self.seen.get(&vessel), self.board.vessel(&vessel)) {
                        self.seen.insert(vessel, (state.fix, state.received_at));
                    }
                }
                Content::Law(_) | Content::Clock(..) => {}
            }
        }
        let now = (self.clock)();
        for received_at in found_after {
            self.board.meter().found_after.observe(now.seconds_since(received_at).max(0.0));
        }
        self.board.gave(&given, self.judge.rulebook().motion.max_gap_s);
        self.show_seen(false);
        if posts {
            self.board.set_posted(self.judge.posted());
        }
        self.take_in(judged);
        if *self.judge.law() != law_before {
            self.announce_law();
        }
        // A law of changed files is the last of its batch.
        law.map_or(Ok(()), |last| self.catch_up_to(last))
    }

    /// Shows the vessels that were heard to those who look on, with what the judge knows of them; `all` of them, or for
    /// now only those that were not seen lately.
    fn show_seen(&mut self, all: bool) {
        let (mut shown, mut waiting) = (BTreeMap::new(), BTreeMap::new());
        for (vessel, (fix, received_at)) in std::mem::take(&mut self.seen) {
            if !all && self.board.saw_lately(&vessel) {
                waiting.insert(vessel, (fix, received_at));
                continue;
            }
            let regard = self.judge.regard(&vessel);
            shown.insert(vessel, Sighted { fix, received_at, regard });
        }
        self.seen = waiting;
        self.board.saw(shown);
    }

    /// Shows the vessels as they were last seen before a restart, with the findings that were open.
    fn show_last_seen(&mut self) -> Result<(), JudgeError> {
        let since = (self.clock)().plus_seconds(-SHOWN_S);
        for logged in self.store.last_fixes(since)? {
            if let Content::Observation(Observation::Fix(vessel, fix)) = logged.content {
                self.seen.insert(vessel, (fix, logged.received_at));
            }
        }
        self.show_seen(true);
        let open = self.store.open_findings()?.into_iter().filter_map(|line| {
            let opened = serde_json::from_str(&line);
            opened.inspect_err(|error| tracing::warn!(%error, line, "an open finding cannot be read")).ok()
        });
        self.board.were_open(open.collect());
        Ok(())
    }

    /// Judges what is in the log and has not been judged.
    fn catch_up(&mut self) -> Result<(), JudgeError> {
        let last = self.store.last_position()?;
        self.catch_up_to(last)
    }

    fn catch_up_to(&mut self, end: u64) -> Result<(), JudgeError> {
        let law = self.judge.law().clone();
        let (judge, store) = (&mut self.judge, &self.store);
        let mut all = Vec::new();
        judge.catch_up(store, end, &mut |judged| all.push(judged))?;
        for judged in all {
            self.take_in(judged);
        }
        if *self.judge.law() != law {
            self.announce_law();
        }
        Ok(())
    }

    fn announce_law(&self) {
        let (map, rulebook) = (self.judge.map().clone(), self.judge.rulebook().clone());
        let (since, version) = ((self.clock)(), self.judge.law().clone());
        tracing::info!(map = %map.version, rulebook = %rulebook.version, "another map or rulebook is in force");
        let meter = self.board.meter();
        meter.law.clear();
        let label = Version { map: map.version.to_string(), rulebook: rulebook.version.to_string() };
        meter.law.get_or_create(&label).set(since.unix_ns() as f64 / 1e9);
        self.board.set_law(InForce { version, map, rulebook, since, fault: None });
        self.board.set_posted(self.judge.posted());
    }

    /// Counts what was judged and holds what was found, to be written with the next transaction.
    fn take_in(&mut self, judged: Judged) {
        let position = self.judge.position();
        if position > self.counted_to {
            let meter = self.board.meter();
            self.board.refused(&judged.refused);
            meter.accepted.inc_by(judged.accepted);
            *self.counted.entry(("accepted", String::new())).or_default() += judged.accepted;
            for refused in &judged.refused {
                let reason = refused.reason.as_str().to_owned();
                *self.counted.entry(("refused", reason.clone())).or_default() += 1;
                meter.refused.get_or_create(&Because { source: String::new(), reason }).inc();
            }
            *self.counted.entry(("counted_to", String::new())).or_default() += position - self.counted_to;
            self.counted_to = position;
        }
        let made_at = (self.clock)();
        for kept in judged.kept(made_at) {
            let status = match kept.finding.status {
                Status::Open => "open",
                Status::Closed => "closed",
                Status::Withdrawn => "withdrawn",
            };
            self.board.meter().findings.get_or_create(&Rule { rule: kept.finding.rule, status }).inc();
            self.found.push(kept);
        }
    }
}
