//! `buoyline serve` and `buoyline demo`: the daemon.

use std::io::{self, IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

use chrono_tz::Tz;
use tokio::sync::broadcast::error::RecvError;
use tracing_subscriber::EnvFilter;

use super::args::{Demo, Serve};
use super::{Ending, tell};
use crate::config::{Config, LogFormat};
use crate::console::{self, FirstLogin, Settings};
use crate::findings::Status;
use crate::law;
use crate::replay::player::Script;
use crate::replay::{ReadOptions, Recording, RecordingError};
use crate::serve::{self, Endpoint, Player, Running, ServeError};
use crate::store::Kept;
use crate::time::EventTime;

/// The recording that `demo` plays.
const RECORDING: (&str, &[u8]) =
    ("charles-rowing-2015-10-17.tcx.gz", include_bytes!("../../replay/charles-rowing-2015-10-17.tcx.gz"));
/// How far behind each other the boats of `demo` sail the same track, seconds.
const APART_S: f64 = 40.0;

/// `buoyline serve`.
pub(super) fn run(args: &Serve) -> Ending {
    let config = match &args.config {
        Some(path) => Config::from_file(path),
        None => Ok(Config::defaults()),
    };
    let config = match config {
        Ok(config) => config,
        Err(error) => {
            tell(format_args!("error: {error}"));
            return Ending::Faulty;
        }
    };
    if args.check_config {
        return check(&config);
    }
    log_to_stderr(&config.log.level, config.log.format);
    in_runtime(async {
        let running = start(&config, false).await?;
        until_stopped(&running).await?;
        tracing::info!("stopping");
        running.stop().await
    })
}

/// Starts the daemon with its console; `is_open` lets whoever is on this machine in without a login.
async fn start(config: &Config, is_open: bool) -> Result<Running, ServeError> {
    if !config.console.enabled {
        return serve::start(config).await;
    }
    let settings = Settings { is_open, ..Settings::of(config) };
    serve::start_with(config, |desk| {
        let (pages, first) = console::open(desk, settings)?;
        if let Some(FirstLogin { user, password }) = first {
            tell(format_args!(
                "The console has no accounts yet, so one was made. This is shown once; change the password after logging in.\n\
                 user:     {user}\npassword: {password}"
            ));
        }
        Ok(pages)
    })
    .await
}

/// Says whether the daemon could start with these settings.
fn check(config: &Config) -> Ending {
    let mut faults = Vec::new();
    if let Err(fault) = serve::read_law(&config.zones, &config.rules) {
        faults.push(format!("map or rulebook: {fault}"));
    }
    for (name, connection) in &config.brokers {
        if let Err(error) = Endpoint::new(connection) {
            faults.push(format!("brokers.{name}: {error}"));
        }
    }
    faults.iter().for_each(|fault| tell(format_args!("error: {fault}")));
    if faults.is_empty() {
        tell("the settings are in order");
        Ending::Done
    } else {
        Ending::Faulty
    }
}

/// `buoyline demo`.
pub(super) fn demo(args: &Demo) -> Ending {
    log_to_stderr("warn", LogFormat::Text);
    let script = match script(args.boats) {
        Ok(script) => script,
        Err(error) => {
            tell(format_args!("error: {}: {error}", RECORDING.0));
            return Ending::Faulty;
        }
    };
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            tell(format_args!("error: no folder for temporary files: {error}"));
            return Ending::Faulty;
        }
    };
    in_runtime(async {
        let mut config = scratch(folder.path()).map_err(|error| ServeError::Config(error.to_string()))?;
        let running = match start(&config, true).await {
            // Another broker runs here already; any port will do.
            Err(ServeError::Broker(_)) => {
                config.broker.listen.set_port(0);
                start(&config, true).await?
            }
            other => other?,
        };
        show(&running, args, script).await?;
        running.stop().await
    })
}

/// The shipped recording, sailed by several boats.
fn script(boats: usize) -> Result<Script, RecordingError> {
    let (name, bytes) = RECORDING;
    // Its positions are in UTC, which they do not say.
    let options = ReadOptions { utc_offset: chrono::FixedOffset::east_opt(0), ..ReadOptions::default() };
    let mut script = Script::default();
    Recording::from_reader(name, bytes, &options)?.read(&options, &mut script)?;
    script.observations.sort_by_key(crate::observation::Observation::t);
    Ok(script.repeated(boats, APART_S))
}

