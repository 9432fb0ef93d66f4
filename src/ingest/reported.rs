//! Numbers as trackers report them become values, or `None` where they say "not available".
//!
//! One place for all formats, so that 511 means the same in all of them.

use crate::geo::Position;
use crate::observation::{Refusal, RefusalReason};
use crate::units::{KNOT_MPS, SpeedUnit};

/// AIS sends 1023 tenths of a knot for "speed not available" (ITU-R M.1371-5, table 48). Decoders that
/// scale in 32-bit floats write it as 102.30000305, so a half of the last digit on both sides counts.
/// Faster than that is a value: racing boats do it, and 102.2 is AIS's "102.2 knots or more".
const SOG_NOT_AVAILABLE_KN: std::ops::Range<f64> = 102.25..102.35;

/// No boat is as fast; what claims to be is a broken counter. Left out itself, so that a speed that was taken is taken
/// again in another unit: the last bit of a product may go up.
const SOG_MAX_MPS: f64 = 500.0;

/// A radius beyond this says nothing more: receivers send the largest number they have for "no estimate".
pub const ACCURACY_MAX_M: f64 = 1.0e6;

/// The position of two reported numbers.
///
/// # Errors
/// [`RefusalReason::NoPosition`] where one is missing; [`RefusalReason::BadPosition`] where one is out of
/// range (AIS 91 and 181 among them), no number, or both are exactly zero, the place where receivers
/// without a fix are.
pub fn position(lat_deg: Option<f64>, lon_deg: Option<f64>) -> Result<Position, Refusal> {
    let missing = |key: &str| Refusal::new(RefusalReason::NoPosition, format!("`{key}` is missing or null"));
    let lat_deg = lat_deg.ok_or_else(|| missing("lat"))?;
    let lon_deg = lon_deg.ok_or_else(|| missing("lon"))?;
    if lat_deg == 0.0 && lon_deg == 0.0 {
        let detail = "latitude and longitude are exactly 0: the receiver had no fix";
        return Err(Refusal::new(RefusalReason::BadPosition, detail));
    }
    Position::from_lat_lon(lat_deg, lon_deg).map_err(|e| Refusal::new(RefusalReason::BadPosition, e.to_string()))
}

/// The speed in m/s of a reported speed over ground in `unit`: one multiplication, no rounding.
/// `None` for AIS "not available" (102.3 kn), and for what is no speed: negative, no number, 500 m/s and more.
pub fn speed_mps(reported: Option<f64>, unit: SpeedUnit) -> Option<f64> {
    let value = reported?;
    let mps = value * unit.factor();
    let not_available = unit == SpeedUnit::Kn && SOG_NOT_AVAILABLE_KN.contains(&value);
    (!not_available && (0.0..SOG_MAX_MPS).contains(&mps)).then_some(mps)
}

/// The reported course or heading in [0, 360). `None` for AIS "not available" (360 and 511) and for
/// anything else outside: what a receiver means by 400° or −20° is not known.
pub fn angle_deg(reported: Option<f64>) -> Option<f64> {
    reported.filter(|deg| (0.0..360.0).contains(deg)).map(|deg| deg + 0.0)
}

/// The reported radius of 68 % confidence in metres. Zero means "unknown" to the trackers that send it
/// and perfect to none, so it becomes `None`, as do negative numbers. More than 1000 km is as bad as that, and never as
/// good as a fix that says nothing of its errors.
pub fn accuracy_m(reported: Option<f64>) -> Option<f64> {
    reported.filter(|m| *m > 0.0).map(|m| m.min(ACCURACY_MAX_M))
}

/// The radius of 68 % confidence in metres that a receiver's horizontal dilution of precision stands for: 5 m times
/// it, so that at a dilution of 1 a fix is as good as by default. That is a range error of 4.7 m (one standard
/// deviation, one frequency, no corrections): times the dilution it is the deviation of both ways together, over √2
/// that of each, and √(−2 ln 0.32) of those are the radius. `None` for zero, which means "unknown".
pub fn accuracy_of_hdop_m(hdop: Option<f64>) -> Option<f64> {
    const RADIUS_OF_ONE_M: f64 = 5.0;
    accuracy_m(hdop.map(|hdop| hdop * RADIUS_OF_ONE_M))
}

const _: () = assert!(SpeedUnit::Kn.factor() == KNOT_MPS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_available_becomes_none_and_zero_stays() {
        let kn = |value| speed_mps(Some(value), SpeedUnit::Kn);
        assert_eq!(kn(102.3), None);
        assert_eq!(kn(102.300_003_05), None);
        assert_eq!(kn(102.2), Some(102.2 * KNOT_MPS));
        assert_eq!(kn(106.153_347_7), Some(106.153_347_7 * KNOT_MPS));
        assert_eq!(kn(0.0), Some(0.0));
        for bad in [-0.1, 1000.0, f64::NAN, f64::INFINITY] {
            assert_eq!(kn(bad), None, "{bad}");
        }
        assert_eq!(speed_mps(Some(52.6), SpeedUnit::Mps), Some(52.6));

        for bad in [360.0, 511.0, -0.001, f64::NAN] {
            assert_eq!(angle_deg(Some(bad)), None, "{bad}");
        }
        assert_eq!(angle_deg(Some(0.0)), Some(0.0));
        assert_eq!(angle_deg(Some(359.9)), Some(359.9));

        for bad in [0.0, -1.0, f64::NAN] {
            assert_eq!(accuracy_m(Some(bad)), None, "{bad}");
        }
        assert_eq!(accuracy_m(Some(2.5)), Some(2.5));
        // 2³² − 1 mm, as u-blox receivers say that they have no estimate.
        for worst in [1.0e6, 4_294_967.295, f64::INFINITY] {
            assert_eq!(accuracy_m(Some(worst)), Some(1.0e6), "{worst}");
        }
    }

    #[test]
    fn impossible_positions_are_refused_by_reason() {
        let reason = |lat, lon| position(lat, lon).expect_err("refused").reason;
        assert_eq!(reason(None, Some(1.0)), RefusalReason::NoPosition);
        assert_eq!(reason(Some(1.0), None), RefusalReason::NoPosition);
        for (lat, lon) in [(91.0, 1.0), (1.0, 181.0), (0.0, 0.0), (-0.0, 0.0), (f64::NAN, 1.0)] {
            assert_eq!(reason(Some(lat), Some(lon)), RefusalReason::BadPosition, "{lat} {lon}");
        }
        assert!(position(Some(0.0), Some(6.5)).is_ok(), "the Gulf of Guinea has boats too");
    }
}
