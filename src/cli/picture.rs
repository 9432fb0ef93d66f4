//! The line of a file with the place of a fault marked, as compilers show it.

use std::borrow::Cow;
use std::io::{self, Write};

use super::law::Fault;
use crate::zones::ZoneFile;

/// Columns for the text of the line; what is longer is cut on both sides.
const WIDTH: usize = 92;
/// How much of a cut line is shown before the place.
const BEFORE: usize = 36;

/// Writes the picture, where the fault has a place in a text that can be had.
pub(super) fn write(fault: &Fault, files: &[ZoneFile], out: &mut dyn Write) -> io::Result<()> {
    let (Some(line), Some(column)) = (fault.line, fault.column) else { return Ok(()) };
    let map = files.iter().find(|file| file.name == fault.file);
    // A rulebook is small and is read again.
    let rulebook = if map.is_none() { std::fs::read(&fault.file).unwrap_or_default() } else { Vec::new() };
    let bytes = map.map_or(&rulebook[..], |file| &file.bytes[..]);
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let (text, offset) = match fault.offset {
        Some(offset) => around(bytes, offset),
        None => {
            let text = String::from_utf8_lossy(bytes);
            let Some(offset) = offset_of(&text, line, column) else { return Ok(()) };
            (text, offset)
        }
    };
    let chars = fault.end_column.map_or(1, |end| end.saturating_sub(column)).max(1);
    let Some((shown, before, marked)) = window(&text, offset, chars) else { return Ok(()) };
    let number = line.to_string();
    writeln!(out, "{number:>5} | {shown}")?;
    writeln!(out, "      | {}{}", " ".repeat(before), "^".repeat(marked))
}

/// The neighbourhood of a byte as text, and the byte in it: a whole map may stand in one line.
fn around(bytes: &[u8], offset: usize) -> (Cow<'_, str>, usize) {
    let is_inside = |byte: &u8| byte & 0xC0 == 0x80;
    let mut start = offset.min(bytes.len()).saturating_sub(4 * WIDTH);
    let mut end = (offset + 4 * WIDTH).min(bytes.len());
    while bytes.get(start).is_some_and(is_inside) {
        start += 1;
    }
    while bytes.get(end).is_some_and(is_inside) {
        end -= 1;
    }
    (String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default()), offset.saturating_sub(start))
}

/// The byte at a line and column, both counted from 1.
fn offset_of(text: &str, line: usize, column: usize) -> Option<usize> {
    let start = match line.checked_sub(2) {
        None => 0,
        Some(nth) => text.match_indices('\n').nth(nth)?.0 + 1,
    };
    let rest = &text[start..];
    let inside = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(i, _)| i);
    Some(start + inside)
}

/// The part of the line around a byte, how many characters of it stand before, and how many are to be marked.
fn window(text: &str, offset: usize, chars: usize) -> Option<(String, usize, usize)> {
    if offset > text.len() || !text.is_char_boundary(offset) {
        return None;
    }
    let mut before: Vec<char> = text[..offset].chars().rev().take(WIDTH).take_while(|c| *c != '\n').collect();
    let mut after: Vec<char> = text[offset..].chars().take(WIDTH).take_while(|c| !matches!(c, '\n' | '\r')).collect();
    let is_cut = before.len() + after.len() > WIDTH;
    let left = if is_cut { BEFORE.max(WIDTH.saturating_sub(after.len())) } else { WIDTH };
    let cut_left = before.len() > left;
    before.truncate(left);
    let room = WIDTH - before.len();
    let cut_right = after.len() > room || after.len() == WIDTH;
    after.truncate(room);
    // Of an object its beginning is enough.
    let marked = if after.first() == Some(&'{') { 1 } else { chars.min(after.len()).max(1) };
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let mut shown: String = if cut_left { "…".to_owned() } else { String::new() };
    shown.extend(before.iter().rev().map(|&c| plain(c)));
    shown.extend(after.iter().map(|&c| plain(c)));
    if cut_right {
        shown.push('…');
    }
    Some((shown.trim_end().to_owned(), before.len() + usize::from(cut_left), marked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_marked_in_short_and_in_long_lines() {
        let shown = |text: &str, offset: usize, chars: usize| {
            let (line, before, marked) = window(text, offset, chars).expect("a boundary");
            format!("{line}\n{}{}", " ".repeat(before), "^".repeat(marked))
        };
        assert_eq!(shown("a\n{\"lit\":\t3}\nb", 9, 1), "{\"lit\": 3}\n       ^");
        let long = format!("{}é[1.5, 2.5]{}", "x".repeat(5000), "y".repeat(5000));
        let expected =
            format!("…{}é[1.5, 2.5]{}…\n{}{}", "x".repeat(35), "y".repeat(46), " ".repeat(37), "^".repeat(10));
        assert_eq!(shown(&long, 5002, 10), expected);
        assert_eq!(shown("[1, 2", 5, 1), "[1, 2\n     ^");
        assert_eq!(shown("", 0, 1), "\n^");
    }

    #[test]
    fn a_line_and_column_are_a_byte() {
        let text = "éa\nb = 3\n";
        assert_eq!(offset_of(text, 1, 2), Some(2));
        assert_eq!(offset_of(text, 2, 5), Some(8));
        assert_eq!(offset_of(text, 9, 1), None);
    }
}
