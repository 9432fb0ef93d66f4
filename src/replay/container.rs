//! What a recording may be wrapped in: gzip, zstd, a zip archive (KMZ among them), UTF-16.
//!
//! Gives the bytes inside as they stream, in bounded memory. What grows out of all proportion to what it is
//! packed in is a bomb and ends the reading. One layer of packing is taken off, not more.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::rc::Rc;

use flate2::Crc;
use flate2::bufread::{DeflateDecoder, MultiGzDecoder};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use zip::{CompressionMethod, ZipArchive};

/// How much of a recording is looked at to recognise it.
const HEAD_BYTES: u64 = 4096;
/// Logs shrink to a twentieth, those of a boat at rest to a hundredth.
const EXPANSION_MAX: u64 = 300;
/// Up to here anything may grow.
const EXPANSION_FREE_BYTES: u64 = 64 << 20;
/// An archive that does not come as a file is put aside to be read, if it is no longer than this.
const ARCHIVE_BYTES_MAX: u64 = 1 << 30;

pub(super) const ZIP: &[u8] = b"PK\x03\x04";
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// What a zstd frame may look back, as its beginning says: what every decoder should take (RFC 8878, 3.1.1.1.2), and
/// what a few bytes can make this one set aside.
const ZSTD_WINDOW_BYTES_MAX: u64 = 8 << 20;

/// The beginning of what `input` holds, without its wrapping, and an input that still has it.
///
/// # Errors
/// What the disk or the packing comes to.
pub(super) fn open(input: impl Read + 'static, is_stream: bool) -> io::Result<(Vec<u8>, Box<dyn BufRead>)> {
    let packed = Rc::new(Cell::new(0));
    let counted = Counted { input, read: packed.clone() };
    let (head, input) = peek(Box::new(BufReader::with_capacity(1 << 16, counted)), is_stream)?;
    let unpacked: Box<dyn Read> = if head.starts_with(GZIP) {
        Box::new(MultiGzDecoder::new(input))
    } else if is_zstd(&head) {
        Box::new(Frames::new(input))
    } else if head.starts_with(ZIP) {
        packed.set(0);
        Box::new(only_file(put_aside(input)?, packed.clone())?)
    } else {
        return decode(head, input, is_stream);
    };
    let bounded = Bounded { input: unpacked, unpacked: 0, packed };
    let (head, input) = peek(Box::new(BufReader::with_capacity(1 << 16, bounded)), is_stream)?;
    decode(head, input, is_stream)
}

/// What the one recording in the zip archive `file` holds, packed as it is there.
///
/// # Errors
/// Where the archive is damaged, encrypted, or has several files and none is KML.
pub(super) fn open_archive(file: File) -> io::Result<(Vec<u8>, Box<dyn BufRead>)> {
    let packed = Rc::new(Cell::new(0));
    let unpacked = only_file(file, packed.clone())?;
    let bounded = Bounded { input: Box::new(unpacked), unpacked: 0, packed };
    let (head, input) = peek(Box::new(BufReader::with_capacity(1 << 16, bounded)), false)?;
    decode(head, input, false)
}

/// The beginning of `input` and an input that still has it. Of standard input only what is there
/// already, so that a live stream is not held up.
fn peek(mut input: Box<dyn BufRead>, is_stream: bool) -> io::Result<(Vec<u8>, Box<dyn BufRead>)> {
    let mut head = Vec::new();
    if is_stream {
        head.extend_from_slice(input.fill_buf()?);
        head.truncate(HEAD_BYTES as usize);
        return Ok((head, input));
    }
    let read = input.by_ref().take(HEAD_BYTES).read_to_end(&mut head);
    // A packed stream that breaks off early is still recognised; reading comes to the same error again.
    if head.is_empty() {
        read?;
    }
    Ok((head.clone(), Box::new(Cursor::new(head).chain(input))))
}

