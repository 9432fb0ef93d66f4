//! GPX (1.0 and 1.1): waypoints are points, routes are lines. Recorded tracks are no map features.

use ::geojson::GeometryValue;
use roxmltree::Node;
use serde_json::Map as JsonMap;

use super::{Drawn, Format, ImportError, Source, stem, xml};

pub(super) const FORMAT: Format =
    Format { name: "GPX", ending: "gpx", looks_like: |bytes| xml::begins(bytes, "gpx"), read };

/// What is kept of what a chartplotter or hand-held says about a point.
const KEPT: [&str; 5] = ["name", "cmt", "desc", "sym", "type"];

fn read(source: &Source) -> Result<Vec<Drawn>, ImportError> {
    let document = xml::parse(xml::text_of(&source.bytes)?)?;
    let root = document.root_element();
    let elements = root.children().filter(Node::is_element);
    let drawn = elements.filter_map(|node| {
        let geometry = match node.tag_name().name() {
            "wpt" => position(node).map(GeometryValue::new_point),
            "rte" => {
                let line: Result<Vec<_>, _> = xml::children(node, "rtept").map(position).collect();
                line.map(GeometryValue::new_line_string)
            }
            "trk" => Err("it is a recorded track, no map feature; `buoyline replay` reads those".to_owned()),
            _ => return None,
        };
        let mut properties = JsonMap::new();
        for key in KEPT {
            if let Some(text) = xml::text(node, key) {
                properties.insert(key.to_owned(), text.into());
            }
        }
        Some(Drawn {
            place: format!("{}:{}", source.name, xml::line(node)),
            file: stem(&source.name).to_owned(),
            folders: Vec::new(),
            id: None,
            properties,
            geometry,
        })
    });
    Ok(drawn.collect())
}

fn position(node: Node<'_, '_>) -> Result<Vec<f64>, String> {
    let degrees = |name: &str| {
        let text = node.attribute(name).unwrap_or_default();
        text.trim().parse::<f64>().map_err(|_| format!("its {name} is no number: {text:?}"))
    };
    Ok(vec![degrees("lon")?, degrees("lat")?])
}
