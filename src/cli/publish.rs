//! `buoyline publish`: plays recordings to a broker as live trackers would.

use std::time::{Duration, Instant};

use super::args::Publish;
use super::serve::log_to_stderr;
use super::{Ending, tell};
use crate::config::{Connection, LogFormat, Secret};
use crate::replay::player::Script;
use crate::serve::{Endpoint, Player};
use crate::time::EventTime;

/// How often it tells how far it is.
const TELL_EVERY: Duration = Duration::from_secs(5);

pub(super) fn run(args: &Publish) -> Ending {
    log_to_stderr("warn", LogFormat::Text);
    // Two providers of cryptography in one program make TLS panic when first used; this is the only one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let connection = Connection {
        url: args.broker.clone(),
        user: args.user.clone(),
        password: args.password.as_deref().map(Secret::new),
        ca: args.ca.clone(),
        client_certificate: None,
        client_key: None,
    };
    let endpoint = match Endpoint::new(&connection) {
        Ok(endpoint) => endpoint,
        Err(error) => return Ending::Unusable(error.to_string()),
    };
    let script = match Script::read(&args.tracks, &args.reading.options()) {
        Ok(script) => script.repeated(args.boats, args.apart.s()),
        Err((name, error)) => {
            tell(format_args!("error: {name}: {error}"));
            return Ending::Faulty;
        }
    };
    for (reason, count) in &script.refused {
        tell(format_args!("note: {count} records are no observation ({reason})"));
    }
    let Some((first, last)) = script.period() else {
        tell("error: there is nothing to publish");
        return Ending::Faulty;
    };
    // So that no time lies ahead of the clock, the recording ends with its last message, however fast it is played.
    let ahead_s = if args.speed > 0.0 {
        last.seconds_since(first) * (1.0 - 1.0 / args.speed).max(0.0)
    } else {
        last.seconds_since(first)
    };
    let now = EventTime::from_chrono(chrono::Utc::now()).unwrap_or(EventTime::MAX);
    let begins = (!args.keep_times).then(|| now.plus_seconds(-ahead_s));
    let lines: std::sync::Arc<[_]> = script.lines(begins).collect();
    let count = lines.len();
    let client_id = args.client_id.clone().unwrap_or_else(|| format!("buoyline-publish-{:08x}", fastrand::u32(..)));
    let player = Player { endpoint, client_id, speed: args.speed, lines };

    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            tell(format_args!("error: {error}"));
            return Ending::Faulty;
        }
    };
    let (began, mut told) = (Instant::now(), Instant::now());
    let played = runtime.block_on(player.play(&mut |acknowledged| {
        if told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            tell(format_args!("{acknowledged} of {count} messages acknowledged"));
        }
    }));
    match played {
        Ok(()) => {
            tell(format_args!("{count} messages acknowledged in {:.1} s", began.elapsed().as_secs_f64()));
            Ending::Done
        }
        Err(error) => {
            tell(format_args!("error: {error}"));
            Ending::Faulty
        }
    }
}
