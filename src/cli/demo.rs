//! `buoyline demo`: a daemon on a scratch store, with shipped recordings played into its own broker, so that a newcomer
//! sees boats and findings within seconds.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

use chrono_tz::Tz;
use tokio::sync::broadcast::error::RecvError;

use super::args::Demo;
use super::serve::{in_runtime, log_to_stderr, start, until_stopped};
use super::{Ending, tell};
use crate::config::{Config, LogFormat};
use crate::findings::Status;
use crate::law;
use crate::observation::{Observation, Profile, VesselId};
use crate::replay::player::{Line, Script};
use crate::replay::{ReadOptions, Recording, RecordingError};
use crate::serve::{Endpoint, PlayError, Player, Running, ServeError};
use crate::store::Kept;
use crate::time::EventTime;

/// A recording that is played.
struct Scene {
    name: &'static str,
    bytes: &'static [u8],
    /// So much of it has happened already when the demo begins: the next finding comes soon after. Seconds.
    past_s: f64,
    /// Whether several boats sail it, one behind the other.
    is_multiplied: bool,
}

/// What is played: rowers on the Charles, and skiers on Lake Texana.
const SCENES: [Scene; 2] = [
    Scene {
        name: "charles-rowing-2015-10-17.tcx.gz",
        bytes: include_bytes!("../../replay/charles-rowing-2015-10-17.tcx.gz"),
        past_s: 150.0,
        is_multiplied: true,
    },
    Scene {
        name: "lake-texana-skiers-made-up.ndjson.gz",
        bytes: include_bytes!("../../replay/lake-texana-skiers-made-up.ndjson.gz"),
        past_s: 225.0,
        is_multiplied: false,
    },
];
/// The map of the second scene; that of the first is built in.
const TEXANA: &[u8] = include_bytes!("../../zones/lake-texana.geojson");
/// How far behind each other the boats sail the same track, seconds.
const APART_S: f64 = 40.0;

/// `buoyline demo`.
pub(super) fn run(args: &Demo) -> Ending {
    log_to_stderr("warn", LogFormat::Text);
    let mut scripts = Vec::new();
    for scene in &SCENES {
        match script(scene, args.boats) {
            Ok(script) => scripts.push((scene, script)),
            Err(error) => {
                tell(format_args!("error: {}: {error}", scene.name));
                return Ending::Faulty;
            }
        }
    }
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            tell(format_args!("error: no folder for temporary files: {error}"));
            return Ending::Faulty;
        }
    };
    in_runtime(async {
        let mut config = scratch(folder.path()).map_err(|error| ServeError::Config(error.to_string()))?;
        // Where something listens at a usual port already, any other will do.
        let running = loop {
            match start(&config, true).await {
                Err(ServeError::Broker(_)) if config.broker.listen.port() != 0 => config.broker.listen.set_port(0),
                Err(ServeError::Http { listen, .. }) if listen.port() != 0 => {
                    config.http.listen = Some(SocketAddr::new(listen.ip(), 0));
                }
                started => break started?,
            }
        };
        show(&running, args, scripts).await?;
        running.stop().await
    })
}

/// A scene in order of time, with what its boats are called.
fn script(scene: &Scene, boats: usize) -> Result<Script, RecordingError> {
    // Where its times are in UTC, which they do not say.
    let options = ReadOptions { utc_offset: chrono::FixedOffset::east_opt(0), ..ReadOptions::default() };
    let mut script = Script::default();
    Recording::from_reader(scene.name, scene.bytes, &options)?.read(&options, &mut script)?;
    script.observations.sort_by_key(Observation::t);
    let mut script = if scene.is_multiplied { script.repeated(boats, APART_S) } else { script };
    let mut vessels: Vec<VesselId> = script.observations.iter().filter_map(Observation::vessel).cloned().collect();
    vessels.sort();
    vessels.dedup();
    let names = vessels.into_iter().enumerate().map(|(i, vessel)| {
        let name = if scene.is_multiplied { format!("Rower {}", i + 1) } else { vessel.to_string().replace('-', " ") };
        Observation::Profile(vessel, Box::new(Profile { name: Some(name), ..Profile::default() }))
    });
    script.observations.splice(0..0, names);
    Ok(script)
}

