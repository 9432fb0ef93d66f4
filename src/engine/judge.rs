//! Has a vessel's legs judged by every rule, and keeps the outcome in its ledgers.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::account::{Account, Evaluation};
use super::grid::Pace;
use super::others::Other;
use super::vessel::{Docket, Lease, Seen, Vessel};
use super::water::WaterState;
use super::{Engine, Event};
use crate::findings::{Errors, Finding, Key, News, Odds, Peak, Piece, Terms, Words, sigma_m};
use crate::geo::motion::point_edge;
use crate::geo::{Position, Span, Spans, distance_m};
use crate::observation::{Profile, VesselId};
use crate::rulebook::Rulebook;
use crate::rules::{NearEdge, NearFeature, OtherPath, Place, Scene, Sight, Sighting, Subject};
use crate::time::EventTime;
use crate::track::{Leg, Track, Water};
use crate::zones::{Feature, FeatureIx, KindSet, Validity, Waterway, ZoneKind};

/// What judging needs at hand, used again for every leg.
#[derive(Debug, Default)]
pub(super) struct Desk {
    /// How far around a leg any rule looks, metres.
    pub reach_m: f64,
    /// Whether any rule asks about other vessels.
    pub minds_others: bool,
    /// Finished accounts.
    pub accounts: BTreeMap<VesselId, Account>,
    /// Other vessels near the leg at hand.
    pub others: Vec<Other>,
    /// Room for vessels found in a grid.
    pub near: Vec<u32>,
    pieces: Vec<(Key, Piece)>,
    sightings: Vec<Sighting>,
    edges: Vec<(FeatureIx, ZoneKind, NearEdge)>,
    areas: Vec<FeatureIx>,
}

impl Desk {
    pub fn new(rulebook: &Rulebook) -> Self {
        Self {
            reach_m: rulebook.rules.iter().map(|rule| rule.reach_m()).fold(0.0, f64::max),
            minds_others: rulebook.rules.iter().any(|rule| rule.minds_others()),
            ..Self::default()
        }
    }
}

/// What one leg is judged with.
struct Bench<'a> {
    rulebook: &'a Rulebook,
    waterway: &'a Waterway,
    state: &'a WaterState,
    reach_m: f64,
}

impl Engine {
    /// Judges, or judges again, every leg of a vessel that ends at or after `from`, and tells what is new.
    pub(super) fn judge_from(&mut self, slot: u32, id: &VesselId, from: EventTime, out: &mut Vec<Event>) {
        // Legs that are settled, or that an earlier map judged, stand.
        let open_s = self.terms.settled_after_s;
        let vessel = &mut self.vessels[slot as usize];
        let from = from.max(vessel.judgeable_from(open_s));
        if let Some(docket) = vessel.docket.as_mut().filter(|docket| docket.last_piece >= from) {
            for ledger in &mut docket.ledgers {
                ledger.forget_from(from);
            }
            docket.is_touched = true;
        }
        for i in vessel.track.index_of(from)..vessel.track.fixes().len() {
            self.judge_fix(slot, id, i, out);
        }
        self.post(slot, id, out);
    }

    /// Judges the leg that leads to fix `i`, or the fix alone where no leg does.
    fn judge_fix(&mut self, slot: u32, id: &VesselId, i: usize, out: &mut Vec<Event>) {
        if self.desk.minds_others {
            self.note(slot, i);
        }
        let vessel = &self.vessels[slot as usize];
        let fix = vessel.track.fixes()[i];
        if !fix.is_accepted() || fix.is_person {
            return;
        }
        if usize::from(fix.water) >= self.map.waterways.len() {
            return;
        }
        let quiet_all_mps = self.waters[usize::from(fix.water)].quiet_all_mps;
        let before = vessel.leg_before(i).map(|k| vessel.track.fixes()[k]);
        if let (Some(to_mps), Some(from_mps)) = (fix.sog_mps(), before.and_then(|before| before.sog_mps()))
            && to_mps.max(from_mps) <= quiet_all_mps
        {
            return;
        }
        let mut legs: SmallVec<[Leg; 2]> = SmallVec::new();
        legs.extend(before.map(|before| Leg::between(&before, &fix)));
        if vessel.reports_alone(i) {
            let after = || vessel.leg_after(i).map(|k| Leg::between(&fix, &vessel.track.fixes()[k]));
            let way = legs.first().copied().or_else(after);
            legs.push(Leg::at(&fix, way.as_ref()));
        } else if let Some(k) = vessel.unjudged_way_to(i).filter(|_| fix.sog_mps().is_none()) {
            legs.push(Leg::at(&fix, Some(&Leg::between(&vessel.track.fixes()[k], &fix))));
        }
        for leg in legs {
            let Some(top_mps) = leg.top_speed_mps() else { continue };
            if top_mps <= quiet_all_mps {
                continue;
            }
            let vessel = &mut self.vessels[slot as usize];
            vessel.last_fast = vessel.last_fast.max(fix.t);
            let way = [leg.frame.origin(), leg.position_at(leg.motion.span_s)];
            vessel.enter_grid(slot, Pace::Fast, fix.water, &mut self.waters[usize::from(fix.water)], way, fix.t);
            if self.desk.minds_others {
                self.look_for_others(slot, fix.water, &leg);
            }
            self.judge_leg(slot, id, fix.water, fix.t, &leg, top_mps, out);
        }
    }

