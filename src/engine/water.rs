//! What is kept for one waterway beside its vessels: marks, conditions, the sun, and who is where.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::areas::AreaIndex;
use super::grid::{Extent, MoverGrid, Pace};
use crate::geo::frame::metres_per_degree;
use crate::geo::position::wrap_lon_deg;
use crate::geo::{Position, Region};
use crate::observation::{Conditions, Mark, MarkChange};
use crate::rulebook::Rulebook;
use crate::rules::LaidMark;
use crate::sun::Almanac;
use crate::time::EventTime;
use crate::track::Water;
use crate::window::{Neighbourhood, Window};
use crate::zones::{FeatureIx, Map, Shape, Validity, Waterway, ZoneKind};

/// How far from the water a mark may lie and still be the waterway's, metres.
const MARK_REACH_M: f64 = 200.0;

/// The state of one waterway, or of what is on none.
#[derive(Debug)]
pub(super) struct WaterState {
    /// The newest event time seen on it.
    pub clock: EventTime,
    /// When it was last swept.
    pub swept: EventTime,
    /// When vessels that are silent were last looked for, to ask for odds while others' tracks are there.
    pub asked: EventTime,
    /// Where vessels have lately been fast enough for a rule.
    pub fast: MoverGrid,
    /// Where vessels have lately been at rest or trolling.
    pub notable: MoverGrid,
    /// Where vessels have lately had somebody in tow, with those who were.
    pub tows: MoverGrid,
    /// No skier has been farther from the boat, metres, since somebody tows here.
    pub skier_reach_m: f64,
    /// Conditions reported, in order of time.
    pub conditions: Vec<Conditions>,
    /// Whether any were ever reported.
    pub had_conditions: bool,
    /// Marks as they lie, derived from `history`.
    pub laid: Vec<LaidMark>,
    /// What was said about each mark, in order of time.
    pub history: BTreeMap<Arc<str>, Vec<Mark>>,
    /// The sun over it.
    pub sky: Almanac,
    /// At or below this speed rule i sees nothing here, m/s.
    pub quiet_mps: Vec<f64>,
    /// At or below this speed no rule sees anything, m/s.
    pub quiet_all_mps: f64,
    /// At or below this speed no rule that looks at features sees anything, m/s.
    pub quiet_near_mps: f64,
    /// The neighbourhood that is the waterway, with the time for which the next is known.
    near: Cell<Neighbourhood>,
    /// At or below this speed no rule sees anything in that neighbourhood that looks at nothing around, m/s.
    quiet_far_mps: Cell<f64>,
    /// Areas drawn on the water, by place.
    pub areas: AreaIndex,
    /// When features that come every year are there.
    pub seasons: BTreeMap<FeatureIx, Window>,
    /// No degree of longitude on this waterway is longer, metres.
    east_m_per_deg_max: f64,
    /// No degree of longitude on this waterway is shorter, metres.
    east_m_per_deg_min: f64,
}

/// For how long at a time it is found out which limits may hold, seconds.
const KNOWN_S: f64 = 600.0;

/// No place at no time.
const NOWHERE: Neighbourhood =
    Neighbourhood { centre: Position::NULL_ISLAND, reach_deg: 0.0, from: EventTime::MAX, to: EventTime::MIN };

/// No degree of latitude is longer than this, metres.
const NORTH_M_PER_DEG_MAX: f64 = 111_700.0;
/// No degree of latitude is shorter than this, metres.
const NORTH_M_PER_DEG_MIN: f64 = 110_500.0;

/// Whether a mark can be on a waterway: one that is put somewhere is near it; one that is taken in may be on any.
pub(super) fn is_here(mark: &Mark, waterway: &Waterway) -> bool {
    let MarkChange::Placed { shape, .. } = &mark.change else { return true };
    let mut is_near = false;
    shape.each_edge(&mut |a, _| is_near |= waterway.on_water(a, MARK_REACH_M));
    is_near
}

impl WaterState {
    /// Fresh states for the waterways of a map, and one for what is on none of them.
    pub fn all(map: &Map, rulebook: &Rulebook) -> Vec<Self> {
        map.waterways.iter().map(Some).chain([None]).map(|waterway| Self::new(waterway, rulebook)).collect()
    }

    fn new(waterway: Option<&Waterway>, rulebook: &Rulebook) -> Self {
        let mut state = Self::empty(waterway);
        if let Some(waterway) = waterway {
            state.learn_quiet(waterway, rulebook);
        }
        state
    }

