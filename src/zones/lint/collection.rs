//! `geometry-collection`: a collection can be read here, but many programs drop or split it.

use super::super::report::Problem;
use super::{Chart, Lint, Told, named};

pub(super) const LINT: Lint = Lint { id: "geometry-collection", look };

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let found: Vec<_> = chart.sheets.iter().filter(|sheet| sheet.is_collection).collect();
    let Some(first) = found.first() else { return };
    let ids = named(found.iter().filter_map(|sheet| sheet.at.id.as_deref()));
    let reason = format!("drawn as a GeometryCollection, which many map programs drop when they save: {ids}");
    let mend = "give each part a feature of its own, or use MultiPolygon, MultiLineString or MultiPoint";
    told.say(first.at, Problem::note(first.at.path.clone().key("geometry"), reason, mend));
}
