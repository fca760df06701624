//! The engine: the single thread that writes to the database. It takes up to a few hundred waiting tasks and
//! commits them in one transaction.
//!
//! A caller gets its answer only after the commit. If SQLite fails, the whole batch is rolled back and every
//! caller is asked to try again.

mod assembly;
mod attempt_loop;
mod attempts;
pub mod clock;
pub mod configured;
pub mod configured_folder;
pub mod copies;
pub mod disk;
pub mod door;
mod due;
pub mod dump;
mod exports;
pub mod fetching;
pub mod folder;
mod forgetting;
pub mod forms;
mod heartbeat;
mod inspection;
pub mod keys;
mod lanes;
pub mod log_writer;
mod message;
pub mod meters;
pub mod migration;
pub mod notices;
mod pages;
pub mod panics;
pub mod passwords;
pub mod permissions;
pub mod place;
pub mod probe;
pub mod queue;
pub mod readers;
mod senders;
pub mod sending;
pub mod server;
mod standby;
mod task;
pub mod thinking;
mod web_links;
mod worker;
mod write_failure;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::{Notify, mpsc, oneshot, watch};

use pbmserv_core::command::InternalError;
use pbmserv_core::dispatch::Handler;
use pbmserv_core::store::{self, Store};

pub use clock::TimeSource;
use folder::Folder;
pub use forgetting::Forgotten;
use heartbeat::Heartbeat;
pub use heartbeat::{FailedWrite, Writing};
pub use inspection::{Inspected, Inspection};
use meters::Meters;
pub use task::{InShort, Job, Report, Unavailable};
use task::{Task, Work};
use worker::Worker;

/// Capacity of the task queue. When it is full, callers wait.
const WAITING: usize = 1024;

/// How often the database is asked whether it is there. A session that says nothing for 15 seconds is ended.
const BEAT: Duration = Duration::from_secs(4);

/// How often the files of the database are looked at while there is no mail.
const LOOKS: Duration = Duration::from_secs(1);

/// The note that [`Engine::look`] writes: the time of its last write test, in milliseconds since 1970.
const LOOKED_AT: &str = "looked_at";

/// A handle to the engine. The thread ends when the last handle is dropped.
#[derive(Clone)]
pub struct Engine {
    tasks: mpsc::Sender<Task>,
    next: watch::Receiver<Option<DateTime<Utc>>>,
    heartbeat: Arc<Heartbeat>,
    /// Whether another server may take it over.
    is_shared: bool,
    /// Whether another server has it: true on a standby.
    is_elsewhere: bool,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl Engine {
    /// Starts the thread. `wake` is notified after each commit, since that may have added letters to the
    /// outbox.
    ///
    /// # Errors
    /// The database cannot be written, or the thread cannot be started.
    pub fn start(
        store: Store,
        handler: Handler,
        folder: Folder,
        clock: TimeSource,
        wake: Arc<Notify>,
        meters: Meters,
    ) -> Result<(Self, std::thread::JoinHandle<()>), InternalError> {
        let is_shared = store.location().is_shared();
        let worker = Worker::new(store, handler, folder, clock, wake, meters)?;
        let (next, heartbeat) = (worker.next.subscribe(), worker.heartbeat.clone());
        let (tasks, waiting) = mpsc::channel(WAITING);
        let thread = std::thread::Builder::new()
            .name("engine".into())
            .spawn(move || worker.run(waiting));
        let thread =
            thread.map_err(|error| InternalError::Letter(format!("the engine's thread: {error}")))?;
        Ok((
            Self {
                tasks,
                next,
                heartbeat,
                is_shared,
                is_elsewhere: false,
            },
            thread,
        ))
    }

    /// A handle without an engine, for a server that waits until it gets the engine from another one. It refuses everything.
    #[must_use]
    pub fn elsewhere() -> Self {
        Self {
            tasks: mpsc::channel(1).0,
            next: watch::channel(None).1,
            heartbeat: Arc::default(),
            is_shared: true,
            is_elsewhere: true,
        }
    }

    /// Handles a message; returns after the commit.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was changed.
    pub async fn handle(&self, job: Job) -> Result<Report, Unavailable> {
        let (reply, report) = oneshot::channel();
        self.hand_in(Task::Message(Box::new(job), reply)).await?;
        report.await.map_err(|_| stopped())?
    }

    /// Runs other work in the transaction of a batch; returns its result after the commit.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was changed.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store, DateTime<Utc>) -> store::Result<T> + Send + 'static,
    ) -> Result<T, Unavailable> {
        self.act(move |_, store, now| Ok(work(store, now)?)).await
    }

