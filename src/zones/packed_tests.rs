//! The tree finds what a look at every edge finds.

use super::packed::{Corners, PackedTree};
use super::{Edge, FeatureIx, ZoneKind};
use crate::geo::Position;

/// A small deterministic generator of numbers below one.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }
}

/// Short edges all over a square, of two sorts.
fn edges(count: u32, dice: &mut Dice) -> Vec<(Edge, Corners, u32)> {
    let edge = |ix: u32| {
        let a = [10.0 + dice.roll(), 50.0 + dice.roll()];
        let b = a.map(|x| x + 0.01 * (dice.roll() - 0.5));
        let place = |[x, y]: [f64; 2]| Position::from_lat_lon(y, x).expect("in range");
        let edge = Edge { a: place(a), b: place(b), feature: FeatureIx(ix), kind: ZoneKind::Dock };
        (edge, Corners::around(a, b), 1 << (ix % 2))
    };
    (0..count).map(edge).collect()
}

#[test]
fn a_visit_finds_every_box_that_meets_each_once() {
    let mut dice = Dice(3);
    for count in [1, 16, 17, 300, 5000] {
        let all = edges(count, &mut dice);
        let tree = PackedTree::of(all.clone()).expect("there are edges");
        for round in 0..200 {
            let corner = [10.0 + dice.roll(), 50.0 + dice.roll()];
            let size = 0.2 * dice.roll();
            let asked = Corners::around(corner, corner.map(|x| x + size));
            let sorts = 1 + round % 3;
            let meets = |other: &Corners, slack: f64| {
                (0..2).all(|i| other.low[i] <= asked.high[i] + slack && other.high[i] >= asked.low[i] - slack)
            };
            let with_slack = |slack: f64| -> Vec<u32> {
                let met = all.iter().filter(|(_, corners, sort)| sort & sorts != 0 && meets(corners, slack));
                met.map(|(edge, ..)| edge.feature.0).collect()
            };
            let mut found = Vec::new();
            tree.visit(&asked, sorts, &mut |edge| found.push(edge.feature.0));
            found.sort_unstable();
            let once = found.len();
            found.dedup();
            assert_eq!(found.len(), once, "an edge is found twice");
            assert!(with_slack(0.0).iter().all(|ix| found.contains(ix)), "an edge is not found");
            let near = with_slack(1e-6);
            assert!(found.iter().all(|ix| near.contains(ix)), "an edge far off is found");
        }
    }
}

#[test]
fn the_curve_goes_from_each_square_to_a_neighbour() {
    let whole = Corners::around([0.0, 0.0], [65_535.0, 65_535.0]);
    let place = |x: f64, y: f64| whole.place_on_curve(&Corners::around([x, y], [x, y]));
    // A corner of 16 by 16 squares at the curve's start.
    let mut squares: Vec<(u32, [f64; 2])> =
        (0..256).map(|i| [f64::from(i % 16), f64::from(i / 16)]).map(|[x, y]| (place(x, y), [x, y])).collect();
    squares.sort_by_key(|(place, _)| *place);
    for two in squares.windows(2) {
        let [(here, a), (next, b)] = [two[0], two[1]];
        assert_eq!(next, here + 1);
        assert_eq!((a[0] - b[0]).abs() + (a[1] - b[1]).abs(), 1.0, "{a:?} to {b:?}");
    }
}

#[test]
fn of_no_edges_there_is_no_tree() {
    assert!(PackedTree::of(Vec::new()).is_none());
}
