//! What every clause has, and which vessels it binds.

use std::fmt;

use super::section::Entry;
use super::setting::Setting;
use crate::observation::{Profile, VesselClass};
use crate::units::Length;
use crate::window::Window;

/// A clause of a boating code, as far as all rules share it.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    /// How it is cited, and what a finding calls it: `SMC 10.14.140(A)`.
    pub citation: String,
    /// A few words on what it asks.
    pub title: Option<String>,
    /// Its words.
    pub text: Option<String>,
    /// The name of the reading applied, where the words allow more than one.
    pub reading: Option<String>,
    /// Whom it binds.
    pub vessels: VesselFilter,
    /// When it binds.
    pub when: Window,
}

/// Whether a clause binds a vessel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// The vessel never declared what the clause asks about: unknown is not guilty.
    Unknown,
}

/// Which vessels a clause binds. Every condition given must hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VesselFilter {
    /// One of these classes; any, where empty.
    class: Vec<VesselClass>,
    /// None of these classes.
    not_class: Vec<VesselClass>,
    /// Of this length over all.
    length: Option<LengthRange>,
    /// What a vessel counts as that did not declare what is asked.
    undeclared: Undeclared,
}

/// What a vessel counts as that never declared its class or length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Undeclared {
    /// It cannot be judged.
    #[default]
    NotEvaluable,
    /// It is bound like one that declared what the clause asks for.
    Applies,
}

/// Lengths from one end to another, either open: `26 ft or more`, `16 ft to under 26 ft`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthRange {
    from: Option<(Length, Edge)>,
    to: Option<(Length, Edge)>,
}

/// Whether the end of a range belongs to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    Included,
    Excluded,
}

impl VesselFilter {
    /// Every vessel.
    pub const fn all() -> Self {
        Self { class: Vec::new(), not_class: Vec::new(), length: None, undeclared: Undeclared::NotEvaluable }
    }

    /// Whether a vessel of this class and length over all in metres is bound, as far as declared.
    pub fn applies(&self, class: Option<VesselClass>, length_m: Option<f64>) -> Applies {
        let asks_class = !self.class.is_empty() || !self.not_class.is_empty();
        let class_fits = class
            .map(|class| (self.class.is_empty() || self.class.contains(&class)) && !self.not_class.contains(&class));
        let length_fits = self.length.map(|range| length_m.map(|m| range.contains_m(m)));
        let answers = [if asks_class { class_fits } else { Some(true) }, length_fits.unwrap_or(Some(true))];
        if answers.contains(&Some(false)) {
            Applies::No
        } else if answers.contains(&None) && self.undeclared == Undeclared::NotEvaluable {
            Applies::Unknown
        } else {
            Applies::Yes
        }
    }

    /// As [`VesselFilter::applies`], for what a vessel declared, if anything.
    pub fn applies_to(&self, profile: Option<&Profile>) -> Applies {
        self.applies(profile.and_then(|p| p.class), profile.and_then(|p| p.length_m))
    }
}

impl LengthRange {
    /// Reads `26 ft or more`, `over 26 ft`, `under 26 ft`, `26 ft or less`, or two of them:
    /// `16 ft to under 26 ft`, `over 26 ft to 40 ft`.
    ///
    /// # Errors
    /// What is wrong and how to mend it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let length = |text: &str| text.parse::<Length>().map_err(|e| e.to_string());
        let start = |text: &str| match text.strip_prefix("over ") {
            Some(excluded) => Ok::<_, String>((length(excluded)?, Edge::Excluded)),
            None => Ok((length(text)?, Edge::Included)),
        };
        let end = |text: &str| match text.strip_prefix("under ") {
            Some(excluded) => Ok::<_, String>((length(excluded)?, Edge::Excluded)),
            None => Ok((length(text)?, Edge::Included)),
        };
        let range = if let Some((from, to)) = words.split_once(" to ") {
            Self { from: Some(start(from)?), to: Some(end(to)?) }
        } else if let Some(from) = words.strip_suffix(" or more") {
            Self { from: Some((length(from)?, Edge::Included)), to: None }
        } else if let Some(to) = words.strip_suffix(" or less") {
            Self { from: None, to: Some((length(to)?, Edge::Included)) }
        } else if words.starts_with("over ") {
            Self { from: Some(start(&words)?), to: None }
        } else if words.starts_with("under ") {
            Self { from: None, to: Some(end(&words)?) }
        } else {
            return Err("write \"26 ft or more\", \"over 26 ft\", \"under 26 ft\", \"26 ft or less\" or \"16 ft to under 26 ft\"".to_owned());
        };
        match (range.from, range.to) {
            (Some((from, _)), Some((to, _))) if from.m() >= to.m() => Err(format!("{from} is not shorter than {to}")),
            _ => Ok(range),
        }
    }

    /// Whether a length in metres lies in it.
    pub fn contains_m(&self, length_m: f64) -> bool {
        let above = self
            .from
            .is_none_or(|(from, edge)| length_m > from.m() || (edge == Edge::Included && length_m == from.m()));
        let below =
            self.to.is_none_or(|(to, edge)| length_m < to.m() || (edge == Edge::Included && length_m == to.m()));
        above && below
    }
}

impl fmt::Display for LengthRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (over, under) = (
            |edge| if edge == Edge::Excluded { "over " } else { "" },
            |edge| if edge == Edge::Excluded { "under " } else { "" },
        );
        match (self.from, self.to) {
            (Some((from, a)), Some((to, b))) => write!(f, "{}{from} to {}{to}", over(a), under(b)),
            (Some((from, Edge::Included)), None) => write!(f, "{from} or more"),
            (Some((from, Edge::Excluded)), None) => write!(f, "over {from}"),
            (None, Some((to, Edge::Included))) => write!(f, "{to} or less"),
            (None, Some((to, Edge::Excluded))) => write!(f, "under {to}"),
            (None, None) => f.write_str("any length"),
        }
    }
}

impl Setting for LengthRange {
    fn example() -> String {
        "\"26 ft or more\"".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        Self::parse(entry.text()?).map_err(|reason| entry.fault(format!("no range of lengths: {reason}"))).ok()
    }
}

impl Setting for VesselFilter {
    fn example() -> String {
        "{ class = [\"pwc\"] }".to_owned()
    }
    fn read(entry: &Entry<'_>) -> Option<Self> {
        let mut section = entry.section()?;
        let filter = Self {
            class: section.or("class", Vec::new()),
            not_class: section.or("not_class", Vec::new()),
            length: section.opt("length"),
            undeclared: section
                .choice("undeclared", &[("not evaluable", Undeclared::NotEvaluable), ("applies", Undeclared::Applies)])
                .unwrap_or_default(),
        };
        section.finish();
        Some(filter)
    }
}
