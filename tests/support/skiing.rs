//! Boats with skiers in a scenario: trackers that come and go, followers, boats that cross ahead, and what
//! the crews say.

use buoyline::geo::Vec2;
use serde_json::{Value, json};

use super::rng::Rng;
use super::scenario::{Drawing, Ingredients, Message, Plot, Says, Scenario, polar, ring, rounded, v};

/// Seconds between two places of a path.
const STEP_S: f64 = 0.05;

impl Scenario {
    /// Adds boats with skiers, and others around them.
    pub(super) fn ski(&mut self, end_s: f64, rng: &mut Rng, with: &Ingredients) {
        if rng.chance(0.3) {
            let centre = self.lakes[0].inside(rng.between(0.0, 6.3), 0.4);
            let shape = Drawing::Area(vec![ring(centre, rng.between(40.0, 80.0), 8)]);
            let lifts = json!(["ski-proximity", "ski-clearance", "ski-following", "ski-bow-crossing", "ski-slalom"]);
            self.lakes[0].draw(
                "course-0".to_owned(),
                "permit_area",
                shape,
                &[("permit", json!("show")), ("lifts", lifts)],
            );
        }
        for n in 0..1 + rng.below(2) {
            let tower = format!("tower-{n}");
            let path = self.tower_path(end_s, rng);
            let rope_m = rng.pick(&[None, None, Some(12.0), Some(18.0), Some(30.0)]);
            self.report_path(&tower, None, &path, 0.0, end_s, rng, with);
            self.crew(&tower, rope_m, end_s, rng);
            let skier = behind(&path, rope_m.unwrap_or(23.0));
            for k in 0..rng.below(3) {
                let (from_s, to_s) = (rng.between(0.0, 0.6) * end_s, rng.between(0.6, 1.1) * end_s);
                self.report_path(&format!("skier-{n}-{k}"), Some(&tower), &skier, from_s, to_s, rng, with);
            }
            let late = (rng.between(5.0, 14.0) / STEP_S) as usize;
            let aside = polar(rng.between(0.0, 6.3), rng.between(0.0, 25.0));
            let follower: Vec<Vec2> = (0..path.len()).map(|i| path[i.saturating_sub(late)] + aside).collect();
            self.report_path(&format!("follower-{n}"), None, &follower, 0.0, end_s, rng, with);
            for k in 0..1 + rng.below(3) {
                let at = (rng.between(0.2, 0.9) * path.len() as f64) as usize;
                let way = path[at] - path[at - 20];
                if way.norm() < 2.0 {
                    continue;
                }
                let course = way * (1.0 / way.norm());
                let across = v(course.north_m, -course.east_m) * rng.pick(&[-1.0, 1.0]);
                let (ahead_m, mps, along_mps) =
                    (rng.between(5.0, 90.0), rng.between(3.0, 11.0), rng.between(-6.0, 3.0));
                let crosser: Vec<Vec2> = (0..path.len())
                    .map(|i| {
                        let s = (i as f64 - at as f64) * STEP_S;
                        path[at] + course * (ahead_m + along_mps * s) + across * (mps * s)
                    })
                    .collect();
                let at_s = at as f64 * STEP_S;
                self.report_path(&format!("crosser-{n}-{k}"), None, &crosser, at_s - 12.0, at_s + 12.0, rng, with);
            }
        }
    }

