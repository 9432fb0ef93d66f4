//! What a boating code asks of a map: how near to the shore it looks, and duties about things on the water.

use super::KindSet;
use crate::units::Length;

/// What a map is checked against, beside itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MapLaw {
    /// The smallest distance from a shoreline that a rule minds.
    pub shore_within: Option<Length>,
    /// Hours from UTC of the code's clocks in winter.
    pub utc_offset_h: Option<f64>,
    /// Duties about things on the water.
    pub duties: Vec<Duty>,
    /// The ids of all rules there are, which permits may lift.
    pub rules: Vec<&'static str>,
}

/// A duty of whoever puts something on the water.
#[derive(Debug, Clone, PartialEq)]
pub struct Duty {
    /// How it is cited: `SMC 10.14.210(A)`.
    pub citation: String,
    /// What it is about.
    pub of: KindSet,
    /// What it asks for.
    pub asks: Asks,
    /// Where it does.
    pub place: DutyPlace,
}

/// What a duty asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
    /// A light, in words: `a quick flashing white light`.
    Light(String),
    /// A permit, in words: `a marine permit`.
    Permit(String),
}

/// Where a duty holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DutyPlace {
    /// Anywhere.
    Anywhere,
    /// Where it reaches farther from the shoreline than this.
    Beyond(Length),
    /// Outside the buoy line of its water, where that has one.
    OutsideBuoyLine,
}
