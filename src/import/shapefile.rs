//! Shapefiles (ESRI 1998): `.shp` with its `.dbf`, `.prj` and `.cpg` beside it. Heights and measures are dropped.

use std::io::Cursor;

use ::geojson::GeometryValue;
use ::shapefile::dbase::{self, FieldValue};
use ::shapefile::record::polygon::GenericPolygon;
use ::shapefile::record::polyline::GenericPolyline;
use ::shapefile::{PolygonRing, Shape, ShapeReader};
use serde_json::{Map as JsonMap, Value};

use super::projection::{ProjectionError, ToWgs84};
use super::{Drawn, Format, ImportError, Source, stem};
use crate::geo::{Position, Region};

pub(super) const FORMAT: Format =
    Format { name: "shapefile", ending: "shp", looks_like: |bytes| bytes.starts_with(&[0, 0, 0x27, 0x0A]), read };

fn read(source: &Source) -> Result<Vec<Drawn>, ImportError> {
    // The index begins like the shapefile itself.
    if source.name.to_lowercase().ends_with(".shx") {
        return Err(ImportError::new("this is the index of a shapefile", "name the .shp beside it"));
    }
    let Some(prj) = &source.beside.prj else {
        let mend = "put the .prj file beside it, or save the layer again in WGS 84 (EPSG:4326) as GeoJSON";
        return Err(ImportError::new("no .prj file lies beside it, so its projection is not known", mend));
    };
    let projection = ToWgs84::of(String::from_utf8_lossy(prj).trim()).map_err(|error| {
        ImportError::new(error.to_string(), "save the layer again in WGS 84 (EPSG:4326), for example with QGIS")
    })?;
    let damaged = |error: &dyn std::fmt::Display| {
        ImportError::new(format!("the shapefile is damaged: {error}"), "copy it again, with all files of the same name")
    };
    check_counts(&source.bytes).map_err(|e| damaged(&e))?;
    let shapes = ShapeReader::new(Cursor::new(&source.bytes)).map_err(|e| damaged(&e))?;
    let shapes = shapes.read().map_err(|e| damaged(&e))?;
    let records = records(source)?;
    if let Some(records) = &records
        && records.len() != shapes.len()
    {
        let reason = format!("{} shapes, but {} records in the .dbf", shapes.len(), records.len());
        return Err(ImportError::new(reason, "copy it again, with all files of the same name"));
    }
    let mut records = records.unwrap_or_default().into_iter();
    let drawn = shapes.into_iter().enumerate().map(|(i, shape)| Drawn {
        place: format!("{} record {i}", source.name),
        file: stem(&source.name).to_owned(),
        folders: Vec::new(),
        id: None,
        properties: records.next().unwrap_or_default(),
        geometry: geometry(shape, &projection),
    });
    Ok(drawn.collect())
}

