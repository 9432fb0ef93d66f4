//! A recording that somebody has, reviewed without being stored: whatever `replay` reads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::gather::{Gathering, Terms};
use super::{PERIOD_MAX_S, Review};
use crate::engine::{Engine, Event};
use crate::export;
use crate::findings::{Finding, Status};
use crate::observation::{Observation, WaterwayId};
use crate::replay::{ReadOptions, RecordingError, whole};
use crate::rulebook::Rulebook;
use crate::time::EventTime;
use crate::zones::{Map, WaterwayIx};

/// Why a recording cannot be reviewed.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It cannot be read, or leaves out what must not be guessed.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// It has no fix.
    #[error("the recording holds no position that can be used: {0}")]
    Empty(String),
    /// None of its fixes lies on a waterway of the map.
    #[error("no position of the recording lies on {0}")]
    Elsewhere(String),
}

/// What happened in a recording, by this map and rulebook. Without a waterway it is the one that most fixes lie on; a
/// longer recording is reviewed for its first day.
///
/// # Errors
/// [`Unreadable`].
pub fn uploaded(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
    waterway: Option<&WaterwayId>,
    map: &Arc<Map>,
    rulebook: &Arc<Rulebook>,
) -> Result<Review, Unreadable> {
    let read = whole(name, bytes, options, rulebook.motion.reorder_window_s)?;
    let refused: Vec<String> = read.refused.iter().map(|(reason, n)| format!("{}: {n}", reason.as_str())).collect();
    let times = || {
        read.observations.iter().filter_map(|(_, observation)| match observation {
            Observation::Fix(_, fix) => Some(fix),
            _ => None,
        })
    };
    let Some(from) = times().map(|fix| fix.t).min() else { return Err(Unreadable::Empty(refused.join(", "))) };
    let to = times().map(|fix| fix.t).max().unwrap_or(from).min(from.plus_seconds(PERIOD_MAX_S));
    let waterway = match waterway {
        Some(waterway) => waterway.clone(),
        None => {
            let mut counts: BTreeMap<WaterwayIx, usize> = BTreeMap::new();
            for fix in times() {
                if let Some(ix) = map.locate(fix.position, rulebook.motion.default_accuracy_m) {
                    *counts.entry(ix).or_default() += 1;
                }
            }
            let most = counts.into_iter().max_by_key(|(ix, count)| (*count, std::cmp::Reverse(*ix)));
            let all = || map.waterways.iter().map(|waterway| waterway.id.as_str()).collect::<Vec<_>>().join(", ");
            let (ix, _) = most.ok_or_else(|| Unreadable::Elsewhere(all()))?;
            map.waterway(ix).id.clone()
        }
    };
    // Seconds are what people read: the period begins on a whole one.
    let from = EventTime::from_unix_ms(from.unix_ms().div_euclid(1_000) * 1_000);
    let mut gathering = Gathering::new(Terms { from, to, waterway: waterway.clone(), vessels: BTreeSet::new() });
    let mut engine = Engine::new(map.clone(), rulebook.clone());
    let mut told = Telling::default();
    for (position, observation) in &read.observations {
        if observation.t().is_some_and(|t| t > to) {
            continue;
        }
        engine.observe(*position, observation, &mut told.events);
        gathering.observed(*position, observation, &mut engine);
        told.gather(&mut gathering);
    }
    engine.finish(&mut told.events);
    told.gather(&mut gathering);
    let findings = told.closed(rulebook, &waterway);
    let mut review = gathering.finish(&engine, findings);
    review.unread = refused;
    Ok(review)
}

/// What the engine says on the way.
#[derive(Default)]
pub(super) struct Telling {
    findings: BTreeMap<String, Finding>,
    pub events: Vec<Event>,
}

impl Telling {
    /// Takes what it has said so far.
    pub fn gather(&mut self, gathering: &mut Gathering) {
        for event in self.events.drain(..) {
            match event {
                Event::Finding(finding) => {
                    self.findings.insert(finding.id.clone(), *finding);
                }
                Event::Refused { position, vessel, t, reason } => gathering.refused(position, &vessel, t, reason),
                Event::Accepted { .. } | Event::Idle { .. } | Event::Lifted { .. } | Event::Appeared { .. } => {}
            }
        }
    }

    /// The findings of a waterway that are closed, by their beginning.
    pub fn closed(&self, rulebook: &Rulebook, waterway: &WaterwayId) -> Vec<serde_json::Value> {
        let closed = self.findings.values().filter(|finding| finding.status == Status::Closed);
        let mut closed: Vec<&Finding> = closed.filter(|finding| finding.waterway == *waterway).collect();
        closed.sort_by(|a, b| (a.start, a.rule, &a.vessel, &a.id).cmp(&(b.start, b.rule, &b.vessel, &b.id)));
        let line = |finding: &Finding| export::finding_line(finding, rulebook.in_force(finding.start));
        closed.iter().filter_map(|finding| serde_json::from_str(&line(finding)).ok()).collect()
    }
}
