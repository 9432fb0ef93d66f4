//! Whole logs of receivers and AIS stations: what is read of each is counted.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use buoyline::findings::Verdict;
use buoyline::observation::{Fix, NavStatus, Observation, Profile, Refusal, RefusalReason, VesselClass, VesselId};
use buoyline::replay::{Place, ReadOptions, Recording, Sink};
use buoyline::units::KNOT_MPS;
use buoyline::zones::{Map, MapOptions, ZoneFile};

use crate::support::{replay, spokane, tests_path};

#[derive(Default)]
struct Log {
    fixes: Vec<(VesselId, Fix)>,
    profiles: BTreeMap<VesselId, Profile>,
    refused: BTreeMap<RefusalReason, usize>,
    /// What gave no observation, refused or not, by its finer name.
    unused: BTreeMap<String, usize>,
}

impl Sink for Log {
    fn observation(&mut self, _: Place, observation: &Observation) -> ControlFlow<()> {
        match observation {
            Observation::Fix(vessel, fix) => self.fixes.push((vessel.clone(), fix.clone())),
            Observation::Profile(vessel, profile) => drop(self.profiles.insert(vessel.clone(), (**profile).clone())),
            other => panic!("{other:?}"),
        }
        ControlFlow::Continue(())
    }

    fn refused(&mut self, _: Place, refusal: Refusal) {
        *self.refused.entry(refusal.reason).or_default() += 1;
    }

    fn unused(&mut self, _: Place, what: &dyn std::fmt::Display, _: bool) {
        *self.unused.entry(what.to_string()).or_default() += 1;
    }
}

impl Log {
    fn read(name: &str) -> Self {
        let mut log = Self::default();
        let options = ReadOptions::default();
        let recording = Recording::open(&path(name), &options).expect("a log");
        assert_eq!(recording.format().name, "nmea");
        recording.read(&options, &mut log).expect("readable to its end");
        log
    }

    /// The fixes of the own boat, called as the file, and those of others.
    fn own_and_others(&self, name: &str) -> (Vec<&Fix>, Vec<&(VesselId, Fix)>) {
        let own = self.fixes.iter().filter(|(vessel, _)| vessel.as_str() == name).map(|(_, fix)| fix).collect();
        (own, self.fixes.iter().filter(|(vessel, _)| vessel.as_str() != name).collect())
    }

    fn vessels(&self) -> usize {
        self.fixes.iter().map(|(vessel, _)| vessel).collect::<BTreeSet<_>>().len()
    }

    fn check(&self, refused: &[(RefusalReason, usize)], unused: &[(&str, usize)]) {
        assert_eq!(self.refused, refused.iter().copied().collect());
        assert_eq!(self.unused, unused.iter().map(|(what, count)| (what.to_string(), *count)).collect());
    }

    fn fastest_kn(&self) -> f64 {
        self.fixes.iter().filter_map(|(_, fix)| fix.sog_mps).fold(0.0, f64::max) / KNOT_MPS
    }

    fn without_speed(&self) -> usize {
        self.fixes.iter().filter(|(_, fix)| fix.sog_mps.is_none()).count()
    }
}

fn path(name: &str) -> PathBuf {
    tests_path(&format!("data/nmea/{name}.gz"))
}

fn period(fixes: &[&Fix]) -> (String, String) {
    let times = || fixes.iter().map(|fix| fix.t);
    (times().min().expect("fixes").to_string(), times().max().expect("fixes").to_string())
}

/// 1,201 RMC over 20 minutes; the last GGA has no RMC any more.
#[test]
fn the_moored_receiver_of_amsterdam() {
    let log = Log::read("moored-amsterdam-2014-04-03.nmea");
    let (own, others) = log.own_and_others("moored-amsterdam-2014-04-03");
    assert_eq!((own.len(), others.len(), log.without_speed()), (1201, 0, 0));
    assert_eq!(period(&own), ("2014-04-03T08:54:11.000Z".to_owned(), "2014-04-03T09:14:11.000Z".to_owned()));
    assert!(log.fastest_kn() < 3.4, "{} kn", log.fastest_kn());
    // HDOP 2.95 at first, 5 m each.
    assert_eq!(own[0].accuracy_m, Some(14.75));
    log.check(&[], &[("GSA", 1201), ("GSV", 943), ("position_beside_rmc", 1)]);
}

