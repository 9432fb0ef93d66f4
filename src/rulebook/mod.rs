//! A rulebook: one boating code as Buoyline judges it, read from TOML.
//!
//! Text in, [`Rulebook`] or every fault out, each with its line. A rulebook names its source and edition,
//! sets the parameters of motion and findings, and holds the rules that `crate::rules::ALL` can build,
//! each with the clauses it enforces. What it asks of docks, moorings and courses are its duties, which the
//! map is checked for. What the code asks of boats beyond motion (lights, life jackets, age) is not here. Reading the file is the adapters' work.

mod clause;
mod duty;
mod fault;
#[cfg(test)]
mod rulebook_tests;
mod section;
mod setting;
mod tow;

use std::fmt::Write;
use std::sync::Arc;

use chrono::NaiveDate;
use chrono_tz::Tz;
use sha2::{Digest, Sha256};
use toml::de::DeTable;

pub use clause::{Applies, Clause, LengthRange, Undeclared, VesselFilter};
pub use fault::RulebookError;
pub use section::{Entry, Section};
pub use setting::{Setting, Share};
pub use tow::TowInference;

use crate::rules::{self, Rule};
use crate::time::EventTime;
use crate::units::{Length, LengthUnit, Speed, SpeedUnit, TimeSpan, TimeUnit};
use crate::zones::Duty;
use fault::Faults;

/// The rulebooks that come with Buoyline: file name and text. The first one is the default.
pub const SHIPPED: &[(&str, &str)] = &[
    ("spokane.toml", include_str!("../../config/rules/spokane.toml")),
    ("wisconsin.toml", include_str!("../../config/rules/wisconsin.toml")),
];

/// A boating code with everything that decides a verdict.
#[derive(Debug)]
pub struct Rulebook {
    /// What it is called.
    pub name: String,
    /// Which edition of the code it holds.
    pub edition: String,
    /// Who made the code.
    pub authority: String,
    /// The first day on which it was in force, where known.
    pub effective_from: Option<NaiveDate>,
    /// The last day on which it was in force; `None` while it is.
    pub effective_to: Option<NaiveDate>,
    /// What took its place, if anything.
    pub superseded_by: Option<String>,
    /// Its clocks and calendar.
    pub time_zone: Tz,
    /// Hash of its text, 32 hexadecimal digits.
    pub version: Arc<str>,
    /// How fixes become motion.
    pub motion: Motion,
    /// How it is guessed who tows; `None` where only what is declared counts.
    pub tow_inference: Option<TowInference>,
    /// When findings are made and published.
    pub findings: FindingSteps,
    /// The units that texts speak in.
    pub texts: TextUnits,
    /// The rules, in the order of `crate::rules::ALL`.
    pub rules: Vec<Box<dyn Rule>>,
    /// What it asks of things on the water themselves; a map is checked for it.
    pub duties: Vec<Duty>,
}

/// How fixes become motion. The defaults are those of Spokane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// The longest time between two fixes over which motion is inferred.
    pub max_gap_s: f64,
    /// The longest pause within one finding.
    pub merge_gap_s: f64,
    /// How much older than its vessel's newest a fix may be and still be sorted in.
    pub reorder_window_s: f64,
    /// How long a vessel at rest stays where it was last seen.
    pub rest_ttl_s: f64,
    /// Over how long a vessel must be slow to be at rest.
    pub rest_time_s: f64,
    /// Below which speed.
    pub rest_speed_mps: f64,
    /// Within which distance of each other its fixes must lie.
    pub rest_radius_m: f64,
    /// The speed beyond which a jump is not believed.
    pub implausible_speed_mps: f64,
    /// Accuracy of a fix that states none, radius of 68 %.
    pub default_accuracy_m: f64,
    /// How far beyond its accuracy a fix may lie ashore and still be judged.
    pub off_water_margin_m: f64,
    /// The longest link of a buoy line that is derived from its buoys.
    pub max_link_m: f64,
    /// Length of a tow rope of which none was said.
    pub tow_rope_m: f64,
}

