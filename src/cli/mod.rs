//! Arguments, one file a command.

mod args;
mod load;
mod replay;

use std::process::ExitCode;

use clap::Parser;

/// Reads the arguments, runs the command, says how it ended: 0 done, 1 a fault in what was given, 2
/// unusable arguments.
pub fn run() -> ExitCode {
    match args::Args::parse().command {
        args::Command::Replay(replay) => replay::run(&replay),
    }
}
