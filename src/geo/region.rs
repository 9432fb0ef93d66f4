//! A filled area of the map and whether a position lies in it.
//!
//! Rings are taken as drawn: the even-odd rule within a polygon (so winding does not matter and holes are
//! islands), the union over polygons. Signs come from robust predicates, so a position is never on both
//! sides of an edge. A polygon is cut into rows of latitude, and a row into clusters of edges that overlap
//! in longitude; between clusters the answer is constant and stored, so a query looks at a few edges
//! whatever the size of the ring.

use std::collections::BTreeSet;

use robust::{Coord, orient2d};

use super::crossing::{Segment, sweep};
use super::position::Position;

/// A longitude moved by a whole turn, where needed, to lie within 180° of `reference_deg`.
pub fn near_lon_deg(lon_deg: f64, reference_deg: f64) -> f64 {
    lon_deg + f64::from(turns_near(lon_deg, reference_deg)) * 360.0
}

/// How many whole turns [`near_lon_deg`] adds: -1, 0 or 1.
pub fn turns_near(lon_deg: f64, reference_deg: f64) -> i8 {
    if lon_deg - reference_deg > 180.0 {
        -1
    } else if lon_deg - reference_deg < -180.0 {
        1
    } else {
        0
    }
}

/// One or more polygons, ready to be asked whether a position lies in them.
#[derive(Debug, Clone, Default)]
pub struct Region {
    polygons: Vec<Polygon>,
}

impl Region {
    /// The union of `polygons`, each a list of rings. A ring that is not closed is closed by a straight edge.
    pub fn new(polygons: &[Vec<Vec<Position>>]) -> Self {
        Self { polygons: polygons.iter().filter_map(|rings| Polygon::new(rings)).collect() }
    }

    /// Whether the position is inside or on a ring.
    pub fn contains(&self, p: Position) -> bool {
        self.polygons.iter().any(|polygon| polygon.contains(p))
    }

    /// All edges that cross, in each polygon by itself; of very many or in very dense drawings a part of them.
    pub fn crossings(&self) -> Crossings {
        let mut all = Crossings { pairs: Vec::new(), is_part: false };
        for (polygon, p) in self.polygons.iter().enumerate() {
            let found = p.crossings(CROSSINGS_MAX.saturating_sub(all.pairs.len()));
            all.is_part |= found.is_part;
            all.pairs.extend(found.pairs.into_iter().map(|pair| {
                pair.map(|mut place| {
                    place.polygon = polygon;
                    place
                })
            }));
        }
        all
    }

    /// Two edges of one polygon that cross, as (polygon, ring, place of the edge's first position in the ring).
    pub fn crossing(&self) -> Option<[EdgePlace; 2]> {
        self.polygons.iter().enumerate().find_map(|(polygon, p)| {
            p.crossing().map(|pair| {
                pair.map(|mut place| {
                    place.polygon = polygon;
                    place
                })
            })
        })
    }
}

/// Crossings that are counted at most.
const CROSSINGS_MAX: usize = 1000;

/// All edges of one polygon that cross, where they are few enough to be counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossings {
    /// The pairs, in the order of the polygons and rings; never empty where [`Region::crossing`] finds one.
    pub pairs: Vec<[EdgePlace; 2]>,
    /// Whether there may be more.
    pub is_part: bool,
}

/// Where an edge is in a list of polygons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgePlace {
    /// Which polygon.
    pub polygon: usize,
    /// Which ring of it.
    pub ring: usize,
    /// The place of the edge's first position in that ring.
    pub position: usize,
}

/// Pairs of edges that are looked at for each edge before the sweep takes over. Shores need two or three.
const PAIRS_MAX: usize = 32;

/// Edges are in degrees, longitudes brought near the polygon's first one.
impl Segment {
    fn left(&self) -> f64 {
        self.a.x.min(self.b.x)
    }
    fn right(&self) -> f64 {
        self.a.x.max(self.b.x)
    }
    fn bottom(&self) -> f64 {
        self.a.y.min(self.b.y)
    }
    fn top(&self) -> f64 {
        self.a.y.max(self.b.y)
    }

