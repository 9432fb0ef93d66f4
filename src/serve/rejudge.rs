//! Judges a past period again with what came too late, and amends what changes.
//!
//! A fix that comes after the reorder window is kept in the log and not judged. Here the period is judged once more as
//! if everything had come in time. Nothing is replaced: a finding that changes gets a further revision, marked as
//! amended; one of which nothing is left is withdrawn; a new one is published. Only findings about vessels with late
//! fixes are looked at, so nothing else can change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::judge::{Judge, JudgeError, Judged, read_law};
use crate::engine::{Engine, Event, Input};
use crate::export;
use crate::findings::{Finding, Status};
use crate::observation::{Observation, RefusalReason, VesselId};
use crate::store::{Content, Findings, Kept, Log, Logged, Sqlite, StoreError, Sync};
use crate::time::EventTime;

/// Fixes of this long before a period are judged with it: a track that is silent for as long begins anew. Seconds.
const LEAD_S: f64 = 1_800.0;
/// What a vessel says about itself holds for so long, seconds.
const STATEMENTS_S: f64 = 86_400.0;
/// How many entries are read at a time.
const READ: usize = 4_096;

/// What was amended.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Amended {
    /// Fixes of the period that had come too late.
    pub late: usize,
    /// Findings that say something else now.
    pub changed: usize,
    /// Findings of which nothing is left.
    pub withdrawn: usize,
    /// Findings that are new.
    pub added: usize,
}

/// Judges findings that began in a period again. It should be long over: what is still open is left alone.
///
/// # Errors
/// [`JudgeError`].
pub fn rejudge(path: &Path, from: EventTime, to: EventTime, made_at: EventTime) -> Result<Amended, JudgeError> {
    let mut store = Sqlite::open(path, Sync::Full)?;
    let first = store.first_position_from(from.plus_seconds(-LEAD_S))?;
    let Some(first) = first else { return Ok(Amended::default()) };

    let as_it_came = as_it_came(&store, first)?;
    let late: BTreeMap<u64, &VesselId> = as_it_came
        .refused
        .iter()
        .filter(|refused| refused.reason == RefusalReason::Late && from <= refused.t && refused.t <= to)
        .map(|refused| (refused.position, &refused.vessel))
        .collect();
    if late.is_empty() {
        return Ok(Amended::default());
    }
    let vessels: BTreeSet<&VesselId> = late.values().copied().collect();
    let is_meant = |finding: &Finding| {
        let about = vessels.contains(&finding.vessel) || finding.other.as_ref().is_some_and(|o| vessels.contains(o));
        about && from <= finding.start && finding.start <= to
    };
    let in_time = as_if_in_time(&store, from, to)?;
    let now: BTreeMap<&str, &(Finding, String)> =
        in_time.iter().filter(|(f, _)| is_meant(f)).map(|finding| (finding.0.id.as_str(), finding)).collect();
    let before: BTreeMap<&str, &Finding> = as_it_came
        .findings
        .iter()
        .filter(|(_, f, _)| is_meant(f))
        .map(|(_, finding, _)| (finding.id.as_str(), finding))
        .collect();

    // Where the period was amended before, the newest revision is what stands.
    let standing = store.findings_between(from, to)?;
    let mut amended = Amended { late: late.len(), ..Amended::default() };
    let mut kept = Vec::new();
    let mut amend = |finding: &Finding, revision: u32, status: Status, in_force: bool| {
        let finding = Finding { revision, status, ..finding.clone() };
        let json = export::amended_line(&finding, in_force);
        let position = late.keys().next_back().copied().unwrap_or(first);
        kept.push(Kept { finding, json, position, made_at, is_amended: true });
    };
    for (id, (finding, line)) in &now {
        match standing.get(*id) {
            None => {
                amended.added += 1;
                amend(finding, 1, finding.status, in_force_of(line));
            }
            Some((_, status, _)) if status == "open" => {}
            Some((revision, status, json)) if status != "closed" || !says_the_same(json, line) => {
                amended.changed += 1;
                amend(finding, revision + 1, finding.status, in_force_of(line));
            }
            Some(_) => {}
        }
    }
    for (id, finding) in &before {
        if let Some((revision, status, json)) = standing.get(*id)
            && status == "closed"
            && !now.contains_key(id)
        {
            amended.withdrawn += 1;
            amend(finding, revision + 1, Status::Withdrawn, in_force_of(json));
        }
    }
    store.whole(|store| store.keep_findings(&kept))?;
    Ok(amended)
}

