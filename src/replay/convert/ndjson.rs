//! Native messages, one a line: loses nothing.

use std::io::{self, Write};

use super::{Lost, Target, Writer};
use crate::ingest::native;
use crate::observation::Observation;

pub(super) const TARGET: Target =
    Target { name: "ndjson", purpose: "native messages, with all there is", writer: || Box::new(Ndjson) };

struct Ndjson;

impl Writer for Ndjson {
    fn put(&mut self, observation: Observation, out: &mut dyn Write) -> io::Result<Option<Lost>> {
        writeln!(out, "{}", native::encode(&observation))?;
        Ok(None)
    }

    fn finish(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
