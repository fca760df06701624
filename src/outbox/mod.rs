//! From rows to delivered mail: the only sender.
//!
//! [`Sender::run`] takes the rows that are due from a [`Queue`], makes each a message ([`build()`]), hands it to a
//! [`Transport`], and writes what became of it. A mail is sent at least once: one whose outcome was not written,
//! after a crash, is sent again with the same Message-ID.

mod bounce;
mod build;
mod deliver;
mod header;
mod identity;
mod maildir;
mod queue;
mod relay;
mod retry;
mod sender;
mod sendmail;
mod transport;

pub use build::{BuildError, Built, build};
pub use deliver::{Deliver, Failure};
pub use identity::{BadIdentity, Identity};
pub use maildir::Maildirs;
pub use queue::{Outcome, Queue, QueueError, Settled};
pub use relay::{BadRelay, Relay};
pub use sender::{Health, Pace, Sender};
pub use sendmail::{BadSendmail, Sendmail};
pub use transport::Transport;

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::mail::Address;
use crate::table::PlayerId;

/// One mail to one address, as its row in the database says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// The row's number; stands in the envelope sender, so that a bounce finds its mail.
    pub id: i64,
    /// The one address it goes to.
    pub to: Address,
    /// Our Message-ID without angle brackets, made with the row: a second delivery after a crash bears the same.
    pub message_id: String,
    /// The Message-ID that this one answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// The Message-IDs of its thread, oldest first, without angle brackets.
    pub references: Vec<String>,
    /// `Auto-Submitted` (RFC 3834): `auto-replied` for an answer, `auto-generated` for all else.
    pub is_reply: bool,
    /// The board it is about, such as `Pow2.101`: its `List-Id`.
    pub list: Option<String>,
    /// What stands between `+` and `@` of its `Reply-To`; `None` for the plain address.
    pub reply_detail: Option<String>,
    /// What stands between `+` and `@` of the address in its `List-Unsubscribe`; `None` for a mail without.
    pub unsubscribe_detail: Option<String>,
    /// The subject, decoded.
    pub subject: String,
    /// The text part, lines ended by `\n`.
    pub text: String,
    /// Whether it comes because its reader watches a board, and may end that.
    pub is_watching: bool,
    /// A file that goes with it: its name, in plain characters, and its text.
    pub attachment: Option<(String, String)>,
    /// When the row was made: its `Date`.
    pub created_at: DateTime<Utc>,
    /// How many deliveries have failed so far.
    pub attempts: u32,
    /// What its HTML part is made of; `None` for plain text alone.
    pub draft: Option<Draft>,
    /// Its HTML part, once [`Queue::render`] has made it.
    pub page: Option<Page>,
}

/// What an HTML part is made of, when the mail is sent: as it was written, or as the row's token has filled it in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The letter's folder in `templates/`.
    pub kind: String,
    /// What it says, as JSON.
    pub facts: String,
    /// The game that its picture shows, as a record.
    pub record: Option<String>,
    /// The reader.
    pub player: PlayerId,
    /// The generation of the reader's account, for the tokens in the HTML.
    pub generation: i64,
}

/// An HTML part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The HTML.
    pub html: String,
    /// A PNG to which [`Outgoing::picture_id`] leads.
    pub picture: Option<Arc<[u8]>>,
}

impl Outgoing {
    /// What names its picture (RFC 2392): the URL in the HTML is `cid:` and this.
    #[must_use]
    pub fn picture_id(&self) -> String {
        format!("board.{}", self.message_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mail::Key;

    pub(super) fn noon() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).unwrap()
    }

    pub(super) fn identity() -> Identity {
        let address = Address::parse("pbmserv@games.example").unwrap();
        Identity::new(address, "Games by mail", Key::from_bytes([3; 32])).unwrap()
    }

    pub(super) fn mail(id: i64) -> Outgoing {
        Outgoing {
            id,
            to: Address::parse("Alice@example.org").unwrap(),
            message_id: format!("{id}.abc@games.example"),
            in_reply_to: None,
            references: Vec::new(),
            is_reply: false,
            list: None,
            reply_detail: None,
            unsubscribe_detail: None,
            subject: "Pow2.101: your turn".to_owned(),
            text: "  +---+\n5 | X |\n  +---+\n.\nYour turn.\n".to_owned(),
            is_watching: false,
            attachment: None,
            created_at: noon(),
            attempts: 0,
            draft: None,
            page: None,
        }
    }
}
