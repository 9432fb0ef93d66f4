//! From a place in JSON (`features[3].properties.kind`) to the byte, line and column it stands at.
//!
//! Run only when there is a fault to report. The text has been read as JSON before, so the walk only needs
//! to tell values apart; on anything unexpected it stops at the last place it is sure of.

use std::fmt;

/// One step into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A member of an object.
    Key(String),
    /// An element of an array.
    Index(usize),
}

/// A place in a JSON text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Path(Vec<Step>);

impl Path {
    pub(super) fn key(mut self, key: &str) -> Self {
        self.0.push(Step::Key(key.to_owned()));
        self
    }
    pub(super) fn index(mut self, index: usize) -> Self {
        self.0.push(Step::Index(index));
        self
    }
    pub(super) fn is_root(&self) -> bool {
        self.0.is_empty()
    }
    /// The steps below a place that this path passes.
    pub(super) fn below(&self, place: &Self) -> &[Step] {
        self.0.get(place.0.len()..).unwrap_or_default()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if i == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// The byte at which the value at the end of `steps` starts, or the innermost value around it that exists.
pub(super) fn offset_of(text: &str, steps: &[Step]) -> usize {
    let bytes = text.as_bytes();
    let mut at = skip_space(bytes, 0);
    for step in steps {
        let found = match step {
            Step::Key(key) => member(bytes, at, key),
            Step::Index(index) => element(bytes, at, *index),
        };
        match found {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

/// The byte behind the value that starts at `offset`; behind its first character where it is none.
pub(super) fn end_of(text: &str, offset: usize) -> usize {
    let first = text.get(offset..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let end = skip_value(text.as_bytes(), offset).filter(|&end| end > offset && text.is_char_boundary(end));
    end.unwrap_or(offset + first)
}

/// The first position of the coordinates that start at `offset`, longitude first; `None` where there is none in range.
pub(super) fn pair_at(text: &str, offset: usize) -> Option<[f64; 2]> {
    let bytes = text.as_bytes();
    let mut at = enter(bytes, offset, b'[')?;
    while bytes.get(at) == Some(&b'[') {
        at = enter(bytes, at, b'[')?;
    }
    let number = |at: usize| text.get(at..skip_value(bytes, at)?)?.parse::<f64>().ok();
    let (x, y) = (number(at)?, number(next_item(bytes, skip_value(bytes, at)?)?)?);
    (x.abs() <= 180.0 && y.abs() <= 90.0).then_some([x, y])
}

/// Bytes between two places at which the characters before are known.
const STRIDE: usize = 1024;

/// Where the lines of a text start. A whole map often stands in one line, so characters are counted ahead.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    starts: Vec<usize>,
    /// How many characters start before each multiple of [`STRIDE`].
    chars: Vec<usize>,
}

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        let mut chars = vec![0];
        for block in text.as_bytes().chunks(STRIDE) {
            chars.push(chars[chars.len() - 1] + chars_in(block));
        }
        Self { starts, chars }
    }

    /// Line and column of a byte, both counted from 1; columns count characters.
    pub(super) fn place(&self, text: &str, offset: usize) -> (usize, usize) {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.starts[line - 1];
        (line, self.chars_before(text, offset) - self.chars_before(text, start) + 1)
    }

    fn chars_before(&self, text: &str, offset: usize) -> usize {
        let block = offset / STRIDE;
        self.chars[block] + chars_in(&text.as_bytes()[block * STRIDE..offset])
    }
}

/// How many characters start in a piece of UTF-8.
fn chars_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Start of the value of member `key` of the object at `at`.
fn member(bytes: &[u8], at: usize, key: &str) -> Option<usize> {
    let mut at = enter(bytes, at, b'{')?;
    loop {
        let end = skip_value(bytes, at)?;
        let name: Option<String> = bytes.get(at..end).and_then(|b| serde_json::from_slice(b).ok());
        let colon = skip_space(bytes, end);
        let value = (bytes.get(colon) == Some(&b':')).then(|| skip_space(bytes, colon + 1))?;
        if name.as_deref() == Some(key) {
            return Some(value);
        }
        at = next_item(bytes, skip_value(bytes, value)?)?;
    }
}

/// Start of element `index` of the array at `at`.
fn element(bytes: &[u8], at: usize, index: usize) -> Option<usize> {
    let mut at = enter(bytes, at, b'[')?;
    for _ in 0..index {
        at = next_item(bytes, skip_value(bytes, at)?)?;
    }
    (bytes.get(at) != Some(&b']')).then_some(at)
}

fn enter(bytes: &[u8], at: usize, open: u8) -> Option<usize> {
    (bytes.get(at) == Some(&open)).then(|| skip_space(bytes, at + 1))
}

fn next_item(bytes: &[u8], at: usize) -> Option<usize> {
    let at = skip_space(bytes, at);
    (bytes.get(at) == Some(&b',')).then(|| skip_space(bytes, at + 1))
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The end of the value that starts at `at`: brackets are counted, not recursed into.
fn skip_value(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match *bytes.get(at)? {
            b'"' => at = skip_string(bytes, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at += 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth > 0 => at += 1,
            b',' | b':' => return None,
            _ => {
                while bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)) {
                    at += 1;
                }
                if bytes.get(at).is_some_and(|b| !b" \t\n\r,:]}".contains(b)) {
                    return None;
                }
            }
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

fn skip_string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_the_text() {
        let text = "{\"a\": [1, {\"x\\\"}\": \"]\", \"k\": [[10, 20],\n [30, 40]]}],\n \"é\": true}";
        let at = |path: Path| &text[offset_of(text, path.below(&Path::default()))..];
        assert!(at(Path::default()).starts_with("{\"a\""));
        assert!(at(Path::default().key("a").index(1).key("k").index(1).index(0)).starts_with("30"));
        assert!(at(Path::default().key("é")).starts_with("true"));
        assert!(at(Path::default().key("a").index(7)).starts_with("[1"), "the innermost that exists");
        assert_eq!(Lines::of(text).place(text, text.find("30").expect("there")), (2, 3));
        let long = format!("ab\n{}x", "é".repeat(5000));
        assert_eq!(Lines::of(&long).place(&long, long.len() - 1), (2, 5001));
        assert_eq!(Lines::of(&long).place(&long, long.len()), (2, 5002));
        assert_eq!(pair_at(text, text.find("[[10").expect("there")), Some([10.0, 20.0]));
        assert!(text[..end_of(text, text.find("[[10").expect("there"))].ends_with(": [[10, 20],\n [30, 40]]"));
        assert_eq!(Path::default().key("a").index(1).key("k").to_string(), "a[1].k");
    }

    #[test]
    fn broken_texts_end_the_walk() {
        for text in ["", "{", "[", "{\"a\"", "{\"a\":", "[1,", "[\"\\", "}", "{:}", "[,]", "{\"a\" 1}", "[1 2 3"] {
            for path in [Path::default().key("a"), Path::default().index(3), Path::default().key("a").index(0)] {
                assert!(offset_of(text, path.below(&Path::default())) <= text.len(), "{text}");
            }
        }
    }
}
