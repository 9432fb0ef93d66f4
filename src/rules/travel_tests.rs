//! The stretches that are solved, against asking the map at every few centimetres.

use super::travel::{Against, against};
use crate::geo::{LocalFrame, Position, Span, Spans, Vec2};
use crate::observation::Fix;
use crate::time::EventTime;
use crate::track::{Leg, TrackFix};
use crate::zones::{FeatureIx, Hand, Map, MapOptions, Travel, TravelTerms, Waterway, ZoneFile};

const TERMS: TravelTerms = TravelTerms { shore_to: Hand::Starboard, mid_water_m: 30.0 };
const TURNED_DEG: f64 = 120.0;

fn frame() -> LocalFrame {
    LocalFrame::at(Position::from_lat_lon(47.0, 9.0).expect("in range"))
}

fn at(v: Vec2) -> Position {
    frame().to_position(v).expect("away from the poles")
}

struct Dice(u64);

impl Dice {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn ring(dice: &mut Dice, centre: Vec2, across_m: [f64; 2], rough: f64, corners: u32) -> Vec<[f64; 2]> {
    let mut ring: Vec<[f64; 2]> = (0..corners)
        .map(|i| {
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(corners));
            let r = dice.between(1.0 - rough, 1.0 + rough);
            at(centre + Vec2::new(cos * across_m[0] * r, sin * across_m[1] * r)).to_geojson()
        })
        .collect();
    ring.push(ring[0]);
    ring
}

/// A ragged lake, long and narrow or round, with an island, and perhaps a line.
fn lake(dice: &mut Dice, has_line: bool) -> Waterway {
    let across_m = [dice.between(150.0, 500.0), dice.between(90.0, 400.0)];
    let rings = [
        ring(dice, Vec2::default(), across_m, 0.15, 40),
        ring(dice, Vec2::new(0.3 * across_m[0], 0.0), [15.0, 12.0], 0.2, 9),
    ];
    let mut features = vec![serde_json::json!({
        "type": "Feature", "id": "lake", "properties": {"kind": "waterway"},
        "geometry": {"type": "Polygon", "coordinates": rings},
    })];
    if has_line {
        let line = ring(dice, Vec2::default(), [0.5 * across_m[0], 0.5 * across_m[1]], 0.1, 12);
        features.push(serde_json::json!({
            "type": "Feature", "id": "way", "properties": {"kind": "circulation"},
            "geometry": {"type": "LineString", "coordinates": line},
        }));
    }
    let text = serde_json::json!({"type": "FeatureCollection", "features": features}).to_string();
    let file = ZoneFile { name: "lake.geojson".to_owned(), bytes: text.into_bytes() };
    Map::from_files(&[file], &MapOptions::default()).0.waterways.remove(0)
}

fn leg(from: Vec2, to: Vec2, span_s: f64) -> Leg {
    let start = EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time");
    let fix = |t: EventTime, v: Vec2| TrackFix::new(&Fix::new(t, at(v)), 0);
    Leg::between(&fix(start, from), &fix(start.plus_seconds(span_s), to))
}

/// Whether the course is against the direction at an instant, as the map says there.
fn is_against(leg: &Leg, waterway: &Waterway, lines: &[FeatureIx], s: f64) -> bool {
    let Some(Travel::Toward(way)) = waterway.travel_at(leg.position_at(s), &TERMS, lines) else { return false };
    let (sin, cos) = libm::sincos(leg.course_deg().expect("a course").to_radians());
    way.dot(Vec2::new(sin, cos)) < libm::cos(TURNED_DEG.to_radians())
}

