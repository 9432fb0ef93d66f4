//! Which column of a table, or which property of a feature, holds what: told by names.
//!
//! A speed's unit stands in its column's name (`speed_kn`, `Speed [km/h]`) or is told with `--speed-unit`; a
//! time without a zone is UTC where its column's name says so (`time_utc`), else told with `--utc-offset`.
//! Numbers since 1970 are times only in columns called so (`epoch_s`, `unix_ms`). Tables whose publisher says
//! how they are written are known by their names: NOAA's MarineCadastre and the Danish Maritime Authority's
//! write UTC and knots.

use chrono::{Offset, Utc};

use super::record::{Clock, Record};
use crate::observation::VesselId;
use crate::replay::recording::ReadOptions;
use crate::units::{LengthUnit, SpeedUnit};

const TIME: &[&str] = &["t", "time", "timestamp", "datetime", "date_time", "utc", "base_date_time", "basedatetime"];
const LAT: &[&str] = &["lat", "latitude"];
const LON: &[&str] = &["lon", "lng", "long", "longitude"];
// Not "id": in most tables it numbers the lines, and every line would be a vessel of its own.
const VESSEL: &[&str] = &[
    "vessel",
    "vessel_id",
    "vesselid",
    "boat",
    "boat_id",
    "boatid",
    "mmsi",
    "device_id",
    "deviceid",
    "tracker_id",
    "trackerid",
    "ship_id",
    "shipid",
    "vessel_name",
    "vesselname",
    "boat_name",
    "boatname",
    "ship_name",
    "shipname",
    "tracker",
    "device",
    "ship",
    "name",
];
const SPEED: &[&str] = &["sog", "speed", "speed_over_ground", "gps_speed", "velocity", "vel", "spd"];
/// Units of speed as they stand behind a column's name, where a name has no `/`; some are then asked about.
const SPLIT_UNITS: &[&str] = &["km_h", "m_s", "mi_h", "ft_s", "km/h", "m/s", "mi/h", "ft/s"];
const COURSE: &[&str] = &["cog", "course", "course_over_ground"];
const HEADING: &[&str] = &["heading", "hdg", "true_heading"];
const ACCURACY: &[&str] = &["accuracy", "hacc", "h_accuracy", "horizontal_accuracy"];
const STATUS: &[&str] = &["nav_status", "navigational_status", "navstatus", "status"];

/// The names of the columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Header {
    names: Vec<Name>,
}

/// A column's name without its unit, and the unit, both in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Name {
    written: String,
    base: String,
    unit: String,
}

impl Name {
    /// Reads `speed_kn`, `Speed (km/h)`, `time_utc`, `# Timestamp`: the last word is a unit where it is
    /// one that the column may have.
    fn new(written: &str) -> Self {
        let lower = written.trim_start_matches(['#', '\u{feff}']).trim().to_lowercase();
        let (name, bracketed) = match lower.split_once(['(', '[']) {
            Some((name, unit)) => (name.trim(), unit.trim_end_matches([')', ']', ' ']).trim()),
            None => (lower.as_str(), ""),
        };
        let name = name.replace([' ', '-', '.'], "_");
        let is_unit = |word: &str| {
            SpeedUnit::from_symbol(word).is_some() || ["deg", "m", "ft", "s", "ms", "utc", "local"].contains(&word)
        };
        let split = SPLIT_UNITS.iter().find_map(|unit| Some((name.strip_suffix(unit)?.strip_suffix('_')?, *unit)));
        if let Some((base, unit)) = split.filter(|(base, _)| bracketed.is_empty() && SPEED.contains(base)) {
            return Self { written: written.trim().to_owned(), base: base.to_owned(), unit: unit.replace('_', "/") };
        }
        let (base, unit) = match name.rsplit_once('_') {
            _ if !bracketed.is_empty() => (name.as_str(), bracketed),
            Some((base, unit)) if is_unit(unit) => (base, unit),
            _ => (name.as_str(), ""),
        };
        Self { written: written.trim().to_owned(), base: base.to_owned(), unit: unit.to_owned() }
    }

