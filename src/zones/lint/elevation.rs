//! `elevation`: third numbers of positions say nothing here.

use super::super::report::Problem;
use super::{Chart, Lint, Told, counted};

pub(super) const LINT: Lint = Lint { id: "elevation", look };

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let found: Vec<_> = chart.sheets.iter().filter(|sheet| sheet.has_elevation).collect();
    let Some(first) = found.first() else { return };
    let features = counted(found.len(), "feature");
    let reason = format!("positions with a third number, in {features}: it is taken as a height and not used");
    let mend = "nothing has to be done; QGIS leaves it out where the layer is saved without Z values";
    told.say(first.at, Problem::note(first.at.path.clone().key("geometry").key("coordinates"), reason, mend));
}
