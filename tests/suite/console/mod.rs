//! The console over HTTP, on a daemon with a small lake.

mod accepted; // whose word it is that a warning may stand
mod access; // who may do what
mod area; // findings of a part of the waters
mod coming; // maps that are published for a later day
mod drafted; // a past period under a draft of the map
mod judged; // for how long boats were judged, and whether sources are heard
mod live; // what is seen live, and what people state
mod outcomes; // what becomes of findings, streams that are taken up again, a restart in between
mod roles; // every route: who may ask, how much, and what is written down of it
mod rulebooks; // the rulebooks that were in force
mod stream; // the compact form of the stream, and how much it is
mod vessels; // the list of vessels, and the record of one

mod wall; // the display on a wall, where boats have no names

use std::time::{Duration, Instant};

use buoyline::config::Config;
use buoyline::console::{self, FirstLogin, Settings};
use buoyline::replay::player::Line;
use buoyline::serve::{self, Running};
use buoyline::store::Sqlite;
use buoyline::time::EventTime;
use serde_json::{Value, json};

use crate::support::http::Client;
use crate::support::{scratch, stage};

/// A square lake of about two kilometres with a dock in its middle.
const LAKE: &str = r#"{"type":"FeatureCollection","features":[
{"type":"Feature","id":"long-lake","properties":{"kind":"waterway","name":"Long Lake"},"geometry":{"type":"Polygon",
 "coordinates":[[[-117.42,47.60],[-117.39,47.60],[-117.39,47.62],[-117.42,47.62],[-117.42,47.60]]]}},
{"type":"Feature","id":"D-19","properties":{"kind":"dock"},"geometry":{"type":"LineString",
 "coordinates":[[-117.405,47.6095],[-117.405,47.6105]]}}]}"#;

/// A daemon with a console, in a folder that outlives it.
struct Lake {
    folder: tempfile::TempDir,
}

impl Lake {
    fn new() -> Self {
        let folder = scratch();
        std::fs::write(folder.path().join("lake.geojson"), LAKE).expect("a map");
        std::fs::write(folder.path().join("rules.toml"), buoyline::rulebook::SHIPPED[0].1).expect("a rulebook");
        Self { folder }
    }

    fn config(&self) -> Config {
        let at = |name: &str| self.folder.path().join(name).display().to_string();
        let text = format!(
            "zones = [{:?}]\nrules = {:?}\n[store]\npath = {:?}\ndurable = \"system\"\n[http]\nlisten = \"127.0.0.1:0\"\n",
            at("lake.geojson"),
            at("rules.toml"),
            at("store.db")
        );
        let mut config = Config::from_toml("test.toml", &text).expect("settings");
        config.broker.listen.set_port(0);
        config
    }

    /// Starts it; with the login of the first admin, where one was made.
    async fn start(&self, is_open: bool) -> (Running, Option<FirstLogin>) {
        let config = self.config();
        let settings = Settings { is_open, ..Settings::of(&config) };
        let mut first = None;
        let running = serve::start_with(&config, |desk| {
            let (pages, made) = console::open(desk, settings)?;
            first = made;
            Ok(pages)
        });
        (running.await.expect("a daemon"), first)
    }

    fn store(&self) -> Sqlite {
        Sqlite::open_to_read(&self.folder.path().join("store.db")).expect("a store")
    }
}

fn client(running: &Running) -> Client {
    Client::new(running.http_address().expect("it listens"))
}

/// Somebody at the machine of an open console.
async fn at_home(running: &Running) -> Client {
    let client = client(running);
    let csrf = client.get("/api/v1/me").await.with(200).json()["csrf"].as_str().expect("a value").to_owned();
    client.with("x-buoyline-csrf", &csrf)
}

fn now() -> EventTime {
    EventTime::from_chrono(chrono::Utc::now()).expect("a time of today")
}

/// A fix as a tracker publishes it, so many seconds from `t`; a second of latitude is 30.9 m.
fn fix(vessel: &str, t: EventTime, lat: f64, lon: f64, sog_kn: f64) -> Line {
    let payload = json!({ "t": t, "lat": lat, "lon": lon, "sog_kn": sog_kn, "accuracy_m": 2 }).to_string();
    Line { at_s: 0.0, topic: format!("buoyline/vessels/{vessel}/fix"), payload, retain: false }
}

/// A boat that goes north at 20 knots past a place in a second's steps, and is there at `t`.
fn pass(vessel: &str, t: EventTime, lat: f64, lon: f64, seconds: i32) -> Vec<Line> {
    let step_deg = 20.0 * 1852.0 / 3600.0 / 111_180.0;
    let at = |s: i32| {
        let s = f64::from(s);
        fix(vessel, t.plus_seconds(s), lat + s * step_deg, lon, 20.0)
    };
    (-seconds..=seconds).map(at).collect()
}

async fn publish(running: &Running, lines: Vec<Line>) {
    stage::play(running, &lines).await;
}

/// Asks until the answer is as wanted.
async fn until(client: &Client, path: &str, mut is_wanted: impl FnMut(&Value) -> bool) -> Value {
    let since = Instant::now();
    loop {
        let answer = client.get(path).await.with(200).json();
        if is_wanted(&answer) {
            return answer;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "{path}: {answer}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