    /// How it writes times, where it is a column of times.
    fn clock(&self, options: &ReadOptions) -> Option<Clock> {
        let is_epoch =
            ["epoch", "unix", "unix_time", "time_epoch", "time_unix", "timestamp_epoch"].contains(&&*self.base);
        match (is_epoch, self.unit.as_str()) {
            (true, "s") => Some(Clock::Epoch { per_s: 1 }),
            (true, "ms") => Some(Clock::Epoch { per_s: 1000 }),
            _ if self.base == "utc" => Some(Clock::Stamps(Some(Utc.fix()))),
            (false, "utc" | "z") if TIME.contains(&&*self.base) => Some(Clock::Stamps(Some(Utc.fix()))),
            (_, "" | "local") if is_epoch || TIME.contains(&&*self.base) => Some(Clock::Stamps(options.utc_offset)),
            _ => None,
        }
    }
}

/// Who published a table, where its names show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Publisher {
    /// NOAA's MarineCadastre (both headers): AIS, times in UTC without saying so, knots.
    MarineCadastre,
    /// The Danish Maritime Authority: AIS, times in UTC with the day first, knots, words instead of codes.
    DanishMaritimeAuthority,
}

/// Which column holds what.
#[derive(Debug, Clone)]
pub(super) struct Columns {
    /// How times are written.
    pub clock: Clock,
    /// The unit of speeds.
    pub speed_unit: SpeedUnit,
    /// The unit of accuracies.
    pub accuracy_unit: LengthUnit,
    /// Who published it, where its names show that.
    pub publisher: Option<Publisher>,
    date: Option<usize>,
    time: Option<usize>,
    lat: Option<usize>,
    lon: Option<usize>,
    vessel: Option<usize>,
    speed: Option<usize>,
    course: Option<usize>,
    heading: Option<usize>,
    accuracy: Option<usize>,
    status: Option<usize>,
    /// The columns of what AIS says about a vessel itself.
    pub mobile: Option<usize>,
    pub mmsi: Option<usize>,
    pub name: Option<usize>,
    pub ship_type: Option<usize>,
    pub length: Option<usize>,
    pub width: Option<usize>,
}

impl Columns {
    /// The record whose cells are these, and what it calls its vessel.
    pub(super) fn record<'a>(&self, cells: &[&'a str]) -> (Record<'a>, Option<&'a str>) {
        let cell = |column: Option<usize>| column.and_then(|ix| cells.get(ix)).map(|text| text.trim_ascii());
        let record = Record {
            t: None,
            date: cell(self.date),
            time: cell(self.time),
            lat: cell(self.lat),
            lon: cell(self.lon),
            speed: cell(self.speed),
            course: cell(self.course),
            heading: cell(self.heading),
            accuracy: cell(self.accuracy),
            status: cell(self.status),
            towed_by: None,
        };
        (record, cell(self.vessel))
    }
}

impl Columns {
    /// Whether anything is read from this column.
    fn has(&self, ix: usize) -> bool {
        let fix = [self.date, self.time, self.lat, self.lon, self.vessel, self.speed, self.course, self.heading];
        let more =
            [self.accuracy, self.status, self.mobile, self.mmsi, self.name, self.ship_type, self.length, self.width];
        fix.into_iter().chain(more).any(|column| column == Some(ix))
    }

    /// The id of a vessel that a record calls `name`: a number in a column of MMSIs is one.
    pub(super) fn vessel_id(&self, name: &str) -> Option<VesselId> {
        let mmsi = self.mmsi.filter(|_| self.vessel == self.mmsi).and_then(|_| name.parse().ok());
        mmsi.filter(|mmsi| *mmsi <= 999_999_999).map(VesselId::from_mmsi).or_else(|| VesselId::from_foreign(name))
    }
}

