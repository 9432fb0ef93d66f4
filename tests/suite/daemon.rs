//! The daemon end to end: what is published is stored once, judged as a replay judges it, and what it finds goes out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use buoyline::engine::{Engine, Event};
use buoyline::export::finding_line;
use buoyline::replay::driver::Job;
use buoyline::replay::player::Line;
use buoyline::serve::{self, Endpoint, Player, Running, judge_again};
use buoyline::store::{Log, Sqlite};
use buoyline::time::EventTime;
use rumqttc::{AsyncClient, MqttOptions, Packet, QoS};
use serde_json::{Value, json};

use crate::support::stage::{self, BEGIN_UNIX_MS, SITE, play};

/// Nothing here takes this long, on a slow machine either.
const PATIENCE: Duration = Duration::from_secs(60);

/// Revisions of findings as published, by id and revision.
type Revisions = BTreeMap<(String, u64), String>;

/// A scenario, with what a replay finds in it.
struct Stage {
    stage: stage::Stage,
    expected: Revisions,
}

impl std::ops::Deref for Stage {
    type Target = stage::Stage;

    fn deref(&self) -> &stage::Stage {
        &self.stage
    }
}

impl Stage {
    fn new(seed: u64) -> Self {
        let stage = stage::Stage::new(seed);
        let (_, map, rulebook) =
            serve::read_law(&[stage.at("zones")], &stage.at("rules.toml")).expect("a law that is in order");
        let mut engine = Engine::new(map, rulebook.clone());
        let mut events = Vec::new();
        for (i, observation) in stage.scenario.observations(&SITE, BEGIN_UNIX_MS).iter().enumerate() {
            engine.observe(i as u64, observation, &mut events);
        }
        let expected = events
            .iter()
            .filter_map(|event| match event {
                Event::Finding(f) => {
                    Some(((f.id.clone(), u64::from(f.revision)), finding_line(f, rulebook.in_force(f.start))))
                }
                _ => None,
            })
            .collect();
        Self { stage, expected }
    }

    async fn start(&self) -> Running {
        serve::start(&self.config("")).await.expect("a daemon")
    }

    /// What the store holds: revisions, and the number of observations.
    fn kept(&self) -> (Revisions, usize) {
        let store = self.store();
        let entries = store.read(0, 1_000_000).expect("a log");
        let heard = entries.iter().filter(|e| matches!(e.content, buoyline::store::Content::Observation(_))).count();
        (revisions(&store), heard)
    }
}

fn revisions(store: &Sqlite) -> Revisions {
    let rows = store.revisions().expect("findings");
    rows.into_iter().map(|(id, revision, json)| ((id, u64::from(revision)), json)).collect()
}

/// Waits until something holds.
async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < PATIENCE, "{what} in {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Everything that is published under a topic filter from now on.
async fn listen(running: &Running, filter: &str) -> Arc<Mutex<Vec<(String, Vec<u8>)>>> {
    listen_as(running, "listener", filter).await
}

