//! Every recording under `tests/data/recordings` is read as the text beside it tells.

use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::observation::{Fix, Observation, Refusal};
use crate::replay::{Place, ReadOptions, Recording, Sink};
use crate::units::SpeedUnit;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/recordings");
const TOLD: &str = ".read.txt";

/// All sample recordings, in order of their names.
pub(super) fn samples() -> Vec<PathBuf> {
    let mut samples = Vec::new();
    for format in ["csv", "gpx", "ndjson", "nmea", "tcx"] {
        for verdict in ["accepted", "refused"] {
            let folder = Path::new(FOLDER).join(format).join(verdict);
            let files = fs::read_dir(&folder).expect("the folder of a format");
            samples.extend(files.map(|file| file.expect("a file").path()));
        }
    }
    samples.retain(|path| !path.to_string_lossy().ends_with(TOLD));
    samples.sort();
    samples
}

/// Writes down what it is given.
#[derive(Default)]
struct Notes {
    text: String,
    refusals: usize,
}

impl Sink for Notes {
    fn observation(&mut self, place: Place, observation: Observation) -> ControlFlow<()> {
        let line = place.line;
        match observation {
            Observation::Fix(vessel, fix) => writeln!(self.text, "{line}: {vessel} {}", told(&fix)),
            other => writeln!(self.text, "{line}: {other:?}"),
        }
        .expect("a string takes everything");
        ControlFlow::Continue(())
    }

    fn refused(&mut self, place: Place, refusal: Refusal) {
        self.refusals += 1;
        writeln!(self.text, "{}: refused, {refusal}", place.line).expect("a string takes everything");
    }

    fn unused(&mut self, place: Place, what: &dyn std::fmt::Display, is_refused: bool) {
        if !is_refused {
            writeln!(self.text, "{}: unused, {what}", place.line).expect("a string takes everything");
        }
    }
}

fn told(fix: &Fix) -> String {
    let mut text = format!("{} lat {} lon {}", fix.t, fix.position.lat_deg(), fix.position.lon_deg());
    let values = [
        ("sog_mps", fix.sog_mps),
        ("cog_deg", fix.cog_deg),
        ("heading_deg", fix.heading_deg),
        ("accuracy_m", fix.accuracy_m),
    ];
    for (name, value) in values {
        if let Some(value) = value {
            write!(text, " {name} {value}").expect("a string takes everything");
        }
    }
    if let Some(status) = fix.nav_status {
        write!(text, " {status:?}").expect("a string takes everything");
    }
    text
}

/// The options in the first line of a told text: `options: --vessel boat-1 --utc-offset=-06:00`.
fn options(told: &str) -> ReadOptions {
    let mut options = ReadOptions::default();
    for word in told.lines().next().unwrap_or("").trim_start_matches("options:").split_whitespace() {
        let (key, value) = word.split_once('=').expect("an option with its value");
        match key {
            "--vessel" => options.vessel = Some(crate::observation::VesselId::new(value).expect("an id")),
            "--utc-offset" => options.utc_offset = Some(value.parse().expect("an offset")),
            "--date" => options.date = Some(value.parse().expect("a date")),
            "--speed-unit" => options.speed_unit = Some(SpeedUnit::from_symbol(value).expect("a unit")),
            "--as" => options.format = Some(value.to_owned()),
            other => panic!("{other} is no option"),
        }
    }
    options
}

#[test]
fn recordings_are_read_as_told() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in samples() {
        let told_path = PathBuf::from(format!("{}{TOLD}", path.display()));
        let told = fs::read_to_string(&told_path).unwrap_or_default();
        let options = options(&told);
        let mut notes = Notes::default();
        let name = path.strip_prefix(FOLDER).expect("inside the folder").to_string_lossy().into_owned();
        let outcome = fs::File::open(&path)
            .map_err(|e| e.to_string())
            .and_then(|file| Recording::from_reader(&name, file, &options).map_err(|e| e.to_string()))
            .and_then(|recording| {
                writeln!(notes.text, "{}", recording.format().name).expect("a string takes everything");
                recording.read(&options, &mut notes).map_err(|e| e.to_string())
            });
        let refused = outcome.is_err() || notes.refusals > 0;
        assert_eq!(refused, name.contains("/refused/"), "{name} lies in the wrong folder:\n{}", notes.text);
        if let Err(e) = outcome {
            writeln!(notes.text, "error, {e}").expect("a string takes everything");
        }
        let first = told.lines().next().unwrap_or("options:");
        let read = format!("{first}\n{}", notes.text);
        if bless {
            fs::write(&told_path, &read).expect("the told text is written");
        } else if read != told {
            wrong.push(format!("{name} is read as\n{read}\nand was to be read as\n{told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_sink_ends_the_reading() {
    struct First(usize);
    impl Sink for First {
        fn observation(&mut self, _: Place, _: Observation) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Break(())
        }
        fn refused(&mut self, _: Place, refusal: Refusal) {
            panic!("{refusal}");
        }
    }
    for sample in [
        "ndjson/accepted/all-kinds.ndjson",
        "gpx/accepted/many-decimals.gpx",
        "tcx/accepted/speed-in-extension.tcx",
        "csv/accepted/time-utc-speed-mps.csv",
        "nmea/accepted/own-and-targets.nmea",
    ] {
        let mut first = First(0);
        let options = ReadOptions::default();
        let recording = Recording::open(&Path::new(FOLDER).join(sample), &options).expect(sample);
        recording.read(&options, &mut first).expect(sample);
        assert_eq!(first.0, 1, "{sample}");
    }
}

#[test]
fn what_cannot_be_opened_says_why() {
    let options = ReadOptions::default();
    let error = Recording::open(Path::new("no/such.gpx"), &options).expect_err("no file").to_string();
    assert!(error.starts_with("cannot be opened: "), "{error}");
    let error = Recording::open(Path::new(FOLDER), &options).expect_err("a folder").to_string();
    assert!(error.ends_with("it is a folder, not a file"), "{error}");
    let options = ReadOptions { format: Some("kml".to_owned()), ..options };
    let error = Recording::from_reader("a.kml", &b"<kml>"[..], &options).expect_err("unknown").to_string();
    assert_eq!(error, "\"kml\" is no format of recordings; known are gpx, tcx, ndjson, nmea, csv");
}
