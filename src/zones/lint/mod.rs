//! Lints: what may be wrong with a map that can be read.
//!
//! A lint is one file and its line in [`ALL`]. It looks at the whole [`Chart`] of one file and tells what it found,
//! one fault for each cause rather than one for each position: a clean map gives no words. What sets a feature aside
//! is found while reading, not here.

mod chart;
mod collection;
mod decimals;
mod duplicate_vertices;
mod duties;
mod elevation;
mod ids;
mod lifts;
mod limits;
mod line_over_land;
mod on_land;
mod shoreline;
mod sliver;
mod spike;
mod strip;
mod swapped;
mod vertex_spacing;

#[cfg(test)]
mod lint_tests;

use super::report::{At, Problem, Report};
pub(super) use chart::{Chart, Sheet};
pub(super) use decimals::{ENOUGH as DECIMALS_ENOUGH, decimals_max};

/// A lint.
pub(super) struct Lint {
    /// Its name, kebab-case.
    pub id: &'static str,
    /// Looks at a chart and tells what is wrong.
    pub look: fn(&Chart<'_>, &mut Told<'_, '_>),
}

/// All lints, in the order in which they are told.
pub(super) const ALL: &[Lint] = &[
    swapped::LINT,
    collection::LINT,
    elevation::LINT,
    ids::LINT,
    decimals::LINT,
    duplicate_vertices::LINT,
    spike::LINT,
    sliver::LINT,
    vertex_spacing::LINT,
    shoreline::GAP,
    shoreline::BARE,
    on_land::LINT,
    line_over_land::LINT,
    limits::LINT,
    strip::LINT,
    duties::LINT,
    lifts::LINT,
];

/// Takes what a lint tells.
pub(super) struct Told<'t, 'f> {
    lint: &'static str,
    report: &'t mut Report<'f>,
}

impl Told<'_, '_> {
    fn say(&mut self, at: &At, problem: Problem) {
        self.report.add(Some(at), Problem { lint: Some(self.lint), ..problem });
    }
}

/// Looks at a chart with every lint.
pub(super) fn look(chart: &Chart<'_>, report: &mut Report<'_>) {
    for lint in ALL {
        (lint.look)(chart, &mut Told { lint: lint.id, report });
    }
}

/// "1 position", "2 positions".
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Names of features, at most a few of them.
fn named<'n>(names: impl Iterator<Item = &'n str>) -> String {
    const NAMED_MAX: usize = 5;
    let names: Vec<&str> = names.collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    let shown = names.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// Metres as people say them.
fn metres(m: f64) -> String {
    match m {
        m if m < 1.0 => format!("{:.0} cm", m * 100.0),
        m if m < 10.0 => format!("{m:.1} m"),
        m if m < 1000.0 => format!("{m:.0} m"),
        m => format!("{:.1} km", m / 1000.0),
    }
}