/// When findings are made and published.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FindingSteps {
    /// Below this confidence a finding is kept, but left out of alerts.
    pub min_confidence: f64,
    /// From this confidence on it is called a breach.
    pub breach_confidence: f64,
    /// By how much the peak speed must change to publish an open finding again.
    pub update_speed_mps: f64,
    /// By how much the peak distance must change.
    pub update_distance_m: f64,
    /// By how much the confidence must change.
    pub update_confidence: f64,
}

/// The units that texts speak in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextUnits {
    /// For speeds.
    pub speed: SpeedUnit,
    /// For distances.
    pub distance: LengthUnit,
}

impl Rulebook {
    /// Reads a rulebook; `name` is the file it came from, for messages.
    ///
    /// # Errors
    /// Every fault of the text in the order of its lines, never only the first; where it is no TOML, the
    /// faults of that.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, Vec<RulebookError>> {
        let faults = Faults::new(name, text);
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            faults.add(error.span().unwrap_or_default(), "", false, format!("no TOML: {}", error.message()));
        }
        if !faults.is_empty() {
            return Err(faults.into_sorted());
        }
        let read = read(Section::new(document.get_ref(), document.span(), String::new(), &faults), text);
        match read {
            Some(rulebook) if faults.is_empty() => Ok(rulebook),
            _ => Err(faults.into_sorted()),
        }
    }

    /// The default rulebook: the boating code of Spokane, Washington.
    pub fn spokane() -> Self {
        let (name, text) = SHIPPED[0];
        Self::from_toml(name, text).expect("the shipped rulebooks are read by a test")
    }

    /// Whether the code was in force at an instant, as far as its dates say.
    pub fn in_force(&self, t: EventTime) -> bool {
        let date = t.to_chrono().with_timezone(&self.time_zone).date_naive();
        self.effective_from.is_none_or(|from| from <= date) && self.effective_to.is_none_or(|to| date <= to)
    }
}

fn read(mut top: Section<'_>, text: &str) -> Option<Rulebook> {
    let (name, edition, authority) = (top.need("name"), top.need("edition"), top.need("authority"));
    let (effective_from, effective_to) = (top.opt::<NaiveDate>("effective_from"), top.opt::<NaiveDate>("effective_to"));
    if let (Some(from), Some(to)) = (effective_from, effective_to)
        && to < from
    {
        top.fault("effective_to", format!("earlier than effective_from, {from}"));
    }
    let superseded_by = top.opt("superseded_by");
    let time_zone = top.need("time_zone");
    let motion = top.table("motion").map_or_else(Motion::default, Motion::read);
    let findings = top.table("findings").map_or_else(FindingSteps::default, FindingSteps::read);
    let breach_confidence = findings.breach_confidence;
    let tow_inference = top.table("tow_inference").map(|section| TowInference::read(section, breach_confidence));
    let texts = top.table("texts").map_or_else(TextUnits::default, TextUnits::read);
    let duties = top.table("map").map_or_else(Vec::new, duty::read);
    let rules = match top.table("rules") {
        Some(rules) => read_rules(rules),
        None => {
            top.fault("rules", "missing; add a table for each rule, as in [rules.speed-cap]");
            Vec::new()
        }
    };
    top.finish();
    Some(Rulebook {
        name: name?,
        edition: edition?,
        authority: authority?,
        effective_from,
        effective_to,
        superseded_by,
        time_zone: time_zone?,
        version: version(text),
        motion,
        tow_inference,
        findings,
        texts,
        rules,
        duties,
    })
}

/// The rules of a rulebook, in the order of the list, whatever their order in the file.
fn read_rules(mut rules: Section<'_>) -> Vec<Box<dyn Rule>> {
    let ids: Vec<_> = rules::ALL.iter().map(|rule| rule.id).collect();
    for key in rules.keys() {
        if !ids.contains(&key.get_ref().as_ref()) {
            rules.fault_at_key(key, format!("unknown rule; known are {}", ids.join(", ")));
        }
    }
    let mut built = Vec::new();
    for kind in rules::ALL {
        let Some(mut section) = rules.table(kind.id) else { continue };
        section.check_citations();
        let noted = section.faults_so_far();
        let rule = (kind.build)(&mut section);
        if rule.is_none() && section.faults_so_far() == noted {
            section.fault("clause", "the rule cannot be built from these settings");
        }
        section.finish();
        built.extend(rule);
    }
    built
}

