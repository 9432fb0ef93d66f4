//! Findings as they stand, and what officers made of them.

mod explain;
mod files;
mod outcome;
mod quiet;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::bbox::Bbox;
use super::problem::{Path, Query};
use super::{Console, Problem, Viewer};
use crate::rulebook::{Clause, Rulebook};
use crate::store::{Counts, Standing, StandingQuery};
use crate::time::EventTime;

pub(super) use outcome::ShownOutcome;

/// Findings in one answer at most.
const LIMIT_MAX: usize = 1_000;
/// Findings in one answer where no number is asked for.
const LIMIT: usize = 100;
/// Corners of an area at most.
const CORNERS_MAX: usize = 500;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(findings))
        .routes(routes!(explain::finding))
        .routes(routes!(outcome::add))
        .merge(files::routes())
        .merge(quiet::routes())
}

/// Which findings. Lists are separated by commas.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Asked {
    pub waterway: Option<String>,
    /// open, new, acknowledged, noted, warned, cited, dismissed, withdrawn.
    pub state: Option<String>,
    /// breach or possible.
    pub verdict: Option<String>,
    /// Ids of rules.
    pub rule: Option<String>,
    /// The vessel, or the other one.
    pub vessel: Option<String>,
    /// The id of a feature that is involved.
    pub feature: Option<String>,
    /// Beginning at or after this instant.
    #[param(value_type = Option<String>)]
    pub from: Option<EventTime>,
    /// Beginning at or before this instant.
    #[param(value_type = Option<String>)]
    pub to: Option<EventTime>,
    pub min_confidence: Option<f64>,
    /// West, south, east, north in degrees: with the worst instant in this box.
    pub bbox: Option<String>,
    /// With the worst instant in an area: its corners as latitude,longitude in degrees, with a semicolon between two.
    pub area: Option<String>,
    /// -start (newest first), start, -confidence or confidence.
    pub sort: Option<String>,
    /// At most 1,000; 100 unless given.
    pub limit: Option<usize>,
    /// `next` of the answer before.
    pub after: Option<String>,
}

impl Asked {
    /// As the store is asked.
    ///
    /// # Errors
    /// A parameter that cannot be read.
    pub fn query(&self) -> Result<StandingQuery, Problem> {
        let list = |text: &Option<String>| {
            let items = text.iter().flat_map(|text| text.split(','));
            items.map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
        };
        let (by_confidence, is_ascending) = match self.sort.as_deref().unwrap_or("-start") {
            "-start" => (false, false),
            "start" => (false, true),
            "-confidence" => (true, false),
            "confidence" => (true, true),
            other => {
                let mend = "take -start, start, -confidence or confidence";
                return Err(Problem::bad(format!("{other:?} is no order")).at("sort").mend(mend));
            }
        };
        let after = self.after.as_deref().map(|text| {
            let (key, id) = text.split_once('~')?;
            Some((key.parse().ok()?, id.to_owned()))
        });
        let after = after.map(|after| after.ok_or_else(|| Problem::bad("it is no cursor").at("after"))).transpose()?;
        let text = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let bbox = text(&self.bbox).map(|text| {
            let bbox = Bbox::read(&text)
                .ok_or_else(|| Problem::bad(format!("{text:?} is no box")).at("bbox").mend(Bbox::MEND));
            bbox.map(Bbox::edges)
        });
        let area = text(&self.area).map(|text| {
            let mend = "write at least three corners as latitude,longitude in degrees, as in 47.6,-117.4;47.7,-117.4;47.7,-117.3";
            corners(&text).ok_or_else(|| Problem::bad(format!("{text:?} is no area")).at("area").mend(mend))
        });
        Ok(StandingQuery {
            bbox: bbox.transpose()?,
            area: area.transpose()?.unwrap_or_default(),
            waterway: self.waterway.clone(),
            states: list(&self.state),
            verdict: self.verdict.clone(),
            rules: list(&self.rule),
            vessel: self.vessel.clone(),
            feature: self.feature.clone(),
            from: self.from,
            to: self.to,
            min_confidence: self.min_confidence,
            by_confidence,
            is_ascending,
            limit: self.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX),
            after,
        })
    }
}

