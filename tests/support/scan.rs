//! Wake zones judged a second way: every leg against every edge of the map, without index, lease or grid.

use std::collections::BTreeSet;

use buoyline::geo::{LocalFrame, Position, Span, Spans};
use buoyline::observation::{Observation, VesselId};
use buoyline::time::EventTime;
use buoyline::zones::{Feature, KindSet, Waterway, ZoneKind};

const LIMIT_MPS: f64 = 5.0 * 0.44704;
const RADIUS_M: f64 = 50.0 * 0.3048;

/// What each clause protects.
pub const CLAUSES: &[(&str, &[ZoneKind])] = &[
    ("SMC 10.14.140(B)(1)", &[ZoneKind::SafetyBuoy]),
    ("SMC 10.14.140(B)(2)", &[ZoneKind::Dock]),
    ("SMC 10.14.140(B)(5)", &[ZoneKind::Shoreline]),
    ("SMC 10.14.140(B)(6)", &[ZoneKind::Swimmer, ZoneKind::SwimArea]),
    ("SMC 10.14.140(B)(7)", &[ZoneKind::Float]),
    ("SMC 10.14.140(B)(8)", &[ZoneKind::DiveFlag]),
];

/// A finding of the scan.
#[derive(Debug, Clone)]
pub struct Scanned {
    pub clause: &'static str,
    pub start: EventTime,
    pub end: EventTime,
    pub features: BTreeSet<String>,
}

/// A fix as the scan needs it.
pub type Fixed = (EventTime, Position, Option<f64>);

/// The fixes of one vessel, each time once, in order.
pub fn fixes_of(observations: &[Observation], vessel: &VesselId) -> Vec<(Fixed, f64)> {
    let mut fixes: Vec<(Fixed, f64)> = observations
        .iter()
        .filter_map(|observation| match observation {
            Observation::Fix(id, fix) if id == vessel => {
                Some(((fix.t, fix.position, fix.sog_mps), fix.accuracy_m.unwrap_or(5.0) + 5.0))
            }
            _ => None,
        })
        .collect();
    fixes.sort_by_key(|((t, ..), _)| *t);
    fixes.dedup_by_key(|((t, ..), _)| *t);
    fixes
}

/// Every finding of the wake zone's clauses about features, for a vessel all whose fixes are believed.
pub fn wake_zone_by_scan(waterway: &Waterway, fixes: &[(Fixed, f64)]) -> Vec<Scanned> {
    let on_water: Vec<bool> =
        fixes.iter().map(|((_, p, _), tolerance_m)| waterway.on_water(*p, *tolerance_m)).collect();
    let is_leg =
        |i: usize| i > 0 && on_water[i] && on_water[i - 1] && fixes[i].0.0.seconds_since(fixes[i - 1].0.0) <= 15.0;
    let mut out = Vec::new();
    for (clause, kinds) in CLAUSES {
        let kinds: KindSet = kinds.iter().copied().collect();
        let features: Vec<&Feature> = waterway
            .features
            .iter()
            .filter(|f| kinds.contains(if f.kind == ZoneKind::Waterway { waterway.rim() } else { f.kind }))
            .collect();
        let mut pieces: Vec<Scanned> = Vec::new();
        for i in 0..fixes.len() {
            let ((t, p, sog), _) = fixes[i];
            if is_leg(i) {
                let (from_t, from, from_sog) = fixes[i - 1].0;
                for (span, ids) in leg_spans(&features, (from_t, from, from_sog), (t, p, sog)) {
                    let at = |s: f64| from_t.plus_seconds(s);
                    pieces.push(Scanned { clause, start: at(span.from_s), end: at(span.to_s), features: ids });
                }
            }
            let taken_over = (is_leg(i) && fixes[i - 1].0.2.is_some())
                || (i + 1 < fixes.len() && is_leg(i + 1) && fixes[i + 1].0.2.is_some());
            if sog.is_some() && on_water[i] && !taken_over {
                for (_, ids) in leg_spans(&features, (t, p, sog), (t, p, sog)) {
                    pieces.push(Scanned { clause, start: t, end: t, features: ids });
                }
            }
        }
        pieces.sort_by_key(|piece| (piece.start, piece.end));
        let first = out.len();
        for piece in pieces {
            match out[first..].last_mut() {
                Some(last) if piece.start.seconds_since(Scanned::end(last)) <= 10.0 => {
                    last.end = last.end.max(piece.end);
                    last.features.extend(piece.features);
                }
                _ => out.push(piece),
            }
        }
    }
    out
}

impl Scanned {
    fn end(&self) -> EventTime {
        self.end
    }
}

fn leg_spans(features: &[&Feature], from: Fixed, to: Fixed) -> Vec<(Span, BTreeSet<String>)> {
    let span_s = to.0.seconds_since(from.0);
    let frame = LocalFrame::between(from.1, to.1);
    let motion = buoyline::geo::motion::Motion { from: frame.to_plane(from.1), to: frame.to_plane(to.1), span_s };
    let mean_mps = if span_s > 0.0 { (motion.to - motion.from).norm() / span_s } else { 0.0 };
    let (v0, v1) = match (from.2, to.2) {
        (Some(a), Some(b)) => (a, b),
        _ => (mean_mps, mean_mps),
    };
    // Faster than the limit from here to there: speed is linear.
    let passes_s = span_s * (LIMIT_MPS - v0) / (v1 - v0);
    let fast = match (v0 > LIMIT_MPS, v1 > LIMIT_MPS) {
        (true, true) => Span { from_s: 0.0, to_s: span_s },
        (true, false) => Span { from_s: 0.0, to_s: passes_s },
        (false, true) => Span { from_s: passes_s, to_s: span_s },
        (false, false) => return Vec::new(),
    };
    let mut any = Spans::none();
    let mut each = Vec::new();
    for feature in features {
        let mut spans = Spans::none();
        let mut crossings = vec![0.0, span_s];
        feature.shape.each_edge(&mut |a, b| {
            let (a, b) = (frame.to_plane(a), frame.to_plane(b));
            if let Some(span) = motion.within_of_edge(a, b, RADIUS_M) {
                spans.add(span);
            }
            crossings.extend(motion.crosses_edge(a, b));
        });
        if let Some(region) = feature.region.as_ref().filter(|_| feature.kind != ZoneKind::Waterway) {
            crossings.sort_by(f64::total_cmp);
            for w in crossings.windows(2) {
                let middle = frame.to_position(motion.at(0.5 * (w[0] + w[1])));
                if middle.is_some_and(|p| region.contains(p))
                    && let Some(span) = Span::new(w[0], w[1])
                {
                    spans.add(span);
                }
            }
        }
        let spans = spans.within(fast);
        spans.iter().for_each(|span| any.add(span));
        each.push((feature, spans));
    }
    any.iter()
        .map(|span| {
            let involved = each.iter().filter(|(_, spans)| spans.iter().any(|s| s.intersect(span).is_some()));
            (span, involved.map(|(feature, _)| feature.id.to_string()).collect())
        })
        .collect()
}
