//! `duty`: what the boating code asks of things on the water themselves: lights and permits.
//!
//! A thing that says it has none is named; of those that do not say, one note for each duty, because a map that is
//! silent about lights is no evidence of darkness.

use super::super::map::{Feature, Shape};
use super::super::report::{At, Problem};
use super::super::{Asks, Duty, DutyPlace, KindSet, ZoneKind};
use super::{Chart, Lint, Told, counted, named};
use crate::geo::{LocalFrame, Position, distance_m};
use crate::units::{Length, LengthUnit};

pub(super) const LINT: Lint = Lint { id: "duty", look };

/// A reach is measured at points at most this far apart, metres.
const STEP_M: f64 = 5.0;
/// Beyond this it is told as "more than", metres.
const REACH_MAX_M: f64 = 5000.0;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    for duty in &chart.law.duties {
        let mut silent: Vec<(&Feature, &At, Bound)> = Vec::new();
        for (feature, at) in chart.drawn().filter(|(feature, _)| duty.of.contains(feature.kind)) {
            let has = match &duty.asks {
                Asks::Light(_) => feature.lit,
                Asks::Permit(_) => feature.permit.as_ref().map(|_| true),
            };
            if has == Some(true) {
                continue;
            }
            let Some(bound) = binds(chart, duty, feature) else { continue };
            if has == Some(false) {
                told.say(at, fault(duty, feature, at, &bound));
            } else {
                silent.push((feature, at, bound));
            }
        }
        if let Some((feature, at, bound)) = silent.first() {
            let ids = named(silent.iter().map(|(feature, ..)| &*feature.id));
            let kinds: KindSet = silent.iter().map(|(feature, ..)| feature.kind).collect();
            let what = match silent.len() {
                1 => format!("the {}", feature.kind),
                n if kinds == KindSet::only(feature.kind) => counted(n, feature.kind.as_str()),
                n => counted(n, "thing"),
            };
            told.say(at, note(duty, feature, at, bound, (silent.len(), &what), &ids));
        }
    }
}

/// Where and how far a duty binds a feature.
struct Bound {
    at: Option<Position>,
    reach: Option<Length>,
}

fn fault(duty: &Duty, feature: &Feature, at: &At, bound: &Bound) -> Problem {
    let what = format!("the {}", feature.kind);
    let Asks::Light(light) = &duty.asks else { return note(duty, feature, at, bound, (1, &what), &feature.id) };
    let place = place_of(duty, feature, bound).map_or_else(String::new, |place| format!("{place} and "));
    let reason = format!("{what} {place}is unlit; {} asks for {light}", duty.citation);
    let mend = match duty.place {
        DutyPlace::OutsideBuoyLine => {
            "tell its owner to light it or move it inside; then set \"lit\": true, or move it here"
        }
        DutyPlace::Anywhere | DutyPlace::Beyond(_) => "tell its owner; set \"lit\": true once the light is there",
    };
    with_place(Problem::warning(at.path.clone().key("properties").key("lit"), reason, mend), bound)
}

/// `what` is how many there are, and their name.
fn note(duty: &Duty, feature: &Feature, at: &At, bound: &Bound, what: (usize, &str), ids: &str) -> Problem {
    let (count, what) = what;
    // Several of one duty are each at a place of their own.
    let place = match (count, duty.place) {
        (1, _) => place_of(duty, feature, bound),
        (_, DutyPlace::Anywhere) => None,
        (_, DutyPlace::Beyond(beyond)) => Some(format!("reach more than {beyond} from the shoreline")),
        (_, DutyPlace::OutsideBuoyLine) => Some("lie outside the buoy line".to_owned()),
    };
    let place = place.map_or_else(String::new, |place| format!(", which {place},"));
    let path = at.path.clone().key("properties");
    // A single one is named by the place already.
    let ids = if count == 1 { String::new() } else { format!(": {ids}") };
    let problem = match &duty.asks {
        Asks::Light(light) => {
            let verb = if count == 1 { "is" } else { "are" };
            let asks = format!("{} asks for {light}", duty.citation);
            let reason = format!("the map does not say whether {what}{place} {verb} lit; {asks}{ids}");
            Problem::note(path, reason, "add \"lit\": true or false to each, as seen at night")
        }
        Asks::Permit(permit) => {
            let asks = format!("{} asks for {permit}", duty.citation);
            let reason = format!("the map names no permit of {what}{place}; {asks}{ids}");
            Problem::warning(path, reason, "add \"permit\" with its number, or ask the owner for it")
        }
    };
    with_place(problem, bound)
}

