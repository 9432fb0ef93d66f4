//! Which segments of two paths may come near each other: a tree over place and time that only proposes.

use rstar::{AABB, RTree, RTreeObject};

use super::contact::Segment;
use super::{Path, Terms};
use crate::geo::frame::metres_per_degree;
use crate::geo::near_lon_deg;
use crate::time::EventTime;

/// A segment: the path it is of and the place of its first fix there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Of {
    pub path: usize,
    first: usize,
}

impl Of {
    /// The segment itself.
    pub(super) fn leg(&self, path: &Path<'_>) -> Segment {
        [path.fixes[self.first], path.fixes[self.first + 1]]
    }
}

/// A segment in the tree: longitude, latitude, seconds since the first fix of all.
#[derive(Debug, Clone, Copy)]
struct Entry {
    of: Of,
    lower: [f64; 3],
    upper: [f64; 3],
}

impl RTreeObject for Entry {
    type Envelope = AABB<[f64; 3]>;
    fn envelope(&self) -> Self::Envelope {
        AABB::from_corners(self.lower, self.upper)
    }
}

/// Calls `f` with every two segments of different paths that share time and come within range, and some that do not,
/// and with the pair of paths; the first of a pair is the one with the lower id.
pub(super) fn each_pair(paths: &[Path<'_>], terms: &Terms, f: &mut impl FnMut(&Of, &Of, (usize, usize))) {
    let Some(&(first, origin)) = paths.iter().find_map(|path| path.fixes.first()) else { return };
    let entries: Vec<Entry> = (0..paths.len()).flat_map(|path| segments(paths, path, terms, first, origin)).collect();
    let tree = RTree::bulk_load(entries.clone());
    for entry in &entries {
        let (north_m, _) = metres_per_degree(entry.lower[1]);
        let lat_margin = 1.01 * terms.within_m / north_m;
        let polar = entry.lower[1].abs().max(entry.upper[1].abs()) + lat_margin;
        let (_, east_m) = metres_per_degree(polar.min(90.0));
        let lon_margin = if east_m > 1.0 { 1.01 * terms.within_m / east_m } else { 360.0 };
        let grown = AABB::from_corners(
            [entry.lower[0] - lon_margin, entry.lower[1] - lat_margin, entry.lower[2]],
            [entry.upper[0] + lon_margin, entry.upper[1] + lat_margin, entry.upper[2]],
        );
        for other in tree.locate_in_envelope_intersecting(grown) {
            // Each two once.
            if paths[entry.of.path].vessel < paths[other.of.path].vessel {
                f(&entry.of, &other.of, (entry.of.path, other.of.path));
            }
        }
    }
}

fn segments<'a>(
    paths: &'a [Path<'_>],
    path: usize,
    terms: &'a Terms,
    first: EventTime,
    origin: crate::geo::Position,
) -> impl Iterator<Item = Entry> + 'a {
    let fixes = paths[path].fixes;
    fixes.windows(2).enumerate().filter_map(move |(at, ends)| {
        let [(t0, a), (t1, b)] = [ends[0], ends[1]];
        let gap_s = t1.seconds_since(t0);
        if gap_s <= 0.0 || !paths[path].leads_to(t1, gap_s, terms.max_gap_s) {
            return None;
        }
        let lon = |p: crate::geo::Position| near_lon_deg(p.lon_deg(), origin.lon_deg());
        Some(Entry {
            of: Of { path, first: at },
            lower: [lon(a).min(lon(b)), a.lat_deg().min(b.lat_deg()), t0.seconds_since(first)],
            upper: [lon(a).max(lon(b)), a.lat_deg().max(b.lat_deg()), t1.seconds_since(first)],
        })
    })
}