/// Checks that each record holds as many positions as it says: room is made for them before they are read.
///
/// # Errors
/// Which record does not.
fn check_counts(bytes: &[u8]) -> Result<(), String> {
    const FILE_HEADER: usize = 100;
    let little = |at: usize| {
        let word = bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(i32::from_le_bytes);
        word.map(|n| usize::try_from(n).unwrap_or(usize::MAX))
    };
    // What lies behind the length of the header would not be read.
    let words = bytes.get(24..28).and_then(|b| b.try_into().ok()).map_or(0, i32::from_be_bytes);
    let told = usize::try_from(words).unwrap_or(0).saturating_mul(2);
    if told != bytes.len() {
        return Err(format!("its header says {told} bytes, but it has {}", bytes.len()));
    }
    let mut at = FILE_HEADER;
    let mut record = 0;
    while at < bytes.len() {
        let cut = || format!("record {record} is cut off");
        // Number, then length in words of 16 bits, big end first.
        let words =
            bytes.get(at + 4..at + 8).and_then(|b| b.try_into().ok()).map(i32::from_be_bytes).ok_or_else(cut)?;
        let length = usize::try_from(words).map_err(|_| cut())?.saturating_mul(2);
        let content = at + 8;
        let end = content.checked_add(length).filter(|&end| end <= bytes.len()).ok_or_else(cut)?;
        let count = |offset: usize| if offset + 4 <= length { little(content + offset) } else { None };
        let parts_and_points = match little(content).filter(|_| length >= 4).ok_or_else(cut)? {
            3 | 5 | 13 | 15 | 23 | 25 | 31 => Some((count(36).ok_or_else(cut)?, count(40).ok_or_else(cut)?)),
            8 | 18 | 28 => Some((0, count(36).ok_or_else(cut)?)),
            _ => None,
        };
        if let Some((parts, points)) = parts_and_points {
            let needed = parts.saturating_mul(4).saturating_add(points.saturating_mul(16));
            if needed > length {
                return Err(format!(
                    "record {record} says {points} positions in {parts} parts, which it has no room for"
                ));
            }
            // Room for a part is made by where it and the next one begin. A list of points alone has no parts.
            let begins: Option<Vec<usize>> = (0..parts).map(|part| count(44 + 4 * part)).collect();
            if !begins.is_some_and(|begins| begins.is_sorted() && begins.last().is_none_or(|last| *last <= points)) {
                return Err(format!("record {record} has a part that begins outside of its {points} positions"));
            }
        }
        at = end;
        record += 1;
    }
    Ok(())
}

/// The attributes of each record, where there is a table.
fn records(source: &Source) -> Result<Option<Vec<JsonMap<String, Value>>>, ImportError> {
    let Some(dbf) = &source.beside.dbf else { return Ok(None) };
    let mut builder = dbase::ReaderBuilder::new();
    if let Some(cpg) = &source.beside.cpg {
        let name = String::from_utf8_lossy(cpg);
        let Some(encoding) = dbase::encoding::DynEncoding::from_name(&name) else {
            let reason = format!("the .cpg names an unknown encoding: {:?}", name.trim());
            return Err(ImportError::new(reason, "save the layer again with UTF-8"));
        };
        builder = builder.with_encoding(encoding);
    }
    let damaged = |error: dbase::Error| {
        ImportError::new(format!("the .dbf cannot be read: {error}"), "copy it again, or save the layer again")
    };
    let mut reader = builder.build(Cursor::new(dbf)).map_err(damaged)?;
    let names: Vec<String> = reader.fields().iter().map(|field| field.name().to_owned()).collect();
    let mut records = Vec::new();
    for record in reader.iter_records() {
        let record = record.map_err(damaged)?;
        // In the order of the columns.
        let values = names.iter().filter_map(|name| Some((name.clone(), value(record.get(name)?)?)));
        records.push(values.collect());
    }
    Ok(Some(records))
}

