//! The strip within some distance of what is protected, as one area to look at: what the rules ask edge by edge, drawn.

use geo::orient::{Direction, Orient};
use geo::{Coord, LineString, Polygon};
use i_overlay::mesh::stroke::offset::StrokeOffset;
use i_overlay::mesh::style::{LineCap, LineJoin, StrokeStyle};

use super::map::{Feature, Shape, Waterway};
use super::plane::{Rings, shared, to_polygon, to_rings, union};
use super::{KindSet, ZoneKind};
use crate::geo::{LocalFrame, Position, Vec2};

/// By how much a drawn arc may be inside of the true one, metres.
const SAGITTA_M: f64 = 0.2;

impl Waterway {
    /// The part of the water that is within a distance, metres, of any feature of the kinds beside it.
    pub fn strip(&self, near: &[(KindSet, f64)]) -> Vec<Rings> {
        let mut first = None;
        self.water().shape.each_edge(&mut |a, _| {
            first.get_or_insert(a);
        });
        let Some(frame) = first.map(LocalFrame::at) else { return Vec::new() };
        let mut parts = Vec::new();
        for &(kinds, within_m) in near {
            let mut drawing = Drawing { frame: &frame, within_m, lines: Vec::new(), parts: &mut parts };
            for feature in self.features.iter().filter(|feature| self.is_of(feature, kinds)) {
                drawing.add(&feature.shape, feature.kind == ZoneKind::Waterway);
            }
            drawing.finish();
        }
        let water: Vec<Polygon<f64>> =
            self.water().shape.polygons().into_iter().map(|rings| to_polygon(&frame, rings)).collect();
        shared(&union(&parts), &water).iter().filter_map(|polygon| to_rings(&frame, polygon)).collect()
    }

    /// Whether a feature counts as one of the kinds: the rim of the water is shoreline where none is drawn.
    fn is_of(&self, feature: &Feature, kinds: KindSet) -> bool {
        let kind = if feature.kind == ZoneKind::Waterway { self.rim() } else { feature.kind };
        kinds.contains(kind)
    }
}

/// What is within a distance of shapes, in the plane of a frame.
struct Drawing<'a> {
    frame: &'a LocalFrame,
    within_m: f64,
    lines: Vec<Vec<[f64; 2]>>,
    parts: &'a mut Vec<Polygon<f64>>,
}

impl Drawing<'_> {
    /// Adds a shape: its lines, and its inside unless only its rings count.
    fn add(&mut self, shape: &Shape, only_rings: bool) {
        match shape {
            Shape::Point(p) => self.point(*p),
            Shape::Points(points) => points.iter().for_each(|p| self.point(*p)),
            Shape::Lines(lines) => lines.iter().for_each(|line| self.line(line)),
            Shape::Areas(areas) => {
                for rings in areas {
                    rings.iter().for_each(|ring| self.line(ring));
                    if !only_rings {
                        self.parts.push(to_polygon(self.frame, rings).orient(Direction::Default));
                    }
                }
            }
            Shape::Mixed(parts) => parts.iter().for_each(|part| self.add(part, only_rings)),
        }
    }

    fn point(&mut self, p: Position) {
        let (at, step_rad) = (self.frame.to_plane(p), self.step_rad());
        let count = (std::f64::consts::TAU / step_rad).ceil().max(8.0);
        let corner = |i: f64| {
            let angle_rad = std::f64::consts::TAU * i / count;
            let v = at + Vec2::new(libm::cos(angle_rad), libm::sin(angle_rad)) * self.within_m;
            Coord { x: v.east_m, y: v.north_m }
        };
        let ring = LineString::new((0..=count as u32).map(|i| corner(f64::from(i))).collect());
        self.parts.push(Polygon::new(ring, Vec::new()));
    }

    fn line(&mut self, line: &[Position]) {
        let mut path: Vec<[f64; 2]> = line
            .iter()
            .map(|&p| {
                let v = self.frame.to_plane(p);
                [v.east_m, v.north_m]
            })
            .collect();
        path.dedup();
        match path[..] {
            [] => {}
            [_] => line.iter().take(1).for_each(|p| self.point(*p)),
            _ => self.lines.push(path),
        }
    }

    /// The angle of a chord of the arc that is as far inside of it as it may be.
    fn step_rad(&self) -> f64 {
        2.0 * libm::acos((1.0 - SAGITTA_M / self.within_m).clamp(-1.0, 1.0))
    }

    fn finish(self) {
        let step_rad = self.step_rad();
        let style = StrokeStyle::new(2.0 * self.within_m)
            .start_cap(LineCap::Round(step_rad))
            .end_cap(LineCap::Round(step_rad))
            .line_join(LineJoin::Round(step_rad));
        for shape in self.lines.stroke(style, false) {
            let mut rings = shape.into_iter().map(|contour| {
                let mut ring = LineString::new(contour.into_iter().map(|[x, y]| Coord { x, y }).collect());
                ring.close();
                ring
            });
            let Some(outer) = rings.next() else { continue };
            self.parts.push(Polygon::new(outer, rings.collect()).orient(Direction::Default));
        }
    }
}
