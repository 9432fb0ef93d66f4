//! What happened in a period: out of the store, or out of a recording that somebody has and that is not stored.

mod tracks;

pub(super) use tracks::{FIXES_MAX, download, tracks_of};

use std::collections::BTreeSet;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Query, Raw};
use super::session::audit_with;
use super::{Console, Problem, Viewer, Who, edit, finding, packed};
use crate::observation::{VesselId, WaterwayId};
use crate::replay::ReadOptions;
use crate::review::{self, PERIOD_MAX_S, Unreadable};
use crate::serve::JudgeError;
use crate::store::Role;
use crate::time::EventTime;

/// The largest recording that is taken, bytes.
const UPLOAD_BYTES_MAX: usize = 64 << 20;
/// The header that says what a look is for.
const PURPOSE: &str = "x-buoyline-purpose";

pub(super) fn routes() -> OpenApiRouter<Console> {
    let upload = OpenApiRouter::new().routes(routes!(upload)).layer(DefaultBodyLimit::max(UPLOAD_BYTES_MAX));
    OpenApiRouter::new().routes(routes!(stored)).merge(upload).merge(tracks::routes())
}

/// A period of a waterway.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Period {
    waterway: String,
    #[param(value_type = String)]
    from: EventTime,
    /// At most 24 h later.
    #[param(value_type = String)]
    to: EventTime,
    /// Only these vessels, separated by commas.
    vessels: Option<String>,
    /// What the look is for; it goes into the audit log.
    purpose: Option<String>,
    /// Of `/review`, for managers: the id of a draft of the map to judge it by, in place of what was in force. Findings
    /// are those that it makes, and are not stored.
    draft: Option<String>,
}

impl Period {
    /// As it is asked of the store.
    ///
    /// # Errors
    /// A parameter that cannot be used.
    fn asked(&self, longest_s: f64) -> Result<review::Asked, Problem> {
        let waterway = WaterwayId::new(&self.waterway).map_err(|_| Problem::not_found("waterway", &self.waterway))?;
        let long_s = self.to.seconds_since(self.from);
        if long_s < 0.0 {
            return Err(Problem::bad("the period ends before it begins").at("to"));
        }
        if long_s > longest_s {
            let mend = format!("ask for at most {:.0} h at a time", longest_s / 3_600.0);
            return Err(Problem::unusable("the period is too long").at("to").mend(mend));
        }
        let names = self.vessels.iter().flat_map(|text| text.split(',')).map(str::trim).filter(|name| !name.is_empty());
        let vessels: Result<BTreeSet<VesselId>, _> = names.map(VesselId::new).collect();
        let vessels = vessels.map_err(|error| Problem::bad(error.to_string()).at("vessels"))?;
        Ok(review::Asked { waterway, from: self.from, to: self.to, vessels })
    }

    /// Notes the look in the audit log: each vessel by its name, or all of the waterway.
    ///
    /// # Errors
    /// The store.
    async fn looked(&self, console: &Console, who: &Who, action: &str, headers: &HeaderMap) -> Result<(), Problem> {
        let purpose = purpose(headers, self.purpose.as_ref());
        let detail = format!("{} to {}", self.from.to_rfc3339(), self.to.to_rfc3339());
        let all = format!("all on {}", self.waterway);
        let named: Vec<&str> = self.vessels.iter().flat_map(|text| text.split(',')).map(str::trim).collect();
        let about = if named.iter().all(|name| name.is_empty()) { vec![all.as_str()] } else { named };
        for about in about {
            audit_with(console, &who.name, action, about, purpose.clone(), Some(detail.clone())).await?;
        }
        Ok(())
    }
}

/// What a look is for: by the header, else by the parameter.
pub(super) fn purpose(headers: &HeaderMap, asked: Option<&String>) -> Option<String> {
    let said = headers.get(PURPOSE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    said.or_else(|| asked.cloned())
}

/// Tracks of a period with the limit in force at every fix, findings, gaps, what was refused, the sun.
#[utoipa::path(get, path = "/review", tag = "review", params(Period),
    responses((status = 200, body = Object), (status = 422, body = Problem)))]
async fn stored(
    State(console): State<Console>,
    Viewer(who): Viewer,
    headers: HeaderMap,
    Query(period): Query<Period>,
) -> Result<Response, Problem> {
    console.heavy(&who)?;
    let law = console.law();
    console.waterway(&law, &period.waterway)?;
    let asked = period.asked(PERIOD_MAX_S)?;
    period.looked(&console, &who, "review", &headers).await?;
    let draft = match period.draft.as_deref().filter(|id| !id.is_empty()) {
        Some(_) if who.role < Role::Manager => {
            return Err(Problem::forbidden(format!("this needs the role {}", Role::Manager)).at("draft"));
        }
        Some(id) => Some(edit::drafted_law(&console, id, &period.waterway).await?),
        None => None,
    };
    if let Some((of, pair)) = draft {
        let rulebook = pair.1.clone();
        let review = console.work(move |store| Ok(review::drafted(store, &asked, &pair)?)).await?;
        let mut review = review.ok_or_else(too_many)?;
        for finding in &mut review.findings {
            *finding = finding::shown_unstored(finding.take(), &rulebook);
        }
        review.draft = Some(of);
        return answer(&review, &headers);
    }
    let rulebook = law.rulebook.clone();
    let review = console
        .work(move |store| {
            let Some(mut review) = review::stored(store, &asked)? else { return Ok(None) };
            for finding in &mut review.findings {
                let id = finding["id"].as_str().unwrap_or_default().to_owned();
                if let Some(standing) = store.standing(&id)? {
                    *finding = finding::shown(&standing, &rulebook);
                }
            }
            Ok(Some(review))
        })
        .await?;
    answer(&review.ok_or_else(too_many)?, &headers)
}

