//! Who is in tow, and where the skier is behind the boat.
//!
//! What a crew declares becomes a [`Crew`]: whether somebody is in tow, up or down, and since when. A boat's leg
//! becomes the skier's way on it: where a tracker on the skier says, else along the pursuit curve of the boat's
//! path. How a rule reads that is in `crate::rules`; nothing here is a judgement. Landing is no state of its
//! own: the text excepts take-offs only, and what comes after one is skiing until the skier is down. Where a rulebook
//! asks for it, [`Habit`] guesses from motion who tows without saying so.

mod habit;
mod passing;
mod pull;
#[cfg(test)]
mod pull_tests;
mod rounding;
mod stretch;
mod tow;
mod tow_leg;
mod trace;

pub use habit::Habit;
pub use pull::pull;
pub use rounding::{Gate, Rounder, Rounding, abreast, slalom};
pub use stretch::{Drawn, Steady, Stretch, Way};
pub use tow::{Crew, Tow, TowPart, parts_between};
pub use tow_leg::{Extent, TowLeg};
pub use trace::{Knot, KnownBy, Skier, tracked, untracked};
