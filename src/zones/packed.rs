//! Edges packed by place: a tree of boxes that is built once and then only asked.
//!
//! Edges are put in the order of a Hilbert curve, which keeps near ones together; of [`FAN`] at a time the box is
//! kept, and of as many of these boxes, up to one. A node has the boxes of its children side by side, in single
//! precision and rounded outward, so that it is compared at once, without a branch, and a query fetches few places
//! of memory. What it finds may lie a little outside what was asked for, and nothing inside is left out.
//!
//! Areas and all that is asked for seldom are in trees of rstar. For edges, which every fix asks for, its nodes lie too far
//! apart: on a map of a million edges rules took half as long again as on ten thousand, and take a seventh more so.

use super::map::Edge;

/// Children of a node.
pub(super) const FAN: usize = 16;

/// The corners of a box in the plane of the tree, low and high.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corners {
    pub low: [f64; 2],
    pub high: [f64; 2],
}

/// Boxes of up to [`FAN`] children, and of what sorts of edges they hold.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Node {
    low: [[f32; FAN]; 2],
    high: [[f32; FAN]; 2],
    sorts: [u32; FAN],
}

/// A child of a node.
pub(super) enum Child<'t> {
    /// Another node, by its level and place.
    Node(usize, usize),
    /// An edge.
    Edge(&'t Edge),
}

/// A box as nodes hold it.
#[derive(Debug, Clone, Copy)]
struct Outline {
    low: [f32; 2],
    high: [f32; 2],
    sorts: u32,
}

/// Edges by place.
#[derive(Debug)]
pub(super) struct PackedTree {
    /// What single precision is relative to.
    origin: [f64; 2],
    /// From the root on; the children of the last are the edges.
    levels: Vec<Vec<Node>>,
    edges: Vec<Edge>,
}

impl Node {
    /// No children.
    const EMPTY: Self = Self { low: [[f32::INFINITY; FAN]; 2], high: [[f32::NEG_INFINITY; FAN]; 2], sorts: [0; FAN] };

    fn put(&mut self, k: usize, outline: &Outline) {
        self.low.iter_mut().zip(outline.low).for_each(|(all, low)| all[k] = low);
        self.high.iter_mut().zip(outline.high).for_each(|(all, high)| all[k] = high);
        self.sorts[k] = outline.sorts;
    }

    /// The box of all children.
    fn outline(&self) -> Outline {
        let lowest = |axis: usize| self.low[axis].iter().copied().fold(f32::INFINITY, f32::min);
        let highest = |axis: usize| self.high[axis].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        Outline {
            low: [lowest(0), lowest(1)],
            high: [highest(0), highest(1)],
            sorts: self.sorts.iter().fold(0, |all, sorts| all | sorts),
        }
    }

    /// A bit for each child that holds any of the sorts asked for and whose box meets another.
    fn met(&self, asked: &Outline) -> u32 {
        let mut met = [0; FAN];
        for (k, met) in met.iter_mut().enumerate() {
            let meets = (self.low[0][k] <= asked.high[0])
                & (self.high[0][k] >= asked.low[0])
                & (self.low[1][k] <= asked.high[1])
                & (self.high[1][k] >= asked.low[1])
                & (self.sorts[k] & asked.sorts != 0);
            *met = if meets { BITS[k] } else { 0 };
        }
        met.iter().fold(0, |all, met| all | met)
    }
}

/// A bit for each child of a node. Read from here the processor takes several at a time.
const BITS: [u32; FAN] = {
    let (mut bits, mut k) = ([0; FAN], 0);
    while k < FAN {
        bits[k] = 1 << k;
        k += 1;
    }
    bits
};

impl PackedTree {
    /// The tree of edges, each with the box around it and one bit for its sort. The same edges in the same order make
    /// the same tree; of none there is none.
    pub(super) fn of(edges: Vec<(Edge, Corners, u32)>) -> Option<Self> {
        let bounds = edges.iter().map(|(_, corners, _)| *corners).reduce(|a, b| a.and(&b))?;
        let origin = [0, 1].map(|axis| 0.5 * (bounds.low[axis] + bounds.high[axis]));
        let mut order: Vec<(u32, u32)> =
            edges.iter().zip(0..).map(|((_, corners, _), ix)| (bounds.place_on_curve(corners), ix)).collect();
        order.sort_unstable();
        let (mut leaves, mut packed) = (Vec::with_capacity(edges.len().div_ceil(FAN)), Vec::with_capacity(edges.len()));
        for group in order.chunks(FAN) {
            let mut node = Node::EMPTY;
            for (k, (_, ix)) in group.iter().enumerate() {
                let (edge, corners, sort) = &edges[*ix as usize];
                node.put(k, &corners.outline(origin, *sort));
                packed.push(*edge);
            }
            leaves.push(node);
        }
        let mut levels = vec![leaves];
        while levels[levels.len() - 1].len() > 1 {
            let below = &levels[levels.len() - 1];
            let above = below.chunks(FAN).map(|group| {
                let mut node = Node::EMPTY;
                group.iter().enumerate().for_each(|(k, child)| node.put(k, &child.outline()));
                node
            });
            levels.push(above.collect());
        }
        levels.reverse();
        Some(Self { origin, levels, edges: packed })
    }

