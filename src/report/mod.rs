//! The evidence report of a finding: one page as HTML with pictures in SVG, the same on screen, on paper and from the
//! command line.
//!
//! A page is a frame of 178 × 241 mm, which fits Letter and A4 with margins of 16 mm. It needs nothing from outside:
//! no script, no font, no picture. Everything that matters is told apart by shape, line and word, so it is legible in
//! black and white.

mod chart;
mod page;
mod picture;
mod svg;

pub use page::{Happened, Paper, Printed, Reported, document};
