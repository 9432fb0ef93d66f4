//! What is said about vessels and waters beside their positions.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Light, NavStatus, WaterwayId};
use crate::time::EventTime;
use crate::zones::{Shape, ZoneKind};

/// What a vessel is doing from `t` on, until the next one says otherwise. `None` says nothing;
/// the inner `None` of a nested option says "none".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    /// From when it holds.
    pub t: EventTime,
    /// What is in tow: `Some(None)` for nothing.
    pub towing: Option<Option<Towing>>,
    /// What the vessel says it is doing.
    pub nav_status: Option<NavStatus>,
    /// Age of the observer in years: `Some(None)` for no observer.
    pub observer_age: Option<Option<f64>>,
    /// Age of the operator in years.
    pub operator_age: Option<f64>,
    /// Whether an adult supervises the operator.
    pub supervised: Option<bool>,
    /// How many people are aboard.
    pub persons_aboard: Option<u32>,
    /// Whether the warning flag is held up.
    pub warning_flag: Option<bool>,
    /// Whether the siren sounds.
    pub siren: Option<bool>,
    /// Lights shown.
    pub lights: Option<Box<[Light]>>,
}

impl Activity {
    /// Takes over what an earlier one said and this one does not.
    pub fn inherit(&mut self, earlier: &Self) {
        self.towing = self.towing.or(earlier.towing);
        self.nav_status = self.nav_status.or(earlier.nav_status);
        self.observer_age = self.observer_age.or(earlier.observer_age);
        self.operator_age = self.operator_age.or(earlier.operator_age);
        self.supervised = self.supervised.or(earlier.supervised);
        self.persons_aboard = self.persons_aboard.or(earlier.persons_aboard);
        self.warning_flag = self.warning_flag.or(earlier.warning_flag);
        self.siren = self.siren.or(earlier.siren);
        if self.lights.is_none() {
            self.lights.clone_from(&earlier.lights);
        }
    }
}

/// Somebody in tow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Towing {
    /// On skis or in the water.
    pub state: TowingState,
    /// Length of the rope in metres, where said.
    pub rope_m: Option<f64>,
    /// How many persons are in tow, where said.
    pub persons: Option<u32>,
}

/// Whether the towed person is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TowingState {
    /// On the skis, board or tube.
    Up,
    /// In the water.
    Down,
}

/// What a vessel is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Profile {
    /// From when it holds; always, where absent.
    pub t: Option<EventTime>,
    /// Name as painted on.
    pub name: Option<String>,
    /// Nine digits of its radio identity.
    pub mmsi: Option<String>,
    /// Kind of vessel.
    pub class: Option<VesselClass>,
    /// Length over all, metres.
    pub length_m: Option<f64>,
    /// Greatest width, metres.
    pub beam_m: Option<f64>,
    /// Engine power, horsepower.
    pub engine_hp: Option<f64>,
    /// Year built.
    pub year: Option<i32>,
}

/// Kinds of vessels that rules tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VesselClass {
    /// Propelled by machinery.
    Motorboat,
    /// Personal watercraft.
    Pwc,
    /// Propelled primarily by wind.
    Sailboat,
    /// Propelled by muscle.
    Nonmotorized,
    /// In commercial service.
    Commercial,
    /// Law enforcement and rescue.
    Patrol,
}

/// Something put on the water, moved or taken in, from `t` on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Which one.
    pub id: Arc<str>,
    /// From when it holds.
    pub t: EventTime,
    /// What became of it.
    pub change: MarkChange,
}

/// What became of a mark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum MarkChange {
    /// It lies there now.
    Placed {
        /// What it is.
        kind: ZoneKind,
        /// Where it lies.
        shape: Shape,
        /// Until when, where said.
        until: Option<EventTime>,
    },
    /// It was taken in.
    Removed,
}

/// Conditions on one waterway from `t` on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// Which waterway.
    pub waterway: WaterwayId,
    /// From when they hold.
    pub t: EventTime,
    /// How far one can see, metres.
    pub visibility_m: Option<f64>,
    /// The weather.
    pub weather: Option<Weather>,
    /// Water level above the waterway's own datum, metres.
    pub water_level_m: Option<f64>,
}

/// Weather that a rule asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weather {
    /// Nothing that limits sight.
    Clear,
    /// Fog.
    Fog,
    /// Mist.
    Mist,
    /// Falling snow.
    Snow,
    /// A heavy rainstorm.
    HeavyRain,
}

impl Weather {
    /// Whether it is one of those that restrict visibility.
    pub const fn restricts_visibility(self) -> bool {
        !matches!(self, Self::Clear)
    }
}
