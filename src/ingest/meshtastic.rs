//! Meshtastic's JSON over MQTT: `msh/{region}/2/json/{channel}/!{gateway}`.
//!
//! | key | meaning here |
//! | --- | --- |
//! | `type` | `position` is a fix; other known types are asides |
//! | `from` | the node, as eight hex digits: `abcdef01` of the app's `!abcdef01` |
//! | `payload.latitude_i`, `longitude_i` | degrees × 10⁷; both 0 is no fix |
//! | `payload.timestamp`, else `payload.time` | time of the fix, seconds since 1970 |
//! | `payload.HDOP`, else `PDOP` | × 100 |
//! | `payload.precision_bits` | below 32, the position is blurred on purpose: the size of the square is its accuracy |
//! | `payload.ground_speed` | read where the source's `speed_unit` says its unit: firmware and documentation differ (km/h, m/s) |
//! | `payload.ground_track` | read where `course_per_deg` says its scale: 100 by the documentation, 100000 by older firmware |
//!
//! The firmware leaves out what is zero, so an absent speed is not reported. The envelope's `timestamp` is
//! the gateway's clock and never the time of a fix; that a packet comes by several gateways does no harm.

use super::decoder::{Decoded, Format, Message, Sample, Speaker, one};
use super::json::{self, Object};
use super::reported::{ACCURACY_MAX_M, accuracy_of_hdop_m, angle_deg, speed_mps};
use crate::observation::{Fix, Observation, Refusal, RefusalReason};
use crate::units::SpeedUnit;

pub(super) const FORMAT: Format = Format {
    name: "meshtastic",
    topic: "msh/#",
    recognise,
    settings: &["speed_unit", "course_per_deg"],
    build: |settings| {
        let scales = Scales { speed_unit: settings.speed_unit, course_per_deg: settings.course_per_deg };
        one(move |message, speaker| decode(scales, message, speaker))
    },
};

/// Types of packets that are no positions, and the name each is counted by.
const ASIDES: &[(&str, &str)] = &[
    ("", "other_packet"),
    ("text", "text"),
    ("telemetry", "telemetry"),
    ("nodeinfo", "node_info"),
    ("waypoint", "waypoint"),
    ("neighborinfo", "neighbours"),
    ("traceroute", "trace"),
    ("detection", "detection"),
    ("remotehw", "remote_hardware"),
    ("paxcounter", "people_counter"),
];

/// Half the width in metres of the square in which a position with no bits kept lies: 2³¹ steps of 10⁻⁷
/// degrees. Every bit halves it.
const HALF_SQUARE_M: f64 = 23_905_788.0;

fn recognise(sample: &Sample<'_>) -> bool {
    sample.has_keys(&["from", "type", "sender"]) || (sample.topic.starts_with("msh/") && sample.topic.contains("/2/"))
}

/// What is said about the numbers of a source.
#[derive(Debug, Clone, Copy)]
struct Scales {
    speed_unit: Option<SpeedUnit>,
    course_per_deg: Option<f64>,
}

/// Decodes one message.
fn decode(scales: Scales, message: &Message<'_>, speaker: &Speaker<'_>) -> Result<Decoded, Refusal> {
    let value = json::parse(message.payload).map_err(|refusal| {
        let is_binary = message.topic.contains("/2/e/") || message.topic.contains("/2/c/");
        if is_binary {
            Refusal::unparsable("binary packets: switch on JSON in the gateway's MQTT settings")
        } else {
            refusal
        }
    })?;
    let object = Object::message(&value)?;
    let kind = object.get("type").and_then(|kind| kind.as_str()).ok_or_else(|| object.fault("type", "a string"))?;
    if kind != "position" {
        let aside = ASIDES.iter().find(|(name, _)| *name == kind);
        return aside.map(|(_, name)| Decoded::Aside(name)).ok_or_else(|| object.fault("type", "a known type"));
    }
    let node = object.count("from", "the node")?;
    let vessel = speaker.vessel(node.map(|node| format!("{node:08x}")).as_deref())?;
    let payload = object.object("payload")?.ok_or_else(|| object.fault("payload", "an object"))?;
    let position = payload.position("latitude_i", "longitude_i", 1e7)?;
    let t = match payload.epoch_s("timestamp")? {
        Some(t) => t,
        None => payload.epoch_s("time")?.ok_or_else(|| payload.time_missing("time"))?,
    };
    let mut fix = Fix::new(t, position);
    if let Some(unit) = scales.speed_unit {
        fix.sog_mps = speed_mps(payload.number("ground_speed", unit.symbol())?, unit);
    }
    if let Some(per_deg) = scales.course_per_deg {
        fix.cog_deg = angle_deg(payload.number("ground_track", "degrees, scaled")?.map(|scaled| scaled / per_deg));
    }
    let dilution = |key| Ok::<_, Refusal>(payload.number(key, "dilution × 100")?.map(|dop| dop / 100.0));
    let by_dilution = accuracy_of_hdop_m(dilution("HDOP")?.or(dilution("PDOP")?));
    let bits = payload.count("precision_bits", "bits, 0 to 32")?;
    let blur_m = bits.filter(|bits| (1..32).contains(bits)).map(|bits| HALF_SQUARE_M / f64::from(1_u32 << bits));
    if let Some(blur_m) = blur_m.filter(|blur_m| *blur_m > ACCURACY_MAX_M) {
        let detail = format!("`payload.precision_bits` blurs the position to {:.0} km: it is none", blur_m / 1000.0);
        return Err(Refusal::new(RefusalReason::BadPosition, detail));
    }
    fix.accuracy_m = match blur_m {
        Some(blur_m) if blur_m > by_dilution.unwrap_or(0.0) => Some(blur_m),
        _ => by_dilution,
    };
    Ok(Decoded::Observation(Observation::Fix(vessel, fix)))
}
