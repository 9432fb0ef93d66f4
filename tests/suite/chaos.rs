//! The daemon is killed without warning, again and again, and the broker restarted: each acknowledged fix is in the
//! store exactly once, and the findings are those of an undisturbed replay.
//!
//! The short form here runs with the embedded broker. `tests/chaos` runs the long one, against mosquitto as well.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use buoyline::observation::{Observation, VesselId};
use buoyline::replay::ReadOptions;
use buoyline::replay::player::{Line, Script};
use buoyline::serve::{Endpoint, Judge, Player};
use buoyline::store::{Content, Log, Sqlite};
use buoyline::time::EventTime;
use rumqttc::{AsyncClient, MqttOptions, Packet, QoS};
use serde_json::Value;

use crate::support::rng::Rng;
use crate::support::{scratch, tests_path};

/// How hard it is tried.
struct Trial {
    publishers: usize,
    fixes: usize,
    kills: usize,
    /// Whether an outside mosquitto carries the messages, and is restarted with every fifth kill.
    mosquitto: bool,
}

impl Trial {
    /// What the environment asks for, or the short form.
    fn from_environment() -> Self {
        let number = |name: &str, short| {
            std::env::var(name).map_or(short, |text| text.parse().unwrap_or_else(|_| panic!("{name} is {text}")))
        };
        Self {
            publishers: number("CHAOS_PUBLISHERS", 5),
            fixes: number("CHAOS_FIXES", 4_000),
            kills: number("CHAOS_KILLS", 4),
            mosquitto: std::env::var("CHAOS_BROKER").is_ok_and(|broker| broker == "mosquitto"),
        }
    }
}

/// A child process that does not outlive the test.
struct Process(Child);