    /// Visits every edge of some sorts whose box meets one, and maybe some beside it.
    pub(super) fn visit(&self, corners: &Corners, sorts: u32, f: &mut impl FnMut(&Edge)) {
        let asked = corners.outline(self.origin, sorts);
        self.visit_node(0, 0, &asked, f);
    }

    fn visit_node(&self, level: usize, ix: usize, asked: &Outline, f: &mut impl FnMut(&Edge)) {
        let mut met = self.levels[level][ix].met(asked);
        while met != 0 {
            let k = met.trailing_zeros() as usize;
            met &= met - 1;
            match self.child(level, ix, k) {
                Child::Node(level, ix) => self.visit_node(level, ix, asked, f),
                Child::Edge(edge) => f(edge),
            }
        }
    }

    /// The child `k` of the node at a level and place; the root is the first of level 0.
    pub(super) fn child(&self, level: usize, ix: usize, k: usize) -> Child<'_> {
        let at = ix * FAN + k;
        if level + 1 == self.levels.len() { Child::Edge(&self.edges[at]) } else { Child::Node(level + 1, at) }
    }

    /// Of each child of a node the square of how far its box is from a point at least, where a step along either axis is
    /// so long; infinite of those that hold nothing of some sorts.
    pub(super) fn least2(
        &self,
        (level, ix): (usize, usize),
        point: [f64; 2],
        step: [f64; 2],
        sorts: u32,
    ) -> [f64; FAN] {
        let node = &self.levels[level][ix];
        let (x, y) = (point[0] - self.origin[0], point[1] - self.origin[1]);
        let mut least2 = [0.0; FAN];
        for (k, least2) in least2.iter_mut().enumerate() {
            let beside = (f64::from(node.low[0][k]) - x).max(x - f64::from(node.high[0][k])).max(0.0) * step[0];
            let above = (f64::from(node.low[1][k]) - y).max(y - f64::from(node.high[1][k])).max(0.0) * step[1];
            *least2 = if node.sorts[k] & sorts == 0 { f64::INFINITY } else { beside * beside + above * above };
        }
        least2
    }
}

impl Corners {
    /// The box around two points.
    pub(super) fn around(a: [f64; 2], b: [f64; 2]) -> Self {
        Self { low: [a[0].min(b[0]), a[1].min(b[1])], high: [a[0].max(b[0]), a[1].max(b[1])] }
    }

    fn and(&self, o: &Self) -> Self {
        Self {
            low: [self.low[0].min(o.low[0]), self.low[1].min(o.low[1])],
            high: [self.high[0].max(o.high[0]), self.high[1].max(o.high[1])],
        }
    }

    /// The box in single precision, rounded outward.
    fn outline(&self, origin: [f64; 2], sorts: u32) -> Outline {
        let below = |x: f64| if f64::from(x as f32) > x { (x as f32).next_down() } else { x as f32 };
        let above = |x: f64| if f64::from(x as f32) < x { (x as f32).next_up() } else { x as f32 };
        Outline {
            low: [below(self.low[0] - origin[0]), below(self.low[1] - origin[1])],
            high: [above(self.high[0] - origin[0]), above(self.high[1] - origin[1])],
            sorts,
        }
    }

    /// Where on a Hilbert curve through this box the middle of another one lies.
    pub(super) fn place_on_curve(&self, other: &Self) -> u32 {
        const SIDE: f64 = 65_535.0;
        let [mut x, mut y] = [0, 1].map(|axis| {
            let middle = 0.5 * (other.low[axis] + other.high[axis]) - self.low[axis];
            let size = self.high[axis] - self.low[axis];
            if size > 0.0 { (SIDE * middle / size) as u32 } else { 0 }
        });
        let mut place = 0;
        let mut half = 1_u32 << 15;
        while half > 0 {
            let (right, upper) = (u32::from(x & half > 0), u32::from(y & half > 0));
            place += half * half * ((3 * right) ^ upper);
            // Turns the quarter so that the curve enters it where it left the last one.
            if upper == 0 {
                if right == 1 {
                    (x, y) = (0xffff - x, 0xffff - y);
                }
                (x, y) = (y, x);
            }
            half >>= 1;
        }
        place
    }
}
