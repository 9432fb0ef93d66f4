//! Laws of messages: what is read can be written and is then read the same, whatever the bits were.

use proptest::prelude::*;

use super::{
    AidReport, BaseStationReport, Body, Dimensions, Message, Payload, PositionKind, PositionReport, StaticReport,
    StaticReportPart,
};

/// Bits in the making. What is not read is written as zero.
struct Bits(Vec<bool>);

impl Bits {
    fn number(&mut self, value: i64, width: u32) -> &mut Self {
        self.0.extend((0..width).rev().map(|bit| value >> bit & 1 == 1));
        self
    }

    fn skip(&mut self, width: u32) -> &mut Self {
        self.number(0, width)
    }

    fn flag(&mut self, value: bool) -> &mut Self {
        self.number(i64::from(value), 1)
    }

    fn scaled(&mut self, value: Option<f64>, scale: f64, none: i64, width: u32) -> &mut Self {
        self.number(value.map_or(none, |value| (value * scale).round() as i64), width)
    }

    fn text(&mut self, text: Option<&str>, width: u32) -> &mut Self {
        let mut text = text.unwrap_or("").bytes();
        for _ in 0..width / 6 {
            let byte = text.next().unwrap_or(b'@');
            self.number(i64::from(if byte >= 64 { byte - 64 } else { byte }), 6);
        }
        self.skip(width % 6)
    }

    fn lon_lat(&mut self, lon_deg: Option<f64>, lat_deg: Option<f64>) -> &mut Self {
        self.scaled(lon_deg, 600_000.0, 181 * 600_000, 28).scaled(lat_deg, 600_000.0, 91 * 600_000, 27)
    }

    fn dimensions(&mut self, d: Dimensions) -> &mut Self {
        self.number(d.to_bow_m.into(), 9).number(d.to_stern_m.into(), 9);
        self.number(d.to_port_m.into(), 6).number(d.to_starboard_m.into(), 6)
    }

    /// The characters and the number of fill bits.
    fn armoured(&self) -> (Vec<u8>, u8) {
        let value = |six: &[bool]| (0..6).fold(0, |n, i| n << 1 | u8::from(six.get(i).copied().unwrap_or(false)));
        let armour = |value: u8| if value < 40 { value + 48 } else { value + 56 };
        let armoured = self.0.chunks(6).map(|six| armour(value(six))).collect();
        (armoured, (self.0.len().next_multiple_of(6) - self.0.len()) as u8)
    }
}

fn encode(message: &Message) -> (Vec<u8>, u8) {
    let mut bits = Bits(Vec::new());
    bits.number(message.kind.into(), 6).number(message.repeat.into(), 2).number(message.mmsi.number().into(), 30);
    match &message.body {
        Body::Position(report, vessel) => position(&mut bits, report, vessel.as_deref()),
        Body::BaseStation(report) => base_station(&mut bits, report),
        Body::Static(report) => vessel(&mut bits, report),
        Body::Aid(report) => aid(&mut bits, report),
        Body::Other => {}
    }
    bits.armoured()
}

fn position(bits: &mut Bits, r: &PositionReport, vessel: Option<&StaticReport>) {
    let second = i64::from(r.timestamp.code());
    match r.kind {
        PositionKind::ClassA => {
            let root = r.turn_deg_per_min.map(|turn| libm::sqrt(turn.abs()).copysign(turn));
            bits.number(r.nav_status_code.unwrap_or(15).into(), 4).scaled(root, 4.733, -128, 8);
            bits.scaled(r.sog_kn, 10.0, 1023, 10).flag(r.is_accurate).lon_lat(r.lon_deg, r.lat_deg);
            bits.scaled(r.cog_deg, 10.0, 3600, 12).scaled(r.heading_deg, 1.0, 511, 9).number(second, 6).skip(5);
            bits.flag(r.raim).skip(19);
        }
        PositionKind::ClassB => {
            bits.skip(8).scaled(r.sog_kn, 10.0, 1023, 10).flag(r.is_accurate).lon_lat(r.lon_deg, r.lat_deg);
            bits.scaled(r.cog_deg, 10.0, 3600, 12).scaled(r.heading_deg, 1.0, 511, 9).number(second, 6);
            if let Some(vessel) = vessel {
                bits.skip(4).text(vessel.name.as_deref(), 120).number(vessel.ship_type.unwrap_or(0).into(), 8);
                bits.dimensions(vessel.dimensions.unwrap_or_default()).number(vessel.epfd.unwrap_or(0).into(), 4);
                bits.flag(r.raim).skip(6);
            } else {
                bits.skip(8).flag(r.raim).skip(20);
            }
        }
        PositionKind::Aircraft => {
            bits.number(r.altitude_m.map_or(4095, i64::from), 12).scaled(r.sog_kn, 1.0, 1023, 10).flag(r.is_accurate);
            bits.lon_lat(r.lon_deg, r.lat_deg).scaled(r.cog_deg, 10.0, 3600, 12).number(second, 6).skip(13);
            bits.flag(r.raim).skip(20);
        }
        PositionKind::LongRange => {
            bits.flag(r.is_accurate).flag(r.raim).number(r.nav_status_code.unwrap_or(15).into(), 4);
            bits.scaled(r.lon_deg, 600.0, 181 * 600, 18).scaled(r.lat_deg, 600.0, 91 * 600, 17);
            bits.scaled(r.sog_kn, 1.0, 63, 6).scaled(r.cog_deg, 1.0, 511, 9).skip(2);
        }
    }
}

