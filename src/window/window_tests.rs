use chrono::{NaiveDateTime, TimeZone, Timelike};
use proptest::prelude::*;

use super::*;

const LOS_ANGELES: Tz = chrono_tz::America::Los_Angeles;
const DAY_NS: i64 = 86_400_000_000_000;

/// A sun that sets and rises at the same times of every UTC day, or never.
struct FakeSky {
    sets_utc: &'static str,
    rises_utc: &'static str,
}

/// Spokane around the solstice: sunset 20:52 PDT, sunrise 04:52 PDT.
const SPOKANE_JUNE: FakeSky = FakeSky { sets_utc: "03:52", rises_utc: "11:52" };

impl FakeSky {
    fn minute_ns(text: &str) -> i64 {
        let (hour, minute) = text.split_once(':').expect("a time");
        (hour.parse::<i64>().expect("hour") * 60 + minute.parse::<i64>().expect("minute")) * 60_000_000_000
    }
}

impl Sky for FakeSky {
    fn night(&self, after_s: f64, before_s: f64, _: Position, from: EventTime, to: EventTime) -> Spans {
        let (sets, rises) = (Self::minute_ns(self.sets_utc), Self::minute_ns(self.rises_utc));
        let length = (rises - sets).rem_euclid(DAY_NS);
        let first = from.unix_ns().div_euclid(DAY_NS) - 2;
        let whole = Span::new(0.0, to.seconds_since(from)).expect("in order");
        (first..first + 400)
            .filter_map(|day| {
                let sunset = EventTime::from_unix_ns(day * DAY_NS + sets);
                let sunrise = EventTime::from_unix_ns(day * DAY_NS + sets + length);
                let night = Span::new(
                    sunset.plus_seconds(after_s).seconds_since(from),
                    sunrise.plus_seconds(-before_s).seconds_since(from),
                );
                night?.intersect(whole)
            })
            .collect()
    }

    fn event_near(&self, rising: bool, _: Position, t: EventTime) -> (Option<EventTime>, Option<EventTime>) {
        let at = Self::minute_ns(if rising { self.rises_utc } else { self.sets_utc });
        let last = (t.unix_ns() - at).div_euclid(DAY_NS) * DAY_NS + at;
        (Some(EventTime::from_unix_ns(last)), Some(EventTime::from_unix_ns(last + DAY_NS)))
    }
}

/// A polar day: the sun neither sets nor rises.
struct PolarDay;

impl Sky for PolarDay {
    fn night(&self, _: f64, _: f64, _: Position, _: EventTime, _: EventTime) -> Spans {
        Spans::none()
    }
    fn event_near(&self, _: bool, _: Position, _: EventTime) -> (Option<EventTime>, Option<EventTime>) {
        (None, None)
    }
}

fn t(text: &str) -> EventTime {
    EventTime::parse_rfc3339(text).expect(text)
}

fn window(text: &str) -> Window {
    Window::parse(text).expect(text)
}

fn place() -> Position {
    Position::from_lat_lon(47.66, -117.43).expect("Spokane")
}

/// The spans between two times as UTC texts, to the minute.
fn open_in(text: &str, sky: &dyn Sky, tz: Tz, from: &str, to: &str) -> Vec<String> {
    let start = t(from);
    let spans = window(text).spans(sky, tz, place(), start, t(to));
    let minute = |s: f64| start.plus_seconds(s).to_chrono().format("%d %H:%M").to_string();
    spans.iter().map(|span| format!("{} - {}", minute(span.from_s), minute(span.to_s))).collect()
}

#[test]
fn always_is_all_of_it() {
    let start = t("2024-06-21T00:00:00Z");
    let always = Window::always();
    assert!(always.is_always() && window("Always").is_always() && Window::default().is_always());
    let spans = always.spans(&PolarDay, LOS_ANGELES, place(), start, start.plus_seconds(5.0));
    assert_eq!(spans, Spans::one(Span { from_s: 0.0, to_s: 5.0 }));
    assert_eq!(always.spans(&PolarDay, LOS_ANGELES, place(), start, start).iter().count(), 1);
    assert!(always.spans(&PolarDay, LOS_ANGELES, place(), start, start.plus_seconds(-1.0)).is_empty());
}

#[test]
fn a_summer_evening_in_spokane_crosses_the_utc_date() {
    let open = |text| open_in(text, &SPOKANE_JUNE, LOS_ANGELES, "2024-06-21T18:00:00Z", "2024-06-22T18:00:00Z");
    assert_eq!(open("from sunset to sunrise"), ["22 03:52 - 22 11:52"]);
    assert_eq!(open("from 30 min after sunset to 30 min before sunrise"), ["22 04:22 - 22 11:22"]);
    assert_eq!(open("from 30 min after sunset to 07:00"), ["22 04:22 - 22 14:00"]);
    assert_eq!(open("from sunrise to sunset"), ["21 18:00 - 22 03:52", "22 11:52 - 22 18:00"]);
    assert_eq!(open("from 1 h before sunset to 1 h after sunset"), ["22 02:52 - 22 04:52"]);
    assert_eq!(open("from 5 h after sunset to 5 h before sunrise"), Vec::<String>::new());
    assert!(window("from 20:00 to latest of 07:00, sunrise").needs_sun());
    assert!(!window("from 20:00 to 07:00 and on sat and from 05-15 to 09-15").needs_sun());
}

