//! Fixes out of the log as fast as they can be had, for judging a long period again.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rusqlite::params;

use super::entry::{FixExtras, Kind};
use super::{Sqlite, StoreError};
use crate::geo::Position;
use crate::observation::{Fix, Observation, VesselId};
use crate::time::EventTime;

/// The part of the log that is read, and what of it is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Bunches {
    /// Behind this position.
    pub after: u64,
    /// Up to this one, itself included.
    pub until: u64,
    /// Fixes from this time on.
    pub from: EventTime,
    /// And up to this time.
    pub to: EventTime,
    /// How many fixes are handed on at a time.
    pub size: usize,
}

/// Fixes in the order of the log, each with its position.
pub type Bunch = Vec<(u64, Observation)>;

impl Sqlite {
    /// Hands on the fixes of a part of the log for which `is_wanted` says so of their position, in bunches, until `take`
    /// says that it wants no more. `take` is also told the position that has been reached.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn each_bunch(
        &self,
        asked: &Bunches,
        is_wanted: impl Fn(f64, f64) -> bool,
        mut take: impl FnMut(Bunch, u64) -> bool,
    ) -> Result<(), StoreError> {
        let mut statement = self.ok(self.connection.prepare_cached(
            "SELECT position, t, lat, lon, sog_mps, cog_deg, accuracy_m, about, body FROM log
             WHERE position > ?1 AND position <= ?2 AND kind = ?3 AND t >= ?4 AND t <= ?5 ORDER BY position",
        ))?;
        let range =
            params![asked.after as i64, asked.until as i64, Kind::Fix as i64, asked.from.unix_ns(), asked.to.unix_ns()];
        let mut rows = self.ok(statement.query(range))?;
        let mut names: HashMap<String, VesselId, FixedState> = HashMap::default();
        let mut extras: (Vec<u8>, FixExtras) = Default::default();
        let mut bunch = Vec::with_capacity(asked.size);
        while let Some(row) = self.ok(rows.next())? {
            let place = self.ok(row.get::<_, i64>(0))?.unsigned_abs();
            let (lat_deg, lon_deg): (f64, f64) = (self.ok(row.get(2))?, self.ok(row.get(3))?);
            if !is_wanted(lat_deg, lon_deg) {
                continue;
            }
            let about = self.ok(row.get_ref(7))?;
            let about = about.as_str().map_err(|error| self.unreadable(place, error.to_string()))?;
            let vessel = match names.get(about) {
                Some(vessel) => vessel.clone(),
                None => {
                    let vessel = VesselId::new(about).map_err(|error| self.unreadable(place, error.to_string()))?;
                    names.insert(about.to_owned(), vessel.clone());
                    vessel
                }
            };
            let position = Position::from_lat_lon(lat_deg, lon_deg);
            let position = position.map_err(|error| self.unreadable(place, error.to_string()))?;
            let mut fix = Fix::new(EventTime::from_unix_ns(self.ok(row.get(1))?), position);
            fix.sog_mps = self.ok(row.get(4))?;
            fix.cog_deg = self.ok(row.get(5))?;
            fix.accuracy_m = self.ok(row.get(6))?;
            if let Ok(Some(json)) = self.ok(row.get_ref(8))?.as_blob_or_null() {
                // Most say the same as the one before.
                if extras.0 != json {
                    extras = (json.to_vec(), FixExtras::read(json).map_err(|reason| self.unreadable(place, reason))?);
                }
                extras.1.clone().put_in(&mut fix);
            }
            let observation = Observation::Fix(vessel, fix);
            bunch.push((place, observation));
            if bunch.len() == asked.size {
                let full = std::mem::replace(&mut bunch, Vec::with_capacity(asked.size));
                if !take(full, place) {
                    return Ok(());
                }
            }
        }
        take(bunch, asked.until);
        Ok(())
    }
}
