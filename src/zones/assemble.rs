//! The features of one file become a [`Waterway`]: one water, its edges indexed, its inshore areas derived.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::index::EdgeIndex;
use super::map::{Edge, Feature, FeatureIx, Shape, Waterway};
use super::place::Path;
use super::plane::{area_m2, to_polygon};
use super::read::{MapOptions, Read};
use super::report::{At, Problem, Report};
use super::water::{Bounds, are_several, drowned, unite};
use super::{KindSet, ZoneKind, buoy_line, inshore};
use crate::geo::{LocalFrame, Position, Region};
use crate::observation::WaterwayId;

/// A feature farther than this from its water is worth a warning, metres.
const FAR_M: f64 = 1000.0;

/// The waterway of a file and where its features stand, or `None` with the reason in `report`.
pub(super) fn assemble(
    file: &str,
    version: Arc<str>,
    mut read: Vec<Read>,
    options: &MapOptions,
    report: &mut Report<'_>,
) -> Option<(Waterway, Vec<At>)> {
    drowned(&mut read, report);
    if are_several(&read, report) {
        return None;
    }
    let id = one_water(file, &mut read, report)?;
    let bounds = Bounds::of(&read.iter().find(|r| r.feature.kind == ZoneKind::Waterway)?.feature.shape)?;
    read.retain(|r| !is_swapped(r, &bounds, report));
    unique_ids(&mut read, report);
    let (mut features, places): (Vec<Feature>, Vec<At>) = read.into_iter().map(|r| (r.feature, r.at)).unzip();
    let water = features.iter().position(|f| f.kind == ZoneKind::Waterway)?;
    unite(&mut features[water]);
    let kinds: KindSet = features.iter().map(|f| f.kind).collect();
    let rim = if kinds.contains(ZoneKind::Shoreline) { ZoneKind::Waterway } else { ZoneKind::Shoreline };
    let index = index_of(&features, bounds.reference, rim);
    let mut waterway = Waterway {
        id,
        version,
        features,
        kinds: kinds.with(ZoneKind::Shoreline),
        buoy_lines: Vec::new(),
        by_id: Vec::new(),
        water: FeatureIx(water as u32),
        rim,
        index,
    };
    report_far(&waterway, &places, report);
    waterway.buoy_lines = buoy_line::lines(&waterway, options.max_link_m, &places, report);
    inshore::derive(&mut waterway, &places, report);
    if waterway.features.iter().any(|f| f.kind == ZoneKind::InshoreArea) {
        waterway.kinds = waterway.kinds.with(ZoneKind::InshoreArea);
    }
    let mut by_id: Vec<FeatureIx> = (0..waterway.features.len() as u32).map(FeatureIx).collect();
    by_id.sort_by(|&a, &b| waterway.feature(a).id.cmp(&waterway.feature(b).id));
    waterway.by_id = by_id;
    Some((waterway, places))
}

/// Every edge of every feature; those of the water get the kind `rim`. Shores of islands are kept apart.
fn index_of(features: &[Feature], reference: Position, rim: ZoneKind) -> EdgeIndex {
    let (mut outer, mut islands) = (Vec::new(), Vec::new());
    for (feature, ix) in features.iter().zip(0..).map(|(f, ix)| (f, FeatureIx(ix))) {
        let kind = feature.kind;
        if kind == ZoneKind::Waterway {
            let polygons = feature.shape.polygons();
            for (number, rings) in polygons.iter().enumerate() {
                let is_nested = is_on_island(&polygons, number);
                for (i, ring) in rings.iter().enumerate() {
                    let edges = ring.windows(2).map(|w| Edge { a: w[0], b: w[1], feature: ix, kind: rim });
                    if i == 0 && !is_nested { outer.extend(edges) } else { islands.extend(edges) }
                }
            }
        } else if kind == ZoneKind::Shoreline {
            let water = features.iter().find(|f| f.kind == ZoneKind::Waterway).map(|f| &f.shape);
            feature.shape.each_line(&mut |line| {
                let edges = line.windows(2).map(|w| Edge { a: w[0], b: w[1], feature: ix, kind });
                let is_island = water.is_some_and(|water| is_island(line, water));
                if is_island { islands.extend(edges) } else { outer.extend(edges) }
            });
        } else {
            feature.shape.each_edge(&mut |a, b| outer.push(Edge { a, b, feature: ix, kind }));
        }
    }
    let mut index = EdgeIndex::new(reference);
    index.add(outer, islands);
    index
}

