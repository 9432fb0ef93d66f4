//! The map as the engine asks it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{KindSet, ZoneKind};
use crate::geo::{Position, Region};
use crate::observation::{VesselId, WaterwayId};
use crate::time::EventTime;
use crate::units::Speed;
use crate::window::Window;

/// The geometry of a feature, in degrees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A point.
    Point(Position),
    /// One or more lines.
    Lines(Vec<Vec<Position>>),
    /// One or more polygons, each a list of closed rings, the outer one first.
    Areas(Vec<Vec<Vec<Position>>>),
}

/// Which feature of a waterway: its place in [`Waterway::features`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FeatureIx(pub u32);

/// Which waterway of a map: its place in [`Map::waterways`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WaterwayIx(pub u16);

/// When a feature is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Validity {
    /// Always.
    #[default]
    Always,
    /// From one instant on and until another, ends included; either may be open.
    Between(Option<EventTime>, Option<EventTime>),
    /// Every year from one (month, day) to another, whole days in the rulebook's time zone, across the
    /// new year where the second is earlier.
    EveryYear((u8, u8), (u8, u8)),
}

/// A feature of the map.
#[derive(Debug, Clone)]
pub struct Feature {
    /// Its id, unique in its waterway.
    pub id: Arc<str>,
    /// What it is.
    pub kind: ZoneKind,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Its geometry.
    pub shape: Shape,
    /// When it is there.
    pub validity: Validity,
    /// Whether it is lit, where that is said.
    pub lit: Option<bool>,
    /// The limit of a speed zone.
    pub speed_limit: Option<Speed>,
    /// When a speed zone's limit holds; always, where absent.
    pub hours: Option<Window>,
    /// A permit's vessels; `None` for all.
    pub vessels: Option<Vec<VesselId>>,
    /// The rules that a permit lifts.
    pub lifts: Vec<String>,
    /// For areas: the inside. Parallel to [`Waterway::features`].
    pub region: Option<Region>,
}

/// A straight piece of a feature's boundary or line, or a point where both ends are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// One end.
    pub a: Position,
    /// The other end.
    pub b: Position,
    /// Whose it is.
    pub feature: FeatureIx,
    /// That feature's kind. The rings of the waterway are `Waterway` where shoreline features are given,
    /// else `Shoreline`.
    pub kind: ZoneKind,
}

/// What is known around a position, and for how far it stays true.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surroundings {
    /// Where it was looked up.
    pub at: Position,
    /// No edge of any kind lies nearer than this, metres.
    pub clear_m: f64,
    /// Distance to the water's edge, metres: positive on the water, negative ashore.
    pub water_m: f64,
}

/// All waterways, under one content hash.
#[derive(Debug)]
pub struct Map {
    /// The waterways.
    pub waterways: Vec<Waterway>,
}

/// One waterway and everything drawn on it.
#[derive(Debug)]
pub struct Waterway {
    /// Its id.
    pub id: WaterwayId,
    /// Content hash of the file it came from.
    pub version: Arc<str>,
    /// Everything drawn on it, in file order; derived inshore areas follow.
    pub features: Vec<Feature>,
    /// Kinds that have at least one feature.
    pub kinds: KindSet,
}
