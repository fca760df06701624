//! The engine's loop: batches, savepoints, and what happens when one of them fails.
//!
//! Each failure has its own reaction. An error or a panic in one message rolls back its savepoint only; the
//! rest of the batch is committed ([`message`](super::message)). An error of SQLite rolls back the whole
//! batch, and every caller is asked to try again. A message that kills the process is handled alone after the
//! restart and set aside after [`MAX_BEGUN`] attempts.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{Notify, mpsc, watch};

use pbmserv_core::command::InternalError;
use pbmserv_core::dispatch::due::SOURCES;
use pbmserv_core::dispatch::{DueTask, Handler};
use pbmserv_core::store::{self, Store};

use super::clock::{ClockGuard, TimeSource};
use super::folder::Folder;
use super::heartbeat::Heartbeat;
use super::meters::Meters;
use super::task::{AfterCommit, Reply, Task, Unavailable};
use super::write_failure::{After, Files, WriteFailure};

/// The most tasks that share a commit. One fsync then serves many messages.
const BATCH: usize = 256;

/// After an unclean stop, each batch holds one message, which is noted as begun in the database first. This
/// lasts longer than mail servers wait between two attempts, so the message that caused a crash comes back
/// within it.
const CAUTIOUS_HOURS: i64 = 24;

/// A message that was begun this often without an end is set aside instead of handled.
pub(super) const MAX_BEGUN: u32 = 2;

/// The note that says whether the engine runs.
const RUNNING: &str = "running";

/// The note that says until when the engine is cautious, in milliseconds since 1970. A clean stop does not
/// clear it: the message that caused the crash may still wait in its sender's queue.
const CAUTIOUS_UNTIL: &str = "cautious_until";

/// The state of the engine's thread.
pub(super) struct Worker {
    pub(super) store: Store,
    pub(super) handler: Handler,
    pub(super) folder: Folder,
    clock: ClockGuard,
    wake: Arc<Notify>,
    /// Sources of scheduled work; tests replace them.
    pub(super) sources: &'static [&'static DueTask],
    /// When the next row is due, for the timer.
    pub(super) next: watch::Sender<Option<DateTime<Utc>>>,
    /// The ongoing failure to write, for the log.
    pub(super) write_failure: WriteFailure,
    pub(super) cautious_until: Option<DateTime<Utc>>,
    /// Messages noted as begun whose batch was rolled back. They did not kill the process, so this run is not
    /// counted against them again.
    survived: HashSet<[u8; 32]>,
    /// What monitoring sees.
    pub(super) heartbeat: Arc<Heartbeat>,
    meters: Meters,
}

/// What the database knows about a message that is about to begin.
enum Begun {
    /// Nothing is noted: the engine is not cautious.
    Unnoted,
    /// The attempt is noted.
    Noted([u8; 32]),
    /// It was begun [`MAX_BEGUN`] times without an end.
    TooOften,
}

/// What the loop does after a batch.
pub(super) enum Next {
    /// Take the next batch.
    Batch,
    /// Refuse the tasks in the queue first: the batch timed out on a lock, and so would they.
    RefuseWaiting(String),
    /// Exit; a restart is required.
    Exit,
}

/// A batch that was rolled back.
struct Failed {
    unanswered: Vec<Reply>,
    error: store::Error,
    is_at_commit: bool,
}

/// Until when whatever begins is noted first. It may be over.
pub(super) fn cautious_until(store: &Store) -> store::Result<Option<DateTime<Utc>>> {
    let until = store.note(CAUTIOUS_UNTIL)?;
    Ok(until.and_then(|until| DateTime::from_timestamp_millis(until.parse().ok()?)))
}

