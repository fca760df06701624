//! Rate-limits repeated log messages about a failure: when it begins, at most once an hour while it lasts,
//! when it ends.

use std::time::{Duration, Instant};

/// The interval of reminders while a failure lasts.
const AGAIN: Duration = Duration::from_secs(3600);

/// A failure that returns sooner after its last message is not logged, so that a nearly full disk does not
/// flood the log.
const FLICKER: Duration = Duration::from_secs(60);

/// The state of the messages about one kind of failure.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogThrottle {
    at: Option<Instant>,
    lasts: bool,
}

impl LogThrottle {
    /// A failure occurred. Returns whether to log it.
    pub fn failed(&mut self) -> bool {
        self.failed_at(Instant::now())
    }

    fn failed_at(&mut self, now: Instant) -> bool {
        let least = if self.lasts { AGAIN } else { FLICKER };
        let is_due = self.at.is_none_or(|at| now.duration_since(at) >= least);
        if is_due {
            self.at = Some(now);
            self.lasts = true;
        }
        is_due
    }

    /// It works. Returns whether to log the recovery: only if the failure was logged.
    pub fn recovered(&mut self) -> bool {
        std::mem::take(&mut self.lasts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_logged_when_it_begins_hourly_and_when_it_ends() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut log = LogThrottle::default();
        assert!(!log.recovered());
        assert!(log.failed_at(start));
        assert!((1..3600).all(|second| !log.failed_at(after(second))));
        assert!(log.failed_at(after(3600)));
        assert!(log.recovered());
        assert!(!log.recovered());
        assert!(log.failed_at(after(3700)), "a new one");
        assert!(log.recovered());
        assert!(!log.failed_at(after(3701)), "it comes and goes");
        assert!(!log.recovered());
        assert!(log.failed_at(after(3760)), "and is there to stay");
    }
}
