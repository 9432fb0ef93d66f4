//! A line of a log becomes the sentences in it, with what stands around them.
//!
//! ```text
//! 2018-09-04T12:00:00Z \g:1-2-1234,s:st7,c:1536062400*4C\ !AIVDM,2,1,3,A,55…,0*2A ,1536062401
//! lead                  tag block                          sentence               tail
//! ```
//!
//! A sentence (IEC 61162-1) begins with `$` or `!` and ends with `*` and two hexadecimal digits, the exclusive or of all
//! characters between. One without them, or with others, is refused: a line cut off in the middle of a number would
//! be a number as well. Several sentences may stand in a line, as where a line end was lost.

use super::stamp;
use crate::time::EventTime;

/// A sentence whose checksum is right, and what stands around it.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// What stands before it: a logger's time stamp, or nothing.
    pub lead: &'a [u8],
    /// Its tag block.
    pub tag: Option<TagBlock<'a>>,
    /// Who says what: talker and formatter, as in `GPRMC`, or a proprietary name.
    pub address: &'a [u8],
    /// Its fields with the commas between.
    pub data: &'a [u8],
    /// What stands after it.
    pub tail: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The three letters that say what kind of sentence it is; `None` for a proprietary one.
    pub fn formatter(&self) -> Option<[u8; 3]> {
        match self.address {
            [b'P', ..] => None,
            [.., a, b, c] if self.address.len() == 5 => Some([*a, *b, *c]),
            _ => None,
        }
    }

    /// The fields one by one.
    pub fn fields(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.data.split(|byte| *byte == b',')
    }
}

/// What a tag block says (NMEA 0183 version 4.10, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TagBlock<'a> {
    /// When the line was received (`c:`): seconds since 1970 or, where the number is too large for that, milliseconds.
    pub received: Option<EventTime>,
    /// Which line of how many of which group (`g:`).
    pub group: Option<Group>,
    /// Who received it (`s:`).
    pub source: &'a [u8],
}

/// A line's place in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Which line, from 1.
    pub number: u8,
    /// Of how many.
    pub total: u8,
    /// Which group.
    pub id: u32,
}

/// Why a piece of a line is no sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameFault {
    /// There is neither `$` nor `!`.
    #[error("there is no sentence in the line: it should begin with $ or !")]
    NoSentence,
    /// It does not end with `*` and two digits.
    #[error("the sentence has no checksum: it should end with * and two hexadecimal digits; it may be cut off")]
    NoChecksum,
    /// The checksum is another one.
    #[error("the checksum is {is:02X}, the sentence says {said:02X}: it is damaged")]
    Checksum {
        /// What the characters add up to.
        is: u8,
        /// What stands there.
        said: u8,
    },
    /// The tag block is not closed, has no or another checksum, or no sentence follows it.
    #[error("the tag block is damaged: {0}")]
    TagBlock(&'static str),
}

impl FrameFault {
    /// Whether what stands there is another checksum, of the sentence or of its tag block.
    pub fn is_checksum(self) -> bool {
        matches!(self, Self::Checksum { .. }) || self == Self::TagBlock(TAG_CHECKSUM)
    }
}

const TAG_CHECKSUM: &str = "its checksum is another one";

/// The sentences of a line in order, each whole or with what is wrong. A blank line has none.
#[derive(Debug, Clone)]
pub struct Frames<'a> {
    rest: &'a [u8],
    is_first: bool,
}

impl<'a> Frames<'a> {
    /// Those of `line`.
    pub fn of(line: &'a [u8]) -> Self {
        Self { rest: line, is_first: true }
    }

