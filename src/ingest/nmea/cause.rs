//! Why a line gives no observation, and what a log has to be asked for.

use chrono::NaiveDate;

/// What a line, a sentence or a message that gives no observation was. Those that are refused are here as well, finer
/// than by [`crate::observation::RefusalReason`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A sentence that says nothing about where a boat is and how it moves, by its formatter.
    Sentence([u8; 3]),
    /// A proprietary sentence, or one without a formatter.
    Proprietary,
    /// A line that begins with `#`.
    Comment,
    /// A position, course or heading before any time of day.
    WithoutTime,
    /// A position between those with RMC.
    BesideRmc,
    /// An AIS message that is not read, by its type.
    AisType(u8),
    /// A report of a base station.
    BaseStation,
    /// What a coast station says beside that.
    CoastStation,
    /// An aid to navigation.
    AidToNavigation,
    /// A rescue aircraft.
    Aircraft,
    /// A distress beacon: somebody looks for help, not for a speed limit.
    DistressBeacon,
    /// What the own boat's transponder says beside its satellite receiver.
    OwnTransponder,
    /// A part of a message that repeats one.
    RepeatedPart,
    /// No sentence in the line.
    NoSentence,
    /// A sentence without a checksum, or a damaged tag block.
    Damaged,
    /// Another checksum.
    BadChecksum,
    /// A field, or a message's bits, without a meaning.
    Unreadable,
    /// A message of nobody: MMSI 0, or of more than nine digits.
    NoIdentity,
    /// A message whose other parts never came.
    Incomplete,
    /// A report of which nothing says when it was received.
    NoTime,
    /// An epoch or a report without a position that was measured.
    NoPosition,
    /// A second fix of the same time.
    Duplicate,
}

/// The sentences of NMEA 0183 that receivers, plotters and instruments send, and the names they are counted under.
const SENTENCES: &[(&[u8; 3], &str)] = &[
    (b"AAM", "nmea_aam"),
    (b"ABK", "nmea_abk"),
    (b"ACA", "nmea_aca"),
    (b"ALM", "nmea_alm"),
    (b"ALR", "nmea_alr"),
    (b"APA", "nmea_apa"),
    (b"APB", "nmea_apb"),
    (b"BEC", "nmea_bec"),
    (b"BOD", "nmea_bod"),
    (b"BWC", "nmea_bwc"),
    (b"BWR", "nmea_bwr"),
    (b"BWW", "nmea_bww"),
    (b"DBK", "nmea_dbk"),
    (b"DBS", "nmea_dbs"),
    (b"DBT", "nmea_dbt"),
    (b"DPT", "nmea_dpt"),
    (b"DSC", "nmea_dsc"),
    (b"DSE", "nmea_dse"),
    (b"DTM", "nmea_dtm"),
    (b"GBS", "nmea_gbs"),
    (b"GGK", "nmea_ggk"),
    (b"GLC", "nmea_glc"),
    (b"GNS", "nmea_gns"),
    (b"GRS", "nmea_grs"),
    (b"GSA", "nmea_gsa"),
    (b"GSV", "nmea_gsv"),
    (b"HDG", "nmea_hdg"),
    (b"HDM", "nmea_hdm"),
    (b"HSC", "nmea_hsc"),
    (b"LCD", "nmea_lcd"),
    (b"MDA", "nmea_mda"),
    (b"MSK", "nmea_msk"),
    (b"MSS", "nmea_mss"),
    (b"MTA", "nmea_mta"),
    (b"MTW", "nmea_mtw"),
    (b"MWD", "nmea_mwd"),
    (b"MWV", "nmea_mwv"),
    (b"OSD", "nmea_osd"),
    (b"RMA", "nmea_rma"),
    (b"RMB", "nmea_rmb"),
    (b"ROT", "nmea_rot"),
    (b"RPM", "nmea_rpm"),
    (b"RSA", "nmea_rsa"),
    (b"RSD", "nmea_rsd"),
    (b"RTE", "nmea_rte"),
    (b"SFI", "nmea_sfi"),
    (b"STN", "nmea_stn"),
    (b"TLL", "nmea_tll"),
    (b"TTD", "nmea_ttd"),
    (b"TTM", "nmea_ttm"),
    (b"TXT", "nmea_txt"),
    (b"VBW", "nmea_vbw"),
    (b"VDR", "nmea_vdr"),
    (b"VHW", "nmea_vhw"),
    (b"VLW", "nmea_vlw"),
    (b"VPW", "nmea_vpw"),
    (b"VWR", "nmea_vwr"),
    (b"VWT", "nmea_vwt"),
    (b"WCV", "nmea_wcv"),
    (b"WPL", "nmea_wpl"),
    (b"XDR", "nmea_xdr"),
    (b"XTE", "nmea_xte"),
    (b"XTR", "nmea_xtr"),
    (b"ZFO", "nmea_zfo"),
    (b"ZTG", "nmea_ztg"),
];

