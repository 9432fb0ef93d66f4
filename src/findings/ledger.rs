//! The pieces of one clause of one vessel, merged into findings.
//!
//! Pieces of the last minute or so can still change: a late fix has the legs after it judged again, which
//! takes out the pieces of those legs and puts in new ones. Older pieces are folded into the finding they
//! belong to and forgotten. What was published is remembered by its opening instant, so that a change is
//! the next revision, and a finding of which nothing is left is withdrawn.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::{Peak, Status};
use crate::observation::VesselId;
use crate::rules::{Excuse, Lasting, Limit, Place};
use crate::time::EventTime;

/// Which clause of which rule, about whom.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The rule's place in the rulebook.
    pub rule: u16,
    /// The clause's place in the rule.
    pub clause: u16,
    /// The waterway's number.
    pub water: u16,
    /// The zone whose own limit it is.
    pub zone: Option<Arc<str>>,
    /// The other vessel.
    pub other: Option<VesselId>,
}

/// One sighting, on the vessel's own clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Piece {
    /// The fix that ended the leg, by its time; judged again, the leg's pieces go.
    pub leg: EventTime,
    /// When it began.
    pub from: EventTime,
    /// When it ended.
    pub to: EventTime,
    /// What was allowed.
    pub limit: Limit,
    /// The worst instant.
    pub peak: Peak,
    /// Features involved.
    pub features: SmallVec<[Arc<str>; 2]>,
    /// Where the vessel must have been.
    pub place: Place,
    /// On what courses the clause would not be broken.
    pub excuses: Vec<Excuse>,
    /// Probability that the clause was broken here, as far as it was asked for.
    pub confidence: Option<f64>,
    /// The same as asked while the vessel was silent, where it rests on the tracks of others: they may be gone when the
    /// vessel is heard again.
    pub early: Option<f64>,
    /// Whether it goes on from the piece before it, where that was asked.
    pub follows: Option<bool>,
    /// How likely it is that the vessel tows, where it rests on that and that is only guessed.
    pub guessed: Option<f64>,
}

/// What a ledger asks of the fixes around.
pub trait Evidence {
    /// Probability that the clause was broken in a piece.
    fn odds(&mut self, piece: &Piece) -> f64;
    /// The same, where it rests on the tracks of others and those are still there.
    fn early_odds(&mut self, piece: &Piece) -> Option<f64>;
    /// Whether the errors of the positions explain that the clause was not seen broken from `end`, when a piece ended,
    /// until `next` began.
    fn explains_break(&mut self, end: EventTime, next: &Piece) -> bool;
}

/// From here on a confidence is written as 1, and asking further odds changes nothing.
const SURE: f64 = 0.9999;
/// Pieces no further apart than this are one run: the ends of legs that follow each other differ by rounding only,
/// seconds.
const UNBROKEN_S: f64 = 1e-3;
/// What rounding may take from the length of a run, seconds.
const ROUNDING_S: f64 = 1e-6;
/// How many legs later the odds of a piece are worth asking: the fixes after it bear on them too.
const RIPE_AFTER: usize = 2;
/// The fixes of several seconds make the odds of an instant, so those of another one this shortly after are
/// much the same, seconds: they are asked again only of a piece that is faster or nearer than those before.
const ASK_AGAIN_S: f64 = 3.0;

/// Settings of merging and publishing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Intervals at most this far apart are one, seconds.
    pub merge_gap_s: f64,
    /// How long after their leg pieces and their odds can still change, seconds.
    pub settled_after_s: f64,
    /// How long after its end a finding can still change: a leg that is open may have begun `max_gap` before
    /// its end, and what is seen on it may merge, seconds.
    pub final_after_s: f64,
    /// Whether findings are published before they are closed.
    pub tells_open: bool,
    /// A peak speed changed by more than this is published, m/s.
    pub step_mps: f64,
    /// A peak distance changed by more than this is published, metres.
    pub step_m: f64,
    /// A confidence changed by more than this is published.
    pub step_confidence: f64,
}

/// Merged pieces: what a finding is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merged {
    /// When the first piece began.
    pub start: EventTime,
    /// When the last one ended.
    pub end: EventTime,
    /// What was allowed at the peak.
    pub limit: Limit,
    /// The worst instant of all.
    pub peak: Peak,
    /// Features of all pieces, sorted.
    pub features: Vec<Arc<str>>,
    /// The highest confidence of all.
    pub confidence: f64,
    /// Whether all of it rests on a guess that the vessel tows.
    pub is_guessed: bool,
    /// Of which pieces the confidence was asked.
    asked: Option<Asked>,
}

