//! What a feature of the map is.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($( $(#[$meta:meta])* $variant:ident = $name:literal ),+ $(,)?) => {
        /// Kind of a map feature or mark, as `properties.kind` says it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[repr(u8)]
        pub enum ZoneKind { $( $(#[$meta])* $variant ),+ }

        impl ZoneKind {
            /// All kinds, in the order in which they are listed outside.
            pub const ALL: &'static [Self] = &[$( Self::$variant ),+];
            /// The kind as GeoJSON writes it.
            pub const fn as_str(self) -> &'static str { match self { $( Self::$variant => $name ),+ } }
            /// The kind called `name`, if there is one.
            pub fn from_name(name: &str) -> Option<Self> { match name { $( $name => Some(Self::$variant), )+ _ => None } }
        }
    };
}

kinds! {
    /// The water; holes are islands.
    Waterway = "waterway",
    /// The waterline, where it is not the waterway's own rings.
    Shoreline = "shoreline",
    /// A buoy that regulates speed or operations.
    SafetyBuoy = "safety_buoy",
    /// An explicit line of safety buoys.
    BuoyLine = "buoy_line",
    /// A dock or pier.
    Dock = "dock",
    /// A marked swimming area.
    SwimArea = "swim_area",
    /// A swimmer.
    Swimmer = "swimmer",
    /// A float.
    Float = "float",
    /// An anchored ski or swimming dock; counts as a float.
    SkiDock = "ski_dock",
    /// A diver's flag.
    DiveFlag = "dive_flag",
    /// A buoy for mooring; no part of any buoy line.
    MooringBuoy = "mooring_buoy",
    /// A boat launching ramp.
    LaunchRamp = "launch_ramp",
    /// A designated mooring area.
    MooringArea = "mooring_area",
    /// A floating course.
    Course = "course",
    /// An area with a speed limit of its own.
    SpeedZone = "speed_zone",
    /// A line that ski traffic keeps on its left.
    Circulation = "circulation",
    /// An area in which a permit lifts rules.
    PermitArea = "permit_area",
    /// Water between a buoy line and its shore: derived, never drawn.
    InshoreArea = "inshore_area",
}

impl ZoneKind {
    /// The kind that a word or two in a layer's or folder's name say plainly: `Docks`, `safety buoys`, `pier`.
    pub fn from_word(text: &str) -> Option<Self> {
        let word = text.trim().to_lowercase().replace([' ', '-'], "_");
        let named = |word: &str| match word {
            "pier" | "jetty" => Some(Self::Dock),
            "boat_ramp" | "slipway" => Some(Self::LaunchRamp),
            _ => Self::from_name(word).filter(|&kind| kind != Self::InshoreArea),
        };
        // "buoys", "jetties"
        named(&word)
            .or_else(|| named(word.strip_suffix('s')?))
            .or_else(|| named(&format!("{}y", word.strip_suffix("ies")?)))
    }
}

impl fmt::Display for ZoneKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KindSet(u32);

impl KindSet {
    /// No kind.
    pub const NONE: Self = Self(0);
    /// Every kind.
    pub const ALL: Self = Self((1 << ZoneKind::ALL.len()) - 1);
    /// One bit for each kind in it.
    pub(super) const fn bits(self) -> u32 {
        self.0
    }
    /// The set of one kind.
    pub const fn only(kind: ZoneKind) -> Self {
        Self(1 << kind as u32)
    }
    /// This set and one more kind.
    pub const fn with(self, kind: ZoneKind) -> Self {
        Self(self.0 | 1 << kind as u32)
    }
    /// This set less one kind.
    pub const fn without(self, kind: ZoneKind) -> Self {
        Self(self.0 & !(1 << kind as u32))
    }
    /// What is in either set.
    pub const fn union(self, o: Self) -> Self {
        Self(self.0 | o.0)
    }
    /// Whether the kind is in it.
    pub const fn contains(self, kind: ZoneKind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }
    /// Whether it holds no kind.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<ZoneKind> for KindSet {
    fn from_iter<I: IntoIterator<Item = ZoneKind>>(iter: I) -> Self {
        iter.into_iter().fold(Self::NONE, Self::with)
    }
}
