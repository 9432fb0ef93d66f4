//! The scene that is shipped: a skier round Lake Texana one way and then the other, with company. It is what its
//! script makes, and what is found is what somebody watching would say.

mod script;

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

use buoyline::findings::{Finding, Verdict};
use buoyline::rulebook::{Rulebook, SHIPPED};
use buoyline::time::EventTime;

use crate::golden::{check, lines};
use crate::support::{map_of, replay, scratch, spokane, write_lines};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn shipped() -> PathBuf {
    root().join("replay/lake-texana-skiers-made-up.ndjson.gz")
}

#[test]
fn the_recording_is_what_its_script_makes() {
    let made = script::recording();
    if std::env::var_os("BUOYLINE_BLESS").is_some() {
        let mut out = GzEncoder::new(Vec::new(), Compression::best());
        out.write_all(made.as_bytes()).expect("memory takes it");
        std::fs::write(shipped(), out.finish().expect("memory takes it")).expect("a file can be written");
    }
    let mut text = String::new();
    let bytes = std::fs::read(shipped()).expect("the recording");
    GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzipped text");
    let differs = text.lines().zip(made.lines()).find(|(a, b)| a != b);
    assert!(text == made, "first difference {differs:?}; {} lines, not {}", text.lines().count(), made.lines().count());
}

#[test]
fn what_is_found_is_what_somebody_watching_would_say() {
    let map = map_of(&root().join("zones/lake-texana.geojson"));
    let outcome = replay(&[shipped()], &map, &spokane());
    assert!(outcome.unread.is_empty() && outcome.fixes.refused.is_empty(), "{:?}", outcome.fixes);
    check("texana/skiers.txt", &lines(&outcome));

    let who_did_what: BTreeSet<(&str, &str)> = outcome.findings.iter().map(|f| (f.vessel.as_str(), f.rule)).collect();
    let expected = [
        // Half a minute at 150 ft behind the skier.
        ("watcher", "ski-following"),
        // Close ahead of the boat, and then close to the skier.
        ("crosser", "ski-bow-crossing"),
        ("crosser", "ski-clearance"),
        // The other way, past the skier.
        ("scooter", "ski-clearance"),
        // The second run.
        ("ski-boat", "ski-direction"),
    ];
    assert_eq!(who_did_what, BTreeSet::from(expected));
    let t = |text: &str| EventTime::parse_rfc3339(&format!("2016-07-16T{text}Z")).expect("a time");
    let (second_run, its_end) = (t("20:12:52"), t("20:19:53"));
    let lasting_s = |f: &Finding| f.end.expect("closed").seconds_since(f.start);
    let against: Vec<&Finding> = outcome.findings.iter().filter(|f| f.rule == "ski-direction").collect();
    for finding in &against {
        assert!(finding.start >= second_run && finding.end.expect("closed") <= its_end, "{}", finding.text);
        assert_eq!(finding.verdict, Verdict::Breach, "{}", finding.text);
    }
    // All of it but where the boat goes across the lake.
    assert!(against.iter().map(|f| lasting_s(f)).sum::<f64>() > 0.8 * its_end.seconds_since(second_run));
    for (vessel, rule) in [("watcher", "ski-following"), ("crosser", "ski-bow-crossing")] {
        let is_sure = |f: &&Finding| f.vessel.as_str() == vessel && f.rule == rule && f.verdict == Verdict::Breach;
        assert_eq!(outcome.findings.iter().filter(is_sure).count(), 1, "{vessel}, {rule}");
    }
}

/// The same afternoon, had nobody declared anything: asked to guess, Buoyline finds the second run, and says that it
/// guesses; else it finds nothing about skiing.
#[test]
fn who_tows_without_saying_so_is_guessed_where_the_rulebook_asks() {
    let map = map_of(&root().join("zones/lake-texana.geojson"));
    let undeclared: Vec<String> =
        script::recording().lines().filter(|line| !line.contains("towing")).map(str::to_owned).collect();
    let folder = scratch();
    let track = write_lines(folder.path(), "undeclared.ndjson", &undeclared);
    assert!(replay(std::slice::from_ref(&track), &map, &spokane()).findings.is_empty());

    let text = SHIPPED[0].1.replace("# [tow_inference]", "[tow_inference]");
    assert_ne!(text, SHIPPED[0].1);
    let asks = Arc::new(Rulebook::from_toml("asks.toml", &text).expect("a rulebook"));
    let findings = replay(&[track], &map, &asks).findings;
    let against: Vec<&Finding> = findings.iter().filter(|f| f.rule == "ski-direction").collect();
    assert!(!against.is_empty());
    let lasting_s: f64 = against.iter().map(|f| f.end.expect("closed").seconds_since(f.start)).sum();
    assert!(lasting_s > 240.0, "{lasting_s}");
    for finding in &findings {
        assert_eq!((finding.vessel.as_str(), finding.verdict), ("ski-boat", Verdict::Possible), "{}", finding.text);
        assert!(finding.confidence <= 0.6 && finding.text.contains("a guess"), "{}", finding.text);
        assert!(finding.start >= EventTime::parse_rfc3339("2016-07-16T20:12:52Z").expect("a time"), "{}", finding.text);
    }
}
