//! Has a vessel's legs judged by every rule, and keeps the outcome in its ledgers.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;

use smallvec::{SmallVec, smallvec};

use super::account::Account;
use super::around::{Patch, crossings, features_near, gather, gather_behind, present};
use super::beside::{Run, TowsNear};
use super::glance::Glance;
use super::grid::Pace;
use super::odds::{Around, Asked, Tracks};
use super::others::{Candidates, Other};
use super::permits::{lifted, lifts_of};
use super::vessel::{Docket, Vessel};
use super::water::WaterState;
use super::{Engine, Event};
use crate::findings::{Errors, Finding, Key, Ledger, News, Peak, Piece, Terms, Words};
use crate::geo::{Span, Spans};
use crate::observation::{Profile, VesselId};
use crate::rulebook::Rulebook;
use crate::rules::{Lasting, NearEdge, OtherPath, OwnTow, Place, Rule, Scene, Sighting, Subject, TowBeside};
use crate::time::EventTime;
use crate::track::{Leg, Water};
use crate::zones::{FeatureIx, Waterway, ZoneKind};

/// What judging needs at hand, used again for every leg.
#[derive(Debug, Default)]
pub(super) struct Desk {
    /// How far around a leg any rule looks, metres.
    pub reach_m: f64,
    /// Whether any rule asks about other vessels.
    pub minds_others: bool,
    /// Whether any rule asks about towing vessels beside a leg.
    pub minds_tows: bool,
    /// How far around towing vessels and their skiers any rule looks, metres.
    pub tow_reach_m: f64,
    /// How far around towing vessels any rule looks that asks how they turn, metres.
    pub turn_reach_m: f64,
    /// When each rule is asked.
    pub uses: Vec<Use>,
    /// Finished accounts.
    pub accounts: BTreeMap<VesselId, Account>,
    /// Other vessels near the leg at hand.
    pub others: Vec<Other>,
    /// Towing vessels beside the leg at hand.
    pub tows: Vec<TowBeside>,
    /// What a glance at each of the legs at hand shows.
    pub seen: Vec<Glance>,
    /// Room for vessels found in a grid.
    pub near: Vec<u32>,
    /// Vessels that may be near the stretch of path at hand.
    pub candidates: Candidates,
    /// What towing vessels do that may be near the stretch of path at hand.
    pub tows_near: TowsNear,
    /// Odds asked before, of tracks that have not changed since.
    asked: Asked,
    pieces: Vec<(Key, Piece)>,
    sightings: Vec<Sighting>,
    edges: Vec<(FeatureIx, ZoneKind, NearEdge)>,
    areas: Vec<FeatureIx>,
    pub patch: Patch,
}

impl Desk {
    pub fn new(rulebook: &Rulebook) -> Self {
        Self {
            reach_m: rulebook.rules.iter().map(|rule| rule.reach_m()).fold(0.0, f64::max),
            minds_others: rulebook.rules.iter().any(|rule| rule.minds_others()),
            minds_tows: rulebook.rules.iter().any(|rule| rule.tow_reach_m() > 0.0),
            tow_reach_m: rulebook.rules.iter().map(|rule| rule.tow_reach_m()).fold(0.0, f64::max),
            turn_reach_m: (rulebook.rules.iter().filter(|rule| rule.minds_turns()))
                .map(|rule| rule.tow_reach_m())
                .fold(0.0, f64::max),
            uses: rulebook.rules.iter().map(|rule| Use::of(rule.as_ref())).collect(),
            ..Self::default()
        }
    }
}

/// When a rule is asked, as it says itself: told here once, not for every leg.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    /// Only about legs of a vessel that has somebody in tow.
    needs_tow: bool,
    /// Only about legs beside a towing vessel.
    is_beside_tows: bool,
    /// Only where something is around.
    looks_around: bool,
}

impl Use {
    fn of(rule: &dyn Rule) -> Self {
        let is_beside_tows = rule.tow_reach_m() > 0.0;
        Self { needs_tow: rule.needs_tow(), is_beside_tows, looks_around: rule.looks_around() }
    }
}

/// What is judged, or judged again, of a vessel's legs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Everything.
    Whole,
    /// Only what has to do with towing vessels beside them.
    BesideTows,
    /// Only what has to do with this one of them.
    Beside(u32),
}

/// What one leg is judged with.
pub(super) struct Bench<'a> {
    pub rulebook: &'a Rulebook,
    pub waterway: &'a Waterway,
    pub state: &'a WaterState,
    pub reach_m: f64,
}

