//! Who is probably towing, from motion alone.
//!
//! A boat that pulls skiers has a habit: from a stop straight up to a steady 14 to 36 mph, a run at that, down to a
//! stop, often with a loop back to where the skier fell, and soon the same again. A vessel's fixes are folded into
//! a [`Habit`], each leg after the one before; from the second or third such run on it is taken to tow while
//! a run lasts. Boats that cruise, fish or race do none of that twice. It is a guess: what rests on it is weighed
//! down by [`TowInference::likelihood`] and says so.

use serde::{Deserialize, Serialize};

use crate::geo::{Position, Vec2, distance_m};
use crate::rulebook::TowInference;
use crate::time::EventTime;
use crate::track::Leg;

/// Velocity is averaged over about this, so that noise is no manoeuvre, seconds.
const AVERAGED_S: f64 = 3.0;
/// A run has been going for this before it tells anything, seconds.
const TELLING_S: f64 = 15.0;
/// A run slower than this share of its mean speed is over.
const STEADY_SHARE: f64 = 0.75;
/// A return loop ends at most this far from where the run did, metres, and turned by at least this, degrees.
const LOOP_WITHIN_M: f64 = 120.0;
const LOOP_TURNED_DEG: f64 = 120.0;
/// A loop back to a skier takes no longer than this, seconds.
const LOOP_S: f64 = 90.0;

/// What a vessel has been doing lately.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Habit {
    /// As of when.
    pub t: EventTime,
    /// Averaged velocity, m/s to the east and north.
    velocity: [f64; 2],
    phase: Phase,
    /// Runs lately, each from a stop to a stop.
    runs: u32,
    /// Whether any of them ended with a loop back to where it broke off.
    came_back: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Phase {
    /// Something else.
    Other,
    /// Hardly moving, since then.
    Stopped(EventTime),
    /// Gathering way, since then.
    Rising(EventTime),
    /// At a steady speed, since then.
    Running { since: EventTime, mean_mps: f64 },
    /// No more at it, since then: where and on what course the run broke off, and how long it was.
    Ending { since: EventTime, place: Position, course: [f64; 2], ran_s: f64 },
}

impl Habit {
    /// Nothing known yet.
    pub fn unknown(t: EventTime) -> Self {
        Self { t, velocity: [0.0; 2], phase: Phase::Other, runs: 0, came_back: false }
    }

    /// What holds at a fix that no leg leads to: what came before still counts, what was going on does not.
    pub fn interrupted(self, t: EventTime) -> Self {
        Self { t, phase: Phase::Other, ..self }
    }

    /// What holds at the end of a leg that begins where this holds.
    pub fn after(self, leg: &Leg, terms: &TowInference) -> Self {
        let (t, span_s) = (leg.end(), leg.motion.span_s);
        let own = (leg.motion.to - leg.motion.from) * (1.0 / span_s);
        let share = span_s / (span_s + AVERAGED_S);
        let velocity = Vec2::new(self.velocity[0], self.velocity[1]).lerp(own, share);
        let mps = velocity.norm();
        let at = leg.position_at(span_s);
        let mut next = Self { t, velocity: [velocity.east_m, velocity.north_m], ..self };
        next.phase = match self.phase {
            Phase::Other if mps < terms.stop_mps => Phase::Stopped(t),
            Phase::Other => Phase::Other,
            Phase::Stopped(since) => {
                if t.seconds_since(since) > terms.pause_max_s {
                    (next.runs, next.came_back) = (0, false);
                }
                if mps < terms.stop_mps { Phase::Stopped(since) } else { Phase::Rising(t) }
            }
            Phase::Rising(_) if mps < terms.stop_mps => Phase::Stopped(t),
            Phase::Rising(since) if t.seconds_since(since) > terms.start_within_s => Phase::Other,
            Phase::Rising(_) if mps >= terms.from_mps => Phase::Running { since: t, mean_mps: mps },
            Phase::Rising(since) => Phase::Rising(since),
            Phase::Running { .. } if mps > terms.to_mps => Phase::Other,
            Phase::Running { since, mean_mps } if mps < STEADY_SHARE * mean_mps || mps < terms.from_mps => {
                let course = [velocity.east_m / mps.max(1e-9), velocity.north_m / mps.max(1e-9)];
                Phase::Ending { since: t, place: at, course, ran_s: t.seconds_since(since) }
            }
            Phase::Running { since, mean_mps } => {
                let share = span_s / (t.seconds_since(since)).max(span_s);
                Phase::Running { since, mean_mps: mean_mps + (mps - mean_mps) * share }
            }
            Phase::Ending { since, .. } if t.seconds_since(since) > LOOP_S => Phase::Other,
            Phase::Ending { place, course, ran_s, .. } if mps < terms.stop_mps => {
                if ran_s >= terms.run_min_s {
                    next.runs = self.runs.saturating_add(1);
                    let before = Vec2::new(self.velocity[0], self.velocity[1]);
                    let turned = libm::atan2(
                        Vec2::new(course[0], course[1]).cross(before),
                        Vec2::new(course[0], course[1]).dot(before),
                    );
                    next.came_back |=
                        turned.abs().to_degrees() >= LOOP_TURNED_DEG && distance_m(place, at) <= LOOP_WITHIN_M;
                }
                Phase::Stopped(t)
            }
            ending @ Phase::Ending { .. } => ending,
        };
        next
    }

