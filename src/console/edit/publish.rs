//! Publishing a draft: merged with what others published meanwhile, checked, put where the daemon looks or kept for a
//! later day, and noted.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::timeout;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::check::{checked, errors, shown};
use super::draft::{draft, version_of};
use super::{Published, collection, if_match};
use crate::console::problem::{Body, Path};
use crate::console::session::audit_with;
use crate::console::{Console, Manager, Problem};
use crate::draft::{Collection, Conflict, PublishError, can_be_put_in_place, diff, merge, put_in_place};
use crate::serve::foresee;
use crate::store::{ComingVersion, MapVersion};
use crate::time::EventTime;

/// How long the daemon may take to put in force what was published.
const IN_FORCE_WITHIN: Duration = Duration::from_secs(8);
/// Who is said to have made what stood in the file before anything was published here.
const FILE: &str = "file";
/// The number of a version that has none yet.
const NEW: u32 = 0;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(publish))
}

/// What goes with it.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Publication {
    /// Why.
    comment: String,
    /// From when on it is to hold, by the time of fixes: at once, unless that is to come.
    #[schema(value_type = Option<String>)]
    valid_from: Option<EventTime>,
    /// Why nobody looked at what would change.
    skip_reason: Option<String>,
}

/// What became of it.
#[derive(Debug, Serialize, ToSchema)]
struct PublishedAs {
    /// The number of the version.
    n: u32,
    /// Its content hash.
    version: String,
    /// How many features differ from the version before.
    changes: usize,
    /// Whether changes of others were merged in.
    merged: bool,
    /// Whether the daemon judges by it already.
    in_force: bool,
    /// Why not, where not and it should.
    fault: Option<String>,
    /// When it comes into force, where that is later.
    #[schema(value_type = Option<String>)]
    valid_from: Option<EventTime>,
}

/// Publishes a draft. `If-Match` names the published version that it is meant to follow; where another one is in force,
/// what only one side changed is merged, and what both changed is asked about (412 with `base`, `theirs`, `conflicts`).
/// With a `valid_from` that is to come it is kept until then, merged with what is published in between; 409 where it does
/// not go together with another version that is to come.
#[utoipa::path(post, path = "/drafts/{id}/publish", tag = "map editing", params(("id" = String, Path)), request_body = Publication,
    responses((status = 200, body = PublishedAs), (status = 409, body = Problem), (status = 412, body = Problem),
        (status = 422, body = Problem)))]
async fn publish(
    State(console): State<Console>,
    Manager(who): Manager,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body(said): Body<Publication>,
) -> Result<Response, Problem> {
    let comment = said.comment.trim().to_owned();
    if comment.is_empty() {
        return Err(Problem::bad("say why: the comment is empty").at("comment"));
    }
    let now = console.desk().now();
    let valid_from = said.valid_from.filter(|from| *from > now);
    // One after the other, so that nobody publishes between the look and the write.
    let _turn = console.publishing().await;
    let draft = draft(&console, &id).await?;
    let published = Published::of(&console, &draft.waterway).await?;
    let theirs = collection(&published.file.bytes)?;
    let mine = collection(&draft.body)?;
    let is_meant = if_match(&headers).is_none_or(|version| version == "*" || version == published.version);
    let is_merged = !is_meant || if_match(&headers).is_none() && version_of(&draft.base) != published.version;
    let new = if is_merged {
        let base = collection(&draft.base)?;
        match merge(&base, &mine, &theirs) {
            Ok(merged) => merged,
            Err(conflicts) => return Ok(conflict(&published, base, theirs, conflicts)),
        }
    } else {
        mine
    };
    let changes = diff(&theirs, &new);
    if changes.is_empty() && theirs.members == new.members {
        return Err(Problem::unusable("nothing differs from what is published"));
    }
    let text = new.to_text();
    let (map, faults) = checked(&published, text.clone().into_bytes()).await?;
    let is_same_water = map.waterways.iter().any(|waterway| waterway.id == published.waterway);
    if errors(&faults) > 0 || !is_same_water {
        let title = if is_same_water { "the map has errors" } else { "the map has no water of this id" };
        let faults = shown(&faults);
        let body = json!({"type": "about:blank", "title": title, "status": 422, "faults": faults,
            "detail": format!("{} errors; nothing was published", faults.iter().filter(|f| f["severity"] == "error").count()),
            "mend": "mend the errors, then publish"});
        return Ok(problem(StatusCode::UNPROCESSABLE_ENTITY, &body));
    }
    if let Some(refused) = goes_with_coming(&console, &published, &text, valid_from).await? {
        return Err(refused);
    }
    let (file, bytes) = (published.file.clone(), text.clone());
    let placed = tokio::task::spawn_blocking(move || match valid_from {
        None => put_in_place(&file, &bytes),
        Some(_) => can_be_put_in_place(&file),
    });
    placed.await.map_err(|error| Problem::inside(&error))?.map_err(|error| match error {
        PublishError::Write { .. } => Problem::inside(&error),
        PublishError::BuiltIn | PublishError::ChangedOnDisk(_) => Problem::conflict(error.to_string()),
    })?;
    let version = version_of(text.as_bytes());
    let row = |version: String, file: Vec<u8>, author: &str, comment: String, changes: String| MapVersion {
        waterway: draft.waterway.clone(),
        n: 0,
        version,
        file,
        author: author.to_owned(),
        comment,
        made_at: now,
        skip_reason: said.skip_reason.clone().filter(|reason| !reason.trim().is_empty()),
        changes,
        valid_from: None,
        came_at: None,
        withdrawn: None,
    };
    let told = serde_json::to_string(&changes).map_err(|error| Problem::inside(&error))?;
    let row_before = row(
        published.version.clone(),
        published.file.bytes.clone(),
        FILE,
        "as it was in the file".to_owned(),
        "[]".to_owned(),
    );
    let row_now = MapVersion { valid_from, ..row(version.clone(), text.into_bytes(), &who.name, comment, told) };
    let (of, by, draft_id, base) =
        (draft.waterway.clone(), who.name.clone(), draft.id.clone(), published.file.bytes.clone());
    let n = console
        .shelf()
        .write(move |store| {
            // What was changed by other hands stands in the history as well, so that it can be gone back to.
            let known = store.map_versions(&of)?;
            let last = known.iter().filter(|one| one.since().is_some()).max_by_key(|one| (one.since(), one.n));
            if last.map(|last| &last.version) != Some(&row_before.version) {
                store.add_map_version(&MapVersion { skip_reason: None, ..row_before }, None)?;
            }
            let (file, at) = (&row_now.file, row_now.made_at);
            if valid_from.is_some() {
                // Until it comes the draft still differs from what is published.
                store.rebase_draft(&draft_id, &base, file, &by, at)?;
                store.add_map_version(&row_now, Some(&base))
            } else {
                store.rebase_draft(&draft_id, file, file, &by, at)?;
                store.add_map_version(&row_now, None)
            }
        })
        .await?;
    let mut detail = format!("version {n}, {} changes", changes.len());
    if let Some(from) = valid_from {
        detail += &format!(", from {}", from.to_rfc3339());
    }
    audit_with(&console, &who.name, "map_published", &draft.waterway, None, Some(detail)).await?;
    let (in_force, fault) = match valid_from {
        Some(_) => {
            console.desk().board().schedule_changed();
            (false, None)
        }
        None => wait(&console, &draft.waterway, &version).await,
    };
    let (changes, merged) = (changes.len(), is_merged);
    let answer = PublishedAs { n, version: version.clone(), changes, merged, in_force, fault, valid_from };
    Ok(([(header::ETAG, format!("\"{version}\""))], Json(answer)).into_response())
}

