//! The one thread that writes: it takes what waits, up to a few hundred tasks, and commits them together.
//!
//! Whoever handed a task in is answered only after the commit. If SQLite itself fails, nothing of the batch is
//! kept and all are told to try again.

pub mod clock;
mod configured;
pub mod door;
mod due;
pub mod folder;
mod heartbeat;
mod message;
pub mod meters;
mod pages;
pub mod panics;
pub mod passwords;
pub mod queue;
pub mod sending;
pub mod server;
mod task;
mod trouble;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::{Notify, mpsc, oneshot, watch};

use crate::command::InternalError;
use crate::dispatch::Handler;
use crate::store::{self, Store};

pub use clock::TimeSource;
use folder::Folder;
use heartbeat::Heartbeat;
pub use heartbeat::Writing;
use meters::Meters;
pub use task::{InShort, Job, Report, Unavailable};
use task::{Task, Work};
use worker::Worker;

/// Tasks that may wait before those who bring more must wait.
const WAITING: usize = 1024;

/// When somebody last had the engine look whether it can write, in milliseconds since 1970.
const LOOKED_AT: &str = "looked_at";

/// Where tasks are handed in. The engine stops when the last handle is dropped.
#[derive(Clone)]
pub struct Engine {
    tasks: mpsc::Sender<Task>,
    next: watch::Receiver<Option<DateTime<Utc>>>,
    heartbeat: Arc<Heartbeat>,
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
        handler: Handler,
        folder: Folder,
        clock: TimeSource,
        wake: Arc<Notify>,
        meters: Meters,
    ) -> Result<(Self, std::thread::JoinHandle<()>), InternalError> {
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
            },
            thread,
        ))
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
        self.act(move |_, store, now| Ok(work(store, now)?)).await
    }

    /// The same, for work that writes letters too.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing of it was done.
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

    /// Does what is due by now, or a part of it; returns after the commit how many things that were.
    ///
    /// # Errors
    /// [`Unavailable`]: nothing of it was done.
    pub async fn do_what_is_due(&self) -> Result<usize, Unavailable> {
        let (reply, done) = oneshot::channel();
        self.hand_in(Task::Due(reply)).await?;
        done.await
            .map_err(|_| Unavailable("what is due could not be written: see the log".into()))
    }

    /// When something is due next, as of the last commit.
    #[must_use]
    pub fn next_due(&self) -> watch::Receiver<Option<DateTime<Utc>>> {
        self.next.clone()
    }

    /// Has the engine look whether the database is still where it was, and can be written, as with a message; what it
    /// finds is in [`Engine::writing`].
    ///
    /// # Errors
    /// [`Unavailable`]: it cannot.
    pub async fn look(&self) -> Result<(), Unavailable> {
        self.write(|store, now| store.set_note(LOOKED_AT, &store::millis(now).to_string()))
            .await
    }

    /// Changes what handling needs beside the database.
    ///
    /// # Errors
    /// [`Unavailable`]: the engine has stopped.
    pub async fn change_handler(
        &self,
        change: impl FnOnce(&mut Handler) + Send + 'static,
    ) -> Result<(), Unavailable> {
        self.hand_in(Task::Change(Box::new(change))).await
    }

    /// How writing goes: the place to look at for "nothing can be written now".
    #[must_use]
    pub fn writing(&self) -> watch::Receiver<Writing> {
        self.heartbeat.writing.subscribe()
    }

    /// For how long it has been at work on the present batch; `None` while it waits for one. Never blocks, however
    /// much the engine hangs.
    #[must_use]
    pub fn busy_for(&self) -> Option<Duration> {
        self.heartbeat.busy_for()
    }

    /// How many tasks wait to be taken.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.tasks.max_capacity() - self.tasks.capacity()
    }

    /// Whether the thread has ended.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.tasks.is_closed()
    }

    /// Returns when the thread has ended. While handles are held it does so only through a fault of the program.
    pub async fn ended(&self) {
        self.tasks.closed().await;
    }

    async fn hand_in(&self, task: Task) -> Result<(), Unavailable> {
        self.tasks.send(task).await.map_err(|_| stopped())
    }
}

fn stopped() -> Unavailable {
    Unavailable("the engine has stopped".into())
}

#[cfg(test)]
mod tests;
