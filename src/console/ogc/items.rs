//! Features of the collections.

use std::collections::BTreeSet;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::collection::Collection;
use super::query::Asked;
use super::{base, link, may_see};
use crate::console::problem::Path;
use crate::console::review::{FIXES_MAX, purpose, tracks_of};
use crate::console::session::audit_with;
use crate::console::{Anybody, Console, Problem, chart, finding};
use crate::export::{finding_feature, track_feature};
use crate::store::StandingQuery;
use crate::time::EventTime;

/// The longest period of tracks, and the one where none is asked for, seconds.
const TRACKS_MAX_S: f64 = 86_400.0;
const TRACKS_S: f64 = 3_600.0;
/// No finding lasts longer, seconds.
const LONGEST_S: f64 = 86_400.0;
/// Times are told to the millisecond, seconds.
const ROUNDED_S: f64 = 0.001;
/// How many findings are looked through at a time.
const FINDINGS: usize = 1_000;

/// A page of features, and how many match where that is known.
struct Page {
    features: Vec<Value>,
    matched: Option<usize>,
    is_more: bool,
}

pub(super) async fn list(
    State(console): State<Console>,
    who: Anybody,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let collection = Collection::of(&id)?;
    may_see(collection, &who, &console)?;
    may_look(collection, &who, &console)?;
    let asked = Asked::parse(query.as_deref().unwrap_or_default())?;
    let page = match collection.id {
        "zones" => paged(zones(&console), &asked),
        "positions" => paged(positions(&console), &asked),
        "findings" => findings(&console, &asked).await?,
        _ => paged(tracks(&console, &asked, None).await?, &asked),
    };
    if let (true, Some(who)) = (collection.shows_boats, &who.0) {
        let detail = query.clone().unwrap_or_default();
        audit_with(&console, &who.name, "ogc", collection.id, purpose(&headers, None), Some(detail)).await?;
    }
    let here = format!("{}/collections/{id}/items", base(&console, &headers));
    let with = |offset: usize| {
        let sign = if asked.repeated.is_empty() { "" } else { "&" };
        format!("{here}?{}{sign}offset={offset}", asked.repeated)
    };
    let geojson = "application/geo+json";
    let mut links = vec![
        link("self", geojson, "this page", with(asked.offset)),
        link("collection", "application/json", collection.title, here.trim_end_matches("/items").to_owned()),
    ];
    if page.is_more {
        links.push(link("next", geojson, "the next page", with(asked.offset + asked.limit)));
    }
    if asked.offset > 0 {
        links.push(link("prev", geojson, "the page before", with(asked.offset.saturating_sub(asked.limit))));
    }
    let mut answer = json!({
        "type": "FeatureCollection",
        "timeStamp": console.desk().now(),
        "numberReturned": page.features.len(),
        "links": links,
    });
    if let Some(matched) = page.matched {
        answer["numberMatched"] = matched.into();
    }
    answer["features"] = page.features.into();
    Ok(([(header::CONTENT_TYPE, geojson)], answer.to_string()).into_response())
}