    /// Whether it crosses the height `y`, lower end included, upper end not.
    fn spans(&self, y: f64) -> bool {
        (self.a.y <= y) != (self.b.y <= y)
    }
}

/// Edges of one row whose longitudes overlap, with nothing beside them.
#[derive(Debug, Clone, Copy)]
struct Cluster {
    left: f64,
    right: f64,
    /// Its first entry in [`Polygon::members`]; the next cluster's is its end.
    first: u32,
    /// Whether the gap on its right is inside.
    inside_right: bool,
}

#[derive(Debug, Clone)]
struct Polygon {
    reference_lon_deg: f64,
    left: f64,
    right: f64,
    bottom: f64,
    top: f64,
    rows_per_deg: f64,
    edges: Vec<Segment>,
    /// Number of positions of each ring as given, to find an edge's place again.
    ring_sizes: Vec<u32>,
    /// First cluster of each row, and the end.
    rows: Vec<u32>,
    clusters: Vec<Cluster>,
    /// Where each cluster ends in the east, again: searched alone it takes few lines of the processor's cache.
    rights: Vec<f64>,
    /// Edges by cluster.
    members: Vec<u32>,
}

impl Polygon {
    fn new(rings: &[Vec<Position>]) -> Option<Self> {
        let reference_lon_deg = rings.first()?.first()?.lon_deg();
        let coord = |p: Position| Coord { x: near_lon_deg(p.lon_deg(), reference_lon_deg), y: p.lat_deg() };
        let mut edges = Vec::with_capacity(rings.iter().map(Vec::len).sum());
        let mut ring_sizes = Vec::with_capacity(rings.len());
        for ring in rings {
            let before = edges.len();
            edges.extend(ring.windows(2).map(|w| Segment { a: coord(w[0]), b: coord(w[1]) }));
            if let (Some(&first), Some(&last)) = (ring.first(), ring.last()) {
                let (first, last) = (coord(first), coord(last));
                if (first.x, first.y) != (last.x, last.y) || ring.len() == 1 {
                    edges.push(Segment { a: last, b: first });
                }
            }
            ring_sizes.push((edges.len() - before) as u32);
        }
        let fold = |f: fn(f64, f64) -> f64, start: f64, of: fn(&Segment) -> f64| edges.iter().map(of).fold(start, f);
        let left = fold(f64::min, f64::INFINITY, Segment::left);
        let right = fold(f64::max, f64::NEG_INFINITY, Segment::right);
        let bottom = fold(f64::min, f64::INFINITY, Segment::bottom);
        let top = fold(f64::max, f64::NEG_INFINITY, Segment::top);
        // A row as high as the mean edge: an edge then lies in two rows on average.
        let rise: f64 = edges.iter().map(|e| e.top() - e.bottom()).sum();
        let rows_per_deg = if rise > f64::MIN_POSITIVE { edges.len() as f64 / rise } else { 0.0 };
        let mut polygon = Self {
            reference_lon_deg,
            left,
            right,
            bottom,
            top,
            rows_per_deg,
            edges,
            ring_sizes,
            rows: Vec::new(),
            clusters: Vec::new(),
            rights: Vec::new(),
            members: Vec::new(),
        };
        polygon.build_rows();
        Some(polygon)
    }

    fn row_of(&self, y: f64) -> usize {
        ((y - self.bottom) * self.rows_per_deg) as usize
    }

