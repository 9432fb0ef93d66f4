//! Waterways with the law in force on them, their maps, and the rulebook.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::Path;
use super::{Console, Problem, Viewer, chart, packed};
use crate::geo::Position;
use crate::rulebook::Rulebook;
use crate::serve::InForce;
use crate::sun::{self, Almanac, SunEvent};
use crate::time::EventTime;
use crate::zones::Waterway;

/// Maps that are kept ready at most.
const CHARTS_MAX: usize = 16;
/// How far around now the night is looked for, seconds.
const DAY_S: f64 = 86_400.0;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(waterways)).routes(routes!(map)).routes(routes!(rulebook))
}

/// A waterway and the law in force on it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(super) struct ShownWaterway {
    id: String,
    name: String,
    /// Its time zone, as in `America/Los_Angeles`.
    time_zone: String,
    /// West, south, east, north, degrees.
    bbox: [f64; 4],
    law: ShownLaw,
    sun: ShownSun,
    units: Units,
    limits: Limits,
    /// What was last reported of sight and weather, as long as it holds.
    conditions: Option<ShownConditions>,
    /// Rules that are quiet for some vessel.
    quiet: Vec<String>,
    /// Findings below this confidence are weak leads.
    min_confidence: f64,
    /// Findings from this confidence on are breaches.
    breach_confidence: f64,
    /// Between fixes farther apart nothing is judged, seconds.
    max_gap_s: f64,
}

impl ShownWaterway {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Without who said what, and about whom.
    pub fn for_everybody(mut self) -> Self {
        self.quiet.clear();
        self.law.fault = None;
        if let Some(conditions) = &mut self.conditions {
            conditions.by = None;
        }
        self
    }

    /// What was last reported of sight and weather.
    pub fn conditions(&self) -> Option<&ShownConditions> {
        self.conditions.as_ref()
    }
}

/// The law in force.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(super) struct ShownLaw {
    /// Content hash of the waterway's map.
    map_version: String,
    /// Content hash of the rulebook.
    rulebook_version: String,
    rulebook_name: String,
    #[schema(value_type = String)]
    since: EventTime,
    /// Why the newest change of the files was refused, if it was.
    fault: Option<String>,
}

/// The sun over the waterway, today and tonight.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(super) struct ShownSun {
    /// The sunset of tonight: the last one while the sun is down, else the next.
    #[schema(value_type = Option<String>)]
    sunset: Option<EventTime>,
    /// The next sunrise.
    #[schema(value_type = Option<String>)]
    sunrise: Option<EventTime>,
    /// When the night limit begins to hold, or began.
    #[schema(value_type = Option<String>)]
    night_from: Option<EventTime>,
    /// When it ends.
    #[schema(value_type = Option<String>)]
    night_until: Option<EventTime>,
    /// Whether it holds now.
    is_night: bool,
}

/// The rulebook's units.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(super) struct Units {
    speed: &'static str,
    distance: &'static str,
}

/// The speeds and the distance that matter most; null where the rulebook has no such rule.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(super) struct Limits {
    cap_mps: Option<f64>,
    night_mps: Option<f64>,
    wake_mps: Option<f64>,
    strip_m: Option<f64>,
}

/// What was reported of sight and weather.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(super) struct ShownConditions {
    visibility_m: Option<f64>,
    #[schema(value_type = Option<String>)]
    weather: Option<crate::observation::Weather>,
    #[schema(value_type = String)]
    t: EventTime,
    #[schema(value_type = Option<String>)]
    until: Option<EventTime>,
    by: Option<String>,
}

/// All waterways.
#[utoipa::path(get, path = "/waterways", tag = "law", responses((status = 200, body = [ShownWaterway])))]
async fn waterways(State(console): State<Console>, _: Viewer) -> Result<Json<Vec<ShownWaterway>>, Problem> {
    Ok(Json(console.waterways().await?))
}

impl Console {
    /// All waterways as they are now.
    pub(super) async fn waterways(&self) -> Result<Vec<ShownWaterway>, Problem> {
        let now = self.desk().now();
        let (quiet, said) =
            self.shelf().read(move |store| Ok((store.quiet_from(now)?, store.last_statements("conditions")?))).await?;
        let mut quiet: Vec<String> = quiet.into_iter().map(|quiet| quiet.rule).collect();
        quiet.sort();
        quiet.dedup();
        let by: BTreeMap<String, (String, EventTime)> =
            said.into_iter().map(|(about, by, t, _)| (about, (by, t))).collect();
        let law = self.law();
        let posted = self.desk().board().posted().borrow().clone();
        let shown = law.map.waterways.iter().map(|waterway| {
            let conditions = posted.iter().find(|posted| posted.waterway == waterway.id);
            let conditions = conditions.and_then(|posted| posted.conditions.as_ref()).and_then(|report| {
                let holds_s = law.rulebook.rules.iter().find_map(|rule| rule.conditions_hold_s());
                let until = holds_s.map(|s| report.t.plus_seconds(s));
                let by = by.get(waterway.id.as_str()).filter(|(_, t)| *t == report.t).map(|(by, _)| by.clone());
                until.is_none_or(|until| until > now).then_some(ShownConditions {
                    visibility_m: report.visibility_m,
                    weather: report.weather,
                    t: report.t,
                    until,
                    by,
                })
            });
            shown(waterway, &law, now, conditions, quiet.clone())
        });
        Ok(shown.collect())
    }

