//! Wake zones judged a second way: on the scenario's own plane, by looking every five milliseconds.
//!
//! Shares nothing with the crate but the numbers of the rule: distances by Pythagoras, motion by stepping.

use std::collections::BTreeMap;

use buoyline::geo::Vec2;

use super::scenario::{Drawing, Drawn, Lake, Plot, Scenario};

const STEP_S: f64 = 0.005;
const LIMIT_MPS: f64 = 5.0 * 0.44704;
const RADIUS_M: f64 = 50.0 * 0.3048;
const MAX_GAP_MS: i64 = 15_000;
const MERGE_GAP_S: f64 = 10.0;

/// What each clause protects.
const CLAUSES: &[(&str, &[&str])] = &[
    ("SMC 10.14.140(B)(1)", &["safety_buoy"]),
    ("SMC 10.14.140(B)(2)", &["dock"]),
    ("SMC 10.14.140(B)(5)", &["waterway"]),
    ("SMC 10.14.140(B)(6)", &["swimmer", "swim_area"]),
    ("SMC 10.14.140(B)(7)", &["float"]),
    ("SMC 10.14.140(B)(8)", &["dive_flag"]),
];

/// A stretch of time in which a clause was broken, seconds since the scenario's start.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    pub clause: &'static str,
    pub vessel: String,
    pub start_s: f64,
    pub end_s: f64,
    pub top_mps: f64,
}

pub fn distance_to_edge_m(p: Vec2, a: Vec2, b: Vec2) -> f64 {
    let along = b - a;
    let share = if along.norm2() > 0.0 { ((p - a).dot(along) / along.norm2()).clamp(0.0, 1.0) } else { 0.0 };
    (p - a - along * share).norm()
}

/// Whether a point lies within the rings, by crossings of a ray.
pub fn is_inside(p: Vec2, rings: &[Vec<Vec2>]) -> bool {
    let crosses = |w: &[Vec2]| {
        (w[0].north_m > p.north_m) != (w[1].north_m > p.north_m)
            && p.east_m
                < w[0].east_m + (p.north_m - w[0].north_m) / (w[1].north_m - w[0].north_m) * (w[1].east_m - w[0].east_m)
    };
    rings.iter().flat_map(|ring| ring.windows(2)).filter(|w| crosses(w)).count() % 2 == 1
}

fn edges(drawn: &Drawn) -> Vec<(Vec2, Vec2)> {
    match &drawn.shape {
        Drawing::Point(p) => vec![(*p, *p)],
        Drawing::Line(points) => points.windows(2).map(|w| (w[0], w[1])).collect(),
        Drawing::Area(rings) => rings.iter().flat_map(|ring| ring.windows(2)).map(|w| (w[0], w[1])).collect(),
    }
}

impl Lake {
    /// Whether a point lies in the water.
    pub fn contains(&self, p: Vec2) -> bool {
        matches!(&self.features[0].shape, Drawing::Area(rings) if is_inside(p, rings))
    }

    fn on_water(&self, plot: &Plot) -> bool {
        let tolerance_m = plot.accuracy_m.unwrap_or(5.0) + 5.0;
        self.contains(plot.at)
            || edges(&self.features[0]).iter().any(|(a, b)| distance_to_edge_m(plot.at, *a, *b) <= tolerance_m)
    }
}

/// Every stretch of a scenario with one lake, without glitches and reports.
pub fn wake_zone_by_sampling(scenario: &Scenario) -> Vec<Stretch> {
    let lake = &scenario.lakes[0];
    let mut tracks: BTreeMap<&str, Vec<(i64, &Plot)>> = BTreeMap::new();
    for message in &scenario.messages {
        if let Some(plot) = message.plot() {
            let track = tracks.entry(&plot.vessel).or_default();
            if track.last().is_none_or(|(t, _)| *t != message.at_ms) {
                track.push((message.at_ms, plot));
            }
        }
    }
    let mut found = Vec::new();
    for (vessel, track) in &tracks {
        for (clause, kinds) in CLAUSES {
            let protected: Vec<&Drawn> = lake.features.iter().filter(|f| kinds.contains(&f.kind)).collect();
            for (start_s, end_s, top_mps) in merged(breaches(track, lake, &protected)) {
                found.push(Stretch { clause, vessel: (*vessel).to_owned(), start_s, end_s, top_mps });
            }
        }
    }
    found
}

