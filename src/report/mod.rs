//! The evidence report of a finding, as HTML for a browser and as PDF for a file, with the same words, numbers and
//! pictures.
//!
//! ```text
//! store, finding ──▶ Reported ── sheet ──▶ Sheet ──┬─ html ──▶ a page of HTML that prints
//!                                ▲                 └─ pdf ───▶ pages of PDF
//!                    picture, chart (SVG)
//! ```
//!
//! A page is a frame of 178 × 241 mm, which fits Letter and A4 with margins of 16 mm. It needs nothing from outside:
//! no script, no font, no picture. Everything that matters is told apart by shape, line and word, so it is legible in
//! black and white.

mod chart;
mod html;
mod pdf;
mod picture;
mod sheet;
mod svg;

pub use html::document;
pub use pdf::{PdfError, pdf};
pub use sheet::{Happened, Paper, Printed, Reported};
