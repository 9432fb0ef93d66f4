//! What a crew declared about skiing, folded in order of time.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::geo::Span;
use crate::observation::{Activity, TowingState};
use crate::time::EventTime;
use crate::track::Leg;

/// Somebody in tow.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tow {
    /// Whether the skier is up.
    pub is_up: bool,
    /// Length of the rope, metres, as last said in this tow; `None` where it never was.
    pub rope_m: Option<f64>,
    /// When the tow was taken up, as far as it was said.
    pub taken_up: EventTime,
    /// When the skier last came up; `None` where nobody did yet.
    pub came_up: Option<EventTime>,
}

/// What a crew has said so far about skiing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Crew {
    /// What is in tow, if anything.
    pub tow: Option<Tow>,
    /// Age of the observer in years; `Some(None)` for no observer, `None` where that was never said.
    pub observer_age: Option<Option<f64>>,
    /// Whether the warning flag is held up; `None` where that was never said.
    pub warning_flag: Option<bool>,
}

impl Crew {
    /// What holds once this has been said as well.
    pub fn after(self, said: &Activity) -> Self {
        let tow = match said.towing {
            None => self.tow,
            Some(None) => None,
            Some(Some(towing)) => {
                let is_up = towing.state == TowingState::Up;
                let before = self.tow;
                let was_up = before.is_some_and(|tow| tow.is_up);
                let came_up = before.and_then(|tow| tow.came_up);
                Some(Tow {
                    is_up,
                    // A fall does not change the rope.
                    rope_m: towing.rope_m.or(before.and_then(|tow| tow.rope_m)),
                    taken_up: before.map_or(said.t, |tow| tow.taken_up),
                    came_up: if is_up && !was_up { Some(said.t) } else { came_up },
                })
            }
        };
        Self {
            tow,
            observer_age: said.observer_age.or(self.observer_age),
            warning_flag: said.warning_flag.or(self.warning_flag),
        }
    }
}

/// A part of a leg on which one thing is declared and somebody is in tow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TowPart {
    /// Which part, seconds since the start of the leg.
    pub span: Span,
    /// What is in tow.
    pub tow: Tow,
    /// Age of the observer, as in [`Crew::observer_age`].
    pub observer_age: Option<Option<f64>>,
    /// Whether the warning flag is held up, as in [`Crew::warning_flag`].
    pub warning_flag: Option<bool>,
}

/// The parts of a leg on which somebody is in tow, in order of time. `before` is what had been said before the
/// first of `activities`, which are in order of time.
pub fn parts_between(before: Crew, activities: &[Activity], leg: &Leg) -> SmallVec<[TowPart; 1]> {
    let mut parts = SmallVec::new();
    let mut crew = before;
    let mut from_s = 0.0;
    let mut put = |crew: &Crew, from_s: f64, to_s: f64| {
        if let (Some(tow), Some(span)) = (crew.tow, Span::new(from_s, to_s)) {
            parts.push(TowPart { span, tow, observer_age: crew.observer_age, warning_flag: crew.warning_flag });
        }
    };
    for said in activities {
        let at_s = leg.seconds_to(said.t);
        if at_s > 0.0 && at_s >= leg.motion.span_s {
            break;
        }
        if at_s > from_s {
            put(&crew, from_s, at_s);
            from_s = at_s;
        }
        crew = crew.after(said);
    }
    put(&crew, from_s, leg.motion.span_s);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Towing;

    fn at(s: f64) -> EventTime {
        EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time").plus_seconds(s)
    }

    fn says(s: f64, towing: Option<Option<(TowingState, Option<f64>)>>) -> Activity {
        let towing = towing.map(|of| of.map(|(state, rope_m)| Towing { state, rope_m, persons: None }));
        Activity {
            t: at(s),
            towing,
            nav_status: None,
            observer_age: None,
            operator_age: None,
            supervised: None,
            persons_aboard: None,
            warning_flag: None,
            siren: None,
            lights: None,
        }
    }

    #[test]
    fn coming_up_counts_from_each_start_and_the_rope_stays_what_it_was() {
        let (up, down) = (TowingState::Up, TowingState::Down);
        let mut crew = Crew::default().after(&says(0.0, Some(Some((down, Some(18.0))))));
        assert_eq!(crew.tow.map(|tow| (tow.is_up, tow.came_up)), Some((false, None)));
        crew = crew.after(&says(5.0, Some(Some((up, None)))));
        crew = crew.after(&says(9.0, Some(Some((up, None))))).after(&says(10.0, None));
        let tow = crew.tow.expect("in tow");
        assert_eq!((tow.came_up, tow.taken_up, tow.rope_m), (Some(at(5.0)), at(0.0), Some(18.0)));
        crew = crew.after(&says(60.0, Some(Some((down, None)))));
        crew = crew.after(&says(90.0, Some(Some((up, None)))));
        assert_eq!(crew.tow.and_then(|tow| tow.came_up), Some(at(90.0)));
        crew = crew.after(&says(99.0, Some(None)));
        assert_eq!(crew.tow, None);
        crew = crew.after(&says(120.0, Some(Some((up, None)))));
        let tow = crew.tow.expect("in tow again");
        assert_eq!((tow.came_up, tow.taken_up, tow.rope_m), (Some(at(120.0)), at(120.0), None));
    }
}