impl Process {
    fn kill(&mut self) {
        // One that has ended by itself is found out by what is missing then.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    #[cfg(unix)]
    fn ask_to_end(&mut self) {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

struct Site {
    folder: tempfile::TempDir,
    port: u16,
    mosquitto: Option<Process>,
}

impl Site {
    fn new(trial: &Trial) -> Self {
        let folder = scratch();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let broker = if trial.mosquitto {
            format!(
                "[broker]\nenabled = false\n[brokers.outside]\nurl = \"mqtt://127.0.0.1:{port}\"\n\
                 [publish]\nbroker = \"outside\"\n[[sources]]\nname = \"native\"\nbroker = \"outside\"\n\
                 topics = [\"buoyline/vessels/+/fix\"]\ndecoder = \"native\"\n"
            )
        } else {
            format!("[broker]\nlisten = \"127.0.0.1:{port}\"\n")
        };
        let zones = Path::new(env!("CARGO_MANIFEST_DIR")).join("zones");
        let settings = format!(
            "zones = [{:?}]\n{broker}\n[store]\npath = {:?}\ncheckpoint_every = \"1 s\"\n[http]\nlisten = \"\"\n",
            zones.display().to_string(),
            at("store.db")
        );
        std::fs::write(folder.path().join("settings.toml"), settings).expect("written");
        let mut site = Self { folder, port, mosquitto: None };
        if trial.mosquitto {
            site.write_mosquitto_conf();
            site.restart_mosquitto();
        }
        site
    }

    /// The shipped configuration, with this test's port and folder, and without users.
    fn write_mosquitto_conf(&self) {
        let shipped = std::fs::read_to_string(tests_path("../config/mosquitto/mosquitto.conf")).expect("it is shipped");
        let mut lines = Vec::new();
        for line in shipped.lines() {
            let line = match line.split(' ').next() {
                Some("listener") => format!("listener {} 127.0.0.1", self.port),
                Some("persistence_location") => format!("persistence_location {}/", self.folder.path().display()),
                Some("allow_anonymous") => "allow_anonymous true".to_owned(),
                Some("password_file" | "acl_file") => continue,
                _ => line.to_owned(),
            };
            lines.push(line);
        }
        lines.push("user root".to_owned());
        std::fs::write(self.folder.path().join("mosquitto.conf"), lines.join("\n")).expect("written");
    }

    fn restart_mosquitto(&mut self) {
        if let Some(mut running) = self.mosquitto.take() {
            running.ask_to_end();
        }
        let conf = self.folder.path().join("mosquitto.conf");
        let child = Command::new("mosquitto").arg("-c").arg(conf).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.mosquitto = Some(Process(child.expect("mosquitto is installed")));
    }

    fn start_daemon(&self) -> Process {
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.folder.path().join("daemon.log"))
            .expect("a log file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_buoyline"));
        command.current_dir(self.folder.path()).args(["serve", "--config", "settings.toml"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        Process(command.spawn().expect("the program starts"))
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint::plain("127.0.0.1", self.port, None)
    }
}

/// The recorded row, each publisher with a boat of its own: as many messages as asked for, all different.
fn tracks(trial: &Trial) -> Vec<Arc<[Line]>> {
    let row = Path::new(env!("CARGO_MANIFEST_DIR")).join("replay/charles-rowing-2015-10-17.tcx.gz");
    let begins = EventTime::from_unix_ms(1_750_000_000_000);
    let each = trial.fixes / trial.publishers;
    (0..trial.publishers)
        .map(|boat| {
            let vessel = VesselId::new(&format!("boat-{boat}")).ok();
            let utc_offset = chrono::FixedOffset::east_opt(0);
            let options = ReadOptions { vessel, utc_offset, ..ReadOptions::default() };
            let script = Script::read(std::slice::from_ref(&row), &options).expect("the shipped recording");
            // Not in step, or every boat would meet every other all the time.
            let lines = script.lines(Some(begins.plus_seconds(boat as f64 * 97.0)));
            let mut lines: Vec<Line> = lines.take(each).collect();
            // The recorder wrote some positions twice.
            lines.dedup_by(|a, b| a.payload == b.payload);
            lines.into()
        })
        .collect()
}

/// Lines that were published, by id and revision of the finding.
type Heard = BTreeMap<(String, u64), Vec<String>>;

/// What is published under `buoyline/findings` from now on.
async fn listen(port: u16) -> Arc<Mutex<Heard>> {
    let heard: Arc<Mutex<Heard>> = Arc::default();
    let into = heard.clone();
    tokio::spawn(async move {
        let mut options = MqttOptions::new("chaos-listener", "127.0.0.1", port);
        options.set_clean_session(false);
        let (client, mut events) = AsyncClient::new(options, 100);
        loop {
            match events.poll().await {
                Ok(rumqttc::Event::Incoming(Packet::ConnAck(_))) => {
                    client.try_subscribe("buoyline/findings/#", QoS::AtLeastOnce).expect("room for a request");
                }
                Ok(rumqttc::Event::Incoming(Packet::Publish(publish))) => {
                    let line = String::from_utf8(publish.payload.to_vec()).expect("text");
                    let finding: Value = serde_json::from_str(&line).expect("JSON");
                    let id = finding["id"].as_str().expect("an id").to_owned();
                    let revision = finding["revision"].as_u64().expect("a number");
                    into.lock().expect("a lock").entry((id, revision)).or_default().push(line);
                }
                Ok(_) => {}
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    });
    heard
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn killed_at_any_moment_it_loses_nothing_and_finds_the_same() {
    let trial = Trial::from_environment();
    let mut site = Site::new(&trial);
    let mut rng = Rng::new(1);
    let tracks = tracks(&trial);
    let all: usize = tracks.iter().map(|lines| lines.len()).sum();
    let since = Instant::now();

    let mut daemon = site.start_daemon();
    let heard = listen(site.port).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let playing: Vec<_> = tracks
        .iter()
        .enumerate()
        .map(|(boat, lines)| {
            let (endpoint, lines) = (site.endpoint(), lines.clone());
            tokio::spawn(async move {
                // The broker may be away at first.
                loop {
                    let player = Player {
                        endpoint: endpoint.clone(),
                        client_id: format!("boat-{boat}"),
                        speed: 0.0,
                        lines: lines.clone(),
                    };
                    match player.play(&mut |_| {}).await {
                        Ok(()) => return,
                        Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
                    }
                }
            })
        })
        .collect();
    for kill in 0..trial.kills {
        tokio::time::sleep(Duration::from_millis(300 + rng.below(700) as u64)).await;
        daemon.kill();
        if trial.mosquitto && kill % 5 == 4 {
            site.restart_mosquitto();
        }
        daemon = site.start_daemon();
    }
    for playing in playing {
        playing.await.expect("all is acknowledged");
    }
    let acknowledged_after = since.elapsed();

    let store = loop {
        match Sqlite::open_to_read(&site.store()) {
            Ok(store) => break store,
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    };
    let patience = Instant::now();
    let stored = loop {
        let entries = store.read(0, usize::MAX >> 1).expect("a log");
        // Recorders write two positions for one time now and then, so the position counts as well.
        let fixes: Vec<String> = entries
            .into_iter()
            .filter_map(|entry| match entry.content {
                Content::Observation(Observation::Fix(vessel, fix)) => Some(format!("{vessel} {fix:?}")),
                _ => None,
            })
            .collect();
        let is_done = fixes.len() >= all && store.outbox_len().expect("read") == 0;
        if is_done || patience.elapsed() > Duration::from_secs(120) {
            break fixes;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    // What it makes of the last messages is in the store once it has ended in good order.
    daemon.ask_to_end();

    let mut judge = Judge::from_the_beginning(&store).expect("a law");
    let mut undisturbed = BTreeMap::new();
    let end = store.last_position().expect("read");
    judge
        .catch_up(&store, end, &mut |judged| {
            for (_, finding, line) in judged.findings {
                undisturbed.insert((finding.id, u64::from(finding.revision)), line);
            }
        })
        .expect("judged");
    let found: BTreeMap<(String, u64), String> = store
        .revisions()
        .expect("findings")
        .into_iter()
        .map(|(id, revision, json)| ((id, u64::from(revision)), json))
        .collect();
    let heard = heard.lock().expect("a lock").clone();
    let repeated = heard.values().filter(|lines| lines.len() > 1).count();
    let differing = heard.iter().filter(|(key, lines)| lines.iter().any(|line| found.get(key) != Some(line))).count();
    let missed = found.keys().filter(|key| !heard.contains_key(*key)).count();
    println!(
        "{all} fixes from {} publishers, {} kills: {} stored after {:.1} s; {} revisions of findings, {} as in an \
         undisturbed replay, {} heard, {repeated} more than once, {missed} not heard by the listener, {differing} differing",
        trial.publishers,
        trial.kills,
        stored.len(),
        acknowledged_after.as_secs_f64(),
        found.len(),
        found.iter().filter(|(key, line)| undisturbed.get(*key) == Some(line)).count(),
        heard.len(),
    );
    let mut each = stored.clone();
    each.sort();
    each.dedup();
    assert_eq!((stored.len(), each.len()), (all, all), "each acknowledged fix exactly once");
    assert_eq!(found, undisturbed);
    assert!(!found.is_empty());
    assert_eq!(differing, 0);
    assert_eq!(store.outbox_len().expect("read"), 0, "every revision has been acknowledged by a broker");
    if trial.mosquitto {
        assert_eq!(missed, 0, "every revision has been heard");
    }
}