/// UTF-16 with its mark becomes UTF-8; all else stays.
fn decode(head: Vec<u8>, input: Box<dyn BufRead>, is_stream: bool) -> io::Result<(Vec<u8>, Box<dyn BufRead>)> {
    let is_big_endian = match head.as_slice() {
        [0xff, 0xfe, ..] => false,
        [0xfe, 0xff, ..] => true,
        _ => return Ok((head, input)),
    };
    let text = Utf16 { input, is_big_endian, surrogate: None, text: Vec::new(), used: 0 };
    peek(Box::new(BufReader::with_capacity(1 << 16, text)), is_stream)
}

/// Counts what is read.
struct Counted<R> {
    input: R,
    read: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(out)?;
        self.read.set(self.read.get() + n as u64);
        Ok(n)
    }
}

/// Ends where more comes out than can be meant.
struct Bounded {
    input: Box<dyn Read>,
    unpacked: u64,
    packed: Rc<Cell<u64>>,
}

impl Read for Bounded {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(out)?;
        self.unpacked += n as u64;
        if self.unpacked > EXPANSION_FREE_BYTES && self.unpacked / EXPANSION_MAX > self.packed.get() {
            return Err(io::Error::other(format!(
                "it unpacks to more than {EXPANSION_MAX} times its size, as no recording does; unpack it first if it is one"
            )));
        }
        Ok(n)
    }
}

/// Whether this begins something packed.
pub(super) fn is_packed(head: &[u8]) -> bool {
    head.starts_with(GZIP) || head.starts_with(ZIP) || is_zstd(head)
}

/// Whether this begins a zstd frame, be it one that is skipped (RFC 8878, 3.1).
fn is_zstd(head: &[u8]) -> bool {
    head.starts_with(ZSTD) || matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// The frames of a zstd stream, one after the other.
struct Frames {
    input: Box<dyn BufRead>,
    decoder: FrameDecoder,
    is_inside: bool,
}

impl Frames {
    fn new(input: Box<dyn BufRead>) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(ZSTD_WINDOW_BYTES_MAX);
        Self { input, decoder, is_inside: false }
    }

    /// Begins the next frame that is not skipped; whether there is one.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    io::copy(&mut self.input.by_ref().take(length.into()), &mut io::sink())?;
                }
                Err(FrameDecoderError::WindowSizeTooBig { requested, .. }) => {
                    return Err(io::Error::other(format!(
                        "zstd that takes {} MiB of memory to unpack: unpack it first, or pack it with a level up to 19 \
                         and without --long",
                        requested >> 20
                    )));
                }
                Err(e) => return Err(io::Error::other(format!("no zstd that can be unpacked: {e}"))),
            }
        }
        Ok(false)
    }

    /// Ends a frame, with a look at its checksum where it has one.
    fn end(&mut self) -> io::Result<()> {
        let written = self.decoder.get_checksum_from_data();
        if written.is_some() && written != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("the packed file is damaged: its checksum is another"));
        }
        self.is_inside = false;
        Ok(())
    }
}

impl Read for Frames {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_inside {
                self.is_inside = self.begin()?;
                if !self.is_inside {
                    return Ok(0);
                }
            }
            let n = self.decoder.read(out)?;
            if n > 0 || out.is_empty() {
                return Ok(n);
            }
            if self.decoder.is_finished() {
                self.end()?;
            } else {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.input, one).map_err(io::Error::other)?;
            }
        }
    }
}

/// A file with all of an input that is an archive: its list stands at its end.
fn put_aside(input: Box<dyn BufRead>) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let copied = io::copy(&mut input.take(ARCHIVE_BYTES_MAX + 1), &mut file)?;
    if copied > ARCHIVE_BYTES_MAX {
        return Err(io::Error::other("a zip archive of more than 1 GiB, which should be unpacked first"));
    }
    file.flush()?;
    Ok(file)
}

