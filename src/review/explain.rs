//! A finding explained: what was measured with which errors, how sure that makes it, and what would change it.

use serde::Serialize;

use super::columns::SunTime;
use super::gather::sun_times;
use super::lead::Lead;
use super::what_if::WhatIf;
use super::would_change::would_change;
use crate::findings::{Errors, Odds, Words, name_of};
use crate::geo::Position;
use crate::observation::{Fix, Observation, RefusalReason};
use crate::rulebook::Clause;
use crate::track::{BEARING_S, Offer, Track, TrackFix};
use crate::zones::{Waterway, ZoneKind};

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
        let skier_of = if lead.json["peak"]["skier"].is_object() { "the skier of " } else { "" };
        let near = near.or(lead.other.as_ref().map(|other| format!("{skier_of}vessel {other}")));
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
            "P(faster) = Φ((v − limit) / σ) = Φ(({mps:.2} − {limit:.2}) / {sigma:.2} m/s) = {chance:.3}"
        ));
    }
    if let (Some(distance), Some(radius)) = (lead.number("peak", "distance_m"), lead.number("limit", "distance_m")) {
        let sigma = odds.position_sigma_m;
        let chance = odds.beyond(radius - distance, 0.0);
        lines.push(format!("P(near) = Φ((r − d) / σ) = Φ(({radius:.2} − {distance:.2}) / {sigma:.2} m) = {chance:.3}"));
    }
    let told = lead.json["confidence"].as_f64().unwrap_or_default();
    lines.push(format!("highest product over the instants asked, all fixes around: {told:.3}"));
    lines
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
