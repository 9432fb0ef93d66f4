//! The vessels that were heard of late, and what is on record of one of them for a day.
//!
//! What is on the board comes from there; who has left it is known by the log. Days are those of the rulebook's clocks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::live::{doing, waterway_of};
use super::problem::{Path, Query};
use super::session::audit_with;
use super::{Console, Officer, Problem, Viewer, finding, review as looks};
use crate::observation::{Fix, Profile, VesselClass, VesselId};
use crate::review;
use crate::store::{Log, Sqlite, StandingQuery, StoreError};
use crate::time::EventTime;
use crate::window::midnight;

/// Vessels that were last heard this long ago are still listed, seconds.
const LISTED_S: f64 = 2.0 * 86_400.0;
/// Vessels in one answer at most.
const LIMIT_MAX: usize = 1_000;
/// Vessels in one answer where no number is asked for.
const LIMIT: usize = 100;
/// Findings of a day in one answer at most.
const FINDINGS_MAX: usize = 500;
/// A vessel this near to a water is still counted with it, metres.
const ASHORE_M: f64 = 200.0;

pub(super) fn routes() -> OpenApiRouter<Console> {
    OpenApiRouter::new().routes(routes!(vessels)).routes(routes!(vessel))
}

/// Who is in the log, and when each was last heard. Of the log only what is new is read again.
#[derive(Debug, Default, Clone)]
pub(super) struct Roster {
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    /// The position in the log up to which all is known.
    position: Option<u64>,
    last: BTreeMap<String, EventTime>,
}

impl Roster {
    /// The vessels with a fix since an instant, and the time of the newest of each.
    fn heard(&self, store: &Sqlite, since: EventTime) -> Result<BTreeMap<String, EventTime>, StoreError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let end = store.last_position()?;
        let news = match known.position {
            Some(position) => store.heard_after(position)?,
            None => store.heard_since(since)?,
        };
        for (vessel, t) in news {
            let last = known.last.entry(vessel).or_insert(t);
            *last = t.max(*last);
        }
        known.position = Some(end);
        known.last.retain(|_, t| *t >= since);
        Ok(known.last.clone())
    }
}

/// Which vessels.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Asked {
    /// A part of the id or the name, in any case.
    q: Option<String>,
    /// At most 1,000; 100 unless given.
    limit: Option<usize>,
    /// `next` of the answer before.
    after: Option<String>,
}

/// Vessels by id.
#[derive(Serialize, ToSchema)]
struct Listed {
    vessels: Vec<Row>,
    /// What to ask for with `after` to get more; null where this is all.
    next: Option<String>,
}

/// A vessel.
#[derive(Debug, Serialize, ToSchema)]
struct Row {
    id: String,
    /// As it said last.
    name: Option<String>,
    #[schema(value_type = Option<String>)]
    class: Option<VesselClass>,
    /// The time of its newest fix.
    #[schema(value_type = Option<String>)]
    t: Option<EventTime>,
    /// How often it is usually heard, seconds; null where it was not heard within the last hour.
    interval_s: Option<f64>,
    /// The waterway it is on or lies beside, if it was heard within the last hour.
    waterway: Option<String>,
    /// `under_way`, `at_rest`, `at_dock` or `trolling`, if it was heard within the last hour.
    #[schema(value_type = Option<String>)]
    state: Option<&'static str>,
    /// Its findings that began on the day (of the list: today) and were not withdrawn or dismissed.
    findings: u64,
}

/// The vessels that were heard within the last two days.
#[utoipa::path(get, path = "/vessels", tag = "vessels", params(Asked),
    responses((status = 200, body = Listed), (status = 400, body = Problem)))]
async fn vessels(
    State(console): State<Console>,
    _: Viewer,
    Query(asked): Query<Asked>,
) -> Result<Json<Listed>, Problem> {
    let now = console.desk().now();
    let law = console.law();
    let (from, to) = day(law.rulebook.time_zone, date_at(law.rulebook.time_zone, now))?;
    let wanted = asked.q.unwrap_or_default().trim().to_lowercase();
    let limit = asked.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for (id, _) in console.desk().board().vessels() {
        rows.extend(seen(&console, &id).map(|row| (row.id.clone(), row)));
    }
    let roster = console.roster().clone();
    let (rows, counts) = console
        .shelf()
        .read(move |store| {
            for (id, t) in roster.heard(store, now.plus_seconds(-LISTED_S))? {
                rows.entry(id.clone()).or_insert_with(|| Row { t: Some(t), ..Row::of(id) });
            }
            for row in rows.values_mut().filter(|row| row.name.is_none() && row.class.is_none()) {
                row.says(store.last_profile_of(&row.id)?.as_ref());
            }
            Ok((rows, store.findings_by_vessel(from, to)?))
        })
        .await?;
    let is_wanted = |row: &Row| {
        let name = row.name.as_deref().unwrap_or_default();
        row.id.to_lowercase().contains(&wanted) || name.to_lowercase().contains(&wanted)
    };
    let is_after = |row: &Row| asked.after.as_ref().is_none_or(|after| row.id > *after);
    let mut listed: Vec<Row> =
        rows.into_values().filter(|row| is_wanted(row) && is_after(row)).take(limit + 1).collect();
    let is_more = listed.len() > limit;
    listed.truncate(limit);
    for row in &mut listed {
        row.findings = counts.get(&row.id).copied().unwrap_or(0);
    }
    let next = listed.last().filter(|_| is_more).map(|row| row.id.clone());
    Ok(Json(Listed { vessels: listed, next }))
}

