//! What happened around one finding, from what bears on it alone.

use std::collections::BTreeSet;

use super::Review;
use super::gather::{Gathering, Terms};
use super::lead::Lead;
use crate::engine::{Engine, Event};

/// The tracks of the vessels of a finding from so many seconds before it to so many after it, with the limit in force
/// at every fix; without findings.
pub fn around(lead: &Lead, before_s: f64, after_s: f64) -> Review {
    let vessels: BTreeSet<_> = std::iter::once(&lead.vessel).chain(&lead.other).cloned().collect();
    let mut gathering = Gathering::new(Terms {
        from: lead.start.plus_seconds(-before_s),
        to: lead.end.plus_seconds(after_s),
        waterway: lead.waterway.clone(),
        vessels,
    });
    let mut engine = Engine::new(lead.map.clone(), lead.rulebook.clone());
    let mut events = Vec::new();
    for (position, observation) in &lead.observations {
        engine.observe(*position, observation, &mut events);
        gathering.observed(*position, observation, &mut engine);
    }
    engine.finish(&mut events);
    for event in events {
        if let Event::Refused { position, vessel, t, reason } = event {
            gathering.refused(position, &vessel, t, reason);
        }
    }
    gathering.finish(&engine, Vec::new())
}