fn check(waterway: &Waterway, leg: &Leg, lines: &[FeatureIx], what: &str) -> f64 {
    let present: Vec<(FeatureIx, Spans)> = lines.iter().map(|&ix| (ix, Spans::one(leg.whole()))).collect();
    let found = against(leg, waterway, &TERMS, TURNED_DEG, &present);
    let spans: Spans = found.iter().map(|a: &Against| a.span).collect();
    let steps = 250;
    let step_s = leg.motion.span_s / f64::from(steps);
    for i in 0..=steps {
        let s = step_s * f64::from(i);
        let is_near_an_end = spans.iter().any(|span| (span.from_s - s).abs() < 0.01 || (span.to_s - s).abs() < 0.01);
        let truth = is_against(leg, waterway, lines, s);
        if truth == spans.contains(s) || is_near_an_end {
            continue;
        }
        // A stretch shorter than what the test allows an end to be off is no matter.
        let around = [-0.01, 0.01].map(|d| is_against(leg, waterway, lines, s + d));
        assert!(around.contains(&!truth), "{what}: {truth} at {s}: {found:?}");
    }
    for a in &found {
        assert!(a.span.contains(a.worst_s) && a.off_deg >= TURNED_DEG - 1e-6, "{what}: {a:?}");
    }
    spans.length_s()
}

#[test]
fn what_is_solved_is_what_the_map_says_at_every_instant() {
    let mut dice = Dice(7);
    let (mut found_s, mut all_s) = (0.0, 0.0);
    for lake_number in 0..40 {
        let has_line = lake_number % 4 == 3;
        let waterway = lake(&mut dice, has_line);
        let lines = waterway.circulation_lines();
        let mut legs = 0;
        while legs < 12 {
            let from = Vec2::new(dice.between(-500.0, 500.0), dice.between(-400.0, 400.0));
            let to = from + Vec2::new(dice.between(-90.0, 90.0), dice.between(-90.0, 90.0));
            if !waterway.contains(at(from)) || !waterway.contains(at(to)) {
                continue;
            }
            legs += 1;
            let leg = leg(from, to, dice.between(1.0, 14.0));
            found_s += check(&waterway, &leg, &lines, &format!("lake {lake_number}, leg {legs}"));
            all_s += leg.motion.span_s;
        }
    }
    assert!(found_s > 0.05 * all_s && found_s < 0.5 * all_s, "{found_s} of {all_s}");
}

#[test]
fn a_line_counts_for_as_long_as_it_is_in_force() {
    let mut dice = Dice(3);
    let waterway = lake(&mut dice, true);
    let lines = waterway.circulation_lines();
    // Eastward near the north shore: against the shore's direction it is not, against the line's neither or both.
    let mut legs = 0;
    while legs < 30 {
        let from = Vec2::new(dice.between(-200.0, 200.0), dice.between(-200.0, 200.0));
        let to = from + Vec2::new(dice.between(-60.0, 60.0), dice.between(-60.0, 60.0));
        if !waterway.contains(at(from)) || !waterway.contains(at(to)) {
            continue;
        }
        legs += 1;
        let leg = leg(from, to, 8.0);
        let until = Span { from_s: 0.0, to_s: 3.0 };
        let both = against(&leg, &waterway, &TERMS, TURNED_DEG, &[(lines[0], Spans::one(until))]);
        for i in 0..80 {
            let s = 0.1 * f64::from(i) + 0.05;
            let by: &[FeatureIx] = if s < 3.0 { &lines } else { &[] };
            let inside = both.iter().any(|a| a.span.contains(s));
            let is_near_an_end =
                both.iter().any(|a| (a.span.from_s - s).abs() < 0.02 || (a.span.to_s - s).abs() < 0.02);
            assert!(inside == is_against(&leg, &waterway, by, s) || is_near_an_end, "{s}: {both:?}");
        }
    }
}

#[test]
fn one_fix_with_a_course_is_judged_at_its_instant() {
    let waterway = lake(&mut Dice(5), false);
    let start = EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time");
    let mut against_so_far = 0;
    for course_deg in [0.0, 90.0, 180.0, 270.0] {
        let mut fix = Fix::new(start, at(Vec2::new(0.0, -70.0)));
        fix.cog_deg = Some(course_deg);
        let leg = Leg::at(&TrackFix::new(&fix, 0), None);
        against_so_far += against(&leg, &waterway, &TERMS, TURNED_DEG, &[]).len();
    }
    assert!(against_so_far <= 2);
}