    /// Has one leg judged by every rule that may see something, and puts the pieces in the ledgers.
    #[allow(clippy::too_many_arguments)]
    fn judge_leg(
        &mut self,
        slot: u32,
        id: &VesselId,
        water: Water,
        tag: EventTime,
        leg: &Leg,
        top_mps: f64,
        out: &mut Vec<Event>,
    ) {
        let Self { map, rulebook, vessels, waters, desk, terms, profiles, .. } = self;
        let other_ids: SmallVec<[VesselId; 2]> =
            desk.others.iter().map(|other| vessels[other.slot as usize].id.clone()).collect();
        let vessel = &mut vessels[slot as usize];
        let waterway = &map.waterways[usize::from(water)];
        let state = &waters[usize::from(water)];
        let bench = Bench { rulebook, waterway, state, reach_m: desk.reach_m };
        let Desk { pieces, sightings, edges, areas, others, .. } = desk;

        let looks_around = top_mps > state.quiet_near_mps && !vessel.is_clear(leg, &bench);
        edges.clear();
        areas.clear();
        if looks_around {
            vessel.lease = Some(gather(leg, water, &bench, edges, areas));
        }
        let (near_edges, features) = if top_mps > state.quiet_near_mps {
            features_near(leg, &bench, edges, areas)
        } else {
            (Vec::new(), Vec::new())
        };
        let crossings_s: SmallVec<[f64; 4]> = if features.iter().any(|feature| feature.region.is_some()) {
            crossings(leg, &near_edges)
        } else {
            SmallVec::new()
        };
        // Few vessels say what they are.
        let history = if profiles.is_empty() { None } else { profiles.get(id) };
        let profile = history.and_then(|history| profile_at(history, leg.start));
        let paths: SmallVec<[OtherPath<'_>; 2]> =
            others.iter().zip(&other_ids).map(|(other, id)| other.path(leg, id)).collect();
        let scene = Scene {
            leg,
            subject: Subject {
                id,
                class: profile.and_then(|profile| profile.class),
                length_m: profile.and_then(|profile| profile.length_m),
            },
            waterway,
            edges: &near_edges,
            features: &features,
            crossings_s: &crossings_s,
            others: &paths,
            conditions: &state.conditions,
            sky: &state.sky,
            time_zone: rulebook.time_zone,
        };
        pieces.clear();
        for (number, rule) in rulebook.rules.iter().enumerate() {
            if top_mps <= state.quiet_mps[number] || (rule.looks_around() && features.is_empty() && paths.is_empty()) {
                continue;
            }
            sightings.clear();
            rule.judge(&scene, sightings);
            for sighting in sightings.drain(..) {
                for sighting in lifted(rule.id(), sighting, &scene, out) {
                    let key = Key {
                        rule: number as u16,
                        clause: sighting.clause,
                        water,
                        zone: sighting.zone.clone(),
                        other: sighting.other.clone(),
                    };
                    pieces.push((key, piece_of(tag, leg, sighting)));
                }
            }
        }
        for (key, piece) in pieces.drain(..) {
            vessel.put(key, piece, terms);
        }
    }

    /// Tells what is new in a vessel's ledgers, where there is anything to tell.
    fn post(&mut self, slot: u32, id: &VesselId, out: &mut Vec<Event>) {
        let vessel = &self.vessels[slot as usize];
        let Some(docket) = &vessel.docket else { return };
        let newest = vessel.track.newest();
        if docket.is_touched || newest.is_some_and(|newest| newest > docket.due) {
            self.close_ledgers(slot, id, newest, out);
        }
    }

    /// Tells what is new in a vessel's ledgers as of `now`; `None` closes everything.
    pub(super) fn close_ledgers(&mut self, slot: u32, id: &VesselId, now: Option<EventTime>, out: &mut Vec<Event>) {
        let Self { map, rulebook, vessels, waters, desk, terms, .. } = self;
        let vessel = &mut vessels[slot as usize];
        let Some(docket) = &mut vessel.docket else { return };
        let errors = Errors { default_accuracy_m: rulebook.motion.default_accuracy_m };
        let mut is_any_empty = false;
        let mut due = EventTime::MAX;
        for ledger in &mut docket.ledgers {
            let place = usize::from(ledger.key.water);
            let bench =
                Bench { rulebook, waterway: &map.waterways[place], state: &waters[place], reach_m: desk.reach_m };
            let track = &vessel.track;
            let mut all = SmallVec::<[News; 1]>::new();
            ledger.look(now, terms, |piece| odds_of(piece, track, &bench, &errors), |news| all.push(news));
            for news in all {
                let words = Words::of(rulebook);
                let finding = Finding::tell(&ledger.key, news, id, bench.waterway, rulebook, &words);
                out.push(Event::Finding(Box::new(finding)));
            }
            is_any_empty |= ledger.is_empty();
            due = due.min(ledger.due(terms));
        }
        docket.due = due;
        docket.is_touched = false;
        if is_any_empty {
            docket.ledgers.retain(|ledger| !ledger.is_empty());
            if docket.ledgers.is_empty() {
                vessel.docket = None;
            }
        }
    }
}

impl Vessel {
    /// Whether no feature can be within reach of the leg, and no area around it.
    fn is_clear(&self, leg: &Leg, bench: &Bench<'_>) -> bool {
        let Some(lease) = self.lease.filter(|lease| !lease.in_area) else { return false };
        let moved_m = |p: Position| bench.state.moved_m_max(lease.at, p);
        let farthest_m = moved_m(leg.frame.origin()).max(moved_m(leg.position_at(leg.motion.span_s)));
        farthest_m + bench.reach_m < f64::from(lease.clear_m)
    }

