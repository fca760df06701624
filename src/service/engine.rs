//! The one thread that writes: it takes what waits, up to a few hundred tasks, and commits them together.
//!
//! Whoever handed a task in is answered only after the commit. If SQLite itself fails, nothing of the batch is
//! kept and all are told to try again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::command::{Fault, Proofs};
use crate::dispatch::{Desk, Handled, Request};
use crate::outbox::Outgoing;
use crate::store::{self, Store};

use super::folder::Folder;
use super::panics;

/// Tasks that share one commit.
const BATCH: usize = 256;

/// Tasks that may wait before those who bring more must wait.
const WAITING: usize = 1024;

/// For how long after an unclean stop messages are taken one at a time, each noted before it begins: longer
/// than mail servers wait between two tries.
const CAUTIOUS_HOURS: i64 = 24;

/// The note that is there while the engine runs.
const RUNNING: &str = "running";

/// The time, given from outside.
pub type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// A message with its passwords checked.
#[derive(Debug)]
pub struct Job {
    /// The message, read.
    pub request: Arc<Request>,
    /// Its passwords.
    pub proofs: Proofs,
    /// Whether all it does is to be undone again: a rehearsal.
    pub is_rehearsal: bool,
    /// Whether the letters it causes are wanted.
    pub wants_letters: bool,
}

/// What became of a message.
#[derive(Debug)]
pub struct Report {
    /// How it was handled.
    pub handled: Handled,
    /// The letters it caused, if they were asked for.
    pub letters: Vec<Outgoing>,
}

/// The engine is not there, or could not keep what was asked.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);

/// Work that is not a message: it writes what it has to, and says what to do after the commit.
type Work = Box<dyn FnOnce(&Store, DateTime<Utc>) -> store::Result<AfterCommit> + Send>;
type AfterCommit = Box<dyn FnOnce() + Send>;

enum Task {
    Message(Box<Job>, oneshot::Sender<Result<Report, Unavailable>>),
    Work(Work),
    Desk(Box<dyn FnOnce(&mut Desk) + Send>),
}

/// Where tasks are handed in. The engine stops when the last handle is dropped.
#[derive(Clone)]
pub struct Engine {
    tasks: mpsc::Sender<Task>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl Engine {
    /// Starts the thread. `wake` is notified after each commit that put letters into the outbox.
    ///
    /// # Errors
    /// The database cannot be written, or the thread not be started.
    pub fn start(
        store: Store,
        desk: Desk,
        folder: Folder,
        clock: Clock,
        wake: Arc<Notify>,
    ) -> Result<(Self, std::thread::JoinHandle<()>), Fault> {
        let was_running = store.note(RUNNING)?.as_deref() == Some("1");
        store.set_note(RUNNING, "1")?;
        if was_running {
            tracing::warn!(
                "the last stop was not clean: messages are taken one at a time for {CAUTIOUS_HOURS} hours"
            );
        }
        let cautious_until = was_running.then(|| clock() + TimeDelta::hours(CAUTIOUS_HOURS));
        let (tasks, waiting) = mpsc::channel(WAITING);
        let worker = Worker {
            store,
            desk,
            folder,
            clock,
            wake,
            cautious_until,
        };
        let thread = std::thread::Builder::new()
            .name("engine".into())
            .spawn(move || worker.run(waiting));
        let thread = thread.map_err(|error| Fault::Letter(format!("the engine's thread: {error}")))?;
        Ok((Self { tasks }, thread))
    }

    /// Handles a message; returns after the commit.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing of it was done.
    pub async fn handle(&self, job: Job) -> Result<Report, Unavailable> {
        let (reply, report) = oneshot::channel();
        self.hand_in(Task::Message(Box::new(job), reply)).await?;
        report.await.map_err(|_| stopped())?
    }

    /// Does other work in a transaction; returns its result after the commit.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing of it was done.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store, DateTime<Utc>) -> store::Result<T> + Send + 'static,
    ) -> Result<T, Unavailable> {
        let (reply, result) = oneshot::channel();
        let work: Work = Box::new(move |store, now| {
            let value = work(store, now)?;
            Ok(Box::new(move || drop(reply.send(value))))
        });
        self.hand_in(Task::Work(work)).await?;
        result
            .await
            .map_err(|_| Unavailable("the database could not be written: see the log".into()))
    }

    /// Changes what handling needs beside the database.
    ///
    /// # Errors
    /// [`Unavailable`]: the engine has stopped.
    pub async fn change_desk(
        &self,
        change: impl FnOnce(&mut Desk) + Send + 'static,
    ) -> Result<(), Unavailable> {
        self.hand_in(Task::Desk(Box::new(change))).await
    }

    async fn hand_in(&self, task: Task) -> Result<(), Unavailable> {
        self.tasks.send(task).await.map_err(|_| stopped())
    }
}

fn stopped() -> Unavailable {
    Unavailable("the engine has stopped".into())
}

struct Worker {
    store: Store,
    desk: Desk,
    folder: Folder,
    clock: Clock,
    wake: Arc<Notify>,
    cautious_until: Option<DateTime<Utc>>,
}

impl Worker {
    fn run(mut self, mut waiting: mpsc::Receiver<Task>) {
        while let Some(first) = waiting.blocking_recv() {
            let mut batch = vec![first];
            let most = if self.is_cautious() { 1 } else { BATCH };
            while batch.len() < most
                && let Ok(task) = waiting.try_recv()
            {
                batch.push(task);
            }
            self.batch(batch);
        }
        let stopped = self
            .store
            .set_note(RUNNING, "0")
            .and_then(|()| self.store.clear_begun());
        if let Err(error) = stopped {
            tracing::error!(%error, "the clean stop could not be noted");
        }
    }

