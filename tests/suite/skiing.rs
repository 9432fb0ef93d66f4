//! Skiers, their trackers and the boats around them: short acts on a wide lake, each with what is found.

use std::f64::consts::TAU;
use std::sync::Arc;

use buoyline::engine::Event;
use buoyline::findings::Finding;
use buoyline::time::EventTime;
use buoyline::zones::{Map, MapOptions, ZoneFile};
use serde_json::{Value, json};

use crate::support::judged::judge;
use crate::support::scenario::{observation, v};
use crate::support::site::Site;
use crate::support::spokane;

const FOOT_M: f64 = 0.3048;
const SITE: Site = Site::SPOKANE;

/// Messages of an act, each with its second, in the order of arrival.
#[derive(Clone)]
struct Act {
    lines: Vec<(f64, Value)>,
    features: Vec<Value>,
}

fn time(s: f64) -> String {
    EventTime::from_unix_ms(SITE.noon_unix_ms() + (s * 1000.0).round() as i64).to_string()
}

fn degrees(east_m: f64, north_m: f64) -> [f64; 2] {
    SITE.place(v(east_m, north_m)).to_geojson()
}

fn square(half_m: f64, east_m: f64, north_m: f64) -> Value {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)];
    json!([corners.map(|(x, y)| degrees(east_m + x * half_m, north_m + y * half_m))])
}

impl Act {
    fn new() -> Self {
        let mut act = Self { lines: Vec::new(), features: Vec::new() };
        act.draw("lake", json!({"kind": "waterway"}), "Polygon", square(2500.0, 0.0, 0.0));
        act
    }

    fn draw(&mut self, id: &str, properties: Value, shape: &str, coordinates: Value) {
        let geometry = json!({"type": shape, "coordinates": coordinates});
        self.features.push(json!({"type": "Feature", "id": id, "properties": properties, "geometry": geometry}));
    }

    /// A vessel on a path, metres by seconds, reporting at intervals.
    fn sail(&mut self, vessel: &str, every_s: f64, span_s: (f64, f64), at: impl Fn(f64) -> (f64, f64)) -> &mut Self {
        self.report(vessel, every_s, span_s, at, &json!({}))
    }

    fn report(
        &mut self,
        vessel: &str,
        every_s: f64,
        (from_s, to_s): (f64, f64),
        at: impl Fn(f64) -> (f64, f64),
        more: &Value,
    ) -> &mut Self {
        for i in 0..=((to_s - from_s) / every_s + 1e-9) as usize {
            let s = from_s + every_s * i as f64;
            let (east_m, north_m) = at(s);
            let [lon, lat] = degrees(east_m, north_m);
            let mut line = json!({"type": "fix", "vessel": vessel, "lat": lat, "lon": lon});
            more.as_object().expect("keys").iter().for_each(|(key, value)| line[key] = value.clone());
            self.lines.push((s, line));
        }
        self
    }

    fn says(&mut self, vessel: &str, s: f64, says: Value) -> &mut Self {
        let mut line = says;
        (line["type"], line["vessel"]) = (json!("activity"), json!(vessel));
        self.lines.push((s, line));
        self
    }

    fn mark(&mut self, s: f64, kind: &str, east_m: f64, north_m: f64) -> &mut Self {
        let [lon, lat] = degrees(east_m, north_m);
        self.lines.push((s, json!({"type": "mark", "id": kind, "kind": kind, "lat": lat, "lon": lon})));
        self
    }