    fn put(&mut self, key: Key, piece: Piece, terms: &Terms) {
        let docket = self.docket.get_or_insert_with(|| {
            let (last_piece, due) = (EventTime::MIN, EventTime::MAX);
            Box::new(Docket { ledgers: Vec::new(), is_touched: false, last_piece, due })
        });
        docket.is_touched = true;
        docket.last_piece = docket.last_piece.max(piece.leg);
        match docket.ledgers.iter_mut().find(|ledger| ledger.key == key) {
            Some(ledger) => ledger.add(piece, terms),
            None => {
                let mut ledger = crate::findings::Ledger::new(key);
                ledger.add(piece, terms);
                docket.ledgers.push(ledger);
            }
        }
    }
}

/// The profile that holds at `t`.
pub(super) fn profile_at(history: &[Profile], t: EventTime) -> Option<&Profile> {
    history[..history.partition_point(|profile| profile.t.is_none_or(|from| from <= t))].last()
}

/// How far around a leg edges are looked at, beyond its reach, to know for how long there are none, metres.
const LOOK_AHEAD_M: f64 = 50.0;

/// Collects the edges within reach of the leg, grouped by feature, and the areas it may be in. What it
/// sees on the way of the wider surroundings of the leg's end is the vessel's new lease.
fn gather(
    leg: &Leg,
    water: Water,
    bench: &Bench<'_>,
    edges: &mut Vec<(FeatureIx, ZoneKind, NearEdge)>,
    areas: &mut Vec<FeatureIx>,
) -> Lease {
    let (from, to) = (leg.frame.origin(), leg.position_at(leg.motion.span_s));
    let (start, end) = (leg.motion.from, leg.motion.to);
    let far_m = bench.reach_m + LOOK_AHEAD_M;
    let mut seen = Seen { clear_m: far_m, rim_m: far_m };
    let reach_m = bench.reach_m;
    let beside = |a: f64, b: f64, p: f64, q: f64| a.min(b) <= p.max(q) + reach_m && a.max(b) >= p.min(q) - reach_m;
    bench.waterway.edges_near(from, to, far_m, &mut |edge| {
        let (a, b) = (leg.frame.to_plane(edge.a), leg.frame.to_plane(edge.b));
        seen.take(edge.kind == bench.waterway.rim(), point_edge(end, a, b).0);
        if beside(a.east_m, b.east_m, start.east_m, end.east_m)
            && beside(a.north_m, b.north_m, start.north_m, end.north_m)
        {
            edges.push((edge.feature, edge.kind, NearEdge { a, b, feature: 0 }));
        }
    });
    edges.sort_by_key(|(feature, ..)| *feature);
    bench.state.areas.near(from, to, bench.reach_m, &mut |ix| areas.push(ix));
    areas.sort();
    areas.dedup();
    if edges.is_empty() && seen.clear_m >= far_m {
        return Lease::at(to, water, bench.waterway, bench.state);
    }
    seen.lease(to, water, bench.waterway, bench.state)
}

/// The features of gathered edges and areas, and the marks within reach, as a scene shows them.
fn features_near<'a>(
    leg: &Leg,
    bench: &Bench<'a>,
    edges: &[(FeatureIx, ZoneKind, NearEdge)],
    areas: &[FeatureIx],
) -> (Vec<NearEdge>, Vec<NearFeature<'a>>) {
    let mut near_edges = Vec::with_capacity(edges.len());
    let mut features: Vec<NearFeature<'a>> = Vec::new();
    let mut areas = areas.iter().copied().peekable();
    let show = |ix: FeatureIx, kind: ZoneKind, range: std::ops::Range<usize>| {
        let feature = bench.waterway.feature(ix);
        NearFeature {
            id: &feature.id,
            kind,
            present: present(feature, ix, leg, bench),
            // The water itself is no area to be near of: its edges are the shoreline.
            region: feature.region.as_ref().filter(|_| feature.kind != ZoneKind::Waterway),
            feature: Some(feature),
            edges: range,
        }
    };
    let mut i = 0;
    while i < edges.len() {
        let (ix, kind, _) = edges[i];
        while let Some(area) = areas.next_if(|area| *area < ix) {
            features.push(show(area, bench.waterway.feature(area).kind, near_edges.len()..near_edges.len()));
        }
        areas.next_if(|area| *area == ix);
        let start = near_edges.len();
        while i < edges.len() && edges[i].0 == ix {
            near_edges.push(NearEdge { feature: features.len() as u32, ..edges[i].2 });
            i += 1;
        }
        features.push(show(ix, kind, start..near_edges.len()));
    }
    for area in areas {
        features.push(show(area, bench.waterway.feature(area).kind, near_edges.len()..near_edges.len()));
    }
    for mark in &bench.state.laid {
        let Some(there) = leg.part_between(Some(mark.from), mark.until) else { continue };
        let start = near_edges.len();
        for (a, b) in &mark.edges {
            let edge =
                NearEdge { a: leg.frame.to_plane(*a), b: leg.frame.to_plane(*b), feature: features.len() as u32 };
            if leg.motion.within_of_edge(edge.a, edge.b, bench.reach_m).is_some() {
                near_edges.push(edge);
            }
        }
        let around = mark.region.as_ref().is_some_and(|region| region.contains(leg.frame.origin()));
        if near_edges.len() > start || around {
            features.push(NearFeature {
                id: &mark.id,
                kind: mark.kind,
                present: Spans::one(there),
                region: mark.region.as_ref(),
                feature: None,
                edges: start..near_edges.len(),
            });
        }
    }
    (near_edges, features)
}