fn base_station(bits: &mut Bits, r: &BaseStationReport) {
    let t = r.t.map(|t| t.to_string());
    for (at, none, width) in
        [(0..4, 0, 14), (5..7, 0, 4), (8..10, 0, 5), (11..13, 24, 5), (14..16, 60, 6), (17..19, 60, 6)]
    {
        bits.number(t.as_ref().map_or(none, |t| t[at].parse().expect("digits")), width);
    }
    bits.flag(r.is_accurate).lon_lat(r.lon_deg, r.lat_deg).number(r.epfd.into(), 4).skip(10).flag(r.raim).skip(19);
}

fn vessel(bits: &mut Bits, r: &StaticReport) {
    match r.part {
        StaticReportPart::Whole => {
            bits.skip(2).number(r.imo.unwrap_or(0).into(), 30).text(r.call_sign.as_deref(), 42);
            bits.text(r.name.as_deref(), 120).number(r.ship_type.unwrap_or(0).into(), 8);
            bits.dimensions(r.dimensions.unwrap_or_default()).number(r.epfd.unwrap_or(0).into(), 4);
            for (part, width) in r.eta.unwrap_or_default().into_iter().zip([4, 5, 5, 6]) {
                bits.number(part.into(), width);
            }
            bits.scaled(r.draught_m, 10.0, 0, 8).text(r.destination.as_deref(), 120).skip(2);
        }
        StaticReportPart::A => {
            bits.skip(2).text(r.name.as_deref(), 120);
        }
        StaticReportPart::B => {
            bits.number(1, 2).number(r.ship_type.unwrap_or(0).into(), 8).text(r.vendor.as_deref(), 18).skip(24);
            bits.text(r.call_sign.as_deref(), 42);
            match r.mother_ship {
                Some(mmsi) => bits.number(mmsi.into(), 30),
                None => bits.dimensions(r.dimensions.unwrap_or_default()),
            };
            bits.skip(6);
        }
    }
}

fn aid(bits: &mut Bits, r: &AidReport) {
    let name = r.name.as_deref().unwrap_or("");
    let (first, more) = name.split_at(name.len().min(20));
    bits.number(r.aid_type.into(), 5).text(Some(first), 120).flag(r.is_accurate).lon_lat(r.lon_deg, r.lat_deg);
    bits.dimensions(r.dimensions).number(r.epfd.into(), 4).number(r.timestamp.code().into(), 6).flag(r.is_off_position);
    bits.skip(8).flag(r.raim).flag(r.is_virtual).skip(2).text(Some(more), more.len() as u32 * 6);
}

fn decode((armoured, fill): &(Vec<u8>, u8)) -> Result<Message, super::AisFault> {
    Message::decode(&Payload::from_armoured(armoured, *fill)?)
}

/// Types with a length that each has.
const LENGTHS: &[(u8, u32)] = &[
    (1, 168),
    (2, 168),
    (3, 168),
    (4, 168),
    (5, 424),
    (9, 168),
    (11, 168),
    (18, 168),
    (19, 312),
    (21, 272),
    (21, 360),
    (24, 160),
    (24, 168),
    (27, 96),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// Whatever the bits: a message that is read is written and read again as the same.
    #[test]
    fn what_is_read_writes_itself_back(which in 0..LENGTHS.len(), noise in prop::collection::vec(any::<bool>(), 424)) {
        let (kind, length) = LENGTHS[which];
        let mut bits = Bits(Vec::new());
        bits.number(kind.into(), 6);
        bits.0.extend(&noise[..length as usize - 6]);
        let read = decode(&bits.armoured());
        // Part B of type 24 is longer than part A.
        prop_assume!(read.is_ok() || (kind, length) == (24, 160));
        let Ok(message) = read else { return Ok(()) };
        let again = decode(&encode(&message));
        prop_assert_eq!(again.as_ref(), Ok(&message));
    }

    /// Values a transponder may send come out as they went in.
    #[test]
    fn what_is_sent_is_read(
        (lat, lon) in (-54_000_000_i32..=54_000_000, -108_000_000_i32..=108_000_000),
        (tenths_kn, tenths_deg, deg) in (0_i64..1023, 0_i64..3600, 0_i64..360),
        (status, second) in (0_i64..16, 0_i64..60),
    ) {
        let mut bits = Bits(Vec::new());
        bits.number(1, 6).skip(2).number(366_999_712, 30).number(status, 4).skip(8).number(tenths_kn, 10).flag(true);
        bits.number(lon.into(), 28).number(lat.into(), 27).number(tenths_deg, 12).number(deg, 9).number(second, 6).skip(25);
        let message = decode(&bits.armoured()).expect("168 bits");
        let Body::Position(report, None) = message.body else { panic!("a position") };
        prop_assert_eq!(report.lat_deg, Some(f64::from(lat) / 600_000.0));
        prop_assert_eq!(report.lon_deg, Some(f64::from(lon) / 600_000.0));
        prop_assert_eq!(report.sog_kn, Some(tenths_kn as f64 / 10.0));
        prop_assert_eq!(report.cog_deg, Some(tenths_deg as f64 / 10.0));
        prop_assert_eq!(report.heading_deg, Some(deg as f64));
        prop_assert_eq!(i64::from(report.timestamp.code()), second);
    }

    /// Any characters, any fill bits: a message or a fault that says why.
    #[test]
    fn noise_is_read_or_refused(armoured in prop::collection::vec(any::<u8>(), 0..80), fill in any::<u8>()) {
        if let Err(fault) = decode(&(armoured, fill)) {
            prop_assert!(!fault.to_string().is_empty());
        }
    }
}