    /// The law in force.
    pub(super) fn law(&self) -> Arc<InForce> {
        self.desk().board().law().borrow().clone()
    }

    /// A waterway of the map in force.
    ///
    /// # Errors
    /// There is none of that id.
    pub(super) fn waterway<'l>(&self, law: &'l InForce, id: &str) -> Result<&'l Waterway, Problem> {
        let known = law.map.waterways.iter().find(|waterway| waterway.id.as_str() == id);
        known.ok_or_else(|| Problem::not_found("waterway", id))
    }
}

fn shown(
    waterway: &Waterway,
    law: &InForce,
    now: EventTime,
    conditions: Option<ShownConditions>,
    quiet: Vec<String>,
) -> ShownWaterway {
    let rulebook = &law.rulebook;
    let bbox = chart::bbox(waterway);
    let limit = |id: &str| {
        let rule = rulebook.rules.iter().find(|rule| rule.id() == id)?;
        Some(rule.quiet_below_mps(waterway)).filter(|mps| mps.is_finite())
    };
    let strip_m = rulebook.rules.iter().flat_map(|rule| rule.slow_near()).map(|(_, m)| m).reduce(f64::max);
    let middle = Position::from_lat_lon(0.5 * (bbox[1] + bbox[3]), 0.5 * (bbox[0] + bbox[2])).ok();
    ShownWaterway {
        id: waterway.id.to_string(),
        name: waterway.water().name.clone().unwrap_or_else(|| waterway.id.to_string()),
        time_zone: rulebook.time_zone.name().to_owned(),
        bbox,
        law: ShownLaw {
            map_version: waterway.version.to_string(),
            rulebook_version: rulebook.version.to_string(),
            rulebook_name: rulebook.name.clone(),
            since: law.since,
            fault: law.fault.clone(),
        },
        sun: middle.map_or_else(ShownSun::unknown, |place| ShownSun::at(place, rulebook, now)),
        units: Units { speed: rulebook.texts.speed.symbol(), distance: rulebook.texts.distance.symbol() },
        limits: Limits {
            cap_mps: limit("speed-cap"),
            night_mps: limit("night-speed"),
            wake_mps: limit("wake-zone"),
            strip_m,
        },
        conditions,
        quiet,
        min_confidence: rulebook.findings.min_confidence,
        breach_confidence: rulebook.findings.breach_confidence,
        max_gap_s: rulebook.motion.max_gap_s,
    }
}

impl ShownSun {
    fn unknown() -> Self {
        Self { sunset: None, sunrise: None, night_from: None, night_until: None, is_night: false }
    }

    /// The sun over a place, and the night that holds there or comes next.
    pub(super) fn at(place: Position, rulebook: &Rulebook, now: EventTime) -> Self {
        let is_down = sun::altitude_deg(place, now) < sun::HORIZON_DEG;
        let sunset =
            if is_down { sun::previous(SunEvent::Set, place, now) } else { sun::next(SunEvent::Set, place, now) };
        let sunrise = sun::next(SunEvent::Rise, place, now);
        let (from, to) = (now.plus_seconds(-DAY_S), now.plus_seconds(1.5 * DAY_S));
        let night = rulebook.rules.iter().find(|rule| rule.id() == "night-speed").and_then(|rule| {
            let when = &rule.clauses().first()?.when;
            let spans = when.spans(&Almanac::new(), rulebook.time_zone, place, from, to);
            spans.iter().find(|span| span.to_s > DAY_S)
        });
        Self {
            sunset,
            sunrise,
            night_from: night.map(|span| from.plus_seconds(span.from_s)),
            night_until: night.map(|span| from.plus_seconds(span.to_s)),
            is_night: night.is_some_and(|span| span.contains(DAY_S)),
        }
    }
}

/// A map that is ready to be sent.
#[derive(Debug)]
struct Chart {
    plain: Bytes,
    gzip: Bytes,
}

/// Maps that are ready, by waterway, map version and rulebook version, with how recently they were made.
#[derive(Debug, Default)]
pub(super) struct Charts {
    made: tokio::sync::Mutex<Vec<([String; 3], Arc<Chart>)>>,
}

