//! What people state about the lake: marks on the water, tows, sight and weather.
//!
//! Each goes into the ordered log like a message of a tracker, and who stated it is kept beside.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Body, Path, Query};
use super::{Console, Officer, Problem, Viewer, Who, chart, secret};
use crate::geo::Position;
use crate::observation::{
    Activity, Conditions, Mark, MarkChange, Observation, Towing, TowingState, VesselId, WaterwayId, Weather,
};
use crate::time::EventTime;
use crate::zones::{Shape, ZoneKind};

/// Nothing that somebody put out lies there for longer unless said again, seconds.
const MARK_LONGEST_S: f64 = 7.0 * 86_400.0;
/// A mark this far from the water belongs to no waterway, metres.
const ASHORE_M: f64 = 200.0;
/// No rope is longer, metres.
const ROPE_MAX_M: f64 = 200.0;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new()
        .routes(routes!(all_marks, add_mark))
        .routes(routes!(change_mark, remove_mark))
        .routes(routes!(set_tow, end_tow))
        .routes(routes!(set_conditions))
}

/// A mark on the water.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct ShownMark {
    id: String,
    waterway: String,
    /// What it is, as in `dive_flag`.
    #[schema(value_type = String)]
    kind: ZoneKind,
    /// Where, where it is a point.
    lat: Option<f64>,
    lon: Option<f64>,
    /// Where, as GeoJSON.
    #[schema(value_type = Object)]
    geometry: Value,
    /// From when it lies there.
    #[schema(value_type = String)]
    since: EventTime,
    #[schema(value_type = Option<String>)]
    until: Option<EventTime>,
    /// Who put it out at the console, if anybody did.
    by: Option<String>,
}

/// The marks in force, of one waterway or of all.
pub(super) async fn marks(console: &Console, waterway: Option<&str>) -> Result<Vec<ShownMark>, Problem> {
    let said = console.shelf().read(|store| store.last_statements("mark")).await?;
    let by: BTreeMap<String, String> = said.into_iter().map(|(about, by, ..)| (about, by)).collect();
    let now = console.desk().now();
    let posted = console.desk().board().posted().borrow().clone();
    let of_waterway = posted.iter().filter(|posted| waterway.is_none_or(|id| posted.waterway.as_str() == id));
    let marks = of_waterway.flat_map(|posted| {
        let in_force = posted.marks.iter().filter(|mark| mark.until.is_none_or(|until| until > now));
        in_force.map(|mark| {
            let at = match &mark.shape {
                Shape::Point(p) => Some(*p),
                _ => None,
            };
            ShownMark {
                id: mark.id.to_string(),
                waterway: posted.waterway.to_string(),
                kind: mark.kind,
                lat: at.map(Position::lat_deg),
                lon: at.map(Position::lon_deg),
                geometry: serde_json::to_value(geojson::Geometry::new(chart::shape(&mark.shape))).unwrap_or_default(),
                since: mark.from,
                until: mark.until,
                by: by.get(&*mark.id).cloned(),
            }
        })
    });
    Ok(marks.collect())
}

/// Of which waterway.
#[derive(Debug, Deserialize, IntoParams)]
struct Asked {
    waterway: Option<String>,
}

/// The marks in force.
#[utoipa::path(get, path = "/marks", tag = "statements", params(Asked), responses((status = 200, body = [ShownMark])))]
async fn all_marks(
    State(console): State<Console>,
    _: Viewer,
    Query(asked): Query<Asked>,
) -> Result<Json<Vec<ShownMark>>, Problem> {
    Ok(Json(marks(&console, asked.waterway.as_deref()).await?))
}

/// A mark to put out.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewMark {
    /// Its waterway; told by its place where it is left out.
    waterway: Option<String>,
    /// dive_flag, swimmer, float, safety_buoy, or any other kind that is a point.
    #[schema(value_type = String)]
    kind: ZoneKind,
    lat: f64,
    lon: f64,
    /// When it goes by itself; at most a week from now.
    #[schema(value_type = String)]
    until: EventTime,
}