    fn events(&self) -> (Vec<Finding>, Vec<Event>) {
        let file = json!({"type": "FeatureCollection", "features": self.features});
        let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: file.to_string().into_bytes() };
        let map = Arc::new(Map::from_files(&[file], &MapOptions::default()).0);
        let lines = self.lines.iter().map(|(s, line)| {
            let mut line = line.clone();
            line["t"] = json!(time(*s));
            observation(&line.to_string())
        });
        let judged = judge(&map, &spokane(), &lines.collect::<Vec<_>>());
        (judged.outcome(), judged.events)
    }

    /// What is found about skiing, a line each: rule, vessel, the other one, from second to second.
    fn found(&self) -> Vec<String> {
        let start = EventTime::from_unix_ms(SITE.noon_unix_ms());
        let s = |t: EventTime| format!("{:.1}", t.seconds_since(start));
        let label = |f: &Finding| {
            let other = f.other.as_ref().map_or_else(String::new, |other| format!(" {other}"));
            format!("{} {}{other} {} to {}", &f.rule[4..], f.vessel, s(f.start), s(f.end.expect("closed")))
        };
        let (findings, _) = self.events();
        findings.iter().filter(|f| f.rule.starts_with("ski-") && f.rule != "ski-direction").map(label).collect()
    }

    fn in_order(&mut self) -> &mut Self {
        self.lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        self
    }
}

fn up() -> Value {
    json!({"towing": {"state": "up"}})
}

/// Eastward at ten metres a second, `behind_m` behind a boat that is at the origin after 30 seconds.
fn east(behind_m: f64, north_m: f64) -> impl Fn(f64) -> (f64, f64) {
    move |s| (10.0 * (s - 30.0) - behind_m, north_m)
}

#[test]
fn who_follows_is_measured_from_the_skier_on_a_rope_of_any_length() {
    for (rope, rope_m) in [(json!(null), 23.0), (json!(12.0), 12.0), (json!(60.0), 60.0)] {
        for (feet, is_found) in [(299.0, true), (301.0, false)] {
            let mut act = Act::new();
            act.says("tower", -60.0, json!({"towing": {"state": "up", "rope_m": rope}}));
            act.sail("tower", 1.0, (0.0, 60.0), east(0.0, 0.0));
            act.sail("follower", 1.0, (0.0, 60.0), east(rope_m + feet * FOOT_M, 0.0));
            let expected: &[&str] = if is_found { &["following follower tower 0.0 to 60.0"] } else { &[] };
            assert_eq!(act.in_order().found(), expected, "{rope} {feet}");
        }
    }
}

#[test]
fn reports_of_any_interval_make_the_same_pair() {
    let passer = |s: f64| (150.0 - 8.0 * (s - 30.0), 20.0);
    let of = |tower_s: f64, passer_s: f64| {
        let mut act = Act::new();
        act.says("tower", -60.0, up());
        act.sail("tower", tower_s, (0.0, 60.0), east(0.0, 0.0)).sail("passer", passer_s, (0.0, 60.0), passer);
        act.in_order().found()
    };
    let at_1_hz = of(1.0, 1.0);
    assert_eq!(at_1_hz, ["clearance passer tower 38.3 to 40.9"]);
    for (tower_s, passer_s) in [(0.1, 1.0), (1.0, 0.1), (15.0, 0.1), (0.2, 15.0), (5.0, 4.0)] {
        assert_eq!(of(tower_s, passer_s), at_1_hz, "{tower_s} {passer_s}");
    }
    // Every thirty seconds nothing is inferred: only the instant counts, and only with a speed of its own.
    assert!(of(1.0, 30.0).is_empty());
    let mut act = Act::new();
    act.says("tower", -60.0, up()).sail("tower", 1.0, (0.0, 60.0), east(0.0, 0.0));
    act.report("follower", 30.0, (0.0, 60.0), east(80.0, 0.0), &json!({"sog_kn": 19.4, "cog_deg": 90.0}));
    let each = ["0.0 to 0.0", "30.0 to 30.0", "60.0 to 60.0"].map(|s| format!("following follower tower {s}"));
    assert_eq!(act.in_order().found(), each);
}

#[test]
fn over_a_long_gap_nothing_is_inferred() {
    let mut act = Act::new();
    act.says("tower", -60.0, up()).sail("tower", 1.0, (0.0, 10.0), east(0.0, 0.0));
    act.sail("tower", 1.0, (40.0, 60.0), east(0.0, 0.0)).sail("follower", 1.0, (0.0, 60.0), east(80.0, 0.0));
    let both = ["following follower tower 0.0 to 10.0", "following follower tower 40.0 to 60.0"];
    assert_eq!(act.in_order().found(), both);
}

