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
    fn observation(&mut self, place: Place, observation: &Observation) -> ControlFlow<()> {
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
    packed(bytes, Compression::fast())
}

fn packed(bytes: &[u8], how_well: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), how_well);
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
        for format in ["gpx", "tcx", "kml"] {
            survive("noise", text.clone().into_bytes(), &generous(Some(format)));
        }
    }

    #[test]
    fn noise_of_lists_is_read_or_refused(
        text in "(<(/)?(Placemark|gx:Track|when|gx:coord|gx:angles|Point|Folder|ExtendedData)>|<gx:SimpleArrayData name=\"(speed|x)\">|<gx:value>|</gx:value>|</gx:SimpleArrayData>|[0-9., -]{1,6}){0,60}",
    ) {
        survive("noise", format!("<kml>{text}").into_bytes(), &generous(Some("kml")));
    }

    #[test]
    fn noise_of_json_is_read_or_refused(
        text in "([{}\\[\\],:\"]|null|1e400|-117.08|47.65|\"(type|features|Feature|geometry|properties|coordinates|coordTimes|time|topic|payload|tst|payloadlen)\":|\"2026-07-04T20:15:03Z\"){0,60}",
    ) {
        for format in ["geojson", "mqtt", "ndjson"] {
            survive("noise", text.clone().into_bytes(), &generous(Some(format)));
            survive("noise", format!("{{{text}}}").into_bytes(), &generous(Some(format)));
        }
    }

    #[test]
    fn noise_of_messages_is_read_or_refused(
        (length, bytes) in (prop::option::of(0u32..300), prop::collection::vec(any::<u8>(), 0..300)),
        definition in prop::collection::vec((0u8..80, prop::sample::select(vec![0u8, 1, 2, 4, 255]), any::<u8>()), 0..8),
    ) {
        let length = length.unwrap_or(bytes.len() as u32).to_le_bytes();
        let mut file = vec![12, 0x10, 0, 0];
        file.extend(length);
        file.extend(b".FIT\x40\0\0\x14\0");
        file.push(definition.len() as u8);
        file.extend(definition.iter().flat_map(|(number, bytes, base)| [*number, *bytes, *base]));
        file.extend(bytes);
        survive("noise", file, &generous(None));
    }

    #[test]
    fn noise_that_is_packed_is_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        magic in prop::sample::select(vec![&b"PK\x03\x04"[..], &[0x28, 0xb5, 0x2f, 0xfd], &[0x50, 0x2a, 0x4d, 0x18], &[0x1f, 0x8b, 8, 0], &[0xff, 0xfe], &[0xfe, 0xff]]),
    ) {
        survive("noise", [magic, &bytes].concat(), &generous(None));
        survive("noise", [magic, &bytes].concat(), &generous(Some("csv")));
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
        ("<kml><Placemark><gx:Track>", "<when/>", "a track of more than 1000000 points"),
    ] {
        let format = if beginning.starts_with("<kml") { "kml" } else { "gpx" };
        let (_, outcome) = read("bomb.xml", long(beginning, piece, BYTES), &generous(Some(format)));
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
        ("mqtt", "{\"topic\":\"", "\\u0000"),
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
fn endless_features_end_the_reading() {
    for (beginning, piece) in [
        ("{\"type\":\"FeatureCollection\",\"features\":[{\"x\":\"", "a"),
        ("{\"type\":\"Feature\",\"properties\":{\"x\":[", "0,"),
        ("{\"type\":\"Feature\",\"geometry\":{\"coordinates\":[", "[1,2],"),
        ("{\"features\":[", "       "),
    ] {
        let (_, outcome) = read("bomb.geojson", long(beginning, piece, 18 << 20), &generous(None));
        let error = outcome.expect_err(beginning).to_string();
        assert!(error.contains("a feature of more than 16 MiB"), "{beginning}{piece}…: {error}");
    }
    let deep = "{\"type\":\"Feature\",\"geometry\":{\"coordinates\":".to_owned() + &"[".repeat(100_000);
    let (_, outcome) = read("deep.geojson", Cursor::new(deep.into_bytes()), &generous(None));
    assert!(outcome.expect_err("too deep").to_string().contains("recursion limit exceeded"));
}

/// Ten gigabytes of zeros, which a disk that lost its power may leave, take no longer than their beginning.
#[test]
fn ten_gigabytes_of_nothing_are_refused_soon() {
    let folder = tempfile::tempdir().expect("a folder");
    for ending in ["ndjson", "csv", "gpx", "tcx", "kml", "geojson", "jsonl", "fit", "log"] {
        let path = folder.path().join(format!("nothing.{ending}"));
        // Sparse: it takes no room on the disk.
        let made = fs::File::create(&path).and_then(|file| file.set_len(10 << 30));
        made.expect("a sparse file");
        for format in
            [None, Some(ending)].into_iter().filter(|format| *format != Some("log") && *format != Some("jsonl"))
        {
            let options = generous(format);
            let mut counts = Counts::default();
            let outcome = Recording::open(&path, &options).and_then(|recording| recording.read(&options, &mut counts));
            assert!(outcome.is_err(), "{ending}, as {format:?}");
            assert_eq!(counts.observations, 0);
        }
    }
}

#[test]
fn bombs_are_refused_before_they_fill_anything() {
    let lines = [&b"x".repeat(999_999)[..], b"\n"].concat().repeat(100);
    let zstd = ruzstd::encoding::compress_to_vec(Cursor::new(&lines), ruzstd::encoding::CompressionLevel::Fastest);
    for (name, bomb) in
        [("gzip", packed(&lines, Compression::best())), ("zstd", zstd), ("zip", zipped("a.csv", &lines))]
    {
        assert!(bomb.len() < 1 << 20, "{name}: {}", bomb.len());
        let (counts, outcome) = read("bomb", Cursor::new(bomb), &generous(Some("ndjson")));
        let error = outcome.expect_err(name).to_string();
        assert!(error.contains("unpacks to more than 300 times its size"), "{name}: {error}");
        assert!(counts.refusals < 100, "{name}");
    }
    let zeros = gzipped(&vec![0_u8; 100 << 20]);
    let (_, outcome) = read("bomb.ndjson.gz", Cursor::new(zeros), &generous(None));
    let error = outcome.expect_err("zeros").to_string();
    assert!(error.contains("nothing in them that could be read"), "{error}");
    let (_, outcome) = read("bomb.ndjson", long("", "\n", 65 << 20), &generous(None));
    assert!(outcome.is_err(), "blank lines");
}

fn zipped(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    zip.start_file(name, options).expect("memory takes everything");
    zip.write_all(bytes).expect("memory takes everything");
    zip.finish().expect("memory takes everything").into_inner()
}

/// Frames one after the other, among them one to skip, each read whole.
#[test]
fn zstd_frames_are_joined() {
    let frame = |text: &str| {
        ruzstd::encoding::compress_to_vec(Cursor::new(text.to_owned()), ruzstd::encoding::CompressionLevel::Fastest)
    };
    let skipped = [&[0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let (first, second) = ("t,lat,lon\n2026-07-04T20:15:03Z,47.65,-117.08\n", "2026-07-04T20:15:04Z,47.65,-117.08\n");
    let packed = [skipped.clone(), frame(first), skipped, frame(second)].concat();
    let (counts, outcome) = read("boat.csv.zst", Cursor::new(packed.clone()), &generous(None));
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!((counts.observations, counts.refusals), (2, 0));
    let (counts, outcome) = read("boat.csv.zst", Cursor::new(packed[..packed.len() - 9].to_vec()), &generous(None));
    assert!(outcome.is_err());
    assert!(counts.observations <= 2);
}

/// An empty frame that wants to look back 8 MiB, and one that wants 128.
#[test]
fn zstd_takes_little_memory() {
    let frame = |window: u8| [&[0x28, 0xb5, 0x2f, 0xfd, 0, window][..], &[1, 0, 0]].concat();
    let reason = |window: u8| {
        let (_, outcome) = read("boat.csv.zst", Cursor::new(frame(window)), &generous(None));
        outcome.expect_err("there is nothing in it").to_string()
    };
    assert!(!reason(13 << 3).contains("memory"), "{}", reason(13 << 3));
    assert!(reason(17 << 3).contains("128 MiB of memory"), "{}", reason(17 << 3));
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
