//! All boats as JSON, each made once for every change, by waterway.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use super::boat;
use super::compact::Flat;
use crate::console::Console;
use crate::observation::VesselId;
use crate::serve::{Board, InForce, VesselState};
use crate::time::EventTime;

/// The board is asked for news no more often than this.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// A boat this far ashore is still shown with the waterway, metres: on its trailer, or in a boat house.
const ASHORE_M: f64 = 200.0;

/// All boats. Cheap to clone.
#[derive(Debug, Default, Clone)]
pub(in crate::console) struct Fleet {
    shown: Arc<Mutex<Shown>>,
}

#[derive(Debug, Default)]
struct Shown {
    boats: BTreeMap<VesselId, Arc<Seen>>,
    /// The revision of the board up to which all is shown.
    revision: u64,
    looked: Option<Instant>,
    /// Who declared the tow of a vessel at the console last, and when.
    declared: BTreeMap<String, (String, EventTime)>,
}

/// A boat in the forms in which it is told.
#[derive(Debug)]
pub(in crate::console) struct Seen {
    /// Which.
    pub id: VesselId,
    waterway: Option<Arc<str>>,
    revision: u64,
    /// Where, degrees.
    pub lat: f64,
    /// Where, degrees.
    pub lon: f64,
    /// As JSON.
    pub json: Arc<RawValue>,
    /// As columns.
    pub(super) flat: Flat,
}

/// What is new of a waterway.
#[derive(Debug, Default)]
pub(in crate::console) struct News {
    /// Boats that changed, by id.
    pub boats: Vec<Arc<Seen>>,
    /// The revision up to which this goes.
    pub revision: u64,
}

impl Fleet {
    /// Takes it that these were the last tows declared at the console: vessel, who, when.
    pub fn declare(&self, tows: impl IntoIterator<Item = (String, String, EventTime)>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.declared.extend(tows.into_iter().map(|(vessel, by, t)| (vessel, (by, t))));
    }

    /// What changed on a waterway after a revision.
    pub fn news(&self, console: &Console, waterway: &str, after: u64) -> News {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.look(console);
        let mut news = News { revision: shown.revision, ..News::default() };
        let changed = shown.boats.values().filter(|seen| seen.revision > after);
        news.boats = changed.filter(|seen| seen.waterway.as_deref() == Some(waterway)).cloned().collect();
        news
    }

    /// Whether a boat is still there on a waterway.
    pub fn is_on(&self, vessel: &VesselId, waterway: &str) -> bool {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.boats.get(vessel).is_some_and(|seen| seen.waterway.as_deref() == Some(waterway))
    }
}

impl Shown {
    /// Takes over what is new on the board.
    fn look(&mut self, console: &Console) {
        if self.looked.is_some_and(|at| at.elapsed() < LOOK_EVERY) {
            return;
        }
        self.looked = Some(Instant::now());
        let board = console.desk().board();
        let law = console.law();
        let (changed, revision) = board.vessels_since(self.revision);
        self.revision = revision;
        // The tracker of somebody in tow is shown with the boat.
        for (id, state) in changed.into_iter().filter(|(_, state)| state.fix.towed_by.is_none()) {
            let boat = boat::boat(&id, &state, self.declared.get(id.as_str()));
            let (json, flat) = (boat.json(), Flat::of(&id, &boat));
            let waterway = waterway_of(&state, &law);
            let [lat, lon] = [state.fix.position.lat_deg(), state.fix.position.lon_deg()];
            let seen = Seen { id: id.clone(), waterway, revision: state.revision, lat, lon, json, flat };
            self.boats.insert(id, Arc::new(seen));
        }
        self.boats.retain(|id, _| board.knows(id));
    }
}

/// The boats on a waterway or beside it, of those heard of in the last hour; trackers on skiers are none.
pub(in crate::console) fn boats_on<'a>(
    board: &Board,
    law: &'a InForce,
    waterway: &'a str,
) -> impl Iterator<Item = (VesselId, VesselState)> + use<'a> {
    board
        .vessels()
        .into_iter()
        .filter(move |(_, state)| state.fix.towed_by.is_none() && waterway_of(state, law).as_deref() == Some(waterway))
}

/// The waterway a boat is on, or lies beside.
pub(in crate::console) fn waterway_of(state: &VesselState, law: &InForce) -> Option<Arc<str>> {
    let on = state.regard.as_ref().and_then(|regard| regard.waterway.as_ref());
    let beside = || law.map.locate(state.fix.position, ASHORE_M).map(|ix| &law.map.waterway(ix).id);
    on.or_else(beside).map(|id| id.as_str().into())
}