fn with_place(problem: Problem, bound: &Bound) -> Problem {
    match bound.at {
        Some(at) => problem.on(at),
        None => problem,
    }
}

/// Where it is that the duty binds it; `None` where it does anywhere.
fn place_of(duty: &Duty, feature: &Feature, bound: &Bound) -> Option<String> {
    match (duty.place, bound.reach) {
        (DutyPlace::Beyond(beyond), Some(reach)) => {
            let more = if reach.m() >= REACH_MAX_M { "more than " } else { "" };
            let verb = if matches!(feature.shape, Shape::Point(_) | Shape::Points(_)) { "lies" } else { "reaches" };
            // Just beyond the limit a whole number would look like the limit.
            let digits = usize::from(reach.value() - beyond.value() < 1.0);
            Some(format!("{verb} {more}{:.digits$} {} from the shoreline", reach.value(), reach.unit().symbol()))
        }
        (DutyPlace::OutsideBuoyLine, _) => Some("lies outside the buoy line".to_owned()),
        (DutyPlace::Anywhere | DutyPlace::Beyond(_), _) => None,
    }
}

/// Whether a duty binds a feature where it lies.
fn binds(chart: &Chart<'_>, duty: &Duty, feature: &Feature) -> Option<Bound> {
    match duty.place {
        DutyPlace::Anywhere => Some(Bound { at: None, reach: None }),
        DutyPlace::Beyond(beyond) => {
            let (reach_m, at) = farthest(chart, feature)?;
            let unit: LengthUnit = beyond.unit();
            let reach = Length::new(unit.of_m(reach_m), unit);
            (reach_m > beyond.m()).then_some(Bound { at: Some(at), reach: Some(reach) })
        }
        DutyPlace::OutsideBuoyLine => {
            let inshore: Vec<_> = chart.waterway.of_kind(ZoneKind::InshoreArea).collect();
            let mut outside = None;
            feature.shape.each_edge(&mut |p, _| {
                let is_inside = inshore.iter().any(|(_, area)| area.region.as_ref().is_some_and(|r| r.contains(p)));
                if !is_inside && chart.waterway.contains(p) {
                    outside = outside.or(Some(p));
                }
            });
            // Without a line on the map nothing is outside it.
            outside.filter(|_| !inshore.is_empty()).map(|at| Bound { at: Some(at), reach: None })
        }
    }
}

/// The point of a feature on the water that is farthest from the shoreline, and how far, metres.
fn farthest(chart: &Chart<'_>, feature: &Feature) -> Option<(f64, Position)> {
    let shore = KindSet::only(ZoneKind::Shoreline);
    let mut best: Option<(f64, Position)> = None;
    let mut look_at = |p: Position| {
        if chart.waterway.contains(p) {
            let reach_m = chart.waterway.nearest(p, shore, REACH_MAX_M).map_or(REACH_MAX_M, |near| near.distance_m);
            if best.is_none_or(|(m, _)| reach_m > m) {
                best = Some((reach_m, p));
            }
        }
    };
    feature.shape.each_edge(&mut |a, b| {
        let frame = LocalFrame::at(a);
        let steps = (distance_m(a, b) / STEP_M).ceil().clamp(1.0, 1000.0);
        let mut step = 0.0;
        while step <= steps {
            if let Some(p) = frame.to_position(frame.to_plane(b) * (step / steps)) {
                look_at(p);
            }
            step += 1.0;
        }
    });
    best
}
