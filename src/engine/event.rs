//! What goes into the engine, and what comes out of it.

use std::sync::Arc;

use crate::findings::Finding;
use crate::observation::{Observation, RefusalReason, VesselId, WaterwayId};
use crate::rulebook::Rulebook;
use crate::time::EventTime;
use crate::zones::Map;

/// An entry of the ordered log.
#[derive(Debug, Clone)]
pub enum Input {
    /// Something observed.
    Observation(Observation),
    /// This map is in force from here.
    Map(Arc<Map>),
    /// This rulebook is in force from here.
    Rulebook(Arc<Rulebook>),
    /// It is at least this late on a waterway, or on none: vessels that have been silent for long go, and what is
    /// open about them closes, although nothing more is heard there.
    Clock(Option<WaterwayId>, EventTime),
}

/// What an entry of the log led to.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A finding opened, changed, closed or was withdrawn.
    Finding(Box<Finding>),
    /// A fix was not judged.
    Refused {
        /// Its place in the log.
        position: u64,
        /// Whose it is.
        vessel: VesselId,
        /// Its time.
        t: EventTime,
        /// Why.
        reason: RefusalReason,
    },
    /// Fixes of one vessel, or of several, were accepted for good.
    Accepted {
        /// How many.
        count: u64,
    },
    /// A vessel that was not known, or no longer, is heard.
    Appeared {
        /// Which one.
        vessel: VesselId,
    },
    /// Something was said that can change nothing: it is about no water of the map.
    Idle {
        /// What.
        what: &'static str,
    },
    /// A permit lifted a rule for a stretch of one leg.
    Lifted {
        /// Whose leg.
        vessel: VesselId,
        /// The rule.
        rule: &'static str,
        /// The permit area.
        permit: Arc<str>,
    },
}
