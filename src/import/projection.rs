//! From the projection of a shapefile to WGS 84: well-known text in, degrees out.
//!
//! A projection that is not known, or a datum that lies an unknown way off WGS 84, is refused: a shore some hundred
//! feet off is worse than none. NAD 83, ETRS 89 and others on their ellipsoid are taken as WGS 84, which they are
//! within a metre or two.

use proj4rs::Proj;

/// Why a projection cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProjectionError {
    /// The text cannot be understood.
    #[error("the projection is unknown: {0}")]
    Unknown(String),
    /// Its datum is not WGS 84, and the text does not say how it lies to that.
    #[error("the datum {0:?} lies off WGS 84 by up to hundreds of feet, and the .prj does not say how")]
    Datum(String),
    /// A position is outside what the projection can show.
    #[error("{0:?} is outside the projection")]
    Outside([f64; 2]),
}

/// A projection back to degrees.
pub(super) struct ToWgs84 {
    from: Proj,
    to: Proj,
    /// Positions are degrees already, whatever the datum says.
    is_degrees: bool,
}

impl ToWgs84 {
    /// The way back from a projection, as a `.prj` file gives it.
    pub(super) fn of(wkt: &str) -> Result<Self, ProjectionError> {
        let unknown = |error: &dyn std::fmt::Display| ProjectionError::Unknown(error.to_string());
        let text = proj4wkt::wkt_to_projstring(wkt).map_err(|e| unknown(&e))?;
        // What the text says of the datum; nothing where that is not known.
        let is_tied = ["+towgs84=", "+datum=WGS84", "+datum=NAD83"].iter().any(|part| text.contains(part));
        if !is_tied {
            return Err(ProjectionError::Datum(datum_of(wkt).to_owned()));
        }
        let from = Proj::from_proj_string(&text).map_err(|e| unknown(&e))?;
        let to = Proj::from_proj_string("+proj=longlat +datum=WGS84 +no_defs").map_err(|e| unknown(&e))?;
        let is_degrees = from.is_latlong();
        Ok(Self { from, to, is_degrees })
    }

    /// Longitude and latitude in degrees.
    pub(super) fn position(&self, x: f64, y: f64) -> Result<[f64; 2], ProjectionError> {
        let outside = || ProjectionError::Outside([x, y]);
        let mut point = if self.is_degrees { (x.to_radians(), y.to_radians(), 0.0) } else { (x, y, 0.0) };
        proj4rs::transform::transform(&self.from, &self.to, &mut point).map_err(|_| outside())?;
        let position = [point.0.to_degrees(), point.1.to_degrees()].map(rounded);
        position.iter().all(|deg| deg.is_finite()).then_some(position).ok_or_else(outside)
    }
}

/// To a billionth of a degree, a tenth of a millimetre: digits beyond are rounding.
fn rounded(deg: f64) -> f64 {
    (deg * 1e9).round() / 1e9
}

/// The name of the datum in well-known text.
fn datum_of(wkt: &str) -> &str {
    let after = wkt.split_once("DATUM[").map_or("", |(_, rest)| rest);
    after.split('"').nth(1).unwrap_or("?")
}
