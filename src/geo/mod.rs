//! Positions, distances and continuous motion: pure mathematics on the WGS 84 ellipsoid.
//!
//! Degrees are kept everywhere. A [`LocalFrame`] turns a neighbourhood into metres; it is affine, so an
//! edge that is straight in longitude and latitude (RFC 7946) stays straight. [`motion`] solves when a
//! moving point is near an edge, [`roots`] when a polynomial changes its sign; [`spans`] are the stretches of time that
//! come out.

pub mod bracket;
mod crossing;
pub mod frame;
pub mod motion;
pub mod position;
pub mod region;
pub mod roots;
pub mod spans;

pub use frame::{LocalFrame, Vec2, distance_m};
pub use position::{Position, PositionError};
pub use region::{EdgePlace, Region, near_lon_deg, turns_near};
pub use spans::{Span, Spans};