    fn build_rows(&mut self) {
        let row_count = self.row_of(self.top) + 1;
        // Edges by row: count, then place.
        let mut starts = vec![0_u32; row_count + 1];
        for edge in &self.edges {
            for row in self.row_of(edge.bottom())..=self.row_of(edge.top()) {
                starts[row + 1] += 1;
            }
        }
        for row in 0..row_count {
            starts[row + 1] += starts[row];
        }
        let mut next = starts.clone();
        let mut members = vec![0_u32; starts[row_count] as usize];
        for (i, edge) in self.edges.iter().enumerate() {
            for row in self.row_of(edge.bottom())..=self.row_of(edge.top()) {
                members[next[row] as usize] = i as u32;
                next[row] += 1;
            }
        }
        let mut rows = Vec::with_capacity(row_count + 1);
        let mut clusters: Vec<Cluster> = Vec::new();
        for row in 0..row_count {
            rows.push(clusters.len() as u32);
            let (from, to) = (starts[row] as usize, starts[row + 1] as usize);
            let of_row = &mut members[from..to];
            of_row.sort_unstable_by(|&i, &j| {
                let (l, r) = (self.edges[i as usize].left(), self.edges[j as usize].left());
                l.total_cmp(&r).then(i.cmp(&j))
            });
            // Between clusters no edge of the row is in the way, so inside or outside holds for the row's
            // whole height there; it is taken at the middle of the row.
            let middle =
                self.bottom + if self.rows_per_deg > 0.0 { (row as f64 + 0.5) / self.rows_per_deg } else { 0.0 };
            let mut inside = false;
            let first_of_row = clusters.len();
            for (at, &i) in of_row.iter().enumerate() {
                let edge = &self.edges[i as usize];
                inside ^= edge.spans(middle);
                match clusters[first_of_row..].last_mut() {
                    Some(c) if edge.left() <= c.right => {
                        c.right = c.right.max(edge.right());
                        c.inside_right = inside;
                    }
                    _ => clusters.push(Cluster {
                        left: edge.left(),
                        right: edge.right(),
                        first: (from + at) as u32,
                        inside_right: inside,
                    }),
                }
            }
        }
        rows.push(clusters.len() as u32);
        self.rows = rows;
        self.rights = clusters.iter().map(|cluster| cluster.right).collect();
        self.clusters = clusters;
        self.members = members;
    }

    fn members_of(&self, cluster: usize) -> &[u32] {
        let end = self.clusters.get(cluster + 1).map_or(self.members.len(), |c| c.first as usize);
        &self.members[self.clusters[cluster].first as usize..end]
    }

    fn contains(&self, position: Position) -> bool {
        let p = Coord { x: near_lon_deg(position.lon_deg(), self.reference_lon_deg), y: position.lat_deg() };
        if p.x < self.left || p.x > self.right || p.y < self.bottom || p.y > self.top {
            return false;
        }
        let row = self.row_of(p.y);
        let (from, to) = (self.rows[row] as usize, self.rows[row + 1] as usize);
        let clusters = &self.clusters[from..to];
        let at = self.rights[from..to].partition_point(|right| *right < p.x);
        match clusters.get(at) {
            None => false,
            Some(c) if p.x < c.left => at > 0 && clusters[at - 1].inside_right,
            Some(c) => self.within_cluster(p, from + at, c.inside_right),
        }
    }

    /// Counts the edges of the cluster on the right of `p`.
    fn within_cluster(&self, p: Coord<f64>, cluster: usize, inside_right: bool) -> bool {
        let mut inside = inside_right;
        for &i in self.members_of(cluster) {
            let e = &self.edges[i as usize];
            if p.x > e.right() || p.y < e.bottom() || p.y > e.top() {
                continue;
            }
            let side = if p.x < e.left() { 1.0 } else { orient2d(e.a, e.b, p) };
            if side == 0.0 {
                return true;
            }
            // The edge lies right of `p` where `p` is on the left of it seen along its rise.
            let is_right = p.x < e.left() || (side > 0.0) == (e.b.y > e.a.y);
            inside ^= is_right && e.spans(p.y);
        }
        inside
    }