/// Whether a polygon of the water is a pond on an island of another one: its shore is the island's, seen from there.
fn is_on_island(polygons: &[&Vec<Vec<Position>>], number: usize) -> bool {
    let Some(&corner) = polygons[number].first().and_then(|ring| ring.first()) else { return false };
    let mut others = polygons.iter().enumerate().filter(|(i, rings)| *i != number && rings.len() > 1);
    others.any(|(_, rings)| Region::new(&[vec![rings[0].clone()]]).contains(corner))
}

/// Whether a shoreline as drawn goes round an island: it is closed and holds less than half of the water's extent.
fn is_island(line: &[Position], water: &Shape) -> bool {
    let (Some(first), Some(last), Some(frame)) = (line.first(), line.last(), line.first().map(|&p| LocalFrame::at(p)))
    else {
        return false;
    };
    let area = |rings: &[Vec<Position>]| area_m2(&to_polygon(&frame, rings));
    let all_m2: f64 = water.polygons().iter().map(|rings| area(rings)).sum();
    first == last && line.len() > 3 && area(std::slice::from_ref(&line.to_vec())) < 0.5 * all_m2
}

/// Makes all waterway features one, in the place of the first, and finds the waterway's id. A waterway with
/// another id than the first that has one is set aside.
fn one_water(file: &str, read: &mut Vec<Read>, report: &mut Report<'_>) -> Option<WaterwayId> {
    let is_water = |r: &Read| r.feature.kind == ZoneKind::Waterway;
    let named = read.iter().find(|r| is_water(r) && r.has_id).map(|r| r.feature.id.clone());
    let mut first = None;
    let mut others: Vec<Vec<Vec<Position>>> = Vec::new();
    let mut kept: Vec<Read> = Vec::with_capacity(read.len());
    for r in read.drain(..) {
        if !is_water(&r) {
            kept.push(r);
        } else if r.has_id && named.as_ref().is_some_and(|id| *id != r.feature.id) {
            let id = named.as_deref().unwrap_or_default();
            let reason = format!("a second waterway in the file; {id:?} is the first, this one was set aside");
            let mend = "give each waterway a file of its own, or all parts of this one the same id";
            report.add(Some(&r.at), Problem::error(r.at.path.clone(), reason, mend));
        } else if first.is_none() {
            first = Some(kept.len());
            kept.push(r);
        } else {
            others.extend(r.feature.shape.polygons().into_iter().cloned());
        }
    }
    *read = kept;
    let Some(first) = first else {
        let reason = "the file has no waterway that can be used; it was set aside";
        let mend = "draw the water as a Polygon with \"kind\": \"waterway\"; each file holds one waterway and all that belongs to it";
        report.add(None, Problem::error(Path::default(), reason, mend));
        return None;
    };
    if !others.is_empty() {
        let water = &mut read[first].feature;
        let all: Vec<_> = water.shape.polygons().into_iter().cloned().chain(others).collect();
        water.region = Some(Region::new(&all));
        water.shape = Shape::Areas(all);
    }
    let is_named = named.is_some();
    let given = named.unwrap_or_else(|| file_stem(file).into());
    let id = WaterwayId::new(&given).ok().or_else(|| WaterwayId::from_name(&given));
    let id = id.or_else(|| WaterwayId::from_name(file_stem(file))).or_else(|| WaterwayId::from_name("waterway"))?;
    if is_named && id.as_str() != &*given {
        let reason = format!("{:?} cannot be the id of a waterway; it is called {:?}", &*given, id.as_str());
        let mend = "give it an id of at most 64 lower-case letters, digits, - and _: messages name the waterway by it";
        let at = &read[first].at;
        report.add(Some(at), Problem::note(at.path.clone(), reason, mend));
    }
    Some(id)
}

