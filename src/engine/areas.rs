//! Which areas drawn on a waterway may hold a position: their boxes in an R-tree.

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use crate::geo::Position;
use crate::geo::frame::metres_per_degree;
use crate::geo::position::wrap_lon_deg;
use crate::zones::{FeatureIx, Waterway, ZoneKind};

/// The areas of a waterway by place; the water itself is none of them.
#[derive(Debug, Default)]
pub(super) struct AreaIndex {
    reference_lon_deg: f64,
    boxes: RTree<GeomWithData<Rectangle<[f64; 2]>, FeatureIx>>,
}

impl AreaIndex {
    /// The areas of a waterway.
    pub fn of(waterway: &Waterway) -> Self {
        let mut reference_lon_deg = None;
        let mut boxes = Vec::new();
        for (feature, ix) in waterway.features.iter().zip(0_u32..) {
            if feature.region.is_none() || feature.kind == ZoneKind::Waterway {
                continue;
            }
            let mut area: Option<AABB<[f64; 2]>> = None;
            feature.shape.each_edge(&mut |a, _| {
                let reference_deg = *reference_lon_deg.get_or_insert(a.lon_deg());
                let corner = [wrap_lon_deg(a.lon_deg() - reference_deg), a.lat_deg()];
                let point = AABB::from_point(corner);
                area = Some(area.map_or(point, |area| rstar::Envelope::merged(&area, &point)));
            });
            boxes.extend(area.map(|area| GeomWithData::new(Rectangle::from_aabb(area), FeatureIx(ix))));
        }
        Self { reference_lon_deg: reference_lon_deg.unwrap_or(0.0), boxes: RTree::bulk_load(boxes) }
    }

    /// Visits the areas whose box comes within `margin_m` of the box around `a` and `b`, with the south-western
    /// and north-eastern corner of that box.
    pub fn near(&self, a: Position, b: Position, margin_m: f64, f: &mut impl FnMut(FeatureIx, [Position; 2])) {
        if self.boxes.size() == 0 {
            return;
        }
        let (north_m, east_m) = metres_per_degree(a.lat_deg());
        let (lat_deg, lon_deg) = (1.01 * margin_m / north_m, 1.01 * margin_m / east_m);
        let x = |p: Position| wrap_lon_deg(p.lon_deg() - self.reference_lon_deg);
        let reach = AABB::from_corners(
            [x(a).min(x(b)) - lon_deg, a.lat_deg().min(b.lat_deg()) - lat_deg],
            [x(a).max(x(b)) + lon_deg, a.lat_deg().max(b.lat_deg()) + lat_deg],
        );
        for area in self.boxes.locate_in_envelope_intersecting(reach) {
            let corner = |[x, lat_deg]: [f64; 2]| {
                Position::from_lat_lon(lat_deg, wrap_lon_deg(x + self.reference_lon_deg)).unwrap_or(a)
            };
            f(area.data, [corner(area.geom().lower()), corner(area.geom().upper())]);
        }
    }
}
