//! The public view: zones, limits in force and counts by day; no boats, no names of people (see `wall`).

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::limit::Limited;
use super::problem::Path;
use super::session::Peer;
use super::waterway::ShownWaterway;
use super::{Console, Problem};

/// Days that are counted.
const DAYS: f64 = 30.0;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(waterways)).routes(routes!(waterway)).routes(routes!(map))
}

/// A waterway for everybody.
#[derive(Serialize, ToSchema)]
struct Shown {
    waterway: ShownWaterway,
    /// Its map, as GeoJSON.
    #[schema(value_type = Object)]
    zones: Box<RawValue>,
    /// Of the last thirty days, those with findings, the newest first.
    counts: Vec<Day>,
    /// Whether its wall display is open, which shows boats under pseudonyms.
    has_wall: bool,
}

/// A day of the waterway's time zone.
#[derive(Serialize, ToSchema)]
struct Day {
    /// As in `2026-07-04`.
    day: String,
    /// Findings that began on it and were not withdrawn or dismissed.
    findings: u64,
    /// Those of them that are breaches.
    breach: u64,
    /// Those that are possible breaches.
    possible: u64,
}

/// A waterway's id and name.
#[derive(Serialize, ToSchema)]
struct Named {
    id: String,
    name: String,
}

impl Console {
    /// Lets anybody look, where that is wished, unless they do so too often.
    pub(super) fn open_to_all(&self, peer: &Peer) -> Result<(), Problem> {
        if !self.settings().is_public {
            return Err(Problem::forbidden("there is no public view here").mend("log in"));
        }
        self.limits().take(Limited::Public, &peer.0)
    }
}

/// The waterways that can be looked at.
#[utoipa::path(get, path = "/public/waterways", tag = "public", responses((status = 200, body = [Named])))]
async fn waterways(State(console): State<Console>, peer: Peer) -> Result<Json<Vec<Named>>, Problem> {
    console.open_to_all(&peer)?;
    let all = console
        .law()
        .map
        .waterways
        .iter()
        .map(|waterway| {
            let name = waterway.water().name.clone().unwrap_or_else(|| waterway.id.to_string());
            Named { id: waterway.id.to_string(), name }
        })
        .collect();
    Ok(Json(all))
}

/// What applies on a waterway now, and how many findings there were by day.
#[utoipa::path(get, path = "/public/waterways/{waterway}", tag = "public", params(("waterway" = String, Path)),
    responses((status = 200, body = Shown), (status = 404, body = Problem)))]
async fn waterway(State(console): State<Console>, peer: Peer, Path(id): Path<String>) -> Result<Json<Shown>, Problem> {
    console.open_to_all(&peer)?;
    let shown = console.waterways().await?.into_iter().find(|waterway| waterway.id() == id);
    let waterway = shown.ok_or_else(|| Problem::not_found("waterway", &id))?.for_everybody();
    let has_wall = console.has_wall(&id).await?;
    let from = console.desk().now().plus_seconds(-DAYS * 86_400.0);
    let began = console.shelf().read(move |store| store.began_since(&id, from)).await?;
    let zone = console.law().rulebook.time_zone;
    let mut days: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (start, is_breach) in began {
        let day = start.to_chrono().with_timezone(&zone).format("%Y-%m-%d").to_string();
        let count = days.entry(day).or_default();
        *count = (count.0 + 1, count.1 + u64::from(is_breach));
    }
    let counts = days.into_iter().rev().map(|(day, (findings, breach))| Day {
        day,
        findings,
        breach,
        possible: findings - breach,
    });
    Ok(Json(Shown { zones: console.chart_json(waterway.id()).await?, counts: counts.collect(), has_wall, waterway }))
}

/// The map of a waterway as GeoJSON.
#[utoipa::path(get, path = "/public/waterways/{waterway}/map", tag = "public", params(("waterway" = String, Path)),
    responses((status = 200, content_type = "application/geo+json", body = Object), (status = 404, body = Problem)))]
async fn map(
    State(console): State<Console>,
    peer: Peer,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    console.open_to_all(&peer)?;
    console.chart(&id, &headers).await
}
