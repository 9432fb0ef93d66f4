//! Native messages, one or an array of them a line.

use std::io::BufRead;

use crate::ingest::native::{self, Envelope};
use crate::observation::Refusal;
use crate::replay::recording::{Format, Line, Lines, Place, ReadOptions, RecordingError, Sink};

pub(super) const FORMAT: Format = Format { name: "ndjson", is_log: true, recognise, read };

fn recognise(head: &[u8], file_name: &str) -> bool {
    let named = [".ndjson", ".jsonl"].iter().any(|end| file_name.ends_with(end));
    named || head.trim_ascii_start().starts_with(b"{") || head.trim_ascii_start().starts_with(b"[{")
}

/// Reads to the end or until the sink breaks off. A message without a vessel is of the vessel that the
/// options name. Blank lines are no messages.
fn read(input: &mut dyn BufRead, options: &ReadOptions, sink: &mut dyn Sink) -> Result<(), RecordingError> {
    let envelope = Envelope { kind: None, id: options.vessel.as_ref().map(|vessel| vessel.as_str()) };
    let mut lines = Lines::new(input);
    while let Some((place, line)) = lines.next()? {
        match line {
            Line::Text(text) if text.trim_ascii().is_empty() => {}
            Line::Text(text) => {
                if decode(text, envelope, place, sink).is_break() {
                    return Ok(());
                }
            }
            Line::TooLong(limit) => {
                sink.refused(place, Refusal::unparsable(format!("the line is longer than {limit} bytes")));
            }
        }
    }
    Ok(())
}

fn decode(text: &[u8], envelope: Envelope<'_>, place: Place, sink: &mut dyn Sink) -> std::ops::ControlFlow<()> {
    let mut flow = std::ops::ControlFlow::Continue(());
    native::decode(text, envelope, |result| match result {
        _ if flow.is_break() => {}
        Ok(observation) => flow = sink.observation(place, &observation),
        Err(refusal) => sink.refused(place, refusal),
    });
    flow
}
