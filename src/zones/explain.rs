//! What was derived from a waterway's map, as GeoJSON to look at: lines, joins, inshore areas.

use geojson::{Feature, FeatureCollection, Geometry, GeometryValue, JsonObject};

use super::map::Waterway;
use super::{LineSource, ZoneKind};
use crate::geo::Position;

impl Waterway {
    /// The buoy lines, their joins to the shore and the inshore areas they cut off; `properties.role` says
    /// which is which.
    pub fn explain(&self) -> FeatureCollection {
        let mut features = Vec::new();
        for line in &self.buoy_lines {
            let source = match line.source {
                LineSource::Drawn(_) => "drawn",
                LineSource::Ordered => "ordered",
                LineSource::Joined => "joined",
            };
            let buoys: Vec<&str> = line.buoys.iter().map(|&(ix, _)| &*self.feature(ix).id).collect();
            let mut properties = properties("buoy_line", &line.id);
            properties.insert("source".to_owned(), source.into());
            properties.insert("closed".to_owned(), line.is_closed.into());
            properties.insert("buoys".to_owned(), buoys.into());
            features.push(feature(line_string(&line.positions), properties));
            features
                .extend(line.joins.iter().map(|join| feature(line_string(join), self::properties("join", &line.id))));
        }
        for area in self.features.iter().filter(|f| f.kind == ZoneKind::InshoreArea) {
            let polygons =
                area.shape.polygons().into_iter().map(|rings| rings.iter().map(|r| coordinates(r)).collect::<Vec<_>>());
            features.push(feature(GeometryValue::new_multi_polygon(polygons), properties("inshore_area", &area.id)));
        }
        FeatureCollection { bbox: None, features, foreign_members: None }
    }
}

fn properties(role: &str, id: &str) -> JsonObject {
    let mut properties = JsonObject::new();
    properties.insert("role".to_owned(), role.into());
    properties.insert("id".to_owned(), id.into());
    properties
}

fn feature(value: GeometryValue, properties: JsonObject) -> Feature {
    Feature { geometry: Some(Geometry::new(value)), properties: Some(properties), ..Feature::default() }
}

fn line_string(line: &[Position]) -> GeometryValue {
    GeometryValue::new_line_string(coordinates(line))
}

fn coordinates(line: &[Position]) -> Vec<[f64; 2]> {
    line.iter().map(|p| p.to_geojson()).collect()
}