/// A cell as JSON; `None` where it is empty.
fn value(cell: &FieldValue) -> Option<Value> {
    let number = |n: f64| if n.fract() == 0.0 && n.abs() < 9e15 { Value::from(n as i64) } else { Value::from(n) };
    match cell {
        FieldValue::Character(text) => text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(Value::from),
        FieldValue::Memo(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(Value::from),
        FieldValue::Numeric(n) => n.map(number),
        FieldValue::Float(n) => n.map(|n| number(f64::from(n))),
        FieldValue::Double(n) | FieldValue::Currency(n) => Some(number(*n)),
        FieldValue::Integer(n) => Some(Value::from(*n)),
        FieldValue::Logical(is) => is.map(Value::from),
        FieldValue::Date(date) => date.map(|d| format!("{:04}-{:02}-{:02}", d.year(), d.month(), d.day()).into()),
        FieldValue::DateTime(_) => None,
    }
}

type Line = Vec<Vec<f64>>;

fn geometry(shape: Shape, projection: &ToWgs84) -> Result<GeometryValue, String> {
    let at = |x: f64, y: f64| projection.position(x, y).map(Vec::from);
    let line = |points: &[(f64, f64)]| points.iter().map(|&(x, y)| at(x, y)).collect::<Result<Line, ProjectionError>>();
    let value = match shape {
        Shape::Point(p) => at(p.x, p.y).map(GeometryValue::new_point),
        Shape::PointM(p) => at(p.x, p.y).map(GeometryValue::new_point),
        Shape::PointZ(p) => at(p.x, p.y).map(GeometryValue::new_point),
        Shape::Multipoint(m) => line(&pairs(m.points(), |p| (p.x, p.y))).map(GeometryValue::new_multi_point),
        Shape::MultipointM(m) => line(&pairs(m.points(), |p| (p.x, p.y))).map(GeometryValue::new_multi_point),
        Shape::MultipointZ(m) => line(&pairs(m.points(), |p| (p.x, p.y))).map(GeometryValue::new_multi_point),
        Shape::Polyline(l) => lines(&l, |p| (p.x, p.y), line),
        Shape::PolylineM(l) => lines(&l, |p| (p.x, p.y), line),
        Shape::PolylineZ(l) => lines(&l, |p| (p.x, p.y), line),
        Shape::Polygon(p) => polygons(&p, |p| (p.x, p.y), line),
        Shape::PolygonM(p) => polygons(&p, |p| (p.x, p.y), line),
        Shape::PolygonZ(p) => polygons(&p, |p| (p.x, p.y), line),
        Shape::NullShape => return Err("it has no geometry".to_owned()),
        Shape::Multipatch(_) => return Err("it is a multipatch, a body in space".to_owned()),
    };
    value.map_err(|error| error.to_string())
}

fn pairs<P>(points: &[P], xy: impl Fn(&P) -> (f64, f64)) -> Vec<(f64, f64)> {
    points.iter().map(xy).collect()
}

fn lines<P>(
    shape: &GenericPolyline<P>,
    xy: impl Fn(&P) -> (f64, f64) + Copy,
    line: impl Fn(&[(f64, f64)]) -> Result<Line, ProjectionError>,
) -> Result<GeometryValue, ProjectionError> {
    let mut lines = shape.parts().iter().map(|part| line(&pairs(part, xy))).collect::<Result<Vec<_>, _>>()?;
    Ok(match lines.len() {
        1 => GeometryValue::new_line_string(lines.swap_remove(0)),
        _ => GeometryValue::new_multi_line_string(lines),
    })
}

/// Holes go to the outer ring they lie in; a hole in none was wound the wrong way round and is an outer ring.
fn polygons<P>(
    shape: &GenericPolygon<P>,
    xy: impl Fn(&P) -> (f64, f64) + Copy,
    line: impl Fn(&[(f64, f64)]) -> Result<Line, ProjectionError>,
) -> Result<GeometryValue, ProjectionError> {
    let (mut outer, mut inner): (Vec<Vec<Line>>, Vec<Line>) = (Vec::new(), Vec::new());
    for ring in shape.rings() {
        let positions = line(&pairs(ring.points(), xy))?;
        match ring {
            PolygonRing::Outer(_) => outer.push(vec![positions]),
            PolygonRing::Inner(_) => inner.push(positions),
        }
    }
    let at = |p: &Vec<f64>| Position::from_geojson([p[0], p[1]]).ok();
    let region = |ring: &Line| Region::new(&[vec![ring.iter().filter_map(at).collect()]]);
    let regions: Vec<Region> = outer.iter().map(|rings| region(&rings[0])).collect();
    for hole in inner {
        // A corner may lie on the outer ring, which is inside as well; the middle of the hole's corners decides.
        let holds = |region: &Region| hole.iter().filter_map(at).all(|p| region.contains(p));
        match regions.iter().position(holds) {
            Some(i) => outer[i].push(hole),
            None => outer.push(vec![hole]),
        }
    }
    Ok(match outer.len() {
        1 => GeometryValue::new_polygon(outer.swap_remove(0)),
        _ => GeometryValue::new_multi_polygon(outer),
    })
}
