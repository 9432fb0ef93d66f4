//! A finding explained: what was measured with which errors, how sure that makes it, and what would change it.

use serde::Serialize;

use super::columns::SunTime;
use super::gather::sun_times;
use super::lead::Lead;
use super::what_if::{Outcome, WhatIf};
use crate::findings::{Errors, Odds, Words, name_of};
use crate::geo::{LocalFrame, Position, Vec2};
use crate::observation::{Fix, Observation, RefusalReason};
use crate::rulebook::Clause;
use crate::track::{BEARING_S, Offer, Track, TrackFix};
use crate::zones::{Validity, Waterway, ZoneKind};

/// The farthest a position is shifted beyond the deciding distance, metres.
const MOVED_MAX_M: f64 = 150.0;
/// The smallest share of its speed that is asked about.
const SLOWER_MIN: f64 = 0.2;
/// How far in time it is shifted at most, seconds.
const LATER_MAX_S: f64 = 6.0 * 3_600.0;

/// A finding explained.
#[derive(Debug, Serialize)]
pub struct Explained {
    /// What was measured at the worst instant.
    pub measured: Vec<Measured>,
    /// How sure it is, and by what.
    pub odds: Sure,
    /// What would change it.
    pub would_change: Vec<WouldChange>,
    /// The clause.
    pub clause: Quoted,
    /// What it was judged by.
    pub law: LawUsed,
    /// Sunset and sunrise around it.
    pub sun_times: Vec<SunTime>,
    /// Permits whose area holds the place, and why they do not lift the rule for this vessel.
    pub exemptions: Vec<Permit>,
    /// Whether judging it again from what is stored gives the same finding.
    pub is_reproduced: bool,
}

/// Something measured.
#[derive(Debug, Serialize)]
pub struct Measured {
    /// `speed`, `distance`, `course`.
    pub what: &'static str,
    /// The value, SI.
    pub value: f64,
    /// Its error, 68 %, SI; `None` where it cannot be told.
    pub error: Option<f64>,
    /// What was allowed, SI.
    pub limit: Option<f64>,
    /// By how much it is beyond that: positive is beyond.
    pub margin: Option<f64>,
    /// The SI unit: `m/s`, `m`, `deg`.
    pub unit: &'static str,
    /// The same in words and in the rulebook's units.
    pub text: String,
}

/// How sure.
#[derive(Debug, Serialize)]
pub struct Sure {
    /// 0 to 1.
    pub confidence: f64,
    /// The confidence from which on it is called a breach.
    pub breach_from: f64,
    /// Which errors went into it.
    pub errors_used: Vec<String>,
    /// The formula with the numbers in it.
    pub formula: Vec<String>,
    /// How much of the interval lies between a fix and its end, seconds.
    pub interpolated_s: f64,
    /// How many fixes lie in the interval.
    pub fixes: usize,
}

/// What would change it.
#[derive(Debug, Serialize)]
pub struct WouldChange {
    /// `speed`, `position`, `accuracy`, `map`, `time`, `reading`, `exemption`.
    pub what: &'static str,
    /// One sentence with numbers.
    pub text: String,
}

/// A clause, quoted.
#[derive(Debug, Serialize)]
pub struct Quoted {
    /// How it is cited.
    pub citation: String,
    /// A few words on it.
    pub title: Option<String>,
    /// Its words.
    pub text: Option<String>,
}

/// What it was judged by.
#[derive(Debug, Serialize)]
pub struct LawUsed {
    /// Content hash of the map.
    pub map_version: String,
    /// Content hash of the rulebook.
    pub rulebook_version: String,
    /// What it is called.
    pub rulebook_name: String,
    /// Its edition.
    pub edition: String,
    /// Which reading of the clause was applied.
    pub reading: Option<String>,
}

/// A permit.
#[derive(Debug, Serialize)]
pub struct Permit {
    /// The area.
    pub id: String,
    /// The permit.
    pub permit: Option<String>,
    /// Whether it lifts the rule for this vessel.
    pub lifts: bool,
    /// Why not, where not.
    pub reason: String,
}

