//! Recordings of any format, cut, mixed and converted, are judged alike.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use buoyline::observation::{RefusalReason, VesselClass, VesselId};
use buoyline::replay::driver::{Job, Outcome, judge};
use buoyline::replay::{Classes, ReadOptions};
use buoyline::rulebook::Rulebook;
use buoyline::zones::{Map, MapOptions, ZoneFile};
use chrono::FixedOffset;
use serde_json::Value;

const ROW: &str = "replay/charles-rowing-2015-10-17.tcx.gz";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a writable folder");
    folder
}

fn run(arguments: &[&str], input: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_buoyline"));
    command.current_dir(root()).args(arguments).stdin(input).output().expect("the program starts")
}

#[track_caller]
fn done(arguments: &[&str], input: Stdio) -> String {
    let output = run(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn map() -> Arc<Map> {
    let bytes = std::fs::read(root().join("zones/charles.geojson")).expect("it is shipped");
    let file = ZoneFile { name: "charles".to_owned(), bytes };
    Arc::new(Map::from_files(&[file], &MapOptions::default()).0)
}

fn judged(tracks: &[PathBuf], classes: Classes, rulebook: Rulebook) -> Outcome {
    let read = ReadOptions { utc_offset: FixedOffset::east_opt(0), ..ReadOptions::default() };
    let job = Job { tracks: tracks.to_vec(), read, classes, accounts: true, ..Job::default() };
    let outcome = judge(&job, &map(), &Arc::new(rulebook), &mut |_| {});
    assert!(outcome.unread.is_empty(), "{:?}", outcome.unread);
    outcome
}

/// The row as native messages, one a line.
fn row() -> Vec<String> {
    done(&["convert", ROW, "--utc-offset=Z"], Stdio::null()).lines().map(str::to_owned).collect()
}

fn write(folder: &Path, name: &str, lines: &[String]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, lines.join("\n") + "\n").expect("room for it");
    path
}

fn told(outcome: &Outcome) -> Vec<String> {
    outcome.findings.iter().map(|finding| serde_json::to_string(finding).expect("JSON")).collect()
}

#[test]
fn what_is_converted_is_judged_like_what_it_was_made_of() {
    let folder = scratch("converted");
    let judged = |track: &str| done(&["replay", track, "--utc-offset=Z", "--format=ndjson"], Stdio::null());
    let findings = judged(ROW);
    assert!(findings.lines().count() > 10);
    for format in ["ndjson", "gpx"] {
        let path = folder.join(format!("row.{format}"));
        let path = path.to_str().expect("a path");
        done(&["convert", ROW, "--utc-offset=Z", "--to", format, "-o", path], Stdio::null());
        assert_eq!(judged(path), findings, "{format}");
    }
    // With speeds, courses and a status; what GPX has no place for is named.
    let messages = [
        r#"{"type":"vessel","vessel":"a","class":"pwc"}"#,
        r#"{"type":"fix","vessel":"a","t":"2026-07-04T20:15:03.123456789Z","lat":42.36,"lon":-71.08,"sog_kn":12.4,"cog_deg":214.5,"heading_deg":215.0,"accuracy_m":3.0,"nav_status":"trolling","towed_by":"b"}"#,
        r#"{"type":"fix","vessel":"b","t":"2026-07-04T20:15:04.000Z","lat":42.36,"lon":-71.0800001,"sog_kn":0.0}"#,
    ]
    .map(str::to_owned);
    let path = write(&folder, "messages.ndjson", &messages);
    let path = path.to_str().expect("a path");
    assert_eq!(done(&["convert", path], Stdio::null()).lines().collect::<Vec<_>>(), messages);
    let gpx = folder.join("messages.gpx");
    let gpx = gpx.to_str().expect("a path");
    let output = run(&["convert", path, "--to=gpx", "-o", gpx], Stdio::null());
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("gpx has no place for what vessels are: 1 left out"), "{err}");
    assert_eq!(done(&["convert", gpx], Stdio::null()).lines().collect::<Vec<_>>(), messages[1..]);
}

#[test]
fn what_is_read_is_not_written_over() {
    let folder = scratch("overwritten");
    let path = write(&folder, "row.ndjson", &row()[..3]);
    let path = path.to_str().expect("a path");
    let output = run(&["convert", path, "-o", path], Stdio::null());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("write to another file"));
    assert_eq!(std::fs::read_to_string(path).expect("it is there").lines().count(), 3);
}

