//! `buoyline serve`: the daemon.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use super::args::Serve;
use super::{Ending, tell};
use crate::config::{Config, LogFormat};
use crate::console::{self, FirstLogin, Settings};
use crate::serve::{self, Endpoint, Running, ServeError};

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
pub(super) async fn start(config: &Config, is_open: bool) -> Result<Running, ServeError> {
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

/// Returns when somebody stops the program, or it cannot go on.
pub(super) async fn until_stopped(running: &Running) -> Result<(), ServeError> {
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
