//! Buoys of a line that a boat or a skier rounds: where either comes abreast of one, and on which side.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::stretch::Stretch;
use crate::geo::bracket;
use crate::geo::{Span, Vec2};
use crate::observation::VesselId;
use crate::time::EventTime;

/// Who rounds a buoy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rounder {
    /// The towing vessel.
    Boat,
    /// A skier with this tracker.
    Tracked(VesselId),
    /// A skier estimated on the rope.
    Estimated,
}

impl Rounder {
    /// Whether somebody who is this now can have been that one before: a tracker that is heard of takes over from the
    /// estimate, one that falls silent hands over to it.
    fn was(&self, before: &Self) -> bool {
        self == before
            || matches!((self, before), (Self::Estimated, Self::Tracked(_)) | (Self::Tracked(_), Self::Estimated))
    }
}

/// One buoy rounded: whoever does it comes abreast of it, where the line through the buoy stands square to the
/// line of buoys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rounding {
    /// The fix that ended the leg, by its time; judged again, the leg's roundings go.
    pub leg: EventTime,
    /// When.
    pub t: EventTime,
    /// Who.
    pub who: Rounder,
    /// The line of buoys.
    pub line: Arc<str>,
    /// How many buoys a closed line has; `None` for an open one.
    pub ring: Option<u32>,
    /// The buoy's place in it.
    pub place: u32,
    /// The buoy.
    pub buoy: Arc<str>,
    /// How far to the left of the line, looked at in its order, metres; negative to the right.
    pub left_m: f64,
    /// Standard deviation of where the skier is beyond that of the track, metres; zero for what has one.
    pub sigma_m: f64,
    /// Where that was from the towing vessel's start of the tow on.
    pub taken_up: EventTime,
}

/// A buoy in the plane of a leg, with the direction of its line there, of unit length.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// The buoy.
    pub buoy: Vec2,
    /// The direction of the line.
    pub along: Vec2,
}

/// When within `span` of its stretch somebody comes abreast of a buoy, and how far to the left of the line, metres.
/// On the line square to it counts as past it, so that who comes there at the end of one leg comes abreast once.
pub fn abreast(stretch: &Stretch, gate: &Gate) -> Option<(f64, f64)> {
    let past_m = |s: f64| (stretch.at(s) - gate.buoy).dot(gate.along);
    let Span { from_s, to_s } = stretch.span;
    let was_past = past_m(from_s) >= 0.0;
    if was_past == (past_m(to_s) >= 0.0) {
        return None;
    }
    let past = bracket::holds(stretch.span, stretch.rate_against(Vec2::default()), past_m);
    let at_s = if was_past { past.iter().next()?.to_s } else { past.iter().last()?.from_s };
    Some((at_s, gate.along.cross(stretch.at(at_s) - gate.buoy)))
}

/// The newest roundings of somebody that make one slalom, oldest first: consecutive buoys of a line in one direction,
/// on alternating sides, none farther than `within_m`. `all` is in order of time and ends with the newest.
pub fn slalom(all: &[Rounding], within_m: f64) -> Vec<&Rounding> {
    let mut chain: Vec<&Rounding> = Vec::new();
    let mut direction = None;
    // Of several trackers the one that took over last, looking back, is the skier.
    let mut tracker: Option<&Rounder> = None;
    for rounding in all.iter().rev() {
        if let Some(&later) = chain.last() {
            let is_other_tracker = |who: &Rounder| matches!(who, Rounder::Tracked(_)) && who != &rounding.who;
            if !later.who.was(&rounding.who)
                || matches!(rounding.who, Rounder::Tracked(_)) && tracker.is_some_and(is_other_tracker)
            {
                continue;
            }
            // Where one takes over from the other abreast of a buoy, both may round it.
            let is_again = rounding.who != later.who && rounding.line == later.line && rounding.place == later.place;
            if is_again && (rounding.left_m < 0.0) == (later.left_m < 0.0) {
                continue;
            }
        }
        if rounding.left_m.abs() > within_m {
            break;
        }
        if matches!(rounding.who, Rounder::Tracked(_)) {
            tracker = Some(&rounding.who);
        }
        if let Some(&later) = chain.last() {
            let step = step(rounding, later);
            let alternates = (rounding.left_m < 0.0) != (later.left_m < 0.0);
            let is_of_one = rounding.line == later.line && rounding.taken_up == later.taken_up;
            if !is_of_one || !alternates || step.is_none() || direction.is_some() && step != direction {
                break;
            }
            direction = step;
        }
        chain.push(rounding);
    }
    chain.reverse();
    chain
}

