//! The engine's state as monitoring sees it. The engine's thread updates it; reading never blocks.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use tokio::sync::{Notify, watch};

use pbmserv_core::store;

/// Whether batches can be committed. Any failed batch counts as a failure. A batch that changed no row proves
/// nothing about the disk, and counts as neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Writing {
    /// When something was last committed.
    pub last_ok: Option<DateTime<Utc>>,
    /// The last failed batch, recovered or not.
    pub last_error: Option<FailedWrite>,
    /// Since when every batch has failed; `None` while commits succeed.
    pub failing_since: Option<DateTime<Utc>>,
}

/// A failed batch, without text from SQLite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedWrite {
    /// When it failed.
    pub at: DateTime<Utc>,
    /// Why, in a few words.
    pub why: &'static str,
    /// What the operator can do.
    pub remedy: &'static str,
}

/// How long a word of the database that this process has the engine is believed. It ends a session that was silent for 15
/// seconds, and is asked again when it has said nothing for 3.
const BELIEVED: Duration = Duration::from_secs(5);

/// The shared state.
#[derive(Debug)]
pub(super) struct Heartbeat {
    start: Instant,
    /// When the current batch started, as milliseconds since `start` plus one; 0 while idle.
    busy_since: AtomicU64,
    /// When the database last said that this process has the engine, as milliseconds since `start` plus one; 0: it must be
    /// asked.
    confirmed_at: AtomicU64,
    was_taken_over: AtomicBool,
    lost_files: AtomicBool,
    pub(super) writing: watch::Sender<Writing>,
    /// Notified after each commit: for one who waits.
    pub(super) commits: Notify,
}

impl Default for Heartbeat {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            busy_since: AtomicU64::new(0),
            confirmed_at: AtomicU64::new(0),
            was_taken_over: AtomicBool::new(false),
            lost_files: AtomicBool::new(false),
            writing: watch::Sender::default(),
            commits: Notify::new(),
        }
    }
}

impl Heartbeat {
    /// A batch starts.
    pub(super) fn begin(&self) {
        self.busy_since.store(self.millis() + 1, Ordering::Relaxed);
    }

    /// The batch has ended.
    pub(super) fn end(&self) {
        self.busy_since.store(0, Ordering::Relaxed);
    }

    pub(super) fn busy_for(&self) -> Option<Duration> {
        let since = self.busy_since.load(Ordering::Relaxed).checked_sub(1)?;
        Some(Duration::from_millis(self.millis().saturating_sub(since)))
    }

    /// A batch was committed.
    pub(super) fn wrote(&self, now: DateTime<Utc>) {
        // Watchers wait for the end of a failure; they need not wake at every commit.
        self.writing.send_if_modified(|writing| {
            writing.last_ok = Some(now);
            writing.failing_since.take().is_some()
        });
    }

    /// Milliseconds for [`confirmed`](Self::confirmed), to be taken before the database is asked.
    pub(super) fn asking(&self) -> u64 {
        self.millis() + 1
    }

    /// The database has said that this process has the engine. It was asked then.
    pub(super) fn confirmed(&self, asked: u64) {
        self.confirmed_at.store(asked, Ordering::Relaxed);
    }

    /// Whether it has said so lately.
    pub(super) fn is_confirmed(&self) -> bool {
        let at = self.confirmed_at.load(Ordering::Relaxed);
        at > 0 && Duration::from_millis(self.asking().saturating_sub(at)) < BELIEVED
    }

    /// Whether another server has the engine now that was this one's.
    pub(super) fn was_taken_over(&self) -> bool {
        self.was_taken_over.load(Ordering::Relaxed)
    }

    /// Files of the database were removed; they are saved, and the engine ends.
    pub(super) fn files_lost(&self) {
        self.lost_files.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_lost_files(&self) -> bool {
        self.lost_files.load(Ordering::Relaxed)
    }

    /// A batch was rolled back.
    pub(super) fn failed(&self, error: &store::Error, now: DateTime<Utc>) {
        self.confirmed_at.store(0, Ordering::Relaxed);
        if matches!(error, store::Error::TakenOver) {
            self.was_taken_over.store(true, Ordering::Relaxed);
        }
        self.writing.send_modify(|writing| {
            writing.last_error = Some(FailedWrite {
                at: now,
                why: error.in_a_word(),
                remedy: error.remedy(),
            });
            writing.failing_since.get_or_insert(now);
        });
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX - 1)
    }
}
