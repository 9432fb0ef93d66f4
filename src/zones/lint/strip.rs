//! `drawn-strip`: a zone that somebody drew by hand along the shore, as wide as a rule keeps of its own.

use super::super::report::Problem;
use super::super::{KindSet, ZoneKind};
use super::chart::PartKind;
use super::{Chart, Lint, Told};
use crate::geo::Position;
use crate::units::LengthUnit;

pub(super) const LINT: Lint = Lint { id: "drawn-strip", look };

/// Corners this near the shore belong to the shore's side of the strip, metres.
const ON_SHORE_M: f64 = 2.0;
/// So many corners at one distance are drawn along a line.
const CORNERS_MIN: usize = 6;
/// The share of the corners off the shore that have to keep the distance.
const SHARE_MIN: f64 = 0.8;
/// How far from the rule's distance the strip may be wide: feet for metres, Web Mercator for the ground.
const NARROW: f64 = 0.5;
const WIDE: f64 = 1.3;
/// How evenly it is as wide.
const EVEN: f64 = 0.15;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let Some(within) = chart.law.shore_within else { return };
    for sheet in chart.sheets_of(&[ZoneKind::SpeedZone, ZoneKind::SwimArea]) {
        let rings = sheet.parts.iter().filter(|part| part.kind != PartKind::Points);
        let corners: Vec<Position> = rings.flat_map(|ring| ring.positions.iter().skip(1).copied()).collect();
        let reach_m = WIDE * within.m();
        let shore = KindSet::only(ZoneKind::Shoreline);
        let distances = corners.iter().map(|&p| chart.waterway.nearest(p, shore, reach_m).map(|near| near.distance_m));
        let off_shore: Vec<Option<f64>> = distances.filter(|d| d.is_none_or(|m| m > ON_SHORE_M)).collect();
        let mut widths: Vec<f64> = off_shore.iter().flatten().copied().filter(|m| *m >= NARROW * within.m()).collect();
        if widths.len() < CORNERS_MIN || (widths.len() as f64) < SHARE_MIN * off_shore.len() as f64 {
            continue;
        }
        widths.sort_by(f64::total_cmp);
        let width_m = widths[widths.len() / 2];
        let even = widths.iter().filter(|m| (**m - width_m).abs() <= EVEN * width_m).count();
        if (even as f64) < SHARE_MIN * off_shore.len() as f64 {
            continue;
        }
        let cosine = corners.first().map_or(1.0, |p| libm::cos(p.lat_deg().to_radians()));
        let mercator = if (width_m / (within.m() * cosine) - 1.0).abs() < 0.05 && cosine < 0.9 {
            "; it looks measured on a Web Mercator map, where a metre is less than a metre"
        } else {
            ""
        };
        let reason = format!(
            "this {} is a strip along the shore, {:.0} ft wide: it looks drawn by hand where the rulebook keeps {within} from the shore by itself{mercator}",
            sheet.kind,
            LengthUnit::Ft.of_m(width_m)
        );
        let mend = "remove it unless a sign stands for it: the rule measures from the shoreline exactly, the strip only as well as it was drawn";
        told.say(sheet.at, Problem::warning(sheet.at.path.clone(), reason, mend));
    }
}
