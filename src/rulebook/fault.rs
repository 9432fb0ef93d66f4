//! What is wrong with a rulebook, where, and how to mend it.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

/// A fault in a rulebook: a place in its text, what stands there, the reason and the mend.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct RulebookError {
    /// The file, as it was named to the reader.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Path of the key, such as `rules.wake-zone.clause#2.limit` (the second clause); empty where the
    /// text is no TOML.
    pub key: String,
    /// The value as written there, cut where it is long; `None` where something is missing.
    pub value: Option<String>,
    /// What is wrong and how to mend it.
    pub reason: String,
}

impl fmt::Display for RulebookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        match (self.key.as_str(), &self.value) {
            ("", _) => write!(f, "{}", self.reason),
            (key, Some(value)) => write!(f, "{key} = {value}: {}", self.reason),
            (key, None) => write!(f, "{key}: {}", self.reason),
        }
    }
}

/// How much of a value a message quotes, in characters.
const QUOTED_CHARS_MAX: usize = 60;

/// Collects every fault of one text.
#[derive(Debug)]
pub(super) struct Faults<'d> {
    file: &'d str,
    text: &'d str,
    found: RefCell<Vec<RulebookError>>,
}

impl<'d> Faults<'d> {
    pub(super) fn new(file: &'d str, text: &'d str) -> Self {
        Self { file, text, found: RefCell::default() }
    }

    /// Notes a fault at a place of the text. With `quote` the message shows what stands there.
    pub(super) fn add(&self, span: Range<usize>, key: &str, quote: bool, reason: impl Into<String>) {
        let (line, column) = self.place(span.start);
        let value = quote.then(|| self.quoted(span));
        let (file, key, reason) = (self.file.to_owned(), key.to_owned(), reason.into());
        self.found.borrow_mut().push(RulebookError { file, line, column, key, value, reason });
    }

    /// Line and column of a byte.
    pub(super) fn place(&self, byte: usize) -> (usize, usize) {
        let before = self.text.get(..byte).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    fn quoted(&self, span: Range<usize>) -> String {
        let written = self.text.get(span).unwrap_or_default();
        let first_line = written.lines().next().unwrap_or_default();
        let quoted: String = first_line.chars().take(QUOTED_CHARS_MAX).collect();
        if quoted.len() < written.len() { format!("{quoted}…") } else { quoted }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.found.borrow().len()
    }

    /// All faults in the order of the text.
    pub(super) fn into_sorted(self) -> Vec<RulebookError> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|fault| (fault.line, fault.column));
        found
    }
}

/// "the nearest known is …" where one is near, else all that are known.
pub(super) fn nearest(name: &str, known: &[&str]) -> String {
    let near = known.iter().min_by_key(|other| strsim::damerau_levenshtein(name, other));
    match near {
        Some(near) if strsim::damerau_levenshtein(name, near) <= 1 + near.len() / 3 => {
            format!("the nearest known is \"{near}\"")
        }
        Some(_) => format!("known are {}", known.join(", ")),
        None => "none is known here".to_owned(),
    }
}
