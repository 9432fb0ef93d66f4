//! Windows as people write them, and back.

use std::fmt;
use std::str::FromStr;

use super::{End, Moment, MonthDay, Term, Window};
use crate::units::TimeSpan;

/// Why a text is no window.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{value:?} is no window: {reason}")]
pub struct WindowError {
    /// The text as found.
    pub value: String,
    /// What is wrong and how to mend it.
    pub reason: String,
}

/// The days of the week as a window writes them, Monday first.
const DAYS: [(&str, &str); 7] = [
    ("mon", "monday"),
    ("tue", "tuesday"),
    ("wed", "wednesday"),
    ("thu", "thursday"),
    ("fri", "friday"),
    ("sat", "saturday"),
    ("sun", "sunday"),
];

/// Days in each month of a leap year.
const MONTH_DAYS: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/// The largest distance from sunrise or sunset that still names one of them clearly.
const OFFSET_MAX_S: f64 = 12.0 * 3600.0;

impl FromStr for Window {
    type Err = WindowError;

    fn from_str(text: &str) -> Result<Self, WindowError> {
        let words = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        let terms: Result<Vec<_>, String> = words.split(" and ").map(term).collect();
        match terms {
            Ok(terms) => Ok(Self { terms: terms.into_iter().flatten().collect() }),
            Err(reason) => Err(WindowError { value: text.to_owned(), reason }),
        }
    }
}

/// One condition; `None` for "always".
fn term(text: &str) -> Result<Option<Term>, String> {
    if text == "always" {
        return Ok(None);
    }
    if let Some(days) = text.strip_prefix("on ") {
        return weekdays(days).map(Some);
    }
    let ends = text.strip_prefix("from ").and_then(|ends| ends.split_once(" to "));
    let Some((from, to)) = ends else {
        return Err(format!(
            "{text:?} should be \"always\", \"on sat, sun\", or run from something to something, as in \"from 20:00 to 11:00\""
        ));
    };
    if let (Some(from), Some(to)) = (date(from)?, date(to)?) {
        return Ok(Some(Term::Season(from, to)));
    }
    let (from, to) = (end(from)?, end(to)?);
    if from.moments().contains(&Moment::Clock(24 * 60)) {
        return Err("a window begins at 00:00, not at 24:00".to_owned());
    }
    if from.moments().iter().any(|moment| to.moments().contains(moment)) {
        return Err(format!("{text:?} begins and ends at the same moment; for all day write \"always\""));
    }
    Ok(Some(Term::Between(from, to)))
}

fn weekdays(text: &str) -> Result<Term, String> {
    let mut days = 0;
    for name in text.split(',').map(str::trim) {
        match DAYS.iter().position(|&(short, long)| name == short || name == long) {
            Some(day) => days |= 1 << day,
            None => return Err(format!("unknown day {name:?}; known are {}", DAYS.map(|day| day.0).join(", "))),
        }
    }
    Ok(Term::Weekdays(days))
}

/// Two numbers of one or two digits around a separator.
fn pair(text: &str, separator: char) -> Option<(u32, u32)> {
    let number = |digits: &str| {
        let plain = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse().ok()).flatten()
    };
    let (a, b) = text.split_once(separator)?;
    Some((number(a)?, number(b)?))
}

/// A date such as "05-15", if it looks like one.
fn date(text: &str) -> Result<Option<MonthDay>, String> {
    let Some((month, day)) = pair(text, '-') else { return Ok(None) };
    let days = (month as usize).checked_sub(1).and_then(|month| MONTH_DAYS.get(month)).copied().unwrap_or(0);
    if day == 0 || day > days {
        return Err(format!("there is no date {text:?}; write month and day, as in 05-15"));
    }
    Ok(Some(MonthDay { month, day }))
}

fn end(text: &str) -> Result<End, String> {
    let several = |list: &str| list.split(',').map(|one| moment(one.trim())).collect::<Result<Vec<_>, _>>();
    if let Some(list) = text.strip_prefix("earliest of ") {
        return Ok(End::Earliest(several(list)?));
    }
    if let Some(list) = text.strip_prefix("latest of ") {
        return Ok(End::Latest(several(list)?));
    }
    moment(text).map(End::One)
}

fn moment(text: &str) -> Result<Moment, String> {
    if date(text)?.is_some() {
        return Err(format!(
            "a season runs from one date to another, as in \"from 05-15 to 09-15\", and {text:?} is a date"
        ));
    }
    if let Some((hour, minute)) = pair(text, ':') {
        if minute > 59 || hour * 60 + minute > 24 * 60 {
            return Err(format!("there is no time {text:?}; write hours and minutes of 24 hours, as in 20:00"));
        }
        return Ok(Moment::Clock((hour * 60 + minute) as u16));
    }
    let (offset, event) = text.rsplit_once(' ').unwrap_or(("", text));
    let rising = match event {
        "sunrise" => true,
        "sunset" => false,
        _ => {
            return Err(format!(
                "unknown end {text:?}; write a time as in 20:00, or the sun as in \"30 min after sunset\""
            ));
        }
    };
    if offset.is_empty() {
        return Ok(Moment::Sun { rising, before: false, offset: None });
    }
    let Some((span, side @ ("before" | "after"))) = offset.rsplit_once(' ') else {
        return Err(format!("{text:?} should say before or after, as in \"30 min after {event}\""));
    };
    let span: TimeSpan = span.parse().map_err(|e: crate::units::QuantityError| e.to_string())?;
    if span.s() > OFFSET_MAX_S {
        return Err(format!("{span} is too far from {event}; at most 12 h"));
    }
    Ok(Moment::Sun { rising, before: side == "before", offset: Some(span) })
}

impl fmt::Display for Window {
    /// The window as [`Window::parse`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("always");
        }
        for (at, term) in self.terms.iter().enumerate() {
            if at > 0 {
                f.write_str(" and ")?;
            }
            match term {
                Term::Season(from, to) => write!(f, "from {from} to {to}")?,
                Term::Between(from, to) => write!(f, "from {from} to {to}")?,
                Term::Weekdays(days) => {
                    let on = (0..7).filter(|day| days & (1 << day) != 0).map(|day: usize| DAYS[day].0);
                    write!(f, "on {}", on.collect::<Vec<_>>().join(", "))?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for MonthDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}-{:02}", self.month, self.day)
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = self.moments().iter().map(Moment::to_string).collect::<Vec<_>>().join(", ");
        match self {
            Self::One(_) => f.write_str(&list),
            Self::Earliest(_) => write!(f, "earliest of {list}"),
            Self::Latest(_) => write!(f, "latest of {list}"),
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Clock(minutes) => write!(f, "{:02}:{:02}", minutes / 60, minutes % 60),
            Self::Sun { rising, before, offset } => {
                if let Some(offset) = offset {
                    write!(f, "{offset} {} ", if before { "before" } else { "after" })?;
                }
                f.write_str(if rising { "sunrise" } else { "sunset" })
            }
        }
    }
}

impl TryFrom<String> for Window {
    type Error = WindowError;
    fn try_from(text: String) -> Result<Self, WindowError> {
        text.parse()
    }
}

impl From<Window> for String {
    fn from(window: Window) -> Self {
        window.to_string()
    }
}