/// The pieces of a finding whose odds were asked, as far as that spares asking others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Asked {
    /// The leg of the last one.
    leg: EventTime,
    /// The highest speed of any, m/s.
    speed_mps: f64,
    /// The smallest distance of any, metres.
    distance_m: f64,
}

impl Asked {
    fn of(piece: &Piece) -> Self {
        let Peak { speed_mps, distance_m, .. } = piece.peak;
        Self { leg: piece.leg, speed_mps: speed_mps.unwrap_or(0.0), distance_m: distance_m.unwrap_or(0.0) }
    }

    /// Whether a later piece can hardly have better odds than those asked before.
    fn spares(&self, piece: &Piece) -> bool {
        let other = Self::of(piece);
        other.speed_mps <= self.speed_mps
            && other.distance_m >= self.distance_m
            && other.leg.seconds_since(self.leg) < ASK_AGAIN_S
    }

    fn and(self, piece: &Piece) -> Self {
        let other = Self::of(piece);
        Self {
            leg: other.leg,
            speed_mps: self.speed_mps.max(other.speed_mps),
            distance_m: self.distance_m.min(other.distance_m),
        }
    }
}

/// What was last published under one opening instant. A withdrawn one is remembered as long as it may
/// come back, so that its revisions go on counting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Published {
    start: EventTime,
    revision: u32,
    shown: Merged,
    is_withdrawn: bool,
}

/// Something to publish.
#[derive(Debug, Clone, PartialEq)]
pub struct News {
    /// Where the finding stands now.
    pub status: Status,
    /// Its next revision.
    pub revision: u32,
    /// What it says.
    pub merged: Merged,
}

/// The pieces and findings of one key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// What it is about.
    pub key: Key,
    /// For how long the clause has to be broken to count; where that is more than an instant, what is settled are unbroken
    /// runs.
    lasting: Lasting,
    /// What no late fix can change any more, of findings that are not over yet.
    settled: Vec<Merged>,
    /// Pieces that can still change, in order of their leg.
    pieces: VecDeque<Piece>,
    /// What is settled and the pieces, merged.
    merged: Vec<Merged>,
    published: Vec<Published>,
    /// Whether `merged` has to be made anew.
    is_stale: bool,
    /// Whether anything changed since the last look.
    is_touched: bool,
}

impl Merged {
    fn of(piece: &Piece) -> Self {
        let mut features = piece.features.to_vec();
        features.sort();
        features.dedup();
        Self {
            start: piece.from,
            end: piece.to,
            limit: piece.limit,
            peak: piece.peak.clone(),
            features,
            confidence: piece.confidence.unwrap_or(0.0),
            is_guessed: piece.guessed.is_some(),
            asked: None,
        }
    }

    /// Whether a piece begins at most `gap_s` after this ended.
    fn is_within(&self, piece: &Piece, gap_s: f64) -> bool {
        piece.from.seconds_since(self.end) <= gap_s
    }

    fn join(&mut self, piece: &Piece) {
        self.start = self.start.min(piece.from);
        self.end = self.end.max(piece.to);
        if worse(&piece.peak, &piece.limit, &self.peak, &self.limit) {
            self.peak = piece.peak.clone();
            self.limit = piece.limit;
        }
        for feature in &piece.features {
            if let Err(at) = self.features.binary_search(feature) {
                self.features.insert(at, feature.clone());
            }
        }
        self.confidence = self.confidence.max(piece.confidence.unwrap_or(0.0));
        self.is_guessed &= piece.guessed.is_some();
    }

    /// Takes over a later one.
    fn absorb(&mut self, later: Self) {
        self.end = self.end.max(later.end);
        if worse(&later.peak, &later.limit, &self.peak, &self.limit) {
            self.peak = later.peak;
            self.limit = later.limit;
        }
        for feature in later.features {
            if let Err(at) = self.features.binary_search(&feature) {
                self.features.insert(at, feature);
            }
        }
        self.confidence = self.confidence.max(later.confidence);
        self.is_guessed &= later.is_guessed;
    }
}

