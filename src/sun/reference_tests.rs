//! The Sun against tables that others made: JPL, US Naval Observatory, NREL SPA.

use solar_positioning::{Horizon, Location, SolarEvents, SolarPositions};

use super::*;
use crate::geo::Position;
use crate::time::EventTime;

fn at(lat_deg: f64, lon_deg: f64) -> Position {
    Position::from_lat_lon(lat_deg, lon_deg).expect("a position")
}

fn time(text: &str) -> EventTime {
    EventTime::parse_rfc3339(text).expect(text)
}

fn number(text: &str) -> f64 {
    text.trim().parse().expect(text)
}

/// How fast the Sun climbs or sinks, degrees an hour.
fn slope_deg_h(place: Position, t: EventTime) -> f64 {
    (altitude_deg(place, t.plus_seconds(18.0)) - altitude_deg(place, t.plus_seconds(-18.0))).abs() * 100.0
}

/// What an error of 2" in the Sun's place is worth at an event, seconds.
fn two_arcsec_s(place: Position, t: EventTime) -> f64 {
    2.0 / slope_deg_h(place, t)
}

/// Largest and middle error of many.
fn summary(mut errors_s: Vec<f64>) -> (f64, f64) {
    errors_s.sort_by(f64::total_cmp);
    (errors_s.last().copied().unwrap_or(0.0), errors_s.get(errors_s.len() / 2).copied().unwrap_or(0.0))
}

#[test]
fn jpl_reference_rows() {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(&include_bytes!("../../tests/data/sun/sun_reference.csv")[..]);
    let (mut steep, mut grazing, mut altitudes, mut wrong_nights, mut close_nights) = (vec![], vec![], vec![], 0, 0);
    let mut rows = 0;
    for row in reader.records() {
        let row = row.expect("a row");
        rows += 1;
        let (place, t) = (at(number(&row[2]), number(&row[3])), time(&row[4]));
        let is_grazing = row[13].is_empty() || number(&row[13]) < 2.0;
        altitudes.push((altitude_deg(place, t) - number(&row[5])).abs());
        assert_eq!(altitude_deg(place, t) > HORIZON_DEG, &row[6] == "1", "{row:?}");
        let found = [
            previous(SunEvent::Rise, place, t),
            previous(SunEvent::Set, place, t),
            next(SunEvent::Rise, place, t),
            next(SunEvent::Set, place, t),
        ];
        for (found, expected) in found.into_iter().zip(&[&row[7], &row[8], &row[9], &row[10]]) {
            if expected.is_empty() {
                // The table looks 210 days far.
                assert!(found.is_none_or(|f| f.seconds_since(t).abs() > 210.0 * 86_400.0), "{row:?}: {found:?}");
                continue;
            }
            let found = found.unwrap_or_else(|| panic!("{row:?}: no event"));
            let error_s = found.seconds_since(time(expected)).abs();
            // Half a second is the table's rounding.
            assert!(error_s < 0.5 + 0.1 + two_arcsec_s(place, found), "{row:?}: {found} is {error_s:.2} s off");
            if place.lat_deg().abs() < 66.0 && !is_grazing {
                assert!(error_s < 1.5, "{row:?}: {found} is {error_s:.2} s off");
            }
            if is_grazing { grazing.push(error_s) } else { steep.push(error_s) }
        }
        let is_night = night(1800.0, 1800.0, place, t, t).contains(0.0);
        let margin_s = if row[12].is_empty() { f64::INFINITY } else { number(&row[12]) };
        if is_night != (&row[11] == "1") {
            assert!(margin_s <= 2.0, "{row:?}: night {is_night}");
            wrong_nights += 1;
        }
        close_nights += usize::from(margin_s < 60.0);
    }
    assert_eq!(rows, 300);
    eprintln!("jpl rows: steep {:?}, grazing {:?} (max, median s)", summary(steep), summary(grazing));
    eprintln!(
        "altitude {:?} deg; {wrong_nights} nights within 2 s differ, {close_nights} within 60 s",
        summary(altitudes)
    );
}

