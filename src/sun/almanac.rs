//! Night for many boats at once: answers that are proven to hold over a neighbourhood are kept and reused.
//!
//! "From sunset + a to sunrise - b" holds at t where the highest altitude in [t - a, t + b] is below the
//! horizon (for a + b < 0: where the lowest altitude in [t + b, t - a] is). Call its distance from the
//! horizon the slack. The altitude changes by at most 1° per degree of travel on the sphere and by at most
//! 15.05° an hour, and so does the slack: until both together have used it up, the answer cannot change.
//! That is a *lease*. Where no lease covers a question and the slack at its own place does not decide
//! it, the crossings are computed. A cached answer is therefore always the computed one, in any order of
//! asking; only its price differs.

use std::cell::Cell;

use super::HORIZON_DEG;
use super::crossings::{self, DECLINATION_DEG_PER_DAY, SunEvent};
use super::position::Sun;
use crate::geo::position::wrap_lon_deg;
use crate::geo::{Position, Span, Spans};
use crate::time::EventTime;
use crate::window::{Neighbourhood, Sky};

/// Fastest change of the Sun's altitude at one place, degrees a second.
const ALTITUDE_DEG_PER_S: f64 = 15.05 / 3600.0;
/// Kept back from every slack, for rounding and for the parallax, degrees (1 s of a sunset).
const RESERVE_DEG: f64 = 0.005;
/// How long the Sun is carried on at its pace before its place is computed anew, seconds.
const CARRY_S: f64 = 3.0 * 3600.0;
/// A smaller slack than this is not worth a lease, degrees (about 1 min, or 20 km).
const WORTH_DEG: f64 = 0.2;
/// Leases kept by an almanac: a few windows with their offsets, a few neighbourhoods each.
const LEASES: usize = 8;
/// Events remembered by an almanac, for boats that lie still and rules that name a place.
const EVENTS: usize = 4;

/// Sunset, sunrise and night windows, remembered for one waterway. Memory never changes an answer.
#[derive(Debug, Clone, Default)]
pub struct Almanac {
    /// The most useful first.
    leases: [Cell<Option<Lease>>; LEASES],
    /// The Sun at an instant not long ago, to carry on from.
    sun: Cell<Option<(EventTime, Sun)>>,
    events: [Cell<Option<Events>>; EVENTS],
}

/// A proof that it is night, or not, near a place and an instant.
#[derive(Debug, Clone, Copy)]
struct Lease {
    after_s: f64,
    before_s: f64,
    centre: Position,
    cos_lat: f64,
    at: EventTime,
    is_night: bool,
    slack_deg: f64,
}

/// The neighbouring events of one kind at exactly one place.
#[derive(Debug, Clone, Copy)]
struct Events {
    event: SunEvent,
    place: Position,
    previous: EventTime,
    next: EventTime,
}

impl Almanac {
    /// An almanac that remembers nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The stretches of `from ..= to` at night, as [`crossings::night`] gives them.
    pub fn night(&self, after_s: f64, before_s: f64, place: Position, from: EventTime, to: EventTime) -> Spans {
        if to < from {
            return Spans::none();
        }
        let is_night = self
            .leased(after_s, before_s, place, from, to)
            .or_else(|| self.decided(after_s, before_s, place, from, to));
        match is_night {
            Some(true) => Spans::one(Span { from_s: 0.0, to_s: to.seconds_since(from) }),
            Some(false) => Spans::none(),
            None => crossings::night(after_s, before_s, place, from, to),
        }
    }

    /// The last sunrise (or sunset) at or before `t` and the first after it, as [`crossings::previous`]
    /// and [`crossings::next`] give them.
    pub fn event_near(&self, rising: bool, place: Position, t: EventTime) -> (Option<EventTime>, Option<EventTime>) {
        let event = if rising { SunEvent::Rise } else { SunEvent::Set };
        let known = self.events.iter().filter_map(Cell::get).find(|e| e.cover(event, place, t));
        if let Some(known) = known {
            return (Some(known.previous), Some(known.next));
        }
        let near = (crossings::previous(event, place, t), crossings::next(event, place, t));
        if let (Some(previous), Some(next)) = near {
            push_front(&self.events, Events { event, place, previous, next });
        }
        near
    }

    /// What a lease says of the whole of `from ..= to`. One that is used moves up by a place.
    fn leased(&self, after_s: f64, before_s: f64, place: Position, from: EventTime, to: EventTime) -> Option<bool> {
        for (i, cell) in self.leases.iter().enumerate() {
            if let Some(lease) = cell.get()
                && lease.after_s == after_s
                && lease.before_s == before_s
                && lease.covers(place, from, to)
            {
                cell.swap(&self.leases[i.saturating_sub(1)]);
                return Some(lease.is_night);
            }
        }
        None
    }

    /// Whether the slack at the middle of a neighbourhood says that it is never night anywhere in it.
    pub fn is_day(&self, after_s: f64, before_s: f64, near: &Neighbourhood) -> bool {
        let half_s = 0.5 * near.to.seconds_since(near.from);
        let slack = self.slack(after_s, before_s, near.centre, near.from.plus_seconds(half_s));
        slack.is_some_and(|(is_night, slack_deg)| {
            !is_night && near.reach_deg + half_s.max(0.0) * ALTITUDE_DEG_PER_S < slack_deg
        })
    }