/// The corners of an area, latitude and longitude each; `None` where the text has no three.
fn corners(text: &str) -> Option<Vec<[f64; 2]>> {
    let number = |text: &str, most: f64| text.trim().parse().ok().filter(|n: &f64| n.abs() <= most);
    let corner = |text: &str| {
        let (lat, lon) = text.split_once(',')?;
        Some([number(lat, 90.0)?, number(lon, 180.0)?])
    };
    let texts = text.split(';').filter(|text| !text.trim().is_empty());
    let corners: Vec<[f64; 2]> = texts.map(corner).collect::<Option<_>>()?;
    (3..=CORNERS_MAX).contains(&corners.len()).then_some(corners)
}

/// Findings, and how many there are.
#[derive(Serialize, ToSchema)]
struct Found {
    /// Each as published, with where it stands.
    #[schema(value_type = Vec<Object>)]
    findings: Vec<Value>,
    /// What to ask for with `after` to get more; null where this is all.
    next: Option<String>,
    counts: ShownCounts,
}

/// How many there are of those asked for, whatever their state, verdict and rule.
#[derive(Serialize, ToSchema)]
struct ShownCounts {
    by_state: std::collections::BTreeMap<String, u64>,
    by_verdict: std::collections::BTreeMap<String, u64>,
    by_rule: std::collections::BTreeMap<String, u64>,
}

/// Findings as they stand, the newest first.
#[utoipa::path(get, path = "/findings", tag = "findings", params(Asked),
    responses((status = 200, body = Found), (status = 400, body = Problem)))]
async fn findings(
    State(console): State<Console>,
    _: Viewer,
    Query(asked): Query<Asked>,
) -> Result<Json<Found>, Problem> {
    let query = asked.query()?;
    let limit = query.limit;
    let one_more = StandingQuery { limit: limit + 1, ..query.clone() };
    let (mut standings, counts) =
        console.shelf().read(move |store| Ok((store.standings(&one_more)?, store.standing_counts(&one_more)?))).await?;
    let is_more = standings.len() > limit;
    standings.truncate(limit);
    let last = standings.last().filter(|_| is_more);
    let next = last.and_then(|last| Some(format!("{}~{}", query.key(last)?, last.id)));
    let law = console.law();
    let Counts { by_state, by_verdict, by_rule } = counts;
    Ok(Json(Found {
        findings: standings.iter().map(|standing| shown(standing, &law.rulebook)).collect(),
        next,
        counts: ShownCounts { by_state, by_verdict, by_rule },
    }))
}

/// A finding as published, with where it stands.
pub(super) fn shown(standing: &Standing, rulebook: &Rulebook) -> Value {
    let finding: Value = serde_json::from_str(&standing.json).unwrap_or_default();
    shown_as(finding, rulebook, standing.seq, json!(standing.made_at), &standing.state)
}

/// A finding that is not stored, as if it had just been made.
pub(super) fn shown_unstored(finding: Value, rulebook: &Rulebook) -> Value {
    let at = finding["end"].clone();
    shown_as(finding, rulebook, 0, at, "new")
}

fn shown_as(mut finding: Value, rulebook: &Rulebook, seq: i64, made_at: Value, state: &str) -> Value {
    let (rule, clause) = (finding["rule"].as_str().unwrap_or_default(), finding["clause"].as_str().unwrap_or_default());
    let title = clause_of(rulebook, rule, clause).and_then(|clause| clause.title.clone());
    let title = title.unwrap_or_else(|| rule.replace('-', " "));
    let is_weak = finding["below_min_confidence"] == true;
    let citation = finding["clause"].clone();
    if let Some(keys) = finding.as_object_mut() {
        keys.insert("seq".to_owned(), seq.into());
        keys.insert("made_at".to_owned(), made_at);
        keys.insert("state".to_owned(), state.into());
        keys.insert("is_weak".to_owned(), is_weak.into());
        keys.insert("title".to_owned(), title.into());
        keys.insert("citation".to_owned(), citation);
    }
    finding
}

/// The clause that a finding cites: of a zone's own limit the citation is followed by the zone.
fn clause_of<'r>(rulebook: &'r Rulebook, rule: &str, citation: &str) -> Option<&'r Clause> {
    let rule = rulebook.rules.iter().find(|known| known.id() == rule)?;
    let clauses = rule.clauses();
    let exact = clauses.iter().find(|clause| clause.citation == citation);
    exact.or_else(|| clauses.iter().find(|clause| citation.starts_with(&clause.citation))).copied()
}

/// A finding by its id.
async fn standing(console: &Console, id: &str) -> Result<Standing, Problem> {
    let asked = id.to_owned();
    let standing = console.shelf().read(move |store| store.standing(&asked)).await?;
    standing.ok_or_else(|| Problem::not_found("finding", id))
}

/// The id in an address.
type Id = Path<String>;
