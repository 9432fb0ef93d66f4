//! Two lists of findings about one period, side by side: what only one of them has, and what both have with other odds.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::export;
use crate::findings::{Finding, Status, Verdict};
use crate::observation::WaterwayId;
use crate::rulebook::Rulebook;
use crate::time::EventTime;

/// Confidences that differ by less say the same.
const SAME_ODDS: f64 = 0.01;
/// Findings of one clause this far apart may be one, seconds.
const APART_S: f64 = 10.0;

/// A finding as it is compared.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Made {
    /// Its id.
    pub id: String,
    #[serde(flatten)]
    kin: Kin,
    status: Status,
    /// When it began.
    pub start: EventTime,
    end: Option<EventTime>,
    verdict: Verdict,
    /// How sure it is.
    pub confidence: f64,
    /// The finding as one line of JSON, as it is published.
    #[serde(skip)]
    pub line: String,
}

/// What findings are told apart by, beside their time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Kin {
    waterway: String,
    rule: String,
    clause: String,
    vessel: String,
    other: Option<String>,
}

impl Made {
    /// Of a finding just made under a rulebook.
    pub(super) fn of(finding: &Finding, rulebook: &Rulebook) -> Self {
        let Finding { waterway, rule, clause, vessel, other, .. } = finding;
        Self {
            id: finding.id.clone(),
            kin: Kin {
                waterway: waterway.to_string(),
                rule: (*rule).to_owned(),
                clause: clause.clone(),
                vessel: vessel.to_string(),
                other: other.as_ref().map(ToString::to_string),
            },
            status: finding.status,
            start: finding.start,
            end: finding.end,
            verdict: finding.verdict,
            confidence: finding.confidence,
            line: export::finding_line(finding, rulebook.in_force(finding.start)),
        }
    }

    /// Of one that was published.
    ///
    /// # Errors
    /// What it lacks.
    pub(super) fn read(line: String) -> Result<Self, serde_json::Error> {
        let made: Self = serde_json::from_str(&line)?;
        Ok(Self { line, ..made })
    }

    /// Whether it goes on, so that this is not the last that is said of it.
    pub(super) fn is_open(&self) -> bool {
        self.status == Status::Open
    }

    /// When it ended, or began where it has not.
    pub(super) fn over(&self) -> EventTime {
        self.end.unwrap_or(self.start)
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.start <= other.over().plus_seconds(APART_S) && other.start <= self.over().plus_seconds(APART_S)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self.verdict == other.verdict && (self.confidence - other.confidence).abs() < SAME_ODDS
    }
}

/// What would change.
#[derive(Debug, Clone, Default)]
pub struct Changed {
    /// Findings that only the draft makes.
    pub gained: Vec<Arc<Made>>,
    /// Findings that only what is in force makes.
    pub lost: Vec<Arc<Made>>,
    /// Findings of both whose verdict or confidence differs: as it is, and as it would be.
    pub other_odds: Vec<(Arc<Made>, Arc<Made>)>,
    /// How many are the same.
    pub same: usize,
    /// How many fixes were judged.
    pub fixes: u64,
    /// The waterways that differ.
    pub waterways: Vec<WaterwayId>,
}

impl Changed {
    /// Pairs findings of the same clause and vessels that overlap, the earliest first.
    pub(super) fn compare(&mut self, before: Vec<Arc<Made>>, after: Vec<Arc<Made>>) {
        let mut left: BTreeMap<Kin, Vec<Arc<Made>>> = BTreeMap::new();
        for made in in_order(before) {
            left.entry(made.kin.clone()).or_default().push(made);
        }
        for made in in_order(after) {
            let twin = left.get_mut(&made.kin).and_then(|others| {
                let at = others.iter().position(|other| other.overlaps(&made))?;
                Some(others.remove(at))
            });
            match twin {
                None => self.gained.push(made),
                Some(twin) if twin.says_the_same(&made) => self.same += 1,
                Some(twin) => self.other_odds.push((twin, made)),
            }
        }
        self.lost = in_order(left.into_values().flatten().collect());
    }
}

fn in_order(mut all: Vec<Arc<Made>>) -> Vec<Arc<Made>> {
    all.sort_by(|a, b| (a.start, &a.id).cmp(&(b.start, &b.id)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(vessel: &str, start_s: i64, end_s: Option<i64>, confidence: f64) -> Arc<Made> {
        let t = |s: i64| EventTime::from_unix_ms(s * 1_000);
        let status = if end_s.is_some() { "closed" } else { "open" };
        let line = serde_json::json!({
            "type": "finding", "id": format!("{vessel}-{start_s}"), "rule": "wake-zone", "clause": "c", "vessel": vessel,
            "waterway": "lake", "other": null, "status": status, "start": t(start_s), "end": end_s.map(t),
            "verdict": if confidence >= 0.95 { "breach" } else { "possible" }, "confidence": confidence,
        });
        Arc::new(Made::read(line.to_string()).expect("a finding"))
    }

    #[test]
    fn findings_of_one_pass_are_paired_and_others_are_gained_or_lost() {
        let before = vec![
            made("same", 0, Some(10), 0.97),
            made("odds", 0, Some(10), 0.97),
            made("lost", 0, Some(10), 0.97),
            made("twice", 100, Some(110), 0.97),
            made("twice", 0, Some(10), 0.97),
        ];
        let after = vec![
            made("same", 8, Some(12), 0.975),
            made("odds", 0, Some(10), 0.80),
            made("gained", 0, Some(10), 0.97),
            made("twice", 103, Some(105), 0.97),
        ];
        let mut changed = Changed::default();
        changed.compare(before, after);
        let ids = |all: &[Arc<Made>]| all.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&changed.gained), ["gained-0"]);
        assert_eq!(ids(&changed.lost), ["lost-0", "twice-0"]);
        assert_eq!(changed.other_odds.len(), 1);
        assert_eq!(changed.other_odds[0].0.confidence, 0.97);
        assert_eq!(changed.same, 2);
    }

    #[test]
    fn what_is_no_finding_is_refused() {
        assert!(Made::read("{}".to_owned()).is_err());
        assert!(made("boat", 0, None, 0.60).is_open() && !made("boat", 0, Some(1), 0.60).is_open());
    }
}
