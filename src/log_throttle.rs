//! How often a trouble is told in the log: when it begins, at most once an hour while it lasts, when it ends.

use std::time::{Duration, Instant};

/// A trouble that lasts is told again after this.
const AGAIN: Duration = Duration::from_secs(3600);

/// One that comes back sooner than this after it was told is not told of: it comes and goes, as with a disk that is
/// almost full.
const FLICKER: Duration = Duration::from_secs(60);

/// What the log was told of one kind of trouble.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LogThrottle {
    at: Option<Instant>,
    lasts: bool,
}

impl LogThrottle {
    /// The trouble is there. Says whether the log should be told.
    pub(crate) fn trouble(&mut self) -> bool {
        self.trouble_at(Instant::now())
    }

    fn trouble_at(&mut self, now: Instant) -> bool {
        let least = if self.lasts { AGAIN } else { FLICKER };
        let is_due = self.at.is_none_or(|at| now.duration_since(at) >= least);
        if is_due {
            self.at = Some(now);
            self.lasts = true;
        }
        is_due
    }

    /// The trouble is over. Says whether the log should be told: it was told of its beginning.
    pub(crate) fn over(&mut self) -> bool {
        std::mem::take(&mut self.lasts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trouble_is_told_when_it_begins_hourly_and_when_it_ends() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut told = LogThrottle::default();
        assert!(!told.over());
        assert!(told.trouble_at(start));
        assert!((1..3600).all(|second| !told.trouble_at(after(second))));
        assert!(told.trouble_at(after(3600)));
        assert!(told.over());
        assert!(!told.over());
        assert!(told.trouble_at(after(3700)), "a new one");
        assert!(told.over());
        assert!(!told.trouble_at(after(3701)), "it comes and goes");
        assert!(!told.over());
        assert!(told.trouble_at(after(3760)), "and is there to stay");
    }
}