/// What a statement led to.
#[derive(Debug, Serialize, ToSchema)]
struct Stated {
    id: String,
    /// From when it holds.
    #[schema(value_type = String)]
    t: EventTime,
}

/// Puts out a mark. The answer comes when it is in force.
#[utoipa::path(post, path = "/marks", tag = "statements", request_body = NewMark,
    responses((status = 201, body = Stated), (status = 422, body = Problem)))]
async fn add_mark(
    State(console): State<Console>,
    Officer(who): Officer,
    Body(new): Body<NewMark>,
) -> Result<(StatusCode, Json<Stated>), Problem> {
    const POINTS: [ZoneKind; 6] = [
        ZoneKind::DiveFlag,
        ZoneKind::Swimmer,
        ZoneKind::Float,
        ZoneKind::SafetyBuoy,
        ZoneKind::SkiDock,
        ZoneKind::MooringBuoy,
    ];
    if !POINTS.contains(&new.kind) {
        let known: Vec<&str> = POINTS.iter().map(|kind| kind.as_str()).collect();
        let title = format!("{} cannot be put out as a point", new.kind);
        return Err(Problem::unusable(title).at("kind").mend(format!("take one of {}", known.join(", "))));
    }
    let place =
        Position::from_lat_lon(new.lat, new.lon).map_err(|error| Problem::unusable(error.to_string()).at("lat"))?;
    let law = console.law();
    let there = law.map.locate(place, ASHORE_M).map(|ix| law.map.waterway(ix).id.as_str());
    if there.is_none() || new.waterway.as_deref().is_some_and(|asked| there != Some(asked)) {
        let asked = new.waterway.as_deref().unwrap_or("any waterway");
        let title = format!("{}, {} is not on {asked}", new.lat, new.lon);
        return Err(Problem::unusable(title).at("lat").mend("place it on the water"));
    }
    let now = console.desk().now();
    check_until(new.until, now)?;
    let id = format!("console-{}", &secret::random_text()[..12]);
    let change = MarkChange::Placed { kind: new.kind, shape: Shape::Point(place), until: Some(new.until) };
    let mark = Mark { id: id.as_str().into(), t: now, change };
    state(&console, &who, "mark", &id, json!(new), Observation::Mark(Box::new(mark)), now).await?;
    Ok((StatusCode::CREATED, Json(Stated { id, t: now })))
}

/// What changes of a mark.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MarkChanges {
    /// When it goes by itself; at most a week from now.
    #[schema(value_type = String)]
    until: EventTime,
}

/// Lets a mark lie for longer, or shorter.
#[utoipa::path(patch, path = "/marks/{id}", tag = "statements", request_body = MarkChanges, params(("id" = String, Path)),
    responses((status = 200, body = Stated), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn change_mark(
    State(console): State<Console>,
    Officer(who): Officer,
    Path(id): Path<String>,
    Body(changes): Body<MarkChanges>,
) -> Result<Json<Stated>, Problem> {
    let now = console.desk().now();
    check_until(changes.until, now)?;
    let (kind, shape) = in_force(&console, &id, now)?;
    let change = MarkChange::Placed { kind, shape, until: Some(changes.until) };
    let mark = Mark { id: id.as_str().into(), t: now, change };
    state(&console, &who, "mark", &id, json!(changes), Observation::Mark(Box::new(mark)), now).await?;
    Ok(Json(Stated { id, t: now }))
}

/// Takes in a mark.
#[utoipa::path(delete, path = "/marks/{id}", tag = "statements", params(("id" = String, Path)),
    responses((status = 200, body = Stated), (status = 404, body = Problem)))]
