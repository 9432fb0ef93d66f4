//! The sentence of a finding, in the rulebook's units.

use std::sync::Arc;

use super::ledger::Merged;
use super::{Finding, Key, News, Peak, Status, Verdict};
use crate::observation::VesselId;
use crate::rulebook::{Clause, Rulebook, TextUnits};
use crate::rules::{Rule, Told};
use crate::zones::{Waterway, ZoneKind};

/// How texts are written.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    units: TextUnits,
}

impl Words {
    /// The words of a rulebook.
    pub fn of(rulebook: &Rulebook) -> Self {
        Self { units: rulebook.texts }
    }

    /// A speed to a tenth, as in "12.3 mph".
    pub fn speed(&self, mps: f64) -> String {
        format!("{:.1} {}", self.units.speed.of_mps(mps), self.units.speed.symbol())
    }

    /// A speed limit to a tenth, without a tenth that is none, as in "5 mph".
    pub fn limit(&self, mps: f64) -> String {
        let value = (self.units.speed.of_mps(mps) * 10.0).round() / 10.0;
        format!("{value} {}", self.units.speed.symbol())
    }

    /// A distance to the whole unit, or to a tenth where the unit is long, as in "31 ft".
    pub fn distance(&self, m: f64) -> String {
        let value = self.units.distance.of_m(m);
        let digits = if self.units.distance.factor() < 0.5 { 0 } else { 1 };
        format!("{value:.digits$} {}", self.units.distance.symbol())
    }

    /// A limiting distance, with as many digits as it needs.
    pub fn reach(&self, m: f64) -> String {
        let value = (self.units.distance.of_m(m) * 100.0).round() / 100.0;
        format!("{value} {}", self.units.distance.symbol())
    }
}

impl Finding {
    /// What a ledger has to tell, as a finding.
    pub fn tell(
        key: &Key,
        news: News,
        vessel: &VesselId,
        waterway: &Waterway,
        rulebook: &Rulebook,
        words: &Words,
    ) -> Self {
        let rule = &rulebook.rules[usize::from(key.rule)];
        let clauses = rule.clauses();
        let clause = clauses[usize::from(key.clause)];
        let citation = match &key.zone {
            Some(zone) => format!("{} {zone}", clause.citation),
            None => clause.citation.clone(),
        };
        let News { status, revision, merged } = news;
        let id = super::finding::Identity {
            waterway: &waterway.id,
            rule: rule.id(),
            clause: &citation,
            vessel,
            other: key.other.as_ref(),
            start: merged.start,
            map_version: &waterway.version,
            rulebook_version: &rulebook.version,
        }
        .id();
        let verdict =
            if merged.confidence >= rulebook.findings.breach_confidence { Verdict::Breach } else { Verdict::Possible };
        let sentence = Sentence { rule: &**rule, key, merged: &merged, vessel, waterway, verdict, words };
        // A name on the map may hold anything; a sentence is one line.
        let text = sentence.by(&citation, clause).replace(char::is_control, " ");
        Self {
            message: "finding",
            id,
            revision,
            rule: rule.id(),
            clause: citation,
            vessel: vessel.clone(),
            waterway: waterway.id.clone(),
            other: key.other.clone(),
            status,
            start: merged.start,
            end: (status != Status::Open).then_some(merged.end),
            limit: merged.limit,
            peak: merged.peak,
            features: merged.features,
            confidence: merged.confidence,
            verdict,
            below_min_confidence: merged.confidence < rulebook.findings.min_confidence,
            reading: clause.reading.clone(),
            text,
            map_version: waterway.version.clone(),
            rulebook_version: rulebook.version.clone(),
        }
    }
}

/// What the sentence of a finding is made of.
struct Sentence<'a> {
    rule: &'a dyn Rule,
    key: &'a Key,
    merged: &'a Merged,
    vessel: &'a VesselId,
    waterway: &'a Waterway,
    verdict: Verdict,
    words: &'a Words,
}

impl Sentence<'_> {
    /// Who, how fast at most, how near to what then, what the limit is and where or when it holds, by which
    /// clause, how sure.
    fn by(&self, citation: &str, clause: &Clause) -> String {
        let Self { rule, key, merged, vessel, waterway, verdict, words } = self;
        let told = Told {
            vessel,
            other: key.other.as_ref(),
            distance: merged.peak.distance_m.map(|m| words.distance(m)),
            within: merged.limit.distance_m.map(|m| words.reach(m)),
            near: merged.peak.feature.as_ref().map(|_| named(&merged.peak, waterway)),
            is_of_skier: merged.peak.skier.is_some(),
            speed: merged.peak.speed_mps.map(|mps| words.speed(mps)),
            off_course_deg: merged.peak.off_course_deg,
        };
        if let Some(mut text) = rule.tells(&told) {
            if let Some(m) = merged.peak.skier.filter(|skier| skier.is_estimated).and_then(|skier| skier.accuracy_m) {
                let about = words.distance(m);
                text += &format!("; the skier's position is estimated from boat and rope, give or take {about}");
            }
            return text + &self.sure(citation, verdict);
        }
        let mut text = vessel.to_string();
        if let Some(mps) = merged.peak.speed_mps {
            text += &format!(" ran up to {}", words.speed(mps));
        }
        match (&key.other, merged.peak.distance_m) {
            (Some(other), Some(m)) => text += &format!(", then {} from vessel {other}", words.distance(m)),
            (None, Some(m)) => text += &format!(", then {} from {}", words.distance(m), named(&merged.peak, waterway)),
            (None, None) if merged.peak.feature.is_some() => text += &format!(" in {}", named(&merged.peak, waterway)),
            _ => {}
        }
        if let Some(limit_mps) = merged.limit.speed_mps {
            text += &format!("; the limit is {}", words.limit(limit_mps));
            if let Some(within_m) = merged.limit.distance_m {
                text += &format!(" within {}", words.reach(within_m));
            } else if let Some(title) = &clause.title {
                text += &format!(", {title}");
            }
        }
        text + &self.sure(citation, verdict)
    }

    fn sure(&self, citation: &str, verdict: &Verdict) -> String {
        let sure = match verdict {
            Verdict::Breach => "breach",
            Verdict::Possible => "possible",
        };
        let guess = if self.merged.is_guessed { "; that it tows is a guess from how it moves" } else { "" };
        // Rounded down, so that "possible" never stands beside the share from which on it is a breach.
        format!("{guess} ({citation}; {sure}, {:.0} % likely)", (100.0 * self.merged.confidence).floor())
    }
}

/// What the nearest feature is called: its kind and its name, or its id.
fn named(peak: &Peak, waterway: &Waterway) -> String {
    peak.feature.as_ref().map_or_else(|| "the nearest feature".to_owned(), |id| name_of(id, waterway))
}

/// What a feature of a waterway is called: its kind and its name, or its id.
pub fn name_of(id: &Arc<str>, waterway: &Waterway) -> String {
    let Some(feature) = waterway.feature_named(id) else {
        return id.to_string();
    };
    let kind = match feature.kind {
        ZoneKind::Waterway | ZoneKind::Shoreline => return "the shoreline".to_owned(),
        ZoneKind::InshoreArea => return "the water between buoy line and shore".to_owned(),
        kind => kind.as_str().replace('_', " "),
    };
    match &feature.name {
        Some(name) => format!("{kind} {name}"),
        // "dock-22" needs no "dock" before it.
        None if id.starts_with(kind.as_str()) => id.to_string(),
        None => format!("{kind} {id}"),
    }
}