    /// Finds out below which speeds there is nothing to judge.
    pub fn learn_quiet(&mut self, waterway: &Waterway, rulebook: &Rulebook) {
        let has_conditions = !self.conditions.is_empty();
        self.quiet_mps.clear();
        (self.quiet_all_mps, self.quiet_near_mps) = (f64::INFINITY, f64::INFINITY);
        for rule in &rulebook.rules {
            let is_idle = rule.needs_conditions() && !has_conditions;
            let mps = if is_idle { f64::INFINITY } else { rule.quiet_below_mps(waterway) };
            self.quiet_mps.push(mps);
            self.quiet_all_mps = self.quiet_all_mps.min(mps);
            if rule.looks_around() {
                self.quiet_near_mps = self.quiet_near_mps.min(mps);
            }
        }
        self.near.set(Neighbourhood { from: EventTime::MAX, to: EventTime::MIN, ..self.near.get() });
        // A permit lifts rules that look at nothing themselves: where there are any, they are looked for.
        if waterway.kinds.contains(ZoneKind::PermitArea) {
            self.quiet_near_mps = self.quiet_all_mps;
        }
    }

    /// At or below this speed no rule that looks at nothing around sees anything, on a stretch of path of a vessel
    /// that has nobody in tow, m/s. Good for places that are [of the waterway](Self::is_near).
    pub fn quiet_far_mps(&self, waterway: &Waterway, rulebook: &Rulebook, (from, to): (EventTime, EventTime)) -> f64 {
        let near = self.near.get();
        if near.from <= from && to <= near.to {
            return self.quiet_far_mps.get();
        }
        // Other vessels' stretches may begin a little earlier.
        let (early, late) = (from.plus_seconds(-0.1 * KNOWN_S), from.plus_seconds(KNOWN_S));
        let near = Neighbourhood { from: early, to: to.max(late), ..near };
        let far = rulebook.rules.iter().zip(&self.quiet_mps);
        let far = far.filter(|(rule, _)| !rule.looks_around() && !rule.needs_tow() && rule.tow_reach_m() <= 0.0);
        let quiet = far.map(|(rule, mps)| mps.max(rule.quiet_in_mps(waterway, &near, &self.sky, rulebook.time_zone)));
        let mps = quiet.fold(f64::INFINITY, f64::min);
        self.near.set(near);
        self.quiet_far_mps.set(mps);
        mps
    }

    /// Whether a position is where the waterway is: one with a large error may be told to be on it from far off.
    pub fn is_near(&self, p: Position) -> bool {
        let near = self.near.get();
        (p.lat_deg() - near.centre.lat_deg()).abs() + wrap_lon_deg(p.lon_deg() - near.centre.lon_deg()).abs()
            <= near.reach_deg
    }

    fn empty(waterway: Option<&Waterway>) -> Self {
        let seasons = waterway.iter().flat_map(|w| w.features.iter().zip(0_u32..)).filter_map(|(feature, ix)| {
            let Validity::EveryYear((m1, d1), (m2, d2)) = feature.validity else { return None };
            let text = format!("from {m1:02}-{d1:02} to {m2:02}-{d2:02}");
            Some((FeatureIx(ix), Window::parse(&text).expect("month and day were checked when the map was read")))
        });
        let (centre, lats_deg, near) = waterway.map_or((Position::NULL_ISLAND, [0.0, 0.0], NOWHERE), around);
        Self {
            clock: EventTime::MIN,
            swept: EventTime::MIN,
            asked: EventTime::MIN,
            fast: MoverGrid::around(centre),
            notable: MoverGrid::around(centre),
            tows: MoverGrid::around(centre),
            skier_reach_m: 0.0,
            conditions: Vec::new(),
            had_conditions: false,
            laid: Vec::new(),
            history: BTreeMap::new(),
            sky: Almanac::new(),
            quiet_mps: Vec::new(),
            quiet_all_mps: f64::INFINITY,
            quiet_near_mps: f64::INFINITY,
            near: Cell::new(near),
            quiet_far_mps: Cell::new(0.0),
            areas: waterway.map_or_else(AreaIndex::default, AreaIndex::of),
            seasons: seasons.collect(),
            east_m_per_deg_max: metres_per_degree(lats_deg[0]).1 * 1.001,
            east_m_per_deg_min: metres_per_degree(lats_deg[1]).1 * 0.999,
        }
    }