impl Row {
    fn of(id: String) -> Self {
        Self { id, name: None, class: None, t: None, interval_s: None, waterway: None, state: None, findings: 0 }
    }

    fn says(&mut self, profile: Option<&Profile>) {
        self.name = profile.and_then(|profile| profile.name.clone());
        self.class = profile.and_then(|profile| profile.class);
    }
}

/// A vessel as it is on the board.
fn seen(console: &Console, id: &VesselId) -> Option<Row> {
    let state = console.desk().board().vessel(id)?;
    let regard = state.regard.as_deref();
    let mut row = Row {
        t: Some(state.fix.t),
        interval_s: regard.and_then(|regard| regard.interval_s).map(tenths),
        waterway: waterway_of(&state, &console.law()).map(|id| id.to_string()),
        state: regard.map(doing),
        ..Row::of(id.to_string())
    };
    row.says(regard.and_then(|regard| regard.profile.as_ref()));
    Some(row)
}

/// Which day of a vessel.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AskedDay {
    /// A day of the rulebook's clocks, as in `2026-07-04`; today unless given.
    day: Option<String>,
    /// The waterway; the one on which it was heard last that day, unless given.
    waterway: Option<String>,
    /// What the look is for; it goes into the audit log.
    purpose: Option<String>,
}

/// A vessel and its record of a day.
#[derive(Serialize, ToSchema)]
struct Detail {
    #[serde(flatten)]
    row: Row,
    /// The day.
    day: String,
    /// The clocks it is a day of.
    time_zone: String,
    #[schema(value_type = String)]
    from: EventTime,
    #[schema(value_type = String)]
    to: EventTime,
    /// For how long it was judged, seconds.
    judged_s: f64,
    /// For how long it was not, between its first and last fix, seconds.
    not_judged_s: f64,
    /// Where nothing is known in between.
    gaps: Vec<ShownGap>,
    /// How many of its fixes were not judged, by reason.
    refused: BTreeMap<String, u64>,
    /// Findings that began on that day, the newest first, 500 at most.
    #[schema(value_type = Vec<Object>)]
    day_findings: Vec<Value>,
    /// What it said last that it is.
    #[schema(value_type = Option<Object>)]
    profile: Option<Profile>,
    device: Device,
}

/// A stretch of which nothing is known.
#[derive(Serialize, ToSchema)]
struct ShownGap {
    #[schema(value_type = String)]
    from: EventTime,
    #[schema(value_type = String)]
    to: EventTime,
    reason: String,
}

/// How its tracker did on the day.
#[derive(Debug, Default, PartialEq, Serialize, ToSchema)]
struct Device {
    /// Fixes in the log, judged or not.
    fixes: usize,
    /// The usual time from one fix to the next (median), seconds.
    interval_s: Option<f64>,
    /// The longest time between two fixes, seconds.
    longest_s: Option<f64>,
    /// The accuracy that it usually reports (median of those reported), metres.
    accuracy_m: Option<f64>,
    #[schema(value_type = Option<String>)]
    last_fix_at: Option<EventTime>,
    /// How old the last fix of the day is by now, seconds.
    last_fix_age_s: Option<f64>,
}

impl Device {
    /// Of the fixes of a day, in order.
    fn of(fixes: &[Fix], now: EventTime) -> Self {
        let intervals: Vec<f64> = fixes.windows(2).map(|two| two[1].t.seconds_since(two[0].t)).collect();
        let last = fixes.last().map(|fix| fix.t);
        Self {
            fixes: fixes.len(),
            longest_s: intervals.iter().copied().max_by(f64::total_cmp).map(tenths),
            interval_s: median(intervals),
            accuracy_m: median(fixes.iter().filter_map(|fix| fix.accuracy_m).collect()),
            last_fix_at: last,
            last_fix_age_s: last.map(|t| tenths(now.seconds_since(t))),
        }
    }
}