async fn remove_mark(
    State(console): State<Console>,
    Officer(who): Officer,
    Path(id): Path<String>,
) -> Result<Json<Stated>, Problem> {
    let now = console.desk().now();
    in_force(&console, &id, now)?;
    let mark = Mark { id: id.as_str().into(), t: now, change: MarkChange::Removed };
    state(&console, &who, "mark", &id, json!({ "removed": true }), Observation::Mark(Box::new(mark)), now).await?;
    Ok(Json(Stated { id, t: now }))
}

/// What a mark in force is, and where.
fn in_force(console: &Console, id: &str, now: EventTime) -> Result<(ZoneKind, Shape), Problem> {
    let posted = console.desk().board().posted().borrow().clone();
    let mut marks = posted.iter().flat_map(|posted| &posted.marks);
    let mark = marks.find(|mark| &*mark.id == id && mark.until.is_none_or(|until| until > now));
    mark.map(|mark| (mark.kind, mark.shape.clone())).ok_or_else(|| Problem::not_found("mark in force", id))
}

fn check_until(until: EventTime, now: EventTime) -> Result<(), Problem> {
    if until <= now || until.seconds_since(now) > MARK_LONGEST_S {
        return Err(Problem::unusable(format!("{until} is past, or more than a week ahead")).at("until"));
    }
    Ok(())
}

/// Somebody in tow.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewTow {
    /// up or down.
    #[schema(value_type = String)]
    state: TowingState,
    /// The length of the rope, metres; as the rulebook says where it is left out.
    rope_m: Option<f64>,
    persons: Option<u32>,
}

/// States that a vessel has somebody in tow. It holds until its crew, or somebody here, says otherwise.
#[utoipa::path(post, path = "/vessels/{vessel}/tow", tag = "statements", request_body = NewTow,
    params(("vessel" = String, Path)), responses((status = 201, body = Stated), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn set_tow(
    State(console): State<Console>,
    Officer(who): Officer,
    Path(vessel): Path<String>,
    Body(new): Body<NewTow>,
) -> Result<(StatusCode, Json<Stated>), Problem> {
    if new.rope_m.is_some_and(|m| !(m > 0.0 && m <= ROPE_MAX_M)) {
        return Err(Problem::unusable(format!("a rope is more than 0 and up to {ROPE_MAX_M} m long")).at("rope_m"));
    }
    let towing = Towing { state: new.state, rope_m: new.rope_m, persons: new.persons };
    let stated = tow(&console, &who, &vessel, Some(towing), json!(new)).await?;
    Ok((StatusCode::CREATED, Json(stated)))
}

/// States that a vessel has nobody in tow any more.
#[utoipa::path(delete, path = "/vessels/{vessel}/tow", tag = "statements", params(("vessel" = String, Path)),
    responses((status = 200, body = Stated), (status = 404, body = Problem)))]
async fn end_tow(
    State(console): State<Console>,
    Officer(who): Officer,
    Path(vessel): Path<String>,
) -> Result<Json<Stated>, Problem> {
    Ok(Json(tow(&console, &who, &vessel, None, json!({ "state": null })).await?))
}

async fn tow(
    console: &Console,
    who: &Who,
    vessel: &str,
    towing: Option<Towing>,
    body: Value,
) -> Result<Stated, Problem> {
    let id = VesselId::new(vessel).map_err(|error| Problem::unusable(error.to_string()).at("vessel"))?;
    let Some(known) = console.desk().board().vessel(&id) else {
        return Err(Problem::not_found("boat heard within the last hour", vessel));
    };
    // Never before what the vessel has been judged by already, should its clock be ahead.
    let t = console.desk().now().max(known.fix.t);
    let activity = Activity {
        t,
        towing: Some(towing),
        nav_status: None,
        observer_age: None,
        operator_age: None,
        supervised: None,
        persons_aboard: None,
        warning_flag: None,
        siren: None,
        lights: None,
    };
    console.fleet().declare([(vessel.to_owned(), who.name.clone(), t)]);
    state(console, who, "tow", vessel, body, Observation::Activity(id, Box::new(activity)), t).await?;
    Ok(Stated { id: vessel.to_owned(), t })
}