#[test]
fn a_skier_is_where_the_tracker_says_as_long_as_it_does() {
    // The tracker tells of a skier far out to the side from 20 to 40 seconds: there the follower is not behind.
    let mut act = Act::new();
    act.says("tower", -60.0, up()).sail("tower", 1.0, (0.0, 60.0), east(0.0, 0.0));
    act.report("rider", 1.0, (20.0, 40.0), east(-60.0, 20.0), &json!({"towed_by": "tower"}));
    act.sail("follower", 1.0, (0.0, 60.0), east(100.0, 0.0));
    let around = ["following follower tower 0.0 to 20.0", "following follower tower 40.0 to 60.0"];
    assert_eq!(act.in_order().found(), around);
    // Heard of last of all, it tells the same.
    let (riders, others): (Vec<_>, Vec<_>) = act.lines.iter().cloned().partition(|(_, line)| line["vessel"] == "rider");
    act.lines = others;
    let late = act.lines.iter().position(|(s, _)| *s > 45.0).expect("a line");
    act.lines.splice(late..late, riders);
    assert_eq!(act.found(), around);
}

#[test]
fn a_tow_that_is_taken_up_again_begins_dead_astern() {
    // Round a corner the skier lags beside the course; with the tow taken up anew after it, not.
    let corner = |s: f64| if s < 30.0 { (10.0 * (s - 30.0), 0.0) } else { (0.0, -10.0 * (s - 30.0)) };
    let mut act = Act::new();
    act.says("tower", -60.0, up()).sail("tower", 1.0, (0.0, 40.0), corner);
    act.mark(0.0, "swimmer", -5.0, -33.0);
    act.in_order();
    let dragged = act.found();
    assert_eq!(dragged.len(), 1, "{dragged:?}");
    let end_s = |line: &String| line.rsplit(' ').next().and_then(|s| s.parse::<f64>().ok()).expect("seconds");
    let mut again = act.clone();
    again.says("tower", 31.0, json!({"towing": null})).says("tower", 32.0, up());
    let found = again.in_order().found();
    // Heading for the nearest shore it is no lawful take-off; what is found ends once the skier dead astern has passed.
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((end_s(&found[0]) - end_s(&dragged[0])).abs() > 0.05, "{found:?} {dragged:?}");
    let mut ended = act.clone();
    ended.says("tower", 31.0, json!({"towing": null}));
    assert_eq!(ended.in_order().found(), [""; 0]);
}

#[test]
fn two_boats_with_skiers_that_pass_each_other_are_each_others_other() {
    let mut act = Act::new();
    for (name, way) in [("one", 10.0), ("two", -10.0)] {
        act.says(name, -60.0, up());
        act.sail(name, 1.0, (0.0, 60.0), move |s| (way * (s - 30.0), if way > 0.0 { 0.0 } else { 25.0 }));
    }
    let expected = ["clearance one two 30.3 to 32.0", "clearance two one 30.3 to 32.0"];
    assert_eq!(act.in_order().found(), expected);
}

#[test]
fn a_line_that_sweeps_over_a_boat_is_no_crossing() {
    // The towing boat turns through a right angle in nine seconds, past one that lies still and one on the old course.
    let turning = |s: f64| {
        let turned = (10.0 * (s - 20.0)).clamp(0.0, 90.0_f64).to_radians();
        let radius_m = 10.0 / 10.0_f64.to_radians();
        let (before, after) = (10.0 * s.min(20.0), 10.0 * (s - 29.0).max(0.0));
        (radius_m * (1.0 - turned.cos()) + after, before - 200.0 + radius_m * turned.sin())
    };
    let mut act = Act::new();
    act.says("tower", -60.0, up()).sail("tower", 1.0, (0.0, 35.0), turning);
    act.sail("idle", 1.0, (0.0, 35.0), |_| (45.0, 80.0));
    act.sail("drifter", 1.0, (0.0, 35.0), |s| (50.0, 70.0 + 0.2 * s));
    let found = act.in_order().found();
    assert!(!found.iter().any(|line| line.starts_with("bow-crossing")), "{found:?}");
}

