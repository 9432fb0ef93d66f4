//! Fields that several messages share.

use super::Payload;

/// What a report says about the second in which its position was measured (M.1371-5 table 48, time stamp).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timestamp {
    /// The UTC second, 0 to 59.
    Second(u8),
    /// 60: not available. Type 27 carries no time stamp at all and counts as this.
    NotAvailable,
    /// 61: the position was typed in.
    Manual,
    /// 62: the position is estimated (dead reckoning).
    Estimated,
    /// 63: the positioning system is out of order.
    Inoperative,
}

impl Timestamp {
    pub(super) fn at(payload: &Payload, start: usize) -> Self {
        match payload.unsigned(start, 6) as u8 {
            second @ 0..60 => Self::Second(second),
            60 => Self::NotAvailable,
            61 => Self::Manual,
            62 => Self::Estimated,
            _ => Self::Inoperative,
        }
    }

    /// The code that is sent.
    pub const fn code(self) -> u8 {
        match self {
            Self::Second(second) => second,
            Self::NotAvailable => 60,
            Self::Manual => 61,
            Self::Estimated => 62,
            Self::Inoperative => 63,
        }
    }
}

/// Where on the hull the antenna is, in metres (M.1371-5 figure 41). 511 and 63 stand for that much or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dimensions {
    /// From the antenna to the bow.
    pub to_bow_m: u16,
    /// To the stern.
    pub to_stern_m: u16,
    /// To the port side.
    pub to_port_m: u8,
    /// To the starboard side.
    pub to_starboard_m: u8,
}

impl Dimensions {
    pub(super) fn at(payload: &Payload, start: usize) -> Self {
        Self {
            to_bow_m: payload.unsigned(start, 9) as u16,
            to_stern_m: payload.unsigned(start + 9, 9) as u16,
            to_port_m: payload.unsigned(start + 18, 6) as u8,
            to_starboard_m: payload.unsigned(start + 24, 6) as u8,
        }
    }

    /// Length over all in metres; `None` where it was not entered.
    pub fn length_m(self) -> Option<f64> {
        let length = self.to_bow_m + self.to_stern_m;
        (length > 0).then_some(f64::from(length))
    }

    /// Greatest width in metres; `None` where it was not entered.
    pub fn beam_m(self) -> Option<f64> {
        let beam = self.to_port_m + self.to_starboard_m;
        (beam > 0).then_some(f64::from(beam))
    }
}

/// A latitude of 27 bits in degrees; `None` for 91° and all else beyond the pole.
pub(super) fn lat_deg(payload: &Payload, start: usize) -> Option<f64> {
    degrees(payload.signed(start, 27), 600_000.0, 90.0)
}

/// A longitude of 28 bits in degrees; `None` for 181° and all else beyond the antimeridian.
pub(super) fn lon_deg(payload: &Payload, start: usize) -> Option<f64> {
    degrees(payload.signed(start, 28), 600_000.0, 180.0)
}

/// A number of `per_deg`-ths of a degree within ±`most_deg`.
pub(super) fn degrees(raw: i32, per_deg: f64, most_deg: f64) -> Option<f64> {
    let deg = f64::from(raw) / per_deg;
    (-most_deg..=most_deg).contains(&deg).then_some(deg)
}

/// Tenths of a knot of 10 bits; `None` for 1023. 1022 is 102.2 kn or more.
pub(super) fn sog_kn(payload: &Payload, start: usize) -> Option<f64> {
    let tenths = payload.unsigned(start, 10);
    (tenths < 1023).then_some(f64::from(tenths) / 10.0)
}

/// Tenths of a degree of 12 bits; `None` for 3600 and above.
pub(super) fn cog_deg(payload: &Payload, start: usize) -> Option<f64> {
    let tenths = payload.unsigned(start, 12);
    (tenths < 3600).then_some(f64::from(tenths) / 10.0)
}

/// Degrees of 9 bits; `None` for 511 and all else from 360 on.
pub(super) fn whole_deg(payload: &Payload, start: usize) -> Option<f64> {
    let deg = payload.unsigned(start, 9);
    (deg < 360).then_some(f64::from(deg))
}
