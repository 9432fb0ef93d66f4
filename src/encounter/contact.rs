//! What two vessels have to do with each other over one straight stretch of each.

use super::Closest;
use crate::geo::motion::Motion;
use crate::geo::{LocalFrame, Position, Span, Vec2, near_lon_deg};
use crate::time::EventTime;

/// A straight stretch of a path: where from, where to.
pub(super) type Segment = [(EventTime, Position); 2];

/// A stretch of time in which two vessels, each on a straight way, are within range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contact {
    /// From when.
    pub from: EventTime,
    /// Until when.
    pub to: EventTime,
    /// The second vessel as seen from the first over that time, metres to the east and north.
    apart: Motion,
    segments: [Segment; 2],
}

/// Vessels that change their distance more slowly than this keep it, m/s: what rounding makes of two on one course is no
/// closing in.
const STILL_MPS: f64 = 1e-3;

/// How it stands between two vessels at an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// When.
    pub t: EventTime,
    /// How far apart they are, metres.
    pub range_m: f64,
    /// How near they come if both hold on, and in how long; `None` where they do not close in.
    pub ahead: Option<Ahead>,
}

/// The closest point of approach of two vessels that hold on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ahead {
    /// The range then, metres.
    pub cpa_m: f64,
    /// How long until then, seconds.
    pub tcpa_s: f64,
}

impl Contact {
    /// The contact of two segments: the time both cover and are within `within_m`, if there is any.
    pub(super) fn of(segments: [Segment; 2], within_m: f64) -> Option<Self> {
        let start = segments[0][0].0.max(segments[1][0].0);
        let end = segments[0][1].0.min(segments[1][1].0);
        if end <= start {
            return None;
        }
        let origin = LocalFrame::at(at(&segments[0], start));
        // Both in one plane about the first vessel: over some hundred metres it is true to the millimetre.
        let seen = |t: EventTime| origin.to_plane(at(&segments[1], t)) - origin.to_plane(at(&segments[0], t));
        let whole = Motion { from: seen(start), to: seen(end), span_s: end.seconds_since(start) };
        let near = whole.within_of_edge(Vec2::default(), Vec2::default(), within_m)?;
        let whole_at = |s: f64| whole.at(s);
        let (from, to) = (near.from_s, near.to_s);
        // An end that is not cut stays the fix's own time, so that contacts in a row meet there.
        let instant = |s: f64| if s >= whole.span_s { end } else { start.plus_seconds(s) };
        Some(Self {
            from: instant(from),
            to: instant(to),
            apart: Motion { from: whole_at(from), to: whole_at(to), span_s: to - from },
            segments,
        })
    }

    /// How it stands at the beginning.
    pub(super) fn look(&self) -> Look {
        self.look_at(self.from, self.apart.from)
    }

    /// How it stands at the end.
    pub(super) fn last_look(&self) -> Look {
        self.look_at(self.to, self.apart.to)
    }

    fn look_at(&self, t: EventTime, apart: Vec2) -> Look {
        let span_s = self.apart.span_s;
        let change = if span_s > 0.0 { (self.apart.to - self.apart.from) * (1.0 / span_s) } else { Vec2::default() };
        let closing = -apart.dot(change);
        let ahead = (closing > 0.0 && change.norm() > STILL_MPS).then(|| {
            let tcpa_s = closing / change.norm2();
            Ahead { cpa_m: (apart + change * tcpa_s).norm(), tcpa_s }
        });
        Look { t, range_m: apart.norm(), ahead }
    }

    /// For how long they are within a smaller range, seconds.
    pub(super) fn within_s(&self, range_m: f64) -> f64 {
        self.apart.within_of_edge(Vec2::default(), Vec2::default(), range_m).map_or(0.0, Span::length_s)
    }

    /// The nearest they come in this contact.
    pub(super) fn closest(&self) -> Closest {
        let origin = Vec2::default();
        let (s, distance_m) = self.apart.nearest_to_edge(origin, origin, self.apart.whole());
        let t = self.from.plus_seconds(s).min(self.to);
        let speed = |segment: &Segment| {
            crate::geo::distance_m(segment[0].1, segment[1].1) / segment[1].0.seconds_since(segment[0].0)
        };
        Closest {
            t,
            distance_m,
            positions: [at(&self.segments[0], t), at(&self.segments[1], t)],
            speeds_mps: [speed(&self.segments[0]), speed(&self.segments[1])],
        }
    }
}

/// Where the vessel is at an instant of its segment: straight in longitude and latitude, as the map's edges are.
fn at(segment: &Segment, t: EventTime) -> Position {
    let [(t0, a), (t1, b)] = *segment;
    if t <= t0 || a == b {
        return a;
    }
    if t >= t1 {
        return b;
    }
    let share = t.seconds_since(t0) / t1.seconds_since(t0);
    let lat_deg = a.lat_deg() + share * (b.lat_deg() - a.lat_deg());
    let lon_deg = a.lon_deg() + share * (near_lon_deg(b.lon_deg(), a.lon_deg()) - a.lon_deg());
    Position::from_lat_lon(lat_deg, near_lon_deg(lon_deg, 0.0)).unwrap_or(a)
}
