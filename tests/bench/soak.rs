//! How fast and how steadily the daemon works, as a few lines. `cargo bench --bench soak`, or with the number of fixes
//! and `mosquitto` behind `--`; `system` does not wait for the disk, `delay` measures nothing else. `for 60 min` runs the
//! daemon as a process of its own so long, with vessels never heard of all the time, and prints what memory it takes.
//!
//! Throughput and delay are measured beside a subscriber that does nothing, at the same broker, in the same run: on a
//! shared machine only the ratios mean something. Nothing here fails.

#![allow(clippy::print_stdout)]

mod lake;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use buoyline::config::Config;
use buoyline::replay::player::Line;
use buoyline::serve::{self, Endpoint, Player, Running};
use buoyline::store::{Log, Sqlite};
use rumqttc::{AsyncClient, Event, MqttOptions, Packet, QoS};
use serde_json::Value;

const PUBLISHERS: usize = 20;
/// Vessels and fixes a second of the measurement of delay.
const STEADY_VESSELS: usize = 2_000;
const STEADY_S: usize = 20;
/// Vessels of the long run, and how long each is heard before another takes its place.
const PASSING_VESSELS: usize = 300;
const PASSING_S: usize = 40;
/// Nothing here takes longer.
const PATIENCE: Duration = Duration::from_secs(300);

struct Site {
    folder: tempfile::TempDir,
    port: u16,
    mosquitto: Option<Child>,
    /// Whether a message counts as stored when it is on the disk.
    is_on_disk: bool,
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(mosquitto) = &mut self.mosquitto {
            let _ = mosquitto.kill();
            let _ = mosquitto.wait();
        }
    }
}

impl Site {
    fn new(wants_mosquitto: bool, is_on_disk: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("its address").port();
        drop(listener);
        let lake = lake::Lake::of(10_000, 1);
        std::fs::write(folder.path().join("lake.geojson"), lake.geojson()).expect("written");
        std::fs::write(folder.path().join("rules.toml"), buoyline::rulebook::SHIPPED[0].1).expect("written");
        let mut site = Self { folder, port, mosquitto: None, is_on_disk };
        if wants_mosquitto {
            let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/mosquitto/mosquitto.conf");
            let shipped = std::fs::read_to_string(shipped).expect("it is shipped");
            let lines = shipped.lines().map(|line| match line.split(' ').next() {
                Some("listener") => format!("listener {port} 127.0.0.1"),
                Some("persistence_location") => format!("persistence_location {}/", site.folder.path().display()),
                Some("allow_anonymous") => "allow_anonymous true".to_owned(),
                Some("password_file" | "acl_file") => String::new(),
                _ => line.to_owned(),
            });
            let conf = site.folder.path().join("mosquitto.conf");
            std::fs::write(&conf, lines.collect::<Vec<_>>().join("\n") + "\nuser root\n").expect("written");
            let child =
                Command::new("mosquitto").arg("-c").arg(conf).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
            site.mosquitto = Some(child.expect("mosquitto is installed"));
            std::thread::sleep(Duration::from_secs(1));
        }
        site
    }

    fn config(&self, qos: u8) -> Config {
        Config::from_toml("soak.toml", &self.settings(qos)).expect("settings")
    }

    fn settings(&self, qos: u8) -> String {
        let at = |name: &str| self.folder.path().join(name).display().to_string();
        let broker = if self.mosquitto.is_some() {
            format!(
                "[broker]\nenabled = false\n[brokers.outside]\nurl = \"mqtt://127.0.0.1:{}\"\n\
                 [publish]\nbroker = \"outside\"\nstate_every = \"0 s\"\n[[sources]]\nname = \"native\"\n\
                 broker = \"outside\"\ntopics = [\"buoyline/vessels/+/fix\"]\ndecoder = \"native\"\nqos = {qos}\n",
                self.port
            )
        } else {
            format!("[broker]\nlisten = \"127.0.0.1:{}\"\n[publish]\nstate_every = \"0 s\"\n", self.port)
        };
        format!(
            "zones = [{:?}]\nrules = {:?}\n{broker}\n[store]\npath = {:?}\ndurable = {:?}\n[http]\nlisten = \"\"\n[log]\nlevel = \"warn\"\n",
            at("lake.geojson"),
            at("rules.toml"),
            at(&format!("store-{}.db", fastrand::u32(..))),
            if self.is_on_disk { "disk" } else { "system" },
        )
    }