/// Whether one buoy comes next after another in the line's order (1), or next before it (-1).
fn step(earlier: &Rounding, later: &Rounding) -> Option<i8> {
    let next = |place: u32| earlier.ring.map_or(place + 1, |count| (place + 1) % count.max(1));
    if later.place == next(earlier.place) {
        Some(1)
    } else if earlier.place == next(later.place) {
        Some(-1)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounding(place: u32, left_m: f64) -> Rounding {
        Rounding {
            leg: EventTime::MIN,
            t: EventTime::MIN,
            who: Rounder::Boat,
            line: "row".into(),
            ring: None,
            place,
            buoy: format!("buoy-{place}").into(),
            left_m,
            sigma_m: 0.0,
            taken_up: EventTime::MIN,
        }
    }

    fn chain(all: &[(u32, f64)]) -> Vec<u32> {
        let all: Vec<Rounding> = all.iter().map(|(place, left_m)| rounding(*place, *left_m)).collect();
        slalom(&all, 20.0).iter().map(|rounding| rounding.place).collect()
    }

    #[test]
    fn buoys_in_a_row_on_alternating_sides_make_a_slalom() {
        assert_eq!(chain(&[(0, 5.0), (1, -5.0), (2, 6.0)]), [0, 1, 2]);
        assert_eq!(chain(&[(5, 5.0), (4, -5.0), (3, 6.0), (2, -7.0)]), [5, 4, 3, 2]);
        // Turned round, passed by on one side, left wide, left out, twice the same.
        assert_eq!(chain(&[(0, 5.0), (1, -5.0), (2, 6.0), (1, -6.0)]), [2, 1]);
        assert_eq!(chain(&[(0, 5.0), (1, -5.0), (2, -6.0)]), [2]);
        assert_eq!(chain(&[(0, 5.0), (1, -25.0), (2, 6.0)]), [2]);
        assert_eq!(chain(&[(0, 5.0), (2, -5.0), (3, 5.0)]), [2, 3]);
        assert_eq!(chain(&[(0, 5.0), (1, -5.0), (1, 5.0)]), [1]);
    }

    #[test]
    fn a_tracker_takes_over_from_the_estimate_and_hands_over_to_it() {
        let tracked = |id: &str| Rounder::Tracked(VesselId::new(id).expect("an id"));
        let by = |all: &[(u32, f64, Rounder)]| {
            let all = all.iter().map(|(place, left_m, who)| Rounding { who: who.clone(), ..rounding(*place, *left_m) });
            let all: Vec<Rounding> = all.collect();
            slalom(&all, 20.0).iter().map(|rounding| rounding.place).collect::<Vec<u32>>()
        };
        use Rounder::{Boat, Estimated};
        let (one, two) = (tracked("one"), tracked("two"));
        assert_eq!(by(&[(0, 5.0, Estimated), (1, -5.0, one.clone()), (2, 6.0, one.clone())]), [0, 1, 2]);
        assert_eq!(by(&[(0, 5.0, one.clone()), (1, -5.0, one.clone()), (2, 6.0, Estimated)]), [0, 1, 2]);
        // The boat between them is somebody else, and so is another tracker.
        assert_eq!(
            by(&[(0, 5.0, Estimated), (1, 3.0, Boat), (1, -5.0, one.clone()), (2, 6.0, one.clone())]),
            [0, 1, 2]
        );
        assert_eq!(by(&[(0, 5.0, two.clone()), (1, -5.0, two.clone()), (2, 6.0, one.clone())]), [2]);
        assert_eq!(by(&[(0, 5.0, two), (1, -5.0, Estimated), (2, 6.0, one.clone())]), [1, 2]);
        // Both abreast of one buoy as one takes over.
        assert_eq!(by(&[(0, 5.0, Estimated), (1, -5.0, Estimated), (1, -4.0, one.clone()), (2, 6.0, one)]), [0, 1, 2]);
    }

    #[test]
    fn a_ring_has_no_end() {
        let mut all: Vec<Rounding> = [(3, 5.0), (4, -5.0), (0, 5.0)].map(|(p, m)| rounding(p, m)).to_vec();
        assert_eq!(slalom(&all, 20.0).len(), 1);
        all.iter_mut().for_each(|rounding| rounding.ring = Some(5));
        assert_eq!(slalom(&all, 20.0).len(), 3);
    }
}
