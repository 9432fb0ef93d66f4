//! `[tow_inference]`: whether and how it is guessed from motion alone who is towing.

use super::{Section, Share, mph, seconds};

/// What shows that a boat tows, where a rulebook asks for that to be guessed. The defaults are choices: skiers are
/// pulled at 14 to 36 mph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TowInference {
    /// Below this a boat has stopped, m/s.
    pub stop_mps: f64,
    /// The slowest run with a skier, m/s.
    pub from_mps: f64,
    /// The fastest, m/s.
    pub to_mps: f64,
    /// Within this time from a stop to that speed, seconds.
    pub start_within_s: f64,
    /// A run shorter than this counts for nothing, seconds.
    pub run_min_s: f64,
    /// A stop longer than this ends the session, seconds.
    pub pause_max_s: f64,
    /// So many runs from stop to stop have to come before; one less after a loop back to where a run broke off.
    pub runs: u32,
    /// How likely it then is that the boat tows. What rests on it is weighed with it.
    pub likelihood: f64,
}

impl TowInference {
    pub(super) fn read(mut section: Section<'_>, breach_confidence: f64) -> Self {
        let default = Self::default();
        let inference = Self {
            stop_mps: section.or("stop", mph(5.0)).mps(),
            from_mps: section.or("speed_from", mph(14.0)).mps(),
            to_mps: section.or("speed_to", mph(36.0)).mps(),
            start_within_s: section.or("start_within", seconds(default.start_within_s)).s(),
            run_min_s: section.or("run_min", seconds(default.run_min_s)).s(),
            pause_max_s: section.or("pause_max", seconds(default.pause_max_s)).s(),
            runs: section.or("runs", default.runs),
            likelihood: section.or("likelihood", Share::of(default.likelihood)).ratio(),
        };
        if inference.likelihood >= breach_confidence {
            section.fault("likelihood", "not below breach_confidence: what rests on a guess may never be a breach");
        }
        if inference.from_mps >= inference.to_mps {
            section.fault("speed_to", "not above speed_from");
        }
        section.finish();
        inference
    }
}

impl Default for TowInference {
    fn default() -> Self {
        Self {
            stop_mps: mph(5.0).mps(),
            from_mps: mph(14.0).mps(),
            to_mps: mph(36.0).mps(),
            start_within_s: 15.0,
            run_min_s: 20.0,
            pause_max_s: 300.0,
            runs: 2,
            likelihood: 0.6,
        }
    }
}
