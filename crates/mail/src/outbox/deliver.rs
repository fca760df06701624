//! The trait of a transport: hand over one message, or say why not.

use std::future::Future;

use super::{Built, Outgoing};

/// Why a message was not accepted. The text is one line for the operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// This mail will never be accepted.
    #[error("{0}")]
    Permanent(String),
    /// This mail was not accepted now.
    #[error("{0}")]
    Temporary(String),
    /// The other side takes no mail for such an address, because it lacks an extension. This says nothing about other
    /// mails, and the operator may change it.
    #[error("{0}")]
    Unsupported(String),
    /// No mail is accepted now: the relay cannot be reached or refuses us, or the disk is full. This says
    /// nothing about the mail itself.
    #[error("{0}")]
    Down(String),
}

/// A transport.
pub trait Deliver: Send + Sync + 'static {
    /// Hands over one message. `Ok` means that the other side has stored it durably.
    ///
    /// # Errors
    /// [`Failure`].
    fn deliver(&self, built: &Built, mail: &Outgoing) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Closes idle connections; called when no mail is due.
    fn rest(&self) -> impl Future<Output = ()> + Send;
}