    fn is_cautious(&self) -> bool {
        self.cautious_until.is_some_and(|until| (self.clock)() < until)
    }

    /// Handles a batch in one transaction and answers after its commit.
    fn batch(&mut self, batch: Vec<Task>) {
        let now = (self.clock)();
        let set_aside = match self.note(&batch, now) {
            Ok(set_aside) => set_aside,
            Err(error) => return fail(batch, &error),
        };
        match self.attempt(batch, set_aside, now) {
            Ok(answers) => {
                for answer in answers {
                    answer();
                }
                self.wake.notify_one();
            }
            Err((unanswered, error)) => {
                self.store.rollback();
                tracing::error!(%error, "nothing of this batch was kept");
                for reply in unanswered {
                    drop(reply.send(Err(Unavailable(format!("a fault of the database: {error}")))));
                }
            }
        }
    }

    /// After an unclean stop: notes that a message is begun, in a transaction of its own, and tells whether it
    /// was begun twice before, which says that it ended the program each time.
    fn note(&self, batch: &[Task], now: DateTime<Utc>) -> store::Result<bool> {
        let [Task::Message(job, _)] = batch else {
            return Ok(false);
        };
        if !self.is_cautious() || job.is_rehearsal {
            return Ok(false);
        }
        let times = self
            .store
            .begun(&job.request.digest)?
            .map_or(0, |(times, _)| times);
        if times < 2 {
            self.store.add_begun(&job.request.digest, now)?;
        }
        Ok(times >= 2)
    }

    #[expect(
        clippy::type_complexity,
        reason = "the replies of those who must be told that nothing was kept"
    )]
    fn attempt(
        &mut self,
        batch: Vec<Task>,
        set_aside: bool,
        now: DateTime<Utc>,
    ) -> Result<Vec<AfterCommit>, (Vec<oneshot::Sender<Result<Report, Unavailable>>>, store::Error)> {
        let mut answers: Vec<AfterCommit> = Vec::with_capacity(batch.len());
        let mut reports = Vec::with_capacity(batch.len());
        let mut failure = self.store.begin().err();
        for task in batch {
            match task {
                Task::Message(job, reply) => {
                    let report = match &failure {
                        None => self
                            .message(&job, set_aside, now)
                            .map_err(|error| failure = Some(error))
                            .ok(),
                        Some(_) => None,
                    };
                    reports.push((reply, report));
                }
                Task::Work(work) if failure.is_none() => match self.savepoint(|store| work(store, now)) {
                    Ok(answer) => answers.push(answer),
                    Err(error) => failure = Some(error),
                },
                Task::Work(_) => {}
                Task::Desk(change) => change(&mut self.desk),
            }
        }
        let failure = failure.or_else(|| self.store.commit().err());
        if let Some(error) = failure {
            return Err((reports.into_iter().map(|(reply, _)| reply).collect(), error));
        }
        for (reply, report) in reports {
            if let Some(report) = report {
                answers.push(Box::new(move || drop(reply.send(Ok(report)))));
            }
        }
        Ok(answers)
    }

    fn savepoint<T>(&self, work: impl FnOnce(&Store) -> store::Result<T>) -> store::Result<T> {
        self.store.begin_message()?;
        let value = work(&self.store)?;
        self.store.keep_message()?;
        Ok(value)
    }

    /// Handles one message in a savepoint. A fault of ours undoes it and records it as failed instead, in the
    /// same transaction; only SQLite's own errors are passed on.
    fn message(&mut self, job: &Job, set_aside: bool, now: DateTime<Utc>) -> store::Result<Report> {
        self.store.begin_message()?;
        let request = &job.request;
        let (store, desk) = (&self.store, &mut self.desk);
        let handled = if set_aside {
            Err("it ended the program twice".to_owned())
        } else {
            match catch_unwind(AssertUnwindSafe(|| desk.handle(store, request, &job.proofs, now))) {
                Ok(Ok(handled)) => Ok(handled),
                Ok(Err(Fault::Store(error @ store::Error::Sqlite(_)))) => return Err(error),
                Ok(Err(fault)) => Err(fault.to_string()),
                Err(panic) => Err(format!("a panic: {}", panics::words(panic.as_ref()))),
            }
        };
        let handled = match handled {
            Ok(handled) => handled,
            Err(why) => {
                tracing::error!(%why, "a message is set aside");
                self.store.undo_message()?;
                self.store.begin_message()?;
                self.set_aside(request, &why, now)?
            }
        };
        let letters = match handled {
            Handled::Recorded(id) if job.wants_letters => self.store.caused_by(id)?,
            _ => Vec::new(),
        };
        if job.is_rehearsal || handled == Handled::Check {
            self.store.undo_message()?;
        } else {
            self.store.keep_message()?;
        }
        if self.cautious_until.is_some() {
            self.store.remove_begun(&request.digest)?;
        }
        Ok(Report { handled, letters })
    }

    fn set_aside(&mut self, request: &Request, why: &str, now: DateTime<Utc>) -> store::Result<Handled> {
        let id = match self.desk.set_aside(&self.store, request, why, now) {
            Ok(id) => id,
            Err(Fault::Store(error)) => return Err(error),
            Err(other) => return Err(store::Error::Corrupt(other.to_string())),
        };
        if let Err(error) = self.folder.keep_failed(id, &request.bytes) {
            tracing::error!(%error, id, "the bytes of a failed message could not be kept");
        }
        Ok(Handled::Recorded(id))
    }
}

fn fail(batch: Vec<Task>, error: &store::Error) {
    tracing::error!(%error, "a message could not be noted");
    for task in batch {
        if let Task::Message(_, reply) = task {
            drop(reply.send(Err(Unavailable(format!("a fault of the database: {error}")))));
        }
    }
}