#[test]
fn jpl_events_to_the_millisecond() {
    let mut reader = csv::Reader::from_reader(&include_bytes!("../../tests/data/sun/jpl-sun-events.csv")[..]);
    let mut errors_s = vec![];
    let rows = reader.records().map(|row| row.expect("a row")).filter(|row| row[4].starts_with("-0.8333"));
    for row in rows {
        let (start, end, place) = (time(&row[0]), time(&row[1]), at(number(&row[2]), number(&row[3])));
        for (event, expected) in [(SunEvent::Rise, &row[5]), (SunEvent::Set, &row[6])] {
            let mut found = vec![];
            let mut t = start;
            while let Some(event_t) = next(event, place, t).filter(|&e| e < end) {
                found.push(event_t);
                t = event_t;
            }
            let expected: Vec<_> = expected.split(';').filter(|text| !text.is_empty()).map(time).collect();
            assert_eq!(found.len(), expected.len(), "{row:?}: {found:?}");
            for (found, expected) in found.into_iter().zip(expected) {
                let error_s = found.seconds_since(expected).abs();
                assert!(error_s < 0.1 + two_arcsec_s(place, expected), "{row:?}: {found} is {error_s:.2} s off");
                if slope_deg_h(place, expected) > 2.0 {
                    errors_s.push(error_s);
                }
            }
        }
    }
    eprintln!("jpl events: {} steep, {:?}", errors_s.len(), summary(errors_s));
}

/// Every cell of a yearly table of the US Naval Observatory: `hhmm`, blank for no event on that day of
/// universal time, `****` for Sun up and `----` for Sun down all day. The place is known
/// as printed, and the tables are themselves some seconds off (their own rounding apart).
fn check_usno(year: i32, place: Position, place_error_deg: f64, table: &str) {
    let (mut cells, mut largest_s, mut last_day) = (0, 0.0f64, 0);
    for line in table.lines() {
        let Some(day) = line.get(0..2).and_then(|text| text.parse::<u32>().ok()) else { continue };
        // A day with two rises or sets has a second line, blank but for these.
        let is_second = std::mem::replace(&mut last_day, day) == day;
        for month in 0..12usize {
            let Some(date) = chrono::NaiveDate::from_ymd_opt(year, month as u32 + 1, day) else { continue };
            let midnight = time(&format!("{date}T00:00:00Z"));
            for (event, column) in [(SunEvent::Rise, 4 + 11 * month), (SunEvent::Set, 9 + 11 * month)] {
                let cell = line.get(column..(column + 4).min(line.len())).unwrap_or("").trim();
                let found = next(event, place, midnight.plus_seconds(-30.0));
                let noon_above = altitude_deg(place, midnight.plus_seconds(43_200.0)) > HORIZON_DEG;
                match cell {
                    "" if is_second => {}
                    "" | "****" | "----" => {
                        assert!(
                            found.is_none_or(|f| f.seconds_since(midnight) > 86_400.0 - 31.0),
                            "{date} {event:?} {found:?}"
                        );
                        assert!(cell.is_empty() || noon_above == (cell == "****"), "{date} {cell}");
                    }
                    hhmm => {
                        let minutes = number(&hhmm[..2]) * 60.0 + number(&hhmm[2..]);
                        let printed = midnight.plus_seconds(60.0 * minutes);
                        let found = next(event, place, printed.plus_seconds(-600.0)).expect("an event");
                        let error_s = found.seconds_since(printed).abs();
                        let bound_s =
                            33.0 + two_arcsec_s(place, found) + 3600.0 * place_error_deg / slope_deg_h(place, found);
                        assert!(error_s < bound_s, "{date} {event:?} {hhmm}: {found}");
                        largest_s = largest_s.max(error_s);
                    }
                }
                cells += 1;
            }
        }
    }
    assert!(cells >= 730, "{cells} cells");
    eprintln!("usno {year} {place:?}: {cells} cells, largest {largest_s:.1} s");
}

