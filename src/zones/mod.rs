//! The map: GeoJSON features become waterways with an index that answers "what is near".
//!
//! Bytes in, [`Map`] and [`ZoneFault`]s out; reading files is the adapters' work. One bad feature is set
//! aside with its fault, the rest of the file works.

mod kind;
mod map;

pub use kind::{KindSet, ZoneKind};
pub use map::{Edge, Feature, FeatureIx, Map, Shape, Surroundings, Validity, Waterway, WaterwayIx};