/// Explains a finding.
pub fn explain(lead: &Lead) -> Explained {
    let what_if = WhatIf::of(lead);
    let as_it_is = what_if.as_it_is();
    let (track, refused) = track_of(lead);
    let odds = odds_at_peak(lead, &track);
    let words = Words::of(&lead.rulebook);
    let clause = clause_of(lead);
    let permits = permits(lead, what_if.peak());
    Explained {
        measured: measured(lead, odds.as_ref(), &words),
        odds: sure(lead, &track, refused, odds.as_ref(), &words),
        would_change: would_change(lead, &what_if, as_it_is, &words, clause, &permits),
        clause: Quoted {
            citation: lead.clause.clone(),
            title: clause.and_then(|clause| clause.title.clone()),
            text: clause.and_then(|clause| clause.text.clone()),
        },
        law: LawUsed {
            map_version: lead.text("map_version").to_owned(),
            rulebook_version: lead.text("rulebook_version").to_owned(),
            rulebook_name: lead.rulebook.name.clone(),
            edition: lead.rulebook.edition.clone(),
            reading: clause.and_then(|clause| clause.reading.clone()),
        },
        sun_times: sun_times(what_if.peak(), lead.start, lead.end),
        exemptions: permits,
        is_reproduced: as_it_is.grade() >= 1,
    }
}

/// The clause that a finding names.
pub fn clause_of(lead: &Lead) -> Option<&Clause> {
    let rule = lead.rulebook.rules.iter().find(|rule| rule.id() == lead.rule)?;
    // A zone's own limit is cited with the zone behind it.
    rule.clauses().into_iter().find(|clause| lead.clause.starts_with(&clause.citation))
}

/// The fixes of the vessel as a track, and how many were refused.
fn track_of(lead: &Lead) -> (Track, Vec<RefusalReason>) {
    let (mut track, mut refused) = (Track::default(), Vec::new());
    for (position, observation) in &lead.observations {
        let Observation::Fix(vessel, fix) = observation else { continue };
        if *vessel != lead.vessel {
            continue;
        }
        match track.offer(TrackFix::new(fix, *position), &lead.rulebook.motion) {
            Offer::Taken { .. } => {}
            Offer::Late => refused.push(RefusalReason::Late),
            Offer::Duplicate => refused.push(RefusalReason::Duplicate),
        }
    }
    (track, refused)
}

fn odds_at_peak(lead: &Lead, track: &Track) -> Option<Odds> {
    let fixes = track.fixes();
    let leg_end = fixes.range(track.index_of(lead.peak_t)..).find(|fix| fix.is_accepted())?.t;
    let errors = Errors { default_accuracy_m: lead.rulebook.motion.default_accuracy_m };
    Odds::at(track, lead.peak_t, leg_end, &errors)
}

/// Speed with the error that decides: of the reports where there are any.
fn speed_error_mps(odds: Option<&Odds>) -> Option<f64> {
    odds.and_then(|odds| odds.reported.or(odds.along_path)).map(|(_, sigma_mps)| sigma_mps)
}