#[test]
fn an_instant_is_open_where_what_follows_it_is() {
    let open_at = |text, at| !window(text).spans(&SPOKANE_JUNE, LOS_ANGELES, place(), t(at), t(at)).is_empty();
    let evening = "from 20:00 to 23:00";
    assert!(!open_at(evening, "2024-06-22T02:59:59.999Z") && open_at(evening, "2024-06-22T03:00:00Z"));
    assert!(open_at(evening, "2024-06-22T05:59:59.999Z") && !open_at(evening, "2024-06-22T06:00:00Z"));
    assert!(open_at("from sunset to 23:00", "2024-06-22T03:52:00Z"));
    assert!(!open_at("from sunset to sunrise", "2024-06-22T11:52:00Z"));
    assert!(open_at("always", "2024-06-22T06:00:00Z"));
}

#[test]
fn sun_and_clock_together() {
    let open = |text| open_in(text, &SPOKANE_JUNE, LOS_ANGELES, "2024-06-21T18:00:00Z", "2024-06-22T18:00:00Z");
    assert_eq!(open("from 1 h before sunset to 09:30"), ["22 02:52 - 22 16:30"]);
    assert_eq!(open("from 20:00 to sunrise"), ["22 03:00 - 22 11:52"]);
    // Whichever comes first: 20:00 PDT before a sunset at 20:52, or 20:52 before 21:30.
    assert_eq!(open("from earliest of 20:00, sunset to 11:00"), ["22 03:00 - 22 18:00"]);
    assert_eq!(open("from earliest of 21:30, sunset to 11:00"), ["22 03:52 - 22 18:00"]);
    assert_eq!(open("from latest of 20:00, sunset to 08:00"), ["22 03:52 - 22 15:00"]);
    assert_eq!(open("from 23:00 to earliest of 06:00, sunrise"), ["22 06:00 - 22 11:52"]);
    assert_eq!(open("from 23:00 to latest of 06:00, sunrise"), ["22 06:00 - 22 13:00"]);
}

#[test]
fn ends_that_have_passed_each_other_leave_no_window() {
    let late_sunset = FakeSky { sets_utc: "05:30", rises_utc: "10:00" };
    let open = |text, sky: &dyn Sky| open_in(text, sky, LOS_ANGELES, "2024-06-21T18:00:00Z", "2024-06-22T18:00:00Z");
    // 22:30 PDT is after 22:00, which is not "until 22:00 tomorrow".
    assert_eq!(open("from sunset to 22:00", &late_sunset), Vec::<String>::new());
    assert_eq!(open("from sunset to 23:00", &late_sunset), ["22 05:30 - 22 06:00"]);
}

#[test]
fn where_the_sun_does_not_set() {
    let open = |text| open_in(text, &PolarDay, chrono_tz::Europe::Oslo, "2024-06-21T00:00:00Z", "2024-06-21T22:00:00Z");
    assert_eq!(open("from sunset to sunrise"), Vec::<String>::new());
    assert_eq!(open("from sunrise to sunset"), ["21 00:00 - 21 22:00"]);
    assert_eq!(open("from 1 h before sunset to 09:30"), Vec::<String>::new());
    assert_eq!(open("from 20:00 to sunrise"), ["21 00:00 - 21 22:00"]);
    assert_eq!(open("from earliest of 20:00, sunset to 11:00"), ["21 00:00 - 21 09:00", "21 18:00 - 21 22:00"]);
}

#[test]
fn the_night_the_clocks_go_forward() {
    // 2024-03-10, 02:00 PST becomes 03:00 PDT at 10:00 UTC.
    let open = |text| open_in(text, &SPOKANE_JUNE, LOS_ANGELES, "2024-03-10T00:00:00Z", "2024-03-11T00:00:00Z");
    assert_eq!(open("from 01:00 to 04:00"), ["10 09:00 - 10 11:00"]);
    assert_eq!(open("from 01:00 to 02:30"), ["10 09:00 - 10 10:00"]);
    assert_eq!(open("from 02:30 to 04:00"), ["10 10:00 - 10 11:00"]);
    assert_eq!(open("from 02:10 to 02:50"), Vec::<String>::new());
    assert_eq!(open("from 02:30 to sunrise"), ["10 10:00 - 10 11:52"]);
    assert_eq!(open("on sun"), ["10 08:00 - 11 00:00"]);
}

