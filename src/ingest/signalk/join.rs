//! Positions, speeds and courses that come apart become fixes.
//!
//! For every vessel and source the latest speed, course, heading, quality and dilution are kept with their
//! times. A position becomes a fix at once, with those of them that are at most [`JOIN_S`] older or newer
//! than it: nothing waits for what may come, so a position that goes ahead of its speed has the one before,
//! or none. What is kept is a function of the messages alone.

use std::collections::BTreeMap;

use crate::geo::Position;
use crate::ingest::reported::accuracy_of_hdop_m;
use crate::observation::{Fix, Refusal, RefusalReason, VesselId};
use crate::time::EventTime;

/// How far apart a position and a speed may be to make one fix. Receivers report both once a second or more
/// often.
pub(super) const JOIN_S: f64 = 1.0;

/// Vessels and sources that are kept. Beyond that, those longest silent are forgotten.
const KEPT_MAX: usize = 4096;

/// One value that a position is joined with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// Speed over ground, m/s; `None` where the vessel says it has none.
    Speed(Option<f64>),
    /// Course over ground, degrees true.
    Course(Option<f64>),
    /// Heading, degrees true.
    Heading(Option<f64>),
    /// Horizontal dilution of precision.
    Dilution(Option<f64>),
    /// Why positions are no measurements, where they are not.
    Doubt(Option<&'static str>),
}

/// The latest parts of one vessel by one source.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    speed: Option<(EventTime, Option<f64>)>,
    course: Option<(EventTime, Option<f64>)>,
    heading: Option<(EventTime, Option<f64>)>,
    dilution: Option<(EventTime, Option<f64>)>,
    doubt: Option<(EventTime, Option<&'static str>)>,
    /// When it was last heard.
    heard_at: Option<EventTime>,
    /// When its last position arrived.
    position_at: Option<EventTime>,
    /// When values last came of which nothing says how old they are.
    unsettled_at: Option<EventTime>,
}

/// What was heard lately, of all vessels.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    parts: BTreeMap<(VesselId, String), Parts>,
}

impl Joiner {
    /// Keeps one part that was measured at `t`.
    pub(super) fn keep(&mut self, vessel: &VesselId, source: &str, t: EventTime, arrival: EventTime, part: Part) {
        let parts = self.of(vessel, source, arrival);
        if parts.unsettled_at.is_some_and(|at| arrival.seconds_since(at) <= JOIN_S) {
            return;
        }
        match part {
            Part::Speed(value) => parts.speed = Some((t, value)),
            Part::Course(value) => parts.course = Some((t, value)),
            Part::Heading(value) => parts.heading = Some((t, value)),
            Part::Dilution(value) => parts.dilution = Some((t, value)),
            Part::Doubt(value) => parts.doubt = Some((t, value)),
        }
    }

    /// The fix of a position measured at `t`.
    ///
    /// # Errors
    /// [`RefusalReason::BadPosition`] where the source says that its positions are no measurements.
    pub(super) fn fix(
        &mut self,
        vessel: &VesselId,
        source: &str,
        t: EventTime,
        arrival: EventTime,
        position: Position,
    ) -> Result<Fix, Refusal> {
        let parts = self.of(vessel, source, arrival);
        if let Some(why) = near(parts.doubt, t).flatten() {
            return Err(Refusal::new(
                RefusalReason::BadPosition,
                format!("`navigation.gnss.methodQuality` is {why:?}"),
            ));
        }
        let mut fix = Fix::new(t, position);
        fix.sog_mps = near(parts.speed, t).flatten();
        fix.cog_deg = near(parts.course, t).flatten();
        fix.heading_deg = near(parts.heading, t).flatten();
        fix.accuracy_m = accuracy_of_hdop_m(near(parts.dilution, t).flatten());
        Ok(fix)
    }

    /// Notes that a position arrived, and says when the one before did.
    pub(super) fn position_arrived(&mut self, vessel: &VesselId, source: &str, at: EventTime) -> Option<EventTime> {
        self.of(vessel, source, at).position_at.replace(at)
    }

    /// Forgets what was heard of a vessel, and does not hear what comes with it: it may have been stored for long.
    pub(super) fn unsettle(&mut self, vessel: &VesselId, source: &str, at: EventTime) {
        let parts = self.of(vessel, source, at);
        *parts = Parts { heard_at: Some(at), position_at: Some(at), unsettled_at: Some(at), ..Parts::default() };
    }

    fn of(&mut self, vessel: &VesselId, source: &str, arrival: EventTime) -> &mut Parts {
        let key = (vessel.clone(), source.to_owned());
        if self.parts.len() >= KEPT_MAX && !self.parts.contains_key(&key) {
            self.forget_half();
        }
        let parts = self.parts.entry(key).or_default();
        parts.heard_at = Some(arrival);
        parts
    }

    /// Forgets the half of all that was heard longest ago.
    fn forget_half(&mut self) {
        let mut heard: Vec<_> = self.parts.values().map(|parts| parts.heard_at).collect();
        heard.sort_unstable();
        let middle = heard[heard.len() / 2];
        self.parts.retain(|_, parts| parts.heard_at > middle);
    }
}

/// A part, if it was measured near `t`.
fn near<T>(part: Option<(EventTime, T)>, t: EventTime) -> Option<T> {
    part.filter(|(at, _)| t.seconds_since(*at).abs() <= JOIN_S).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded() {
        let mut joiner = Joiner::default();
        let start = EventTime::from_unix_ms(1_796_022_000_000);
        for n in 0..3 * KEPT_MAX {
            let vessel = VesselId::from_mmsi(n as u32);
            let t = start.plus_seconds(n as f64);
            joiner.keep(&vessel, "", t, t, Part::Speed(Some(1.0)));
            assert!(joiner.parts.len() <= KEPT_MAX);
        }
        let newest = (VesselId::from_mmsi(3 * KEPT_MAX as u32 - 1), String::new());
        assert!(joiner.parts.contains_key(&newest));
        // All heard at one instant: all are forgotten rather than more kept.
        let mut joiner = Joiner::default();
        for n in 0..2 * KEPT_MAX {
            joiner.keep(&VesselId::from_mmsi(n as u32), "", start, start, Part::Speed(None));
        }
        assert!(joiner.parts.len() <= KEPT_MAX);
    }
}
