//! A made-up lake of any size and the boats on it: seeded, the same on every machine.
//!
//! The shore is a fractal in polar coordinates, an edge of about ten metres a segment; one in twenty
//! segments belongs to a dock, one in fifty is a float. The boats are hard on the judge: most keep near the
//! shore, 35 % lie still, 20 % idle, 45 % run at 7 to 20 m/s and slow down near the shore, but for one in
//! fourteen. About one fix in three is within 50 ft of something, one in three faster than 5 mph, one in
//! forty both; the table says how many.

use std::f64::consts::TAU;
use std::fmt::Write as _;

/// Splitmix64: small, good enough, the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// Evenly between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }
    /// About normal: the sum of four.
    pub fn normal(&mut self) -> f64 {
        (0..4).map(|_| self.unit()).sum::<f64>() - 2.0
    }
}

const LAT: f64 = 47.66;
const LON: f64 = -117.43;
const NORTH_M_PER_DEG: f64 = 111_190.0;

/// The shore as a radius at evenly spaced angles.
pub struct Lake {
    radius_m: Vec<f64>,
}

impl Lake {
    /// A lake whose map has about `segments` edges.
    pub fn of(segments: usize, seed: u64) -> Self {
        let count = segments * 9 / 10;
        let mut random = Random::new(seed);
        let mean_m = count as f64 * 10.0 / TAU / 1.6;
        // Midpoint displacement on a circle, from 16 points down to single ones.
        let levels = (count as f64 / 16.0).log2().ceil() as u32;
        let fine = 16 << levels;
        let mut radius_m = vec![mean_m; fine];
        let mut step = fine / 16;
        // As ragged in the small whatever the size: about this much at the finest level.
        let mut height_m = 2.5 * 0.59_f64.powi(-(levels as i32));
        for i in (0..fine).step_by(step) {
            radius_m[i] += height_m * random.normal();
        }
        while step > 1 {
            let half = step / 2;
            height_m *= 0.59;
            for i in (0..fine).step_by(step) {
                radius_m[i + half] = 0.5 * (radius_m[i] + radius_m[(i + step) % fine]) + height_m * random.normal();
            }
            step = half;
        }
        let picked = (0..count).map(|i| radius_m[i * fine / count].max(0.2 * mean_m)).collect();
        Self { radius_m: picked }
    }

    fn shore_m(&self, angle: f64) -> f64 {
        let n = self.radius_m.len();
        let x = angle.rem_euclid(TAU) / TAU * n as f64;
        let (i, f) = (x as usize % n, x.fract());
        self.radius_m[i] * (1.0 - f) + self.radius_m[(i + 1) % n] * f
    }

    fn degrees(east_m: f64, north_m: f64) -> (f64, f64) {
        (LAT + north_m / NORTH_M_PER_DEG, LON + east_m / (NORTH_M_PER_DEG * LAT.to_radians().cos()))
    }

    fn place(angle: f64, radius_m: f64) -> (f64, f64) {
        Self::degrees(radius_m * angle.cos(), radius_m * angle.sin())
    }

    /// The map as GeoJSON.
    pub fn geojson(&self) -> String {
        let n = self.radius_m.len();
        let mut text = String::with_capacity(n * 36);
        let put = |text: &mut String, angle: f64, radius_m: f64| {
            let (lat, lon) = Self::place(angle, radius_m);
            let _ = write!(text, "[{lon:.7},{lat:.7}]");
        };
        text.push_str("{\"type\":\"FeatureCollection\",\"features\":[\n{\"type\":\"Feature\",\"id\":\"lake\",\"properties\":{\"kind\":\"waterway\"},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[");
        for i in 0..=n {
            if i > 0 {
                text.push(',');
            }
            put(&mut text, (i % n) as f64 / n as f64 * TAU, self.radius_m[i % n]);
        }
        text.push_str("]]}}");
        for i in (0..n).step_by(80) {
            let (angle, shore_m) = (i as f64 / n as f64 * TAU, self.radius_m[i]);
            let wide = 3.0 / shore_m;
            let _ = write!(
                text,
                ",\n{{\"type\":\"Feature\",\"id\":\"dock-{i}\",\"properties\":{{\"kind\":\"dock\"}},\"geometry\":{{\"type\":\"Polygon\",\"coordinates\":[["
            );
            for (k, (a, r)) in [(0.0, 0.0), (wide, 0.0), (wide, 20.0), (0.0, 20.0), (0.0, 0.0)].into_iter().enumerate()
            {
                if k > 0 {
                    text.push(',');
                }
                put(&mut text, angle + a, shore_m + 2.0 - r);
            }
            text.push_str("]]}}");
        }
        for i in (0..n).step_by(50) {
            let (angle, shore_m) = (i as f64 / n as f64 * TAU, self.radius_m[i]);
            let _ = write!(
                text,
                ",\n{{\"type\":\"Feature\",\"id\":\"buoy-{i}\",\"properties\":{{\"kind\":\"float\"}},\"geometry\":{{\"type\":\"Point\",\"coordinates\":"
            );
            put(&mut text, angle, shore_m - 40.0);
            text.push_str("}}");
        }
        text.push_str("\n]}\n");
        text
    }

