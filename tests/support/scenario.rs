//! Random lakes with boats on them, drawn on a plane in metres.
//!
//! A scenario is messages on a plane; a [`Site`] and a start make a map and observations of it. All
//! numbers go through the same text that a recording would hold.

use std::sync::Arc;

use buoyline::geo::Vec2;
use buoyline::ingest::native::{self, Envelope};
use buoyline::observation::Observation;
use buoyline::time::EventTime;
use buoyline::zones::{Map, MapOptions, ZoneFile};
use serde_json::{Value, json};

use super::rng::Rng;
use super::site::Site;

/// What may happen in a scenario.
#[derive(Debug, Clone, Copy)]
pub struct Ingredients {
    /// Positions that are not true, one to four in a row.
    pub glitches: bool,
    /// Silences of up to forty seconds.
    pub gaps: bool,
    /// Vessels that rest, at anchor or not, or troll.
    pub resting: bool,
    /// Marks put on the water and taken in, fog, and declarations.
    pub reports: bool,
    /// A second lake, and a boat that is carried there.
    pub second_lake: bool,
    /// Islands in the lake.
    pub islands: bool,
    /// Boats with skiers, and others that follow them or cross ahead.
    pub skiing: bool,
}

impl Ingredients {
    pub const ALL: Self = Self {
        glitches: true,
        gaps: true,
        resting: true,
        reports: true,
        second_lake: true,
        islands: true,
        skiing: true,
    };
    pub const NONE: Self = Self {
        glitches: false,
        gaps: false,
        resting: false,
        reports: false,
        second_lake: false,
        islands: false,
        skiing: false,
    };
}

