//! Every recording under `tests/data/recordings` is read as the text beside it tells.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::observation::{Fix, Observation, Refusal, VesselId};
use crate::replay::{FORMATS, Place, ReadOptions, Recording, Sink};
use crate::units::SpeedUnit;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/recordings");
const TOLD: &str = ".read.txt";

/// All sample recordings, in order of their names.
pub(super) fn samples() -> Vec<PathBuf> {
    let mut samples = Vec::new();
    for format in FORMATS.iter().map(|format| format.name) {
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
    fn observation(&mut self, place: Place, observation: &Observation) -> ControlFlow<()> {
        let line = place.line;
        match observation {
            Observation::Fix(vessel, fix) => writeln!(self.text, "{line}: {vessel} {}", told(fix)),
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
            "--vessel" => options.vessel = Some(VesselId::new(value).expect("an id")),
            "--utc-offset" => options.utc_offset = Some(value.parse().expect("an offset")),
            "--speed-unit" => options.speed_unit = Some(SpeedUnit::from_symbol(value).expect("a unit")),
            "--date" => options.date = Some(value.parse().expect("a day")),
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

/// What of a recording matters most.
#[derive(Default, Debug, PartialEq, Eq)]
struct Figures {
    fixes: usize,
    with_speed: usize,
    profiles: usize,
    unused: usize,
    refusals: usize,
    vessels: BTreeSet<VesselId>,
}

impl Sink for Figures {
    fn observation(&mut self, _: Place, observation: &Observation) -> ControlFlow<()> {
        match observation {
            Observation::Fix(vessel, fix) => {
                self.fixes += 1;
                self.with_speed += usize::from(fix.sog_mps.is_some());
                self.vessels.insert(vessel.clone());
            }
            _ => self.profiles += 1,
        }
        ControlFlow::Continue(())
    }

    fn refused(&mut self, _: Place, _: Refusal) {
        self.refusals += 1;
    }

    fn unused(&mut self, _: Place, _: &dyn std::fmt::Display, _: bool) {
        self.unused += 1;
    }
}

/// Cuts of published recordings, by their counts: fixes, those with a speed, profiles, unused records, vessels.
#[test]
fn published_recordings_are_read_whole() {
    for (name, counts) in [
        ("brno-reservoir-rowing.tcx.gz", [400, 399, 0, 0, 1]),
        ("lake-merritt-rowing-dusk.csv.gz", [500, 500, 0, 0, 1]),
        ("lake-texana-raw-excerpt.csv.gz", [300, 0, 0, 8, 1]),
        ("lake-texana-survey.csv.gz", [567, 0, 0, 1, 1]),
        // 990 rows, 177 of them without a speed (102.2 and 102.3), 107 of stations that are no vessels.
        ("marine-cadastre-2022-01-03.csv.gz", [883, 706, 695, 107, 697]),
        ("sailing-pair-boat-a.gpx.gz", [400, 0, 0, 0, 1]),
        ("sailing-pair-boat-b.gpx.gz", [400, 0, 0, 0, 1]),
        ("twente-canal-rowing-sunrise.tcx.gz", [300, 0, 0, 0, 1]),
        ("windsurf-brittany.gpx.gz", [400, 400, 0, 0, 1]),
    ] {
        let options = ReadOptions { utc_offset: chrono::FixedOffset::east_opt(0), ..ReadOptions::default() };
        let mut figures = Figures::default();
        let recording = Recording::open(&Path::new(FOLDER).join("counts").join(name), &options).expect(name);
        recording.read(&options, &mut figures).expect(name);
        let Figures { fixes, with_speed, profiles, unused, refusals, vessels } = figures;
        assert_eq!([fixes, with_speed, profiles, unused, vessels.len()], counts, "{name}");
        assert_eq!(refusals, 0, "{name}");
    }
}

#[test]
fn the_sink_ends_the_reading() {
    struct First(usize);
    impl Sink for First {
        fn observation(&mut self, _: Place, _: &Observation) -> ControlFlow<()> {
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
        "fit/accepted/compressed-times.fit",
        "kml/accepted/tracks.kml",
        "kml/accepted/points-with-times.kml",
        "geojson/accepted/points.geojson",
        "geojson/accepted/times-beside-lines.geojson",
        "mqtt/accepted/mosquitto.jsonl",
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
fn what_is_not_what_it_is_taken_for_says_so() {
    for (name, text, format, reason) in [
        ("a.gpx", "<!DOCTYPE html>\n<html><p>404</p></html>", None, "its root is <html>, not <gpx>"),
        ("a.tcx", "<TrainingCenterDatabase/>", Some("gpx"), "its root is <TrainingCenterDatabase>, not <gpx>"),
        ("a.kml", "<?xml version=\"1.0\"?>\n", None, "there is no <kml> in it"),
        ("a.kml", "<kml><Document><NetworkLink/></Document></kml>", None, "it only links to another file"),
        ("a.gpx", "<gpx></\x1b[31m>", None, "\u{fffd}[31m"),
    ] {
        let options = ReadOptions { format: format.map(str::to_owned), ..ReadOptions::default() };
        let recording = Recording::from_reader(name, text.as_bytes(), &options).expect(name);
        let error = recording.read(&options, &mut Figures::default()).expect_err(name).to_string();
        assert!(error.contains(reason) && !error.contains('\x1b'), "{error}");
    }
}

#[test]
fn columns_are_known_by_what_writers_call_them() {
    for (header, sog_mps) in [
        ("deviceId,time_utc,lat,lon,speed_km_h", Some("10")),
        ("ship,time_utc,lat,lon,Speed km/h", Some("10")),
        ("tracker,time_utc,lat,lon,spd_kmh", Some("10")),
        ("device,time_utc,lat,lon,spd", None),
        ("vesselName,time_utc,lat,lon,speed_ft_s", None),
    ] {
        let text = format!("{header}\nboat-7,2026-07-04T20:15:03Z,47,-117,36\n");
        let options = ReadOptions::default();
        let recording = Recording::from_reader("a.csv", std::io::Cursor::new(text), &options).expect(header);
        let mut notes = Notes::default();
        match (recording.read(&options, &mut notes), sog_mps) {
            (Ok(()), Some(sog_mps)) => {
                assert!(notes.text.contains(": boat-7 "), "{header}: {}", notes.text);
                assert!(notes.text.contains(&format!("sog_mps {sog_mps}")), "{header}: {}", notes.text);
            }
            (Err(error), None) => assert!(error.to_string().contains("no unit for the speed column"), "{error}"),
            (outcome, _) => panic!("{header}: {outcome:?} {}", notes.text),
        }
    }
}

#[test]
fn an_accuracy_in_feet_is_read() {
    let text = "boat,time_utc,lat,lon,accuracy_ft\nb,2026-07-04T20:15:03Z,47,-117,10\n";
    let mut notes = Notes::default();
    let options = ReadOptions::default();
    let recording = Recording::from_reader("a.csv", text.as_bytes(), &options).expect("a table");
    recording.read(&options, &mut notes).expect("it is whole");
    assert!(notes.text.contains("accuracy_m 3.048"), "{}", notes.text);
}

#[test]
fn what_cannot_be_opened_says_why() {
    let options = ReadOptions::default();
    let error = Recording::open(Path::new("no/such.gpx"), &options).expect_err("no file").to_string();
    assert!(error.starts_with("cannot be opened: "), "{error}");
    let error = Recording::open(Path::new(FOLDER), &options).expect_err("a folder").to_string();
    assert!(error.ends_with("it is a folder, not a file"), "{error}");
    let options = ReadOptions { format: Some("shp".to_owned()), ..options };
    let error = Recording::from_reader("a.shp", &b"<kml>"[..], &options).expect_err("unknown").to_string();
    let known = FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    assert_eq!(error, format!("\"shp\" is no format of recordings; known are {known}"));
}
