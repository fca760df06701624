//! The engine's thread: batches, each message in a savepoint, and what is done when one of them fails.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{Notify, mpsc, watch};

use crate::command::InternalError;
use crate::dispatch::due::SOURCES;
use crate::dispatch::{Handler, Source};
use crate::store::{self, Store};

use super::clock::{ClockGuard, TimeSource};
use super::folder::Folder;
use super::heartbeat::Heartbeat;
use super::meters::Meters;
use super::task::{AfterCommit, Reply, Task, Unavailable};
use super::trouble::{After, Troubles};

/// Tasks that share one commit.
const BATCH: usize = 256;

/// For how long after an unclean stop messages are taken one at a time, each noted before it begins: longer
/// than mail servers wait between two tries.
const CAUTIOUS_HOURS: i64 = 24;

/// A message that was begun so often, and ended the program each time, is not begun again.
pub(super) const MOST_BEGUN: u32 = 2;

/// The note that is there while the engine runs.
const RUNNING: &str = "running";

/// Until when messages are taken one at a time, in milliseconds since 1970. A clean stop in between changes
/// nothing about it: the message that ended the program may still be waiting at its sender's.
const CAUTIOUS_UNTIL: &str = "cautious_until";

/// What the thread has.
pub(super) struct Worker {
    pub(super) store: Store,
    pub(super) handler: Handler,
    pub(super) folder: Folder,
    clock: ClockGuard,
    wake: Arc<Notify>,
    /// What can be due.
    pub(super) sources: &'static [&'static Source],
    /// When something is due next, for the timer.
    pub(super) next: watch::Sender<Option<DateTime<Utc>>>,
    /// What is told of a database that cannot be written.
    pub(super) troubles: Troubles,
    pub(super) cautious_until: Option<DateTime<Utc>>,
    /// Messages noted as begun whose batch failed: they did not end the program.
    survived: HashSet<[u8; 32]>,
    /// Where its life is seen from outside.
    pub(super) heartbeat: Arc<Heartbeat>,
    meters: Meters,
}

/// What is known of a message that is to be begun.
enum Begun {
    /// Nothing, since all is well.
    Unnoted,
    /// It is noted.
    Noted([u8; 32]),
    /// It has ended the program too often.
    TooOften,
}

/// What comes after a batch.
pub(super) enum Next {
    /// Another.
    Batch,
    /// What waits is put off first, since the batch waited for a lock that was not given.
    PutOff(String),
    /// Nothing in this process.
    Process,
}

/// A batch of which nothing was kept.
struct Failed {
    unanswered: Vec<Reply>,
    error: store::Error,
    is_at_commit: bool,
}

impl Worker {
    /// Notes that the engine runs; a note that it still does was left by a process that did not stop cleanly.
    pub(super) fn new(
        store: Store,
        handler: Handler,
        folder: Folder,
        clock: TimeSource,
        wake: Arc<Notify>,
        meters: Meters,
    ) -> Result<Self, InternalError> {
        let now = clock.now();
        if store.note(RUNNING)?.as_deref() == Some("1") {
            tracing::warn!(
                "the last stop was not clean: messages are taken one at a time for {CAUTIOUS_HOURS} hours"
            );
            let until = now + TimeDelta::hours(CAUTIOUS_HOURS);
            store.set_note(CAUTIOUS_UNTIL, &until.timestamp_millis().to_string())?;
        }
        store.set_note(RUNNING, "1")?;
        store.forget_begun_before(now - TimeDelta::hours(2 * CAUTIOUS_HOURS))?;
        let until = store.note(CAUTIOUS_UNTIL)?;
        let until = until.and_then(|until| DateTime::from_timestamp_millis(until.parse().ok()?));
        let clock = ClockGuard::begin(&store, clock)?;
        store.remember_file()?;
        let worker = Self {
            store,
            handler,
            folder,
            clock,
            wake,
            sources: SOURCES,
            next: watch::Sender::new(None),
            troubles: Troubles::default(),
            cautious_until: until.filter(|until| now < *until),
            survived: HashSet::new(),
            heartbeat: Arc::default(),
            meters,
        };
        worker.announce();
        Ok(worker)
    }