/// The KML of a KMZ (the first one is its document), or the one file there is.
fn only_file(file: File, packed: Rc<Cell<u64>>) -> io::Result<ArchivedFile> {
    let damaged = |e: zip::result::ZipError| io::Error::other(format!("a zip archive that is cut off or damaged: {e}"));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(damaged)?;
        let name = String::from_utf8_lossy(entry.name_raw()).to_ascii_lowercase();
        // What macOS adds is about the files, not one of them.
        if !entry.is_dir() && !name.starts_with("__macosx/") {
            files.push((index, name));
        }
    }
    let document = files.iter().find(|(_, name)| name.ends_with(".kml"));
    let index = match (document, files.as_slice()) {
        (Some((index, _)), _) | (None, [(index, _)]) => *index,
        (None, files) => {
            let detail = format!("a zip archive of {} files, which should be unpacked first", files.len());
            return Err(io::Error::other(detail));
        }
    };
    let entry = archive.by_index_raw(index).map_err(damaged)?;
    if entry.encrypted() {
        return Err(io::Error::other("an encrypted zip archive, which should be unpacked first"));
    }
    let (method, length, crc) = (entry.compression(), entry.compressed_size(), entry.crc32());
    let start = entry.data_start().ok_or_else(|| io::Error::other("a zip archive whose file has no place in it"))?;
    drop(entry);
    let mut file = archive.into_inner();
    file.seek(SeekFrom::Start(start))?;
    let inside = BufReader::with_capacity(1 << 16, Counted { input: file.take(length), read: packed });
    let input: Box<dyn Read> = match method {
        CompressionMethod::Stored => Box::new(inside),
        CompressionMethod::Deflated => Box::new(DeflateDecoder::new(inside)),
        other => {
            return Err(io::Error::other(format!("a zip archive packed by {other}, which should be unpacked first")));
        }
    };
    Ok(ArchivedFile { input, crc, read: Crc::new() })
}

/// A file in an archive, checked against its sum at its end.
struct ArchivedFile {
    input: Box<dyn Read>,
    crc: u32,
    read: Crc,
}

impl Read for ArchivedFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(out)?;
        self.read.update(&out[..n]);
        if n == 0 && !out.is_empty() && self.read.sum() != self.crc {
            return Err(io::Error::other("the file in the archive is damaged: its checksum is another"));
        }
        Ok(n)
    }
}

/// UTF-16 as UTF-8; halves of pairs become U+FFFD.
struct Utf16 {
    input: Box<dyn BufRead>,
    is_big_endian: bool,
    /// The first half of a pair whose second has not come yet.
    surrogate: Option<u16>,
    text: Vec<u8>,
    used: usize,
}

impl Utf16 {
    fn refill(&mut self) -> io::Result<()> {
        const UNITS: u64 = 1 << 14;
        let mut bytes = Vec::new();
        self.input.by_ref().take(2 * UNITS).read_to_end(&mut bytes)?;
        let unit = |pair: &[u8]| match (self.is_big_endian, pair) {
            (true, [a, b]) => u16::from_be_bytes([*a, *b]),
            (false, [a, b]) => u16::from_le_bytes([*a, *b]),
            _ => 0xfffd,
        };
        let mut units: Vec<u16> = self.surrogate.take().into_iter().chain(bytes.chunks(2).map(unit)).collect();
        if bytes.len() as u64 == 2 * UNITS {
            self.surrogate = units.pop_if(|last| (0xd800..0xdc00).contains(last));
        }
        self.text.clear();
        self.used = 0;
        let chars = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        // The mark at the beginning, U+FEFF, is taken off like that of UTF-8.
        chars.for_each(|c| self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()));
        Ok(())
    }
}

impl Read for Utf16 {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.used == self.text.len() {
            self.refill()?;
        }
        let n = (&self.text[self.used..]).read(out)?;
        self.used += n;
        Ok(n)
    }
}
