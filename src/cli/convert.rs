//! `buoyline convert`: writes recordings as one of another format.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::args::Convert;
use super::counts::{tell_refused, tell_unused};
use super::{Ending, print, tell};
use crate::replay::convert::{Converted, TARGETS, convert};
use crate::rulebook::Rulebook;

pub(super) fn run(args: &Convert) -> Ending {
    let Some(target) = TARGETS.iter().find(|target| target.name == args.to) else {
        return Ending::Unusable(format!("no such format: {}", args.to));
    };
    if args.tracks.iter().filter(|track| track.as_path() == Path::new("-")).count() > 1 {
        return Ending::Unusable("standard input can be read only once; give `-` only once".to_owned());
    }
    let is_input = |output: &Path| {
        let whole = |path: &Path| path.canonicalize().ok();
        whole(output).is_some_and(|output| args.tracks.iter().any(|track| whole(track).as_ref() == Some(&output)))
    };
    if let Some(output) = args.output.as_deref().filter(|output| is_input(output)) {
        return Ending::Unusable(format!("{} is read; write to another file", output.display()));
    }
    let mut converted = None;
    let mut write = |out: &mut dyn Write| -> io::Result<()> {
        // The built-in code's reorder window is what recordings are judged by unless another rulebook says so.
        let window_s = Rulebook::spokane().motion.reorder_window_s;
        converted = Some(convert(&args.tracks, &args.reading.options(), window_s, target, out)?);
        Ok(())
    };
    let written = match args.output.as_deref().filter(|output| *output != Path::new("-")) {
        None => print(write),
        Some(path) => {
            let written = File::create(path).map(BufWriter::new).and_then(|mut out| {
                write(&mut out)?;
                out.flush()
            });
            match written {
                Ok(()) => Ending::Done,
                Err(error) => {
                    tell(format_args!("error: {}: cannot be written: {error}", path.display()));
                    Ending::Faulty
                }
            }
        }
    };
    let Some(converted) = converted else { return written };
    tell_converted(&converted, target.name);
    match written {
        Ending::Done if !converted.unread.is_empty() => Ending::Faulty,
        other => other,
    }
}

fn tell_converted(converted: &Converted, format: &str) {
    let refused: u64 = converted.refused.values().sum();
    tell(format_args!("{} records written, {refused} not", converted.written));
    tell_refused(&converted.refused, &converted.examples);
    tell_unused(&converted.unused);
    for (what, count) in &converted.lost {
        tell(format_args!("note: {format} has no place for {what}: {count} left out"));
    }
    for (name, error) in &converted.unread {
        tell(format_args!("error: {name}: {error}"));
    }
}
