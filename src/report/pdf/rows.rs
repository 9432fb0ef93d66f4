//! What a sheet tells becomes rows: what is drawn side by side, and what it is to those who do not see it. All lengths
//! are points, down and to the right.

use std::num::NonZeroU16;

use krilla::tagging::{ListNumbering, TableHeaderScope, Tag, TagKind};

use super::PdfError;
use super::letters::{FAMILY, Letters, Line, Weight};
use crate::report::sheet::{Block, Drawn, Fact, HISTORY, Picture, Sheet, Value};

/// A millimetre.
pub(super) const MM: f32 = 72.0 / 25.4;
/// Letters of plain text, and how far its lines are apart.
const PLAIN: Style = Style { size: 7.4, leading: 9.7, above: 0.0, weight: Weight::Regular };
const HEADING: Style = Style { size: 7.8, leading: 10.2, above: 3.4, weight: Weight::Bold };
const SENTENCE: Style = Style { size: 8.8, leading: 11.6, above: 1.7, weight: Weight::Regular };
const TITLE: Style = Style { size: 12.5, leading: 16.0, above: 2.6, weight: Weight::Bold };
/// Between a paragraph and what comes next.
const AFTER: f32 = 2.2;
/// How broad the box with the sign before the title is.
const SIGN: f32 = 6.0 * MM;
/// Between columns of a table, and beside what stands at its edge.
const GAP: f32 = 2.0 * MM;
/// What pictures are written with; narrower than on the page of HTML, as the letters are broader.
const PICTURE_STYLE: &str = ".l { font-family: Inter; font-size: 2.6px; fill: #000 }";

/// How text looks.
#[derive(Clone, Copy)]
struct Style {
    size: f32,
    leading: f32,
    above: f32,
    weight: Weight,
}

/// Something that is drawn.
#[derive(Clone)]
pub(super) enum Ink {
    Line {
        line: Line,
        size: f32,
        is_white: bool,
    },
    Picture {
        tree: Box<usvg::Tree>,
        width: f32,
        height: f32,
    },
    /// A filled box, 0 black to 255 white.
    Filled {
        width: f32,
        height: f32,
        grey: u8,
    },
    /// A dashed ring.
    Ring {
        width: f32,
        height: f32,
    },
}

/// Something that is drawn at a place; of a line, where it stands.
#[derive(Clone)]
pub(super) struct Placed {
    pub x: f32,
    pub y: f32,
    pub ink: Ink,
    /// What it is part of; `None` for decoration and what is repeated on every page.
    pub leaf: Option<usize>,
}

/// What stands side by side.
#[derive(Clone, Default)]
pub(super) struct Row {
    /// Left free above, but not at the top of a column.
    pub above: f32,
    pub height: f32,
    pub ink: Vec<Placed>,
    /// Whether the next row has to stand in the same column.
    pub with_next: bool,
}

/// What the rows are, in the order in which they are read.
pub(super) enum Node {
    Group(TagKind, Vec<Node>),
    Leaf(usize),
}

/// Makes rows.
pub(super) struct Rows<'l> {
    letters: &'l Letters,
    /// How many leaves there are.
    pub leaves: usize,
    pub nodes: Vec<Node>,
}

impl<'l> Rows<'l> {
    pub(super) fn new(letters: &'l Letters) -> Self {
        Self { letters, leaves: 0, nodes: Vec::new() }
    }

    fn leaf(&mut self) -> usize {
        self.leaves += 1;
        self.leaves - 1
    }

    /// A new leaf that is all there is to a group.
    fn told(&mut self, tag: impl Into<TagKind>) -> usize {
        let leaf = self.leaf();
        self.nodes.push(Node::Group(tag.into(), vec![Node::Leaf(leaf)]));
        leaf
    }