#[test]
fn the_order_of_files_changes_nothing() {
    let folder = scratch("halves");
    let row = row();
    let other: Vec<String> = row.iter().map(|line| line.replace("charles-rowing-2015-10-17", "other")).collect();
    let whole = write(&folder, "whole.ndjson", &[&row[..], &other].concat());
    // The later half is named first: by itself it is in time.
    let (late, early) = (write(&folder, "a.ndjson", &row[2600..]), write(&folder, "b.ndjson", &row[..2600]));
    let beside = write(&folder, "c.ndjson", &other);
    let expected = judged(&[whole], Classes::default(), Rulebook::spokane());
    assert!(!expected.fixes.refused.contains_key(&RefusalReason::Late));
    for tracks in [[&late, &early, &beside], [&beside, &late, &early], [&early, &beside, &late]] {
        let tracks: Vec<PathBuf> = tracks.into_iter().cloned().collect();
        let outcome = judged(&tracks, Classes::default(), Rulebook::spokane());
        assert_eq!(told(&outcome), told(&expected));
        assert_eq!(outcome.fixes, expected.fixes);
    }
    // One that is not in order has all sorted.
    let mut mixed = row[2600..].to_vec();
    mixed.extend(other[2600..].iter().cloned());
    let mixed = write(&folder, "d.ndjson", &mixed);
    let beside = write(&folder, "e.ndjson", &other[..2600]);
    let outcome = judged(&[mixed.clone(), beside.clone(), early.clone()], Classes::default(), Rulebook::spokane());
    assert_eq!(told(&outcome), told(&expected));
    assert_eq!(outcome.fixes, expected.fixes);

    // Converting puts them together the same way, from standard input as well.
    let names: Vec<&str> = [&mixed, &beside].iter().map(|path| path.to_str().expect("a path")).collect();
    let input = std::fs::File::open(&early).expect("just written");
    let together = done(&["convert", names[0], "-", names[1]], Stdio::from(input));
    let together = write(&folder, "f.ndjson", &together.lines().map(str::to_owned).collect::<Vec<_>>());
    let outcome = judged(&[together], Classes::default(), Rulebook::spokane());
    assert_eq!(told(&outcome), told(&expected));
}

#[test]
fn late_is_what_comes_late_in_its_own_file() {
    let folder = scratch("late");
    let mut row = row();
    let stale = row.remove(100);
    row.insert(1000, stale);
    let (with, without) = (write(&folder, "a.ndjson", &row), write(&folder, "b.ndjson", &row[2000..2001]));
    let alone = judged(std::slice::from_ref(&with), Classes::default(), Rulebook::spokane());
    let beside = judged(&[with, without], Classes::default(), Rulebook::spokane());
    assert_eq!(alone.fixes.refused.get(&RefusalReason::Late), Some(&1));
    assert_eq!(beside.fixes.refused.get(&RefusalReason::Late), Some(&1));
    assert_eq!(told(&alone), told(&beside));
    assert_eq!(alone.examples[&RefusalReason::Late].len(), 1);
    assert!(beside.examples[&RefusalReason::Late][0].contains("a.ndjson:1001: "), "{:?}", beside.examples);
}

#[test]
fn in_a_document_or_table_nothing_is_late() {
    let folder = scratch("newest-first");
    let row = row();
    let expected = judged(&[write(&folder, "row.ndjson", &row)], Classes::default(), Rulebook::spokane());
    // Native lines are a log: there most of it is late.
    let backward: Vec<String> = row.iter().rev().cloned().collect();
    let log = judged(&[write(&folder, "log.ndjson", &backward)], Classes::default(), Rulebook::spokane());
    assert!(log.fixes.refused[&RefusalReason::Late] > 100);

    let gpx = done(&["convert", ROW, "--utc-offset=Z", "--to", "gpx"], Stdio::null());
    let (points, mut lines): (Vec<&str>, Vec<&str>) = gpx.lines().partition(|line| line.starts_with("<trkpt"));
    let end = lines.split_off(lines.len() - 2);
    let lines = lines.into_iter().chain(points.into_iter().rev()).chain(end);
    let gpx = write(&folder, "row.gpx", &lines.map(str::to_owned).collect::<Vec<_>>());
    let mut rows = vec!["vessel,time,lat,lon".to_owned()];
    for line in &backward {
        let fix: Value = serde_json::from_str(line).expect("JSON");
        let cell = |name: &str| fix[name].to_string().replace('"', "");
        rows.push(format!("{},{},{},{}", cell("vessel"), cell("t"), cell("lat"), cell("lon")));
    }
    let csv = write(&folder, "row.csv", &rows);

    for path in [&gpx, &csv] {
        let outcome = judged(std::slice::from_ref(path), Classes::default(), Rulebook::spokane());
        assert_eq!(outcome.fixes, expected.fixes, "{}", path.display());
        // Written as a log it is in order, from a pipe as well.
        let name = path.to_str().expect("a path");
        let input = std::fs::File::open(path).expect("just written");
        let piped = done(&["convert", "-"], Stdio::from(input));
        let converted = done(&["convert", name], Stdio::null());
        assert_eq!(piped, converted);
        let converted: Vec<String> = converted.lines().map(str::to_owned).collect();
        let again = judged(&[write(&folder, "again.ndjson", &converted)], Classes::default(), Rulebook::spokane());
        assert_eq!(told(&again), told(&outcome));
        assert_eq!(again.fixes, expected.fixes);
    }
}

