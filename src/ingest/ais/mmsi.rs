//! The identity of a station, and what its digits say about it.

use std::fmt;

use crate::observation::VesselId;

/// A station's radio identity (ITU-R M.585): nine digits, written with leading zeros. A message has room for more than
/// that, and for 0; a station called so cannot be told from others ([`StationKind::None`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mmsi(u32);

/// What kind of station the first digits stand for (ITU-R M.585-9). Only those kinds are told apart that no boat is:
/// many boats carry numbers that are none of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StationKind {
    /// 0, or more than nine digits: nobody.
    None,
    /// A vessel, a craft of one, or a number that follows no rule.
    Vessel,
    /// 00 and a country (201 to 775): a coast station.
    CoastStation,
    /// 111: an aircraft of a search and rescue service.
    Aircraft,
    /// 99: a buoy, light or beacon.
    AidToNavigation,
    /// 970, 972, 974: a search and rescue transmitter, somebody overboard, an emergency beacon.
    DistressBeacon,
}

impl Mmsi {
    /// The identity that `number` is written as.
    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// The digits as a number.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The nine digits, the last nine of a longer number.
    pub const fn digits(self) -> [u8; 9] {
        let mut digits = [b'0'; 9];
        let (mut at, mut rest) = (9, self.0);
        while at > 0 {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        digits
    }

    /// What its first digits stand for.
    pub const fn kind(self) -> StationKind {
        match self.0 {
            0 | 1_000_000_000.. => StationKind::None,
            2_010_000..=7_759_999 => StationKind::CoastStation,
            111_000_000..=111_999_999 => StationKind::Aircraft,
            970_000_000..=970_999_999 | 972_000_000..=972_999_999 | 974_000_000..=974_999_999 => {
                StationKind::DistressBeacon
            }
            990_000_000.. => StationKind::AidToNavigation,
            _ => StationKind::Vessel,
        }
    }

    /// The id of the vessel: the nine digits, the same as a table's MMSI column gives.
    pub fn vessel_id(self) -> VesselId {
        let digits = self.digits();
        let digits = std::str::from_utf8(&digits).unwrap_or("0");
        VesselId::new(digits).expect("digits are allowed in an id")
    }
}

impl fmt::Display for Mmsi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:09}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_say_what_a_station_is() {
        for (number, text, kind) in [
            (244_660_000, "244660000", StationKind::Vessel),
            (2_190_064, "002190064", StationKind::CoastStation),
            (1_806_011, "001806011", StationKind::Vessel),
            (982_440_001, "982440001", StationKind::Vessel),
            (42, "000000042", StationKind::Vessel),
            (111_265_001, "111265001", StationKind::Aircraft),
            (993_310_001, "993310001", StationKind::AidToNavigation),
            (970_123_456, "970123456", StationKind::DistressBeacon),
        ] {
            let mmsi = Mmsi::from_number(number);
            assert_eq!((mmsi.vessel_id().as_str(), mmsi.kind()), (text, kind));
            assert_eq!(mmsi.to_string(), text);
        }
        for number in [0, 1_000_000_000, (1 << 30) - 1] {
            assert_eq!(Mmsi::from_number(number).kind(), StationKind::None);
        }
    }
}
