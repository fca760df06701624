//! The sender's loop: waits until a mail is due, delivers all that are, writes their outcomes.
//!
//! An outcome that the store did not accept stays in memory and is written before the next round, so no mail
//! is sent twice while the process lives. Two failures pause the whole loop: a transport that accepts
//! nothing, and a store that cannot be read or written. The pause doubles each time. After any other failure
//! only the mail itself waits ([`retry`](super::retry)).

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::worker::{Done, Worker, by_address, is_stopped};
use super::{Deliver, Identity, Outcome, Outgoing, Queue, QueueError, SettledMail};
use crate::log_throttle::LogThrottle;

/// No sleep is longer, because the clock may be set meanwhile.
const MAX_SLEEP: Duration = Duration::from_secs(3600);
/// The shortest sleep. It keeps the loop from spinning when a row counts as due but is not returned.
const SHORTEST_SLEEP: Duration = Duration::from_millis(100);

/// Limits and intervals of the sender.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Concurrent deliveries. Mails to one address are sent one after another, in order.
    pub deliveries: usize,
    /// Rows read from the queue at a time.
    pub batch: usize,
    /// During a batch, outcomes are written at least this often.
    pub settle_every: Duration,
    /// The first pause when the transport or the store fails. Each further pause is twice as long.
    pub first_pause: Duration,
    /// The longest such pause.
    pub longest_pause: Duration,
    /// How long idle connections are kept when no mail is due.
    pub linger: Duration,
    /// At a stop, running deliveries may take this long, and the last write as long again.
    pub grace: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            deliveries: 4,
            batch: 200,
            settle_every: Duration::from_millis(250),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_secs(300),
            linger: Duration::from_secs(10),
            grace: Duration::from_secs(5),
        }
    }
}

/// The state of sending, for the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// When the transport last accepted a mail.
    pub last_ok: Option<DateTime<Utc>>,
    /// The last failure of any kind, and when.
    pub last_error: Option<(DateTime<Utc>, String)>,
    /// Since when the transport accepts no mail; `None` while it does.
    pub down_since: Option<DateTime<Utc>>,
}

/// The sender. One runs in a server.
pub struct Sender<Q, D> {
    /// The outbox.
    pub queue: Arc<Q>,
    /// The way out.
    pub transport: Arc<D>,
    /// The server's address, name and key.
    pub identity: Arc<Identity>,
    /// Reads the time of day.
    pub now: Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>,
    /// Notified (`notify_one`) after each commit that wrote a row, and when the clock was set.
    pub wake: Arc<Notify>,
    /// Where its state is published.
    pub health: watch::Sender<Health>,
    /// Limits and intervals.
    pub pace: Pace,
}

/// How a round ended.
enum Round {
    /// Outcomes were written; there may be more rows.
    Moved,
    /// The transport accepts nothing.
    Refused,
    /// The store cannot be read or written.
    Unwritten(String),
    /// No row is due before this time.
    Idle(Option<DateTime<Utc>>),
}

