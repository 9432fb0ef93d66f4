//! XML recordings as they stream: elements open and close, with bounded memory.
//!
//! Names go without their prefixes, which writers choose freely. Entities of a document's own are never
//! expanded. Characters beyond ASCII become `_`, which is what ids make of them, so any encoding that
//! contains ASCII is read; UTF-16 is not.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::replay::recording::{LINE_BYTES_MAX, RecordingError};

/// Elements inside elements beyond this are no track but an attack on memory.
const DEPTH_MAX: usize = 64;

/// How much text of one element is kept; times, numbers and names are shorter.
const TEXT_BYTES_MAX: usize = 4096;

/// How much of a name that should not be there is shown.
const NAME_SHOWN: usize = 40;

/// What a format makes of the elements of a document.
pub(super) trait Handler {
    /// An element has opened.
    fn open(&mut self, line: Line<'_>, name: &str, attributes: &Attributes<'_>);
    /// An element has closed; `text` is what stood in it after its last child. `Break` ends the reading.
    fn close(&mut self, line: Line<'_>, name: &str, text: &str) -> Result<ControlFlow<()>, RecordingError>;
}

/// The line that has been reached. It is counted when it is asked for, which takes longer than to read on.
#[derive(Clone, Copy)]
pub(super) struct Line<'a>(&'a dyn Fn() -> u64);

impl Line<'_> {
    /// Its number, from 1.
    pub(super) fn get(self) -> u64 {
        (self.0)()
    }
}

/// The attributes of an element.
pub(super) struct Attributes<'a>(&'a BytesStart<'a>);

impl Attributes<'_> {
    /// The value of the attribute called `name`.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let attribute = self.0.try_get_attribute(name).ok().flatten()?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or(attribute.value);
        Some(value.trim_ascii().to_owned())
    }

    /// Puts the value of the attribute called `name` into `text`, which is empty where there is none.
    pub(super) fn get_into(&self, name: &str, text: &mut String) {
        text.clear();
        if let Some(attribute) = self.0.try_get_attribute(name).ok().flatten() {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap_or(attribute.value);
            text.push_str(value.trim_ascii());
        }
    }
}

/// Reads a document whose root is one of `roots` to its end, or until the handler breaks off.
///
/// # Errors
/// [`RecordingError::Damaged`] where it has another root, is no well-formed XML or ends inside an element.
pub(super) fn read(input: &mut dyn BufRead, roots: &[&str], handler: &mut dyn Handler) -> Result<(), RecordingError> {
    let mut reader = Reader::from_reader(Ascii::new(input));
    reader.config_mut().expand_empty_elements = true;
    let mut buffer = Vec::new();
    let mut text = String::new();
    let mut depth = 0_usize;
    let mut has_root = false;
    let wanted = roots.first().copied().unwrap_or_default();
    loop {
        buffer.clear();
        reader.get_mut().allowance = LINE_BYTES_MAX;
        let event = reader.read_event_into(&mut buffer);
        let count = || reader.get_ref().line();
        let line = Line(&count);
        match event.map_err(|e| RecordingError::damaged(line.get(), printable(&e.to_string())))? {
            Event::Start(start) => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(RecordingError::damaged(line.get(), "more than 64 elements inside each other"));
                }
                if !has_root && !roots.contains(&start.local_name().as_ref()) {
                    let root: String = start.local_name().as_ref().chars().take(NAME_SHOWN).collect();
                    let reason = format!(
                        "its root is <{}>, not <{wanted}>: it is not what it is taken for",
                        root.escape_debug()
                    );
                    return Err(RecordingError::damaged(line.get(), reason));
                }
                has_root = true;
                text.clear();
                handler.open(line, start.local_name().as_ref(), &Attributes(&start));
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if handler.close(line, end.local_name().as_ref(), text.trim_ascii())?.is_break() {
                    return Ok(());
                }
                text.clear();
            }
            Event::Text(piece) => append(&mut text, &piece),
            Event::CData(piece) => append(&mut text, &piece),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(c)) => append(&mut text, c.encode_utf8(&mut [0; 4])),
                _ => append(&mut text, quick_xml::escape::resolve_predefined_entity(&reference).unwrap_or("_")),
            },
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof if depth > 0 => {
                return Err(RecordingError::damaged(
                    line.get(),
                    "the file ends inside an element; it has been cut off",
                ));
            }
            Event::Eof if !has_root => {
                return Err(RecordingError::damaged(line.get(), format!("there is no <{wanted}> in it")));
            }
            Event::Eof => return Ok(()),
        }
    }
}

/// A message with what it quotes, without the control characters that a terminal would obey.
fn printable(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn append(text: &mut String, piece: &str) {
    // What stands between elements is white space nearly always.
    if text.is_empty() && piece.trim_ascii().is_empty() {
        return;
    }
    if text.len() + piece.len() <= TEXT_BYTES_MAX {
        text.push_str(piece);
    } else if !text.ends_with('…') {
        // Shows that something is missing, so that the rest is not taken for a value.
        text.push('…');
    }
}

/// An input in ASCII that counts its lines and how much one piece may still take.
struct Ascii<'a> {
    input: &'a mut dyn BufRead,
    buffer: Vec<u8>,
    used: usize,
    /// The line at a place in the buffer.
    counted: Cell<(u64, usize)>,
    allowance: usize,
}

impl<'a> Ascii<'a> {
    fn new(input: &'a mut dyn BufRead) -> Self {
        Self { input, buffer: Vec::new(), used: 0, counted: Cell::new((1, 0)), allowance: LINE_BYTES_MAX }
    }

    /// The line that has been reached.
    fn line(&self) -> u64 {
        let (line, at) = self.counted.get();
        let line = line + memchr::memchr_iter(b'\n', &self.buffer[at..self.used]).count() as u64;
        self.counted.set((line, self.used));
        line
    }
}

impl BufRead for Ascii<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.allowance == 0 {
            return Err(io::Error::other("a tag or text is longer than 1 MiB"));
        }
        while self.used == self.buffer.len() {
            let line = self.line();
            let bytes = self.input.fill_buf()?;
            let taken = bytes.len();
            if taken == 0 {
                return Ok(&[]);
            }
            self.buffer.clear();
            if bytes.is_ascii() {
                self.buffer.extend_from_slice(bytes);
            } else {
                // The first byte of a UTF-8 character stands for it, the others vanish.
                let ascii = bytes.iter().filter(|b| !(0x80..0xc0).contains(*b));
                self.buffer.extend(ascii.map(|b| if b.is_ascii() { *b } else { b'_' }));
            }
            self.input.consume(taken);
            self.used = 0;
            self.counted.set((line, 0));
        }
        Ok(&self.buffer[self.used..])
    }

    fn consume(&mut self, n: usize) {
        self.used += n;
        self.allowance = self.allowance.saturating_sub(n);
    }
}

impl Read for Ascii<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(out)?;
        self.consume(n);
        Ok(n)
    }
}
