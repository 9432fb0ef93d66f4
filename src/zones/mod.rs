//! The map: GeoJSON features become waterways with an index that answers "what is near".
//!
//! Bytes in, [`Map`] and [`ZoneFault`]s out; reading files is the adapters' work. One bad feature is set
//! aside with its fault, the rest of the file works.
//!
//! The way through: `read` (features of a file, by way of `said`, `property` and `geometry`), `assemble` (one
//! [`Waterway`] a file, its `water` united), `index` (its edges by place), `buoy_line` and `chain` (which buoys
//! form a line), `inshore` and `plane` (what a line cuts off), `travel` (which way ski traffic goes). `vocabulary`
//! and `seamark` know what others call the kinds, `report` and `place` say where a fault stands. `lint` looks for
//! what may be wrong with a map that can be read, beside what the boating code asks of it (`law`).

mod assemble;
mod buoy_line;
mod chain;
mod explain;
mod fault;
mod geometry;
mod index;
mod inshore;
mod kind;
mod law;
mod lint;
mod map;
mod packed;
mod place;
mod plane;
mod property;
mod read;
mod report;
mod said;
mod seamark;
mod strip;
mod system;
mod travel;
mod vocabulary;
mod water;

#[cfg(test)]
mod check_tests;
#[cfg(test)]
mod index_tests;
#[cfg(test)]
mod inshore_tests;
#[cfg(test)]
mod packed_tests;
#[cfg(test)]
mod strip_tests;
#[cfg(test)]
mod travel_tests;

pub use buoy_line::{BuoyLine, LineSource};
pub use fault::{Severity, ZoneFault};
pub use kind::{KindSet, ZoneKind};
pub use law::{Asks, Duty, DutyPlace, MapLaw};
pub use map::{
    Edge, Feature, FeatureIx, Map, Nearest, SURROUNDINGS_M, Shape, Surroundings, Validity, Waterway, WaterwayIx,
};
pub use read::{MapOptions, ZoneFile, version_of};
pub use travel::{Hand, Travel, TravelAround, TravelTerms};
pub use vocabulary::kind_in_other_words;