#[test]
fn tracks_that_only_share_a_name_are_told_of() {
    let folder = scratch("shared");
    let gpx = |name: &str, hour: u32| {
        let point =
            |s: u32| format!("<trkpt lat=\"42.356\" lon=\"-71.115\"><time>2015-07-04T{hour}:15:{s:02}Z</time></trkpt>");
        let points: String = (10..40).map(point).collect();
        let text = format!("<gpx><trk><name>ACTIVE LOG</name><trkseg>{points}</trkseg></trk></gpx>");
        write(&folder, name, &[text])
    };
    let (one, other) = (gpx("one.gpx", 18), gpx("other.gpx", 20));
    let outcome = judged(&[one.clone(), other.clone()], Classes::default(), Rulebook::spokane());
    let names = [one, other].map(|path| path.display().to_string());
    assert_eq!(outcome.shared.into_values().collect::<Vec<_>>(), std::slice::from_ref(&names));
    let output = run(&["replay", &names[0], &names[1]], Stdio::null());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("warning: ") && told.contains("--track-vessel"), "{told}");
}

#[test]
fn one_fix_of_the_far_future_takes_nothing_with_it() {
    let folder = scratch("stray");
    let row = row();
    let expected = judged(&[write(&folder, "row.ndjson", &row)], Classes::default(), Rulebook::spokane());
    let mut with = row.clone();
    with.insert(100, row[100].replace("\"2015-", "\"2261-"));
    let outcome = judged(&[write(&folder, "stray.ndjson", &with)], Classes::default(), Rulebook::spokane());
    assert_eq!(told(&outcome), told(&expected));
    assert_eq!(outcome.fixes.accepted, expected.fixes.accepted);
    assert_eq!(outcome.fixes.refused.get(&RefusalReason::Future), Some(&1));
    let example = &outcome.examples[&RefusalReason::Future][0];
    assert!(example.contains("stray.ndjson:101: charles-rowing-2015-10-17 at 2261-10-17"), "{example}");
}

#[test]
fn a_class_can_be_said_for_those_who_never_say_it() {
    let folder = scratch("classes");
    let mut lines = row();
    let path = write(&folder, "row.ndjson", &lines);
    let rulebook = || {
        let text = std::fs::read_to_string(root().join("config/rules/wisconsin.toml")).expect("it is shipped");
        Rulebook::from_toml("wisconsin.toml", &text).expect("a rulebook")
    };
    let vessel = VesselId::new("charles-rowing-2015-10-17").expect("an id");
    let never_declared = |path: &PathBuf, classes: Classes| -> f64 {
        let outcome = judged(std::slice::from_ref(path), classes, rulebook());
        let accounts = outcome.accounts.into_iter().filter(|(id, _)| *id == vessel);
        let rules = accounts.flat_map(|(_, account)| account.rules.into_values());
        rules.map(|rule| rule.not_evaluable_s.attribute_never_declared).sum()
    };
    let pwc = || Classes { all: Some(VesselClass::Pwc), of: BTreeMap::new() };
    assert!(never_declared(&path, Classes::default()) > 1000.0);
    assert_eq!(never_declared(&path, pwc()), 0.0);
    let of = BTreeMap::from([(vessel.clone(), VesselClass::Motorboat)]);
    assert_eq!(never_declared(&path, Classes { all: None, of }), 0.0);

    // What a vessel says about itself goes first.
    let ids = |path: &PathBuf, classes: Classes| told(&judged(std::slice::from_ref(path), classes, rulebook()));
    lines.insert(0, format!(r#"{{"type":"vessel","vessel":"{vessel}","class":"nonmotorized"}}"#));
    let said = write(&folder, "said.ndjson", &lines);
    assert_eq!(ids(&said, pwc()), ids(&said, Classes::default()));

    let path = path.to_str().expect("a path");
    let summary = folder.join("summary.json");
    let summary = summary.to_str().expect("a path");
    let rules = ["--rules", "config/rules/wisconsin.toml", "--summary", summary];
    let of = format!("{vessel}=pwc");
    done(&[&["replay", path, "--class", "motorboat", "--class", &of], &rules[..]].concat(), Stdio::null());
    let summary: Value = serde_json::from_slice(&std::fs::read(summary).expect("written")).expect("JSON");
    let of_vessel = summary["vessels"][vessel.as_str()].as_object().expect("rules");
    assert!(of_vessel.values().all(|rule| rule["not_evaluable_s"]["attribute_never_declared"] == 0.0), "{summary}");
    let output = run(&["replay", path, "--class", "submarine"], Stdio::null());
    assert_eq!(output.status.code(), Some(2));
}
