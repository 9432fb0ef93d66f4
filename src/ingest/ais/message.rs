//! The bits of a message become its fields. Bit positions and codes are those of the tables of ITU-R M.1371-5.
//!
//! Each message begins with its type (bits 0 to 5), the repeat indicator (6, 7) and the MMSI (8 to 37). From there, first
//! bit and width of what is read:
//!
//! | field | 1, 2, 3 | 9 | 18, 19 | 27 | 21 | 4, 11 | unit | not available |
//! | --- | --- | --- | --- | --- | --- | --- | --- | --- |
//! | status | 38, 4 | | | 40, 4 | | | | 15 |
//! | rate of turn | 42, 8 | | | | | | 4.733 √(°/min) | −128, ±127 |
//! | altitude | | 38, 12 | | | | | m | 4095 |
//! | speed | 50, 10 | 50, 10 | 46, 10 | 79, 6 | | | 0.1 kn; 9 and 27: 1 kn | 1023; 27: 63 |
//! | accuracy | 60 | 60 | 56 | 38 | 163 | 78 | | |
//! | longitude | 61, 28 | 61, 28 | 57, 28 | 44, 18 | 164, 28 | 79, 28 | 1/10000 min; 27: 1/10 min | 181° |
//! | latitude | 89, 27 | 89, 27 | 85, 27 | 62, 17 | 192, 27 | 107, 27 | 1/10000 min; 27: 1/10 min | 91° |
//! | course | 116, 12 | 116, 12 | 112, 12 | 85, 9 | | | 0.1°; 27: 1° | 3600; 27: 511 |
//! | heading | 128, 9 | | 124, 9 | | | | 1° | 511 |
//! | second | 137, 6 | 128, 6 | 133, 6 | | 253, 6 | | s | 60 to 63 |
//! | RAIM | 148 | 147 | 147; 19: 305 | 39 | 268 | 148 | | |
//!
//! | field | 5 | 19 | 24 A | 24 B | 21 |
//! | --- | --- | --- | --- | --- | --- |
//! | IMO number | 40, 30 | | | | |
//! | call sign | 70, 42 | | | 90, 42 | |
//! | name | 112, 120 | 143, 120 | 40, 120 | | 43, 120 and from 272 |
//! | type | 232, 8 | 263, 8 | | 40, 8 | 38, 5 |
//! | size: to bow, stern (9 each), port, starboard (6 each) | 240 | 271 | | 132 | 219 |
//! | positioning device | 270, 4 | 301, 4 | | | 249, 4 |
//! | arrival: month, day, hour, minute | 274, 20 | | | | |
//! | draught, 0.1 m | 294, 8 | | | | |
//! | destination | 302, 120 | | | | |

use chrono::NaiveDate;
use compact_str::CompactString;

use super::fields::{Dimensions, Timestamp, cog_deg, degrees, lat_deg, lon_deg, sog_kn, whole_deg};
use super::{AisFault, Mmsi, Payload};
use crate::time::EventTime;

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its type, 1 to 27 in the edition in force.
    pub kind: u8,
    /// How often it has been repeated; 3 says not to repeat it again.
    pub repeat: u8,
    /// Who sent it.
    pub mmsi: Mmsi,
    /// What it says.
    pub body: Body,
}

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Types 1, 2, 3, 9, 18, 27, and 19 with what it says about the vessel.
    Position(PositionReport, Option<Box<StaticReport>>),
    /// Types 5 and 24.
    Static(Box<StaticReport>),
    /// Types 4 and 11.
    BaseStation(BaseStationReport),
    /// Type 21.
    Aid(Box<AidReport>),
    /// Any other type: not read.
    Other,
}

/// What sends a position, which decides how exact it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionKind {
    /// Types 1, 2 and 3.
    ClassA,
    /// Types 18 and 19.
    ClassB,
    /// Type 9; speed in whole knots.
    Aircraft,
    /// Type 27; position in tenths of a minute, speed and course whole.
    LongRange,
}

/// Where a station is.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionReport {
    /// What sent it.
    pub kind: PositionKind,
    /// Navigational status, 0 to 15; classes A and long range only.
    pub nav_status_code: Option<u8>,
    /// Rate of turn in degrees a minute, positive to starboard. `None` where there is no turn indicator (±127 and
    /// −128) and for all but class A.
    pub turn_deg_per_min: Option<f64>,
    /// Speed over ground in knots; 102.2 stands for that much or more (type 9: 1022, type 27: 62).
    pub sog_kn: Option<f64>,
    /// Whether 95 % of positions are within 10 m. If not, they are worse or it is not known.
    pub is_accurate: bool,
    /// Longitude, degrees east.
    pub lon_deg: Option<f64>,
    /// Latitude, degrees north.
    pub lat_deg: Option<f64>,
    /// Course over ground, degrees true.
    pub cog_deg: Option<f64>,
    /// True heading, degrees.
    pub heading_deg: Option<f64>,
    /// The second of the position.
    pub timestamp: Timestamp,
    /// Whether integrity is monitored (RAIM).
    pub raim: bool,
    /// Altitude in metres of an aircraft; 4094 stands for that much or more.
    pub altitude_m: Option<u16>,
}

