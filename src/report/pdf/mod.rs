//! The report as PDF: the same words, numbers and pictures as on the page of HTML, on as many pages as they need.
//!
//! ```text
//! Sheet ── rows ──▶ rows of lines and pictures ── flow ──▶ pages ── paint ──▶ PDF/A-2a, PDF/UA-1
//!            ▲
//!         letters
//! ```
//!
//! The clause and the history are told whole; what does not fit goes on in the next column, then on the next page. Text
//! can be selected and searched; readers find headings, tables, lists and what a picture shows. The same report printed
//! at the same time gives the same bytes.

mod flow;
mod letters;
mod paint;
#[cfg(test)]
mod pdf_tests;
mod rows;

use flow::{Flow, Frame};
use letters::Letters;
use rows::{Ink, MM, Placed, Rows};
use thiserror::Error;

use super::sheet::{MOTTO, Paper, Printed, Reported, SIGNED, Sheet, title};
use crate::time::EventTime;

/// The frame of a page and its margin at the top and the bottom, millimetres.
const FRAME_MM: f32 = 178.0;
const MARGIN_MM: f32 = 16.0;
/// Where signatures stand and what is below them, from the bottom of the frame, millimetres.
const SIGNED_MM: f32 = 8.6;
const FOOT_MM: f32 = 4.2;
/// Left free for those who sign, millimetres.
const SIGNING_MM: f32 = 5.0;
/// Between signatures, millimetres.
const APART_MM: f32 = 8.0;

/// Why there is no PDF.
#[derive(Debug, Error)]
pub enum PdfError {
    /// A picture is not SVG that can be drawn.
    #[error("finding {id}: the picture {about:?} cannot be read: {error}")]
    Picture {
        /// The finding.
        id: String,
        /// What the picture shows.
        about: String,
        /// Why.
        error: usvg::Error,
    },
    /// The pages do not come together as PDF/A and PDF/UA.
    #[error("the pages cannot be written as PDF: {0}")]
    Pages(String),
}

/// A page: what stands on it.
struct Page {
    ink: Vec<Placed>,
    /// The finding that begins here.
    begins: Option<usize>,
}

/// What a document is called, whose it is and when it was made.
struct About {
    title: String,
    author: String,
    at: EventTime,
}

/// Findings as a PDF document, each from a new page on.
///
/// # Errors
/// [`PdfError`].
pub fn pdf(reports: &[Reported], printed: &Printed) -> Result<Vec<u8>, PdfError> {
    let about = About {
        title: title(reports),
        author: printed.by.clone(),
        // Without a time of its own it is as old as what it tells.
        at: printed.at.or_else(|| reports.iter().map(Reported::end).max()).unwrap_or(EventTime::from_unix_ms(0)),
    };
    let sheets: Vec<Sheet> = reports.iter().map(|report| report.sheet(printed)).collect();
    write(&sheets, printed.paper, &about)
}

fn write(sheets: &[Sheet], paper: Paper, about: &About) -> Result<Vec<u8>, PdfError> {
    let letters = Letters::new();
    let mut rows = Rows::new(&letters);
    let (mut pages, mut told) = (Vec::new(), Vec::new());
    for (i, sheet) in sheets.iter().enumerate() {
        let laid = lay(&mut rows, sheet, paper)?;
        told.push((sheet.title.clone(), sheet.id.clone(), std::mem::take(&mut rows.nodes)));
        pages.extend(laid.into_iter().enumerate().map(|(n, ink)| Page { ink, begins: (n == 0).then_some(i) }));
    }
    number(&rows, &mut pages, paper);
    paint::document(&letters, &pages, told, rows.leaves, paper, about)
}

fn frame(paper: Paper) -> Frame {
    let (width_mm, height_mm) = paper.size_mm();
    Frame {
        left: 0.5 * (width_mm as f32 - FRAME_MM) * MM,
        top: MARGIN_MM * MM,
        width: FRAME_MM * MM,
        bottom: (height_mm as f32 - MARGIN_MM) * MM,
    }
}

/// The pages of a finding.
fn lay(rows: &mut Rows, sheet: &Sheet, paper: Paper) -> Result<Vec<Vec<Placed>>, PdfError> {
    let whole = frame(paper);
    let inside = Frame { bottom: whole.bottom - (SIGNED_MM + SIGNING_MM) * MM, ..whole };
    let mut flow = Flow::new(inside, rows.head(sheet, whole.width));
    flow.place(rows.top(sheet, whole.width)?);
    flow.in_columns();
    flow.place(rows.column(sheet, Flow::column_width(whole))?);
    let mut pages = flow.pages;
    let at = |x: f32, up_mm: f32, placed: Placed| Placed {
        x: whole.left + x + placed.x,
        y: whole.bottom - up_mm * MM + placed.y,
        ..placed
    };
    let count = pages.len();
    for (i, page) in pages.iter_mut().enumerate() {
        if i + 1 < count {
            page.push(at(0.0, SIGNED_MM, rows.foot("continued on the next page", (whole.width, 1.0), None)));
        } else {
            let width = 0.5 * (whole.width - APART_MM * MM);
            for (k, who) in SIGNED.into_iter().enumerate() {
                let x = k as f32 * (width + APART_MM * MM);
                let line = Ink::Filled { width, height: 0.3 * MM, grey: 0 };
                page.push(at(x, SIGNED_MM, Placed { x: 0.0, y: 0.0, ink: line, leaf: None }));
                let leaf = rows.paragraph();
                page.push(at(x, SIGNED_MM, rows.foot(who, (width, 0.0), Some(leaf))));
            }
        }
        let line = Ink::Filled { width: whole.width, height: 0.4 * MM, grey: 0 };
        page.push(at(0.0, FOOT_MM, Placed { x: 0.0, y: 0.0, ink: line, leaf: None }));
        // It is told once; further down it is a repetition.
        let leaf = (i == 0).then(|| rows.paragraph());
        page.push(at(0.0, FOOT_MM - 0.6, rows.foot(MOTTO, (whole.width, 0.5), leaf)));
        page.push(at(0.0, FOOT_MM - 0.6, rows.foot(&sheet.id, (whole.width, 0.0), None)));
    }
    Ok(pages)
}

/// Numbers the pages, when it is known how many there are.
fn number(rows: &Rows, pages: &mut [Page], paper: Paper) {
    let (whole, count) = (frame(paper), pages.len());
    for (i, page) in pages.iter_mut().enumerate() {
        let mut told = rows.foot(&format!("page {} of {count}", i + 1), (whole.width, 1.0), None);
        told.x += whole.left;
        told.y += whole.bottom - (FOOT_MM - 0.6) * MM;
        page.ink.push(told);
    }
}
