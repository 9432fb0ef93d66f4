//! What is written is read back bit by bit, twice is once, and what is old goes.

use std::sync::Arc;

use super::entry::Columns;
use super::*;
use crate::engine::{Engine, Event};
use crate::ingest::native::{self, Envelope};
use crate::observation::{Observation, VesselId, WaterwayId};
use crate::rulebook::{Rulebook, SHIPPED};
use crate::zones::ZoneFile;

fn observation(json: &str) -> Observation {
    let mut out = None;
    native::decode(json.as_bytes(), Envelope::default(), |result| out = Some(result.expect("an observation")));
    out.expect("one")
}

fn at(seconds: i64) -> EventTime {
    EventTime::from_unix_ms(1_780_000_000_000 + seconds * 1000)
}

fn entry(json: &str) -> Entry {
    let origin = Origin { source: "native".into(), topic: "a/topic".into(), payload: Some(json.as_bytes().into()) };
    Entry { content: Content::Observation(observation(json)), received_at: at(0), origin: Some(origin) }
}

fn fix(vessel: &str, second: i64, lat: f64) -> Entry {
    let t = at(second);
    entry(&format!(
        r#"{{"type":"fix","vessel":"{vessel}","t":"{t}","lat":{lat},"lon":-71.0891234567891,"sog_kn":7.1}}"#
    ))
}

const ALL_KINDS: &[&str] = &[
    r#"{"type":"fix","vessel":"a","t":"2026-07-04T20:15:03.250123456Z","lat":42.35555555555553,"lon":-71.1,"sog_kn":0.1}"#,
    r#"{"type":"fix","vessel":"a","t":"2026-07-04T20:15:04Z","lat":42.3,"lon":-71.1,"nav_status":"anchored","lights":[],"towed_by":"b"}"#,
    r#"{"type":"activity","vessel":"a","t":"2026-07-04T20:15:00Z","towing":null}"#,
    r#"{"type":"activity","vessel":"b","t":"2026-07-04T20:15:00Z","towing":{"state":"up","rope_m":22.700000000000003}}"#,
    r#"{"type":"vessel","vessel":"a","class":"pwc","length_m":3.3000000000000003}"#,
    r#"{"type":"mark","id":"flag-1","t":"2026-07-04T20:00:00Z","kind":"dive_flag","lat":42.36,"lon":-71.09}"#,
    r#"{"type":"mark","id":"flag-1","t":"2026-07-04T21:00:00Z","kind":null}"#,
    r#"{"type":"conditions","waterway":"long-lake","t":"2026-07-04T20:00:00Z","weather":"fog","visibility_m":80.1}"#,
];

#[test]
fn what_is_written_is_read_back_exactly_and_twice_is_once() {
    let mut store = Sqlite::in_memory().expect("a store");
    let mut entries: Vec<Entry> = ALL_KINDS.iter().map(|json| entry(json)).collect();
    entries.push(Entry { content: Content::Law("a-law".into()), received_at: at(1), origin: None });
    entries.push(Entry {
        content: Content::Clock(Some(WaterwayId::new("long-lake").expect("an id")), at(2)),
        received_at: at(2),
        origin: None,
    });
    let places = store.append(&entries).expect("written");
    assert_eq!(places, (1..=10).map(Some).collect::<Vec<_>>());

    let read = store.read(0, 100).expect("read");
    for (entry, logged) in entries.iter().zip(&read) {
        assert_eq!(entry.content, logged.content);
        assert_eq!(Columns::of(&entry.content), Columns::of(&logged.content), "the same to the bit");
        assert_eq!(entry.received_at, logged.received_at);
    }
    assert_eq!(store.read(8, 1).expect("read").len(), 1);

    let again = store.append(&entries[..8]).expect("written");
    assert_eq!(again, vec![None; 8], "the same again is nothing new");
    assert_eq!(store.last_position().expect("a position"), 10);
    let law_again = store.append(&entries[8..9]).expect("written");
    assert_eq!(law_again, [Some(11)], "a law may come into force again");
}

