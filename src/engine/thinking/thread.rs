//! A thread in which a computer thinks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use thread_priority::{
    NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy, set_thread_priority_and_policy,
    thread_native_id,
};
use tokio::sync::oneshot;

use crate::engine::panics;

use super::rest;

/// What a thread gets of a processor that others want too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// Nearly nothing, with moments of rest ([`rest`]). The lowest niceness is more than that: the engine then waits for the end of a time slice before each
    /// step, and a turn by mail took three times as long.
    Idle,
    /// The same as others.
    Usual,
}

impl Share {
    /// Gives it to this thread. If that cannot be, thinking is only less polite.
    fn take(self) {
        static SAID: Once = Once::new();
        if self == Self::Usual {
            return;
        }
        rest::begin();
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        if let Err(error) = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle) {
            // Each thread would say it.
            SAID.call_once(|| {
                tracing::warn!(%error, "computers think at the usual priority, so mails may wait for them");
            });
        }
    }
}

/// What this thread has had of a processor.
fn taken() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// A thread that thinks; it ends when this is dropped, or soon after.
pub(super) struct Thinker<T> {
    stop: Arc<AtomicBool>,
    thought: oneshot::Receiver<Result<(T, Duration), String>>,
}

impl<T> Drop for Thinker<T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl<T: Send + 'static> Thinker<T> {
    /// Starts to think, until the flag is set.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn start(
        share: Share,
        think: impl FnOnce(&AtomicBool) -> Result<T, String> + Send + 'static,
    ) -> Result<Self, String> {
        let stop = Arc::new(AtomicBool::new(false));
        let (reply, thought) = oneshot::channel();
        let thinker = Self {
            stop: stop.clone(),
            thought,
        };
        std::thread::Builder::new()
            .name("bot".into())
            .spawn(move || {
                share.take();
                let found = catch_unwind(AssertUnwindSafe(|| think(&stop)));
                let found = found.unwrap_or_else(|panic| Err(panics::words(panic.as_ref()).to_owned()));
                // Nobody waits for it any more if it was stopped.
                drop(reply.send(found.map(|thought| (thought, taken()))));
            })
            .map_err(|error| format!("the thread cannot be started: {error}"))?;
        Ok(thinker)
    }

    /// What came of it, and what it has taken of a processor.
    ///
    /// # Errors
    /// A fault of ours.
    pub(super) async fn thought(&mut self) -> Result<(T, Duration), String> {
        let found = (&mut self.thought).await;
        found.unwrap_or_else(|_| Err("its thread has ended".to_owned()))
    }
}
