//! Local clocks: what a clock on the shore shows, across the nights in which the clocks change.

use chrono::{DateTime, Days, LocalResult, NaiveDate, NaiveTime, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use smallvec::{SmallVec, smallvec};

use crate::geo::{Span, Spans};
use crate::time::EventTime;

const DAY_S: i64 = 86_400;

/// A stretch in which local time runs a fixed number of seconds ahead of UTC.
#[derive(Debug, Clone, Copy)]
struct Piece {
    from: EventTime,
    to: EventTime,
    ahead_s: i64,
}

/// Seconds by which local time is ahead of UTC.
fn ahead_s(tz: Tz, t: EventTime) -> i64 {
    tz.offset_from_utc_datetime(&t.to_chrono().naive_utc()).fix().local_minus_utc().into()
}

/// Cuts `from ..= to` where the clocks change.
fn pieces(tz: Tz, from: EventTime, to: EventTime) -> SmallVec<[Piece; 1]> {
    let mut pieces: SmallVec<[Piece; 1]> = smallvec![Piece { from, to, ahead_s: ahead_s(tz, from) }];
    let mut low = from;
    let mut low_ahead_s = pieces[0].ahead_s;
    while low < to {
        // No zone changes its clocks twice within a day.
        let high = low.plus_seconds(DAY_S as f64).min(to);
        let high_ahead_s = ahead_s(tz, high);
        if high_ahead_s != low_ahead_s {
            let change = first_with(tz, high_ahead_s, low, high);
            if let Some(last) = pieces.last_mut() {
                last.to = change;
            }
            pieces.push(Piece { from: change, to, ahead_s: high_ahead_s });
        }
        (low, low_ahead_s) = (high, high_ahead_s);
    }
    pieces
}

/// The whole second in `low ..= high` from which local time is `wanted_s` ahead.
fn first_with(tz: Tz, wanted_s: i64, low: EventTime, high: EventTime) -> EventTime {
    const SECOND_NS: i64 = 1_000_000_000;
    let (mut before, mut after) = (low.unix_ns().div_euclid(SECOND_NS), high.unix_ns().div_euclid(SECOND_NS));
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        if ahead_s(tz, EventTime::from_unix_ns(middle.saturating_mul(SECOND_NS))) == wanted_s {
            after = middle;
        } else {
            before = middle;
        }
    }
    EventTime::from_unix_ns(after.saturating_mul(SECOND_NS)).clamp(low, high)
}

/// The stretches of `from ..= to`, in seconds since `from`, that lie in the minutes which `open` names
/// for each local date: from and to, counted from the midnight that begins it, at most 48 hours on.
pub(super) fn daily_spans(
    tz: Tz,
    from: EventTime,
    to: EventTime,
    open: impl Fn(NaiveDate) -> Option<(i64, i64)>,
) -> Spans {
    let mut spans = Spans::none();
    for piece in pieces(tz, from, to) {
        let (piece_from_s, piece_to_s) = (piece.from.seconds_since(from), piece.to.seconds_since(from));
        let local_day = |t: EventTime| (t.to_chrono().timestamp() + piece.ahead_s).div_euclid(DAY_S);
        for day in local_day(piece.from) - 1..=local_day(piece.to) {
            let date = i32::try_from(day).ok().and_then(NaiveDate::from_epoch_days);
            let Some((from_min, to_min)) = date.and_then(&open) else { continue };
            let since_from_s = |minute: i64| {
                let utc_s = i128::from(day * DAY_S + minute * 60 - piece.ahead_s);
                (utc_s * 1_000_000_000 - i128::from(from.unix_ns())) as f64 / 1e9
            };
            let (open_s, shut_s) = (since_from_s(from_min), since_from_s(to_min));
            // A window that only begins where the clocks change away from it was never open.
            if (open_s >= piece_to_s && piece.to < to) || (shut_s <= piece_from_s && piece.from > from) {
                continue;
            }
            if let Some(span) = Span::new(open_s.max(piece_from_s), shut_s.min(piece_to_s)) {
                spans.add(span);
            }
        }
    }
    spans
}

/// When a clock first shows `minute` on that date, or jumps over it.
fn showing(tz: Tz, date: NaiveDate, minute: u16) -> Option<EventTime> {
    let local = date.and_time(NaiveTime::MIN) + TimeDelta::minutes(minute.into());
    let utc: DateTime<Utc> = match tz.from_local_datetime(&local) {
        LocalResult::Single(t) | LocalResult::Ambiguous(t, _) => t.to_utc(),
        LocalResult::None => {
            let around = |days: i64| EventTime::from_chrono((local + TimeDelta::days(days)).and_utc());
            let pieces = pieces(tz, around(-1)?, around(1)?);
            return pieces.get(1).map(|piece| piece.from);
        }
    };
    EventTime::from_chrono(utc)
}

/// When a date begins by the clocks of a zone; `None` beyond the times that can be told.
pub fn midnight(tz: Tz, date: NaiveDate) -> Option<EventTime> {
    showing(tz, date, 0)
}

/// The dates on which a clock could show something within a day of `t`, in order.
fn dates_around(tz: Tz, t: EventTime) -> impl DoubleEndedIterator<Item = NaiveDate> {
    let today = t.to_chrono().with_timezone(&tz).date_naive();
    let first = today.checked_sub_days(Days::new(2)).unwrap_or(today);
    (0..5).filter_map(move |days| first.checked_add_days(Days::new(days)))
}

/// The last time at or before `t` at which a clock first showed `minute`.
pub(super) fn last_showing(tz: Tz, minute: u16, t: EventTime) -> Option<EventTime> {
    dates_around(tz, t).rev().filter_map(|date| showing(tz, date, minute)).find(|&shown| shown <= t)
}

/// The first time after `t` at which a clock first shows `minute`.
pub(super) fn next_showing(tz: Tz, minute: u16, t: EventTime) -> Option<EventTime> {
    dates_around(tz, t).filter_map(|date| showing(tz, date, minute)).find(|&shown| shown > t)
}
