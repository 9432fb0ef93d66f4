//! Where a map has shoreline features, only those are the shore to rules.
//!
//! `shore-gap`: two ends that should meet. `bare-shore`: edges of the water along which there is no shoreline, so
//! that nothing is near the shore there: often an island drawn as the only shoreline, or a shoreline drawn round the
//! outer bank only, which takes its shore from every island. Each ring of the water is judged by itself.

use rstar::RTree;
use rstar::primitives::GeomWithData;

use super::super::report::Problem;
use super::super::{KindSet, ZoneKind};
use super::chart::{Part, PartKind, Sheet};
use super::{Chart, Lint, Told, counted, metres};
use crate::geo::{LocalFrame, Position, distance_m};

pub(super) const GAP: Lint = Lint { id: "shore-gap", look: gaps };
pub(super) const BARE: Lint = Lint { id: "bare-shore", look: bare };

/// Ends this near meet, and ends farther apart than the other are not meant to, metres.
const MEETS_M: f64 = 5.0;
const GAP_MAX_M: f64 = 500.0;
/// An edge of the water has a shoreline where one is this near, metres: the two may come from different surveys.
const ALONG_M: f64 = 50.0;
/// The share of the water's edge that may go without: a dam, the ends of a reach.
const BARE_MAX: f64 = 0.05;
/// The share of an island's edge that may go without: two surveys of a small ring differ more.
const BARE_ISLAND_MAX: f64 = 0.5;

/// An end of a shoreline that meets no other.
struct End<'c> {
    sheet: &'c Sheet<'c>,
    part: &'c Part,
    i: usize,
    position: Position,
}

fn gaps(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let lines = chart.sheets_of(&[ZoneKind::Shoreline]).flat_map(|sheet| sheet.parts.iter().map(move |p| (sheet, p)));
    let mut ends: Vec<End<'_>> = Vec::new();
    for (sheet, part) in lines.filter(|(_, part)| part.kind == PartKind::Line) {
        let (Some(&first), Some(&last)) = (part.positions.first(), part.positions.last()) else { continue };
        if distance_m(first, last) > MEETS_M {
            ends.push(End { sheet, part, i: 0, position: first });
            ends.push(End { sheet, part, i: part.positions.len() - 1, position: last });
        }
    }
    let nearest = nearest_others(&ends);
    // A gap is a pair of ends that are nearest to each other and yet apart.
    let is_gap = |i: usize| -> Option<(f64, usize)> {
        let (apart_m, j) = nearest[i]?;
        let mutual = nearest[j].is_some_and(|(_, back)| back == i);
        (i < j && mutual && apart_m > MEETS_M && apart_m <= GAP_MAX_M).then_some((apart_m, j))
    };
    let mut found: Vec<(f64, usize, usize)> =
        (0..ends.len()).filter_map(|i| is_gap(i).map(|(apart_m, j)| (apart_m, i, j))).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let Some(&(apart_m, i, j)) = found.first() else { return };
    let (from, to) = (&ends[i], &ends[j]);
    let more = if found.len() > 1 { format!("; the widest of {}", counted(found.len(), "gap")) } else { String::new() };
    let reason = format!(
        "a gap of {} in the shoreline, from here to [{}, {}] of {:?}{more}",
        metres(apart_m),
        to.position.lon_deg(),
        to.position.lat_deg(),
        to.sheet.at.id.as_deref().unwrap_or_default()
    );
    let mend = "draw the missing piece, or let the two ends meet; no rule sees a shore in a gap";
    told.say(from.sheet.at, Problem::warning(from.part.at(from.i), reason, mend));
}

/// For each end the nearest other, and how far it is in metres.
fn nearest_others(ends: &[End<'_>]) -> Vec<Option<(f64, usize)>> {
    let Some(first) = ends.first() else { return Vec::new() };
    let frame = LocalFrame::at(first.position);
    let at = |end: &End<'_>| {
        let v = frame.to_plane(end.position);
        [v.east_m, v.north_m]
    };
    let tree = RTree::bulk_load(ends.iter().enumerate().map(|(i, end)| GeomWithData::new(at(end), i)).collect());
    let nearest = |(i, end): (usize, &End<'_>)| {
        let j = tree.nearest_neighbor_iter(at(end)).map(|other| other.data).find(|&j| j != i)?;
        Some((distance_m(end.position, ends[j].position), j))
    };
    ends.iter().enumerate().map(nearest).collect()
}

