//! What is wrong or doubtful about a map in draft: the faults of `buoyline check --format json`.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Published;
use super::draft::draft;
use crate::console::problem::{Path, Query, Raw};
use crate::console::{Console, Manager, Problem};
use crate::law::check_map;
use crate::zones::{Map, Severity, ZoneFault, ZoneFile};

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(of_draft)).routes(routes!(of_body))
}

/// The faults of a draft, the worst first.
#[utoipa::path(post, path = "/drafts/{id}/check", tag = "map editing", params(("id" = String, Path)),
    responses((status = 200, body = [Object])))]
async fn of_draft(
    State(console): State<Console>,
    _: Manager,
    Path(id): Path<String>,
) -> Result<Json<Vec<Value>>, Problem> {
    let draft = draft(&console, &id).await?;
    let published = Published::of(&console, &draft.waterway).await?;
    Ok(Json(shown(&checked(&published, draft.body).await?.1)))
}

/// Of which waterway.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Of {
    waterway: String,
}

/// The faults of a map that is sent along; nothing of it is kept.
#[utoipa::path(post, path = "/check", tag = "map editing", params(Of), request_body(content = Object, content_type = "application/geo+json"),
    responses((status = 200, body = [Object])))]
async fn of_body(
    State(console): State<Console>,
    Manager(who): Manager,
    Query(of): Query<Of>,
    Raw(body): Raw,
) -> Result<Json<Vec<Value>>, Problem> {
    console.heavy(&who)?;
    let published = Published::of(&console, &of.waterway).await?;
    Ok(Json(shown(&checked(&published, body.to_vec()).await?.1)))
}

/// The map that a file makes, and its faults, the worst first, else in the order of the file.
pub(super) async fn checked(published: &Published, bytes: Vec<u8>) -> Result<(Map, Vec<ZoneFault>), Problem> {
    let name = published.file.name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let rulebook = published.in_force.rulebook.clone();
    let work = tokio::task::spawn_blocking(move || {
        let (map, mut faults) = check_map(&[ZoneFile { name, bytes }], Some(&rulebook));
        faults.sort_by_key(|fault| (std::cmp::Reverse(fault.severity), fault.line, fault.column));
        (map, faults)
    });
    work.await.map_err(|error| Problem::inside(&error))
}

/// As the client is told.
pub(super) fn shown(faults: &[ZoneFault]) -> Vec<Value> {
    faults.iter().filter_map(|fault| serde_json::to_value(fault).ok()).collect()
}

/// How many faults are errors.
pub(super) fn errors(faults: &[ZoneFault]) -> usize {
    faults.iter().filter(|fault| fault.severity == Severity::Error).count()
}
