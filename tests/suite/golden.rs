//! Real tracks on real shores: what comes out of them is counted and pinned.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use buoyline::encounter::{Path as Course, Terms, common_s, encounters};
use buoyline::findings::Finding;
use buoyline::geo::Position;
use buoyline::observation::{Fix, Observation, Refusal, VesselId};
use buoyline::replay::driver::{self, Job, Outcome};
use buoyline::replay::{Place, ReadOptions, Recording, Sink};
use buoyline::time::EventTime;
use buoyline::units::{FOOT_M, MPH_MPS};
use buoyline::zones::{KindSet, Map, MapOptions, ZoneFile, ZoneKind};
use chrono::FixedOffset;

use crate::geometry::scan_differs;
use crate::support::{map_of, spokane, tests_path};

/// US Central standard time.
fn central() -> ReadOptions {
    ReadOptions { utc_offset: FixedOffset::west_opt(6 * 3600), ..ReadOptions::default() }
}

fn replay(track: &Path, map: &Arc<Map>, read: ReadOptions) -> Outcome {
    let job = Job { tracks: vec![track.to_owned()], read, accounts: true, ..Job::default() };
    let outcome = driver::judge(&job, map, &spokane(), &mut |_| {});
    assert!(outcome.unread.is_empty(), "{:?}", outcome.unread);
    outcome
}

#[derive(Default)]
struct Gathered {
    observations: Vec<Observation>,
    refused: usize,
}

impl Sink for Gathered {
    fn observation(&mut self, _: Place, observation: &Observation) -> ControlFlow<()> {
        self.observations.push(observation.clone());
        ControlFlow::Continue(())
    }

    fn refused(&mut self, _: Place, _: Refusal) {
        self.refused += 1;
    }
}

fn observations(track: &Path, read: &ReadOptions) -> Gathered {
    let mut gathered = Gathered::default();
    Recording::open(track, read).expect("a recording").read(read, &mut gathered).expect("readable to its end");
    gathered
}

fn fixes(observations: &[Observation]) -> Vec<&Fix> {
    let mut fixes = Vec::new();
    for observation in observations {
        if let Observation::Fix(_, fix) = observation {
            fixes.push(fix);
        }
    }
    fixes
}

/// Findings as lines, rounded to what another machine gives as well.
pub fn lines(outcome: &Outcome) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    let line = |f: &Finding| {
        let features: Vec<&str> = f.features.iter().map(|id| &**id).collect();
        let who = match (&f.other, outcome.vessels.len()) {
            (Some(other), _) => format!("{} and {other}: ", f.vessel),
            (None, 2..) => format!("{}: ", f.vessel),
            (None, _) => String::new(),
        };
        format!(
            "{who}{} {} {} to {} at most {} m/s, {} m at {} of {}; {:?}\n",
            f.rule,
            f.clause,
            f.start,
            f.end.expect("closed"),
            number(f.peak.speed_mps),
            number(f.peak.distance_m),
            f.peak.t,
            features.join(" "),
            f.verdict,
        )
    };
    let counts = format!("{} accepted, refused {:?}\n", outcome.fixes.accepted, outcome.fixes.refused);
    outcome.findings.iter().map(line).chain([counts]).collect()
}

/// Compares with what is pinned, or pins it where BUOYLINE_BLESS is set.
pub fn check(name: &str, found: &str) {
    let path = tests_path("golden").join(name);
    if std::env::var_os("BUOYLINE_BLESS").is_some() {
        std::fs::write(&path, found).expect("a file can be written");
    }
    let pinned = std::fs::read_to_string(&path).unwrap_or_default();
    let unlike = pinned.lines().zip(found.lines()).find(|(a, b)| a != b);
    assert!(
        pinned == found,
        "{name}: first difference {unlike:?}, {} lines, not {}",
        found.lines().count(),
        pinned.lines().count()
    );
}

#[test]
fn lake_texana_fast_run() {
    let map = map_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("zones/lake-texana.geojson"));
    let track = tests_path("golden/texana/lake-texana-fast-run-2010-01-27.csv");
    let outcome = replay(&track, &map, central());
    assert_eq!(outcome.fixes.accepted + outcome.fixes.refused.values().sum::<u64>(), 3_225);
    check("texana/findings.txt", &lines(&outcome));
    // A track of 3,225 legs beside a shore of 7,008 edges: as a scan of all of them finds it.
    let differs = scan_differs(&map.waterways[0], &observations(&track, &central()).observations, &outcome.findings);
    assert!(differs.is_empty(), "{}", differs.join("\n"));
}