/// At rest beside a dock, with all the scatter of four satellites: nothing that could be called a breach.
#[test]
fn the_moored_receiver_breaks_nothing() {
    let zones = r#"{"type":"FeatureCollection","features":[
        {"type":"Feature","id":"harbour","properties":{"kind":"waterway"},"geometry":{"type":"Polygon","coordinates":
            [[[4.905,52.369],[4.915,52.369],[4.915,52.3755],[4.905,52.3755],[4.905,52.369]]]}},
        {"type":"Feature","id":"dock","properties":{"kind":"dock"},"geometry":{"type":"LineString","coordinates":
            [[4.9097,52.37195],[4.9097,52.3718]]}}]}"#;
    let file = ZoneFile { name: "harbour.geojson".to_owned(), bytes: zones.as_bytes().to_vec() };
    let (map, faults) = Map::from_files(&[file], &MapOptions::default());
    assert!(faults.is_empty(), "{faults:?}");
    let outcome = replay(&[path("moored-amsterdam-2014-04-03.nmea")], &Arc::new(map), &spokane());
    assert_eq!(outcome.fixes.accepted, 1201, "{:?}", outcome.fixes);
    let judged = outcome.accounts[0].1.rules["wake-zone"].judged_s;
    assert!(judged > 1190.0, "{judged} s");
    let breaches: Vec<_> = outcome.findings.iter().filter(|finding| finding.verdict == Verdict::Breach).collect();
    assert!(breaches.is_empty(), "{breaches:?}");
}

/// 146 RMC, one of them a second one of the same time. GGA and GLL tell positions of a second later.
#[test]
fn the_plotter_on_the_ijsselmeer() {
    let log = Log::read("ijsselmeer-chartplotter-2018-08-20.nmea");
    let (own, others) = log.own_and_others("ijsselmeer-chartplotter-2018-08-20");
    assert_eq!((own.len(), others.len(), log.without_speed()), (145, 0, 0));
    assert_eq!(period(&own), ("2018-08-20T09:47:37.000Z".to_owned(), "2018-08-20T09:50:03.000Z".to_owned()));
    assert!((log.fastest_kn() * KNOT_MPS - 3.5).abs() < 0.1, "{}", log.fastest_kn());
    log.check(
        &[(RefusalReason::Duplicate, 1)],
        &[
            ("AAM", 147),
            ("APB", 147),
            ("BOD", 149),
            ("DBT", 148),
            ("DPT", 149),
            ("GLC", 146),
            ("GSA", 144),
            ("GSV", 436),
            ("HDG", 1457),
            ("MTW", 149),
            ("MWD", 150),
            ("MWV", 300),
            ("RMB", 147),
            ("VHW", 150),
            ("VLW", 150),
            ("XDR", 148),
            ("XTE", 149),
            ("comment", 8),
            ("duplicate", 1),
            ("position_beside_rmc", 4),
        ],
    );
}

/// Own receiver (164 RMC, no course) beside 171 messages of 33 stations.
#[test]
fn the_lake_harbour_of_lemmer() {
    let log = Log::read("lemmer-own-gps-plus-ais-2020-04-07.nmea");
    let (own, others) = log.own_and_others("lemmer-own-gps-plus-ais-2020-04-07");
    assert_eq!((own.len(), others.len(), log.vessels()), (164, 141, 31));
    assert!(own.iter().all(|fix| fix.cog_deg.is_none() && fix.sog_mps.is_some()));
    assert_eq!(period(&own), ("2020-04-07T21:39:50.000Z".to_owned(), "2020-04-07T21:42:33.000Z".to_owned()));
    // AIS is heard up to four seconds after its second, by the own receiver's clock.
    let moored = others.iter().filter(|(_, fix)| fix.nav_status == Some(NavStatus::Moored)).count();
    assert!(moored > 10, "{moored}");
    let named = log.profiles.values().filter(|profile| profile.name.is_some()).count();
    assert_eq!((log.profiles.len(), named), (17, 17));
    log.check(
        &[(RefusalReason::NoPosition, 3)],
        &[("GSA", 165), ("GSV", 492), ("ais_type_8", 6), ("comment", 4), ("no_position", 3)],
    );
}

