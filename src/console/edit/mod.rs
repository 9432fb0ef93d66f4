//! Editing maps: the published file, drafts beside it, what is wrong with them, publishing, and the history.

mod check;
mod draft;
mod history;
mod import;
mod publish;
mod what_if;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) use what_if::Jobs;

use super::problem::Path;
use super::{Console, Problem, Viewer};
use crate::draft::{Collection, NotACollection, file_of};
use crate::observation::WaterwayId;
use crate::review::DraftOf;
use crate::rulebook::Rulebook;
use crate::serve::InForce;
use crate::store::Law;
use crate::zones::{Map, ZoneFile};

/// The largest map that is taken, bytes.
const MAP_BYTES_MAX: usize = 32 << 20;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(source))
        .merge(draft::routes())
        .merge(check::routes())
        .merge(publish::routes())
        .merge(history::routes())
        .merge(import::routes())
        .merge(what_if::routes())
        .layer(DefaultBodyLimit::max(MAP_BYTES_MAX))
}

/// The published file of a waterway, as it is: members that Buoyline does not know and the order of features are kept.
#[utoipa::path(get, path = "/waterways/{waterway}/source", tag = "map editing", params(("waterway" = String, Path)),
    responses((status = 200, content_type = "application/geo+json", body = Object), (status = 404, body = Problem)))]
async fn source(State(console): State<Console>, _: Viewer, Path(id): Path<String>) -> Result<Response, Problem> {
    let published = Published::of(&console, &id).await?;
    let etag = [(header::ETAG, format!("\"{}\"", published.version))];
    Ok((etag, [(header::CONTENT_TYPE, "application/geo+json")], published.file.bytes).into_response())
}

/// The map of a waterway that is in force, with the files of the whole law.
struct Published {
    law: Law,
    in_force: Arc<InForce>,
    waterway: WaterwayId,
    /// The file that holds it.
    file: ZoneFile,
    /// Content hash of the waterway's map.
    version: String,
}

impl Published {
    async fn of(console: &Console, id: &str) -> Result<Self, Problem> {
        let in_force = console.law();
        let place = console.waterway(&in_force, id)?;
        let (waterway, version) = (place.id.clone(), place.version.to_string());
        let of = in_force.version.to_string();
        let law = console.shelf().read(move |store| store.law(&of)).await?;
        let files = law.zones.clone();
        let id = waterway.clone();
        let file = tokio::task::spawn_blocking(move || file_of(&files, &id).cloned());
        let file = file.await.map_err(|error| Problem::inside(&error))?;
        let file = file.ok_or_else(|| Problem::not_found("file of the waterway", waterway.as_str()))?;
        Ok(Self { law, in_force, waterway, file, version })
    }

    /// The law as it would be with this file in the place of the published one.
    fn with(&self, bytes: &[u8]) -> Law {
        let zones = self.law.zones.iter().map(|file| {
            let bytes = if file.name == self.file.name { bytes.to_vec() } else { file.bytes.clone() };
            ZoneFile { name: file.name.clone(), bytes }
        });
        Law::new(zones.collect(), self.law.rulebook_name.clone(), self.law.rulebook.clone())
    }
}

/// Map and rulebook of a law that may be in draft.
///
/// # Errors
/// What is wrong with it.
async fn read(law: Law) -> Result<(Arc<Map>, Arc<Rulebook>), Problem> {
    let read = tokio::task::spawn_blocking(move || law.read());
    let read = read.await.map_err(|error| Problem::inside(&error))?;
    read.map_err(|reason| Problem::unusable("the draft cannot be used").detail(reason))
}

/// Map and rulebook as they would be with a draft of a waterway, and which draft that is.
///
/// # Errors
/// There is none of this id, it is of another waterway, or it cannot be used.
pub(super) async fn drafted_law(
    console: &Console,
    id: &str,
    waterway: &str,
) -> Result<(DraftOf, (Arc<Map>, Arc<Rulebook>)), Problem> {
    let draft = draft::draft(console, id).await?;
    if draft.waterway != waterway {
        return Err(Problem::bad(format!("the draft is of {}", draft.waterway)).at("draft"));
    }
    let law = Published::of(console, waterway).await?.with(&draft.body);
    Ok((DraftOf { id: draft.id, name: draft.title }, read(law).await?))
}

/// A body that has to be a zone file.
///
/// # Errors
/// That it is none.
fn collection(bytes: &[u8]) -> Result<Collection, Problem> {
    Collection::parse(bytes).map_err(|error: NotACollection| {
        Problem::unusable("this is no zone file").detail(error.to_string()).mend("give a GeoJSON FeatureCollection")
    })
}

/// The version that a request was made for, from `If-Match`.
fn if_match(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::IF_MATCH)?.to_str().ok()?;
    Some(value.trim().trim_start_matches("W/").trim_matches('"'))
}