#[test]
fn a_crossing_at_a_fix_is_one_crossing() {
    for late_s in [0.0, 0.001, 0.4, 0.5] {
        let mut act = Act::new();
        act.says("tower", -60.0, up()).sail("tower", 1.0, (0.0, 40.0), east(0.0, 0.0));
        act.sail("crosser", 1.0, (0.0, 40.0), |s| (40.0, 8.0 * (s - 30.0 - late_s)));
        let found = act.in_order().found();
        let crossing = format!("bow-crossing crosser tower {:.1} to {:.1}", 30.0 + late_s, 30.0 + late_s);
        assert_eq!(found.iter().filter(|line| line.starts_with("bow")).collect::<Vec<_>>(), [&crossing], "{late_s}");
    }
}

#[test]
fn down_or_up_makes_a_difference_to_the_boat_and_none_to_others() {
    let mut act = Act::new();
    act.says("tower", -60.0, json!({"towing": {"state": "down"}, "warning_flag": true}));
    act.sail("tower", 1.0, (0.0, 60.0), east(0.0, 0.0)).mark(0.0, "swimmer", 0.0, 10.0);
    act.sail("follower", 1.0, (0.0, 60.0), east(80.0, 0.0));
    assert_eq!(act.in_order().found(), ["following follower tower 0.0 to 60.0"]);
    act.says("tower", 30.0, up());
    // Up from 30 seconds on, the boat beside the swimmer; then the skier, 23 m behind.
    let expected = ["following follower tower 0.0 to 60.0", "proximity tower 30.0 to 33.5"];
    assert_eq!(act.in_order().found(), expected);
}

#[test]
fn what_lies_near_the_skier_alone_counts_as_well() {
    for kind in ["swimmer", "safety_buoy", "launch_ramp", "dive_flag", "float"] {
        let mut act = Act::new();
        act.says("tower", -60.0, up()).mark(0.0, kind, 0.0, 30.0);
        act.sail("tower", 1.0, (0.0, 60.0), east(0.0, 0.0));
        act.report("rider", 1.0, (0.0, 60.0), east(20.0, 18.0), &json!({"towed_by": "tower"}));
        let expected: &[&str] =
            if ["dive_flag", "float"].contains(&kind) { &[] } else { &["proximity tower 31.1 to 32.9"] };
        assert_eq!(act.in_order().found(), expected, "{kind}");
    }
    // A mark that is put out, or taken in, while the skier passes.
    let mut act = Act::new();
    act.says("tower", -60.0, up()).mark(32.0, "swimmer", 0.0, 30.0);
    act.sail("tower", 1.0, (0.0, 60.0), east(0.0, 0.0));
    act.report("rider", 1.0, (0.0, 60.0), east(20.0, 18.0), &json!({"towed_by": "tower"}));
    assert_eq!(act.in_order().found(), ["proximity tower 32.0 to 32.9"]);
}

#[test]
fn a_permit_lifts_a_rule_where_it_holds_and_nowhere_else() {
    let mut act = Act::new();
    let lifts = json!({"kind": "permit_area", "permit": "show", "lifts": ["ski-following", "ski-bow-crossing"]});
    act.draw("show", lifts, "Polygon", square(100.0, 0.0, 0.0));
    act.says("tower", -60.0, up()).sail("tower", 1.0, (0.0, 60.0), east(0.0, 0.0));
    act.sail("follower", 1.0, (0.0, 60.0), east(80.0, 0.0));
    act.sail("crosser", 1.0, (0.0, 40.0), |s| (40.0, 8.0 * (s - 30.0)));
    let around = ["following follower tower 0.0 to 28.0", "following follower tower 48.0 to 60.0"];
    let found = act.in_order().found();
    let meant: Vec<_> = found.iter().filter(|line| !line.starts_with("clearance")).collect();
    assert_eq!(meant, [around[0], around[1]]);
    let lifted = |event: &Event| matches!(event, Event::Lifted { rule, .. } if rule.starts_with("ski-"));
    assert!(act.events().1.iter().filter(|event| lifted(event)).count() > 20);
}

