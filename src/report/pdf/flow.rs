//! Rows become pages: across the page first, then in two columns, and on further pages where there is more. All lengths
//! are points from the upper left corner of the paper, down and to the right.

use super::rows::{MM, Placed, Row};

/// The frame that everything stands in.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub left: f32,
    pub top: f32,
    pub width: f32,
    pub bottom: f32,
}

/// Between the columns.
const BETWEEN: f32 = 5.0 * MM;
/// Free above columns that begin below something.
const ABOVE: f32 = 1.4 * MM;

/// The pages of a sheet, as they fill.
pub(super) struct Flow {
    frame: Frame,
    /// What stands at the head of every page.
    head: Vec<Row>,
    pub pages: Vec<Vec<Placed>>,
    columns: usize,
    column: usize,
    /// Where columns begin on this page.
    top: f32,
    y: f32,
}

impl Flow {
    /// Begins with the head on the first page.
    pub(super) fn new(frame: Frame, head: Vec<Row>) -> Self {
        let mut flow = Self {
            frame,
            head: head.clone(),
            pages: vec![Vec::new()],
            columns: 1,
            column: 0,
            top: frame.top,
            y: frame.top,
        };
        flow.place(head);
        // From the second page on it is a repetition.
        flow.head.iter_mut().flat_map(|row| &mut row.ink).for_each(|placed| placed.leaf = None);
        flow
    }

    /// How broad a column is where there are two.
    pub(super) fn column_width(frame: Frame) -> f32 {
        0.5 * (frame.width - BETWEEN)
    }

    /// Goes on in two columns.
    pub(super) fn in_columns(&mut self) {
        self.y += ABOVE;
        (self.columns, self.column, self.top) = (2, 0, self.y);
    }

    /// Places rows, those that belong together in the same column where one can hold them.
    pub(super) fn place(&mut self, rows: Vec<Row>) {
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            let mut chain = Vec::new();
            for row in rows.by_ref() {
                let is_last = !row.with_next;
                chain.push(row);
                if is_last {
                    break;
                }
            }
            let height: f32 = chain.iter().map(|row| row.above + row.height).sum::<f32>() - chain[0].above;
            if height <= self.most() {
                self.make_room(chain[0].above, height);
                chain.into_iter().for_each(|row| self.put(row));
            } else {
                for row in chain {
                    self.make_room(row.above, row.height.min(self.most()));
                    self.put(row);
                }
            }
        }
    }

    /// How much a column of a page of its own holds.
    fn most(&self) -> f32 {
        self.frame.bottom - self.frame.top - self.head.iter().map(|row| row.height).sum::<f32>()
    }

    /// Goes on in a column with that much room.
    fn make_room(&mut self, above: f32, height: f32) {
        // A thousandth for what sums of lengths are off.
        while self.y + if self.y > self.top { above } else { 0.0 } + height > self.frame.bottom + 1e-3 {
            self.y = self.top;
            self.column += 1;
            if self.column == self.columns {
                self.column = 0;
                self.pages.push(Vec::new());
                (self.top, self.y) = (self.frame.top, self.frame.top);
                let columns = std::mem::replace(&mut self.columns, 1);
                self.head.clone().into_iter().for_each(|row| self.put(row));
                self.columns = columns;
                self.top = self.y;
            }
        }
    }

    fn put(&mut self, row: Row) {
        if self.y > self.top {
            self.y += row.above;
        }
        let step = Self::column_width(self.frame) + BETWEEN;
        let (left, top) = (self.frame.left + self.column as f32 * step, self.y);
        self.y += row.height;
        if let Some(page) = self.pages.last_mut() {
            page.extend(row.ink.into_iter().map(|ink| Placed { x: ink.x + left, y: ink.y + top, ..ink }));
        }
    }
}
