//! What is handed in to the engine, and what comes back.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;

use crate::command::{InternalError, Proofs};
use crate::dispatch::{CommandResult, Handled, Handler, Request};
use crate::outbox::Outgoing;
use crate::store::Store;

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
    /// What became of it in a word, and why if there is more to say: for the log.
    pub fate: (String, Option<String>),
    /// The letters it caused, if they were asked for.
    pub letters: Vec<Outgoing>,
    /// Its commands, in short: for the log.
    pub commands: InShort,
}

/// The commands of a message as the log tells of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InShort {
    /// The first.
    pub first: Option<CommandResult>,
    /// How many there were.
    pub count: usize,
}

impl InShort {
    pub(super) fn of(results: &[CommandResult]) -> Self {
        Self {
            first: results.first().copied(),
            count: results.len(),
        }
    }
}

/// The engine is not there, or could not keep what was asked.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);

/// Work that is not a message: it writes what it has to, and says what to do after the commit.
pub(super) type Work =
    Box<dyn FnOnce(&mut Handler, &Store, DateTime<Utc>) -> Result<AfterCommit, InternalError> + Send>;
pub(super) type AfterCommit = Box<dyn FnOnce() + Send>;

/// Who waits for what became of a message.
pub(super) type Reply = oneshot::Sender<Result<Report, Unavailable>>;

/// What the thread takes.
pub(super) enum Task {
    Message(Box<Job>, Reply),
    Work(Work),
    Due(oneshot::Sender<usize>),
    Change(Box<dyn FnOnce(&mut Handler) + Send>),
}