/// The file's name without folders and extension.
fn file_stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// Whether a feature only fits its water with latitude and longitude the other way round; reports it.
fn is_swapped(read: &Read, water: &Bounds, report: &mut Report<'_>) -> bool {
    let mut first = None;
    read.feature.shape.each_edge(&mut |a, _| _ = first.get_or_insert(a));
    let Some(p) = first else { return false };
    let mend = || format!("GeoJSON writes longitude first: [{}, {}]", p.lat_deg(), p.lon_deg());
    let value = format!("[{}, {}]", p.lon_deg(), p.lat_deg());
    let path = read.at.path.clone().key("geometry").key("coordinates");
    if read.feature.kind == ZoneKind::Waterway {
        return false;
    }
    let is_swapped =
        !water.is_near(p) && Position::from_lat_lon(p.lon_deg(), p.lat_deg()).is_ok_and(|turned| water.is_near(turned));
    if is_swapped {
        let reason = "longitude and latitude look swapped: the other way round it lies on its water";
        report.add(Some(&read.at), Problem::error(path, reason, mend()).value(value));
    }
    is_swapped
}

/// Gives the second feature of an id another one, and says so.
fn unique_ids(read: &mut [Read], report: &mut Report<'_>) {
    // The last number tried for an id. Ids that the file gives come before those made up.
    let mut taken: BTreeMap<Arc<str>, u32> = BTreeMap::new();
    let given: BTreeSet<Arc<str>> = read.iter().filter(|r| r.has_id).map(|r| r.feature.id.clone()).collect();
    for r in read {
        let is_free = !taken.contains_key(&r.feature.id) && (r.has_id || !given.contains(&r.feature.id));
        if is_free {
            taken.insert(r.feature.id.clone(), 1);
            continue;
        }
        let mut number = taken.get(&r.feature.id).map_or(1, |last| *last) + 1;
        let mut id: Arc<str> = format!("{}-{number}", r.feature.id).into();
        while taken.contains_key(&id) || given.contains(&id) {
            number += 1;
            id = format!("{}-{number}", r.feature.id).into();
        }
        if r.has_id {
            let reason =
                format!("two features have the id {:?}; this one is called {id:?} in findings", &*r.feature.id);
            report.add(Some(&r.at), Problem::warning(r.at.path.clone(), reason, "give each feature an id of its own"));
        }
        if let Some(last) = taken.get_mut(&r.feature.id) {
            *last = number;
        }
        taken.insert(id.clone(), 1);
        r.feature.id = id.clone();
        r.at.id = Some(id.to_string());
    }
}

/// Warns of features no part of which is near the water.
fn report_far(waterway: &Waterway, places: &[At], report: &mut Report<'_>) {
    for (feature, at) in waterway.features.iter().zip(places).filter(|(f, _)| f.kind != ZoneKind::Waterway) {
        let mut is_near = feature
            .region
            .as_ref()
            .is_some_and(|r| waterway.water().shape.polygons().first().is_some_and(|rings| r.contains(rings[0][0])));
        feature.shape.each_edge(&mut |a, _| is_near = is_near || waterway.on_water(a, FAR_M));
        if !is_near {
            let reason = format!("the {} lies more than {FAR_M} m from its water", feature.kind);
            let mend = "move it to the file of the water it belongs to, or correct its coordinates";
            report.add(Some(at), Problem::warning(at.path.clone(), reason, mend));
        }
    }
}