/// Own receiver at a berth (142 RMC) beside 1,459 messages of 171 stations, in sentences with a field too many.
#[test]
fn the_berth_at_harlingen() {
    let log = Log::read("harlingen-moored-own-boat-2014-04-16.nmea");
    let (own, others) = log.own_and_others("harlingen-moored-own-boat-2014-04-16");
    assert_eq!((own.len(), others.len(), log.vessels()), (142, 1282, 161));
    assert_eq!(period(&own), ("2014-04-16T19:57:19.000Z".to_owned(), "2014-04-16T19:59:40.000Z".to_owned()));
    let commercial = log.profiles.values().filter(|profile| profile.class == Some(VesselClass::Commercial)).count();
    assert_eq!((log.profiles.len(), commercial), (42, 34));
    log.check(
        &[(RefusalReason::NoPosition, 5), (RefusalReason::NoTime, 10)],
        &[
            ("AAM", 142),
            ("APB", 142),
            ("BOD", 142),
            ("BWC", 90),
            ("BWR", 90),
            ("DBT", 142),
            ("DPT", 142),
            ("GSA", 142),
            ("GSV", 426),
            ("HDG", 1375),
            ("MTW", 142),
            ("MWD", 141),
            ("MWV", 282),
            ("RMB", 142),
            ("VHW", 142),
            ("VLW", 142),
            ("XDR", 141),
            ("XTE", 142),
            ("ais_aid_to_navigation", 77),
            ("ais_coast_station", 25),
            ("no_position", 5),
            ("no_time", 10),
        ],
    );
}

/// 877 messages of 833 stations, each received at the time of its tag block.
#[test]
fn the_tag_blocks_of_norway() {
    let log = Log::read("norway-tagblock-2019-08-07.nm4");
    assert_eq!((log.fixes.len(), log.vessels(), log.profiles.len()), (742, 742, 129));
    // Four send 102.3 kn, which is no speed.
    assert_eq!(log.without_speed(), 4);
    assert!((log.fastest_kn() - 26.3).abs() < 1e-9, "{}", log.fastest_kn());
    let fixes: Vec<&Fix> = log.fixes.iter().map(|(_, fix)| fix).collect();
    // Received from 22:59:58 to 23:00:27; some positions are up to half a minute off.
    assert_eq!(period(&fixes), ("2019-08-07T22:59:50.000Z".to_owned(), "2019-08-07T23:00:44.000Z".to_owned()));
    log.check(
        &[(RefusalReason::NoPosition, 3), (RefusalReason::BadPosition, 2)],
        &[("ais_aid_to_navigation", 1), ("no_position", 5)],
    );
}

/// The first 1,630 lines of 8,551: each message after the `$PGHP` line that tells its time.
#[test]
fn the_base_stations_of_denmark() {
    let log = Log::read("denmark-pghp-stream-2010-beginning.nmea");
    assert_eq!((log.fixes.len(), log.vessels(), log.profiles.len()), (551, 523, 96));
    assert!((log.fastest_kn() - 38.6).abs() < 1e-9, "{}", log.fastest_kn());
    log.check(
        &[(RefusalReason::Unparsable, 1), (RefusalReason::NoPosition, 2), (RefusalReason::BadPosition, 1)],
        &[
            ("ais_aid_to_navigation", 16),
            ("ais_aircraft", 1),
            ("ais_base_station", 25),
            ("ais_type_15", 16),
            ("ais_type_16", 4),
            ("ais_type_17", 1),
            ("ais_type_20", 44),
            ("ais_type_6", 3),
            ("ais_type_7", 2),
            ("ais_type_8", 10),
            ("no_identity", 1),
            ("no_position", 3),
        ],
    );
}

/// 235 messages, and 8 more of two sentences in a line with `\r\n` written out between; no times at all.
#[test]
fn what_has_no_time_is_refused() {
    let log = Log::read("california-mixed-talkers.nmea");
    assert_eq!((log.fixes.len(), log.profiles.len()), (0, 18));
    log.check(
        &[(RefusalReason::NoTime, 189)],
        &[
            ("ais_aid_to_navigation", 13),
            ("ais_aircraft", 9),
            ("ais_base_station", 9),
            ("ais_type_8", 1),
            ("no_time", 189),
        ],
    );
}

/// 1,326 messages of 1,161 stations without times, one of them with 36 bits too many.
#[test]
fn the_mixture_of_the_world() {
    let log = Log::read("world-mixture-2018-09-04.nmea");
    assert_eq!((log.fixes.len(), log.profiles.len()), (0, 165));
    log.check(
        &[(RefusalReason::NoTime, 807), (RefusalReason::Unparsable, 1)],
        &[
            ("ais_aid_to_navigation", 143),
            ("ais_base_station", 30),
            ("ais_coast_station", 1),
            ("ais_type_17", 4),
            ("ais_type_20", 12),
            ("ais_type_23", 2),
            ("ais_type_6", 62),
            ("ais_type_7", 2),
            ("ais_type_8", 70),
            ("comment", 7),
            ("no_time", 807),
            ("unreadable", 1),
        ],
    );
}