/// Whether one peak is worse than another: by speed excess where speed is limited, else further off the direction
/// of travel; then nearer, then earlier. What only rounding tells apart is equal: of a steady run the nearest instant
/// is the worst, not a random one.
fn worse(a: &Peak, a_limit: &Limit, b: &Peak, b_limit: &Limit) -> bool {
    let excess = |peak: &Peak, limit: &Limit| match (limit.speed_mps, peak.speed_mps) {
        (Some(limit_mps), Some(speed_mps)) => ((speed_mps - limit_mps) * 1e6).round(),
        _ => 0.0,
    };
    let astray = |peak: &Peak| (peak.off_course_deg.unwrap_or(0.0) * 1e3).round();
    let far = |peak: &Peak| (peak.distance_m.unwrap_or(0.0) * 1e3).round();
    excess(b, b_limit)
        .total_cmp(&excess(a, a_limit))
        .then(astray(b).total_cmp(&astray(a)))
        .then(far(a).total_cmp(&far(b)))
        .then(a.t.cmp(&b.t))
        .is_lt()
}

impl Ledger {
    /// An empty ledger of a clause that has to be broken for so long to count.
    pub fn new(key: Key, lasting: Lasting) -> Self {
        Self {
            key,
            lasting,
            settled: Vec::new(),
            pieces: VecDeque::new(),
            merged: Vec::new(),
            published: Vec::new(),
            is_stale: false,
            is_touched: false,
        }
    }

