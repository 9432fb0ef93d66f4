//! KML and KMZ (OGC 07-147r2): placemarks with their folders and extended data. Styles, overlays, links and recorded
//! tracks are no map features.

use std::io::{Cursor, Read};

use ::geojson::{Geometry, GeometryValue};
use roxmltree::Node;
use serde_json::{Map as JsonMap, Value};

use super::{Drawn, Format, ImportError, Source, stem, xml};

pub(super) const KML: Format =
    Format { name: "KML", ending: "kml", looks_like: |bytes| xml::begins(bytes, "kml"), read: read_kml };
pub(super) const KMZ: Format =
    Format { name: "KMZ", ending: "kmz", looks_like: |bytes| bytes.starts_with(b"PK\x03\x04"), read: read_kmz };

/// What a document in a KMZ may unpack to.
const UNPACKED_MAX: u64 = 64 << 20;

fn read_kml(source: &Source) -> Result<Vec<Drawn>, ImportError> {
    read_document(source, &source.bytes)
}

/// Reads the first KML document of the archive, which is the one that is shown.
fn read_kmz(source: &Source) -> Result<Vec<Drawn>, ImportError> {
    let damaged = |error: String| ImportError::new(format!("no KMZ that can be unpacked: {error}"), "export it again");
    let mut archive = zip::ZipArchive::new(Cursor::new(&source.bytes)).map_err(|e| damaged(e.to_string()))?;
    let is_kml = |i: &usize| {
        archive.name_for_index(*i).is_some_and(|name| name.is_ok_and(|name| name.to_lowercase().ends_with(".kml")))
    };
    let Some(index) = (0..archive.len()).find(is_kml) else {
        return Err(ImportError::new(
            "the archive holds no .kml",
            "save it as KML or KMZ; a zipped shapefile has to be unpacked",
        ));
    };
    let document = archive.by_index(index).map_err(|e| damaged(e.to_string()))?;
    let mut bytes = Vec::new();
    document.take(UNPACKED_MAX + 1).read_to_end(&mut bytes).map_err(|e| damaged(e.to_string()))?;
    if bytes.len() as u64 > UNPACKED_MAX {
        return Err(ImportError::new("its document unpacks to more than 64 MiB", "export fewer layers at a time"));
    }
    read_document(source, &bytes)
}

fn read_document(source: &Source, bytes: &[u8]) -> Result<Vec<Drawn>, ImportError> {
    let document = xml::parse(xml::text_of(bytes)?)?;
    let called = |name: &'static str| document.descendants().filter(move |node| node.tag_name().name() == name);
    let placemarks: Vec<Drawn> = called("Placemark").map(|placemark| drawn(source, placemark)).collect();
    if placemarks.is_empty() && called("NetworkLink").next().is_some() {
        let mend = "open it in Google Earth and save what it shows as KML or KMZ";
        return Err(ImportError::new("it draws nothing itself but links to other files (NetworkLink)", mend));
    }
    Ok(placemarks)
}

fn drawn(source: &Source, placemark: Node<'_, '_>) -> Drawn {
    let mut properties = JsonMap::new();
    for key in ["name", "description"] {
        if let Some(text) = xml::text(placemark, key) {
            properties.insert(key.to_owned(), text.into());
        }
    }
    for data in xml::children(placemark, "ExtendedData").flat_map(|extended| extended.descendants()) {
        let text = match data.tag_name().name() {
            "Data" => xml::text(data, "value"),
            "SimpleData" => data.text().map(str::trim),
            _ => continue,
        };
        if let (Some(name), Some(text)) = (data.attribute("name"), text) {
            properties.insert(name.to_owned(), typed(text));
        }
    }
    let mut folders: Vec<String> = placemark
        .ancestors()
        .filter(|node| ["Folder", "Document"].contains(&node.tag_name().name()))
        .filter_map(|folder| xml::text(folder, "name").map(str::to_owned))
        .collect();
    folders.reverse();
    let geometries: Vec<Node<'_, '_>> = placemark.children().filter(|child| is_geometry(*child)).collect();
    let geometry = match geometries[..] {
        [] => Err("it has no point, line or polygon".to_owned()),
        [one] => geometry(one),
        _ => Err("it has several geometries".to_owned()),
    };
    Drawn {
        place: format!("{}:{}", source.name, xml::line(placemark)),
        file: stem(&source.name).to_owned(),
        folders,
        id: placemark.attribute("id").map(str::to_owned),
        properties,
        geometry,
    }
}

