//! What tables of decoded AIS say beside positions: of what kind a station is, and what vessels are.
//!
//! Statuses and types are those of AIS, as numbers or in the words of the publisher.

use foldhash::fast::FixedState;
use indexmap::IndexMap;

use super::columns::{Columns, Publisher};
use crate::ingest::ais_codes;
use crate::observation::{NavStatus, Profile, VesselClass, VesselId};
use crate::time::EventTime;

/// What vessels were last said to be, so that only news is handed on.
#[derive(Debug, Default)]
pub(super) struct Profiles {
    last: IndexMap<VesselId, Profile, FixedState>,
}

impl Profiles {
    /// The profile of `vessel` that the cells of a record give, if it says something new. The first one holds
    /// for all time, a later one from the record's time on.
    pub(super) fn news(
        &mut self,
        vessel: &VesselId,
        t: EventTime,
        columns: &Columns,
        cells: &[&str],
    ) -> Option<Profile> {
        let cell = |column: Option<usize>| {
            column.and_then(|ix| cells.get(ix)).map(|text| text.trim()).filter(|text| !text.is_empty())
        };
        // Nought is what a transmitter says whose owner never entered a size.
        let metres = |column| cell(column).and_then(|text| text.parse().ok()).filter(|m| (0.1..=1000.0).contains(m));
        let mmsi = cell(columns.mmsi).filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
        let said = Profile {
            t: None,
            name: cell(columns.name).map(str::to_owned),
            mmsi: mmsi.map(str::to_owned),
            class: cell(columns.ship_type).and_then(vessel_class),
            length_m: metres(columns.length),
            beam_m: metres(columns.width),
            engine_hp: None,
            year: None,
        };
        let says_something =
            said.name.is_some() || said.class.is_some() || said.length_m.is_some() || said.beam_m.is_some();
        let last = self.last.get(vessel);
        if !says_something || last.is_some_and(|last| *last == said) {
            return None;
        }
        let t = last.map(|_| t);
        self.last.insert(vessel.clone(), said.clone());
        Some(Profile { t, ..said })
    }
}

/// The name under which a record is counted that is of no vessel, if it is of none.
pub(super) fn no_vessel(columns: &Columns, cells: &[&str]) -> Option<&'static str> {
    let publisher = columns.publisher?;
    let cell = |column: Option<usize>| column.and_then(|ix| cells.get(ix)).map_or("", |text| text.trim());
    if publisher == Publisher::DanishMaritimeAuthority {
        match cell(columns.mobile).to_ascii_lowercase().as_str() {
            "base station" => return Some("ais_base_station"),
            "aton" => return Some("ais_aid_to_navigation"),
            "sar airborne" => return Some("ais_aircraft"),
            "search and rescue transponder" | "man overboard device" | "epirb" => return Some("ais_distress_beacon"),
            _ => {}
        }
    }
    cell(columns.mmsi).parse().ok().and_then(ais_codes::no_vessel)
}

/// The status of a number or words; `None` for those that say nothing, and for others.
pub(super) fn nav_status(text: &str) -> Option<NavStatus> {
    let words = text.to_ascii_lowercase().replace("underway", "under way").replace('_', " ");
    let code = match words.as_str() {
        "under way using engine" | "under way" => 0,
        "at anchor" | "anchored" => 1,
        "not under command" => 2,
        "restricted maneuverability" | "restricted manoeuvrability" | "restricted" => 3,
        "constrained by her draught" | "constrained by draught" => 4,
        "moored" => 5,
        "aground" => 6,
        "engaged in fishing" | "fishing" => 7,
        "under way sailing" | "sailing" => 8,
        // Ours; AIS has none for these.
        "trolling" => return Some(NavStatus::Trolling),
        "rowing" => return Some(NavStatus::Rowing),
        other => other.parse().ok()?,
    };
    ais_codes::nav_status(code)
}

/// The class of a type of ship, a number or words.
fn vessel_class(text: &str) -> Option<VesselClass> {
    let number = match text.to_ascii_lowercase().as_str() {
        "fishing" => 30,
        "towing" | "towing long/wide" => 31,
        "dredging" => 33,
        "diving" => 34,
        "military" => 35,
        "sailing" => 36,
        "pleasure" => 37,
        "hsc" => 40,
        "pilot" => 50,
        "sar" => 51,
        "tug" => 52,
        "port tender" => 53,
        "anti-pollution" => 54,
        "law enforcement" => 55,
        "passenger" => 60,
        "cargo" => 70,
        "tanker" => 80,
        // Some write 70.0.
        other => other.split('.').next()?.parse().ok()?,
    };
    ais_codes::vessel_class(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words_mean_the_same() {
        assert_eq!(nav_status("5"), nav_status("Moored"));
        assert_eq!(nav_status("Under way using engine"), Some(NavStatus::UnderWay));
        for nothing in ["", "15", "Unknown value", "9"] {
            assert_eq!(nav_status(nothing), None, "{nothing}");
        }
        assert_eq!(vessel_class("36"), vessel_class("Sailing"));
        assert_eq!(vessel_class("37"), vessel_class("Pleasure"));
        assert_eq!(vessel_class("70.0"), Some(VesselClass::Commercial));
        for nothing in ["0", "Undefined", "1012"] {
            assert_eq!(vessel_class(nothing), None, "{nothing}");
        }
    }
}
