//! What officers made of a finding: entries are added, never changed.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Id, standing};
use crate::console::problem::{Body, Path};
use crate::console::{Console, Officer, Problem};
use crate::store::{Action, NewOutcome, Outcome};
use crate::time::EventTime;

/// The longest text that is kept, bytes.
const TEXT_BYTES_MAX: usize = 4_096;

/// An entry.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::console) struct ShownOutcome {
    n: i64,
    finding: String,
    #[schema(value_type = String)]
    action: Action,
    reason: Option<String>,
    text: Option<String>,
    by: String,
    /// When the officer did it.
    #[schema(value_type = String)]
    at: EventTime,
    /// When it reached the daemon.
    #[schema(value_type = String)]
    stored_at: EventTime,
    /// The entry that this one takes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    reverses: Option<i64>,
}

impl ShownOutcome {
    /// The finding it is about.
    pub fn finding(&self) -> &str {
        &self.finding
    }
}

impl From<Outcome> for ShownOutcome {
    fn from(outcome: Outcome) -> Self {
        let NewOutcome { finding, action, reason, text, by, made_at, stored_at, reverses } = outcome.said;
        Self { n: outcome.n, finding, action, reason, text, by, at: made_at, stored_at, reverses }
    }
}

/// What is done with a finding.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Said {
    /// acknowledge, note, warn, cite, dismiss or reverse.
    #[schema(value_type = String)]
    action: Action,
    /// Why; needed to cite and to dismiss.
    reason: Option<String>,
    /// In own words; needed to note.
    text: Option<String>,
    /// The entry that is taken back; needed to reverse.
    reverses: Option<i64>,
    /// When it was done, where it could not be sent at once.
    #[schema(value_type = Option<String>)]
    made_at: Option<EventTime>,
}

/// Adds an entry; the same one sent twice is one.
#[utoipa::path(post, path = "/findings/{id}/outcomes", tag = "findings", request_body = Said,
    params(("id" = String, Path)),
    responses((status = 201, body = ShownOutcome), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub(super) async fn add(
    State(console): State<Console>,
    Officer(who): Officer,
    Path(id): Id,
    Body(said): Body<Said>,
) -> Result<(StatusCode, Json<ShownOutcome>), Problem> {
    let now = console.desk().now();
    check(&said, now)?;
    let standing = standing(&console, &id).await?;
    if let Some(n) = said.reverses {
        check_reversed(&console, &standing.id, n).await?;
    }
    let Said { action, reason, text, reverses, made_at } = said;
    let made_at = made_at.unwrap_or(now);
    let new = NewOutcome { finding: id.clone(), action, reason, text, by: who.name, made_at, stored_at: now, reverses };
    let added = console.shelf().write(move |store| store.add_outcome(&new)).await?;
    let added = added.ok_or_else(|| Problem::not_found("finding", &id))?;
    console.outcome_added();
    Ok((StatusCode::CREATED, Json(added.into())))
}

fn check(said: &Said, now: EventTime) -> Result<(), Problem> {
    let is_empty = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
    let missing = |place: &str| Err(Problem::unusable(format!("{} needs a {place}", said.action)).at(place));
    for (place, text) in [("reason", &said.reason), ("text", &said.text)] {
        if text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES_MAX) {
            return Err(Problem::unusable(format!("more than {TEXT_BYTES_MAX} bytes")).at(place));
        }
    }
    match said.action {
        Action::Note if is_empty(&said.text) => missing("text"),
        Action::Cite | Action::Dismiss if is_empty(&said.reason) => missing("reason"),
        Action::Reverse if said.reverses.is_none() => missing("reverses"),
        Action::Reverse => Ok(()),
        _ if said.reverses.is_some() => {
            Err(Problem::unusable(format!("only reverse takes something back, not {}", said.action)).at("reverses"))
        }
        _ => Ok(()),
    }?;
    // A clock that is a little ahead is no fault.
    match said.made_at {
        Some(t) if t.seconds_since(now) > 60.0 => {
            Err(Problem::unusable(format!("{t} is yet to come; here it is {now}")).at("made_at"))
        }
        _ => Ok(()),
    }
}

/// An entry of the same finding, not taken back yet, and no reversal itself.
async fn check_reversed(console: &Console, finding: &str, n: i64) -> Result<(), Problem> {
    let id = finding.to_owned();
    let all = console.shelf().read(move |store| store.outcomes_of(&id)).await?;
    let Some(meant) = all.iter().find(|outcome| outcome.n == n) else {
        return Err(Problem::not_found("entry of this finding", &n.to_string()).at("reverses"));
    };
    if meant.said.action == Action::Reverse || all.iter().any(|other| other.said.reverses == Some(n)) {
        return Err(Problem::conflict("it is taken back already, or takes something back itself").at("reverses"));
    }
    Ok(())
}