impl Engine {
    /// Judges, or judges again, every leg of a vessel that ends at or after `from`, and tells what is new.
    pub(super) fn judge_from(&mut self, slot: u32, id: &VesselId, from: EventTime, out: &mut Vec<Event>) {
        self.judge_scope(slot, id, from, Scope::Whole, out);
    }

    /// The same, of what is in a scope.
    pub(super) fn judge_scope(
        &mut self,
        slot: u32,
        id: &VesselId,
        from: EventTime,
        scope: Scope,
        out: &mut Vec<Event>,
    ) {
        // Legs that are settled, or that an earlier map judged, stand.
        let open_s = self.terms.settled_after_s;
        let other = match scope {
            Scope::Beside(other) => Some(self.vessels[other as usize].id.clone()),
            Scope::Whole | Scope::BesideTows => None,
        };
        let vessel = &mut self.vessels[slot as usize];
        let from = from.max(vessel.judgeable_from(open_s));
        if let Some(terms) = self.rulebook.tow_inference.as_ref().filter(|_| !vessel.tows) {
            vessel.follow_habit(from, terms);
        }
        if let Some(docket) = vessel.docket.as_mut().filter(|docket| docket.last_piece >= from) {
            let is_beside = |key: &Key| self.desk.uses[usize::from(key.rule)].is_beside_tows;
            for ledger in &mut docket.ledgers {
                let is_meant = match scope {
                    Scope::Whole => true,
                    Scope::BesideTows => is_beside(&ledger.key),
                    Scope::Beside(_) => is_beside(&ledger.key) && ledger.key.other == other,
                };
                if is_meant {
                    ledger.forget_from(from);
                }
            }
            docket.is_touched = true;
        }
        self.desk.tows_near.forget();
        let rounds = scope == Scope::Whole;
        if let Some(file) = vessel.file.as_mut().filter(|file| rounds && !file.roundings.is_empty()) {
            file.roundings.retain(|rounding| rounding.leg < from);
        }
        let fixes = vessel.track.index_of(from)..vessel.track.fixes().len();
        if scope == Scope::Whole {
            if self.desk.minds_others {
                self.note(slot, fixes.start);
            }
            self.judge_stretch(slot, id, fixes, out);
        } else {
            for i in fixes {
                self.judge_fix(slot, id, i, scope, out);
            }
        }
        self.post(slot, id, out);
    }

    /// Judges the legs that lead to some fixes, as far as a glance at all of them, and then at each, does not show that
    /// nothing breaks there.
    fn judge_stretch(&mut self, slot: u32, id: &VesselId, fixes: Range<usize>, out: &mut Vec<Event>) {
        self.desk.candidates.forget();
        self.desk.patch.is_used = false;
        self.list_tows_near(slot, fixes.clone());
        let whole = if fixes.is_empty() { Glance::Nothing } else { self.glance(slot, fixes.clone()) };
        match whole {
            Glance::Nothing => {}
            Glance::Unclear if fixes.len() > 1 => {
                self.glance_at_each(slot, fixes.clone());
                for (i, k) in fixes.zip(0..) {
                    let seen = self.desk.seen[k];
                    self.judge_seen(slot, id, i, seen, out);
                }
            }
            Glance::OnlyTows => {
                for i in fixes {
                    if self.desk.tows_near.are_near(slot, i..i + 1) {
                        self.judge_seen(slot, id, i, Glance::OnlyTows, out);
                    } else {
                        self.pass_by(slot, i..i + 1, None);
                    }
                }
            }
            Glance::Unclear => fixes.for_each(|i| self.judge_seen(slot, id, i, Glance::Unclear, out)),
        }
        self.renew_lease(slot);
    }

    /// Judges the leg that leads to fix `i`, as far as a glance at it does not show that nothing breaks there.
    fn judge_seen(&mut self, slot: u32, id: &VesselId, i: usize, seen: Glance, out: &mut Vec<Event>) {
        match seen {
            Glance::Nothing => {}
            Glance::OnlyTows => self.judge_fix(slot, id, i, Scope::BesideTows, out),
            Glance::Unclear => self.judge_fix(slot, id, i, Scope::Whole, out),
        }
    }

    /// Takes over what was seen around a vessel's path on the way.
    fn renew_lease(&mut self, slot: u32) {
        let Self { map, rulebook, vessels, waters, desk, .. } = self;
        let vessel = &mut vessels[slot as usize];
        let Some(fix) = vessel.track.fixes().back().filter(|_| desk.patch.is_used) else { return };
        let Some(waterway) = map.waterways.get(usize::from(fix.water)) else { return };
        let state = &waters[usize::from(fix.water)];
        let is_sure = vessel.lease.is_some_and(|lease| lease.is_in_water(fix.position, fix.water, state));
        if is_sure || waterway.contains(fix.position) {
            let bench = Bench { rulebook, waterway, state, reach_m: desk.reach_m };
            vessel.lease = desk.patch.lease(fix.position, fix.water, &bench).or(vessel.lease);
        }
    }

