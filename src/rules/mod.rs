//! The rules: one list, one file each.
//!
//! This is the least that a rulebook needs to be read: every rule takes its settings and keeps none.

use std::fmt::Debug;

use crate::observation::{VesselClass, Weather};
use crate::rulebook::{Section, Share};
use crate::units::{Acceleration, Angle, Length, Speed, TimeSpan};
use crate::zones::KindSet;

/// A rule that judges motion.
pub trait Rule: Debug + Send + Sync {
    /// Its public id.
    fn id(&self) -> &'static str;
}

/// How a rule is built from its table of a rulebook.
#[derive(Debug)]
pub struct RuleKind {
    /// The rule's public id.
    pub id: &'static str,
    /// Takes its settings; `None` where any was faulty, and then the fault is noted.
    pub build: fn(&mut Section<'_>) -> Option<Box<dyn Rule>>,
}

/// All rules there are, in the order in which they judge.
pub const ALL: &[RuleKind] = &[
    RuleKind { id: "speed-cap", build: speed_cap },
    RuleKind { id: "wake-zone", build: wake_zone },
    RuleKind { id: "night-speed", build: night_speed },
    RuleKind { id: "inshore-wake", build: inshore_wake },
    RuleKind { id: "restricted-visibility", build: restricted_visibility },
    RuleKind { id: "speed-zone", build: speed_zone },
];

#[derive(Debug)]
struct Read(&'static str);

impl Rule for Read {
    fn id(&self) -> &'static str {
        self.0
    }
}

/// Reads every clause with `read`.
fn clauses(
    rule: &mut Section<'_>,
    id: &'static str,
    mut read: impl FnMut(&mut Section<'_>) -> Option<()>,
) -> Option<Box<dyn Rule>> {
    let mut all = Some(());
    for mut section in rule.tables("clause") {
        section.clause();
        all = read(&mut section).and(all);
        section.finish();
    }
    all.map(|()| Box::new(Read(id)) as Box<dyn Rule>)
}

fn speed_cap(rule: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    clauses(rule, "speed-cap", |clause| clause.need::<Speed>("limit").map(drop))
}

fn wake_zone(rule: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    clauses(rule, "wake-zone", |clause| {
        let (limit, within) = (clause.need::<Speed>("limit"), clause.need::<Length>("within"));
        let of = clause.opt::<KindSet>("of").map(drop);
        let of_vessels = clause.choice("of_vessels", &[("stationary", ()), ("trolling", ())]);
        limit.and(within).and(of.or(of_vessels))
    })
}

fn night_speed(rule: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    clauses(rule, "night-speed", |clause| clause.need::<Speed>("limit").map(drop))
}

fn inshore_wake(rule: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    clauses(rule, "inshore-wake", |clause| {
        let (limit, departing) = (clause.need::<Speed>("limit"), clause.need::<Angle>("departing_within"));
        limit.and(departing).map(drop)
    })
}

fn restricted_visibility(rule: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    clauses(rule, "restricted-visibility", |clause| {
        let weather = clause.need::<Vec<Weather>>("weather");
        let (ttl, reaction) = (clause.need::<TimeSpan>("conditions_ttl"), clause.need::<TimeSpan>("reaction_time"));
        let (deceleration, share) = (clause.need::<Acceleration>("deceleration"), clause.need::<Share>("sight_share"));
        for mut of in clause.tables("deceleration_of") {
            of.need::<Vec<VesselClass>>("class");
            of.need::<Acceleration>("deceleration");
            of.finish();
        }
        weather.and(ttl).and(reaction).and(deceleration).and(share).map(drop)
    })
}

fn speed_zone(rule: &mut Section<'_>) -> Option<Box<dyn Rule>> {
    clauses(rule, "speed-zone", |_| Some(()))
}