/// What a vessel is. A part that was not sent, or not entered, is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StaticReport {
    /// Which message it was.
    pub part: StaticReportPart,
    /// Name.
    pub name: Option<CompactString>,
    /// Call sign.
    pub call_sign: Option<CompactString>,
    /// IMO number; type 5.
    pub imo: Option<u32>,
    /// Type of ship and cargo, 0 to 255 (table 53).
    pub ship_type: Option<u8>,
    /// Where on the hull the antenna is; all zero where not entered.
    pub dimensions: Option<Dimensions>,
    /// The ship that this is a craft of; type 24 B of 98…
    pub mother_ship: Option<u32>,
    /// Who made the unit; type 24 B.
    pub vendor: Option<CompactString>,
    /// Kind of positioning device, 0 to 15; types 5 and 19.
    pub epfd: Option<u8>,
    /// Estimated time of arrival as month, day, hour, minute, as sent (0, 0, 24, 60 for not available); type 5.
    pub eta: Option<[u8; 4]>,
    /// Draught in metres, 25.5 for that much or more; type 5.
    pub draught_m: Option<f64>,
    /// Destination; type 5.
    pub destination: Option<CompactString>,
}

/// Which message a [`StaticReport`] is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StaticReportPart {
    /// Type 5, or the one inside type 19.
    #[default]
    Whole,
    /// Type 24, part A: the name.
    A,
    /// Type 24, part B: the rest.
    B,
}

/// A base station, or a mobile one asked for the time.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseStationReport {
    /// Its clock, where it has one.
    pub t: Option<EventTime>,
    /// Whether 95 % of positions are within 10 m.
    pub is_accurate: bool,
    /// Longitude, degrees east.
    pub lon_deg: Option<f64>,
    /// Latitude, degrees north.
    pub lat_deg: Option<f64>,
    /// Kind of positioning device, 0 to 15.
    pub epfd: u8,
    /// Whether integrity is monitored (RAIM).
    pub raim: bool,
}

/// A buoy, light or beacon.
#[derive(Debug, Clone, PartialEq)]
pub struct AidReport {
    /// Kind, 0 to 31 (table 75).
    pub aid_type: u8,
    /// Name.
    pub name: Option<CompactString>,
    /// Whether 95 % of positions are within 10 m.
    pub is_accurate: bool,
    /// Longitude, degrees east.
    pub lon_deg: Option<f64>,
    /// Latitude, degrees north.
    pub lat_deg: Option<f64>,
    /// Its size.
    pub dimensions: Dimensions,
    /// Kind of positioning device, 0 to 15.
    pub epfd: u8,
    /// The second of the position.
    pub timestamp: Timestamp,
    /// Whether a floating aid is off its position; meaningful where there is a second.
    pub is_off_position: bool,
    /// Whether integrity is monitored (RAIM).
    pub raim: bool,
    /// Whether there is nothing at the place but the message.
    pub is_virtual: bool,
}

impl Message {
    /// Reads the bits of one message.
    ///
    /// # Errors
    /// [`AisFault::Length`] for a length that its type does not have.
    pub fn decode(bits: &Payload) -> Result<Self, AisFault> {
        let kind = bits.unsigned(0, 6) as u8;
        if bits.bits() < 38 {
            return Err(AisFault::Length { kind, bits: bits.bits(), expected: "38 or more" });
        }
        let mmsi = Mmsi::from_number(bits.unsigned(8, 30));
        let body = match kind {
            1..=3 => Body::Position(class_a(bits, kind)?, None),
            4 | 11 => Body::BaseStation(base_station(bits, kind)?),
            5 => Body::Static(Box::new(voyage(bits)?)),
            9 => Body::Position(aircraft(bits)?, None),
            18 => Body::Position(class_b(bits)?, None),
            19 => {
                let (position, vessel) = class_b_extended(bits)?;
                Body::Position(position, Some(Box::new(vessel)))
            }
            21 => Body::Aid(Box::new(aid(bits)?)),
            24 => Body::Static(Box::new(class_b_static(bits, mmsi)?)),
            27 => Body::Position(long_range(bits)?, None),
            _ => Body::Other,
        };
        Ok(Self { kind, repeat: bits.unsigned(6, 2) as u8, mmsi, body })
    }
}