/// Extended data are texts; true, false and numbers are meant as such.
fn typed(text: &str) -> Value {
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => text.into(),
    }
}

const GEOMETRIES: [&str; 8] =
    ["Point", "LineString", "LinearRing", "Polygon", "MultiGeometry", "Track", "MultiTrack", "Model"];

fn is_geometry(node: Node<'_, '_>) -> bool {
    GEOMETRIES.contains(&node.tag_name().name())
}

fn geometry(node: Node<'_, '_>) -> Result<GeometryValue, String> {
    match node.tag_name().name() {
        "Point" => match positions(node)?.as_slice() {
            [one] => Ok(GeometryValue::new_point(one.clone())),
            several => Err(format!("its point has {} positions", several.len())),
        },
        "LineString" | "LinearRing" => Ok(GeometryValue::new_line_string(positions(node)?)),
        "Polygon" => {
            let rings = ["outerBoundaryIs", "innerBoundaryIs"].into_iter();
            let rings = rings.flat_map(|side| xml::children(node, side).collect::<Vec<_>>());
            let rings = rings.flat_map(|side| xml::children(side, "LinearRing").collect::<Vec<_>>());
            Ok(GeometryValue::new_polygon(rings.map(positions).collect::<Result<Vec<_>, _>>()?))
        }
        "MultiGeometry" => {
            let parts = node.children().filter(|child| is_geometry(*child)).map(geometry);
            Ok(joined(parts.collect::<Result<Vec<_>, _>>()?))
        }
        "Track" | "MultiTrack" => {
            Err("it is a recorded track, no map feature; `buoyline replay` reads those".to_owned())
        }
        other => Err(format!("it is a {other}")),
    }
}

/// Parts of one type as its Multi form, else a collection.
fn joined(parts: Vec<GeometryValue>) -> GeometryValue {
    let mut points = Vec::new();
    let mut lines = Vec::new();
    let mut polygons = Vec::new();
    for part in &parts {
        match part {
            GeometryValue::Point { coordinates } => points.push(coordinates.clone()),
            GeometryValue::LineString { coordinates } => lines.push(coordinates.clone()),
            GeometryValue::Polygon { coordinates } => polygons.push(coordinates.clone()),
            _ => {}
        }
    }
    match parts.len() {
        n if n == points.len() => GeometryValue::MultiPoint { coordinates: points },
        n if n == lines.len() => GeometryValue::MultiLineString { coordinates: lines },
        n if n == polygons.len() => GeometryValue::MultiPolygon { coordinates: polygons },
        _ => GeometryValue::GeometryCollection { geometries: parts.into_iter().map(Geometry::new).collect() },
    }
}

/// `lon,lat,height lon,lat,height`; heights are dropped, because they are 0 or of the ground.
fn positions(node: Node<'_, '_>) -> Result<Vec<Vec<f64>>, String> {
    let text = xml::text(node, "coordinates").unwrap_or_default();
    let position = |tuple: &str| {
        let numbers: Option<Vec<f64>> = tuple.split(',').map(|n| n.parse().ok()).collect();
        match numbers.as_deref() {
            Some([lon, lat, ..]) => Ok(vec![*lon, *lat]),
            _ => Err(format!("{tuple:?} is no position, which is longitude,latitude without spaces")),
        }
    };
    text.split_whitespace().map(position).collect()
}