fn measured(lead: &Lead, odds: Option<&Odds>, words: &Words) -> Vec<Measured> {
    let mut all = Vec::new();
    if let Some(mps) = lead.number("peak", "speed_mps") {
        let limit = lead.number("limit", "speed_mps");
        let error = speed_error_mps(odds);
        let mut text = words.speed(mps);
        if let Some(error) = error {
            text += &format!(" ± {}", words.speed(error));
        }
        if let Some(limit) = limit {
            text += &format!("; the limit is {}", words.limit(limit));
        }
        all.push(Measured {
            what: "speed",
            value: mps,
            error,
            limit,
            margin: limit.map(|limit| mps - limit),
            unit: "m/s",
            text,
        });
    }
    if let Some(m) = lead.number("peak", "distance_m") {
        let limit = lead.number("limit", "distance_m");
        let error = odds.map(|odds| odds.position_sigma_m);
        let mut text = words.distance(m);
        if let Some(error) = error {
            text += &format!(" ± {}", words.distance(error));
        }
        let near = lead.json["peak"]["feature"].as_str().map(|id| feature_name(lead, id));
        let near = near.or(lead.other.as_ref().map(|other| format!("vessel {other}")));
        if let Some(near) = near {
            text += &format!(" from {near}");
        }
        if let Some(limit) = limit {
            text += &format!("; {} decides", words.reach(limit));
        }
        all.push(Measured {
            what: "distance",
            value: m,
            error,
            limit,
            margin: limit.map(|limit| limit - m),
            unit: "m",
            text,
        });
    }
    if let Some(deg) = lead.number("peak", "off_course_deg") {
        let text = format!("{deg:.0}° off the direction of travel");
        all.push(Measured { what: "course", value: deg, error: None, limit: None, margin: None, unit: "deg", text });
    }
    all
}

fn sure(lead: &Lead, track: &Track, refused: Vec<RefusalReason>, odds: Option<&Odds>, words: &Words) -> Sure {
    let inside: Vec<&TrackFix> =
        track.fixes().iter().filter(|fix| fix.is_accepted() && lead.start <= fix.t && fix.t <= lead.end).collect();
    let interpolated_s = match (inside.first(), inside.last()) {
        (Some(first), Some(last)) => first.t.seconds_since(lead.start) + lead.end.seconds_since(last.t),
        _ => lead.end.seconds_since(lead.start),
    };
    let bearing: Vec<&TrackFix> = track
        .fixes()
        .iter()
        .filter(|fix| fix.is_accepted() && fix.t.seconds_since(lead.peak_t).abs() <= BEARING_S)
        .collect();
    let mut errors_used = Vec::new();
    let said: Vec<f64> = bearing.iter().filter_map(|fix| fix.accuracy_m()).collect();
    let default_m = lead.rulebook.motion.default_accuracy_m;
    errors_used.push(match (said.iter().copied().reduce(f64::min), said.iter().copied().reduce(f64::max)) {
        (Some(low), Some(high)) if high - low < 0.05 => {
            format!("the receiver states {} (68 % radius)", words.distance(low))
        }
        (Some(low), Some(high)) => {
            format!("the receiver states {} to {} (68 % radius)", words.distance(low), words.distance(high))
        }
        _ => format!("the receiver states no accuracy; {} (68 % radius) is taken", words.distance(default_m)),
    });
    errors_used.push(format!("{} fixes within {BEARING_S:.0} s bear on the worst instant", bearing.len()));
    if let Some(odds) = odds {
        errors_used.push(format!("position ± {} along any direction", words.distance(odds.position_sigma_m)));
        if let Some((mps, sigma)) = odds.reported {
            errors_used.push(format!("reported speed {} ± {}", words.speed(mps), words.speed(sigma)));
        }
        if let Some((mps, sigma)) = odds.along_path {
            errors_used.push(format!("speed by the positions {} ± {}", words.speed(mps), words.speed(sigma)));
        }
    }
    if !refused.is_empty() {
        errors_used.push(format!("{} of its fixes around were not used (late or doubled)", refused.len()));
    }
    Sure {
        confidence: lead.json["confidence"].as_f64().unwrap_or_default(),
        breach_from: lead.rulebook.findings.breach_confidence,
        errors_used,
        formula: formula(lead, odds),
        interpolated_s,
        fixes: inside.len(),
    }
}