impl Header {
    /// The header of columns with these names.
    pub(super) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { names: names.into_iter().map(Name::new).collect() }
    }

    /// The names of columns that nothing is read from: one of them may be a speed under a name that is not known.
    /// Of a published table it is known what the others are.
    pub(super) fn unused(&self, columns: &Columns) -> impl Iterator<Item = &str> {
        let is_own = columns.publisher.is_none();
        let unused = self.names.iter().enumerate().filter(move |(ix, _)| is_own && !columns.has(*ix));
        unused.map(|(_, name)| name.written.as_str()).filter(|name| !name.is_empty())
    }

    /// Whether there are columns of positions.
    pub(super) fn has_position(&self) -> bool {
        self.find(LAT).is_some() && self.find(LON).is_some()
    }

    /// The column with the first of these names that there is.
    fn find(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.names.iter().position(|column| column.base == *name))
    }

    fn has(&self, name: &str) -> bool {
        self.find(&[name]).is_some()
    }

    fn publisher(&self) -> Option<Publisher> {
        if self.has("mmsi") && (self.has("basedatetime") || self.has("base_date_time")) {
            Some(Publisher::MarineCadastre)
        } else if self.has("mmsi") && self.has("type_of_mobile") && self.has("timestamp") {
            Some(Publisher::DanishMaritimeAuthority)
        } else {
            None
        }
    }

    fn required(&self, what: &str, column: Option<usize>, known: &[&str]) -> Result<usize, String> {
        column.ok_or_else(|| {
            let there: Vec<_> = self.names.iter().map(|name| format!("`{}`", name.written.escape_debug())).collect();
            format!("no column for the {what}: there are {}; known are {}", there.join(", "), known.join(", "))
        })
    }

    /// Which column of a table holds what, or what is missing.
    ///
    /// # Errors
    /// Where there is no column for the time, the latitude or the longitude, or no unit for the speed.
    pub(super) fn of_table(&self, options: &ReadOptions) -> Result<Columns, String> {
        let mut columns = self.of_properties(options)?;
        if columns.accuracy.is_none() {
            let is_in_feet = |name: &Name| ACCURACY.contains(&&*name.base) && name.unit == "ft";
            columns.accuracy = self.names.iter().position(is_in_feet);
            columns.accuracy_unit = LengthUnit::Ft;
        }
        let known = [TIME, &["epoch_s", "epoch_ms"]].concat();
        self.required("time", columns.time, &known)?;
        self.required("latitude", columns.lat, LAT)?;
        self.required("longitude", columns.lon, LON)?;
        Ok(columns)
    }

    /// Which property of a feature that has its position elsewhere holds what.
    ///
    /// # Errors
    /// Where there is no unit for the speed.
    pub(super) fn of_properties(&self, options: &ReadOptions) -> Result<Columns, String> {
        let publisher = self.publisher();
        let clocks = || self.names.iter().enumerate().filter_map(|(ix, name)| Some((ix, name.clock(options)?)));
        // Of several columns with times, one that says its zone.
        let says_zone = |clock: &Clock| !matches!(clock, Clock::Stamps(offset) if *offset == options.utc_offset);
        let time = clocks().find(|(_, clock)| says_zone(clock)).or_else(|| clocks().next());
        let clock = match publisher {
            Some(Publisher::MarineCadastre) => Clock::Stamps(Some(Utc.fix())),
            Some(Publisher::DanishMaritimeAuthority) => Clock::DayFirst(Some(Utc.fix())),
            None => time.map_or(Clock::Stamps(options.utc_offset), |(_, clock)| clock),
        };
        let speed = self.speed();
        let speed_unit = match speed.map(|ix| &self.names[ix]) {
            None => SpeedUnit::Mps,
            Some(_) if publisher.is_some() => SpeedUnit::Kn,
            Some(name) => SpeedUnit::from_symbol(&name.unit).or(options.speed_unit).ok_or_else(|| {
                format!(
                    "no unit for the speed column `{}`: say it with --speed-unit, as in --speed-unit kn",
                    name.written.escape_debug()
                )
            })?,
        };
        let of_publisher = |names: &[&str]| publisher.and_then(|_| self.find(names));
        Ok(Columns {
            clock,
            speed_unit,
            accuracy_unit: LengthUnit::M,
            publisher,
            // A column of dates belongs to one of times of day; beside whole times it says nothing new.
            date: time.filter(|(ix, _)| self.names[*ix].base == "time").and_then(|_| self.find(&["date"])),
            time: time.map(|(ix, _)| ix),
            lat: self.find(LAT),
            lon: self.find(LON),
            vessel: self.find(VESSEL),
            speed,
            course: self.find(COURSE),
            heading: self.find(HEADING),
            accuracy: self.find(ACCURACY).filter(|ix| ["", "m"].contains(&&*self.names[*ix].unit)),
            status: self.find(STATUS),
            mobile: of_publisher(&["type_of_mobile"]),
            mmsi: self.find(&["mmsi"]),
            name: of_publisher(&["vesselname", "vessel_name", "name"]),
            ship_type: of_publisher(&["vesseltype", "vessel_type", "ship_type"]),
            length: of_publisher(&["length"]),
            width: of_publisher(&["width"]),
        })
    }

    /// The column of speeds; of several, one with a unit.
    fn speed(&self) -> Option<usize> {
        let is_speed = |ix: &usize| SPEED.contains(&&*self.names[*ix].base);
        let with_unit = |ix: &usize| SpeedUnit::from_symbol(&self.names[*ix].unit).is_some();
        let all = || (0..self.names.len()).filter(is_speed);
        all().find(with_unit).or_else(|| all().next())
    }
}