    /// Takes tasks until nobody can hand one in any more, or only a new process can go on.
    pub(super) fn run(mut self, mut waiting: mpsc::Receiver<Task>) {
        while let Some(first) = waiting.blocking_recv() {
            let mut batch = vec![first];
            let most = if self.is_cautious() { 1 } else { BATCH };
            while batch.len() < most
                && let Ok(task) = waiting.try_recv()
            {
                batch.push(task);
            }
            self.heartbeat.begin();
            let next = self.batch(batch);
            self.heartbeat.end();
            match next {
                Next::Batch => {}
                Next::PutOff(why) => self.put_off_waiting(&mut waiting, &why),
                Next::Process => return,
            }
        }
        if let Err(error) = self.end() {
            tracing::error!(%error, "the clean stop could not be noted");
        }
    }

    /// Notes a clean stop, if what is written reaches anybody.
    fn end(&self) -> store::Result<()> {
        self.store.look()?;
        // They did not end the program, and nobody else will know that.
        for digest in &self.survived {
            self.store.remove_begun(digest)?;
        }
        self.clock.end(&self.store)?;
        self.store.set_note(RUNNING, "0")
    }

    pub(super) fn is_cautious(&self) -> bool {
        self.cautious_until.is_some_and(|until| self.clock.now() < until)
    }

    /// Handles a batch in one transaction and answers after its commit.
    pub(super) fn batch(&mut self, batch: Vec<Task>) -> Next {
        let now = self.clock.look();
        self.handler.steady_since = self.clock.since;
        let looked = self.store.look();
        let begun = match looked.and_then(|()| self.note(&batch, now)) {
            Ok(begun) => begun,
            Err(error) => {
                let unanswered = batch.into_iter().filter_map(|task| self.set_down(task)).collect();
                return self.failed(unanswered, &error, now);
            }
        };
        let (started, before) = (Instant::now(), self.store.rows_changed());
        let messages = batch.iter().filter(|task| matches!(task, Task::Message(..)));
        let messages = messages.count();
        match self.attempt(batch, matches!(begun, Begun::TooOften), now) {
            Ok(answers) => {
                self.clock.jump = TimeDelta::zero();
                let has_written = self.store.rows_changed() != before;
                let took = has_written.then(|| started.elapsed());
                self.meters.committed(took, messages, &self.handler.results);
                // What changes no row says nothing of a disk without room.
                if has_written {
                    self.heartbeat.wrote(now);
                    self.troubles.over();
                }
                self.announce();
                for answer in answers {
                    answer();
                }
                self.wake.notify_one();
                Next::Batch
            }
            Err(Failed {
                unanswered,
                error,
                is_at_commit,
            }) => {
                self.store.rollback();
                let messages = unanswered.len();
                tracing::debug!(%error, messages, is_at_commit, "nothing of this batch was kept");
                if let Begun::Noted(digest) = begun {
                    self.survived.insert(digest);
                }
                self.failed(unanswered, &error, now)
            }
        }
    }

    /// Tells who waits that nothing was done, and the operator why.
    fn failed(&mut self, unanswered: Vec<Reply>, error: &store::Error, now: DateTime<Utc>) -> Next {
        let (messages, why) = (unanswered.len(), error.to_string());
        self.heartbeat.failed(error, now);
        refuse(unanswered, &why);
        match self.troubles.failed(&self.store, error, messages, now) {
            After::StartAnew => Next::Process,
            After::GoOn if error.is_locked() => Next::PutOff(why),
            After::GoOn => Next::Batch,
        }
    }

