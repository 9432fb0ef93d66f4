//! How likely a piece is, given where the vessel may have been: its odds against the map and other vessels.

use std::cell::{Cell, RefCell};

use smallvec::SmallVec;

use super::judge::Bench;
use super::tow::TOW_KEPT_S;
use crate::findings::{Errors, Evidence, Odds, Piece, normal_cdf, share_along_line, share_in_disc, sigma_m};
use crate::geo::motion::point_edge;
use crate::geo::{LocalFrame, Position, Vec2, distance_m};
use crate::observation::{Activity, VesselId};
use crate::rules::{Astern, Carrier, Place, Spot};
use crate::time::EventTime;
use crate::track::{BEARING_S, Track};
use crate::zones::{FeatureIx, Travel, ZoneKind};

/// A piece no longer than this has the odds of its middle, seconds: the fixes around tell no more.
const SHORT_PIECE_S: f64 = 2.0;

/// How far back the track of another vessel is asked where a place was, seconds: it keeps its fixes for so long
/// whenever they arrive.
pub(super) const ASKED_S: f64 = TOW_KEPT_S;

/// The tracks that odds are made of.
pub(super) struct Tracks<'a> {
    /// That of the vessel judged.
    pub own: &'a Track,
    /// That of another vessel, or of a tracker on a skier.
    pub of: &'a dyn Fn(&VesselId) -> Option<&'a Track>,
    /// The newest time of the vessel judged; `None` where everything ends.
    pub now: Option<EventTime>,
    /// What was asked of them before, as long as nothing changes.
    pub asked: RefCell<Asked>,
    /// Whether another vessel was asked about whose fixes around the instant are not there any more.
    pub is_gone: Cell<bool>,
}

/// Odds that were asked before: one instant is asked about for several clauses, and of one other vessel more than once.
#[derive(Debug, Default)]
pub(super) struct Asked {
    all: Vec<(Question, Option<Odds>)>,
    /// Where the next one is put once there are [`ASKED_COUNT`].
    next: usize,
}

/// Of whom (`None` for the vessel judged), for which instant, on the leg that ends when.
type Question = (Option<VesselId>, EventTime, EventTime);

/// How many answers are kept: those about a few seconds beside a few vessels.
const ASKED_COUNT: usize = 32;

impl Asked {
    /// Forgets everything: tracks have changed.
    pub fn clear(&mut self) {
        self.all.clear();
        self.next = 0;
    }

    fn answer(&self, of: Option<&VesselId>, t: EventTime, leg_end: EventTime) -> Option<Option<Odds>> {
        let is_it = |asked: &Question| asked.1 == t && asked.2 == leg_end && asked.0.as_ref() == of;
        self.all.iter().find(|(asked, _)| is_it(asked)).map(|(_, odds)| *odds)
    }

    fn put(&mut self, question: Question, odds: Option<Odds>) {
        if self.all.len() < ASKED_COUNT {
            self.all.push((question, odds));
        } else {
            self.all[self.next] = (question, odds);
            self.next = (self.next + 1) % ASKED_COUNT;
        }
    }
}

impl Tracks<'_> {
    /// The odds at `t` on the leg that ends at `leg_end` of the vessel judged, or of another one by its track.
    fn odds(
        &self,
        other: Option<(&VesselId, &Track)>,
        t: EventTime,
        leg_end: EventTime,
        errors: &Errors,
    ) -> Option<Odds> {
        let of = other.map(|(id, _)| id);
        if let Some(known) = self.asked.borrow().answer(of, t, leg_end) {
            return known;
        }
        let odds = Odds::at(other.map_or(self.own, |(_, track)| track), t, leg_end, errors);
        self.asked.borrow_mut().put((of.cloned(), t, leg_end), odds);
        odds
    }
}

/// What the fixes around a piece, and what the vessel said, tell about it.
pub(super) struct Around<'a, 't> {
    pub tracks: &'a Tracks<'t>,
    pub activities: &'a [Activity],
    pub bench: &'a Bench<'a>,
    pub errors: &'a Errors,
}

