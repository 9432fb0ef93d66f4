//! `buoyline replay`: judges recordings and writes what came out.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::Replay;
use super::counts::tell_counts;
use super::law::{self, Judging};
use super::{Ending, print, tell};
use crate::export::{self, FORMATS, Report};
use crate::observation::{VesselClass, VesselId};
use crate::replay::Classes;
use crate::replay::driver::{self, Job, Keep};

pub(super) fn run(args: &Replay) -> Ending {
    if let Some(reason) = contradiction(args) {
        return Ending::Unusable(reason);
    }
    let Some(format) = FORMATS.iter().find(|format| format.name == args.format) else {
        return Ending::Unusable(format!("no such format: {}", args.format));
    };
    if args.summary.as_deref() == Some(Path::new("-")) {
        return Ending::Unusable("--summary takes the name of a file; standard output is for findings".to_owned());
    }
    let Some(Judging { map, rulebook, is_whole }) = law::to_judge_by(&args.law) else { return Ending::Faulty };
    let summary = match args.summary.as_deref().map(create).transpose() {
        Ok(summary) => summary,
        Err(reason) => {
            tell(reason);
            return Ending::Faulty;
        }
    };

    let job = Job {
        tracks: args.tracks.clone(),
        read: args.reading.options(),
        from: args.from,
        to: args.to,
        vessel: args.vessel.clone(),
        classes: classes(&args.class),
        accounts: summary.is_some() || format.tells_accounts,
        paths: match (args.encounters, format.draws_paths) {
            (true, _) => Keep::All,
            (false, true) => Keep::Asked,
            (false, false) => Keep::Nothing,
        },
    };
    let mut progress = Progress::new();
    let outcome = driver::judge(&job, &map, &rulebook, &mut |records| progress.show(records));
    progress.end();

    let report = Report {
        outcome: &outcome,
        map: &map,
        rulebook: &rulebook,
        time_zone: args.time_zone.unwrap_or(rulebook.time_zone),
        columns: terminal_size::terminal_size().filter(|_| io::stdout().is_terminal()).map(|size| size.0.0.into()),
    };
    let printed = if args.encounters {
        let met = export::encounters(&report, args.vessel.as_ref());
        print(|out| (format.write_encounters)(&met, &report, out))
    } else {
        print(|out| (format.write)(&report, out))
    };
    tell_counts(&report, args.vessel.as_ref());
    let summed_up = match (summary, &args.summary) {
        (Some(file), Some(path)) => write_summary(&report, file, path),
        _ => true,
    };
    match printed {
        Ending::Done if summed_up && is_whole && outcome.unread.is_empty() => Ending::Done,
        Ending::Done => Ending::Faulty,
        other => other,
    }
}

/// What is said about classes; of two about the same vessels the later one counts.
fn classes(said: &[(Option<VesselId>, VesselClass)]) -> Classes {
    let mut classes = Classes::default();
    for (vessel, class) in said {
        match vessel {
            Some(vessel) => {
                classes.of.insert(vessel.clone(), *class);
            }
            None => classes.all = Some(*class),
        }
    }
    classes
}

/// Why the arguments cannot be used together, if they cannot.
fn contradiction(args: &Replay) -> Option<String> {
    if let (Some(from), Some(to)) = (args.from, args.to)
        && from > to
    {
        return Some(format!("--from {from} is later than --to {to}"));
    }
    let of_stdin = args.tracks.iter().filter(|track| track.as_path() == Path::new("-")).count();
    (of_stdin > 1).then(|| "standard input can be read only once; give `-` only once".to_owned())
}

fn create(path: &Path) -> Result<File, String> {
    File::create(path).map_err(|error| format!("error: {}: cannot be written: {error}", path.display()))
}

fn write_summary(report: &Report<'_>, file: File, path: &Path) -> bool {
    let mut out = BufWriter::new(file);
    match export::summary::write(report, &mut out).and_then(|()| out.flush()) {
        Ok(()) => true,
        Err(error) => {
            tell(format_args!("error: {}: cannot be written: {error}", path.display()));
            false
        }
    }
}

/// A line that counts records, on a terminal, once the work takes long.
struct Progress {
    since: Instant,
    bar: Option<ProgressBar>,
}

/// Work is long after this.
const LONG: Duration = Duration::from_secs(1);

impl Progress {
    fn new() -> Self {
        Self { since: Instant::now(), bar: None }
    }

    fn show(&mut self, records: u64) {
        if self.bar.is_none() && self.since.elapsed() > LONG && io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{spinner} {human_pos} records read in {elapsed}");
            let bar =
                ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_elapsed(self.since.elapsed());
            self.bar = Some(match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            });
        }
        if let Some(bar) = &self.bar {
            bar.set_position(records);
        }
    }

    fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