impl<Q: Queue, D: Deliver> Sender<Q, D> {
    /// Sends until `stop` is true or its sender was dropped. Then running deliveries may finish within the
    /// grace period, and their outcomes are written. The engine must run until this returns.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut unwritten = Vec::new();
        let mut pause = self.pace.first_pause;
        let mut log = FailureLog::default();
        let refused = Arc::default();
        while !is_stopped(&stop) {
            let round = self.round(&mut unwritten, &refused, pause, &stop).await;
            self.log(&mut log, &round).await;
            // A commit by anybody shows that the store works again, so try at once. A new mail says nothing
            // about a relay.
            let is_worth_a_try = matches!(round, Round::Unwritten(_));
            match round {
                Round::Moved => pause = self.pace.first_pause,
                Round::Refused | Round::Unwritten(_) => {
                    self.transport.rest().await;
                    tokio::select! {
                        () = sleep(pause) => {}
                        () = self.wake.notified(), if is_worth_a_try => {}
                        () = stopped(&mut stop) => {}
                    }
                    pause = (pause * 2).min(self.pace.longest_pause);
                }
                Round::Idle(next) => {
                    pause = self.pace.first_pause;
                    self.idle(next, &mut stop).await;
                }
            }
        }
        if !unwritten.is_empty()
            && timeout(self.pace.grace, self.write(&mut unwritten))
                .await
                .is_err()
        {
            tracing::warn!(
                "the outcomes of the last mails could not be written; these mails will be sent again"
            );
        }
        self.transport.rest().await;
    }

    /// Logs the start and the end of failures, and a reminder in between.
    async fn log(&self, log: &mut FailureLog, round: &Round) {
        let down = {
            let health = self.health.borrow();
            let why = health.last_error.as_ref().map(|(_, why)| why.clone());
            health.down_since.and(why)
        };
        match down {
            Some(why) if log.transport.failed() => match self.queue.waiting().await {
                Ok(waiting) => tracing::warn!(
                    waiting,
                    "the transport accepts no mail; trying again until it does: {why}"
                ),
                Err(_) => tracing::warn!("the transport accepts no mail; trying again until it does: {why}"),
            },
            None if log.transport.recovered() => tracing::info!("the transport accepts mail again"),
            _ => {}
        }
        match round {
            Round::Unwritten(why) if log.store.failed() => {
                tracing::warn!("no mail is sent until the outbox works: {why}");
            }
            Round::Moved | Round::Idle(_) if log.store.recovered() => {
                tracing::info!("the outbox can be read and written again");
            }
            _ => {}
        }
    }

    /// Sleeps until a row is due, a commit wakes it, or the server stops.
    async fn idle(&self, next: Option<DateTime<Utc>>, stop: &mut watch::Receiver<bool>) {
        let start = Instant::now();
        let due_at = next.map(|next| {
            let wait = (next - (self.now)()).to_std().unwrap_or_default();
            start + wait.clamp(SHORTEST_SLEEP, MAX_SLEEP)
        });
        let due = async {
            match due_at {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(due);
        tokio::select! {
            () = self.wake.notified() => return,
            () = &mut due => return,
            () = stopped(stop) => return,
            () = sleep(self.pace.linger) => self.transport.rest().await,
        }
        tokio::select! {
            () = self.wake.notified() => {}
            () = &mut due => {}
            () = stopped(stop) => {}
        }
    }

    /// Delivers one batch of due rows. Outcomes left over from the last round are written first: the store
    /// still lists those rows as due, and reading it earlier would send them twice.
    async fn round(
        &self,
        unwritten: &mut Vec<SettledMail>,
        refused: &Arc<Mutex<HashSet<String>>>,
        pause: Duration,
        stop: &watch::Receiver<bool>,
    ) -> Round {
        if let Err(e) = self.write(unwritten).await {
            return self.unwritten(&e);
        }
        let rows = match self.queue.due((self.now)(), self.pace.batch).await {
            Ok(rows) => rows,
            Err(e) => return self.unwritten(&e),
        };
        if rows.is_empty() {
            return match self.queue.next_due().await {
                Ok(next) => Round::Idle(next),
                Err(e) => self.unwritten(&e),
            };
        }
        let is_down = Arc::new(AtomicBool::new(false));
        let written = self
            .deliver(rows, unwritten, refused, &is_down, pause, stop)
            .await;
        match written {
            Err(e) => self.unwritten(&e),
            Ok(written) if is_down.load(Ordering::Relaxed) || written == 0 => Round::Refused,
            Ok(_) => Round::Moved,
        }
    }

    /// Delivers these rows concurrently and writes outcomes meanwhile; returns how many were written.
    /// Outcomes that could not be written stay in `unwritten`.
    async fn deliver(
        &self,
        rows: Vec<Outgoing<Q::Draft>>,
        unwritten: &mut Vec<SettledMail>,
        refused: &Arc<Mutex<HashSet<String>>>,
        is_down: &Arc<AtomicBool>,
        pause: Duration,
        stop: &watch::Receiver<bool>,
    ) -> Result<usize, QueueError> {
        let groups = Arc::new(Mutex::new(by_address(rows)));
        let (outcomes, mut incoming) = mpsc::unbounded_channel();
        let mut workers = JoinSet::new();
        for _ in 0..self.pace.deliveries.max(1) {
            let worker = Worker {
                groups: Arc::clone(&groups),
                queue: Arc::clone(&self.queue),
                transport: Arc::clone(&self.transport),
                identity: Arc::clone(&self.identity),
                now: Arc::clone(&self.now),
                refused: Arc::clone(refused),
                is_down: Arc::clone(is_down),
                pause,
                stop: stop.clone(),
                outcomes: outcomes.clone(),
            };
            workers.spawn(worker.run());
        }
        drop(outcomes);

        let mut stop = stop.clone();
        let grace_over = async {
            stopped(&mut stop).await;
            sleep(self.pace.grace).await;
        };
        tokio::pin!(grace_over);
        let mut written = 0;
        let mut write_at = Instant::now() + self.pace.settle_every;
        loop {
            tokio::select! {
                outcome = incoming.recv() => match outcome {
                    Some(done) => {
                        self.note(&done);
                        unwritten.push(done.settled);
                    }
                    None => break,
                },
                () = sleep_until(write_at) => {
                    written += self.write(unwritten).await.unwrap_or_default();
                    write_at = Instant::now() + self.pace.settle_every;
                }
                () = &mut grace_over => {
                    tracing::warn!("stopping: running deliveries were aborted and will be repeated");
                    workers.abort_all();
                    break;
                }
            }
        }
        while let Some(end) = workers.join_next().await {
            if let Err(e) = end
                && !e.is_cancelled()
            {
                tracing::error!("a delivery panicked, please report this bug: {e}");
            }
        }
        while let Ok(done) = incoming.try_recv() {
            self.note(&done);
            unwritten.push(done.settled);
        }
        Ok(written + self.write(unwritten).await?)
    }

    /// Writes the outcomes in one commit. If the store fails, they stay.
    async fn write(&self, unwritten: &mut Vec<SettledMail>) -> Result<usize, QueueError> {
        if unwritten.is_empty() {
            return Ok(0);
        }
        match self.queue.settle(unwritten.clone()).await {
            Ok(()) => {
                let written = unwritten.len();
                unwritten.clear();
                Ok(written)
            }
            Err(e) => Err(e),
        }
    }

    fn unwritten(&self, e: &QueueError) -> Round {
        let (now, why) = ((self.now)(), e.to_string());
        let error = Some((now, why.clone()));
        self.health.send_modify(|health| health.last_error = error);
        Round::Unwritten(why)
    }

    fn note(&self, done: &Done) {
        let SettledMail { id, outcome } = &done.settled;
        let now = (self.now)();
        self.health.send_modify(|health| match outcome {
            Outcome::Sent => {
                health.last_ok = Some(now);
                health.down_since = None;
            }
            Outcome::Deferred { why, .. } | Outcome::Refused { why } | Outcome::Failed { why } => {
                health.last_error = Some((now, why.clone()));
                if done.is_down {
                    health.down_since.get_or_insert(now);
                } else if done.was_offered {
                    health.down_since = None;
                }
            }
        });
        match outcome {
            Outcome::Sent => tracing::debug!(mail = id, "sent"),
            // An outage is logged once, not for each mail that runs into it.
            Outcome::Deferred { until, why } if done.is_down => {
                tracing::debug!(mail = id, %until, "deferred: {why}");
            }
            Outcome::Deferred { until, why } => tracing::info!(mail = id, %until, "deferred: {why}"),
            Outcome::Refused { why } | Outcome::Failed { why } => {
                tracing::warn!(mail = id, "failed: {why}");
            }
        }
    }
}

/// Rate limits for the log messages about failures.
#[derive(Default)]
struct FailureLog {
    transport: LogThrottle,
    store: LogThrottle,
}

/// Returns when a stop is requested or can no longer be requested.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

#[cfg(test)]
#[path = "sender_tests.rs"]
mod tests;
