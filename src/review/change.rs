//! What another map or rulebook would have found in a past period, beside what the one in force found in it.
//!
//! Only waterways that differ are judged, by the draft; what is in force has its findings in the store, unless the law
//! was another one for a while, late fixes were judged in afterwards, or old tracks went: then the period is judged by
//! both, side by side. Everything streams: a thread decodes the log, others judge, what waits between them is bounded,
//! and what has been found so far can be looked at meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::compare::{Changed, Made};
use crate::engine::{Engine, Event, Offline};
use crate::findings::{Finding, Status};
use crate::observation::{Observation, WaterwayId};
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
/// How far beyond the box of a waterway a fix may bear on it, degrees.
const MARGIN_DEG: f64 = 0.01;
/// A finding that ended so long before the newest fix has been closed by then, seconds.
const CLOSED_WITHIN_S: f64 = 120.0;
/// What is published is rounded to the millisecond, seconds.
const ROUNDED_S: f64 = 0.001;
/// A daemon that judges what comes in has judged all but so many entries.
const BEHIND_MAX: u64 = 20_000;

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

/// How far the work is, for who waits for it, and whether anybody still does.
#[derive(Debug, Default)]
pub struct Progress {
    share_ppm: AtomicU64,
    stops: std::sync::atomic::AtomicBool,
    before: Mutex<Side>,
    after: Mutex<Side>,
}

/// What one law has found so far.
#[derive(Debug, Default)]
struct Side {
    found: Vec<Arc<Made>>,
    /// Up to when, by the newest fix.
    reached: Option<EventTime>,
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

    /// What would change in that part of the period that has been judged. Of a finding about its end something else may
    /// be said in the end.
    pub fn so_far(&self) -> Changed {
        let mut changed = Changed::default();
        let (before, after) = (locked(&self.before), locked(&self.after));
        if let (Some(one), Some(other)) = (before.reached, after.reached) {
            let until = one.min(other).plus_seconds(-CLOSED_WITHIN_S);
            let closed = |side: &Side| side.found.iter().filter(|made| made.over() <= until).cloned().collect();
            let sides = (closed(&before), closed(&after));
            drop((before, after));
            changed.compare(sides.0, sides.1);
        }
        changed
    }

    fn is_stopped(&self) -> bool {
        self.stops.load(Ordering::Relaxed)
    }

    fn reached(&self, share: f64) {
        self.share_ppm.store((share.clamp(0.0, 1.0) * 1e6) as u64, Ordering::Relaxed);
    }
}

fn locked(side: &Mutex<Side>) -> MutexGuard<'_, Side> {
    // Nothing that holds the lock can leave it half done.
    side.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Judges a period by a draft, and compares with what is in force.
///
/// # Errors
/// [`StoreError`].
pub fn what_would_change(store: &Sqlite, question: &Question, progress: &Progress) -> Result<Changed, StoreError> {
    let waterways = differing(question);
    let ids: Vec<WaterwayId> = waterways.iter().map(|(id, _)| id.clone()).collect();
    let mut changed = Changed { waterways: ids.clone(), ..Changed::default() };
    let span = Span { from: question.from, to: question.to };
    let ends = store.positions_between(span.lead(), span.tail())?.filter(|_| !waterways.is_empty());
    let Some((first, mut last)) = ends else {
        progress.reached(1.0);
        return Ok(changed);
    };
    let mut parties = vec![Party { law: &question.draft, side: &progress.after, span, after: 0 }];
    let in_force = Party { law: &question.in_force, side: &progress.before, span, after: 0 };
    match store.at_once(|store| stored(store, question, &ids, first, last))? {
        None => parties.push(in_force),
        Some((found, judged_to)) => {
            last = last.min(judged_to);
            // What goes on has not been told to its end yet: from there on it is judged by what is in force as well.
            let open = found.iter().filter(|made| made.is_open());
            let open_from = open.map(|made| made.start.plus_seconds(-ROUNDED_S)).min();
            let over = found.into_iter().filter(|made| open_from.is_none_or(|from| made.start < from));
            *locked(&progress.before) = Side { found: over.collect(), reached: Some(EventTime::MAX) };
            if let Some(from) = open_from {
                let span = Span { from, ..span };
                let after = store.positions_between(span.lead(), span.tail())?.map_or(last, |(first, _)| first - 1);
                locked(&progress.before).reached = Some(from);
                parties.push(Party { span, after, ..in_force });
            }
        }
    }
    let boxes: Vec<[f64; 4]> = waterways.iter().flat_map(|(_, boxes)| boxes.iter().copied()).collect();
    let is_near = |lat: f64, lon: f64| {
        boxes.iter().any(|[west, south, east, north]| {
            (*south..=*north).contains(&lat)
                && (*west..=*east).contains(&crate::geo::near_lon_deg(lon, 0.5 * (west + east)))
        })
    };
    let (from, to) = (span.lead(), span.tail());
    let said: Vec<(u64, Observation)> = store
        .said(from, to)?
        .into_iter()
        .filter_map(|entry| match entry.content {
            Content::Observation(observation) => Some((entry.position, observation)),
            Content::Law(_) | Content::Clock(..) => None,
        })
        .collect();
    changed.fixes = std::thread::scope(|scope| {
        let mut judges = Vec::new();
        for party in parties {
            let (judge, bunches) = sync_channel(BUNCHES);
            let (said, ids) = (&said, &ids);
            scope.spawn(move || party.judge(said, bunches, ids));
            judges.push(judge);
        }
        let asked = Bunches { after: first.saturating_sub(1), until: last, from, to, size: BUNCH };
        let mut fixes = 0;
        // When this ends the judges have all that there is, and end as well.
        store.each_bunch(&asked, is_near, |bunch, reached| {
            fixes += bunch.len() as u64;
            progress.reached(0.99 * reached.saturating_sub(first) as f64 / (last - first).max(1) as f64);
            !progress.is_stopped() && hand_on(bunch, &judges)
        })?;
        Ok::<_, StoreError>(fixes)
    })?;
    let found = |side| locked(side).found.clone();
    changed.compare(found(&progress.before), found(&progress.after));
    progress.reached(1.0);
    Ok(changed)
}

