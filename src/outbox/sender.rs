//! The loop that sends: sleeps until a mail is due, delivers what is, writes what became of it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::retry::{after_failure, defer};
use super::{Deliver, Failure, Identity, Outcome, Outgoing, Queue, QueueError, Settled, build};
use crate::log_throttle::LogThrottle;

/// The clock might be set while we sleep; so no sleep is longer.
const LONGEST_SLEEP: Duration = Duration::from_secs(3600);
/// A row said to be due that is not handed out is not asked for more often.
const SHORTEST_SLEEP: Duration = Duration::from_millis(100);

/// When mails to so many addresses, one after another, are not taken for now, it is the transport that takes nothing: the
/// others are spared the pauses of a mail of their own, which grow to hours.
const TRANSPORTS_OWN: usize = 5;

/// How the sender goes about it.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Deliveries at once. Mails to one address go one after another.
    pub deliveries: usize,
    /// Rows taken at a time.
    pub batch: usize,
    /// What was delivered is written at least this often while a batch goes on.
    pub settle_every: Duration,
    /// The first pause when the transport takes nothing; each further one is twice as long.
    pub first_pause: Duration,
    /// The longest such pause.
    pub longest_pause: Duration,
    /// How long connections are kept when nothing is due.
    pub linger: Duration,
    /// How long deliveries under way may take at a stop, and the last writing again as long.
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

/// How sending goes, for the operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// When a mail was last taken.
    pub last_ok: Option<DateTime<Utc>>,
    /// The last failure of any kind, and when.
    pub last_error: Option<(DateTime<Utc>, String)>,
    /// Since when the transport takes nothing; `None` while it does.
    pub down_since: Option<DateTime<Utc>>,
}

/// The one sender.
pub struct Sender<Q, D> {
    /// Where the rows are.
    pub queue: Arc<Q>,
    /// How they leave.
    pub transport: Arc<D>,
    /// Who writes.
    pub identity: Arc<Identity>,
    /// The clock.
    pub now: Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>,
    /// Told (`notify_one`) after each commit that wrote a row, and when the clock was set.
    pub wake: Arc<Notify>,
    /// Where its health is shown.
    pub health: watch::Sender<Health>,
    /// How it goes about it.
    pub pace: Pace,
}

/// How a round ended.
enum Round {
    /// Something was written; there may be more.
    Moved,
    /// The transport takes nothing.
    Refused,
    /// The store cannot be read or written.
    Unwritten(String),
    /// Nothing is due before this.
    Idle(Option<DateTime<Utc>>),
}

