//! Every format, pinned as a file under `tests/golden/export`. After a wanted change
//! `BLESS=1 cargo test --lib export` writes them anew; the change is then to be read as a diff.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::row::COLUMNS;
use super::*;
use crate::encounter::{Ahead, Closest, Encounter, Look};
use crate::engine::{Account, NotEvaluable, RuleAccount};
use crate::findings::{Peak, Status, Verdict};
use crate::geo::Position;
use crate::observation::{RefusalReason, VesselId, WaterwayId};
use crate::replay::driver::FixCounts;
use crate::rules::Limit;
use crate::time::EventTime;
use crate::units::MPH_MPS;
use crate::zones::{MapOptions, ZoneFile};

const LAKE: &str = r#"{"type": "FeatureCollection", "features": [{"type": "Feature", "id": "lake",
  "properties": {"kind": "waterway", "name": "Long Lake"}, "geometry": {"type": "Polygon",
  "coordinates": [[[-117.52, 47.80], [-117.50, 47.80], [-117.50, 47.82], [-117.52, 47.82], [-117.52, 47.80]]]}}]}"#;

fn t(text: &str) -> EventTime {
    EventTime::parse_rfc3339(text).expect("a time")
}

fn vessel(id: &str) -> VesselId {
    VesselId::new(id).expect("an id")
}

fn place(lat: f64, lon: f64) -> Position {
    Position::from_lat_lon(lat, lon).expect("a position")
}

/// A finding near the shore that was certain, one near another vessel that was not, one of an instant by an
/// edition that was history by then.
fn findings() -> Vec<Finding> {
    let certain = Finding {
        message: "finding",
        id: "0f".repeat(16),
        revision: 3,
        rule: "wake-zone",
        clause: "SMC 10.14.140(B)(5)".to_owned(),
        vessel: vessel("boat-1"),
        waterway: WaterwayId::new("lake").expect("an id"),
        other: None,
        status: Status::Closed,
        start: t("1998-07-05T03:00:00.500Z"),
        end: Some(t("1998-07-05T03:01:12.750Z")),
        limit: Limit { speed_mps: Some(5.0 * MPH_MPS), distance_m: Some(15.24) },
        peak: Peak {
            t: t("1998-07-05T03:00:10Z"),
            position: place(47.8001, -117.5101),
            speed_mps: Some(6.123_456),
            distance_m: Some(11.118_95),
            feature: Some("lake".into()),
            off_course_deg: None,
            skier: None,
        },
        features: vec!["lake".into()],
        confidence: 0.998_76,
        verdict: Verdict::Breach,
        below_min_confidence: false,
        reading: Some("both".to_owned()),
        text: "boat-1 ran 13.7 mph 36 ft from the shoreline; allowed are 5 mph within 50 ft (SMC 10.14.140(B)(5); \
               breach, odds 100 %)"
            .to_owned(),
        map_version: "map".into(),
        rulebook_version: "rules".into(),
    };
    let unsure = Finding {
        id: "1e".repeat(16),
        clause: "SMC 10.14.140(B)(3)".to_owned(),
        vessel: vessel("_boat_2"),
        other: Some(vessel("boat-1")),
        start: t("1998-07-05T03:01:00Z"),
        end: Some(t("1998-07-05T03:01:04Z")),
        peak: Peak { feature: None, ..certain.peak.clone() },
        features: vec![],
        confidence: 0.41,
        verdict: Verdict::Possible,
        below_min_confidence: true,
        text: "_boat_2 ran \"5.1 mph\" 36 ft from vessel boat-1".to_owned(),
        ..certain.clone()
    };
    let historic = Finding {
        id: "2d".repeat(16),
        rule: "speed-cap",
        clause: "SMC 10.14.140(A)".to_owned(),
        start: t("2026-07-04T20:15:03.250Z"),
        end: Some(t("2026-07-04T20:15:03.250Z")),
        limit: Limit { speed_mps: Some(50.0 * MPH_MPS), distance_m: None },
        peak: Peak {
            t: t("2026-07-04T20:15:03.250Z"),
            position: place(47.81, -117.51),
            speed_mps: Some(25.0),
            distance_m: None,
            feature: None,
            off_course_deg: None,
            skier: None,
        },
        features: vec!["a".into(), "b".into()],
        reading: None,
        text: "boat-1 ran 55.9 mph; allowed are 50 mph (SMC 10.14.140(A); breach, odds 100 %)".to_owned(),
        ..certain.clone()
    };
    vec![certain, unsure, historic]
}

