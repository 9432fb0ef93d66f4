//! The compact form of the stream: how much it is for a whole lake of boats, and for a phone's view of it.

use std::collections::BTreeMap;

use buoyline::time::EventTime;
use serde_json::Value;

use super::{Lake, at_home, fix, now, publish};
use crate::support::http::PackedEvents;
use crate::support::rng::Rng;

const BOATS: usize = 2_000;
/// Seconds of boats under way.
const SECONDS: i64 = 4;
/// What a second may take at most of a whole lake, and of a phone's view, bytes.
const LAKE_BYTES: usize = 40_000;
const PHONE_BYTES: usize = 3_000;
/// A fifth of the lake in either direction.
const PHONE: [f64; 4] = [-117.410, 47.606, -117.404, 47.610];

/// Boats that go their ways, with the errors of their receivers; no faster than is lawful by night, or the hour at which
/// this runs would decide how many findings come on top.
struct Fleet {
    rng: Rng,
    /// Latitude, longitude, course in degrees and speed in knots.
    boats: Vec<[f64; 4]>,
}

impl Fleet {
    fn new() -> Self {
        let mut rng = Rng::new(9);
        let boat = |rng: &mut Rng| {
            [
                rng.between(47.602, 47.618),
                rng.between(-117.418, -117.392),
                rng.between(0.0, 360.0),
                rng.between(2.0, 12.0),
            ]
        };
        let boats = (0..BOATS).map(|_| boat(&mut rng)).collect();
        Self { rng, boats }
    }

    /// All boats a second later, each at its own instant of it.
    fn second(&mut self, t: EventTime) -> Vec<buoyline::replay::player::Line> {
        let Self { rng, boats } = self;
        let mut lines = Vec::new();
        for (i, [lat, lon, course, speed_kn]) in boats.iter_mut().enumerate() {
            *course += rng.between(-3.0, 3.0);
            *speed_kn = (*speed_kn + rng.between(-0.3, 0.3)).clamp(1.0, 12.5);
            let step_deg = *speed_kn * 0.5144 / 111_180.0;
            *lat = (*lat + step_deg * course.to_radians().cos()).clamp(47.601, 47.619);
            *lon = (*lon + step_deg * course.to_radians().sin() / 0.674).clamp(-117.419, -117.391);
            let mut off = || rng.between(-3e-6, 3e-6);
            let (lat, lon) = (*lat + off(), *lon + off());
            let t = t.plus_seconds((i % 10) as f64 * 0.1);
            lines.push(fix(&format!("boat-{i:04}"), t, lat, lon, (*speed_kn * 10.0).round() / 10.0));
        }
        lines
    }
}

/// Who follows a stream, as far as the times of boats go.
struct Follower {
    events: PackedEvents,
    t_ms: BTreeMap<i64, i64>,
    updates: usize,
}

impl Follower {
    fn new(events: PackedEvents) -> Self {
        Self { events, t_ms: BTreeMap::new(), updates: 0 }
    }

    async fn hear(&mut self) {
        let fleet = self.events.next("fleet").await;
        let list = |value: &Value| value.as_array().expect("a list").iter().map(Value::as_i64).collect::<Vec<_>>();
        let (steps, changes) = (list(&fleet["n"]), list(&fleet["changes"]["t_ms"]));
        assert_eq!(steps.len(), changes.len());
        self.updates += steps.len();
        let mut n = 0;
        for (step, change) in steps.iter().zip(changes) {
            n += step.expect("a step");
            *self.t_ms.entry(n).or_default() += change.expect("every boat has a time");
        }
    }

    /// Listens until so many boats were heard since an instant.
    async fn until(&mut self, t: EventTime, boats: usize) {
        while self.t_ms.values().filter(|ms| **ms >= t.unix_ms()).count() < boats {
            self.hear().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_boats_fit_through_a_thin_line() {
    let lake = Lake::new();
    let (running, _) = lake.start(true).await;
    let home = at_home(&running).await;
    for wrong in ["a,1,2,3,4", "1,2,3", "1,5,3,4"] {
        let refused = home.get(&format!("/api/v1/waterways/long-lake/stream?bbox={wrong}")).await.with(400).json();
        assert_eq!(refused["place"], "bbox", "{refused}");
    }
    home.get("/api/v1/waterways/long-lake/stream?form=tiny").await.with(400);

    let mut fleet = Fleet::new();
    let start = now().plus_seconds(-60.0);
    publish(&running, fleet.second(start)).await;
    let path = "/api/v1/waterways/long-lake/stream?form=compact";
    let mut whole = Follower::new(home.listen_packed(path).await);
    whole.until(start, BOATS).await;
    let [west, south, east, north] = PHONE;
    let mut phone = Follower::new(home.listen_packed(&format!("{path}&bbox={west},{south},{east},{north}")).await);
    phone.hear().await;
    let of_first = [whole.events.bytes, phone.events.bytes];
    (whole.updates, phone.updates) = (0, 0);
    let in_view = phone.t_ms.len();
    assert!((50..200).contains(&in_view), "{in_view} boats make a poor view");
    for second in 1..=SECONDS {
        let t = start.plus_seconds(second as f64);
        publish(&running, fleet.second(t)).await;
        whole.until(t, BOATS).await;
        phone.until(t, in_view * 9 / 10).await;
    }
    let [whole_bytes, phone_bytes] = [whole.events.bytes - of_first[0], phone.events.bytes - of_first[1]];
    let (a_second, of_phone) = (whole_bytes * BOATS / whole.updates, phone_bytes / SECONDS as usize);
    println!("{BOATS} boats: at first {} bytes, then {a_second} a second; {in_view} in view: {of_phone}", of_first[0]);
    assert!(a_second <= LAKE_BYTES, "{a_second} bytes a second of {BOATS} boats");
    assert!(of_phone <= PHONE_BYTES, "{of_phone} bytes a second of {in_view} boats");
    running.stop().await.expect("it stops");
}
