//! Drafts: begun from what is published, changed by one editor at a time without anybody's work being lost.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{Published, collection, if_match, read};
use crate::console::problem::{Body, Path, Raw};
use crate::console::session::audit;
use crate::console::{Console, Manager, Problem, chart, secret};
use crate::draft::{Collection, Known, diff};
use crate::store::Draft;
use crate::time::EventTime;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(list, begin))
        .routes(routes!(one, change, remove))
        .routes(routes!(map))
        .routes(routes!(base))
}

/// A draft.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ShownDraft {
    id: String,
    name: String,
    waterway: String,
    /// Content hash of the map it began from.
    base_version: String,
    /// Who changed it last.
    author: String,
    made_by: String,
    /// When it was changed last.
    #[schema(value_type = String)]
    at: EventTime,
    /// What a change of it is sent with, in `If-Match`.
    etag: String,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    source: Option<Value>,
    /// In a list of drafts: the features that it changes in the map it began from.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<String>>,
}

impl ShownDraft {
    fn of(draft: &Draft, source: Option<Value>) -> Self {
        Self {
            id: draft.id.clone(),
            name: draft.title.clone(),
            waterway: draft.waterway.clone(),
            base_version: version_of(&draft.base),
            author: draft.changed_by.clone(),
            made_by: draft.made_by.clone(),
            at: draft.changed_at,
            etag: etag(draft.revision),
            source,
            changes: None,
        }
    }
}

/// The ids of the features that a draft adds, removes or changes; none where its file cannot be read.
fn changed_in(draft: &Draft) -> Vec<String> {
    let (base, mine) = (Collection::parse(&draft.base), Collection::parse(&draft.body));
    let changes = base.ok().zip(mine.ok()).map(|(base, mine)| diff(&base, &mine));
    changes.unwrap_or_default().into_iter().map(|change| change.id).collect()
}

/// The content hash of a file, as the map of its waterway has it.
pub(super) fn version_of(file: &[u8]) -> String {
    crate::zones::version_of(file)
}

fn etag(revision: u32) -> String {
    format!("\"{revision}\"")
}

/// The drafts of a waterway, the one changed last first, each with what it changes: who edits what.
#[utoipa::path(get, path = "/waterways/{waterway}/drafts", tag = "map editing", params(("waterway" = String, Path)),
    responses((status = 200, body = [ShownDraft])))]
async fn list(
    State(console): State<Console>,
    _: Manager,
    Path(id): Path<String>,
) -> Result<Json<Vec<ShownDraft>>, Problem> {
    console.waterway(&console.law(), &id)?;
    let drafts = console.shelf().read(move |store| store.drafts(&id)).await?;
    let shown = tokio::task::spawn_blocking(move || {
        let shown = |draft| ShownDraft { changes: Some(changed_in(draft)), ..ShownDraft::of(draft, None) };
        drafts.iter().map(shown).collect()
    });
    Ok(Json(shown.await.map_err(|error| Problem::inside(&error))?))
}

/// What a draft begins with.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewDraft {
    name: String,
    /// The published version whose file it begins with; what is in force, unless given.
    version: Option<String>,
}

/// Begins a draft from what is published, or from an earlier version.
#[utoipa::path(post, path = "/waterways/{waterway}/drafts", tag = "map editing", params(("waterway" = String, Path)),
    request_body = NewDraft, responses((status = 201, body = ShownDraft)))]
async fn begin(
    State(console): State<Console>,
    Manager(who): Manager,
    Path(id): Path<String>,
    Body(new): Body<NewDraft>,
) -> Result<Response, Problem> {
    let title: String = new.name.trim().chars().take(100).collect();
    if title.is_empty() {
        return Err(Problem::bad("a draft needs a name").at("name"));
    }
    let published = Published::of(&console, &id).await?;
    let body = match new.version {
        None => published.file.bytes.clone(),
        Some(version) => {
            let (of, asked) = (id.clone(), version.clone());
            let versions = console.shelf().read(move |store| store.map_versions(&of)).await?;
            let found = versions.into_iter().find(|one| one.version == asked || one.n.to_string() == asked);
            found.ok_or_else(|| Problem::not_found("version", &version))?.file
        }
    };
    let now = console.desk().now();
    let draft = Draft {
        id: secret::random_text().chars().take(16).collect(),
        waterway: id.clone(),
        title,
        base: published.file.bytes,
        revision: 1,
        body,
        made_by: who.name.clone(),
        made_at: now,
        changed_by: who.name.clone(),
        changed_at: now,
    };
    let kept = draft.clone();
    console.shelf().write(move |store| store.add_draft(&kept)).await?;
    audit(&console, &who.name, "draft_begun", &id).await?;
    Ok((StatusCode::CREATED, [(header::ETAG, etag(1))], Json(ShownDraft::of(&draft, None))).into_response())
}

/// The draft of an id.
pub(super) async fn draft(console: &Console, id: &str) -> Result<Draft, Problem> {
    let asked = id.to_owned();
    let draft = console.shelf().read(move |store| store.draft(&asked)).await?;
    draft.ok_or_else(|| Problem::not_found("draft", id))
}

/// A draft with its file.
#[utoipa::path(get, path = "/drafts/{id}", tag = "map editing", params(("id" = String, Path)),
    responses((status = 200, body = ShownDraft), (status = 404, body = Problem)))]
