//! `conflicting-limits`: speed zones that overlap in place and time with different limits.

use super::super::ZoneKind;
use super::super::map::{Feature, Validity};
use super::super::plane::{area_m2, intersection, to_polygon};
use super::super::report::{At, Problem};
use super::{Chart, Lint, Told};
use crate::geo::{LocalFrame, Position};

pub(super) const LINT: Lint = Lint { id: "conflicting-limits", look };

/// Zones that share less than this only touch, square metres.
const AREA_MIN_M2: f64 = 25.0;
/// After so many the rest follows once these are mended.
const TOLD_MAX: usize = 20;
/// Days in the months of a leap year.
const MONTH_DAYS: [u16; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

fn look(chart: &Chart<'_>, told: &mut Told<'_, '_>) {
    let zones: Vec<(&Feature, &At, Box)> = chart
        .drawn()
        .filter(|(feature, _)| feature.kind == ZoneKind::SpeedZone)
        .map(|(feature, at)| (feature, at, Box::of(feature)))
        .collect();
    let mut told_count = 0;
    for (i, (zone, _, bounds)) in zones.iter().enumerate() {
        for (other, at, _) in zones[i + 1..].iter().filter(|(_, _, other)| other.meets(bounds)) {
            let (Some(limit), Some(other_limit)) = (zone.speed_limit, other.speed_limit) else { continue };
            // Hours of both may well take turns; that is for people to see.
            let take_turns = zone.hours.is_some() && other.hours.is_some();
            if limit.mps() == other_limit.mps() || take_turns || !share_a_day(zone.validity, other.validity) {
                continue;
            }
            if told_count == TOLD_MAX {
                return;
            }
            let shared_m2 = shared_m2(zone, other);
            if shared_m2 < AREA_MIN_M2 {
                continue;
            }
            let reason = format!(
                "speed zones {:?} ({limit}) and {:?} ({other_limit}) overlap on {}; both hold there, so the lower limit decides",
                &*zone.id,
                &*other.id,
                area(shared_m2)
            );
            let mend =
                "draw them side by side, or give them times that take turns, if the higher limit is meant to hold";
            told_count += 1;
            told.say(at, Problem::warning(at.path.clone(), reason, mend));
        }
    }
}

fn area(m2: f64) -> String {
    if m2 < 10_000.0 { format!("{m2:.0} m²") } else { format!("{:.1} ha", m2 / 10_000.0) }
}

fn shared_m2(a: &Feature, b: &Feature) -> f64 {
    let (polygons, others) = (a.shape.polygons(), b.shape.polygons());
    let Some(origin) = polygons.first().and_then(|rings| rings.first()?.first()) else { return 0.0 };
    let frame = LocalFrame::at(*origin);
    let mut sum_m2 = 0.0;
    for polygon in polygons.iter().map(|rings| to_polygon(&frame, rings)) {
        for other in others.iter().map(|rings| to_polygon(&frame, rings)) {
            sum_m2 += intersection(&polygon, &other).iter().map(area_m2).sum::<f64>();
        }
    }
    sum_m2
}

/// Whether there is a day on which both are there.
fn share_a_day(a: Validity, b: Validity) -> bool {
    match (a, b) {
        (Validity::Between(from, until), Validity::Between(other_from, other_until)) => {
            let before = |end: Option<_>, start: Option<_>| end.zip(start).is_some_and(|(end, start)| end < start);
            !before(until, other_from) && !before(other_until, from)
        }
        (Validity::EveryYear(from, until), Validity::EveryYear(other_from, other_until)) => {
            (0..366).any(|day| is_in(day, from, until) && is_in(day, other_from, other_until))
        }
        // Once and every year: only the times themselves could say.
        _ => true,
    }
}

fn is_in(day: u16, from: (u8, u8), until: (u8, u8)) -> bool {
    let of = |(month, day): (u8, u8)| {
        MONTH_DAYS.iter().take(usize::from(month).saturating_sub(1)).sum::<u16>() + u16::from(day) - 1
    };
    let (from, until) = (of(from), of(until));
    if from <= until { (from..=until).contains(&day) } else { day >= from || day <= until }
}

/// A box in degrees.
#[derive(Debug, Clone, Copy)]
struct Box {
    lon: [f64; 2],
    lat: [f64; 2],
}

impl Box {
    fn of(feature: &Feature) -> Self {
        let empty = [f64::INFINITY, f64::NEG_INFINITY];
        let mut bounds = Self { lon: empty, lat: empty };
        let grow = |side: &mut [f64; 2], x: f64| *side = [side[0].min(x), side[1].max(x)];
        feature.shape.each_edge(&mut |a: Position, _| {
            grow(&mut bounds.lon, a.lon_deg());
            grow(&mut bounds.lat, a.lat_deg());
        });
        bounds
    }

    fn meets(&self, o: &Self) -> bool {
        let meets = |a: [f64; 2], b: [f64; 2]| a[0] <= b[1] && b[0] <= a[1];
        meets(self.lon, o.lon) && meets(self.lat, o.lat)
    }
}
