//! A display on a wall that everybody may see: where boats are, under names that tell nobody whose they are.
//!
//! A manager opens it for a waterway, and closes it. A boat has the same pseudonym all day, another one after midnight on
//! the clocks of the rulebook, and nobody without the key in the store can tell which boat it is. Boats that lie at a dock
//! are left out, for the dock would say it; so is whatever else names a boat or a person.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::live::{boats_on, doing};
use super::problem::{Body, Path};
use super::session::{Peer, audit};
use super::{Console, Manager, Problem};
use crate::observation::VesselClass;
use crate::serve::VesselState;
use crate::time::EventTime;
use crate::zones::ZoneKind;

/// What statements about it are called.
const WALL: &str = "wall";
/// The name of the key in the store.
const KEY: &str = "pseudonyms";
/// Letters and digits that are not taken for each other.
const SIGNS: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/// Of six such signs there are a thousand million: two boats of a day have the same name once in a blue moon.
const LENGTH: usize = 6;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(set)).routes(routes!(wall))
}

/// Whether a waterway has one.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Wall {
    is_open: bool,
}

impl Console {
    /// Whether a wall display of a waterway is open.
    ///
    /// # Errors
    /// The store.
    pub(super) async fn has_wall(&self, waterway: &str) -> Result<bool, Problem> {
        let said = self.shelf().read(|store| store.last_statements(WALL)).await?;
        let last = said.into_iter().find(|(about, ..)| about == waterway);
        Ok(last.and_then(|(.., body)| serde_json::from_str::<Wall>(&body).ok()).is_some_and(|wall| wall.is_open))
    }
}

/// Opens the wall display of a waterway for everybody, or closes it.
#[utoipa::path(put, path = "/waterways/{waterway}/wall", tag = "public", params(("waterway" = String, Path)),
    request_body = Wall, responses((status = 204), (status = 404, body = Problem)))]
async fn set(
    State(console): State<Console>,
    Manager(who): Manager,
    Path(id): Path<String>,
    Body(wall): Body<Wall>,
) -> Result<StatusCode, Problem> {
    console.waterway(&console.law(), &id)?;
    let body = serde_json::to_string(&wall).map_err(|error| Problem::inside(&error))?;
    let (about, by, now) = (id.clone(), who.name.clone(), console.desk().now());
    console.shelf().write(move |store| store.add_statement(WALL, &about, &by, &body, now)).await?;
    audit(&console, &who.name, if wall.is_open { "wall_opened" } else { "wall_closed" }, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Boats without their names.
#[derive(Debug, Serialize, ToSchema)]
struct OnWall {
    #[schema(value_type = String)]
    at: EventTime,
    boats: Vec<Nameless>,
}

/// A boat under its pseudonym of the day; beside that as in a Boat.
#[derive(Debug, Serialize, ToSchema)]
struct Nameless {
    /// The pseudonym.
    id: String,
    #[schema(value_type = Option<String>)]
    class: Option<VesselClass>,
    #[schema(value_type = String)]
    t: EventTime,
    lat: f64,
    lon: f64,
    sog_mps: Option<f64>,
    cog_deg: Option<f64>,
    heading_deg: Option<f64>,
    interval_s: Option<f64>,
    state: &'static str,
    limit: Option<NamelessLimit>,
}

/// The limit where it is.
#[derive(Debug, Serialize, ToSchema)]
struct NamelessLimit {
    speed_mps: f64,
    rule: &'static str,
    clause: String,
    /// Why; where another boat is the reason, without saying which.
    reason: String,
    #[schema(value_type = Option<String>)]
    kind: Option<ZoneKind>,
}

/// The boats that are out on a waterway, under pseudonyms of the day; where a manager has opened its wall display.
#[utoipa::path(get, path = "/public/waterways/{waterway}/wall", tag = "public", params(("waterway" = String, Path)),
    responses((status = 200, body = OnWall), (status = 404, body = Problem)))]
