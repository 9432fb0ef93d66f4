//! A delta: values of one vessel, in updates that each have a time and a source.

use super::join::Joiner;
use super::path;
use super::vessel;
use crate::ingest::decoder::{Decoded, Message, Speaker};
use crate::ingest::json::{self, Object};
use crate::observation::{Refusal, VesselId};

/// Decodes one delta. Of each update the values that a position is joined with are kept before its
/// positions are made fixes, whatever their order in it.
pub(super) fn decode(joiner: &mut Joiner, message: &Message<'_>, speaker: &Speaker<'_>, each: &mut dyn FnMut(Decoded)) {
    let mut count = 0;
    let mut counted = |decoded| {
        count += 1;
        each(decoded);
    };
    if let Err(refusal) = whole(joiner, message, speaker, &mut counted) {
        counted(Decoded::Refused(refusal));
    }
    if count == 0 {
        each(Decoded::Aside("other_paths"));
    }
}

fn whole(
    joiner: &mut Joiner,
    message: &Message<'_>,
    speaker: &Speaker<'_>,
    each: &mut dyn FnMut(Decoded),
) -> Result<(), Refusal> {
    let value = json::parse(message.payload)?;
    let object = Object::message(&value)?;
    if !object.has("updates") && ["version", "roles", "requestId"].iter().any(|key| object.has(key)) {
        each(Decoded::Aside("hello"));
        return Ok(());
    }
    let updates = object.get("updates").and_then(|updates| updates.as_array());
    let updates = updates.ok_or_else(|| object.fault("updates", "a list of updates"))?;
    let context = object.text("context", "which vessel")?.unwrap_or("vessels.self");
    let Some(who) = context.strip_prefix("vessels.") else {
        each(Decoded::Aside("no_vessel"));
        return Ok(());
    };
    let vessel = vessel(who, speaker)?;
    for update in updates {
        if let Err(refusal) = one_update(joiner, message, &vessel, update, each) {
            each(Decoded::Refused(refusal));
        }
    }
    Ok(())
}

fn one_update(
    joiner: &mut Joiner,
    message: &Message<'_>,
    vessel: &VesselId,
    update: &serde_json::Value,
    each: &mut dyn FnMut(Decoded),
) -> Result<(), Refusal> {
    let update = Object::message(update)?;
    // An update may hold `meta` instead, which says how to show values.
    let Some(values) = update.get("values") else { return Ok(()) };
    let values = values.as_array().ok_or_else(|| update.fault("values", "a list of values"))?;
    let source = match update.text("$source", "which source")? {
        Some(source) => source,
        None => update.object("source")?.map_or(Ok(None), |source| source.text("label", "its name"))?.unwrap_or(""),
    };
    let known: Vec<_> = values
        .iter()
        .filter_map(|value| Some((value.get("path")?.as_str()?, value.get("value")?)))
        .filter(|(path, _)| path::is_known(path))
        .collect();
    if known.is_empty() {
        return Ok(());
    }
    let t = update.time("timestamp")?.ok_or_else(|| update.time_missing("timestamp"))?;
    let mut at = path::At { joiner, vessel, source, t, arrival: message.received_at };
    let (positions, parts): (Vec<_>, Vec<_>) = known.into_iter().partition(|(path, _)| *path == path::POSITION);
    for (path, value) in parts.into_iter().chain(positions) {
        match at.value(path, value) {
            Ok(Some(observation)) => each(Decoded::Observation(observation)),
            Ok(None) if path == path::POSITION => {}
            Ok(None) => each(Decoded::Aside("part")),
            Err(refusal) => each(Decoded::Refused(refusal)),
        }
    }
    Ok(())
}
