//! For how long each vessel could be judged of late, and why not for the rest: silence is no clean record.
//!
//! Every fix counts as it is judged, in spans of five minutes; the account begins anew with the daemon. A way counts as
//! judged when its ends are near enough to each other, until the judge says otherwise of the fix at its end.

use std::collections::{BTreeMap, VecDeque};

use crate::observation::{RefusalReason, VesselId};
use crate::time::EventTime;

/// How long a span is, seconds.
const SPAN_S: i64 = 300;
/// How many spans are kept: an hour, and the one that has just begun.
const SPANS: usize = 13;
/// Of so many fixes the way to them is remembered until the judge may say that one is refused.
const WAYS: usize = 32;

/// For how long something was judged, and for how long it was not.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Share {
    /// Judged, seconds.
    pub judged_s: f64,
    /// Between fixes too far apart, seconds.
    pub gap_s: f64,
    /// On the way of jumps that no speed explains, seconds.
    pub jump_s: f64,
    /// Outside of every waterway, seconds.
    pub off_water_s: f64,
    /// Fixes that were refused, by reason.
    pub refused: BTreeMap<RefusalReason, u64>,
}

impl Share {
    /// With another one.
    pub fn add(&mut self, other: &Self) {
        self.judged_s += other.judged_s;
        self.gap_s += other.gap_s;
        self.jump_s += other.jump_s;
        self.off_water_s += other.off_water_s;
        for (reason, count) in &other.refused {
            *self.refused.entry(*reason).or_default() += count;
        }
    }
}

/// The shares of all vessels.
#[derive(Debug, Default)]
pub(super) struct Tally {
    vessels: BTreeMap<VesselId, Account>,
}

#[derive(Debug, Default)]
struct Account {
    /// By number of the span, in order.
    spans: VecDeque<(i64, Share)>,
    /// The newest fixes, each with the one before it where that is near enough to be judged with it.
    ways: VecDeque<(EventTime, Option<EventTime>)>,
}

impl Tally {
    /// Notes a fix of a vessel that was given to the judge; ways that take longer than `max_gap_s` are not judged.
    pub fn fix(&mut self, vessel: &VesselId, t: EventTime, max_gap_s: f64) {
        if !self.vessels.contains_key(vessel) {
            self.vessels.insert(vessel.clone(), Account::default());
        }
        let Some(account) = self.vessels.get_mut(vessel) else { return };
        let last = account.ways.back().map(|(last, _)| *last);
        if last.is_some_and(|last| t <= last) {
            return;
        }
        let is_near = last.is_some_and(|last| t.seconds_since(last) <= max_gap_s);
        if let Some(last) = last {
            account.count(last, t, |share| if is_near { &mut share.judged_s } else { &mut share.gap_s }, 1.0);
        }
        account.ways.push_back((t, last.filter(|_| is_near)));
        if account.ways.len() > WAYS {
            account.ways.pop_front();
        }
    }

    /// Notes that a fix of this time was refused.
    pub fn refused(&mut self, vessel: &VesselId, t: EventTime, reason: RefusalReason) {
        let Some(account) = self.vessels.get_mut(vessel) else { return };
        *account.share(span_of(t)).refused.entry(reason).or_default() += 1;
        let seconds: fn(&mut Share) -> &mut f64 = match reason {
            RefusalReason::Implausible => |share| &mut share.jump_s,
            RefusalReason::OffWater => |share| &mut share.off_water_s,
            // The fix that came first is judged.
            _ => return,
        };
        let way = account.ways.iter_mut().rev().find(|(of, _)| *of == t);
        if let Some(from) = way.and_then(|(_, from)| from.take()) {
            account.count(from, t, |share| &mut share.judged_s, -1.0);
            account.count(from, t, seconds, 1.0);
        }
    }

