//! When a limit holds: by the sun, the clock, the season, the day of the week, or several of them.
//!
//! A text such as `"from 30 min after sunset to 30 min before sunrise"` becomes a [`Window`], and a
//! window becomes the [`Spans`] of a stretch of time in which it is open. Where the sun stands is
//! somebody else's work, asked through [`Sky`].
//!
//! What can be written:
//!
//! | text | open |
//! | --- | --- |
//! | `always` | at all times |
//! | `from 20:00 to 11:00` | by the clock of the rulebook's time zone, across midnight where reversed |
//! | `from 30 min after sunset to 30 min before sunrise` | by the sun at the place asked about |
//! | `from 1 h before sunset to 09:30` | by both |
//! | `from earliest of 20:00, sunset to 11:00` | from whichever comes first (`latest of`: last) |
//! | `from 11-01 to 03-31` | whole days of every year, both included, across the new year where reversed |
//! | `on sat, sun` | whole days of the week |
//! | `from 05-15 to 09-15 and on sat` | where all of them are open |
//!
//! ```
//! # use buoyline::window::Window;
//! let window: Window = "from 11-01 to 03-31 and from 20:00 to 11:00".parse()?;
//! assert!(!window.needs_sun());
//! # Ok::<(), buoyline::window::WindowError>(())
//! ```

mod clock;
mod text;
#[cfg(test)]
mod window_tests;

use chrono::Datelike;
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use crate::geo::{Position, Span, Spans};
use crate::time::EventTime;
use crate::units::TimeSpan;
pub use clock::midnight;
pub use text::WindowError;

/// Two ends that follow each other by more than this within one day have passed each other: where
/// the sun sets after 22:00, nothing lies "from sunset to 22:00". See [`Window::spans`].
const ENDS_CROSSED_S: std::ops::Range<f64> = 21.0 * 3600.0..27.0 * 3600.0;

/// Where the sun is. `crate::sun` implements it; tests have skies of their own.
pub trait Sky {
    /// The stretches of `from ..= to`, in seconds since `from`, in which the sun has been down during
    /// all of `[t - after_s, t + before_s]` at `place`.
    ///
    /// A negative offset widens its end: from `sunset + after_s` to `sunrise - before_s`, literally.
    fn night(&self, after_s: f64, before_s: f64, place: Position, from: EventTime, to: EventTime) -> Spans;

    /// The last sunrise (`rising`) or sunset at or before `t`, and the first one after `t`; `None`
    /// where there is none for months, as in a polar day.
    fn event_near(&self, rising: bool, place: Position, t: EventTime) -> (Option<EventTime>, Option<EventTime>);

    /// Whether it can be told for less that [`Sky::night`] is nothing anywhere in a neighbourhood.
    fn is_day(&self, after_s: f64, before_s: f64, near: &Neighbourhood) -> bool {
        let _ = (after_s, before_s, near);
        false
    }
}

/// Places around one, for a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbourhood {
    /// The middle.
    pub centre: Position,
    /// How many degrees of latitude and longitude together places lie from there at most: no less than along the great
    /// circle.
    pub reach_deg: f64,
    /// From when.
    pub from: EventTime,
    /// Until when.
    pub to: EventTime,
}

/// When a limit holds. Everything in it must be true at once; empty, it is always open.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Window {
    terms: Vec<Term>,
}

/// One condition of a window.
#[derive(Debug, Clone, PartialEq)]
enum Term {
    /// Whole days from one date to another, both included, across the new year where they are reversed.
    Season(MonthDay, MonthDay),
    /// Whole days of the week; bit 0 is Monday.
    Weekdays(u8),
    /// From each time one end comes until the other does.
    Between(End, End),
}

/// A day of every year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MonthDay {
    month: u32,
    day: u32,
}

/// One end of a stretch: a moment, or the first or last of several.
#[derive(Debug, Clone, PartialEq)]
enum End {
    One(Moment),
    Earliest(Vec<Moment>),
    Latest(Vec<Moment>),
}

/// A moment of every day.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Moment {
    /// Minutes after midnight of the rulebook's time zone, up to 24:00.
    Clock(u16),
    /// So long before or after the sun rises or sets.
    Sun { rising: bool, before: bool, offset: Option<TimeSpan> },
}

impl Moment {
    /// Seconds after sunrise or sunset; negative before.
    fn sun_offset_s(self) -> f64 {
        match self {
            Self::Clock(_) | Self::Sun { offset: None, .. } => 0.0,
            Self::Sun { before, offset: Some(offset), .. } => {
                if before {
                    -offset.s()
                } else {
                    offset.s()
                }
            }
        }
    }
}

