//! How many keys may be tried. The key itself is too long to be guessed; this keeps a program from trying.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Wrong keys at once.
const BURST: u32 = 10;

/// After that, one more each time that this has passed.
const PAUSE: Duration = Duration::from_secs(30);

/// The guesses that are left: `spent` of them come back in time, counted from `at`.
#[derive(Debug)]
pub(super) struct Guesses(Mutex<(u32, Instant)>);

impl Guesses {
    pub(super) fn new(now: Instant) -> Self {
        Self(Mutex::new((0, now)))
    }

    /// Takes a guess; false: none is left.
    pub(super) fn take(&self, now: Instant) -> bool {
        let mut guesses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (spent, at) = &mut *guesses;
        while *spent > 0 && now.saturating_duration_since(*at) >= PAUSE {
            *spent -= 1;
            *at += PAUSE;
        }
        if *spent == 0 {
            *at = now;
        }
        if *spent >= BURST {
            return false;
        }
        *spent += 1;
        true
    }

    /// Gives a guess back, which was right.
    pub(super) fn give_back(&self) {
        let mut guesses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        guesses.0 = guesses.0.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_end_and_come_back_one_by_one() {
        let start = Instant::now();
        let guesses = Guesses::new(start);
        let taken = |now| (0..20).filter(|_| guesses.take(now)).count();
        assert_eq!(taken(start), 10);
        assert_eq!(taken(start + PAUSE - Duration::from_secs(1)), 0);
        assert_eq!(taken(start + PAUSE), 1);
        guesses.give_back();
        assert_eq!(taken(start + PAUSE), 1);
        assert_eq!(taken(start + PAUSE * 1000), 10);
    }
}
