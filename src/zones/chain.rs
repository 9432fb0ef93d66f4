//! The shortest open chain through scattered buoys.
//!
//! Exact (dynamic programming over subsets, Held and Karp 1962) for up to [`EXACT_MAX`] buoys, above that
//! nearest neighbour from several starts improved by 2-opt and or-opt until nothing helps. Groups of more
//! than [`IMPROVED_MAX`] are joined by nearest neighbour alone, which the caller reports. A link longer
//! than the limit costs more than any number of short ones, and the chain is split there. The shortest
//! chain does not cross itself: uncrossing two links shortens it.

use crate::geo::{Position, distance_m};

/// Largest group that is solved exactly: 2¹² subsets.
const EXACT_MAX: usize = 12;
/// How many starts the heuristic tries in a group of up to a hundred; it tries one in a larger one.
const STARTS: usize = 16;
/// Largest group whose chain is improved. So many buoys within reach of each other are hardly meant to be
/// joined by guessing, and the time grows with the cube.
pub(super) const IMPROVED_MAX: usize = 1000;

/// Chains through `places`, as indices, none with a link longer than `max_link_m`. A place that is in
/// reach of no other is a chain of its own.
pub(super) fn shortest_chains(places: &[Position], max_link_m: f64) -> Vec<Vec<usize>> {
    // Sorted by place first, so that the order in the file decides nothing.
    let mut order: Vec<usize> = (0..places.len()).collect();
    let key = |i: usize| (places[i].lon_deg(), places[i].lat_deg());
    order.sort_by(|&i, &j| key(i).0.total_cmp(&key(j).0).then(key(i).1.total_cmp(&key(j).1)).then(i.cmp(&j)));
    let mut chains = Vec::new();
    for group in groups(places, &order, max_link_m) {
        if group.len() > IMPROVED_MAX {
            chains.extend(greedy(places, group, max_link_m));
            continue;
        }
        let costs = Costs::new(places, &group, max_link_m);
        let chain = if group.len() <= EXACT_MAX { exact(&costs) } else { improved(&costs) };
        let mut part: Vec<usize> = Vec::new();
        for (k, &i) in chain.iter().enumerate() {
            if k > 0 && costs.is_too_long(chain[k - 1], i) {
                chains.push(std::mem::take(&mut part));
            }
            part.push(group[i]);
        }
        chains.push(part);
    }
    chains
}

/// Sets of places that are connected by links within the limit, each in the order of `order`.
fn groups(places: &[Position], order: &[usize], max_link_m: f64) -> Vec<Vec<usize>> {
    let mut group_of: Vec<Option<usize>> = vec![None; places.len()];
    let mut count = 0;
    for &start in order {
        if group_of[start].is_some() {
            continue;
        }
        group_of[start] = Some(count);
        let mut open = vec![start];
        while let Some(i) = open.pop() {
            for &j in order {
                // A degree of latitude is 110 km at least.
                let is_far = (places[i].lat_deg() - places[j].lat_deg()).abs() * 110_000.0 > max_link_m;
                if group_of[j].is_none() && !is_far && distance_m(places[i], places[j]) <= max_link_m {
                    group_of[j] = Some(count);
                    open.push(j);
                }
            }
        }
        count += 1;
    }
    let mut groups = vec![Vec::new(); count];
    for &i in order {
        if let Some(group) = group_of[i] {
            groups[group].push(i);
        }
    }
    groups
}

/// What a link between two members of a group costs.
struct Costs {
    n: usize,
    cost: Vec<f64>,
    /// Added to a link that is too long; more than all others together.
    penalty: f64,
}

impl Costs {
    fn new(places: &[Position], group: &[usize], max_link_m: f64) -> Self {
        let n = group.len();
        let mut cost: Vec<f64> =
            group.iter().flat_map(|&i| group.iter().map(move |&j| distance_m(places[i], places[j]))).collect();
        let longest = cost.iter().copied().fold(0.0, f64::max);
        let penalty = (longest + 1.0) * n as f64;
        for c in &mut cost {
            if *c > max_link_m {
                *c += penalty;
            }
        }
        Self { n, cost, penalty }
    }
    fn of(&self, i: usize, j: usize) -> f64 {
        self.cost[i * self.n + j]
    }
    fn is_too_long(&self, i: usize, j: usize) -> bool {
        self.of(i, j) >= self.penalty
    }
    fn total(&self, chain: &[usize]) -> f64 {
        chain.windows(2).map(|w| self.of(w[0], w[1])).sum()
    }
}