/// The log as the daemon judged it.
fn as_it_came(store: &Sqlite, first: u64) -> Result<Judged, JudgeError> {
    let mut judge = Judge::resume(store, first.saturating_sub(1))?;
    let mut all = Judged::default();
    judge.catch_up(store, store.last_position()?, &mut |judged| {
        all.findings.extend(judged.findings);
        all.refused.extend(judged.refused);
    })?;
    Ok(all)
}

/// Closed findings of the period, judged in the order of event time.
fn as_if_in_time(store: &Sqlite, from: EventTime, to: EventTime) -> Result<Vec<(Finding, String)>, JudgeError> {
    let mut entries = relevant(store, from, to)?;
    // The law goes by the log, and never back: a late fix is judged by what its neighbours in time were.
    let mut law = 0;
    entries.sort_by_key(|(_, entry)| (time_of(entry), entry.position));
    let laws = laws(store)?;
    let Some((_, version)) = laws.first() else { return Err(JudgeError::Lawless) };
    let (map, rulebook) = read_law(store, version)?;
    let mut rulebooks = BTreeMap::from([(rulebook.version.clone(), rulebook.clone())]);
    let mut engine = Engine::new(map, rulebook);
    let mut events = Vec::new();
    for (is_late, entry) in &entries {
        while !is_late && laws.get(law + 1).is_some_and(|(position, _)| *position < entry.position) {
            law += 1;
            let (map, rulebook) = read_law(store, &laws[law].1)?;
            rulebooks.insert(rulebook.version.clone(), rulebook.clone());
            engine.push(entry.position, Input::Rulebook(rulebook), &mut events);
            engine.push(entry.position, Input::Map(map), &mut events);
        }
        if let Content::Observation(observation) = &entry.content {
            engine.observe(entry.position, observation, &mut events);
        }
    }
    let mut last: BTreeMap<String, Finding> = BTreeMap::new();
    for event in events {
        if let Event::Finding(finding) = event {
            last.insert(finding.id.clone(), *finding);
        }
    }
    Ok(last
        .into_values()
        .filter(|finding| finding.status == Status::Closed)
        .map(|finding| {
            let rulebook = rulebooks.get(&finding.rulebook_version);
            let in_force = rulebook.is_none_or(|rulebook| rulebook.in_force(finding.start));
            let line = export::finding_line(&finding, in_force);
            (finding, line)
        })
        .collect())
}

/// Observations that bear on a period, each with whether it lies in the log behind one that is later by more than any
/// reorder window.
fn relevant(store: &Sqlite, from: EventTime, to: EventTime) -> Result<Vec<(bool, Logged)>, StoreError> {
    let (begin, end) = (from.plus_seconds(-LEAD_S), to.plus_seconds(LEAD_S));
    let mut newest: BTreeMap<VesselId, EventTime> = BTreeMap::new();
    let (mut after, mut out) = (0, Vec::new());
    loop {
        let entries = store.read(after, READ)?;
        let Some(last) = entries.last() else { return Ok(out) };
        after = last.position;
        for entry in entries {
            let Content::Observation(observation) = &entry.content else { continue };
            let mut is_late = false;
            let bears = match observation {
                Observation::Fix(vessel, fix) => {
                    let newest = newest.entry(vessel.clone()).or_insert(fix.t);
                    is_late = newest.seconds_since(fix.t) > 0.0;
                    *newest = (*newest).max(fix.t);
                    begin <= fix.t && fix.t <= end
                }
                Observation::Activity(_, activity) => {
                    activity.t <= end && begin.seconds_since(activity.t) <= STATEMENTS_S
                }
                // What vessels are, marks and conditions hold on.
                other => other.t().is_none_or(|t| t <= end),
            };
            if bears {
                out.push((is_late, entry));
            }
        }
    }
}

/// All laws of the log in order, with the positions from which on they were in force.
fn laws(store: &Sqlite) -> Result<Vec<(u64, String)>, StoreError> {
    let (mut laws, mut at) = (Vec::new(), u64::MAX);
    while let Some((position, version)) = store.law_at(at)? {
        laws.push((position, version));
        at = position - 1;
    }
    laws.reverse();
    Ok(laws)
}

fn time_of(entry: &Logged) -> Option<EventTime> {
    match &entry.content {
        Content::Observation(observation) => observation.t(),
        Content::Law(_) | Content::Clock(..) => None,
    }
}

/// Whether two lines say the same, whatever their revisions and whether they amend.
fn says_the_same(a: &str, b: &str) -> bool {
    let bare = |line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).ok()?;
        let keys = value.as_object_mut()?;
        keys.remove("revision");
        keys.remove("amended");
        Some(value)
    };
    bare(a) == bare(b)
}

fn in_force_of(line: &str) -> bool {
    let value: Option<serde_json::Value> = serde_json::from_str(line).ok();
    value.is_some_and(|value| value["in_force"] == true)
}