    /// Like [`write`](Self::write), for work that writes letters too.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was changed.
    pub async fn act<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Handler, &Store, DateTime<Utc>) -> Result<T, InternalError> + Send + 'static,
    ) -> Result<T, Unavailable> {
        let (reply, result) = oneshot::channel();
        let work: Work = Box::new(move |handler, store, now| {
            let value = work(handler, store, now)?;
            Ok(Box::new(move || drop(reply.send(value))))
        });
        self.hand_in(Task::Work(work)).await?;
        result
            .await
            .map_err(|_| Unavailable("the database could not be written: see the log".into()))
    }

    /// Handles rows that are due, at most one batch of them; returns how many, after the commit.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing was changed.
    pub async fn do_what_is_due(&self) -> Result<usize, Unavailable> {
        let (reply, done) = oneshot::channel();
        self.hand_in(Task::Due(reply)).await?;
        done.await
            .map_err(|_| Unavailable("the scheduled work could not be written: see the log".into()))
    }

    /// When the next row is due, as of the last commit.
    #[must_use]
    pub fn next_due(&self) -> watch::Receiver<Option<DateTime<Utc>>> {
        self.next.clone()
    }

    /// Tests that the database file is still in its place and can be written. The result also appears in
    /// [`Engine::writing`].
    ///
    /// # Errors
    /// [`Unavailable`]: the test failed.
    pub async fn look(&self) -> Result<(), Unavailable> {
        self.write(|store, now| store.set_note(LOOKED_AT, &store::millis(now).to_string()))
            .await
    }

    /// Returns if this process has the engine still, so that it may send letters. With a database in a file nobody else can
    /// have it.
    ///
    /// # Errors
    /// [`Unavailable`]: perhaps another server has it.
    pub async fn confirm(&self) -> Result<(), Unavailable> {
        if !self.is_shared || self.heartbeat.is_confirmed() {
            return Ok(());
        }
        let (reply, confirmed) = oneshot::channel();
        self.hand_in(Task::Confirm(reply)).await?;
        confirmed
            .await
            .map_err(|_| Unavailable("the database does not say that this server has it: see the log".into()))
    }

    /// Has the engine look now and then whether the database is still its own: the files of one in a file are in their place; the
    /// session of another one, which ends if nothing is said in it, was not lost. Returns when the engine has ended.
    pub async fn keep(&self) {
        let pause = if self.is_shared { BEAT } else { LOOKS };
        while !self.is_gone() {
            let (reply, confirmed) = oneshot::channel();
            // The engine's answer shows in `writing`.
            if self.hand_in(Task::Confirm(reply)).await.is_ok() {
                let _ = confirmed.await;
            }
            tokio::time::sleep(pause).await;
        }
    }

    /// Whether the engine has ended because files of its database were removed. What was in them is saved.
    #[must_use]
    pub fn has_lost_files(&self) -> bool {
        self.heartbeat.has_lost_files()
    }

    /// Whether another server has taken over what this engine had.
    #[must_use]
    pub fn was_taken_over(&self) -> bool {
        self.heartbeat.was_taken_over()
    }

    /// Whether another server has the engine, and this one waits.
    #[must_use]
    pub const fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    /// Changes the part of the handler's state that is not in the database, such as limits and templates.
    ///
    /// # Errors
    /// [`Unavailable`]: the engine has stopped.
    pub async fn change_handler(
        &self,
        change: impl FnOnce(&mut Handler) + Send + 'static,
    ) -> Result<(), Unavailable> {
        self.hand_in(Task::Change(Box::new(change))).await
    }

    /// Returns after a commit. One caller at a time is woken.
    pub(crate) async fn committed(&self) {
        self.heartbeat.commits.notified().await;
    }

    /// Whether commits succeed.
    #[must_use]
    pub fn writing(&self) -> watch::Receiver<Writing> {
        self.heartbeat.writing.subscribe()
    }

    /// How long the current batch has been running; `None` while idle. Never blocks, even if the engine
    /// hangs.
    #[must_use]
    pub fn busy_for(&self) -> Option<Duration> {
        self.heartbeat.busy_for()
    }

    /// The number of tasks in the queue.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.tasks.max_capacity() - self.tasks.capacity()
    }

    /// Whether the thread has ended.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.tasks.is_closed()
    }

    /// Returns when the thread has ended. While a handle exists that happens only after a fatal error.
    pub async fn ended(&self) {
        self.tasks.closed().await;
    }

    async fn hand_in(&self, task: Task) -> Result<(), Unavailable> {
        self.tasks.send(task).await.map_err(|_| match self.is_elsewhere {
            true => Unavailable("this server waits: another one has the engine".into()),
            false => stopped(),
        })
    }
}

fn stopped() -> Unavailable {
    Unavailable("the engine has stopped".into())
}

#[cfg(test)]
mod tests;
