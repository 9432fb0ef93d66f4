//! `on-land`: something of the water that lies ashore as a whole.

use super::super::map::Feature;
use super::super::report::Problem;
use super::super::{KindSet, ZoneKind};
use super::{Chart, Lint, Told, metres};
use crate::geo::{LocalFrame, Position, Region};

pub(super) const LINT: Lint = Lint { id: "on-land", look };

/// How far ashore a thing that floats may lie, and one that stands on the shore, metres: two surveys differ.
const AFLOAT_M: f64 = 5.0;
const ASHORE_M: f64 = 30.0;
/// Farther away than this the reading has said so, metres.
const FAR_M: f64 = 1000.0;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    for (feature, at) in chart.drawn() {
        let tolerance_m = match feature.kind {
            ZoneKind::Waterway | ZoneKind::Shoreline | ZoneKind::InshoreArea => continue,
            ZoneKind::Dock | ZoneKind::LaunchRamp | ZoneKind::BuoyLine | ZoneKind::Circulation => ASHORE_M,
            _ => AFLOAT_M,
        };
        let Some((ashore_m, p)) = ashore(chart, feature) else { continue };
        if ashore_m <= tolerance_m {
            continue;
        }
        // How far is a value, so that several are told as one.
        let reason = format!("the {} lies on land", feature.kind);
        let far = format!("{} from its water", metres(ashore_m));
        let mend = "move it onto the water, or correct the waterway where the water has changed";
        let path = at.path.clone().key("geometry").key("coordinates");
        told.say(at, Problem::warning(path, reason, mend).value(far).on(p));
    }
}

/// How far from the water a feature is that touches none, and where; `None` where it does, or is far away.
fn ashore(chart: &Chart<'_>, feature: &Feature) -> Option<(f64, Position)> {
    let waterway = chart.waterway;
    let mut nearest: Option<(f64, Position)> = None;
    let mut is_wet = false;
    feature.shape.each_edge(&mut |a, b| {
        for p in [a, middle(a, b)] {
            if is_wet || waterway.contains(p) {
                is_wet = true;
                return;
            }
            if let Some(shore) = waterway.nearest(p, KindSet::only(waterway.rim()), FAR_M)
                && nearest.is_none_or(|(m, _)| shore.distance_m < m)
            {
                nearest = Some((shore.distance_m, p));
            }
        }
    });
    let nearest = nearest.filter(|_| !is_wet)?;
    (!feature.region.as_ref().is_some_and(|region| holds_water(chart, feature, region))).then_some(nearest)
}

/// Whether an area has a corner of the water's edge in it: one drawn around a pond touches its water as well.
fn holds_water(chart: &Chart<'_>, feature: &Feature, region: &Region) -> bool {
    let mut corners: Option<[Position; 2]> = None;
    feature.shape.each_edge(&mut |p, _| {
        let [low, high] = corners.unwrap_or([p, p]);
        let at = |lat: f64, lon: f64| Position::from_lat_lon(lat, lon).unwrap_or(p);
        corners = Some([
            at(low.lat_deg().min(p.lat_deg()), low.lon_deg().min(p.lon_deg())),
            at(high.lat_deg().max(p.lat_deg()), high.lon_deg().max(p.lon_deg())),
        ]);
    });
    let Some([low, high]) = corners else { return false };
    let mut holds = false;
    let rim = KindSet::only(chart.waterway.rim());
    chart.waterway.edges_of_kind_near(low, high, 0.0, rim, &mut |edge| holds = holds || region.contains(edge.a));
    holds
}

fn middle(a: Position, b: Position) -> Position {
    let frame = LocalFrame::at(a);
    frame.to_position(frame.to_plane(b) * 0.5).unwrap_or(a)
}
