//! The program as people and other programs meet it: arguments, streams, exit status, shipped data.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use buoyline::observation::{Observation, Refusal};
use buoyline::replay::{Place, ReadOptions, Recording, Sink};
use buoyline::time::EventTime;
use buoyline::zones::{KindSet, Map, MapOptions, ZoneFile, ZoneKind};
use chrono::FixedOffset;
use serde_json::Value;

const ROW: &str = "replay/charles-rowing-2015-10-17.tcx.gz";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_buoyline"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    program(root(), arguments).output().expect("the program starts")
}

fn run_with_input(arguments: &[&str], input: &str) -> Output {
    let mut child = program(root(), arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

#[track_caller]
fn assert_status(output: &Output, status: i32) {
    assert_eq!(output.status.code(), Some(status), "{}", err(output));
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a writable folder");
    folder
}

/// How far a position is from a short line near 42.36° north, longitude first, metres.
fn metres_from_line(p: [f64; 2], a: [f64; 2], b: [f64; 2]) -> f64 {
    let flat = |q: [f64; 2]| [(q[0] - p[0]) * 82_380.0, (q[1] - p[1]) * 111_070.0];
    let (a, b) = (flat(a), flat(b));
    let along = [b[0] - a[0], b[1] - a[1]];
    let length2 = along[0] * along[0] + along[1] * along[1];
    let share = if length2 > 0.0 { (-(a[0] * along[0] + a[1] * along[1]) / length2).clamp(0.0, 1.0) } else { 0.0 };
    (a[0] + share * along[0]).hypot(a[1] + share * along[1])
}

#[test]
fn the_shipped_row_is_judged_as_the_readme_shows() {
    let text = run(&["replay", ROW, "--utc-offset=+00:00", "--time-zone=America/New_York"]);
    assert_status(&text, 0);
    assert!(err(&text).starts_with("5177 fixes read: 5148 judged, 29 not\n"), "{}", err(&text));
    let found = out(&text);
    assert!(
        found.contains("From 2015-10-17 08:45:55 EDT to 2015-10-17 10:29:16 EDT, on the clocks of America/New_York."),
        "{found}"
    );
    assert!(
        found.contains("ran up to 10.2 mph, then 28 ft from the shoreline; the limit is 5 mph within 50 ft"),
        "{found}"
    );
    assert!(!found.contains("not in force"), "the edition was in force in 2015: {found}");

    // What the README prints is what is printed, but for line breaks and what it leaves out.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (readme, printed) = (include_str!("../../README.md"), words(&format!("{found}{}", err(&text))));
    let shown = readme.split("```text").nth(1).and_then(|rest| rest.split("```").next()).expect("it shows output");
    for part in shown.split('…').map(words) {
        assert!(printed.contains(&part), "the README shows {part:?}, printed is now\n{found}{}", err(&text));
    }
}

#[test]
fn every_format_holds_the_same_findings() {
    let folder = scratch("formats");
    let summary = folder.join("summary.json");
    let with = |format: &str| {
        let path = summary.to_str().expect("a path");
        let output = run(&["replay", ROW, "--utc-offset=Z", "--format", format, "--summary", path]);
        assert_status(&output, 0);
        out(&output).to_owned()
    };
    let lines: Vec<Value> = with("ndjson").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(!lines.is_empty());
    let ids: Vec<&Value> = lines.iter().map(|line| &line["id"]).collect();

    let geojson: Value = serde_json::from_str(&with("geojson")).expect("JSON");
    let features = geojson["features"].as_array().expect("features");
    assert_eq!(features.iter().map(|feature| &feature["properties"]["id"]).collect::<Vec<_>>(), ids);
    for (feature, line) in features.iter().zip(&lines) {
        let path = feature["geometry"]["coordinates"].as_array().expect("a path");
        assert!(path.len() >= 2, "{}: {} positions", line["id"], path.len());
        let peak = [&line["peak"]["lon"], &line["peak"]["lat"]].map(|deg| deg.as_f64().expect("degrees"));
        let position = |p: &Value| [0, 1].map(|i| p[i].as_f64().expect("degrees"));
        let off_path = |pair: &[Value]| metres_from_line(peak, position(&pair[0]), position(&pair[1]));
        let off_path_m = path.windows(2).map(off_path).fold(f64::INFINITY, f64::min);
        assert!(off_path_m < 0.01, "{}: the peak is {off_path_m} m off its path", line["id"]);
    }

    let rows = with("csv");
    assert_eq!(rows.lines().count(), lines.len() + 1);
    let summary: Value = serde_json::from_slice(&std::fs::read(&summary).expect("written")).expect("JSON");
    assert_eq!(summary["fixes"]["accepted"], 5148);
    assert_eq!(summary["fixes"]["refused"]["duplicate"], 6);
    assert_eq!(summary["fixes"]["refused"]["off_water"], 23);
    let wake = &summary["vessels"]["charles-rowing-2015-10-17"]["wake-zone"];
    let seconds = |value: &Value| value.as_f64().expect("seconds");
    assert!(seconds(&wake["breach_s"]) > 300.0 && seconds(&wake["breach_s"]) < seconds(&wake["judged_s"]), "{wake}");
    assert!(seconds(&wake["not_evaluable_s"]["gap_too_long"]) > 154.0, "{wake}");
}

#[test]
fn what_a_recording_leaves_out_is_asked_for() {
    let output = run(&["replay", ROW]);
    assert_status(&output, 1);
    assert!(err(&output).contains("--utc-offset"), "{}", err(&output));
}

#[test]
fn an_unreadable_recording_does_not_stop_the_others() {
    let output = run(&["replay", "no-such-file.gpx", ROW, "--utc-offset=Z", "--format=ndjson"]);
    assert_status(&output, 1);
    assert!(err(&output).contains("error: no-such-file.gpx: cannot be opened"), "{}", err(&output));
    assert!(out(&output).lines().count() > 10);
}

#[test]
fn arguments_that_cannot_be_used_are_status_two() {
    for arguments in [
        &["replay"][..],
        &["replay", "-", "-"],
        &["replay", "-", "--format=xml"],
        &["replay", "-", "--as=xml"],
        &["replay", "-", "--utc-offset=5"],
        &["replay", "-", "--speed-unit=furlong"],
        &["replay", "-", "--time-zone=Mars"],
        &["replay", "-", "--vessel=a b"],
        &["replay", "-", "--from=2026-07-04"],
        &["replay", "-", "--from=2026-07-04T01:00:00Z", "--to=2026-07-04T00:00:00Z"],
        &["watch"],
        &[],
    ] {
        let output = run(arguments);
        assert_status(&output, 2);
        assert!(out(&output).is_empty(), "{arguments:?}: {}", out(&output));
        assert!(!err(&output).is_empty(), "{arguments:?}");
    }
}

#[test]
fn bad_lines_of_standard_input_are_counted_and_named() {
    let fix = r#"{"type":"fix","vessel":"a","t":"2015-07-04T20:15:03Z","lat":42.356278,"lon":-71.115815}"#;
    let output = run_with_input(&["replay", "-", "--format=ndjson"], &format!("not json\n{fix}\n{{}}\n"));
    assert_status(&output, 0);
    assert!(out(&output).is_empty());
    for part in ["3 fixes read: 1 judged, 2 not", "cannot be read (unparsable)", "-:1: ", "-:3: "] {
        assert!(err(&output).contains(part), "no {part:?} in {}", err(&output));
    }
}

#[test]
fn one_vessel_may_be_asked_for() {
    let of = |vessel: &str| run(&["replay", ROW, "--utc-offset=Z", "--track-vessel=shell", "--vessel", vessel]);
    assert!(out(&of("shell")).contains("shell ran"));
    let nobody = of("boat-9");
    assert_status(&nobody, 2);
    assert!(out(&nobody).is_empty());
    let reason = "--vessel: no fix is of vessel boat-9; there are fixes of shell";
    assert!(err(&nobody).contains(reason), "{}", err(&nobody));
    let nobody = run(&["replay", ROW, "--utc-offset=Z", "--track-vessel=shell", "--class=boat-9=pwc"]);
    assert_status(&nobody, 2);
    assert!(err(&nobody).contains("--class: no fix is of vessel boat-9"), "{}", err(&nobody));
}

#[test]
fn the_program_alone_has_a_map_and_a_rulebook() {
    let folder = scratch("alone");
    let row = root().join(ROW);
    let row = row.to_str().expect("a path");
    let output = program(&folder, &["replay", row, "--utc-offset=Z"]).output().expect("the program starts");
    assert_status(&output, 0);
    assert!(err(&output).contains("built-in spokane.toml"), "{}", err(&output));
    assert!(err(&output).contains("built-in zones/charles.geojson"), "{}", err(&output));
    assert!(out(&output).contains("Judged by Spokane Municipal Code"));
    // What is named and missing is a fault, never something else silently.
    let named = program(&folder, &["replay", row, "--zones=zones"]).output().expect("the program starts");
    assert_status(&named, 1);
    let named = program(&folder, &["check", "--rules=config/rules/spokane.toml"]).output().expect("the program starts");
    assert_status(&named, 1);
}

#[test]
fn a_map_file_that_cannot_be_used_is_a_fault_and_a_bad_feature_is_none() {
    let folder = scratch("map-faults");
    let dock = r#"{"type":"Feature","id":"bad","properties":{"kind":"dock"},"geometry":{"type":"Point","coordinates":[0,99]}}"#;
    let basin = std::fs::read_to_string(root().join("zones/charles.geojson")).expect("it is shipped");
    let with_bad_dock = basin.replacen("\"features\": [", &format!("\"features\": [{dock},"), 1);
    std::fs::write(folder.join("basin.geojson"), with_bad_dock).expect("a writable folder");
    std::fs::write(folder.join("torn.geojson"), &basin[..basin.len() / 2]).expect("a writable folder");
    let row = root().join(ROW);
    let judged_on = |zones: &[&str]| {
        let mut arguments = vec!["replay", row.to_str().expect("a path"), "--utc-offset=Z", "--format=ndjson"];
        zones.iter().for_each(|path| arguments.extend(["--zones", path]));
        program(&folder, &arguments).output().expect("the program starts")
    };
    let bad_feature = judged_on(&["basin.geojson"]);
    assert_status(&bad_feature, 0);
    assert!(err(&bad_feature).contains("error: basin.geojson:"), "{}", err(&bad_feature));
    for zones in [&["."][..], &["basin.geojson", "missing.geojson"]] {
        let bad_file = judged_on(zones);
        assert_status(&bad_file, 1);
        assert_eq!(out(&bad_file), out(&bad_feature), "the rest is judged");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let mut child = program(root(), &["replay", ROW, "--utc-offset=Z", "--format=ndjson"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_status(&output, 0);
    assert!(!err(&output).contains("panicked"), "{}", err(&output));
}

#[test]
fn findings_of_an_edition_that_is_history_say_so() {
    let track: String = (0..60)
        .map(|s| {
            let lat = 42.3562 + f64::from(s) * 1e-4;
            format!("{{\"type\":\"fix\",\"vessel\":\"a\",\"t\":\"2026-07-04T20:15:{s:02}Z\",\"lat\":{lat},\"lon\":-71.116,\"sog_kn\":21}}\n")
        })
        .collect();
    let output = run_with_input(&["replay", "-"], &track);
    assert_status(&output, 0);
    assert!(out(&output).contains("[this edition was not in force on that day]"), "{}", out(&output));
    assert!(err(&output).contains("by an edition that was not in force at the time"), "{}", err(&output));
}

#[test]
fn check_names_every_fault_and_what_is_derived() {
    let output = run(&["check"]);
    assert_status(&output, 0);
    assert!(out(&output).ends_with("0 errors, 0 warnings, 1 note in 2 map files and a rulebook\n"), "{}", out(&output));
    assert!(out(&output).contains("SMC 10.14.210(A) asks for a quick flashing white light"), "{}", out(&output));

    let folder = scratch("check");
    let lake = r#"{"type":"FeatureCollection","features":[
        {"type":"Feature","id":"lake","properties":{"kind":"waterway"},"geometry":{"type":"Polygon","coordinates":
            [[[-117.52,47.80],[-117.50,47.80],[-117.50,47.82],[-117.52,47.82],[-117.52,47.80]]]}},
        {"type":"Feature","id":"b1","properties":{"kind":"safety_buoy"},"geometry":{"type":"Point","coordinates":[-117.519,47.806]}},
        {"type":"Feature","id":"b2","properties":{"kind":"safety_buoy"},"geometry":{"type":"Point","coordinates":[-117.519,47.808]}},
        {"type":"Feature","id":"odd","properties":{"kind":"teapot"},"geometry":{"type":"Point","coordinates":[-117.51,47.81]}},
        {"type":"Feature","id":"bad","properties":{"kind":"dock"},"geometry":{"type":"Point","coordinates":[-117.51,147.81]}}]}"#;
    std::fs::write(folder.join("lake.geojson"), lake).expect("a writable folder");
    std::fs::write(folder.join("code.toml"), "name = 3\n").expect("a writable folder");
    let check = |arguments: &[&str]| {
        let arguments = [&["check", "--zones=lake.geojson"], arguments].concat();
        program(&folder, &arguments).output().expect("the program starts")
    };
    let text = check(&["--rules=code.toml"]);
    assert_status(&text, 1);
    let (rulebook, map) = (out(&text).find("error: code.toml:1:8"), out(&text).find("error: lake.geojson"));
    let warning = out(&text).find("warning: lake.geojson");
    assert!(rulebook.is_some() && rulebook < map && map < warning, "{}", out(&text));

    let json = check(&["--format=json"]);
    assert_status(&json, 1);
    let shown: Value = serde_json::from_str(out(&json)).expect("JSON");
    assert_eq!(shown["errors"], 1);
    assert_eq!(shown["faults"][0]["feature_id"], "bad", "{shown}");

    // A picture of the line, with the place marked.
    let text = check(&["--rules=code.toml"]);
    let pictures = [
        "    1 | name = 3\n      |        ^\n",
        "    7 | …\",\"properties\":{\"kind\":\"dock\"},\"geometry\":{\"type\":\"Point\",\"coordinates\":[-117.51,147.81]}}]}\n      |",
        "^^^^^^^^^^^^^^^^\n  write [longitude, latitude] in degrees of WGS 84\n  at features[4].geometry.coordinates\n",
    ];
    for picture in pictures {
        assert!(out(&text).contains(picture), "no {picture}in\n{}", out(&text));
    }

    let geojson = check(&["--format=geojson"]);
    assert_status(&geojson, 1);
    let places: Value = serde_json::from_str(out(&geojson)).expect("JSON");
    let places = places["features"].as_array().expect("features");
    let odd = places.iter().find(|place| place["properties"]["feature_id"] == "odd").expect("it is there");
    assert_eq!(odd["geometry"]["coordinates"], serde_json::json!([-117.51, 47.81]));
    assert_eq!(odd["properties"]["severity"], "warning");

    let derived = check(&["--explain=-"]);
    let derived: Value = serde_json::from_str(out(&derived)).expect("JSON");
    let roles: Vec<&str> = derived["features"]
        .as_array()
        .expect("features")
        .iter()
        .filter_map(|f| f["properties"]["role"].as_str())
        .collect();
    assert!(roles.contains(&"buoy_line") && roles.contains(&"inshore_area"), "{roles:?}");
}

#[test]
fn maps_of_other_tools_become_a_zone_file_that_is_judged_by() {
    let folder = scratch("import");
    let data = root().join("tests/data/import");
    let path = |name: &str| data.join(name).to_str().expect("a path").to_owned();
    let import = |files: &[&str], arguments: &[&str]| {
        let files: Vec<String> = files.iter().map(|name| path(name)).collect();
        let mut all = vec!["import"];
        all.extend(files.iter().map(String::as_str));
        all.extend(arguments);
        program(&folder, &all).output().expect("the program starts")
    };
    let lake =
        import(&["lake-texana-stateplane.shp"], &["-o", "texana.geojson", "--kind=waterway", "--id=lake-texana"]);
    assert_status(&lake, 0);
    assert!(err(&lake).contains("1 feature (1 Polygon), 7008 positions"), "{}", err(&lake));
    let checked = program(&folder, &["check", "--zones=texana.geojson"]).output().expect("the program starts");
    assert_status(&checked, 0);
    assert!(out(&checked).contains("map: lake-texana, 1 feature, 0 buoy lines"), "{}", out(&checked));

    let mirror =
        import(&["mirror-lake.kml", "buoys.gpx"], &["-o", "mirror.geojson", "--kind", "sym=Buoy, White:safety_buoy"]);
    assert_status(&mirror, 0);
    for part in [
        "mirror.geojson: 2 docks, 1 waterway, 2 safety_buoys, 1 float, 1 circulation\n",
        "left out, 1 feature: nothing says what kind it is\n",
        "mirror-lake.kml:13: folder=Shore, name=Viewpoint\n",
    ] {
        assert!(err(&mirror).contains(part), "no {part:?} in {}", err(&mirror));
    }
    assert!(folder.join("mirror.geojson").exists());

    // What check would set aside is left out with the reason, and without water nothing can be judged.
    let chart = import(&["keywest-enc-us5fl4dr.geojson"], &["-o", "-", "--kind=layer=BOYLAT:speed_zone"]);
    assert_status(&chart, 1);
    assert!(
        err(&chart).contains("left out, 2 features: the speed zone has no speed_limit; add \"speed_limit\""),
        "{}",
        err(&chart)
    );
    assert!(err(&chart).contains("import the water's outline together with it"), "{}", err(&chart));
    let written: Value = serde_json::from_str(out(&chart)).expect("JSON");
    assert_eq!(written["features"].as_array().expect("features").len(), 12);

    let many = import(&["sunapee-nhd.geojson"], &["-o", "sunapee.geojson"]);
    assert_status(&many, 1);
    assert!(err(&many).contains("error: 11 waters, but a zone file holds one"), "{}", err(&many));
    assert!(!folder.join("sunapee.geojson").exists());
    assert_status(&import(&["no-such.kml"], &["-o", "x.geojson"]), 1);
    assert_status(&import(&["buoys.gpx"], &["-o", "x.geojson", "--kind=teapot"]), 2);
    assert_status(&import(&["buoys.gpx"], &[]), 2);
}

/// Counts fixes by where they are.
struct Figures {
    map: Map,
    fixes: usize,
    ashore: Vec<usize>,
    near_shore: usize,
    near_dock: usize,
    first_ashore: Option<EventTime>,
}

impl Sink for Figures {
    fn observation(&mut self, _: Place, observation: &Observation) -> ControlFlow<()> {
        let Observation::Fix(_, fix) = observation else { return ControlFlow::Continue(()) };
        let basin = &self.map.waterways[0];
        let within = |kind: ZoneKind| basin.nearest(fix.position, KindSet::only(kind), 15.24).is_some();
        if basin.contains(fix.position) {
            self.near_shore += usize::from(within(ZoneKind::Shoreline));
            self.near_dock += usize::from(within(ZoneKind::Dock));
        } else {
            self.ashore.push(self.fixes);
            self.first_ashore.get_or_insert(fix.t);
        }
        self.fixes += 1;
        ControlFlow::Continue(())
    }

    fn refused(&mut self, _: Place, refusal: Refusal) {
        panic!("{refusal}");
    }
}

#[test]
fn the_shipped_row_lies_on_the_shipped_map() {
    let bytes = std::fs::read(root().join("zones/charles.geojson")).expect("it is shipped");
    let (map, faults) = Map::from_files(&[ZoneFile { name: "charles".to_owned(), bytes }], &MapOptions::default());
    assert!(faults.is_empty(), "{faults:?}");
    let options = ReadOptions { utc_offset: FixedOffset::east_opt(0), ..ReadOptions::default() };
    let recording = Recording::open(&root().join(ROW), &options).expect("it is shipped");
    let mut figures = Figures { map, fixes: 0, ashore: Vec::new(), near_shore: 0, near_dock: 0, first_ashore: None };
    recording.read(&options, &mut figures).expect("it is whole");
    assert_eq!(figures.fixes, 5177);
    assert_eq!(figures.ashore, (5119..5177).collect::<Vec<_>>(), "the crew carries the boat home");
    assert!(figures.near_shore.abs_diff(675) <= 2, "{} on the water within 50 ft of the shore", figures.near_shore);
    assert!(figures.near_dock.abs_diff(13) <= 2, "{} on the water within 50 ft of a dock", figures.near_dock);

    let output = run(&["replay", ROW, "--utc-offset=Z", "--format=ndjson"]);
    for line in out(&output).lines() {
        let finding: Value = serde_json::from_str(line).expect("JSON");
        let end = EventTime::parse_rfc3339(finding["end"].as_str().expect("a time")).expect("a time");
        assert!(Some(end) < figures.first_ashore, "nobody is over a limit ashore: {line}");
    }
}

#[test]
fn encounters_are_listed_instead_of_findings_where_asked() {
    let scene = "replay/lake-texana-skiers-made-up.ndjson.gz";
    let listed = |more: &[&str]| {
        let arguments = [&["replay", scene, "--zones=zones/lake-texana.geojson", "--encounters"][..], more].concat();
        let output = run(&arguments);
        assert_status(&output, 0);
        out(&output).to_owned()
    };
    let lines: Vec<Value> =
        listed(&["--format=ndjson"]).lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert!(lines.len() >= 4, "{lines:?}");
    for line in &lines {
        assert_eq!(line["type"], "encounter");
        let closest_m = line["closest_m"].as_f64().expect("a distance");
        let looks = line["over_time"].as_array().expect("looks");
        assert!(closest_m < 100.0 && looks.iter().all(|look| look["range_m"].as_f64() >= Some(closest_m - 0.001)));
        assert!(looks.iter().any(|look| look["cpa_m"].is_number() && look["tcpa_s"].is_number()), "{line}");
    }
    let of_one = listed(&["--format=ndjson", "--vessel=scooter"]);
    assert!(of_one.lines().count() == 1 && of_one.contains("\"ski-boat\""), "{of_one}");
    assert!(listed(&["--format=csv"]).starts_with("encounter,vessel,other,t,range_m,cpa_m,tcpa_s,"));
    assert!(listed(&["--format=geojson"]).contains("\"LineString\""));
    assert!(listed(&[]).contains("within 50 ft"));
}

#[test]
fn which_way_ski_traffic_goes_is_drawn() {
    let output = run(&["check", "--zones=zones/lake-texana.geojson", "--explain=-"]);
    assert_status(&output, 0);
    let drawn: Value = serde_json::from_str(out(&output)).expect("GeoJSON");
    let roles = |role: &str| {
        let features = drawn["features"].as_array().expect("features");
        features.iter().filter(|feature| feature["properties"]["role"] == role).count()
    };
    assert!(roles("direction") > 800 && roles("mid_water") == 1, "{} {}", roles("direction"), roles("mid_water"));
}

#[test]
fn an_import_of_nothing_says_what_would_help() {
    let folder = scratch("import-of-nothing");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("writable");
    let point = |at: &str| {
        format!(
            r#"{{"type":"Feature","properties":{{"kind":"dock","NAME":"Pier"}},"geometry":{{"type":"Point","coordinates":{at}}}}}"#
        )
    };
    write("pier.geojson", &point("[-117.5, 47.8]"));
    write("metres.geojson", &point("[470000, 5290000]"));
    write("track.gpx", r#"<gpx version="1.1"><trk><trkseg/></trk></gpx>"#);
    write("link.kml", "<kml><Document><NetworkLink><Link/></NetworkLink></Document></kml>");
    std::fs::write(folder.join("lake.shx"), [0, 0, 0x27, 0x0A]).expect("writable");
    let import = |arguments: &[&str]| {
        let all: Vec<&str> = ["import", "-o", "-"].into_iter().chain(arguments.iter().copied()).collect();
        program(&folder, &all).output().expect("the program starts")
    };
    for (arguments, said) in [
        (&["pier.geojson", "--where=NAME=Dock"][..], "NAME=Dock fits no feature: NAME is Pier"),
        (&["pier.geojson", "--where=NAME=Dock"], "ask for something that is there with --where"),
        (&["metres.geojson"], "what was asked for cannot be used, for the reasons above"),
        (&["track.gpx"], "what was asked for cannot be used, for the reasons above"),
        (&["link.kml"], "it draws nothing itself but links to other files (NetworkLink); open it"),
        (&["lake.shx"], "this is the index of a shapefile; name the .shp beside it"),
    ] {
        let output = import(arguments);
        assert_status(&output, 1);
        assert!(err(&output).contains(said), "{arguments:?}: {}", err(&output));
        assert!(!err(&output).contains("say what kind"), "{arguments:?}: {}", err(&output));
    }
    // An island drawn as a second polygon takes nothing from its lake.
    let lake = root().join("tests/data/zones/refused/island-within-a-multipolygon.geojson");
    let lake = import(&[lake.to_str().expect("a path in UTF-8")]);
    assert_status(&lake, 1);
    assert!(out(&lake).contains("MultiPolygon"), "{}", err(&lake));
    assert!(err(&lake).contains("it alone was set aside, the rest of the waterway is used"), "{}", err(&lake));
    for (argument, said) in [
        ("--where=nope=1", r#"warning: --where nope=1 fits no feature: nothing has "nope"; there are NAME, kind"#),
        ("--kind=folder=Nope:dock", r#"warning: --kind folder=Nope fits no feature: nothing has "folder""#),
    ] {
        let output = import(&["pier.geojson", argument]);
        assert!(err(&output).contains(said), "{argument}: {}", err(&output));
    }
}

/// Files are refused before they are read: these would fill the memory.
#[test]
fn files_too_large_to_be_meant_are_refused_unread() {
    let folder = scratch("too-large");
    for name in ["vast.geojson", "vast.toml"] {
        let file = std::fs::File::create(folder.join(name)).expect("writable");
        file.set_len(3 << 30).expect("a sparse file");
    }
    let run = |arguments: &[&str]| program(&folder, arguments).output().expect("the program starts");
    let map = run(&["check", "--zones", "vast.geojson"]);
    assert_status(&map, 1);
    assert!(out(&map).contains("vast.geojson: has more than 64 MiB; a zone file holds one water"), "{}", out(&map));
    let rules = run(&["check", "--rules", "vast.toml"]);
    assert_status(&rules, 1);
    assert!(out(&rules).contains("vast.toml: has more than 4 MiB; name a rulebook"), "{}", out(&rules));
    let layer = run(&["import", "vast.geojson", "-o", "-"]);
    assert_status(&layer, 1);
    assert!(err(&layer).contains("vast.geojson: has more than 256 MiB; export only the part"), "{}", err(&layer));
    let _ = std::fs::remove_dir_all(&folder);
}
