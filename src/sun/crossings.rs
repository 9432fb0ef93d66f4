//! When the Sun crosses the horizon, and when it has been down long enough.
//!
//! A *turn* is the Sun's lowest or highest point of a day; number 2d is the lowest at the start of the
//! local mean solar day d (days since 1970 at the place's longitude), 2d + 1 the highest. The *arc* n
//! leads from turn n to turn n + 1: the Sun rises on even arcs and sinks on odd ones. Turns, and so all
//! events, depend on the place and the number alone, never on where a search began.
//!
//! Within 4' (7 km) of a pole the Sun may climb or sink for months; the turns of a day then fall
//! together and the arcs between them still cover all time.

use chrono::NaiveDate;
use sunrise::{Coordinates, SolarDay, SolarEvent};

use super::HORIZON_DEG;
use super::position::{Sun, wrap_rad};
use crate::geo::{Position, Span, Spans};
use crate::time::EventTime;

/// How far [`next`] and [`previous`] look: at the poles an event comes once a year.
pub const REACH_DAYS: f64 = 370.0;
/// The declination, and with it the altitude of a turn, changes by less than this in a day, degrees.
pub(super) const DECLINATION_DEG_PER_DAY: f64 = 0.42;

const HALF_DAY_S: f64 = 43_200.0;
/// Mean solar time of a degree of longitude, seconds.
const DEGREE_S: f64 = 240.0;

/// The two ways in which the Sun crosses the horizon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SunEvent {
    /// Sunrise: down before, up after.
    Rise,
    /// Sunset: up before, down after.
    Set,
}

impl SunEvent {
    const fn on_arc(n: i64) -> Self {
        if n % 2 == 0 { Self::Rise } else { Self::Set }
    }
}

/// The Sun's lowest or highest point of a day.
#[derive(Debug, Clone, Copy)]
struct Turn {
    t: EventTime,
    /// Altitude above [`HORIZON_DEG`], degrees.
    above_deg: f64,
}

impl Turn {
    fn number(n: i64, place: Position) -> Self {
        let is_upper = n.rem_euclid(2) == 1;
        let mean = EventTime::from_unix_ns(0).plus_seconds(n as f64 * HALF_DAY_S - place.lon_deg() * DEGREE_S);
        let sun = Sun::at(mean);
        // The altitude is stationary where the Earth's turning and the Sun's drift in declination cancel.
        let lat_rad = place.lat_deg().to_radians();
        let (side_rad, sign) =
            if is_upper { (lat_rad - sun.declination_rad, 1.0) } else { (lat_rad + sun.declination_rad, -1.0) };
        let turning = sun.hour_angle_rate_rad_s * libm::cos(lat_rad) * libm::cos(sun.declination_rad);
        let ratio = libm::sin(side_rad) * sun.declination_rate_rad_s / turning;
        let beyond_transit_rad = sign * libm::asin(ratio.clamp(-1.0, 1.0));
        let transit_rad = if is_upper { 0.0 } else { std::f64::consts::PI };
        let now_rad = wrap_rad(sun.from(place).hour_angle_rad - transit_rad);
        let later_s = (beyond_transit_rad - now_rad) / sun.hour_angle_rate_rad_s;
        let t = mean.plus_seconds(later_s);
        // Within half an hour, as everywhere below 87 degrees, carrying the Sun on costs 0.01".
        let sun = if later_s.abs() < 1800.0 { sun.carried(later_s) } else { Sun::at(t) };
        Self { t, above_deg: sun.from(place).altitude_deg - HORIZON_DEG }
    }

    fn is_down(&self) -> bool {
        self.above_deg < 0.0
    }
}

/// One arc: its number and its two ends.
#[derive(Debug, Clone, Copy)]
struct Arc {
    n: i64,
    from: Turn,
    to: Turn,
}

impl Arc {
    /// The arc that covers `t`.
    fn covering(place: Position, t: EventTime) -> Self {
        let solar_s = t.seconds_since(EventTime::from_unix_ns(0)) + place.lon_deg() * DEGREE_S;
        let n = (solar_s / HALF_DAY_S).floor() as i64;
        let (from, to) = (Turn::number(n, place), Turn::number(n + 1, place));
        // A turn is at most 6 h 17 min away from its mean time.
        if from.t > t {
            Self { n: n - 1, from: Turn::number(n - 1, place), to: from }
        } else if to.t <= t {
            Self { n: n + 1, from: to, to: Turn::number(n + 2, place) }
        } else {
            Self { n, from, to }
        }
    }

    fn following(&self, place: Position) -> Self {
        Self { n: self.n + 1, from: self.to, to: Turn::number(self.n + 2, place) }
    }

