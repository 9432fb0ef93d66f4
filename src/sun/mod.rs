//! Where the Sun stands, when it rises and sets, and when a night window such as "from sunset + 30 min
//! to sunrise - 30 min" holds at a place.
//!
//! Sunset and sunrise are the instants at which the Sun's centre, seen from the place without air,
//! crosses [`HORIZON_DEG`]: the upper limb on a sea horizon with standard refraction. Weather, hills and
//! the height of the eye are left out; real refraction moves a sunset by a minute and more.
//!
//! - [`mod@position`]: the Sun's direction at an instant, own series through `libm`.
//! - [`crossings`]: rise and set, found between the lowest and the highest point of each day.
//! - [`almanac`]: the same answers for many boats at once, from leases that prove "night" or "no night".
//!
//! Nothing asks for "today's sunset": in Spokane the sunset of 4 July is on 5 July in UTC, a date means
//! something else on each side of the antimeridian, and at the poles a day has no events at all. Time
//! is cut at the Sun's lowest and highest points instead; between two of them it only climbs or only
//! sinks, so there is at most one event, and none where both ends are on one side of the horizon.
//!
//! The crate `sunrise` gives the first estimate of an event (up to 105 s off at 50°, 38 min beyond the
//! polar circles, because it takes the declination at noon); Newton steps on the Sun's true altitude
//! finish it. The crate `solar-positioning` would do too, but it takes sine and cosine from the system,
//! whose last digits differ between machines, and its exact form (NREL SPA) costs 6.8 µs an altitude. It
//! stays the oracle of the tests; findings must be the same bytes on every CPU.

pub mod almanac;
pub mod crossings;
pub mod position;

#[cfg(test)]
mod almanac_tests;
#[cfg(test)]
mod reference_tests;

pub use almanac::Almanac;
pub use crossings::{SunEvent, next, night, previous};
pub use position::altitude_deg;

/// Altitude of the Sun's centre at rise and set, degrees: 34' of refraction and 16' of radius below the
/// horizon (zenith distance 90.8333°, as the US Naval Observatory and NREL SPA use it).
pub const HORIZON_DEG: f64 = -50.0 / 60.0;