impl<Q: Queue, D: Deliver> Sender<Q, D> {
    /// Sends until `stop` is true or its sender gone; then lets the deliveries under way finish, for as long
    /// as the grace allows, writes their outcomes and returns. The store must be there until then.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let mut unwritten = Vec::new();
        let mut pause = self.pace.first_pause;
        let mut told = Troubles::default();
        let refused = Arc::default();
        while !is_stopped(&stop) {
            let round = self.round(&mut unwritten, &refused, pause, &stop).await;
            self.tell(&mut told, &round).await;
            // A store that was written again, by whomever, is worth a try at once; a relay is not, for each new mail.
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
            tracing::warn!("the outcomes of the last mails were not written: they will be sent again");
        }
        self.transport.rest().await;
    }

    /// Tells the log of troubles when they begin and end, and now and then in between.
    async fn tell(&self, told: &mut Troubles, round: &Round) {
        let down = {
            let health = self.health.borrow();
            let why = health.last_error.as_ref().map(|(_, why)| why.clone());
            health.down_since.and(why)
        };
        match down {
            Some(why) if told.transport.trouble() => match self.queue.waiting().await {
                Ok(waiting) => tracing::warn!(
                    waiting,
                    "no mail is taken from us; it is tried until it is: {why}"
                ),
                Err(_) => tracing::warn!("no mail is taken from us; it is tried until it is: {why}"),
            },
            None if told.transport.over() => tracing::info!("mails are taken from us again"),
            _ => {}
        }
        match round {
            Round::Unwritten(why) if told.store.trouble() => tracing::warn!("no mail is sent: {why}"),
            Round::Moved | Round::Idle(_) if told.store.over() => {
                tracing::info!("the outbox can be read and written again");
            }
            _ => {}
        }
    }

    /// Sleeps until a row is due, or a new one is announced, or the end.
    async fn idle(&self, next: Option<DateTime<Utc>>, stop: &mut watch::Receiver<bool>) {
        let start = Instant::now();
        let due_at = next.map(|next| {
            let wait = (next - (self.now)()).to_std().unwrap_or_default();
            start + wait.clamp(SHORTEST_SLEEP, LONGEST_SLEEP)
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

    /// Delivers one batch of what is due. What could not be written the last time is written first: no row is
    /// taken twice while its outcome is known here.
    async fn round(
        &self,
        unwritten: &mut Vec<Settled>,
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

    /// Delivers these rows, several at once, and writes the outcomes as they come; returns how many were
    /// written. What could not be written is left in `unwritten`.
    async fn deliver(
        &self,
        rows: Vec<Outgoing>,
        unwritten: &mut Vec<Settled>,
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
                    tracing::warn!("stopping: deliveries under way were broken off and will be made again");
                    workers.abort_all();
                    break;
                }
            }
        }
        while let Some(end) = workers.join_next().await {
            if let Err(e) = end
                && !e.is_cancelled()
            {
                tracing::error!("a delivery ended in a fault of the program: {e}");
            }
        }
        while let Ok(done) = incoming.try_recv() {
            self.note(&done);
            unwritten.push(done.settled);
        }
        Ok(written + self.write(unwritten).await?)
    }

    /// Writes the outcomes in one commit; they stay if the store does not take them.
    async fn write(&self, unwritten: &mut Vec<Settled>) -> Result<usize, QueueError> {
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
        let Settled { id, outcome } = &done.settled;
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
            // That the transport is down is told once, and not for each mail by which it is tried.
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

/// What the log was told of.
#[derive(Default)]
struct Troubles {
    transport: LogThrottle,
    store: LogThrottle,
}

/// An outcome, and what it says of the transport.
struct Done {
    settled: Settled,
    is_down: bool,
    was_offered: bool,
}

/// Takes one address after another and sends its mails in their order.
struct Worker<Q, D> {
    groups: Arc<Mutex<VecDeque<Vec<Outgoing>>>>,
    queue: Arc<Q>,
    transport: Arc<D>,
    identity: Arc<Identity>,
    now: Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>,
    /// To whom nothing was taken for now, since something was.
    refused: Arc<Mutex<HashSet<String>>>,
    is_down: Arc<AtomicBool>,
    pause: Duration,
    stop: watch::Receiver<bool>,
    outcomes: mpsc::UnboundedSender<Done>,
}

impl<Q: Queue, D: Deliver> Worker<Q, D> {
    async fn run(self) {
        while let Some(group) = self.next_group() {
            for mail in group {
                if self.is_down.load(Ordering::Relaxed) || is_stopped(&self.stop) {
                    return;
                }
                if let Some(done) = self.send(self.queue.render(mail).await).await {
                    // Its receiver is gone only when this worker is being ended.
                    let _ = self.outcomes.send(done);
                }
            }
        }
    }

    fn next_group(&self) -> Option<Vec<Outgoing>> {
        self.groups
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    }

    /// One mail; `None` if nothing became of it because the transport is down and another mail has said so.
    async fn send(&self, mail: Outgoing) -> Option<Done> {
        let mail = &mail;
        let done = |outcome, is_down, was_offered| {
            let settled = Settled { id: mail.id, outcome };
            Some(Done {
                settled,
                is_down,
                was_offered,
            })
        };
        let built = match build(mail, &self.identity) {
            Ok(built) => built,
            Err(e) => return done(Outcome::Failed { why: e.to_string() }, false, false),
        };
        let delivered = self.transport.deliver(&built, mail).await;
        let is_down = self.is_refused_with_others(mail, &delivered);
        match delivered {
            Ok(()) => done(Outcome::Sent, false, true),
            Err(Failure::Permanent(why)) => done(Outcome::Refused { why }, false, true),
            Err(Failure::Temporary(why)) => done(after_failure(mail, (self.now)(), why), is_down, true),
            Err(Failure::Down(_)) if self.is_down.swap(true, Ordering::Relaxed) => None,
            // Twice the pause: the next try is made with another mail, should it be this one's fault after all.
            Err(Failure::Down(why)) => {
                let pause = TimeDelta::from_std(self.pause * 2).unwrap_or(TimeDelta::MAX);
                done(defer(mail, (self.now)(), pause, why), true, true)
            }
        }
    }
}

impl<Q: Queue, D: Deliver> Worker<Q, D> {
    /// Whether a mail that was not taken for now is one of many to many: then the transport is down.
    fn is_refused_with_others(&self, mail: &Outgoing, delivered: &Result<(), Failure>) -> bool {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        match delivered {
            Ok(()) | Err(Failure::Permanent(_)) => refused.clear(),
            Err(Failure::Temporary(_)) if refused.len() < TRANSPORTS_OWN => _ = refused.insert(mail.to.key()),
            Err(Failure::Temporary(_) | Failure::Down(_)) => {}
        }
        let is_down = refused.len() >= TRANSPORTS_OWN;
        if is_down {
            self.is_down.store(true, Ordering::Relaxed);
        }
        is_down
    }
}

/// The mails of each address in their order; the addresses in that of their first mails.
fn by_address(rows: Vec<Outgoing>) -> VecDeque<Vec<Outgoing>> {
    let mut groups: VecDeque<Vec<Outgoing>> = VecDeque::new();
    let mut place_of = HashMap::new();
    for mail in rows {
        let place = *place_of.entry(mail.to.key()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(mail),
            None => groups.push_back(vec![mail]),
        }
    }
    groups
}

fn is_stopped(stop: &watch::Receiver<bool>) -> bool {
    *stop.borrow() || stop.has_changed().is_err()
}

/// Returns when the end is asked for, or nobody is left to ask for it.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

#[cfg(test)]
#[path = "sender_tests.rs"]
mod tests;