/// Settings that touch nothing but a folder, with the maps and the rulebook that are built in.
fn scratch(folder: &Path) -> io::Result<Config> {
    let mut config = Config::defaults();
    let zones = folder.join("zones");
    std::fs::create_dir(&zones)?;
    std::fs::write(zones.join("charles.geojson"), law::built_in_zones().bytes)?;
    std::fs::write(zones.join("lake-texana.geojson"), TEXANA)?;
    config.zones = vec![zones];
    config.rules = folder.join("rules.toml");
    std::fs::write(&config.rules, law::built_in_rulebook().1)?;
    config.store.path = folder.join("demo.db");
    config.http.listen =
        config.http.listen.map(|listen| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), listen.port()));
    Ok(config)
}

/// Plays the scenes into the broker of a daemon and prints what it finds, until it is stopped.
async fn show(running: &Running, args: &Demo, scripts: Vec<(&'static Scene, Script)>) -> Result<(), ServeError> {
    let address = running.broker_address().ok_or_else(|| ServeError::Config("the broker does not run".to_owned()))?;
    let mut findings = running.board().findings();
    let zone = running.board().law().borrow().rulebook.time_zone;
    let http = running.http_address().map(|http| http.to_string()).unwrap_or_default();
    let pace = if args.speed == 1.0 { String::new() } else { format!(" {} times as fast as they did,", args.speed) };
    tell(format_args!(
        "Console: http://{http}/\n\n\
         {} boats row down the Charles River, and people ski on Lake Texana,{pace} over and over; times are moved to now.\n\
         Broker:  mqtt://{address}, as in `mosquitto_sub -p {} -t 'buoyline/findings/#'`\n\
         Metrics: http://{http}/metrics. Stop with Ctrl-C.\n",
        args.boats,
        address.port(),
    ));
    let speed = args.speed;
    let mut playing = tokio::task::JoinSet::new();
    for (i, (scene, script)) in scripts.into_iter().enumerate() {
        playing.spawn(play(format!("buoyline-demo-{i}"), address, scene.past_s, script, speed));
    }
    let printing = async {
        loop {
            match findings.recv().await {
                Ok(kept) => print_finding(&kept, zone),
                Err(RecvError::Lagged(missed)) => tell(format_args!("note: {missed} findings were not shown")),
                Err(RecvError::Closed) => return,
            }
        }
    };
    let ending = async {
        while let Some(ended) = playing.join_next().await {
            match ended {
                Ok(Err(error)) => tell(format_args!("error: {error}")),
                Ok(Ok(never)) => match never {},
                Err(error) => tell(format_args!("error: playing broke off: {error}")),
            }
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = printing => Ok(()),
        () = ending => Ok(()),
        stopped = until_stopped(running) => stopped,
    }
}

/// Plays a script again and again. The first `past_s` seconds of it have just happened each time.
async fn play(
    client_id: String,
    broker: SocketAddr,
    past_s: f64,
    script: Script,
    speed: f64,
) -> Result<std::convert::Infallible, PlayError> {
    let period_s = script.period().map_or(0.0, |(first, last)| last.seconds_since(first));
    loop {
        let now = EventTime::from_chrono(chrono::Utc::now()).unwrap_or(EventTime::MAX);
        // Played faster, more of it lies in the past, so that nothing is ever of the future.
        let begins = now.plus_seconds(-past_s - (period_s - past_s) * (1.0 - 1.0 / speed));
        let lines = script.lines(Some(begins)).map(|line| Line { at_s: (line.at_s - past_s).max(0.0), ..line });
        let endpoint = Endpoint::plain(&broker.ip().to_string(), broker.port(), None);
        let player = Player { endpoint, client_id: client_id.clone(), speed, lines: lines.collect() };
        player.play(&mut |_| {}).await?;
    }
}

fn print_finding(kept: &Kept, zone: Tz) {
    let finding = &kept.finding;
    let what = match (finding.status, finding.revision) {
        (Status::Open, 1) => "begins",
        // How it goes on is seen in the console.
        (Status::Open, _) => return,
        (Status::Closed, _) => "is over",
        (Status::Withdrawn, _) => "withdrawn",
    };
    let clock = finding.start.to_chrono().with_timezone(&zone).format("%H:%M:%S %Z");
    // Nobody may be reading; that is no fault.
    let _ = writeln!(io::stdout(), "{clock}  {what:9}  {}", finding.text);
}
