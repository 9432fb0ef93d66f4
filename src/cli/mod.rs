//! The command line: arguments, one file a command, and what people are told on standard error.
//!
//! Standard output carries results only.

mod args;
mod check;
mod convert;
mod counts;
mod demo;
mod export;
mod import;
mod law;
mod picture;
mod publish;
mod rejudge;
mod replay;
mod report;
mod serve;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

/// How a command ended.
enum Ending {
    /// The work is done, whatever it found.
    Done,
    /// A fault in the given files stopped the work, or some of it; it has been named.
    Faulty,
    /// The arguments cannot be used together, and why.
    Unusable(String),
}

/// Reads the arguments, runs the command and says how it ended: 0 done, 1 a fault in what was given, 2
/// unusable arguments.
pub fn run() -> ExitCode {
    let ending = match args::Args::parse().command {
        args::Command::Replay(replay) => replay::run(&replay),
        args::Command::Check(check) => check::run(&check),
        args::Command::Serve(serve) => serve::run(&serve),
        args::Command::Rejudge(rejudge) => rejudge::run(&rejudge),
        args::Command::Demo(demo) => demo::run(&demo),
        args::Command::Publish(publish) => publish::run(&publish),
        args::Command::Convert(convert) => convert::run(&convert),
        args::Command::Import(import) => import::run(&import),
        args::Command::Report(report) => report::run(&report),
        args::Command::Export(export) => export::run(&export),
    };
    match ending {
        Ending::Done => ExitCode::SUCCESS,
        Ending::Faulty => ExitCode::from(1),
        Ending::Unusable(reason) => {
            let _ = args::Args::command().error(clap::error::ErrorKind::ArgumentConflict, reason).print();
            ExitCode::from(2)
        }
    }
}

/// Tells people something, on standard error. Nobody may be listening; that is no fault. What it quotes of files
/// may hold control characters, which a terminal would obey; they are written out.
fn tell(message: impl Display) {
    let message = message.to_string();
    let mut shown = String::with_capacity(message.len());
    for c in message.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            _ if c.is_control() => shown.extend(c.escape_default()),
            _ => shown.push(c),
        }
    }
    let _ = writeln!(io::stderr(), "{shown}");
}

/// Writes results to standard output. A reader that has seen enough and went away is no fault.
fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Ending {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Ending::Done,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ending::Done,
        Err(error) => {
            tell(format_args!("error: standard output: {error}"));
            Ending::Faulty
        }
    }
}
