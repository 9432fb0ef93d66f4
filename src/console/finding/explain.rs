//! A finding explained: what was measured, how sure that is, what would change it, and the words of the law. The work
//! is done by `review`, which judges it again.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::{Value, json};

use super::{Id, ShownOutcome, shown, standing};
use crate::console::problem::Path;
use crate::console::review::purpose;
use crate::console::session::audit_with;
use crate::console::waterway::ShownSun;
use crate::console::{Console, Problem, Viewer};
use crate::geo::Position;
use crate::review::{Lead, explain};
use crate::time::EventTime;

/// A finding with its history, what was measured, how sure it is, and what would change it.
#[utoipa::path(get, path = "/findings/{id}", tag = "findings", params(("id" = String, Path)),
    responses((status = 200, body = Object), (status = 404, body = Problem)))]
pub(super) async fn finding(
    State(console): State<Console>,
    Viewer(who): Viewer,
    headers: HeaderMap,
    Path(id): Id,
) -> Result<Json<Value>, Problem> {
    console.look(&who)?;
    let standing = standing(&console, &id).await?;
    let law = console.law();
    let finding = shown(&standing, &law.rulebook);
    let about = finding["vessel"].as_str().unwrap_or_default().to_owned();
    audit_with(&console, &who.name, "finding", &about, purpose(&headers, None), Some(format!("finding {id}"))).await?;
    let asked = id.clone();
    let (revisions, outcomes) =
        console.shelf().read(move |store| Ok((store.revisions_of(&asked)?, store.outcomes_of(&asked)?))).await?;
    let asked = id.clone();
    let explained = console.work(move |store| Ok(Lead::of(store, &asked)?.map(|lead| explain(&lead)))).await;
    // The finding is shown also where what it was judged from, or by, is no longer there.
    let (mut answer, why_not) = match explained {
        Ok(Some(explained)) => (serde_json::to_value(explained).map_err(|error| Problem::inside(&error))?, None),
        Ok(None) => (json!({}), Some("what it was judged from is no longer in the store".to_owned())),
        Err(problem) if problem.status() == 422 => {
            (json!({}), Some("what it was judged by cannot be read any more".to_owned()))
        }
        Err(problem) => return Err(problem),
    };
    let revisions: Vec<Value> = revisions
        .into_iter()
        .map(|(made_at, line)| {
            let mut revision: Value = serde_json::from_str(&line).unwrap_or_default();
            if let Some(keys) = revision.as_object_mut() {
                keys.insert("made_at".to_owned(), json!(made_at));
            }
            revision
        })
        .collect();
    let outcomes: Vec<ShownOutcome> = outcomes.into_iter().map(ShownOutcome::from).collect();
    let Some(keys) = answer.as_object_mut() else { return Err(Problem::inside(&"an explanation has keys")) };
    if let Some(why_not) = why_not {
        let text = |key: &str| finding[key].clone();
        keys.insert("clause".to_owned(), json!({"citation": text("clause"), "title": text("title"), "text": null}));
        keys.insert(
            "law".to_owned(),
            json!({"map_version": text("map_version"), "rulebook_version": text("rulebook_version"),
                "rulebook_name": null, "reading": text("reading")}),
        );
        keys.insert("measured".to_owned(), json!([]));
        keys.insert(
            "odds".to_owned(),
            json!({"confidence": text("confidence"), "errors_used": [why_not], "interpolated_s": null}),
        );
        keys.insert("would_change".to_owned(), json!([]));
        keys.insert("is_reproduced".to_owned(), false.into());
    }
    let told = keys.get("exemptions").and_then(Value::as_array).cloned().unwrap_or_default();
    let permits: Vec<Value> = told
        .iter()
        .map(|permit| if permit["permit"].is_null() { &permit["id"] } else { &permit["permit"] }.clone())
        .collect();
    keys.insert("permits".to_owned(), permits.into());
    let peak = &finding["peak"];
    let place =
        peak["lat"].as_f64().zip(peak["lon"].as_f64()).and_then(|(lat, lon)| Position::from_lat_lon(lat, lon).ok());
    let peak_t = peak["t"].as_str().and_then(|text| EventTime::parse_rfc3339(text).ok());
    let sun = place.zip(peak_t).map(|(place, t)| ShownSun::at(place, &law.rulebook, t));
    keys.insert("sun".to_owned(), json!(sun));
    keys.insert("finding".to_owned(), finding);
    keys.insert("revisions".to_owned(), json!(revisions));
    keys.insert("outcomes".to_owned(), json!(outcomes));
    Ok(Json(answer))
}