#[test]
fn tables_of_the_naval_observatory() {
    let dms = |d: f64, m: f64| d + m / 60.0;
    // Half a minute of arc both ways, where the place is a town's.
    let town_deg = 0.012;
    check_usno(
        2020,
        at(dms(61.0, 13.0), -dms(149.0, 52.0)),
        town_deg,
        include_str!("../../tests/data/sun/usno-table-anchorage.txt"),
    );
    check_usno(
        2020,
        at(-dms(36.0, 50.0), dms(174.0, 48.0)),
        town_deg,
        include_str!("../../tests/data/sun/usno-table-auckland.txt"),
    );
    check_usno(
        2020,
        at(dms(1.0, 17.0), dms(103.0, 50.0)),
        town_deg,
        include_str!("../../tests/data/sun/usno-table-singapore.txt"),
    );
    check_usno(
        2020,
        at(dms(78.0, 13.0), dms(15.0, 38.0)),
        town_deg,
        include_str!("../../tests/data/sun/usno-table-longyearbyen.txt"),
    );
    check_usno(2019, at(60.0, 0.0), 0.0, include_str!("../../tests/data/sun/usno-table-2019-e000-n60.txt"));
    check_usno(2019, at(29.0, -81.0), 0.0, include_str!("../../tests/data/sun/usno-table-2019-w081-n29.txt"));
}

#[test]
fn agrees_with_nrel_spa_everywhere() {
    let (events, positions) = (SolarEvents::new(), SolarPositions::new());
    let (mut steep, mut shallow, mut altitudes) = (vec![], vec![], vec![]);
    let mut seed = Seed(7);
    for _ in 0..1500 {
        let place = seed.place();
        let t = seed.time();
        let location = Location { latitude: place.lat_deg(), longitude: place.lon_deg() };
        let start = t.to_chrono();
        let spa_deg = positions.at(&start, location, 0.0, 69.2, None).expect("a position").elevation_angle();
        altitudes.push((altitude_deg(place, t) - spa_deg).abs());
        let end = start + chrono::TimeDelta::days(30);
        for (event, spa) in [
            (SunEvent::Rise, events.next_rise(&start, &end, location, 69.2, Horizon::Custom(HORIZON_DEG))),
            (SunEvent::Set, events.next_set(&start, &end, location, 69.2, Horizon::Custom(HORIZON_DEG))),
        ] {
            let found = next(event, place, t);
            let Some(spa) = spa.expect("an answer") else {
                assert!(found.is_none_or(|f| f.seconds_since(t) > 30.0 * 86_400.0 - 60.0), "{place:?} {t} {found:?}");
                continue;
            };
            let spa = EventTime::from_chrono(spa).expect("a time");
            let found = found.unwrap_or_else(|| panic!("{place:?} {t}: no {event:?}"));
            let slope = slope_deg_h(place, spa).min(slope_deg_h(place, found));
            if slope < 0.3 {
                continue; // It grazes: on one day or the next is a matter of an arc second.
            }
            let error_s = found.seconds_since(spa).abs();
            assert!(error_s < 0.1 + two_arcsec_s(place, spa), "{place:?} {t} {event:?}: {found}, SPA {spa}");
            if slope > 2.0 {
                assert!(error_s < 1.0, "{place:?} {t} {event:?}: {found}, SPA {spa}");
                steep.push(error_s);
            } else {
                shallow.push(error_s);
            }
        }
    }
    let (largest_deg, middle_deg) = summary(altitudes);
    assert!(largest_deg < 0.001, "{largest_deg}");
    eprintln!("SPA altitude: {largest_deg:.6} {middle_deg:.6} deg");
    eprintln!(
        "SPA events: {} steep {:?}, {} shallow {:?} (max, median s)",
        steep.len(),
        summary(steep.clone()),
        shallow.len(),
        summary(shallow.clone())
    );
}