impl Charts {
    /// The map of a waterway; made once for each version.
    async fn of(&self, law: &Arc<InForce>, place: usize) -> Result<Arc<Chart>, Problem> {
        let waterway = &law.map.waterways[place];
        let key = [waterway.id.to_string(), waterway.version.to_string(), law.rulebook.version.to_string()];
        // Held while one is made, so that nobody makes it twice.
        let mut made = self.made.lock().await;
        if let Some((_, chart)) = made.iter().find(|(of, _)| *of == key) {
            return Ok(chart.clone());
        }
        let law = law.clone();
        let chart = tokio::task::spawn_blocking(move || {
            let text = chart::geojson(&law.map.waterways[place], &law.rulebook);
            let gzip = packed::gzip(text.as_bytes());
            Chart { plain: text.into(), gzip: gzip.into() }
        });
        let chart = Arc::new(chart.await.map_err(|error| Problem::inside(&error))?);
        if made.len() >= CHARTS_MAX {
            made.remove(0);
        }
        made.push((key, chart.clone()));
        Ok(chart)
    }
}

/// The map of a waterway as GeoJSON, with what is derived from it (`properties.derived`).
#[utoipa::path(get, path = "/waterways/{waterway}/map", tag = "law", params(("waterway" = String, Path)),
    responses((status = 200, content_type = "application/geo+json", body = Object), (status = 304), (status = 404, body = Problem)))]
async fn map(
    State(console): State<Console>,
    _: Viewer,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    console.chart(&id, &headers).await
}

impl Console {
    /// The map of a waterway, as part of an answer.
    pub(super) async fn chart_json(&self, id: &str) -> Result<Box<RawValue>, Problem> {
        let law = self.law();
        let place = law.map.waterways.iter().position(|waterway| waterway.id.as_str() == id);
        let chart = self.inner.charts.of(&law, place.ok_or_else(|| Problem::not_found("waterway", id))?).await?;
        let text = String::from_utf8(chart.plain.to_vec()).map_err(|error| Problem::inside(&error))?;
        RawValue::from_string(text).map_err(|error| Problem::inside(&error))
    }

    /// The map of a waterway, as an answer.
    pub(super) async fn chart(&self, id: &str, asked: &HeaderMap) -> Result<Response, Problem> {
        let law = self.law();
        let place = law.map.waterways.iter().position(|waterway| waterway.id.as_str() == id);
        let place = place.ok_or_else(|| Problem::not_found("waterway", id))?;
        let waterway = &law.map.waterways[place];
        // Another rulebook may draw another strip.
        let etag = format!("\"{}.{}\"", waterway.version, &law.rulebook.version[..law.rulebook.version.len().min(8)]);
        let lasting = [(header::ETAG, etag.clone()), (header::CACHE_CONTROL, "private, no-cache".to_owned())];
        let known = asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if known.contains(&etag) {
            return Ok((StatusCode::NOT_MODIFIED, lasting).into_response());
        }
        let chart = self.inner.charts.of(&law, place).await?;
        let kind = [(header::CONTENT_TYPE, "application/geo+json"), (header::VARY, "accept-encoding")];
        if packed::reads_gzip(asked) {
            return Ok((lasting, kind, [(header::CONTENT_ENCODING, "gzip")], chart.gzip.clone()).into_response());
        }
        Ok((lasting, kind, chart.plain.clone()).into_response())
    }
}

/// The rulebook in force.
#[derive(Serialize, ToSchema)]
pub(super) struct ShownRulebook {
    name: String,
    version: String,
    edition: String,
    authority: String,
    /// The rulebook itself.
    toml: String,
    rules: Vec<ShownClause>,
}

impl ShownRulebook {
    /// A rulebook with its text.
    pub fn of(rulebook: &Rulebook, toml: String) -> Self {
        Self {
            name: rulebook.name.clone(),
            version: rulebook.version.to_string(),
            edition: rulebook.edition.clone(),
            authority: rulebook.authority.clone(),
            toml,
            rules: clauses(rulebook),
        }
    }
}

/// A clause of a rule.
#[derive(Serialize, ToSchema)]
pub(super) struct ShownClause {
    rule: &'static str,
    /// The citation.
    clause: String,
    title: Option<String>,
    /// The words of the law.
    text: Option<String>,
    reading: Option<String>,
    /// When it holds, where not always.
    #[schema(value_type = Option<String>)]
    when: Option<crate::window::Window>,
}

/// The rulebook in force, with the words of the law clause by clause.
#[utoipa::path(get, path = "/rulebook", tag = "law", responses((status = 200, body = ShownRulebook)))]
async fn rulebook(State(console): State<Console>, _: Viewer) -> Result<Json<ShownRulebook>, Problem> {
    let law = console.law();
    let version = law.version.clone();
    let kept = console.shelf().read(move |store| store.law(&version)).await?;
    Ok(Json(ShownRulebook::of(&law.rulebook, kept.rulebook)))
}

fn clauses(rulebook: &Rulebook) -> Vec<ShownClause> {
    let of_rule = |rule: &dyn crate::rules::Rule| {
        let shown = rule.clauses().into_iter().map(|clause| ShownClause {
            rule: rule.id(),
            clause: clause.citation.clone(),
            title: clause.title.clone(),
            text: clause.text.clone(),
            reading: clause.reading.clone(),
            when: (!clause.when.is_always()).then(|| clause.when.clone()),
        });
        shown.collect::<Vec<_>>()
    };
    rulebook.rules.iter().flat_map(|rule| of_rule(rule.as_ref())).collect()
}