#[test]
fn a_profile_without_a_time_counts_where_it_differs_from_the_last_one() {
    let mut store = Sqlite::in_memory().expect("a store");
    let said = |class: &str| entry(&format!(r#"{{"type":"vessel","vessel":"a","class":"{class}"}}"#));
    let places = store.append(&[said("pwc"), said("pwc"), said("patrol"), said("pwc")]).expect("written");
    assert_eq!(places, [Some(1), None, Some(2), Some(3)]);
}

#[test]
fn a_store_of_this_layout_stays_readable() {
    // Whoever changes what is observed gives bodies a new layout and goes on reading the old one.
    let bodies: Vec<String> = ALL_KINDS
        .iter()
        .filter_map(|json| Columns::of(&Content::Observation(observation(json))).expect("columns").body)
        .map(|body| body.escape_ascii().to_string())
        .collect();
    assert_eq!(bodies.join("\n"), include_str!("layout_1.txt").trim_end());
}

#[test]
fn whole_or_not_at_all() {
    let mut store = Sqlite::in_memory().expect("a store");
    let broken = store.whole(|store| {
        store.append(&[fix("a", 1, 42.35)])?;
        store.law("missing").map(|_| ())
    });
    assert!(matches!(broken, Err(StoreError::Law { .. })));
    assert_eq!(store.last_position().expect("a position"), 0);
}

#[test]
fn a_law_is_kept_whole() {
    let law = charles();
    let (map, rulebook) = law.read().expect("the shipped law");
    let mut store = Sqlite::in_memory().expect("a store");
    for _ in 0..2 {
        store.keep_law(&law, &map, &rulebook).expect("kept");
    }
    let back = store.law(&law.version).expect("there");
    assert_eq!((&back.rulebook, &back.rulebook_name), (&law.rulebook, &law.rulebook_name));
    let (again, _) = back.read().expect("the same law");
    assert_eq!(again.version, map.version);
    assert!(matches!(store.law("other"), Err(StoreError::Law { .. })));

    assert_eq!(store.law_at(9).expect("read"), None);
    let entry = Entry { content: Content::Law(law.version.clone()), received_at: at(0), origin: None };
    store.append(&[fix("a", 1, 42.35), entry]).expect("written");
    assert_eq!(store.law_at(1).expect("read"), None);
    assert_eq!(store.law_at(2).expect("read"), Some((2, law.version.to_string())));
}

#[test]
fn a_checkpoint_behind_another_is_refused() {
    let mut store = Sqlite::in_memory().expect("a store");
    let (law, engine) = judge();
    let (map, rulebook) = law.read().expect("the shipped law");
    store.keep_law(&law, &map, &rulebook).expect("kept");
    let of = |position| Checkpoint {
        position,
        law: law.version.to_string(),
        made_at: at(0),
        snapshots: vec![engine.snapshot(None).expect("a snapshot"), vec![1, 2]],
    };
    assert!(store.keep_checkpoint(&of(5)).expect("written"));
    assert!(!store.keep_checkpoint(&of(5)).expect("written"));
    assert!(!store.keep_checkpoint(&of(4)).expect("written"));
    assert!(store.keep_checkpoint(&of(9)).expect("written"));
    assert_eq!(store.checkpoint(8).expect("read"), Some(of(5)));
    assert_eq!(store.checkpoint(u64::MAX).expect("read"), Some(of(9)));
    assert_eq!(store.checkpoint(4).expect("read"), None);
}

#[test]
fn a_lease_is_one_holders_until_it_ends() {
    let mut store = Sqlite::in_memory().expect("a store");
    let mut take = |holder, now, until| store.lease("judge", holder, at(now), at(until)).expect("written");
    assert!(take("one", 0, 10));
    assert!(!take("two", 5, 15));
    assert!(take("one", 5, 20));
    assert!(take("two", 20, 30));
}

#[test]
fn a_finding_is_kept_once_and_waits_until_it_is_published() {
    let findings = some_findings();
    assert!(findings.len() >= 2);
    let mut store = Sqlite::in_memory().expect("a store");
    for _ in 0..2 {
        assert_eq!(store.keep_findings(&findings).expect("kept"), 0);
    }
    let letters = store.outbox(0, 100).expect("read");
    assert_eq!(letters.len(), findings.len());
    assert_eq!(letters[0].json, findings[0].json);
    assert!(letters[0].topic().starts_with("buoyline/findings/charles-river-basin/wake-zone/"));
    let mut other = findings[0].clone();
    other.json.push(' ');
    assert_eq!(store.keep_findings(&[other]).expect("kept"), 1, "the same revision must not say something else");

    store.published(&[letters[0].n]).expect("struck");
    assert_eq!(store.outbox_len().expect("read"), findings.len() as u64 - 1);
    assert_eq!(store.outbox(letters[0].n, 1).expect("read")[0], letters[1]);
    let last = store.findings_between(EventTime::MIN, EventTime::MAX).expect("read");
    let (revision, status, json) = &last[&findings[0].finding.id];
    let newest = findings.iter().rfind(|kept| kept.finding.id == findings[0].finding.id).expect("it");
    assert_eq!((*revision, status.as_str(), json), (newest.finding.revision, "closed", &newest.json));
}

#[test]
fn old_tracks_go_save_around_findings() {
    let mut store = Sqlite::in_memory().expect("a store");
    let mut findings = some_findings();
    findings.truncate(1);
    let start = findings[0].finding.start;
    findings[0].finding.end = Some(start.plus_seconds(30.0));
    store.keep_findings(&findings).expect("kept");
    let minutes = [-20, -11, -9, 0, 9, 11, 20];
    let entries: Vec<Entry> = minutes
        .iter()
        .map(|m| {
            let t = start.plus_seconds(f64::from(*m) * 60.0);
            let json = format!(r#"{{"type":"fix","vessel":"x","t":"{t}","lat":42.35,"lon":-71.09}}"#);
            Entry { received_at: at(0), ..entry(&json) }
        })
        .collect();
    store.append(&entries).expect("written");
    store.append(&[entry(ALL_KINDS[4]), fix("late", 1, 42.0)]).expect("written");
    let (law, _) = judge();
    let (map, rulebook) = law.read().expect("the shipped law");
    store.keep_law(&law, &map, &rulebook).expect("kept");
    let end = Checkpoint { position: 9, law: law.version.to_string(), made_at: at(0), snapshots: vec![] };
    assert!(store.keep_checkpoint(&end).expect("written"));

    let retention =
        Retention { tracks_s: 86_400.0, around_findings_s: 600.0, checkpoint_every_s: 3600.0, refused_s: 3600.0 };
    let too_early = store.thin(0, 3, &retention, at(3600)).expect("thinned");
    assert_eq!(too_early, Thinned::default());
    let (mut after, mut gone, mut steps) = (Some(0), 0, 0);
    while let Some(from) = after {
        let thinned = store.thin(from, 3, &retention, at(2 * 86_400)).expect("thinned");
        (after, gone, steps) = (thinned.next, gone + thinned.gone, steps + 1);
    }
    store.thin_beside(&retention, at(2 * 86_400)).expect("thinned");
    let left: Vec<u64> = store.read(0, 100).expect("read").iter().map(|logged| logged.position).collect();
    assert_eq!((left, gone, steps), (vec![3, 4, 5, 8, 9], 4, 3));
    assert_eq!(store.checkpoint(u64::MAX).expect("read"), Some(end), "what the daemon goes on from stays");
}

#[test]
fn counts_add_up() {
    let mut store = Sqlite::in_memory().expect("a store");
    let added = Counters::from([(("fixes", "native".to_owned()), 3)]);
    store.count(&added).expect("counted");
    store.count(&added).expect("counted");
    assert_eq!(store.counts().expect("read"), [("fixes".to_owned(), "native".to_owned(), 6)]);
}

#[test]
fn a_newer_store_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    let store = Sqlite::open(&path, Sync::Process).expect("a store");
    store.connection.pragma_update(None, "user_version", 99).expect("written");
    drop(store);
    let error = Sqlite::open(&path, Sync::Process).expect_err("newer");
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    assert!(Sqlite::open_to_read(&folder.path().join("none.db")).is_err());
}

fn charles() -> Law {
    let zones = vec![ZoneFile {
        name: "charles.geojson".to_owned(),
        bytes: include_bytes!("../../zones/charles.geojson").to_vec(),
    }];
    Law::new(zones, SHIPPED[0].0.to_owned(), SHIPPED[0].1.to_owned())
}

fn judge() -> (Law, Engine) {
    let law = charles();
    let (map, rulebook): (_, Arc<Rulebook>) = law.read().expect("the shipped law");
    (law, Engine::new(map, rulebook))
}

/// A boat that runs past a dock.
fn some_findings() -> Vec<Kept> {
    let (_, mut engine) = judge();
    let dock = &engine.map().waterways[0].features[1];
    let mut corner = None;
    dock.shape.each_edge(&mut |a, _| corner = corner.or(Some(a)));
    let corner = corner.expect("a dock has corners");
    let mut events = Vec::new();
    for second in 0..120 {
        let (lat, lon) = (corner.lat_deg(), corner.lon_deg() + f64::from(second - 30) * 5e-5);
        let t = at(i64::from(second));
        let json =
            format!(r#"{{"type":"fix","vessel":"a","t":"{t}","lat":{lat},"lon":{lon},"sog_kn":8.0,"accuracy_m":1}}"#);
        engine.observe(second as u64, &observation(&json), &mut events);
    }
    engine.finish(&mut events);
    assert!(VesselId::new("a").is_ok());
    events
        .into_iter()
        .filter_map(|event| match event {
            Event::Finding(finding) => Some(*finding),
            _ => None,
        })
        .map(|finding| Kept {
            json: serde_json::to_string(&finding).expect("JSON"),
            finding,
            position: 1,
            made_at: at(0),
            is_amended: false,
        })
        .collect()
}
