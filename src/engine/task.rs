//! The tasks of the engine and their results.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use tokio::sync::oneshot;

use pbmserv_core::command::{InternalError, Proofs};
use pbmserv_core::dispatch::{CommandResult, Handled, Handler, Request};
use pbmserv_core::store::Outgoing;
use pbmserv_core::store::{self, Store};

/// A message and what is known of its passwords.
#[derive(Debug)]
pub struct Job {
    /// The parsed message.
    pub request: Arc<Request>,
    /// Its passwords.
    pub proofs: Proofs,
    /// A rehearsal: all effects are rolled back.
    pub is_rehearsal: bool,
    /// Whether the report should contain the letters it caused.
    pub wants_letters: bool,
}

/// The result of a message.
#[derive(Debug)]
pub struct Report {
    /// How it was handled.
    pub handled: Handled,
    /// The letters it caused, if requested.
    pub letters: Vec<Outgoing>,
    /// A summary of its commands, for the log.
    pub commands: InShort,
}

/// A summary of a message's commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InShort {
    /// The result of the first command.
    pub first: Option<CommandResult>,
    /// The number of commands.
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

/// The engine has stopped or could not commit.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(pub String);

impl From<store::Error> for Unavailable {
    fn from(error: store::Error) -> Self {
        Self(error.to_string())
    }
}

/// Work other than a message. It writes what it needs and returns what to do after the commit.
pub(super) type Work =
    Box<dyn FnOnce(&mut Handler, &Store, DateTime<Utc>) -> Result<AfterCommit, InternalError> + Send>;
pub(super) type AfterCommit = Box<dyn FnOnce() + Send>;

/// Where the sender of a message waits for its report.
pub(super) type Reply = oneshot::Sender<Result<Report, Unavailable>>;

/// What the queue holds.
pub(super) enum Task {
    Message(Box<Job>, Reply),
    Work(Work),
    Due(oneshot::Sender<usize>),
    /// Whether this process has the engine still.
    Confirm(oneshot::Sender<()>),
    Change(Box<dyn FnOnce(&mut Handler) + Send>),
}
