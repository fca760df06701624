//! Requests that no mail has brought: what a player asks for on a page, and clicks that unsubscribe.
//!
//! A form is a message: it is decided, recorded and answered as a mail. What its page has shown is the letter that is answered,
//! so a board that has moved on refuses. What it has done stands in its record in the words of the answer (`Decision::said`),
//! which the page finds by a mark that nobody can guess, also after a crash between the commit and the answer.

use std::net::IpAddr;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::command::{Belief, InternalError, LetterAnswered, Line, PAGE_DOOR, PageRequest, Script, Sender};
use crate::store::{self, Purpose, Reader, ReceivedRow, Store};
use crate::table::{BoardLetter, Player, PlayerId};
use pbmserv_mail::{Address, Envelope, Incoming, Key};

use super::page_key::{Opened, opened};
use super::request::{Click, Request};
use super::token::{row_of_player, seat_generation, token};

/// What was recorded of the form with this [`Request::mark`], if it is still kept. A mail has no mark: its holder could make
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
        Some(id) => Ok(reader.received_by_id(id)?.filter(|row| row.door == PAGE_DOOR)),
        None => Ok(None),
    }
}

impl Request {
    /// A click that ends mails of one kind (RFC 8058). It has no identity: what it does is done once by its nature,
    /// and may be wanted again.
    #[must_use]
    pub fn of_click(token: &str, client: IpAddr, address: &Address) -> Self {
        let bytes: Arc<[u8]> = b"Subject: unsubscribe\r\n\r\n".as_slice().into();
        Self {
            details: vec![token.to_ascii_lowercase()],
            click: Some(Click::Leave),
            ..Self::bare(Incoming::default(), address.clone(), bytes, client)
        }
    }

    /// What somebody asks for who wants to join; with the token of the letter that asks, if it is an answer. It has no identity:
    /// the letter is bounded, and the account is made once by its nature.
    #[must_use]
    pub fn of_join(click: Click, token: Option<&str>, client: IpAddr, address: &Address) -> Self {
        let bytes: Arc<[u8]> = b"Subject: join\r\n\r\n".as_slice().into();
        Self {
            details: token.into_iter().map(str::to_ascii_lowercase).collect(),
            click: Some(click),
            ..Self::bare(Incoming::default(), address.clone(), bytes, client)
        }
    }

    /// A no to the question in this row, as an answer to its letter says it.
    #[must_use]
    pub fn of_no(row: i64, player: &Player, client: IpAddr, address: &Address, key: &Key) -> Self {
        let number = row_of_player(player.id, row);
        let token = token(key, Purpose::Proposal, number, player.generation);
        let bytes: Arc<[u8]> = b"Subject: no\r\n\r\n".as_slice().into();
        Self {
            identity: Some(Sha256::digest(format!("pbmserv: no on a page {token}")).into()),
            details: vec![token],
            comment: "no".to_owned(),
            ..Self::bare(Incoming::default(), address.clone(), bytes, client)
        }
    }

    /// A request that no mail has brought, without anything in it.
    fn bare(mail: Incoming, recipient: Address, bytes: Arc<[u8]>, client: IpAddr) -> Self {
        Self {
            door: PAGE_DOOR,
            mail,
            envelope: Envelope {
                sender: None,
                recipients: vec![recipient],
            },
            sender: Sender {
                from: None,
                envelope: None,
                client: Some(client),
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
            page: None,
            click: None,
        }
    }

    /// A name for it that nobody can guess, by which its page finds what was recorded of it; empty if it has no identity.
    #[must_use]
    pub fn mark(&self) -> String {
        let identity = self.identity.as_ref();
        let mark = identity.map(|identity| data_encoding::BASE32_NOPAD.encode(identity).to_lowercase());
        mark.unwrap_or_default()
    }

    /// What a player asks for on a page, and the command that it was read as. The bytes that are kept if handling it fails are a
    /// mail that says the same, to the address that answers a letter about the board.
    #[must_use]
    pub fn of_page(mut page: PageRequest, line: Line, address: &Address, key: &Key) -> Self {
        let recipient = match page.shown {
            Some(shown) => {
                let generation = seat_generation(page.by.id, page.by.generation);
                address.with_detail(&token(key, Purpose::Seat, shown.number(), generation))
            }
            None => address.clone(),
        };
        // As the lines of a mail are read; a browser ends them by CRLF.
        let words: Vec<_> = page.words.lines().map(pbmserv_mail::visible).collect();
        page.words = words.join("\n");
        let mut identity = Sha256::new();
        for piece in ["pbmserv: asked on a page", &page.form, &line.text, &page.words] {
            identity.update((piece.len() as u64).to_be_bytes());
            identity.update(piece.as_bytes());
        }
        identity.update(page.by.id.0.to_be_bytes());
        identity.update(page.shown.map_or(0, BoardLetter::number).to_be_bytes());
        let identity: [u8; 32] = identity.finalize().into();
        let id = data_encoding::BASE32_NOPAD.encode(&identity[..16]).to_lowercase();
        let id = format!("{id}@{}", address.domain());
        let text = format!(
            "Message-ID: <{id}>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Transfer-Encoding: 8bit\r\n\r\n{}\r\n\r\n{}\r\n",
            line.text, page.words
        );
        let client = page.client;
        Self {
            identity: Some(identity),
            script: Script::Command(Box::new(line)),
            page: Some(page),
            ..Self::bare(Incoming::named(id), recipient, text.into_bytes().into(), client)
        }
    }

    /// The player of a page, if its key is good now and reaches what is asked for. The page may be older, or made by hand.
    pub(super) fn page_player(
        &self,
        page: &PageRequest,
        store: &Store,
        key: &Key,
    ) -> Result<Option<PlayerId>, InternalError> {
        let Script::Command(line) = &self.script else {
            return Ok(None);
        };
        let reaches =
            |opened: &Opened| opened.player.id == page.by.id && opened.reach.allows(line, page.shown);
        let opened = opened(key, store, &page.key)?.filter(reaches);
        Ok(opened.map(|opened| opened.player.id))
    }
}

/// What a page has shown, as a letter that is answered.
pub(super) fn letter_of(page: &PageRequest, store: &Store) -> Result<Option<LetterAnswered>, InternalError> {
    let Some(shown) = page.shown else {
        return Ok(None);
    };
    let board = store.board_by_id(shown.board)?;
    Ok(board.map(|board| LetterAnswered::of_page(shown, &board)))
}