/// The odds as a formula with the numbers of the worst instant in it, in SI units.
fn formula(lead: &Lead, odds: Option<&Odds>) -> Vec<String> {
    let Some(odds) = odds else { return Vec::new() };
    let mut lines = Vec::new();
    if let Some(limit) = lead.number("limit", "speed_mps") {
        let chance = odds.faster_than(limit);
        let (mps, sigma) = odds.reported.or(odds.along_path).unwrap_or((0.0, 1.0));
        lines.push(format!(
            "P(faster than {limit:.2} m/s) = Φ((v − limit) / σv) = Φ(({mps:.2} − {limit:.2}) / {sigma:.2}) = {chance:.3}"
        ));
    }
    if let (Some(distance), Some(radius)) = (lead.number("peak", "distance_m"), lead.number("limit", "distance_m")) {
        let sigma = odds.position_sigma_m;
        let chance = odds.beyond(radius - distance, 0.0);
        lines.push(format!(
            "P(within {radius:.2} m) = Φ((r − d) / σ) = Φ(({radius:.2} − {distance:.2}) / {sigma:.2}) = {chance:.3}"
        ));
    }
    let told = lead.json["confidence"].as_f64().unwrap_or_default();
    lines.push(format!(
        "the finding takes the highest product over the instants asked, with all fixes around: {told:.3}"
    ));
    lines
}

fn would_change(
    lead: &Lead,
    what_if: &WhatIf<'_>,
    as_it_is: Outcome,
    words: &Words,
    clause: Option<&Clause>,
    permits: &[Permit],
) -> Vec<WouldChange> {
    let mut all = Vec::new();
    let mut say = |what: &'static str, text: String| all.push(WouldChange { what, text });
    if as_it_is.grade() == 0 {
        say(
            "reading",
            "judged again from what is stored, the finding does not come out: what would change it cannot be told"
                .to_owned(),
        );
        return all;
    }
    say("speed", speed(lead, what_if, as_it_is, words));
    let (text, direction) = position(lead, what_if, as_it_is, words);
    say("position", text);
    say("accuracy", accuracy(lead, what_if, as_it_is, words));
    say("map", map(lead, what_if, as_it_is, words, direction));
    say("time", time(lead, what_if, clause));
    say(
        "reading",
        match clause.and_then(|clause| clause.reading.as_ref()) {
            Some(reading) => format!(
                "the clause allows more than one reading; \"{reading}\" was applied; another one is another rulebook, by which the period can be judged again"
            ),
            None => "the rulebook gives this clause one reading".to_owned(),
        },
    );
    say("exemption", exemption(lead, permits));
    all
}

/// The two thresholds of a shift as words: from where it is only possible, from where it is nothing.
fn thresholds(
    what_if: &WhatIf<'_>,
    as_it_is: Outcome,
    most: f64,
    told: impl Fn(f64) -> String,
    outcome: impl Fn(f64) -> Outcome,
) -> String {
    let possible = (as_it_is.grade() == 3).then(|| what_if.least(most, 2, &outcome));
    let nothing = what_if.least(most, 0, &outcome);
    match (possible.flatten(), nothing) {
        (Some(a), Some(b)) if b > a => format!("only possible from {} on, no finding from {} on", told(a), told(b)),
        (_, Some(b)) => format!("no finding from {} on", told(b)),
        (Some(a), None) => format!("only possible from {} on; still a lead at {}", told(a), told(most)),
        (None, None) => format!("the same up to {}", told(most)),
    }
}

fn speed(lead: &Lead, what_if: &WhatIf<'_>, as_it_is: Outcome, words: &Words) -> String {
    let Some(mps) = lead.number("peak", "speed_mps") else { return "no speed was measured".to_owned() };
    if lead.number("limit", "speed_mps").is_none() && !lead.rule.starts_with("ski-") {
        return "the clause does not ask for the speed".to_owned();
    }
    let told = |less: f64| format!("{} ({} slower)", words.speed(mps * (1.0 - less)), words.speed(mps * less));
    thresholds(what_if, as_it_is, 1.0 - SLOWER_MIN, told, |less| what_if.slower(1.0 - less))
}

