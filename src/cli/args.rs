//! What can be said on the command line.

use std::path::PathBuf;

use chrono::{FixedOffset, NaiveDate};
use chrono_tz::Tz;
use clap::builder::PossibleValuesParser;
use clap::{Args as Group, Parser, Subcommand, ValueEnum};
use serde::Deserialize;
use serde::de::value::StrDeserializer;

use crate::export;
use crate::import::{Choice, Selector};
use crate::observation::{VesselClass, VesselId, WaterwayId};
use crate::replay::convert::TARGETS;
use crate::replay::{self, ReadOptions};
use crate::time::EventTime;
use crate::units::{Speed, SpeedUnit, TimeSpan};

/// Watches boats on lakes and rivers and says, with evidence, when one breaks the boating code.
///
/// Results go to standard output, everything else to standard error. The exit status is 0 when the work is done, 1
/// when a fault in the given files stopped some of it, and 2 for arguments that cannot be used.
#[derive(Debug, Parser)]
#[command(name = "buoyline", bin_name = "buoyline", version, about, long_about, max_term_width = 100)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Judge recorded tracks and print the findings
    ///
    /// Reads GPX, TCX, KML, FIT, GeoJSON, NMEA 0183 with AIS, CSV, recorded MQTT and NDJSON, plain, gzipped or in zstd,
    /// in any number and order; tracks of several boats are judged together. A record that cannot be used is counted
    /// and the first few are named; the work goes on.
    Replay(Box<Replay>),
    /// Say what is wrong with a map and a rulebook, where, and how to mend it
    ///
    /// An error sets a feature or a file aside, a warning is worth a look, a note worth knowing. The exit status is 1 if
    /// there is an error, 0 if there is none.
    Check(Check),
    /// Judge live positions: listen to trackers over MQTT, keep what they say, publish findings
    ///
    /// Without settings it starts with a broker of its own on 127.0.0.1:1883 and keeps everything in buoyline.db here.
    Serve(Serve),
    /// Judge a past period of a store again with the fixes that came too late, and amend its findings
    ///
    /// Nothing is replaced: a finding that changes gets a further revision, marked as amended, which a running daemon
    /// publishes. Choose a period that is over.
    Rejudge(Rejudge),
    /// Show the daemon at work, with boats and findings within seconds
    ///
    /// Plays a shipped recording into a daemon that keeps everything in a temporary folder, and prints what it finds.
    Demo(Demo),
    /// Play recordings to a broker as live trackers would
    ///
    /// Every message is acknowledged by the broker, or sent again.
    Publish(Box<Publish>),
    /// Write recordings as one of another format
    ///
    /// Reads what `replay` reads. NDJSON holds all there is; judged again, it gives the same findings.
    Convert(Convert),
    /// Make a zone file of maps from other tools
    ///
    /// Reads KML, KMZ, GPX waypoints and routes, shapefiles, and GeoJSON with the properties of OpenStreetMap, S-57 or
    /// the US hydrography. What has no kind is listed and left out; the file that is written passes `check`.
    Import(Import),
    /// Print the evidence report of findings out of a store, with pictures: as PDF, or as HTML with a page a finding
    ///
    /// The PDF has the clause and the history whole, on further pages where they need them.
    Report(Report),
    /// Write findings or tracks out of a store in exchange formats
    Export(Export),
}

/// `buoyline report`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:
  buoyline report 4adc7d3ffab3a8e2a5f4c6bf8a2f7c10 -o finding.pdf
  buoyline report --format pdf --paper a4 4adc7d3ffab3a8e2a5f4c6bf8a2f7c10 > finding.pdf")]
pub struct Report {
    /// Ids of findings
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// The store
    #[arg(long, value_name = "FILE", default_value = "buoyline.db")]
    pub store: PathBuf,
    /// Where the report is written [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How it is written [default: as PDF into a file that ends in .pdf, else as HTML]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub format: Option<ReportFormat>,
    /// The paper
    #[arg(long, value_name = "PAPER", default_value = "letter", value_parser = paper)]
    pub paper: crate::report::Paper,
    /// The agency that stands at the head of the page
    #[arg(long, value_name = "NAME")]
    pub agency: Option<String>,
    /// Who prints it
    #[arg(long, value_name = "NAME", default_value = "buoyline report")]
    pub by: String,
    /// Where the console shows findings, for the link and the QR code, as in https://lake.example/findings/
    #[arg(long, value_name = "URL")]
    pub link: Option<String>,
}

