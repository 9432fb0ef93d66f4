//! What would change a finding: the thresholds from which on the engine, asked again, says something else.

use super::explain::{Permit, WouldChange, feature_name};
use super::lead::Lead;
use super::what_if::{Outcome, WhatIf};
use crate::findings::Words;
use crate::geo::{LocalFrame, Vec2};
use crate::rulebook::Clause;
use crate::zones::{Validity, ZoneKind};

/// The farthest a position is shifted beyond the deciding distance, metres.
const MOVED_MAX_M: f64 = 150.0;
/// The smallest share of its speed that is asked about.
const SLOWER_MIN: f64 = 0.2;
/// How far in time it is shifted at most, seconds.
const LATER_MAX_S: f64 = 6.0 * 3_600.0;

/// One line each for speed, position, accuracy, map, time, reading and exemption.
pub(super) fn would_change(
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
