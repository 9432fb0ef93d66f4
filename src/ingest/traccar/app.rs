//! What the Traccar app sends from version 9.0 on (traccar.org/osmand, "JSON"):
//!
//! | key | meaning here |
//! | --- | --- |
//! | `device_id` | the vessel |
//! | `location.timestamp` | time of the fix, RFC 3339 |
//! | `location.coords.latitude`, `longitude` | degrees |
//! | `location.coords.speed` | **m/s**, unlike everywhere else in Traccar; −1 is unknown |
//! | `location.coords.heading` | course over ground, degrees true; −1 is unknown |
//! | `location.coords.accuracy` | radius of 68 % confidence, metres |
//! | `location.mock` | a place made up by another app: refused |

use super::coarse;
use crate::ingest::decoder::{Decoded, Speaker};
use crate::ingest::json::Object;
use crate::ingest::reported::{accuracy_m, angle_deg, speed_mps};
use crate::observation::{Fix, Observation, Refusal};
use crate::units::SpeedUnit;

/// Decodes one message.
pub(super) fn decode(object: &Object<'_>, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    let vessel = speaker.vessel(object.text("device_id", "the device's id")?)?;
    let location = object.object("location")?.ok_or_else(|| object.fault("location", "an object"))?;
    if location.flag("mock")? == Some(true) {
        return Err(coarse("`location.mock` is true: made up by another app"));
    }
    let Some(coords) = location.object("coords")? else { return Ok(Decoded::Aside("status")) };
    let position = coords.position("latitude", "longitude", 1.0)?;
    let t = location.time("timestamp")?.ok_or_else(|| location.time_missing("timestamp"))?;
    let mut fix = Fix::new(t, position);
    fix.sog_mps = speed_mps(coords.number("speed", "m/s, such as 4.2")?, SpeedUnit::Mps);
    fix.cog_deg = angle_deg(coords.number("heading", "degrees, such as 214.0")?);
    fix.accuracy_m = accuracy_m(coords.number("accuracy", "metres, such as 5.0")?);
    Ok(Decoded::Observation(Observation::Fix(vessel, fix)))
}