impl End {
    fn moments(&self) -> &[Moment] {
        match self {
            Self::One(moment) => std::slice::from_ref(moment),
            Self::Earliest(moments) | Self::Latest(moments) => moments,
        }
    }
}

/// What a window is asked about.
struct Asked<'a> {
    sky: &'a dyn Sky,
    tz: Tz,
    place: Position,
    from: EventTime,
    to: EventTime,
}

impl Window {
    /// The window that is always open.
    pub const fn always() -> Self {
        Self { terms: Vec::new() }
    }

    /// Reads a window, ignoring case and spare blanks.
    ///
    /// # Errors
    /// [`WindowError`] says which part is no window and how to write one.
    pub fn parse(text: &str) -> Result<Self, WindowError> {
        text.parse()
    }

    /// Whether it is open at all times.
    pub fn is_always(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether it depends on where the sun is, and so on the place.
    pub fn needs_sun(&self) -> bool {
        self.terms.iter().any(|term| match term {
            Term::Between(from, to) => {
                from.moments().iter().chain(to.moments()).any(|m| matches!(m, Moment::Sun { .. }))
            }
            Term::Season(..) | Term::Weekdays(_) => false,
        })
    }

    /// The stretches of `from ..= to` in which it is open, in seconds since `from`; none where `to` is
    /// earlier. Laws mean half-open stretches: at 11:00 a window "to 11:00" is shut, and so is one that
    /// is asked about that instant alone. Spans are closed, so that one which ends at 11:00 has that end.
    ///
    /// A clock window is open while a clock on the shore in `tz` shows a time within it: in the night
    /// the clocks go back the repeated hour counts twice, in the night they go forward the skipped one
    /// not at all. Where clock and sun are mixed, it is open from each coming of its first end until
    /// the next coming of its second; ends that have passed each other leave no window that day.
    pub fn spans(&self, sky: &dyn Sky, tz: Tz, place: Position, from: EventTime, to: EventTime) -> Spans {
        let Some(whole) = Span::new(0.0, to.seconds_since(from)) else { return Spans::none() };
        if self.is_always() {
            return Spans::one(whole);
        }
        if from == to {
            // An instant is in the window if what follows it is.
            let next = self.open_spans(sky, tz, place, from, from.plus_seconds(1.0));
            return if next.contains(0.0) { Spans::one(whole) } else { Spans::none() };
        }
        self.open_spans(sky, tz, place, from, to)
    }

    /// Whether it can be told for less that it is shut all the time anywhere in a neighbourhood.
    pub fn is_shut(&self, sky: &dyn Sky, tz: Tz, near: &Neighbourhood) -> bool {
        // An instant is in a window if what follows it is.
        let near = Neighbourhood { to: near.to.plus_seconds(1.0), ..*near };
        let asked = Asked { sky, tz, place: near.centre, from: near.from, to: near.to };
        self.terms.iter().any(|term| match term {
            Term::Season(..)
            | Term::Weekdays(_)
            | Term::Between(End::One(Moment::Clock(_)), End::One(Moment::Clock(_))) => asked.term(term).is_empty(),
            Term::Between(
                End::One(set @ Moment::Sun { rising: false, .. }),
                End::One(rise @ Moment::Sun { rising: true, .. }),
            ) => sky.is_day(set.sun_offset_s(), -rise.sun_offset_s(), &near),
            Term::Between(..) => false,
        })
    }

    /// As [`Window::spans`], without what is open for an instant only: there two half-open stretches
    /// touch and nothing lies in both.
    fn open_spans(&self, sky: &dyn Sky, tz: Tz, place: Position, from: EventTime, to: EventTime) -> Spans {
        let asked = Asked { sky, tz, place, from, to };
        let mut open = Spans::one(asked.whole());
        for term in &self.terms {
            open = open.intersect(&asked.term(term));
            if open.is_empty() {
                break;
            }
        }
        let is_instant = |span: Span| span.from_s == span.to_s;
        if open.iter().any(is_instant) { open.iter().filter(|&span| !is_instant(span)).collect() } else { open }
    }
}

impl Asked<'_> {
    fn whole(&self) -> Span {
        Span { from_s: 0.0, to_s: self.to.seconds_since(self.from) }
    }