    /// Fixes of several boats, one a second each, as messages.
    fn lines(&self, vessels: usize, seconds: usize) -> Vec<Line> {
        let recording = lake::Lake::of(10_000, 1).recording(vessels, seconds, 1);
        recording
            .lines()
            .filter_map(|line| {
                let fix: Value = serde_json::from_str(line).expect("JSON");
                let vessel = fix["vessel"].as_str()?.to_owned();
                let topic = format!("buoyline/vessels/{vessel}/fix");
                (fix["type"] == "fix").then(|| Line { at_s: 0.0, topic, payload: line.to_owned(), retain: false })
            })
            .collect()
    }
}

/// A subscriber that does nothing but count.
struct Idle {
    count: Arc<AtomicU64>,
    last: Arc<Mutex<Instant>>,
}

async fn idle(port: u16, filter: &str, qos: QoS, each: impl Fn(&rumqttc::Publish) + Send + 'static) -> Idle {
    let mut options = MqttOptions::new(format!("idle-{}", fastrand::u32(..)), "127.0.0.1", port);
    options.set_max_packet_size(1 << 20, 1 << 20);
    let (client, mut events) = AsyncClient::new(options, 1_000);
    events.network_options.set_tcp_nodelay(true);
    client.subscribe(filter, qos).await.expect("a request");
    let idle = Idle { count: Arc::default(), last: Arc::new(Mutex::new(Instant::now())) };
    let (count, last) = (idle.count.clone(), idle.last.clone());
    let (ready, is_ready) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        let (_client, mut ready) = (client, Some(ready));
        while let Ok(event) = events.poll().await {
            match event {
                Event::Incoming(Packet::SubAck(_)) => drop(ready.take().map(|ready| ready.send(()))),
                Event::Incoming(Packet::Publish(publish)) => {
                    count.fetch_add(1, Ordering::Relaxed);
                    *last.lock().expect("a lock") = Instant::now();
                    each(&publish);
                }
                _ => {}
            }
        }
    });
    is_ready.await.expect("a subscription");
    idle
}

