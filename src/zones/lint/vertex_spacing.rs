//! `coarse-shore`: a shoreline whose corners are so far apart that the true one is elsewhere by more than is judged.

use super::super::report::Problem;
use super::chart::{Part, Sheet};
use super::{Chart, Lint, Told, metres};
use crate::geo::distance_m;

pub(super) const LINT: Lint = Lint { id: "coarse-shore", look };

/// A traced shore strays from its chords by a tenth or so of their length; beyond this many times the distance
/// that is judged, the map is no evidence.
const TIMES_MAX: f64 = 3.0;

/// Edges whose lengths differ by less are equally long, metres: the first of them is named.
const SAME_M: f64 = 0.001;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let Some(within) = chart.law.shore_within else { return };
    let (mut length_m, mut count) = (0.0, 0_usize);
    let mut longest: Option<(f64, &Sheet<'_>, &Part, usize)> = None;
    for (sheet, part) in chart.shores() {
        for (i, a, b) in part.edges() {
            let edge_m = distance_m(a, b);
            length_m += edge_m;
            count += 1;
            if longest.is_none_or(|(m, ..)| edge_m > m + SAME_M) {
                longest = Some((edge_m, sheet, part, i));
            }
        }
    }
    let Some((longest_m, sheet, part, i)) = longest else { return };
    let mean_m = length_m / count as f64;
    if mean_m <= TIMES_MAX * within.m() {
        return;
    }
    let reason = format!(
        "the corners of the shoreline are {} apart on average, {} at the most (from here on): too coarse for a rule about {within} from the shore",
        metres(mean_m),
        metres(longest_m)
    );
    let mend =
        "use a shoreline of a larger scale (1:5,000 or better); findings near the shore are only leads until then";
    told.say(sheet.at, Problem::warning(part.at(i), reason, mend));
}
