//! Mail in. A door receives bytes and an envelope, hands them to the [`Intake`] and reports the verdict to
//! the other side. It does not interpret the mail.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::watch;

use crate::{Address, Envelope};

mod health;
pub mod http;
pub mod imap;
mod line_ends;
pub mod maildir;
mod mark;
mod names;
mod pause;
pub mod smtp;
mod socket;

pub use health::{Aside, AsideMail, Health, Reporter, WallClock};
pub use mark::Mark;
pub use names::NAMES;
pub use socket::Listener;

/// One message, for one or several of our addresses.
#[derive(Clone)]
pub struct Message {
    /// Its sender and recipients.
    pub envelope: Envelope,
    /// The client that sent it, if the door sees it; `None` if another mail server received it before.
    pub client: Option<IpAddr>,
    /// The header and the body, as received, with CRLF or LF.
    pub bytes: Arc<[u8]>,
    /// Identifies a message that may come in again through this door after a crash, if it has neither
    /// Message-ID nor `Date`.
    pub mark: Option<Mark>,
}

impl std::fmt::Debug for Message {
    /// Without the bytes, which may contain passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Message")
            .field("envelope", &self.envelope)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

/// The result of handing in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All effects are durably committed. The number is that of its record.
    Accepted(i64),
    /// Permanently useless: the door refuses it with this sentence.
    Unusable(String),
    /// Not accepted now, for a reason outside the message. The other side should try again later.
    TryLater(String),
}

/// Where doors hand in messages.
pub trait Intake: Send + Sync + 'static {
    /// Whether an address is the server's, with or without a `+detail`.
    fn is_ours(&self, recipient: &Address) -> bool;

    /// The domain of the server's address. Mail for its postmaster is taken too.
    fn domain(&self) -> &str;

    /// Whether the disk has room for more mail. If not, every message gets [`Verdict::TryLater`]; a door can
    /// say so before it takes one.
    fn has_room(&self) -> impl Future<Output = bool> + Send {
        std::future::ready(true)
    }

    /// Whether a sender can be answered whose mail comes to this address of ours. If not, a door that can tell the sender
    /// refuses the mail: no answer would.
    fn can_answer(&self, _sender: &Address, _recipient: &Address) -> impl Future<Output = bool> + Send {
        std::future::ready(true)
    }

    /// Handles one message. Returns after all of its effects are committed.
    fn submit(&self, message: Message) -> impl Future<Output = Verdict> + Send;
}

/// Returns when a stop is requested or can no longer be requested.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the sender was dropped.
    let _ = stop.wait_for(|stop| *stop).await;
}
