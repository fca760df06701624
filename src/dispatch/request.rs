//! A parsed message: its text, its commands, and its sender.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::command::{COMMANDS, Script, Sender};
use crate::mail::{self, Envelope, Incoming, Unreadable};
use crate::outbox::Identity;

use super::handler::Cause;

/// A parsed message.
pub struct Request {
    /// The name of the door that received it.
    pub door: &'static str,
    /// The envelope as received.
    pub envelope: Envelope,
    /// The header and the sender's own text.
    pub mail: Incoming,
    /// Who wrote it, and whether that is authenticated.
    pub sender: Sender,
    /// Set if it came to the envelope sender of one of our mails, as bounces do.
    pub returned: Option<Returned>,
    /// A digest that is the same for every copy of the mail.
    pub identity: Option<[u8; 32]>,
    /// A digest of its bytes.
    pub digest: [u8; 32],
    /// Its commands.
    pub script: Script,
    /// Whether its first paragraph is the word `confirm`.
    pub says_confirm: bool,
    /// Its text, with a note if it is cut.
    pub comment: String,
    /// Its subject, cleaned, in plain characters.
    pub subject: String,
    /// Its bytes, which are stored only if handling it fails.
    pub bytes: Arc<[u8]>,
}

/// A message to the envelope sender of one of our mails. The address has a tag that only this server can make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The row of our mail in `outbox`.
    pub mail: i64,
    /// The status code of a permanent failure, such as `5.1.1` (RFC 3463); `None` for any other message.
    pub failure: Option<String>,
}

impl std::fmt::Debug for Request {
    /// Leaves out the text and the bytes, which may contain passwords.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("door", &self.door)
            .field("message_id", &self.mail.message_id)
            .field("script", &self.script)
            .finish_non_exhaustive()
    }
}

impl Request {
    /// Parses a message. `identity` recognises the envelope senders of our mails. `authserv_id` is the mail server
    /// whose `Authentication-Results` (RFC 8601) are required; `None` accepts every sender as authenticated. `mark`
    /// identifies copies of a message without Message-ID and date.
    ///
    /// # Errors
    /// The message cannot be read; the error is one sentence.
    pub fn read(
        door: &'static str,
        envelope: &Envelope,
        bytes: &Arc<[u8]>,
        mark: Option<[u8; 32]>,
        identity: &Identity,
        authserv_id: Option<&str>,
    ) -> Result<Self, Unreadable> {
        let mail = mail::read(bytes, envelope, identity.address())?;
        let mut text = mail.text.join("\n");
        if mail.is_cut {
            text.push_str("\n[The mail is longer; the rest is not read.]");
        }
        let subject = mail::plain(&mail::clean_subject(&mail.subject));
        let returned = identity.bounced(&envelope.recipient).map(|number| Returned {
            mail: number,
            failure: mail
                .delivery_report
                .as_ref()
                .filter(|report| report.class == 5)
                .map(|report| report.status.clone()),
        });
        Ok(Self {
            door,
            sender: sender(envelope, &mail, authserv_id),
            returned,
            identity: mail.digest.or(mark),
            digest: Sha256::digest(bytes).into(),
            script: COMMANDS.read_script(&subject, &text),
            says_confirm: COMMANDS.says_confirm(&text) || COMMANDS.says_confirm(&subject),
            comment: text,
            subject,
            bytes: bytes.clone(),
            envelope: envelope.clone(),
            mail,
        })
    }

    /// This message as the cause of letters; `id` is its row in `inbox`.
    pub(super) fn cause(&self, id: i64) -> Cause<'_> {
        Cause {
            inbox: Some(id),
            sender: self.sender.believed().envelope.as_ref(),
            message_id: self.mail.message_id.as_deref(),
        }
    }
}

/// The sender, and whether it is authenticated.
fn sender(envelope: &Envelope, mail: &Incoming, authserv_id: Option<&str>) -> Sender {
    let from = mail.from.clone();
    match authserv_id {
        None => Sender {
            envelope: envelope.sender.clone(),
            from,
            is_believed: true,
        },
        Some(id) if mail.passed_dmarc(id) => Sender {
            envelope: from.clone(),
            from,
            is_believed: true,
        },
        Some(_) => Sender {
            envelope: envelope.sender.clone(),
            from,
            is_believed: false,
        },
    }
}
