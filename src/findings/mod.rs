//! What rules saw on legs becomes findings: merged intervals with a peak, odds, an id and a sentence.
//!
//! A [`Piece`] is one sighting on the vessel's own clock. A [`Ledger`] holds the pieces of one clause of
//! one vessel, merges those close in time, and says what to publish as they come, change and go.

mod confidence;
mod course;
mod disc;
mod finding;
mod ledger;
#[cfg(test)]
mod ledger_tests;
mod stories;
mod text;

pub use confidence::{Errors, Odds, normal_cdf, reported_sigma_mps, sigma_m};
pub use disc::{share_along_line, share_in_disc};
pub use finding::{Finding, Peak, Status, Verdict};
pub use ledger::{Evidence, Key, Ledger, Merged, News, Piece, Terms};
pub use text::{Words, name_of};
