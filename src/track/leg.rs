//! The stretch of a track that rules judge: from one fix to the next, or one fix alone.

use super::TrackFix;
use crate::geo::motion::Motion;
use crate::geo::{LocalFrame, Position, Span};
use crate::time::EventTime;

/// Speed along a leg: linear in time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedLaw {
    /// At the start, m/s.
    pub from_mps: f64,
    /// At the end, m/s.
    pub to_mps: f64,
}

/// What a rule sees: a vessel on its way from one fix to the next in a straight line at a steady rate,
/// or at one fix alone.
#[derive(Debug, Clone, Copy)]
pub struct Leg {
    /// When it starts.
    pub start: EventTime,
    /// The plane in which it is judged; its origin is the first position.
    pub frame: LocalFrame,
    /// The motion in that plane.
    pub motion: Motion,
    /// The speed; `None` for a single fix that reported none.
    pub speed: Option<SpeedLaw>,
    /// Course where the way itself shows none, degrees true: as the receiver reported it, else of a leg the way of
    /// the last second ([`super::Track::leg`]), or of one fix alone that of the way it lies on.
    other_course_deg: Option<f64>,
}

/// A way shorter than this has no direction of its own, metres.
pub(super) const SHORT_M: f64 = 1.0;

impl Leg {
    /// The leg between two linked fixes.
    pub fn between(from: &TrackFix, to: &TrackFix) -> Self {
        let frame = LocalFrame::between(from.position, to.position);
        let span_s = to.t.seconds_since(from.t);
        let motion = Motion { from: frame.to_plane(from.position), to: frame.to_plane(to.position), span_s };
        let speed = match (from.sog_mps(), to.sog_mps()) {
            (Some(from_mps), Some(to_mps)) => SpeedLaw { from_mps, to_mps },
            _ => {
                let mean_mps = (motion.to - motion.from).norm() / span_s;
                SpeedLaw { from_mps: mean_mps, to_mps: mean_mps }
            }
        };
        Self { start: from.t, frame, motion, speed: Some(speed), other_course_deg: to.cog_deg().or(from.cog_deg()) }
    }

    /// One fix alone, at its instant. Its course is that of `way`, the leg it lies on, where it lies on one, and so
    /// is its speed where it reports none.
    pub fn at(fix: &TrackFix, way: Option<&Self>) -> Self {
        let frame = LocalFrame::at(fix.position);
        let here = frame.to_plane(fix.position);
        Self {
            start: fix.t,
            frame,
            motion: Motion { from: here, to: here, span_s: 0.0 },
            speed: match fix.sog_mps() {
                Some(v) => Some(SpeedLaw { from_mps: v, to_mps: v }),
                None => way.and_then(|way| way.speed),
            },
            other_course_deg: way.and_then(Self::course_deg).or(fix.cog_deg()),
        }
    }

    /// Direction of travel, degrees true: of the way, or for a leg too short to have one as reported, or of the last
    /// second; `None` where none is known.
    pub fn course_deg(&self) -> Option<f64> {
        let way = self.motion.to - self.motion.from;
        if way.norm2() < SHORT_M * SHORT_M { self.other_course_deg } else { way.bearing_deg() }
    }

    /// Whether neither the way nor the receiver shows a course.
    pub(super) fn lacks_course(&self) -> bool {
        (self.motion.to - self.motion.from).norm2() < SHORT_M * SHORT_M && self.other_course_deg.is_none()
    }

    /// The same with a course where it lacks one.
    pub(super) fn with_course(self, course_deg: Option<f64>) -> Self {
        Self { other_course_deg: course_deg, ..self }
    }

    /// The whole leg, in seconds since its start.
    pub fn whole(&self) -> Span {
        self.motion.whole()
    }

    /// When it ends.
    pub fn end(&self) -> EventTime {
        self.start.plus_seconds(self.motion.span_s)
    }

    /// The speed `s` seconds after the start, m/s.
    pub fn speed_at_mps(&self, s: f64) -> Option<f64> {
        let law = self.speed?;
        Some(if self.motion.span_s > 0.0 {
            law.from_mps + (law.to_mps - law.from_mps) * (s / self.motion.span_s)
        } else {
            law.from_mps
        })
    }

    /// The highest speed on the leg, m/s.
    pub fn top_speed_mps(&self) -> Option<f64> {
        self.speed.map(|law| law.from_mps.max(law.to_mps))
    }

    /// During which span the vessel is faster than `limit_mps` (strictly; the ends of the closed span are
    /// where it passes the limit).
    pub fn faster_than(&self, limit_mps: f64) -> Option<Span> {
        let SpeedLaw { from_mps, to_mps, .. } = self.speed?;
        let span_s = self.motion.span_s;
        let passing_s = || span_s * (limit_mps - from_mps) / (to_mps - from_mps);
        match (from_mps > limit_mps, to_mps > limit_mps) {
            (true, true) => Some(self.whole()),
            (true, false) => Span::new(0.0, passing_s().clamp(0.0, span_s)),
            (false, true) => Span::new(passing_s().clamp(0.0, span_s), span_s),
            (false, false) => None,
        }
    }

    /// Where the vessel is `s` seconds after the start.
    pub fn position_at(&self, s: f64) -> Position {
        self.frame.to_position(self.motion.at(s)).unwrap_or(self.frame.origin())
    }

    /// The instant `s` seconds after the start.
    pub fn time_at(&self, s: f64) -> EventTime {
        self.start.plus_seconds(s)
    }

    /// Seconds from the start of the leg to `t`.
    pub fn seconds_to(&self, t: EventTime) -> f64 {
        t.seconds_since(self.start)
    }

    /// The part of the leg from `from` to `until`, ends included, either of which may be open.
    pub fn part_between(&self, from: Option<EventTime>, until: Option<EventTime>) -> Option<Span> {
        Span::new(
            from.map_or(0.0, |t| self.seconds_to(t).max(0.0)),
            until.map_or(self.motion.span_s, |t| self.seconds_to(t).min(self.motion.span_s)),
        )
    }
}