#[test]
fn the_sunset_of_4_july_in_spokane_is_on_5_july_in_utc() {
    let spokane = at(47.66, -117.43);
    let set = next(SunEvent::Set, spokane, time("2026-07-04T20:15:03Z")).expect("a sunset");
    assert!(set.to_string().starts_with("2026-07-05T03:5"), "{set}");
    assert_eq!(previous(SunEvent::Set, spokane, set), Some(set));
    assert!(next(SunEvent::Set, spokane, set).expect("the next").seconds_since(set) > 86_000.0);
}

#[test]
fn midnight_sun_and_polar_night_in_tromso() {
    let tromso = at(69.65, 18.96);
    let (june, december) = (time("2026-06-21T12:00:00Z"), time("2026-12-21T12:00:00Z"));
    let whole_week = |t: EventTime| (t, t.plus_seconds(7.0 * 86_400.0));
    let (from, to) = whole_week(june);
    assert!(night(0.0, 0.0, tromso, from, to).is_empty());
    assert!(night(-3600.0, -3600.0, tromso, from, to).is_empty());
    let (from, to) = whole_week(december);
    assert_eq!(night(1800.0, 1800.0, tromso, from, to).length_s(), 7.0 * 86_400.0);
    let set = next(SunEvent::Set, tromso, june).expect("the first sunset of the summer").to_string();
    assert!(set.starts_with("2026-07-2"), "{set}");
    let rise = next(SunEvent::Rise, tromso, december).expect("the first sunrise of the winter").to_string();
    assert!(rise.starts_with("2027-01-1"), "{rise}");
}

#[test]
fn both_sides_of_the_antimeridian() {
    // Suva keeps UTC+12, Apia UTC+13 at 172 degrees west: civil dates do not matter.
    for (place, text) in [(at(-18.14, 178.44), "Suva"), (at(-13.83, -171.77), "Apia")] {
        let rise = next(SunEvent::Rise, place, time("2026-07-17T12:00:00Z")).expect(text);
        let set = next(SunEvent::Set, place, rise).expect(text);
        let hours = set.seconds_since(rise) / 3600.0;
        assert!((10.9..11.6).contains(&hours), "{text}: {hours}");
        assert!(rise.seconds_since(time("2026-07-17T12:00:00Z")) < 24.0 * 3600.0, "{text}: {rise}");
    }
    for event in [SunEvent::Rise, SunEvent::Set] {
        let t = time("2026-07-17T12:00:00Z");
        let (east, west) = (next(event, at(-17.0, 180.0), t), next(event, at(-17.0, -180.0), t));
        assert!(east.expect("east").seconds_since(west.expect("west")).abs() < 1e-3);
    }
}

#[test]
fn the_poles_have_one_day_a_year() {
    for lat_deg in [90.0, -90.0] {
        let t = time("2026-01-01T00:00:00Z");
        let rise = next(SunEvent::Rise, at(lat_deg, 0.0), t).expect("a sunrise");
        let set = next(SunEvent::Set, at(lat_deg, 0.0), t).expect("a sunset");
        let days = set.seconds_since(rise) / 86_400.0;
        // 186 days of northern summer, less or more 2 at each end by refraction: day in the north, night in the south.
        let expected = if lat_deg > 0.0 { 187.0..191.0 } else { -184.0..-180.0 };
        assert!(expected.contains(&days), "{lat_deg}: {rise} {set} {days}");
    }
}

/// A small random generator (splitmix64) for seeded sweeps.
pub(super) struct Seed(pub(super) u64);

impl Seed {
    /// A number in 0 .. 1.
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    /// A place anywhere, high latitudes as often as low ones.
    pub(super) fn place(&mut self) -> Position {
        at(self.between(-90.0, 90.0), self.between(-180.0, 180.0))
    }
    /// A time in 2024 to 2035.
    pub(super) fn time(&mut self) -> EventTime {
        EventTime::from_unix_ms(1_704_067_200_000).plus_seconds(self.between(0.0, 12.0 * 365.25 * 86_400.0))
    }
}