impl Evidence for Around<'_, '_> {
    fn odds(&mut self, piece: &Piece) -> f64 {
        self.tracks.is_gone.set(false);
        let odds = piece.guessed.unwrap_or(1.0) * odds_of(piece, self.tracks, self.bench, self.errors);
        // What was asked while they were there holds then.
        piece.early.filter(|_| self.tracks.is_gone.get()).unwrap_or(odds)
    }

    fn early_odds(&mut self, piece: &Piece) -> Option<f64> {
        let rests_on_others = match &piece.place {
            Place::Apart { .. } | Place::Ahead { .. } => true,
            Place::SkierNear { skier, .. } => matches!(skier.carrier, Carrier::Other(_)),
            _ => false,
        };
        let odds = rests_on_others.then(|| self.odds(piece))?;
        (!self.tracks.is_gone.get()).then_some(odds)
    }

    /// Only of a course: whether it was likelier than not against the mean direction midway, nothing was said of the tow
    /// meanwhile, and it was not in mid-water, where no course is wrong.
    fn explains_break(&mut self, end: EventTime, next: &Piece) -> bool {
        let is_said = |activity: &Activity| activity.towing.is_some() && activity.t >= end && activity.t <= next.from;
        if self.activities.iter().any(is_said) {
            return false;
        }
        if self.is_in_mid_water(end, next) {
            return false;
        }
        let middle = end.plus_seconds(0.5 * next.from.seconds_since(end));
        let odds = Odds::at(self.tracks.own, middle, next.leg, self.errors);
        odds.is_some_and(|odds| odds_astray(next, &odds, self.bench) >= LIKELY)
    }
}

impl Around<'_, '_> {
    /// Whether the vessel was near mid-water for most of the time from `end` until `next` began: also by the shore opposite
    /// to the mean direction around, which the next spit of a ragged shore is not.
    fn is_in_mid_water(&self, end: EventTime, next: &Piece) -> bool {
        let Place::Astray { travel, smoothing_m, .. } = &next.place else { return false };
        let waterway = self.bench.waterway;
        let mut lines = waterway.circulation_lines();
        lines.retain(|&ix| next.features.contains(&waterway.feature(ix).id));
        let span_s = next.from.seconds_since(end);
        let is_there = |i: &u32| {
            let t = end.plus_seconds(span_s * (f64::from(*i) + 0.5) / f64::from(LOOKS));
            let there = self.tracks.own.position_at(t);
            there.is_some_and(|place| {
                waterway.travel_at(place, travel, &lines) == Some(Travel::MidWater)
                    && waterway.travel_around(place, *smoothing_m, travel, &lines).off_mid_water_m <= 0.0
            })
        };
        2 * (0..LOOKS).filter(is_there).count() as u32 > LOOKS
    }
}

/// How often a break is looked at.
const LOOKS: u32 = 16;

/// From here on something is likelier than not.
const LIKELY: f64 = 0.5;

/// The probability that a clause was broken in a piece: at its middle, or in a long one also at its worst
/// instant, if that is higher. (Of a short one the worst instant is often its edge, where it hardly began.) Where
/// two move, only the worst instant tells how near they were.
fn odds_of(piece: &Piece, tracks: &Tracks<'_>, bench: &Bench<'_>, errors: &Errors) -> f64 {
    let length_s = piece.to.seconds_since(piece.from);
    let middle = piece.from.plus_seconds(0.5 * length_s);
    let instants = match piece.place {
        Place::SkierNear { .. } | Place::Apart { .. } | Place::Ahead { .. } | Place::Beyond { .. } => [piece.peak.t; 2],
        Place::Anywhere
        | Place::Near { .. }
        | Place::NearVessel { .. }
        | Place::Astray { .. }
        | Place::Inside { .. } => [middle, piece.peak.t],
    };
    let count = if length_s <= SHORT_PIECE_S || instants[0] == instants[1] { 1 } else { 2 };
    instants
        .into_iter()
        .take(count)
        .filter_map(|t| {
            let odds = tracks.odds(None, t, piece.leg, errors)?;
            let fast = piece.limit.speed_mps.map_or(1.0, |limit_mps| odds.faster_than(limit_mps));
            let bound = 1.0 - odds_of_excuse(piece, t, &odds, bench);
            Some(fast * bound * odds_of_place(piece, t, &odds, tracks, bench, errors))
        })
        .fold(0.0, f64::max)
}

