//! `few-decimals`: positions rounded so far that the rounding moves what is measured from them.

use std::collections::BTreeMap;

use super::super::ZoneKind;
use super::super::report::Problem;
use super::chart::Sheet;
use super::{Chart, Lint, Told, counted, metres};

pub(super) const LINT: Lint = Lint { id: "few-decimals", look };

/// Decimals with which a step is a decimetre.
const ENOUGH: usize = 6;
/// So many positions do not all end in zeros by chance.
const POSITIONS_MIN: usize = 4;
/// One unit of the degree's last decimal, metres on a meridian.
const DEGREE_M: f64 = 111_320.0;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    // Single points may end in zeros by chance, so the kind is looked at as a whole.
    let mut pools: BTreeMap<ZoneKind, (usize, Vec<&Sheet<'_>>)> = BTreeMap::new();
    for sheet in &chart.sheets {
        let decimals = decimals_max(sheet.text);
        if sheet.position_count() >= POSITIONS_MIN {
            tell(decimals, &[sheet], chart, told);
        } else {
            let (most, sheets) = pools.entry(sheet.kind).or_default();
            *most = decimals.max(*most);
            sheets.push(sheet);
        }
    }
    for (decimals, sheets) in pools.into_values() {
        tell(decimals, &sheets, chart, told);
    }
}

fn tell(decimals: usize, sheets: &[&Sheet<'_>], chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let Some(first) = sheets.first().filter(|_| decimals < ENOUGH) else { return };
    let step_m = DEGREE_M / libm::pow(10.0, decimals as f64);
    let what = match sheets.len() {
        1 => format!("the positions of this {}", first.kind),
        n => format!("the positions of all {n} features of kind {}", first.kind),
    };
    let reason = format!("{what} have at most {}, a step of {}", counted(decimals, "decimal"), metres(step_m));
    let mend = "save it again with 7 decimals from where it was drawn (QGIS: COORDINATE_PRECISION 7)";
    let path = first.at.path.clone().key("geometry").key("coordinates");
    let within_m = chart.law.shore_within.map_or(15.24, |within| within.m());
    // A step of a tenth of the distance that is judged may be lived with.
    let problem = if step_m > within_m / 10.0 { Problem::warning } else { Problem::note };
    told.say(first.at, problem(path, reason, mend));
}

/// The most decimals of any number in the text of a geometry.
fn decimals_max(text: &str) -> usize {
    let mut most = 0;
    for tail in text.split('.').skip(1) {
        let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
        // An exponent moves the point: `1.5e-7` has eight.
        let exponent = tail[digits..].strip_prefix(['e', 'E']).map_or(0, |rest| {
            let rest = rest.split([',', ']', ' ', '\n']).next().unwrap_or_default();
            rest.trim().parse::<i64>().unwrap_or(0)
        });
        most = most.max(usize::try_from(digits as i64 - exponent).unwrap_or(0));
    }
    most
}
