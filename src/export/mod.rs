//! What a replay found, written in exchange formats: one file a format, one line in [`FORMATS`].
//!
//! A format is a function from a [`Report`] to text. It reads no file and no clock and knows nothing of
//! terminals; [`summary`] is what `--summary` writes beside them.

mod csv;
mod encounter_row;
mod geojson;
mod ndjson;
mod published;
mod row;
pub mod summary;
mod text;
mod tracks;

use std::io::{self, Write};
use std::sync::Arc;

use chrono_tz::Tz;

use crate::encounter::{self, Encounter, Path, Terms};
use crate::findings::Finding;
use crate::observation::VesselId;
use crate::replay::driver::Outcome;
use crate::rulebook::Rulebook;
use crate::zones::Map;

pub use ndjson::{amended_line, line as finding_line};
pub use published::{PUBLISHED_FORMATS, PublishedFormat, finding_feature, flat};
pub use text::span;
pub use tracks::{TRACK_FORMATS, TrackFormat, TrackOf, track_feature};

/// A format of findings.
#[derive(Debug)]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub purpose: &'static str,
    /// Whether it draws where vessels went, so that [`Outcome::paths`] is wanted.
    pub draws_paths: bool,
    /// Whether it says for how long vessels could be judged, so that [`Outcome::accounts`] is wanted.
    pub tells_accounts: bool,
    /// Writes the report.
    pub write: fn(&Report<'_>, &mut dyn Write) -> io::Result<()>,
    /// Writes encounters instead of findings.
    pub write_encounters: fn(&[Encounter], &Report<'_>, &mut dyn Write) -> io::Result<()>,
}

/// All formats; the first is the default.
pub const FORMATS: &[Format] = &[text::FORMAT, ndjson::FORMAT, geojson::FORMAT, csv::FORMAT];

/// What is to be written.
#[derive(Debug)]
pub struct Report<'a> {
    /// What came out of the replay.
    pub outcome: &'a Outcome,
    /// The map it was judged by.
    pub map: &'a Map,
    /// The rulebook it was judged by, or the last of them.
    pub rulebook: &'a Rulebook,
    /// Others that it was judged by before, where the rulebook changed on the way.
    pub earlier: &'a [Arc<Rulebook>],
    /// The clocks that people read.
    pub time_zone: Tz,
    /// After how many columns lines for people are broken; `None` for never.
    pub columns: Option<usize>,
}

impl Report<'_> {
    /// Whether the rulebook's edition was in force when a finding began.
    pub fn in_force(&self, finding: &Finding) -> bool {
        let earlier = self.earlier.iter().find(|rulebook| rulebook.version == finding.rulebook_version);
        earlier.map_or(self.rulebook, Arc::as_ref).in_force(finding.start)
    }
}

/// The encounters of the vessels of a report whose paths were all kept; with `vessel` only those of that one.
pub fn encounters(report: &Report<'_>, vessel: Option<&VesselId>) -> Vec<Encounter> {
    let outcome = report.outcome;
    let paths: Vec<Path<'_>> = outcome
        .paths
        .iter()
        .map(|(vessel, fixes)| Path {
            vessel,
            towers: outcome.towed.get(vessel).map_or(&[], Vec::as_slice),
            fixes,
            breaks: outcome.breaks.get(vessel).map_or(&[], Vec::as_slice),
        })
        .collect();
    let mut met = encounter::encounters(&paths, &Terms::usual(report.rulebook.motion.max_gap_s));
    met.retain(|met| vessel.is_none_or(|vessel| met.vessels.contains(vessel)));
    met
}

/// The rulebook as people name it: name and edition, and since when it is history.
pub fn edition(rulebook: &Rulebook) -> String {
    let Rulebook { name, edition, .. } = rulebook;
    match in_force_days(rulebook) {
        Some(days) => format!("{name}, {edition}, {days}"),
        None => format!("{name}, {edition}"),
    }
}

/// Between which days the rulebook's edition was in force and what holds now; `None` where its dates are not known.
pub fn in_force_days(rulebook: &Rulebook) -> Option<String> {
    let days = match (rulebook.effective_from, rulebook.effective_to) {
        (Some(from), Some(to)) => Some(format!("in force from {from} to {to}")),
        (Some(from), None) => Some(format!("in force since {from}")),
        (None, Some(to)) => Some(format!("in force until {to}")),
        (None, None) => None,
    };
    let successor = rulebook.superseded_by.as_ref().map(|now| format!("replaced by {now}"));
    match (days, successor) {
        (Some(days), Some(successor)) => Some(format!("{days}; {successor}")),
        (days, successor) => days.or(successor),
    }
}

#[cfg(test)]
mod export_tests;
