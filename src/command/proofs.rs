//! The passwords and tokens of a message, which authenticate its writer.

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

/// One password of the message, checked before the engine handles the message. Hashing is slow, so it is done on
/// another thread.
#[derive(Clone)]
pub struct Proof {
    /// The word at the position of the userid, in lower case.
    pub userid_key: String,
    /// The password.
    pub password: Secret,
    /// The hash that was stored at that time, and whether the password matches it. `None` if there was no such player.
    pub checked: Option<(String, bool)>,
    /// A new hash of the password, if a command stores one.
    pub fresh: Option<String>,
}

impl fmt::Debug for Proof {
    /// Hides the userid too, since it may have changed places with the password.
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
    /// Whether all passwords of a line have been checked, and hashed if the line stores them.
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

    /// Whether a line of the message sets this password for that player.
    #[must_use]
    pub fn sets(&self, userid: &Word, password: &Word) -> bool {
        self.of(userid, password).any(|proof| proof.fresh.is_some())
    }

    /// Whether an earlier line of the message has set another password, which is the stored one now.
    pub(crate) fn was_set_to_another(&self, userid: &Word, stored: &str) -> bool {
        let key = userid.text.to_ascii_lowercase();
        self.0
            .iter()
            .any(|proof| proof.userid_key == key && proof.fresh.as_deref() == Some(stored))
    }

    /// What is known about this password. There may be several entries: one line proves with it, another sets it.
    pub(crate) fn of(&self, userid: &Word, password: &Word) -> impl Iterator<Item = &Proof> {
        let key = userid.text.to_ascii_lowercase();
        self.0
            .iter()
            .filter(move |proof| proof.userid_key == key && proof.password.0 == password.text)
    }
}

/// Verifies tokens written in a line of a mail.
pub trait Tokens: fmt::Debug {
    /// Whether this is a password reset token of this player that has not expired.
    fn resets(&self, token: &str, player: &Player, now: DateTime<Utc>) -> bool;
}
