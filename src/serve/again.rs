//! Judges a period again out of the store: the findings are those that the daemon made, byte for byte.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::judge::{Judge, JudgeError, Judged};
use crate::findings::{Finding, Status};
use crate::observation::Observation;
use crate::replay::driver::{Job, Keep, Outcome};
use crate::replay::kept::{KeptPaths, note_tracker};
use crate::rulebook::Rulebook;
use crate::store::{Content, Log, Sqlite};
use crate::time::EventTime;
use crate::zones::Map;

/// How long before a period its first findings may have begun to show, seconds.
const LEAD_S: f64 = 600.0;
/// How many entries are read at a time.
const READ: usize = 4_096;
/// How many refusals of each reason are named.
const EXAMPLES: usize = 3;

/// What came out.
#[derive(Debug)]
pub struct Again {
    /// Closed findings that began in the period, and what was counted on the way.
    pub outcome: Outcome,
    /// The map in force at the end.
    pub map: Arc<Map>,
    /// The rulebook in force at the end.
    pub rulebook: Arc<Rulebook>,
    /// All rulebooks that were in force on the way.
    pub rulebooks: Vec<Arc<Rulebook>>,
}

/// Judges a period again: findings that began in it, by the law that was in force. Without a beginning it goes from the
/// first entry of the log, else from a state of the judge that was kept before. A finding that is still open is left
/// out, as the daemon has not closed it either.
///
/// # Errors
/// [`JudgeError`].
pub fn judge_again(path: &Path, job: &Job) -> Result<Again, JudgeError> {
    let store = Sqlite::open_to_read(path)?;
    let end = store.last_position()?;
    let mut judge = match job.from {
        None => Judge::from_the_beginning(&store)?,
        Some(from) => {
            let first = store.first_position_from(from.plus_seconds(-LEAD_S))?.unwrap_or(end);
            Judge::resume(&store, first.saturating_sub(1))?
        }
    };
    if job.accounts && job.from.is_none() {
        judge.keep_accounts();
    }
    let mut outcome = Outcome::default();
    let (mut kept, mut seen) = (KeptPaths::default(), BTreeSet::new());
    let mut last: BTreeMap<String, Finding> = BTreeMap::new();
    loop {
        let entries = store.read(judge.position(), READ)?;
        let (Some(_), true) = (entries.last(), judge.position() < end) else { break };
        let mut judged = Judged::default();
        for entry in entries.iter().take_while(|entry| entry.position <= end) {
            if let Content::Observation(Observation::Fix(vessel, fix)) = &entry.content {
                let (first, last) = outcome.period.unwrap_or((fix.t, fix.t));
                outcome.period = Some((first.min(fix.t), last.max(fix.t)));
                if seen.insert(vessel.clone()) {
                    outcome.vessels.push(vessel.clone());
                }
                note_tracker(vessel, fix, &mut outcome.trackers);
                let is_asked = match job.paths {
                    Keep::Nothing => false,
                    Keep::Asked => job.vessel.as_ref().is_none_or(|only| only == vessel),
                    Keep::All => true,
                };
                if is_asked && is_in(job, fix.t) {
                    kept.take(vessel, fix, entry.position);
                }
            }
            judge.take(&store, entry, &mut judged)?;
        }
        for (_, finding, _) in judged.findings.drain(..) {
            last.insert(finding.id.clone(), finding);
        }
        for refused in &judged.refused {
            kept.refuse(&refused.vessel, refused.position, refused.t, refused.reason);
        }
        count(judged, &mut outcome);
    }
    let keep = |finding: &Finding| {
        finding.status == Status::Closed
            && is_in(job, finding.start)
            && job.vessel.as_ref().is_none_or(|vessel| finding.vessel == *vessel)
    };
    outcome.findings = last.into_values().filter(keep).collect();
    outcome.findings.sort_by(|a, b| (a.start, a.rule, &a.vessel, &a.id).cmp(&(b.start, b.rule, &b.vessel, &b.id)));
    kept.put_in(&mut outcome, &judge.rulebook().motion);
    let (map, rulebook) = (judge.map().clone(), judge.rulebook().clone());
    let rulebooks = judge.rulebooks().cloned().collect();
    outcome.accounts = judge.into_accounts();
    outcome.accounts.retain(|(vessel, _)| job.vessel.as_ref().is_none_or(|only| only == vessel));
    Ok(Again { outcome, map, rulebook, rulebooks })
}

fn is_in(job: &Job, t: EventTime) -> bool {
    job.from.is_none_or(|from| from <= t) && job.to.is_none_or(|to| t <= to)
}

fn count(judged: Judged, outcome: &mut Outcome) {
    outcome.fixes.accepted += judged.accepted;
    for refused in judged.refused {
        *outcome.fixes.refused.entry(refused.reason).or_default() += 1;
        let examples = outcome.examples.entry(refused.reason).or_default();
        if examples.len() < EXAMPLES {
            examples.push(format!("entry {}: {} at {}", refused.position, refused.vessel, refused.t));
        }
    }
}
