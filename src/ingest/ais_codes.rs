//! What the numbers in AIS messages mean, for tables and programs that have unpacked the messages.

use super::ais::{self, Mmsi, StationKind};
use crate::observation::{NavStatus, VesselClass};

/// The name under which a message of a station that is no vessel is counted, by its MMSI; `None` for a vessel.
/// What nobody steers is not judged.
pub fn no_vessel(mmsi: u32) -> Option<&'static str> {
    match Mmsi::from_number(mmsi).kind() {
        StationKind::Vessel => None,
        StationKind::None => Some("no_identity"),
        StationKind::CoastStation => Some("ais_coast_station"),
        StationKind::Aircraft => Some("ais_aircraft"),
        StationKind::AidToNavigation => Some("ais_aid_to_navigation"),
        StationKind::DistressBeacon => Some("ais_distress_beacon"),
    }
}

/// What the number of a navigational status stands for; see [`ais::nav_status`].
pub fn nav_status(code: u32) -> Option<NavStatus> {
    u8::try_from(code).ok().and_then(ais::nav_status)
}

/// What the number of a type of ship stands for; see [`ais::vessel_class`].
pub fn vessel_class(ship_type: u32) -> Option<VesselClass> {
    u8::try_from(ship_type).ok().and_then(ais::vessel_class)
}
