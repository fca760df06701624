//! Limits on guessed passwords: a guess counts against whoever guesses, so that nobody locks another player out.

use chrono::{DateTime, TimeDelta, Utc};

use crate::command::Sender;
use crate::store::{self, Reader};
use crate::table::PlayerId;

/// The key of guesses from the addresses of the account itself.
const OWN: &str = "own";

/// Wrong passwords for one account in an hour. Further passwords are refused unchecked.
#[derive(Clone, Copy, Debug)]
pub struct GuessLimits {
    /// From one source.
    pub from_one: u32,
    /// From all sources; and as many from the account's own addresses.
    pub from_all: u32,
}

/// Whoever writes a password for an account.
///
/// There are two counts. A source may be wrong `wrong_passwords_from_one` times an hour, and all sources together
/// `wrong_passwords_from_all` times. Mail from a confirmed address of the account counts apart, under the higher bound
/// alone: otherwise a few forged mails would lock the owner out. It has a bound too, since From and envelope sender can
/// be forged where nothing authenticates. So an account can be tried twice `wrong_passwords_from_all` times an hour,
/// and answers with a token are always open to its owner.
#[derive(Clone, Debug)]
pub struct Guesser {
    player: PlayerId,
    key: String,
}

impl Guesser {
    /// The writer of a message that has a password for this player.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn of(store: &Reader, sender: &Sender, player: PlayerId) -> store::Result<Self> {
        let key = match sender.believed() {
            Some(from) if store.is_confirmed_of(from, player)? => OWN.to_owned(),
            _ => sender.source(),
        };
        Ok(Self { player, key })
    }

    /// Whether no more passwords are read: there were too many wrong ones.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn is_refused(&self, store: &Reader, limits: GuessLimits, now: DateTime<Utc>) -> store::Result<bool> {
        let since = now - TimeDelta::hours(1);
        let (from_it, from_others) = store.guesses(self.player, &self.key, OWN, since)?;
        Ok(if self.is_own() {
            from_it >= limits.from_all
        } else {
            from_it >= limits.from_one || from_others >= limits.from_all
        })
    }

    /// Whether the message came from an address of the account itself.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.key == OWN
    }

    /// The key under which a wrong password counts.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }
}