    /// The share of a vessel since an instant, to a span.
    pub fn since(&self, vessel: &VesselId, from: EventTime) -> Share {
        let mut share = Share::default();
        let spans = self.vessels.get(vessel).map(|account| &account.spans).into_iter().flatten();
        spans.filter(|(span, _)| *span > span_of(from)).for_each(|(_, of_span)| share.add(of_span));
        share
    }

    /// Keeps the vessels that are asked for.
    pub fn keep(&mut self, is_kept: impl Fn(&VesselId) -> bool) {
        self.vessels.retain(|vessel, _| is_kept(vessel));
    }
}

fn span_of(t: EventTime) -> i64 {
    t.unix_ms().div_euclid(1_000 * SPAN_S)
}

impl Account {
    /// Adds the time from one instant to another, times `sign`, to the spans that it lies in. Of what is longer than an
    /// hour the end counts.
    fn count(&mut self, from: EventTime, to: EventTime, seconds: impl Fn(&mut Share) -> &mut f64, sign: f64) {
        let begin = from.max(to.plus_seconds(-((SPANS as i64 - 1) * SPAN_S) as f64));
        let (mut from_s, to_s) = (begin.unix_ms() as f64 / 1e3, to.unix_ms() as f64 / 1e3);
        while from_s < to_s {
            let span = (from_s / SPAN_S as f64).floor() as i64;
            let until_s = to_s.min(((span + 1) * SPAN_S) as f64);
            *seconds(self.share(span)) += sign * (until_s - from_s);
            from_s = until_s;
        }
    }

    fn share(&mut self, span: i64) -> &mut Share {
        let spans = &mut self.spans;
        let at = spans.partition_point(|(other, _)| *other < span);
        if spans.get(at).is_none_or(|(other, _)| *other != span) {
            spans.insert(at, (span, Share::default()));
        }
        // The oldest goes, but never the one that is asked for: a late one of long ago is the oldest itself.
        let gone = usize::from(spans.len() > SPANS && at > 0);
        if gone == 1 {
            spans.pop_front();
        }
        &mut spans[at - gone].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_shared_out_over_spans_and_the_hour_goes_on() {
        let at = |s: f64| EventTime::from_unix_ms(1_000_000_000_000).plus_seconds(s);
        let vessel = VesselId::new("a").expect("an id");
        let mut tally = Tally::default();
        for i in 0..=90 {
            tally.fix(&vessel, at(f64::from(i) * 10.0), 30.0);
        }
        tally.fix(&vessel, at(890.0), 30.0);
        tally.fix(&vessel, at(960.0), 30.0);
        tally.refused(&vessel, at(890.0), RefusalReason::Duplicate);
        let share = tally.since(&vessel, at(-600.0));
        assert_eq!((share.judged_s, share.gap_s), (900.0, 60.0));
        assert_eq!(share.refused, BTreeMap::from([(RefusalReason::Duplicate, 1)]));
        // Said later of a fix on whose way it counted: once.
        tally.refused(&vessel, at(880.0), RefusalReason::Implausible);
        tally.refused(&vessel, at(880.0), RefusalReason::Implausible);
        tally.refused(&vessel, at(960.0), RefusalReason::OffWater);
        let share = tally.since(&vessel, at(-600.0));
        assert_eq!((share.judged_s, share.jump_s, share.gap_s, share.off_water_s), (890.0, 10.0, 60.0, 0.0));
        // An hour on only what came last is left, and a way that is longer than that is cut.
        tally.fix(&vessel, at(9_000.0), 30.0);
        let share = tally.since(&vessel, at(9_000.0 - 3_600.0));
        assert_eq!((share.judged_s, share.jump_s), (0.0, 0.0));
        assert!((3_300.0..=3_600.0).contains(&share.gap_s), "{share:?}");
        assert!(tally.vessels[&vessel].spans.len() <= SPANS);
        tally.keep(|_| false);
        assert_eq!(tally.since(&vessel, at(0.0)), Share::default());
    }
}
