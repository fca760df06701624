//! Whether the engine is alive and can write: kept by its thread, looked at by whoever watches it, waited for by nobody.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use tokio::sync::watch;

use crate::store;

/// How writing goes. A batch that fails counts as a failure whatever the reason; one that changes no row, and so needs
/// no room on the disk, as nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writing {
    /// When something was last committed.
    pub last_ok: Option<DateTime<Utc>>,
    /// When a batch last failed, over or not, and why in words of ours.
    pub last_error: Option<(DateTime<Utc>, &'static str)>,
    /// Since when no batch has been kept; `None` while they are.
    pub failing_since: Option<DateTime<Utc>>,
}

/// The engine as it is seen from outside.
#[derive(Debug)]
pub(super) struct Heartbeat {
    start: Instant,
    /// When the present batch was taken, in milliseconds from `start` and one more; 0 while none is.
    busy_since: AtomicU64,
    pub(super) writing: watch::Sender<Writing>,
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            busy_since: AtomicU64::new(0),
            writing: watch::Sender::default(),
        }
    }
}

impl Heartbeat {
    /// A batch is taken.
    pub(super) fn begin(&self) {
        self.busy_since.store(self.millis() + 1, Ordering::Relaxed);
    }

    /// The batch is done with.
    pub(super) fn end(&self) {
        self.busy_since.store(0, Ordering::Relaxed);
    }

    pub(super) fn busy_for(&self) -> Option<Duration> {
        let since = self.busy_since.load(Ordering::Relaxed).checked_sub(1)?;
        Some(Duration::from_millis(self.millis().saturating_sub(since)))
    }

    /// Something is committed.
    pub(super) fn wrote(&self, now: DateTime<Utc>) {
        // Each commit is no news to those who wait for the end of a trouble.
        self.writing.send_if_modified(|writing| {
            writing.last_ok = Some(now);
            writing.failing_since.take().is_some()
        });
    }

    /// Nothing of a batch was kept.
    pub(super) fn failed(&self, error: &store::Error, now: DateTime<Utc>) {
        self.writing.send_modify(|writing| {
            writing.last_error = Some((now, error.in_a_word()));
            writing.failing_since.get_or_insert(now);
        });
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX - 1)
    }
}