async fn publish_all(site: &Site, lines: &[Line], qos: QoS) {
    let parts: Vec<Vec<Line>> = (0..PUBLISHERS)
        .map(|p| lines.iter().enumerate().filter(|(i, _)| i % PUBLISHERS == p).map(|(_, line)| line.clone()).collect())
        .collect();
    let tasks: Vec<_> = parts
        .into_iter()
        .enumerate()
        .map(|(p, part)| {
            let endpoint = Endpoint::plain("127.0.0.1", site.port, None);
            tokio::spawn(async move {
                if qos == QoS::AtLeastOnce {
                    let player = Player { endpoint, client_id: format!("p-{p}"), speed: 0.0, lines: part.into() };
                    player.play(&mut |_| {}).await.expect("acknowledged");
                    return;
                }
                let (client, mut events) = AsyncClient::new(endpoint.options(&format!("p-{p}"), false), 1_000);
                let polling = tokio::spawn(async move { while events.poll().await.is_ok() {} });
                for line in part {
                    client.publish(line.topic, qos, false, line.payload).await.expect("a request");
                }
                let _ = client.disconnect().await;
                let _ = polling.await;
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("published");
    }
}

async fn throughput(site: &Site, lines: &[Line], qos: QoS) {
    let config = site.config(qos as u8);
    let running = serve::start(&config).await.expect("a daemon");
    let idle = idle(site.port, "buoyline/vessels/+/fix", qos, |_| {}).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let began = Instant::now();
    publish_all(site, lines, qos).await;
    let store = Sqlite::open_to_read(&config.store.path).expect("a store");
    let (mut stored, mut changed) = (0, Instant::now());
    while began.elapsed() < PATIENCE {
        let now = store.last_position().expect("read").saturating_sub(1);
        if now != stored {
            (stored, changed) = (now, Instant::now());
        }
        if stored as usize >= lines.len() || changed.elapsed() > Duration::from_secs(3) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let stored_s = changed.duration_since(began).as_secs_f64();
    let heard = idle.count.load(Ordering::Relaxed);
    let heard_s = idle.last.lock().expect("a lock").duration_since(began).as_secs_f64();
    let (durable, idle) = (stored as f64 / stored_s, heard as f64 / heard_s);
    println!(
        "QoS {}: {} fixes; idle subscriber {heard} at {idle:.0}/s; stored and judged {stored} at {durable:.0}/s, {:.0} %",
        qos as u8,
        lines.len(),
        100.0 * durable / idle
    );
    running.stop().await.expect("it stops");
}

/// From fix to finding at a steady rate, beside the delay of the fix itself.
async fn delay(site: &Site) {
    let running = serve::start(&site.config(1)).await.expect("a daemon");
    let sent: Arc<Mutex<BTreeMap<String, Instant>>> = Arc::default();
    let (fixes, findings) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    let note = |into: &Arc<Mutex<Vec<f64>>>, place: usize| {
        let (sent, into) = (sent.clone(), into.clone());
        move |publish: &rumqttc::Publish| {
            let vessel = publish.topic.split('/').nth(place).unwrap_or_default();
            if let Some(at) = sent.lock().expect("a lock").get(vessel) {
                into.lock().expect("a lock").push(at.elapsed().as_secs_f64() * 1e3);
            }
        }
    };
    idle(site.port, "buoyline/vessels/+/fix", QoS::AtLeastOnce, note(&fixes, 2)).await;
    idle(site.port, "buoyline/findings/#", QoS::AtLeastOnce, note(&findings, 4)).await;
    tokio::time::sleep(Duration::from_secs(1)).await;

    let lines = site.lines(STEADY_VESSELS, STEADY_S);
    // The embedded broker takes the next message of a client when the one before is stored, so a single client would
    // measure how long that takes and nothing else.
    let clients: Vec<AsyncClient> = (0..PUBLISHERS)
        .map(|p| {
            let endpoint = Endpoint::plain("127.0.0.1", site.port, None);
            let (client, mut events) = AsyncClient::new(endpoint.options(&format!("steady-{p}"), false), 1_000);
            events.network_options.set_tcp_nodelay(true);
            tokio::spawn(async move { while events.poll().await.is_ok() {} });
            client
        })
        .collect();
    let began = tokio::time::Instant::now();
    for (i, line) in lines.into_iter().enumerate() {
        if i % 10 == 0 {
            tokio::time::sleep_until(began + Duration::from_secs_f64(i as f64 / STEADY_VESSELS as f64)).await;
        }
        let vessel = line.topic.split('/').nth(2).unwrap_or_default().to_owned();
        sent.lock().expect("a lock").insert(vessel, Instant::now());
        let client = &clients[i % STEADY_VESSELS % PUBLISHERS];
        client.publish(line.topic, QoS::AtLeastOnce, false, line.payload).await.expect("a request");
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    let rank = |of: &Arc<Mutex<Vec<f64>>>| {
        let mut of = of.lock().expect("a lock").clone();
        of.sort_by(f64::total_cmp);
        let at = |share: f64| of.get(((of.len() as f64 - 1.0) * share) as usize).copied().unwrap_or(f64::NAN);
        (of.len(), at(0.5), at(0.99))
    };
    let ((n, f50, f99), (m, g50, g99)) = (rank(&fixes), rank(&findings));
    println!(
        "delay at {STEADY_VESSELS} fixes/s: {n} fixes to the idle subscriber p50 {f50:.1} ms, p99 {f99:.1} ms; {m} revisions \
         of findings p50 {g50:.1} ms, p99 {g99:.1} ms; p99 {:.1} ms over",
        g99 - f99
    );
    running.stop().await.expect("it stops");
}

/// Memory while new vessels come for ever.
async fn memory(site: &Site, fixes: usize) {
    let config = site.config(1);
    let running: Running = serve::start(&config).await.expect("a daemon");
    let lines = site.lines(500, fixes / 5_000);
    let mut shown = vec![rss_mib(std::process::id())];
    // The same tracks again, an hour later each time and by vessels never heard of.
    for round in 0..10 {
        let part: Vec<Line> = lines
            .iter()
            .map(|line| {
                let mut fix: Value = serde_json::from_str(&line.payload).expect("JSON");
                let t =
                    fix["t"].as_str().and_then(|t| buoyline::time::EventTime::parse_rfc3339(t).ok()).expect("a time");
                fix["t"] = serde_json::json!(t.plus_seconds(f64::from(round) * 3_600.0));
                let vessel = format!("{}-{round}", fix["vessel"].as_str().unwrap_or_default());
                fix["vessel"] = serde_json::json!(vessel);
                Line { topic: format!("buoyline/vessels/{vessel}/fix"), payload: fix.to_string(), ..line.clone() }
            })
            .collect();
        publish_all(site, &part, QoS::AtLeastOnce).await;
        shown.push(rss_mib(std::process::id()));
    }
    println!("memory over {} fixes of {} vessels, MiB: {shown:?}", lines.len() * 10, 500 * 10);
    running.stop().await.expect("it stops");
}

/// Memory of the daemon as a process of its own, while vessels come for so many minutes that were never heard of.
async fn memory_over(site: &Site, minutes: u64) {
    let settings = site.folder.path().join("buoyline.toml");
    std::fs::write(&settings, site.settings(1)).expect("written");
    let program = env!("CARGO_BIN_EXE_buoyline");
    let mut daemon = Command::new(program).args(["serve", "--config"]).arg(&settings).spawn().expect("a daemon");
    while std::net::TcpStream::connect(("127.0.0.1", site.port)).is_err() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let acknowledged = Arc::new(AtomicU64::new(0));
    let clients: Vec<AsyncClient> = (0..PUBLISHERS)
        .map(|p| {
            let endpoint = Endpoint::plain("127.0.0.1", site.port, None);
            let (client, mut events) = AsyncClient::new(endpoint.options(&format!("passing-{p}"), false), 1_000);
            events.network_options.set_tcp_nodelay(true);
            let acknowledged = acknowledged.clone();
            tokio::spawn(async move {
                loop {
                    match events.poll().await {
                        Ok(Event::Incoming(Packet::PubAck(_))) => drop(acknowledged.fetch_add(1, Ordering::Relaxed)),
                        Ok(_) => {}
                        // As a tracker does where its line breaks: what was not acknowledged is sent again.
                        Err(error) => {
                            println!("a client connects anew: {error}");
                            tokio::time::sleep(Duration::from_millis(500)).await;
                        }
                    }
                }
            });
            client
        })
        .collect();
    let fixes: Vec<Value> = site
        .lines(PASSING_VESSELS, PASSING_S)
        .iter()
        .map(|line| serde_json::from_str(&line.payload).expect("JSON"))
        .collect();
    let began = tokio::time::Instant::now();
    let (mut sent, mut shown_min) = (0_u64, 0);
    while began.elapsed() < Duration::from_secs(60 * minutes) {
        let i = sent as usize % fixes.len();
        let (round, second) = (sent / fixes.len() as u64, sent / PASSING_VESSELS as u64);
        tokio::time::sleep_until(began + Duration::from_secs(second)).await;
        let mut fix = fixes[i].clone();
        let vessel = format!("{}-{round}", fix["vessel"].as_str().unwrap_or_default());
        fix["t"] = serde_json::json!(chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, true));
        fix["vessel"] = serde_json::json!(vessel);
        let client = &clients[i % PASSING_VESSELS % PUBLISHERS];
        let topic = format!("buoyline/vessels/{vessel}/fix");
        client.publish(topic, QoS::AtLeastOnce, false, fix.to_string()).await.expect("a request");
        sent += 1;
        let elapsed_min = began.elapsed().as_secs() / 60;
        if elapsed_min > shown_min {
            shown_min = elapsed_min;
            let (vessels, acknowledged) = ((round + 1) * PASSING_VESSELS as u64, acknowledged.load(Ordering::Relaxed));
            println!(
                "{elapsed_min} min: {} MiB, {sent} sent, {acknowledged} acknowledged, {vessels} vessels",
                rss_mib(daemon.id())
            );
        }
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let acknowledged = acknowledged.load(Ordering::Relaxed);
    println!("at the end: {} MiB, {sent} sent, {acknowledged} acknowledged", rss_mib(daemon.id()));
    let _ = Command::new("kill").arg(daemon.id().to_string()).status();
    let _ = daemon.wait();
}

fn rss_mib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// How long the disk takes to make a page durable.
fn flush_ms(folder: &Path) -> (f64, f64) {
    use std::io::Write as _;
    let mut file = std::fs::File::create(folder.join("flush")).expect("a file");
    let mut took: Vec<f64> = (0..200)
        .map(|_| {
            file.write_all(&[1; 4096]).expect("written");
            let since = Instant::now();
            file.sync_data().expect("flushed");
            since.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    took.sort_by(f64::total_cmp);
    (took[100], took[198])
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let fixes = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(100_000);
    let wants_mosquitto = arguments.iter().any(|argument| argument == "mosquitto");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let asked = |word: &str| arguments.iter().any(|argument| argument == word);
    let site = Site::new(wants_mosquitto, !asked("system"));
    println!("broker: {}", if wants_mosquitto { "mosquitto" } else { "embedded" });
    let (p50_ms, p99_ms) = flush_ms(site.folder.path());
    println!("one flush of this disk: p50 {p50_ms:.1} ms, p99 {p99_ms:.1} ms; each message waits for one or two");
    if asked("for") {
        runtime.block_on(memory_over(&site, fixes as u64));
        return;
    }
    runtime.block_on(async {
        let lines = site.lines(200, fixes / 200);
        if !asked("delay") {
            throughput(&site, &lines, QoS::AtLeastOnce).await;
            throughput(&site, &lines, QoS::AtMostOnce).await;
            memory(&site, fixes).await;
        }
        delay(&site).await;
    });
}
