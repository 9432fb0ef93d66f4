//! Drawn situations (`tests/cases`) give exactly their expected findings.

use std::path::{Path, PathBuf};

use buoyline::time::EventTime;
use serde_json::Value;

use crate::support::{map_of, replay, scratch, spokane, tests_path, write_lines};

/// Instants this close still belong together, so that a difference is shown as one, seconds.
const CLOSE_S: f64 = 1.0;
/// Both sides are written to the millisecond.
const WRITTEN_S: f64 = 0.0011;

#[test]
fn every_scene_gives_its_findings() {
    let mut folders = scenes(&tests_path("cases"));
    folders.sort();
    assert!(folders.len() >= 80, "only {} scenes were found", folders.len());
    let mut failures = Vec::new();
    for folder in &folders {
        let differences = judge(folder);
        if !differences.is_empty() {
            failures.push(format!("{}\n    {}", folder.display(), differences.join("\n    ")));
        }
    }
    let count = folders.len();
    assert!(failures.is_empty(), "{} of {count} scenes fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn a_finding_says_where_the_skiers_position_comes_from() {
    let folder = tests_path("cases/skiing/follower-299-ft-estimated");
    let outcome = replay(&[folder.join("track.ndjson")], &map_of(&folder.join("zones.geojson")), &spokane());
    let text = &outcome.findings.iter().find(|finding| finding.rule == "ski-following").expect("a finding").text;
    assert!(text.contains("; the skier's position is estimated from boat and rope, give or take "), "{text}");
}

/// Whatever vessel is heard first, and though each is heard of only once the one before is done, a scene gives the
/// same findings. (What one vessel sends keeps its order: late is late.)
#[test]
fn the_order_of_the_boats_changes_no_scene() {
    let mut failures = Vec::new();
    for topic in ["skiing", "wake-zone", "families", "several-rules"] {
        for folder in scenes(&tests_path("cases").join(topic)) {
            let track = std::fs::read_to_string(folder.join("track.ndjson")).expect("a track");
            let mut boats: Vec<(String, Vec<String>)> = Vec::new();
            for line in track.lines() {
                let vessel =
                    serde_json::from_str::<Value>(line).ok().and_then(|said| Some(said["vessel"].as_str()?.to_owned()));
                let vessel = vessel.unwrap_or_default();
                match boats.iter_mut().find(|(name, _)| *name == vessel) {
                    Some((_, lines)) => lines.push(line.to_owned()),
                    None => boats.push((vessel, vec![line.to_owned()])),
                }
            }
            if boats.len() < 2 {
                continue;
            }
            for order in orders(boats.len()) {
                let lines: Vec<String> = order.iter().flat_map(|&i| boats[i].1.iter().cloned()).collect();
                let scratch = scratch();
                let path = write_lines(scratch.path(), "track.ndjson", &lines);
                let differences = judge_track(&folder, &path);
                if !differences.is_empty() {
                    failures.push(format!(
                        "{} in order {order:?}\n    {}",
                        folder.display(),
                        differences.join("\n    ")
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

/// All orders of up to three, else each once first and once last.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count <= 3 {
        let all = (0..count.pow(count as u32)).map(|n| (0..count).map(|k| n / count.pow(k as u32) % count).collect());
        return all.filter(|order: &Vec<usize>| (0..count).all(|i| order.contains(&i))).collect();
    }
    let turned = |by: usize| (0..count).map(move |i| (i + by) % count);
    (0..count).flat_map(|by| [turned(by).collect(), turned(by).rev().collect()]).take(8).collect()
}

fn scenes(folder: &Path) -> Vec<PathBuf> {
    let inside = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    inside
        .filter(|path| path.is_dir())
        .flat_map(|path| if path.join("case.json").exists() { vec![path] } else { scenes(&path) })
        .collect()
}

/// Every difference between what is found in a scene and what is expected, as phrases.
fn judge(folder: &Path) -> Vec<String> {
    judge_track(folder, &folder.join("track.ndjson"))
}

fn judge_track(folder: &Path, track: &Path) -> Vec<String> {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let case: Value = serde_json::from_str(&read("case.json")).expect("case.json is JSON");
    let expected: Vec<Value> = read("expected.ndjson").lines().map(json).collect();
    let zones = [folder.join("zones.geojson"), folder.join("zones")].into_iter().find(|path| path.exists());
    let outcome = replay(&[track.to_owned()], &map_of(&zones.expect("a map")), &spokane());
    let found: Vec<Value> =
        outcome.findings.iter().map(|finding| serde_json::to_value(finding).expect("plain data")).collect();
    compare(&case, &expected, &found)
}

fn compare(case: &Value, expected: &[Value], found: &[Value]) -> Vec<String> {
    let mut out = Vec::new();
    let rules = case["rules"].as_array().expect("rules");
    let mine: Vec<&Value> = found.iter().filter(|f| rules.contains(&f["rule"])).collect();
    for finding in &mine {
        if finding["status"] != "closed" || finding["end"].is_null() {
            return vec![format!("not closed: {}", label(finding))];
        }
    }
    if !found.is_sorted_by_key(|finding| seconds(&finding["start"]).to_bits()) {
        out.push("findings are not ordered by start".to_owned());
    }
    // Nearest pairs first, so that two findings of one clause cannot be swapped.
    let mut pairs = Vec::new();
    for (i, want) in expected.iter().enumerate() {
        for (j, got) in mine.iter().enumerate().filter(|(_, got)| belongs(want, got)) {
            let ((a, b), (c, d)) = (span(want), span(got));
            let own = |key: &str| want["tolerance"][key].as_f64().unwrap_or(0.0);
            let slack_s = CLOSE_S.max(own("start_s")).max(own("end_s"));
            if c <= b + slack_s && a <= d + slack_s {
                pairs.push(((a - c).abs() + (b - d).abs(), i, j));
            }
        }
    }
    pairs.sort_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2))));
    let (mut wanted, mut got) = (vec![false; expected.len()], vec![false; mine.len()]);
    for (_, i, j) in pairs {
        if !wanted[i] && !got[j] {
            (wanted[i], got[j]) = (true, true);
            let differences = differences(&expected[i], mine[j], &case["tolerance"]);
            if !differences.is_empty() {
                out.push(format!("{}: {}", label(&expected[i]), differences.join(", ")));
            }
        }
    }
    out.extend(expected.iter().zip(wanted).filter(|(_, met)| !met).map(|(f, _)| format!("missing: {}", label(f))));
    out.extend(mine.iter().zip(got).filter(|(_, met)| !met).map(|(f, _)| format!("unexpected: {}", label(f))));
    out
}

/// Same rule, clause (where the scene names one), vessel and other.
fn belongs(want: &Value, got: &Value) -> bool {
    want["rule"] == got["rule"]
        && want["vessel"] == got["vessel"]
        && want["other"] == got["other"]
        && (want["clause"].is_null() || want["clause"] == got["clause"])
}

/// What differs between two findings that belong together.
fn differences(want: &Value, got: &Value, tolerance: &Value) -> Vec<String> {
    let allowed = |key: &str, general: &str| {
        let own = &want["tolerance"];
        [&own[key], &own[general], &tolerance[general]].into_iter().find_map(Value::as_f64).expect("a tolerance")
    };
    let mut out = Vec::new();
    let ((a, b), (c, d)) = (span(want), span(got));
    for (name, off_s) in [("start", c - a), ("end", d - b)] {
        if off_s.abs() > allowed(&format!("{name}_s"), "time_s") + WRITTEN_S {
            out.push(format!("{name} {off_s:+.3} s"));
        }
    }
    for key in ["speed_mps", "distance_m"] {
        let Some(wanted) = want["peak"][key].as_f64() else { continue };
        let found = got["peak"][key].as_f64();
        if found.is_none_or(|found| (found - wanted).abs() > allowed(key, key)) {
            out.push(format!("peak.{key} {found:?} not {wanted}"));
        }
    }
    if let Some(features) = want["features"].as_array() {
        let sorted = |features: &[Value]| {
            let mut ids: Vec<String> = features.iter().map(|id| id.as_str().unwrap_or("?").to_owned()).collect();
            ids.sort();
            ids
        };
        let (wanted, found) = (sorted(features), sorted(got["features"].as_array().expect("features")));
        if wanted != found {
            out.push(format!("features {found:?} not {wanted:?}"));
        }
    }
    out
}

fn json(line: &str) -> Value {
    serde_json::from_str(line).expect("a line of JSON")
}

fn span(finding: &Value) -> (f64, f64) {
    (seconds(&finding["start"]), seconds(&finding["end"]))
}

fn seconds(t: &Value) -> f64 {
    EventTime::parse_rfc3339(t.as_str().expect("a time")).expect("a time").unix_ms() as f64 / 1000.0
}

fn label(finding: &Value) -> String {
    let text = |key: &str| finding[key].as_str().unwrap_or("-").to_owned();
    let [rule, clause, vessel, other] = ["rule", "clause", "vessel", "other"].map(text);
    format!("{rule} {clause} {vessel} / {other} {} to {}", text("start"), text("end"))
}

#[test]
fn a_difference_of_each_sort_is_seen() {
    let case = json(r#"{"rules":["a"],"tolerance":{"time_s":0.05,"speed_mps":0.05,"distance_m":0.05}}"#);
    let want = r#"{"rule":"a","clause":"c","vessel":"v","other":null,"start":"2026-01-01T00:00:00.000Z",
        "end":"2026-01-01T00:00:10.000Z","peak":{"speed_mps":5.0},"features":["f"],"status":"closed"}"#;
    let check = |replace: &str, by: &str| compare(&case, &[json(want)], &[json(&want.replace(replace, by))]);
    assert!(check("", "").is_empty());
    for (replace, by, phrase) in [
        ("00:00.000Z", "00:00.060Z", "start +0.060 s"),
        ("00:10.000Z", "00:10.060Z", "end +0.060 s"),
        ("5.0", "5.06", "peak.speed_mps Some(5.06) not 5"),
        (r#"["f"]"#, r#"["f","g"]"#, "features"),
        (r#""v""#, r#""w""#, "missing: a c v"),
        (r#""a""#, r#""b""#, "missing: a c v"),
        ("closed", "open", "not closed"),
    ] {
        let differences = check(replace, by);
        assert!(differences.iter().any(|d| d.contains(phrase)), "{replace} {by}: {differences:?}");
    }
}