#[test]
fn the_night_the_clocks_go_back() {
    // 2024-11-03, 02:00 PDT becomes 01:00 PST at 09:00 UTC.
    let open = |text| open_in(text, &SPOKANE_JUNE, LOS_ANGELES, "2024-11-03T06:00:00Z", "2024-11-04T00:00:00Z");
    assert_eq!(open("from 00:30 to 03:00"), ["03 07:30 - 03 11:00"]);
    assert_eq!(open("from 01:15 to 01:45"), ["03 08:15 - 03 08:45", "03 09:15 - 03 09:45"]);
    assert_eq!(open("from 23:30 to 01:30"), ["03 06:30 - 03 08:30", "03 09:00 - 03 09:30"]);
    assert_eq!(open("from 01:30 to sunrise"), ["03 08:30 - 03 11:52"]);
}

#[test]
fn seasons_cross_the_new_year() {
    let open = |text, from, to| open_in(text, &PolarDay, chrono_tz::America::Chicago, from, to);
    let winter = "from 11-01 to 03-31";
    assert_eq!(open(winter, "2024-10-31T00:00:00Z", "2024-11-02T00:00:00Z"), ["01 05:00 - 02 00:00"]);
    assert_eq!(open(winter, "2024-12-31T12:00:00Z", "2025-01-01T12:00:00Z"), ["31 12:00 - 01 12:00"]);
    assert_eq!(open(winter, "2025-03-31T12:00:00Z", "2025-04-02T12:00:00Z"), ["31 12:00 - 01 05:00"]);
    assert_eq!(open(winter, "2025-07-01T12:00:00Z", "2025-07-02T12:00:00Z"), Vec::<String>::new());
    let leap = "from 02-29 to 02-29";
    assert_eq!(open(leap, "2024-02-28T06:00:00Z", "2024-03-02T06:00:00Z"), ["29 06:00 - 01 06:00"]);
    assert_eq!(open(leap, "2025-02-28T06:00:00Z", "2025-03-02T06:00:00Z"), Vec::<String>::new());
    let both = "from 05-15 to 09-15 and on sat, sun and from 20:00 to 24:00";
    assert_eq!(open(both, "2024-06-21T12:00:00Z", "2024-06-23T12:00:00Z"), ["23 01:00 - 23 05:00"]);
}

#[test]
fn canonical_texts_are_read_and_written() {
    for text in [
        "always",
        "from 30 min after sunset to 30 min before sunrise",
        "from sunset to sunrise",
        "from 20:00 to 11:00",
        "from 1 h before sunset to 09:30",
        "from 05-15 to 09-15",
        "from 11-01 to 03-31 and on sat, sun",
        "from earliest of 20:00, sunset to latest of 07:00, 30 min after sunrise",
        "from 20:00 to 24:00",
    ] {
        assert_eq!(window(text).to_string(), text);
        let json = serde_json::to_string(&window(text)).expect("a text");
        assert_eq!(serde_json::from_str::<Window>(&json).expect("the same"), window(text));
    }
    assert_eq!(
        window("  FROM 8:00  to 9:30 AND always and ON Sunday, sat").to_string(),
        "from 08:00 to 09:30 and on sat, sun"
    );
}