/// The first 16 bytes of the text's SHA-256, in hexadecimal.
fn version(text: &str) -> Arc<str> {
    let mut hex = String::with_capacity(32);
    for byte in &Sha256::digest(text.as_bytes())[..16] {
        let _ = write!(hex, "{byte:02x}");
    }
    hex.into()
}

impl Motion {
    fn read(mut section: Section<'_>) -> Self {
        let default = Self::default();
        let motion = Self {
            max_gap_s: section.or("max_gap", seconds(default.max_gap_s)).s(),
            merge_gap_s: section.or("merge_gap", seconds(default.merge_gap_s)).s(),
            reorder_window_s: section.or("reorder_window", seconds(default.reorder_window_s)).s(),
            rest_ttl_s: section.or("rest_ttl", seconds(default.rest_ttl_s)).s(),
            rest_time_s: section.or("rest_time", seconds(default.rest_time_s)).s(),
            rest_speed_mps: section.or("rest_speed", mps(default.rest_speed_mps)).mps(),
            rest_radius_m: section.or("rest_radius", metres(default.rest_radius_m)).m(),
            implausible_speed_mps: section.or("implausible_speed", mps(default.implausible_speed_mps)).mps(),
            default_accuracy_m: section.or("default_accuracy", metres(default.default_accuracy_m)).m(),
            off_water_margin_m: section.or("off_water_margin", metres(default.off_water_margin_m)).m(),
            max_link_m: section.or("max_link", metres(default.max_link_m)).m(),
            tow_rope_m: section.or("tow_rope", metres(default.tow_rope_m)).m(),
        };
        section.finish();
        motion
    }
}

impl Default for Motion {
    fn default() -> Self {
        Self {
            max_gap_s: 15.0,
            merge_gap_s: 10.0,
            reorder_window_s: 30.0,
            rest_ttl_s: 600.0,
            rest_time_s: 60.0,
            rest_speed_mps: SpeedUnit::Mph.factor(),
            rest_radius_m: 10.0,
            implausible_speed_mps: 120.0 * SpeedUnit::Mph.factor(),
            default_accuracy_m: 5.0,
            off_water_margin_m: 5.0,
            max_link_m: 400.0,
            tow_rope_m: 23.0,
        }
    }
}

impl FindingSteps {
    fn read(mut section: Section<'_>) -> Self {
        let mut findings = Self::default();
        findings.min_confidence = section.or("min_confidence", Share::of(findings.min_confidence)).ratio();
        findings.breach_confidence = section.or("breach_confidence", Share::of(findings.breach_confidence)).ratio();
        if findings.breach_confidence < findings.min_confidence {
            section.fault("breach_confidence", "lower than min_confidence: a breach would be left out of alerts");
        }
        if let Some(mut step) = section.table("update_step") {
            findings.update_speed_mps = step.or("speed", mps(findings.update_speed_mps)).mps();
            findings.update_distance_m = step.or("distance", metres(findings.update_distance_m)).m();
            findings.update_confidence = step.or("confidence", Share::of(findings.update_confidence)).ratio();
            step.finish();
        }
        section.finish();
        findings
    }
}

impl Default for FindingSteps {
    fn default() -> Self {
        Self {
            min_confidence: 0.5,
            breach_confidence: 0.95,
            update_speed_mps: SpeedUnit::Mph.factor(),
            update_distance_m: 1.0,
            update_confidence: 0.05,
        }
    }
}

impl TextUnits {
    fn read(mut section: Section<'_>) -> Self {
        let default = Self::default();
        let texts =
            Self { speed: section.or("speed", default.speed), distance: section.or("distance", default.distance) };
        section.finish();
        texts
    }
}

impl Default for TextUnits {
    fn default() -> Self {
        Self { speed: SpeedUnit::Mph, distance: LengthUnit::Ft }
    }
}

const fn seconds(s: f64) -> TimeSpan {
    TimeSpan::new(s, TimeUnit::S)
}

const fn metres(m: f64) -> Length {
    Length::new(m, LengthUnit::M)
}

const fn mph(mph: f64) -> Speed {
    Speed::new(mph, SpeedUnit::Mph)
}

const fn mps(mps: f64) -> Speed {
    Speed::new(mps, SpeedUnit::Mps)
}
