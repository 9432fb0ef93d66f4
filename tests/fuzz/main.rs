//! Fuzz targets: whatever bytes come in, the laws of `targets/` hold. `README.md` beside this says how to run them.
//!
//! A target is one line in [`TARGETS`] and one function: bytes in, what came of them or the law they broke out. The
//! runner feeds it the samples of `tests/data`, the saved corpus, and mutations of both. It needs no instrumented
//! build and so runs on stable Rust: instead of the branches that were taken it looks at what was said. A refusal of
//! a kind not seen before means that other code has run, and its input is kept to be mutated further.

#![allow(clippy::print_stdout)]

#[path = "../support/rng.rs"]
#[allow(dead_code)]
mod rng;

mod laws;
mod mutate;
mod runner;
mod seeds;
mod targets;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use peak_alloc::PeakAlloc;
use runner::{Budget, Target};
use targets::{lines, maps, messages, packed, recordings, rulebooks};

/// Tells how much memory a run took at most.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// All targets: the name, where its samples lie under `tests/`, what is asked of it.
#[rustfmt::skip]
const TARGETS: &[Target] = &[
    Target::new("native", &["data/decoders/native", "data/recordings/ndjson", "cases"], messages::native),
    Target::new("message-native", &["data/decoders/native"], messages::native_by_topic).of(seeds::messages),
    Target::new("message-owntracks", &["data/decoders/owntracks"], messages::owntracks).of(seeds::messages),
    Target::new("message-nmea", &["data/decoders/nmea"], messages::nmea).of(seeds::messages).mended(mutate::checksums),
    Target::new("message-ais-catcher", &["data/decoders/ais-catcher"], messages::ais_catcher).of(seeds::messages),
    Target::new("message-signalk", &["data/decoders/signalk"], messages::signalk).of(seeds::messages),
    Target::new("message-traccar", &["data/decoders/traccar"], messages::traccar).of(seeds::messages),
    Target::new("message-meshtastic", &["data/decoders/meshtastic"], messages::meshtastic).of(seeds::messages),
    Target::new("message-chirpstack", &["data/decoders/chirpstack"], messages::chirpstack).of(seeds::messages),
    Target::new("message-the-things-stack", &["data/decoders/the-things-stack"], messages::the_things_stack).of(seeds::messages),
    Target::new("message-digitraffic", &["data/decoders/digitraffic"], messages::digitraffic).of(seeds::messages),
    Target::new("message-gpsd", &["data/decoders/gpsd"], messages::gpsd).of(seeds::messages),
    Target::new("message-sniffed", &["data/decoders"], messages::sniffed).of(seeds::messages),
    Target::new("message-http", &["data/decoders/traccar", "data/decoders/owntracks"], messages::http).of(seeds::messages),
    Target::new("nmea-lines", &["data/recordings/nmea", "data/nmea"], lines::nmea).mended(mutate::checksums),
    Target::new("ais-payload", &["data/nmea"], lines::ais).of(seeds::payloads),
    Target::new("recording-ndjson", &["data/recordings/ndjson"], recordings::ndjson),
    Target::new("recording-nmea", &["data/recordings/nmea", "data/nmea"], recordings::nmea).mended(mutate::checksums),
    Target::new("recording-mqtt", &["data/recordings/mqtt"], recordings::mqtt),
    Target::new("recording-csv", &["data/recordings/csv", "data/recordings/counts"], recordings::csv),
    Target::new("recording-gpx", &["data/recordings/gpx", "data/recordings/counts"], recordings::gpx),
    Target::new("recording-tcx", &["data/recordings/tcx", "data/recordings/counts"], recordings::tcx),
    Target::new("recording-kml", &["data/recordings/kml"], recordings::kml),
    Target::new("recording-geojson", &["data/recordings/geojson"], recordings::geojson),
    Target::new("recording-fit", &["data/recordings/fit"], recordings::fit).mended(mutate::fit_sums),
    Target::new("recording-any", &["data/recordings"], recordings::any),
    Target::new("packed-gzip", &["data/recordings"], packed::gzip).of(seeds::gzip),
    Target::new("packed-zstd", &["data/recordings"], packed::zstd).of(seeds::zstd),
    Target::new("packed-zip", &["data/recordings"], packed::zip).of(seeds::zip),
    Target::new("packed-or-not", &["data/recordings"], packed::or_not),
    Target::new("zones", &["data/zones", "cases"], maps::zones),
    Target::new("import-any", &["data/import"], maps::import),
    Target::new("import-shapefile", &["data/import"], maps::shapefile).of(seeds::shapefiles),
    Target::new("rulebook", &["../config/rules"], rulebooks::rulebook),
];

/// `cargo test --test fuzz -- [TARGET…] [FILE]`.
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--list") {
        TARGETS.iter().for_each(|target| println!("{}: test", target.name));
        return ExitCode::SUCCESS;
    }
    let (files, names): (Vec<_>, Vec<_>) =
        words.into_iter().filter(|word| !word.starts_with('-')).partition(|word| Path::new(word).is_file());
    let is_asked = |target: &&Target| names.is_empty() || names.iter().any(|name| target.name.contains(name.as_str()));
    let asked: Vec<&Target> = TARGETS.iter().filter(is_asked).collect();
    if asked.is_empty() {
        println!("no fuzz target is called {}", names.join(" or "));
        return ExitCode::SUCCESS;
    }
    let mut finds = 0;
    if files.is_empty() {
        let said = std::env::var("FUZZ_SECONDS").ok().map(|text| text.parse().expect("FUZZ_SECONDS is a number"));
        let budget = match said {
            Some(seconds) => Budget { time: Duration::from_secs(seconds), executions: u64::MAX },
            // The same few mutations in every test run, fewer on a slow machine.
            None => Budget { time: Duration::from_secs(2), executions: 2000 },
        };
        println!("{}", runner::HEADINGS);
        finds = asked.iter().map(|target| runner::run(target, &budget)).sum();
    }
    for file in &files {
        let bytes = std::fs::read(file).expect("a file to replay");
        for target in &asked {
            finds += usize::from(!runner::replay(target, file, &bytes));
        }
    }
    if finds == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
