//! What recordings are wrapped in.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::recordings::{options, told};
use crate::runner::Outcome;
use crate::seeds::zipped;

fn damaged(input: &[u8]) -> Outcome {
    Ok(told(Cursor::new(input.to_vec()), &options(None))?.said())
}

pub fn gzip(input: &[u8]) -> Outcome {
    damaged(input)
}

pub fn zstd(input: &[u8]) -> Outcome {
    damaged(input)
}

pub fn zip(input: &[u8]) -> Outcome {
    damaged(input)
}

/// Packed in whatever way, or written as UTF-16, a recording is read as it is without.
pub fn or_not(input: &[u8]) -> Outcome {
    let options = options(None);
    let plain = told(Cursor::new(input.to_vec()), &options)?;
    // What is packed twice is refused, and two byte order marks are one too many.
    if [&[0x1f, 0x8b][..], b"PK", &[0x28, 0xb5], &[0xff], &[0xfe], &[0xef]].iter().any(|mark| input.starts_with(mark)) {
        return Ok(plain.said());
    }
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(input).map_err(|e| e.to_string())?;
    let gzip = gzip.finish().map_err(|e| e.to_string())?;
    let mut ways = vec![
        ("gzip", gzip),
        ("zstd", compress_to_vec(input, CompressionLevel::Fastest)),
        ("zip", zipped("lake.rec", input)),
    ];
    // FIT is no text.
    if let (Ok(text), false) = (std::str::from_utf8(input), input.get(8..12) == Some(b".FIT")) {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        ways.push(("UTF-16", units.flat_map(u16::to_le_bytes).collect()));
    }
    for (way, bytes) in ways {
        let packed = told(Cursor::new(bytes), &options)?;
        if let Some(difference) = plain.differs(&packed) {
            return Err(format!("as {way} it is read differently: {difference}"));
        }
    }
    Ok(plain.said())
}