#[test]
fn what_a_crew_says_holds_whenever_it_is_heard() {
    let mut act = Act::new();
    act.says("tower", -40.0, json!({"towing": {"state": "down", "rope_m": 18.0}})).says("tower", -20.0, up());
    act.says("tower", 40.0, json!({"towing": null})).sail("tower", 1.0, (0.0, 60.0), east(0.0, 0.0));
    act.sail("follower", 1.0, (0.0, 60.0), east(80.0, 0.0)).mark(0.0, "swimmer", -100.0, 5.0);
    let on_time = act.in_order().found();
    assert_eq!(on_time, ["following follower tower 0.0 to 40.0", "proximity tower 18.6 to 23.2"]);
    let (said, sailed): (Vec<_>, Vec<_>) = act.lines.iter().cloned().partition(|(_, line)| line["type"] == "activity");
    // Every saying up to twenty-five seconds late.
    let mut late = act.clone();
    late.lines = sailed;
    for (s, line) in said {
        let at = late.lines.iter().position(|(t, line)| line["type"] == "fix" && *t > s + 25.0);
        let at = at.unwrap_or(late.lines.len());
        late.lines.insert(at, (s, line));
    }
    assert_eq!(late.found(), on_time);
}

#[test]
fn a_line_of_buoys_is_rounded_either_way_and_along_a_bend() {
    // Buoys every 40 m on a wide arc, the boat five metres out and in by turns.
    let radius_m = 400.0;
    let arc = |m: f64, out_m: f64| {
        let angle = m / radius_m;
        ((radius_m + out_m) * angle.sin(), (radius_m + out_m) * angle.cos())
    };
    let weave = |m: f64| arc(m, 5.0 * (std::f64::consts::PI * m / 40.0).cos());
    for (name, is_back) in [("out", false), ("back", true)] {
        let mut act = Act::new();
        for i in 0..6 {
            let (east_m, north_m) = arc(40.0 * f64::from(i), 0.0);
            let properties = json!({"kind": "safety_buoy", "line": "row", "order": i});
            act.draw(&format!("buoy-{i}"), properties, "Point", json!(degrees(east_m, north_m)));
        }
        act.says("tower", -60.0, up());
        act.sail("tower", 0.5, (0.0, 30.0), |s| weave(if is_back { 220.0 - 8.0 * s } else { 8.0 * s - 20.0 }));
        let found: Vec<String> = act.in_order().found().into_iter().filter(|line| line.starts_with("slalom")).collect();
        assert_eq!(found, ["slalom tower 2.5 to 27.5"], "{name}");
    }
}

#[test]
fn a_tracker_that_is_switched_on_between_two_buoys_is_the_same_skier() {
    // Straight along the row with the skier to either side by turns, as far as the tracker tells; before it does, by
    // the rope, five metres to one side.
    for (from_s, to_s) in [(7.5, 30.0), (0.0, 12.0_f64)] {
        let mut act = Act::new();
        for i in 0..6 {
            let properties = json!({"kind": "safety_buoy", "line": "row", "order": i});
            act.draw(&format!("buoy-{i}"), properties, "Point", json!(degrees(40.0 * f64::from(i), 0.0)));
        }
        act.says("tower", -60.0, json!({"towing": {"state": "up", "rope_m": 20.0}}));
        let weave = |m: f64| (m, 12.0 * (std::f64::consts::PI * m / 40.0).cos());
        // The boat weaves wide enough for the skier on its rope to weave as well.
        act.sail("tower", 0.5, (0.0, 30.0), |s| weave(8.0 * s - 60.0));
        let before = act.clone().in_order().found();
        act.report("rider", 0.5, (from_s, to_s), |s| weave(8.0 * s - 80.0), &json!({"towed_by": "tower"}));
        let found = act.in_order().found();
        let of_skier =
            |found: &[String]| found.iter().filter(|line| line.starts_with("slalom")).cloned().collect::<Vec<_>>();
        assert_eq!(of_skier(&found).len(), 1, "{before:?} {found:?}");
    }
}