/// The part of the leg during which a feature of the map is there.
fn present(feature: &Feature, ix: FeatureIx, leg: &Leg, bench: &Bench<'_>) -> Spans {
    match feature.validity {
        Validity::Always => Spans::one(leg.whole()),
        Validity::Between(from, until) => leg.part_between(from, until).map_or_else(Spans::none, Spans::one),
        Validity::EveryYear(..) => bench.state.seasons.get(&ix).map_or_else(Spans::none, |season| {
            let place = leg.frame.origin();
            season.spans(&bench.state.sky, bench.rulebook.time_zone, place, leg.start, leg.end())
        }),
    }
}

/// The instants at which the leg crosses an edge, with its start and end, in order.
fn crossings(leg: &Leg, edges: &[NearEdge]) -> SmallVec<[f64; 4]> {
    let mut at_s: SmallVec<[f64; 4]> =
        edges.iter().filter_map(|edge| leg.motion.crosses_edge(edge.a, edge.b)).collect();
    at_s.push(0.0);
    at_s.push(leg.motion.span_s);
    at_s.sort_by(f64::total_cmp);
    at_s
}

/// The rule that a permit lifts where it does not say which.
const DEFAULT_LIFT: &str = "speed-cap";

/// What is left of a sighting outside the permit areas that lift its rule for this vessel.
fn lifted(rule: &'static str, sighting: Sighting, scene: &Scene<'_>, out: &mut Vec<Event>) -> SmallVec<[Sighting; 1]> {
    let mut left = Spans::one(sighting.span);
    for permit in scene.of_kinds(KindSet::only(ZoneKind::PermitArea)) {
        let is_meant = match permit.feature {
            Some(feature) => {
                let names_it = feature.vessels.as_ref().is_none_or(|vessels| vessels.contains(scene.subject.id));
                names_it && feature.lifts.iter().any(|lifts| lifts == rule)
            }
            // A mark says neither: it is a permit for all, for what permits lift unless they say more.
            None => rule == DEFAULT_LIFT,
        };
        if !is_meant {
            continue;
        }
        let inside = scene.inside_of(permit);
        if inside.within(sighting.span).length_s() > 0.0 || scene.leg.motion.span_s == 0.0 && !inside.is_empty() {
            out.push(Event::Lifted { vessel: scene.subject.id.clone(), rule, permit: permit.id.clone() });
            left = left.subtract(&inside);
        }
    }
    if left == Spans::one(sighting.span) {
        return [sighting].into_iter().collect();
    }
    left.iter().map(|span| part_of(&sighting, span, scene)).collect()
}

