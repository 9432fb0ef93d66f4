//! `sliver`: an area or island so thin that it is left over from an overlay rather than drawn.

use super::super::report::Problem;
use super::chart::{Part, PartKind};
use super::{Chart, Lint, Told, counted, metres};
use crate::geo::{LocalFrame, distance_m};

pub(super) const LINT: Lint = Lint { id: "sliver", look };

/// Thinner than this on average nothing on the water is, metres.
const WIDTH_MIN_M: f64 = 0.3;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    for sheet in &chart.sheets {
        let rings = sheet.parts.iter().filter(|part| part.is_ring());
        let slivers: Vec<(&Part, f64)> =
            rings.map(|ring| (ring, width_m(ring))).filter(|(_, width_m)| *width_m < WIDTH_MIN_M).collect();
        let Some(&(ring, width_m)) = slivers.first() else { continue };
        let what = if ring.kind == (PartKind::Ring { is_hole: true }) { "island" } else { "area" };
        let more = match slivers.len() {
            1 => String::new(),
            n => format!("; the first of {}", counted(n, "sliver")),
        };
        let reason = format!("this {what} is a sliver, {} wide on average{more}", metres(width_m));
        let mend = "remove it, or draw it with its width; an overlay of two layers often leaves slivers behind";
        told.say(sheet.at, Problem::warning(ring.path.clone(), reason, mend));
    }
}

/// Area over half the length of the ring: the width of a thin shape, half the width of a square.
fn width_m(ring: &Part) -> f64 {
    let Some(&first) = ring.positions.first() else { return 0.0 };
    let frame = LocalFrame::at(first);
    let (mut area2_m2, mut length_m) = (0.0, 0.0);
    for (_, a, b) in ring.edges() {
        area2_m2 += frame.to_plane(a).cross(frame.to_plane(b));
        length_m += distance_m(a, b);
    }
    if length_m > 0.0 { area2_m2.abs() / length_m } else { 0.0 }
}
