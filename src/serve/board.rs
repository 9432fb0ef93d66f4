//! What is known right now, for those who look on: health, metrics, the terminal, the console.
//!
//! Looking on never holds up the keeper: it writes here what it knows and goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::sync::{broadcast, watch};

use super::LISTENERS;
use super::calendar::VersionOf;
use super::judge::RefusedFix;
use super::meter::Meter;
use super::tally::{Share, Tally};
use crate::engine::{Posted, Regard};
use crate::findings::{Finding, Status};
use crate::observation::{Fix, VesselId};
use crate::rulebook::Rulebook;
use crate::store::Kept;
use crate::time::EventTime;
use crate::zones::Map;

/// Vessels whose state is held at most; those silent for longest go first.
const VESSELS_MAX: usize = 50_000;
/// A vessel that reports more often is seen no more often than this.
const SEEN_EVERY: Duration = Duration::from_millis(200);
/// A vessel not heard for so long is no longer shown, seconds.
pub(super) const SHOWN_S: f64 = 3_600.0;
/// States that are still to be taken back from a broker at most.
const GONE_MAX: usize = 200_000;

/// The law in force.
#[derive(Debug, Clone)]
pub struct InForce {
    /// Its version.
    pub version: Arc<str>,
    /// The map.
    pub map: Arc<Map>,
    /// The rulebook.
    pub rulebook: Arc<Rulebook>,
    /// Since when, by the clock of the machine.
    pub since: EventTime,
    /// Why the newest change of the files was refused, if it was.
    pub fault: Option<String>,
}

/// The last that was heard of a vessel.
#[derive(Debug, Clone)]
pub struct VesselState {
    /// Its newest fix.
    pub fix: Fix,
    /// When it arrived.
    pub received_at: EventTime,
    /// What the judge knows of it there.
    pub regard: Option<Arc<Regard>>,
    /// Grows with every change, over all vessels.
    pub revision: u64,
    /// When it was last seen here.
    seen_at: Instant,
    /// Whether it has changed since it was last published.
    pub(super) is_news: bool,
    /// When it was last published.
    pub(super) published_at: EventTime,
    /// Its findings that are open, by id.
    pub open: BTreeMap<String, Opened>,
}

/// What is known of a finding that is open.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Opened {
    /// Its id.
    pub id: String,
    /// Whose it is.
    pub vessel: VesselId,
    /// The rule.
    pub rule: String,
    /// The clause, as it is cited.
    pub clause: String,
    /// What was allowed.
    pub limit: OpenedLimit,
}

/// What the clause of an open finding allowed.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct OpenedLimit {
    /// m/s.
    pub speed_mps: Option<f64>,
    /// Metres.
    pub distance_m: Option<f64>,
}

impl Opened {
    fn of(finding: &Finding) -> Self {
        let Finding { id, vessel, rule, clause, limit, .. } = finding;
        let limit = OpenedLimit { speed_mps: limit.speed_mps, distance_m: limit.distance_m };
        Self { id: id.clone(), vessel: vessel.clone(), rule: (*rule).to_owned(), clause: clause.clone(), limit }
    }
}

/// What those who look on may see. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Board {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    meter: Meter,
    vessels: Mutex<Vessels>,
    /// For how long each of them was judged.
    tally: Mutex<Tally>,
    /// Vessels that are no longer shown, and whose state a broker still keeps.
    gone: Mutex<BTreeSet<VesselId>>,
    findings: broadcast::Sender<Arc<Kept>>,
    law: watch::Sender<Arc<InForce>>,
    posted: watch::Sender<Arc<Vec<Posted>>>,
    /// Told whenever something is published for a later day, or withdrawn.
    schedule: watch::Sender<u64>,
    /// Why what is published for a later day cannot come into force as it is.
    coming_faults: Mutex<BTreeMap<VersionOf, String>>,
    outbox: watch::Sender<i64>,
    keeper_runs: AtomicBool,
    publisher_is_connected: AtomicBool,
}

