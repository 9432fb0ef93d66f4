//! Which safety buoys form a line, and in what order.
//!
//! A `buoy_line` as drawn; else the safety buoys of one `line` in their `order`; else the buoys that say
//! neither, joined to the shortest open chains. When the buoys are there does not matter for how the line runs; where all
//! of them are there at the same times only, so is the line.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chain::{IMPROVED_MAX, shortest_chains};
use super::index::measure;
use super::map::{Feature, FeatureIx, Shape, Waterway};
use super::place::Path;
use super::report::{At, Problem, Report};
use super::{KindSet, ZoneKind};
use crate::geo::{LocalFrame, Position, distance_m};

/// A buoy this near a drawn line is one of it, metres.
const ON_LINE_M: f64 = 25.0;
/// Ends this near each other close a line, metres.
const CLOSED_M: f64 = 0.01;

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineSource {
    /// A `buoy_line` feature.
    Drawn(FeatureIx),
    /// Buoys that name the line and their order in it.
    Ordered,
    /// Buoys that do not, joined to the shortest chain.
    Joined,
}

/// A line of safety buoys.
#[derive(Debug, Clone, PartialEq)]
pub struct BuoyLine {
    /// The feature's id, the line's name, or one made of the first buoy's id.
    pub id: Arc<str>,
    /// Where it comes from.
    pub source: LineSource,
    /// The safety buoys of it in order; for a drawn line those that lie on it.
    pub buoys: Vec<(FeatureIx, Position)>,
    /// How it runs; a closed line ends with its first position.
    pub positions: Vec<Position>,
    /// Whether it is a closed ring.
    pub is_closed: bool,
    /// From an end of an open line to the shore, where it does not reach the shore itself.
    pub joins: Vec<[Position; 2]>,
    /// The inshore area it cuts off, where it does.
    pub inshore: Option<FeatureIx>,
}

/// A safety buoy, or one point of several under one id.
#[derive(Clone, Copy)]
struct Buoy<'w> {
    ix: FeatureIx,
    feature: &'w Feature,
    position: Position,
}

/// All buoy lines of a waterway; what forms none is reported.
pub(super) fn lines(waterway: &Waterway, max_link_m: f64, places: &[At], report: &mut Report<'_>) -> Vec<BuoyLine> {
    let buoys = buoys_of(&waterway.features);
    let mut lines = drawn(waterway, &buoys);
    let drawn_count = lines.len();
    let (named, mut loose): (Vec<Buoy<'_>>, Vec<Buoy<'_>>) =
        buoys.iter().partition(|b| b.feature.line.is_some() || b.feature.order.is_some());
    let drawn_m = |b: &Buoy<'_>| distance_to_m(&lines[..drawn_count], b.position);
    // A drawn line stands for the buoys along it.
    loose.retain(|b| drawn_count == 0 || drawn_m(b) > max_link_m);
    let mut by_name: BTreeMap<&str, Vec<Buoy<'_>>> = BTreeMap::new();
    for buoy in named {
        by_name.entry(buoy.feature.line.as_deref().unwrap_or_default()).or_default().push(buoy);
    }
    by_name.retain(|name, members| {
        let is_drawn_name =
            waterway.features.iter().any(|f| f.kind == ZoneKind::BuoyLine && f.line.as_deref() == Some(name));
        !(is_drawn_name || drawn_count > 0 && members.iter().all(|b| drawn_m(b) <= ON_LINE_M))
    });
    for (name, members) in by_name {
        lines.extend(ordered(name, members, places, report));
    }
    let mut lone = Vec::new();
    let spots: Vec<Position> = loose.iter().map(|b| b.position).collect();
    for chain in shortest_chains(&spots, max_link_m) {
        let members: Vec<Buoy<'_>> = chain.iter().map(|&i| loose[i]).collect();
        if let [only] = members[..] {
            lone.push(only);
        } else {
            let id = format!("line-of-{}", members[0].feature.id);
            lines.push(line_of(id.into(), LineSource::Joined, &members, false));
        }
    }
    report_lone(&lone, places, report);
    if loose.len() > IMPROVED_MAX {
        let place = places.get(loose[0].ix.0 as usize);
        let path = place.map_or_else(Path::default, |at| at.path.clone());
        let reason = format!("{} safety buoys say neither line nor order; their lines are guesses", loose.len());
        report.add(place, Problem::warning(path, reason, "give them \"line\" and \"order\", or draw buoy_lines"));
    }
    lines
}

fn buoys_of(features: &[Feature]) -> Vec<Buoy<'_>> {
    let mut buoys = Vec::new();
    for (feature, ix) in features.iter().zip(0..).filter(|(f, _)| f.kind == ZoneKind::SafetyBuoy) {
        feature.shape.each_edge(&mut |position, _| buoys.push(Buoy { ix: FeatureIx(ix), feature, position }));
    }
    buoys
}

/// The lines drawn as `buoy_line`, each with the safety buoys on it in order along it.
fn drawn(waterway: &Waterway, buoys: &[Buoy<'_>]) -> Vec<BuoyLine> {
    let mut lines = Vec::new();
    for (feature, ix) in waterway.features.iter().zip(0..).filter(|(f, _)| f.kind == ZoneKind::BuoyLine) {
        for positions in lines_of(&feature.shape) {
            let mut on_line: Vec<(usize, f64, Buoy<'_>)> = buoys
                .iter()
                .filter_map(|b| place_along(&positions, b.position).map(|(piece, along_m)| (piece, along_m, *b)))
                .collect();
            on_line.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.ix.cmp(&b.2.ix)));
            let is_closed = is_ring(&positions);
            lines.push(BuoyLine {
                id: feature.id.clone(),
                source: LineSource::Drawn(FeatureIx(ix)),
                buoys: on_line.into_iter().map(|(_, _, b)| (b.ix, b.position)).collect(),
                positions,
                is_closed,
                joins: Vec::new(),
                inshore: None,
            });
        }
    }
    lines
}

