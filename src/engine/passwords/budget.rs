//! How much processor time the hashes of strangers may take. They would otherwise fill one processor, of which a small
//! machine has two, while players wait for their letters.

use std::time::{Duration, Instant};

/// Strangers get one second of hashing in this many.
const SHARE: u32 = 4;

/// The most that is saved up: some fifty new passwords at once.
const MOST: Duration = Duration::from_secs(2);

/// The processor time that is left.
#[derive(Debug)]
pub(super) struct Budget {
    /// When all of it is there again.
    full_at: Instant,
}

impl Budget {
    pub(super) const fn new(now: Instant) -> Self {
        Self { full_at: now }
    }

    /// Takes this much time; returns how long to wait until it was there.
    pub(super) fn take(&mut self, time: Duration, now: Instant) -> Duration {
        self.full_at = self.full_at.max(now) + time * SHARE;
        (self.full_at - now).saturating_sub(MOST * SHARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_free_at_first_and_then_have_a_share_of_the_time() {
        let mut now = Instant::now();
        let began = now;
        let mut budget = Budget::new(now);
        let hash = Duration::from_millis(50);
        let mut hashes = 0;
        while now - began < Duration::from_secs(60) {
            now += hash;
            now += budget.take(hash, now);
            hashes += 1;
            if hashes == 40 {
                assert_eq!(now - began, hash * 40, "they did not wait");
            }
        }
        // 53 at once, of which some came back meanwhile, and one in each 200 ms after that.
        assert!((335..345).contains(&hashes), "{hashes}");
    }

    #[test]
    fn what_was_not_used_is_saved_up_to_the_most() {
        let began = Instant::now();
        let mut budget = Budget::new(began);
        assert_eq!(budget.take(MOST, began), Duration::ZERO);
        let second = Duration::from_secs(1);
        assert_eq!(budget.take(second, began), second * SHARE);
        let later = began + Duration::from_secs(3600);
        assert_eq!(budget.take(MOST, later), Duration::ZERO);
        assert_eq!(budget.take(second, later), second * SHARE);
    }
}
