//! `spike`: a line that runs out and straight back to one corner, mostly a slip of the hand.

use super::super::report::Problem;
use super::chart::{Part, PartKind};
use super::{Chart, Lint, Told, counted, metres};
use crate::geo::{LocalFrame, distance_m};

pub(super) const LINT: Lint = Lint { id: "spike", look };

/// Shorter ones are the grain of a survey, metres.
const LENGTH_MIN_M: f64 = 3.0;
/// The widest angle at its tip, as a tangent: a degree and a half.
const TAN_MAX: f64 = 0.026;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    for sheet in &chart.sheets {
        let tips: Vec<_> = sheet.parts.iter().flat_map(|part| tips(part).map(move |(i, m)| (part, i, m))).collect();
        let longest = tips.iter().max_by(|a, b| a.2.total_cmp(&b.2).then(b.1.cmp(&a.1)));
        let Some(&(part, i, length_m)) = longest else { continue };
        let spike = format!("a spike: the line runs {} out to this corner and straight back", metres(length_m));
        let reason = match tips.len() {
            1 => spike,
            n => format!("{spike}; the longest of {}", counted(n, "spike")),
        };
        let mend = "remove the corner if nothing is there; draw a pier with its width, or as a dock";
        told.say(sheet.at, Problem::warning(part.at(i), reason, mend));
    }
}

/// The corners at which a part turns back on itself, each with the length of the spike in metres.
fn tips(part: &Part) -> impl Iterator<Item = (usize, f64)> {
    let positions = if part.kind == PartKind::Points { &[] } else { part.positions.as_slice() };
    let inner = positions.windows(3).enumerate().map(|(i, w)| (i + 1, w[0], w[1], w[2]));
    // A ring goes on where it began.
    let around = match positions {
        [first, second, .., last, _] if part.is_ring() => Some((0, *last, *first, *second)),
        _ => None,
    };
    inner.chain(around).filter_map(|(i, before, tip, after)| {
        let frame = LocalFrame::at(tip);
        let (to_before, to_after) = (frame.to_plane(before), frame.to_plane(after));
        let length_m = distance_m(tip, before).min(distance_m(tip, after));
        let along = to_before.dot(to_after);
        let is_spike = length_m >= LENGTH_MIN_M && along > 0.0 && to_before.cross(to_after).abs() <= TAN_MAX * along;
        is_spike.then_some((i, length_m))
    })
}