/// The names that AIS messages are counted under which are not read, by type.
const AIS_TYPES: [&str; 28] = [
    "ais_type_unknown",
    "ais_type_1",
    "ais_type_2",
    "ais_type_3",
    "ais_type_4",
    "ais_type_5",
    "ais_type_6",
    "ais_type_7",
    "ais_type_8",
    "ais_type_9",
    "ais_type_10",
    "ais_type_11",
    "ais_type_12",
    "ais_type_13",
    "ais_type_14",
    "ais_type_15",
    "ais_type_16",
    "ais_type_17",
    "ais_type_18",
    "ais_type_19",
    "ais_type_20",
    "ais_type_21",
    "ais_type_22",
    "ais_type_23",
    "ais_type_24",
    "ais_type_25",
    "ais_type_26",
    "ais_type_27",
];

impl Cause {
    /// The name under which it is counted.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sentence(formatter) => {
                let known = SENTENCES.iter().find(|(known, _)| **known == formatter);
                known.map_or("nmea_other", |(_, name)| name)
            }
            Self::AisType(kind) => AIS_TYPES.get(usize::from(kind)).unwrap_or(&AIS_TYPES[0]),
            Self::Proprietary => "nmea_proprietary",
            Self::Comment => "comment",
            Self::WithoutTime => "before_any_time",
            Self::BesideRmc => "position_beside_rmc",
            Self::BaseStation => "ais_base_station",
            Self::CoastStation => "ais_coast_station",
            Self::AidToNavigation => "ais_aid_to_navigation",
            Self::Aircraft => "ais_aircraft",
            Self::DistressBeacon => "ais_distress_beacon",
            Self::OwnTransponder => "own_ais_beside_gps",
            Self::RepeatedPart => "repeated_part",
            Self::NoSentence => "no_sentence",
            Self::Damaged => "damaged",
            Self::BadChecksum => "bad_checksum",
            Self::Unreadable => "unreadable",
            Self::NoIdentity => "no_identity",
            Self::Incomplete => "incomplete_message",
            Self::NoTime => "no_time_received",
            Self::NoPosition => "no_fix",
            Self::Duplicate => "second_of_a_time",
        }
    }
}

/// What a log leaves out and must not be guessed. The text says with which option to say it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Need {
    /// It has times of day and no date.
    #[error(
        "times of day have no date, and no RMC or ZDA says it: say the day of the first one (in UTC) with --date, as in --date 2026-07-04"
    )]
    Date,
    /// Its dates are older than any log is likely to be.
    #[error(
        "the date {0} is of before August 1999, when GPS weeks first came round: such receivers are 1024 weeks behind, \
         or more; say the day of the first time of day (in UTC) with --date, as in --date 2026-07-04"
    )]
    DateOfOldWeeks(NaiveDate),
    /// Times in front of sentences have no date.
    #[error(
        "the times in front of lines, such as {0}, have no date: say that of the first line with --date, as in --date 2026-07-04"
    )]
    LeadDate(String),
    /// Times in front of sentences have no zone.
    #[error(
        "the times in front of lines, such as {0}, have no zone: say it with --utc-offset; many loggers write UTC \
         (--utc-offset=+00:00), others the clock on shore (as in --utc-offset=-07:00)"
    )]
    UtcOffset(String),
    /// Whose the own boat's fixes are.
    #[error("nothing says whose track it is: say it with --track-vessel, as in --track-vessel boat-1")]
    Vessel,
}
