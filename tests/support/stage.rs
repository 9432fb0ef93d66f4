//! A random scenario as a daemon meets it: its map and rulebook in files, its messages on their topics.

use std::path::{Path, PathBuf};

use buoyline::config::Config;
use buoyline::replay::player::Line;
use buoyline::serve::{Endpoint, Player, Running};
use buoyline::store::Sqlite;
use serde_json::Value;

use super::scenario::{Ingredients, Scenario};
use super::scratch;
use super::site::Site;

/// When a scenario begins: never ahead of the clock, and not years ago. June 2025.
pub const BEGIN_UNIX_MS: i64 = 1_750_000_000_000;
/// Where it takes place.
pub const SITE: Site = Site::SPOKANE;

/// A scenario, and a folder with what a daemon needs.
pub struct Stage {
    folder: tempfile::TempDir,
    pub scenario: Scenario,
    /// What happens, as the lines of a recording.
    pub recording: Vec<String>,
    /// The same as messages.
    pub lines: Vec<Line>,
}

impl Stage {
    pub fn new(seed: u64) -> Self {
        let scenario = Scenario::random(seed, &Ingredients::ALL);
        let folder = scratch();
        let zones = folder.path().join("zones");
        std::fs::create_dir(&zones).expect("a folder");
        for file in scenario.zone_files(&SITE) {
            let name = Path::new(&file.name).file_name().expect("a name").to_owned();
            std::fs::write(zones.join(name), file.bytes).expect("a zone file");
        }
        std::fs::write(folder.path().join("rules.toml"), buoyline::rulebook::SHIPPED[0].1).expect("a rulebook");
        let recording = scenario.lines(&SITE, BEGIN_UNIX_MS);
        let lines = recording.iter().map(|line| live(line)).collect();
        Self { folder, scenario, recording, lines }
    }

    /// A file or folder of it.
    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Settings of a daemon on it, and more of them.
    pub fn config(&self, more: &str) -> Config {
        let text = format!(
            "zones = [{zones:?}]\nrules = {rules:?}\n{more}\n[store]\npath = {store:?}\ndurable = \"system\"\n\
             checkpoint_every = \"1 s\"\n[http]\nlisten = \"127.0.0.1:0\"\n",
            zones = self.at("zones"),
            rules = self.at("rules.toml"),
            store = self.at("store.db"),
        );
        let mut config = Config::from_toml("test.toml", &text).expect("settings");
        config.broker.listen.set_port(0);
        config
    }

    /// The store of a daemon on it.
    pub fn store(&self) -> Sqlite {
        Sqlite::open_to_read(&self.at("store.db")).expect("a store")
    }
}

/// A line of a recording as the message that it would have been.
pub fn live(line: &str) -> Line {
    let message: Value = serde_json::from_str(line).expect("JSON");
    let id = |key: &str| message[key].as_str().expect("an id").to_owned();
    let topic = match message["type"].as_str().expect("a type") {
        "fix" => format!("buoyline/vessels/{}/fix", id("vessel")),
        "activity" => format!("buoyline/vessels/{}/activity", id("vessel")),
        "vessel" => format!("buoyline/vessels/{}/profile", id("vessel")),
        "mark" => format!("buoyline/marks/{}", id("id")),
        "conditions" => format!("buoyline/conditions/{}", id("waterway")),
        other => panic!("no topic for {other}"),
    };
    Line { at_s: 0.0, topic, payload: line.to_owned(), retain: false }
}

/// Publishes lines to a daemon's own broker, as fast as they are acknowledged.
pub async fn play(running: &Running, lines: &[Line]) {
    let address = running.broker_address().expect("the broker runs");
    let player = Player {
        endpoint: Endpoint::plain(&address.ip().to_string(), address.port(), None),
        client_id: format!("player-{}", fastrand::u64(..)),
        speed: 0.0,
        lines: lines.into(),
    };
    player.play(&mut |_| {}).await.expect("all is acknowledged");
}