    /// Since when it is probably towing, if it is.
    pub fn towing_since(&self, terms: &TowInference) -> Option<EventTime> {
        let Phase::Running { since, .. } = self.phase else { return None };
        let has_habit = self.runs >= terms.runs || (self.came_back && self.runs + 1 >= terms.runs);
        (has_habit && self.t.seconds_since(since) >= TELLING_S).then_some(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::LocalFrame;
    use crate::observation::Fix;
    use crate::track::TrackFix;

    fn terms() -> TowInference {
        TowInference::default()
    }

    /// Folds a motion given as stretches of seconds at a speed on a course, a fix a second; says for how many of
    /// those seconds it was taken to tow.
    fn towing_s(stretches: &[(f64, f64, f64)], noise_m: f64) -> usize {
        let frame = LocalFrame::at(Position::from_lat_lon(47.0, 9.0).expect("in range"));
        let start = EventTime::parse_rfc3339("2026-07-04T18:00:00Z").expect("a time");
        let mut state = 5_u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            noise_m * ((state >> 33) as f64 / f64::from(1_u32 << 30) - 1.0)
        };
        let (mut at, mut s, mut count) = (Vec2::default(), 0.0, 0);
        let mut before: Option<TrackFix> = None;
        let mut habit = Habit::unknown(start);
        for &(span_s, mps, course_deg) in stretches {
            for _ in 0..span_s as usize {
                let (sin, cos) = libm::sincos(f64::to_radians(course_deg));
                at = at + Vec2::new(sin, cos) * mps;
                s += 1.0;
                let seen = at + Vec2::new(noise(), noise());
                let fix = Fix::new(start.plus_seconds(s), frame.to_position(seen).expect("near"));
                let fix = TrackFix::new(&fix, 0);
                if let Some(before) = before {
                    habit = habit.after(&Leg::between(&before, &fix), &terms());
                }
                before = Some(fix);
                count += usize::from(habit.towing_since(&terms()).is_some());
            }
        }
        count
    }

    /// A run, the fall, the loop back at a walk, the pause.
    fn run(course_deg: f64) -> [(f64, f64, f64); 5] {
        [
            (3.0, 5.0, course_deg),
            (50.0, 9.5, course_deg),
            (4.0, 5.0, course_deg + 90.0),
            (12.0, 3.0, course_deg + 180.0),
            (40.0, 0.2, course_deg),
        ]
    }

    #[test]
    fn a_boat_that_pulls_skiers_is_known_by_its_habit() {
        for noise_m in [0.0, 3.0] {
            let mut motion = vec![(30.0, 0.0, 0.0)];
            motion.extend([10.0, 30.0, 200.0, 230.0].into_iter().flat_map(run));
            let seconds = towing_s(&motion, noise_m);
            assert!((60..=120).contains(&seconds), "noise {noise_m} m: {seconds} s");
            // The first run tells nothing.
            assert_eq!(towing_s(&motion[..6], noise_m), 0);
        }
    }

    #[test]
    fn who_cruises_fishes_or_commutes_tows_nobody() {
        let commuter = [(60.0, 0.0, 0.0), (30.0, 2.0, 0.0), (10.0, 5.0, 0.0), (900.0, 10.0, 0.0), (60.0, 0.0, 0.0)];
        let angler: Vec<_> = (0..6).flat_map(|_| [(400.0, 0.3, 0.0), (20.0, 4.0, 40.0), (90.0, 10.0, 40.0)]).collect();
        let trolling = [(1800.0, 1.2, 80.0)];
        let racer: Vec<_> = (0..10).flat_map(|i| [(20.0, 18.0, f64::from(i) * 36.0), (8.0, 0.5, 0.0)]).collect();
        for motion in [&commuter[..], &angler, &trolling, &racer] {
            for noise_m in [0.0, 3.0] {
                assert_eq!(towing_s(motion, noise_m), 0, "{motion:?}");
            }
        }
    }
}
