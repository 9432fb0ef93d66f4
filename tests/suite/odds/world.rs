//! A lake with known truth: where things are, how a boat really moved, what its receiver said.

use buoyline::geo::{LocalFrame, Position, Vec2};
use buoyline::observation::Fix;
use buoyline::time::EventTime;

/// Within fifty feet, metres.
pub const FIFTY_FEET_M: f64 = 15.24;
/// Five and fifty miles an hour, m/s.
pub const FIVE_MPH: f64 = 5.0 * 0.447_04;
pub const FIFTY_MPH: f64 = 50.0 * 0.447_04;
/// Ten miles an hour, the limit of the drawn zone, m/s.
pub const TEN_MPH: f64 = 10.0 * 0.447_04;

/// Half the side of the lake, and the depth of it from its south shore, metres.
const HALF_M: f64 = 6000.0;
/// The buoy, the two ends of the pier and the corners of the speed zone, metres from the middle of the shore.
pub const BUOY: Vec2 = Vec2::new(0.0, 1500.0);
pub const PIER: [Vec2; 2] = [Vec2::new(1500.0, 1500.0), Vec2::new(1500.0, 1530.0)];
pub const ZONE: [Vec2; 2] = [Vec2::new(-2500.0, 1000.0), Vec2::new(-1500.0, 2000.0)];

/// The plane of the lake; its origin is on the south shore, north is the water.
pub fn frame() -> LocalFrame {
    LocalFrame::at(Position::from_lat_lon(47.7, -117.4).expect("a place"))
}

fn place(v: Vec2) -> [f64; 2] {
    let p = frame().to_position(v).expect("a place");
    [p.lon_deg(), p.lat_deg()]
}

/// The lake's zone file.
pub fn zones() -> Vec<u8> {
    let ring = |a: Vec2, b: Vec2| {
        let corners = [a, Vec2::new(b.east_m, a.north_m), b, Vec2::new(a.east_m, b.north_m), a];
        vec![corners.map(place)]
    };
    let feature = |kind: &str, id: &str, shape: &str, coordinates: serde_json::Value| {
        serde_json::json!({
            "type": "Feature", "id": id, "properties": { "kind": kind, "speed_limit": "10 mph" },
            "geometry": { "type": shape, "coordinates": coordinates },
        })
    };
    let lake = serde_json::json!(ring(Vec2::new(-HALF_M, 0.0), Vec2::new(HALF_M, 2.0 * HALF_M)));
    serde_json::json!({ "type": "FeatureCollection", "features": [
        feature("waterway", "lake", "Polygon", lake),
        feature("safety_buoy", "buoy", "Point", serde_json::json!(place(BUOY))),
        feature("dock", "pier", "LineString", serde_json::json!(PIER.map(place))),
        feature("speed_zone", "zone", "Polygon", serde_json::json!(ring(ZONE[0], ZONE[1]))),
    ]})
    .to_string()
    .into_bytes()
}

/// Numbers that look random and are the same every time (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[(self.between(0.0, choices.len() as f64) as usize).min(choices.len() - 1)]
    }

    /// Normally distributed about zero with deviation one.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(self.between(f64::MIN_POSITIVE, 1.0))).sqrt();
        radius * libm::cos(self.between(0.0, std::f64::consts::TAU))
    }

    pub fn normal_pair(&mut self) -> Vec2 {
        Vec2::new(self.normal(), self.normal())
    }
}

/// How finely true motion is known, seconds.
pub const STEP_S: f64 = 0.05;

/// A true motion: position and speed every [`STEP_S`].
#[derive(Clone, Default)]
pub struct Motion {
    pub samples: Vec<(Vec2, f64)>,
}

impl Motion {
    /// Sails from `at` on `heading_deg`; `helm` says at each instant the speed and the rate of turn, rad/s.
    pub fn sailed(at: Vec2, heading_deg: f64, span_s: f64, mut helm: impl FnMut(f64, Vec2) -> (f64, f64)) -> Self {
        let (mut at, mut heading) = (at, heading_deg.to_radians());
        let mut samples = Vec::new();
        for step in 0..=(span_s / STEP_S) as usize {
            let (speed_mps, turn) = helm(step as f64 * STEP_S, at);
            samples.push((at, speed_mps));
            let (sin, cos) = libm::sincos(heading + 0.5 * turn * STEP_S);
            at = at + Vec2::new(sin, cos) * (speed_mps * STEP_S);
            heading += turn * STEP_S;
        }
        Self { samples }
    }

    pub fn span_s(&self) -> f64 {
        (self.samples.len() - 1) as f64 * STEP_S
    }

    /// Whether `broken` holds at any sample from `from_s` to `to_s`.
    pub fn any(&self, from_s: f64, to_s: f64, mut broken: impl FnMut(Vec2, f64) -> bool) -> bool {
        let last = self.samples.len() - 1;
        let index = |s: f64| ((s / STEP_S).max(0.0) as usize).min(last);
        self.samples[index(from_s)..=index(to_s)].iter().any(|&(at, speed_mps)| broken(at, speed_mps))
    }
}

/// How a receiver's error goes on from fix to fix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Error {
    /// Each fix by itself.
    Independent,
    /// Half of the variance by itself, half of it lasting for about a minute.
    Realistic,
    /// The same at every fix.
    Lasting,
}

/// What a receiver is like.
#[derive(Clone, Copy, Debug)]
pub struct Receiver {
    pub error: Error,
    pub every_s: f64,
    /// What it says of its accuracy.
    pub accuracy_m: f64,
    /// How large its errors are, as a multiple of what it says.
    pub worse: f64,
    pub reports_speed: bool,
}

/// The share of the variance that lasts, and for how long, in [`Error::Realistic`].
const LASTING: f64 = 0.5;
const LASTING_S: f64 = 60.0;

/// What the receiver says of a motion that starts at `start`.
pub fn received(motion: &Motion, receiver: &Receiver, start: EventTime, dice: &mut Dice) -> Vec<Fix> {
    let frame = frame();
    let sigma_m = receiver.worse * receiver.accuracy_m / (-2.0 * libm::log(0.32)).sqrt();
    let (lasting, own) = match receiver.error {
        Error::Independent => (0.0, 1.0),
        Error::Realistic => (LASTING.sqrt(), (1.0 - LASTING).sqrt()),
        Error::Lasting => (1.0, 0.0),
    };
    let kept = if receiver.error == Error::Lasting { 1.0 } else { libm::exp(-receiver.every_s / LASTING_S) };
    let mut stays = dice.normal_pair();
    let mut fixes = Vec::new();
    let mut s = dice.between(0.0, receiver.every_s.min(motion.span_s()));
    while s <= motion.span_s() {
        let (at, speed_mps) = motion.samples[(s / STEP_S) as usize];
        let error = stays * lasting + dice.normal_pair() * own;
        let t = start.plus_seconds((s / STEP_S) as usize as f64 * STEP_S);
        let mut fix = Fix::new(t, frame.to_position(at + error * sigma_m).expect("a place"));
        fix.accuracy_m = Some(receiver.accuracy_m);
        if receiver.reports_speed {
            fix.sog_mps = Some((speed_mps + dice.normal() * (0.1 + 0.01 * speed_mps)).max(0.0));
        }
        fixes.push(fix);
        stays = stays * kept + dice.normal_pair() * (1.0 - kept * kept).sqrt();
        s += receiver.every_s;
    }
    fixes
}
