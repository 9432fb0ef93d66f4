//! `ski-direction`: with a skier up, the way that keeps the outer shore to starboard (SMC 10.14.170(K)).
//!
//! Counterclockwise "according to the waterway's topography" is read as the direction that keeps the nearest outer
//! shore to starboard, islands aside, or a drawn `circulation` line to port. A course against it is one that is
//! more than an angle away from it, for some time without a break; a turn to come back is neither. While a skier
//! is down, and so while the boat turns round to pick one up, nothing is judged. [`super::travel`] solves
//! when a leg is against the direction; how sure that is, is asked of the shore around ([`Place::Astray`]).

use super::travel::against;
use super::{Lasting, Limit, Place, Rule, RuleKind, Scene, Sight, Sighting, Told};
use crate::rulebook::{Clause, Section};
use crate::units::{Angle, Length, Speed, TimeSpan};
use crate::zones::{Hand, TravelTerms, Waterway};

pub(super) const KIND: RuleKind = RuleKind { id: "ski-direction", build };

#[derive(Debug)]
struct SkiDirection {
    clauses: Vec<Direction>,
}

#[derive(Debug)]
struct Direction {
    clause: Clause,
    /// Slower than this is no travelling.
    faster_than: Speed,
    /// How far a course may be off the direction of travel.
    off_course: Angle,
    /// How long it has to be further off to count.
    lasting: TimeSpan,
    /// Whether a break that errors or a spit of the shore explain is none.
    is_bridged: bool,
    travel: TravelTerms,
    /// How far around the direction is asked, to be sure of it.
    smoothing: Length,
}

fn build(section: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    let mut clauses = Vec::new();
    for mut table in section.tables("clause") {
        let clause = table.clause();
        let (faster_than, off_course, lasting) =
            (table.need("faster_than"), table.need::<Angle>("off_course"), table.need("lasting"));
        if off_course.is_some_and(|angle| !(90.0..180.0).contains(&angle.deg())) {
            table.fault(
                "off_course",
                "not from 90 deg up to 180 deg: less than that is no course against the direction",
            );
        }
        let (mid_water, smoothing) = (table.need::<Length>("mid_water"), table.need("smoothing"));
        let hands = [("starboard", Hand::Starboard), ("port", Hand::Port)];
        let shore_to = table.choice("shore_to", &hands).unwrap_or(Hand::Starboard);
        let is_bridged = table.choice("breaks", &[("bridged", true), ("counted", false)]).unwrap_or(false);
        table.finish();
        if let (Some(faster_than), Some(off_course), Some(lasting), Some(mid_water), Some(smoothing)) =
            (faster_than, off_course, lasting, mid_water, smoothing)
        {
            let travel = TravelTerms { shore_to, mid_water_m: mid_water.m() };
            clauses.push(Direction { clause, faster_than, off_course, lasting, is_bridged, travel, smoothing });
        }
    }
    Some(Box::new(SkiDirection { clauses }))
}

impl Rule for SkiDirection {
    fn id(&self) -> &'static str {
        KIND.id
    }

    fn clauses(&self) -> Vec<&Clause> {
        self.clauses.iter().map(|direction| &direction.clause).collect()
    }

    fn quiet_below_mps(&self, _: &Waterway) -> f64 {
        self.clauses.iter().map(|direction| direction.faster_than.mps()).fold(f64::INFINITY, f64::min)
    }

    fn needs_tow(&self) -> bool {
        true
    }

    fn lasting(&self, clause: u16) -> Lasting {
        let direction = &self.clauses[usize::from(clause)];
        Lasting { s: direction.lasting.s(), is_bridged: direction.is_bridged }
    }

    fn travel(&self) -> Option<TravelTerms> {
        self.clauses.first().map(|direction| direction.travel)
    }

    fn tells(&self, told: &Told<'_>) -> Option<String> {
        let speed = told.speed.as_ref()?;
        let off_deg = told.off_course_deg?;
        Some(format!("{} towed a skier at {speed} on a course {off_deg:.0}° off the direction of travel", told.vessel))
    }

    fn judge(&self, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        for (i, direction) in self.clauses.iter().enumerate() {
            direction.judge(i as u16, scene, out);
        }
    }
}

impl Direction {
    fn judge(&self, clause: u16, scene: &Scene<'_>, out: &mut Vec<Sighting>) {
        let Some(fast) = scene.leg.faster_than(self.faster_than.mps()) else { return };
        let spans = scene.skier_up().within(fast).intersect(&scene.bound_by(&self.clause));
        if spans.is_empty() {
            return;
        }
        let off_course_deg = self.off_course.deg();
        let found = against(scene.leg, scene.waterway, &self.travel, off_course_deg, scene.circulation);
        for against in found {
            for span in spans.within(against.span).iter() {
                let at_s = against.worst_s.clamp(span.from_s, span.to_s);
                out.push(Sighting {
                    clause,
                    zone: None,
                    other: None,
                    span,
                    limit: Limit::default(),
                    peak: Sight {
                        at_s,
                        speed_mps: scene.leg.speed_at_mps(at_s),
                        distance_m: None,
                        feature: None,
                        skier: None,
                    },
                    features: scene.circulation_at(at_s).map(|ix| scene.waterway.feature(ix).id.clone()).collect(),
                    place: Place::Astray {
                        travel: self.travel,
                        off_deg: against.off_deg,
                        off_course_deg,
                        faster_than_mps: self.faster_than.mps(),
                        smoothing_m: self.smoothing.m(),
                    },
                    excuses: Vec::new(),
                });
            }
        }
    }
}