async fn one(State(console): State<Console>, _: Manager, Path(id): Path<String>) -> Result<Response, Problem> {
    let draft = draft(&console, &id).await?;
    let source = collection(&draft.body)?.into_value();
    Ok(([(header::ETAG, etag(draft.revision))], Json(ShownDraft::of(&draft, Some(source)))).into_response())
}

/// The file that a draft began from, against which its changes are counted.
#[utoipa::path(get, path = "/drafts/{id}/base", tag = "map editing", params(("id" = String, Path)),
    responses((status = 200, content_type = "application/geo+json", body = Object), (status = 404, body = Problem)))]
async fn base(State(console): State<Console>, _: Manager, Path(id): Path<String>) -> Result<Response, Problem> {
    let draft = draft(&console, &id).await?;
    Ok(([(header::CONTENT_TYPE, "application/geo+json")], draft.base).into_response())
}

/// Replaces the file of a draft that nobody else has changed meanwhile (`If-Match`). A warning that is newly accepted in
/// it (`accepted_warnings`) is accepted by who saves it, whatever name stands there.
#[utoipa::path(put, path = "/drafts/{id}", tag = "map editing", params(("id" = String, Path)),
    request_body(content = Object, content_type = "application/geo+json"),
    responses((status = 200, body = ShownDraft), (status = 412, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(console): State<Console>,
    Manager(who): Manager,
    Path(id): Path<String>,
    headers: HeaderMap,
    Raw(body): Raw,
) -> Result<Response, Problem> {
    let mut draft = draft(&console, &id).await?;
    let mut new = collection(&body)?;
    sign(&console, &draft, &mut new, &who.name).await?;
    let text = new.to_text();
    let revision = match if_match(&headers) {
        Some("*") => draft.revision,
        Some(text) => text.parse().map_err(|_| Problem::bad("it is no version of a draft").at("If-Match"))?,
        None => {
            let mend = "send the ETag of the draft in If-Match";
            return Err(Problem::new(StatusCode::PRECONDITION_REQUIRED, "the version is missing")
                .at("If-Match")
                .mend(mend));
        }
    };
    let (asked, by, now, bytes) = (id.clone(), who.name.clone(), console.desk().now(), text.clone().into_bytes());
    let is_changed = console.shelf().write(move |store| store.change_draft(&asked, revision, &bytes, &by, now)).await?;
    if !is_changed {
        let detail = format!("{} changed it at {}", draft.changed_by, draft.changed_at.to_rfc3339());
        let mend = "read the draft again, and put your changes into that";
        return Err(Problem::changed("another change came first").detail(detail).mend(mend));
    }
    (draft.revision, draft.body, draft.changed_by, draft.changed_at) = (revision + 1, text.into_bytes(), who.name, now);
    Ok(([(header::ETAG, etag(draft.revision))], Json(ShownDraft::of(&draft, None))).into_response())
}

/// Has what is newly accepted in a draft be accepted by who saves it. What stands in the draft so far, in what it began
/// from, or in anything that was published stays in the name of whoever accepted it.
async fn sign(console: &Console, draft: &Draft, new: &mut Collection, by: &str) -> Result<(), Problem> {
    let mut known = Known::default();
    for file in [&draft.base, &draft.body] {
        known.take(&collection(file)?);
    }
    if known.has_foreign(new, by) {
        let published = Published::of(console, &draft.waterway).await?;
        known.take(&collection(&published.file.bytes)?);
        let of = draft.waterway.clone();
        let versions = console.shelf().read(move |store| store.map_versions(&of)).await?;
        versions.iter().rev().filter_map(|one| Collection::parse(&one.file).ok()).for_each(|file| known.take(&file));
    }
    known.sign(new, by, &console.desk().now().to_rfc3339());
    Ok(())
}

/// Removes a draft.
#[utoipa::path(delete, path = "/drafts/{id}", tag = "map editing", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = Problem)))]
async fn remove(
    State(console): State<Console>,
    Manager(who): Manager,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let asked = id.clone();
    if !console.shelf().write(move |store| store.remove_draft(&asked)).await? {
        return Err(Problem::not_found("draft", &id));
    }
    audit(&console, &who.name, "draft_removed", &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The map of a draft with what is derived from it, as `/waterways/{waterway}/map` gives the published one.
#[utoipa::path(get, path = "/drafts/{id}/map", tag = "map editing", params(("id" = String, Path)),
    responses((status = 200, content_type = "application/geo+json", body = Object), (status = 422, body = Problem)))]
async fn map(State(console): State<Console>, _: Manager, Path(id): Path<String>) -> Result<Response, Problem> {
    let draft = draft(&console, &id).await?;
    let published = Published::of(&console, &draft.waterway).await?;
    let (map, rulebook) = read(published.with(&draft.body)).await?;
    let Some(at) = map.waterways.iter().position(|waterway| waterway.id == published.waterway) else {
        return Err(Problem::unusable("the draft has no water of this id").detail(draft.waterway));
    };
    let text = tokio::task::spawn_blocking(move || chart::geojson(&map.waterways[at], &rulebook));
    let text = text.await.map_err(|error| Problem::inside(&error))?;
    Ok(([(header::CONTENT_TYPE, "application/geo+json")], text).into_response())
}
