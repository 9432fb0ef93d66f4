//! `duplicate-vertices`: a position that repeats the one before it.

use super::super::report::Problem;
use super::chart::PartKind;
use super::{Chart, Lint, Told, counted};
use crate::geo::distance_m;

pub(super) const LINT: Lint = Lint { id: "duplicate-vertices", look };

/// Nearer than this two positions are one, metres.
const SAME_M: f64 = 0.001;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    for sheet in &chart.sheets {
        let doubles = sheet.parts.iter().filter(|part| part.kind != PartKind::Points).flat_map(|part| {
            part.edges().filter(|(_, a, b)| distance_m(*a, *b) < SAME_M).map(move |(i, _, _)| part.at(i + 1))
        });
        let doubles: Vec<_> = doubles.collect();
        let Some(first) = doubles.first() else { continue };
        let reason = match doubles.len() {
            1 => "this position repeats the one before it".to_owned(),
            n => format!("{} repeat the one before, the first of them here", counted(n, "position")),
        };
        let mend = "remove the repeated positions (QGIS: Remove duplicate vertices); what is judged stays the same";
        told.say(sheet.at, Problem::note(first.clone(), reason, mend));
    }
}
