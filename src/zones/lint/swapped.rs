//! `swapped-map`: a whole map with longitude and latitude the other way round, though both are in range.
//!
//! Said only where the map as drawn cannot be meant and the other way round can: by its latitude, or by the clocks of
//! the rulebook, which go with the longitude.

use super::super::ZoneKind;
use super::super::report::Problem;
use super::{Chart, Lint, Told};
use crate::geo::Position;

pub(super) const LINT: Lint = Lint { id: "swapped-map", look };

/// No boating lake lies farther south or north than these, degrees.
const SOUTH_DEG: f64 = -57.0;
const NORTH_DEG: f64 = 79.0;
/// Clocks are at most this far from the sun's in the west of China, hours; nearer than the other they fit.
const CLOCKS_APART_H: f64 = 3.5;
const CLOCKS_FIT_H: f64 = 1.75;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let Some(water) = chart.sheets.iter().find(|sheet| sheet.kind == ZoneKind::Waterway) else { return };
    let Some((part, &p)) = water.parts.iter().find_map(|part| Some((part, part.positions.first()?))) else { return };
    let Ok(turned) = Position::from_lat_lon(p.lon_deg(), p.lat_deg()) else { return };
    let habitable = |p: Position| (SOUTH_DEG..=NORTH_DEG).contains(&p.lat_deg());
    let clocks_apart_h = |p: Position, utc_offset_h: f64| {
        let apart_h = (p.lon_deg() / 15.0 - utc_offset_h).abs();
        apart_h.min(24.0 - apart_h)
    };
    let reason = if !habitable(p) && habitable(turned) {
        format!("the water lies at latitude {}, where no boats go; longitude and latitude look swapped", p.lat_deg())
    } else if let Some(utc_offset_h) = chart.law.utc_offset_h
        && clocks_apart_h(p, utc_offset_h) > CLOCKS_APART_H
        && clocks_apart_h(turned, utc_offset_h) < CLOCKS_FIT_H
        && habitable(turned)
    {
        format!(
            "the water lies {:.0} hours of sun from the rulebook's clocks, the other way round it would lie on them; longitude and latitude look swapped",
            clocks_apart_h(p, utc_offset_h)
        )
    } else {
        return;
    };
    let mend = format!("GeoJSON writes longitude first: [{}, {}]", p.lat_deg(), p.lon_deg());
    let problem = Problem::warning(part.at(0), reason, mend);
    told.say(water.at, problem.value(format_args!("[{}, {}]", p.lon_deg(), p.lat_deg())));
}
