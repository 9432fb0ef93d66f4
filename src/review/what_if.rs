//! Judges a finding again with something shifted: by the engine itself, not by a formula of its own.

use std::sync::Arc;

use super::lead::Lead;
use crate::engine::{Engine, Event};
use crate::findings::{Finding, Status, Verdict};
use crate::geo::{LocalFrame, Position, Vec2, distance_m};
use crate::observation::{Fix, Observation};
use crate::rulebook::Rulebook;
use crate::time::EventTime;
use crate::zones::{Map, ZoneFile};

/// How far is looked at a time, as a share of the farthest; and how many times the interval in which an outcome changes
/// is then halved.
const STEPS: [f64; 6] = [0.04, 0.1, 0.2, 0.4, 0.7, 1.0];
const HALVINGS: usize = 6;

/// What comes of a variant.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum Outcome {
    /// No finding.
    Nothing,
    /// A weak lead: below what alerts ask for.
    Weak(f64),
    /// A possible one.
    Possible(f64),
    /// A breach.
    Breach(f64),
}

impl Outcome {
    /// How grave it is, from 0 to 3.
    pub fn grade(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Weak(_) => 1,
            Self::Possible(_) => 2,
            Self::Breach(_) => 3,
        }
    }
}

/// Judges again what bears on a finding.
#[derive(Debug)]
pub struct WhatIf<'a> {
    lead: &'a Lead,
}

impl<'a> WhatIf<'a> {
    /// About this finding.
    pub fn of(lead: &'a Lead) -> Self {
        Self { lead }
    }

    /// What comes of it as it is.
    pub fn as_it_is(&self) -> Outcome {
        self.judge(&self.lead.map, &self.lead.rulebook, &self.lead.observations)
    }

    /// What comes of it with every fix of the vessel elsewhere by so many metres to the east and north.
    pub fn moved(&self, by: Vec2) -> Outcome {
        let frame = LocalFrame::at(self.peak());
        let shift = |fix: &mut Fix| {
            fix.position = frame.to_position(frame.to_plane(fix.position) + by).unwrap_or(fix.position);
        };
        self.judge(&self.lead.map, &self.lead.rulebook, &self.subject_with(shift))
    }

    /// What comes of it at `share` of the speed on the same way: everything takes longer, about the worst instant.
    pub fn slower(&self, share: f64) -> Outcome {
        let peak = self.lead.peak_t;
        let later = |t: EventTime| peak.plus_seconds(t.seconds_since(peak) / share);
        let observations = self.changed(|observation| match observation {
            Observation::Fix(vessel, fix) => {
                fix.t = later(fix.t);
                if *vessel == self.lead.vessel {
                    fix.sog_mps = fix.sog_mps.map(|mps| mps * share);
                }
            }
            Observation::Activity(_, activity) => activity.t = later(activity.t),
            Observation::Profile(..) | Observation::Mark(_) | Observation::Conditions(_) => {}
        });
        // What is inferred between fixes stays the same.
        let Some(mut rulebook) = self.rulebook() else { return self.as_it_is() };
        let motion = &mut rulebook.motion;
        for span_s in [&mut motion.max_gap_s, &mut motion.merge_gap_s, &mut motion.reorder_window_s] {
            *span_s /= share;
        }
        self.judge(&self.lead.map, &Arc::new(rulebook), &observations)
    }

    /// What comes of it so many seconds later, or earlier where negative.
    pub fn later(&self, by_s: f64) -> Outcome {
        let observations = self.changed(|observation| match observation {
            Observation::Fix(_, fix) => fix.t = fix.t.plus_seconds(by_s),
            Observation::Activity(_, activity) => activity.t = activity.t.plus_seconds(by_s),
            Observation::Mark(mark) => mark.t = mark.t.plus_seconds(by_s),
            Observation::Conditions(conditions) => conditions.t = conditions.t.plus_seconds(by_s),
            Observation::Profile(..) => {}
        });
        self.judge_at(&self.lead.map, &self.lead.rulebook, &observations, by_s)
    }

    /// What comes of it with receivers of this accuracy (68 % radius, metres).
    pub fn with_accuracy(&self, accuracy_m: f64) -> Outcome {
        self.judge(&self.lead.map, &self.lead.rulebook, &self.subject_with(|fix| fix.accuracy_m = Some(accuracy_m)))
    }

    /// What comes of it without a feature of the map; `None` where the map cannot be without it.
    pub fn without_feature(&self, id: &str) -> Option<Outcome> {
        let mut removed = false;
        let zones: Vec<ZoneFile> = self
            .lead
            .law
            .zones
            .iter()
            .map(|file| {
                let Ok(mut json) = serde_json::from_slice::<serde_json::Value>(&file.bytes) else {
                    return file.clone();
                };
                let Some(features) = json["features"].as_array_mut() else { return file.clone() };
                let count = features.len();
                features.retain(|feature| {
                    let own = feature["id"].as_str().or(feature["properties"]["id"].as_str());
                    own != Some(id)
                });
                removed |= features.len() < count;
                let bytes = serde_json::to_vec(&json).unwrap_or_else(|_| file.bytes.clone());
                ZoneFile { name: file.name.clone(), bytes }
            })
            .collect();
        let law = crate::store::Law { zones, ..self.lead.law.clone() };
        let (map, _) = removed.then(|| law.read().ok()).flatten()?;
        map.waterways
            .iter()
            .any(|waterway| waterway.id == self.lead.waterway)
            .then(|| self.judge(&map, &self.lead.rulebook, &self.lead.observations))
    }