fn outcome() -> Outcome {
    let boat_1 = vec![
        (t("1998-07-05T03:00:00Z"), place(47.8000, -117.5100)),
        (t("1998-07-05T03:00:10Z"), place(47.8001, -117.5101)),
        (t("1998-07-05T03:01:10Z"), place(47.8002, -117.5101)),
        (t("1998-07-05T03:01:20Z"), place(47.8003, -117.5103)),
        (t("2026-07-04T20:15:03.250Z"), place(47.81, -117.51)),
    ];
    let judged = |judged_s| {
        let not_evaluable_s = NotEvaluable { gap_too_long: 61.0, ..NotEvaluable::default() };
        let rule = RuleAccount { judged_s, not_evaluable_s };
        Account { rules: BTreeMap::from([("speed-cap", rule), ("wake-zone", rule)]) }
    };
    Outcome {
        findings: findings(),
        fixes: FixCounts {
            accepted: 7,
            refused: BTreeMap::from([(RefusalReason::Duplicate, 2), (RefusalReason::OffWater, 1)]),
        },
        lifts: BTreeMap::from([(("speed-cap", Arc::from("permit-1")), 4)]),
        accounts: vec![
            (vessel("boat-1"), judged(3723.4)),
            (vessel("_boat_2"), judged(300.0)),
            (vessel("boat-3"), judged(86_400.0)),
            (vessel("trailer-4"), Account::default()),
            (vessel("rider-5"), Account::default()),
        ],
        period: Some((t("1998-07-05T03:00:00Z"), t("2026-07-04T20:15:03.250Z"))),
        paths: BTreeMap::from([(vessel("boat-1"), boat_1)]),
        trackers: BTreeSet::from([vessel("rider-5")]),
        vessels: vec![vessel("boat-1"), vessel("_boat_2"), vessel("boat-3"), vessel("trailer-4")],
        ..Outcome::default()
    }
}

/// Two that passed each other, one of which the other never closed in on at the end.
fn met() -> Vec<Encounter> {
    let look = |t: &str, range_m: f64, ahead: Option<(f64, f64)>| Look {
        t: self::t(t),
        range_m,
        ahead: ahead.map(|(cpa_m, tcpa_s)| Ahead { cpa_m, tcpa_s }),
    };
    vec![Encounter {
        vessels: [vessel("_boat_2"), vessel("boat-1")],
        towed_by: [Some(vessel("boat-3")), None],
        start: t("2026-07-04T20:15:03.250Z"),
        end: t("2026-07-04T20:15:24Z"),
        closest: Closest {
            t: t("2026-07-04T20:15:13.125Z"),
            distance_m: 9.5431,
            positions: [place(47.801, -117.51), place(47.80108, -117.51)],
            speeds_mps: [5.0, 10.0],
        },
        close_s: 2.25,
        looks: vec![
            look("2026-07-04T20:15:03.250Z", 100.0, Some((9.5431, 9.875))),
            look("2026-07-04T20:15:14Z", 12.0, None),
            look("2026-07-04T20:15:24Z", 100.0, None),
        ],
    }]
}

#[test]
fn encounters_are_pinned_in_every_format() {
    for format in FORMATS {
        check(&format!("one-encounter.{}", format.name), &outcome(), None, |report, out| {
            (format.write_encounters)(&met(), report, out)
        });
        check(&format!("no-encounter.{}", format.name), &outcome(), None, |report, out| {
            (format.write_encounters)(&[], report, out)
        });
    }
}