    /// The head of a page: what it is about on the left, who printed it on the right.
    pub(super) fn head(&mut self, sheet: &Sheet, width: f32) -> Vec<Row> {
        let [agency, waterway] = &sheet.head;
        let rest = format!("· {waterway} · finding {}", sheet.id);
        let broad = 0.6 * width;
        let left = self.letters.set(&[(Weight::Bold, agency), (Weight::Regular, &rest)], PLAIN.size, broad - GAP);
        let right = self.letters.set(&[(Weight::Regular, &sheet.printed)], PLAIN.size, width - broad);
        let (about, printed) = (self.told(Tag::P), self.told(Tag::P));
        let mut rows = Vec::new();
        for i in 0..left.len().max(right.len()) {
            let mut row = Row { height: PLAIN.leading, with_next: true, ..Row::default() };
            row.ink.extend(left.get(i).map(|line| placed(line, 0.0, PLAIN, Some(about))));
            row.ink.extend(right.get(i).map(|line| placed(line, width - line.width, PLAIN, Some(printed))));
            rows.push(row);
        }
        let rule = Ink::Filled { width, height: 0.4 * MM, grey: 0 };
        let ink = vec![Placed { x: 0.0, y: 0.6 * MM, ink: rule, leaf: None }];
        rows.push(Row { height: 1.6 * MM, ink, ..Row::default() });
        rows
    }

    /// What stands across the page: the verdict, the sentence and the pictures.
    pub(super) fn top(&mut self, sheet: &Sheet, width: f32) -> Result<Vec<Row>, PdfError> {
        let mut rows = self.title(sheet, width);
        let leaf = self.told(Tag::P);
        rows.extend(self.text(&sheet.sentence, SENTENCE, width, leaf));
        for drawn in &sheet.drawn {
            match drawn {
                Drawn::Nothing(why) => {
                    let leaf = self.told(Tag::P);
                    rows.extend(self.text(why, Style { above: 2.0 * MM, ..PLAIN }, width, leaf));
                }
                Drawn::Picture(picture) => {
                    let (ink, height) = self.picture(sheet, picture, 0.0)?;
                    rows.push(Row { above: 0.6 * MM, height, ink: vec![ink], with_next: false });
                }
            }
        }
        Ok(rows)
    }

    fn title(&mut self, sheet: &Sheet, width: f32) -> Vec<Row> {
        let tag = Tag::Hn(NonZeroU16::MIN, Some(sheet.title.clone()));
        let leaf = self.told(tag);
        let lines = self.letters.set(&[(Weight::Bold, &sheet.title)], TITLE.size, width - SIGN - GAP);
        let mut rows = rows_of(lines.iter().map(|line| placed(line, SIGN + GAP, TITLE, Some(leaf))), TITLE);
        let (ring, sign) = match sheet.is_breach {
            true => (Ink::Filled { width: SIGN, height: TITLE.leading, grey: 0 }, "!"),
            false => (Ink::Ring { width: SIGN, height: TITLE.leading }, "?"),
        };
        let line = self.letters.line(Weight::Bold, sign, TITLE.size);
        let mut letter = placed(&line, 0.5 * (SIGN - line.width), TITLE, None);
        if let Ink::Line { is_white, .. } = &mut letter.ink {
            *is_white = sheet.is_breach;
        }
        if let Some(row) = rows.first_mut() {
            row.ink.splice(0..0, [Placed { x: 0.0, y: 0.0, ink: ring, leaf: None }, letter]);
        }
        rows
    }

    /// What stands in columns; the history, which may be long, comes last.
    pub(super) fn column(&mut self, sheet: &Sheet, width: f32) -> Result<Vec<Row>, PdfError> {
        let is_history = |block: &&Block| matches!(block, Block::History(_));
        let (history, rest): (Vec<&Block>, Vec<&Block>) = sheet.columns.iter().flatten().partition(is_history);
        let mut rows = Vec::new();
        for block in rest.into_iter().chain(history) {
            rows.extend(self.block(sheet, block, width)?);
        }
        Ok(rows)
    }

