//! The ways out: Maildirs, an SMTP relay, or sendmail.

use super::maildir::Maildirs;
use super::relay::Relay;
use super::sendmail::Sendmail;
use super::{Built, Deliver, Failure, Outgoing};

/// The configured transport.
#[derive(Debug)]
pub enum Transport {
    /// A Maildir for each address, in a folder: no mail leaves the machine.
    Maildirs(Maildirs),
    /// An SMTP relay.
    Relay(Box<Relay>),
    /// A sendmail program on this machine.
    Sendmail(Sendmail),
}

impl Transport {
    /// Learns which addresses it takes, whenever somebody waits to know. Does not return.
    pub async fn answer(&self) {
        match self {
            // They take any, or judge later.
            Self::Maildirs(_) | Self::Sendmail(_) => std::future::pending().await,
            Self::Relay(relay) => relay.answer().await,
        }
    }
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
