//! Text becomes lines of glyphs that are no broader than they may be. All lengths are points, 1/72 inch.
//!
//! What is left out: scripts that the fonts do not have, and writing from right to left. A character that is not in the
//! fonts is shown by its number, as in `[U+7801]`, so that nothing is lost or drawn as an empty box.

use std::fmt::Write as _;
use std::sync::Arc;

use krilla::text::{Font, GlyphId, KrillaGlyph};
use rustybuzz::UnicodeBuffer;
use usvg::fontdb;

static REGULAR: &[u8] = include_bytes!("fonts/Inter-Regular.ttf");
static BOLD: &[u8] = include_bytes!("fonts/Inter-Bold.ttf");
/// What the fonts are called.
pub(super) const FAMILY: &str = "Inter";

/// How heavy letters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    Bold,
}

/// The fonts of a document.
pub(super) struct Letters {
    regular: Face,
    bold: Face,
    /// The same for pictures.
    pub database: Arc<fontdb::Database>,
}

struct Face {
    shaper: rustybuzz::Face<'static>,
    font: Font,
}

/// A line.
#[derive(Clone)]
pub(super) struct Line {
    pub parts: Vec<Part>,
    /// How broad it is, without the space that leads over to the next line.
    pub width: f32,
}

/// A part of a line in one weight.
#[derive(Clone)]
pub(super) struct Part {
    /// Where it begins, from the beginning of the line.
    pub x: f32,
    pub weight: Weight,
    pub text: String,
    pub glyphs: Vec<KrillaGlyph>,
}

/// A word, or as much of it as fits a line.
struct Word {
    weight: Weight,
    text: String,
    glyphs: Vec<KrillaGlyph>,
    /// In units of the size of the letters.
    width_em: f32,
    /// Whether a space stands before it.
    is_apart: bool,
}

impl Face {
    fn new(bytes: &'static [u8]) -> Self {
        Self {
            shaper: rustybuzz::Face::from_slice(bytes, 0).expect("a font of its own"),
            font: Font::new(bytes.into(), 0).expect("a font of its own"),
        }
    }
}

impl Letters {
    pub(super) fn new() -> Self {
        let mut database = fontdb::Database::new();
        database.load_font_data(REGULAR.to_vec());
        database.load_font_data(BOLD.to_vec());
        Self { regular: Face::new(REGULAR), bold: Face::new(BOLD), database: Arc::new(database) }
    }

    fn face(&self, weight: Weight) -> &Face {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }

    /// The font of a weight.
    pub(super) fn font(&self, weight: Weight) -> Font {
        self.face(weight).font.clone()
    }

