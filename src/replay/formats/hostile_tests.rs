//! No bytes make a reader panic, hang or grow: damaged samples, bombs, noise.

use std::fs;
use std::io::{Cursor, Read, Write};
use std::ops::ControlFlow;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::formats_tests::samples;
use crate::observation::{Observation, Refusal};
use crate::replay::{FORMATS, Place, ReadOptions, Recording, RecordingError, Sink};
use crate::units::SpeedUnit;

/// Counts, and checks that places go forward, or back to where an epoch of NMEA began.
#[derive(Default)]
struct Counts {
    steps_back: bool,
    observations: u64,
    refusals: u64,
    line: u64,
}

impl Counts {
    fn step(&mut self, place: Place) {
        let least = if self.steps_back { 1 } else { self.line.max(1) };
        assert!(place.line >= least, "line {} after line {}", place.line, self.line);
        self.line = place.line;
    }
}

impl Sink for Counts {
    fn observation(&mut self, place: Place, observation: Observation) -> ControlFlow<()> {
        self.step(place);
        if let Observation::Fix(_, fix) = observation {
            assert!(fix.sog_mps.is_none_or(f64::is_finite) && fix.position.lat_deg().is_finite());
        }
        self.observations += 1;
        ControlFlow::Continue(())
    }

    fn refused(&mut self, place: Place, refusal: Refusal) {
        self.step(place);
        assert!(!refusal.detail.is_empty());
        self.refusals += 1;
    }
}

fn generous(format: Option<&str>) -> ReadOptions {
    ReadOptions {
        utc_offset: chrono::FixedOffset::east_opt(0),
        speed_unit: Some(SpeedUnit::Kn),
        format: format.map(str::to_owned),
        ..ReadOptions::default()
    }
}

fn read(name: &str, input: impl Read + 'static, options: &ReadOptions) -> (Counts, Result<(), RecordingError>) {
    let mut counts = Counts::default();
    let outcome = Recording::from_reader(name, input, options).and_then(|recording| {
        counts.steps_back = recording.format().name == "nmea";
        recording.read(options, &mut counts)
    });
    (counts, outcome)
}

/// Reads to whatever end there is.
fn survive(name: &str, bytes: Vec<u8>, options: &ReadOptions) {
    let (counts, outcome) = read(name, Cursor::new(bytes), options);
    let told = outcome.map_err(|e| e.to_string());
    assert!(told.is_ok() || told.is_err_and(|text| !text.is_empty()), "after {} observations", counts.observations);
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

proptest! {
    #[test]
    fn damaged_recordings_are_read_or_refused(
        which in 0usize..1000,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
        (zip, cut_zip) in (any::<bool>(), prop::option::of(any::<prop::sample::Index>())),
        forced in prop::option::of(0..FORMATS.len()),
    ) {
        let samples = samples();
        let path = &samples[which % samples.len()];
        let mut bytes = fs::read(path).expect("a sample");
        for (at, byte) in damage {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        if let Some(cut) = cut.filter(|_| !bytes.is_empty()) {
            bytes.truncate(cut.index(bytes.len()));
        }
        if zip {
            bytes = gzipped(&bytes);
            if let Some(cut) = cut_zip {
                bytes.truncate(cut.index(bytes.len()));
            }
        }
        let options = generous(forced.map(|ix| FORMATS[ix].name));
        survive(&path.to_string_lossy(), bytes, &options);
    }

    #[test]
    fn noise_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600), forced in 0..FORMATS.len()) {
        survive("noise", bytes.clone(), &generous(None));
        survive("noise", bytes, &generous(Some(FORMATS[forced].name)));
    }

    #[test]
    fn markup_noise_is_read_or_refused(text in "(<[a-z!?/]{0,3}|>|trkpt|lat=|[\"'&;#\\]-]|CDATA|[0-9.]|\n){0,120}") {
        for format in ["gpx", "tcx"] {
            survive("noise", text.clone().into_bytes(), &generous(Some(format)));
        }
    }

    #[test]
    fn table_noise_is_read_or_refused(text in "([,;\t\"\r\n ]|lat|lon|t|sog|[0-9.:T-]{1,9}|é){0,120}") {
        survive("noise", format!("t,lat,lon\n{text}").into_bytes(), &generous(Some("csv")));
        survive("noise", text.into_bytes(), &generous(Some("csv")));
    }
}