/// From when to when findings begin that are asked for.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: EventTime,
    to: EventTime,
}

impl Span {
    /// From when on fixes bear on it.
    fn lead(self) -> EventTime {
        self.from.plus_seconds(-LEAD_S)
    }

    /// Until when fixes bear on it.
    fn tail(self) -> EventTime {
        self.to.plus_seconds(TAIL_S)
    }
}

/// Findings out of the store, and up to where in the log there are some.
type Stored = (Vec<Arc<Made>>, u64);

/// The findings of the period that are in the store; `None` where they are not what the law in force makes of the log as
/// it is.
fn stored(
    store: &Sqlite,
    question: &Question,
    waterways: &[WaterwayId],
    first: u64,
    last: u64,
) -> Result<Option<Stored>, StoreError> {
    let (map, rulebook) = &question.in_force;
    let judged_to = store.counted("counted_to")?;
    let is_whole = store.counted("thinned_to")? < first && judged_to.saturating_add(BEHIND_MAX) >= last;
    if !is_whole || judged_to < first || !store.was_in_force(&map.version, &rulebook.version, first, last)? {
        return Ok(None);
    }
    let standing = store.standing_between(waterways, question.from, question.to)?;
    if standing.iter().any(|one| one.is_amended) {
        return Ok(None);
    }
    let found = standing.into_iter().filter(|one| !one.is_withdrawn).map(|one| {
        let read = Made::read(one.json).map(Arc::new);
        read.map_err(|error| store.unreadable(one.position, format!("its finding: {error}")))
    });
    Ok(Some((found.collect::<Result<_, _>>()?, judged_to)))
}

/// Whether all judges took it.
fn hand_on(bunch: Bunch, judges: &[SyncSender<Arc<Bunch>>]) -> bool {
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

/// A law that judges.
struct Party<'a> {
    law: &'a LawPair,
    /// Where what it finds is noted.
    side: &'a Mutex<Side>,
    /// What it is asked for.
    span: Span,
    /// Fixes up to this position of the log are nothing to it.
    after: u64,
}

impl Party<'_> {
    /// Notes the closed findings of some waterways that began in its span.
    fn judge(self, said: &[(u64, Observation)], bunches: Receiver<Arc<Bunch>>, waterways: &[WaterwayId]) {
        let (map, rulebook) = self.law;
        let mut engine = Offline::new(Engine::new(map.clone(), rulebook.clone()));
        let mut said = said.iter().peekable();
        let mut events = Vec::new();
        let mut newest = EventTime::MIN;
        for bunch in bunches {
            for (position, observation) in bunch.iter() {
                newest = observation.t().map_or(newest, |t| newest.max(t));
                if *position <= self.after {
                    continue;
                }
                while let Some((at, statement)) = said.next_if(|(at, _)| at < position) {
                    engine.observe(*at, statement, &mut events);
                }
                engine.observe(*position, observation, &mut events);
            }
            self.keep(&mut events, waterways, newest);
        }
        for (at, statement) in said {
            engine.observe(*at, statement, &mut events);
        }
        engine.engine(&mut events).finish(&mut events);
        self.keep(&mut events, waterways, EventTime::MAX);
    }

    fn keep(&self, events: &mut Vec<Event>, waterways: &[WaterwayId], reached: EventTime) {
        let Span { from, to } = self.span;
        let found = events.drain(..).filter_map(|event| match event {
            Event::Finding(finding) => Some(finding),
            _ => None,
        });
        let is_meant = |finding: &Finding| {
            finding.status == Status::Closed
                && (from..=to).contains(&finding.start)
                && waterways.contains(&finding.waterway)
        };
        let found = found.filter(|finding| is_meant(finding));
        let found: Vec<Arc<Made>> = found.map(|finding| Arc::new(Made::of(&finding, &self.law.1))).collect();
        let mut side = locked(self.side);
        side.found.extend(found);
        side.reached = Some(reached);
    }
}