/// All vessels, and how often any of them changed.
#[derive(Debug, Default)]
struct Vessels {
    by_id: BTreeMap<VesselId, VesselState>,
    revision: u64,
}

/// A vessel as it was just seen.
#[derive(Debug)]
pub(super) struct Sighted {
    /// Its newest fix.
    pub fix: Fix,
    /// When it arrived.
    pub received_at: EventTime,
    /// What the judge knows of it there.
    pub regard: Option<Regard>,
}

impl Board {
    pub(super) fn new(law: InForce) -> Self {
        Self {
            inner: Arc::new(Inner {
                meter: Meter::new(),
                vessels: Mutex::default(),
                tally: Mutex::default(),
                gone: Mutex::default(),
                findings: broadcast::Sender::new(LISTENERS),
                law: watch::Sender::new(Arc::new(law)),
                posted: watch::Sender::default(),
                schedule: watch::Sender::new(0),
                coming_faults: Mutex::default(),
                outbox: watch::Sender::new(0),
                keeper_runs: AtomicBool::new(false),
                publisher_is_connected: AtomicBool::new(false),
            }),
        }
    }

    /// Counts and gauges.
    pub(super) fn meter(&self) -> &Meter {
        &self.inner.meter
    }

    /// Counts and gauges as Prometheus reads them.
    pub fn metrics(&self) -> String {
        self.inner.meter.text()
    }

    /// The newest state of every vessel heard of in the last hour.
    pub fn vessels(&self) -> Vec<(VesselId, VesselState)> {
        self.lock().by_id.iter().map(|(id, state)| (id.clone(), state.clone())).collect()
    }

    /// The vessels that changed after a revision, and the newest revision.
    pub fn vessels_since(&self, revision: u64) -> (Vec<(VesselId, VesselState)>, u64) {
        let vessels = self.lock();
        let changed = vessels.by_id.iter().filter(|(_, state)| state.revision > revision);
        (changed.map(|(id, state)| (id.clone(), state.clone())).collect(), vessels.revision)
    }

    /// Whether anything is known of a vessel.
    pub fn knows(&self, vessel: &VesselId) -> bool {
        self.lock().by_id.contains_key(vessel)
    }

    /// One vessel.
    pub fn vessel(&self, vessel: &VesselId) -> Option<VesselState> {
        self.lock().by_id.get(vessel).cloned()
    }

    /// What lies on the waters beside the map, and its changes.
    pub fn posted(&self) -> watch::Receiver<Arc<Vec<Posted>>> {
        self.inner.posted.subscribe()
    }

    pub(super) fn set_posted(&self, posted: Vec<Posted>) {
        self.inner.posted.send_if_modified(|before| {
            let is_news = **before != posted;
            *before = Arc::new(posted);
            is_news
        });
    }

    /// Findings as they are made, each revision. Who falls far behind misses some and is told how many.
    pub fn findings(&self) -> broadcast::Receiver<Arc<Kept>> {
        self.inner.findings.subscribe()
    }

    /// The law in force, and its changes.
    pub fn law(&self) -> watch::Receiver<Arc<InForce>> {
        self.inner.law.subscribe()
    }

    /// Whether messages are stored and judged.
    pub fn is_ready(&self) -> bool {
        self.inner.keeper_runs.load(Ordering::Relaxed)
    }

    /// Whether findings reach their broker.
    pub fn publishes(&self) -> bool {
        self.inner.publisher_is_connected.load(Ordering::Relaxed)
    }

    pub(super) fn set_ready(&self, runs: bool) {
        self.inner.keeper_runs.store(runs, Ordering::Relaxed);
    }

    pub(super) fn set_publishes(&self, is_connected: bool) {
        self.inner.publisher_is_connected.store(is_connected, Ordering::Relaxed);
    }

