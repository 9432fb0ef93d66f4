//! The Sun's direction at an instant, usually to 0.5", at worst to 3" (0.05 s and 0.3 s of a sunset at 45°).
//!
//! The Earth's longitude and distance come from the largest terms of VSOP87 as tabled by NREL (Reda and
//! Andreas, Solar Position Algorithm, NREL/TP-560-34302), nutation, obliquity and sidereal time from
//! Meeus, Astronomical Algorithms, ch. 12 and 22. The Sun's ecliptic latitude (at most 1") is left out.
//! The difference of terrestrial to universal time is held at its value of the 2020s: the Sun moves
//! 0.04" in a second, so that even in 1900 or 2100 this is worth no more than the terms left out.

use std::f64::consts::{PI, TAU};

use crate::geo::Position;
use crate::time::EventTime;

/// Terrestrial time less universal time, seconds.
const DELTA_T_S: f64 = 69.2;
/// How fast the Earth turns under the equinox, radians a second.
const SIDEREAL_RATE_RAD_S: f64 = TAU * 1.002_737_91 / 86_400.0;
/// How fast the Sun moves along the ecliptic at its mean distance, radians a second.
const LONGITUDE_RATE_RAD_S: f64 = 1.991e-7;
const ARCSEC_RAD: f64 = PI / 648_000.0;

/// Heliocentric longitude of the Earth, terms of VSOP87 above 0.6": amplitude (1e-8 rad), phase (rad),
/// rate (rad per thousand Julian years).
const LONGITUDE_TERMS: [[f64; 3]; 21] = [
    [3_341_656.0, 4.669_256_8, 6_283.075_85],
    [34_894.0, 4.626_1, 12_566.151_7],
    [3_497.0, 2.744_1, 5_753.384_9],
    [3_418.0, 2.828_9, 3.523_1],
    [3_136.0, 3.627_7, 77_713.771_5],
    [2_676.0, 4.418_1, 7_860.419_4],
    [2_343.0, 6.135_2, 3_930.209_7],
    [1_324.0, 0.742_5, 11_506.769_8],
    [1_273.0, 2.037_1, 529.691],
    [1_199.0, 1.109_6, 1_577.343_5],
    [990.0, 5.233, 5_884.927],
    [902.0, 2.045, 26.298],
    [857.0, 3.508, 398.149],
    [780.0, 1.179, 5_223.694],
    [753.0, 2.533, 5_507.553],
    [505.0, 4.583, 18_849.228],
    [492.0, 4.205, 775.523],
    [357.0, 2.92, 0.067],
    [317.0, 5.849, 11_790.629],
    [284.0, 1.899, 796.298],
    [271.0, 0.315, 10_977.079],
];

/// The Sun as seen from the Earth's centre at one instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sun {
    sin_declination: f64,
    cos_declination: f64,
    pub(super) declination_rad: f64,
    pub(super) declination_rate_rad_s: f64,
    /// Hour angle at Greenwich, radians, not reduced.
    hour_angle_rad: f64,
    pub(super) hour_angle_rate_rad_s: f64,
    parallax_rad: f64,
}

/// The Sun as seen from one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aspect {
    /// Altitude of the centre above the airless horizon, degrees.
    pub(super) altitude_deg: f64,
    /// How fast it changes, degrees a second.
    pub(super) rate_deg_s: f64,
    /// Hour angle, radians within ±π: zero at upper transit, growing westward.
    pub(super) hour_angle_rad: f64,
}

