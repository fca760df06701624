//! The ways a message leaves: into Maildirs, to an SMTP relay, or by sendmail.

use super::maildir::Maildirs;
use super::relay::Relay;
use super::sendmail::Sendmail;
use super::{Built, Deliver, Failure, Outgoing};

/// The configured transport.
#[derive(Debug)]
pub enum Transport {
    /// A Maildir for each address, in a folder: nothing leaves the machine.
    Maildirs(Maildirs),
    /// An SMTP relay.
    Relay(Relay),
    /// A program on this machine.
    Sendmail(Sendmail),
}

impl Deliver for Transport {
    async fn deliver(&self, built: &Built, mail: &Outgoing) -> Result<(), Failure> {
        match self {
            Self::Maildirs(maildirs) => maildirs.deliver(built, mail).await,
            Self::Relay(relay) => relay.deliver(built, mail).await,
            Self::Sendmail(sendmail) => sendmail.deliver(built, mail).await,
        }
    }

    async fn rest(&self) {
        match self {
            Self::Maildirs(_) | Self::Sendmail(_) => {}
            Self::Relay(relay) => relay.rest().await,
        }
    }
}