fn lines_of(shape: &Shape) -> Vec<Vec<Position>> {
    match shape {
        Shape::Lines(lines) => lines.clone(),
        Shape::Mixed(parts) => parts.iter().flat_map(lines_of).collect(),
        Shape::Point(_) | Shape::Points(_) | Shape::Areas(_) => Vec::new(),
    }
}

fn is_ring(positions: &[Position]) -> bool {
    match positions {
        [first, _, _, .., last] => distance_m(*first, *last) <= CLOSED_M,
        _ => false,
    }
}

/// On which piece of the line a position lies, and how far along it; `None` where it is not on the line.
fn place_along(line: &[Position], p: Position) -> Option<(usize, f64)> {
    let frame = LocalFrame::at(p);
    let near = line.windows(2).enumerate().map(|(i, w)| {
        let (distance, point) = measure(&frame, w[0], w[1]);
        (distance, i, distance_m(w[0], point))
    });
    let (distance, piece, along_m) = near.min_by(|a, b| a.0.total_cmp(&b.0))?;
    (distance <= ON_LINE_M).then_some((piece, along_m))
}

fn distance_to_m(lines: &[BuoyLine], p: Position) -> f64 {
    let frame = LocalFrame::at(p);
    let pieces = lines.iter().flat_map(|l| l.positions.windows(2));
    pieces.map(|w| measure(&frame, w[0], w[1]).0).fold(f64::INFINITY, f64::min)
}

fn line_of(id: Arc<str>, source: LineSource, members: &[Buoy<'_>], close: bool) -> BuoyLine {
    let mut positions: Vec<Position> = members.iter().map(|b| b.position).collect();
    if close && !is_ring(&positions) && positions.len() > 2 {
        positions.push(positions[0]);
    }
    let is_closed = is_ring(&positions);
    let buoys = members.iter().map(|b| (b.ix, b.position)).collect();
    BuoyLine { id, source, buoys, positions, is_closed, joins: Vec::new(), inshore: None }
}

/// The line of the buoys that name it, in their order.
fn ordered(name: &str, mut members: Vec<Buoy<'_>>, places: &[At], report: &mut Report<'_>) -> Option<BuoyLine> {
    let place = |b: &Buoy<'_>| places.get(b.ix.0 as usize);
    let path =
        |b: &Buoy<'_>, key: &str| place(b).map_or_else(Path::default, |at| at.path.clone().key("properties").key(key));
    if let [only] = members[..] {
        let reason = format!("only one safety buoy belongs to line {name:?}, so there is no line");
        let mend = "give the other buoys of the line the same \"line\"";
        report.add(place(&only), Problem::warning(path(&only, "line"), reason, mend));
        return None;
    }
    let mut chained = None;
    if let Some(without) = members.iter().find(|b| b.feature.order.is_none()) {
        let reason =
            format!("a buoy of line {name:?} has no order; the line was joined along the shortest way instead");
        report.add(place(without), Problem::warning(path(without, "line"), reason, "number all buoys of the line"));
        let spots: Vec<Position> = members.iter().map(|b| b.position).collect();
        chained = shortest_chains(&spots, f64::INFINITY).into_iter().next();
    }
    if let Some(chain) = chained {
        members = chain.into_iter().map(|i| members[i]).collect();
    } else {
        let order = |b: &Buoy<'_>| b.feature.order.unwrap_or_default();
        members.sort_by(|a, b| order(a).total_cmp(&order(b)));
        for pair in members.windows(2).filter(|w| order(&w[0]) == order(&w[1]) && w[0].ix != w[1].ix) {
            let reason = format!(
                "buoys {:?} and {:?} of line {name:?} have the same order {}",
                pair[0].feature.id,
                pair[1].feature.id,
                order(&pair[0])
            );
            let mend = "number them one after the other; until then the order in the file decides";
            report.add(place(&pair[1]), Problem::warning(path(&pair[1], "order"), reason, mend));
        }
    }
    let close = members.iter().any(|b| b.feature.closed == Some(true));
    let id = if name.is_empty() { "line".to_owned() } else { name.to_owned() };
    Some(line_of(id.into(), LineSource::Ordered, &members, close))
}

fn report_lone(lone: &[Buoy<'_>], places: &[At], report: &mut Report<'_>) {
    let Some(first) = lone.first() else { return };
    let ids: Vec<&str> = lone.iter().map(|b| &*b.feature.id).collect();
    let reason = match ids[..] {
        [_] => "this safety buoy forms no line: no other is in reach, so there is no inshore area".to_owned(),
        _ => format!("{} safety buoys form no line, no other is in reach of them: {}", ids.len(), ids.join(", ")),
    };
    let mend = "give buoys that belong together the same \"line\" and an \"order\", or draw a buoy_line; a single buoy is fine";
    let place = places.get(first.ix.0 as usize);
    let path = place.map_or_else(Path::default, |at| at.path.clone());
    report.add(place, Problem::warning(path, reason, mend));
}

/// The kinds whose edges are the water's edge.
pub(super) fn rim_of(waterway: &Waterway) -> KindSet {
    KindSet::only(waterway.rim())
}