#[test]
fn a_line_that_is_turned_round_passes_over_nobody() {
    // Out and back on one way, from one fix to the next, just after somebody crossed ahead: one crossing, where it was.
    for turned_deg in [170.0_f64, 175.0, 178.0, 180.0] {
        let (sin, cos) = turned_deg.to_radians().sin_cos();
        let back = |s: f64| (10.0 * (s - 20.0) * cos, 10.0 * (s - 20.0) * sin);
        let mut act = Act::new();
        act.says("tower", -60.0, up());
        act.sail("tower", 1.0, (0.0, 40.0), |s| if s < 20.0 { (10.0 * (s - 20.0), 0.0) } else { back(s) });
        act.sail("crosser", 1.0, (0.0, 40.0), |s| (20.0 - 10.0 * (s - 20.0), 2.0 + 6.0 * (s - 20.0)));
        act.in_order();
        let findings = act.events().0;
        let crossings: Vec<&Finding> = findings.iter().filter(|f| f.rule == "ski-bow-crossing").collect();
        assert_eq!(crossings.len(), 1, "{turned_deg}: {crossings:?}");
        let (start, end, peak) = (crossings[0].start, crossings[0].end, &crossings[0].peak);
        // On the line a third of a second before the turn, at 23.33 m, the boat at -3.33 m.
        assert!((start.seconds_since(EventTime::from_unix_ms(SITE.noon_unix_ms())) - 19.667).abs() < 0.01);
        assert_eq!(end, Some(start), "{turned_deg}");
        assert!((peak.distance_m.expect("a distance") - 26.667).abs() < 0.1, "{turned_deg}: {peak:?}");
    }
}

#[test]
fn crossings_shortly_after_each_other_are_one_from_the_first_to_the_last() {
    // To and fro ahead of the boat, nearer each time.
    let mut act = Act::new();
    act.says("tower", -60.0, up()).sail("tower", 1.0, (0.0, 40.0), east(0.0, 0.0));
    act.sail("crosser", 0.5, (0.0, 40.0), |s| (10.0 * (s - 30.0) + 50.0 - 0.5 * s, 12.0 * (0.5 * (s - 10.25)).sin()));
    let found = act.in_order().found();
    let crossings: Vec<_> = found.iter().filter(|line| line.starts_with("bow-crossing")).collect();
    assert_eq!(crossings, ["bow-crossing crosser tower 4.0 to 35.4"], "{found:?}");
}

#[test]
fn with_ten_fixes_a_second_and_no_course_reported_all_is_as_with_one() {
    // Slower than ten metres a second no way from fix to fix is as long as a metre.
    let slow_east = |behind_m: f64| move |s: f64| (6.0 * (s - 30.0) - behind_m, 0.0);
    let of = |every_s: f64| {
        let mut act = Act::new();
        act.says("tower", -60.0, up()).sail("tower", every_s, (0.0, 60.0), slow_east(0.0));
        act.sail("follower", every_s, (0.0, 60.0), slow_east(80.0));
        act.sail("crosser", every_s, (0.0, 60.0), |s| (40.0, 5.0 * (s - 30.0)));
        act.in_order().found()
    };
    let at_1_hz = of(1.0);
    assert!(at_1_hz.iter().any(|line| line.starts_with("following")), "{at_1_hz:?}");
    assert!(at_1_hz.iter().any(|line| line.starts_with("bow")), "{at_1_hz:?}");
    // Only of the way to the first fix that is a metre away nothing is known.
    let late = |line: &String| line.replace(" 0.0 to", " 0.1 to");
    assert_eq!(of(0.1), at_1_hz.iter().map(late).collect::<Vec<_>>());
}

