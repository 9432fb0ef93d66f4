//! What happened in a period, for those who look at it afterwards: tracks with the limit in force at every fix,
//! findings, and what is not known.
//!
//! ```text
//! store ──────── stored ────┐
//! recording ──── uploaded ──┴─▶ gather ─▶ Review     tracks as columns, gaps, refusals, findings, sun
//! store, finding ─ stretch ──▶ explain ─▶ Explained  what was measured, how sure, what would change it
//! store, draft ──── change ──▶ Changed               findings gained, lost, with other odds
//! ```
//!
//! Everything is judged again by the engine itself, so that what is shown is what was judged. Nothing here is stored.

mod around;
mod change;
mod columns;
mod compare;
mod drafted;
mod explain;
mod gather;
mod lead;
mod stored;
mod uploaded;
mod what_if;
mod would_change;

pub use around::around;
pub use change::{LawPair, Progress, Question, what_would_change};
pub use columns::{DraftOf, Fixes, Gap, LimitReason, Overview, Refused, Review, SkierColumns, SunTime, Tow, Track};
pub use compare::{Changed, Made};
pub use drafted::drafted;
pub use explain::{Explained, Measured, Permit, Quoted, Sure, WouldChange, clause_of, explain, feature_name, fixes_of};
pub use lead::Lead;
pub use stored::{Asked, FIXES_MAX, stored};
pub use uploaded::{Unreadable, uploaded};
pub use what_if::{Outcome, WhatIf};

/// The longest period that is reviewed at once, seconds.
pub const PERIOD_MAX_S: f64 = 86_400.0;