    /// Puts off what came while the engine waited for a lock: it has waited too, and is not to wait once more, each
    /// batch in its turn.
    fn put_off_waiting(&mut self, waiting: &mut mpsc::Receiver<Task>, why: &str) {
        for _ in 0..waiting.len() {
            let Ok(task) = waiting.try_recv() else { return };
            let unanswered = self.set_down(task);
            self.troubles.put_off += usize::from(unanswered.is_some());
            refuse(unanswered, why);
        }
    }

    /// A task that is not to be done; gives who waits for an answer. What needs no database is done all the same.
    fn set_down(&mut self, task: Task) -> Option<Reply> {
        match task {
            Task::Message(_, reply) => Some(reply),
            Task::Change(change) => {
                change(&mut self.handler);
                None
            }
            // Its reply is dropped with it, which says that nothing was done.
            Task::Work(_) | Task::Due(_) => None,
        }
    }

    /// After an unclean stop: notes that a message is begun, in a transaction of its own, and tells whether it
    /// was begun too often before without coming to an end.
    fn note(&mut self, batch: &[Task], now: DateTime<Utc>) -> store::Result<Begun> {
        let digest = match batch {
            _ if !self.is_cautious() => None,
            [Task::Message(job, _)] => Some(job.request.digest).filter(|_| !job.is_rehearsal),
            [Task::Due(_)] => self
                .first_due()?
                .filter(|due| due.at <= now)
                .map(|due| due.digest()),
            _ => None,
        };
        let Some(digest) = digest else {
            return Ok(Begun::Unnoted);
        };
        // Noted by this process already, which is still there: once is enough.
        if !self.survived.remove(&digest) {
            if self
                .store
                .begun(&digest)?
                .is_some_and(|(times, _)| times >= MOST_BEGUN)
            {
                return Ok(Begun::TooOften);
            }
            self.store.add_begun(&digest, now)?;
            self.store.remember_file()?;
        }
        Ok(Begun::Noted(digest))
    }

    /// Begins the transaction of a batch. If the clock was set, the clocks of the boards learn it first.
    fn begin(&self) -> store::Result<()> {
        self.store.begin()?;
        self.clock.write(&self.store)
    }

    fn attempt(
        &mut self,
        batch: Vec<Task>,
        is_set_aside: bool,
        now: DateTime<Utc>,
    ) -> Result<Vec<AfterCommit>, Failed> {
        let mut answers: Vec<AfterCommit> = Vec::with_capacity(batch.len());
        let mut reports = Vec::with_capacity(batch.len());
        self.handler.results.clear();
        let mut failure = self.begin().err();
        for task in batch {
            match task {
                Task::Message(job, reply) => {
                    let report = match &failure {
                        None => self
                            .message(&job, is_set_aside, now)
                            .map_err(|error| failure = Some(error))
                            .ok(),
                        Some(_) => None,
                    };
                    reports.push((reply, report));
                }
                Task::Work(work) if failure.is_none() => match self.work(work, now) {
                    Ok(answer) => answers.extend(answer),
                    Err(error) => failure = Some(error),
                },
                Task::Due(reply) if failure.is_none() => match self.due(is_set_aside, now) {
                    Ok(done) => answers.push(Box::new(move || _ = reply.send(done))),
                    Err(error) => failure = Some(error),
                },
                // Its reply is dropped with it, which says that nothing was done.
                Task::Work(_) | Task::Due(_) => {}
                Task::Change(change) => change(&mut self.handler),
            }
        }
        let is_at_commit = failure.is_none();
        if let Some(error) = failure.or_else(|| self.store.commit().err()) {
            return Err(Failed {
                unanswered: reports.into_iter().map(|(reply, _)| reply).collect(),
                error,
                is_at_commit,
            });
        }
        for (reply, report) in reports {
            if let Some(report) = report {
                answers.push(Box::new(move || drop(reply.send(report))));
            }
        }
        Ok(answers)
    }
}

/// Tells all of them that nothing was done.
fn refuse(replies: impl IntoIterator<Item = Reply>, why: &str) {
    for reply in replies {
        drop(reply.send(Err(Unavailable(why.to_owned()))));
    }
}
