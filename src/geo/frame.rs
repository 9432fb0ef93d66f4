//! Metres in a neighbourhood, and the distance between two positions.
//!
//! A [`LocalFrame`] scales degrees by the radii of curvature of the WGS 84 ellipsoid at one latitude.
//! Distances from its origin are within 0.03 mm at 50 ft up to 75° and 0.08 mm at 85°. [`distance_m`]
//! takes the radii at the middle latitude of the pair: within 0.1 µm at 300 ft and 1 mm at 2 km below 85°.

use std::ops::{Add, Mul, Sub};

use super::position::{Position, wrap_lon_deg};

/// Equatorial radius of WGS 84 in metres.
const A_M: f64 = 6_378_137.0;
/// First eccentricity of WGS 84, squared: f (2 - f) with f = 1 / 298.257223563.
const E2: f64 = 6.694_379_990_141_317e-3;

/// A vector in the plane of a [`LocalFrame`], in metres.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Vec2 {
    /// Metres to the east.
    pub east_m: f64,
    /// Metres to the north.
    pub north_m: f64,
}

impl Vec2 {
    /// The vector `east_m` to the east and `north_m` to the north.
    pub const fn new(east_m: f64, north_m: f64) -> Self {
        Self { east_m, north_m }
    }
    /// Scalar product, in square metres.
    pub fn dot(self, o: Self) -> f64 {
        self.east_m * o.east_m + self.north_m * o.north_m
    }
    /// Component of the vector product out of the plane: positive where `o` lies to the left.
    pub fn cross(self, o: Self) -> f64 {
        self.east_m * o.north_m - self.north_m * o.east_m
    }
    /// Squared length, in square metres.
    pub fn norm2(self) -> f64 {
        self.dot(self)
    }
    /// Length in metres.
    pub fn norm(self) -> f64 {
        self.norm2().sqrt()
    }
    /// The direction it points in, degrees true clockwise from north in [0, 360); `None` for no length.
    pub fn bearing_deg(self) -> Option<f64> {
        if self.norm2() == 0.0 {
            return None;
        }
        let deg = libm::atan2(self.east_m, self.north_m).to_degrees();
        Some(if deg < 0.0 { deg + 360.0 } else { deg })
    }
    /// The direction `deg` true, of unit length.
    pub fn toward_deg(deg: f64) -> Self {
        let (sin, cos) = libm::sincos(deg.to_radians());
        Self::new(sin, cos)
    }
    /// The point `fraction` of the way to `o`.
    pub fn lerp(self, o: Self, fraction: f64) -> Self {
        self + (o - self) * fraction
    }
}

impl Add for Vec2 {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.east_m + o.east_m, self.north_m + o.north_m)
    }
}
impl Sub for Vec2 {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.east_m - o.east_m, self.north_m - o.north_m)
    }
}
impl Mul<f64> for Vec2 {
    type Output = Self;
    fn mul(self, k: f64) -> Self {
        Self::new(self.east_m * k, self.north_m * k)
    }
}

/// Metres per degree of latitude and of longitude at a latitude: (north, east).
pub fn metres_per_degree(lat_deg: f64) -> (f64, f64) {
    let (sin, cos) = libm::sincos(lat_deg.to_radians());
    let w2 = 1.0 - E2 * sin * sin;
    let w = w2.sqrt();
    let prime_vertical = A_M / w;
    let meridian = A_M * (1.0 - E2) / (w2 * w);
    let rad = std::f64::consts::PI / 180.0;
    (meridian * rad, prime_vertical * cos * rad)
}

/// An affine map between degrees and metres around an origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalFrame {
    origin: Position,
    north_m_per_deg: f64,
    east_m_per_deg: f64,
}

impl LocalFrame {
    /// The frame whose origin and reference latitude are those of `origin`.
    pub fn at(origin: Position) -> Self {
        let (north_m_per_deg, east_m_per_deg) = metres_per_degree(origin.lat_deg());
        Self { origin, north_m_per_deg, east_m_per_deg }
    }

    /// The frame whose origin is `from` and whose reference latitude is midway between the two.
    pub fn between(from: Position, to: Position) -> Self {
        let (north_m_per_deg, east_m_per_deg) = metres_per_degree(0.5 * (from.lat_deg() + to.lat_deg()));
        Self { origin: from, north_m_per_deg, east_m_per_deg }
    }

    /// Where the plane's (0, 0) lies.
    pub const fn origin(&self) -> Position {
        self.origin
    }

    /// Metres per degree of latitude.
    pub const fn north_m_per_deg(&self) -> f64 {
        self.north_m_per_deg
    }

    /// Metres per degree of longitude.
    pub const fn east_m_per_deg(&self) -> f64 {
        self.east_m_per_deg
    }

    /// `p` in metres from the origin, across the antimeridian where that is shorter.
    pub fn to_plane(&self, p: Position) -> Vec2 {
        Vec2::new(
            wrap_lon_deg(p.lon_deg() - self.origin.lon_deg()) * self.east_m_per_deg,
            (p.lat_deg() - self.origin.lat_deg()) * self.north_m_per_deg,
        )
    }

    /// The position of a point of the plane; `None` where it leaves the range of latitudes.
    pub fn to_position(&self, v: Vec2) -> Option<Position> {
        let lat = self.origin.lat_deg() + v.north_m / self.north_m_per_deg;
        let lon = self.origin.lon_deg() + v.east_m / self.east_m_per_deg;
        Position::from_lat_lon(lat, wrap_lon_deg(lon)).ok()
    }
}

/// Distance between two positions in metres.
///
/// Within 1 mm of the WGS 84 geodesic at 2 km below 85° of latitude; meant for neighbours, and no
/// more than a rough figure beyond some 50 km.
pub fn distance_m(a: Position, b: Position) -> f64 {
    let (north, east) = metres_per_degree(0.5 * (a.lat_deg() + b.lat_deg()));
    let dx = wrap_lon_deg(b.lon_deg() - a.lon_deg()) * east;
    let dy = (b.lat_deg() - a.lat_deg()) * north;
    (dx * dx + dy * dy).sqrt()
}
