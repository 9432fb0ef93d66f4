//! The rules: each sees one leg of one vessel and says what it saw.
//!
//! A rule keeps no state and knows nothing of merging, ids, confidence or text. To add one, write its
//! file, name it below and add its line to [`ALL`].
//!
//! A rule is only asked about legs it may see something on: those faster than [`Rule::quiet_below_mps`], and
//! where it [looks around](Rule::looks_around), those with a feature or vessel within [`Rule::reach_m`].

mod inshore_wake;
mod night_speed;
mod restricted_visibility;
mod scene;
mod shore;
mod sighting;
mod ski_bow_crossing;
mod ski_clearance;
mod ski_direction;
mod ski_flag;
mod ski_following;
mod ski_hours;
mod ski_inshore;
mod ski_observer;
mod ski_proximity;
mod ski_slalom;
mod speed_cap;
mod speed_zone;
mod takeoff;
mod tow_beside;
mod travel;
#[cfg(test)]
mod travel_tests;
mod wake_zone;

pub use scene::{LaidMark, NearEdge, NearFeature, OtherPath, OwnTow, Roundings, Scene, Subject};
pub use sighting::{Astern, Carrier, Excuse, Limit, Place, Sight, Sighting, SkierSeen, Spot};
pub use tow_beside::{TowBeside, Turn};

use std::fmt;

use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use crate::observation::VesselId;
use crate::rulebook::{Clause, Section};
use crate::skier::TowPart;
use crate::units::Length;
use crate::window::{Neighbourhood, Sky};
use crate::zones::{KindSet, TravelTerms, Waterway};

/// A rule with its settings, ready to judge.
pub trait Rule: fmt::Debug + Send + Sync {
    /// Its public id, kebab-case.
    fn id(&self) -> &'static str;
    /// Its clauses; a [`Sighting`] names one by its place here.
    fn clauses(&self) -> Vec<&Clause>;
    /// At or below this speed nothing breaks on this waterway, m/s.
    fn quiet_below_mps(&self, waterway: &Waterway) -> f64;
    /// At or below this speed nothing breaks on this waterway anywhere in a neighbourhood, for the time it is about:
    /// at least [`Rule::quiet_below_mps`]. More where a clause is known not to bind then, m/s.
    fn quiet_in_mps(&self, waterway: &Waterway, near: &Neighbourhood, sky: &dyn Sky, time_zone: Tz) -> f64 {
        let _ = (near, sky, time_zone);
        self.quiet_below_mps(waterway)
    }
    /// Whether it sees nothing as long as nothing was reported of sight and weather.
    fn needs_conditions(&self) -> bool {
        false
    }
    /// How long a report of sight and weather holds for it, seconds, where it asks for those.
    fn conditions_hold_s(&self) -> Option<f64> {
        None
    }
    /// Whether it asks for features around the leg, or areas it is in.
    fn looks_around(&self) -> bool {
        false
    }
    /// How far around a leg it looks, metres.
    fn reach_m(&self) -> f64 {
        0.0
    }
    /// The smallest distance from a shoreline that a clause of it minds.
    fn shore_within(&self) -> Option<Length> {
        None
    }
    /// Features of which kinds it asks to be slow near, and within how many metres.
    fn slow_near(&self) -> Vec<(KindSet, f64)> {
        Vec::new()
    }
    /// Whether it asks about other vessels that are at rest or trolling.
    fn minds_others(&self) -> bool {
        false
    }
    /// For how long one of its clauses has to be broken without a break to count, seconds.
    fn lasting_s(&self, _clause: u16) -> f64 {
        0.0
    }
    /// How it derives which way ski traffic goes, if it does.
    fn travel(&self) -> Option<TravelTerms> {
        None
    }
    /// Whether it is only asked about legs of a vessel that has somebody in tow, and then at any speed.
    fn needs_tow(&self) -> bool {
        false
    }
    /// Whether it is meant for a tow of which the crew says this, for the accounts.
    fn is_meant_for_tow(&self, said: &SaidOfTow) -> bool {
        said.is_up
    }
    /// Whether the crew says what the rule asks for, for the accounts.
    fn can_judge_tow(&self, said: &SaidOfTow) -> bool {
        let _ = said;
        true
    }
    /// How far from towing vessels and their skiers it looks, metres: more than zero where it is about vessels that
    /// pass those, and then it is only asked about legs beside one, at any speed.
    fn tow_reach_m(&self) -> f64 {
        0.0
    }
    /// Whether it asks how towing vessels turn.
    fn minds_turns(&self) -> bool {
        false
    }
    /// What was seen, in a few words for a person; `None` where the words for speeds will do.
    fn tells(&self, told: &Told<'_>) -> Option<String> {
        let _ = told;
        None
    }
    /// Says what breaks on the leg.
    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>);
}

/// What a crew says of its tow, as far as it decides whether a rule can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SaidOfTow {
    /// Whether the skier is up.
    pub is_up: bool,
    /// Whether anything was said of an observer.
    pub of_observer: bool,
    /// Whether anything was said of the warning flag.
    pub of_flag: bool,
}

impl SaidOfTow {
    /// What is said in a part of a leg.
    pub fn of(part: &TowPart) -> Self {
        Self { is_up: part.tow.is_up, of_observer: part.observer_age.is_some(), of_flag: part.warning_flag.is_some() }
    }
}

/// What a finding has to tell, in the rulebook's units.
#[derive(Debug)]
pub struct Told<'a> {
    /// Who.
    pub vessel: &'a VesselId,
    /// The other vessel.
    pub other: Option<&'a VesselId>,
    /// How near at the worst instant.
    pub distance: Option<String>,
    /// The distance that decides.
    pub within: Option<String>,
    /// What the nearest feature is called.
    pub near: Option<String>,
    /// Whether it was a skier that came near.
    pub is_of_skier: bool,
    /// How fast at the worst instant.
    pub speed: Option<String>,
    /// By how much the course was off the direction of travel then, degrees.
    pub off_course_deg: Option<f64>,
}

/// How a rule is made from its table in a rulebook.
#[derive(Debug)]
pub struct RuleKind {
    /// The rule's public id, which is the name of its table.
    pub id: &'static str,
    /// Reads the table. Faults are recorded in the section; `None` where they leave no rule.
    pub build: fn(&mut Section<'_>) -> Option<Box<dyn Rule>>,
}

/// All rules there are.
pub const ALL: &[RuleKind] = &[
    speed_cap::KIND,
    wake_zone::KIND,
    night_speed::KIND,
    inshore_wake::KIND,
    restricted_visibility::KIND,
    speed_zone::KIND,
    ski_hours::KIND,
    ski_proximity::KIND,
    ski_inshore::KIND,
    ski_following::KIND,
    ski_bow_crossing::KIND,
    ski_clearance::KIND,
    ski_slalom::KIND,
    ski_observer::KIND,
    ski_flag::KIND,
    ski_direction::KIND,
];