#[test]
fn who_is_heard_again_much_later_followed_as_surely() {
    // The fixes of the towing boat around the last ones of the follower are long gone when that one is heard again.
    let of = |later_s: Option<f64>| {
        let mut act = Act::new();
        act.says("tower", -60.0, up()).sail("tower", 2.0, (0.0, 260.0), east(0.0, 0.0));
        act.sail("follower", 2.0, (0.0, 20.0), east(70.0, 0.0));
        later_s.iter().for_each(|&s| _ = act.sail("follower", 1.0, (s, s), east(900.0, 0.0)));
        let findings = act.in_order().events().0;
        let sure: Vec<f64> = findings.iter().filter(|f| f.rule == "ski-following").map(|f| f.confidence).collect();
        assert_eq!(sure.len(), 1, "{later_s:?}");
        sure[0]
    };
    let soon = of(Some(40.0));
    assert!(soon > 0.98, "{soon}");
    for later_s in [None, Some(60.0), Some(100.0), Some(119.0), Some(180.0), Some(250.0)] {
        assert!((of(later_s) - soon).abs() < 1e-9, "{later_s:?}: {} instead of {soon}", of(later_s));
    }
}

#[test]
fn a_boat_that_zigzags_makes_nobody_cross() {
    // Sixty metres this way and that, through 120 degrees: no error of a fix turns that much.
    let zigzag = |s: f64| {
        let (legs, way) = ((s / 6.0).floor(), [0.0, 1.0].map(|k| (120.0_f64 * k).to_radians().sin_cos()));
        (0..=legs as usize).fold((0.0, 0.0), |(east_m, north_m), k| {
            let run_m = 10.0 * (s - 6.0 * k as f64).min(6.0);
            (east_m + run_m * way[k % 2].0, north_m + run_m * way[k % 2].1)
        })
    };
    for mps in [0.0, 0.02, 0.3] {
        let mut act = Act::new();
        act.says("tower", -60.0, up()).sail("tower", 6.0, (0.0, 48.0), zigzag);
        let ((sin, cos), turn) = (60.0_f64.to_radians().sin_cos(), zigzag(12.0));
        act.sail("drifter", 6.0, (0.0, 48.0), |s| (turn.0 + 35.0 * sin, turn.1 + 35.0 * cos + mps * (s - 12.0)));
        let found = act.in_order().found();
        assert!(!found.iter().any(|line| line.starts_with("bow-crossing")), "{mps}: {found:?}");
    }
}

#[test]
fn courses_before_and_after_a_fix_are_not_taken_together() {
    // At ten seconds the skier ends a way north, and who met it head on begins one north.
    let mut act = Act::new();
    act.says("tower", -60.0, up()).sail("tower", 11.0, (0.0, 11.0), |s| (0.0, 5.0 * s));
    let (skier, other) = ([(0.0, -30.0), (0.0, 20.0), (5.0, 20.0)], [(0.0, 20.0), (0.0, -30.0), (0.0, -25.0)]);
    for (at, s) in [0.0, 10.0, 11.0].into_iter().enumerate() {
        act.report("skier", 1.0, (s, s), |_| skier[at], &json!({"towed_by": "tower"}));
        act.sail("other", 1.0, (s, s), |_| other[at]);
    }
    let found = act.in_order().found();
    assert!(!found.is_empty() && !found.iter().any(|line| line.starts_with("following")), "{found:?}");
}

#[test]
fn what_the_boat_turned_before_the_tow_says_nothing_of_the_skier() {
    let of = |turns: bool| {
        let circle = |s: f64| (30.0 * (TAU * s / 20.0).sin(), 30.0 - 30.0 * (TAU * s / 20.0).cos());
        let mut act = Act::new();
        let path = |s: f64| if turns && s < 40.0 { circle(s) } else { (10.0 * (s - 40.0), 0.0) };
        act.sail("tower", 1.0, (0.0, 100.0), path).says("tower", 41.5, up());
        act.sail("passer", 1.0, (0.0, 100.0), |s| (300.0 + s - 70.0, 15.0));
        let findings = act.in_order().events().0;
        let near = findings.into_iter().find(|f| f.rule == "ski-clearance").expect("it passes near");
        near.peak.skier.expect("a skier").accuracy_m
    };
    assert_eq!(of(true), of(false));
}
