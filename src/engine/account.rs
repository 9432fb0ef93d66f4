//! How long each rule could be judged for a vessel: silence is no clean record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use smallvec::SmallVec;

use crate::observation::Profile;
use crate::rulebook::Applies;
use crate::rules::{Rule, SaidOfTow};
use crate::skier::TowPart;
use crate::track::{Leg, TrackFix};

/// What could be judged of one vessel, by rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Account {
    /// By the rule's id.
    pub rules: BTreeMap<&'static str, RuleAccount>,
}

/// What could be judged of one vessel by one rule.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct RuleAccount {
    /// For how long its motion was known and the rule applied to it, seconds.
    pub judged_s: f64,
    /// For how long it was on the water and could not be judged, seconds.
    pub not_evaluable_s: NotEvaluable,
}

/// Why a vessel on the water could not be judged, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct NotEvaluable {
    /// Its fixes were too far apart, seconds.
    pub gap_too_long: f64,
    /// What the rule asks about it was never declared, seconds.
    pub attribute_never_declared: f64,
    /// Its positions were less exact than the rule's distance, seconds.
    pub accuracy_too_poor: f64,
}

impl RuleAccount {
    /// Adds another stay of the same vessel.
    pub(super) fn add(&mut self, o: &Self) {
        self.judged_s += o.judged_s;
        self.not_evaluable_s.gap_too_long += o.not_evaluable_s.gap_too_long;
        self.not_evaluable_s.attribute_never_declared += o.not_evaluable_s.attribute_never_declared;
        self.not_evaluable_s.accuracy_too_poor += o.not_evaluable_s.accuracy_too_poor;
    }
}

/// Whether a rule could judge a leg.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evaluation {
    Judged,
    NeverDeclared,
    AccuracyTooPoor,
    /// The rule is about other vessels.
    NotMeant,
}

/// The legs and gaps of one vessel as its fixes settle, shortest possible: summed by accuracy later.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Keeper {
    last: Option<TrackFix>,
    /// Seconds of legs, by radius of confidence in whole metres (of the worse end; `u32::MAX` unreported).
    legs_s: BTreeMap<u32, f64>,
    gaps_s: f64,
    /// Seconds of legs with somebody in tow, by what the crew said.
    tows_s: BTreeMap<SaidOfTow, f64>,
}

impl Keeper {
    /// Takes an accepted fix that no later one can change.
    /// `tow` says what is in tow on the leg that leads there.
    pub fn settle(&mut self, fix: &TrackFix, tow: impl FnOnce(&Leg) -> SmallVec<[TowPart; 1]>) {
        if let Some(last) = self.last
            && last.water != crate::track::ASHORE
            && fix.water != crate::track::ASHORE
            && !fix.is_person
        {
            let span_s = fix.t.seconds_since(last.t);
            if fix.linked {
                let metres = |fix: &TrackFix| fix.accuracy_m().map_or(u32::MAX, |m| m.ceil() as u32);
                let worse = match (metres(&last), metres(fix)) {
                    (u32::MAX, m) | (m, u32::MAX) => m,
                    (a, b) => a.max(b),
                };
                *self.legs_s.entry(worse).or_default() += span_s;
                for part in tow(&Leg::between(&last, fix)) {
                    *self.tows_s.entry(SaidOfTow::of(&part)).or_default() += part.span.length_s();
                }
            } else {
                self.gaps_s += span_s;
            }
        }
        self.last = Some(*fix);
    }

    /// What follows is not connected with what was.
    pub fn break_off(&mut self) {
        self.last = None;
    }

    /// The account of one rule about a vessel's own tow; `None` where it never had one that the rule is meant for.
    pub fn of_tow(&self, rule: &dyn Rule, profile: Option<&Profile>) -> Option<RuleAccount> {
        let (class, length_m) = (profile.and_then(|p| p.class), profile.and_then(|p| p.length_m));
        let applies: SmallVec<[Applies; 8]> =
            rule.clauses().iter().map(|clause| clause.vessels.applies(class, length_m)).collect();
        let mut account = RuleAccount::default();
        let mut is_meant = false;
        for (said, &span_s) in self.tows_s.iter().filter(|(said, _)| rule.is_meant_for_tow(said)) {
            if applies.contains(&Applies::Unknown) || !rule.can_judge_tow(said) {
                account.not_evaluable_s.attribute_never_declared += span_s;
            } else if applies.contains(&Applies::Yes) {
                account.judged_s += span_s;
            } else {
                continue;
            }
            is_meant = true;
        }
        is_meant.then_some(account)
    }

    /// The account of one rule, which could judge a leg of some accuracy as `evaluate` says.
    pub fn of_rule(&self, default_accuracy_m: f64, evaluate: impl Fn(f64) -> Evaluation) -> Option<RuleAccount> {
        let mut account = RuleAccount::default();
        let mut is_meant = false;
        for (&metres, &span_s) in &self.legs_s {
            let accuracy_m = if metres == u32::MAX { default_accuracy_m } else { f64::from(metres) };
            match evaluate(accuracy_m) {
                Evaluation::Judged => account.judged_s += span_s,
                Evaluation::NeverDeclared => account.not_evaluable_s.attribute_never_declared += span_s,
                Evaluation::AccuracyTooPoor => account.not_evaluable_s.accuracy_too_poor += span_s,
                Evaluation::NotMeant => continue,
            }
            is_meant = true;
        }
        account.not_evaluable_s.gap_too_long = self.gaps_s;
        (is_meant || self.gaps_s > 0.0).then_some(account)
    }
}

/// Whether a rule could judge the legs of a vessel, for the accounts. `had_conditions`: whether anything was
/// ever reported of sight and weather where it was.
pub(super) fn evaluation(
    rule: &dyn Rule,
    profile: Option<&Profile>,
    accuracy_m: f64,
    had_conditions: bool,
) -> Evaluation {
    let (class, length_m) = (profile.and_then(|p| p.class), profile.and_then(|p| p.length_m));
    let applies: SmallVec<[Applies; 8]> =
        rule.clauses().iter().map(|clause| clause.vessels.applies(class, length_m)).collect();
    // Where one clause could not be judged, nothing found is no clean record.
    if applies.contains(&Applies::Unknown) || (rule.needs_conditions() && !had_conditions) {
        Evaluation::NeverDeclared
    } else if applies.contains(&Applies::Yes) {
        if rule.looks_around() && rule.reach_m() > 0.0 && accuracy_m > rule.reach_m() {
            Evaluation::AccuracyTooPoor
        } else {
            Evaluation::Judged
        }
    } else {
        Evaluation::NotMeant
    }
}
