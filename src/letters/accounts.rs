//! Mails about an account, and from one player to another.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::Mail;

/// Asks the owner of an address whether it is theirs: the one mail that goes to an unconfirmed address.
#[derive(Debug, Serialize)]
pub struct Question {
    /// Whose address it is said to be.
    pub userid: String,
    /// The address.
    pub address: String,
    /// Whether the account is there already, and the address new.
    pub is_added: bool,
}

impl Question {
    pub(super) fn sample() -> Self {
        Self {
            userid: "alice".into(),
            address: "alice@example.org".into(),
            is_added: false,
        }
    }
}

impl Mail for Question {
    const KIND: &'static str = "question";
}

/// Greets a new player: the games, and what to try next.
#[derive(Debug, Serialize)]
pub struct Welcome {
    /// The new player.
    pub userid: String,
    /// Each game's name and summary, as lines.
    pub games: String,
    /// A game for the examples.
    pub game: String,
}

impl Welcome {
    pub(super) fn sample() -> Self {
        Self {
            userid: "alice".into(),
            games: "  Pow2   The Power of Two".into(),
            game: "Pow2".into(),
        }
    }
}

impl Mail for Welcome {
    const KIND: &'static str = "welcome";
}

/// Tells a player how to choose another password.
#[derive(Debug, Serialize)]
pub struct Forgot {
    /// The player.
    pub userid: String,
    /// Where the token is put when the mail is sent: it is never stored.
    token: &'static str,
    /// Until when it is good.
    pub until: String,
}

impl Forgot {
    /// What stands in the place of the token until the mail is sent.
    pub const TOKEN: &'static str = "[token]";

    /// For this player, with a token that is good until then.
    #[must_use]
    pub fn new(userid: String, until: DateTime<Utc>) -> Self {
        Self {
            userid,
            token: Self::TOKEN,
            until: until.format("%Y-%m-%d %H:%M UTC").to_string(),
        }
    }

    pub(super) fn sample() -> Self {
        Self::new("alice".into(), DateTime::UNIX_EPOCH)
    }
}

impl Mail for Forgot {
    const KIND: &'static str = "forgot";
}

/// Tells a player that mail to the other player of some of their boards fails.
#[derive(Debug, Serialize)]
pub struct Unreachable {
    /// The player to whom mail fails.
    pub userid: String,
    /// The boards that both sit at, as a sentence names them.
    pub boards: String,
    /// Whether there are several.
    pub are_several: bool,
}

impl Unreachable {
    pub(super) fn sample() -> Self {
        Self {
            userid: "bob".into(),
            boards: "Pow2 Board 101 and Forms Board 103".into(),
            are_several: true,
        }
    }
}

impl Mail for Unreachable {
    const KIND: &'static str = "unreachable";
}

/// What one player writes to others, beside any board.
#[derive(Debug, Serialize)]
pub struct Message {
    /// Who writes.
    pub by: String,
    /// To whom, as a sentence names them.
    pub to: String,
    /// The words.
    pub text: String,
    /// The reader of this one.
    pub reader: String,
}

impl Message {
    pub(super) fn sample() -> Self {
        Self {
            by: "alice".into(),
            to: "bob and carol".into(),
            text: "Hello".into(),
            reader: "bob".into(),
        }
    }
}

impl Mail for Message {
    const KIND: &'static str = "message";
}

/// What the operator writes to all players.
#[derive(Debug, Serialize)]
pub struct Announcement {
    /// The words.
    pub text: String,
    /// The reader of this one.
    pub reader: String,
}

impl Announcement {
    pub(super) fn sample() -> Self {
        Self {
            text: "The server moves to another machine tonight.".into(),
            reader: "bob".into(),
        }
    }
}

impl Mail for Announcement {
    const KIND: &'static str = "announcement";
}
