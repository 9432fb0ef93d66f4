//! A finding explained: what was measured, how sure that is, what would change it, and the words of the law.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{Id, ShownOutcome, clause_of, shown, standing};
use crate::console::problem::Path;
use crate::console::waterway::ShownSun;
use crate::console::{Console, Problem, Viewer};
use crate::findings::Words;
use crate::geo::Position;
use crate::observation::Fix;
use crate::rulebook::Rulebook;
use crate::time::EventTime;
use crate::zones::{Map, ZoneKind};

/// Fixes are looked at up to so long around a finding's worst instant, seconds.
const AROUND_S: f64 = 60.0;
/// The standard deviation of a reported speed: so many m/s, and a share of it.
const SPEED_SIGMA: (f64, f64) = (0.1, 0.01);
/// The radius of a 2-D Gaussian that holds 68 %, in standard deviations of one axis.
const SIGMAS_IN_68: f64 = 1.509_592_153;

/// A finding with everything that explains it.
#[derive(Serialize, ToSchema)]
pub(super) struct Explained {
    #[schema(value_type = Object)]
    finding: Value,
    #[schema(value_type = Vec<Object>)]
    revisions: Vec<Value>,
    outcomes: Vec<ShownOutcome>,
    clause: ClauseShown,
    law: LawShown,
    measured: Vec<Measured>,
    odds: Odds,
    would_change: Vec<Change>,
    sun: Option<ShownSun>,
    /// Permits that lay over the place, and so did not lift it, or not for this vessel.
    permits: Vec<String>,
}

/// The clause.
#[derive(Serialize, ToSchema)]
struct ClauseShown {
    citation: String,
    title: Option<String>,
    /// The words of the law.
    text: Option<String>,
}

/// What it was judged by.
#[derive(Serialize, ToSchema)]
struct LawShown {
    map_version: String,
    rulebook_version: String,
    rulebook_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<String>,
}

/// Something measured at the worst instant.
#[derive(Serialize, ToSchema)]
struct Measured {
    /// `speed` or `distance`.
    what: &'static str,
    value: f64,
    /// Radius of 68 % confidence.
    error: Option<f64>,
    limit: Option<f64>,
    /// By how much the limit was passed.
    margin: Option<f64>,
    /// Of all of them: `m/s` or `m`.
    unit: &'static str,
}

/// How sure it is.
#[derive(Serialize, ToSchema)]
struct Odds {
    confidence: f64,
    errors_used: Vec<String>,
    /// How much of the interval's ends lies between fixes, seconds.
    interpolated_s: Option<f64>,
}

/// Something that would change the finding.
#[derive(Serialize, ToSchema)]
struct Change {
    /// `speed`, `position`, `map`, `time`, `reading` or `exemption`.
    what: &'static str,
    text: String,
}

/// A finding with its history, what was measured, how sure it is, and what would change it.
#[utoipa::path(get, path = "/findings/{id}", tag = "findings", params(("id" = String, Path)),
    responses((status = 200, body = Explained), (status = 404, body = Problem)))]