/// The probability that the vessel was on a course that excuses it: out from the shore that was the nearest, wherever
/// the errors leave open that it was.
fn odds_of_excuse(piece: &Piece, t: EventTime, odds: &Odds, bench: &Bench<'_>) -> f64 {
    let holds = piece.excuses.iter().filter(|excuse| excuse.from <= t && t <= excuse.until);
    let Some(within_deg) = holds.map(|excuse| excuse.within_deg).reduce(f64::max) else { return 0.0 };
    let frame = LocalFrame::at(odds.position);
    let (along, _) = odds.velocity.unwrap_or_default();
    let sigma_m = odds.position_sigma_m;
    let along = if along.norm() > 0.0 { along * (sigma_m / along.norm()) } else { Vec2::new(0.0, sigma_m) };
    let aside = Vec2::new(along.north_m, -along.east_m);
    let places = [Vec2::default(), along, along * -1.0, aside, aside * -1.0];
    let shares: SmallVec<[f64; 5]> = places
        .into_iter()
        .filter_map(|place| frame.to_position(place))
        .filter_map(|place| bench.waterway.out_from_shore(place))
        .filter_map(|out| odds.heads_within(out, within_deg))
        .collect();
    if shares.is_empty() { 0.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
}

/// The probability that the vessel was where the clause binds.
fn odds_of_place(
    piece: &Piece,
    t: EventTime,
    odds: &Odds,
    tracks: &Tracks<'_>,
    bench: &Bench<'_>,
    errors: &Errors,
) -> f64 {
    match &piece.place {
        Place::Anywhere => 1.0,
        Place::Near { radius_m, .. } => odds_near_features(piece, odds, *radius_m, bench),
        Place::NearVessel { position, accuracy_m, radius_m } => {
            let other_sigma_m = sigma_m(accuracy_m.unwrap_or(errors.default_accuracy_m));
            let apart_sigma_m = odds.position_sigma_m.hypot(other_sigma_m);
            share_in_disc(distance_m(odds.position, *position), *radius_m, apart_sigma_m, run_m(odds.velocity))
        }
        Place::Astray { .. } => odds_astray(piece, odds, bench),
        Place::Inside { area } => {
            let Some(feature) = bench.waterway.feature_named(area) else { return 1.0 };
            let inside = feature.region.as_ref().is_some_and(|region| region.contains(odds.position));
            let edge_m = nearest_of_features(piece, odds, 0.0, bench).distance_m;
            odds.beyond(if inside { edge_m } else { -edge_m }, 0.0)
        }
        Place::SkierNear { radius_m, skier, .. } => {
            let skier = Seen::of(skier, t, odds, tracks, errors);
            let there = Odds { position: skier.position, position_sigma_m: skier.sigma_m, ..*odds };
            odds_near_features(piece, &there, *radius_m, bench)
        }
        Place::Apart { one, other, radius_m, astern, faster_than_mps } => {
            let (one, other) = (Seen::of(one, t, odds, tracks, errors), Seen::of(other, t, odds, tracks, errors));
            let apart_sigma_m = one.sigma_m.hypot(other.sigma_m);
            let past = |seen: &Seen| seen.velocity.map_or(Vec2::default(), |(velocity, _)| velocity);
            let run_m = (past(&one) - past(&other)).norm() * BEARING_S;
            let near = share_in_disc(distance_m(one.position, other.position), *radius_m, apart_sigma_m, run_m);
            // Drifting is not told apart from going by a hair: where no speed is asked, any counts.
            let goes = if *faster_than_mps > 0.0 { odds.faster_than(*faster_than_mps) } else { 1.0 };
            let follows = astern
                .as_ref()
                .map_or(1.0, |astern| odds_of_following(astern, &one, &other, apart_sigma_m, t, odds, tracks, errors));
            near * goes * follows
        }
        Place::Ahead { boat, radius_m } => odds_of_crossing(boat, *radius_m, t, odds, tracks, errors),
        Place::Beyond { margin_m, sigma_m } => odds.beyond(*margin_m, *sigma_m),
    }
}

/// The probability that the vessel's course was against the direction of travel: of the mean direction around, for
/// what a ragged shore says of one place alone proves little, and as far as it was not in mid-water.
fn odds_astray(piece: &Piece, odds: &Odds, bench: &Bench<'_>) -> f64 {
    let Place::Astray { travel, off_course_deg, faster_than_mps, smoothing_m, .. } = &piece.place else { return 0.0 };
    let waterway = bench.waterway;
    let mut lines = waterway.circulation_lines();
    lines.retain(|&ix| piece.features.contains(&waterway.feature(ix).id));
    let around = waterway.travel_around(odds.position, *smoothing_m, travel, &lines);
    odds.faster_than(*faster_than_mps)
        * odds.beyond(around.off_mid_water_m, 0.0)
        * odds.astray(around.mean, *off_course_deg)
}

/// A spot as all fixes around the instant show it.
struct Seen {
    position: Position,
    sigma_m: f64,
    /// Velocity of what carries it, m/s, and its standard deviation.
    velocity: Option<(Vec2, f64)>,
}

impl Seen {
    fn of(spot: &Spot, t: EventTime, odds: &Odds, tracks: &Tracks<'_>, errors: &Errors) -> Self {
        let carrier = match &spot.carrier {
            Carrier::Subject => Some(*odds),
            Carrier::Other(id) => others_odds(id, t, tracks, errors),
            Carrier::Nobody => None,
        };
        let Some(carrier) = carrier else {
            let sigma_m = sigma_m(spot.accuracy_m.unwrap_or(errors.default_accuracy_m)).hypot(spot.sigma_m);
            return Self { position: spot.position, sigma_m, velocity: None };
        };
        let offset = Vec2::new(spot.offset_m[0], spot.offset_m[1]);
        let moved = LocalFrame::at(carrier.position).to_position(offset);
        Self {
            position: moved.unwrap_or(carrier.position),
            sigma_m: carrier.position_sigma_m.hypot(spot.sigma_m),
            velocity: carrier.velocity,
        }
    }
}

/// The odds of another vessel at an instant by its track, where its fixes around it are still there.
fn others_odds(id: &VesselId, t: EventTime, tracks: &Tracks<'_>, errors: &Errors) -> Option<Odds> {
    let is_late = tracks.now.is_some_and(|now| now.seconds_since(t) > ASKED_S);
    let track = (tracks.of)(id).filter(|track| !is_late && track.fixes().front().is_some_and(|front| front.t <= t));
    let Some(track) = track else {
        tracks.is_gone.set(true);
        return None;
    };
    let after = track.fixes().range(track.index_of(t)..).find(|fix| fix.is_accepted());
    let leg_end = after.map_or(t, |fix| fix.t);
    tracks.odds(Some((id, track)), t, leg_end, errors)
}

/// The probability that who is near a skier is also behind it and on the towing vessel's course.
#[allow(clippy::too_many_arguments)]
fn odds_of_following(
    astern: &Astern,
    one: &Seen,
    skier: &Seen,
    apart_sigma_m: f64,
    t: EventTime,
    odds: &Odds,
    tracks: &Tracks<'_>,
    errors: &Errors,
) -> f64 {
    let frame = LocalFrame::at(skier.position);
    let away = frame.to_plane(one.position) - frame.to_plane(skier.position);
    let by_rope = astern.skier_course.map(|[east_m, north_m]| (Vec2::new(east_m, north_m), ROPE_COURSE_RAD));
    let course_of = |(velocity, sigma_mps): (Vec2, f64)| {
        let mps = velocity.norm();
        (mps > sigma_mps).then(|| (velocity * (1.0 / mps), sigma_mps / mps))
    };
    // Where no course can be told, what the fixes alone showed is as likely as not.
    let Some((course, course_rad)) = by_rope.or_else(|| skier.velocity.and_then(course_of)) else { return 0.5 };
    let angle = |a: Vec2, b: Vec2| libm::atan2(a.cross(b), a.dot(b)).abs();
    let off_rad = angle(course * -1.0, away);
    let off_sigma_rad = (apart_sigma_m / away.norm().max(apart_sigma_m)).hypot(course_rad);
    let behind = normal_cdf((astern.within_rad - off_rad) / off_sigma_rad);
    let boat = others_odds(&astern.boat, t, tracks, errors).and_then(|boat| boat.velocity).and_then(course_of);
    let (Some(boat), Some(own)) = (boat, odds.velocity.and_then(course_of)) else { return 0.5 * behind };
    let apart_rad = angle(boat.0, own.0);
    behind * normal_cdf((astern.course_within_rad - apart_rad) / boat.1.hypot(own.1).max(1e-9))
}

/// How well a taut rope shows the skier's own course, one standard deviation, radians. A choice: ten degrees.
const ROPE_COURSE_RAD: f64 = 0.175;

/// The probability that a vessel crossed the course line of another one nearer ahead than `radius_m`.
///
/// Both tracks around the instant say where they were, how fast and on what courses; so the crossing may have been a
/// little earlier or later, and nearer or farther ahead, than two fixes each showed it. Who crossed was on one side
/// of the line shortly before and on the other shortly after.
fn odds_of_crossing(
    id: &VesselId,
    radius_m: f64,
    t: EventTime,
    odds: &Odds,
    tracks: &Tracks<'_>,
    errors: &Errors,
) -> f64 {
    let Some(boat) = others_odds(id, t, tracks, errors) else { return 0.5 };
    let (Some((own_mps, _)), Some((boat_mps, boat_sigma_mps))) = (odds.velocity, boat.velocity) else {
        return 0.5;
    };
    let mps = boat_mps.norm();
    if mps <= boat_sigma_mps {
        return 0.5;
    }
    let course = boat_mps * (1.0 / mps);
    let frame = LocalFrame::at(boat.position);
    let away = frame.to_plane(odds.position) - frame.to_plane(boat.position);
    let (ahead_m, beside_m) = (away.dot(course), course.cross(away));
    let across_mps = course.cross(own_mps);
    let closing_mps = (own_mps - boat_mps).dot(course);
    let until_s = -beside_m / across_mps;
    if !until_s.is_finite() || until_s.abs() > BEARING_S {
        return 0.0;
    }
    let crossed_m = ahead_m + closing_mps * until_s;
    let place_m = odds.position_sigma_m.hypot(boat.position_sigma_m);
    // Errors across the line become errors along it by how the two move.
    let course_m = crossed_m.abs() * boat_sigma_mps / mps;
    let along_m = place_m.hypot(place_m.hypot(course_m) * (closing_mps / across_mps));
    let ahead = normal_cdf(crossed_m / along_m);
    let near = normal_cdf((radius_m - crossed_m) / along_m);
    // On which side a little earlier or later, in the direction of crossing: by the fixes next to that instant alone, as
    // more of them than bear on `t` may not have come yet.
    let fix_m = sigma_m(errors.default_accuracy_m);
    let side_m = odds.position_sigma_m.max(fix_m).hypot(boat.position_sigma_m.max(fix_m)).hypot(course_m);
    let past = |later_s: f64| {
        let t = t.plus_seconds(later_s);
        let places = tracks.own.position_at(t).zip((tracks.of)(id).and_then(|boat| boat.position_at(t)));
        let Some((own, boat)) = places else { return 0.5 };
        let past_m = course.cross(frame.to_plane(own) - frame.to_plane(boat)) * across_mps.signum();
        normal_cdf(past_m / side_m)
    };
    near * ahead * (1.0 - past(-BESIDE_S)) * past(BESIDE_S)
}

/// How long before and after a crossing a vessel is looked for on either side of the line, seconds. A choice: by then
/// who crosses is farther from it than the errors of most receivers.
const BESIDE_S: f64 = 3.0;

/// Beyond this many standard deviations of margin the odds no longer change.
const ODDS_REACH_SIGMAS: f64 = 6.0;

/// The probability that a vessel was within a distance of a piece's features: of the nearest point, line or area.
fn odds_near_features(piece: &Piece, odds: &Odds, radius_m: f64, bench: &Bench<'_>) -> f64 {
    let Nearest { distance_m, form } = nearest_of_features(piece, odds, radius_m, bench);
    let sigma_m = odds.position_sigma_m;
    match form {
        Form::Point => share_in_disc(distance_m, radius_m, sigma_m, run_m(odds.velocity)),
        Form::Line => share_along_line(distance_m, radius_m, sigma_m),
        Form::Area => odds.beyond(radius_m - distance_m, 0.0),
    }
}

/// How far a vessel goes past something before and after it is nearest: as far as the fixes around tell of it, metres.
fn run_m(velocity: Option<(Vec2, f64)>) -> f64 {
    velocity.map_or(0.0, |(velocity, _)| velocity.norm() * BEARING_S)
}

/// What is nearest of some features.
#[derive(Debug, Clone, Copy)]
struct Nearest {
    distance_m: f64,
    form: Form,
}

/// What it is like from near by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As a buoy is.
    Point,
    /// With water or land on the other side, as a shore has.
    Line,
    /// The edge of something that counts itself, or its inside.
    Area,
}

