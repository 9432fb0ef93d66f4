//! A period out of the store.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Review;
use super::gather::{Gathering, Terms};
use crate::observation::{VesselId, WaterwayId};
use crate::serve::{Judge, JudgeError, Judged};
use crate::store::{Content, Log, Sqlite, StoreError};
use crate::time::EventTime;

/// Fixes of this long before a period are judged with it, seconds: who lies at anchor was seen to do so before.
const LEAD_S: f64 = 600.0;
/// A finding that began this long before a period may reach into it, seconds.
const FINDING_LEAD_S: f64 = 3_600.0;
/// The most fixes that are reviewed at once: some twenty boats for six hours at one a second.
pub const FIXES_MAX: usize = 500_000;
/// How many entries are read at a time.
const READ: usize = 4_096;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The waterway.
    pub waterway: WaterwayId,
    /// From when.
    pub from: EventTime,
    /// Until when.
    pub to: EventTime,
    /// Only these vessels; all, where empty.
    pub vessels: BTreeSet<VesselId>,
}

/// What happened in a period, by the law that was in force; `None` where it has more than [`FIXES_MAX`] fixes. Findings
/// are those that stand in the store, with the mending of later revisions.
///
/// # Errors
/// [`JudgeError`].
pub fn stored(store: &Sqlite, asked: &Asked) -> Result<Option<Review>, JudgeError> {
    let Asked { waterway, from, to, vessels } = asked.clone();
    let mut gathering = Gathering::new(Terms { from, to, waterway, vessels });
    let ends = store.positions_between(from.plus_seconds(-LEAD_S), to)?;
    let (first, end) = ends.unwrap_or((0, 0));
    let mut judge = Judge::resume(store, if ends.is_some() { first.saturating_sub(1) } else { u64::MAX >> 1 })?;
    while judge.position() < end {
        let entries = store.read(judge.position(), READ)?;
        if entries.is_empty() {
            break;
        }
        let mut judged = Judged::default();
        for entry in entries.iter().take_while(|entry| entry.position <= end) {
            judge.take(store, entry, &mut judged)?;
            if let Content::Observation(observation) = &entry.content {
                gathering.observed(entry.position, observation, judge.engine_mut());
            }
        }
        for refused in judged.refused {
            gathering.refused(refused.position, &refused.vessel, refused.t, refused.reason);
        }
        if gathering.fix_count() > FIXES_MAX {
            return Ok(None);
        }
        if entries.last().is_some_and(|last| last.position > end) {
            break;
        }
    }
    let findings = findings(store, asked)?;
    Ok(Some(gathering.finish(judge.engine_mut(), findings)))
}

/// The findings that stand and overlap a period, by their beginning.
fn findings(store: &Sqlite, asked: &Asked) -> Result<Vec<Value>, StoreError> {
    let standing = store.findings_between(asked.from.plus_seconds(-FINDING_LEAD_S), asked.to)?;
    let from = asked.from.to_rfc3339();
    let mut findings: Vec<Value> = standing
        .into_values()
        .filter(|(_, status, _)| status != "withdrawn")
        .filter_map(|(_, _, json)| serde_json::from_str(&json).ok())
        .filter(|finding: &Value| {
            let vessel = finding["vessel"].as_str().unwrap_or_default();
            let is_asked = asked.vessels.is_empty() || asked.vessels.iter().any(|asked| asked.as_str() == vessel);
            let is_over = finding["end"].as_str().is_some_and(|end| end < from.as_str());
            finding["waterway"] == asked.waterway.as_str() && is_asked && !is_over
        })
        .collect();
    findings.sort_by(|a, b| (a["start"].as_str(), a["id"].as_str()).cmp(&(b["start"].as_str(), b["id"].as_str())));
    Ok(findings)
}
