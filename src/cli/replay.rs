//! `buoyline replay`: judges recordings and writes what came out.

use std::io::Write;
use std::process::ExitCode;

use super::args;
use super::load;
use crate::replay::driver::{self, Job};

/// Runs it.
pub fn run(args: &args::Replay) -> ExitCode {
    let (map, rulebook) = match load::law(&args.law) {
        Ok(law) => law,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(1);
        }
    };
    let job = Job { tracks: args.tracks.clone(), from: args.from, to: args.to, ..Job::default() };
    let outcome = driver::judge(&job, &map, &rulebook, &mut |_| {});
    let mut out = std::io::stdout().lock();
    for finding in &outcome.findings {
        let line = serde_json::to_string(finding).expect("a finding is plain data");
        let _ = writeln!(out, "{line}");
    }
    eprintln!("{:?} {:?}", outcome.fixes, outcome.examples);
    for (name, error) in &outcome.unread {
        eprintln!("{name}: {error}");
    }
    ExitCode::SUCCESS
}
