//! Pages become a PDF document.

use chrono::{Datelike, Timelike};
use krilla::color::luma;
use krilla::configure::{Accessibility, Archival, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke, StrokeDash};
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, Node as TagNode, SpanTag, Tag, TagGroup, TagTree,
};
use krilla::{Document, SerializeSettings};
use krilla_svg::{SurfaceExt, SvgSettings};

use super::letters::Letters;
use super::rows::{Ink, MM, Node, Placed};
use super::{About, Page, PdfError};
use crate::report::sheet::Paper;
use crate::time::EventTime;

/// A finding: its title, its id, and what it tells in the order in which that is read.
type Told = (String, String, Vec<Node>);

pub(super) fn document(
    letters: &Letters,
    pages: &[Page],
    told: Vec<Told>,
    leaves: usize,
    paper: Paper,
    about: &About,
) -> Result<Vec<u8>, PdfError> {
    let configuration = ConfigurationBuilder::new()
        .with_archival_validator(Archival::A2_A)
        .with_accessibility_validator(Accessibility::UA1)
        .finish()
        .map_err(|error| PdfError::Pages(format!("{error:?}")))?;
    let mut document = Document::new_with(SerializeSettings { configuration, ..SerializeSettings::default() });
    let (width_mm, height_mm) = paper.size_mm();
    let settings = PageSettings::from_wh(width_mm as f32 * MM, height_mm as f32 * MM).expect("paper has a size");
    let mut ids: Vec<Vec<Identifier>> = vec![Vec::new(); leaves];
    let mut outline = Outline::new();
    for (i, page) in pages.iter().enumerate() {
        if let Some((title, id, _)) = page.begins.and_then(|finding| told.get(finding)) {
            let place = XyzDestination::new(i, Point::from_xy(0.0, 0.0));
            outline.push_child(OutlineNode::new(format!("{title}, finding {id}"), place));
        }
        let mut sheet = document.start_page_with(settings.clone());
        let mut surface = sheet.surface();
        for placed in &page.ink {
            let tag = match placed.leaf {
                Some(_) if matches!(placed.ink, Ink::Picture { .. }) => ContentTag::Other,
                Some(_) => ContentTag::Span(SpanTag::empty()),
                None => ContentTag::Artifact(Artifact::with_kind(ArtifactType::PaginationOther)),
            };
            let id = surface.start_tagged(tag);
            draw(&mut surface, letters, placed);
            surface.end_tagged();
            if let Some(ids) = placed.leaf.and_then(|leaf| ids.get_mut(leaf)) {
                ids.push(id);
            }
        }
        surface.finish();
        sheet.finish();
    }
    let mut tree = TagTree::new().with_lang(Some("en".to_owned()));
    for (_, _, nodes) in told {
        let children = nodes.into_iter().flat_map(|node| tagged(node, &mut ids)).collect();
        tree.push(TagGroup::with_children(Tag::Section, children));
    }
    document.set_tag_tree(tree);
    document.set_outline(outline);
    document.set_metadata(
        Metadata::new()
            .title(about.title.clone())
            .authors(vec![about.author.clone()])
            .creator(format!("Buoyline {}", env!("CARGO_PKG_VERSION")))
            .language("en".to_owned())
            .creation_date(date(about.at)),
    );
    document.finish().map_err(|error| PdfError::Pages(format!("{error:?}")))
}

fn tagged(node: Node, ids: &mut [Vec<Identifier>]) -> Vec<TagNode> {
    match node {
        Node::Leaf(leaf) => {
            ids.get_mut(leaf).map(std::mem::take).unwrap_or_default().into_iter().map(TagNode::Leaf).collect()
        }
        Node::Group(tag, nodes) => {
            let children: Vec<TagNode> = nodes.into_iter().flat_map(|node| tagged(node, ids)).collect();
            vec![TagNode::Group(TagGroup::with_children(tag, children))]
        }
    }
}

fn draw(surface: &mut Surface, letters: &Letters, Placed { x, y, ink, .. }: &Placed) {
    let fill = |grey: u8| Some(Fill { paint: luma::Color::new(grey).into(), ..Fill::default() });
    match ink {
        Ink::Line { line, size, is_white } => {
            surface.set_stroke(None);
            surface.set_fill(fill(if *is_white { 255 } else { 0 }));
            for part in &line.parts {
                let start = Point::from_xy(x + part.x, *y);
                surface.draw_glyphs(start, &part.glyphs, letters.font(part.weight), &part.text, *size, false);
            }
        }
        Ink::Picture { tree, width, height } => {
            let size = Size::from_wh(*width, *height).expect("a picture has a size");
            surface.push_transform(&Transform::from_translate(*x, *y));
            surface.draw_svg(tree, size, SvgSettings::default());
            surface.pop();
        }
        Ink::Filled { width, height, grey } => {
            surface.set_stroke(None);
            surface.set_fill(fill(*grey));
            let mut path = PathBuilder::new();
            path.push_rect(Rect::from_xywh(*x, *y, *width, *height).expect("a box has a size"));
            surface.draw_path(&path.finish().expect("a box is a path"));
        }
        Ink::Ring { width, height } => {
            surface.set_fill(None);
            let dash = Some(StrokeDash { array: vec![2.0, 1.4], offset: 0.0 });
            let stroke = Stroke { paint: luma::Color::black().into(), width: 0.6 * MM, dash, ..Stroke::default() };
            surface.set_stroke(Some(stroke));
            surface.draw_path(&ring(*x, *y, *width, *height).finish().expect("a ring is a path"));
        }
    }
}

/// An ellipse in a box, of four curves.
fn ring(x: f32, y: f32, width: f32, height: f32) -> PathBuilder {
    /// How long the handles of a quarter of a circle are.
    const HANDLE: f32 = 0.552_285;
    let (rx, ry) = (0.5 * width, 0.5 * height);
    let (cx, cy, hx, hy) = (x + rx, y + ry, HANDLE * rx, HANDLE * ry);
    let mut path = PathBuilder::new();
    path.move_to(cx + rx, cy);
    path.cubic_to(cx + rx, cy + hy, cx + hx, cy + ry, cx, cy + ry);
    path.cubic_to(cx - hx, cy + ry, cx - rx, cy + hy, cx - rx, cy);
    path.cubic_to(cx - rx, cy - hy, cx - hx, cy - ry, cx, cy - ry);
    path.cubic_to(cx + hx, cy - ry, cx + rx, cy - hy, cx + rx, cy);
    path.close();
    path
}

fn date(at: EventTime) -> DateTime {
    let at = at.to_chrono();
    // Chrono's parts of a date are small.
    DateTime::new(at.year().clamp(0, 9999) as u16)
        .month(at.month() as u8)
        .day(at.day() as u8)
        .hour(at.hour() as u8)
        .minute(at.minute() as u8)
        .second(at.second() as u8)
        .utc_offset_hour(0)
        .utc_offset_minute(0)
}
