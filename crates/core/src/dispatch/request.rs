//! A parsed message: its text, its commands, and its sender.

use std::net::IpAddr;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::command::{Belief, COMMANDS, PageRequest, Script, Sender, YesNo};
use crate::table::GuestGame;
use pbmserv_mail::outbox::Identity;
use pbmserv_mail::{Address, Envelope, Incoming, LetterWords, OwnAddresses, Unreadable, Unwanted, agree};

use super::handler::Cause;
use super::trust::Trust;

/// The most details of a message that are looked at.
const MAX_DETAILS: usize = 20;

/// Who says whether the mailbox in `From` is authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Witness {
    /// Nobody: authentication is not required.
    Nobody,
    /// The mail server of this name before this one, in `Authentication-Results` (RFC 8601).
    ServerBefore(String),
    /// This server, which verifies it when that matters.
    Own,
}

/// A message as a door received it.
#[derive(Clone, Copy, Debug)]
pub struct Arrived<'a> {
    /// The name of the door.
    pub door: &'static str,
    /// The client that sent it, if the door sees it.
    pub client: Option<IpAddr>,
    /// Its sender and recipients.
    pub envelope: &'a Envelope,
    /// The header and the body.
    pub bytes: &'a Arc<[u8]>,
    /// Identifies copies of a message without Message-ID and date.
    pub mark: Option<[u8; 32]>,
}

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
    /// Set if it is a complaint about spam.
    pub complaint: Option<Complained>,
    /// The details of our addresses that it was sent to, which may be tokens: those of the envelope, then those of
    /// `To` and `Cc`. In lower case, without repetitions.
    pub details: Vec<String>,
    /// A digest that is the same for every copy of the mail.
    pub identity: Option<[u8; 32]>,
    /// A digest of its bytes.
    pub digest: [u8; 32],
    /// Its commands.
    pub script: Script,
    /// Its text, with a note if it is cut.
    pub comment: String,
    /// Its subject, cleaned, in plain characters.
    pub subject: String,
    /// Its bytes, which are stored only if handling it fails.
    pub bytes: Arc<[u8]>,
    /// What a player has asked for on a page; `None`: it is a mail.
    pub page: Option<PageRequest>,
    /// What somebody without a page of their own asks for on one.
    pub click: Option<Click>,
}

/// A message to the envelope sender of one of our mails. The address has a tag that only this server can make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The row of our mail in `outbox`.
    pub mail: i64,
    /// The status code of a permanent failure, such as `5.1.1` (RFC 3463); `None` for any other message.
    pub failure: Option<String>,
}

/// A complaint about spam (RFC 5965).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complained {
    /// The row of our mail in `outbox`, if the report has its envelope sender: the address has a tag that only this server can
    /// make, and only the recipient and the mail servers on the way have seen it.
    pub mail: Option<i64>,
    /// The Message-ID of the mail that it is about.
    pub message_id: Option<String>,
    /// What it says.
    pub kind: Unwanted,
}

/// What somebody asks for on a page without a player's key.
#[derive(Clone, Debug)]
pub enum Click {
    /// To end mails of the kind that the token in `details` names.
    Leave,
    /// To be asked for a name by a mail to this address; the name is proposed.
    AskForName {
        address: Address,
        name: String,
        /// A game that was begun on a page, to be kept.
        game: Option<GuestGame>,
    },
    /// To join by the token in `details` with this name, or with the one that is proposed.
    Join(Option<String>),
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
    /// Parses a message. `identity` recognises the envelope senders of our mails, `letters` what repeats them.
    ///
    /// # Errors
    /// The message cannot be read; the error is one sentence.
    pub fn read(
        arrived: Arrived<'_>,
        identity: &Identity,
        witness: &Witness,
        letters: &LetterWords,
    ) -> Result<Self, Unreadable> {
        let Arrived {
            door,
            client,
            envelope,
            bytes,
            mark,
        } = arrived;
        let mail = pbmserv_mail::read(bytes, envelope, identity.own(), letters)?;
        let text = text_of(&mail);
        let subject = pbmserv_mail::plain(&pbmserv_mail::clean_subject(&mail.subject));
        let mut bounced = envelope.recipients.iter();
        let bounced = bounced.find_map(|recipient| identity.bounced(recipient));
        let returned = bounced.map(|number| Returned {
            mail: number,
            failure: mail
                .delivery_report
                .as_ref()
                .filter(|report| report.class == 5)
                .map(|report| report.status.clone()),
        });
        let complaint = mail.complaint.as_ref().map(|complaint| Complained {
            mail: complaint
                .senders
                .iter()
                .find_map(|sender| identity.bounced(sender)),
            message_id: complaint.message_id.clone(),
            kind: complaint.kind,
        });
        Ok(Self {
            complaint,
            door,
            sender: sender(envelope, client, &mail, witness),
            details: details(envelope, &mail, identity),
            returned,
            identity: mail.digest.or(mark),
            digest: Sha256::digest(bytes).into(),
            script: COMMANDS.read_script(&subject, &text),
            comment: text,
            subject,
            bytes: bytes.clone(),
            envelope: envelope.clone(),
            mail,
            page: None,
            click: None,
        })
    }

