//! What another map or rulebook would have found in a past period: judged twice side by side, by the one in force and
//! by the draft, from the same fixes.
//!
//! Only waterways that differ are judged. Everything streams: a thread decodes the log, one judges by what is in force,
//! one by the draft, and what waits between them is bounded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::engine::{Engine, Event, Offline};
use crate::findings::{Finding, Status};
use crate::observation::{Observation, VesselId, WaterwayId};
use crate::rulebook::Rulebook;
use crate::store::{Bunch, Bunches, Content, Sqlite, StoreError};
use crate::time::EventTime;
use crate::zones::{Map, Waterway};

/// Fixes of this long before the period are judged with it, seconds.
const LEAD_S: f64 = 700.0;
/// Fixes of this long after it close what began in it, seconds.
const TAIL_S: f64 = 300.0;
/// How many fixes are handed on at a time, and how many such bunches wait for a judge.
const BUNCH: usize = 8_192;
const BUNCHES: usize = 6;
/// Confidences that differ by less say the same.
const SAME_ODDS: f64 = 0.01;
/// Findings of one clause this far apart may be one, seconds.
const APART_S: f64 = 10.0;
/// How far beyond the box of a waterway a fix may bear on it, degrees.
const MARGIN_DEG: f64 = 0.01;

/// A map and a rulebook.
pub type LawPair = (Arc<Map>, Arc<Rulebook>);

/// What is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// From when.
    pub from: EventTime,
    /// Until when.
    pub to: EventTime,
    /// What is in force.
    pub in_force: LawPair,
    /// What would be.
    pub draft: LawPair,
}

/// What would change.
#[derive(Debug, Default)]
pub struct Changed {
    /// Findings that only the draft makes.
    pub gained: Vec<Finding>,
    /// Findings that only what is in force makes.
    pub lost: Vec<Finding>,
    /// Findings of both whose verdict or confidence differs: as it is, and as it would be.
    pub other_odds: Vec<(Finding, Finding)>,
    /// How many are the same.
    pub same: usize,
    /// How many fixes were judged.
    pub fixes: u64,
    /// The waterways that differ.
    pub waterways: Vec<WaterwayId>,
}

/// How far the work is, for who waits for it, and whether anybody still does.
#[derive(Debug, Default)]
pub struct Progress {
    share_ppm: AtomicU64,
    stops: std::sync::atomic::AtomicBool,
}

impl Progress {
    /// Between 0 and 1.
    pub fn share(&self) -> f64 {
        self.share_ppm.load(Ordering::Relaxed) as f64 / 1e6
    }

    /// Nobody waits any more.
    pub fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
    }

    fn reached(&self, share: f64) {
        self.share_ppm.store((share.clamp(0.0, 1.0) * 1e6) as u64, Ordering::Relaxed);
    }
}

/// Judges a period by what is in force and by a draft.
///
/// # Errors
/// [`StoreError`].
pub fn what_would_change(store: &Sqlite, question: &Question, progress: &Progress) -> Result<Changed, StoreError> {
    let waterways = differing(question);
    let mut changed = Changed { waterways: waterways.iter().map(|(id, _)| id.clone()).collect(), ..Changed::default() };
    let (from, to) = (question.from.plus_seconds(-LEAD_S), question.to.plus_seconds(TAIL_S));
    let ends = store.positions_between(from, to)?.filter(|_| !waterways.is_empty());
    let Some((first, last)) = ends else {
        progress.reached(1.0);
        return Ok(changed);
    };
    let said: Vec<(u64, Observation)> = store
        .said(from, to)?
        .into_iter()
        .filter_map(|entry| match entry.content {
            Content::Observation(observation) => Some((entry.position, observation)),
            Content::Law(_) | Content::Clock(..) => None,
        })
        .collect();
    let boxes: Vec<[f64; 4]> = waterways.iter().flat_map(|(_, boxes)| boxes.iter().copied()).collect();
    let is_near = |lat: f64, lon: f64| {
        boxes.iter().any(|[west, south, east, north]| {
            (*south..=*north).contains(&lat)
                && (*west..=*east).contains(&crate::geo::near_lon_deg(lon, 0.5 * (west + east)))
        })
    };
    let (before, after, fixes) = std::thread::scope(|scope| {
        let (to_one, of_one) = sync_channel(BUNCHES);
        let (to_other, of_other) = sync_channel(BUNCHES);
        let one = scope.spawn(|| judge(&question.in_force, question, &said, of_one));
        let other = scope.spawn(|| judge(&question.draft, question, &said, of_other));
        let asked = Bunches { after: first.saturating_sub(1), until: last, from, to, size: BUNCH };
        let mut fixes = 0;
        let both = [to_one, to_other];
        let read = store.each_bunch(&asked, is_near, |bunch, reached| {
            fixes += bunch.len() as u64;
            progress.reached(0.99 * (reached - first) as f64 / (last - first).max(1) as f64);
            !progress.stops.load(Ordering::Relaxed) && hand_on(bunch, &both)
        });
        drop(both);
        let judged = (one.join().unwrap_or_default(), other.join().unwrap_or_default());
        read.map(|()| (judged.0, judged.1, fixes))
    })?;
    changed.fixes = fixes;
    compare(before, after, &changed.waterways.clone(), &mut changed);
    progress.reached(1.0);
    Ok(changed)
}

