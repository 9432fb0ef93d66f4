//! When a limit holds: by the sun, the clock, the season, or several of them.

use serde::{Deserialize, Serialize};

/// Placeholder so that the tree compiles; replaced with the rulebook work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Window;