/// The shortest chain, exactly: best[set][last] grows set by set.
fn exact(costs: &Costs) -> Vec<usize> {
    let n = costs.n;
    let full = (1_usize << n) - 1;
    let mut best = vec![f64::INFINITY; (full + 1) * n];
    let mut before = vec![usize::MAX; (full + 1) * n];
    for i in 0..n {
        best[(1 << i) * n + i] = 0.0;
    }
    for set in 1..=full {
        for last in (0..n).filter(|&i| set & (1 << i) != 0) {
            let so_far = best[set * n + last];
            for next in (0..n).filter(|&i| set & (1 << i) == 0) {
                let slot = (set | 1 << next) * n + next;
                let cost = so_far + costs.of(last, next);
                if cost < best[slot] {
                    best[slot] = cost;
                    before[slot] = last;
                }
            }
        }
    }
    let end = (0..n).min_by(|&i, &j| best[full * n + i].total_cmp(&best[full * n + j]));
    let mut chain = Vec::with_capacity(n);
    let (mut set, mut at) = (full, end.unwrap_or(usize::MAX));
    while at != usize::MAX {
        chain.push(at);
        let previous = before[set * n + at];
        set &= !(1 << at);
        at = previous;
    }
    chain
}

fn improved(costs: &Costs) -> Vec<usize> {
    let n = costs.n;
    let step = if n <= 100 { n.div_ceil(STARTS) } else { n };
    (0..n)
        .step_by(step)
        .map(|start| {
            let mut chain = nearest_neighbour(costs, start);
            while two_opt(costs, &mut chain) || or_opt(costs, &mut chain) {}
            chain
        })
        .min_by(|p, q| costs.total(p).total_cmp(&costs.total(q)))
        .unwrap_or_default()
}

/// Always on to the nearest that is left, a new chain where none is in reach.
fn greedy(places: &[Position], mut left: Vec<usize>, max_link_m: f64) -> Vec<Vec<usize>> {
    let mut chains = Vec::new();
    let mut chain: Vec<usize> = Vec::new();
    while !left.is_empty() {
        let to = |k: usize| chain.last().map_or(0.0, |&at| distance_m(places[at], places[left[k]]));
        let next = (0..left.len()).map(|k| (to(k), k)).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((length_m, k)) = next else { break };
        if length_m > max_link_m {
            chains.push(std::mem::take(&mut chain));
        }
        chain.push(left.remove(k));
    }
    chains.push(chain);
    chains
}

fn nearest_neighbour(costs: &Costs, start: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..costs.n).filter(|&i| i != start).collect();
    let mut chain = vec![start];
    let mut at = start;
    while let Some(k) = (0..left.len()).min_by(|&a, &b| costs.of(at, left[a]).total_cmp(&costs.of(at, left[b]))) {
        at = left.remove(k);
        chain.push(at);
    }
    chain
}

/// What must be gained for a change to count, metres: rounding must not go round in circles.
const GAIN_MIN_M: f64 = 1e-6;

/// Reverses stretches as long as that shortens the chain; whether it did.
fn two_opt(costs: &Costs, chain: &mut [usize]) -> bool {
    let n = chain.len();
    let mut changed = false;
    for i in 0..n {
        for j in i + 1..n {
            // Reversing i..=j replaces the links before i and after j; at the ends there is only one.
            let (before, after) = (i.checked_sub(1).map(|k| chain[k]), chain.get(j + 1).copied());
            let link = |from: Option<usize>, to: usize| from.map_or(0.0, |f| costs.of(f, to));
            let gain = link(before, chain[i]) + link(after, chain[j]) - link(before, chain[j]) - link(after, chain[i]);
            if gain > GAIN_MIN_M {
                chain[i..=j].reverse();
                changed = true;
            }
        }
    }
    changed
}