pub(super) async fn finding(
    State(console): State<Console>,
    _: Viewer,
    Path(id): Id,
) -> Result<Json<Explained>, Problem> {
    let standing = standing(&console, &id).await?;
    let law = console.law();
    let finding = shown(&standing, &law.rulebook);
    let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let instant = |value: &Value| value.as_str().and_then(|text| EventTime::parse_rfc3339(text).ok());
    let peak_t = instant(&finding["peak"]["t"]).unwrap_or(standing.made_at);
    let (start, end) = (instant(&finding["start"]).unwrap_or(peak_t), instant(&finding["end"]));
    let (vessel, rulebook_version) = (text("vessel"), text("rulebook_version"));
    let (from, to) = (start.plus_seconds(-AROUND_S), end.unwrap_or(peak_t).plus_seconds(AROUND_S));
    let (revisions, outcomes, fixes, rulebook) = {
        let (id, version, current) = (id.clone(), rulebook_version.clone(), law.rulebook.version.to_string());
        let read = move |store: &crate::store::Sqlite| {
            let rulebook = if version == current { None } else { store.rulebook(&version)? };
            Ok((store.revisions_of(&id)?, store.outcomes_of(&id)?, store.fixes_of(&vessel, from, to)?, rulebook))
        };
        console.shelf().read(read).await?
    };
    // What an older Buoyline could read may not be read any more; then the words of today's stand in.
    let judged_by = rulebook.and_then(|(name, toml)| Rulebook::from_toml(&name, &toml).ok());
    let rulebook = judged_by.as_ref().unwrap_or(&law.rulebook);
    let clause = clause_of(rulebook, &text("rule"), &text("clause"));
    let case = Case { finding: &finding, rulebook, fixes: &fixes, peak_t, start, end };
    let place = position(&finding["peak"]);
    let explained = Explained {
        clause: ClauseShown {
            citation: text("clause"),
            title: clause.and_then(|clause| clause.title.clone()),
            text: clause.and_then(|clause| clause.text.clone()),
        },
        law: LawShown {
            map_version: text("map_version"),
            rulebook_name: (*rulebook.version == *rulebook_version).then(|| rulebook.name.clone()),
            rulebook_version,
            reading: finding["reading"].as_str().map(str::to_owned),
        },
        measured: case.measured(),
        odds: case.odds(),
        would_change: case.would_change(clause.and_then(|clause| clause.title.as_deref())),
        sun: place.map(|place| ShownSun::at(place, rulebook, peak_t)),
        permits: place.map(|place| permits(&law.map, place)).unwrap_or_default(),
        revisions: revisions
            .into_iter()
            .map(|(made_at, line)| {
                let mut revision: Value = serde_json::from_str(&line).unwrap_or_default();
                if let Some(keys) = revision.as_object_mut() {
                    keys.insert("made_at".to_owned(), json!(made_at));
                }
                revision
            })
            .collect(),
        outcomes: outcomes.into_iter().map(ShownOutcome::from).collect(),
        finding,
    };
    Ok(Json(explained))
}

fn position(peak: &Value) -> Option<Position> {
    Position::from_lat_lon(peak["lat"].as_f64()?, peak["lon"].as_f64()?).ok()
}

/// The permit areas over a place.
fn permits(map: &Map, place: Position) -> Vec<String> {
    let areas = map.waterways.iter().flat_map(|waterway| &waterway.features);
    let over = areas.filter(|area| {
        area.kind == ZoneKind::PermitArea && area.region.as_ref().is_some_and(|region| region.contains(place))
    });
    over.map(|area| area.permit.clone().unwrap_or_else(|| area.id.to_string())).collect()
}

/// A finding with the fixes around it.
struct Case<'a> {
    finding: &'a Value,
    rulebook: &'a Rulebook,
    fixes: &'a [Fix],
    peak_t: EventTime,
    start: EventTime,
    end: Option<EventTime>,
}

