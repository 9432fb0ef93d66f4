//! What permits leave of what rules saw.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Event;
use crate::geo::{Span, Spans};
use crate::rules::{NearFeature, Place, Scene, Sight, Sighting};
use crate::zones::{KindSet, ZoneKind};

/// The rule that a permit lifts where it does not say which.
const DEFAULT_LIFT: &str = "speed-cap";

/// What is left of a sighting outside the permit areas that lift its rule for this vessel.
pub(super) fn lifted(
    rule: &'static str,
    sighting: Sighting,
    scene: &Scene<'_>,
    out: &mut Vec<Event>,
) -> SmallVec<[Sighting; 1]> {
    let mut left = Spans::one(sighting.span);
    for permit in permits(rule, scene) {
        let inside = scene.inside_of(permit);
        if inside.within(sighting.span).length_s() > 0.0 || scene.leg.motion.span_s == 0.0 && !inside.is_empty() {
            out.push(Event::Lifted { vessel: scene.subject.id.clone(), rule, permit: permit.id.clone() });
            left = left.subtract(&inside);
        }
    }
    if left == Spans::one(sighting.span) {
        return [sighting].into_iter().collect();
    }
    left.iter().map(|span| part_of(&sighting, span, scene)).collect()
}

/// The permit areas around that lift a rule for this vessel.
fn permits<'a>(rule: &'static str, scene: &'a Scene<'_>) -> impl Iterator<Item = &'a NearFeature<'a>> {
    scene.of_kinds(KindSet::only(ZoneKind::PermitArea)).filter(move |permit| match permit.feature {
        Some(feature) => {
            let names_it = feature.vessels.as_ref().is_none_or(|vessels| vessels.contains(scene.subject.id));
            names_it && feature.lifts.iter().any(|lifts| lifts == rule)
        }
        // A mark says neither: it is a permit for all, for what permits lift unless they say more.
        None => rule == DEFAULT_LIFT,
    })
}

/// The permit areas that a leg comes into and that lift something for this vessel.
pub(super) fn permits_in(scene: &Scene<'_>) -> Vec<Arc<str>> {
    let inside = scene.of_kinds(KindSet::only(ZoneKind::PermitArea)).filter(|permit| {
        let is_for_it = permit
            .feature
            .is_none_or(|feature| feature.vessels.as_ref().is_none_or(|vessels| vessels.contains(scene.subject.id)));
        is_for_it && !scene.inside_of(permit).is_empty()
    });
    inside
        .map(|permit| permit.feature.and_then(|f| f.permit.as_deref()).map_or_else(|| permit.id.clone(), Arc::from))
        .collect()
}

/// Where on a leg a rule is lifted, and by which permits.
pub(super) struct Lifts {
    rule: &'static str,
    by: SmallVec<[(Arc<str>, Spans); 1]>,
}

/// The permits that lift a rule about skiing on a leg: it is asked again with those, so that what it saw is cut by it.
pub(super) fn lifts_of(rule: &'static str, scene: &Scene<'_>) -> Lifts {
    let by = permits(rule, scene).map(|permit| (permit.id.clone(), scene.inside_of(permit)));
    Lifts { rule, by: by.filter(|(_, inside)| !inside.is_empty()).collect() }
}

impl Lifts {
    /// Whether a sighting is cut, which is counted.
    pub fn cut(&self, sighting: &Sighting, scene: &Scene<'_>, out: &mut Vec<Event>) -> bool {
        let is_instant = sighting.span.length_s() == 0.0;
        let mut is_cut = false;
        for (permit, inside) in &self.by {
            let cut = inside.within(sighting.span);
            if cut.length_s() > 0.0 || is_instant && !cut.is_empty() {
                out.push(Event::Lifted { vessel: scene.subject.id.clone(), rule: self.rule, permit: permit.clone() });
                is_cut = true;
            }
        }
        is_cut
    }

    /// Where the rule is lifted.
    pub fn spans(&self) -> Spans {
        self.by.iter().flat_map(|(_, inside)| inside.iter()).collect()
    }
}

/// The part of a sighting that lies in `span`: its worst instant and the features involved there.
fn part_of(sighting: &Sighting, span: Span, scene: &Scene<'_>) -> Sighting {
    let mut part = Sighting { span, ..sighting.clone() };
    let Place::Near { radius_m, .. } = sighting.place else {
        if !span.contains(part.peak.at_s) {
            let at_s = scene.worst_instant_s(span, std::iter::empty());
            let other = scene.others.iter().find(|other| Some(other.vessel) == sighting.other.as_ref());
            let distance_m = other
                .filter(|other| other.during.contains(at_s))
                .map(|other| (other.motion.at(at_s - other.during.from_s) - scene.leg.motion.at(at_s)).norm());
            part.peak = Sight { at_s, speed_mps: scene.leg.speed_at_mps(at_s), distance_m, ..part.peak };
        }
        return part;
    };
    let involved: SmallVec<[&NearFeature<'_>; 4]> = scene
        .features
        .iter()
        .filter(|f| sighting.features.contains(f.id) && !scene.within_of(f, radius_m).within(span).is_empty())
        .collect();
    part.features = involved.iter().map(|feature| feature.id.clone()).collect();
    if !span.contains(part.peak.at_s) {
        let at_s = scene.worst_instant_s(span, involved.iter().copied());
        let nearest = involved
            .iter()
            .filter(|feature| feature.present.contains(at_s))
            .map(|feature| (scene.distance_to_m(feature, at_s), feature.id))
            .min_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(q.1)));
        part.peak = Sight {
            at_s,
            speed_mps: scene.leg.speed_at_mps(at_s),
            distance_m: nearest.map(|(m, _)| m),
            feature: nearest.map(|(_, id)| id.clone()),
            skier: None,
        };
    }
    part
}
