//! `night-speed`: a lower limit while it is dark (SMC 10.14.140(C)).
//!
//! The same judgement as the cap; what differs is the clause's `when`, such as "from 30 min after sunset
//! to 30 min before sunrise".

use super::RuleKind;
use super::speed_cap::Capped;

pub(super) const KIND: RuleKind =
    RuleKind { id: "night-speed", build: |section| Capped::build("night-speed", section) };