impl Case<'_> {
    /// The fixes before and after the worst instant.
    fn beside_peak(&self) -> [Option<&Fix>; 2] {
        let after = self.fixes.partition_point(|fix| fix.t <= self.peak_t);
        [after.checked_sub(1).and_then(|i| self.fixes.get(i)), self.fixes.get(after)]
    }

    /// The radius of 68 % of where it was at the worst instant, metres.
    fn position_error_m(&self) -> f64 {
        let default_m = self.rulebook.motion.default_accuracy_m;
        let beside = self.beside_peak();
        let known = beside.iter().flatten().map(|fix| fix.accuracy_m.unwrap_or(default_m));
        known.reduce(f64::max).unwrap_or(default_m)
    }

    /// The radius of 68 % of its speed at the worst instant, m/s, and whether that was reported.
    fn speed_error(&self) -> Option<(f64, bool)> {
        let mps = self.finding["peak"]["speed_mps"].as_f64()?;
        match self.beside_peak() {
            [Some(a), Some(b)] if a.sog_mps.is_none() || b.sog_mps.is_none() => {
                let span_s = b.t.seconds_since(a.t).max(f64::MIN_POSITIVE);
                let sigma_m = self.position_error_m() / SIGMAS_IN_68;
                Some((std::f64::consts::SQRT_2 * sigma_m / span_s, false))
            }
            _ => Some((SPEED_SIGMA.0 + SPEED_SIGMA.1 * mps, true)),
        }
    }

    fn measured(&self) -> Vec<Measured> {
        let number = |of: &str, key: &str| self.finding[of][key].as_f64();
        let mut measured = Vec::new();
        if let Some(value) = number("peak", "speed_mps") {
            let limit = number("limit", "speed_mps");
            let error = self.speed_error().map(|(mps, _)| mps);
            let margin = limit.map(|limit| value - limit);
            measured.push(Measured { what: "speed", value, error, limit, margin, unit: "m/s" });
        }
        if let Some(value) = number("peak", "distance_m") {
            let limit = number("limit", "distance_m");
            let error = Some(self.position_error_m());
            let margin = limit.map(|limit| limit - value);
            measured.push(Measured { what: "distance", value, error, limit, margin, unit: "m" });
        }
        measured
    }

    fn odds(&self) -> Odds {
        let words = Words::of(self.rulebook);
        let mut errors_used = vec![format!("position ± {} (68 %)", words.distance(self.position_error_m()))];
        match self.speed_error() {
            Some((mps, true)) => errors_used.push(format!("reported speed ± {}", words.speed(mps))),
            Some((mps, false)) => errors_used.push(format!("speed from two positions ± {}", words.speed(mps))),
            None => {}
        }
        let skier = &self.finding["peak"]["skier"];
        if skier["estimated"] == true
            && let Some(m) = skier["accuracy_m"].as_f64()
        {
            errors_used.push(format!("skier by the rope ± {}", words.distance(m)));
        }
        let to_nearest_s = |t: EventTime| {
            let gaps = self.fixes.iter().map(|fix| fix.t.seconds_since(t).abs());
            gaps.reduce(f64::min)
        };
        let interpolated_s = to_nearest_s(self.start).map(|s| s + self.end.and_then(to_nearest_s).unwrap_or(0.0));
        Odds { confidence: self.finding["confidence"].as_f64().unwrap_or(0.0), errors_used, interpolated_s }
    }

    fn would_change(&self, title: Option<&str>) -> Vec<Change> {
        let words = Words::of(self.rulebook);
        let number = |of: &str, key: &str| self.finding[of][key].as_f64();
        let mut changes = Vec::new();
        let mut say = |what, text| changes.push(Change { what, text });
        if let (Some(limit), Some(mps)) = (number("limit", "speed_mps"), number("peak", "speed_mps")) {
            let (limit_text, over) = (words.limit(limit), words.speed(mps - limit));
            say("speed", format!("clear at {limit_text} or less all through; at most {over} above it was measured"));
        }
        if let (Some(limit), Some(m)) = (number("limit", "distance_m"), number("peak", "distance_m"))
            && limit > m
        {
            let (farther, error) = (words.distance(limit - m), words.distance(self.position_error_m()));
            say(
                "position",
                format!("clear if the whole pass lay {farther} farther out; positions are good to ± {error}"),
            );
        }
        let features: Vec<&str> =
            self.finding["features"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        match features[..] {
            [] => {}
            [only] => say("map", format!("it rests on {only} alone: no finding if that were not there")),
            _ => say("map", format!("it rests on {} features: {}", features.len(), features.join(", "))),
        }
        let sun = position(&self.finding["peak"]).map(|place| ShownSun::at(place, self.rulebook, self.peak_t));
        if self.finding["rule"] == "night-speed"
            && let Some((from, until)) = sun.and_then(|sun| sun.night())
        {
            let minutes = |s: f64| (s / 60.0).floor();
            let (since, left) = (minutes(self.peak_t.seconds_since(from)), minutes(until.seconds_since(self.peak_t)));
            say("time", format!("clear {since:.0} min earlier or {left:.0} min later, outside of the night"));
        }
        if let Some(reading) = self.finding["reading"].as_str() {
            say("reading", format!("the clause is read as {reading:?}; another reading may not find it"));
        }
        let rule = self.finding["rule"].as_str().unwrap_or_default();
        let what = title.map_or_else(|| rule.to_owned(), |title| format!("{rule} ({title})"));
        say("exemption", format!("none if a permit area over the place lifted {what} for this vessel at that time"));
        changes
    }
}
