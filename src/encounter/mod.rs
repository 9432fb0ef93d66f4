//! Paths of vessels become encounters: when two came near, how near, and how near they were going to come.
//!
//! For reviewers; nothing here says who was wrong. An encounter is a stretch of time in which two vessels whose
//! motion is known are within a range of each other and close in at some instant of it. Between fixes both move in
//! straight lines at a steady rate, so ranges are solved, and what lies ahead ([`Look`]) is where they would
//! pass if both held on. Over a longer gap between fixes nothing is inferred and the encounter ends: a boat that lies
//! still without sending is not met here.
//!
//! The way through: `near` proposes pairs of segments, `contact` is what two of them have to do with each
//! other, [`encounters`] joins contacts that follow each other.

mod contact;
#[cfg(test)]
mod encounter_tests;
mod near;

pub use contact::{Ahead, Look};

use contact::{Contact, Segment};

use std::collections::BTreeMap;

use crate::geo::Position;
use crate::observation::VesselId;
use crate::time::EventTime;

/// The accepted fixes of a vessel in order of time.
#[derive(Debug, Clone, Copy)]
pub struct Path<'a> {
    /// Which vessel, or towed person.
    pub vessel: &'a VesselId,
    /// Behind which vessel the tracker is on a towed person, from when on, in order of time; `None` where it is on none.
    pub towers: &'a [(EventTime, Option<VesselId>)],
    /// When it was where.
    pub fixes: &'a [(EventTime, Position)],
    /// The fixes to which no path leads from the one before, by their times, in order.
    pub breaks: &'a [EventTime],
}

impl Path<'_> {
    /// The vessel that tows at an instant, where the tracker is on a towed person.
    fn tower_at(&self, t: EventTime) -> Option<&VesselId> {
        let at = self.towers.partition_point(|(from, _)| *from <= t);
        self.towers[..at].last().and_then(|(_, tower)| tower.as_ref())
    }

    /// The towing vessel or the vessel itself, at either end of a segment.
    fn parties(&self, segment: &Segment) -> [&VesselId; 2] {
        segment.map(|(t, _)| self.tower_at(t).unwrap_or(self.vessel))
    }

    /// Whether a path leads to a fix from the one `gap_s` before it.
    fn leads_to(&self, t: EventTime, gap_s: f64, max_gap_s: f64) -> bool {
        gap_s <= max_gap_s && self.breaks.binary_search(&t).is_err()
    }
}

/// What counts as an encounter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Within this range, metres.
    pub within_m: f64,
    /// Time within this range is told apart, metres.
    pub close_m: f64,
    /// The longest time between two fixes over which motion is inferred, seconds.
    pub max_gap_s: f64,
}

/// The ranges that a lake's officers look at: 100 m, and fifty feet.
const WITHIN_M: f64 = 100.0;
const CLOSE_M: f64 = 50.0 * crate::units::FOOT_M;

impl Terms {
    /// The usual ranges, with the longest gap that the rulebook infers motion over.
    pub fn usual(max_gap_s: f64) -> Self {
        Self { within_m: WITHIN_M, close_m: CLOSE_M, max_gap_s }
    }
}

/// Two vessels that came near each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Encounter {
    /// The two, in the order of their ids.
    pub vessels: [VesselId; 2],
    /// The vessel that tows, for each that is a tracker on a towed person.
    pub towed_by: [Option<VesselId>; 2],
    /// When they came within range, or were first known to be.
    pub start: EventTime,
    /// When they left it, or were last known to be in it.
    pub end: EventTime,
    /// The nearest they came.
    pub closest: Closest,
    /// For how long they were within the closer range, seconds.
    pub close_s: f64,
    /// How it stood at each fix of either.
    pub looks: Vec<Look>,
}

/// The nearest that two vessels came.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// When.
    pub t: EventTime,
    /// How near, metres.
    pub distance_m: f64,
    /// Where each of them was.
    pub positions: [Position; 2],
    /// How fast each of them went, by its positions, m/s.
    pub speeds_mps: [f64; 2],
}

/// Contacts that follow each other within this are one encounter, seconds: less than any clock of a receiver tells.
const JOINT_S: f64 = 1e-3;

/// All encounters, ordered by start, then by vessels. A towed person does not meet the towing vessel, nor others
/// behind it.
pub fn encounters(paths: &[Path<'_>], terms: &Terms) -> Vec<Encounter> {
    let mut contacts: BTreeMap<(usize, usize), Vec<Contact>> = BTreeMap::new();
    near::each_pair(paths, terms, &mut |one, other, pair| {
        let (a, b) = (&paths[one.path], &paths[other.path]);
        let segments = [one.leg(a), other.leg(b)];
        let parties = [a.parties(&segments[0]), b.parties(&segments[1])];
        if !parties[0].iter().any(|party| parties[1].contains(party))
            && let Some(contact) = Contact::of(segments, terms.within_m)
        {
            contacts.entry(pair).or_default().push(contact);
        }
    });
    let mut found = Vec::new();
    for ((a, b), mut contacts) in contacts {
        contacts.sort_by_key(|contact| (contact.from, contact.to));
        let follows = |p: &Contact, q: &Contact| q.from.seconds_since(p.to) <= JOINT_S;
        for stretch in contacts.chunk_by(follows) {
            found.extend(encounter(stretch, [&paths[a], &paths[b]], terms));
        }
    }
    found.sort_by(|p, q| (p.start, &p.vessels).cmp(&(q.start, &q.vessels)));
    found
}

/// The encounter that contacts in a row make, where the two close in at any fix of it.
fn encounter(contacts: &[Contact], paths: [&Path<'_>; 2], terms: &Terms) -> Option<Encounter> {
    let (first, last) = (contacts.first()?, contacts.last()?);
    let looks: Vec<Look> = contacts.iter().map(Contact::look).chain([last.last_look()]).collect();
    if !looks.iter().any(|look| look.ahead.is_some()) {
        return None;
    }
    let closest = contacts.iter().map(Contact::closest).min_by(|p, q| p.distance_m.total_cmp(&q.distance_m))?;
    Some(Encounter {
        vessels: paths.map(|path| path.vessel.clone()),
        towed_by: paths.map(|path| path.tower_at(closest.t).cloned()),
        start: first.from,
        end: last.to,
        closest,
        close_s: contacts.iter().map(|contact| contact.within_s(terms.close_m)).sum(),
        looks,
    })
}

/// For how long the motion of both is known at once, seconds.
pub fn common_s(a: &Path<'_>, b: &Path<'_>, max_gap_s: f64) -> f64 {
    let known = |path: &Path<'_>| -> Vec<(EventTime, EventTime)> {
        path.fixes
            .chunk_by(|p, q| path.leads_to(q.0, q.0.seconds_since(p.0), max_gap_s))
            .filter_map(|run| Some((run.first()?.0, run.last()?.0)))
            .collect()
    };
    let (mut ours, mut theirs) = (known(a).into_iter().peekable(), known(b).into_iter().peekable());
    let mut sum_s = 0.0;
    while let (Some(&p), Some(&q)) = (ours.peek(), theirs.peek()) {
        sum_s += p.1.min(q.1).seconds_since(p.0.max(q.0)).max(0.0);
        if p.1 < q.1 {
            ours.next()
        } else {
            theirs.next()
        };
    }
    sum_s
}