    fn block(&mut self, sheet: &Sheet, block: &Block, width: f32) -> Result<Vec<Row>, PdfError> {
        let is_empty = match block {
            Block::Heading(text) => text.trim().is_empty(),
            Block::Formula(lines) => lines.is_empty(),
            _ => false,
        };
        if is_empty {
            return Ok(Vec::new());
        }
        let mut rows = match block {
            Block::Heading(text) => return Ok(self.heading(text, width)),
            Block::Paragraph(text) => {
                let leaf = self.told(Tag::P);
                self.text(text, PLAIN, width, leaf)
            }
            Block::Warning(text) => {
                let leaf = self.told(Tag::P);
                self.text(text, Style { weight: Weight::Bold, ..PLAIN }, width, leaf)
            }
            Block::Formula(lines) => {
                let leaf = self.told(Tag::Formula(Some(lines.join("; "))));
                lines.iter().flat_map(|line| self.text(line, PLAIN, width, leaf)).collect()
            }
            Block::Quote(text) => self.quote(text, width),
            Block::Facts(facts) => self.facts(facts, width),
            Block::History(entries) => {
                let mut rows = self.heading(HISTORY, width);
                rows.extend(self.list(entries, width));
                rows
            }
            Block::Sources(facts, link) => self.sources(sheet, facts, link.as_ref(), width)?,
        };
        if let Some(last) = rows.last_mut() {
            last.height += AFTER;
        }
        Ok(rows)
    }

    fn heading(&mut self, text: &str, width: f32) -> Vec<Row> {
        let leaf = self.told(Tag::Hn(NonZeroU16::MIN.saturating_add(1), Some(text.to_owned())));
        let mut rows = self.text(text, HEADING, width, leaf);
        rows.iter_mut().for_each(|row| row.with_next = true);
        rows
    }

    fn text(&self, text: &str, style: Style, width: f32, leaf: usize) -> Vec<Row> {
        let lines = self.letters.set(&[(style.weight, text)], style.size, width);
        rows_of(lines.iter().map(|line| placed(line, 0.0, style, Some(leaf))), style)
    }

    fn quote(&mut self, text: &str, width: f32) -> Vec<Row> {
        let leaf = self.leaf();
        let said = Node::Group(Tag::P.into(), vec![Node::Leaf(leaf)]);
        self.nodes.push(Node::Group(Tag::BlockQuote.into(), vec![said]));
        let mut rows = self.text(text, PLAIN, width - GAP, leaf);
        for row in &mut rows {
            row.ink.iter_mut().for_each(|placed| placed.x += GAP);
            let bar = Ink::Filled { width: 0.5 * MM, height: row.height, grey: 0x88 };
            row.ink.push(Placed { x: 0.0, y: 0.0, ink: bar, leaf: None });
        }
        rows
    }

    fn list(&mut self, entries: &[String], width: f32) -> Vec<Row> {
        let indent = 1.4 * GAP;
        let bullet = self.letters.line(Weight::Regular, "•", PLAIN.size);
        let (mut rows, mut items) = (Vec::new(), Vec::new());
        for entry in entries {
            let (label, body) = (self.leaf(), self.leaf());
            let group = |tag: TagKind, leaf| Node::Group(tag, vec![Node::Leaf(leaf)]);
            items
                .push(Node::Group(Tag::LI.into(), vec![group(Tag::Lbl.into(), label), group(Tag::LBody.into(), body)]));
            let mut told = self.text(entry, PLAIN, width - indent, body);
            told.iter_mut().flat_map(|row| &mut row.ink).for_each(|placed| placed.x += indent);
            if let Some(first) = told.first_mut() {
                first.ink.insert(0, placed(&bullet, 0.3 * indent, PLAIN, Some(label)));
            }
            rows.extend(told);
        }
        self.nodes.push(Node::Group(Tag::L(ListNumbering::Disc).into(), items));
        rows
    }

