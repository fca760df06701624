//! The sender's view of the store: rows that wait, and a place to write their outcomes.

use std::future::Future;

use chrono::{DateTime, Utc};

use super::Outgoing;

/// The outcome of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledMail {
    /// The row number.
    pub id: i64,
    /// The outcome of its delivery.
    pub outcome: Outcome,
}

/// The outcome of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The transport has accepted it.
    Sent,
    /// Not accepted now. The row stays in the queue, and its `attempts` grows by one.
    Deferred {
        /// When it is due again.
        until: DateTime<Utc>,
        /// One line for the operator.
        why: String,
    },
    /// Refused permanently by the other side.
    Refused {
        /// One line for the operator.
        why: String,
    },
    /// Given up: it cannot be built, or was tried for too long. This says nothing about its address.
    Failed {
        /// One line for the operator.
        why: String,
    },
}

/// The store could not be read or written. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the outbox cannot be read or written: {0}")]
pub struct QueueError(pub String);

/// The rows of the outbox.
pub trait Queue: Send + Sync + 'static {
    /// What the text and the HTML of a mail are made of.
    type Draft: Send + 'static;

    /// Some of the waiting rows that are due at `now`, of each cause in turn, oldest first: at most about `limit`, and
    /// few of them if few causes have any.
    ///
    /// # Errors
    /// The store cannot be read.
    fn due(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Outgoing<Self::Draft>>, QueueError>> + Send;

    /// When the next row is due, in the past or the future; `None` if no row waits.
    ///
    /// # Errors
    /// The store cannot be read.
    fn next_due(&self) -> impl Future<Output = Result<Option<DateTime<Utc>>, QueueError>> + Send;

    /// The number of waiting rows, due or not.
    ///
    /// # Errors
    /// The store cannot be read.
    fn waiting(&self) -> impl Future<Output = Result<u64, QueueError>> + Send;

    /// Writes these outcomes in one durable commit. A row that already has an outcome is not changed.
    ///
    /// # Errors
    /// Nothing was written; the caller will pass the same outcomes again.
    fn settle(&self, outcomes: Vec<SettledMail>) -> impl Future<Output = Result<(), QueueError>> + Send;

    /// Whether the rows are this server's to send. Asked before each mail.
    ///
    /// # Errors
    /// Another server may have taken them over.
    fn is_ours(&self) -> impl Future<Output = Result<(), QueueError>> + Send {
        std::future::ready(Ok(()))
    }

    /// Makes the text and the HTML part immediately before sending. A row whose HTML cannot be made goes out as plain
    /// text. The same row always gives the same parts, unless the templates were changed in between.
    ///
    /// # Errors
    /// There is nothing to make a text of; why, in one line for the operator.
    fn render(&self, mail: Outgoing<Self::Draft>) -> impl Future<Output = Result<Outgoing, String>> + Send;
}
