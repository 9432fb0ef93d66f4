//! Rulebooks.

use buoyline::rulebook::Rulebook;

use crate::runner::Outcome;

/// A rulebook is read, or each fault has its place in the text and its reason; what is read has sound limits.
pub fn rulebook(input: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(vec!["no UTF-8".to_owned()]) };
    let faults = match Rulebook::from_toml("lake.toml", text) {
        Ok(rulebook) => {
            let m = rulebook.motion;
            let steps = rulebook.findings;
            let positive = [m.max_gap_s, m.rest_time_s, m.rest_radius_m, m.implausible_speed_mps, m.default_accuracy_m];
            if positive.iter().any(|value| !(value.is_finite() && *value > 0.0)) {
                return Err(format!("accepted, with {m:?}"));
            }
            if !(0.0..=1.0).contains(&steps.min_confidence) || !(0.0..=1.0).contains(&steps.breach_confidence) {
                return Err(format!("accepted, with {steps:?}"));
            }
            return Ok(vec![format!("accepted {} rules", "r".repeat(rulebook.rules.len()))]);
        }
        Err(faults) if faults.is_empty() => return Err("refused without a reason".to_owned()),
        Err(faults) => faults,
    };
    let lines = text.split('\n').count();
    for fault in &faults {
        if fault.reason.trim().is_empty() || fault.line == 0 || fault.line > lines || fault.column == 0 {
            return Err(format!("a fault without reason or place: {fault:?}"));
        }
    }
    let places: Vec<_> = faults.iter().map(|fault| (fault.line, fault.column)).collect();
    if !places.is_sorted() {
        return Err(format!("faults out of order: {places:?}"));
    }
    Ok(faults.into_iter().map(|fault| format!("{} {}", fault.key, fault.reason)).collect())
}