    /// What the slack at `place` itself says of the whole of `from ..= to`; becomes a lease where
    /// much of it is left.
    fn decided(&self, after_s: f64, before_s: f64, place: Position, from: EventTime, to: EventTime) -> Option<bool> {
        let span_s = to.seconds_since(from);
        let at = from.plus_seconds(0.5 * span_s);
        let (is_night, slack_deg) = self.slack(after_s, before_s, place, at)?;
        let lease = Lease {
            after_s,
            before_s,
            centre: place,
            cos_lat: libm::cos(place.lat_deg().to_radians()),
            at,
            is_night,
            slack_deg,
        };
        if slack_deg > WORTH_DEG {
            push_front(&self.leases, lease);
        }
        (0.5 * span_s * ALTITUDE_DEG_PER_S < slack_deg).then_some(is_night)
    }

    /// Whether it is night at `place` and `at`, and by how many degrees at least; `None` where two altitudes
    /// do not tell.
    fn slack(&self, after_s: f64, before_s: f64, place: Position, at: EventTime) -> Option<(bool, f64)> {
        let (begin, end) = (at.plus_seconds((-after_s).min(before_s)), at.plus_seconds((-after_s).max(before_s)));
        let sun = self.sun_at(begin);
        let first = sun.from(place);
        let last = if end == begin { first } else { self.sun_at(end).from(place) };
        let span_s = end.seconds_since(begin);
        // With the declination standing still, the altitude between the ends stays between theirs, save where
        // the Sun passes its highest or lowest point; its drift counts once from either end.
        let drift_deg = 2.0 * DECLINATION_DEG_PER_DAY / 86_400.0 * span_s;
        let turned_rad = first.hour_angle_rad + (span_s * ALTITUDE_DEG_PER_S).to_radians();
        let lat_rad = place.lat_deg().to_radians();
        let (least_deg, most_deg) = if after_s + before_s >= 0.0 {
            let at_ends_deg = first.altitude_deg.max(last.altitude_deg);
            let passes = first.hour_angle_rad <= 0.0 && turned_rad >= 0.0 || turned_rad >= std::f64::consts::TAU;
            let culmination_deg = 90.0 - (lat_rad - sun.declination_rad).abs().to_degrees();
            (at_ends_deg, drift_deg + if passes { culmination_deg } else { at_ends_deg })
        } else {
            let at_ends_deg = first.altitude_deg.min(last.altitude_deg);
            let passes = turned_rad >= std::f64::consts::PI;
            let culmination_deg = (lat_rad + sun.declination_rad).abs().to_degrees() - 90.0;
            (if passes { culmination_deg } else { at_ends_deg } - drift_deg, at_ends_deg)
        };
        let (day_deg, night_deg) = (least_deg - HORIZON_DEG - RESERVE_DEG, HORIZON_DEG - most_deg - RESERVE_DEG);
        if day_deg > 0.0 {
            Some((false, day_deg))
        } else if night_deg > 0.0 {
            Some((true, night_deg))
        } else {
            None
        }
    }

    /// The Sun at `t` to within 0.0002°: enough to decide with [`RESERVE_DEG`] in hand, for no result.
    fn sun_at(&self, t: EventTime) -> Sun {
        match self.sun.get() {
            Some((known, sun)) if t.seconds_since(known).abs() <= CARRY_S => sun.carried(t.seconds_since(known)),
            _ => {
                let sun = Sun::at(t);
                self.sun.set(Some((t, sun)));
                sun
            }
        }
    }
}

impl Lease {
    fn covers(&self, place: Position, from: EventTime, to: EventTime) -> bool {
        // Along the meridian to the centre's latitude, then along its parallel: never shorter than the
        // great circle.
        let travel_deg = (place.lat_deg() - self.centre.lat_deg()).abs()
            + wrap_lon_deg(place.lon_deg() - self.centre.lon_deg()).abs() * self.cos_lat;
        let early_ns = self.at.unix_ns().saturating_sub(from.unix_ns());
        let late_ns = to.unix_ns().saturating_sub(self.at.unix_ns());
        let elapsed_s = early_ns.max(late_ns) as f64 / 1e9;
        travel_deg + elapsed_s * ALTITUDE_DEG_PER_S < self.slack_deg
    }
}

impl Events {
    fn cover(&self, event: SunEvent, place: Position, t: EventTime) -> bool {
        self.event == event && self.place == place && self.previous <= t && t < self.next
    }
}

/// Puts the newest first; the last, which has helped least, falls off the end.
fn push_front<T: Copy>(kept: &[Cell<Option<T>>], newest: T) {
    let mut pushed = Some(newest);
    for cell in kept {
        pushed = cell.replace(pushed);
    }
}
impl Sky for Almanac {
    fn night(&self, after_s: f64, before_s: f64, place: Position, from: EventTime, to: EventTime) -> Spans {
        Almanac::night(self, after_s, before_s, place, from, to)
    }

    fn event_near(&self, rising: bool, place: Position, t: EventTime) -> (Option<EventTime>, Option<EventTime>) {
        Almanac::event_near(self, rising, place, t)
    }

    fn is_day(&self, after_s: f64, before_s: f64, near: &Neighbourhood) -> bool {
        Almanac::is_day(self, after_s, before_s, near)
    }
}