/// Checks the length. Up to five bits more are those of a sentence that does not say how many only fill up.
fn length(bits: &Payload, kind: u8, least: usize, most: usize, expected: &'static str) -> Result<(), AisFault> {
    if (least..=most + 5).contains(&bits.bits()) {
        Ok(())
    } else {
        Err(AisFault::Length { kind, bits: bits.bits(), expected })
    }
}

/// Tables 48, 49.
fn class_a(bits: &Payload, kind: u8) -> Result<PositionReport, AisFault> {
    length(bits, kind, 168, 168, "168")?;
    Ok(PositionReport {
        kind: PositionKind::ClassA,
        nav_status_code: Some(bits.unsigned(38, 4) as u8),
        turn_deg_per_min: turn_deg_per_min(bits.signed(42, 8)),
        sog_kn: sog_kn(bits, 50),
        is_accurate: bits.flag(60),
        lon_deg: lon_deg(bits, 61),
        lat_deg: lat_deg(bits, 89),
        cog_deg: cog_deg(bits, 116),
        heading_deg: whole_deg(bits, 128),
        timestamp: Timestamp::at(bits, 137),
        raim: bits.flag(148),
        altitude_m: None,
    })
}

/// The rate of turn: the indicator's value is 4.733 times its root.
fn turn_deg_per_min(raw: i32) -> Option<f64> {
    let root = f64::from(raw) / 4.733;
    (raw.abs() < 127).then_some(root * root.abs())
}

/// Table 51.
fn base_station(bits: &Payload, kind: u8) -> Result<BaseStationReport, AisFault> {
    length(bits, kind, 168, 168, "168")?;
    let date = NaiveDate::from_ymd_opt(bits.unsigned(38, 14) as i32, bits.unsigned(52, 4), bits.unsigned(56, 5));
    let (hour, minute, second) = (bits.unsigned(61, 5), bits.unsigned(66, 6), bits.unsigned(72, 6));
    let t = date.and_then(|date| EventTime::from_chrono(date.and_hms_opt(hour, minute, second)?.and_utc()));
    Ok(BaseStationReport {
        t,
        is_accurate: bits.flag(78),
        lon_deg: lon_deg(bits, 79),
        lat_deg: lat_deg(bits, 107),
        epfd: bits.unsigned(134, 4) as u8,
        raim: bits.flag(148),
    })
}

/// Table 52.
fn voyage(bits: &Payload) -> Result<StaticReport, AisFault> {
    length(bits, 5, 422, 424, "422 to 424")?;
    Ok(StaticReport {
        part: StaticReportPart::Whole,
        imo: Some(bits.unsigned(40, 30)).filter(|imo| *imo > 0),
        call_sign: bits.text(70, 42),
        name: bits.text(112, 120),
        ship_type: Some(bits.unsigned(232, 8) as u8),
        dimensions: Some(Dimensions::at(bits, 240)),
        epfd: Some(bits.unsigned(270, 4) as u8),
        eta: Some([(274, 4), (278, 5), (283, 5), (288, 6)].map(|(start, width)| bits.unsigned(start, width) as u8)),
        draught_m: Some(f64::from(bits.unsigned(294, 8)) / 10.0).filter(|draught_m| *draught_m > 0.0),
        destination: bits.text(302, 120),
        ..StaticReport::default()
    })
}

/// Table 58.
fn aircraft(bits: &Payload) -> Result<PositionReport, AisFault> {
    length(bits, 9, 168, 168, "168")?;
    let altitude_m = bits.unsigned(38, 12) as u16;
    let whole_kn = bits.unsigned(50, 10);
    Ok(PositionReport {
        kind: PositionKind::Aircraft,
        nav_status_code: None,
        turn_deg_per_min: None,
        sog_kn: (whole_kn < 1023).then_some(f64::from(whole_kn)),
        is_accurate: bits.flag(60),
        lon_deg: lon_deg(bits, 61),
        lat_deg: lat_deg(bits, 89),
        cog_deg: cog_deg(bits, 116),
        heading_deg: None,
        timestamp: Timestamp::at(bits, 128),
        raim: bits.flag(147),
        altitude_m: (altitude_m < 4095).then_some(altitude_m),
    })
}

