//! The state of a waterway as bytes, and back: cut anywhere, restore, go on is the same as going on.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::vessel::Vessel;
use super::{Engine, place_of};
use crate::observation::{Conditions, Mark, Profile, VesselId, WaterwayId};
use crate::rulebook::Rulebook;
use crate::time::EventTime;
use crate::zones::Map;

/// Grows with every change of what a snapshot holds.
const FORMAT: u32 = 4;

/// Why a snapshot cannot be taken up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// The bytes are no snapshot, or one of another version of Buoyline.
    #[error("not a snapshot that can be read: {0}")]
    Unreadable(String),
    /// It was made with another map or rulebook.
    #[error("made with {what} {found}, in force is {wanted}")]
    Other {
        /// `format`, `map` or `rulebook`.
        what: &'static str,
        /// The version it was made with.
        found: String,
        /// The version in force.
        wanted: String,
    },
    /// There is no such waterway on the map.
    #[error("no waterway {0} on the map")]
    NoWaterway(String),
}

#[derive(Serialize, Deserialize)]
struct Snapshot {
    format: u32,
    /// `None` for what is on no waterway.
    waterway: Option<WaterwayId>,
    map_version: Arc<str>,
    rulebook_version: Arc<str>,
    clock: EventTime,
    swept: EventTime,
    asked: EventTime,
    conditions: Vec<Conditions>,
    had_conditions: bool,
    skier_reach_m: f64,
    marks: Vec<Mark>,
    vessels: Vec<Vessel>,
    profiles: Vec<(VesselId, Vec<Profile>)>,
}

impl Engine {
    /// The state of one waterway, or with `None` of what is on none.
    ///
    /// # Errors
    /// [`SnapshotError::NoWaterway`] where the map has none of this id.
    pub fn snapshot(&self, waterway: Option<&WaterwayId>) -> Result<Vec<u8>, SnapshotError> {
        let place = self.place(waterway)?;
        let water = &self.waters[place];
        let here = |vessel: &&Vessel| place_of(vessel.water, self.map.waterways.len()) == place;
        let vessels: Vec<Vessel> = self
            .named_slots()
            .into_iter()
            .map(|(_, slot)| &self.vessels[slot as usize])
            .filter(here)
            .cloned()
            .collect();
        let mut profiles: Vec<(VesselId, Vec<Profile>)> = self
            .profiles
            .iter()
            .filter(|(id, _)| match self.directory.get(id, &self.vessels) {
                Some(slot) => here(&&self.vessels[slot as usize]),
                None => place == self.map.waterways.len(),
            })
            .map(|(id, history)| (id.clone(), history.clone()))
            .collect();
        profiles.sort_by(|a, b| a.0.cmp(&b.0));
        let snapshot = Snapshot {
            format: FORMAT,
            waterway: waterway.cloned(),
            map_version: self.map_version(place),
            rulebook_version: self.rulebook.version.clone(),
            clock: water.clock,
            swept: water.swept,
            asked: water.asked,
            conditions: water.conditions.clone(),
            had_conditions: water.had_conditions,
            skier_reach_m: water.skier_reach_m,
            marks: water.history.values().flatten().cloned().collect(),
            vessels,
            profiles,
        };
        postcard::to_stdvec(&snapshot).map_err(|error| SnapshotError::Unreadable(error.to_string()))
    }

    /// An engine that goes on from snapshots of its waterways.
    ///
    /// # Errors
    /// [`SnapshotError`] where bytes cannot be read or were made with another map or rulebook.
    pub fn restore<'b>(
        map: Arc<Map>,
        rulebook: Arc<Rulebook>,
        snapshots: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<Self, SnapshotError> {
        let mut engine = Self::new(map, rulebook);
        for bytes in snapshots {
            engine.take_up(bytes)?;
        }
        Ok(engine)
    }

    fn take_up(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let snapshot: Snapshot =
            postcard::from_bytes(bytes).map_err(|error| SnapshotError::Unreadable(error.to_string()))?;
        let same = |what, found: &str, wanted: &str| {
            if found == wanted {
                Ok(())
            } else {
                Err(SnapshotError::Other { what, found: found.to_owned(), wanted: wanted.to_owned() })
            }
        };
        same("format", &snapshot.format.to_string(), &FORMAT.to_string())?;
        let place = self.place(snapshot.waterway.as_ref())?;
        same("map", &snapshot.map_version, &self.map_version(place))?;
        same("rulebook", &snapshot.rulebook_version, &self.rulebook.version)?;

        let water = &mut self.waters[place];
        water.clock = snapshot.clock;
        water.swept = snapshot.swept;
        water.asked = snapshot.asked;
        water.conditions = snapshot.conditions;
        water.had_conditions = snapshot.had_conditions;
        water.skier_reach_m = snapshot.skier_reach_m;
        if let Some(waterway) = self.map.waterways.get(place) {
            for mark in &snapshot.marks {
                water.lay(mark, waterway);
            }
            water.learn_quiet(waterway, &self.rulebook);
        }
        for vessel in snapshot.vessels {
            let slot = self.admit(&vessel.id);
            for entry in &vessel.cells {
                self.waters[usize::from(entry.water)].grid_of(entry.pace).enter(entry.cell, slot);
            }
            for (t, tower) in vessel.file.iter().flat_map(|file| file.towers.clone()) {
                self.note_tracker(slot, &tower, t);
            }
            self.vessels[slot as usize] = vessel;
        }
        self.profiles.extend(snapshot.profiles);
        Ok(())
    }

    fn place(&self, waterway: Option<&WaterwayId>) -> Result<usize, SnapshotError> {
        match waterway {
            None => Ok(self.map.waterways.len()),
            Some(id) => {
                let place = self.map.waterways.iter().position(|w| w.id == *id);
                place.ok_or_else(|| SnapshotError::NoWaterway(id.to_string()))
            }
        }
    }

    fn map_version(&self, place: usize) -> Arc<str> {
        self.map.waterways.get(place).map_or_else(|| self.map.version.clone(), |waterway| waterway.version.clone())
    }
}