    /// Judges the leg that leads to fix `i`, or the fix alone where no leg does.
    fn judge_fix(&mut self, slot: u32, id: &VesselId, i: usize, scope: Scope, out: &mut Vec<Event>) {
        let vessel = &self.vessels[slot as usize];
        let fix = vessel.track.fixes()[i];
        if !fix.is_accepted() || fix.is_person {
            return;
        }
        if usize::from(fix.water) >= self.map.waterways.len() {
            return;
        }
        if let Scope::Beside(tower) = scope
            && !self.comes_near_tow(slot, i, tower)
        {
            return;
        }
        let state = &self.waters[usize::from(fix.water)];
        let quiet_all_mps = state.quiet_all_mps;
        let is_pairing = self.desk.minds_tows && !state.tows.is_empty();
        let before = vessel.leg_before(i).map(|k| vessel.track.fixes()[k]);
        if let (Some(to_mps), Some(from_mps)) = (fix.sog_mps(), before.and_then(|before| before.sog_mps()))
            && to_mps.max(from_mps) <= quiet_all_mps
            && !vessel.tows
            && !is_pairing
        {
            return;
        }
        let before_at = vessel.leg_before(i);
        let mut legs: SmallVec<[(Leg, usize); 2]> = SmallVec::new();
        legs.extend(before_at.map(|k| (vessel.leg_between(k, i), k)));
        if vessel.reports_alone(i) {
            let after = || vessel.leg_after(i).map(|k| vessel.track.leg(i, k));
            let way = legs.first().map(|(leg, _)| *leg).or_else(after);
            legs.push((Leg::at(&fix, way.as_ref()), i));
        } else if let Some(k) = vessel.unjudged_way_to(i).filter(|_| fix.sog_mps().is_none()) {
            legs.push((Leg::at(&fix, Some(&vessel.track.leg(k, i))), i));
        }
        let tows = vessel.tows && scope == Scope::Whole;
        if legs.is_empty() && tows && vessel.leg_after(i).is_none() {
            legs.push((Leg::at(&fix, None), i));
        }
        for (leg, from) in legs {
            let mut tow = match &self.rulebook.tow_inference {
                _ if tows => self.tow_on(slot, &leg, from),
                Some(terms) => self.vessels[slot as usize].guessed_tow(&leg, from, i, terms),
                None => None,
            };
            if let Some(tow) = tow.as_mut().filter(|_| tows) {
                self.round_buoys(slot, fix.water, fix.t, &leg, tow);
            }
            let top_mps = leg.top_speed_mps().unwrap_or(0.0);
            let is_quiet = top_mps <= quiet_all_mps && tow.is_none();
            if is_quiet && (!is_pairing || top_mps <= 0.0) {
                continue;
            }
            let vessel = &mut self.vessels[slot as usize];
            vessel.last_fast = vessel.last_fast.max(fix.t);
            let state = &mut self.waters[usize::from(fix.water)];
            let way = state.fast.extent(leg.frame.origin(), leg.position_at(leg.motion.span_s));
            vessel.enter_grid(slot, Pace::Fast, fix.water, state, &way, fix.t);
            let run = Run { water: fix.water, extent: way, start: leg.start, end: leg.end() };
            match scope {
                _ if !is_pairing => self.desk.tows.clear(),
                Scope::Beside(other) => self.look_at_tow(other, &leg, &run),
                Scope::Whole | Scope::BesideTows => self.look_for_tows(slot, i, &leg, &run),
            }
            if self.desk.tows.is_empty() && (is_quiet || scope != Scope::Whole) {
                continue;
            }
            self.desk.others.clear();
            if self.desk.minds_others && scope == Scope::Whole {
                let farther_m = tow.as_ref().map_or(0.0, |tow| tow.way.away_m);
                self.look_for_others(slot, fix.water, &leg, farther_m);
            }
            self.judge_leg(slot, id, fix.water, fix.t, &leg, top_mps, tow.as_ref(), scope, out);
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
        tow: Option<&OwnTow>,
        scope: Scope,
        out: &mut Vec<Event>,
    ) {
        let Self { map, rulebook, vessels, waters, desk, terms, profiles, .. } = self;
        let other_ids: SmallVec<[VesselId; 2]> =
            desk.others.iter().map(|other| vessels[other.slot as usize].id.clone()).collect();
        let vessel = &mut vessels[slot as usize];
        let waterway = &map.waterways[usize::from(water)];
        let state = &waters[usize::from(water)];
        let bench = Bench { rulebook, waterway, state, reach_m: desk.reach_m };
        let Desk { pieces, sightings, edges, areas, patch, others, tows, uses, .. } = desk;

        // A permit may lift what there is to see of a tow.
        let minds_permits = !tows.is_empty() && waterway.kinds.contains(ZoneKind::PermitArea);
        let looks_near = match scope {
            Scope::Whole => top_mps > state.quiet_near_mps || tow.is_some() || minds_permits,
            Scope::BesideTows | Scope::Beside(_) => minds_permits,
        };
        let looks_around = looks_near && (tow.is_some() || !vessel.is_clear(leg, water, &bench));
        edges.clear();
        areas.clear();
        if looks_around {
            gather(leg, water, &bench, patch, edges, areas);
        }
        if let Some(tow) = tow {
            gather_behind(leg, tow, &bench, edges, areas);
        }
        let (near_edges, features) =
            if looks_near { features_near(leg, &bench, tow, edges, areas) } else { (Vec::new(), Vec::new()) };
        let crossings_s: SmallVec<[f64; 4]> = if features.iter().any(|feature| feature.region.is_some()) {
            crossings(leg, &near_edges)
        } else {
            SmallVec::new()
        };
        // Few vessels say what they are.
        let history = if profiles.is_empty() { None } else { profiles.get(id) };
        let profile = history.and_then(|history| profile_at(history, leg.start));
        let circulation: SmallVec<[(FeatureIx, Spans); 1]> = match tow {
            Some(_) if waterway.kinds.contains(ZoneKind::Circulation) => waterway
                .of_kind(ZoneKind::Circulation)
                .map(|(ix, feature)| (ix, present(feature, ix, leg, &bench)))
                .filter(|(_, present)| !present.is_empty())
                .collect(),
            _ => SmallVec::new(),
        };
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
            tow,
            circulation: &circulation,
            tows,
            conditions: &state.conditions,
            sky: &state.sky,
            time_zone: rulebook.time_zone,
            lifted: Spans::none(),
        };
        // A guess lifts nothing and is held against nobody else.
        let guessed = tow.and_then(|tow| tow.guessed);
        let untowed = guessed.map(|_| Scene { tow: None, ..scene.clone() });
        pieces.clear();
        for (number, (asked, quiet_mps)) in uses.iter().zip(&state.quiet_mps).enumerate() {
            if scope != Scope::Whole && !asked.is_beside_tows {
                continue;
            }
            let is_of_tow = asked.needs_tow || asked.is_beside_tows;
            if is_of_tow {
                if if asked.needs_tow { tow.is_none() } else { tows.is_empty() } {
                    continue;
                }
            } else if top_mps <= *quiet_mps || (asked.looks_around && features.is_empty() && paths.is_empty()) {
                continue;
            }
            let rule = &rulebook.rules[number];
            sightings.clear();
            let scene = untowed.as_ref().filter(|_| !asked.needs_tow).unwrap_or(&scene);
            rule.judge(scene, sightings);
            if is_of_tow && !sightings.is_empty() {
                let lifts = lifts_of(rule.id(), scene);
                if sightings.iter().any(|sighting| lifts.cut(sighting, scene, out)) {
                    sightings.clear();
                    rule.judge(&Scene { lifted: lifts.spans(), ..scene.clone() }, sightings);
                }
            }
            for sighting in sightings.drain(..) {
                let left = if is_of_tow { smallvec![sighting] } else { lifted(rule.id(), sighting, scene, out) };
                for sighting in left {
                    let key = Key {
                        rule: number as u16,
                        clause: sighting.clause,
                        water,
                        zone: sighting.zone.clone(),
                        other: sighting.other.clone(),
                    };
                    let mut piece = piece_of(tag, leg, sighting);
                    piece.guessed = guessed.filter(|_| asked.needs_tow);
                    pieces.push((key, piece));
                }
            }
        }
        for (key, piece) in pieces.drain(..) {
            let lasting = rulebook.rules[usize::from(key.rule)].lasting(key.clause);
            vessel.put(key, piece, lasting, terms);
        }
    }

