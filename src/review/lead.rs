//! A finding out of the store with what it was judged from: its law, and the observations that bear on it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::observation::{Observation, VesselId, WaterwayId};
use crate::rulebook::Rulebook;
use crate::serve::JudgeError;
use crate::store::{Content, Law, Sqlite};
use crate::time::EventTime;
use crate::zones::{Map, Waterway};

/// Fixes so long before a finding are judged with it, seconds.
const LEAD_S: f64 = 150.0;
/// The same where another vessel may have come to rest, seconds.
const LEAD_OF_TWO_S: f64 = 700.0;
/// Fixes so long after it bear on its odds, seconds.
const TAIL_S: f64 = 90.0;

/// A finding and what it comes from.
#[derive(Debug)]
pub struct Lead {
    /// The finding as it stands, as it is published.
    pub json: Value,
    /// Its id.
    pub id: String,
    /// Its rule.
    pub rule: String,
    /// Its clause, as it is cited.
    pub clause: String,
    /// The vessel.
    pub vessel: VesselId,
    /// The other vessel.
    pub other: Option<VesselId>,
    /// The waterway.
    pub waterway: WaterwayId,
    /// When it began.
    pub start: EventTime,
    /// When it ended; that of its worst instant where it is open.
    pub end: EventTime,
    /// Its worst instant.
    pub peak_t: EventTime,
    /// The files of the law it was judged by.
    pub law: Law,
    /// The map it was judged by.
    pub map: Arc<Map>,
    /// The rulebook it was judged by.
    pub rulebook: Arc<Rulebook>,
    /// What bears on it, in the order of the log.
    pub observations: Vec<(u64, Observation)>,
}

impl Lead {
    /// The finding of this id as it stands; `None` where there is none.
    ///
    /// # Errors
    /// [`JudgeError`].
    pub fn of(store: &Sqlite, id: &str) -> Result<Option<Self>, JudgeError> {
        let Some(standing) = store.standing(id)? else { return Ok(None) };
        let Ok(json) = serde_json::from_str::<Value>(&standing.json) else { return Ok(None) };
        let Some((_, version)) = store.law_of_finding(id)? else { return Err(JudgeError::Lawless) };
        let law = store.law(&version)?;
        let (map, rulebook) = law.read().map_err(|reason| JudgeError::Law { version, reason })?;
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        let time = |value: &Value| value.as_str().and_then(|text| EventTime::parse_rfc3339(text).ok());
        let parts = (
            text("rule"),
            text("clause"),
            text("vessel").and_then(|id| VesselId::new(&id).ok()),
            text("waterway").and_then(|id| WaterwayId::new(&id).ok()),
            time(&json["start"]),
            time(&json["peak"]["t"]),
        );
        // What is kept was written by this program: a finding without these is none.
        let (Some(rule), Some(clause), Some(vessel), Some(waterway), Some(start), Some(peak_t)) = parts else {
            return Ok(None);
        };
        let other = text("other").and_then(|id| VesselId::new(&id).ok());
        let end = time(&json["end"]).unwrap_or(peak_t).max(peak_t);
        let id = id.to_owned();
        let observations = Vec::new();
        let mut lead = Self {
            json,
            id,
            rule,
            clause,
            vessel,
            other,
            waterway,
            start,
            end,
            peak_t,
            law,
            map,
            rulebook,
            observations,
        };
        lead.observations = lead.gather(store)?;
        Ok(Some(lead))
    }

    /// What bears on it: the fixes of its vessels, and what was said.
    fn gather(&self, store: &Sqlite) -> Result<Vec<(u64, Observation)>, JudgeError> {
        let lead_s = if self.other.is_some() { LEAD_OF_TWO_S } else { LEAD_S };
        let (from, to) = (self.start.plus_seconds(-lead_s), self.end.plus_seconds(TAIL_S));
        let vessels: Vec<&VesselId> = std::iter::once(&self.vessel).chain(&self.other).collect();
        let mut entries = store.fixes_beside(&vessels, from, to)?;
        let mut heard: BTreeSet<VesselId> = vessels.into_iter().cloned().collect();
        heard.extend(entries.iter().filter_map(|entry| match &entry.content {
            Content::Observation(Observation::Fix(vessel, _)) => Some(vessel.clone()),
            _ => None,
        }));
        entries.extend(store.said(from, to)?);
        entries.sort_by_key(|entry| entry.position);
        let bears = |observation: &Observation| observation.vessel().is_none_or(|vessel| heard.contains(vessel));
        let observations = entries.into_iter().filter_map(|entry| match entry.content {
            Content::Observation(observation) => Some((entry.position, observation)),
            Content::Law(_) | Content::Clock(..) => None,
        });
        Ok(observations.filter(|(_, observation)| bears(observation)).collect())
    }

    /// The waterway's map.
    pub fn place(&self) -> Option<&Waterway> {
        self.map.waterways.iter().find(|waterway| waterway.id == self.waterway)
    }

    /// A number of the finding.
    pub fn number(&self, part: &str, key: &str) -> Option<f64> {
        self.json[part][key].as_f64()
    }

    /// A text of the finding.
    pub fn text(&self, key: &str) -> &str {
        self.json[key].as_str().unwrap_or_default()
    }
}