    /// Two edges that cross, in the order of the rings. Edges that cross share a row and a cluster; where those
    /// hold too many edges, as in a star of long spikes, the sweep is faster.
    fn crossing(&self) -> Option<[EdgePlace; 2]> {
        let mut pairs = 0;
        for cluster in 0..self.clusters.len() {
            let members = self.members_of(cluster);
            for (k, &i) in members.iter().enumerate() {
                let e = &self.edges[i as usize];
                let reach = e.right();
                for &j in &members[k + 1..] {
                    pairs += 1;
                    if pairs > PAIRS_MAX * self.edges.len() {
                        return sweep(&self.edges).map(|pair| pair.map(|edge| self.place(edge as u32)));
                    }
                    let o = &self.edges[j as usize];
                    if o.left() > reach {
                        break;
                    }
                    if e.bottom() <= o.top() && o.bottom() <= e.top() && e.crosses(o) {
                        let (first, second) = (i.min(j), i.max(j));
                        return Some([self.place(first), self.place(second)]);
                    }
                }
            }
        }
        None
    }

    /// As [`Self::crossing`], all of them, at most `max`.
    fn crossings(&self, max: usize) -> Crossings {
        // Edges that cross may share several clusters.
        let mut found: BTreeSet<(u32, u32)> = BTreeSet::new();
        let mut pairs = 0;
        let mut is_part = false;
        'clusters: for cluster in 0..self.clusters.len() {
            let members = self.members_of(cluster);
            for (k, &i) in members.iter().enumerate() {
                let e = &self.edges[i as usize];
                for &j in &members[k + 1..] {
                    pairs += 1;
                    if pairs > PAIRS_MAX * self.edges.len() || found.len() > max {
                        is_part = true;
                        break 'clusters;
                    }
                    let o = &self.edges[j as usize];
                    if o.left() > e.right() {
                        break;
                    }
                    if e.bottom() <= o.top() && o.bottom() <= e.top() && e.crosses(o) {
                        found.insert((i.min(j), i.max(j)));
                    }
                }
            }
        }
        if found.is_empty() && is_part {
            // Too dense to look at every pair: the sweep tells of one.
            found.extend(sweep(&self.edges).map(|[i, j]| (i as u32, j as u32)));
            is_part = !found.is_empty();
        }
        let pairs = found.into_iter().take(max).map(|(i, j)| [self.place(i), self.place(j)]).collect();
        Crossings { pairs, is_part }
    }

    fn place(&self, edge: u32) -> EdgePlace {
        let (mut ring, mut position) = (0, edge);
        while ring + 1 < self.ring_sizes.len() && position >= self.ring_sizes[ring] {
            position -= self.ring_sizes[ring];
            ring += 1;
        }
        EdgePlace { polygon: 0, ring, position: position as usize }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ring(lon_lat: &[[f64; 2]]) -> Vec<Position> {
        lon_lat.iter().map(|&c| Position::from_geojson(c).expect("in range")).collect()
    }

    fn at(lon: f64, lat: f64) -> Position {
        Position::from_lat_lon(lat, lon).expect("in range")
    }

    /// The textbook answer: every edge, no rows.
    fn dumb(polygons: &[Vec<Vec<Position>>], p: Position) -> bool {
        polygons.iter().any(|rings| {
            let mut inside = false;
            for w in rings.iter().flat_map(|r| r.windows(2)) {
                let [a, b, c] = [w[0], w[1], p]
                    .map(|q| Coord { x: near_lon_deg(q.lon_deg(), rings[0][0].lon_deg()), y: q.lat_deg() });
                let side = orient2d(a, b, c);
                if side == 0.0
                    && (a.x.min(b.x)..=a.x.max(b.x)).contains(&c.x)
                    && (a.y.min(b.y)..=a.y.max(b.y)).contains(&c.y)
                {
                    return true;
                }
                inside ^= (a.y <= c.y) != (b.y <= c.y) && (side > 0.0) == (b.y > a.y);
            }
            inside
        })
    }

    #[test]
    fn holes_are_outside_and_rings_belong_to_the_region() {
        let region = Region::new(&[vec![
            ring(&[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0], [0.0, 0.0]]),
            ring(&[[1.0, 1.0], [1.0, 3.0], [3.0, 3.0], [3.0, 1.0], [1.0, 1.0]]),
        ]]);
        for (lon, lat, inside) in [
            (0.5, 0.5, true),
            (2.0, 2.0, false),
            (0.0, 2.0, true),
            (1.0, 2.0, true),
            (4.0, 4.0, true),
            (4.1, 2.0, false),
            (2.0, -0.1, false),
        ] {
            assert_eq!(region.contains(at(lon, lat)), inside, "{lon} {lat}");
        }
        assert_eq!(region.crossing(), None);
    }

    #[test]
    fn a_region_may_lie_across_the_antimeridian() {
        let region =
            Region::new(&[vec![ring(&[[179.0, 0.0], [-179.0, 0.0], [-179.0, 2.0], [179.0, 2.0], [179.0, 0.0]])]]);
        assert!(
            region.contains(at(180.0, 1.0)) && region.contains(at(-180.0, 1.0)) && region.contains(at(-179.5, 1.0))
        );
        assert!(!region.contains(at(0.0, 1.0)) && !region.contains(at(-178.5, 1.0)));
    }

    #[test]
    fn a_crossing_names_both_edges() {
        let bow = ring(&[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0], [0.0, 0.0]]);
        assert_eq!(Region::new(&[vec![bow.clone()]]).crossings().pairs.len(), 1);
        let [first, second] = Region::new(&[vec![bow]]).crossing().expect("a bow tie crosses");
        assert_eq!((first.position, second.position), (0, 2));
    }

    /// Spikes as long as the star is wide: every edge is in the row of every other.
    #[test]
    fn a_star_of_long_spikes_takes_no_time_to_speak_of() {
        let star = |spikes: u32| -> Vec<Position> {
            let corner = |i: u32| {
                let (sin, cos) = libm::sincos(f64::from(i) * std::f64::consts::PI / f64::from(spikes));
                let reach = if i.is_multiple_of(2) { 1.0 } else { 1e-6 };
                at(reach * cos, reach * sin)
            };
            (0..=2 * spikes).map(|i| corner(i % (2 * spikes))).collect()
        };
        let mut ring = star(50_000);
        assert_eq!(Region::new(&[vec![ring.clone()]]).crossing(), None);
        // A spike that crosses another.
        ring[31_000] = at(-ring[31_000].lon_deg(), ring[31_000].lat_deg() * 0.5);
        assert!(Region::new(&[vec![ring]]).crossing().is_some());
    }

    #[test]
    fn nothing_and_a_point_are_regions() {
        assert!(!Region::new(&[]).contains(at(0.0, 0.0)));
        assert!(!Region::new(&[vec![]]).contains(at(0.0, 0.0)));
        assert!(Region::new(&[vec![ring(&[[1.0, 1.0]])]]).contains(at(1.0, 1.0)));
    }

    proptest! {
        #[test]
        fn rows_agree_with_every_edge(
            corners in proptest::collection::vec((-8_i8..=8, -8_i8..=8), 3..40),
            others in proptest::collection::vec((-8_i8..=8, -8_i8..=8), 3..20),
            split in 0_usize..20,
        ) {
            let close = |c: &[(i8, i8)]| {
                let mut r: Vec<[f64; 2]> = c.iter().map(|&(x, y)| [f64::from(x), f64::from(y)]).collect();
                r.push(r[0]);
                ring(&r)
            };
            let mut polygons = vec![vec![close(&corners), close(&others)]];
            if split % 2 == 0 {
                let second = polygons[0].pop().expect("two rings");
                polygons.push(vec![second]);
            }
            let region = Region::new(&polygons);
            for x in -18..=18 {
                for y in -18..=18 {
                    let p = at(f64::from(x) * 0.5, f64::from(y) * 0.5);
                    prop_assert_eq!(region.contains(p), dumb(&polygons, p), "{:?}", p);
                }
            }
        }
    }
}