    /// The sentence at the beginning of `text`, which begins with `$` or `!`, and where it ends.
    fn sentence(text: &'a [u8]) -> Result<(Frame<'a>, usize), (FrameFault, usize)> {
        let Some(star) = memchr::memchr(b'*', text) else {
            return Err((FrameFault::NoChecksum, resume(text, text.len())));
        };
        let (Some(said), body) = (text[star + 1..].first_chunk().and_then(hex), &text[1..star]) else {
            return Err((FrameFault::NoChecksum, resume(text, star + 1)));
        };
        let is = body.iter().fold(0, |sum, byte| sum ^ byte);
        if is != said {
            return Err((FrameFault::Checksum { is, said }, resume(text, star + 3)));
        }
        let comma = memchr::memchr(b',', body).unwrap_or(body.len());
        let data = body.get(comma + 1..).unwrap_or(&[]);
        Ok((Frame { lead: &[], tag: None, address: &body[..comma], data, tail: &[] }, star + 3))
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Frame<'a>, FrameFault>;

    fn next(&mut self) -> Option<Self::Item> {
        let is_first = std::mem::take(&mut self.is_first);
        let Some(start) = find_start(self.rest) else {
            let is_blank = self.rest.trim_ascii().is_empty();
            self.rest = &[];
            return (is_first && !is_blank).then_some(Err(FrameFault::NoSentence));
        };
        let lead = if is_first { &self.rest[..start] } else { &[] };
        let text = &self.rest[start..];
        let (tag, text) = match text {
            [b'\\', after @ ..] => match TagBlock::read(after) {
                Ok((tag, text)) => (Some(tag), text),
                Err((fault, rest)) => {
                    self.rest = rest;
                    return Some(Err(fault));
                }
            },
            _ => (None, text),
        };
        match Self::sentence(text) {
            Ok((frame, end)) => {
                let after = &text[end..];
                let next = find_start(after).unwrap_or(after.len());
                self.rest = &after[next..];
                Some(Ok(Frame { lead, tag, tail: &after[..next], ..frame }))
            }
            Err((fault, end)) => {
                self.rest = &text[end..];
                Some(Err(fault))
            }
        }
    }
}

/// Where the first sentence or tag block begins.
fn find_start(text: &[u8]) -> Option<usize> {
    memchr::memchr3_iter(b'$', b'!', b'\\', text).find(|at| is_start(text, *at))
}

/// Whether a sentence or a tag block begins at `at`. A backslash without a letter and a colon after it is no block, as
/// in logs that write `\r\n` for a line end.
fn is_start(text: &[u8], at: usize) -> bool {
    match &text[at..] {
        [b'$' | b'!', ..] => true,
        [b'\\', letter, b':', ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Where to go on after a damaged sentence that ends at `end`: where the last one before it begins, as where a
/// sentence was cut off by the next.
fn resume(text: &[u8], end: usize) -> usize {
    (1..end).rev().find(|at| is_start(text, *at)).unwrap_or(end)
}

/// The number of two hexadecimal digits, in capitals or not.
fn hex(digits: &[u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    Some((high? << 4 | low?) as u8)
}

/// Something, and what of the line follows it.
type At<'a, T> = (T, &'a [u8]);

impl<'a> TagBlock<'a> {
    /// Reads it from behind its first backslash; gives it and the sentence that follows.
    fn read(after: &'a [u8]) -> Result<At<'a, Self>, At<'a, FrameFault>> {
        let fault = |what| FrameFault::TagBlock(what);
        let Some(end) = after.iter().position(|byte| *byte == b'\\') else {
            return Err((fault("it is not closed"), skip(after)));
        };
        let (block, text) = (&after[..end], &after[end + 1..]);
        // The sentence after a damaged block is lost with it: its time and its group are not known.
        let [fields @ .., b'*', high, low] = block else {
            return Err((fault("it has no checksum"), skip(text)));
        };
        if !hex(&[*high, *low]).is_some_and(|said| is_sum(fields, said)) {
            return Err((fault(TAG_CHECKSUM), skip(text)));
        }
        let text = text.trim_ascii_start();
        if !matches!(text, [b'$' | b'!', ..]) {
            return Err((fault("no sentence follows it"), skip(text)));
        }
        let mut tag = Self::default();
        for field in fields.split(|byte| *byte == b',') {
            match field {
                [b'c', b':', digits @ ..] => tag.received = stamp::since_1970(digits),
                [b's', b':', source @ ..] => tag.source = source,
                [b'g', b':', group @ ..] => tag.group = Group::read(group),
                _ => {}
            }
        }
        Ok((tag, text))
    }
}

/// Whether a tag block adds up to `said`. The coast stations of Norway put the group in front of a block that has its
/// checksum already, so that it is right for the rest alone.
fn is_sum(fields: &[u8], said: u8) -> bool {
    let sum = |fields: &[u8]| fields.iter().fold(0, |sum, byte| sum ^ byte);
    let after_group = || fields.strip_prefix(b"g:").and_then(|rest| rest.splitn(2, |byte| *byte == b',').nth(1));
    sum(fields) == said || after_group().is_some_and(|rest| sum(rest) == said)
}

/// What follows the sentence at the beginning of `text`.
fn skip(text: &[u8]) -> &[u8] {
    match text.iter().position(|byte| *byte == b'*') {
        Some(star) => &text[star + 1..],
        None => &[],
    }
}

impl Group {
    fn read(text: &[u8]) -> Option<Self> {
        let mut numbers = text.split(|byte| *byte == b'-').map(|digits| std::str::from_utf8(digits).ok());
        let (number, total, id) = (numbers.next()??, numbers.next()??, numbers.next()??);
        Some(Self { number: number.parse().ok()?, total: total.parse().ok()?, id: id.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Addresses of the whole ones, faults of the others.
    fn read(line: &str) -> Vec<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Frames::of(line.as_bytes()).map(|frame| frame.map_or_else(|f| f.to_string(), |f| text(f.address))).collect()
    }

    #[test]
    fn what_stands_around_a_sentence_is_kept() {
        let line = br"2018-09-04 \g:1-2-77,s:st7,c:1536062400*7F\!AIVDM,1,1,,A,0,0*16,1536062401";
        let frame = Frames::of(line).next().expect("one").expect("whole");
        assert_eq!((frame.lead, frame.tail, frame.address), (&b"2018-09-04 "[..], &b",1536062401"[..], &b"AIVDM"[..]));
        let group = Some(Group { number: 1, total: 2, id: 77 });
        let received = Some(EventTime::from_unix_ms(1_536_062_400_000));
        assert_eq!(frame.tag, Some(TagBlock { received, group, source: b"st7" }));
        assert_eq!(frame.fields().collect::<Vec<_>>(), [&b"1"[..], b"1", b"", b"A", b"0", b"0"]);
        assert_eq!(frame.formatter(), Some(*b"VDM"));
    }

    #[test]
    fn damaged_sentences_are_told_and_the_next_is_read() {
        let none = FrameFault::NoChecksum.to_string();
        for (line, read_as) in [
            ("", vec![]),
            ("  \r", vec![]),
            ("hello", vec![FrameFault::NoSentence.to_string()]),
            ("$HEHDT,213.0,T", vec![none.clone()]),
            ("$HEHDT,213.0,T*2", vec![none.clone()]),
            ("$HEHDT,213.0,T*2f", vec!["HEHDT".to_owned()]),
            ("$HEHDT,213.0,T*2F$HEHDT,213.0,T*2F", vec!["HEHDT".to_owned(), "HEHDT".to_owned()]),
            (
                "$GPGGA,0854$HEHDT,213.0,T*2F",
                vec![FrameFault::Checksum { is: 0x78, said: 0x2f }.to_string(), "HEHDT".to_owned()],
            ),
            ("\\c:1*68\\$HEHDT,213.0,T*2F", vec!["HEHDT".to_owned()]),
            ("\\c:1*6B\\$HEHDT,213.0,T*2F", vec![FrameFault::TagBlock(TAG_CHECKSUM).to_string()]),
            ("\\c:1*68\\", vec![FrameFault::TagBlock("no sentence follows it").to_string()]),
            ("\\g:1-2-9999,c:1*68\\$HEHDT,213.0,T*2F", vec!["HEHDT".to_owned()]),
            ("$HEHDT,213.0,T*2F\\r\\n$HEHDT,213.0,T*2F", vec!["HEHDT".to_owned(), "HEHDT".to_owned()]),
            ("\\c:1*68", vec![FrameFault::TagBlock("it is not closed").to_string()]),
        ] {
            assert_eq!(read(line), read_as, "{line}");
        }
    }

    #[test]
    fn a_line_of_beginnings_takes_no_time() {
        for piece in ["$", "!", "\\", "$*", "\\*00\\", "!*00", "\\\\$"] {
            let line = piece.repeat((1 << 20) / piece.len());
            assert!(Frames::of(line.as_bytes()).count() <= line.len());
        }
    }
}