/// The part of a sighting that lies in `span`: its worst instant and the features involved there.
fn part_of(sighting: &Sighting, span: Span, scene: &Scene<'_>) -> Sighting {
    let mut part = Sighting { span, ..sighting.clone() };
    let Place::Near { radius_m, .. } = sighting.place else {
        if !span.contains(part.peak.at_s) {
            let at_s = scene.worst_instant_s(span, std::iter::empty());
            let other = scene.others.iter().find(|other| Some(other.vessel) == sighting.other.as_ref());
            let distance_m = other
                .filter(|other| other.during.contains(at_s))
                .map(|other| (other.motion.at(at_s - other.during.from_s) - scene.leg.motion.at(at_s)).norm());
            part.peak = Sight { at_s, speed_mps: scene.leg.speed_at_mps(at_s), distance_m, ..part.peak };
        }
        return part;
    };
    let involved: SmallVec<[&NearFeature<'_>; 4]> = scene
        .features
        .iter()
        .filter(|f| sighting.features.contains(f.id) && !scene.within_of(f, radius_m).within(span).is_empty())
        .collect();
    part.features = involved.iter().map(|feature| feature.id.clone()).collect();
    if !span.contains(part.peak.at_s) {
        let at_s = scene.worst_instant_s(span, involved.iter().copied());
        let nearest = involved
            .iter()
            .filter(|feature| feature.present.contains(at_s))
            .map(|feature| (scene.distance_to_m(feature, at_s), feature.id))
            .min_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(q.1)));
        part.peak = Sight {
            at_s,
            speed_mps: scene.leg.speed_at_mps(at_s),
            distance_m: nearest.map(|(m, _)| m),
            feature: nearest.map(|(_, id)| id.clone()),
        };
    }
    part
}

fn piece_of(tag: EventTime, leg: &Leg, sighting: Sighting) -> Piece {
    let Span { from_s, to_s } = sighting.span;
    Piece {
        leg: tag,
        from: leg.time_at(from_s),
        to: leg.time_at(to_s),
        limit: sighting.limit,
        peak: Peak {
            t: leg.time_at(sighting.peak.at_s),
            position: leg.position_at(sighting.peak.at_s),
            speed_mps: sighting.peak.speed_mps,
            distance_m: sighting.peak.distance_m,
            feature: sighting.peak.feature,
        },
        features: sighting.features.into_vec(),
        place: sighting.place,
        confidence: None,
    }
}

/// A piece no longer than this has the odds of its middle, seconds: the fixes around tell no more.
const SHORT_PIECE_S: f64 = 2.0;

