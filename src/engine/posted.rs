//! What lies on the waters beside the map: marks that somebody put out, and what was reported of sight and weather.

use std::sync::Arc;

use super::Engine;
use crate::observation::{Conditions, MarkChange, WaterwayId};
use crate::time::EventTime;
use crate::zones::{Shape, ZoneKind};

/// What lies on a waterway beside its map.
#[derive(Debug, Clone, PartialEq)]
pub struct Posted {
    /// Which waterway.
    pub waterway: WaterwayId,
    /// Marks as last said, also those whose time is over or has not come.
    pub marks: Vec<PostedMark>,
    /// The last report of sight and weather.
    pub conditions: Option<Conditions>,
}

/// A mark on the water.
#[derive(Debug, Clone, PartialEq)]
pub struct PostedMark {
    /// Its id.
    pub id: Arc<str>,
    /// What it is.
    pub kind: ZoneKind,
    /// Where.
    pub shape: Shape,
    /// From when.
    pub from: EventTime,
    /// Until when, as far as known.
    pub until: Option<EventTime>,
}

impl Engine {
    /// What lies on each waterway of the map.
    pub fn posted(&self) -> Vec<Posted> {
        let of = |(waterway, state): (&crate::zones::Waterway, &super::WaterState)| {
            let marks = state.history.values().filter_map(|entries| {
                let last = entries.last()?;
                let MarkChange::Placed { kind, shape, until } = &last.change else { return None };
                Some(PostedMark { id: last.id.clone(), kind: *kind, shape: shape.clone(), from: last.t, until: *until })
            });
            let reports = state.conditions.iter().rev();
            let conditions = reports.clone().find(|c| c.weather.is_some() || c.visibility_m.is_some());
            Posted { waterway: waterway.id.clone(), marks: marks.collect(), conditions: conditions.cloned() }
        };
        self.map.waterways.iter().zip(&self.waters).map(of).collect()
    }
}
