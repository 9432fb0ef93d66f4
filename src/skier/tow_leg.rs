//! A leg of a towing vessel with its skiers on it, as other vessels ask for it.

use smallvec::SmallVec;

use super::stretch::{Steady, Stretch, Way};
use super::tow::TowPart;
use super::trace::Skier;
use crate::geo::{Span, Vec2};
use crate::track::Leg;

/// A leg of a towing vessel, or a stay, with what it has in tow. Everything is in the plane and on the clock of the leg.
#[derive(Debug, Clone)]
pub struct TowLeg {
    /// The leg.
    pub leg: Leg,
    /// The boat.
    pub boat: Steady,
    /// Its course, degrees true.
    pub course_deg: Option<f64>,
    /// Its course, of unit length.
    pub course: Option<Vec2>,
    /// What is in tow, on the parts of the leg on which somebody is.
    pub parts: SmallVec<[TowPart; 1]>,
    /// Where the skiers are.
    pub skiers: Vec<Skier>,
    /// Around each of the skiers.
    boxes: SmallVec<[Extent; 2]>,
    /// The box around the boat and all of them.
    pub extent: Extent,
    /// How far from the boat any of them is, metres.
    pub away_m: f64,
}

/// A box in the plane of a leg, by its south-western and its north-eastern corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// The south-western corner.
    pub low: Vec2,
    /// The north-eastern corner.
    pub high: Vec2,
}

impl Extent {
    /// The box around a straight way.
    pub fn of(a: Vec2, b: Vec2) -> Self {
        Self {
            low: Vec2::new(a.east_m.min(b.east_m), a.north_m.min(b.north_m)),
            high: Vec2::new(a.east_m.max(b.east_m), a.north_m.max(b.north_m)),
        }
    }

    /// The box around a stretch of a skier's way.
    fn of_stretch(stretch: &Stretch) -> Self {
        // A curve lies within its ends and the straight way between them, widened by less than it is long.
        let Span { from_s, to_s } = stretch.span;
        let swell_m = match stretch.way {
            Way::Straight(_) => 0.0,
            Way::Drawn(drawn) => 0.5 * drawn.speed_mps * (to_s - from_s),
        };
        let Self { low, high } = Self::of(stretch.at(from_s), stretch.at(to_s));
        Self {
            low: Vec2::new(low.east_m - swell_m, low.north_m - swell_m),
            high: Vec2::new(high.east_m + swell_m, high.north_m + swell_m),
        }
    }

    /// The box around both.
    fn and(&self, other: &Self) -> Self {
        Self {
            low: Vec2::new(self.low.east_m.min(other.low.east_m), self.low.north_m.min(other.low.north_m)),
            high: Vec2::new(self.high.east_m.max(other.high.east_m), self.high.north_m.max(other.high.north_m)),
        }
    }

    /// How far apart two boxes are along the axis on which they are farther, metres: no more than they are; less than
    /// zero where they overlap.
    pub fn apart_m(&self, other: &Self) -> f64 {
        let apart = |low: f64, high: f64, other_low: f64, other_high: f64| (other_low - high).max(low - other_high);
        apart(self.low.east_m, self.high.east_m, other.low.east_m, other.high.east_m).max(apart(
            self.low.north_m,
            self.high.north_m,
            other.low.north_m,
            other.high.north_m,
        ))
    }
}

impl TowLeg {
    /// A leg with what is in tow on it.
    pub fn new(leg: Leg, parts: SmallVec<[TowPart; 1]>, skiers: Vec<Skier>) -> Self {
        let boat = Steady::of(&leg.motion, 0.0);
        let course_deg = leg.course_deg();
        let boxes: SmallVec<[Extent; 2]> = skiers.iter().map(|skier| Extent::of_stretch(&skier.stretch)).collect();
        let extent = boxes.iter().fold(Extent::of(leg.motion.from, leg.motion.to), |all, one| all.and(one));
        let away_m = |skier: &Skier| {
            let Span { from_s, to_s } = skier.stretch.span;
            [from_s, to_s].map(|s| (skier.stretch.at(s) - boat.at(s)).norm())
        };
        let away_m = skiers.iter().flat_map(away_m).fold(0.0, f64::max);
        let course = course_deg.map(Vec2::toward_deg);
        Self { leg, boat, course_deg, course, parts, skiers, boxes, extent, away_m }
    }

    /// Bytes held, as far as they can be counted.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.skiers.capacity() * size_of::<Skier>()
    }

    /// The skiers that may come within `radius_m` of a box in the plane of the leg: a quick look that rules most out.
    pub fn skiers_near<'a>(&'a self, other: &'a Extent, radius_m: f64) -> impl Iterator<Item = &'a Skier> {
        let near = self.boxes.iter().map(move |extent| extent.apart_m(other) <= radius_m + ROUNDING_M);
        self.skiers.iter().zip(near).filter_map(|(skier, is_near)| is_near.then_some(skier))
    }
}

/// What rounding may do to a distance of some hundred metres, metres: much less than this.
const ROUNDING_M: f64 = 1e-3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skier::pull;

    #[test]
    fn a_skier_on_a_curve_stays_in_the_box_around_it() {
        let span = Span { from_s: 0.0, to_s: 4.0 };
        for (east_m, north_m, mps) in [(-20.0, -5.0, 12.0), (3.0, 22.0, 9.0), (0.5, -22.9, 15.0), (18.0, 0.0, 0.4)] {
            let boat = Steady { at_s: 0.0, from: Vec2::default(), velocity: Vec2::new(0.6, 0.8) * mps };
            let (stretches, _) = pull(&boat, span, Vec2::new(east_m, north_m), 23.0);
            for stretch in &stretches {
                let extent = Extent::of_stretch(stretch);
                let Span { from_s, to_s } = stretch.span;
                for i in 0..=100 {
                    let here = stretch.at(from_s + (to_s - from_s) * f64::from(i) / 100.0);
                    assert!(extent.apart_m(&Extent::of(here, here)) <= 1e-9, "{here:?} in {extent:?}");
                }
            }
        }
    }

    #[test]
    fn boxes_are_apart_along_one_axis() {
        let square =
            |east_m: f64, north_m: f64| Extent::of(Vec2::new(east_m, north_m), Vec2::new(east_m + 1.0, north_m - 1.0));
        assert_eq!(square(0.0, 0.0).apart_m(&square(5.0, 3.0)), 4.0);
        assert_eq!(square(0.0, 0.0).apart_m(&square(-5.0, 30.0)), 29.0);
        assert!(square(0.0, 0.0).apart_m(&square(0.5, 0.5)) < 0.0);
    }
}