/// A vessel's record of a day: how long it was judged, gaps, refused fixes, findings, its tracker. The look is noted.
#[utoipa::path(get, path = "/vessels/{id}", tag = "vessels", params(("id" = String, Path), AskedDay),
    responses((status = 200, body = Detail), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn vessel(
    State(console): State<Console>,
    Officer(who): Officer,
    Path(id): Path<String>,
    headers: HeaderMap,
    Query(asked): Query<AskedDay>,
) -> Result<Json<Detail>, Problem> {
    console.heavy(&who)?;
    let unknown = || Problem::not_found("vessel", &id);
    let vessel = VesselId::new(&id).map_err(|_| unknown())?;
    let law = console.law();
    let (zone, now) = (law.rulebook.time_zone, console.desk().now());
    let date = match asked.day.as_deref().filter(|text| !text.is_empty()) {
        Some(text) => text
            .parse()
            .map_err(|_| Problem::bad(format!("{text:?} is no day")).at("day").mend("write it as in 2026-07-04"))?,
        None => date_at(zone, now),
    };
    let (from, to) = day(zone, date)?;
    let given = asked.waterway.as_deref().filter(|id| !id.is_empty());
    let given = given.map(|id| console.waterway(&law, id).map(|waterway| waterway.id.clone())).transpose()?;
    let purpose = looks::purpose(&headers, asked.purpose.as_ref());
    audit_with(&console, &who.name, "vessel", &id, purpose, Some(date.to_string())).await?;

    let on_board = seen(&console, &vessel);
    let is_on_board = on_board.is_some();
    let row = on_board.unwrap_or_else(|| Row::of(id.clone()));
    let detail = console.work(move |store| {
        let fixes = store.fixes_of(vessel.as_str(), from, to)?;
        let profile = store.last_profile_of(vessel.as_str())?;
        let of_day = StandingQuery {
            vessel: Some(vessel.to_string()),
            from: Some(from),
            to: Some(to),
            limit: FINDINGS_MAX,
            ..StandingQuery::default()
        };
        let standings = store.standings(&of_day)?;
        if !is_on_board && fixes.is_empty() && profile.is_none() && standings.is_empty() {
            return Ok(None);
        }
        let count = store.findings_by_vessel(from, to)?.remove(vessel.as_str()).unwrap_or(0);
        let mut row = Row { findings: count, ..row };
        row.says(profile.as_ref());
        row.t = row.t.max(fixes.last().map(|fix| fix.t));
        let mut detail = Detail {
            row,
            day: date.to_string(),
            time_zone: zone.to_string(),
            from,
            to,
            judged_s: 0.0,
            not_judged_s: 0.0,
            gaps: Vec::new(),
            refused: BTreeMap::new(),
            day_findings: standings.iter().map(|standing| finding::shown(standing, &law.rulebook)).collect(),
            profile,
            device: Device::of(&fixes, now),
        };
        let place = |fix: &Fix| law.map.locate(fix.position, ASHORE_M).map(|ix| law.map.waterway(ix).id.clone());
        let Some(waterway) = given.or_else(|| fixes.iter().rev().find_map(place)).filter(|_| !fixes.is_empty()) else {
            return Ok(Some(Ok(detail)));
        };
        let asked = review::Asked { waterway, from, to, vessels: BTreeSet::from([vessel]) };
        let Some(reviewed) = review::stored(store, &asked)? else { return Ok(Some(Err(()))) };
        for track in reviewed.vessels {
            detail.takes(track);
        }
        Ok(Some(Ok(detail)))
    });
    let detail = detail.await?.ok_or_else(unknown)?;
    let too_many = |()| Problem::unusable(format!("there are more than {} fixes on that day", review::FIXES_MAX));
    Ok(Json(detail.map_err(too_many)?))
}

impl Detail {
    /// Takes what was judged of it.
    fn takes(&mut self, track: review::Track) {
        self.judged_s += track.judged_s;
        self.not_judged_s += track.not_judged_s;
        let at = |ms: i64| self.from.plus_seconds(ms as f64 / 1e3);
        let gaps = track.gaps.into_iter();
        self.gaps.extend(gaps.map(|gap| ShownGap { from: at(gap.from_ms), to: at(gap.to_ms), reason: gap.reason }));
        for refused in track.refused {
            *self.refused.entry(refused.reason).or_default() += 1;
        }
    }
}

fn date_at(zone: Tz, t: EventTime) -> NaiveDate {
    t.to_chrono().with_timezone(&zone).date_naive()
}

/// The first and the last instant of a day.
fn day(zone: Tz, date: NaiveDate) -> Result<(EventTime, EventTime), Problem> {
    let ends = midnight(zone, date).zip(date.succ_opt().and_then(|next| midnight(zone, next)));
    let (from, next) = ends.ok_or_else(|| Problem::bad(format!("{date} is too far away")).at("day"))?;
    Ok((from, EventTime::from_unix_ns(next.unix_ns() - 1)))
}

/// The median, to tenths; of an even number the higher one in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().map(tenths)
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