    /// Tells what is new in a vessel's ledgers, where there is anything to tell.
    fn post(&mut self, slot: u32, id: &VesselId, out: &mut Vec<Event>) {
        let vessel = &self.vessels[slot as usize];
        let Some(docket) = &vessel.docket else { return };
        let newest = vessel.track.newest();
        let is_news = docket.is_touched && self.terms.tells_open;
        if is_news || newest.is_some_and(|newest| newest > docket.due) {
            self.close_ledgers(slot, id, newest, out);
        }
    }

    /// Tells what is new in a vessel's ledgers as of `now`; `None` closes everything.
    pub(super) fn close_ledgers(&mut self, slot: u32, id: &VesselId, now: Option<EventTime>, out: &mut Vec<Event>) {
        let Some(mut docket) = self.vessels[slot as usize].docket.take() else { return };
        let terms = self.terms;
        let mut is_any_empty = false;
        let mut due = EventTime::MAX;
        self.ask_of_each(&mut docket.ledgers, slot, now, |ledger, evidence| {
            let mut all = SmallVec::<[News; 1]>::new();
            ledger.look(now, &terms, evidence, |news| all.push(news));
            let Bench { rulebook, waterway, .. } = evidence.bench;
            for news in all {
                let finding = Finding::tell(&ledger.key, news, id, waterway, rulebook, &Words::of(rulebook));
                out.push(Event::Finding(Box::new(finding)));
            }
            is_any_empty |= ledger.is_empty();
            due = due.min(ledger.due(&terms));
        });
        docket.due = due;
        docket.is_touched = false;
        if is_any_empty {
            docket.ledgers.retain(|ledger| !ledger.is_empty());
        }
        if !docket.ledgers.is_empty() {
            self.vessels[slot as usize].docket = Some(docket);
        }
    }
}