    /// Takes over what was said about the waterway while an earlier map was in force.
    pub fn take_over(&mut self, old: &mut Self, waterway: &Waterway, rulebook: &Rulebook) {
        self.clock = old.clock;
        self.swept = old.swept;
        self.asked = old.asked;
        self.conditions = std::mem::take(&mut old.conditions);
        self.had_conditions = old.had_conditions;
        for mark in std::mem::take(&mut old.history).into_values().flatten() {
            self.lay(&mark, waterway);
        }
        self.learn_quiet(waterway, rulebook);
    }

    /// The grid of vessels that are fast, that are at rest or trolling, or that tow.
    pub fn grid_of(&mut self, pace: Pace) -> &mut MoverGrid {
        match pace {
            Pace::Fast => &mut self.fast,
            Pace::Notable => &mut self.notable,
            Pace::Towing => &mut self.tows,
        }
    }

    /// More than the distance between two positions on this waterway, by at most a few percent, metres.
    pub fn moved_m_max(&self, a: Position, b: Position) -> f64 {
        self.way_m_max(a.lat_deg() - b.lat_deg(), wrap_lon_deg(a.lon_deg() - b.lon_deg()))
    }

    /// More than the distance from a position to the farthest place of a box, given by its corners, metres.
    pub fn farthest_m_max(&self, p: Position, corners: &[Position; 2]) -> f64 {
        let [a, b] = corners;
        let north_deg = (a.lat_deg() - p.lat_deg()).abs().max((b.lat_deg() - p.lat_deg()).abs());
        let east_deg = |corner: &Position| wrap_lon_deg(corner.lon_deg() - p.lon_deg()).abs();
        self.way_m_max(north_deg, east_deg(a).max(east_deg(b)))
    }

    /// Whether two positions on this waterway are nearer to each other than a distance for sure, metres.
    pub fn are_nearer(&self, a: Position, b: Position, m: f64) -> bool {
        m > 0.0 && self.way_m2_max(a.lat_deg() - b.lat_deg(), wrap_lon_deg(a.lon_deg() - b.lon_deg())) < m * m
    }

    fn way_m_max(&self, north_deg: f64, east_deg: f64) -> f64 {
        self.way_m2_max(north_deg, east_deg).sqrt()
    }

    fn way_m2_max(&self, north_deg: f64, east_deg: f64) -> f64 {
        let (north_m, east_m) = (north_deg * NORTH_M_PER_DEG_MAX, east_deg * self.east_m_per_deg_max);
        east_m * east_m + north_m * north_m
    }

    /// Less than the distance from a box, given by its south-western and north-eastern corners, to a position, metres.
    pub fn apart_from_box_m_min(&self, [southwest, northeast]: &[Position; 2], p: Position) -> f64 {
        let north_deg = (southwest.lat_deg() - p.lat_deg()).max(p.lat_deg() - northeast.lat_deg());
        let (west, east) = (southwest.lon_deg() - p.lon_deg(), p.lon_deg() - northeast.lon_deg());
        self.apart_m_min_deg(wrap_lon_deg(west).max(wrap_lon_deg(east)), north_deg)
    }

    /// Less than the distance between two boxes of its grids, metres.
    pub fn boxes_apart_m_min(&self, a: &Extent, b: &Extent) -> f64 {
        let (east_deg, north_deg) = a.apart_deg(b);
        self.apart_m_min_deg(east_deg, north_deg)
    }

    fn apart_m_min_deg(&self, east_deg: f64, north_deg: f64) -> f64 {
        (east_deg * self.east_m_per_deg_min).max(north_deg * NORTH_M_PER_DEG_MIN).max(0.0)
    }

    /// Takes what is said about a mark. The box where something changed, or `None` where nothing did.
    ///
    /// A mark that is put elsewhere, or taken in, is gone from here from then on, in whatever order that is heard.
    pub fn lay(&mut self, mark: &Mark, waterway: &Waterway) -> Option<Extent> {
        let is_placed = matches!(mark.change, MarkChange::Placed { .. }) && is_here(mark, waterway);
        let change = if is_placed { mark.change.clone() } else { MarkChange::Removed };
        let entries = self.history.entry(mark.id.clone()).or_default();
        let at = entries.partition_point(|other| other.t <= mark.t);
        entries.insert(at, Mark { change, ..mark.clone() });
        let mut touched: Option<Extent> = None;
        for entry in entries.iter() {
            if let MarkChange::Placed { shape, .. } = &entry.change {
                shape.each_edge(&mut |a, b| {
                    let extent = self.fast.extent(a, b);
                    touched = Some(touched.map_or(extent, |t| t.union(&extent)));
                });
            }
        }
        self.lay_out();
        touched
    }

