//! How messages arrive. A door takes bytes and an envelope, hands them on, and tells the other side what
//! became of them; what a mail means is not its business.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::watch;

use crate::mail::{Address, Envelope};

mod health;
pub mod http;
pub mod imap;
pub mod maildir;
mod mark;
mod pause;
pub mod smtp;
mod socket;
mod stream;

pub use health::{Health, Now, Reporter};
pub use mark::Mark;
pub use socket::Listener;

/// The doors: the names of their tasks, in the database, in `/healthz` and in the labels of `/metrics`.
pub const NAMES: [&str; 4] = ["smtp", "lmtp", maildir::NAME, imap::NAME];

/// One message for one recipient, as it arrived.
#[derive(Clone)]
pub struct Message {
    /// Who sent it to whom.
    pub envelope: Envelope,
    /// The header and the body, as received, CRLF or LF.
    pub bytes: Arc<[u8]>,
    /// What its door knows it by, if a copy may come in again through this door after a crash: it tells a copy
    /// from another message where neither a Message-ID nor a `Date` does.
    pub mark: Option<Mark>,
}

impl std::fmt::Debug for Message {
    /// Without its bytes, in which passwords stand.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Message")
            .field("envelope", &self.envelope)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All that it does is durably committed; the number is the one of its record.
    Accepted(i64),
    /// It will never be of use: the door refuses it for good, with this sentence.
    Unusable(String),
    /// It was not taken, through no fault of its own: the other side should try again later.
    TryLater(String),
}

/// Where doors hand their messages to.
pub trait Intake: Send + Sync + 'static {
    /// Whether mail for this address is for this server (with or without a `+detail`).
    fn is_ours(&self, recipient: &Address) -> bool;

    /// Handles one message. The answer comes only after the commit that holds all of its effects.
    fn submit(&self, message: Message) -> impl Future<Output = Verdict> + Send;
}

/// Waits until a stop is asked for, or nobody can ask any more.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error says that the sender is gone.
    let _ = stop.wait_for(|stop| *stop).await;
}