    /// Text with its characters that are not in the fonts told by number.
    pub(super) fn writable(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            if matches!(c, '\n' | '\r' | '\t') || self.regular.shaper.glyph_index(c).is_some() {
                out.push(c);
            } else {
                // Writing to a string cannot fail.
                let _ = write!(out, "[U+{:04X}]", u32::from(c));
            }
        }
        out
    }

    /// Sets texts that follow each other in lines of this width; at least one line.
    pub(super) fn set(&self, texts: &[(Weight, &str)], size: f32, width: f32) -> Vec<Line> {
        let width_em = width / size;
        let space_em = self.word(Weight::Regular, " ".to_owned(), false).width_em;
        let (mut lines, mut line, mut line_em): (Vec<Vec<Word>>, Vec<Word>, f32) = (Vec::new(), Vec::new(), 0.0);
        for (weight, text) in texts {
            for text in self.writable(text).split_whitespace() {
                for word in self.pieces(*weight, text, width_em) {
                    let before_em = if word.is_apart && !line.is_empty() { space_em } else { 0.0 };
                    if !line.is_empty() && line_em + before_em + word.width_em > width_em {
                        lines.push(std::mem::take(&mut line));
                        line_em = word.width_em;
                    } else {
                        line_em += before_em + word.width_em;
                    }
                    line.push(word);
                }
            }
        }
        lines.push(line);
        let goes_on = |i: usize| lines.get(i + 1).and_then(|next| next.first()).is_some_and(|word| word.is_apart);
        (0..lines.len()).map(|i| self.joined(&lines[i], goes_on(i), size)).collect()
    }

    /// A single line, however broad.
    pub(super) fn line(&self, weight: Weight, text: &str, size: f32) -> Line {
        self.set(&[(weight, text)], size, f32::INFINITY).swap_remove(0)
    }

    /// A word in pieces that are no broader than a line.
    fn pieces(&self, weight: Weight, text: &str, width_em: f32) -> Vec<Word> {
        let mut pieces = vec![self.word(weight, text.to_owned(), true)];
        while let Some(last) = pieces.pop_if(|last| last.width_em > width_em) {
            let mut so_far_em = 0.0;
            let fits = |glyph: &&KrillaGlyph| {
                so_far_em += glyph.x_advance;
                so_far_em > width_em
            };
            let cut = last.glyphs.iter().find(fits).map_or(last.text.len(), |glyph| glyph.text_range.start);
            let first = last.text.chars().next().map_or(0, char::len_utf8);
            // At least a character stands on every line.
            let (head, tail) = last.text.split_at(cut.max(first));
            pieces.push(self.word(weight, head.to_owned(), last.is_apart));
            if tail.is_empty() {
                break;
            }
            pieces.push(self.word(weight, tail.to_owned(), false));
        }
        pieces
    }

    fn word(&self, weight: Weight, text: String, is_apart: bool) -> Word {
        let shaper = &self.face(weight).shaper;
        let em = shaper.units_per_em() as f32;
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(&text);
        buffer.set_direction(rustybuzz::Direction::LeftToRight);
        let shaped = rustybuzz::shape(shaper, &[], buffer);
        let (infos, places) = (shaped.glyph_infos(), shaped.glyph_positions());
        let mut glyphs = Vec::with_capacity(infos.len());
        for (i, (info, place)) in infos.iter().zip(places).enumerate() {
            let start = info.cluster as usize;
            let next = infos[i..].iter().map(|next| next.cluster as usize).find(|next| *next > start);
            glyphs.push(KrillaGlyph::new(
                GlyphId::new(info.glyph_id),
                place.x_advance as f32 / em,
                place.x_offset as f32 / em,
                place.y_offset as f32 / em,
                place.y_advance as f32 / em,
                start..next.unwrap_or(text.len()),
                None,
            ));
        }
        let width_em = glyphs.iter().map(|glyph| glyph.x_advance).sum();
        Word { weight, text, glyphs, width_em, is_apart }
    }

    /// Words as a line; a space at its end tells readers that another word follows.
    fn joined(&self, words: &[Word], goes_on: bool, size: f32) -> Line {
        let mut parts: Vec<Part> = Vec::new();
        let mut end_em = 0.0;
        for (i, word) in words.iter().enumerate() {
            if i > 0 && word.is_apart {
                end_em += append(&mut parts, &self.word(words[i - 1].weight, " ".to_owned(), false), end_em * size);
            }
            end_em += append(&mut parts, word, end_em * size);
        }
        let width = end_em * size;
        if let Some(last) = words.last().filter(|_| goes_on) {
            append(&mut parts, &self.word(last.weight, " ".to_owned(), false), width);
        }
        Line { parts, width }
    }
}

/// Appends a word; its width.
fn append(parts: &mut Vec<Part>, word: &Word, x: f32) -> f32 {
    if parts.last().is_none_or(|part| part.weight != word.weight) {
        parts.push(Part { x, weight: word.weight, text: String::new(), glyphs: Vec::new() });
    }
    if let Some(part) = parts.last_mut() {
        let before = part.text.len();
        part.text += &word.text;
        part.glyphs.extend(word.glyphs.iter().cloned().map(|mut glyph| {
            glyph.text_range = glyph.text_range.start + before..glyph.text_range.end + before;
            glyph
        }));
    }
    word.width_em
}