/// Why a new version does not go together with those that are to come, where it does not.
async fn goes_with_coming(
    console: &Console,
    published: &Published,
    text: &str,
    valid_from: Option<EventTime>,
) -> Result<Option<Problem>, Problem> {
    let mut coming = console.shelf().read(|store| store.coming_versions()).await?;
    let (before, base) = (published.law.clone(), published.file.bytes.clone());
    let (waterway, file) = (published.waterway.to_string(), text.as_bytes().to_vec());
    let with = published.with(&file);
    let found = tokio::task::spawn_blocking(move || {
        let known = foresee(&coming, &before).faults;
        let law = match valid_from {
            None => with,
            Some(valid_from) => {
                let at = coming.partition_point(|one| one.valid_from <= valid_from);
                coming.insert(at, ComingVersion { waterway, n: NEW, valid_from, base, file });
                before
            }
        };
        let new = foresee(&coming, &law).faults.into_iter().find(|(of, _)| !known.contains_key(of));
        new.map(|((_, n), fault)| (coming.into_iter().find(|one| one.n == n).map(|one| one.valid_from), n, fault))
    });
    let found = found.await.map_err(|error| Problem::inside(&error))?;
    Ok(found.map(|(from, n, fault)| {
        let title = match from {
            Some(from) if n != NEW => {
                format!("version {n}, which holds from {} on, would not go with it", from.to_rfc3339())
            }
            _ => "it would not go with what comes before it".to_owned(),
        };
        Problem::conflict(title)
            .detail(fault)
            .mend("withdraw the version that is to come, then publish both changes in one")
    }))
}

/// Waits until the daemon judges by a version; whether it does, and what is wrong where not.
async fn wait(console: &Console, waterway: &str, version: &str) -> (bool, Option<String>) {
    let mut law = console.desk().board().law();
    let holds = |law: &crate::serve::InForce| {
        law.map.waterways.iter().any(|place| place.id.as_str() == waterway && *place.version == *version)
    };
    let waited = timeout(IN_FORCE_WITHIN, law.wait_for(|law| holds(law))).await;
    match waited {
        Ok(Ok(_)) => (true, None),
        _ => {
            let fault = console.law().fault.clone();
            (false, Some(fault.unwrap_or_else(|| "the daemon has not read it yet; it will within seconds".to_owned())))
        }
    }
}

/// 412 with the versions that do not go together.
fn conflict(published: &Published, base: Collection, theirs: Collection, conflicts: Vec<Conflict>) -> Response {
    let body = json!({
        "type": "about:blank",
        "title": "somebody else published changes of the same features",
        "status": 412,
        "detail": format!("{} features were changed by both", conflicts.len()),
        "mend": "choose for each of them, save the draft, and publish it for this version",
        "version": published.version,
        "base": base.into_value(),
        "theirs": theirs.into_value(),
        "conflicts": conflicts,
    });
    problem(StatusCode::PRECONDITION_FAILED, &body)
}

fn problem(status: StatusCode, body: &serde_json::Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/problem+json")], body.to_string()).into_response()
}