/// The nearest edge of a piece's features, as far as odds need it, at zero inside one where a piece is about being near
/// it.
fn nearest_of_features(piece: &Piece, odds: &Odds, radius_m: f64, bench: &Bench<'_>) -> Nearest {
    let p = odds.position;
    let frame = LocalFrame::at(p);
    let here = frame.to_plane(p);
    let reach_m = radius_m + ODDS_REACH_SIGMAS * odds.position_sigma_m;
    let mut nearest = Nearest { distance_m: reach_m, form: Form::Line };
    let mut consider = |a: Position, b: Position, is_area: bool| {
        let distance_m = point_edge(here, frame.to_plane(a), frame.to_plane(b)).0;
        // The edges come in no particular order.
        if distance_m < nearest.distance_m || (distance_m == nearest.distance_m && is_area) {
            let form = if a == b { Form::Point } else { Form::Line };
            nearest = Nearest { distance_m, form: if is_area { Form::Area } else { form } };
        }
    };
    // Edges next to each other are mostly of one feature.
    let mut asked: Option<(FeatureIx, bool, bool)> = None;
    bench.waterway.edges_near(p, p, reach_m, &mut |edge| {
        let (_, is_meant, is_area) = match asked {
            Some(known) if known.0 == edge.feature => known,
            _ => {
                let feature = bench.waterway.feature(edge.feature);
                // Of the water only its edge counts.
                let is_area = feature.region.is_some() && feature.kind != ZoneKind::Waterway;
                (edge.feature, piece.features.contains(&feature.id), is_area)
            }
        };
        asked = Some((edge.feature, is_meant, is_area));
        if is_meant {
            consider(edge.a, edge.b, is_area);
        }
    });
    for mark in bench.state.laid.iter().filter(|mark| piece.features.contains(&mark.id)) {
        for (a, b) in &mark.edges {
            consider(*a, *b, mark.region.is_some());
        }
    }
    let is_near = matches!(piece.place, Place::Near { .. } | Place::SkierNear { .. });
    let mut inside = false;
    if is_near {
        bench.state.areas.near(p, p, 0.0, &mut |ix, _| {
            let feature = bench.waterway.feature(ix);
            inside |= piece.features.contains(&feature.id)
                && feature.region.as_ref().is_some_and(|region| region.contains(p));
        });
    }
    if inside { Nearest { distance_m: 0.0, form: Form::Area } } else { nearest }
}
