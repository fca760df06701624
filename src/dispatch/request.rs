//! A message as commands see it: what it says, what it asks for, and who wrote it as far as that is known.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::command::{COMMANDS, Script, Sender};
use crate::mail::{self, Envelope, Incoming, Unreadable};
use crate::outbox::Identity;

use super::handler::Cause;

/// A message, read.
pub struct Request {
    /// By which door it came.
    pub door: &'static str,
    /// The envelope, as it came.
    pub envelope: Envelope,
    /// What it says.
    pub mail: Incoming,
    /// Who wrote.
    pub sender: Sender,
    /// What it is about, if it came to the envelope sender of a mail of ours.
    pub returned: Option<Returned>,
    /// The digest that a second copy would share.
    pub identity: Option<[u8; 32]>,
    /// A digest of its bytes.
    pub digest: [u8; 32],
    /// What its subject asks for.
    pub script: Script,
    /// Whether its text answers a question with yes.
    pub says_confirm: bool,
    /// Its text, with a note if it is cut.
    pub comment: String,
    /// Its subject, cleaned, in plain characters.
    pub subject: String,
    /// Its bytes, kept only if handling it fails.
    pub bytes: Arc<[u8]>,
}

/// What a message to the envelope sender of a mail of ours is about. Only we can have made that address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The number of our mail.
    pub mail: i64,
    /// The status of a delivery that has failed for good, such as `5.1.1`; `None`: it says something else.
    pub failure: Option<String>,
}

impl std::fmt::Debug for Request {
    /// Without its text and its bytes, in which passwords stand.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("door", &self.door)
            .field("message_id", &self.mail.message_id)
            .field("script", &self.script)
            .finish_non_exhaustive()
    }
}

impl Request {
    /// Reads a message. `identity` knows the envelope senders of our mails; `authserv_id` is the mail server whose word
    /// about senders is needed, `None` where senders are believed; `mark` recognises a copy that names neither a
    /// Message-ID nor a date.
    ///
    /// # Errors
    /// It cannot be read, in one sentence.
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

    /// What the letters of this message, recorded under that number, answer.
    pub(super) fn cause(&self, id: i64) -> Cause<'_> {
        Cause {
            inbox: Some(id),
            sender: self.sender.believed().envelope.as_ref(),
            message_id: self.mail.message_id.as_deref(),
        }
    }
}

/// Who wrote, as far as it may be believed.
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