/// Table 70.
fn class_b(bits: &Payload) -> Result<PositionReport, AisFault> {
    length(bits, 18, 168, 168, "168")?;
    Ok(PositionReport { raim: bits.flag(147), ..class_b_position(bits) })
}

/// What tables 70 and 71 have in common.
fn class_b_position(bits: &Payload) -> PositionReport {
    PositionReport {
        kind: PositionKind::ClassB,
        nav_status_code: None,
        turn_deg_per_min: None,
        sog_kn: sog_kn(bits, 46),
        is_accurate: bits.flag(56),
        lon_deg: lon_deg(bits, 57),
        lat_deg: lat_deg(bits, 85),
        cog_deg: cog_deg(bits, 112),
        heading_deg: whole_deg(bits, 124),
        timestamp: Timestamp::at(bits, 133),
        raim: false,
        altitude_m: None,
    }
}

/// Table 71.
fn class_b_extended(bits: &Payload) -> Result<(PositionReport, StaticReport), AisFault> {
    length(bits, 19, 312, 312, "312")?;
    let vessel = StaticReport {
        part: StaticReportPart::Whole,
        name: bits.text(143, 120),
        ship_type: Some(bits.unsigned(263, 8) as u8),
        dimensions: Some(Dimensions::at(bits, 271)),
        epfd: Some(bits.unsigned(301, 4) as u8),
        ..StaticReport::default()
    };
    Ok((PositionReport { raim: bits.flag(305), ..class_b_position(bits) }, vessel))
}

/// Table 74. The name goes on at the end, for as many characters as it takes.
fn aid(bits: &Payload) -> Result<AidReport, AisFault> {
    length(bits, 21, 272, 360, "272 to 360")?;
    let mut name = bits.text(43, 120).unwrap_or_default();
    let has_all = bits.unsigned(43 + 114, 6) != 0;
    if let Some(more) = bits.text(272, bits.bits() - 272).filter(|_| has_all) {
        // Blanks at the end of the first twenty characters are inside the name after all.
        while name.len() < 20 {
            name.push(' ');
        }
        name.push_str(&more);
    }
    Ok(AidReport {
        aid_type: bits.unsigned(38, 5) as u8,
        name: (!name.is_empty()).then_some(name),
        is_accurate: bits.flag(163),
        lon_deg: lon_deg(bits, 164),
        lat_deg: lat_deg(bits, 192),
        dimensions: Dimensions::at(bits, 219),
        epfd: bits.unsigned(249, 4) as u8,
        timestamp: Timestamp::at(bits, 253),
        is_off_position: bits.flag(259),
        raim: bits.flag(268),
        is_virtual: bits.flag(269),
    })
}

/// Tables 80 and 81. A is often sent with, often without the bits that fill up its slot.
fn class_b_static(bits: &Payload, mmsi: Mmsi) -> Result<StaticReport, AisFault> {
    if bits.unsigned(38, 2) == 0 {
        length(bits, 24, 160, 168, "160 to 168")?;
        return Ok(StaticReport { part: StaticReportPart::A, name: bits.text(40, 120), ..StaticReport::default() });
    }
    length(bits, 24, 162, 168, "162 to 168")?;
    let is_craft = mmsi.number() / 10_000_000 == 98;
    Ok(StaticReport {
        part: StaticReportPart::B,
        ship_type: Some(bits.unsigned(40, 8) as u8),
        vendor: bits.text(48, 18),
        call_sign: bits.text(90, 42),
        dimensions: (!is_craft).then(|| Dimensions::at(bits, 132)),
        mother_ship: is_craft.then(|| bits.unsigned(132, 30)),
        ..StaticReport::default()
    })
}

/// Table 84. Some receivers fill it up to a whole slot of 168 bits.
fn long_range(bits: &Payload) -> Result<PositionReport, AisFault> {
    length(bits, 27, 96, 168, "96 to 168")?;
    let (whole_kn, whole_deg) = (bits.unsigned(79, 6), bits.unsigned(85, 9));
    Ok(PositionReport {
        kind: PositionKind::LongRange,
        nav_status_code: Some(bits.unsigned(40, 4) as u8),
        turn_deg_per_min: None,
        sog_kn: (whole_kn < 63).then_some(f64::from(whole_kn)),
        is_accurate: bits.flag(38),
        lon_deg: degrees(bits.signed(44, 18), 600.0, 180.0),
        lat_deg: degrees(bits.signed(62, 17), 600.0, 90.0),
        cog_deg: (whole_deg < 360).then_some(f64::from(whole_deg)),
        heading_deg: None,
        timestamp: Timestamp::NotAvailable,
        raim: bits.flag(39),
        altitude_m: None,
    })
}