    /// Whether a vessel was seen here so lately that its next fix can wait a little: whoever reports many times a second
    /// is looked at a few times a second.
    pub(super) fn saw_lately(&self, vessel: &VesselId) -> bool {
        self.lock().by_id.get(vessel).is_some_and(|state| state.seen_at.elapsed() < SEEN_EVERY)
    }

    /// Notes the newest fixes of vessels, and makes room where there are too many.
    pub(super) fn saw(&self, fixes: BTreeMap<VesselId, Sighted>) {
        let mut vessels = self.lock();
        for (vessel, Sighted { fix, received_at, regard }) in fixes {
            vessels.revision += 1;
            let revision = vessels.revision;
            let regard = regard.map(Arc::new);
            match vessels.by_id.get_mut(&vessel) {
                Some(state) if state.fix.t > fix.t => state.received_at = received_at,
                Some(state) => {
                    (state.fix, state.received_at, state.regard) = (fix, received_at, regard);
                    state.revision = revision;
                    state.seen_at = Instant::now();
                    state.is_news = true;
                }
                None => {
                    self.make_room(&mut vessels.by_id);
                    let (published_at, open) = (EventTime::MIN, BTreeMap::new());
                    let seen_at = Instant::now();
                    let state =
                        VesselState { fix, received_at, regard, revision, seen_at, is_news: true, published_at, open };
                    vessels.by_id.insert(vessel, state);
                }
            }
        }
    }

    /// Notes fixes that were given to the judge.
    pub(super) fn gave(&self, fixes: &[(VesselId, EventTime)], max_gap_s: f64) {
        let mut tally = self.tally();
        fixes.iter().for_each(|(vessel, t)| tally.fix(vessel, *t, max_gap_s));
    }

    /// Notes that fixes were refused.
    pub(super) fn refused(&self, refused: &[RefusedFix]) {
        let mut tally = self.tally();
        refused.iter().for_each(|RefusedFix { vessel, t, reason, .. }| tally.refused(vessel, *t, *reason));
    }

    /// For how long a vessel was judged since an instant, at most an hour ago, and why not for the rest.
    pub fn judged_since(&self, vessel: &VesselId, from: EventTime) -> Share {
        self.tally().since(vessel, from)
    }

    /// Notes a finding and tells those who listen.
    pub(super) fn found(&self, kept: &Arc<Kept>) {
        let mut vessels = self.lock();
        vessels.revision += 1;
        let revision = vessels.revision;
        if let Some(state) = vessels.by_id.get_mut(&kept.finding.vessel) {
            state.revision = revision;
            if kept.finding.status == Status::Open {
                state.open.insert(kept.finding.id.clone(), Opened::of(&kept.finding));
            } else {
                state.open.remove(&kept.finding.id);
            }
            state.is_news = true;
        }
        drop(vessels);
        // Nobody may be listening.
        let _ = self.inner.findings.send(kept.clone());
    }

    /// Takes it that these findings were open before it began.
    pub(super) fn were_open(&self, all: Vec<Opened>) {
        let mut vessels = self.lock();
        for opened in all {
            vessels.revision += 1;
            let revision = vessels.revision;
            if let Some(state) = vessels.by_id.get_mut(&opened.vessel) {
                state.revision = revision;
                state.open.insert(opened.id.clone(), opened);
            }
        }
    }

    /// Forgets vessels that have been silent for long.
    pub(super) fn sweep(&self, now: EventTime) {
        let mut vessels = self.lock();
        self.keep(&mut vessels.by_id, |state| now.seconds_since(state.received_at) < SHOWN_S);
        self.tally().keep(|vessel| vessels.by_id.contains_key(vessel));
    }

