//! Limits on guessed passwords: a guess counts against its sender, so that nobody locks another player out.

use chrono::{DateTime, TimeDelta, Utc};

use crate::command::Sender;
use crate::store::{self, RateLimit, Reader, hourly};
use crate::table::PlayerId;

/// The key of guesses from the addresses of the account itself.
const OWN: &str = "own";

/// The surroundings of one source have this many times [`GuessLimits::over_all`], as with other unproven mails.
const AROUND: u32 = 10;

/// Wrong passwords in an hour. Further passwords are refused unchecked.
#[derive(Clone, Copy, Debug)]
pub struct GuessLimits {
    /// For one account, from one source.
    pub from_one: u32,
    /// For one account, from all sources; and as many from the account's own addresses.
    pub from_all: u32,
    /// From one source, over all accounts, in an hour of the clock.
    pub over_all: u32,
}

/// Which bound is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMany {
    OfAccount,
    /// That of the source, over all accounts.
    OfSource,
}

/// The writer of a password for an account.
///
/// There are two counts for an account. A source may be wrong `wrong_passwords_from_one` times an hour, and all sources together
/// `wrong_passwords_from_all` times. Mail from a confirmed address of the account counts apart, under the higher bound
/// alone: otherwise a few forged mails would lock the owner out. It has a bound too, since From and envelope sender can
/// be forged where nothing authenticates. So an account can be tried twice `wrong_passwords_from_all` times an hour,
/// and answers with a token are always open to its owner.
///
/// A source has a third count, over all accounts: otherwise it could try the most common passwords with everybody. Who writes
/// from an address of the account is served all the same, since a stranger behind the same provider may have used it up.
#[derive(Clone, Debug)]
pub struct Guesser {
    player: PlayerId,
    origin: Origin,
}

/// Where a password came from.
#[derive(Clone, Debug)]
enum Origin {
    /// An address of the account itself.
    Own,
    /// Elsewhere: the source, and what is around it.
    Other { source: String, realm: String },
}

impl Guesser {
    /// The writer of a message that has a password for this player.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn of(store: &Reader, sender: &Sender, player: PlayerId) -> store::Result<Self> {
        let origin = match sender.believed() {
            Some(from) if store.is_confirmed_of(from, player)? => Origin::Own,
            _ => Origin::Other {
                source: sender.source(),
                realm: sender.realm(),
            },
        };
        Ok(Self { player, origin })
    }

    /// Why no more passwords are read, if there were too many wrong ones.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn is_refused(
        &self,
        store: &Reader,
        limits: GuessLimits,
        now: DateTime<Utc>,
    ) -> store::Result<Option<TooMany>> {
        let since = now - TimeDelta::hours(1);
        let (from_it, from_others) = store.guesses(self.player, self.key(), OWN, since)?;
        let is_account_closed = match self.is_own() {
            true => from_it >= limits.from_all,
            false => from_it >= limits.from_one || from_others >= limits.from_all,
        };
        if is_account_closed {
            return Ok(Some(TooMany::OfAccount));
        }
        let most = [limits.over_all, limits.over_all.saturating_mul(AROUND)];
        for ((what, key), most) in self.counts(now).into_iter().zip(most) {
            if store.tally(what, &key, now)? >= most {
                return Ok(Some(TooMany::OfSource));
            }
        }
        Ok(None)
    }

    /// Whether the message came from an address of the account itself.
    #[must_use]
    pub const fn is_own(&self) -> bool {
        matches!(self.origin, Origin::Own)
    }

    /// The key under which a wrong password for the account counts.
    #[must_use]
    pub fn key(&self) -> &str {
        match &self.origin {
            Origin::Own => OWN,
            Origin::Other { source, .. } => source,
        }
    }

    /// Where it counts over all accounts: for the source, and for what is around it.
    #[must_use]
    pub fn counts(&self, now: DateTime<Utc>) -> Vec<(RateLimit, String)> {
        match &self.origin {
            Origin::Own => Vec::new(),
            Origin::Other { source, realm } => vec![
                (RateLimit::Guessed, hourly(source, now)),
                (RateLimit::GuessedAround, hourly(realm, now)),
            ],
        }
    }
}
