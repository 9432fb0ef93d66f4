//! What `--summary` writes: one JSON object that tells a clean record from silence.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::Report;
use super::row::rounded;
use crate::engine::{NotEvaluable, RuleAccount};
use crate::findings::{Finding, Verdict};
use crate::observation::RefusalReason;
use crate::time::EventTime;

/// Writes the summary.
///
/// # Errors
/// Those of `out`.
pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &Summary::of(report))?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct Summary<'a> {
    period: Option<Period>,
    fixes: Fixes,
    unused: BTreeMap<&'a str, u64>,
    vessels: BTreeMap<&'a str, BTreeMap<&'a str, Judged>>,
    lifts: Vec<Lift<'a>>,
    unread: Vec<Unread<'a>>,
    map_version: &'a str,
    waterways: BTreeMap<&'a str, &'a str>,
    rulebook_version: &'a str,
    rulebook: Edition<'a>,
}

#[derive(Serialize)]
struct Period {
    start: EventTime,
    end: EventTime,
}

#[derive(Serialize)]
struct Fixes {
    accepted: u64,
    refused: BTreeMap<RefusalReason, u64>,
}

#[derive(Serialize)]
struct Judged {
    judged_s: f64,
    breach_s: f64,
    not_evaluable_s: NotEvaluable,
}

#[derive(Serialize)]
struct Lift<'a> {
    rule: &'a str,
    permit: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct Unread<'a> {
    recording: &'a str,
    reason: String,
}

#[derive(Serialize)]
struct Edition<'a> {
    name: &'a str,
    edition: &'a str,
    in_force: bool,
}

impl<'a> Summary<'a> {
    fn of(report: &Report<'a>) -> Self {
        let outcome = report.outcome;
        let counted = |reason: &RefusalReason| (*reason, outcome.fixes.refused.get(reason).copied().unwrap_or(0));
        let is_in_force = |(start, end)| report.rulebook.in_force(start) && report.rulebook.in_force(end);
        Self {
            period: outcome.period.map(|(start, end)| Period { start, end }),
            fixes: Fixes {
                accepted: outcome.fixes.accepted,
                refused: RefusalReason::ALL.iter().map(counted).collect(),
            },
            unused: outcome.unused.iter().map(|(what, unused)| (what.as_str(), unused.count)).collect(),
            vessels: vessels(report),
            lifts: outcome.lifts.iter().map(|((rule, permit), &count)| Lift { rule, permit, count }).collect(),
            unread: outcome
                .unread
                .iter()
                .map(|(recording, error)| Unread { recording, reason: error.to_string() })
                .collect(),
            map_version: &report.map.version,
            waterways: report.map.waterways.iter().map(|water| (water.id.as_str(), &*water.version)).collect(),
            rulebook_version: &report.rulebook.version,
            rulebook: Edition {
                name: &report.rulebook.name,
                edition: &report.rulebook.edition,
                in_force: outcome.period.is_none_or(is_in_force),
            },
        }
    }
}

fn vessels<'a>(report: &Report<'a>) -> BTreeMap<&'a str, BTreeMap<&'a str, Judged>> {
    let mut vessels: BTreeMap<&str, BTreeMap<&str, Judged>> = BTreeMap::new();
    for (vessel, account) in &report.outcome.accounts {
        let rules = vessels.entry(vessel.as_str()).or_default();
        rules.extend(account.rules.iter().map(|(&rule, known)| (rule, Judged::of(known))));
    }
    for ((vessel, rule), tally) in tallies(&report.outcome.findings) {
        let judged = vessels.entry(vessel).or_default().entry(rule);
        judged.or_insert_with(|| Judged::of(&RuleAccount::default())).breach_s = rounded(tally.lasting_s, 3);
    }
    vessels
}

impl Judged {
    fn of(account: &RuleAccount) -> Self {
        let not = account.not_evaluable_s;
        Self {
            judged_s: rounded(account.judged_s, 3),
            breach_s: 0.0,
            not_evaluable_s: NotEvaluable {
                gap_too_long: rounded(not.gap_too_long, 3),
                attribute_never_declared: rounded(not.attribute_never_declared, 3),
                accuracy_too_poor: rounded(not.accuracy_too_poor, 3),
            },
        }
    }
}

/// The findings about one vessel by one rule, taken together.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// How many are called a breach.
    pub breaches: usize,
    /// How many are called possible.
    pub possible: usize,
    /// For how long at least one of them lasted, seconds.
    pub lasting_s: f64,
}

/// The findings by vessel and rule.
pub(super) fn tallies(findings: &[Finding]) -> BTreeMap<(&str, &str), Tally> {
    let mut tallies: BTreeMap<(&str, &str), (Tally, EventTime)> = BTreeMap::new();
    // They are ordered by start, so what is new of each lies behind the latest end so far.
    for finding in findings {
        let (tally, until) = tallies
            .entry((finding.vessel.as_str(), finding.rule))
            .or_insert_with(|| (Tally::default(), EventTime::MIN));
        match finding.verdict {
            Verdict::Breach => tally.breaches += 1,
            Verdict::Possible => tally.possible += 1,
        }
        let end = finding.end.unwrap_or(finding.peak.t);
        tally.lasting_s += end.seconds_since(finding.start.max(*until)).max(0.0);
        *until = end.max(*until);
    }
    tallies.into_iter().map(|(key, (tally, _))| (key, tally)).collect()
}