/// Moves stretches of one to three buoys elsewhere as long as that shortens the chain; whether it did.
fn or_opt(costs: &Costs, chain: &mut Vec<usize>) -> bool {
    let mut changed = false;
    let link = |a: Option<usize>, b: Option<usize>| if let (Some(a), Some(b)) = (a, b) { costs.of(a, b) } else { 0.0 };
    for length in 1..=3_usize.min(chain.len().saturating_sub(1)) {
        for from in 0..=chain.len() - length {
            let end = from + length;
            let at = |k: usize| chain.get(k).copied();
            let before = |k: usize| k.checked_sub(1).and_then(at);
            let (head, tail) = (at(from), at(end - 1));
            let gain = link(before(from), head) + link(tail, at(end)) - link(before(from), at(end));
            // Gaps outside the stretch: in front of each other place, and behind the last.
            let gaps = (0..from).chain(end + 1..=chain.len());
            let best = gaps
                .flat_map(|gap| [(gap, false), (gap, true)])
                .map(|(gap, is_turned)| {
                    let (first, last) = if is_turned { (tail, head) } else { (head, tail) };
                    let (left, right) = (before(gap), at(gap));
                    (link(left, first) + link(last, right) - link(left, right), gap, is_turned)
                })
                .min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((cost, gap, is_turned)) = best
                && gain - cost > GAIN_MIN_M
            {
                let mut piece: Vec<usize> = chain.drain(from..end).collect();
                if is_turned {
                    piece.reverse();
                }
                let gap = if gap > from { gap - length } else { gap };
                chain.splice(gap..gap, piece);
                changed = true;
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(x: f64, y: f64) -> Position {
        Position::from_lat_lon(45.0 + y * 1e-3, 10.0 + x * 1e-3).expect("in range")
    }

    /// A small deterministic generator, for tests that need many places.
    fn scattered(n: usize, seed: u64) -> Vec<Position> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        (0..n).map(|_| place(next() * 20.0, next() * 20.0)).collect()
    }

    fn length(places: &[Position], chain: &[usize]) -> f64 {
        chain.windows(2).map(|w| distance_m(places[w[0]], places[w[1]])).sum()
    }

    #[test]
    fn buoys_along_a_shore_are_joined_in_their_order() {
        let places = [place(3.0, 0.2), place(0.0, 0.0), place(2.0, 0.0), place(1.0, 0.2), place(4.0, 0.0)];
        let chains = shortest_chains(&places, 400.0);
        assert_eq!(chains.len(), 1);
        assert!(chains[0] == [1, 3, 2, 0, 4] || chains[0] == [4, 0, 2, 3, 1], "{chains:?}");
    }

    #[test]
    fn no_link_is_longer_than_the_limit() {
        let places = [place(0.0, 0.0), place(1.0, 0.0), place(9.0, 0.0), place(10.0, 0.0), place(30.0, 0.0)];
        let chains = shortest_chains(&places, 400.0);
        let mut sizes: Vec<usize> = chains.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 2, 2]);
        assert!(shortest_chains(&[], 400.0).is_empty());
    }

    #[test]
    fn the_order_in_the_file_decides_nothing() {
        for n in [9, 25] {
            let places = scattered(n, 3);
            let mut turned = places.clone();
            turned.reverse();
            let walk = |places: &[Position]| -> Vec<[f64; 2]> {
                shortest_chains(places, 1e9)[0].iter().map(|&i| places[i].to_geojson()).collect()
            };
            assert_eq!(walk(&places), walk(&turned));
        }
    }

    #[test]
    fn the_heuristic_comes_close_to_the_exact_answer() {
        for seed in 0..20 {
            let places = scattered(EXACT_MAX, seed);
            let group: Vec<usize> = (0..places.len()).collect();
            let costs = Costs::new(&places, &group, 1e9);
            let (best, good) = (length(&places, &exact(&costs)), length(&places, &improved(&costs)));
            assert!(good >= best - 1e-6 && good <= best * 1.03, "seed {seed}: {good} against {best}");
        }
    }

    #[test]
    fn a_crowd_is_joined_without_improvement() {
        let places = scattered(IMPROVED_MAX + 50, 4);
        let chains = shortest_chains(&places, 400.0);
        let mut all: Vec<usize> = chains.iter().flatten().copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..places.len()).collect::<Vec<_>>());
        assert!(chains.iter().all(|c| c.windows(2).all(|w| distance_m(places[w[0]], places[w[1]]) <= 400.0)));
    }

    #[test]
    fn a_long_chain_does_not_cross_itself() {
        for seed in 0..5 {
            let places = scattered(60, seed);
            let chain = &shortest_chains(&places, 1e9)[0];
            let rings: Vec<Position> = chain.iter().map(|&i| places[i]).collect();
            // Back along the same way closes the chain without a new edge that could cross.
            let there_and_back: Vec<Position> = rings.iter().chain(rings.iter().rev().skip(1)).copied().collect();
            assert_eq!(crate::geo::Region::new(&[vec![there_and_back]]).crossing(), None, "seed {seed}");
        }
    }
}