    /// The least value up to `most` from which on the grade is at most `grade`; `None` where nothing up to `most` is
    /// enough. Looked for outward in steps, for farther on it may be worse again: behind one shore is another.
    pub fn least(&self, most: f64, grade: u8, outcome: impl Fn(f64) -> Outcome) -> Option<f64> {
        let mut more = 0.0;
        for share in STEPS {
            let mut enough = share * most;
            if outcome(enough).grade() > grade {
                more = enough;
                continue;
            }
            for _ in 0..HALVINGS {
                let middle = 0.5 * (more + enough);
                if outcome(middle).grade() > grade { more = middle } else { enough = middle }
            }
            return Some(enough);
        }
        None
    }

    /// Where the vessel was at the worst instant.
    pub fn peak(&self) -> Position {
        let (lat, lon) = (self.lead.number("peak", "lat"), self.lead.number("peak", "lon"));
        let position = lat.zip(lon).and_then(|(lat, lon)| Position::from_lat_lon(lat, lon).ok());
        position.unwrap_or(Position::NULL_ISLAND)
    }

    /// Where the other vessel was then, by the nearest of its fixes.
    pub fn other_at_peak(&self) -> Option<Position> {
        let other = self.lead.other.as_ref()?;
        let fixes = self.lead.observations.iter().filter_map(|(_, observation)| match observation {
            Observation::Fix(vessel, fix) if vessel == other => Some(fix),
            _ => None,
        });
        let apart_s = |fix: &&Fix| fix.t.seconds_since(self.lead.peak_t).abs();
        fixes.min_by(|a, b| apart_s(a).total_cmp(&apart_s(b))).map(|fix| fix.position)
    }

    /// How far the vessel is from there at the worst instant, metres.
    pub fn away_m(&self, from: Position) -> f64 {
        distance_m(self.peak(), from)
    }

    fn rulebook(&self) -> Option<Rulebook> {
        Rulebook::from_toml(&self.lead.law.rulebook_name, &self.lead.law.rulebook).ok()
    }

    fn changed(&self, mut change: impl FnMut(&mut Observation)) -> Vec<(u64, Observation)> {
        let mut observations = self.lead.observations.clone();
        observations.iter_mut().for_each(|(_, observation)| change(observation));
        observations
    }

    fn subject_with(&self, mut change: impl FnMut(&mut Fix)) -> Vec<(u64, Observation)> {
        self.changed(|observation| match observation {
            Observation::Fix(vessel, fix) if *vessel == self.lead.vessel => change(fix),
            _ => {}
        })
    }

    fn judge(&self, map: &Arc<Map>, rulebook: &Arc<Rulebook>, observations: &[(u64, Observation)]) -> Outcome {
        self.judge_at(map, rulebook, observations, 0.0)
    }

    /// The gravest finding of the same rule, clause and vessels that overlaps the one in question, or the time that it
    /// was shifted to.
    fn judge_at(
        &self,
        map: &Arc<Map>,
        rulebook: &Arc<Rulebook>,
        observations: &[(u64, Observation)],
        later_s: f64,
    ) -> Outcome {
        let mut engine = Engine::new(map.clone(), rulebook.clone());
        let mut events = Vec::new();
        for (position, observation) in observations {
            engine.observe(*position, observation, &mut events);
        }
        engine.finish(&mut events);
        let lead = self.lead;
        // At another speed it may begin earlier and end later.
        let length_s = lead.end.seconds_since(lead.start).max(5.0);
        let from = lead.start.plus_seconds(later_s - 5.0 * length_s);
        let to = lead.end.plus_seconds(later_s + 5.0 * length_s);
        let mut last: std::collections::BTreeMap<String, Finding> = std::collections::BTreeMap::new();
        for event in events {
            if let Event::Finding(finding) = event {
                last.insert(finding.id.clone(), *finding);
            }
        }
        let same = |finding: &&Finding| {
            finding.status == Status::Closed
                && finding.rule == lead.rule
                && finding.clause == lead.clause
                && finding.vessel == lead.vessel
                && finding.other == lead.other
                && finding.start <= to
                && finding.end.is_none_or(|end| end >= from)
        };
        let outcome = |finding: &Finding| match finding.verdict {
            Verdict::Breach => Outcome::Breach(finding.confidence),
            Verdict::Possible if finding.below_min_confidence => Outcome::Weak(finding.confidence),
            Verdict::Possible => Outcome::Possible(finding.confidence),
        };
        let outcomes = last.values().filter(same).map(outcome);
        outcomes.max_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)).unwrap_or(Outcome::Nothing)
    }
}
