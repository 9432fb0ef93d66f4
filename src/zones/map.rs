//! The map as the engine asks it.

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::buoy_line::BuoyLine;
use super::index::EdgeIndex;
use super::{KindSet, ZoneKind};
use crate::geo::{LocalFrame, Position, Region, Vec2};
use crate::observation::{VesselId, WaterwayId};
use crate::time::EventTime;
use crate::units::Speed;
use crate::window::Window;

/// The geometry of a feature, in degrees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A point.
    Point(Position),
    /// Several points.
    Points(Vec<Position>),
    /// One or more lines.
    Lines(Vec<Vec<Position>>),
    /// One or more polygons, each a list of closed rings, the outer one first.
    Areas(Vec<Vec<Vec<Position>>>),
    /// Several of these.
    Mixed(Vec<Shape>),
}

impl Shape {
    /// Calls `f` with every straight piece; a point is one whose ends are equal.
    pub fn each_edge(&self, f: &mut impl FnMut(Position, Position)) {
        match self {
            Self::Point(p) => f(*p, *p),
            Self::Points(points) => points.iter().for_each(|&p| f(p, p)),
            Self::Lines(lines) => lines.iter().flat_map(|l| l.windows(2)).for_each(|w| f(w[0], w[1])),
            Self::Areas(areas) => areas.iter().flatten().flat_map(|r| r.windows(2)).for_each(|w| f(w[0], w[1])),
            Self::Mixed(parts) => parts.iter().for_each(|part| part.each_edge(f)),
        }
    }

    /// Calls `f` with every line and ring.
    pub fn each_line(&self, f: &mut impl FnMut(&[Position])) {
        match self {
            Self::Point(_) | Self::Points(_) => {}
            Self::Lines(lines) => lines.iter().for_each(|line| f(line)),
            Self::Areas(areas) => areas.iter().flatten().for_each(|ring| f(ring)),
            Self::Mixed(parts) => parts.iter().for_each(|part| part.each_line(f)),
        }
    }

    /// The polygons in it.
    pub fn polygons(&self) -> Vec<&Vec<Vec<Position>>> {
        match self {
            Self::Areas(areas) => areas.iter().collect(),
            Self::Mixed(parts) => parts.iter().flat_map(Self::polygons).collect(),
            Self::Point(_) | Self::Points(_) | Self::Lines(_) => Vec::new(),
        }
    }
}

/// Which feature of a waterway: its place in [`Waterway::features`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FeatureIx(pub u32);

/// Which waterway of a map: its place in [`Map::waterways`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WaterwayIx(pub u16);

/// When a feature is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Validity {
    /// Always.
    #[default]
    Always,
    /// From one instant on and until another, ends included; either may be open.
    Between(Option<EventTime>, Option<EventTime>),
    /// Every year from one (month, day) to another, whole days in the rulebook's time zone, across the
    /// new year where the second is earlier.
    EveryYear((u8, u8), (u8, u8)),
}

/// A feature of the map.
#[derive(Debug, Clone)]
pub struct Feature {
    /// Its id, unique in its waterway.
    pub id: Arc<str>,
    /// What it is.
    pub kind: ZoneKind,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Its geometry.
    pub shape: Shape,
    /// When it is there.
    pub validity: Validity,
    /// Whether it is lit, where that is said.
    pub lit: Option<bool>,
    /// The permit's id, where it names one.
    pub permit: Option<String>,
    /// The line a safety buoy or buoy line belongs to, where that is said.
    pub line: Option<String>,
    /// A safety buoy's place in its line, where that is said.
    pub order: Option<f64>,
    /// Whether a safety buoy's line is a closed ring, where that is said.
    pub closed: Option<bool>,
    /// What the map's maker noted.
    pub note: Option<String>,
    /// The limit of a speed zone.
    pub speed_limit: Option<Speed>,
    /// When a speed zone's limit holds; always, where absent.
    pub hours: Option<Window>,
    /// A permit's vessels; `None` for all.
    pub vessels: Option<Vec<VesselId>>,
    /// The rules that a permit lifts.
    pub lifts: Vec<String>,
    /// For areas: the inside. Parallel to [`Waterway::features`].
    pub region: Option<Region>,
}

impl Feature {
    /// A feature of which only id, kind and geometry are known.
    pub fn new(id: Arc<str>, kind: ZoneKind, shape: Shape) -> Self {
        Self {
            id,
            kind,
            name: None,
            shape,
            validity: Validity::Always,
            lit: None,
            permit: None,
            line: None,
            order: None,
            closed: None,
            note: None,
            speed_limit: None,
            hours: None,
            vessels: None,
            lifts: Vec::new(),
            region: None,
        }
    }
}