/// What is seen of sight and weather.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewConditions {
    visibility_m: Option<f64>,
    /// clear, fog, mist, snow or heavy_rain.
    #[schema(value_type = Option<String>)]
    weather: Option<Weather>,
    /// When it ends, before it does by itself (half an hour by the shipped rulebook).
    #[schema(value_type = Option<String>)]
    until: Option<EventTime>,
}

/// States sight and weather on a waterway.
#[utoipa::path(post, path = "/waterways/{waterway}/conditions", tag = "statements", request_body = NewConditions,
    params(("waterway" = String, Path)), responses((status = 201, body = Stated), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn set_conditions(
    State(console): State<Console>,
    Officer(who): Officer,
    Path(waterway): Path<String>,
    Body(new): Body<NewConditions>,
) -> Result<(StatusCode, Json<Stated>), Problem> {
    console.waterway(&console.law(), &waterway)?;
    if new.weather.is_none() && new.visibility_m.is_none() {
        return Err(Problem::unusable("say the weather, or how far one sees").at("weather"));
    }
    if new.visibility_m.is_some_and(|m| !(0.0..=100_000.0).contains(&m)) {
        return Err(Problem::unusable("one sees from 0 to 100,000 m").at("visibility_m"));
    }
    let now = console.desk().now();
    if new.until.is_some_and(|until| until <= now) {
        return Err(Problem::unusable("it would end before it begins").at("until"));
    }
    let id = WaterwayId::new(&waterway).map_err(|error| Problem::unusable(error.to_string()))?;
    let (visibility_m, weather) = (new.visibility_m, new.weather);
    let report = Conditions { waterway: id.clone(), t: now, visibility_m, weather, water_level_m: None };
    state(&console, &who, "conditions", &waterway, json!(new), Observation::Conditions(Box::new(report)), now).await?;
    if let Some(until) = new.until {
        end_conditions_at(console.clone(), who, id, now, until);
    }
    Ok((StatusCode::CREATED, Json(Stated { id: waterway, t: now })))
}

/// States clear weather when a report ends, unless something else was reported since.
fn end_conditions_at(console: Console, who: Who, waterway: WaterwayId, reported: EventTime, until: EventTime) {
    tokio::spawn(async move {
        let wait_s = until.seconds_since(console.desk().now()).max(0.0);
        tokio::select! {
            () = console.desk().stopped() => return,
            () = tokio::time::sleep(std::time::Duration::from_secs_f64(wait_s)) => {}
        }
        let posted = console.desk().board().posted().borrow().clone();
        let last =
            posted.iter().find(|posted| posted.waterway == waterway).and_then(|posted| posted.conditions.as_ref());
        if last.is_some_and(|last| last.t == reported) {
            let clear = Some(Weather::Clear);
            let report = Conditions {
                waterway: waterway.clone(),
                t: until,
                visibility_m: None,
                weather: clear,
                water_level_m: None,
            };
            let body = json!({ "weather": "clear", "because": "the report ended" });
            let observation = Observation::Conditions(Box::new(report));
            if let Err(problem) = state(&console, &who, "conditions", waterway.as_str(), body, observation, until).await
            {
                tracing::warn!(?problem, "a report of conditions could not be ended; it ends by itself");
            }
        }
    });
}

/// Puts a statement into the log and keeps who made it.
async fn state(
    console: &Console,
    who: &Who,
    kind: &'static str,
    about: &str,
    body: Value,
    observation: Observation,
    t: EventTime,
) -> Result<(), Problem> {
    let (name, about, body): (Arc<str>, String, String) =
        (who.name.as_str().into(), about.to_owned(), body.to_string());
    // Who is kept first: nothing is in force of which nobody knows who stated it.
    let by = name.to_string();
    console.shelf().write(move |store| store.add_statement(kind, &about, &by, &body, t)).await?;
    Ok(console.desk().state(observation, &format!("console/{name}")).await?)
}