    /// The rise or set on this arc.
    fn event(&self, place: Position) -> Option<EventTime> {
        if self.from.is_down() == self.to.is_down() {
            return None;
        }
        let is_rise = self.from.is_down();
        let (mut low_s, mut high_s) = (0.0, self.to.t.seconds_since(self.from.t));
        let mut s = first_estimate(self.n, place)
            .map(|t| t.seconds_since(self.from.t))
            .filter(|&s| low_s < s && s < high_s)
            .unwrap_or(0.5 * high_s);
        // Newton, kept inside the bracket; 60 halvings would do alone.
        for _ in 0..60 {
            let aspect = Sun::at(self.from.t.plus_seconds(s)).from(place);
            let above_deg = aspect.altitude_deg - HORIZON_DEG;
            if (above_deg < 0.0) == is_rise {
                low_s = s;
            } else {
                high_s = s;
            }
            let newton_s = s - above_deg / aspect.rate_deg_s;
            let better_s = if low_s < newton_s && newton_s < high_s { newton_s } else { 0.5 * (low_s + high_s) };
            let step_s = better_s - s;
            s = better_s;
            if step_s.abs() < 1e-3 {
                break;
            }
        }
        Some(self.from.t.plus_seconds(s))
    }

    /// For how many arcs before and after this one the Sun certainly stays on its side of the horizon.
    fn quiet_arcs(&self) -> i64 {
        if self.from.is_down() != self.to.is_down() {
            return 0;
        }
        let margin_deg = self.from.above_deg.abs().min(self.to.above_deg.abs()) - 0.01;
        2 * (margin_deg / DECLINATION_DEG_PER_DAY).max(0.0) as i64
    }
}

/// What the crate `sunrise` says of an arc. Its date is the mean solar date of the longitude, which is
/// the day of the arc; `None` in polar day or night, and sometimes beside it.
fn first_estimate(n: i64, place: Position) -> Option<EventTime> {
    let days_from_ce = i32::try_from(n.div_euclid(2) + 719_163).ok()?;
    let date = NaiveDate::from_num_days_from_ce_opt(days_from_ce)?;
    let coordinates = Coordinates::new(place.lat_deg(), place.lon_deg())?;
    let event = match SunEvent::on_arc(n) {
        SunEvent::Rise => SolarEvent::Sunrise,
        SunEvent::Set => SolarEvent::Sunset,
    };
    EventTime::from_chrono(SolarDay::new(coordinates, date).event_time(event)?)
}

/// The first rise or set at `place` after `after`, or `None` where there is none within [`REACH_DAYS`].
///
/// Within 1 s of NREL SPA where the Sun crosses the horizon at more than 2° an hour.
pub fn next(event: SunEvent, place: Position, after: EventTime) -> Option<EventTime> {
    let end = after.plus_seconds(REACH_DAYS * 86_400.0);
    let mut arc = Arc::covering(place, after);
    while arc.from.t < end {
        if SunEvent::on_arc(arc.n) == event
            && let Some(t) = arc.event(place).filter(|&t| t > after)
        {
            return (t <= end).then_some(t);
        }
        let n = arc.n + arc.quiet_arcs() + 1;
        let from = if n == arc.n + 1 { arc.to } else { Turn::number(n, place) };
        arc = Arc { n, from, to: Turn::number(n + 1, place) };
    }
    None
}

/// The last rise or set at `place` at or before `t`, or `None` where there is none within [`REACH_DAYS`].
pub fn previous(event: SunEvent, place: Position, t: EventTime) -> Option<EventTime> {
    let end = t.plus_seconds(-REACH_DAYS * 86_400.0);
    let mut arc = Arc::covering(place, t);
    while arc.to.t > end {
        if SunEvent::on_arc(arc.n) == event
            && let Some(found) = arc.event(place).filter(|&found| found <= t)
        {
            return (found >= end).then_some(found);
        }
        let n = arc.n - arc.quiet_arcs() - 1;
        let to = if n == arc.n - 1 { arc.from } else { Turn::number(n + 1, place) };
        arc = Arc { n, from: Turn::number(n, place), to };
    }
    None
}

/// The stretches of `from ..= to`, in seconds since `from`, between (sunset + `after_s`) and
/// (sunrise - `before_s`) at `place`; ends included.
///
/// Each sunset goes with the sunrise that follows it. With offsets of zero or more this is where the Sun
/// has been down during all of [t - `after_s`, t + `before_s`]; a night shorter than both offsets holds
/// nothing. Negative offsets widen the night. Where the Sun does not set there is none, where it does not
/// rise it is all night. The offsets are finite.
pub fn night(after_s: f64, before_s: f64, place: Position, from: EventTime, to: EventTime) -> Spans {
    let Some(window) = Span::new(0.0, to.seconds_since(from)) else { return Spans::none() };
    // No sunset or sunrise outside of these bears on the window.
    let first = from.plus_seconds((-after_s).min(before_s).min(0.0));
    let last = to.plus_seconds((-after_s).max(before_s).max(0.0));
    let mut nights = Spans::none();
    let mut arc = Arc::covering(place, first);
    let mut begin_s = arc.from.is_down().then_some(f64::NEG_INFINITY);
    loop {
        if let Some(t) = arc.event(place) {
            let event_s = t.seconds_since(from);
            match begin_s.take() {
                Some(begin_s) => add(&mut nights, begin_s, event_s - before_s),
                None => begin_s = Some(event_s + after_s),
            }
        }
        if arc.to.t >= last {
            break;
        }
        arc = arc.following(place);
    }
    if let Some(begin_s) = begin_s {
        add(&mut nights, begin_s, f64::INFINITY);
    }
    nights.within(window)
}

fn add(nights: &mut Spans, begin_s: f64, end_s: f64) {
    if let Some(span) = Span::new(begin_s, end_s) {
        nights.add(span);
    }
}
