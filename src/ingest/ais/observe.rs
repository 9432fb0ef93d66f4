//! A message becomes a fix or a profile.

use super::{PositionKind, PositionReport, StaticReport, Timestamp, refined};
use crate::ingest::{angle_deg, position, speed_mps};
use crate::observation::{Fix, NavStatus, Profile, Refusal, RefusalReason, VesselClass};
use crate::time::EventTime;
use crate::units::SpeedUnit;

/// The radius of 68 % of an isotropic Gaussian is √(ln 0.32 ÷ ln 0.05) of the radius of 95 %.
const R68_OF_R95: f64 = 0.616_7;

/// "10 m or better" for 95 % of positions (M.1371-5 table 50, position accuracy 1).
const ACCURATE_M: f64 = 10.0 * R68_OF_R95;

/// Position accuracy 0 says "worse than that, or not known". It is taken as no better than 10 m for 68 %, so that
/// a report that promises nothing does not weigh more than one that promises 10 m.
const NOT_ACCURATE_M: f64 = 10.0;

/// Type 27 rounds to a tenth of a minute: within ±92.6 m each way, 68 % of which is within 86 m.
const LONG_RANGE_M: f64 = 86.0;

impl PositionReport {
    /// The fix that was `received` at an instant: its time is that of [`refined`], or `received` where it does not
    /// say its second.
    ///
    /// # Errors
    /// [`RefusalReason::BadPosition`] where it has no position (91°, 181°); [`RefusalReason::NoPosition`] where that
    /// was typed in, estimated, or the positioning system is out of order: it is no measurement.
    pub fn fix(&self, received: EventTime) -> Result<Fix, Refusal> {
        let no_measurement = |how: &str| Refusal::new(RefusalReason::NoPosition, format!("the position {how}"));
        let t = match self.timestamp {
            Timestamp::Second(second) => refined(received, second),
            Timestamp::NotAvailable => received,
            Timestamp::Manual => return Err(no_measurement("was typed in (time stamp 61)")),
            Timestamp::Estimated => return Err(no_measurement("is estimated (time stamp 62)")),
            Timestamp::Inoperative => return Err(no_measurement("is of a system out of order (time stamp 63)")),
        };
        let (Some(lat_deg), Some(lon_deg)) = (self.lat_deg, self.lon_deg) else {
            let detail = "the position is not available (latitude 91 or longitude 181), or impossible";
            return Err(Refusal::new(RefusalReason::BadPosition, detail));
        };
        let accuracy_m = match (self.kind, self.is_accurate) {
            (PositionKind::LongRange, _) => LONG_RANGE_M,
            (_, true) => ACCURATE_M,
            (_, false) => NOT_ACCURATE_M,
        };
        Ok(Fix {
            sog_mps: speed_mps(self.sog_kn, SpeedUnit::Kn),
            cog_deg: angle_deg(self.cog_deg),
            heading_deg: angle_deg(self.heading_deg),
            accuracy_m: Some(accuracy_m),
            nav_status: self.nav_status_code.and_then(nav_status),
            ..Fix::new(t, position(Some(lat_deg), Some(lon_deg))?)
        })
    }
}

impl StaticReport {
    /// Adds to a profile what it says. What it leaves out stays as it was.
    pub fn add_to(&self, profile: &mut Profile) {
        if let Some(name) = &self.name {
            profile.name = Some(name.to_string());
        }
        if let Some(class) = self.ship_type.and_then(vessel_class) {
            profile.class = Some(class);
        }
        if let Some(dimensions) = self.dimensions {
            profile.length_m = dimensions.length_m().or(profile.length_m);
            profile.beam_m = dimensions.beam_m().or(profile.beam_m);
        }
    }
}

/// What a navigational status stands for (M.1371-5 table 48); `None` for the codes that are reserved (9 to 13), of
/// a distress beacon (14) and not defined (15).
pub const fn nav_status(code: u8) -> Option<NavStatus> {
    match code {
        // 4 is constrained by her draught, which is under way.
        0 | 4 => Some(NavStatus::UnderWay),
        1 => Some(NavStatus::Anchored),
        2 => Some(NavStatus::NotUnderCommand),
        3 => Some(NavStatus::Restricted),
        5 => Some(NavStatus::Moored),
        6 => Some(NavStatus::Aground),
        7 => Some(NavStatus::Fishing),
        8 => Some(NavStatus::Sailing),
        _ => None,
    }
}

/// What a type of ship stands for (M.1371-5 table 53); `None` for those that do not tell: not available, reserved,
/// military, other, and 37, pleasure craft, which may sail or not.
pub const fn vessel_class(ship_type: u8) -> Option<VesselClass> {
    match ship_type {
        36 => Some(VesselClass::Sailboat),
        // 51 search and rescue, 55 law enforcement.
        51 | 55 => Some(VesselClass::Patrol),
        // Fishing, towing, dredging, diving; high speed craft; pilot, tug, tender, antipollution; passenger, cargo,
        // tanker.
        30..=34 | 40..=49 | 50 | 52..=54 | 60..=89 => Some(VesselClass::Commercial),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::ais::{Body, Message, Payload};

    #[test]
    fn a_position_becomes_a_fix_of_its_second() {
        let bits = Payload::from_armoured(b"15N9?cP01BGR1ttC>C03Tjon00S@", 0).expect("six bits each");
        let Body::Position(report, None) = Message::decode(&bits).expect("type 1").body else { panic!("a position") };
        let received = EventTime::parse_rfc3339("2026-07-04T20:15:03.250Z").expect("a time");
        let fix = report.fix(received).expect("a fix");
        assert_eq!(fix.t.to_string(), "2026-07-04T20:14:59.000Z");
        assert!(fix.position.lat_deg() == 20_157_184.0 / 600_000.0 && fix.accuracy_m == Some(NOT_ACCURATE_M));
        for (timestamp, reason) in [
            (Timestamp::Manual, RefusalReason::NoPosition),
            (Timestamp::Estimated, RefusalReason::NoPosition),
            (Timestamp::Inoperative, RefusalReason::NoPosition),
        ] {
            let report = PositionReport { timestamp, ..report.clone() };
            assert_eq!(report.fix(received).expect_err("refused").reason, reason);
        }
        let unknown = PositionReport { lat_deg: None, timestamp: Timestamp::NotAvailable, ..report };
        assert_eq!(unknown.fix(received).expect_err("refused").reason, RefusalReason::BadPosition);
    }

    #[test]
    fn the_two_radii_are_of_one_gaussian() {
        let ratio = libm::sqrt(libm::log(0.32) / libm::log(0.05));
        assert!((ratio - R68_OF_R95).abs() < 1e-4, "{ratio}");
    }
}
