//! Runs the engine on observations and compares what comes out.

use std::collections::BTreeMap;
use std::sync::Arc;

use buoyline::engine::{Engine, Event, Input};
use buoyline::findings::{Finding, Status};
use buoyline::observation::{Observation, RefusalReason};
use buoyline::rulebook::Rulebook;
use buoyline::zones::Map;

/// What an engine said.
#[derive(Debug, Default)]
pub struct Judged {
    pub events: Vec<Event>,
    pub accepted: u64,
    pub refused: BTreeMap<RefusalReason, u64>,
    /// Closed findings, in the order in which they are listed outside.
    pub findings: Vec<Finding>,
}

impl Judged {
    pub fn of(events: Vec<Event>) -> Self {
        let mut judged = Self::default();
        for event in &events {
            match event {
                Event::Accepted { count } => judged.accepted += count,
                Event::Refused { reason, .. } => *judged.refused.entry(*reason).or_default() += 1,
                Event::Finding(finding) if finding.status == Status::Closed => {
                    judged.findings.push((**finding).clone())
                }
                Event::Finding(_) | Event::Idle { .. } | Event::Lifted { .. } | Event::Appeared { .. } => {}
            }
        }
        judged.events = events;
        judged.findings.sort_by(|a, b| (a.start, a.rule, &a.vessel, &a.id).cmp(&(b.start, b.rule, &b.vessel, &b.id)));
        judged
    }

    /// The findings without their revisions, which depend on the order of arrival.
    pub fn outcome(&self) -> Vec<Finding> {
        self.findings.iter().map(|finding| Finding { revision: 0, ..finding.clone() }).collect()
    }
}

/// Judges observations one after the other.
pub fn judge(map: &Arc<Map>, rulebook: &Arc<Rulebook>, observations: &[Observation]) -> Judged {
    push(map, rulebook, observations.iter().cloned().map(Input::Observation))
}

/// Judges entries of a log.
pub fn push(map: &Arc<Map>, rulebook: &Arc<Rulebook>, inputs: impl IntoIterator<Item = Input>) -> Judged {
    let mut engine = Engine::new(map.clone(), rulebook.clone());
    let mut events = Vec::new();
    for (input, position) in inputs.into_iter().zip(0..) {
        engine.push(position, input, &mut events);
    }
    engine.finish(&mut events);
    Judged::of(events)
}

/// A finding in a line.
pub fn label(f: &Finding) -> String {
    let other = f.other.as_ref().map_or("-", |other| other.as_str());
    let end = f.end.map_or_else(|| "…".to_owned(), |end| end.to_string());
    let features: Vec<&str> = f.features.iter().map(|id| &**id).collect();
    format!(
        "{} {} {}/{other} {} to {end} peak {:?} m/s {:?} m at {}, {features:?}, {:.3}, {:?}",
        f.rule, f.clause, f.vessel, f.start, f.peak.speed_mps, f.peak.distance_m, f.peak.t, f.confidence, f.status
    )
}

/// What differs between two lists of findings, paired by their ids.
pub fn difference(a: &[Finding], b: &[Finding]) -> Vec<String> {
    let mut out = Vec::new();
    for f in a {
        match b.iter().find(|g| g.id == f.id) {
            Some(g) if f == g => {}
            Some(g) => out.push(format!("differs: {}\n         {}", shown(f), shown(g))),
            None => out.push(format!("only in the first: {}", label(f))),
        }
    }
    let only = b.iter().filter(|g| !a.iter().any(|f| f.id == g.id));
    out.extend(only.map(|g| format!("only in the second: {}", label(g))));
    out
}

/// Everything about a finding that a label does not round away.
fn shown(f: &Finding) -> String {
    format!("{} odds {:?}, revision {}, {:?}", label(f), f.confidence, f.revision, f.peak.position)
}

/// How far two findings of the same thing may be apart.
#[derive(Debug, Clone, Copy)]
pub struct Slack {
    pub time_s: f64,
    pub speed_mps: f64,
    pub distance_m: f64,
    /// A finding that lasts no longer than this may be missing, seconds.
    pub graze_s: f64,
}

/// What differs between two lists of findings beyond the slack. Times are shifted by `later_s` first.
pub fn unlike(a: &[Finding], b: &[Finding], later_s: f64, slack: &Slack) -> Vec<String> {
    let mut out = Vec::new();
    let mut left: Vec<&Finding> = b.iter().collect();
    for f in a {
        let same = |g: &&Finding| (f.rule, &f.clause, &f.vessel, &f.other) == (g.rule, &g.clause, &g.vessel, &g.other);
        let off_s = |g: &&Finding| (g.start.seconds_since(f.start) - later_s).abs();
        let nearest = left.iter().enumerate().filter(|(_, g)| same(g)).min_by(|p, q| off_s(p.1).total_cmp(&off_s(q.1)));
        let lasts_s = |f: &Finding| f.end.map_or(f64::INFINITY, |end| end.seconds_since(f.start));
        let Some(at) = nearest.filter(|(_, g)| off_s(g) < 5.0).map(|(at, _)| at) else {
            if lasts_s(f) > slack.graze_s {
                out.push(format!("missing: {}", label(f)));
            }
            continue;
        };
        let g = left.remove(at);
        let (f_end, g_end) = (f.end.unwrap_or(f.start), g.end.unwrap_or(g.start));
        let far = |a: Option<f64>, b: Option<f64>, slack: f64| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() > slack,
            (a, b) => a.is_some() != b.is_some(),
        };
        if off_s(&g) > slack.time_s
            || (g_end.seconds_since(f_end) - later_s).abs() > slack.time_s
            // Where a distance decides, several instants may be equally near, each with its own speed.
            || f.limit.speed_mps.is_some() && far(f.peak.speed_mps, g.peak.speed_mps, slack.speed_mps)
            || far(f.peak.distance_m, g.peak.distance_m, slack.distance_m)
            || f.features != g.features
        {
            out.push(format!("differs: {}\n         {}", label(f), label(g)));
        }
    }
    for g in left {
        if g.end.is_none_or(|end| end.seconds_since(g.start) > slack.graze_s) {
            out.push(format!("unexpected: {}", label(g)));
        }
    }
    out
}
