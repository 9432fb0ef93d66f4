//! What would change: a past period judged again under a draft, an earlier map or another rulebook, while who asked
//! looks at how far it is.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Semaphore;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::draft::draft;
use super::{Published, read};
use crate::console::problem::{Body, Path};
use crate::console::{Console, Manager, Officer, Problem, Who, finding, secret};
use crate::review::{Changed, LawPair, Made, Progress, Question, what_would_change};
use crate::rulebook::Rulebook;
use crate::store::{Law, Sqlite, StoreError};
use crate::time::EventTime;

/// Jobs that are remembered.
const JOBS_MAX: usize = 32;
/// The longest period, seconds.
const PERIOD_MAX_S: f64 = 62.0 * 86_400.0;
/// Findings of each sort in an answer at most; all are counted.
const TOLD_MAX: usize = 500;

/// Jobs, the ones of late.
#[derive(Debug)]
pub(in crate::console) struct Jobs {
    all: Mutex<BTreeMap<String, Arc<Job>>>,
    /// One at a time: each takes all cores for a while.
    turn: Arc<Semaphore>,
}

impl Default for Jobs {
    fn default() -> Self {
        Self { all: Mutex::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

#[derive(Debug)]
struct Job {
    number: usize,
    question: Question,
    progress: Progress,
    came: Mutex<Option<Result<Told, String>>>,
}

/// What came of a job, as it is told. While it runs, what a comparison of the part that has been judged says: a finding
/// that lasts may yet change its sort.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub(in crate::console) struct Told {
    /// Findings that only the draft makes.
    #[schema(value_type = Vec<Object>)]
    gained: Vec<Value>,
    /// Findings that it does not make.
    #[schema(value_type = Vec<Object>)]
    lost: Vec<Value>,
    /// Findings that it makes with another verdict or other odds; `confidence_before` is what they have now.
    #[schema(value_type = Vec<Object>)]
    other_odds: Vec<Value>,
    /// How many stay the same.
    same: usize,
    /// How many there are of each sort, also where not all are told.
    counts: [usize; 3],
    /// How many fixes were judged.
    fixes: u64,
    /// The waterways that differ.
    waterways: Vec<String>,
}

/// How far a job is.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::console) struct ShownJob {
    id: String,
    /// `running`, `done` or `failed`.
    state: &'static str,
    /// From 0 to 1.
    done: f64,
    /// Why it failed.
    detail: Option<String>,
    #[serde(flatten)]
    told: Told,
}

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(begin)).routes(routes!(job, stop)).routes(routes!(of_draft))
}

/// A period.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Period {
    #[schema(value_type = String)]
    from: EventTime,
    #[schema(value_type = String)]
    to: EventTime,
}

/// A period and what to judge it by.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Replay {
    /// `replay`.
    kind: String,
    #[schema(value_type = String)]
    from: EventTime,
    #[schema(value_type = String)]
    to: EventTime,
    /// The id of a draft.
    draft: Option<String>,
    /// The content hash of a map that was published, with its `waterway`.
    map: Option<String>,
    /// The waterway of `map`.
    waterway: Option<String>,
    /// The text of a rulebook.
    rules: Option<String>,
}

/// The id of what was begun.
#[derive(Debug, Serialize, ToSchema)]
struct Begun {
    id: String,
}

/// Judges a period again under a draft and compares; the answer names the job.
#[utoipa::path(post, path = "/drafts/{id}/what-would-change", tag = "map editing", params(("id" = String, Path)), request_body = Period,
    responses((status = 202, body = Begun), (status = 422, body = Problem)))]
async fn of_draft(
    State(console): State<Console>,
    Manager(who): Manager,
    Path(id): Path<String>,
    Body(period): Body<Period>,
) -> Result<(StatusCode, Json<Begun>), Problem> {
    let draft = draft(&console, &id).await?;
    let published = Published::of(&console, &draft.waterway).await?;
    let law = published.with(&draft.body);
    run(&console, &who, period, law).await
}

/// Judges a period again under a draft, an earlier map or another rulebook, and compares with the law in force.
#[utoipa::path(post, path = "/jobs", tag = "review", request_body = Replay,
    responses((status = 202, body = Begun), (status = 422, body = Problem)))]
async fn begin(
    State(console): State<Console>,
    Officer(who): Officer,
    Body(asked): Body<Replay>,
) -> Result<(StatusCode, Json<Begun>), Problem> {
    if asked.kind != "replay" {
        return Err(Problem::bad(format!("{:?} is no kind of job", asked.kind)).at("kind").mend("take replay"));
    }
    let period = Period { from: asked.from, to: asked.to };
    let in_force = console.law().version.to_string();
    let mut law = console.shelf().read(move |store| store.law(&in_force)).await?;
    match (asked.draft, asked.map) {
        (Some(id), None) => {
            let draft = draft(&console, &id).await?;
            law = Published::of(&console, &draft.waterway).await?.with(&draft.body);
        }
        (None, Some(version)) => {
            let id = asked.waterway.ok_or_else(|| Problem::bad("a map needs its waterway").at("waterway"))?;
            let of = id.clone();
            let versions = console.shelf().read(move |store| store.map_versions(&of)).await?;
            let found = versions.into_iter().find(|one| one.version == version);
            let found = found.ok_or_else(|| Problem::not_found("version", &version))?;
            law = Published::of(&console, &id).await?.with(&found.file);
        }
        (None, None) => {}
        (Some(_), Some(_)) => return Err(Problem::bad("give a draft or a map, not both").at("map")),
    }
    if let Some(rules) = asked.rules {
        Rulebook::from_toml("rules", &rules).map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            Problem::unusable("the rulebook cannot be read").at("rules").detail(errors.join("; "))
        })?;
        law = Law::new(law.zones, "rules".to_owned(), rules);
    }
    run(&console, &who, period, law).await
}

