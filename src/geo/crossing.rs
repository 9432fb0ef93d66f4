//! Whether edges cross, in a time that no drawing can stretch: a sweep from west to east (Shamos and Hoey 1976).
//!
//! The edges that the sweep line meets are kept in their order from south to north. Edges that touch keep their
//! order, so the order is sound until the first two cross, and just before that they are neighbours. Signs come
//! from robust predicates.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

use robust::{Coord, orient2d};

/// A straight edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub a: Coord<f64>,
    pub b: Coord<f64>,
}

impl Segment {
    /// Whether the two cross at an inner point of both. Touching is not crossing.
    pub(super) fn crosses(&self, o: &Self) -> bool {
        let opposite = |s: f64, t: f64| (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0);
        opposite(orient2d(self.a, self.b, o.a), orient2d(self.a, self.b, o.b))
            && opposite(orient2d(o.a, o.b, self.a), orient2d(o.a, o.b, self.b))
    }
}

/// By longitude, at equal ones by latitude: a sweep line that leans a little.
fn along_sweep(p: Coord<f64>, q: Coord<f64>) -> Ordering {
    p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y))
}

/// An edge under the sweep line, its first end first.
#[derive(Debug, Clone, Copy)]
struct Active {
    first: Coord<f64>,
    last: Coord<f64>,
    edge: usize,
}

impl Active {
    fn segment(&self) -> Segment {
        Segment { a: self.first, b: self.last }
    }

    /// Where an edge that starts no earlier lies to this one.
    fn place_of(&self, later: &Self) -> Ordering {
        let side = |p| match orient2d(self.first, self.last, p) {
            left if left > 0.0 => Ordering::Greater,
            right if right < 0.0 => Ordering::Less,
            _ => Ordering::Equal,
        };
        // Where it starts on this one, how it goes on decides; where it runs along it, nothing is between the two.
        side(later.first).then_with(|| side(later.last)).then_with(|| later.edge.cmp(&self.edge))
    }
}

impl Ord for Active {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.edge == other.edge {
            Ordering::Equal
        } else if along_sweep(self.first, other.first).is_le() {
            self.place_of(other).reverse()
        } else {
            other.place_of(self)
        }
    }
}

impl PartialOrd for Active {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Active {
    fn eq(&self, other: &Self) -> bool {
        self.edge == other.edge
    }
}

impl Eq for Active {}

/// Two edges that cross, the lower place first; `None` where no two do. Takes time n log n.
pub(super) fn sweep(edges: &[Segment]) -> Option<[usize; 2]> {
    let active = |edge: usize| {
        let Segment { a, b } = edges[edge];
        let (first, last) = if along_sweep(a, b).is_le() { (a, b) } else { (b, a) };
        Active { first, last, edge }
    };
    // Where the sweep line halts; at one place edges end before others start. A point crosses nothing.
    let mut halts: Vec<(Coord<f64>, bool, usize)> = Vec::with_capacity(2 * edges.len());
    for edge in (0..edges.len()).map(active).filter(|edge| along_sweep(edge.first, edge.last).is_lt()) {
        halts.push((edge.first, true, edge.edge));
        halts.push((edge.last, false, edge.edge));
    }
    halts.sort_unstable_by(|p, q| along_sweep(p.0, q.0).then(p.1.cmp(&q.1)).then(p.2.cmp(&q.2)));
    let mut under: BTreeSet<Active> = BTreeSet::new();
    let crossing = |p: Option<&Active>, q: Option<&Active>| {
        let (p, q) = (p?, q?);
        p.segment().crosses(&q.segment()).then(|| [p.edge.min(q.edge), p.edge.max(q.edge)])
    };
    for (_, starts, edge) in halts {
        let edge = active(edge);
        let found = {
            let below = under.range(..edge).next_back();
            let above = under.range((Excluded(edge), Unbounded)).next();
            if starts {
                crossing(below, Some(&edge)).or_else(|| crossing(Some(&edge), above))
            } else {
                crossing(below, above)
            }
        };
        if found.is_some() {
            return found;
        }
        if starts {
            under.insert(edge);
        } else {
            under.remove(&edge);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segments(ends: &[(i8, i8, i8, i8)]) -> Vec<Segment> {
        let at = |x: i8, y: i8| Coord { x: f64::from(x) * 0.1, y: f64::from(y) * 0.1 };
        ends.iter().map(|&(a, b, c, d)| Segment { a: at(a, b), b: at(c, d) }).collect()
    }

    fn agrees(edges: &[Segment]) -> Result<(), TestCaseError> {
        let any = edges.iter().enumerate().any(|(i, e)| edges[i + 1..].iter().any(|o| e.crosses(o)));
        let found = sweep(edges);
        prop_assert_eq!(found.is_some(), any);
        if let Some([i, j]) = found {
            prop_assert!(i < j && edges[i].crosses(&edges[j]));
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_sweep_agrees_with_every_pair(
            ends in prop::collection::vec((0_i8..7, 0_i8..7, 0_i8..7, 0_i8..7), 0..9),
        ) {
            agrees(&segments(&ends))?;
        }

        #[test]
        fn touching_chains_agree_as_well(
            corners in prop::collection::vec((0_i8..5, 0_i8..5), 3..12),
            other in prop::collection::vec((0_i8..9, 0_i8..9), 2..6),
        ) {
            let chain = |c: &[(i8, i8)]| c.windows(2).map(|w| (w[0].0, w[0].1, w[1].0, w[1].1)).collect::<Vec<_>>();
            agrees(&segments(&[chain(&corners), chain(&other)].concat()))?;
        }
    }
}
