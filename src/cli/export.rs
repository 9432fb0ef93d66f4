//! `buoyline export`: findings and tracks out of a store.

use std::collections::BTreeMap;

use serde_json::Value;

use super::args::Export;
use super::{Ending, print, tell};
use crate::export::{PUBLISHED_FORMATS, TRACK_FORMATS, TrackOf};
use crate::observation::{Fix, Observation, VesselId};
use crate::store::{Bunches, Log as _, Sqlite, StandingQuery, StoreError};
use crate::time::EventTime;

pub(super) fn run(args: &Export) -> Ending {
    let done = Sqlite::open_to_read(&args.store).and_then(|store| {
        if args.what == "findings" {
            let findings = findings(&store, args)?;
            let format = PUBLISHED_FORMATS.iter().find(|format| format.name == args.format);
            Ok(format.map(|format| print(|out| (format.write)(&findings, out))))
        } else {
            let tracks = tracks(&store, args)?;
            let format = TRACK_FORMATS.iter().find(|format| format.name == args.format);
            Ok(format.map(|format| print(|out| (format.write)(&tracks, out))))
        }
    });
    match done {
        Ok(Some(ending)) => ending,
        Ok(None) => Ending::Unusable(format!("{} are not written as {}", args.what, args.format)),
        Err(error) => {
            tell(format_args!("error: {error}"));
            Ending::Faulty
        }
    }
}

/// Findings as they stand, the first one first, each with the state it is in.
fn findings(store: &Sqlite, args: &Export) -> Result<Vec<Value>, StoreError> {
    let query = StandingQuery {
        vessel: args.vessel.as_ref().map(ToString::to_string),
        from: args.from,
        to: args.to,
        is_ascending: true,
        limit: usize::try_from(i64::MAX).unwrap_or(usize::MAX),
        ..StandingQuery::default()
    };
    let standings = store.standings(&query)?;
    Ok(standings
        .into_iter()
        .map(|standing| {
            let mut finding: Value = serde_json::from_str(&standing.json).unwrap_or_default();
            finding["state"] = standing.state.into();
            finding
        })
        .collect())
}

fn tracks(store: &Sqlite, args: &Export) -> Result<Vec<TrackOf>, StoreError> {
    let (from, to) = (args.from.unwrap_or(EventTime::MIN), args.to.unwrap_or(EventTime::MAX));
    let bunches = Bunches { after: 0, until: store.last_position()?, from, to, size: 4_096 };
    let mut tracks: BTreeMap<VesselId, Vec<Fix>> = BTreeMap::new();
    store.each_bunch(
        &bunches,
        |_, _| true,
        |bunch, _| {
            for (_, observation) in bunch {
                if let Observation::Fix(vessel, fix) = observation
                    && args.vessel.as_ref().is_none_or(|only| *only == vessel)
                {
                    tracks.entry(vessel).or_default().push(fix);
                }
            }
            true
        },
    )?;
    for fixes in tracks.values_mut() {
        fixes.sort_by_key(|fix| fix.t);
    }
    Ok(tracks.into_iter().collect())
}
