//! How much anybody may ask for: so many requests at once, then so many in a while.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::Problem;

/// How many are told apart at most; those who have asked for the least go first.
const ASKERS_MAX: usize = 10_000;

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limited {
    /// Trying to log in, by address and by name.
    Login,
    /// Requests that take the daemon long: judging again, uploads, whole exports.
    Heavy,
    /// Looking at what was recorded, one thing at a time.
    Look,
    /// Looking at the public view, by address.
    Public,
}

impl Limited {
    /// How many at once, and how many a second from then on.
    const fn terms(self) -> (f64, f64) {
        match self {
            Self::Login => (10.0, 0.1),
            Self::Heavy => (20.0, 0.5),
            Self::Look => (120.0, 5.0),
            Self::Public => (60.0, 2.0),
        }
    }
}

/// Who has asked for how much.
#[derive(Debug, Default)]
pub(super) struct Limits {
    left: Mutex<BTreeMap<(Limited, String), (f64, Instant)>>,
}

impl Limits {
    /// Takes one of what is left for somebody.
    ///
    /// # Errors
    /// A [`Problem`] that says when there is more.
    pub fn take(&self, what: Limited, whose: &str) -> Result<(), Problem> {
        let (at_once, a_second) = what.terms();
        let now = Instant::now();
        let mut all = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let filled = |(left, at): (f64, Instant)| (left + now.duration_since(at).as_secs_f64() * a_second).min(at_once);
        let key = (what, whose.to_owned());
        let left = all.get(&key).map_or(at_once, |&before| filled(before));
        if left < 1.0 {
            let wait_s = ((1.0 - left) / a_second).ceil() as u64;
            return Err(Problem::too_many("too many requests", wait_s).detail(format!("try again in {wait_s} s")));
        }
        all.insert(key, (left - 1.0, now));
        if all.len() > ASKERS_MAX {
            // Whoever has all of it again is as good as new.
            all.retain(|(what, _), &mut (left, at)| {
                let (at_once, a_second) = what.terms();
                left + now.duration_since(at).as_secs_f64() * a_second < at_once
            });
        }
        if all.len() > ASKERS_MAX {
            all.pop_first();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_too_often_waits_and_others_do_not() {
        let limits = Limits::default();
        for _ in 0..10 {
            limits.take(Limited::Login, "anna").expect("there is some left");
        }
        let refused = limits.take(Limited::Login, "anna").expect_err("used up");
        assert_eq!(refused.status(), 429);
        limits.take(Limited::Login, "ben").expect("another one");
        limits.take(Limited::Heavy, "anna").expect("something else");
    }
}