pub(super) async fn one(
    State(console): State<Console>,
    who: Anybody,
    Path((id, feature)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let collection = Collection::of(&id)?;
    may_see(collection, &who, &console)?;
    may_look(collection, &who, &console)?;
    let found = match collection.id {
        "zones" => {
            zones(&console).into_iter().find(|(value, ..)| value["id"] == feature.as_str()).map(|(value, ..)| value)
        }
        "positions" => {
            positions(&console).into_iter().find(|(value, ..)| value["id"] == feature.as_str()).map(|(value, ..)| value)
        }
        "findings" => {
            let asked = feature.clone();
            let standing = console.shelf().read(move |store| store.standing(&asked)).await?;
            standing.map(|standing| finding_feature(&finding::shown(&standing, &console.law().rulebook)))
        }
        _ => {
            let asked = Asked::parse("")?;
            tracks(&console, &asked, Some(&feature)).await?.into_iter().next().map(|(value, ..)| value)
        }
    };
    let Some(mut found) = found else { return Err(Problem::not_found("feature", &feature)) };
    if let (true, Some(who)) = (collection.shows_boats, &who.0) {
        audit_with(&console, &who.name, "ogc", &feature, purpose(&headers, None), Some(collection.id.to_owned()))
            .await?;
    }
    let here = format!("{}/collections/{id}", base(&console, &headers));
    found["links"] = json!([
        link("self", "application/geo+json", "this feature", format!("{here}/items/{feature}")),
        link("collection", "application/json", collection.title, here),
    ]);
    Ok(([(header::CONTENT_TYPE, "application/geo+json")], found.to_string()).into_response())
}

/// Lets somebody look at where boats are or were, unless they did so too often.
fn may_look(collection: &Collection, who: &Anybody, console: &Console) -> Result<(), Problem> {
    match &who.0 {
        Some(who) if collection.shows_boats => console.look(who),
        _ => Ok(()),
    }
}

/// A feature, and from when to when it is.
type Timed = (Value, Option<EventTime>, Option<EventTime>);

/// What of all is asked for.
fn paged(all: Vec<Timed>, asked: &Asked) -> Page {
    let meant =
        all.into_iter().filter(|(value, start, end)| asked.meets(&value["geometry"]) && asked.is_in_time(*start, *end));
    let mut features: Vec<Value> = meant.map(|(value, ..)| value).collect();
    let matched = features.len();
    let features: Vec<Value> = features.drain(asked.offset.min(matched)..).take(asked.limit).collect();
    Page { is_more: asked.offset + features.len() < matched, features, matched: Some(matched) }
}

/// The features of all maps, and what is derived from them.
fn zones(console: &Console) -> Vec<Timed> {
    let law = console.law();
    let mut all = Vec::new();
    for waterway in &law.map.waterways {
        for feature in &waterway.features {
            let mut value = serde_json::to_value(chart::zone(feature)).unwrap_or_default();
            // Ids are unique in their waterway only. Some programs have one column for both kinds of ids.
            value["id"] = format!("{}:{}", waterway.id, feature.id).into();
            if let Some(properties) = value["properties"].as_object_mut() {
                properties.remove("id");
                properties.insert("feature".to_owned(), (&*feature.id).into());
                properties.insert("waterway".to_owned(), waterway.id.as_str().into());
            }
            all.push((value, None, None));
        }
    }
    all
}

/// The newest fix of every vessel.
fn positions(console: &Console) -> Vec<Timed> {
    let vessels = console.desk().board().vessels();
    let place = |(id, state): (crate::observation::VesselId, crate::serve::VesselState)| {
        let fix = state.fix;
        let value = json!({
            "type": "Feature",
            "id": id.as_str(),
            "geometry": {"type": "Point", "coordinates": fix.position.to_geojson()},
            "properties": {
                "vessel": id.as_str(),
                "t": fix.t,
                "received_at": state.received_at,
                "sog_mps": fix.sog_mps,
                "cog_deg": fix.cog_deg,
                "heading_deg": fix.heading_deg,
                "accuracy_m": fix.accuracy_m,
                "open_findings": state.open.len(),
            },
        });
        (value, Some(fix.t), Some(fix.t))
    };
    vessels.into_iter().map(place).collect()
}

/// Findings as they stand, the newest first: looked through page by page as far as it takes.
async fn findings(console: &Console, asked: &Asked) -> Result<Page, Problem> {
    let (from, to) = asked.time.unwrap_or((None, None));
    let law = console.law();
    let mut query = StandingQuery {
        // One that began before may reach into the time that is asked for; and what is told is rounded.
        from: from.map(|from| from.plus_seconds(-LONGEST_S)),
        to: to.map(|to| to.plus_seconds(ROUNDED_S)),
        limit: FINDINGS,
        ..StandingQuery::default()
    };
    let (mut features, mut seen) = (Vec::new(), 0);
    loop {
        let page = query.clone();
        let standings = console.shelf().read(move |store| store.standings(&page)).await?;
        let Some(last) = standings.last() else { break };
        query.after = query.key(last).map(|key| (key, last.id.clone()));
        let is_last = standings.len() < FINDINGS;
        for standing in standings.iter().filter(|standing| standing.state != "withdrawn") {
            let value = finding_feature(&finding::shown(standing, &law.rulebook));
            let time = |key: &str| value["properties"][key].as_str().and_then(|t| EventTime::parse_rfc3339(t).ok());
            if asked.meets(&value["geometry"]) && asked.is_in_time(time("start"), time("end")) {
                seen += 1;
                if seen > asked.offset {
                    features.push(value);
                }
            }
            if features.len() > asked.limit {
                features.truncate(asked.limit);
                return Ok(Page { features, matched: None, is_more: true });
            }
        }
        if is_last || query.after.is_none() {
            break;
        }
    }
    Ok(Page { features, matched: Some(seen), is_more: false })
}

/// Tracks of a period, one a vessel; of one vessel where asked.
async fn tracks(console: &Console, asked: &Asked, vessel: Option<&str>) -> Result<Vec<Timed>, Problem> {
    let now = console.desk().now();
    let (from, to) = match asked.time.unwrap_or((None, None)) {
        (Some(from), to) => (from, to.unwrap_or(now).min(from.plus_seconds(TRACKS_MAX_S))),
        (None, to) => {
            let to = to.unwrap_or(now);
            (to.plus_seconds(-TRACKS_S), to)
        }
    };
    let law = console.law();
    let mut bounds: Option<[f64; 4]> = None;
    for waterway in &law.map.waterways {
        let of = chart::bbox(waterway);
        let all = bounds.get_or_insert(of);
        *all = [all[0].min(of[0]), all[1].min(of[1]), all[2].max(of[2]), all[3].max(of[3])];
    }
    let (Some(bounds), Some(waterway)) = (bounds, law.map.waterways.first()) else { return Ok(Vec::new()) };
    let mut vessels = BTreeSet::new();
    if let Some(vessel) = vessel {
        let id = crate::observation::VesselId::new(vessel);
        vessels.insert(id.map_err(|_| Problem::not_found("feature", vessel))?);
    }
    let period = crate::review::Asked { waterway: waterway.id.clone(), from, to, vessels };
    let tracks = console.shelf().read(move |store| tracks_of(store, &period, bounds, FIXES_MAX)).await?;
    let Some(tracks) = tracks else {
        return Err(Problem::unusable("the period has too many fixes").at("datetime").mend("ask for a shorter one"));
    };
    let timed = |track: &crate::export::TrackOf| {
        let (start, end) = (track.1.first().map(|fix| fix.t), track.1.last().map(|fix| fix.t));
        (track_feature(track), start, end)
    };
    Ok(tracks.iter().map(timed).collect())
}