    /// Round the lake on bends, now and then slowly, mostly fast enough to ski.
    fn tower_path(&mut self, end_s: f64, rng: &mut Rng) -> Vec<Vec2> {
        let mut at = self.lakes[0].inside(rng.between(0.0, 6.3), rng.between(0.2, 0.8));
        let (mut goal, mut speed_mps, mut wanted_mps) = (at, 0.0_f64, 2.0);
        let mut angle = rng.between(0.0, 6.3);
        let mut path = Vec::new();
        for step in 0..(end_s / STEP_S) as usize {
            if step % 200 == 0 {
                wanted_mps = rng.pick(&[0.0, 3.0, 8.0, 9.0, 10.0, 11.0, 13.0]);
            }
            speed_mps += (wanted_mps - speed_mps).clamp(-2.0 * STEP_S, 2.0 * STEP_S);
            if (goal - at).norm() < 15.0 {
                goal = self.lakes[0].inside(rng.between(0.0, 6.3), rng.between(0.3, 0.95));
            }
            let wanted = (goal - at).north_m.atan2((goal - at).east_m);
            let off = (wanted - angle + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
            angle += off.clamp(-0.6 * STEP_S, 0.6 * STEP_S);
            at = at + polar(angle, speed_mps * STEP_S);
            path.push(at);
        }
        path
    }

    /// Fixes along a path.
    #[allow(clippy::too_many_arguments)]
    fn report_path(
        &mut self,
        name: &str,
        towed_by: Option<&str>,
        path: &[Vec2],
        from_s: f64,
        to_s: f64,
        rng: &mut Rng,
        with: &Ingredients,
    ) {
        let pace_s = rng.pick(&[0.2, 0.5, 1.0, 1.0, 1.0, 3.0, 5.0]);
        let (has_sog, has_cog, accuracy_m) = (rng.chance(0.5), rng.chance(0.5), rng.pick(&[None, None, Some(3.0)]));
        let is_sparse = with.gaps && rng.chance(0.15);
        let mut t_s = from_s.max(0.0) + rng.between(0.0, 1.0);
        while t_s < to_s.min((path.len() - 2) as f64 * STEP_S) {
            let i = (t_s / STEP_S) as usize;
            let way = path[i + 1] - path[i];
            self.messages.push(Message {
                at_ms: (t_s * 1000.0).round() as i64,
                says: Says::Fix(Plot {
                    vessel: name.to_owned(),
                    at: path[i] + way * (t_s / STEP_S - i as f64),
                    sog_kn: has_sog.then_some(rounded(way.norm() / STEP_S / 0.514_444, 2)),
                    cog_deg: way.bearing_deg().filter(|_| has_cog).map(|deg| rounded(deg, 1) % 360.0),
                    accuracy_m,
                    nav_status: None,
                    towed_by: towed_by.map(str::to_owned),
                }),
            });
            t_s += if is_sparse { rng.between(20.0, 30.0) } else { pace_s * rng.between(0.6, 1.4) };
            if with.gaps && rng.chance(0.015) {
                t_s += rng.between(5.0, 40.0);
            }
        }
    }

    /// What a crew says: takes up the tow, the skier comes up, falls, comes up again, the tow is ended and taken up again.
    fn crew(&mut self, tower: &str, rope_m: Option<f64>, end_s: f64, rng: &mut Rng) {
        let mut t_s = rng.between(-20.0, 20.0);
        let mut state = "down";
        while t_s < end_s {
            let mut says = match state {
                "none" => json!({"towing": null}),
                state => json!({"towing": {"state": state, "rope_m": rope_m}}),
            };
            if rng.chance(0.3) {
                says["observer_age"] = rng.pick(&[Value::Null, json!(9), json!(34)]);
            }
            if rng.chance(0.3) {
                says["warning_flag"] = json!(rng.chance(0.5));
            }
            let vessel = tower.to_owned();
            self.messages.push(Message { at_ms: (t_s * 1000.0) as i64, says: Says::Tells { vessel, says } });
            (state, t_s) = match state {
                "none" => (rng.pick(&["down", "up"]), t_s + rng.between(1.0, 15.0)),
                "down" => ("up", t_s + rng.between(2.0, 12.0)),
                _ => (rng.pick(&["down", "none", "up"]), t_s + rng.between(20.0, 90.0)),
            };
        }
    }
}

/// The path of a weight that is drawn behind a path on a rope.
fn behind(path: &[Vec2], rope_m: f64) -> Vec<Vec2> {
    let mut at = path[0] - v(rope_m, 0.0);
    path.iter()
        .map(|boat| {
            let away = at - *boat;
            if away.norm() > rope_m {
                at = *boat + away * (rope_m / away.norm());
            }
            at
        })
        .collect()
}