    /// Where there are too many vessels, takes a tenth at once, so that looking for them costs little each time.
    fn make_room(&self, vessels: &mut BTreeMap<VesselId, VesselState>) {
        if vessels.len() >= VESSELS_MAX {
            let mut heard: Vec<EventTime> = vessels.values().map(|state| state.received_at).collect();
            let (_, cut, _) = heard.select_nth_unstable(VESSELS_MAX / 10);
            let cut = *cut;
            self.keep(vessels, |state| state.received_at > cut);
        }
    }

    fn keep(&self, vessels: &mut BTreeMap<VesselId, VesselState>, stays: impl Fn(&VesselState) -> bool) {
        vessels.retain(|vessel, state| {
            let stays = stays(state);
            if !stays && state.published_at > EventTime::MIN {
                self.forget(vessel.clone());
            }
            stays
        });
    }

    /// Notes that a broker keeps the state of a vessel that is not shown.
    pub(super) fn forget(&self, vessel: VesselId) {
        let mut gone = self.inner.gone.lock().unwrap_or_else(PoisonError::into_inner);
        // Without a connection for so long, the broker has to be cleaned by whoever runs it.
        if gone.len() < GONE_MAX {
            gone.insert(vessel);
        }
    }

    /// Vessels whose state is to be taken back from the broker, unless they have been heard again.
    pub(super) fn gone(&self) -> Vec<VesselId> {
        let gone = std::mem::take(&mut *self.inner.gone.lock().unwrap_or_else(PoisonError::into_inner));
        let vessels = self.lock();
        gone.into_iter().filter(|vessel| !vessels.by_id.contains_key(vessel)).collect()
    }

    /// Whether a state of this time is too old to be shown.
    pub(super) fn is_over(t: EventTime, now: EventTime) -> bool {
        now.seconds_since(t) >= SHOWN_S
    }

    /// The vessels whose state is to be published now; from then on it counts as published.
    pub(super) fn due(&self, now: EventTime, every_s: f64) -> Vec<(VesselId, VesselState)> {
        let mut vessels = self.lock();
        let due = vessels.by_id.iter_mut().filter(|(_, state)| {
            state.is_news && (state.published_at == EventTime::MIN || now.seconds_since(state.published_at) >= every_s)
        });
        due.map(|(id, state)| {
            state.is_news = false;
            state.published_at = now;
            (id.clone(), state.clone())
        })
        .collect()
    }

    pub(super) fn set_law(&self, law: InForce) {
        self.inner.law.send_replace(Arc::new(law));
    }

    pub(super) fn set_law_fault(&self, fault: Option<String>) {
        self.inner.law.send_if_modified(|law| {
            if law.fault == fault {
                return false;
            }
            *law = Arc::new(InForce { fault, ..InForce::clone(law) });
            true
        });
    }

    /// Has what is published for a later day read anew.
    pub fn schedule_changed(&self) {
        self.inner.schedule.send_modify(|n| *n += 1);
    }

    pub(super) fn schedule(&self) -> watch::Receiver<u64> {
        self.inner.schedule.subscribe()
    }

    /// Why versions that are published for a later day cannot come into force as they are.
    pub fn coming_faults(&self) -> BTreeMap<VersionOf, String> {
        self.inner.coming_faults.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_coming_faults(&self, faults: BTreeMap<VersionOf, String>) {
        *self.inner.coming_faults.lock().unwrap_or_else(PoisonError::into_inner) = faults;
    }

    pub(super) fn set_coming_fault(&self, of: VersionOf, fault: String) {
        self.inner.coming_faults.lock().unwrap_or_else(PoisonError::into_inner).insert(of, fault);
    }

    /// Told whenever there is something new in the outbox.
    pub(super) fn outbox(&self) -> watch::Receiver<i64> {
        self.inner.outbox.subscribe()
    }

    pub(super) fn outbox_grew(&self) {
        self.inner.outbox.send_modify(|n| *n += 1);
    }

    /// Locked after the vessels, where both are.
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.inner.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Vessels> {
        // Nothing that holds the lock can leave it half done.
        self.inner.vessels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
