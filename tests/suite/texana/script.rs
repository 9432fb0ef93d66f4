//! The scene on Lake Texana as it was made up: who is there, which way they go, what their trackers say of it.
//!
//! The ski boat's motion comes first, steered along waypoints with limits on acceleration and rate of turn; the
//! others are laid out against it. Then every boat is seen once a second through a receiver with errors.

use std::fmt::Write as _;

use buoyline::geo::{LocalFrame, Position, Vec2};
use buoyline::time::EventTime;

use crate::odds::world::Dice;

/// A Saturday afternoon in summer.
const START: &str = "2016-07-16T20:00:00Z";
/// Steps of the simulation, seconds.
const STEP_S: f64 = 0.1;
/// The way round the reach above the south basin, counterclockwise: up along the east shore, across, down along the west.
const ROUND: &[(f64, f64)] = &[
    (28.9310, -96.5263),
    (28.9340, -96.5271),
    (28.9380, -96.5259),
    (28.9420, -96.5281),
    (28.9460, -96.5262),
    (28.9485, -96.5258),
    (28.9500, -96.5285),
    (28.9495, -96.5330),
    (28.9465, -96.5352),
    (28.9420, -96.5354),
    (28.9385, -96.5364),
    (28.9365, -96.5368),
    (28.9345, -96.5390),
];
/// Where the ski boat lies at first, off the east shore.
const BASE: (f64, f64) = (28.9300, -96.5262);
/// Where an angler lies at anchor, beside the way of the skiers.
const ANCHORAGE: (f64, f64) = (28.9440, -96.5288);
/// Before which place of the way the skier falls.
const FELL_AT: usize = 9;
/// Speed with a skier up, m/s (21 mph).
const SKI_MPS: f64 = 9.4;
/// Rope length, metres (70 ft).
const ROPE_M: f64 = 21.3;

fn frame() -> LocalFrame {
    LocalFrame::at(Position::from_lat_lon(28.94, -96.53).expect("a place"))
}

fn plane((lat_deg, lon_deg): (f64, f64)) -> Vec2 {
    frame().to_plane(Position::from_lat_lon(lat_deg, lon_deg).expect("a place"))
}

fn unit(v: Vec2) -> Vec2 {
    v * (1.0 / v.norm().max(1e-9))
}

/// A true motion: position and speed at every step, from `from_s` after the start of the scene on.
struct Sailed {
    from_s: f64,
    samples: Vec<(Vec2, f64)>,
}

impl Sailed {
    fn end_s(&self) -> f64 {
        self.from_s + (self.samples.len() - 1) as f64 * STEP_S
    }

    fn at(&self, s: f64) -> (Vec2, f64) {
        let step = ((s - self.from_s) / STEP_S).round().max(0.0) as usize;
        self.samples[step.min(self.samples.len() - 1)]
    }

    fn course(&self, s: f64) -> Vec2 {
        unit(self.at(s + 1.0).0 - self.at(s - 1.0).0)
    }
}

/// A boat under way.
struct Helm {
    at: Vec2,
    course: Vec2,
    mps: f64,
    sailed: Vec<(Vec2, f64)>,
}

impl Helm {
    fn new(at: Vec2, toward: Vec2) -> Self {
        Self { at, course: unit(toward - at), mps: 0.0, sailed: vec![(at, 0.0)] }
    }

    fn now_s(&self) -> f64 {
        (self.sailed.len() - 1) as f64 * STEP_S
    }

    /// One step toward a point, at a speed, with at most that much acceleration.
    fn step(&mut self, toward: Vec2, wanted_mps: f64, mps2: f64) {
        self.mps += (wanted_mps - self.mps).clamp(-1.5 * STEP_S, mps2 * STEP_S);
        let wanted = unit(toward - self.at);
        let off = libm::atan2(self.course.cross(wanted), self.course.dot(wanted));
        // Never harder round than a quarter of a turn in four seconds, nor than half a g.
        let rate_max = 0.4_f64.min(2.5 / self.mps.max(0.5));
        let turn = (0.8 * off).clamp(-rate_max, rate_max) * STEP_S;
        let (sin, cos) = libm::sincos(turn);
        let c = self.course;
        self.course = Vec2::new(c.east_m * cos - c.north_m * sin, c.east_m * sin + c.north_m * cos);
        self.at = self.at + self.course * (self.mps * STEP_S);
        self.sailed.push((self.at, self.mps));
    }

    /// Along waypoints, each until it is near, then on to the next.
    fn along(&mut self, way: &[Vec2], mps: f64, mps2: f64, until_s: f64) {
        for &point in way {
            while (point - self.at).norm() > 45.0 {
                if self.now_s() >= until_s {
                    return;
                }
                self.step(point, mps, mps2);
            }
        }
    }

