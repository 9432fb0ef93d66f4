//! What the numbers in AIS messages mean (ITU-R M.1371-5), whichever program has unpacked them.

use crate::observation::{NavStatus, Profile, Refusal, RefusalReason, VesselClass, VesselId};
use crate::time::EventTime;

/// The name under which a message of a station that is no vessel is counted, by its MMSI (ITU-R M.585-9);
/// `None` for a vessel.
///
/// A tender (98…) is a vessel. What nobody steers is not judged: coast stations (00…), aircraft (111…),
/// aids to navigation (99…), and distress beacons (970, 972, 974), which need help, not findings.
pub fn no_vessel(mmsi: u32) -> Option<&'static str> {
    match mmsi {
        0..=9_999_999 => Some("coast_station"),
        111_000_000..=111_999_999 => Some("aircraft"),
        970_000_000..=970_999_999 | 972_000_000..=972_999_999 | 974_000_000..=974_999_999 => Some("distress_beacon"),
        990_000_000..=999_999_999 => Some("aid_to_navigation"),
        _ => None,
    }
}

/// The navigational status of message types 1 to 3 (table 45). Its "constrained by her draught" is a
/// vessel under way; what is reserved or undefined is `None`.
pub fn nav_status(code: u32) -> Option<NavStatus> {
    match code {
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

/// The class of a type of ship (table 53); `None` where the type does not tell.
pub fn vessel_class(ship_type: u32) -> Option<VesselClass> {
    match ship_type {
        36 => Some(VesselClass::Sailboat),
        37 => Some(VesselClass::Motorboat),
        51 | 55 => Some(VesselClass::Patrol),
        30..=34 | 40..=50 | 52..=54 | 60..=89 => Some(VesselClass::Commercial),
        _ => None,
    }
}

/// The radius of 68 % in metres that the accuracy flag stands for (table 50): "10 m or better" is for 95 %, and
/// the radius of 68 % of a Gaussian is 0.6167 of that; without the flag it is taken as 10 m.
pub fn accuracy_m(is_accurate: bool) -> f64 {
    if is_accurate { 6.167 } else { 10.0 }
}

/// The radius of 68 % in metres of a position of type 27, which is rounded to a tenth of a minute: ±92.6 m each way.
pub const LONG_RANGE_ACCURACY_M: f64 = 86.0;

/// What static data (message type 5) say about a vessel. `ahead_m` and `astern_m`, `port_m` and
/// `starboard_m` are the distances of the antenna from the ends of the hull; all zero is unknown.
pub fn profile(
    mmsi: u32,
    name: Option<&str>,
    ship_type: Option<u32>,
    [ahead_m, astern_m, port_m, starboard_m]: [Option<f64>; 4],
) -> Profile {
    let sum = |a: Option<f64>, b: Option<f64>| Some(a? + b?).filter(|m| *m > 0.0 && *m <= 1000.0);
    // "@" fills up what is left of a name (table 47).
    let name = name.map(|name| name.split('@').next().unwrap_or("").trim()).filter(|name| !name.is_empty());
    Profile {
        t: None,
        name: name.map(str::to_owned),
        mmsi: Some(VesselId::from_mmsi(mmsi).as_str()["mmsi:".len()..].to_owned()),
        class: ship_type.and_then(vessel_class),
        length_m: sum(ahead_m, astern_m),
        beam_m: sum(port_m, starboard_m),
        engine_hp: None,
        year: None,
    }
}

/// The time of a position: the whole second nearest to its arrival that ends in the second it was
/// measured in, the only part of the time that AIS transmits. Without it (60), the arrival.
///
/// # Errors
/// [`RefusalReason::NoPosition`] for 61 to 63: keyed in by hand, dead reckoning, or no receiver.
pub fn fix_time(arrival: EventTime, second: Option<u32>) -> Result<EventTime, Refusal> {
    const MINUTE_NS: i64 = 60_000_000_000;
    match second {
        None | Some(60) => Ok(arrival),
        Some(second @ 0..60) => {
            let offset_ns = i64::from(second) * 1_000_000_000 - arrival.unix_ns().rem_euclid(MINUTE_NS);
            let nearest_ns = match offset_ns {
                ..-30_000_000_000 => offset_ns + MINUTE_NS,
                30_000_000_000.. => offset_ns - MINUTE_NS,
                _ => offset_ns,
            };
            Ok(EventTime::from_unix_ns(arrival.unix_ns().saturating_add(nearest_ns)))
        }
        Some(other) => {
            let why = match other {
                61 => "keyed in by hand",
                62 => "of dead reckoning",
                63 => "of a receiver that does not work",
                _ => "of no known kind",
            };
            Err(Refusal::new(RefusalReason::NoPosition, format!("`second` is {other}: the position is {why}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_is_found_near_the_arrival() {
        let t = |text| EventTime::parse_rfc3339(text).expect("a time");
        for (arrival, second, fix) in [
            ("2026-11-30T07:00:06.400Z", 5, "2026-11-30T07:00:05Z"),
            ("2026-11-30T07:00:01.400Z", 59, "2026-11-30T06:59:59Z"),
            ("2026-11-30T06:59:58.900Z", 1, "2026-11-30T07:00:01Z"),
            ("2026-11-30T07:00:31.000Z", 2, "2026-11-30T07:00:02Z"),
            ("2026-12-01T00:00:00.100Z", 58, "2026-11-30T23:59:58Z"),
        ] {
            assert_eq!(fix_time(t(arrival), Some(second)), Ok(t(fix)), "{arrival} {second}");
        }
        assert_eq!(fix_time(t("2026-11-30T07:00:06.400Z"), Some(60)), Ok(t("2026-11-30T07:00:06.400Z")));
        for second in [61, 62, 63, 64, 1000] {
            let refusal = fix_time(t("2026-11-30T07:00:06.400Z"), Some(second)).expect_err("no measurement");
            assert_eq!(refusal.reason, RefusalReason::NoPosition, "{second}");
        }
        assert!(fix_time(EventTime::MIN, Some(3)).is_ok() && fix_time(EventTime::MAX, Some(3)).is_ok());
    }

    #[test]
    fn names_and_sizes_are_what_is_known() {
        let known = profile(2_190_068, Some("ANNA@@@"), Some(36), [Some(10.0), Some(2.0), Some(2.0), Some(0.0)]);
        assert_eq!((known.name.as_deref(), known.mmsi.as_deref()), (Some("ANNA"), Some("002190068")));
        assert_eq!((known.class, known.length_m, known.beam_m), (Some(VesselClass::Sailboat), Some(12.0), Some(2.0)));
        let unknown = profile(366_999_712, Some("@@@"), Some(99), [Some(0.0); 4]);
        assert_eq!((unknown.name, unknown.class, unknown.length_m, unknown.beam_m), (None, None, None, None));
    }
}
