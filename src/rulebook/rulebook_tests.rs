use proptest::prelude::*;

use super::*;
use crate::observation::VesselClass;
use crate::window::Window;
use crate::zones::{Asks, DutyPlace};

/// A small rulebook without fault.
const SMALL: &str = r#"name = "Small"
edition = "first"
authority = "Town"
effective_from = 2020-01-01
effective_to = 2029-12-31
time_zone = "America/Los_Angeles"

[motion]
max_gap = "15 s"

[findings]
min_confidence = "50 %"

[[rules.speed-cap.clause]]
citation = "A"
limit = "50 mph"

[[rules.wake-zone.clause]]
citation = "B"
limit = "5 mph"
within = "50 ft"
of = ["dock"]
when = "from 20:00 to 11:00"
vessels = { class = ["pwc"], length = "under 26 ft" }
"#;

fn read(text: &str) -> Rulebook {
    Rulebook::from_toml("small.toml", text).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

/// The messages about the small rulebook with one text put in place of another.
fn faults(old: &str, new: &str) -> Vec<String> {
    assert!(SMALL.contains(old), "{old}");
    let faults = Rulebook::from_toml("small.toml", &SMALL.replacen(old, new, 1)).expect_err("a fault");
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn shipped_rulebooks_are_read() {
    for (name, text) in SHIPPED {
        let rulebook = Rulebook::from_toml(name, text).unwrap_or_else(|faults| panic!("{faults:#?}"));
        assert_eq!(rulebook.version.len(), 32);
    }
    let spokane = Rulebook::spokane();
    let ids: Vec<_> = spokane.rules.iter().map(|rule| rule.id()).collect();
    let all: Vec<_> = crate::rules::ALL.iter().map(|kind| kind.id).collect();
    assert_eq!(ids, all);
    assert_eq!(spokane.edition, "Ord. C29112 (1988), as amended by Ord. C30459 (1992)");
    assert_eq!(spokane.superseded_by.as_deref(), Some("SMC chapter 16A.60, Rules of the River, effective 2018-06-03"));
}

#[test]
fn spokane_is_in_force_until_its_last_local_day() {
    let spokane = Rulebook::spokane();
    let in_force = |t| spokane.in_force(EventTime::parse_rfc3339(t).expect(t));
    assert!(in_force("2018-06-03T06:59:59Z") && !in_force("2018-06-03T07:00:00Z"));
    assert!(in_force("1992-06-08T07:00:00Z") && !in_force("1992-06-08T06:59:59Z"));
}

#[test]
fn spokane_has_the_numbers_of_its_text() {
    let spokane = Rulebook::spokane();
    assert_eq!(spokane.motion, Motion::default());
    assert_eq!(spokane.motion.max_gap_s, 15.0);
    assert_eq!(spokane.motion.merge_gap_s, 10.0);
    assert_eq!(spokane.motion.reorder_window_s, 30.0);
    assert_eq!(spokane.motion.rest_ttl_s, 600.0);
    assert_eq!(spokane.motion.rest_time_s, 60.0);
    assert_eq!(spokane.motion.rest_speed_mps, 0.44704);
    assert_eq!(spokane.motion.rest_radius_m, 10.0);
    assert_eq!(spokane.motion.implausible_speed_mps, 53.6448);
    assert_eq!(spokane.motion.default_accuracy_m, 5.0);
    assert_eq!(spokane.motion.off_water_margin_m, 5.0);
    assert_eq!(spokane.motion.max_link_m, 400.0);
    assert_eq!(spokane.motion.tow_rope_m, 23.0);
    assert_eq!(spokane.findings, FindingSteps::default());
    assert_eq!((spokane.findings.min_confidence, spokane.findings.breach_confidence), (0.5, 0.95));
    assert_eq!(spokane.texts, TextUnits { speed: SpeedUnit::Mph, distance: LengthUnit::Ft });

    // (rule, citation, limit in m/s, distance in m, of)
    let wake = |n: u8, of: &'static str| ("wake-zone", format!("SMC 10.14.140(B)({n})"), Some(2.2352), Some(15.24), of);
    let ski = |id, letter: &str, distance_m, of| (id, format!("SMC 10.14.170({letter})"), None, distance_m, of);
    let expected = [
        ("speed-cap", "SMC 10.14.140(A)".to_owned(), Some(22.352), None, ""),
        wake(1, "safety_buoy"),
        wake(2, "dock"),
        wake(3, "stationary"),
        wake(4, "trolling"),
        wake(5, "shoreline"),
        wake(6, "swimmer swim_area"),
        wake(7, "float ski_dock"),
        wake(8, "dive_flag"),
        ("night-speed", "SMC 10.14.140(C)".to_owned(), Some(6.7056), None, ""),
        ("inshore-wake", "SMC 10.14.200(C)".to_owned(), Some(2.2352), None, ""),
        ("restricted-visibility", "SMC 10.14.140(D)".to_owned(), None, None, ""),
        ("speed-zone", "speed zone".to_owned(), None, None, ""),
        ski("ski-hours", "C", None, ""),
        ski("ski-proximity", "D", Some(15.24), "launch_ramp swimmer swim_area safety_buoy shoreline"),
        ski("ski-inshore", "E", None, ""),
        ski("ski-following", "F", Some(91.44), ""),
        ski("ski-bow-crossing", "F", Some(60.96), ""),
        ski("ski-clearance", "F", Some(30.48), ""),
        ski("ski-slalom", "G", Some(22.86), ""),
        ski("ski-observer", "B", None, ""),
        ski("ski-flag", "J", None, ""),
        ski("ski-direction", "K", None, ""),
    ];
    let document: toml::Table = SHIPPED[0].1.parse().expect("TOML");
    let mut written = Vec::new();
    for kind in crate::rules::ALL {
        for clause in document["rules"][kind.id]["clause"].as_array().expect("clauses") {
            let text = |key: &str| clause.get(key).and_then(toml::Value::as_str);
            let list = clause.get("of").and_then(toml::Value::as_array);
            let of = list.map(|of| of.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(" "));
            written.push((
                kind.id,
                text("citation").expect("citation").to_owned(),
                text("limit").map(|limit| limit.parse::<Speed>().expect("speed").mps()),
                text("within").or(text("closer_than")).map(|within| within.parse::<Length>().expect("length").m()),
                of.or(text("of_vessels").map(str::to_owned)).unwrap_or_default(),
            ));
        }
    }
    let expected: Vec<_> = expected.into_iter().map(|(a, b, c, d, of)| (a, b, c, d, of.to_owned())).collect();
    assert_eq!(written, expected);
    let clause = |id: &str| document["rules"][id]["clause"][0].clone();
    assert_eq!(clause("night-speed")["when"].as_str(), Some("from 30 min after sunset to 30 min before sunrise"));
    assert_eq!(clause("inshore-wake")["departing_within"].as_str(), Some("45 deg"));
    for id in ["inshore-wake", "ski-proximity", "ski-inshore"] {
        let takeoff = clause(id)["takeoff"].clone();
        assert_eq!((takeoff["time"].as_str(), takeoff["course_within"].as_str()), (Some("30 s"), Some("30 deg")));
    }
    assert_eq!(clause("ski-hours")["when"].as_str(), Some("from 60 min after sunset to 60 min before sunrise"));
    let following = clause("ski-following");
    for key in ["astern_within", "course_within"] {
        assert_eq!(following[key].as_str(), Some("67.5 deg"));
    }
    assert_eq!(clause("ski-observer")["age_years_min"].as_integer(), Some(10));
    let fog = clause("restricted-visibility");
    assert_eq!(fog["conditions_ttl"].as_str(), Some("30 min"));
    assert_eq!(fog["reaction_time"].as_str(), Some("2 s"));
    assert_eq!(fog["deceleration"].as_str(), Some("1.0 m/s2"));
    assert_eq!(fog["sight_share"].as_float(), Some(0.5));
}

#[test]
fn wisconsin_keeps_its_own_distances_and_night() {
    let document: toml::Table = SHIPPED[1].1.parse().expect("TOML");
    let near = document["rules"]["wake-zone"]["clause"].as_array().expect("clauses");
    let within: Vec<_> = near.iter().map(|clause| clause["within"].as_str().expect("within")).collect();
    assert_eq!(within, ["100 ft", "100 ft", "200 ft", "100 ft", "100 ft"]);
    assert!(near.iter().all(|clause| clause["reading"].as_str().expect("reading").contains("surrogate")));
    let night = &document["rules"]["night-speed"]["clause"][0];
    assert_eq!((night["when"].as_str(), night["limit"].as_str()), (Some("from sunset to sunrise"), Some("1 mph")));
}

#[test]
fn what_is_left_out_has_the_defaults() {
    let rulebook = read(SMALL);
    assert_eq!((rulebook.motion, rulebook.findings, rulebook.texts), Default::default());
    assert_eq!(rulebook.rules.len(), 2);
    assert_ne!(rulebook.version, read(&format!("{SMALL}\n")).version);
    assert_eq!(rulebook.version, read(SMALL).version);
}

#[test]
fn files_from_other_editors_are_read() {
    read(&SMALL.replace('\n', "\r\n"));
    read(&format!("\u{feff}{SMALL}"));
}

#[test]
fn every_kind_of_fault_says_where_and_how_to_mend_it() {
    for (old, new, message) in [
        (
            "limit = \"50 mph\"",
            "limit = 50",
            r#"small.toml:16:9: rules.speed-cap.clause#1.limit = 50: a bare number has no unit; write it as in "5 mph""#,
        ),
        (
            "limit = \"50 mph\"",
            "limit = \"50\"",
            r#"small.toml:16:9: rules.speed-cap.clause#1.limit = "50": no speed: a bare number has no unit; write it as in "5 mph""#,
        ),
        (
            "limit = \"50 mph\"",
            "limit = \"50 ft\"",
            r#"small.toml:16:9: rules.speed-cap.clause#1.limit = "50 ft": no speed: unknown unit "ft"; known are mph, km/h, kn, m/s"#,
        ),
        (
            "limit = \"50 mph\"",
            "limit = true",
            r#"small.toml:16:9: rules.speed-cap.clause#1.limit = true: should be a number with its unit, as in "5 mph""#,
        ),
        (
            "limit = \"50 mph\"",
            "limt = \"50 mph\"\nlimit = \"50 mph\"",
            r#"small.toml:16:1: rules.speed-cap.clause#1.limt: unknown key; the nearest known is "limit""#,
        ),
        (
            "max_gap",
            "colour",
            "small.toml:9:1: motion.colour: unknown key; known are max_gap, merge_gap, reorder_window, rest_ttl, rest_time, rest_speed, \
             rest_radius, implausible_speed, default_accuracy, off_water_margin, max_link, tow_rope",
        ),
        (
            "limit = \"50 mph\"\n",
            "",
            r#"small.toml:14:1: rules.speed-cap.clause#1.limit: missing; add it, as in limit = "5 mph""#,
        ),
        ("authority = \"Town\"\n", "", r#"small.toml:1:1: authority: missing; add it, as in authority = "…""#),
        (
            "rules.speed-cap",
            "rules.speed-cup",
            "small.toml:14:9: rules.speed-cup: unknown rule; known are speed-cap, wake-zone, night-speed, inshore-wake, \
             restricted-visibility, speed-zone, ski-hours, ski-proximity, ski-inshore, ski-following, ski-bow-crossing, \
             ski-clearance, ski-slalom, ski-observer, ski-flag, ski-direction",
        ),
        (
            "2020-01-01",
            "\"1 January 2020\"",
            r#"small.toml:4:18: effective_from = "1 January 2020": no date; write year, month and day, as in 1992-06-08"#,
        ),
        (
            "2029-12-31",
            "2019-12-31",
            "small.toml:5:16: effective_to = 2019-12-31: earlier than effective_from, 2020-01-01",
        ),
        (
            "America/Los_Angeles",
            "America/Spokane",
            r#"small.toml:6:13: time_zone = "America/Spokane": unknown time zone; write its IANA name, as in "America/Los_Angeles""#,
        ),
        (
            "from 20:00 to 11:00",
            "from 8 pm to 11:00",
            r#"small.toml:23:8: rules.wake-zone.clause#1.when = "from 8 pm to 11:00": no window: unknown end "8 pm"; write a time as in 20:00, or the sun as in "30 min after sunset""#,
        ),
        (
            "[\"dock\"]",
            "[\"dock\", \"doc\"]",
            r#"small.toml:22:15: rules.wake-zone.clause#1.of#2 = "doc": unknown kind of feature; the nearest known is "dock""#,
        ),
        (
            "[\"dock\"]",
            "\"dock\"",
            r#"small.toml:22:6: rules.wake-zone.clause#1.of = "dock": should be a list, in square brackets"#,
        ),
        ("[\"dock\"]", "[]", "small.toml:22:6: rules.wake-zone.clause#1.of = []: the list is empty"),
        (
            "[\"pwc\"]",
            "[\"jetski\"]",
            r#"small.toml:24:22: rules.wake-zone.clause#1.vessels.class#1 = "jetski": unknown class of vessel; known are motorboat, pwc, sailboat, nonmotorized, commercial, patrol"#,
        ),
        (
            "under 26 ft",
            "26 ft",
            r#"small.toml:24:39: rules.wake-zone.clause#1.vessels.length = "26 ft": no range of lengths: write "26 ft or more", "over 26 ft", "under 26 ft", "26 ft or less" or "16 ft to under 26 ft""#,
        ),
        (
            "length = \"under 26 ft\"",
            "undeclared = \"guilty\"",
            r#"small.toml:24:43: rules.wake-zone.clause#1.vessels.undeclared = "guilty": unknown choice; known are "not evaluable", "applies""#,
        ),
        (
            "\"50 %\"",
            "50",
            r#"small.toml:12:18: findings.min_confidence = 50: should be a number from 0 to 1, or a percentage as in "50 %""#,
        ),
        (
            "citation = \"A\"",
            "citation = 10",
            "small.toml:15:12: rules.speed-cap.clause#1.citation = 10: should be a text in quotes",
        ),
        (
            "[[rules.speed-cap.clause]]\ncitation = \"A\"\nlimit = \"50 mph\"",
            "[rules.speed-cap]",
            "small.toml:14:1: rules.speed-cap.clause: missing; add one, as in [[rules.speed-cap.clause]]",
        ),
        (
            "[[rules.speed-cap.clause]]\ncitation = \"A\"\nlimit = \"50 mph\"",
            "[rules.speed-cap]\nclause = []",
            "small.toml:14:1: rules.speed-cap.clause: missing; add one, as in [[rules.speed-cap.clause]]",
        ),
        (
            "limit = \"50 mph\"",
            "limit = \"50 mph\"\n[[rules.speed-cap.clause]]\ncitation = \"A\"\nlimit = \"40 mph\"",
            r#"small.toml:18:12: rules.speed-cap.clause#2.citation = "A": already the citation of the clause at line 15; give each clause its own"#,
        ),
        ("[motion]", "motion = 3\n[mot]", "small.toml:8:10: motion = 3: should be a table of settings"),
        (
            "max_gap = \"15 s\"",
            "max_gap = 15 s",
            "small.toml:9:11: no TOML: string values must be quoted, expected literal string",
        ),
    ] {
        let told = faults(old, new);
        assert!(told.iter().any(|fault| fault == message), "{message}\nis not among\n{}", told.join("\n"));
    }
}

#[test]
fn duties_are_read_and_their_faults_are_told() {
    let with = |duty: &str| format!("{SMALL}\n[[map.duty]]\n{duty}\n");
    let pier = "citation = \"C\"\nof = [\"dock\"]\nbeyond = \"50 ft\"\nlight = \"a white light\"";
    let duties = read(&with(pier)).duties;
    let beyond = DutyPlace::Beyond(Length::new(50.0, LengthUnit::Ft));
    let [Duty { citation, asks, place, .. }] = &duties[..] else { panic!("{duties:?}") };
    assert_eq!((citation.as_str(), asks, place), ("C", &Asks::Light("a white light".to_owned()), &beyond));
    assert!(read(SMALL).duties.is_empty());
    let faults = |duty: &str| {
        let faults = Rulebook::from_toml("small.toml", &with(duty)).expect_err("a fault");
        faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    for (old, new, said) in [
        ("light = \"a white light\"", "", "map.duty#1.light: missing; say what is asked for, as in light ="),
        ("beyond = \"50 ft\"", "beyond = 50", "map.duty#1.beyond = 50:"),
        ("beyond = \"50 ft\"", "beyond = \"50 ft\"\noutside = \"buoy line\"", "make two of it"),
        ("beyond = \"50 ft\"", "outside = \"fence\"", "unknown choice; known are \"buoy line\""),
        ("light =", "permit = \"a permit\"\nlight =", "a duty asks for a light or a permit; make two of it"),
        ("light =", "lights =", "map.duty#1.lights: unknown key; the nearest known is \"light\""),
        ("[\"dock\"]", "[\"teapot\"]", "teapot"),
        ("citation = \"C\"", "", "map.duty#1.citation: missing"),
    ] {
        let told = faults(&pier.replace(old, new));
        assert!(told.contains(said), "{told}");
    }
    let spokane: Vec<String> = Rulebook::spokane().duties.into_iter().map(|duty| duty.citation).collect();
    assert_eq!(spokane, ["SMC 10.14.200(E)", "SMC 10.14.210(A)", "SMC 10.14.210(B)", "SMC 10.14.210(C)"]);
}

#[test]
fn all_faults_are_told_at_once_in_the_order_of_the_lines() {
    let text = SMALL
        .replace("Los_Angeles", "Spokane")
        .replace("50 mph", "50")
        .replace("50 ft", "50 mph")
        .replace("of =", "off =");
    let faults = Rulebook::from_toml("small.toml", &text).expect_err("faults");
    let places: Vec<_> = faults.iter().map(|fault| (fault.line, fault.key.as_str())).collect();
    assert_eq!(
        places,
        [
            (6, "time_zone"),
            (16, "rules.speed-cap.clause#1.limit"),
            (18, "rules.wake-zone.clause#1.of"),
            (21, "rules.wake-zone.clause#1.within"),
            (22, "rules.wake-zone.clause#1.off"),
        ]
    );
}

#[test]
fn columns_count_characters_and_long_values_are_cut() {
    let long = format!("name = \"é\"\ntime_zone = \"{}\"", "ü".repeat(80));
    let faults = Rulebook::from_toml("x", &long).expect_err("faults");
    let zone = faults.iter().find(|fault| fault.key == "time_zone").expect("a bad zone");
    assert_eq!((zone.line, zone.column), (2, 13));
    assert_eq!(zone.value.as_deref(), Some(format!("\"{}…", "ü".repeat(59)).as_str()));
}

/// What a clause says, read as a rule would.
fn clause(settings: &str) -> Clause {
    let text = format!("citation = \"X\"\n{settings}");
    let document = DeTable::parse(&text).expect("TOML");
    let faults = Faults::new("x", &text);
    let mut section = Section::new(document.get_ref(), document.span(), String::new(), &faults);
    let clause = section.clause();
    section.finish();
    assert!(faults.is_empty(), "{faults:?}");
    clause
}

#[test]
fn a_clause_binds_everybody_at_all_times_unless_it_says_otherwise() {
    let plain = clause("");
    assert_eq!((plain.vessels.applies(None, None), plain.when.is_always()), (Applies::Yes, true));
    let full = clause("title = \"t\"\ntext = \"w\"\nreading = \"both\"\nwhen = \"from 11-01 to 03-31\"");
    assert_eq!(
        (full.title.as_deref(), full.text.as_deref(), full.reading.as_deref()),
        (Some("t"), Some("w"), Some("both"))
    );
    assert_eq!(full.when, Window::parse("from 11-01 to 03-31").expect("window"));
}

#[test]
fn unknown_is_not_guilty() {
    use Applies::{No, Unknown, Yes};
    let (pwc, motorboat) = (Some(VesselClass::Pwc), Some(VesselClass::Motorboat));
    let only = clause("vessels = { class = [\"pwc\"] }").vessels;
    assert_eq!([only.applies(pwc, None), only.applies(motorboat, None), only.applies(None, None)], [Yes, No, Unknown]);
    assert_eq!(only.applies_to(None), Unknown);
    let not = clause("vessels = { not_class = [\"pwc\"] }").vessels;
    assert_eq!([not.applies(pwc, None), not.applies(motorboat, None), not.applies(None, None)], [No, Yes, Unknown]);
    let bound = clause("vessels = { not_class = [\"pwc\"], undeclared = \"applies\" }").vessels;
    assert_eq!([bound.applies(pwc, None), bound.applies(None, None)], [No, Yes]);
    let long = clause("vessels = { class = [\"motorboat\"], length = \"26 ft or more\" }").vessels;
    assert_eq!([long.applies(motorboat, Some(7.9248)), long.applies(motorboat, Some(7.92))], [Yes, No]);
    assert_eq!(
        [long.applies(motorboat, None), long.applies(pwc, None), long.applies(None, Some(5.0))],
        [Unknown, No, No]
    );
}

#[test]
fn lengths_say_to_which_side_the_equal_case_belongs() {
    for (text, lengths_m, inside) in [
        ("26 ft or more", [7.9247, 7.9248], [false, true]),
        ("over 26 ft", [7.9248, 7.9249], [false, true]),
        ("under 26 ft", [7.9247, 7.9248], [true, false]),
        ("8 m or less", [8.0, 8.001], [true, false]),
        ("16 ft to under 26 ft", [4.8768, 7.9248], [true, false]),
        ("over 26 ft to 40 ft", [7.9248, 12.192], [false, true]),
    ] {
        let range = LengthRange::parse(text).expect(text);
        assert_eq!(lengths_m.map(|m| range.contains_m(m)), inside, "{text}");
        assert_eq!(range.to_string(), text);
    }
    assert_eq!(LengthRange::parse("26 ft to under 16 ft").expect_err("reversed"), "26 ft is not shorter than 16 ft");
}

#[test]
fn other_codes_can_be_written() {
    let text =
        SMALL.replace("\"50 mph\"", "\"10 km/h\"").replace("\"5 mph\"", "\"8 kn\"").replace("\"50 ft\"", "\"30 m\"");
    let text = text.replace(
        "from 20:00 to 11:00",
        "from 11-15 to 04-15 and from earliest of 20:00, sunset to 11:00 and on sat, sun",
    );
    read(&format!("{text}[texts]\nspeed = \"kn\"\ndistance = \"m\"\n"));
}

#[test]
fn deep_nesting_is_a_fault_like_any_other() {
    for text in
        ["a = ".to_owned() + &"[".repeat(50_000), "a.".repeat(50_000) + "a = 1", format!("[{}a]", "a.".repeat(50_000))]
    {
        assert!(!Rulebook::from_toml("deep.toml", &text).expect_err("faults").is_empty());
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(
        (file, edits) in (0..SHIPPED.len(), prop::collection::vec((any::<prop::sample::Index>(), 0usize..12, prop_oneof![
            prop::sample::select(vec!["\"", "[", "]", "[[", "{", "}", "=", "\n", "#", "5", "-1", "1e999", "nan", "0x10", "é", "\"5 mph\"",
                "1992-06-08", "true", "[]", "{}", "rules", "clause", ".", ",", "'''", "\\u0000", "\r\n", " ", "\"always\""]).prop_map(str::to_owned),
            ".{0,3}",
        ]), 1..12))
    ) {
        let mut text = SHIPPED[file].1.to_owned();
        for (at, cut, put) in edits {
            let from = (0..=at.index(text.len() + 1)).rev().find(|&byte| text.is_char_boundary(byte)).expect("0 is one");
            let to = (from + cut..).map(|byte| byte.min(text.len())).find(|&byte| text.is_char_boundary(byte)).expect("the end is one");
            text.replace_range(from..to, &put);
        }
        if let Err(faults) = Rulebook::from_toml("mutated.toml", &text) {
            prop_assert!(!faults.is_empty());
            for fault in faults {
                prop_assert!(fault.line >= 1 && fault.line <= text.matches('\n').count() + 1);
                prop_assert!(!fault.reason.is_empty() && !fault.to_string().contains("\n\n"));
            }
        }
    }
}
