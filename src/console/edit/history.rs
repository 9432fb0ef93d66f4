//! What was published of a waterway's map: by whom, when, why, from when on, and what differs; and withdrawing what is
//! to come.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Published, collection};
use crate::console::problem::{Path, Query};
use crate::console::session::audit_with;
use crate::console::{Console, Manager, Problem, Viewer};
use crate::draft::diff;
use crate::store::MapVersion;
use crate::time::EventTime;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(one, withdraw)).routes(routes!(differences))
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
    /// From when on it is to hold, where that was not at once.
    #[schema(value_type = Option<String>)]
    valid_from: Option<EventTime>,
    /// When it came into force, where it was published for a later day and has.
    #[schema(value_type = Option<String>)]
    came_at: Option<EventTime>,
    /// Whether its day is to come.
    is_coming: bool,
    /// Why it cannot come into force as it is, where it is to come.
    fault: Option<String>,
    /// Who withdrew it before it came.
    withdrawn_by: Option<String>,
    /// When.
    #[schema(value_type = Option<String>)]
    withdrawn_at: Option<EventTime>,
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
    let faults = console.desk().board().coming_faults();
    let since_last = versions.iter().filter(|one| one.since().is_some()).max_by_key(|one| (one.since(), one.n));
    let is_known = since_last.is_some_and(|last| last.version == in_force);
    let mut shown: Vec<ShownVersion> = versions
        .into_iter()
        .map(|one| ShownVersion {
            is_in_force: one.since().is_some() && one.version == in_force,
            is_coming: one.is_coming(),
            fault: faults.get(&(id.clone(), one.n)).filter(|_| one.is_coming()).cloned(),
            valid_from: one.valid_from,
            came_at: one.came_at,
            withdrawn_at: one.withdrawn.as_ref().map(|(at, _)| *at),
            withdrawn_by: one.withdrawn.map(|(_, by)| by),
            changes: serde_json::from_str::<Vec<Value>>(&one.changes).map_or(0, |changes| changes.len()),
            n: one.n,
            version: one.version,
            author: one.author,
            comment: one.comment,
            at: one.made_at,
            skip_reason: one.skip_reason,
        })
        .collect();
    if !is_known {
        let behind = shown.iter().position(|one| !one.is_coming).unwrap_or(shown.len());
        shown.insert(
            behind,
            ShownVersion {
                n: 0,
                version: in_force,
                author: "file".to_owned(),
                comment: "as it is in the file".to_owned(),
                at: law.since,
                changes: 0,
                skip_reason: None,
                is_in_force: true,
                valid_from: None,
                came_at: None,
                is_coming: false,
                fault: None,
                withdrawn_by: None,
                withdrawn_at: None,
            },
        );
    }
    Ok(Json(shown))
}

/// Withdraws a version that is published for a later day. It stays in the history.
#[utoipa::path(delete, path = "/waterways/{waterway}/versions/{version}", tag = "map editing",
    params(("waterway" = String, Path), ("version" = String, Path)),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn withdraw(
    State(console): State<Console>,
    Manager(who): Manager,
    Path((waterway, version)): Path<(String, String)>,
) -> Result<StatusCode, Problem> {
    // Nobody publishes on top of it meanwhile.
    let _turn = console.publishing().await;
    console.waterway(&console.law(), &waterway)?;
    let found = found(&console, &waterway, &version).await?;
    let (of, n, by, now) = (waterway.clone(), found.n, who.name.clone(), console.desk().now());
    if !console.shelf().write(move |store| store.withdraw_version(&of, n, &by, now)).await? {
        let mend = "to go back, begin a draft from the version before and publish that";
        return Err(Problem::conflict(format!("version {n} is not to come any more")).mend(mend));
    }
    console.desk().board().schedule_changed();
    audit_with(&console, &who.name, "map_withdrawn", &waterway, None, Some(format!("version {n}"))).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A version that was published: by its number, or the newest of a content hash.
async fn found(console: &Console, waterway: &str, version: &str) -> Result<MapVersion, Problem> {
    let of = waterway.to_owned();
    let versions = console.shelf().read(move |store| store.map_versions(&of)).await?;
    let found = versions.into_iter().find(|one| one.version == version || one.n.to_string() == version);
    found.ok_or_else(|| Problem::not_found("version", version))
}

/// The file of a version: by its content hash or its number.
async fn file(console: &Console, waterway: &str, version: &str) -> Result<Vec<u8>, Problem> {
    let published = Published::of(console, waterway).await?;
    if version == published.version || version == "0" {
        return Ok(published.file.bytes);
    }
    Ok(found(console, waterway, version).await?.file)
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
