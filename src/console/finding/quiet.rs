//! Rules that are quiet for a vessel: its findings are kept, and not brought up as new.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::console::problem::{Body, Path};
use crate::console::session::audit;
use crate::console::{Console, Officer, Problem, Viewer};
use crate::observation::VesselId;
use crate::store::Quiet;
use crate::time::EventTime;

/// Nothing is quiet for longer, seconds.
const LONGEST_S: f64 = 86_400.0;
/// How long a pass is taken to last, seconds.
const PASS_S: f64 = 600.0;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(all, add)).routes(routes!(end))
}

/// A rule that is quiet for a vessel. It counts by when the vessel did something, not by when that is known.
#[derive(Debug, Serialize, ToSchema)]
struct ShownQuiet {
    id: i64,
    vessel: String,
    rule: String,
    /// Findings that begin from here on.
    #[schema(value_type = String)]
    from: EventTime,
    /// Findings that begin before this.
    #[schema(value_type = String)]
    until: EventTime,
    by: String,
    #[schema(value_type = String)]
    made_at: EventTime,
}

impl From<Quiet> for ShownQuiet {
    fn from(quiet: Quiet) -> Self {
        let Quiet { n, vessel, rule, from, until, by, made_at } = quiet;
        Self { id: n, vessel, rule, from, until, by, made_at }
    }
}

/// What is quiet now or lately was: fixes of a quieted pass may come late.
#[utoipa::path(get, path = "/quiet", tag = "findings", responses((status = 200, body = [ShownQuiet])))]
async fn all(State(console): State<Console>, _: Viewer) -> Result<Json<Vec<ShownQuiet>>, Problem> {
    let since = console.desk().now().plus_seconds(-LONGEST_S);
    let quiet = console.shelf().read(move |store| store.quiet_from(since)).await?;
    Ok(Json(quiet.into_iter().map(ShownQuiet::from).collect()))
}

/// What is to be quiet.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewQuiet {
    vessel: String,
    rule: String,
    /// From when; now where it is left out.
    #[schema(value_type = Option<String>)]
    from: Option<EventTime>,
    /// An instant at most a day later; or `pass`, for as long as a pass may last.
    until: String,
}

/// Is quiet about a vessel and a rule, for a day at most.
#[utoipa::path(post, path = "/quiet", tag = "findings", request_body = NewQuiet,
    responses((status = 201, body = ShownQuiet), (status = 422, body = Problem)))]
async fn add(
    State(console): State<Console>,
    Officer(who): Officer,
    Body(new): Body<NewQuiet>,
) -> Result<(StatusCode, Json<ShownQuiet>), Problem> {
    let now = console.desk().now();
    let NewQuiet { vessel, rule, from, until } = new;
    VesselId::new(&vessel).map_err(|error| Problem::unusable(error.to_string()).at("vessel"))?;
    if !console.law().rulebook.rules.iter().any(|known| known.id() == rule) {
        return Err(Problem::unusable(format!("the rulebook has no rule {rule:?}")).at("rule"));
    }
    let from = from.unwrap_or(now);
    let until = match until.as_str() {
        "pass" => from.plus_seconds(PASS_S),
        text => EventTime::parse_rfc3339(text).map_err(|error| Problem::unusable(error.to_string()).at("until"))?,
    };
    if until <= from || until.seconds_since(from) > LONGEST_S {
        return Err(Problem::unusable("it ends before it begins, or lasts longer than a day").at("until"));
    }
    let mut quiet = Quiet { n: 0, vessel, rule, from, until, by: who.name.clone(), made_at: now };
    let kept = quiet.clone();
    quiet.n = console.shelf().write(move |store| store.add_quiet(&kept)).await?;
    audit(&console, &who.name, "quiet", &format!("{} {}", quiet.vessel, quiet.rule)).await?;
    Ok((StatusCode::CREATED, Json(quiet.into())))
}

/// Ends it.
#[utoipa::path(delete, path = "/quiet/{id}", tag = "findings", params(("id" = i64, Path)),
    responses((status = 204), (status = 404, body = Problem)))]
async fn end(
    State(console): State<Console>,
    Officer(who): Officer,
    Path(id): Path<i64>,
) -> Result<StatusCode, Problem> {
    let (now, by) = (console.desk().now(), who.name.clone());
    if !console.shelf().write(move |store| store.end_quiet(id, &by, now)).await? {
        return Err(Problem::not_found("quiet rule", &id.to_string()));
    }
    audit(&console, &who.name, "quiet_ended", &id.to_string()).await?;
    Ok(StatusCode::NO_CONTENT)
}
