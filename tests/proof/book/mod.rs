//! Nothing is lost and nothing happens twice: the players' mails, their expected effects, and a checker that
//! compares. The expectation uses nothing that the server wrote.

pub(crate) mod checker;
pub(crate) mod computers;
mod letters;
pub(crate) mod pair;
pub(crate) mod world;

use std::sync::Arc;

use pbmserv_games::Seat;
use sha2::{Digest, Sha256};

/// A board by the name of its game and its number.
pub(crate) type Table = (&'static str, u32);

/// The effect of one command.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// A player exists.
    Signup(String),
    /// A player wants plain text only.
    PlainText(String),
    /// A board begins.
    Begin(&'static str, [String; 2]),
    /// A turn is played, by a command or from the queue.
    Turn(Table, Seat, String),
    /// A computer answers with a turn, at any time after that.
    Answer(Table, Seat, String),
    /// A turn is queued.
    Queue(Table, Seat, String),
    /// The player in this seat resigns.
    Resign(Table, Seat),
    /// Letters of the mail contain these words.
    Say(String),
    /// A player gets this display of a game.
    Display(String, &'static str, &'static str),
}

/// A mail of a player, with its expected effects.
#[derive(Clone, Debug)]
pub(crate) struct Mail {
    /// Its Message-ID without angle brackets.
    pub(crate) id: String,
    pub(crate) from: String,
    pub(crate) subject: String,
    pub(crate) text: String,
    /// Its effects, in order.
    pub(crate) deeds: Vec<Deed>,
    /// Whether a command in it is refused.
    pub(crate) is_refused: bool,
    /// The recipients of its letters, one entry per letter; sorted.
    pub(crate) letters: Vec<String>,
    /// The board on which a computer may answer. A receipt is dropped if its letter comes soon enough.
    pub(crate) against_computer: Option<Table>,
}

impl Mail {
    /// The bytes sent to this address.
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

/// What the sender knows of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// No reply yet.
    Open,
    /// It was accepted.
    Accepted,
}

/// A mail in the list of all that were sent, in the order of each pair.
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
