//! Fixes whose time is out of all relation to those around it, as a glitch of a clock makes them.
//!
//! One fix of the year 2261 would make everything that its vessel sends after it late. So a fix that is more
//! than a day ahead of its recording waits until its vessel is heard again: where that comes back by more than
//! a day, the fix was a stray and is refused; else time has moved on, and it is handed on in its turn. Two
//! strays of one vessel in a row bear each other out and are believed. Fixes too far back are late without
//! this.

use std::fmt;
use std::ops::ControlFlow;

use super::recording::{Place, Sink};
use crate::observation::{Fix, Observation, Refusal, RefusalReason, VesselId};
use crate::time::EventTime;

/// No recording of a lake's traffic is silent for longer, or then goes on at once.
const STEP_S: f64 = 86_400.0;
const STEP_NS: i64 = 86_400_000_000_000;
/// So many fixes wait at most; the oldest then go on unproven.
const HELD_MAX: usize = 64;

/// Takes strays out of what it hands on to another sink.
pub struct Strays<'s, S: Sink + ?Sized> {
    sink: &'s mut S,
    newest: EventTime,
    held: Vec<(Place, VesselId, Fix)>,
}

impl<'s, S: Sink + ?Sized> Strays<'s, S> {
    /// Hands on to `sink`. After the last observation [`Strays::finish`] has to be called.
    pub fn new(sink: &'s mut S) -> Self {
        Self { sink, newest: EventTime::MIN, held: Vec::new() }
    }

    /// Hands on what still waits: nothing came after it that would show it wrong.
    pub fn finish(&mut self) -> ControlFlow<()> {
        self.release(EventTime::MAX)
    }

    /// Hands on what waits and is no later than `until`.
    fn release(&mut self, until: EventTime) -> ControlFlow<()> {
        let mut ix = 0;
        while ix < self.held.len() {
            if self.held[ix].2.t > until {
                ix += 1;
                continue;
            }
            let (place, vessel, fix) = self.held.remove(ix);
            self.newest = self.newest.max(fix.t);
            self.sink.observation(place, &Observation::Fix(vessel, fix))?;
        }
        ControlFlow::Continue(())
    }

    /// A fix while others wait, or one that is far ahead.
    #[cold]
    fn weigh(&mut self, place: Place, observation: &Observation) -> ControlFlow<()> {
        let Observation::Fix(vessel, fix) = observation else { return self.sink.observation(place, observation) };
        let held = self.held.iter().position(|(_, held, _)| held == vessel);
        if let Some(ix) = held {
            let ahead_s = self.held[ix].2.t.seconds_since(fix.t);
            if ahead_s > STEP_S {
                let (place, vessel, stray) = self.held.remove(ix);
                let days = ahead_s / 86_400.0;
                let detail = format!("{vessel} at {}, {days:.0} days after the fix that follows it", stray.t);
                self.sink.refused(place, Refusal::new(RefusalReason::Future, detail));
            } else {
                let proven = self.held[ix].2.t;
                self.release(proven.plus_seconds(STEP_S))?;
            }
        }
        if fix.t.seconds_since(self.newest) > STEP_S {
            if self.held.len() == HELD_MAX {
                let oldest = self.held.iter().map(|(_, _, fix)| fix.t).min().unwrap_or(fix.t);
                self.release(oldest.plus_seconds(STEP_S))?;
            }
            self.held.push((place, vessel.clone(), fix.clone()));
            return ControlFlow::Continue(());
        }
        self.newest = self.newest.max(fix.t);
        self.sink.observation(place, observation)
    }
}

impl<S: Sink + ?Sized> Sink for Strays<'_, S> {
    fn observation(&mut self, place: Place, observation: &Observation) -> ControlFlow<()> {
        if let Observation::Fix(_, fix) = observation {
            if !self.held.is_empty() || fix.t.ns_since(self.newest) > STEP_NS {
                return self.weigh(place, observation);
            }
            self.newest = self.newest.max(fix.t);
        }
        self.sink.observation(place, observation)
    }

    fn refused(&mut self, place: Place, refusal: Refusal) {
        self.sink.refused(place, refusal);
    }

    fn unused(&mut self, place: Place, what: &dyn fmt::Display, is_refused: bool) {
        self.sink.unused(place, what, is_refused);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::Position;

    #[derive(Default)]
    struct Seen(Vec<String>);

    impl Sink for Seen {
        fn observation(&mut self, place: Place, _: &Observation) -> ControlFlow<()> {
            self.0.push(place.line.to_string());
            ControlFlow::Continue(())
        }
        fn refused(&mut self, place: Place, refusal: Refusal) {
            assert_eq!(refusal.reason, RefusalReason::Future);
            self.0.push(format!("-{}", place.line));
        }
    }

    /// What comes of fixes of these vessels at these times, by line; refused ones with a minus.
    fn seen(fixes: &[(&str, &str)]) -> String {
        let mut seen = Seen::default();
        let mut strays = Strays::new(&mut seen);
        for (ix, (vessel, t)) in fixes.iter().enumerate() {
            let t = EventTime::parse_rfc3339(&format!("{t}:00Z")).expect("a time");
            let fix = Fix::new(t, Position::from_lat_lon(47.0, -117.0).expect("a place"));
            let id = VesselId::new(vessel).expect("an id");
            let flow = strays.observation(Place { line: ix as u64 + 1 }, &Observation::Fix(id, fix));
            assert!(flow.is_continue());
        }
        assert!(strays.finish().is_continue());
        seen.0.join(" ")
    }

    #[test]
    fn a_lone_fix_of_the_future_is_refused() {
        let now = |vessel, minute: &'static str| (vessel, minute);
        let stray = ("a", "2261-01-01T00:00");
        let (a1, a2, b1) = (now("a", "2026-07-04T20:01"), now("a", "2026-07-04T20:02"), now("b", "2026-07-04T20:01"));
        assert_eq!(seen(&[a1, stray, a2]), "1 -2 3");
        assert_eq!(seen(&[stray, a1, a2]), "-1 2 3");
        assert_eq!(seen(&[b1, a1, stray, b1, a2, b1]), "1 2 4 -3 5 6");
        assert_eq!(seen(&[a1, ("b", stray.1), stray, a2, b1]), "1 -3 4 -2 5");
    }

    #[test]
    fn time_may_move_on() {
        let (day_1, day_9) = (("a", "2026-07-04T20:01"), ("a", "2026-07-12T09:00"));
        assert_eq!(seen(&[day_1, day_9, day_9]), "1 2 3");
        assert_eq!(seen(&[day_1, day_9]), "1 2", "the last one is believed");
        assert_eq!(seen(&[day_1, ("b", day_9.1), day_9, ("b", day_9.1)]), "1 2 3 4");
        // The clock was wrong at first.
        assert_eq!(seen(&[("a", "1980-01-06T00:00"), day_1, day_1]), "1 2 3");
        // One vessel's track after the other's.
        assert_eq!(seen(&[day_1, day_9, day_9, ("b", day_1.1), ("b", day_9.1)]), "1 2 3 4 5");
        let many: Vec<String> = (0..200).map(|i| format!("v{i}")).collect();
        let fixes: Vec<_> = many.iter().map(|vessel| (vessel.as_str(), day_9.1)).collect();
        assert_eq!(seen(&fixes).split(' ').count(), 200);
    }
}
