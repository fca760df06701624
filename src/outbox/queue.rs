//! What the sender wants of the store: the rows that wait, and a place to write what became of them.

use std::future::Future;

use chrono::{DateTime, Utc};

use super::Outgoing;

/// What became of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The row's number.
    pub id: i64,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The transport has taken it.
    Sent,
    /// Not now; the row goes on waiting and its `attempts` is one more.
    Deferred {
        /// When it is due again.
        until: DateTime<Utc>,
        /// One line for the operator.
        why: String,
    },
    /// Never: the other side refuses it for good.
    Refused {
        /// One line for the operator.
        why: String,
    },
    /// Never: it cannot be written, or was tried for too long. That says nothing of its address.
    Failed {
        /// One line for the operator.
        why: String,
    },
}

/// The store did not do what was asked; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the outbox cannot be read or written: {0}")]
pub struct QueueError(pub String);

/// The rows of the outbox.
pub trait Queue: Send + Sync + 'static {
    /// At most `limit` waiting rows that are due at `now`, oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    fn due(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Outgoing>, QueueError>> + Send;

    /// When the next waiting row is due, be it past or to come; `None` if none waits.
    ///
    /// # Errors
    /// The store cannot be read.
    fn next_due(&self) -> impl Future<Output = Result<Option<DateTime<Utc>>, QueueError>> + Send;

    /// How many rows wait, due or not.
    ///
    /// # Errors
    /// The store cannot be read.
    fn waiting(&self) -> impl Future<Output = Result<u64, QueueError>> + Send;

    /// Writes these outcomes in one durable commit. A row settled before is left as it was.
    ///
    /// # Errors
    /// Nothing was written; the same outcomes are brought again.
    fn settle(&self, outcomes: Vec<Settled>) -> impl Future<Output = Result<(), QueueError>> + Send;

    /// Makes the HTML part of a row right before it is sent. A row for which there is none comes back as it is, and
    /// goes out as plain text.
    fn render(&self, mail: Outgoing) -> impl Future<Output = Outgoing> + Send {
        std::future::ready(mail)
    }
}