impl Engine {
    /// Goes through ledgers of a vessel, whose newest time is `now`, with what the tracks say of their pieces.
    pub(super) fn ask_of_each(
        &mut self,
        ledgers: &mut [Ledger],
        slot: u32,
        now: Option<EventTime>,
        mut ask: impl FnMut(&mut Ledger, &mut Around<'_, '_>),
    ) {
        let Self { map, rulebook, vessels, directory, waters, desk, .. } = self;
        let errors = Errors { default_accuracy_m: rulebook.motion.default_accuracy_m };
        let track_of = |id: &VesselId| directory.get(id, vessels).map(|slot| &vessels[slot as usize].track);
        let mut asked = std::mem::take(&mut desk.asked);
        asked.clear();
        let (own, asked, is_gone) = (&vessels[slot as usize].track, RefCell::new(asked), Cell::new(false));
        let tracks = Tracks { own, of: &track_of, now, asked, is_gone };
        let activities = vessels[slot as usize].activities();
        for ledger in ledgers {
            let place = usize::from(ledger.key.water);
            let (waterway, state) = (&map.waterways[place], &waters[place]);
            let bench = Bench { rulebook, waterway, state, reach_m: desk.reach_m };
            ask(ledger, &mut Around { tracks: &tracks, activities, bench: &bench, errors: &errors });
        }
        desk.asked = tracks.asked.into_inner();
    }
}

impl Vessel {
    /// Whether no feature can be within reach of the leg, and no area around it.
    fn is_clear(&self, leg: &Leg, water: Water, bench: &Bench<'_>) -> bool {
        let ends = [leg.frame.origin(), leg.position_at(leg.motion.span_s)];
        self.lease.is_some_and(|lease| lease.is_clear(&ends, bench.reach_m, water, bench.state))
    }

    fn put(&mut self, key: Key, piece: Piece, lasting: Lasting, terms: &Terms) {
        let docket = self.docket.get_or_insert_with(|| {
            let (last_piece, due, asked) = (EventTime::MIN, EventTime::MAX, EventTime::MIN);
            Box::new(Docket { ledgers: Vec::new(), is_touched: false, last_piece, due, asked })
        });
        docket.is_touched = true;
        docket.last_piece = docket.last_piece.max(piece.leg);
        docket.due = docket.due.min(piece.leg.plus_seconds(terms.settled_after_s));
        match docket.ledgers.iter_mut().find(|ledger| ledger.key == key) {
            Some(ledger) => ledger.add(piece, terms),
            None => {
                let mut ledger = Ledger::new(key, lasting);
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
            off_course_deg: match sighting.place {
                Place::Astray { off_deg, .. } => Some(off_deg),
                _ => None,
            },
            skier: sighting.peak.skier,
        },
        features: sighting.features,
        place: sighting.place,
        excuses: sighting.excuses,
        confidence: None,
        early: None,
        follows: None,
        guessed: None,
    }
}
