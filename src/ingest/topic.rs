//! Topics and the vessel that stands in them.

use std::fmt;

use crate::observation::{Refusal, RefusalReason};

/// Which topics a source listens to, and where in them the vessel's id stands.
///
/// An MQTT topic filter in which one or more levels may read `{vessel}`: `boats/{vessel}/gps`. What stands
/// at several of them is joined by `:`, so that `owntracks/{vessel}/{vessel}/#` makes `anna:phone` of the
/// topic `owntracks/anna/phone`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicPattern {
    levels: Vec<Level>,
    written: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Level {
    Is(String),
    Any,
    Vessel,
    Rest,
}

/// Why a text is no topic pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{value:?} is no topic pattern: {reason}")]
pub struct TopicPatternError {
    /// The text as found.
    pub value: String,
    /// What is wrong and how to mend it.
    pub reason: &'static str,
}

impl TopicPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// [`TopicPatternError`] where it is empty, or a level holds `+`, `#`, `{` or `}` beside other text.
    pub fn new(text: &str) -> Result<Self, TopicPatternError> {
        let fail = |reason| TopicPatternError { value: text.to_owned(), reason };
        if text.is_empty() {
            return Err(fail("it is empty; write a topic, as in \"boats/{vessel}/gps\""));
        }
        let mut levels = Vec::new();
        for level in text.split('/') {
            if levels.last() == Some(&Level::Rest) {
                return Err(fail("`#` should be its last level"));
            }
            levels.push(match level {
                "+" => Level::Any,
                "#" => Level::Rest,
                "{vessel}" => Level::Vessel,
                _ if level.contains(['+', '#', '\0']) => return Err(fail("`+` and `#` should be whole levels")),
                _ if level.contains(['{', '}']) => {
                    return Err(fail("only `{vessel}` may stand in braces, as a whole level"));
                }
                _ => Level::Is(level.to_owned()),
            });
        }
        Ok(Self { levels, written: text.to_owned() })
    }

    /// The MQTT topic filter to subscribe to.
    pub fn filter(&self) -> String {
        let levels: Vec<&str> = self
            .levels
            .iter()
            .map(|level| match level {
                Level::Is(text) => text.as_str(),
                Level::Any | Level::Vessel => "+",
                Level::Rest => "#",
            })
            .collect();
        levels.join("/")
    }

    /// The name that stands at `{vessel}` in a topic; `None` where the pattern has no such level.
    ///
    /// # Errors
    /// [`RefusalReason::WrongVessel`] where the pattern should name a vessel and the topic does not fit it.
    pub fn vessel(&self, topic: &str) -> Result<Option<String>, Refusal> {
        if !self.levels.contains(&Level::Vessel) {
            return Ok(None);
        }
        match self.names(topic) {
            Some(names) if names.iter().all(|name| !name.trim().is_empty()) => Ok(Some(names.join(":"))),
            _ => {
                let detail = format!("topic {topic:?} does not fit {:?}, so it names no vessel", self.written);
                Err(Refusal::new(RefusalReason::WrongVessel, detail))
            }
        }
    }

    fn names<'t>(&self, topic: &'t str) -> Option<Vec<&'t str>> {
        let mut names = Vec::new();
        let mut found = topic.split('/');
        for level in &self.levels {
            // `#` also stands for no level at all.
            if *level == Level::Rest {
                return Some(names);
            }
            let text = found.next()?;
            match level {
                Level::Is(wanted) if wanted != text => return None,
                Level::Vessel => names.push(text),
                _ => {}
            }
        }
        found.next().is_none().then_some(names)
    }
}

impl fmt::Display for TopicPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vessel_is_read_from_its_level() {
        for (pattern, filter, topic, name) in [
            ("boats/{vessel}/gps", "boats/+/gps", "boats/b-1/gps", Some("b-1")),
            ("owntracks/{vessel}/{vessel}/#", "owntracks/+/+/#", "owntracks/anna/phone", Some("anna:phone")),
            ("owntracks/{vessel}/{vessel}/#", "owntracks/+/+/#", "owntracks/anna/phone/event", Some("anna:phone")),
            ("{vessel}/#", "+/#", "b-1/a/b/c", Some("b-1")),
            ("data/ais", "data/ais", "data/ais", None),
            ("msh/#", "msh/#", "anything", None),
        ] {
            let pattern = TopicPattern::new(pattern).expect(pattern);
            assert_eq!(pattern.filter(), filter);
            assert_eq!(pattern.vessel(topic).expect(topic).as_deref(), name, "{topic}");
        }
    }

    #[test]
    fn a_topic_that_does_not_fit_names_nobody() {
        let pattern = TopicPattern::new("boats/{vessel}/gps").expect("a pattern");
        for topic in ["boats/b-1", "boats/b-1/gps/x", "ships/b-1/gps", "boats//gps", "", "boats/ /gps"] {
            let refusal = pattern.vessel(topic).expect_err(topic);
            assert_eq!(refusal.reason, RefusalReason::WrongVessel, "{topic}: {refusal}");
        }
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        for (text, reason) in [
            ("", "it is empty"),
            ("a/#/b", "`#` should be its last level"),
            ("a/b+", "should be whole levels"),
            ("a/x{vessel}", "as a whole level"),
            ("a/{boat}", "only `{vessel}`"),
        ] {
            let error = TopicPattern::new(text).expect_err(text).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