fn bare(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let Some(shoreline) = chart.sheets_of(&[ZoneKind::Shoreline]).next() else { return };
    let mut outer = Bare::default();
    for rings in chart.waterway.water().shape.polygons() {
        for (i, ring) in rings.iter().enumerate() {
            if i == 0 {
                outer.add(ring, |p| shore_at(chart, p).is_some());
                continue;
            }
            let mut island = Bare::default();
            island.add(ring, |p| shore_at(chart, p).is_some_and(|shore| is_of_ring(chart, shore, ring)));
            if let Some(at) = island.where_beyond(BARE_ISLAND_MAX) {
                tell_island(chart, at, told);
            }
        }
    }
    let Some(at) = outer.where_beyond(BARE_MAX) else { return };
    let reason = format!(
        "{:.0} % of the water's edge ({}) has no shoreline beside it, and no rule sees a shore there: where a map has shoreline features, only they are the shore",
        outer.bare_m / outer.all_m * 100.0,
        metres(outer.bare_m)
    );
    let mend =
        "draw the rest of the shoreline; or, if this is an island, make it a hole of the waterway and remove it here";
    told.say(shoreline.at, Problem::warning(shoreline.at.path.clone(), reason, mend).on(at));
}

/// One fault for each island, all in the same words, so that each has its place and they are told as one.
fn tell_island(chart: &Chart<'_>, at: Position, told: &mut Told<'_, '_>) {
    let waters = || chart.sheets_of(&[ZoneKind::Waterway]);
    let corner = waters().find_map(|sheet| {
        let place = |part: &Part| part.positions.iter().position(|&p| p == at).map(|i| part.at(i));
        Some((sheet, sheet.parts.iter().find_map(place)?))
    });
    // The corner may be one that the parts of the water share, which stands nowhere as such.
    let Some((sheet, path)) = corner.or_else(|| waters().next().map(|sheet| (sheet, sheet.at.path.clone()))) else {
        return;
    };
    let reason = "this island of the water has no shoreline beside it, and no rule sees a shore there: where a map has shoreline features, only they are the shore";
    let mend = "draw the island's shore as a shoreline too; or, if the waterway's own edges are good enough, remove the shoreline features: then every edge of the water is shore";
    told.say(sheet.at, Problem::warning(path, reason, mend).on(at));
}

/// The drawn shoreline's nearest point, where there is one beside the position.
fn shore_at(chart: &Chart<'_>, p: Position) -> Option<Position> {
    chart.waterway.nearest(p, KindSet::only(ZoneKind::Shoreline), ALONG_M).map(|near| near.point)
}

/// Whether a point of the shoreline belongs to this ring: an island may lie close to the shore of the bank.
fn is_of_ring(chart: &Chart<'_>, shore: Position, ring: &[Position]) -> bool {
    let edge = chart.waterway.nearest(shore, KindSet::only(chart.waterway.rim()), 2.0 * ALONG_M).map(|near| near.edge);
    edge.is_some_and(|edge| ring.windows(2).any(|w| w[0] == edge.a && w[1] == edge.b))
}

/// How much of some rings has no shoreline beside it.
#[derive(Default)]
struct Bare {
    bare_m: f64,
    all_m: f64,
    /// The longest edge without, by its length and an end of it.
    longest: Option<(f64, Position)>,
}

impl Bare {
    fn add(&mut self, ring: &[Position], has_shore: impl Fn(Position) -> bool) {
        for (a, b) in ring.windows(2).map(|w| (w[0], w[1])) {
            let edge_m = distance_m(a, b);
            self.all_m += edge_m;
            // Each half by its own end.
            for end in [a, b] {
                if !has_shore(end) {
                    self.bare_m += edge_m * 0.5;
                    if self.longest.is_none_or(|(m, _)| edge_m > m) {
                        self.longest = Some((edge_m, end));
                    }
                }
            }
        }
    }

    /// Where it is bare, if more of it is than this share.
    fn where_beyond(&self, share: f64) -> Option<Position> {
        self.longest.filter(|_| self.bare_m > share * self.all_m).map(|(_, at)| at)
    }
}