/// A rowing boat whose receiver jumps once by what would be 124 mph never did 50 mph.
#[test]
fn the_jump_on_mission_bay_is_no_speed() {
    let ring = [[-117.26, 32.76], [-117.21, 32.76], [-117.21, 32.79], [-117.26, 32.79], [-117.26, 32.76]];
    let map = serde_json::json!({"type": "FeatureCollection", "features": [{
        "type": "Feature", "id": "mission-bay", "properties": {"kind": "waterway"},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }]});
    let file = ZoneFile { name: "mission-bay.geojson".to_owned(), bytes: map.to_string().into_bytes() };
    let map = Arc::new(Map::from_files(&[file], &MapOptions::default()).0);
    let track = tests_path("golden/mission-bay/mission-bay-rowing-jump-2018-01-02.tcx.gz");
    let fixes_mps = {
        let observations = observations(&track, &ReadOptions::default()).observations;
        let fixes = fixes(&observations);
        let speed = |w: &[&Fix]| buoyline::geo::distance_m(w[0].position, w[1].position) / w[1].t.seconds_since(w[0].t);
        fixes.windows(2).map(speed).fold(0.0, f64::max)
    };
    assert!(fixes_mps > 50.0 * MPH_MPS, "{fixes_mps} m/s is no jump");
    let outcome = replay(&track, &map, ReadOptions::default());
    assert!(!outcome.findings.iter().any(|finding| finding.rule == "speed-cap"), "{}", lines(&outcome));
    assert!(outcome.fixes.accepted > 3_400, "{:?}", outcome.fixes);
}

/// Two dinghies in one race: how near they came, as their fixes tell and as their ways between them do.
#[test]
fn a_pair_that_races_together() {
    let folder = tests_path("golden/sailing-pair");
    let tracks: Vec<Vec<(EventTime, Position)>> = ["a", "b"]
        .map(|boat| {
            let track = folder.join(format!("race1-boat-{boat}.gpx.gz"));
            let gathered = observations(&track, &ReadOptions::default());
            fixes(&gathered.observations).iter().map(|fix| (fix.t, fix.position)).collect()
        })
        .to_vec();
    let ids = ["a", "b"].map(|id| VesselId::new(id).expect("an id"));
    let paths: Vec<Course<'_>> =
        ids.iter().zip(&tracks).map(|(vessel, fixes)| Course { vessel, towers: &[], fixes, breaks: &[] }).collect();
    let is_common = |fix: &&(EventTime, Position)| tracks[1].iter().any(|other| other.0 == fix.0);
    assert_eq!(tracks[0].iter().filter(is_common).count(), 1_913);
    let common_s = common_s(&paths[0], &paths[1], 15.0);
    // Five times the one recorder skipped a second.
    assert!((common_s - 1_917.0).abs() < 1e-6, "{common_s} s");

    let met = encounters(&paths, &Terms::usual(15.0));
    let least_m = met.iter().flat_map(|met| &met.looks).map(|look| look.range_m).fold(f64::INFINITY, f64::min);
    assert!((least_m - 0.85).abs() < 0.01, "{least_m} m at a fix");
    let close_s: f64 = met.iter().map(|met| met.close_s).sum();
    assert!((close_s - 224.0).abs() < 3.0, "{close_s} s closer than 50 ft");
    let closest_m = met.iter().map(|met| met.closest.distance_m).fold(f64::INFINITY, f64::min);
    assert!(closest_m <= least_m && closest_m > 0.3, "{closest_m} m between fixes");
    // What lies ahead is never further off than now, nor in the past.
    for look in met.iter().flat_map(|met| &met.looks) {
        assert!(look.ahead.is_none_or(|ahead| ahead.cpa_m <= look.range_m && ahead.tcpa_s > 0.0), "{look:?}");
    }
}

/// The shipped track on the shipped map.
#[test]
fn rowing_on_the_charles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let map = map_of(&root.join("zones/charles.geojson"));
    let track: PathBuf = root.join("replay/charles-rowing-2015-10-17.tcx.gz");
    let waterway = &map.waterways[0];
    // Its times have no zone and are UTC.
    let read = ReadOptions { utc_offset: FixedOffset::east_opt(0), ..ReadOptions::default() };
    let gathered = observations(&track, &read);
    let fixes = fixes(&gathered.observations);
    assert_eq!(fixes.len() + gathered.refused, 5_177);

    // The last 58 fixes are of somebody who walks home.
    let ashore = fixes[fixes.len() - 58].t;
    assert!(fixes.iter().all(|fix| waterway.contains(fix.position) == (fix.t < ashore)));
    let within = |kind| {
        let kinds = KindSet::only(kind);
        let is_near = |fix: &&&Fix| waterway.nearest(fix.position, kinds, 50.0 * FOOT_M).is_some();
        fixes.iter().filter(|fix| fix.t < ashore).filter(is_near).count()
    };
    let (near_shore, near_dock) = (within(ZoneKind::Shoreline), within(ZoneKind::Dock));
    assert!(near_shore.abs_diff(675) <= 2, "{near_shore} within 50 ft of the shore");
    assert!(near_dock.abs_diff(13) <= 2, "{near_dock} within 50 ft of a dock");

    let outcome = replay(&track, &map, read);
    assert_eq!(outcome.fixes.accepted + outcome.fixes.refused.values().sum::<u64>(), 5_177);
    check("charles-findings.txt", &lines(&outcome));
    let after: Vec<_> = outcome.findings.iter().filter(|f| f.end.is_some_and(|end| end > ashore)).collect();
    assert!(after.is_empty(), "{after:?}");
    let differs = scan_differs(waterway, &gathered.observations, &outcome.findings);
    assert!(differs.is_empty(), "{}", differs.join("\n"));
}