/// Settings that touch nothing but a folder, with the map and the rulebook that are built in.
fn scratch(folder: &Path) -> io::Result<Config> {
    let mut config = Config::defaults();
    let zones = law::built_in_zones();
    let (_, rules) = law::built_in_rulebook();
    config.zones = vec![folder.join("charles.geojson")];
    config.rules = folder.join("rules.toml");
    std::fs::write(&config.zones[0], zones.bytes)?;
    std::fs::write(&config.rules, rules)?;
    config.store.path = folder.join("demo.db");
    config.http.listen = Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0));
    Ok(config)
}

/// Plays the script into the broker of a daemon and prints what it finds, until it is stopped.
async fn show(running: &Running, args: &Demo, script: Script) -> Result<(), ServeError> {
    let address = running.broker_address().ok_or_else(|| ServeError::Config("the broker does not run".to_owned()))?;
    let mut findings = running.board().findings();
    let zone = running.board().law().borrow().rulebook.time_zone;

    let period_s = script.period().map_or(0.0, |(first, last)| last.seconds_since(first));
    let now = EventTime::from_chrono(chrono::Utc::now()).unwrap_or(EventTime::MAX);
    let lines = script.lines(Some(now.plus_seconds(-period_s * (1.0 - 1.0 / args.speed)))).collect();
    let endpoint = Endpoint::plain(&address.ip().to_string(), address.port(), None);
    let player = Player { endpoint, client_id: "buoyline-demo".to_owned(), speed: args.speed, lines };
    tell(format_args!(
        "{} boats row down the Charles River, {} times as fast as they did; their times are moved to now.\n\
         Broker: mqtt://{address}, as in `mosquitto_sub -p {} -t 'buoyline/findings/#'`\n\
         Metrics: http://{}/metrics. Stop with Ctrl-C.\n",
        args.boats,
        args.speed,
        address.port(),
        running.http_address().map(|http| http.to_string()).unwrap_or_default(),
    ));

    let playing = tokio::spawn(async move { player.play(&mut |_| {}).await });
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
        match playing.await {
            Ok(Ok(())) => tell("note: the recording is over; the daemon goes on until Ctrl-C"),
            Ok(Err(error)) => tell(format_args!("error: {error}")),
            Err(error) => tell(format_args!("error: playing broke off: {error}")),
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = printing => Ok(()),
        () = ending => Ok(()),
        stopped = until_stopped(running) => stopped,
    }
}

fn print_finding(kept: &Kept, zone: Tz) {
    let finding = &kept.finding;
    let what = match (finding.status, finding.revision) {
        (Status::Open, 1) => "begins",
        (Status::Open, _) => "goes on",
        (Status::Closed, _) => "is over",
        (Status::Withdrawn, _) => "withdrawn",
    };
    let clock = finding.start.to_chrono().with_timezone(&zone).format("%H:%M:%S");
    // Nobody may be reading; that is no fault.
    let _ = writeln!(io::stdout(), "{clock}  {what:9}  {}", finding.text);
}

/// Returns when somebody stops the program, or it cannot go on.
async fn until_stopped(running: &Running) -> Result<(), ServeError> {
    tokio::select! {
        ended = running.ended() => ended,
        () = signalled() => Ok(()),
    }
}

/// Returns on Ctrl-C, or when the system asks the program to end.
async fn signalled() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // It cannot be told; then the only end is a hard one.
        std::future::pending::<()>().await;
    }
}

pub(super) fn in_runtime(work: impl Future<Output = Result<(), ServeError>>) -> Ending {
    let ended = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(work).map_err(|error| error.to_string()),
        Err(error) => Err(format!("no threads can be started: {error}")),
    };
    match ended {
        Ok(()) => Ending::Done,
        Err(error) => {
            tell(format_args!("error: {error}"));
            Ending::Faulty
        }
    }
}

/// Sends the log to standard error. `RUST_LOG` goes before the settings.
pub(super) fn log_to_stderr(level: &str, format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| {
        // The broker's own talk is of interest only where it is asked for.
        EnvFilter::new(format!("{level},mqtt5=warn,rumqttc=warn"))
    });
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let started = match format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    if let Err(error) = started {
        tell(format_args!("note: nothing will be logged: {error}"));
    }
}