    /// Cuts what repeats the letters of which these are the words, and reads the rest again.
    pub fn cut_letters(&mut self, letters: &LetterWords, own: &OwnAddresses) {
        self.mail.cut_letters(letters, own);
        self.comment = text_of(&self.mail);
        self.script = COMMANDS.read_script(&self.subject, &self.comment);
    }

    /// What it says if it answers a question that wants yes or no. Few do, and the known ways to say it are many.
    pub(super) fn said(&self) -> YesNo {
        YesNo::of(&self.subject, &self.comment)
    }

    /// Notes whether `From` was found to be authenticated.
    pub fn verified(&mut self, is_authentic: bool) {
        self.sender.belief = match is_authentic {
            true => Belief::Authenticated,
            false => Belief::Missing,
        };
    }

    /// Whether it was sent to the postmaster of this server, and not to an address of its own.
    pub(super) fn is_for_postmaster(&self, own: &OwnAddresses) -> bool {
        let mut recipients = self.envelope.recipients.iter();
        !recipients.any(|recipient| own.has(recipient))
    }

    /// This message as the cause of letters, as if nothing were proven; `id` is its row in `inbox`.
    pub(super) fn cause(&self, id: i64) -> Cause<'_> {
        Cause {
            inbox: Some(id),
            sender: Some(&self.sender),
            message_id: self.mail.message_id.as_deref(),
            standing: Trust::Stranger,
            by: None,
            token_player: None,
            answered: None,
        }
    }

    /// The digest of one copy of a message: with what distinguishes its claim to be the sender's from that of other copies. A copy
    /// that was not carried out, which anybody may have sent, makes only such copies duplicates. It depends on the message alone:
    /// what a token stands for may be gone when the same copy comes again.
    pub(super) fn copy(&self) -> Option<[u8; 32]> {
        let sender = self.envelope.sender.as_ref().map(Address::key);
        let mut details: Vec<_> = self.details.iter().map(|detail| detail.to_lowercase()).collect();
        details.sort_unstable();
        let mut claim = format!(
            "{sender:?} {:?} {details:?} {:?} {:?} {:?}",
            self.sender.belief, self.mail.in_reply_to, self.returned, self.mail.silence
        );
        if let Some(complaint) = &self.complaint {
            claim.push_str(&format!(" {complaint:?}"));
        }
        let mut digest = Sha256::new();
        digest.update(self.identity?);
        digest.update(claim.as_bytes());
        Some(digest.finalize().into())
    }
}

/// The sender's own text, with a note if it is cut.
fn text_of(mail: &Incoming) -> String {
    let mut text = mail.text.join("\n");
    if mail.is_cut {
        text.push_str("\n[The mail is longer; the rest is not read.]");
    }
    text
}

/// The sender, and whether it is believed.
fn sender(envelope: &Envelope, client: Option<IpAddr>, mail: &Incoming, witness: &Witness) -> Sender {
    let do_agree = |from: &Address| envelope.sender.as_ref().is_some_and(|sender| agree(from, sender));
    let belief = match witness {
        Witness::ServerBefore(id) if mail.passed_dmarc(id) => Belief::Authenticated,
        Witness::ServerBefore(_) => Belief::Missing,
        Witness::Own if mail.from.is_some() => Belief::Unasked,
        Witness::Own => Belief::Missing,
        Witness::Nobody if mail.from.as_ref().is_some_and(do_agree) => Belief::Agreed,
        Witness::Nobody => Belief::Doubted,
    };
    Sender {
        from: mail.from.clone(),
        envelope: envelope.sender.clone(),
        client,
        belief,
    }
}

/// See [`Request::details`]. The envelope senders of our mails are left out: their details are no tokens, but some mail
/// programs reply to them.
fn details(envelope: &Envelope, mail: &Incoming, identity: &Identity) -> Vec<String> {
    let mut details = Vec::new();
    for address in envelope.recipients.iter().chain(&mail.addressed) {
        let detail = address.detail().map(str::to_ascii_lowercase);
        if let Some(detail) = detail.filter(|detail| !details.contains(detail))
            && identity.bounced(address).is_none()
            && details.len() < MAX_DETAILS
        {
            details.push(detail);
        }
    }
    details
}