/// A feature on the plane.
#[derive(Debug, Clone)]
pub struct Drawn {
    pub id: String,
    pub kind: &'static str,
    pub shape: Drawing,
    pub properties: Vec<(&'static str, Value)>,
}

/// Its geometry; rings are closed.
#[derive(Debug, Clone)]
pub enum Drawing {
    Point(Vec2),
    Line(Vec<Vec2>),
    Area(Vec<Vec<Vec2>>),
}

/// A lake and everything drawn on it; the first feature is the water.
#[derive(Debug, Clone)]
pub struct Lake {
    pub features: Vec<Drawn>,
    centre: Vec2,
    radius_m: f64,
    waves: Vec<(f64, f64, f64)>,
}

/// One message.
#[derive(Debug, Clone)]
pub struct Message {
    /// Since the start.
    pub at_ms: i64,
    pub says: Says,
}

/// What it says.
#[derive(Debug, Clone)]
pub enum Says {
    Fix(Plot),
    Declares { vessel: String, nav_status: &'static str },
    Tells { vessel: String, says: Value },
    Places { id: String, kind: &'static str, at: Vec2 },
    TakesIn { id: String },
    Fog { lake: usize, visibility_m: f64 },
}

/// A fix on the plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    pub vessel: String,
    pub at: Vec2,
    pub sog_kn: Option<f64>,
    pub cog_deg: Option<f64>,
    pub accuracy_m: Option<f64>,
    pub nav_status: Option<&'static str>,
    pub towed_by: Option<String>,
}

/// Lakes, and what happens on them in order of time.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub seed: u64,
    pub lakes: Vec<Lake>,
    pub messages: Vec<Message>,
}

pub fn v(east_m: f64, north_m: f64) -> Vec2 {
    Vec2::new(east_m, north_m)
}

pub(super) fn polar(angle: f64, radius_m: f64) -> Vec2 {
    v(radius_m * angle.cos(), radius_m * angle.sin())
}

pub(super) fn ring(centre: Vec2, radius_m: f64, corners: usize) -> Vec<Vec2> {
    (0..=corners)
        .map(|i| centre + polar(std::f64::consts::TAU * (i % corners) as f64 / corners as f64, radius_m))
        .collect()
}

impl Lake {
    fn random(number: usize, centre: Vec2, rng: &mut Rng, with: &Ingredients) -> Self {
        let waves =
            (2..6).map(|k| (f64::from(k), rng.between(0.0, 0.25 / f64::from(k)), rng.between(0.0, 6.3))).collect();
        let mut lake = Self { features: Vec::new(), centre, radius_m: rng.between(130.0, 260.0), waves };
        let mut rings = vec![(0..=60).map(|i| lake.inside(f64::from(i % 60) * 0.104_719_755, 1.0)).collect()];
        if with.islands && rng.chance(0.4) {
            rings.push(ring(lake.inside(rng.between(0.0, 6.3), 0.4), rng.between(8.0, 20.0), 9));
        }
        lake.draw(format!("lake-{number}"), "waterway", Drawing::Area(rings), &[]);
        for i in 0..rng.below(4) {
            let angle = rng.between(0.0, 6.3);
            let (foot, head) = (lake.inside(angle, 1.0), lake.inside(angle, rng.between(0.82, 0.92)));
            let shape = match rng.below(3) {
                0 => Drawing::Line(vec![foot, head]),
                1 => Drawing::Point(head),
                _ => {
                    let way = head - foot;
                    let side = v(-way.north_m, way.east_m) * (1.5 / way.norm());
                    Drawing::Area(vec![vec![foot - side, foot + side, head + side, head - side, foot - side]])
                }
            };
            lake.draw(format!("dock-{i}"), "dock", shape, &[]);
        }
        for (kind, most) in [("float", 3), ("swimmer", 2), ("dive_flag", 2), ("mooring_buoy", 2)] {
            for i in 0..rng.below(most + 1) {
                let at = lake.inside(rng.between(0.0, 6.3), rng.between(0.2, 0.95));
                lake.draw(format!("{kind}-{i}"), kind, Drawing::Point(at), &[]);
            }
        }
        let mut area = |kind: &'static str, share: f64, radius: (f64, f64), properties: &[(&'static str, Value)]| {
            if rng.chance(share) {
                let centre = lake.inside(rng.between(0.0, 6.3), rng.between(0.3, 0.8));
                let shape = Drawing::Area(vec![ring(centre, rng.between(radius.0, radius.1), 8)]);
                lake.draw(format!("{kind}-0"), kind, shape, properties);
            }
        };
        area("swim_area", 0.5, (10.0, 25.0), &[]);
        area("speed_zone", 0.4, (30.0, 60.0), &[("speed_limit", json!("8 mph"))]);
        area("permit_area", 0.3, (40.0, 80.0), &[("permit", json!("race")), ("vessels", json!(["boat-0", "boat-1"]))]);
        if rng.chance(0.6) {
            let (start, step) = (rng.between(0.0, 6.3), rng.between(0.12, 0.25));
            for i in 0..4 + rng.below(5) {
                let at = lake.inside(start + step * i as f64, 0.7);
                let order = [("line", json!("a")), ("order", json!(i))];
                lake.draw(format!("buoy-{i}"), "safety_buoy", Drawing::Point(at), &order);
            }
        }
        lake
    }

    pub(super) fn draw(
        &mut self,
        id: String,
        kind: &'static str,
        shape: Drawing,
        properties: &[(&'static str, Value)],
    ) {
        self.features.push(Drawn { id, kind, shape, properties: properties.to_vec() });
    }

    /// The point in a direction from the centre, at a share of the way to the shore.
    pub fn inside(&self, angle: f64, share: f64) -> Vec2 {
        let swell: f64 = self.waves.iter().map(|(k, height, phase)| height * (k * angle + phase).cos()).sum();
        self.centre + polar(angle, share * self.radius_m * (1.0 + swell))
    }

    /// Moves everything drawn.
    pub fn shift(&mut self, by: Vec2) {
        for drawn in &mut self.features {
            match &mut drawn.shape {
                Drawing::Point(p) => *p = *p + by,
                Drawing::Line(points) => points.iter_mut().for_each(|p| *p = *p + by),
                Drawing::Area(rings) => rings.iter_mut().flatten().for_each(|p| *p = *p + by),
            }
        }
    }

    /// The map file of this lake.
    pub fn geojson(&self, site: &Site) -> Value {
        let degrees = |p: &Vec2| json!(site.place(*p).to_geojson());
        let list = |points: &Vec<Vec2>| Value::Array(points.iter().map(degrees).collect());
        let features: Vec<Value> = self
            .features
            .iter()
            .map(|drawn| {
                let geometry = match &drawn.shape {
                    Drawing::Point(p) => json!({"type": "Point", "coordinates": degrees(p)}),
                    Drawing::Line(points) => json!({"type": "LineString", "coordinates": list(points)}),
                    Drawing::Area(rings) => {
                        json!({"type": "Polygon", "coordinates": rings.iter().map(list).collect::<Vec<_>>()})
                    }
                };
                let mut properties = json!({"kind": drawn.kind});
                for (key, value) in &drawn.properties {
                    properties[key] = value.clone();
                }
                json!({"type": "Feature", "id": drawn.id, "properties": properties, "geometry": geometry})
            })
            .collect();
        json!({"type": "FeatureCollection", "features": features})
    }
}

impl Scenario {
    pub fn random(seed: u64, with: &Ingredients) -> Self {
        let mut rng = Rng::new(seed);
        let mut lakes = vec![Lake::random(0, v(0.0, 0.0), &mut rng, with)];
        if with.second_lake && rng.chance(0.5) {
            lakes.push(Lake::random(1, v(720.0, 60.0), &mut rng, with));
        }
        let mut scenario = Self { seed, lakes, messages: Vec::new() };
        let end_s = rng.between(120.0, 220.0);
        let mut haunts = Vec::new();
        if with.resting {
            for i in 0..1 + rng.below(3) {
                let at = scenario.lakes[0].inside(rng.between(0.0, 6.3), rng.between(0.2, 0.9));
                haunts.push(at);
                scenario.rest(&format!("idler-{i}"), at, end_s, &mut rng, with);
            }
        }
        for feature in &scenario.lakes[0].features {
            if let Drawing::Point(p) = feature.shape {
                haunts.push(p);
            }
        }
        for i in 0..2 + rng.below(3) {
            scenario.drive(&format!("boat-{i}"), &haunts, end_s, &mut rng, with);
        }
        if with.reports {
            scenario.report(end_s, &mut rng);
        }
        if with.skiing {
            scenario.ski(end_s, &mut rng, with);
        }
        scenario.messages.sort_by_key(|message| message.at_ms);
        scenario
    }

    /// A vessel that rests, or trolls slowly, and perhaps leaves.
    fn rest(&mut self, name: &str, at: Vec2, end_s: f64, rng: &mut Rng, with: &Ingredients) {
        let says = rng.pick(&[None, None, Some("anchored"), Some("trolling"), Some("fishing"), Some("moored")]);
        let trolls = matches!(says, Some("trolling" | "fishing"));
        let way = polar(rng.between(0.0, 6.3), if trolls { 0.8 } else { 0.0 });
        let has_sog = rng.chance(0.7);
        let noise_m = if has_sog { 1.0 } else { 0.1 };
        let leaves_s = if rng.chance(0.3) { rng.between(70.0, end_s) } else { f64::INFINITY };
        let mut t_s = rng.between(0.0, 3.0);
        let mut first = true;
        while t_s < end_s {
            let left_m = (t_s - leaves_s).max(0.0) * 3.0;
            let noise = polar(rng.between(0.0, 6.3), rng.between(0.0, noise_m));
            let nav_status = says.filter(|_| first || rng.chance(0.2));
            let sog_mps = if left_m > 0.0 { 3.0 } else { way.norm() + rng.between(0.0, 0.2) };
            self.messages.push(Message {
                at_ms: (t_s * 1000.0) as i64,
                says: Says::Fix(Plot {
                    vessel: name.to_owned(),
                    at: at + noise + way * t_s + v(left_m, 0.0),
                    sog_kn: has_sog.then_some(rounded(sog_mps / 0.514_444, 2)),
                    cog_deg: None,
                    accuracy_m: None,
                    nav_status: if left_m > 0.0 { Some("under_way") } else { nav_status },
                    towed_by: None,
                }),
            });
            first = false;
            t_s += rng.between(0.5, 5.0);
            if with.gaps && rng.chance(0.02) {
                t_s += rng.between(10.0, 60.0);
            }
        }
    }

    /// A vessel that goes from place to place, slowly and fast.
    fn drive(&mut self, name: &str, haunts: &[Vec2], end_s: f64, rng: &mut Rng, with: &Ingredients) {
        const STEP_S: f64 = 0.05;
        let sog_share = rng.pick(&[0.0, 0.0, 1.0, 1.0, 0.8]);
        let pace_s = rng.pick(&[0.4, 1.0, 1.0, 2.0, 3.5]);
        let accuracy_m = rng.pick(&[None, None, Some(3.0), Some(8.0)]);
        let has_cog = rng.chance(0.5);
        let mut at = self.lakes[0].inside(rng.between(0.0, 6.3), rng.between(0.0, 0.9));
        let (mut goal, mut speed_mps, mut wanted_mps) = (at, 0.0_f64, 3.0);
        let mut next_fix_s = rng.between(0.0, 5.0);
        let mut glitch = (0, v(0.0, 0.0));
        let steps = (end_s / STEP_S) as usize;
        for step in 0..steps {
            let t_s = step as f64 * STEP_S;
            if step % 160 == 0 {
                wanted_mps = rng.pick(&[0.3, 1.8, 2.2, 2.6, 4.0, 7.0, 12.0, 24.0]);
            }
            speed_mps += (wanted_mps - speed_mps).clamp(-2.0 * STEP_S, 2.0 * STEP_S);
            let mut way = goal - at;
            if way.norm() < 2.0 {
                let lake = if self.lakes.len() > 1 && name == "boat-0" && t_s > 40.0 { 1 } else { 0 };
                goal = if rng.chance(0.4) && lake == 0 && !haunts.is_empty() {
                    rng.pick(haunts) + polar(rng.between(0.0, 6.3), rng.between(0.0, 25.0))
                } else {
                    self.lakes[lake].inside(rng.between(0.0, 6.3), rng.between(0.0, 1.0).sqrt() * 0.98)
                };
                way = goal - at;
            }
            let course = if way.norm() > 1e-9 { way * (1.0 / way.norm()) } else { v(0.0, 1.0) };
            at = at + course * (speed_mps * STEP_S).min(way.norm());
            if t_s < next_fix_s {
                continue;
            }
            next_fix_s = t_s + pace_s * rng.between(0.6, 1.4);
            if with.gaps && rng.chance(0.015) {
                next_fix_s += rng.between(5.0, 40.0);
            }
            if with.glitches && glitch.0 == 0 && rng.chance(0.012) {
                glitch = (1 + rng.below(4), polar(rng.between(0.0, 6.3), rng.between(150.0, 1500.0)));
            }
            let mut there = at;
            if glitch.0 > 0 {
                glitch.0 -= 1;
                there = there + glitch.1;
            }
            self.messages.push(Message {
                at_ms: (t_s * 1000.0).round() as i64 + rng.below(40) as i64,
                says: Says::Fix(Plot {
                    vessel: name.to_owned(),
                    at: there,
                    sog_kn: rng.chance(sog_share).then_some(rounded(speed_mps / 0.514_444, 2)),
                    cog_deg: course.bearing_deg().filter(|_| has_cog).map(|deg| rounded(deg, 1) % 360.0),
                    accuracy_m,
                    nav_status: None,
                    towed_by: None,
                }),
            });
        }
    }

    /// Marks, fog and declarations.
    fn report(&mut self, end_s: f64, rng: &mut Rng) {
        let at = |share: f64| (share * end_s * 1000.0) as i64;
        for i in 0..rng.below(3) {
            let id = format!("flag-{i}");
            let place = self.lakes[0].inside(rng.between(0.0, 6.3), rng.between(0.2, 0.9));
            let kind = rng.pick(&["dive_flag", "swimmer", "safety_buoy"]);
            self.messages.push(Message {
                at_ms: at(rng.between(0.0, 0.5)),
                says: Says::Places { id: id.clone(), kind, at: place },
            });
            if rng.chance(0.6) {
                self.messages.push(Message { at_ms: at(rng.between(0.5, 1.0)), says: Says::TakesIn { id } });
            }
        }
        if rng.chance(0.4) {
            let visibility_m = rng.between(10.0, 60.0);
            self.messages.push(Message { at_ms: at(rng.between(0.0, 0.8)), says: Says::Fog { lake: 0, visibility_m } });
        }
        for vessel in ["idler-0", "boat-1"] {
            if rng.chance(0.3) {
                let nav_status = rng.pick(&["moored", "trolling", "under_way"]);
                let vessel = vessel.to_owned();
                self.messages
                    .push(Message { at_ms: at(rng.between(0.0, 1.0)), says: Says::Declares { vessel, nav_status } });
            }
        }
    }

    /// The zone files of the scenario at a site.
    pub fn zone_files(&self, site: &Site) -> Vec<ZoneFile> {
        self.lakes
            .iter()
            .enumerate()
            .map(|(i, lake)| ZoneFile {
                name: format!("lake-{i}.geojson"),
                bytes: lake.geojson(site).to_string().into_bytes(),
            })
            .collect()
    }

    /// Its map at a site.
    pub fn map(&self, site: &Site) -> Arc<Map> {
        let (map, faults) = Map::from_files(&self.zone_files(site), &MapOptions::default());
        let errors: Vec<String> =
            faults.iter().map(ToString::to_string).filter(|fault| !fault.contains("warning")).collect();
        assert_eq!(map.waterways.len(), self.lakes.len(), "seed {}: {errors:?}", self.seed);
        Arc::new(map)
    }

    /// Its messages as a recording at a site from a start on, a line each.
    pub fn lines(&self, site: &Site, start_unix_ms: i64) -> Vec<String> {
        self.messages.iter().map(|message| message.line(site, start_unix_ms)).collect()
    }

    /// Its messages as observations.
    pub fn observations(&self, site: &Site, start_unix_ms: i64) -> Vec<Observation> {
        self.lines(site, start_unix_ms).iter().map(|line| observation(line)).collect()
    }
}

/// The observation that a line of a recording holds.
pub fn observation(line: &str) -> Observation {
    let mut found = None;
    native::decode(line.as_bytes(), Envelope { kind: None, id: None }, |result| found = Some(result));
    found.expect("a message").unwrap_or_else(|refusal| panic!("{line}: {refusal}"))
}

impl Message {
    fn line(&self, site: &Site, start_unix_ms: i64) -> String {
        let t = EventTime::from_unix_ms(start_unix_ms + self.at_ms).to_string();
        let mut line = match &self.says {
            Says::Fix(plot) => {
                let at = site.place(plot.at);
                json!({
                    "type": "fix", "vessel": plot.vessel, "lat": at.lat_deg(), "lon": at.lon_deg(),
                    "sog_kn": plot.sog_kn, "cog_deg": plot.cog_deg.map(|deg| site.course_deg(deg)),
                    "accuracy_m": plot.accuracy_m, "nav_status": plot.nav_status, "towed_by": plot.towed_by,
                })
            }
            Says::Declares { vessel, nav_status } => {
                json!({"type": "activity", "vessel": vessel, "nav_status": nav_status})
            }
            Says::Tells { vessel, says } => {
                let mut line = says.clone();
                (line["type"], line["vessel"]) = (json!("activity"), json!(vessel));
                line
            }
            Says::Places { id, kind, at } => {
                let at = site.place(*at);
                json!({"type": "mark", "id": id, "kind": kind, "lat": at.lat_deg(), "lon": at.lon_deg()})
            }
            Says::TakesIn { id } => json!({"type": "mark", "id": id, "kind": null}),
            Says::Fog { lake, visibility_m } => json!({
                "type": "conditions", "waterway": format!("lake-{lake}"), "weather": "fog", "visibility_m": visibility_m,
            }),
        };
        line["t"] = json!(t);
        line.as_object_mut()
            .expect("an object")
            .retain(|key, value| !value.is_null() || ["kind", "towing", "observer_age"].contains(&key.as_str()));
        line.to_string()
    }

    pub fn plot(&self) -> Option<&Plot> {
        match &self.says {
            Says::Fix(plot) => Some(plot),
            _ => None,
        }
    }
}

pub fn rounded(value: f64, digits: i32) -> f64 {
    let factor = 10_f64.powi(digits);
    (value * factor).round() / factor
}