    /// A recording of `vessels` boats of `seconds` fixes each at one a second, as NDJSON in order of time.
    pub fn recording(&self, vessels: usize, seconds: usize, seed: u64) -> String {
        let mut random = Random::new(seed);
        let mut boats: Vec<Boat> = (0..vessels).map(|i| Boat::new(i, self, &mut random)).collect();
        let mut text = String::with_capacity(vessels * seconds * 200);
        for second in 0..seconds {
            for boat in &mut boats {
                boat.step(self, &mut random);
                let (lat, lon) = Self::degrees(boat.east_m, boat.north_m);
                let t = 1_783_270_800_000 + second as i64 * 1000 + boat.phase_ms;
                let _ = writeln!(
                    text,
                    "{{\"type\":\"fix\",\"vessel\":\"boat-{:04}\",\"t\":\"{}\",\"lat\":{lat:.7},\"lon\":{lon:.7},\"sog_kn\":{:.2},\"cog_deg\":{:.1},\"heading_deg\":{:.1},\"accuracy_m\":3.0,\"nav_status\":\"under_way\"}}",
                    boat.number,
                    buoyline::time::EventTime::from_unix_ms(t),
                    boat.speed_mps * 3600.0 / 1852.0,
                    boat.course.to_degrees().rem_euclid(360.0),
                    boat.course.to_degrees().rem_euclid(360.0),
                );
            }
        }
        text
    }
}

struct Boat {
    number: usize,
    phase_ms: i64,
    east_m: f64,
    north_m: f64,
    speed_mps: f64,
    cruise_mps: f64,
    careful: bool,
    /// Direction, radians clockwise from north.
    course: f64,
}

impl Boat {
    fn new(number: usize, lake: &Lake, random: &mut Random) -> Self {
        let angle = random.between(0.0, TAU);
        let off_m = if random.unit() < 0.35 { random.between(3.0, 15.0) } else { random.between(15.0, 400.0) };
        let radius_m = lake.shore_m(angle) - off_m;
        let what = random.unit();
        let cruise_mps = match what {
            w if w < 0.35 => 0.0,
            w if w < 0.55 => random.between(0.8, 2.0),
            _ => random.between(7.0, 20.0),
        };
        Self {
            number,
            phase_ms: number as i64 * 997 % 1000,
            east_m: radius_m * angle.cos(),
            north_m: radius_m * angle.sin(),
            speed_mps: cruise_mps,
            cruise_mps,
            careful: random.unit() < 0.93,
            course: random.between(0.0, TAU),
        }
    }

    fn step(&mut self, lake: &Lake, random: &mut Random) {
        if self.cruise_mps == 0.0 {
            // At a mooring: swinging by a few decimetres.
            self.east_m += 0.1 * random.normal();
            self.north_m += 0.1 * random.normal();
            self.speed_mps = 0.1 * random.unit();
            return;
        }
        let angle = self.north_m.atan2(self.east_m);
        let clear_m = lake.shore_m(angle) - self.east_m.hypot(self.north_m);
        // A careful boat begins to slow where it still can before the shore is near.
        let braking_m = 45.0 + 3.0 * self.speed_mps + self.speed_mps * self.speed_mps / 4.0;
        let wanted = if clear_m < braking_m && self.careful { self.cruise_mps.min(2.0) } else { self.cruise_mps };
        self.speed_mps += (wanted - self.speed_mps).clamp(-2.5, 1.5);
        self.course += 0.08 * random.normal();
        if clear_m < 12.0 {
            // Back towards the middle.
            self.course = (-self.east_m).atan2(-self.north_m) + 0.5 * random.normal();
        } else if clear_m > 400.0 {
            self.course = self.east_m.atan2(self.north_m) + 0.5 * random.normal();
        }
        self.east_m += self.speed_mps * self.course.sin();
        self.north_m += self.speed_mps * self.course.cos();
    }
}