/// A straight piece of a feature's boundary or line, or a point where both ends are equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// One end.
    pub a: Position,
    /// The other end.
    pub b: Position,
    /// Whose it is.
    pub feature: FeatureIx,
    /// That feature's kind. The rings of the waterway are `Waterway` where shoreline features are given,
    /// else `Shoreline`.
    pub kind: ZoneKind,
}

/// What is known around a position, and for how far it stays true.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surroundings {
    /// Where it was looked up.
    pub at: Position,
    /// No edge of any kind lies nearer than this, metres.
    pub clear_m: f64,
    /// Distance to the water's edge, metres: positive on the water, negative ashore.
    pub water_m: f64,
}

/// An edge that is nearest to a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// How far it is, metres on the ellipsoid.
    pub distance_m: f64,
    /// Its nearest point.
    pub point: Position,
    /// The edge.
    pub edge: Edge,
}

impl Nearest {
    /// The nearer one comes first; at equal distances the lower feature, then the lower position.
    pub(super) fn precedes(&self, other: &Self) -> bool {
        let place = |e: &Edge| [e.a.lat_deg(), e.a.lon_deg(), e.b.lat_deg(), e.b.lon_deg()];
        let by_place = |a: &Edge, b: &Edge| {
            place(a).iter().zip(place(b)).map(|(x, y)| x.total_cmp(&y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        };
        self.distance_m
            .total_cmp(&other.distance_m)
            .then(self.edge.feature.cmp(&other.edge.feature))
            .then_with(|| by_place(&self.edge, &other.edge))
            .is_lt()
    }
}

/// All waterways, under one content hash.
#[derive(Debug)]
pub struct Map {
    /// The waterways, ordered by id.
    pub waterways: Vec<Waterway>,
    /// Content hash over all of them.
    pub version: Arc<str>,
}

/// One waterway and everything drawn on it.
#[derive(Debug)]
pub struct Waterway {
    /// Its id.
    pub id: WaterwayId,
    /// Content hash of the file it came from.
    pub version: Arc<str>,
    /// Everything drawn on it, in file order; derived inshore areas follow. All `waterway` features of
    /// the file are one, the first.
    pub features: Vec<Feature>,
    /// Kinds that have at least one feature, and `Shoreline` always.
    pub kinds: KindSet,
    /// Lines of safety buoys, as drawn or derived.
    pub buoy_lines: Vec<BuoyLine>,
    /// All features, ordered by id and, of an id, by place.
    pub(super) by_id: Vec<FeatureIx>,
    pub(super) water: FeatureIx,
    /// Kind of the edges of the water: `Shoreline`, or `Waterway` where shoreline features are given.
    pub(super) rim: ZoneKind,
    pub(super) index: EdgeIndex,
}

/// How far [`Waterway::surroundings`] looks.
pub const SURROUNDINGS_M: f64 = 1000.0;

impl Map {
    /// The waterway called `ix`.
    pub fn waterway(&self, ix: WaterwayIx) -> &Waterway {
        &self.waterways[usize::from(ix.0)]
    }

    /// The waterway on whose water the position is, up to `tolerance_m` ashore of it. On the water beats
    /// near it; among those near it the nearest, at equal distances the lowest id.
    pub fn locate(&self, p: Position, tolerance_m: f64) -> Option<WaterwayIx> {
        let all = || self.waterways.iter().zip(0_u16..);
        if let Some((_, ix)) = all().find(|(w, _)| w.contains(p)) {
            return Some(WaterwayIx(ix));
        }
        all()
            .filter_map(|(w, ix)| w.nearest(p, KindSet::only(w.rim), tolerance_m).map(|n| (n.distance_m, ix)))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
            .map(|(_, ix)| WaterwayIx(ix))
    }
}

impl Waterway {
    /// The feature called `ix`.
    pub fn feature(&self, ix: FeatureIx) -> &Feature {
        &self.features[ix.0 as usize]
    }

    /// The feature with an id, if there is one: on a large map it is not looked for among all.
    pub fn feature_named(&self, id: &str) -> Option<&Feature> {
        let at = self.by_id.partition_point(|&ix| *self.feature(ix).id < *id);
        self.by_id.get(at).map(|&ix| self.feature(ix)).filter(|feature| *feature.id == *id)
    }

    /// The features of a kind, in file order.
    pub fn of_kind(&self, kind: ZoneKind) -> impl Iterator<Item = (FeatureIx, &Feature)> {
        let all = self.features.iter().zip(0_u32..);
        all.filter(move |(feature, _)| feature.kind == kind).map(|(feature, ix)| (FeatureIx(ix), feature))
    }

    /// The feature that is the water itself.
    pub fn water(&self) -> &Feature {
        self.feature(self.water)
    }

    /// The kind that the edges of the water have: `Shoreline`, or `Waterway` where shoreline features are given.
    pub fn rim(&self) -> ZoneKind {
        self.rim
    }

    /// Visits every edge that comes within `margin_m` of the straight segment `a`–`b`, each once, and some
    /// that do not; in no particular order.
    pub fn edges_near(&self, a: Position, b: Position, margin_m: f64, f: &mut impl FnMut(&Edge)) {
        self.index.visit(a, b, margin_m, KindSet::ALL, f);
    }

    /// As [`Self::edges_near`], of some kinds only.
    pub fn edges_of_kind_near(
        &self,
        a: Position,
        b: Position,
        margin_m: f64,
        kinds: KindSet,
        f: &mut impl FnMut(&Edge),
    ) {
        self.index.visit(a, b, margin_m, kinds, f);
    }

    /// The nearest edge of one of `kinds` at most `cap_m` away; at equal distances the one of the first feature.
    pub fn nearest(&self, p: Position, kinds: KindSet, cap_m: f64) -> Option<Nearest> {
        self.index.nearest(p, kinds, cap_m)
    }

    /// The direction, of unit length, straight away from the nearest shoreline, islands too; seen from ashore, out to
    /// the water. `None` on the shoreline and where there is none.
    pub fn out_from_shore(&self, p: Position) -> Option<Vec2> {
        let shore = self.nearest(p, KindSet::only(ZoneKind::Shoreline), f64::INFINITY)?;
        let toward = LocalFrame::at(p).to_plane(shore.point);
        let sign = if self.contains(p) { -1.0 } else { 1.0 };
        (toward.norm() > 0.0).then(|| toward * (sign / toward.norm()))
    }

    /// The nearest point of the outer shoreline, islands aside, at most `cap_m` away.
    pub fn nearest_outer(&self, p: Position, cap_m: f64) -> Option<Nearest> {
        self.index.nearest_outer(p, ZoneKind::Shoreline, cap_m, None)
    }

    /// The nearest point of the outer shoreline that lies, seen from `p`, more than 90° away from the
    /// direction of `toward`: the other shore, where `toward` is the nearest point of the one.
    pub fn opposite_outer(&self, p: Position, toward: Position, cap_m: f64) -> Option<Nearest> {
        self.index.nearest_outer(p, ZoneKind::Shoreline, cap_m, Some(toward))
    }

    /// Visits every edge of the outer shoreline that comes within `margin_m` of the straight segment `a`–`b`,
    /// each once, and some that do not; in no particular order.
    pub fn outer_edges_near(&self, a: Position, b: Position, margin_m: f64, f: &mut impl FnMut(&Edge)) {
        self.index.visit_outer(a, b, margin_m, ZoneKind::Shoreline, f);
    }

    /// What is known around a position, up to [`SURROUNDINGS_M`] away.
    pub fn surroundings(&self, p: Position) -> Surroundings {
        let shore_m = self.nearest(p, KindSet::only(self.rim), SURROUNDINGS_M).map_or(SURROUNDINGS_M, |n| n.distance_m);
        let others = KindSet::ALL.without(self.rim);
        let clear_m = self.nearest(p, others, shore_m).map_or(shore_m, |n| n.distance_m);
        Surroundings { at: p, clear_m, water_m: if self.contains(p) { shore_m } else { -shore_m } }
    }

    /// No edge of `kinds` is nearer to a position than this, metres: at most `cap_m`, and for an edge askew a little less
    /// than how far it is. Found for less than the nearest edge is.
    pub fn clear_m(&self, p: Position, kinds: KindSet, cap_m: f64) -> f64 {
        self.index.clear_m(p, kinds, cap_m)
    }

    /// Whether the position is in the water: in one of its polygons and on no island.
    pub fn contains(&self, p: Position) -> bool {
        self.water().region.as_ref().is_some_and(|r| r.contains(p))
    }

    /// Whether the position is in the water or at most `tolerance_m` from it.
    pub fn on_water(&self, p: Position, tolerance_m: f64) -> bool {
        self.contains(p) || self.nearest(p, KindSet::only(self.rim), tolerance_m).is_some()
    }
}