    fn stay(&mut self, span_s: f64) {
        let until_s = self.now_s() + span_s;
        while self.now_s() < until_s {
            self.step(self.at + self.course, 0.0, 1.0);
        }
    }
}

/// What a crew declares at a time.
struct Says(f64, &'static str, String);

/// Two runs with a skier: once round counterclockwise with a fall on the way, then another one clockwise.
fn ski_boat() -> (Sailed, Vec<Says>, [f64; 3]) {
    let round: Vec<Vec2> = ROUND.iter().map(|&p| plane(p)).collect();
    let mut helm = Helm::new(plane(BASE), round[0]);
    let mut says = Vec::new();
    let mut say = |s: f64, what: &str| says.push(Says(s, "ski-boat", what.to_owned()));
    let down = format!(r#""towing":{{"state":"down","rope_m":{ROPE_M},"persons":1}}"#);
    let up = format!(r#""towing":{{"state":"up","rope_m":{ROPE_M},"persons":1}}"#);

    say(0.0, r#""observer_age":24,"warning_flag":false"#);
    helm.stay(30.0);
    say(helm.now_s(), &format!(r#"{down},"warning_flag":true"#));
    helm.stay(35.0);
    say(helm.now_s(), &format!(r#"{up},"warning_flag":false"#));
    let first_s = helm.now_s();
    helm.along(&round[..FELL_AT], SKI_MPS, 2.0, f64::INFINITY);
    // The skier falls; the boat turns round and comes back slowly.
    say(helm.now_s(), &format!(r#"{down},"warning_flag":true"#));
    let fell = helm.at - helm.course * ROPE_M;
    let beside = fell + Vec2::new(-25.0, 0.0);
    while (beside - helm.at).norm() > 8.0 {
        let wanted_mps = if (beside - helm.at).norm() > 60.0 { 5.0 } else { 1.6 };
        helm.step(beside, wanted_mps, 1.0);
    }
    helm.stay(40.0);
    say(helm.now_s(), &format!(r#"{up},"warning_flag":false"#));
    helm.along(&round[FELL_AT..], SKI_MPS, 2.0, f64::INFINITY);
    say(helm.now_s(), r#""towing":null"#);
    helm.stay(120.0);
    // The second skier, the other way round.
    say(helm.now_s(), &format!(r#"{down},"warning_flag":true"#));
    helm.stay(30.0);
    say(helm.now_s(), &format!(r#"{up},"warning_flag":false"#));
    let second_s = helm.now_s();
    let back: Vec<Vec2> = round.iter().rev().skip(1).copied().collect();
    helm.along(&back, SKI_MPS, 2.0, second_s + 420.0);
    let end_s = helm.now_s();
    say(end_s, r#""towing":null"#);
    helm.stay(40.0);
    (Sailed { from_s: 0.0, samples: helm.sailed }, says, [first_s, second_s, end_s])
}

/// A boat in the wake of another: so many metres behind along its way, as `gap_m` says at each time.
fn follower(leader: &Sailed, from_s: f64, until_s: f64, gap_m: impl Fn(f64) -> f64) -> Sailed {
    let mut cumulated = vec![0.0];
    for w in leader.samples.windows(2) {
        cumulated.push(cumulated[cumulated.len() - 1] + (w[1].0 - w[0].0).norm());
    }
    let index = |s: f64| (((s - leader.from_s) / STEP_S).round() as usize).min(leader.samples.len() - 1);
    let behind = |s: f64, gap_m: f64| {
        let along_m = (cumulated[index(s)] - gap_m).max(0.0);
        leader.samples[cumulated.partition_point(|&m| m < along_m).min(leader.samples.len() - 1)].0
    };
    // A little beside the wake, where the water is smoother.
    let aside = Vec2::new(3.0, -2.0);
    let steps = ((until_s - from_s) / STEP_S) as usize;
    let places: Vec<Vec2> =
        (0..=steps).map(|i| from_s + i as f64 * STEP_S).map(|s| behind(s, gap_m(s)) + aside).collect();
    let speed = |i: usize| {
        let (before, after) = (i.saturating_sub(5), (i + 5).min(steps));
        (places[after] - places[before]).norm() / ((after - before) as f64 * STEP_S)
    };
    Sailed { from_s, samples: (0..=steps).map(|i| (places[i], speed(i))).collect() }
}

/// A boat on a straight way that is at a place at a time; in the end it slows down and lies still for a while.
fn straight(through: Vec2, at_s: f64, velocity: Vec2, lasting_s: f64) -> Sailed {
    let from_s = at_s - 0.5 * lasting_s;
    let mut helm = Helm::new(through - velocity * (0.5 * lasting_s), through);
    helm.mps = velocity.norm();
    while helm.now_s() < lasting_s {
        helm.step(helm.at + velocity, velocity.norm(), 1.0);
    }
    helm.stay(100.0);
    let mut samples = helm.sailed;
    samples[0].1 = velocity.norm();
    Sailed { from_s, samples }
}

/// A gap that is held, then closed to another, held, and opened again, each change in some seconds.
fn gap(s: f64, close_s: f64, open_s: f64, [far_m, near_m]: [f64; 2]) -> f64 {
    let eased = |s: f64| {
        let u = (s / 25.0).clamp(0.0, 1.0);
        u * u * (3.0 - 2.0 * u)
    };
    far_m + (near_m - far_m) * (eased(s - close_s) - eased(s - open_s))
}

/// The recording, a message a line.
pub fn recording() -> String {
    let (ski_boat, says, [first_s, second_s, end_s]) = ski_boat();
    let mut lines: Vec<(f64, usize, String)> = Vec::new();
    let start = EventTime::parse_rfc3339(START).expect("a time");
    let mut put = |s: f64, line: String| {
        let number = lines.len();
        lines.push((s, number, line));
    };
    for Says(s, vessel, what) in says {
        let t = start.plus_seconds(s);
        put(s, format!(r#"{{"type":"activity","vessel":"{vessel}","t":"{t}",{what}}}"#));
    }

    // Somebody watches from well behind, comes too near for half a minute, and drops back.
    let near_s = first_s + 150.0;
    let watcher =
        follower(&ski_boat, first_s + 40.0, first_s + 260.0, |s| gap(s, near_s, near_s + 55.0, [150.0, 68.0]));
    // A boat crosses close ahead, later one that leaves room.
    let across = |s: f64, ahead_m: f64, mps: f64| {
        let (at, _) = ski_boat.at(s);
        let course = ski_boat.course(s);
        straight(at + course * ahead_m, s, Vec2::new(course.north_m, -course.east_m) * -mps, 60.0)
    };
    let crosser = across(first_s + 268.0, 15.0, 8.0);
    let careful = across(second_s + 225.0, 120.0, 7.0);
    // A water scooter comes the other way and passes the skier close.
    let passing_s = second_s + 105.0;
    let skier = ski_boat.at(passing_s).0 - ski_boat.course(passing_s) * ROPE_M;
    let course = ski_boat.course(passing_s);
    let scooter = straight(skier + Vec2::new(course.north_m, -course.east_m) * 17.0, passing_s, course * -11.0, 70.0);

    let mut dice = Dice(1);
    let boats: [(&str, &Sailed); 5] = [
        ("ski-boat", &ski_boat),
        ("watcher", &watcher),
        ("crosser", &crosser),
        ("careful", &careful),
        ("scooter", &scooter),
    ];
    for (vessel, sailed) in boats {
        for (s, line) in seen(vessel, sailed, 1.0, start, &mut dice) {
            put(s, line);
        }
    }
    let still = Sailed { from_s: 0.0, samples: vec![(plane(ANCHORAGE), 0.0); (end_s / STEP_S) as usize] };
    for (s, line) in seen("angler", &still, 10.0, start, &mut dice) {
        put(s, line.replace("}", r#","nav_status":"anchored"}"#));
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    lines.into_iter().map(|(_, _, line)| line + "\n").collect()
}

/// What a receiver says of a motion: errors of two metres (68 %), half of their variance lasting for about a minute.
fn seen(vessel: &str, sailed: &Sailed, every_s: f64, start: EventTime, dice: &mut Dice) -> Vec<(f64, String)> {
    const ACCURACY_M: f64 = 2.0;
    let sigma_m = ACCURACY_M / (-2.0 * libm::log(0.32)).sqrt();
    let share = 0.5_f64.sqrt();
    let kept = libm::exp(-every_s / 60.0);
    let mut lasting = dice.normal_pair();
    let mut out = Vec::new();
    let mut s = ((sailed.from_s + dice.between(0.0, 1.0)) * 10.0).round() / 10.0;
    while s < sailed.end_s() {
        let (at, mps) = sailed.at(s);
        let error = (lasting * share + dice.normal_pair() * share) * sigma_m;
        let place = frame().to_position(at + error).expect("a place");
        let sog_kn = (mps + dice.normal() * 0.1).max(0.0) / 0.514_444;
        let mut line = String::new();
        let t = start.plus_seconds(s);
        let _ = write!(
            line,
            r#"{{"type":"fix","vessel":"{vessel}","t":"{t}","lat":{:.6},"lon":{:.6},"sog_kn":{sog_kn:.1},"accuracy_m":2}}"#,
            place.lat_deg(),
            place.lon_deg(),
        );
        out.push((s, line));
        lasting = lasting * kept + dice.normal_pair() * (1.0 - kept * kept).sqrt();
        s += every_s;
    }
    out
}