#[test]
fn texts_that_are_no_window_say_how_to_write_one() {
    for (text, message) in [
        (
            "nights",
            r#""nights" is no window: "nights" should be "always", "on sat, sun", or run from something to something, as in "from 20:00 to 11:00""#,
        ),
        (
            "from 8 pm to sunrise",
            r#""from 8 pm to sunrise" is no window: unknown end "8 pm"; write a time as in 20:00, or the sun as in "30 min after sunset""#,
        ),
        (
            "from 20:60 to 21:00",
            r#""from 20:60 to 21:00" is no window: there is no time "20:60"; write hours and minutes of 24 hours, as in 20:00"#,
        ),
        (
            "from 02-30 to 05-01",
            r#""from 02-30 to 05-01" is no window: there is no date "02-30"; write month and day, as in 05-15"#,
        ),
        (
            "from 05-01 to sunset",
            r#""from 05-01 to sunset" is no window: a season runs from one date to another, as in "from 05-15 to 09-15", and "05-01" is a date"#,
        ),
        (
            "from 30 after sunset to sunrise",
            r#""from 30 after sunset to sunrise" is no window: "30" is no span of time: a bare number has no unit; write it as in "30 min""#,
        ),
        (
            "from 30 min sunset to sunrise",
            r#""from 30 min sunset to sunrise" is no window: "30 min sunset" should say before or after, as in "30 min after sunset""#,
        ),
        (
            "from 13 h after sunset to sunrise",
            r#""from 13 h after sunset to sunrise" is no window: 13 h is too far from sunset; at most 12 h"#,
        ),
        (
            "on caturday",
            r#""on caturday" is no window: unknown day "caturday"; known are mon, tue, wed, thu, fri, sat, sun"#,
        ),
        (
            "from 08:00 to 08:00",
            r#""from 08:00 to 08:00" is no window: "from 08:00 to 08:00" begins and ends at the same moment; for all day write "always""#,
        ),
        ("from 24:00 to 08:00", r#""from 24:00 to 08:00" is no window: a window begins at 00:00, not at 24:00"#),
    ] {
        assert_eq!(Window::parse(text).expect_err(text).to_string(), message);
    }
}

#[test]
fn the_ends_of_time_are_held() {
    for text in ["from 20:00 to 11:00", "from 11-01 to 03-31", "on sat", "from sunset to 09:30"] {
        let spans = |from, to| window(text).spans(&PolarDay, LOS_ANGELES, place(), from, to);
        spans(EventTime::MIN, EventTime::MIN.plus_seconds(86_400.0));
        spans(EventTime::MAX.plus_seconds(-86_400.0), EventTime::MAX);
    }
}

/// Whether a clock on the shore shows a minute from `a` until before `b`.
fn shown_between(tz: Tz, t: EventTime, a: u32, b: u32) -> bool {
    let local: NaiveDateTime = tz.from_utc_datetime(&t.to_chrono().naive_utc()).naive_local();
    let minute = local.hour() * 60 + local.minute();
    if a < b { a <= minute && minute < b } else { a <= minute || minute < b }
}

proptest! {
    #[test]
    fn clock_windows_agree_with_a_clock_read_minute_by_minute(
        a in 0u32..1440, b in 0u32..1440, tz in prop::sample::select(vec![
            LOS_ANGELES, chrono_tz::Australia::Lord_Howe, chrono_tz::America::Sao_Paulo, chrono_tz::Asia::Beirut, chrono_tz::UTC,
        ]),
        // Nights in which one or another of these changes its clocks, and any others.
        start_min in prop_oneof![
            Just(t("2024-03-09T20:00:00Z")), Just(t("2024-11-02T20:00:00Z")), Just(t("2024-04-06T10:00:00Z")),
            Just(t("2018-11-03T20:00:00Z")), Just(t("2024-03-30T15:00:00Z")),
            (0i64..20_000).prop_map(|day| EventTime::from_unix_ns(day * DAY_NS)),
        ],
    ) {
        prop_assume!(a != b);
        let text = format!("from {:02}:{:02} to {:02}:{:02}", a / 60, a % 60, b / 60, b % 60);
        let spans = window(&text).spans(&PolarDay, tz, place(), start_min, start_min.plus_seconds(2.0 * 86_400.0));
        for minute in 0..2 * 1440 {
            // Half a minute in, where open and closed ends are the same.
            let s = f64::from(minute) * 60.0 + 30.0;
            prop_assert_eq!(spans.contains(s), shown_between(tz, start_min.plus_seconds(s), a, b), "{} at {}", text, start_min.plus_seconds(s));
        }
    }

    #[test]
    fn no_text_makes_it_panic(words in prop::collection::vec(prop_oneof![
        prop::sample::select(vec!["from", "to", "and", "on", "always", "sunset", "sunrise", "before", "after", "earliest of", "latest of",
            "20:00", "05-15", "24:00", "30 min", "1 h", "sat", ",", "-", ":", "é", "99:99", "00-00"]).prop_map(str::to_owned),
        ".{0,6}",
    ], 0..9)) {
        if let Ok(window) = Window::parse(&words.join(" ")) {
            prop_assert_eq!(Window::parse(&window.to_string()).expect("canonical"), window.clone());
            let start = t("2024-03-10T09:00:00Z");
            window.spans(&SPOKANE_JUNE, LOS_ANGELES, place(), start, start.plus_seconds(100_000.0));
        }
    }

    #[test]
    fn a_stretch_cut_in_two_has_the_same_spans(cut_s in 1.0f64..170_000.0, text in prop::sample::select(vec![
        "from 1 h before sunset to 09:30", "from 22:00 to 04:00 and on sun", "from earliest of 20:00, sunset to 11:00",
        "from sunrise to sunset", "from 03-10 to 03-10", "from 10 h after sunset to 2 h after sunset",
    ])) {
        let (start, end, window) = (t("2024-03-09T12:00:00Z"), t("2024-03-11T12:00:00Z"), window(text));
        let open = |from, to| window.spans(&SPOKANE_JUNE, LOS_ANGELES, place(), from, to);
        let (whole, middle) = (open(start, end), start.plus_seconds(cut_s));
        let length_s = open(start, middle).length_s() + open(middle, end).length_s();
        prop_assert!((whole.length_s() - length_s).abs() < 1e-6);
    }
}
