//! `line-over-land`: a buoy line or circulation that leaves the water and comes back.
//!
//! The ends of a line may lie ashore; what counts is land between two stretches of water.

use super::super::report::Problem;
use super::super::{KindSet, LineSource, ZoneKind};
use super::{Chart, Lint, Told, metres};
use crate::geo::{LocalFrame, Position, Vec2, distance_m};

pub(super) const LINT: Lint = Lint { id: "line-over-land", look };

/// Less land than this is a difference between two surveys, metres.
const LAND_MIN_M: f64 = 5.0;

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    for line in &chart.waterway.buoy_lines {
        let ix = match line.source {
            LineSource::Drawn(ix) => Some(ix),
            LineSource::Ordered | LineSource::Joined => line.buoys.first().map(|(ix, _)| *ix),
        };
        let Some(at) = ix.and_then(|ix| chart.places.get(ix.0 as usize)) else { continue };
        let Some((land_m, p)) = land_between(chart, &line.positions) else { continue };
        let reason = format!("buoy line {:?} crosses {} of land", &*line.id, metres(land_m));
        let mend = match line.source {
            LineSource::Drawn(_) => "draw it around the land, or as two lines",
            LineSource::Ordered => {
                "give the buoys on either side of the land different \"line\"s, or correct their order"
            }
            LineSource::Joined => "say which buoys belong together with \"line\" and \"order\", or draw a buoy_line",
        };
        told.say(at, Problem::warning(at.path.clone(), reason, mend).on(p));
    }
    for sheet in chart.sheets_of(&[ZoneKind::Circulation]) {
        for part in &sheet.parts {
            let Some((land_m, p)) = land_between(chart, &part.positions) else { continue };
            let reason = format!("the circulation line crosses {} of land", metres(land_m));
            let mend = "draw it around the land; boats keep it on their left";
            told.say(sheet.at, Problem::warning(part.path.clone(), reason, mend).on(p));
        }
    }
}

/// How much land a line crosses between its first and its last water, in metres, and the middle of the widest piece.
fn land_between(chart: &Chart<'_>, line: &[Position]) -> Option<(f64, Position)> {
    let mut pieces: Vec<(bool, f64, Position)> = Vec::new();
    for ends in line.windows(2) {
        pieces.extend(pieces_of(chart, ends[0], ends[1]));
    }
    let first = pieces.iter().position(|(is_wet, ..)| *is_wet)?;
    let last = pieces.iter().rposition(|(is_wet, ..)| *is_wet)?;
    let land = pieces[first..=last].iter().filter(|(is_wet, ..)| !is_wet);
    let total_m: f64 = land.clone().map(|(_, m, _)| m).sum();
    let (_, _, middle) = land.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (total_m > LAND_MIN_M).then_some((total_m, *middle))
}

/// The pieces into which the water's edges divide a straight line: whether each is water, its length and its middle.
fn pieces_of(chart: &Chart<'_>, a: Position, b: Position) -> Vec<(bool, f64, Position)> {
    let frame = LocalFrame::between(a, b);
    let way = frame.to_plane(b);
    let mut cuts = vec![0.0, 1.0];
    let rim = KindSet::only(chart.waterway.rim());
    chart.waterway.edges_of_kind_near(a, b, 0.0, rim, &mut |edge| {
        let (p, q) = (frame.to_plane(edge.a), frame.to_plane(edge.b));
        cuts.extend(crossing(way, p, q));
    });
    cuts.sort_by(f64::total_cmp);
    let piece = |cut: &[f64]| {
        let middle = frame.to_position(way * (0.5 * (cut[0] + cut[1])))?;
        let length_m = distance_m(a, b) * (cut[1] - cut[0]);
        (length_m > 0.0).then(|| (chart.waterway.contains(middle), length_m, middle))
    };
    cuts.windows(2).filter_map(piece).collect()
}

/// At which fraction of the way from the origin the edge crosses it.
fn crossing(way: Vec2, p: Vec2, q: Vec2) -> Option<f64> {
    let edge = q - p;
    let across = way.cross(edge);
    if across == 0.0 {
        return None;
    }
    let (along, within) = (p.cross(edge) / across, p.cross(way) / across);
    ((0.0..=1.0).contains(&along) && (0.0..=1.0).contains(&within)).then_some(along)
}