/// In words, and the direction in which it was asked.
fn position(lead: &Lead, what_if: &WhatIf<'_>, as_it_is: Outcome, words: &Words) -> (String, Option<Vec2>) {
    let Some((direction, way)) = direction(lead, what_if) else {
        let text = "where on the waterway does not matter: the limit holds on all of it".to_owned();
        return (text, None);
    };
    let most = lead.number("limit", "distance_m").unwrap_or(0.0) + MOVED_MAX_M;
    let told = |m: f64| format!("{} {way}", words.distance(m));
    let text = thresholds(what_if, as_it_is, most, told, |m| what_if.moved(direction * m));
    (format!("with the whole pass moved: {text}"), Some(direction))
}

/// The direction that leads out of where the clause binds, of unit length, and how that is said.
fn direction(lead: &Lead, what_if: &WhatIf<'_>) -> Option<(Vec2, String)> {
    let peak = what_if.peak();
    let frame = LocalFrame::at(peak);
    let unit = |v: Vec2| (v.norm() > 0.01).then(|| v * (1.0 / v.norm()));
    if let Some(other) = what_if.other_at_peak() {
        return unit(frame.to_plane(other) * -1.0).map(|v| (v, "farther off".to_owned()));
    }
    let id = lead.json["peak"]["feature"].as_str()?;
    let feature = lead.place()?.features.iter().find(|feature| &*feature.id == id)?;
    let mut nearest: Option<Vec2> = None;
    feature.shape.each_edge(&mut |a, b| {
        let (a, b) = (frame.to_plane(a), frame.to_plane(b));
        let (_, point) = crate::geo::motion::point_edge(Vec2::default(), a, b);
        if nearest.is_none_or(|so_far| point.norm() < so_far.norm()) {
            nearest = Some(point);
        }
    });
    let nearest = nearest?;
    let name = feature_name(lead, id);
    let is_inside =
        feature.kind != ZoneKind::Waterway && feature.region.as_ref().is_some_and(|region| region.contains(peak));
    if is_inside {
        unit(nearest).map(|v| (v, format!("toward the edge of {name}")))
    } else {
        unit(nearest * -1.0).map(|v| (v, format!("farther from {name}")))
    }
}

fn accuracy(lead: &Lead, what_if: &WhatIf<'_>, as_it_is: Outcome, words: &Words) -> String {
    if as_it_is.grade() < 3 {
        let sharp = what_if.with_accuracy(1.0);
        return match sharp {
            Outcome::Breach(_) => format!("a receiver good to {} would make it a breach", words.distance(1.0)),
            Outcome::Nothing => {
                format!("a receiver good to {} with these positions would show nothing", words.distance(1.0))
            }
            _ => format!("still not a breach with a receiver good to {}", words.distance(1.0)),
        };
    }
    let default_m = lead.rulebook.motion.default_accuracy_m;
    let told = |m: f64| format!("{} accuracy (68 % radius)", words.distance(m));
    match what_if.least(60.0, 2, |m| what_if.with_accuracy(default_m.min(5.0) + m)) {
        Some(m) => format!("only possible with a receiver of {} or worse", told(default_m.min(5.0) + m)),
        None => format!("still a breach at {}", told(default_m.min(5.0) + 60.0)),
    }
}

fn map(lead: &Lead, what_if: &WhatIf<'_>, as_it_is: Outcome, words: &Words, direction: Option<Vec2>) -> String {
    let Some(id) = lead.json["peak"]["feature"].as_str() else {
        return "no feature of the map decides it".to_owned();
    };
    let name = feature_name(lead, id);
    let mut text = match (direction, lead.number("peak", "distance_m"), lead.number("limit", "distance_m")) {
        (Some(direction), Some(_), Some(limit)) => {
            let least = what_if.least(limit + MOVED_MAX_M, 0, |m| what_if.moved(direction * m));
            match least {
                Some(m) => format!("no finding if {name} really lay {} farther away", words.distance(m)),
                None => format!("still a lead if {name} lay {} farther away", words.distance(limit + MOVED_MAX_M)),
            }
        }
        _ => format!("it rests on where {name} is drawn"),
    };
    let kind = lead.place().and_then(|place| place.features.iter().find(|feature| &*feature.id == id)).map(|f| f.kind);
    if !matches!(kind, Some(ZoneKind::Waterway | ZoneKind::Shoreline | ZoneKind::InshoreArea) | None) {
        match what_if.without_feature(id) {
            Some(Outcome::Nothing) => text += &format!("; without {name} there is no finding"),
            Some(outcome) if outcome.grade() >= as_it_is.grade() => {
                text += &format!("; without {name} another feature makes the same")
            }
            Some(_) => text += &format!("; without {name} it is less sure"),
            None => {}
        }
    }
    text
}

