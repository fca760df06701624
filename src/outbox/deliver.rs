//! What every way out promises: one message handed over, or why not.

use std::future::Future;

use super::{Built, Outgoing};

/// Why a message was not taken; the text is one line for the operator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// This mail will never be taken.
    #[error("{0}")]
    Permanent(String),
    /// This mail was not taken now.
    #[error("{0}")]
    Temporary(String),
    /// No mail is taken now: the relay cannot be reached or refuses us, the disk is full. Nothing was said
    /// about this mail.
    #[error("{0}")]
    Down(String),
}

/// What the sender wants of a transport.
pub trait Deliver: Send + Sync + 'static {
    /// Hands over one message. `Ok` means that it is in the other's durable keeping.
    ///
    /// # Errors
    /// [`Failure`].
    fn deliver(&self, built: &Built, mail: &Outgoing) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Lets go of what is only kept for a next delivery; called when none is at hand.
    fn rest(&self) -> impl Future<Output = ()> + Send;
}