    /// Bytes held, as far as they can be counted.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.pieces.capacity() * size_of::<Piece>()
            + (self.settled.capacity() + self.merged.capacity()) * size_of::<Merged>()
            + self.published.capacity() * size_of::<Published>()
    }

    /// When the last leg ended of which there is a piece that can still change.
    pub fn last_leg(&self) -> Option<EventTime> {
        self.pieces.back().map(|last| last.leg)
    }

    /// Whether nothing is in it and nothing was published that is still open.
    pub fn is_empty(&self) -> bool {
        self.settled.is_empty() && self.merged.is_empty() && self.pieces.is_empty() && self.published.is_empty()
    }

    /// Takes out the pieces of legs that end at or after `t`: those legs are about to be judged again.
    pub fn forget_from(&mut self, t: EventTime) {
        if self.pieces.back().is_none_or(|last| last.leg < t) {
            return;
        }
        let keep = self.pieces.partition_point(|piece| piece.leg < t);
        self.pieces.truncate(keep);
        self.is_stale = true;
        self.is_touched = true;
    }

    /// Puts in a piece, behind those of earlier legs.
    pub fn add(&mut self, piece: Piece, terms: &Terms) {
        self.is_touched = true;
        let at = self.pieces.partition_point(|other| (other.leg, other.from) <= (piece.leg, piece.from));
        let begins_last = || self.pieces.iter().rev().all(|other| other.from <= piece.from);
        let is_last = at == self.pieces.len() && !self.is_stale && begins_last();
        if terms.tells_open && is_last && !self.has_to_last() {
            let joins = self.merged.last().is_some_and(|last| last.is_within(&piece, terms.merge_gap_s));
            fold(&mut self.merged, &piece, joins);
        } else {
            self.is_stale = true;
        }
        self.pieces.insert(at, piece);
    }

    /// Asks for the odds of what is not settled yet while the tracks of others on which they rest are still there.
    pub fn ask_early(&mut self, evidence: &mut impl Evidence) {
        for piece in &mut self.pieces {
            piece.early = evidence.early_odds(piece).or(piece.early);
        }
    }

    /// When it has to be looked at, even where nothing is put in: something is over or settled then.
    pub fn due(&self, terms: &Terms) -> EventTime {
        let findings = if terms.tells_open && !self.has_to_last() { &self.merged } else { &self.settled };
        let over = findings.iter().map(|merged| merged.end.plus_seconds(terms.final_after_s));
        let settled = self.pieces.front().map(|piece| piece.leg.plus_seconds(terms.settled_after_s));
        over.chain(settled).min().unwrap_or(EventTime::MAX)
    }

    /// Settles what cannot change any more, and says what is new. `now` is the newest time of the vessel;
    /// `None` ends everything.
    ///
    /// `evidence` is asked for the confidence of a piece: once it is settled, for good; before that only for
    /// what is shown while the finding is open.
    pub fn look(
        &mut self,
        now: Option<EventTime>,
        terms: &Terms,
        evidence: &mut impl Evidence,
        mut news: impl FnMut(News),
    ) {
        let is_over = |end: EventTime| now.is_none_or(|now| now.seconds_since(end) > terms.final_after_s);
        self.settle(now, terms, evidence);
        if !terms.tells_open {
            self.close_settled(terms, is_over, news);
            return;
        }
        self.published.retain(|p| !(p.is_withdrawn && is_over(p.shown.end)));
        if !self.is_touched && !self.merged.iter().any(|merged| is_over(merged.end)) {
            self.forget_settled(is_over);
            return;
        }
        self.is_touched = false;
        if std::mem::take(&mut self.is_stale) {
            self.merge_anew(terms, evidence);
        }
        self.ask_for_now(evidence);

        // What was published and is not there any more goes first.
        for p in self.published.iter_mut().filter(|p| !p.is_withdrawn) {
            if !self.merged.iter().any(|m| m.start.unix_ms() == p.start.unix_ms()) {
                p.revision += 1;
                p.is_withdrawn = true;
                news(News { status: Status::Withdrawn, revision: p.revision, merged: p.shown.clone() });
            }
        }
        for merged in &self.merged {
            // An id knows the opening instant to the millisecond.
            let before = self.published.iter().position(|p| p.start.unix_ms() == merged.start.unix_ms());
            let revision = before.map_or(1, |at| self.published[at].revision + 1);
            if is_over(merged.end) {
                // All its pieces are settled: the odds are those, not what was shown in the meantime.
                let settled = self.settled.iter().find(|settled| settled.start == merged.start);
                let mut merged = if self.has_to_last() { merged } else { settled.unwrap_or(merged) }.clone();
                if self.has_to_last() {
                    let of_it = |s: &&Merged| merged.start <= s.start && s.end <= merged.end;
                    let settled = self.settled.iter().filter(of_it).map(|settled| settled.confidence);
                    merged.confidence = settled.reduce(f64::max).unwrap_or(merged.confidence);
                }
                news(News { status: Status::Closed, revision, merged });
                if let Some(at) = before {
                    self.published.remove(at);
                }
            } else if before.is_none_or(|at| self.published[at].differs_from(merged, terms)) {
                news(News { status: Status::Open, revision, merged: merged.clone() });
                let shown = merged.clone();
                let now_shown = Published { start: merged.start, revision, shown, is_withdrawn: false };
                match before {
                    Some(at) => self.published[at] = now_shown,
                    None => self.published.push(now_shown),
                }
            }
        }

        // Forget what is over.
        self.merged.retain(|merged| !is_over(merged.end));
        self.forget_settled(is_over);
    }

    /// Forgets what is settled of findings that are over, and what can become none any more.
    fn forget_settled(&mut self, is_over: impl Fn(EventTime) -> bool) {
        let merged = &self.merged;
        self.settled.retain(|settled| {
            !is_over(settled.end) || merged.iter().any(|m| m.start <= settled.end && settled.start <= m.end)
        });
    }

    /// Tells the settled findings that are over, of a ledger that tells nothing before, and forgets them.
    fn close_settled(&mut self, terms: &Terms, is_over: impl Fn(EventTime) -> bool, mut news: impl FnMut(News)) {
        let mut tell = |merged| news(News { status: Status::Closed, revision: 1, merged });
        if !self.has_to_last() {
            self.settled.extract_if(.., |settled| is_over(settled.end)).for_each(tell);
            return;
        }
        let (over, open): (Vec<Merged>, Vec<Merged>) =
            self.lasting(self.settled.clone(), terms).into_iter().partition(|found| is_over(found.end));
        over.into_iter().for_each(&mut tell);
        let goes_on = |run: &Merged| open.iter().any(|found| found.start <= run.start && run.end <= found.end);
        self.settled.retain(|run| !is_over(run.end) || goes_on(run));
    }

    /// The findings of runs: of those that last long enough, the ones close in time made one.
    fn lasting(&self, runs: Vec<Merged>, terms: &Terms) -> Vec<Merged> {
        let lasting_s = self.lasting.s - ROUNDING_S;
        let mut found: Vec<Merged> = Vec::new();
        for run in runs.into_iter().filter(|run| run.end.seconds_since(run.start) >= lasting_s) {
            match found.last_mut() {
                Some(last) if run.start.seconds_since(last.end) <= terms.merge_gap_s => last.absorb(run),
                _ => found.push(run),
            }
        }
        found
    }

    /// Folds the pieces that cannot change any more into the findings they belong to. Whether there is
    /// anything to tell or not: the track forgets at the same time what their odds would need.
    fn settle(&mut self, now: Option<EventTime>, terms: &Terms, evidence: &mut impl Evidence) {
        let settles = |piece: &Piece| now.is_none_or(|now| now.seconds_since(piece.leg) > terms.settled_after_s);
        while self.pieces.front().is_some_and(settles) {
            let Some(mut piece) = self.pieces.pop_front() else { break };
            // What the fixes around say now is for good, whatever was thought before they were all there.
            piece.follows = None;
            if self.has_to_last() {
                self.is_stale = true;
                self.is_touched = true;
            }
            let last = self.settled.last();
            let joins = last.filter(|last| belongs(last, &mut piece, &self.lasting, terms, evidence));
            let asked = joins.and_then(|last| last.asked);
            let is_spared =
                joins.is_some_and(|last| last.confidence >= SURE) || asked.is_some_and(|a| a.spares(&piece));
            piece.confidence = if is_spared { None } else { Some(evidence.odds(&piece)) };
            let is_joined = joins.is_some();
            fold(&mut self.settled, &piece, is_joined);
            if let Some(last) = self.settled.last_mut().filter(|_| !is_spared) {
                last.asked = Some(asked.map_or(Asked::of(&piece), |asked| asked.and(&piece)));
            }
        }
    }

    /// Asks for the odds that are shown while a finding is open: of its first piece when it opens, then every
    /// [`ASK_AGAIN_S`] of a piece whose next fixes are known.
    fn ask_for_now(&mut self, evidence: &mut impl Evidence) {
        for merged in self.merged.iter_mut().filter(|merged| merged.confidence < SURE) {
            let mut of_it = self.pieces.iter_mut().rev().filter(|p| merged.start <= p.from && p.to <= merged.end);
            let asked = if merged.confidence == 0.0 { of_it.next() } else { of_it.nth(RIPE_AFTER) };
            let last_asked = of_it.find(|piece| piece.confidence.is_some()).map(|piece| piece.leg);
            let is_time = |piece: &Piece| last_asked.is_none_or(|t| piece.leg.seconds_since(t) >= ASK_AGAIN_S);
            if let Some(piece) = asked.filter(|piece| piece.confidence.is_none() && is_time(piece)) {
                let confidence = evidence.odds(piece);
                piece.confidence = Some(confidence);
                merged.confidence = merged.confidence.max(confidence);
            }
        }
    }

    fn merge_anew(&mut self, terms: &Terms, evidence: &mut impl Evidence) {
        self.merged.clear();
        self.merged.extend_from_slice(&self.settled);
        let mut order: Vec<usize> = (0..self.pieces.len()).collect();
        order.sort_by_key(|&i| (self.pieces[i].from, self.pieces[i].to));
        for i in order {
            let piece = &mut self.pieces[i];
            let last = self.merged.last();
            let joins = last.is_some_and(|last| belongs(last, piece, &self.lasting, terms, evidence));
            fold(&mut self.merged, piece, joins);
        }
        if self.has_to_last() {
            let runs = std::mem::take(&mut self.merged);
            self.merged = self.lasting(runs, terms);
        }
    }

    fn has_to_last(&self) -> bool {
        self.lasting.s > 0.0
    }
}

