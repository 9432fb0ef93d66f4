//! What moves right now: boats as they were last heard, and a stream of what changes.
//!
//! A boat's state is made once for all who look on. Findings and outcomes are read from the store by their place in one
//! order, so whoever comes back misses none.

mod boat;
mod compact;
#[cfg(test)]
mod compact_tests;
mod fleet;
mod stream;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::Path;
use super::{Console, Problem, Viewer};

pub(super) use boat::doing;
pub(super) use fleet::{Fleet, boats_on, waterway_of};

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(boats)).routes(routes!(stream::stream))
}

/// All boats of a waterway that were heard within the last hour.
#[utoipa::path(get, path = "/waterways/{waterway}/boats", tag = "live", params(("waterway" = String, Path)),
    responses((status = 200, body = boat::Boats), (status = 404, body = Problem)))]
async fn boats(State(console): State<Console>, _: Viewer, Path(id): Path<String>) -> Result<Response, Problem> {
    console.waterway(&console.law(), &id)?;
    let now = console.desk().now();
    let all = console.fleet().news(&console, &id, 0);
    let body = boat::Boats::json(now, &all.boats, &[]);
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}