/// How `report` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For a browser, which shows and prints it
    Html,
    /// For a file
    Pdf,
}

/// `buoyline export`.
#[derive(Debug, Group)]
pub struct Export {
    /// What is written: `findings` (csv, geojson, gpx, kml) or `tracks` (gpx, kml, geojson, csv)
    #[arg(value_parser = ["findings", "tracks"])]
    pub what: String,
    /// The store
    #[arg(long, value_name = "FILE", default_value = "buoyline.db")]
    pub store: PathBuf,
    /// The format
    #[arg(long, value_name = "FORMAT", default_value = "geojson", value_parser = ["csv", "geojson", "gpx", "kml"])]
    pub format: String,
    /// From this time on, as in 2026-07-04T20:00:00Z
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub from: Option<EventTime>,
    /// Until this time
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub to: Option<EventTime>,
    /// Only this vessel
    #[arg(long, value_name = "ID", value_parser = vessel)]
    pub vessel: Option<VesselId>,
}

fn paper(text: &str) -> Result<crate::report::Paper, String> {
    crate::report::Paper::from_name(text).ok_or_else(|| format!("{text:?} is no paper; take letter or a4"))
}

/// `buoyline replay`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:
  buoyline replay boat-1.gpx boat-2.gpx
  buoyline replay --format geojson morning.csv.gz > findings.geojson
  buoyline replay --utc-offset=-04:00 --track-vessel boat-1 watch.tcx
  buoyline replay --zones lake.geojson --summary counts.json - < fixes.ndjson
  buoyline replay --store buoyline.db --from 2026-07-04T00:00:00Z --format ndjson")]
pub struct Replay {
    /// Recordings; `-` reads standard input, NDJSON unless its content says otherwise
    #[arg(required_unless_present = "store", value_name = "TRACK")]
    pub tracks: Vec<PathBuf>,
    /// Judge again what a daemon has stored, by the maps and rulebooks that were in force: its findings, byte for byte
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tracks", "zones", "rules"])]
    pub store: Option<PathBuf>,
    /// Map and rulebook.
    #[command(flatten)]
    pub law: Law,
    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = export::FORMATS[0].name, value_parser = finding_formats())]
    pub format: String,
    /// Print the encounters of vessels within 100 m of each other instead of findings: CPA and TCPA over time, and how
    /// near they came
    #[arg(long)]
    pub encounters: bool,
    /// Also write counts, and for how long each vessel could be judged, as JSON
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
    /// Show times in text on the clocks of this zone, as in America/New_York [default: the rulebook's]
    #[arg(long, value_name = "ZONE", value_parser = time_zone)]
    pub time_zone: Option<Tz>,

    /// Leave out fixes before this time, as in 2026-07-04T20:00:00Z
    #[arg(long, value_name = "TIME", value_parser = instant, help_heading = "What is judged")]
    pub from: Option<EventTime>,
    /// Leave out what was observed after this time
    #[arg(long, value_name = "TIME", value_parser = instant, help_heading = "What is judged")]
    pub to: Option<EventTime>,
    /// Only findings about this vessel; the others are still there for rules about two
    #[arg(long, value_name = "ID", value_parser = vessel, help_heading = "What is judged")]
    pub vessel: Option<VesselId>,

    /// How recordings are read.
    #[command(flatten)]
    pub reading: Reading,
    /// Class of vessels that never say it, as in motorboat; of one of them, as in boat-1=pwc; may be given several times
    #[arg(
        long,
        value_name = "CLASS",
        value_parser = vessel_class,
        conflicts_with = "store",
        help_heading = "How recordings are read"
    )]
    pub class: Vec<(Option<VesselId>, VesselClass)>,
}

/// What is said about recordings because they do not say it themselves.
#[derive(Debug, Group)]
pub struct Reading {
    /// Format of the recordings, where their content is not to decide
    #[arg(long = "as", value_name = "FORMAT", value_parser = recording_formats(), help_heading = "How recordings are read")]
    pub read_as: Option<String>,
    /// Whose track a recording is that does not say so [default: the file's name]
    #[arg(long, value_name = "ID", value_parser = vessel, help_heading = "How recordings are read")]
    pub track_vessel: Option<VesselId>,
    /// Offset from UTC of times without one, as in -04:00
    #[arg(
        long,
        value_name = "OFFSET",
        value_parser = utc_offset,
        allow_hyphen_values = true,
        help_heading = "How recordings are read"
    )]
    pub utc_offset: Option<FixedOffset>,
    /// Day of the first of times without a date, as in 2026-07-04
    #[arg(long, value_name = "DAY", value_parser = day, help_heading = "How recordings are read")]
    pub date: Option<NaiveDate>,
    /// Unit of speeds without one: mph, kn, km/h or m/s
    #[arg(long, value_name = "UNIT", value_parser = speed_unit, help_heading = "How recordings are read")]
    pub speed_unit: Option<SpeedUnit>,
}