async fn listen_as(running: &Running, who: &str, filter: &str) -> Arc<Mutex<Vec<(String, Vec<u8>)>>> {
    let address = running.broker_address().expect("the broker runs");
    let mut options = MqttOptions::new(who, address.ip().to_string(), address.port());
    options.set_max_packet_size(1 << 20, 1 << 20);
    let (client, mut events) = AsyncClient::new(options, 100);
    client.subscribe(filter, QoS::AtLeastOnce).await.expect("a request");
    let (heard, (subscribed, is_subscribed)) = (Arc::new(Mutex::new(Vec::new())), tokio::sync::oneshot::channel());
    let into = heard.clone();
    tokio::spawn(async move {
        let (_client, mut subscribed) = (client, Some(subscribed));
        while let Ok(event) = events.poll().await {
            match event {
                rumqttc::Event::Incoming(Packet::SubAck(_)) => {
                    subscribed.take().map(|subscribed| subscribed.send(()));
                }
                rumqttc::Event::Incoming(Packet::Publish(publish)) => {
                    into.lock().expect("a lock").push((publish.topic, publish.payload.to_vec()));
                }
                _ => {}
            }
        }
    });
    is_subscribed.await.expect("a subscription");
    heard
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_published_is_stored_once_and_judged_as_a_replay_judges_it() {
    let stage = Stage::new(7);
    assert!(stage.expected.len() > 10, "{} revisions make a poor test", stage.expected.len());
    let running = stage.start().await;
    let heard = listen(&running, "buoyline/findings/#").await;
    play(&running, &stage.lines).await;
    // The same once more changes nothing.
    play(&running, &stage.lines[..stage.lines.len() / 2]).await;

    let expected = stage.expected.len();
    until("every revision goes out", || heard.lock().expect("a lock").len() >= expected).await;
    let store = stage.store();
    until("the outbox empties", || store.outbox_len().expect("read") == 0).await;
    running.stop().await.expect("it stops");

    let (kept, count) = stage.kept();
    assert_eq!(kept, stage.expected);
    assert_eq!(count, distinct(&stage.lines));
    let published: Revisions =
        heard.lock().expect("a lock").iter().map(|(topic, payload)| key(topic, payload)).collect();
    assert_eq!(published, stage.expected);
}

/// How many different messages there are.
fn distinct(lines: &[Line]) -> usize {
    let said = |line: &Line| {
        let mut message: Value = serde_json::from_str(&line.payload).expect("JSON");
        message.as_object_mut().expect("an object").sort_keys();
        message.to_string()
    };
    lines.iter().map(said).collect::<BTreeSet<_>>().len()
}

fn key(topic: &str, payload: &[u8]) -> ((String, u64), String) {
    let message: Value = serde_json::from_slice(payload).expect("JSON");
    let text = |key: &str| message[key].as_str().expect("a text").to_owned();
    assert_eq!(topic, format!("buoyline/findings/{}/{}/{}", text("waterway"), text("rule"), text("vessel")));
    let revision = message["revision"].as_u64().expect("a number");
    ((text("id"), revision), String::from_utf8(payload.to_vec()).expect("text"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_anywhere_changes_nothing() {
    let stage = Stage::new(11);
    let mut at = 0;
    // What came last before the end comes again, as a broker does that saw no acknowledgement.
    for share in [3, 7, 8, 10] {
        let to = stage.lines.len() * share / 10;
        let running = stage.start().await;
        play(&running, &stage.lines[usize::max(at, 20) - 20..to]).await;
        at = to;
        running.stop().await.expect("it stops");
    }
    let (kept, count) = stage.kept();
    assert_eq!(kept, stage.expected);
    assert_eq!(count, distinct(&stage.lines));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_period_is_judged_again_to_the_byte() {
    let stage = Stage::new(13);
    let lines = &stage.lines;
    for part in lines.chunks(lines.len().div_ceil(4)) {
        let running = stage.start().await;
        play(&running, part).await;
        running.stop().await.expect("it stops");
    }
    let store = stage.store();
    let closed: Vec<Value> = store
        .findings_between(EventTime::MIN, EventTime::MAX)
        .expect("findings")
        .into_values()
        .filter(|(_, status, _)| status == "closed")
        .map(|(.., json)| serde_json::from_str(&json).expect("JSON"))
        .collect();
    assert!(closed.len() > 3, "{} findings make a poor test", closed.len());

    let mut starts: Vec<EventTime> = closed
        .iter()
        .map(|f| EventTime::parse_rfc3339(f["start"].as_str().expect("a time")).expect("a time"))
        .collect();
    starts.sort();
    let (first, middle, last) = (starts[0], starts[starts.len() / 2], starts[starts.len() - 1]);
    for (from, to) in [(None, None), (Some(first), Some(last)), (Some(middle), None), (Some(middle), Some(last))] {
        let job = Job { from, to, ..Job::default() };
        let again = judge_again(&stage.at("store.db"), &job).expect("judged again");
        let rulebook = &again.rulebook;
        let found: BTreeSet<String> =
            again.outcome.findings.iter().map(|f| finding_line(f, rulebook.in_force(f.start))).collect();
        let wanted: BTreeSet<String> = store
            .findings_between(from.unwrap_or(EventTime::MIN), to.unwrap_or(EventTime::MAX))
            .expect("findings")
            .into_values()
            .filter(|(_, status, _)| status == "closed")
            .map(|(.., json)| json)
            .collect();
        assert_eq!(found, wanted, "{from:?} to {to:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_daemons_on_one_store_find_the_same() {
    let stage = Stage::new(17);
    let (one, other) = (stage.start().await, stage.start().await);
    for (i, part) in stage.lines.chunks(50).enumerate() {
        // Each hears a part, and both hear every third.
        if i % 3 != 1 {
            play(&one, part).await;
        }
        if i % 3 != 0 {
            play(&other, part).await;
        }
    }
    other.stop().await.expect("it stops");
    one.stop().await.expect("it stops");
    let (kept, count) = stage.kept();
    assert_eq!(kept, stage.expected);
    assert_eq!(count, distinct(&stage.lines));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_map_that_is_in_order_comes_into_force_and_another_does_not() {
    let stage = Stage::new(19);
    let running = stage.start().await;
    let mut law = running.board().law();
    let zones: Vec<PathBuf> =
        std::fs::read_dir(stage.at("zones")).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    let drawn = std::fs::read_to_string(&zones[0]).expect("a map");
    let third = stage.lines.len() / 3;
    play(&running, &stage.lines[..third]).await;

    // Saved as editors do: written beside it, then renamed.
    let mut changed: Value = serde_json::from_str(&drawn).expect("JSON");
    let features = changed["features"].as_array_mut().expect("features");
    features.retain(|feature| feature["properties"]["kind"] != json!("dock"));
    let draft = stage.at("draft");
    std::fs::write(&draft, changed.to_string()).expect("written");
    let before = law.borrow_and_update().version.clone();
    std::fs::rename(&draft, &zones[0]).expect("renamed");
    until("the changed map comes into force", || running.board().law().borrow().version != before).await;
    play(&running, &stage.lines[third..2 * third]).await;

    let before = running.board().law().borrow().version.clone();
    std::fs::write(&zones[0], &drawn[..drawn.len() / 2]).expect("written");
    until("the broken map is refused", || running.board().law().borrow().fault.is_some()).await;
    assert_eq!(running.board().law().borrow().version, before);
    play(&running, &stage.lines[2 * third..]).await;
    running.stop().await.expect("it stops");

    // Still broken: what was in force stays so.
    let running = stage.start().await;
    assert_eq!(running.board().law().borrow().version, before);
    running.stop().await.expect("it stops");

    let (kept, count) = stage.kept();
    assert_eq!(count, distinct(&stage.lines));
    let versions: BTreeSet<String> = kept
        .values()
        .map(|json| serde_json::from_str::<Value>(json).expect("JSON")["map_version"].to_string())
        .collect();
    assert!(versions.len() > 1, "findings under both maps: {versions:?}");
    let again = judge_again(&stage.at("store.db"), &Job::default()).expect("judged again");
    for finding in &again.outcome.findings {
        let line = finding_line(finding, again.rulebook.in_force(finding.start));
        assert_eq!(kept[&(finding.id.clone(), u64::from(finding.revision))], line);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_set_aside_and_told() {
    let stage = Stage::new(23);
    let running = stage.start().await;
    let bad = |topic: &str, payload: &str| Line {
        at_s: 0.0,
        topic: topic.to_owned(),
        payload: payload.to_owned(),
        retain: false,
    };
    let lines = [
        bad("buoyline/vessels/a/fix", r#"{"t":"yesterday","lat":1,"lon":1}"#),
        bad("buoyline/vessels/a/fix", "no JSON"),
        bad("buoyline/vessels/a/fix", r#"{"vessel":"b","t":"2025-06-15T15:06:40Z","lat":1,"lon":1}"#),
        bad("buoyline/vessels/a/fix", r#"{"t":"2200-06-15T15:06:40Z","lat":1,"lon":1}"#),
        bad("somewhere/else", "no message for us"),
    ];
    play(&running, &lines).await;
    let metrics = get(&running, "/metrics").await;
    for (reason, count) in [("no_time", 1), ("unparsable", 1), ("wrong_vessel", 1), ("future", 1)] {
        let line = format!("buoyline_refused_total{{source=\"native\",reason=\"{reason}\"}} {count}");
        assert!(metrics.contains(&line), "{line} in\n{metrics}");
    }
    assert!(metrics.contains("buoyline_messages_total{source=\"native\"} 4"), "{metrics}");
    assert_eq!(get(&running, "/healthz").await.lines().last(), Some("ok"));
    assert!(get(&running, "/readyz").await.contains("ready\nfindings: "));
    running.stop().await.expect("it stops");
    let (kept, count) = stage.kept();
    assert_eq!((kept.len(), count), (0, 0));
    let store = stage.store();
    let refused = store.refused(10).expect("read");
    assert_eq!(refused[1], ("unparsable".to_owned(), b"no JSON".to_vec()));
    assert_eq!(refused.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_posted_is_answered_when_it_is_stored() {
    let stage = Stage::new(43);
    let config = stage.config(
        "[[sources]]\nname = \"phones\"\nbroker = \"http\"\ntopics = [\"owntracks/{vessel}/+\"]\n\
         decoder = \"owntracks\"\ntoken = \"oar\"\n",
    );
    let running = serve::start(&config).await.expect("a daemon");
    let body = r#"{"_type":"location","lat":47.6,"lon":-117.4,"tst":1750000000,"vel":12,"acc":5}"#;
    let post = |path: &str, authorization: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-length: {}\r\n\
             authorization: {authorization}\r\nx-limit-u: anna\r\nx-limit-d: phone\r\n\r\n{body}",
            body.len()
        )
    };
    for (path, authorization, status) in [
        ("/in/phones", "Bearer paddle", "401"),
        ("/in/other", "Bearer oar", "404"),
        ("/in/phones", "Bearer oar", "200"),
    ] {
        let answer = ask(&running, &post(path, authorization)).await;
        assert_eq!(answer.split(' ').nth(1), Some(status), "{path} {authorization}: {answer}");
    }
    assert_eq!(stage.kept().1, 1);
    running.stop().await.expect("it stops");
}

/// The answer of the daemon's own web server.
async fn get(running: &Running, path: &str) -> String {
    ask(running, &format!("GET {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n")).await
}

async fn ask(running: &Running, request: &str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let address = running.http_address().expect("it listens");
    let mut stream = tokio::net::TcpStream::connect(address).await.expect("a connection");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn with_users_nobody_comes_in_without_a_name_or_speaks_for_another() {
    let stage = Stage::new(29);
    let config = stage.config("[[broker.users]]\nname = \"anna\"\npassword = \"oar\"\n");
    let running = serve::start(&config).await.expect("a daemon");
    let address = running.broker_address().expect("the broker runs");
    let player = |login: Option<(&str, &str)>, vessel: &str| {
        let payload = r#"{"t":"2025-06-15T15:06:40Z","lat":47.6,"lon":-117.4}"#.to_owned();
        let login = login.map(|(user, password)| (user.to_owned(), password.to_owned()));
        Player {
            endpoint: Endpoint::plain(&address.ip().to_string(), address.port(), login),
            client_id: "boat".to_owned(),
            speed: 0.0,
            lines: [Line { at_s: 0.0, topic: format!("buoyline/vessels/{vessel}/fix"), payload, retain: false }].into(),
        }
    };
    for login in [None, Some(("anna", "paddle")), Some(("bert", "oar"))] {
        let refused = player(login, "anna").play(&mut |_| {}).await.expect_err("refused");
        assert!(refused.reason.contains("refused"), "{refused}");
    }
    player(Some(("anna", "oar")), "bert").play(&mut |_| {}).await.expect("MQTT 3.1.1 has no way to say no");
    assert_eq!(stage.kept().1, 0, "but nothing comes of it");
    player(Some(("anna", "oar")), "anna").play(&mut |_| {}).await.expect("acknowledged");
    assert_eq!(stage.kept().1, 1);
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn status_and_states_are_there_for_whoever_comes_later() {
    let stage = Stage::new(31);
    let running = stage.start().await;
    play(&running, &stage.lines[..stage.lines.len() / 4]).await;
    let heard = listen(&running, "buoyline/#").await;
    let find = |topic: &str| {
        let heard = heard.lock().expect("a lock");
        let found = heard.iter().find(|(of, _)| of.starts_with("buoyline/") && of.contains(topic)).cloned();
        found.map(|(_, payload)| serde_json::from_slice::<Value>(&payload).expect("JSON"))
    };
    until("the status is told", || find("/status").is_some()).await;
    until("a state is told", || find("/state").is_some_and(|state| state["vessel"].is_string())).await;
    let in_force = |state: &Value| {
        state["limit"]["speed_mps"].is_number()
            && state["limit"]["clause"].is_string()
            && state["limit"]["reason"].is_string()
    };
    let any_in_force = || {
        let heard = heard.lock().expect("a lock");
        heard
            .iter()
            .filter(|(topic, _)| topic.ends_with("/state"))
            .any(|(_, payload)| serde_json::from_slice::<Value>(payload).is_ok_and(|state| in_force(&state)))
    };
    until("a state tells the limit in force and why", any_in_force).await;
    let waterway = running.board().law().borrow().map.waterways[0].id.to_string();
    until("the status of a waterway is told", || find(&format!("/status/{waterway}")).is_some()).await;
    assert!(heard.lock().expect("a lock").iter().any(|(topic, _)| topic == "buoyline/status"));
    running.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_an_earlier_run_left_at_a_broker_is_taken_back() {
    let (lake, daemon) = (Stage::new(31), Stage::new(32));
    let outside = lake.start().await;
    let address = outside.broker_address().expect("the broker runs");
    let ghost = json!({"vessel": "ghost", "t": "2025-06-15T12:00:00.000Z", "lat": 47.6, "lon": -117.1});
    let state = |vessel: &str| format!("buoyline/vessels/{vessel}/state");
    let left = Line { at_s: 0.0, topic: state("ghost"), payload: ghost.to_string(), retain: true };
    play(&outside, &[left]).await;

    let url = format!("mqtt://{address}");
    let more = format!(
        "[broker]\nenabled = false\n[brokers.outside]\nurl = {url:?}\n[publish]\nbroker = \"outside\"\n\
         [[sources]]\nname = \"native\"\nbroker = \"outside\"\ntopics = [\"buoyline/vessels/+/fix\"]\n\
         decoder = \"native\"\n"
    );
    let config = daemon.config(&more);
    let running = serve::start(&config).await.expect("a daemon");
    let mut is_kept = true;
    let since = Instant::now();
    while is_kept {
        assert!(since.elapsed() < PATIENCE, "the ghost stays");
        let who = format!("listener-{}", since.elapsed().as_millis());
        let heard = listen_as(&outside, &who, "buoyline/vessels/+/state").await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        is_kept = heard.lock().expect("a lock").iter().any(|(_, payload)| !payload.is_empty());
    }
    running.stop().await.expect("it stops");
    outside.stop().await.expect("it stops");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_too_late_amends_and_replaces_nothing() {
    let stage = Stage::new(37);
    let t = |line: &Line| {
        let message: Value = serde_json::from_str(&line.payload).expect("JSON");
        message["t"].as_str().map(|t| EventTime::parse_rfc3339(t).expect("a time"))
    };
    let end = stage.lines.iter().filter_map(t).max().expect("a time");
    // One vessel's fixes of some minutes come after everything else.
    let (start, held, others) = stage
        .expected
        .values()
        .find_map(|json| {
            let some: Value = serde_json::from_str(json).expect("JSON");
            let topic = format!("buoyline/vessels/{}/fix", some["vessel"].as_str().expect("a vessel"));
            let start = EventTime::parse_rfc3339(some["start"].as_str().expect("a time")).expect("a time");
            let is_held_back =
                |line: &Line| line.topic == topic && t(line).is_some_and(|t| t.seconds_since(start).abs() < 30.0);
            let (held, others): (Vec<Line>, Vec<Line>) = stage.lines.iter().cloned().partition(is_held_back);
            let newest = others.iter().filter(|line| line.topic == topic).filter_map(t).max()?;
            let is_late = newest.seconds_since(start) > 90.0 && end.seconds_since(start) > 120.0;
            (held.len() > 5 && is_late && some["status"] == "closed").then_some((start, held, others))
        })
        .expect("a finding in the midst of a track");

    let running = stage.start().await;
    let heard = listen(&running, "buoyline/findings/#").await;
    play(&running, &others).await;
    play(&running, &held).await;
    let (from, to) = (start.plus_seconds(-300.0), start.plus_seconds(300.0));
    let store = stage.at("store.db");
    let amended = serve::rejudge(&store, from, to, to).expect("judged again");
    assert!(amended.late > 5 && amended.changed + amended.added + amended.withdrawn > 0, "{amended:?}");
    assert_eq!(serve::rejudge(&store, from, to, to).expect("judged again").changed, 0, "once is enough");
    let is_amended = |(_, payload): &(String, Vec<u8>)| String::from_utf8_lossy(payload).contains("\"amended\":true");
    until("an amended finding goes out", || heard.lock().expect("a lock").iter().any(is_amended)).await;
    running.stop().await.expect("it stops");

    // Now it stands as if everything had come in time.
    let closed = |all: BTreeMap<String, (u32, String, String)>| {
        let closed = all.into_iter().filter(|(_, (_, status, _))| status == "closed");
        closed.map(|(id, (.., json))| (id, bare(&json))).collect::<BTreeMap<_, _>>()
    };
    let there = stage.store();
    let standing = closed(there.findings_between(from, to).expect("findings"));
    let mut expected: BTreeMap<String, (u32, String, String)> = BTreeMap::new();
    for ((id, revision), json) in &stage.expected {
        let finding: Value = serde_json::from_str(json).expect("JSON");
        let began = EventTime::parse_rfc3339(finding["start"].as_str().expect("a time")).expect("a time");
        if from <= began && began <= to {
            let status = finding["status"].as_str().expect("a status").to_owned();
            expected.insert(id.clone(), (*revision as u32, status, json.clone()));
        }
    }
    assert_eq!(standing, closed(expected));
    let kept = stage.kept().0;
    let before = stage.kept().0.into_iter().filter(|(_, json)| !json.contains("\"amended\":true")).count();
    assert!(before > 0 && kept.len() > before, "the history stays");
}

/// What a finding says, without its revision and whether it amends.
fn bare(json: &str) -> Value {
    let mut finding: Value = serde_json::from_str(json).expect("JSON");
    let keys = finding.as_object_mut().expect("an object");
    keys.remove("revision");
    keys.remove("amended");
    finding
}

#[tokio::test(flavor = "multi_thread")]
async fn however_a_map_is_saved_the_last_valid_one_is_in_force() {
    let stage = Stage::new(41);
    let zones = std::fs::read_dir(stage.at("zones")).expect("a folder").next().expect("a map");
    let path = zones.expect("an entry").path();
    let drawn = std::fs::read_to_string(&path).expect("a map");
    let count: usize = std::env::var("ZONE_SAVES").map_or(12, |text| text.parse().expect("a number"));
    let running = stage.start().await;
    let version = || serve::read_law(&[stage.at("zones")], &stage.at("rules.toml")).expect("in order").0.version;
    let (mut rng, mut valid) = (crate::support::rng::Rng::new(3), drawn.clone());
    // The last valid map, unless the daemon may not have looked at it.
    let mut last = Some(version());
    let parts: Vec<&[Line]> = stage.lines.chunks(stage.lines.len().div_ceil(count)).collect();
    for i in 0..count {
        let mut changed: Value = serde_json::from_str(&drawn).expect("JSON");
        changed["features"][0]["properties"]["note"] = json!(format!("save {i}"));
        let text = changed.to_string();
        let how = rng.below(4);
        match how {
            0 => std::fs::write(&path, &text[..rng.below(text.len())]).expect("cut off"),
            1 => std::fs::write(&path, "{}").expect("no map"),
            2 => std::fs::write(&path, &text).expect("written"),
            _ => {
                let draft = stage.at("draft");
                std::fs::write(&draft, &text).expect("written");
                std::fs::rename(&draft, &path).expect("renamed");
            }
        }
        let is_valid = how >= 2;
        if is_valid {
            valid = text;
            last = None;
        }
        if let Some(part) = parts.get(i) {
            play(&running, part).await;
        }
        // Sometimes the next save comes before this one was looked at.
        if rng.below(3) > 0 && is_valid {
            let wanted = version();
            until("a valid map is in force", || running.board().law().borrow().version == wanted).await;
            last = Some(wanted);
        } else if rng.below(3) > 0 {
            tokio::time::sleep(Duration::from_millis(200 + rng.below(400) as u64)).await;
            if let Some(last) = &last {
                assert_eq!(&running.board().law().borrow().version, last, "a broken map changes nothing");
            }
        }
    }
    std::fs::write(&path, &valid).expect("written");
    let wanted = version();
    until("the last valid map is in force", || running.board().law().borrow().version == wanted).await;
    running.stop().await.expect("it stops");
    let (kept, heard) = stage.kept();
    assert_eq!(heard, distinct(&stage.lines), "no fix is lost");
    let again = judge_again(&stage.at("store.db"), &Job::default()).expect("judged again");
    for finding in &again.outcome.findings {
        let line = finding_line(finding, again.rulebook.in_force(finding.start));
        assert_eq!(kept[&(finding.id.clone(), u64::from(finding.revision))], line);
    }
}