    fn term(&self, term: &Term) -> Spans {
        match term {
            Term::Season(first, last) => self.days(|date| {
                let day = MonthDay { month: date.month(), day: date.day() };
                if first <= last { *first <= day && day <= *last } else { *first <= day || day <= *last }
            }),
            Term::Weekdays(days) => self.days(|date| days & (1 << date.weekday().num_days_from_monday()) != 0),
            Term::Between(from, to) => self.between_ends(from, to),
        }
    }

    /// The whole local days that `open` picks.
    fn days(&self, open: impl Fn(chrono::NaiveDate) -> bool) -> Spans {
        clock::daily_spans(self.tz, self.from, self.to, |date| open(date).then_some((0, 24 * 60)))
    }

    /// A limit that begins with the earliest of several moments holds once any has come, one that
    /// begins with the latest once all have; for the end it is the other way round.
    fn between_ends(&self, from: &End, to: &End) -> Spans {
        let until = |start: Moment| {
            let each = to.moments().iter().map(|&end| self.between(start, end));
            if matches!(to, End::Latest(_)) { any(each) } else { all(each) }
        };
        let each = from.moments().iter().map(|&start| until(start));
        if matches!(from, End::Latest(_)) { all(each) } else { any(each) }
    }

    fn between(&self, start: Moment, end: Moment) -> Spans {
        let (start_s, end_s) = (start.sun_offset_s(), end.sun_offset_s());
        match (start, end) {
            (Moment::Clock(a), Moment::Clock(b)) => {
                let b = if b <= a { b + 24 * 60 } else { b };
                clock::daily_spans(self.tz, self.from, self.to, |_| Some((a.into(), b.into())))
            }
            (Moment::Sun { rising: false, .. }, Moment::Sun { rising: true, .. }) => {
                self.sky.night(start_s, -end_s, self.place, self.from, self.to)
            }
            // The day is what the night leaves, so that a polar day is all day.
            (Moment::Sun { rising: true, .. }, Moment::Sun { rising: false, .. }) => {
                let night = self.sky.night(end_s, -start_s, self.place, self.from, self.to);
                Spans::one(self.whole()).subtract(&night)
            }
            _ => self.until_next(start, end),
        }
    }

    fn until_next(&self, start: Moment, end: Moment) -> Spans {
        let mixed = matches!(start, Moment::Clock(_)) != matches!(end, Moment::Clock(_));
        let whole = self.whole();
        let mut open = Spans::none();
        let mut next = self.last_before(start, self.from).or_else(|| self.next_after(start, self.from));
        while let Some(begun) = next.filter(|&t| t <= self.to) {
            let ended =
                if self.last_before(end, begun) == Some(begun) { Some(begun) } else { self.next_after(end, begun) };
            let crossed = mixed && ended.is_some_and(|t| ENDS_CROSSED_S.contains(&t.seconds_since(begun)));
            let to_s = ended.map_or(whole.to_s, |t| t.seconds_since(self.from));
            let span = Span::new(begun.seconds_since(self.from), to_s).and_then(|span| span.intersect(whole));
            if let Some(span) = span.filter(|_| !crossed) {
                open.add(span);
            }
            next = self.next_after(start, begun).filter(|&t| t > begun);
        }
        open
    }

    /// The last coming of a moment at or before `t`.
    fn last_before(&self, moment: Moment, t: EventTime) -> Option<EventTime> {
        match moment {
            Moment::Clock(minute) => clock::last_showing(self.tz, minute, t),
            Moment::Sun { rising, .. } => {
                let offset_s = moment.sun_offset_s();
                Some(self.sky.event_near(rising, self.place, t.plus_seconds(-offset_s)).0?.plus_seconds(offset_s))
            }
        }
    }

    /// The first coming of a moment after `t`.
    fn next_after(&self, moment: Moment, t: EventTime) -> Option<EventTime> {
        match moment {
            Moment::Clock(minute) => clock::next_showing(self.tz, minute, t),
            Moment::Sun { rising, .. } => {
                let offset_s = moment.sun_offset_s();
                Some(self.sky.event_near(rising, self.place, t.plus_seconds(-offset_s)).1?.plus_seconds(offset_s))
            }
        }
    }
}

/// What lies in any of them.
fn any(each: impl Iterator<Item = Spans>) -> Spans {
    let join = |mut a: Spans, b: Spans| {
        b.iter().for_each(|span| a.add(span));
        a
    };
    each.reduce(join).unwrap_or_default()
}

/// What lies in all of them.
fn all(each: impl Iterator<Item = Spans>) -> Spans {
    each.reduce(|a, b| a.intersect(&b)).unwrap_or_default()
}