impl Reading {
    /// The same for the readers.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            vessel: self.track_vessel.clone(),
            utc_offset: self.utc_offset,
            date: self.date,
            speed_unit: self.speed_unit,
            format: self.read_as.clone(),
            ..ReadOptions::default()
        }
    }
}

/// `buoyline convert`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:
  buoyline convert activity.fit > activity.ndjson
  buoyline convert --to gpx -o both.gpx boat-1.kmz boat-2.csv.zst
  buoyline convert --utc-offset=+00:00 watch.tcx | buoyline replay -")]
pub struct Convert {
    /// Recordings; `-` reads standard input, NDJSON unless its content says otherwise
    #[arg(required = true, value_name = "TRACK")]
    pub tracks: Vec<PathBuf>,
    /// Format that is written
    #[arg(long, value_name = "FORMAT", default_value = TARGETS[0].name, value_parser = targets())]
    pub to: String,
    /// File that is written [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How recordings are read.
    #[command(flatten)]
    pub reading: Reading,
}

/// `buoyline check`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:
  buoyline check
  buoyline check --zones lake.geojson --rules my-code.toml
  buoyline check --zones lake.geojson --explain derived.geojson")]
pub struct Check {
    /// Map and rulebook.
    #[command(flatten)]
    pub law: Law,
    /// Write what was derived from the map (buoy lines, inshore areas, which way ski traffic goes) as GeoJSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub explain: Option<PathBuf>,
    /// How faults are written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: CheckFormat,
}

/// `buoyline import`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:
  buoyline import lake.shp -o zones/lake.geojson --kind waterway
  buoyline import water.geojson docks.kml -o zones/mirror-lake.geojson --where NAME=\"Mirror Lake\" --kind file=docks:dock
  buoyline import buoys.gpx -o buoys.geojson --kind sym=\"Buoy, White\":safety_buoy")]
pub struct Import {
    /// Maps; of a shapefile the .shp, with its .prj and .dbf beside it
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The zone file to write; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Kind of features with a property (KEY=VALUE:KIND; `file` and `folder` are properties too), or of all that say none
    #[arg(long, value_name = "[KEY=VALUE:]KIND")]
    pub kind: Vec<Choice>,
    /// Take only features with this value; files in which no feature has the property are taken whole
    #[arg(long = "where", value_name = "KEY=VALUE")]
    pub only: Vec<Selector>,
    /// Id of the waterway [default: made of its name]
    #[arg(long, value_name = "ID", value_parser = waterway_id)]
    pub id: Option<String>,
    /// Limit of speed zones that have none, as in "5 mph"
    #[arg(long, value_name = "SPEED")]
    pub speed_limit: Option<Speed>,
    /// Rulebook that the result is checked against [default: config/rules/spokane.toml, else the built-in one]
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
}

/// How `check` writes faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum CheckFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// Where on the water they are, for a map program such as QGIS
    Geojson,
}

/// `buoyline serve`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:
  buoyline serve
  buoyline serve --config lake.toml --check-config")]
pub struct Serve {
    /// Settings [default: those of config/buoyline.toml, which are built in]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Only say whether the settings, the map and the rulebook are in order
    #[arg(long)]
    pub check_config: bool,
}

/// `buoyline rejudge`.
#[derive(Debug, Group)]
#[command(after_help = "Example:
  buoyline rejudge --store buoyline.db --from 2026-07-04T00:00:00-07:00 --to 2026-07-05T00:00:00-07:00")]
pub struct Rejudge {
    /// The store of the daemon
    #[arg(long, value_name = "FILE")]
    pub store: PathBuf,
    /// Findings that began from this time on
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub from: EventTime,
    /// Findings that began until this time
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub to: EventTime,
}

/// `buoyline demo`.
#[derive(Debug, Group)]
pub struct Demo {
    /// How many seconds of the recordings pass in one
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = speed_up)]
    pub speed: f64,
    /// How many boats row the recorded track, one behind the other
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub boats: usize,
}

/// `buoyline publish`.
#[derive(Debug, Group)]
#[command(after_help = "Examples:
  buoyline publish --broker mqtt://127.0.0.1 boat-1.gpx boat-2.gpx
  buoyline publish --broker mqtts://lake.example --user anna --password env:OAR --speed 60 --boats 5 morning.csv.gz")]
