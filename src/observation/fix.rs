//! One position report of one vessel at its own time.

use serde::{Deserialize, Serialize};

use super::VesselId;
use crate::geo::Position;
use crate::time::EventTime;

/// A position report. What the receiver did not report is `None`, never zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// Time of the position.
    pub t: EventTime,
    /// Where.
    pub position: Position,
    /// Speed over ground as reported by the receiver, m/s.
    pub sog_mps: Option<f64>,
    /// Course over ground, degrees true in [0, 360).
    pub cog_deg: Option<f64>,
    /// Where the bow points, degrees true in [0, 360).
    pub heading_deg: Option<f64>,
    /// Radius of 68 % confidence, metres.
    pub accuracy_m: Option<f64>,
    /// What the vessel says it is doing; holds until its next one.
    pub nav_status: Option<NavStatus>,
    /// The towing vessel, where this tracker is on a towed person.
    pub towed_by: Option<VesselId>,
    /// Lights shown, as far as known.
    pub lights: Option<Box<[Light]>>,
}

impl Fix {
    /// A fix with nothing but time and place.
    pub fn new(t: EventTime, position: Position) -> Self {
        Self {
            t,
            position,
            sog_mps: None,
            cog_deg: None,
            heading_deg: None,
            accuracy_m: None,
            nav_status: None,
            towed_by: None,
            lights: None,
        }
    }
}

/// What a vessel says it is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NavStatus {
    /// Under way.
    UnderWay,
    /// At anchor.
    Anchored,
    /// Made fast.
    Moored,
    /// Aground.
    Aground,
    /// Engaged in fishing.
    Fishing,
    /// Trolling a line.
    Trolling,
    /// Under way sailing.
    Sailing,
    /// Under oars or paddles.
    Rowing,
    /// Not under command.
    NotUnderCommand,
    /// Restricted in her ability to manoeuvre.
    Restricted,
}

impl NavStatus {
    /// Whether it says that the vessel does not move over the ground.
    pub const fn is_stationary(self) -> bool {
        matches!(self, Self::Anchored | Self::Moored | Self::Aground)
    }
    /// Whether it says that lines are out: trolling or fishing.
    pub const fn is_trolling(self) -> bool {
        matches!(self, Self::Trolling | Self::Fishing)
    }
    /// Whether limits hold for others near it: it is stationary or trolling.
    pub const fn is_notable(self) -> bool {
        self.is_stationary() || self.is_trolling()
    }
}

/// A light that a vessel shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Light {
    /// White, all round the horizon.
    AllRoundWhite,
    /// White, forward.
    Masthead,
    /// White, aft.
    Stern,
    /// Red to port and green to starboard, separate.
    Sidelights,
    /// Red and green in one lantern.
    RedGreenCombined,
    /// White, all round, at anchor.
    Anchor,
    /// Flashing blue of a law enforcement vessel.
    FlashingBlue,
}
