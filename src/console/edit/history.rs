//! What was published of a waterway's map: by whom, when, why, and what differs.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Published, collection};
use crate::console::problem::{Path, Query};
use crate::console::{Console, Problem, Viewer};
use crate::draft::diff;
use crate::store::MapVersion;
use crate::time::EventTime;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one)).routes(routes!(differences))
}

/// A version.
#[derive(Debug, Serialize, ToSchema)]
struct ShownVersion {
    /// Counts up with each; 0 for what is in force and was never published here.
    n: u32,
    /// Content hash, as findings name it.
    version: String,
    author: String,
    comment: String,
    #[schema(value_type = String)]
    at: EventTime,
    /// How many features differ from the one before.
    changes: usize,
    /// Why nobody looked at what would change.
    skip_reason: Option<String>,
    is_in_force: bool,
}

/// All versions, the newest first.
#[utoipa::path(get, path = "/waterways/{waterway}/versions", tag = "map editing", params(("waterway" = String, Path)),
    responses((status = 200, body = [ShownVersion])))]
async fn list(
    State(console): State<Console>,
    _: Viewer,
    Path(id): Path<String>,
) -> Result<Json<Vec<ShownVersion>>, Problem> {
    let law = console.law();
    let in_force = console.waterway(&law, &id)?.version.to_string();
    let asked = id.clone();
    let versions = console.shelf().read(move |store| store.map_versions(&asked)).await?;
    let mut shown: Vec<ShownVersion> = versions
        .into_iter()
        .map(|one| ShownVersion {
            is_in_force: one.version == in_force,
            changes: serde_json::from_str::<Vec<Value>>(&one.changes).map_or(0, |changes| changes.len()),
            n: one.n,
            version: one.version,
            author: one.author,
            comment: one.comment,
            at: one.made_at,
            skip_reason: one.skip_reason,
        })
        .collect();
    if shown.first().is_none_or(|newest| !newest.is_in_force) {
        shown.insert(
            0,
            ShownVersion {
                n: 0,
                version: in_force,
                author: "file".to_owned(),
                comment: "as it is in the file".to_owned(),
                at: law.since,
                changes: 0,
                skip_reason: None,
                is_in_force: true,
            },
        );
    }
    Ok(Json(shown))
}

/// The file of a version: by its content hash or its number.
async fn file(console: &Console, waterway: &str, version: &str) -> Result<Vec<u8>, Problem> {
    let published = Published::of(console, waterway).await?;
    if version == published.version || version == "0" {
        return Ok(published.file.bytes);
    }
    let of = waterway.to_owned();
    let versions = console.shelf().read(move |store| store.map_versions(&of)).await?;
    let found = versions.into_iter().find(|one: &MapVersion| one.version == version || one.n.to_string() == version);
    found.map(|one| one.file).ok_or_else(|| Problem::not_found("version", version))
}

/// The file of a version.
#[utoipa::path(get, path = "/waterways/{waterway}/versions/{version}", tag = "map editing",
    params(("waterway" = String, Path), ("version" = String, Path)),
    responses((status = 200, content_type = "application/geo+json", body = Object), (status = 404, body = Problem)))]
async fn one(
    State(console): State<Console>,
    _: Viewer,
    Path((waterway, version)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let bytes = file(&console, &waterway, &version).await?;
    Ok(([(header::CONTENT_TYPE, "application/geo+json")], bytes).into_response())
}

/// Which two versions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Two {
    /// The earlier one.
    a: String,
    /// The later one.
    b: String,
}

/// What differs between two versions, feature by feature.
#[utoipa::path(get, path = "/waterways/{waterway}/diff", tag = "map editing", params(("waterway" = String, Path), Two),
    responses((status = 200, body = [Object])))]
async fn differences(
    State(console): State<Console>,
    _: Viewer,
    Path(waterway): Path<String>,
    Query(two): Query<Two>,
) -> Result<Json<Vec<Value>>, Problem> {
    let (a, b) = (file(&console, &waterway, &two.a).await?, file(&console, &waterway, &two.b).await?);
    let changes = diff(&collection(&a)?, &collection(&b)?);
    Ok(Json(changes.iter().filter_map(|change| serde_json::to_value(change).ok()).collect()))
}
