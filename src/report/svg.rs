//! Small pieces of SVG and HTML.

use std::fmt::Write as _;

/// Text with what HTML and SVG mind written out.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// The head of a picture of this size, in whatever its own unit is.
pub(super) fn opened(class: &str, width: f64, height: f64, about: &str) -> String {
    let about = escaped(about);
    format!(
        r#"<svg class="{class}" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{about}">"#
    )
}

/// A path through points, in millimetres.
pub(super) fn path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut d = String::new();
    for (i, (x, y)) in points.into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(d, "{}{x:.2} {y:.2}", if i == 0 { "M" } else { "L" });
    }
    d
}

/// A round number of the form 1, 2 or 5 times a power of ten, at most `most`.
pub(super) fn round_below(most: f64) -> f64 {
    let power = 10_f64.powf(most.max(1e-9).log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|step| step * power).find(|&value| value <= most).unwrap_or(power)
}
