//! Requests that no mail has brought: what a player asks for on a page, and clicks that unsubscribe. They go to the same
//! engine as mails.

use std::net::IpAddr;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::command::{Belief, Script, Sender, is_typed};
use crate::store::{self, Reader, ReceivedRow};
use crate::table::{BoardLetter, Player};
use pbmserv_mail::{Address, Envelope, Key, LetterWords, Unreadable};

use super::asked::Asked;
use super::request::Request;
use super::token::{Purpose, seat_generation, token};

/// What was recorded of the form with this [`Request::mark`], if it is still kept. A mail has no mark: whoever has it could make
/// its identity.
///
/// # Errors
/// Those of the database.
pub fn form_record(reader: &Reader, mark: &str) -> store::Result<Option<ReceivedRow>> {
    let decoded = data_encoding::BASE32_NOPAD.decode(mark.to_ascii_uppercase().as_bytes());
    let identity: Option<[u8; 32]> = decoded.ok().and_then(|bytes| bytes.try_into().ok());
    let Some(identity) = identity else {
        return Ok(None);
    };
    match reader.seen([&identity, &identity])? {
        Some(id) => Ok(reader.received_by_id(id)?.filter(|row| row.door == DOOR)),
        None => Ok(None),
    }
}

/// The name of the door, in the log and in the records of messages.
const DOOR: &str = "web";

impl Request {
    /// A click that ends mails of one kind (RFC 8058). It has no identity: what it does is done once by its nature,
    /// and may be wanted again.
    ///
    /// # Errors
    /// The token is none that can stand in a mail.
    pub fn of_click(token: &str, client: Option<IpAddr>, address: &Address) -> Result<Self, Unreadable> {
        let envelope = Envelope {
            sender: None,
            recipients: vec![address.clone()],
        };
        let token = token.to_ascii_lowercase();
        let bytes: Arc<[u8]> = b"Subject: unsubscribe\r\n\r\n".as_slice().into();
        let own = pbmserv_mail::OwnAddresses::new(address.clone(), Vec::new());
        let mut mail = pbmserv_mail::read(&bytes, &envelope, &own, &LetterWords::new(is_typed))?;
        (mail.silence, mail.delivery_report, mail.complaint) = (None, None, None);
        Ok(Self {
            details: vec![token],
            is_click: true,
            ..Self::bare(mail, envelope, bytes, client)
        })
    }

    /// A request that no mail has brought, without anything in it.
    fn bare(
        mail: pbmserv_mail::Incoming,
        envelope: Envelope,
        bytes: Arc<[u8]>,
        client: Option<IpAddr>,
    ) -> Self {
        Self {
            door: DOOR,
            mail,
            envelope,
            sender: Sender {
                from: None,
                envelope: None,
                client,
                belief: Belief::Doubted,
            },
            returned: None,
            complaint: None,
            details: Vec::new(),
            identity: None,
            digest: Sha256::digest(&bytes).into(),
            script: Script::Nothing,
            comment: String::new(),
            subject: String::new(),
            bytes,
            asked: None,
            is_click: false,
        }
    }

    /// A name for it that nobody can guess, by which its page finds what was recorded of it; empty if it has no identity.
    #[must_use]
    pub fn mark(&self) -> String {
        let identity = self.identity.as_ref();
        let mark = identity.map(|identity| data_encoding::BASE32_NOPAD.encode(identity).to_lowercase());
        mark.unwrap_or_default()
    }

    /// A command that a player gives on a page.
    ///
    /// `form` is the number of the form: the same form with the same content, sent twice, is the same request, which has one
    /// effect, also if the answer to the first was lost in a crash. The bytes that are kept if handling it fails are a mail
    /// that says the same, to the address that answers a letter about the board.
    ///
    /// # Errors
    /// Words that cannot be written in such a mail.
    pub fn of_page(
        mut asked: Asked,
        player: &Player,
        form: &str,
        client: Option<IpAddr>,
        address: &Address,
        key: &Key,
    ) -> Result<Self, Unreadable> {
        let recipient = match asked.shown {
            Some(shown) => {
                let generation = seat_generation(player.id, player.generation);
                address.with_detail(&token(key, Purpose::Seat, shown.number(), generation))
            }
            None => address.clone(),
        };
        let envelope = Envelope {
            sender: None,
            recipients: vec![recipient],
        };
        // As the lines of a mail are read; a browser ends them by CRLF.
        asked.words = asked
            .words
            .lines()
            .map(pbmserv_mail::visible)
            .collect::<Vec<_>>()
            .join("\n");
        let command = &asked.line.text;
        let mut identity = Sha256::new();
        for piece in ["pbmserv: asked on a page", form, command, &asked.words] {
            identity.update((piece.len() as u64).to_be_bytes());
            identity.update(piece.as_bytes());
        }
        identity.update(player.id.0.to_be_bytes());
        identity.update(asked.shown.map_or(0, BoardLetter::number).to_be_bytes());
        let identity: [u8; 32] = identity.finalize().into();
        let id = data_encoding::BASE32_NOPAD.encode(&identity[..16]).to_lowercase();
        let text = format!(
            "Message-ID: <{id}@{}>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Transfer-Encoding: 8bit\r\n\r\n{command}\r\n\r\n{}\r\n",
            address.domain(),
            asked.words
        );
        let bytes: Arc<[u8]> = text.into_bytes().into();
        let own = pbmserv_mail::OwnAddresses::new(address.clone(), Vec::new());
        let mut mail = pbmserv_mail::read(&bytes, &envelope, &own, &LetterWords::new(is_typed))?;
        // It is a mail in form only, and no program has sent it.
        (mail.silence, mail.delivery_report, mail.complaint) = (None, None, None);
        Ok(Self {
            identity: Some(identity),
            script: Script::Command(Box::new(asked.line.clone())),
            asked: Some(asked),
            ..Self::bare(mail, envelope, bytes, client)
        })
    }
}