/// Begins a job.
async fn run(console: &Console, who: &Who, period: Period, law: Law) -> Result<(StatusCode, Json<Begun>), Problem> {
    console.heavy(who)?;
    let long_s = period.to.seconds_since(period.from);
    if !(0.0..=PERIOD_MAX_S).contains(&long_s) {
        return Err(Problem::unusable("the period cannot be used").at("to").mend("ask for at most 62 days"));
    }
    let draft: LawPair = read(law).await?;
    let in_force = console.law();
    let pair = (in_force.map.clone(), in_force.rulebook.clone());
    let question = Question { from: period.from, to: period.to, in_force: pair, draft };
    let id: String = secret::random_text().chars().take(16).collect();
    let job = console.jobs().add(&id, question);
    let turn = console.jobs().turn.clone();
    let path = console.desk().store().to_owned();
    tokio::spawn(async move {
        // Where the daemon stops, nobody waits for it any more.
        let Ok(_turn) = turn.acquire().await else { return };
        let of_job = job.clone();
        let work = tokio::task::spawn_blocking(move || {
            let store = Sqlite::open_to_read(&path)?;
            let changed = what_would_change(&store, &of_job.question, &of_job.progress)?;
            Ok::<_, StoreError>(told(&changed, &of_job.question))
        });
        let came = match work.await {
            Ok(Ok(told)) => Ok(told),
            Ok(Err(error)) => {
                tracing::error!(%error, "a period could not be judged again");
                Err("the store cannot be read".to_owned())
            }
            Err(_) => Err("this failed by a fault of the daemon; its log says more".to_owned()),
        };
        *job.came.lock().unwrap_or_else(PoisonError::into_inner) = Some(came);
    });
    Ok((StatusCode::ACCEPTED, Json(Begun { id })))
}

fn told(changed: &Changed, question: &Question) -> Told {
    let shown = |made: &Made, rulebook: &Rulebook| {
        finding::shown_unstored(serde_json::from_str(&made.line).unwrap_or_default(), rulebook)
    };
    let (base, draft) = (&question.in_force.1, &question.draft.1);
    let Changed { gained, lost, other_odds, same, fixes, waterways } = changed;
    Told {
        counts: [gained.len(), lost.len(), other_odds.len()],
        gained: gained.iter().take(TOLD_MAX).map(|made| shown(made, draft)).collect(),
        lost: lost.iter().take(TOLD_MAX).map(|made| shown(made, base)).collect(),
        other_odds: other_odds
            .iter()
            .take(TOLD_MAX)
            .map(|(before, after)| {
                let mut value = shown(after, draft);
                value["confidence_before"] = before.confidence.into();
                value
            })
            .collect(),
        same: *same,
        fixes: *fixes,
        waterways: waterways.iter().map(ToString::to_string).collect(),
    }
}

/// How far a job is, and what came of it; while it runs, what has come of it so far.
#[utoipa::path(get, path = "/jobs/{id}", tag = "review", params(("id" = String, Path)),
    responses((status = 200, body = ShownJob), (status = 404, body = Problem)))]
async fn job(State(console): State<Console>, _: Officer, Path(id): Path<String>) -> Result<Json<ShownJob>, Problem> {
    let job = console.jobs().get(&id).ok_or_else(|| Problem::not_found("job", &id))?;
    let came = job.came.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let done = job.progress.share();
    Ok(Json(match came {
        None => {
            let so_far = tokio::task::spawn_blocking(move || told(&job.progress.so_far(), &job.question)).await;
            let told = so_far.map_err(|error| Problem::inside(&error))?;
            ShownJob { id, state: "running", done: done.min(0.999), detail: None, told }
        }
        Some(Ok(told)) => ShownJob { id, state: "done", done: 1.0, detail: None, told },
        Some(Err(why)) => ShownJob { id, state: "failed", done, detail: Some(why), told: Told::default() },
    }))
}

/// Gives up a job.
#[utoipa::path(delete, path = "/jobs/{id}", tag = "review", params(("id" = String, Path)), responses((status = 204)))]
async fn stop(State(console): State<Console>, _: Officer, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    let job = console.jobs().get(&id).ok_or_else(|| Problem::not_found("job", &id))?;
    job.progress.stop();
    Ok(StatusCode::NO_CONTENT)
}

impl Jobs {
    fn add(&self, id: &str, question: Question) -> Arc<Job> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let number = all.values().map(|job| job.number + 1).max().unwrap_or(0);
        let job = Arc::new(Job { number, question, progress: Progress::default(), came: Mutex::default() });
        if all.len() >= JOBS_MAX {
            let oldest = all.iter().min_by_key(|(_, job)| job.number).map(|(id, _)| id.clone());
            if let Some(job) = oldest.and_then(|id| all.remove(&id)) {
                job.progress.stop();
            }
        }
        all.insert(id.to_owned(), job.clone());
        job
    }

    fn get(&self, id: &str) -> Option<Arc<Job>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }
}