async fn wall(
    State(console): State<Console>,
    peer: Peer,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Problem> {
    console.open_to_all(&peer)?;
    let law = console.law();
    console.waterway(&law, &id)?;
    if !console.has_wall(&id).await? {
        return Err(Problem::not_found("wall display of", &id).mend("a manager opens it"));
    }
    let key = console.inner.wall_key.as_slice();
    let now = console.desk().now();
    let day = now.to_chrono().with_timezone(&law.rulebook.time_zone).format("%Y-%m-%d").to_string();
    let there = boats_on(console.desk().board(), &law, &id);
    let mut boats: Vec<Nameless> =
        there.filter_map(|(vessel, state)| nameless(pseudonym(key, &day, vessel.as_str()), &state)).collect();
    // Their order would tell their ids.
    boats.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(Json(OnWall { at: now, boats }))
}

/// A boat as everybody may see it; `None` where its place says whose it is.
fn nameless(id: String, state: &VesselState) -> Option<Nameless> {
    let (fix, regard) = (&state.fix, state.regard.as_deref());
    let state_of = regard.map_or("under_way", doing);
    let rounded = |value: f64, digits: f64| (value * digits).round() / digits;
    let limit = regard.and_then(|regard| regard.limit.as_ref()).map(|limit| NamelessLimit {
        speed_mps: rounded(limit.speed_mps, 1e4),
        rule: limit.rule,
        clause: limit.clause.clone(),
        reason: if limit.other.is_some() { "near another boat".to_owned() } else { limit.reason.clone() },
        kind: limit.kind,
    });
    (state_of != "at_dock").then(|| Nameless {
        id,
        class: regard.and_then(|regard| regard.profile.as_ref()?.class),
        t: fix.t,
        lat: rounded(fix.position.lat_deg(), 1e6),
        lon: rounded(fix.position.lon_deg(), 1e6),
        sog_mps: fix.sog_mps.or(regard.and_then(|regard| regard.way_mps)).map(|mps| rounded(mps, 1e2)),
        cog_deg: fix.cog_deg.or(regard.and_then(|regard| regard.way_deg)).map(|deg| rounded(deg, 1e1)),
        heading_deg: fix.heading_deg.map(|deg| rounded(deg, 1e1)),
        interval_s: regard.and_then(|regard| regard.interval_s).map(|s| rounded(s, 1e1)),
        state: state_of,
        limit,
    })
}

/// What a vessel is called on a day: HMAC-SHA-256 of both, as six signs.
fn pseudonym(key: &[u8], day: &str, vessel: &str) -> String {
    // The key has 32 bytes, which is less than a block.
    let padded = |with: u8| {
        let mut block = [with; 64];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let inner =
        Sha256::new().chain_update(padded(0x36)).chain_update(day).chain_update([0]).chain_update(vessel).finalize();
    let hash = Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize();
    hash.iter().take(LENGTH).map(|byte| char::from(SIGNS[usize::from(byte % 32)])).collect()
}

/// The key of pseudonyms: made once, kept in the store.
pub(super) fn key(shelf: &super::Shelf) -> Result<Vec<u8>, crate::store::StoreError> {
    let mut fresh = [0; 32];
    // Without randomness everybody could tell who is who; there is nothing to go on with.
    getrandom::fill(&mut fresh).expect("the system gives random bytes");
    shelf.write_now(|store| store.secret(KEY, &fresh))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudonym_lasts_a_day_and_says_nothing_without_the_key() {
        let name = pseudonym(&[7; 32], "2026-07-04", "WN-4417");
        assert_eq!(name.len(), LENGTH);
        assert!(name.bytes().all(|sign| SIGNS.contains(&sign)), "{name}");
        assert_eq!(name, pseudonym(&[7; 32], "2026-07-04", "WN-4417"));
        for other in [
            pseudonym(&[7; 32], "2026-07-05", "WN-4417"),
            pseudonym(&[7; 32], "2026-07-04", "WN-4418"),
            pseudonym(&[8; 32], "2026-07-04", "WN-4417"),
        ] {
            assert_ne!(name, other);
        }
    }
}
