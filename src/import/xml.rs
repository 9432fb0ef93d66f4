//! What KML and GPX share: a document as a tree, read with bounds.

use roxmltree::{Document, Node, ParsingOptions};

use super::ImportError;

/// A map of a lake has some megabytes; a tree takes ten times as much memory.
const BYTES_MAX: usize = 64 << 20;
const NODES_MAX: u32 = 10_000_000;

/// The text of a document.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str, ImportError> {
    if bytes.len() > BYTES_MAX {
        return Err(ImportError::new("more than 64 MiB", "export fewer layers at a time"));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(bytes)
        .map_err(|error| ImportError::new(format!("byte {} is not UTF-8", error.valid_up_to()), "save it as UTF-8"))
}

/// The tree of a document. Entities of its own are not expanded.
pub(super) fn parse(text: &str) -> Result<Document<'_>, ImportError> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
        .map_err(|error| ImportError::new(format!("no XML that can be read: {error}"), "export it again"))
}

/// Whether a document's first element is called so, as far as its beginning tells.
pub(super) fn begins(bytes: &[u8], element: &str) -> bool {
    const LOOKED_AT: usize = 4096;
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOKED_AT)]);
    let mut tags = head.match_indices('<').map(|(at, _)| &head[at + 1..]);
    let first = tags.find(|tag| !tag.starts_with(['?', '!']));
    first.is_some_and(|tag| {
        let end = tag.find(|c: char| !(c.is_alphanumeric() || c == ':' || c == '_')).unwrap_or(tag.len());
        tag[..end].rsplit(':').next() == Some(element)
    })
}

/// The children called so, whatever their namespace: writers choose freely.
pub(super) fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// The text of the first child called so, without space around it; `None` where it is empty.
pub(super) fn text<'a>(node: Node<'a, '_>, name: &'static str) -> Option<&'a str> {
    children(node, name).next().and_then(|child| child.text()).map(str::trim).filter(|text| !text.is_empty())
}

/// The line on which an element starts.
pub(super) fn line(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}
