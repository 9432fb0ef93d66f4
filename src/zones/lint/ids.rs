//! `unstable-id`: findings name features by their ids, so an id should be the same in the next edition of the map.

use super::super::ZoneKind;
use super::super::report::Problem;
use super::{Chart, Lint, Told, counted};

pub(super) const LINT: Lint = Lint { id: "unstable-id", look };

/// So many ids in a row that count up are numbered by a program.
const ROW_MIN: usize = 5;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let mend = "give each an \"id\" that stays when others are added or removed, such as the number on its sign";
    let without: Vec<_> = chart.sheets.iter().filter(|s| !s.has_id && s.kind != ZoneKind::Waterway).collect();
    if let Some(first) = without.first() {
        // Where the file gives that name to another feature, it is called otherwise.
        let called = chart.drawn().find(|(_, at)| at.path == first.at.path).and_then(|(_, at)| at.id.as_deref());
        let name = called.or(first.at.id.as_deref()).unwrap_or_default();
        let reason = format!(
            "{} without an id; findings name them by their place in the file, this one {name:?}",
            counted(without.len(), "feature")
        );
        told.say(first.at, Problem::note(first.at.path.clone(), reason, mend));
    }
    if let Some(water) = chart.sheets.iter().find(|s| s.kind == ZoneKind::Waterway)
        && !chart.sheets.iter().any(|s| s.has_id && s.kind == ZoneKind::Waterway)
    {
        let reason = format!("the waterway has no id; it is called {:?}, after the file", chart.waterway.id.as_str());
        let mend =
            "give it an \"id\" of lower-case letters, digits, - and _, so that findings name it the same for ever";
        told.say(water.at, Problem::note(water.at.path.clone(), reason, mend));
    }
    let numbers: Vec<Option<u64>> =
        chart.sheets.iter().map(|s| s.at.id.as_ref().filter(|_| s.has_id)?.parse().ok()).collect();
    let counts_up = numbers.len() >= ROW_MIN
        && numbers[0].is_some_and(|n| n <= 1)
        && numbers.windows(2).all(|w| w[0].zip(w[1]).is_some_and(|(a, b)| b == a + 1));
    if let Some(first) = chart.sheets.first().filter(|_| counts_up) {
        let reason = "the ids only count the features of the file, so they change when one is added or removed";
        told.say(first.at, Problem::note(first.at.path.clone(), reason, mend));
    }
}