    /// Derives where marks lie, and from when to when, from what was said about them.
    fn lay_out(&mut self) {
        self.laid.clear();
        for (id, entries) in &self.history {
            for (i, entry) in entries.iter().enumerate() {
                let MarkChange::Placed { kind, shape, until } = &entry.change else { continue };
                let next = entries.get(i + 1).map(|next| next.t);
                let mut edges = Vec::new();
                shape.each_edge(&mut |a, b| edges.push((a, b)));
                self.laid.push(LaidMark {
                    id: id.clone(),
                    kind: *kind,
                    edges,
                    region: region_of(shape),
                    from: entry.t,
                    until: [*until, next].into_iter().flatten().min(),
                });
            }
        }
    }

    /// Forgets marks that were gone, and conditions that had been replaced, before `t`.
    pub fn forget_before(&mut self, t: EventTime) {
        let mut forgot = false;
        for entries in self.history.values_mut() {
            let over = |entry: &Mark, next: Option<&Mark>| match &entry.change {
                MarkChange::Removed => next.is_some() || entry.t < t,
                MarkChange::Placed { until, .. } => {
                    until.is_some_and(|until| until < t) || next.is_some_and(|next| next.t < t)
                }
            };
            let gone = (0..entries.len()).take_while(|&i| over(&entries[i], entries.get(i + 1))).count();
            forgot |= gone > 0;
            entries.drain(..gone);
        }
        if forgot {
            self.history.retain(|_, entries| !entries.is_empty());
            self.lay_out();
        }
        let replaced = self.conditions.partition_point(|report| report.t < t).saturating_sub(1);
        self.conditions.drain(..replaced);
    }
}

/// The state of a waterway, or of what is on none.
pub(super) fn state_of(waters: &[WaterState], water: Water) -> &WaterState {
    waters.get(usize::from(water)).unwrap_or_else(|| waters.last().expect("there is one for what is on no waterway"))
}

/// The inside of a shape that has one.
fn region_of(shape: &Shape) -> Option<Region> {
    let polygons: Vec<Vec<Vec<Position>>> = shape.polygons().into_iter().cloned().collect();
    (!polygons.is_empty()).then(|| Region::new(&polygons))
}

/// A position of the waterway, the latitudes of it that are nearest to the equator and to a pole, and where it is.
fn around(waterway: &Waterway) -> (Position, [f64; 2], Neighbourhood) {
    let mut first = None;
    let (mut lowest_deg, mut highest_deg) = (90.0_f64, 0.0_f64);
    let (mut south_west, mut north_east) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for feature in waterway.features.iter().filter(|feature| feature.kind == ZoneKind::Waterway) {
        feature.shape.each_edge(&mut |a, b| {
            let reference = *first.get_or_insert(a);
            for p in [a, b] {
                lowest_deg = lowest_deg.min(p.lat_deg().abs());
                highest_deg = highest_deg.max(p.lat_deg().abs());
                let corner = [p.lat_deg(), wrap_lon_deg(p.lon_deg() - reference.lon_deg())];
                south_west = [south_west[0].min(corner[0]), south_west[1].min(corner[1])];
                north_east = [north_east[0].max(corner[0]), north_east[1].max(corner[1])];
            }
        });
    }
    let first = first.unwrap_or(Position::NULL_ISLAND);
    let middle = [0, 1].map(|i| 0.5 * (south_west[i] + north_east[i]));
    let centre = Position::from_lat_lon(middle[0], wrap_lon_deg(first.lon_deg() + middle[1])).unwrap_or(first);
    let reach_deg = 0.5 * (north_east[0] - south_west[0] + north_east[1] - south_west[1]) + 0.01;
    // A little beyond the shore still counts as the waterway's.
    let lats_deg = [(lowest_deg - 0.01).max(0.0), (highest_deg + 0.01).min(90.0)];
    (first, lats_deg, Neighbourhood { centre, reach_deg, ..NOWHERE })
}
