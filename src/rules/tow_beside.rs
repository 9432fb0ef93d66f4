//! A towing vessel with its skiers beside the leg of another.

use std::sync::Arc;

use super::{Carrier, Limit, Place, Scene, Sight, Sighting, SkierSeen, Spot};
use crate::geo::{Position, Span, Spans, Vec2};
use crate::observation::VesselId;
use crate::skier::{Extent, KnownBy, Skier, Steady, TowLeg};

/// A towing vessel with its skiers beside the leg, for the time of one leg of its own.
///
/// Everything is in the plane and on the clock of that leg of its own.
#[derive(Debug, Clone)]
pub struct TowBeside {
    /// Which vessel.
    pub vessel: VesselId,
    /// What the subject's clock shows when this one is at zero, seconds.
    pub offset_s: f64,
    /// For how long both are known.
    pub during: Span,
    /// The subject.
    pub own: Steady,
    /// The box around the subject meanwhile.
    pub own_extent: Extent,
    /// How the towing vessel turned where its leg begins, if one leads there; told only where both are known then and
    /// the subject is so near that a rule may ask.
    pub turn: Option<Turn>,
    /// The leg of the towing vessel, with what is in tow.
    pub way: Arc<TowLeg>,
}

/// How a vessel turned at a fix, and at the one before and the one after it, radians to the right; zero where no leg
/// tells.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// Its course before, of unit length.
    pub from: Vec2,
    /// How long the shorter of the two legs is, seconds.
    pub span_s: f64,
    /// By how much it turned at the fix before.
    pub earlier_rad: f64,
    /// By how much it turned here.
    pub rad: f64,
    /// By how much it turned at the fix after.
    pub later_rad: f64,
    /// By how much it would seem to turn here by the errors that the fixes are said to have, one standard deviation.
    pub error_rad: f64,
}

impl Turn {
    /// Whether the error of a fix makes it look turned: one that is off to a side turns the course there and back, and not
    /// by more than fixes may be off.
    pub fn is_by_error(&self) -> bool {
        let undone_rad = self.earlier_rad + self.later_rad;
        let is_undone = undone_rad * self.rad < 0.0 && undone_rad.abs() >= UNDONE_SHARE * self.rad.abs();
        is_undone && self.rad.abs() <= POSSIBLE_SIGMAS * self.error_rad
    }

    /// Whether errors as large as the fixes are said to have explain that it looks turned.
    pub fn may_be_by_error(&self) -> bool {
        self.rad.abs() <= EXPLAINED_SIGMAS * self.error_rad
    }
}

/// The least share of a turn that is undone around it where it is no turn. A choice: by the errors of independent
/// fixes it is four thirds on average and seldom under a third; of a bend it is none.
const UNDONE_SHARE: f64 = 0.3;
/// No error of a fix is larger than this many standard deviations.
const POSSIBLE_SIGMAS: f64 = 5.0;
/// Errors explain what is no larger than this many standard deviations: nineteen of twenty that they make.
const EXPLAINED_SIGMAS: f64 = 2.0;

impl TowBeside {
    /// The skiers of whom the subject may come within `radius_m`: a quick look that rules most out. Where one stretch of a
    /// skier ends as the subject's leg begins, or begins as it ends, the stretch beside it tells of that instant.
    pub fn skiers_near(&self, radius_m: f64) -> impl Iterator<Item = &Skier> {
        let meets = |skier: &&Skier| {
            let span = skier.stretch.span;
            let both = span.intersect(self.during);
            both.is_some_and(|both| both.length_s() > 0.0 || span.length_s() == 0.0 || self.during.length_s() == 0.0)
        };
        self.way.skiers_near(&self.own_extent, radius_m).filter(meets)
    }

    /// Spans on its own clock, on that of the subject.
    pub fn on_subjects_clock(&self, spans: &Spans) -> Spans {
        spans.iter().map(|span| span.later(self.offset_s)).collect()
    }

    /// A sighting of the subject beside one of the skiers during `span` of the subject's leg, worst where nearest.
    /// `place` makes its place of the subject and the skier at that instant.
    pub fn beside_skier(
        &self,
        scene: &Scene<'_>,
        clause: u16,
        span: Span,
        skier: &Skier,
        place: impl FnOnce(Box<Spot>, Box<Spot>) -> Place,
        radius_m: f64,
    ) -> Sighting {
        let (there_s, distance_m) = skier.stretch.nearest_to(&self.own, span.later(-self.offset_s));
        let at_s = (there_s + self.offset_s).clamp(span.from_s, span.to_s);
        let (frame, there) = (&self.way.leg.frame, skier.stretch.at(there_s));
        let position = frame.to_position(there).unwrap_or(frame.origin());
        let away = there - self.way.boat.at(there_s);
        let other = spot_of(&skier.by, Carrier::Other(self.vessel.clone()), away, position);
        Sighting {
            clause,
            zone: None,
            other: Some(self.vessel.clone()),
            span,
            limit: Limit { speed_mps: None, distance_m: Some(radius_m) },
            peak: Sight {
                at_s,
                speed_mps: scene.leg.speed_at_mps(at_s),
                distance_m: Some(distance_m),
                feature: None,
                skier: Some(seen(&skier.by, position)),
            },
            features: Default::default(),
            place: place(Box::new(scene.own_spot(at_s)), Box::new(other)),
            excuses: Vec::new(),
        }
    }
}

/// A skier as a spot: on its own tracker's track, or away from the boat's.
pub(super) fn spot_of(by: &KnownBy, boat: Carrier, away: Vec2, position: Position) -> Spot {
    match by {
        KnownBy::Tracker { id, accuracy_m } => Spot {
            carrier: Carrier::Other(id.clone()),
            offset_m: [0.0, 0.0],
            sigma_m: 0.0,
            position,
            accuracy_m: *accuracy_m,
        },
        KnownBy::Rope { sigma_m } => {
            Spot { carrier: boat, offset_m: [away.east_m, away.north_m], sigma_m: *sigma_m, position, accuracy_m: None }
        }
    }
}

/// The radius of a 2-D Gaussian that holds 68 %, in standard deviations of one axis.
const SIGMAS_IN_68: f64 = 1.509_592_153;

pub(super) fn seen(by: &KnownBy, position: Position) -> SkierSeen {
    match by {
        KnownBy::Tracker { accuracy_m, .. } => SkierSeen { position, is_estimated: false, accuracy_m: *accuracy_m },
        KnownBy::Rope { sigma_m } => {
            SkierSeen { position, is_estimated: true, accuracy_m: Some(SIGMAS_IN_68 * sigma_m) }
        }
    }
}