pub struct Publish {
    /// Recordings; `-` reads standard input
    #[arg(required = true, value_name = "TRACK")]
    pub tracks: Vec<PathBuf>,
    /// The broker, as in mqtt://host:1883 or mqtts://host:8883
    #[arg(long, value_name = "URL")]
    pub broker: String,
    /// How many seconds of the recording pass in one; 0 for as fast as it goes
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = speed)]
    pub speed: f64,
    /// How many boats sail the recorded tracks, one behind the other
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub boats: usize,
    /// How far they are behind each other
    #[arg(long, value_name = "TIME", default_value = "60 s")]
    pub apart: TimeSpan,
    /// Publish the times as recorded; else they are moved so that the last message is played at its time
    #[arg(long)]
    pub keep_times: bool,
    /// The user at the broker
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// The password; env:NAME takes it from the environment variable NAME
    #[arg(long, value_name = "PASSWORD")]
    pub password: Option<String>,
    /// Certificates of authorities to trust, PEM [default: the system's]
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// The client's id at the broker [default: a random one]
    #[arg(long, value_name = "ID")]
    pub client_id: Option<String>,
    /// How recordings are read.
    #[command(flatten)]
    pub reading: Reading,
}

/// What is judged by.
#[derive(Debug, Group)]
pub struct Law {
    /// Map: a GeoJSON file, or a folder of them; may be given several times [default: zones, else the built-in map]
    #[arg(long, value_name = "PATH")]
    pub zones: Vec<PathBuf>,
    /// Rulebook [default: config/rules/spokane.toml, else the built-in one]
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
}

fn finding_formats() -> PossibleValuesParser {
    let values = export::FORMATS.iter();
    PossibleValuesParser::new(values.map(|format| clap::builder::PossibleValue::new(format.name).help(format.purpose)))
}

fn recording_formats() -> PossibleValuesParser {
    PossibleValuesParser::new(replay::FORMATS.iter().map(|format| format.name))
}

fn targets() -> PossibleValuesParser {
    let values = TARGETS.iter();
    PossibleValuesParser::new(values.map(|target| clap::builder::PossibleValue::new(target.name).help(target.purpose)))
}

fn day(text: &str) -> Result<NaiveDate, String> {
    text.parse().map_err(|_| "it should be a year, a month and a day, as in 2026-07-04".to_owned())
}

/// A class, or a vessel with its class.
fn vessel_class(text: &str) -> Result<(Option<VesselId>, VesselClass), String> {
    let (of, name) = match text.split_once('=') {
        Some((id, name)) => (Some(vessel(id)?), name),
        None => (None, text),
    };
    let class = VesselClass::deserialize(StrDeserializer::<serde::de::value::Error>::new(name));
    let class = class.map_err(|_| {
        "no such class; known are motorboat, pwc, sailboat, nonmotorized, commercial and patrol".to_owned()
    })?;
    Ok((of, class))
}

fn instant(text: &str) -> Result<EventTime, String> {
    EventTime::parse_rfc3339(text).map_err(|error| error.to_string())
}

fn vessel(text: &str) -> Result<VesselId, String> {
    VesselId::new(text).map_err(|error| error.to_string())
}

fn waterway_id(text: &str) -> Result<String, String> {
    WaterwayId::new(text).map(|id| id.as_str().to_owned()).map_err(|error| error.to_string())
}

fn time_zone(text: &str) -> Result<Tz, String> {
    text.parse().map_err(|_| "no such time zone; names are those of the IANA list, as in America/New_York".to_owned())
}

fn utc_offset(text: &str) -> Result<FixedOffset, String> {
    let text = if text.eq_ignore_ascii_case("z") { "+00:00" } else { text };
    text.parse().map_err(|_| "it should be hours and minutes with a sign, as in -04:00".to_owned())
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed >= 0.0);
    speed.ok_or_else(|| "it should be a number from 0 on, as in 60".to_owned())
}

fn speed_up(text: &str) -> Result<f64, String> {
    let speed = speed(text)?;
    if speed >= 1.0 { Ok(speed) } else { Err("it should be a number from 1 on, as in 20".to_owned()) }
}

fn speed_unit(text: &str) -> Result<SpeedUnit, String> {
    SpeedUnit::from_symbol(text).ok_or_else(|| "no such unit; known are mph, kn, km/h and m/s".to_owned())
}
