//! What a boating code asks of things on the water: `[[map.duty]]`, for `buoyline check`.

use super::section::Section;
use crate::units::Length;
use crate::zones::{Asks, Duty, DutyPlace};

/// The duties of the table `[map]`.
pub(super) fn read(mut map: Section<'_>) -> Vec<Duty> {
    let duties = map.tables("duty").into_iter().filter_map(duty).collect();
    map.finish();
    duties
}

fn duty(mut section: Section<'_>) -> Option<Duty> {
    let citation = section.need("citation");
    // The words are for people; nothing is made of them.
    let _: Option<String> = section.opt("text");
    let of = section.need("of");
    let (light, permit) = (section.opt("light"), section.opt("permit"));
    let (beyond, outside) = (section.opt::<Length>("beyond"), section.choice("outside", &[("buoy line", ())]));
    let asks = match (light, permit) {
        (Some(light), None) => Some(Asks::Light(light)),
        (None, Some(permit)) => Some(Asks::Permit(permit)),
        (Some(_), Some(_)) => {
            section.fault("permit", "a duty asks for a light or a permit; make two of it");
            None
        }
        (None, None) => {
            section.fault("light", "missing; say what is asked for, as in light = \"a quick flashing white light\", or permit = \"a marine permit\"");
            None
        }
    };
    let place = match (beyond, outside) {
        (None, None) => Some(DutyPlace::Anywhere),
        (Some(beyond), None) => Some(DutyPlace::Beyond(beyond)),
        (None, Some(())) => Some(DutyPlace::OutsideBuoyLine),
        (Some(_), Some(())) => {
            section.fault("outside", "a duty holds beyond a distance or outside the buoy line; make two of it");
            None
        }
    };
    section.finish();
    Some(Duty { citation: citation?, of: of?, asks: asks?, place: place? })
}