/// Whether a piece belongs to what was merged before it. Of a clause that has to be broken for a time without a break
/// it does where there is none, or only one that the errors of the positions explain, if such are bridged.
fn belongs(last: &Merged, piece: &mut Piece, lasting: &Lasting, terms: &Terms, evidence: &mut impl Evidence) -> bool {
    let is_within = last.is_within(piece, terms.merge_gap_s);
    if lasting.s <= 0.0 || !is_within || last.is_within(piece, UNBROKEN_S) {
        return is_within;
    }
    if !lasting.is_bridged {
        return false;
    }
    let follows = piece.follows.unwrap_or_else(|| evidence.explains_break(last.end, piece));
    piece.follows = Some(follows);
    follows
}

fn fold(groups: &mut Vec<Merged>, piece: &Piece, joins: bool) {
    match groups.last_mut() {
        Some(last) if joins => last.join(piece),
        _ => groups.push(Merged::of(piece)),
    }
}

impl Published {
    fn differs_from(&self, merged: &Merged, terms: &Terms) -> bool {
        self.is_withdrawn || differs(merged, &self.shown, terms)
    }
}

/// Whether what is shown now differs from what was shown by more than the publishing steps.
fn differs(now: &Merged, shown: &Merged, terms: &Terms) -> bool {
    let moved = |a: Option<f64>, b: Option<f64>, step: f64| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() > step,
        (a, b) => a.is_some() != b.is_some(),
    };
    moved(now.peak.speed_mps, shown.peak.speed_mps, terms.step_mps)
        || moved(now.peak.distance_m, shown.peak.distance_m, terms.step_m)
        || (now.confidence - shown.confidence).abs() > terms.step_confidence
}
