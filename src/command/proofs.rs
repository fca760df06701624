//! The passwords and tokens of a message: what proves who writes.

use std::fmt;

use chrono::{DateTime, Utc};

use crate::command::{Argument, Line, Word};
use crate::table::Player;

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("******")
    }
}

/// One password of the message, as it was checked before the engine took the message.
#[derive(Clone)]
pub struct Proof {
    /// The word in the place of the userid, in lower case.
    pub userid_key: String,
    /// The password.
    pub password: Secret,
    /// The hash that was stored for the player then, and whether the password belongs to it.
    pub checked: Option<(String, bool)>,
    /// A new hash of it, for a command that stores one.
    pub fresh: Option<String>,
}

impl fmt::Debug for Proof {
    /// Without the userid too: it may have changed places with the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_good = self.checked.as_ref().map(|(_, is_good)| is_good);
        f.debug_struct("Proof")
            .field("is_good", &is_good)
            .finish_non_exhaustive()
    }
}

/// The passwords of a message.
#[derive(Clone, Debug, Default)]
pub struct Proofs(pub Vec<Proof>);

impl Proofs {
    /// Whether all of a line's passwords have been checked, and hashed if the line stores them.
    #[must_use]
    pub fn know(&self, line: &Line) -> bool {
        let Some(userid) = line.word_in(Argument::Userid) else {
            return true;
        };
        let is_wrong = |password: &Word| {
            let good = |proof: &Proof| {
                proof.fresh.is_some() || proof.checked.as_ref().is_some_and(|(_, good)| *good)
            };
            !self.of(userid, password).any(good)
        };
        line.secrets().all(|(place, word)| match place {
            Argument::Password => self.of(userid, word).any(|proof| proof.checked.is_some()),
            Argument::NewPassword => {
                self.sets(userid, word) || line.word_in(Argument::Password).is_some_and(is_wrong)
            }
            _ => true,
        })
    }

    /// Whether a line of the message makes this the password of that player, if it is done.
    #[must_use]
    pub fn sets(&self, userid: &Word, password: &Word) -> bool {
        self.of(userid, password).any(|proof| proof.fresh.is_some())
    }

    /// Whether another password of the message is the one that is stored now: an earlier line has set it.
    pub(crate) fn was_set_to_another(&self, userid: &Word, stored: &str) -> bool {
        let key = userid.text.to_ascii_lowercase();
        self.0
            .iter()
            .any(|proof| proof.userid_key == key && proof.fresh.as_deref() == Some(stored))
    }

    /// What is known of this password; the same word may be a password in one line and a new one in another.
    pub(crate) fn of(&self, userid: &Word, password: &Word) -> impl Iterator<Item = &Proof> {
        let key = userid.text.to_ascii_lowercase();
        self.0
            .iter()
            .filter(move |proof| proof.userid_key == key && proof.password.0 == password.text)
    }
}

/// The tokens that stand in a line of a mail.
pub trait Tokens: fmt::Debug {
    /// Whether this token was mailed to this player for another password, and is still good.
    fn resets(&self, token: &str, player: &Player, now: DateTime<Utc>) -> bool;
}