    fn facts(&mut self, facts: &[Fact], width: f32) -> Vec<Row> {
        let names: Vec<Line> =
            facts.iter().map(|fact| self.letters.line(Weight::Bold, fact.name, PLAIN.size)).collect();
        let indent = GAP + names.iter().map(|name| name.width).fold(0.0, f32::max);
        let (mut rows, mut table) = (Vec::new(), Vec::new());
        for (fact, name) in facts.iter().zip(&names) {
            let (head, cell) = (self.leaf(), self.leaf());
            let group = |tag: TagKind, leaf| Node::Group(tag, vec![Node::Leaf(leaf)]);
            let heads = group(Tag::TH(TableHeaderScope::Row).into(), head);
            table.push(Node::Group(Tag::TR.into(), vec![heads, group(Tag::TD.into(), cell)]));
            let mut told: Vec<Row> = Vec::new();
            for value in &fact.lines {
                let (Value::Text(text) | Value::Code(text)) = value;
                told.extend(self.text(text, PLAIN, width - indent, cell));
            }
            told.iter_mut().flat_map(|row| &mut row.ink).for_each(|placed| placed.x += indent);
            if let Some(first) = told.first_mut() {
                first.ink.insert(0, placed(name, 0.0, PLAIN, Some(head)));
            }
            let before_last = told.len().saturating_sub(1);
            told[..before_last].iter_mut().for_each(|row| row.with_next = true);
            rows.extend(told);
        }
        self.nodes.push(Node::Group(Tag::Table.into(), table));
        rows
    }

    /// The link stands to the right of the table, in a row with all of it.
    fn sources(
        &mut self,
        sheet: &Sheet,
        facts: &[Fact],
        link: Option<&Picture>,
        width: f32,
    ) -> Result<Vec<Row>, PdfError> {
        let Some(link) = link else { return Ok(self.facts(facts, width)) };
        let beside = link.width_mm as f32 * MM;
        let mut rows = self.facts(facts, width - beside - GAP);
        let (ink, height) = self.picture(sheet, link, width - beside)?;
        rows.iter_mut().for_each(|row| row.with_next = true);
        let so_far: f32 = rows.iter().map(|row| row.height).sum();
        if let Some(first) = rows.first_mut() {
            first.ink.push(ink);
        }
        if let Some(last) = rows.last_mut() {
            last.height += (height - so_far).max(0.0);
            last.with_next = false;
        }
        Ok(rows)
    }

    fn picture(&mut self, sheet: &Sheet, picture: &Picture, x: f32) -> Result<(Placed, f32), PdfError> {
        let options = usvg::Options {
            font_family: FAMILY.to_owned(),
            fontdb: self.letters.database.clone(),
            style_sheet: Some(PICTURE_STYLE.to_owned()),
            ..usvg::Options::default()
        };
        let tree = usvg::Tree::from_str(&self.letters.writable(&picture.svg), &options)
            .map_err(|error| PdfError::Picture { about: picture.about.clone(), id: sheet.id.clone(), error })?;
        let leaf = self.told(Tag::Figure(Some(picture.about.clone())));
        let (width, height) = (picture.width_mm as f32 * MM, picture.height_mm as f32 * MM);
        let ink = Ink::Picture { tree: Box::new(tree), width, height };
        Ok((Placed { x, y: 0.0, ink, leaf: Some(leaf) }, height))
    }

    /// A line at the foot of a page, `across` of the free room from the left.
    pub(super) fn foot(&self, text: &str, (width, across): (f32, f32), leaf: Option<usize>) -> Placed {
        let line = self.letters.line(Weight::Regular, text, PLAIN.size);
        placed(&line, across * (width - line.width), PLAIN, leaf)
    }

    /// A paragraph at the foot of a page.
    pub(super) fn paragraph(&mut self) -> usize {
        self.told(Tag::P)
    }
}

/// A line in the middle of the height that its row has for it: capitals are 0.73 of the size.
fn placed(line: &Line, x: f32, style: Style, leaf: Option<usize>) -> Placed {
    let ink = Ink::Line { line: line.clone(), size: style.size, is_white: false };
    Placed { x, y: 0.5 * (style.leading + 0.73 * style.size), ink, leaf }
}

/// A row for each line; no line of several is left alone in a column.
fn rows_of(lines: impl Iterator<Item = Placed>, style: Style) -> Vec<Row> {
    let mut rows: Vec<Row> =
        lines.map(|line| Row { height: style.leading, ink: vec![line], ..Row::default() }).collect();
    let count = rows.len();
    for (i, row) in rows.iter_mut().enumerate() {
        row.above = if i == 0 { style.above } else { 0.0 };
        row.with_next = i + 1 < count && (i == 0 || i + 2 == count);
    }
    rows
}