/// Something protected near a leg: whether it is an area, what it is, and its edges that are near.
type Near<'a> = (bool, &'a Drawn, Vec<(Vec2, Vec2)>);

/// Each sampled instant at which a vessel is too fast near something protected, with its speed.
fn breaches(track: &[(i64, &Plot)], lake: &Lake, protected: &[&Drawn]) -> Vec<(f64, f64)> {
    let mut out = Vec::new();
    let water: Vec<bool> = track.iter().map(|(_, plot)| lake.on_water(plot)).collect();
    let is_leg = |i: usize| i > 0 && water[i] && water[i - 1] && track[i].0 - track[i - 1].0 <= MAX_GAP_MS;
    let mps = |i: usize| track[i].1.sog_kn.map(|kn| kn * 1852.0 / 3600.0);
    let reach = |a: Vec2, b: Vec2| -> Vec<Near<'_>> {
        let (middle, margin_m) = ((a + b) * 0.5, RADIUS_M + 0.5 * (b - a).norm() + 1.0);
        let near = |drawn: &&&Drawn| {
            edges(drawn).iter().any(|(p, q)| distance_to_edge_m(middle, *p, *q) <= margin_m)
                || matches!(&drawn.shape, Drawing::Area(rings) if drawn.kind != "waterway" && is_inside(middle, rings))
        };
        let is_area = |drawn: &Drawn| drawn.kind != "waterway" && matches!(drawn.shape, Drawing::Area(_));
        protected
            .iter()
            .filter(near)
            .map(|drawn| {
                let mut near_edges = edges(drawn);
                near_edges.retain(|(p, q)| distance_to_edge_m(middle, *p, *q) <= margin_m);
                (is_area(drawn), *drawn, near_edges)
            })
            .collect()
    };
    let is_near = |p: Vec2, near: &[Near<'_>]| {
        near.iter().any(|(is_area, drawn, edges)| {
            edges.iter().any(|(a, b)| distance_to_edge_m(p, *a, *b) <= RADIUS_M)
                || *is_area && matches!(&drawn.shape, Drawing::Area(rings) if is_inside(p, rings))
        })
    };
    for i in 0..track.len() {
        let (t_ms, plot) = track[i];
        if is_leg(i) {
            let (from_ms, from) = track[i - 1];
            let near = reach(from.at, plot.at);
            let span_s = (t_ms - from_ms) as f64 / 1000.0;
            let mean_mps = (plot.at - from.at).norm() / span_s;
            let steps = (span_s / STEP_S).ceil() as usize;
            for k in 0..=steps {
                let share = k as f64 / steps as f64;
                let speed = match (mps(i - 1), mps(i)) {
                    (Some(a), Some(b)) => a + (b - a) * share,
                    _ => mean_mps,
                };
                if speed > LIMIT_MPS && !near.is_empty() && is_near(from.at + (plot.at - from.at) * share, &near) {
                    out.push((from_ms as f64 / 1000.0 + share * span_s, speed));
                }
            }
        }
        let taken_over =
            (is_leg(i) && mps(i - 1).is_some()) || (i + 1 < track.len() && is_leg(i + 1) && mps(i + 1).is_some());
        if let Some(speed) = mps(i).filter(|speed| *speed > LIMIT_MPS && water[i] && !taken_over)
            && is_near(plot.at, &reach(plot.at, plot.at))
        {
            out.push((t_ms as f64 / 1000.0, speed));
        }
    }
    out.sort_by(|a, b| a.0.total_cmp(&b.0));
    out
}

fn merged(instants: Vec<(f64, f64)>) -> Vec<(f64, f64, f64)> {
    let mut out: Vec<(f64, f64, f64)> = Vec::new();
    for (t_s, mps) in instants {
        match out.last_mut() {
            Some(last) if t_s - last.1 <= MERGE_GAP_S => *last = (last.0, t_s, last.2.max(mps)),
            _ => out.push((t_s, t_s, mps)),
        }
    }
    out
}