fn time(lead: &Lead, what_if: &WhatIf<'_>, clause: Option<&Clause>) -> String {
    let feature = lead.json["peak"]["feature"].as_str();
    let feature = feature.and_then(|id| lead.place()?.features.iter().find(|feature| &*feature.id == id));
    let has_hours = feature.is_some_and(|f| f.hours.is_some() || f.validity != Validity::Always);
    if clause.is_none_or(|clause| clause.when.is_always()) && !has_hours {
        return "the hour does not matter: the clause holds at all times".to_owned();
    }
    let told = |s: f64| if s < 120.0 { format!("{s:.0} s") } else { format!("{:.0} min", s / 60.0) };
    let earlier = what_if.least(LATER_MAX_S, 0, |s| what_if.later(-s));
    let later = what_if.least(LATER_MAX_S, 0, |s| what_if.later(s));
    match (earlier, later) {
        (Some(e), Some(l)) => format!("no finding {} earlier, or {} later", told(e), told(l)),
        (Some(e), None) => format!("no finding {} earlier", told(e)),
        (None, Some(l)) => format!("no finding {} later", told(l)),
        (None, None) => format!("the same {} earlier and later", told(LATER_MAX_S)),
    }
}

fn exemption(lead: &Lead, permits: &[Permit]) -> String {
    match permits {
        [] => format!(
            "no permit area covers the place; one that lifts {} for this vessel would leave no finding",
            lead.rule
        ),
        permits => permits
            .iter()
            .map(|permit| format!("permit area {} covers the place: {}", permit.id, permit.reason))
            .collect::<Vec<_>>()
            .join("; "),
    }
}

/// Permit areas that hold a place, with whether they lift the rule of a finding.
fn permits(lead: &Lead, place: Position) -> Vec<Permit> {
    let Some(waterway) = lead.place() else { return Vec::new() };
    let holds = |feature: &crate::zones::Feature| feature.region.as_ref().is_some_and(|region| region.contains(place));
    waterway
        .of_kind(ZoneKind::PermitArea)
        .filter(|(_, feature)| holds(feature))
        .map(|(_, feature)| {
            let lifts_rule = feature.lifts.contains(&lead.rule);
            let names_it = feature.vessels.as_ref().is_none_or(|vessels| vessels.contains(&lead.vessel));
            let reason = match (lifts_rule, names_it) {
                (false, _) => format!("it does not lift {}", lead.rule),
                (true, false) => "it does not name this vessel".to_owned(),
                (true, true) => "it was not in force then, or the finding lies outside of it".to_owned(),
            };
            Permit { id: feature.id.to_string(), permit: feature.permit.clone(), lifts: false, reason }
        })
        .collect()
}

/// What a feature or mark is called.
pub fn feature_name(lead: &Lead, id: &str) -> String {
    let named = |place: &Waterway| {
        place.features.iter().find(|feature| &*feature.id == id).map(|feature| name_of(&feature.id, place))
    };
    lead.place().and_then(named).unwrap_or_else(|| format!("mark {id}"))
}

/// The fixes of the vessel around a finding, in order of time.
pub fn fixes_of(lead: &Lead) -> Vec<&Fix> {
    let mut fixes: Vec<&Fix> = lead
        .observations
        .iter()
        .filter_map(|(_, observation)| match observation {
            Observation::Fix(vessel, fix) if *vessel == lead.vessel => Some(fix),
            _ => None,
        })
        .collect();
    fixes.sort_by_key(|fix| fix.t);
    fixes
}