impl Sun {
    /// The Sun at `t`.
    pub(super) fn at(t: EventTime) -> Self {
        let days_ut = t.unix_ns() as f64 / 86_400e9 - 10_957.5;
        let days_tt = days_ut + DELTA_T_S / 86_400.0;
        let centuries = days_tt / 36_525.0;
        let k = days_tt / 365_250.0;

        let series: f64 = LONGITUDE_TERMS.iter().map(|[a, b, c]| a * libm::cos(b + c * k)).sum();
        let yearly_rad = 6_283.075_85 * k;
        let first_order = 628_331_966_747.0
            + 206_059.0 * libm::cos(2.678_235 + yearly_rad)
            + 4_303.0 * libm::cos(2.635_1 + 2.0 * yearly_rad)
            + 425.0 * libm::cos(1.59 + 3.523 * k);
        let second_order = 52_919.0 + 8_720.0 * libm::cos(1.072_1 + yearly_rad);
        let earth_rad = 1e-8 * (175_347_046.0 + series + k * (first_order + k * second_order));
        let radius_au = 1.000_139_89
            + 0.016_706_998 * libm::cos(3.098_463_5 + yearly_rad)
            + 0.000_139_56 * libm::cos(3.055_25 + 2.0 * yearly_rad);

        let (sin_node, cos_node) = libm::sincos((125.044_52 - 1_934.136_261 * centuries).to_radians());
        let (sin_2l, cos_2l) = libm::sincos(2.0 * (280.466_5 + 36_000.769_8 * centuries).to_radians());
        let nutation_rad = (-17.20 * sin_node - 1.32 * sin_2l) * ARCSEC_RAD;
        let obliquity_rad = (84_381.448 - 46.815 * centuries + 9.20 * cos_node + 0.57 * cos_2l) * ARCSEC_RAD;
        // 0.09" turn VSOP87's equinox into that of FK5; the second part is aberration.
        let correction_rad = (-0.090_33 - 20.489_8 / radius_au) * ARCSEC_RAD;
        let (sin_long, cos_long) = libm::sincos((earth_rad + PI) % TAU + nutation_rad + correction_rad);
        let (sin_obl, cos_obl) = libm::sincos(obliquity_rad);

        let sin_declination = sin_obl * sin_long;
        let cos_declination = (1.0 - sin_declination * sin_declination).sqrt();
        let right_ascension_rad = libm::atan2(cos_obl * sin_long, cos_long);
        let sidereal_deg =
            (280.460_618_37 + 360.985_647_366_29 * days_ut + 0.000_387_933 * centuries * centuries) % 360.0;
        let longitude_rate_rad_s = LONGITUDE_RATE_RAD_S / (radius_au * radius_au);
        let right_ascension_rate_rad_s = longitude_rate_rad_s * cos_obl / (cos_declination * cos_declination);
        Self {
            sin_declination,
            cos_declination,
            declination_rad: libm::asin(sin_declination),
            declination_rate_rad_s: longitude_rate_rad_s * sin_obl * cos_long / cos_declination,
            hour_angle_rad: sidereal_deg.to_radians() + nutation_rad * cos_obl - right_ascension_rad,
            hour_angle_rate_rad_s: SIDEREAL_RATE_RAD_S - right_ascension_rate_rad_s,
            parallax_rad: 8.794 * ARCSEC_RAD / radius_au,
        }
    }

    /// The Sun `seconds` later, as if it kept its pace: within 0.0002° for 3 hours.
    pub(super) fn carried(&self, seconds: f64) -> Self {
        let declination_rad = self.declination_rad + self.declination_rate_rad_s * seconds;
        let (sin_declination, cos_declination) = libm::sincos(declination_rad);
        let hour_angle_rad = self.hour_angle_rad + self.hour_angle_rate_rad_s * seconds;
        Self { sin_declination, cos_declination, declination_rad, hour_angle_rad, ..*self }
    }

    /// The Sun as `place` sees it.
    pub(super) fn from(&self, place: Position) -> Aspect {
        let (sin_lat, cos_lat) = libm::sincos(place.lat_deg().to_radians());
        let hour_angle_rad = wrap_rad(self.hour_angle_rad + place.lon_deg().to_radians());
        let (sin_hour, cos_hour) = libm::sincos(hour_angle_rad);
        let sin_alt = sin_lat * self.sin_declination + cos_lat * self.cos_declination * cos_hour;
        let sin_alt = sin_alt.clamp(-1.0, 1.0);
        let cos_alt = (1.0 - sin_alt * sin_alt).sqrt();
        let turning = -cos_lat * self.cos_declination * sin_hour * self.hour_angle_rate_rad_s;
        let drifting =
            (sin_lat * self.cos_declination - cos_lat * self.sin_declination * cos_hour) * self.declination_rate_rad_s;
        Aspect {
            altitude_deg: (libm::asin(sin_alt) - self.parallax_rad * cos_alt).to_degrees(),
            rate_deg_s: ((turning + drifting) / cos_alt.max(1e-9)).to_degrees(),
            hour_angle_rad,
        }
    }
}

/// An angle of less than some turns brought into ±π.
pub(super) fn wrap_rad(angle_rad: f64) -> f64 {
    angle_rad - TAU * (angle_rad / TAU).round()
}

/// Altitude of the Sun's centre above the horizon of `place` at `t`, degrees, without air: topocentric,
/// at sea level, within 0.001° of NREL SPA from 1950 to 2060 and 0.0015° from 1700 to 2100.
pub fn altitude_deg(place: Position, t: EventTime) -> f64 {
    Sun::at(t).from(place).altitude_deg
}
