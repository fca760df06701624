//! Mail out: the only module that sends.
//!
//! [`Sender::run`] takes due rows from a [`Queue`], builds a message of each ([`build()`]), hands it to a
//! [`Transport`] and writes the outcome. A mail is sent at least once. If a crash loses the outcome, the mail
//! is sent again with the same Message-ID.

mod bounce;
mod build;
mod deliver;
mod header;
mod identity;
mod maildir;
mod queue;
mod reach;
mod relay;
mod retry;
mod sender;
mod sendmail;
mod transport;
mod webhook;
mod worker;

pub use build::{BuildError, Built, build, wire_bytes};
pub use deliver::{Deliver, Failure};
pub use identity::{BadIdentity, Identity};
pub use maildir::Maildirs;
pub use queue::{Outcome, Queue, QueueError, SettledMail};
pub use reach::Reach;
pub use relay::{BadRelay, Relay};
pub use sender::{Health, Pace, Sender};
pub use sendmail::{BadSendmail, Sendmail};
pub use transport::Transport;
pub use webhook::{BadWebhook, Found, NotTaken, Notice, Poster, Webhook, WebhookForm};

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::Address;

/// One mail to one address: a row of the outbox. `D` is what its text and HTML are made of, which its [`Queue`] knows; a mail that is
/// rendered has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing<D = ()> {
    /// The row number. The envelope sender contains it, so that a bounce finds its mail.
    pub id: i64,
    /// The word for what it is, for logs and listings. What words there are, and what follows from one, is known where the mail is
    /// written: nothing here depends on it.
    pub kind: String,
    /// The recipient.
    pub to: Address,
    /// Our Message-ID without angle brackets. It is stored in the row, so a second delivery has the same one.
    pub message_id: String,
    /// The Message-ID of the mail that this one answers, without angle brackets.
    pub in_reply_to: Option<String>,
    /// The Message-IDs of its thread, oldest first, without angle brackets.
    pub references: Vec<String>,
    /// `Auto-Submitted` (RFC 3834): `auto-replied` for an answer, otherwise `auto-generated`.
    pub is_reply: bool,
    /// The board it is about, such as `Pow2.101`, for `List-Id`.
    pub list: Option<String>,
    /// The detail (between `+` and `@`) of its `Reply-To`; `None` for the plain address.
    pub reply_detail: Option<String>,
    /// The detail of the address in `List-Unsubscribe`; `None` for a mail without that field.
    pub unsubscribe_detail: Option<String>,
    /// Where a click on the mail program's button unsubscribes (RFC 8058), if pages are served by HTTPS.
    pub unsubscribe_url: Option<String>,
    /// The display name in `From`; empty for the name of the server.
    pub sender_name: String,
    /// The subject, decoded.
    pub subject: String,
    /// The text part, after [`Queue::render`]; its lines end with a line feed.
    pub text: String,
    /// Whether the reader gets it as a watcher of a board, and may unsubscribe.
    pub is_watching: bool,
    /// An attached text file: its ASCII name and its text.
    pub attachment: Option<(String, String)>,
    /// When the row was written: its `Date`.
    pub created_at: DateTime<Utc>,
    /// How many deliveries have failed so far.
    pub attempts: u32,
    /// What its parts are made of.
    pub draft: D,
    /// Its HTML part, after [`Queue::render`].
    pub page: Option<Page>,
}

/// An HTML part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The HTML.
    pub html: String,
    /// PNGs, referred to by [`Outgoing::picture_id`].
    pub pictures: Vec<Arc<[u8]>>,
}

impl<D> Outgoing<D> {
    /// The same mail, with its parts made of something else.
    #[must_use]
    pub fn with_draft<E>(self, draft: E) -> Outgoing<E> {
        Outgoing {
            id: self.id,
            kind: self.kind,
            to: self.to,
            message_id: self.message_id,
            in_reply_to: self.in_reply_to,
            references: self.references,
            is_reply: self.is_reply,
            list: self.list,
            reply_detail: self.reply_detail,
            unsubscribe_detail: self.unsubscribe_detail,
            unsubscribe_url: self.unsubscribe_url,
            sender_name: self.sender_name,
            subject: self.subject,
            text: self.text,
            is_watching: self.is_watching,
            attachment: self.attachment,
            created_at: self.created_at,
            attempts: self.attempts,
            draft,
            page: self.page,
        }
    }

    /// The `Content-ID` of a picture (RFC 2392), to which the HTML links as `cid:`. They are counted from 0.
    #[must_use]
    pub fn picture_id(&self, place: usize) -> String {
        match place {
            0 => format!("board.{}", self.message_id),
            other => format!("board{other}.{}", self.message_id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

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
            kind: "board".to_owned(),
            to: Address::parse("Alice@example.org").unwrap(),
            message_id: format!("{id}.abc@games.example"),
            in_reply_to: None,
            references: Vec::new(),
            is_reply: false,
            list: None,
            reply_detail: None,
            unsubscribe_detail: None,
            unsubscribe_url: None,
            sender_name: String::new(),
            subject: "Pow2.101: your turn".to_owned(),
            text: "  +---+\n5 | X |\n  +---+\n.\nYour turn.\n".to_owned(),
            is_watching: false,
            attachment: None,
            created_at: noon(),
            attempts: 0,
            draft: (),
            page: None,
        }
    }
}
