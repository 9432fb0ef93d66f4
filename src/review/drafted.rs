//! A period out of the store, judged by another map or rulebook than the one that was in force.

use super::gather::{Gathering, Terms};
use super::stored::{Asked, FIXES_MAX};
use super::uploaded::Telling;
use super::{LawPair, Review};
use crate::engine::Engine;
use crate::observation::Observation;
use crate::store::{Content, Log, Sqlite, StoreError};

/// Fixes of this long before the period are judged with it, and so long after it close what began in it, seconds; as
/// when it is asked what would change, so that both find the same.
const LEAD_S: f64 = 700.0;
const TAIL_S: f64 = 300.0;
/// How many entries are read at a time.
const READ: usize = 4_096;

/// What would have happened in a period by this map and rulebook; `None` where it has more than [`FIXES_MAX`] fixes.
/// Findings are those that they make, closed as if the period were all there is.
///
/// # Errors
/// [`StoreError`].
pub fn drafted(store: &Sqlite, asked: &Asked, (map, rulebook): &LawPair) -> Result<Option<Review>, StoreError> {
    let Asked { waterway, from, to, vessels } = asked.clone();
    let (lead, tail) = (from.plus_seconds(-LEAD_S), to.plus_seconds(TAIL_S));
    let mut gathering = Gathering::new(Terms { from, to, waterway: waterway.clone(), vessels: vessels.clone() });
    let mut engine = Engine::new(map.clone(), rulebook.clone());
    let mut told = Telling::default();
    let observations = |entry: crate::store::Logged| match entry.content {
        Content::Observation(observation) => Some((entry.position, observation)),
        Content::Law(_) | Content::Clock(..) => None,
    };
    let mut said = store.said(lead, tail)?.into_iter().filter_map(observations).peekable();
    let (first, last) = store.positions_between(lead, tail)?.unwrap_or((1, 0));
    let mut position = first.saturating_sub(1);
    while position < last {
        let entries = store.read(position, READ)?;
        let Some(end) = entries.last() else { break };
        position = end.position;
        for (at, observation) in entries.into_iter().take_while(|entry| entry.position <= last).filter_map(observations)
        {
            let Observation::Fix(_, fix) = &observation else { continue };
            if fix.t < lead || fix.t > tail {
                continue;
            }
            while let Some((at, statement)) = said.next_if(|(said_at, _)| *said_at < at) {
                engine.observe(at, &statement, &mut told.events);
                gathering.observed(at, &statement, &mut engine);
            }
            engine.observe(at, &observation, &mut told.events);
            gathering.observed(at, &observation, &mut engine);
            told.gather(&mut gathering);
        }
        if gathering.fix_count() > FIXES_MAX {
            return Ok(None);
        }
    }
    for (at, statement) in said {
        engine.observe(at, &statement, &mut told.events);
    }
    engine.finish(&mut told.events);
    told.gather(&mut gathering);
    let mut findings = told.closed(rulebook, &waterway);
    let (begins, ends) = (from.to_rfc3339(), to.to_rfc3339());
    findings.retain(|finding| {
        let is_asked = |vessel: &str| vessels.is_empty() || vessels.iter().any(|asked| asked.as_str() == vessel);
        let end = finding["end"].as_str().unwrap_or(&ends);
        is_asked(finding["vessel"].as_str().unwrap_or_default())
            && end >= begins.as_str()
            && finding["start"].as_str().is_some_and(|start| start <= ends.as_str())
    });
    Ok(Some(gathering.finish(&engine, findings)))
}
