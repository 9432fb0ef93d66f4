//! Lays a plane on the ellipsoid: anywhere, at any heading, mirrored or not.

use std::sync::LazyLock;

use buoyline::geo::{Position, Vec2};
use geographiclib_rs::{DirectGeodesic, Geodesic};

static WGS84: LazyLock<Geodesic> = LazyLock::new(Geodesic::wgs84);

/// Where the plane's origin lies and how it is turned. A point keeps its distance and direction from the
/// origin along the geodesic, so that over some hundred metres distances are true to the micrometre.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    pub lat_deg: f64,
    pub lon_deg: f64,
    /// Clockwise.
    pub turn_deg: f64,
    /// East and west change places, before the turn.
    pub mirror: bool,
}

impl Site {
    pub const SPOKANE: Self = Self { lat_deg: 47.66, lon_deg: -117.43, turn_deg: 0.0, mirror: false };

    pub fn place(&self, v: Vec2) -> Position {
        let (lat_deg, lon_deg): (f64, f64) =
            WGS84.direct(self.lat_deg, self.lon_deg, self.course_deg(v.bearing_deg().unwrap_or(0.0)), v.norm());
        Position::from_lat_lon(lat_deg, lon_deg).expect("a position")
    }

    /// A direction in the plane as a direction on the ground, [0, 360).
    pub fn course_deg(&self, plane_deg: f64) -> f64 {
        let plane_deg = if self.mirror { -plane_deg } else { plane_deg };
        (plane_deg + self.turn_deg).rem_euclid(360.0) % 360.0
    }

    /// Noon of a summer day on the northern hemisphere, by the sun, as milliseconds since 1970.
    pub fn noon_unix_ms(&self) -> i64 {
        1_782_216_000_000 - (self.lon_deg / 15.0 * 3_600_000.0) as i64
    }
}