/// The probability that a clause was broken in a piece: at its middle, or in a long one also at its worst
/// instant, if that is higher. (Of a short one the worst instant is often its edge, where it hardly began.)
fn odds_of(piece: &Piece, track: &Track, bench: &Bench<'_>, errors: &Errors) -> f64 {
    let length_s = piece.to.seconds_since(piece.from);
    let middle = piece.from.plus_seconds(0.5 * length_s);
    [middle, piece.peak.t]
        .into_iter()
        .take(if length_s <= SHORT_PIECE_S { 1 } else { 2 })
        .filter_map(|t| {
            let odds = Odds::at(track, t, piece.leg, errors)?;
            let fast = piece.limit.speed_mps.map_or(1.0, |limit_mps| odds.faster_than(limit_mps));
            Some(fast * odds_of_place(piece, &odds, bench, errors))
        })
        .fold(0.0, f64::max)
}

/// The probability that the vessel was where the clause binds.
fn odds_of_place(piece: &Piece, odds: &Odds, bench: &Bench<'_>, errors: &Errors) -> f64 {
    match &piece.place {
        Place::Anywhere => 1.0,
        Place::Near { radius_m, .. } => {
            odds.beyond(radius_m - distance_to_features_m(piece, odds, *radius_m, bench), 0.0)
        }
        Place::NearVessel { position, accuracy_m, radius_m } => {
            let other_sigma_m = sigma_m(accuracy_m.unwrap_or(errors.default_accuracy_m));
            odds.beyond(radius_m - distance_m(odds.position, *position), other_sigma_m)
        }
        Place::Inside { area } => {
            let Some(feature) = bench.waterway.features.iter().find(|feature| feature.id == *area) else { return 1.0 };
            let inside = feature.region.as_ref().is_some_and(|region| region.contains(odds.position));
            let edge_m = distance_to_features_m(piece, odds, 0.0, bench);
            odds.beyond(if inside { edge_m } else { -edge_m }, 0.0)
        }
    }
}

/// Beyond this many standard deviations of margin the odds no longer change.
const ODDS_REACH_SIGMAS: f64 = 6.0;

/// Distance from a position to the edges of a piece's features, metres, as far as odds need it; zero
/// inside one that is near or not at all.
fn distance_to_features_m(piece: &Piece, odds: &Odds, radius_m: f64, bench: &Bench<'_>) -> f64 {
    let p = odds.position;
    let frame = crate::geo::LocalFrame::at(p);
    let here = frame.to_plane(p);
    let reach_m = radius_m + ODDS_REACH_SIGMAS * odds.position_sigma_m;
    let mut nearest_m = reach_m;
    let mut consider = |a: Position, b: Position| {
        nearest_m = nearest_m.min(point_edge(here, frame.to_plane(a), frame.to_plane(b)).0);
    };
    bench.waterway.edges_near(p, p, reach_m, &mut |edge| {
        if piece.features.contains(&bench.waterway.feature(edge.feature).id) {
            consider(edge.a, edge.b);
        }
    });
    for mark in bench.state.laid.iter().filter(|mark| piece.features.contains(&mark.id)) {
        for (a, b) in &mark.edges {
            consider(*a, *b);
        }
    }
    let is_near = matches!(piece.place, Place::Near { .. });
    let mut inside = false;
    if is_near {
        bench.state.areas.near(p, p, 0.0, &mut |ix| {
            let feature = bench.waterway.feature(ix);
            inside |= piece.features.contains(&feature.id)
                && feature.region.as_ref().is_some_and(|region| region.contains(p));
        });
    }
    if inside { 0.0 } else { nearest_m }
}

/// Whether a rule could judge the legs of a vessel, for the accounts. `had_conditions`: whether anything was
/// ever reported of sight and weather where it was.
pub(super) fn evaluation(
    rule: &dyn crate::rules::Rule,
    profile: Option<&Profile>,
    accuracy_m: f64,
    had_conditions: bool,
) -> Evaluation {
    use crate::rulebook::Applies;
    let (class, length_m) = (profile.and_then(|p| p.class), profile.and_then(|p| p.length_m));
    let applies: SmallVec<[Applies; 8]> =
        rule.clauses().iter().map(|clause| clause.vessels.applies(class, length_m)).collect();
    // Where one clause could not be judged, nothing found is no clean record.
    if applies.contains(&Applies::Unknown) || (rule.needs_conditions() && !had_conditions) {
        Evaluation::NeverDeclared
    } else if applies.contains(&Applies::Yes) {
        if rule.looks_around() && rule.reach_m() > 0.0 && accuracy_m > rule.reach_m() {
            Evaluation::AccuracyTooPoor
        } else {
            Evaluation::Judged
        }
    } else {
        Evaluation::NotMeant
    }
}