fn written(
    outcome: &Outcome,
    columns: Option<usize>,
    write: impl Fn(&Report<'_>, &mut dyn Write) -> io::Result<()>,
) -> String {
    let lake = ZoneFile { name: "lake.geojson".to_owned(), bytes: LAKE.as_bytes().to_vec() };
    let (map, faults) = Map::from_files(&[lake], &MapOptions::default());
    assert!(faults.is_empty(), "{faults:?}");
    // Versions are of other code; here they would only hide what changed.
    let map = Map { version: "map".into(), ..map };
    let rulebook = Rulebook { version: "rules".into(), ..Rulebook::spokane() };
    let report =
        Report { outcome, map: &map, rulebook: &rulebook, earlier: &[], time_zone: rulebook.time_zone, columns };
    let mut text = Vec::new();
    write(&report, &mut text).expect("memory takes it");
    String::from_utf8(text).expect("text").replace(&*map.waterways[0].version, "(lake's version)")
}

fn check(
    file: &str,
    outcome: &Outcome,
    columns: Option<usize>,
    write: impl Fn(&Report<'_>, &mut dyn Write) -> io::Result<()>,
) {
    let text = written(outcome, columns, write);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/export").join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).expect("a writable folder");
    }
    let pinned = std::fs::read_to_string(&path).expect("it is pinned; see the head of this file");
    assert!(text == pinned, "{} differs from what is written now:\n{text}", path.display());
}

#[test]
fn every_format_is_pinned() {
    for format in FORMATS {
        check(&format!("three-findings.{}", format.name), &outcome(), None, format.write);
        check(&format!("no-findings.{}", format.name), &Outcome { findings: vec![], ..outcome() }, None, format.write);
        check(&format!("nothing-read.{}", format.name), &Outcome::default(), None, format.write);
    }
}

#[test]
fn text_is_broken_at_the_width_of_a_terminal() {
    check("three-findings-80-columns.text", &outcome(), Some(80), FORMATS[0].write);
}

#[test]
fn the_summary_is_pinned() {
    check("three-findings.summary.json", &outcome(), None, summary::write);
    check("nothing-read.summary.json", &Outcome::default(), None, summary::write);
}

#[test]
fn what_lasts_at_the_same_time_counts_once() {
    let [first, _, _] = findings().try_into().expect("three");
    let at = |s: f64| first.start.plus_seconds(s);
    let lasting = |from: f64, to: f64| Finding { start: at(from), end: Some(at(to)), ..first.clone() };
    for (spans, lasting_s) in [
        (vec![(0.0, 10.0), (10.0, 12.0)], 12.0),
        (vec![(0.0, 10.0), (2.0, 3.0), (4.0, 11.0)], 11.0),
        (vec![(0.0, 1.0), (5.0, 5.0), (7.0, 9.0)], 3.0),
    ] {
        let findings: Vec<Finding> = spans.iter().map(|&(from, to)| lasting(from, to)).collect();
        let tallies = summary::tallies(&findings);
        let tally = &tallies[&("boat-1", "wake-zone")];
        assert!((tally.lasting_s - lasting_s).abs() < 1e-9, "{spans:?}: {}", tally.lasting_s);
    }
}

#[test]
fn a_table_without_rows_has_the_same_columns() {
    let row = |outcome: &Outcome| written(outcome, None, FORMATS[3].write).lines().next().map(str::to_owned);
    assert_eq!(row(&outcome()), Some(COLUMNS.join(",")));
    assert_eq!(row(&Outcome::default()), Some(COLUMNS.join(",")));
}

#[test]
fn spans_are_said_in_words() {
    for (s, words) in [
        (0.0, "an instant"),
        (0.04, "0.1 s"),
        (3.25, "3.2 s"),
        (24.9, "25 s"),
        (59.9, "1 min 0 s"),
        (3599.0, "59 min 59 s"),
        (6001.0, "1 h 40 min"),
    ] {
        assert_eq!(span(s), words);
    }
}
