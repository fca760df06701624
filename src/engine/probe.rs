//! A cache for slow queries: at most one runs at a time, in a blocking thread, and callers wait for a limited
//! time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::timeout;

/// A result is reused for this many times the duration of its query, so queries use at most a hundredth of
/// the time, however large the database is.
const SHARE: u32 = 100;

/// The cache of one query.
#[derive(Debug)]
pub struct Probe<T> {
    last: watch::Sender<Option<Seen<T>>>,
    is_looking: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug)]
struct Seen<T> {
    at: Instant,
    took: Duration,
    what: T,
}

impl<T> Default for Probe<T> {
    fn default() -> Self {
        Self {
            last: watch::Sender::new(None),
            is_looking: Arc::default(),
        }
    }
}

impl<T: Clone + Send + Sync + 'static> Probe<T> {
    /// The last result if it is fresh, otherwise the result of a new query, or `None` if that takes longer
    /// than `patience`. Concurrent callers share one query.
    pub async fn get(
        &self,
        fresh: Duration,
        patience: Duration,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let mut seen = self.last.subscribe();
        if let Some(last) = seen.borrow_and_update().as_ref()
            && last.at.elapsed() < fresh.max(last.took * SHARE)
        {
            return Some(last.what.clone());
        }
        if !self.is_looking.swap(true, Ordering::AcqRel) {
            let (last, over) = (self.last.clone(), Over(self.is_looking.clone()));
            tokio::task::spawn_blocking(move || {
                let over = over;
                let started = Instant::now();
                let what = look();
                // Before the result is published: a caller that sees it may start the next query.
                drop(over);
                last.send_replace(Some(Seen {
                    at: Instant::now(),
                    took: started.elapsed(),
                    what,
                }));
            });
        }
        timeout(patience, seen.changed()).await.ok()?.ok()?;
        let last = seen.borrow();
        last.as_ref().map(|seen| seen.what.clone())
    }
}

/// Clears the flag when dropped, also after a panic.
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn a_fresh_result_is_reused_and_an_old_one_is_queried_again() {
        let kept = Probe::default();
        assert_eq!(kept.get(LONG, LONG, || 1).await, Some(1));
        assert_eq!(kept.get(LONG, LONG, || 2).await, Some(1));
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(kept.get(Duration::ZERO, LONG, || 3).await, Some(3));
    }

    #[tokio::test]
    async fn a_slow_query_is_not_waited_for_and_no_second_one_starts() {
        let kept = Probe::default();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let looks = Arc::new(AtomicU32::new(0));
        let counted = looks.clone();
        let slow = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            wait.recv().ok();
            1
        };
        let short = Duration::from_millis(30);
        assert_eq!(kept.get(LONG, short, slow).await, None);
        let counted = looks.clone();
        let other = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            2
        };
        assert_eq!(kept.get(LONG, short, other).await, None);
        assert_eq!(looks.load(Ordering::Relaxed), 1);
        go.send(()).unwrap();
        assert_eq!(kept.get(LONG, LONG, || 3).await, Some(1));
    }

    #[tokio::test]
    async fn after_a_panic_the_next_query_runs() {
        let kept = Probe::<u32>::default();
        let short = Duration::from_millis(100);
        assert_eq!(kept.get(LONG, short, || panic!("a table is empty")).await, None);
        // The panic may take longer, since it prints a backtrace.
        while kept.is_looking.load(Ordering::Acquire) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(kept.get(LONG, LONG, || 2).await, Some(2));
    }
}