fn too_many() -> Problem {
    let title = format!("there are more than {} fixes", review::FIXES_MAX);
    Problem::unusable(title).at("to").mend("ask for a shorter period or for single vessels")
}

/// What the uploader says about a recording.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Upload {
    /// The waterway; the one that most positions lie on, unless given.
    waterway: Option<String>,
    /// The name of its file, which may tell the format and whose track it is.
    name: Option<String>,
    /// The format, where the content is not to decide.
    #[serde(rename = "as")]
    #[param(rename = "as")]
    format: Option<String>,
    /// The offset from UTC of times that have none, as in `-07:00`.
    utc_offset: Option<String>,
    /// The day of the first of times that have no date, as in `2026-07-04`.
    date: Option<String>,
    /// The unit of speeds that have none: mph, km/h, kn or m/s.
    speed_unit: Option<String>,
    /// Whose track it is, where the records do not say.
    vessel: Option<String>,
}

impl Upload {
    fn options(&self) -> Result<ReadOptions, Problem> {
        let wrong = |place: &str, value: &str, mend: &str| {
            Problem::bad(format!("{value:?} cannot be used")).at(place).mend(mend)
        };
        let mut options =
            ReadOptions { format: self.format.clone().filter(|name| !name.is_empty()), ..ReadOptions::default() };
        if let Some(text) = self.utc_offset.as_deref().filter(|text| !text.is_empty()) {
            options.utc_offset = Some(text.parse().map_err(|_| wrong("utc_offset", text, "write it as in -07:00"))?);
        }
        if let Some(text) = self.date.as_deref().filter(|text| !text.is_empty()) {
            options.date = Some(text.parse().map_err(|_| wrong("date", text, "write it as in 2026-07-04"))?);
        }
        if let Some(text) = self.speed_unit.as_deref().filter(|text| !text.is_empty()) {
            let speed: Result<crate::units::Speed, _> = format!("1 {text}").parse();
            options.speed_unit =
                Some(speed.map_err(|_| wrong("speed_unit", text, "take mph, km/h, kn or m/s"))?.unit());
        }
        if let Some(text) = self.vessel.as_deref().filter(|text| !text.is_empty()) {
            options.vessel = Some(VesselId::new(text).map_err(|error| wrong("vessel", text, &error.to_string()))?);
        }
        Ok(options)
    }
}

/// A recording of any format that `replay` reads, reviewed by the law in force; nothing of it is stored.
#[utoipa::path(post, path = "/review", tag = "review", params(Upload), request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Object), (status = 422, body = Problem)))]
async fn upload(
    State(console): State<Console>,
    Viewer(who): Viewer,
    headers: HeaderMap,
    Query(upload): Query<Upload>,
    Raw(bytes): Raw,
) -> Result<Response, Problem> {
    console.heavy(&who)?;
    let law = console.law();
    let options = upload.options()?;
    let waterway = match upload.waterway.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => Some(console.waterway(&law, id)?.id.clone()),
        None => None,
    };
    let name = upload.name.clone().unwrap_or_default();
    let read = tokio::task::spawn_blocking(move || {
        let mut review = review::uploaded(&name, &bytes, &options, waterway.as_ref(), &law.map, &law.rulebook)?;
        for finding in &mut review.findings {
            *finding = finding::shown_unstored(finding.take(), &law.rulebook);
        }
        Ok(review)
    });
    let review = read.await.map_err(|error| Problem::inside(&error))?.map_err(|error: Unreadable| {
        Problem::unusable("the recording cannot be reviewed")
            .detail(error.to_string())
            .mend("say what it leaves out: as, utc_offset, date, speed_unit or vessel; or choose another recording")
    })?;
    answer(&review, &headers)
}

/// JSON, packed where that is read: there are many numbers.
fn answer(review: &review::Review, headers: &HeaderMap) -> Result<Response, Problem> {
    let bytes = serde_json::to_vec(review).map_err(|error| Problem::inside(&error))?;
    Ok(packed::answer(bytes, "application/json", headers))
}

impl Console {
    /// Does something with the store that takes long, on a thread that may wait.
    ///
    /// # Errors
    /// What `work` says.
    pub(super) async fn work<T, F>(&self, work: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: FnOnce(&crate::store::Sqlite) -> Result<T, JudgeError> + Send + 'static,
    {
        match self.shelf().read(move |store| Ok(work(store))).await? {
            Ok(value) => Ok(value),
            Err(JudgeError::Store(error)) => Err(error.into()),
            Err(error @ (JudgeError::Lawless | JudgeError::Law { .. })) => {
                Err(Problem::unusable("it cannot be judged again").detail(error.to_string()))
            }
            Err(error) => Err(Problem::inside(&error)),
        }
    }
}
