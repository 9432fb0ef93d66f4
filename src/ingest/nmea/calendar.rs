//! On which day a time of day was: dates carried from one sentence to the next, over midnight, and out of old weeks.

use chrono::{Datelike, NaiveDate};

use super::gnss::SECOND_NS;
use crate::time::EventTime;

const HOUR_NS: i64 = 3600 * SECOND_NS;
const DAY_NS: i64 = 24 * HOUR_NS;

/// GPS counts weeks in ten bits: a receiver that has not been told is 1024 weeks behind after each time round.
const ROLLOVER_DAYS: i64 = 1024 * 7;

/// A day as a number, counted from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i64);

impl Day {
    /// When the week number first came round, 22 August 1999: the GPS logs of the time before are few, and the
    /// receivers that show it now are many.
    pub const FIRST_ROLLOVER: Self = Self(10_825);

    /// The day called `date`.
    pub fn of(date: NaiveDate) -> Self {
        const OF_1970: i64 = 719_163;
        Self(i64::from(date.num_days_from_ce()) - OF_1970)
    }

    /// The day that `t` lies on.
    pub const fn at(t: EventTime) -> Self {
        Self(t.unix_ns().div_euclid(DAY_NS))
    }

    /// The day on which a time of day lies nearest to `t`.
    pub const fn nearest(t: EventTime, time_ns: i64) -> Self {
        let later_ns = time_ns - t.unix_ns().rem_euclid(DAY_NS);
        let day = Self::at(t);
        if later_ns > 12 * HOUR_NS {
            Self(day.0 - 1)
        } else if later_ns < -12 * HOUR_NS {
            Self(day.0 + 1)
        } else {
            day
        }
    }

    /// The instant so many nanoseconds after its midnight, held at the ends of the range.
    pub const fn plus_ns(self, since_midnight_ns: i64) -> EventTime {
        EventTime::from_unix_ns(self.0.saturating_mul(DAY_NS).saturating_add(since_midnight_ns))
    }

    /// How many days it lies after another.
    pub const fn days_after(self, other: Self) -> i64 {
        self.0 - other.0
    }

    /// So many days later.
    pub const fn plus_days(self, days: i64) -> Self {
        Self(self.0 + days)
    }

    /// This day, or where it lies whole rollovers before `reference` (to within a day), the day it must have been.
    pub const fn out_of_old_weeks(self, reference: Self) -> Self {
        let behind = reference.0 - self.0;
        let rounds = (behind + ROLLOVER_DAYS / 2).div_euclid(ROLLOVER_DAYS);
        let rest = behind - rounds * ROLLOVER_DAYS;
        if rounds > 0 && rest >= -1 && rest <= 1 { Self(self.0 + rounds * ROLLOVER_DAYS) } else { self }
    }

    /// The day of a time that comes after `before_ns` of this day in a log: the next where it is more than an hour
    /// earlier in the day, the one before where it is more than 23 hours later. In between a log steps back a
    /// little, or forward.
    pub const fn of_next(self, before_ns: i64, next_ns: i64) -> Self {
        if next_ns < before_ns - HOUR_NS {
            Self(self.0 + 1)
        } else if next_ns > before_ns + 23 * HOUR_NS {
            Self(self.0 - 1)
        } else {
            self
        }
    }

    /// The day of a time that comes before `after_ns` of this day in a log, by the same rule.
    pub const fn of_previous(self, previous_ns: i64, after_ns: i64) -> Self {
        if after_ns < previous_ns - HOUR_NS {
            Self(self.0 - 1)
        } else if after_ns > previous_ns + 23 * HOUR_NS {
            Self(self.0 + 1)
        } else {
            self
        }
    }
}

/// Which day it is in a log, as far as that is known.
#[derive(Debug, Clone, Default)]
pub struct Calendar {
    last: Option<(Day, i64)>,
    /// The day of the first time of day, as the user says.
    hint: Option<Day>,
}

impl Calendar {
    /// For a log of which the first time of day is on `hint`, where it does not say.
    pub fn new(hint: Option<NaiveDate>) -> Self {
        Self { last: None, hint: hint.map(Day::of) }
    }

    /// What the user said.
    pub fn hint(&self) -> Option<Day> {
        self.hint
    }

    /// The day of a time of day, where `said` does not say, without remembering it.
    pub fn day_of(&self, time_ns: i64, said: Option<Day>) -> Option<Day> {
        said.or_else(|| match self.last {
            Some((day, before_ns)) => Some(day.of_next(before_ns, time_ns)),
            None => self.hint,
        })
    }

    /// Remembers that this was the last time of day.
    pub fn pass(&mut self, day: Day, time_ns: i64) {
        self.last = Some((day, time_ns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(year: i32, month: u32, day: u32) -> Day {
        Day::of(NaiveDate::from_ymd_opt(year, month, day).expect("a date"))
    }

    #[test]
    fn days_are_carried_over_midnight() {
        let hour = |h: f64| (h * HOUR_NS as f64) as i64;
        let mut calendar = Calendar::new(NaiveDate::from_ymd_opt(2026, 7, 4));
        for (at, said, expected) in [
            (6.0, None, day(2026, 7, 4)),
            (19.5, None, day(2026, 7, 4)),
            (23.999, None, day(2026, 7, 4)),
            (0.0, None, day(2026, 7, 5)),
            (23.9995, None, day(2026, 7, 4)),
            (0.001, None, day(2026, 7, 5)),
            (12.0, Some(day(2026, 8, 1)), day(2026, 8, 1)),
            (11.9, None, day(2026, 8, 1)),
        ] {
            let found = calendar.day_of(hour(at), said).expect("a day");
            assert_eq!(found, expected, "{at}");
            calendar.pass(found, hour(at));
        }
        assert_eq!(day(2026, 7, 5).of_previous(hour(23.9), hour(0.1)), day(2026, 7, 4));
        assert_eq!(Calendar::new(None).day_of(0, None), None);
    }

    #[test]
    fn the_day_is_that_of_the_arrival() {
        for (arrival, hour, expected) in [
            ("2026-07-04T20:15:03Z", 20, day(2026, 7, 4)),
            ("2026-07-05T00:00:01Z", 23, day(2026, 7, 4)),
            ("2026-07-04T23:59:59Z", 0, day(2026, 7, 5)),
        ] {
            let arrival = EventTime::parse_rfc3339(arrival).expect("a time");
            assert_eq!(Day::nearest(arrival, hour * HOUR_NS), expected, "{arrival}");
        }
    }

    #[test]
    fn old_weeks_are_mended_where_the_day_is_known() {
        let today = day(2026, 7, 4);
        assert_eq!(day(2006, 11, 18).out_of_old_weeks(today), today);
        assert_eq!(day(2006, 11, 17).out_of_old_weeks(today), day(2026, 7, 3));
        assert_eq!(day(1987, 4, 4).out_of_old_weeks(today), today);
        assert_eq!(day(2006, 11, 11).out_of_old_weeks(today), day(2006, 11, 11), "a week off is another thing");
        assert_eq!(today.out_of_old_weeks(day(2006, 11, 18)), today);
        assert_eq!(Day::FIRST_ROLLOVER, day(1999, 8, 22));
        assert_eq!(Day::at(EventTime::from_unix_ns(-1)), day(1969, 12, 31));
    }
}