/// Endless input of one repeated piece after a beginning, up to a length.
fn long(beginning: &str, piece: &str, bytes: u64) -> impl Read + 'static {
    let repeated = piece.repeat(1 + 4096 / piece.len()).into_bytes();
    let endless = std::iter::repeat_with(move || Cursor::new(repeated.clone()));
    let mut endless = endless.take(1 + bytes as usize / 4096);
    let mut current = Cursor::new(beginning.to_owned().into_bytes());
    std::io::BufReader::new(FromFn(move |out: &mut [u8]| {
        loop {
            let n = current.read(out)?;
            if n > 0 {
                return Ok(n);
            }
            match endless.next() {
                Some(next) => current = next,
                None => return Ok(0),
            }
        }
    }))
}

struct FromFn<F>(F);

impl<F: FnMut(&mut [u8]) -> std::io::Result<usize>> Read for FromFn<F> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        (self.0)(out)
    }
}

#[test]
fn endless_pieces_end_the_reading_of_xml() {
    const BYTES: u64 = 8 << 20;
    for (beginning, piece, reason) in [
        ("<gpx ", "a", "longer than 1 MiB"),
        ("<gpx>", "text ", "longer than 1 MiB"),
        ("<gpx a=\"", "a", "longer than 1 MiB"),
        ("<gpx><!-- ", "- ", "longer than 1 MiB"),
        ("<gpx><![CDATA[", "]", "longer than 1 MiB"),
        ("<!DOCTYPE gpx [", "<!ENTITY a \"b\">", "longer than 1 MiB"),
        ("<gpx>", "<a>", "more than 64 elements inside each other"),
        ("<gpx><time>", "&lt;", "the file ends inside an element"),
        ("<gpx><time>", "x<!---->", "the file ends inside an element"),
    ] {
        let (_, outcome) = read("bomb.gpx", long(beginning, piece, BYTES), &generous(Some("gpx")));
        let error = outcome.expect_err(beginning).to_string();
        assert!(error.contains(reason), "{beginning}{piece}…: {error}");
    }
}

#[test]
fn endless_lines_are_refused_one_by_one() {
    const BYTES: u64 = 8 << 20;
    for (format, beginning, piece) in [
        ("ndjson", "[", "["),
        ("ndjson", "{\"type\":\"fix\",\"x\":\"", "\\u0000"),
        ("csv", "t,lat,lon\n\"", "\"\""),
        ("csv", "t,lat,lon\n", ","),
        ("nmea", "!AIVDM,1,1,,A,", "0"),
        ("nmea", "$GPRMC,", "\\c:"),
    ] {
        let input = long(beginning, piece, BYTES).chain(&b"\n{}\n"[..]);
        let (counts, outcome) = read("bomb", input, &generous(Some(format)));
        assert!(outcome.is_ok(), "{format}: {outcome:?}");
        assert_eq!((counts.observations, counts.refusals), (0, 2), "{format} {beginning}{piece}…");
    }
    let (_, outcome) = read("bomb.csv", long("t,lat,lon", ",x", BYTES), &generous(None));
    assert!(outcome.expect_err("no header").to_string().contains("the header is too long"));
}

#[test]
fn a_gzip_bomb_is_one_line_that_is_too_long() {
    let bomb = gzipped(&vec![0_u8; 64 << 20]);
    assert!(bomb.len() < 1 << 20);
    let (counts, outcome) = read("bomb.ndjson.gz", Cursor::new(bomb), &generous(None));
    assert!(outcome.is_ok());
    assert_eq!((counts.observations, counts.refusals), (0, 1));
}

#[test]
fn more_columns_than_can_be_meant_are_refused() {
    let table = format!(
        "t,lat,lon\n{}\n2026-07-04T20:15:03Z,1,2{}\n2026-07-04T20:15:03Z,1,2\n",
        ",".repeat(2000),
        ",".repeat(1021)
    );
    let (counts, outcome) = read("wide.csv", Cursor::new(table.into_bytes()), &generous(None));
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!((counts.observations, counts.refusals), (2, 1));
}