impl Worker {
    /// Notes that the engine runs. If the note is already there, the previous process did not stop cleanly.
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
                "the last stop was not clean: messages are handled one at a time for {CAUTIOUS_HOURS} hours"
            );
            let until = now + TimeDelta::hours(CAUTIOUS_HOURS);
            store.set_note(CAUTIOUS_UNTIL, &until.timestamp_millis().to_string())?;
        }
        store.set_note(RUNNING, "1")?;
        store.forget_begun_before(now - TimeDelta::hours(2 * CAUTIOUS_HOURS))?;
        let until = cautious_until(&store)?;
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
            write_failure: WriteFailure::default(),
            cautious_until: until.filter(|until| now < *until),
            survived: HashSet::new(),
            heartbeat: Arc::default(),
            meters,
        };
        worker.announce();
        Ok(worker)
    }

    /// Takes batches until all handles are dropped or a restart is required.
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
                Next::RefuseWaiting(why) => self.refuse_waiting(&mut waiting, &why),
                Next::Exit => return,
            }
        }
        if let Err(error) = self.end() {
            tracing::error!(%error, "the clean stop could not be noted; the next start will count it as unclean");
        }
    }

    /// Notes a clean stop, unless the database file was displaced: then the note would be lost.
    fn end(&self) -> store::Result<()> {
        self.store.look()?;
        // The next process must not count these attempts: they did not kill this one.
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
        let asked = self.heartbeat.asking();
        let looked = self.store.look();
        let begun = match looked.and_then(|()| self.note(&batch, now)) {
            Ok(begun) => begun,
            Err(error) => {
                let unanswered = batch.into_iter().filter_map(|task| self.set_down(task)).collect();
                return self.failed(unanswered, &error, now);
            }
        };
        self.heartbeat.confirmed(asked);
        let batch = answer_confirmed(batch);
        if batch.is_empty() {
            return Next::Batch;
        }
        let (started, before) = (Instant::now(), self.store.rows_changed());
        match self.attempt(batch, matches!(begun, Begun::TooOften), now) {
            Ok((answers, messages)) => {
                self.clock.jump = TimeDelta::zero();
                let has_written = self.store.rows_changed() != before;
                let took = has_written.then(|| started.elapsed());
                self.meters.committed(took, messages, &self.handler.results);
                // A commit without changed rows does not touch the disk, so it does not prove that a full
                // disk has room again.
                if has_written {
                    self.heartbeat.wrote(now);
                    self.write_failure.recovered();
                }
                self.announce();
                for answer in answers {
                    answer();
                }
                self.wake.notify_one();
                self.heartbeat.commits.notify_one();
                Next::Batch
            }
            Err(Failed {
                unanswered,
                error,
                is_at_commit,
            }) => {
                self.store.rollback();
                let messages = unanswered.len();
                tracing::debug!(%error, messages, is_at_commit, "the batch was rolled back");
                if let Begun::Noted(digest) = begun {
                    self.survived.insert(digest);
                }
                self.failed(unanswered, &error, now)
            }
        }
    }

    /// Refuses all callers of the batch, and logs the cause.
    fn failed(&mut self, unanswered: Vec<Reply>, error: &store::Error, now: DateTime<Utc>) -> Next {
        let (messages, why) = (unanswered.len(), error.to_string());
        self.heartbeat.failed(error, now);
        refuse(unanswered, &why);
        let files = Files {
            store: &self.store,
            key: (&self.handler.key, &self.folder.key()),
        };
        match self.write_failure.failed(&files, error, messages, now) {
            After::Restart => {
                if matches!(error, store::Error::FileFault(_)) {
                    self.heartbeat.files_lost();
                }
                Next::Exit
            }
            After::Continue if error.is_locked() => Next::RefuseWaiting(why),
            After::Continue => Next::Batch,
        }
    }

    /// Refuses the tasks in the queue. They have already waited as long as this batch waited for the lock.
    /// Handled batch by batch, the last of them would wait many times as long.
    fn refuse_waiting(&mut self, waiting: &mut mpsc::Receiver<Task>, why: &str) {
        for _ in 0..waiting.len() {
            let Ok(task) = waiting.try_recv() else { return };
            let unanswered = self.set_down(task);
            self.write_failure.put_off += usize::from(unanswered.is_some());
            refuse(unanswered, why);
        }
    }

    /// Drops a task without doing it; returns its reply channel. A change of the handler needs no database,
    /// so it is done.
    fn set_down(&mut self, task: Task) -> Option<Reply> {
        match task {
            Task::Message(_, reply) => Some(reply),
            Task::Change(change) => {
                change(&mut self.handler);
                None
            }
            // Dropping the task drops its reply channel, and the caller sees that nothing was done.
            Task::Work(_) | Task::Due(_) | Task::Confirm(_) => None,
        }
    }

    /// After an unclean stop: notes that a message begins, in a separate transaction that survives a crash.
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
        // Already noted by this process, which survived it: one note is enough.
        if !self.survived.remove(&digest) {
            if self
                .store
                .begun(&digest)?
                .is_some_and(|(times, _)| times >= MAX_BEGUN)
            {
                return Ok(Begun::TooOften);
            }
            self.store.add_begun(&digest, now)?;
            self.store.remember_file()?;
        }
        Ok(Begun::Noted(digest))
    }

    /// Begins the transaction of a batch. If the clock was set, the clocks of the boards are shifted first.
    fn begin(&self) -> store::Result<()> {
        self.store.begin()?;
        self.clock.write(&self.store)
    }

    /// What to do after the commit, and how many messages are over.
    fn attempt(
        &mut self,
        batch: Vec<Task>,
        is_set_aside: bool,
        now: DateTime<Utc>,
    ) -> Result<(Vec<AfterCommit>, usize), Failed> {
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
                // Dropping the task drops its reply channel, and the caller sees that nothing was done.
                Task::Work(_) | Task::Due(_) | Task::Confirm(_) => {}
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
        let mut messages = 0;
        for (reply, report) in reports {
            if let Some(report) = report {
                // A message that needs a hash or a verdict is decided again in another batch.
                let is_over = report
                    .as_ref()
                    .is_ok_and(|report| !report.handled.is_to_be_repeated());
                messages += usize::from(is_over);
                answers.push(Box::new(move || drop(reply.send(report))));
            }
        }
        Ok((answers, messages))
    }
}

/// Answers those who only ask whether this process has the engine, which it has; returns the other tasks.
fn answer_confirmed(batch: Vec<Task>) -> Vec<Task> {
    let answered = |task| match task {
        Task::Confirm(reply) => {
            // Who asked may have gone away.
            let _ = reply.send(());
            None
        }
        task => Some(task),
    };
    batch.into_iter().filter_map(answered).collect()
}

/// Tells all of them that nothing was done.
fn refuse(replies: impl IntoIterator<Item = Reply>, why: &str) {
    for reply in replies {
        drop(reply.send(Err(Unavailable(why.to_owned()))));
    }
}
