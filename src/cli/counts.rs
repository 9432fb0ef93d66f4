//! What is told about a replay beside its findings: what was read, what was not judged and why.

use std::collections::BTreeMap;

use compact_str::CompactString;

use super::tell;
use crate::export::{Report, edition};
use crate::observation::{RefusalReason, VesselId};
use crate::replay::driver::Unused;

/// How many vessels are named where the one asked for is not among them.
const NAMED_MAX: usize = 8;

/// Why one of the vessels that an option names, with that option, is none of those that were heard. Where nobody
/// was heard, what was refused says more.
pub(super) fn unheard<'v>(
    mut named: impl Iterator<Item = (&'v str, &'v VesselId)>,
    vessels: &[VesselId],
) -> Option<String> {
    let (option, vessel) = named.find(|(_, vessel)| !vessels.is_empty() && !vessels.contains(vessel))?;
    let heard: Vec<&str> = vessels.iter().take(NAMED_MAX).map(VesselId::as_str).collect();
    let more = if vessels.len() > NAMED_MAX { " and others" } else { "" };
    Some(format!("{option}: no fix is of vessel {vessel}; there are fixes of {}{more}", heard.join(", ")))
}

/// Tells it.
pub(super) fn tell_counts(report: &Report<'_>) {
    let outcome = report.outcome;
    let refused: u64 = outcome.fixes.refused.values().sum();
    let accepted = outcome.fixes.accepted;
    tell(format_args!("{} fixes read: {accepted} judged, {refused} not", accepted + refused));
    tell_refused(&outcome.fixes.refused, &outcome.examples);
    tell_unused(&outcome.unused);
    for (vessel, [one, other]) in outcome.shared.iter().take(NAMED_MAX) {
        tell(format_args!(
            "warning: {one} and {other} both call their track {vessel}, and it is judged as one vessel; where they are \
             different boats, convert each with a --track-vessel of its own"
        ));
    }
    for ((rule, permit), count) in &outcome.lifts {
        tell(format_args!("note: permit area {permit} lifted {rule} {count} times"));
    }
    if accepted == 0 && outcome.fixes.refused.contains_key(&RefusalReason::OffWater) {
        tell("note: no fix is on the water of this map: is it the right one? Its coordinates are longitude first");
    }
    let historic = outcome.findings.iter().filter(|finding| !report.in_force(finding)).count();
    if historic > 0 {
        tell(format_args!(
            "note: {historic} of {} findings are by an edition that was not in force at the time: {}",
            outcome.findings.len(),
            edition(report.rulebook)
        ));
    }
    for (name, error) in &outcome.unread {
        tell(format_args!("error: {name}: {error}"));
    }
}

/// Tells what was not taken, by reason, with the first few of each.
pub(super) fn tell_refused(refused: &BTreeMap<RefusalReason, u64>, examples: &BTreeMap<RefusalReason, Vec<String>>) {
    for (reason, count) in refused {
        tell(format_args!("  {count} {}", in_words(*reason)));
        for example in examples.get(reason).into_iter().flatten() {
            tell(format_args!("    {example}"));
        }
        if *reason == RefusalReason::Late {
            tell(
                "    where it is no log of arrivals, but was put in another order, sort its lines by time and replay again",
            );
        }
    }
}

/// Tells what was there beside fixes and was not meant to be one.
pub(super) fn tell_unused(unused: &BTreeMap<CompactString, Unused>) {
    let unused = unused.iter().filter(|(_, unused)| !unused.is_refused);
    let unused: Vec<String> = unused.map(|(what, unused)| format!("{} {what}", unused.count)).collect();
    if !unused.is_empty() {
        tell(format_args!("note: beside fixes there are {}", unused.join(", ")));
    }
}

/// The reason for people, with the name that the summary counts it by.
fn in_words(reason: RefusalReason) -> String {
    let words = match reason {
        RefusalReason::Unparsable => "cannot be read",
        RefusalReason::NoPosition => "have no position",
        RefusalReason::BadPosition => "have an impossible position",
        RefusalReason::NoTime => "have no time",
        RefusalReason::Future => "are of the future",
        RefusalReason::Implausible => "are implausible jumps",
        RefusalReason::Duplicate => "repeat a vessel and time",
        RefusalReason::Late => "came too late to be sorted in",
        RefusalReason::OffWater => "are off the water",
        RefusalReason::WrongVessel => "speak for a vessel that is not theirs",
    };
    format!("{words} ({reason})")
}