/// Whether both judges took it.
fn hand_on(bunch: Bunch, judges: &[SyncSender<Arc<Bunch>>; 2]) -> bool {
    let bunch = Arc::new(bunch);
    judges.iter().all(|judge| judge.send(bunch.clone()).is_ok())
}

/// The waterways that differ, each with the boxes that it has in either map.
fn differing(question: &Question) -> Vec<(WaterwayId, Vec<[f64; 4]>)> {
    let ((map, rulebook), (draft, draft_rulebook)) = (&question.in_force, &question.draft);
    let is_same_rulebook = rulebook.version == draft_rulebook.version;
    let find = |map: &'_ Map, id: &WaterwayId| map.waterways.iter().position(|waterway| waterway.id == *id);
    let mut ids: Vec<&WaterwayId> = map.waterways.iter().chain(&draft.waterways).map(|waterway| &waterway.id).collect();
    ids.sort();
    ids.dedup();
    ids.into_iter()
        .filter_map(|id| {
            let here = find(map, id).map(|at| &map.waterways[at]);
            let there = find(draft, id).map(|at| &draft.waterways[at]);
            let is_same = is_same_rulebook && here.map(|w| &w.version) == there.map(|w| &w.version);
            let boxes = here.into_iter().chain(there).filter_map(bounds).collect();
            (!is_same).then(|| (id.clone(), boxes))
        })
        .collect()
}

/// The box of a waterway with a margin: west, south, east, north.
fn bounds(waterway: &Waterway) -> Option<[f64; 4]> {
    let mut bounds: Option<[f64; 4]> = None;
    waterway.water().shape.each_edge(&mut |a, _| {
        let [west, south, east, north] = bounds.get_or_insert([a.lon_deg(), a.lat_deg(), a.lon_deg(), a.lat_deg()]);
        let lon = crate::geo::near_lon_deg(a.lon_deg(), *west);
        (*west, *east) = (west.min(lon), east.max(lon));
        (*south, *north) = (south.min(a.lat_deg()), north.max(a.lat_deg()));
    });
    bounds.map(|[west, south, east, north]| {
        [west - MARGIN_DEG, south - MARGIN_DEG, east + MARGIN_DEG, north + MARGIN_DEG]
    })
}

/// The closed findings that began in the period.
fn judge(
    (map, rulebook): &LawPair,
    question: &Question,
    said: &[(u64, Observation)],
    bunches: Receiver<Arc<Bunch>>,
) -> Vec<Finding> {
    let mut engine = Offline::new(Engine::new(map.clone(), rulebook.clone()));
    let mut said = said.iter().peekable();
    let (mut events, mut findings) = (Vec::new(), Vec::new());
    let mut keep = |events: &mut Vec<Event>| {
        for event in events.drain(..) {
            if let Event::Finding(finding) = event
                && finding.status == Status::Closed
                && question.from <= finding.start
                && finding.start <= question.to
            {
                findings.push(*finding);
            }
        }
    };
    for bunch in bunches {
        for (position, observation) in bunch.iter() {
            while let Some((at, statement)) = said.next_if(|(at, _)| at < position) {
                engine.observe(*at, statement, &mut events);
            }
            engine.observe(*position, observation, &mut events);
        }
        keep(&mut events);
    }
    for (at, statement) in said {
        engine.observe(*at, statement, &mut events);
    }
    engine.engine(&mut events).finish(&mut events);
    keep(&mut events);
    findings.sort_by(|a, b| (a.start, &a.id).cmp(&(b.start, &b.id)));
    findings
}

/// What findings are told apart by, beside their time.
type Kin = (WaterwayId, &'static str, String, VesselId, Option<VesselId>);

fn kin(finding: &Finding) -> Kin {
    let Finding { waterway, rule, clause, vessel, other, .. } = finding;
    (waterway.clone(), rule, clause.clone(), vessel.clone(), other.clone())
}

/// Pairs findings of the same clause and vessels that overlap, the earliest first.
fn compare(before: Vec<Finding>, after: Vec<Finding>, waterways: &[WaterwayId], changed: &mut Changed) {
    let is_meant = |finding: &Finding| waterways.contains(&finding.waterway);
    let mut left: BTreeMap<Kin, Vec<Finding>> = BTreeMap::new();
    for finding in before.into_iter().filter(is_meant) {
        left.entry(kin(&finding)).or_default().push(finding);
    }
    for finding in after.into_iter().filter(is_meant) {
        let end = |finding: &Finding| finding.end.unwrap_or(finding.start).plus_seconds(APART_S);
        let overlaps = |other: &Finding| other.start <= end(&finding) && finding.start <= end(other);
        let others = left.get_mut(&kin(&finding));
        let twin = others.and_then(|others| {
            let at = others.iter().position(overlaps)?;
            Some(others.remove(at))
        });
        match twin {
            None => changed.gained.push(finding),
            Some(twin)
                if twin.verdict == finding.verdict && (twin.confidence - finding.confidence).abs() < SAME_ODDS =>
            {
                changed.same += 1;
            }
            Some(twin) => changed.other_odds.push((twin, finding)),
        }
    }
    changed.lost = left.into_values().flatten().collect();
    changed.lost.sort_by(|a, b| (a.start, &a.id).cmp(&(b.start, &b.id)));
}
