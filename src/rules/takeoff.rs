//! The lawful take-off: straight out from the shore, soon after the skier came up (SMC 10.14.170(E)).

use super::shore::heading_out;
use super::{Excuse, Scene};
use crate::geo::Spans;
use crate::rulebook::Section;
use crate::time::EventTime;
use crate::units::{Angle, TimeSpan};

/// What makes a take-off a lawful one.
#[derive(Debug, Clone, Copy)]
pub(super) struct TakeOff {
    /// How long after the skier came up it may last.
    time: TimeSpan,
    /// How far the course may be off straight away from the nearest shoreline.
    course_within: Angle,
}

impl TakeOff {
    /// Reads the settings under `takeoff`, where they are given.
    pub(super) fn read(section: &mut Section<'_>) -> Option<Self> {
        let mut table = section.table("takeoff")?;
        let (time, course_within) = (table.need("time"), table.need("course_within"));
        table.finish();
        Some(Self { time: time?, course_within: course_within? })
    }

    /// The part of the leg on which the vessel is in a lawful take-off.
    pub(super) fn lawful(&self, scene: &Scene<'_>) -> Spans {
        let taking_off = scene.taking_off(self.time);
        if taking_off.is_empty() {
            return taking_off;
        }
        taking_off.intersect(&heading_out(scene, self.course_within))
    }

    /// What it excuses on the leg: one for each time that a skier came up.
    pub(super) fn excuses(&self, scene: &Scene<'_>) -> Vec<Excuse> {
        let mut came_up: Vec<EventTime> = scene.tow_parts().filter_map(|part| part.tow.came_up).collect();
        came_up.dedup();
        let excuse = |from: EventTime| {
            let until = from.plus_seconds(self.time.s());
            Excuse { from, until, within_deg: self.course_within.deg() }
        };
        came_up.into_iter().map(excuse).filter(|excuse| excuse.until >= scene.leg.start).collect()
    }
}
