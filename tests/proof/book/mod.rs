//! That nothing is lost and nothing happens twice: what players sent, what must have become of it, and a look at
//! whether it has. Nothing here is read from the server but what is to be judged.

pub(crate) mod checker;
mod letters;
pub(crate) mod pair;
pub(crate) mod world;

use std::sync::Arc;

use pbmserv::games::Seat;
use sha2::{Digest, Sha256};

/// A board by the name of its game and its number.
pub(crate) type Table = (&'static str, u32);

/// What one command does.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// A player is there.
    Signup(String),
    /// A player wants no HTML.
    PlainText(String),
    /// A board begins.
    Begin(&'static str, [String; 2]),
    /// A turn is played, by its own command or out of the queue.
    Turn(Table, Seat, String),
    /// A turn is queued.
    Queue(Table, Seat, String),
    /// The player in this seat gives up.
    Resign(Table, Seat),
    /// Letters of the mail hold these words.
    Say(String),
    /// A player gets this display of a game.
    Display(String, &'static str, &'static str),
}

/// A mail of a player, and what it must do.
#[derive(Clone, Debug)]
pub(crate) struct Mail {
    /// Its Message-ID without angle brackets.
    pub(crate) id: String,
    pub(crate) from: String,
    pub(crate) subject: String,
    pub(crate) text: String,
    /// What it does, in order.
    pub(crate) deeds: Vec<Deed>,
    /// Whether a command in it is refused.
    pub(crate) is_refused: bool,
    /// To which addresses it has letters written, each as often as it stands here; sorted.
    pub(crate) letters: Vec<String>,
}

impl Mail {
    /// As it goes over the wire to this address.
    pub(crate) fn bytes(&self, server: &str) -> Vec<u8> {
        let Self {
            id,
            from,
            subject,
            text,
            ..
        } = self;
        let text = text.replace('\n', "\r\n");
        format!("From: {from}\r\nTo: {server}\r\nMessage-ID: <{id}>\r\nSubject: {subject}\r\n\r\n{text}\r\n")
            .into_bytes()
    }
}

/// What a mail's sender has heard of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing yet.
    Open,
    /// It was accepted.
    Accepted,
}

/// A mail in the book of all that was sent, in the order of each pair.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) mail: Arc<Mail>,
    pub(crate) fate: Fate,
}

/// A letter as it was delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delivered {
    pub(crate) message_id: String,
    pub(crate) in_reply_to: String,
    pub(crate) to: String,
    pub(crate) subject: String,
    /// Of its text.
    pub(crate) digest: [u8; 32],
}

/// The digest of a text or a message.
pub(crate) fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}
