//! A place on the Earth, and the only ways to make one.

use serde::{Deserialize, Serialize};

/// A WGS 84 position in degrees. Latitude is within ±90°, longitude within ±180°.
///
/// There is no constructor from a nameless pair: GeoJSON writes (longitude, latitude), people say
/// latitude first, and the two are swapped more often than any other pair of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Position {
    lat_deg: f64,
    lon_deg: f64,
}

/// Why two numbers are no position.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PositionError {
    /// The latitude is not within ±90° (AIS sends 91 for "not available").
    #[error("latitude {0} is not between -90 and 90 degrees")]
    Latitude(f64),
    /// The longitude is not within ±180° (AIS sends 181 for "not available").
    #[error("longitude {0} is not between -180 and 180 degrees")]
    Longitude(f64),
}

impl Position {
    /// Where the prime meridian crosses the equator: a reference, never a fix.
    pub const NULL_ISLAND: Self = Self { lat_deg: 0.0, lon_deg: 0.0 };

    /// The position at a latitude and a longitude in degrees.
    ///
    /// # Errors
    /// [`PositionError`] where either is out of range or no number.
    pub fn from_lat_lon(lat_deg: f64, lon_deg: f64) -> Result<Self, PositionError> {
        if !(-90.0..=90.0).contains(&lat_deg) {
            return Err(PositionError::Latitude(lat_deg));
        }
        if !(-180.0..=180.0).contains(&lon_deg) {
            return Err(PositionError::Longitude(lon_deg));
        }
        Ok(Self { lat_deg, lon_deg })
    }

    /// The position of a GeoJSON coordinate pair, longitude first (RFC 7946 section 3.1.1).
    ///
    /// # Errors
    /// As [`Position::from_lat_lon`].
    pub fn from_geojson(lon_lat: [f64; 2]) -> Result<Self, PositionError> {
        Self::from_lat_lon(lon_lat[1], lon_lat[0])
    }

    /// Latitude in degrees, north positive.
    pub const fn lat_deg(self) -> f64 {
        self.lat_deg
    }

    /// Longitude in degrees, east positive.
    pub const fn lon_deg(self) -> f64 {
        self.lon_deg
    }

    /// Longitude then latitude, as GeoJSON writes it.
    pub const fn to_geojson(self) -> [f64; 2] {
        [self.lon_deg, self.lat_deg]
    }
}

/// A longitude difference brought into ±180°, so that neighbours across the antimeridian are near.
pub fn wrap_lon_deg(difference_deg: f64) -> f64 {
    if difference_deg > 180.0 {
        difference_deg - 360.0
    } else if difference_deg < -180.0 {
        difference_deg + 360.0
    } else {
        difference_deg
    }
}
