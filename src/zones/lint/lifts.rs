//! `unknown-lift`: a permit area lifts the rules it names; a name that is no rule's lifts nothing, without a word.

use super::super::ZoneKind;
use super::super::report::Problem;
use super::{Chart, Lint, Told};

pub(super) const LINT: Lint = Lint { id: "unknown-lift", look };

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let rules = &chart.law.rules;
    if rules.is_empty() {
        return;
    }
    for (feature, at) in chart.drawn().filter(|(feature, _)| feature.kind == ZoneKind::PermitArea) {
        for lifted in feature.lifts.iter().filter(|lifted| !rules.contains(&lifted.as_str())) {
            let reason = format!("the permit lifts {lifted:?}, which is no rule: it lifts nothing by that");
            let near = rules.iter().min_by_key(|rule| strsim::damerau_levenshtein(lifted, rule));
            let near = near.filter(|rule| strsim::damerau_levenshtein(lifted, rule) <= 1 + rule.len() / 3);
            let mend = match near {
                Some(rule) => format!("write {rule:?}, if that is meant"),
                None => format!("name rules by their ids: {}", rules.join(", ")),
            };
            told.say(at, Problem::warning(at.path.clone().key("properties").key("lifts"), reason, mend));
        }
    }
}
