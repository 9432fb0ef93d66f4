//! `few-decimals`: positions rounded so far that the rounding moves what is measured from them.

use std::collections::BTreeMap;

use super::super::ZoneKind;
use super::super::report::Problem;
use super::chart::Sheet;
use super::{Chart, Lint, Told, counted, metres};

pub(super) const LINT: Lint = Lint { id: "few-decimals", look };

/// Decimals with which a step is a decimetre.
pub(in super::super) const ENOUGH: usize = 6;
/// So many positions do not all end in zeros by chance.
const POSITIONS_MIN: usize = 4;
/// One unit of the degree's last decimal, metres on a meridian.
const DEGREE_M: f64 = 111_320.0;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    // Single points may end in zeros by chance, so those of a kind are looked at as a whole.
    let mut pools: BTreeMap<ZoneKind, Rounded<'_, '_>> = BTreeMap::new();
    let mut found: Vec<Rounded<'_, '_>> = Vec::new();
    for sheet in &chart.sheets {
        let own = Rounded { decimals: decimals_max(sheet.text), first: sheet, count: 1 };
        if sheet.position_count() >= POSITIONS_MIN {
            found.push(own);
        } else if let Some(pool) = pools.get_mut(&sheet.kind) {
            pool.decimals = pool.decimals.max(own.decimals);
            pool.count += 1;
        } else {
            pools.insert(sheet.kind, own);
        }
    }
    found.extend(pools.into_values());
    found.retain(|rounded| rounded.decimals < ENOUGH);
    found.sort_by_key(|rounded| rounded.decimals);
    let Some(worst) = found.first() else { return };
    let parts: Vec<String> = found.iter().take(NAMED_MAX).map(Rounded::in_words).collect();
    let more = if found.len() > parts.len() { ", …" } else { "" };
    let reason = format!("positions are rounded: {}{more}", parts.join(", "));
    let mend = "save it again with 7 decimals from where it was drawn (QGIS: COORDINATE_PRECISION 7)";
    let path = worst.first.at.path.clone().key("geometry").key("coordinates");
    let within_m = chart.law.shore_within.map_or(15.24, |within| within.m());
    // A step of a tenth of the distance that is judged may be lived with.
    let problem = if worst.step_m() > within_m / 10.0 { Problem::warning } else { Problem::note };
    told.say(worst.first.at, problem(path, reason, mend));
}

/// How many are named.
const NAMED_MAX: usize = 5;

/// A feature with few decimals, or several of a kind.
struct Rounded<'s, 'c> {
    decimals: usize,
    first: &'s Sheet<'c>,
    count: usize,
}

impl Rounded<'_, '_> {
    fn step_m(&self) -> f64 {
        DEGREE_M / libm::pow(10.0, self.decimals as f64)
    }

    fn in_words(&self) -> String {
        let decimals = counted(self.decimals, "decimal");
        let of = match self.count {
            1 => format!("those of {} {:?}", self.first.kind, self.first.at.id.as_deref().unwrap_or_default()),
            n => format!("those of all {n} features of kind {}", self.first.kind),
        };
        format!("{of} to {decimals}, steps of {}", metres(self.step_m()))
    }
}

/// The most decimals of any number in the text of a geometry.
pub(in super::super) fn decimals_max(text: &str) -> usize {
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
