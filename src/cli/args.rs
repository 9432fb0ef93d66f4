//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Args as Group, Parser, Subcommand};

use crate::observation::VesselId;
use crate::time::EventTime;
use crate::units::SpeedUnit;

/// Watches boats on lakes and rivers and says, with evidence, when one breaks the boating code.
#[derive(Debug, Parser)]
#[command(name = "buoyline", version, about)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Judges recorded tracks offline; findings go to stdout.
    Replay(Replay),
}

/// `buoyline replay`.
#[derive(Debug, Group)]
pub struct Replay {
    /// Recordings; `-` reads NDJSON from standard input.
    #[arg(required = true, value_name = "TRACK")]
    pub tracks: Vec<PathBuf>,
    /// Map and rulebook.
    #[command(flatten)]
    pub law: Law,
    /// How findings are written.
    #[arg(long, default_value = "text")]
    pub format: String,
    /// Only fixes from this instant on.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub from: Option<EventTime>,
    /// Only what was observed until this instant.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub to: Option<EventTime>,
}

/// What is judged by.
#[derive(Debug, Group)]
pub struct Law {
    /// A GeoJSON file, or a folder of them.
    #[arg(long, value_name = "PATH", default_value = "zones")]
    pub zones: Vec<PathBuf>,
    /// A rulebook.
    #[arg(long, value_name = "FILE", default_value = "config/rules/spokane.toml")]
    pub rules: PathBuf,
}

fn instant(text: &str) -> Result<EventTime, String> {
    EventTime::parse_rfc3339(text).map_err(|error| error.to_string())
}

#[allow(dead_code)]
fn unit(text: &str) -> Result<SpeedUnit, String> {
    SpeedUnit::from_symbol(text).ok_or_else(|| "unknown unit".to_owned())
}

#[allow(dead_code)]
fn vessel(text: &str) -> Result<VesselId, String> {
    VesselId::new(text).map_err(|error| error.to_string())
}
