//! Counters for rate limits, by day or hour (UTC). A lookup costs the same however high the count: a flood of mail does
//! not make each mail slower.

use chrono::{DateTime, Timelike, Utc};

use super::value::day;
use super::{Reader, Result, Store};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimit {
    /// Mails about somebody's account that somebody asked for: questions and tokens.
    Asked,
    /// Boards begun against a player.
    Challenged,
    /// Boards that a player began for two others.
    ForOthers,
    /// Questions to a player whether a board may begin in their name.
    Proposed,
    /// Messages sent to a player.
    Said,
    /// Answers to an address, to messages whose writer was proven.
    Answered,
    /// Answers to an address, to other messages.
    AnsweredUnproven,
    /// Refusals to an address, of messages whose writer was not proven.
    Refused,
    /// Messages from one source in one hour that proved nobody.
    Unproven,
    /// Messages to the postmaster.
    Postmaster,
    /// The same from what is around a source.
    UnprovenAround,
    /// Mails in one hour that such messages made the server send.
    Caused,
    /// Letters to a player that somebody guesses the password.
    Warned,
    /// Hints to a player.
    Hinted,
    /// Words of a player to a computer, which nobody reads.
    ToComputer,
}

impl RateLimit {
    /// The word in the database.
    const fn word(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Challenged => "challenged",
            Self::ForOthers => "for others",
            Self::Proposed => "proposed",
            Self::Said => "said",
            Self::Answered => "answered",
            Self::AnsweredUnproven => "answered-unproven",
            Self::Refused => "refused",
            Self::Unproven => "unproven",
            Self::Postmaster => "postmaster",
            Self::UnprovenAround => "unproven-around",
            Self::Caused => "caused",
            Self::Warned => "warned",
            Self::Hinted => "hinted",
            Self::ToComputer => "to computer",
        }
    }
}

/// The key for counting by the hour.
#[must_use]
pub fn hourly(key: &str, now: DateTime<Utc>) -> String {
    format!("{:02} {key}", now.hour())
}

impl Reader {
    /// The count under this key today.
    pub fn tally(&self, what: RateLimit, key: &str, now: DateTime<Utc>) -> Result<u32> {
        let sql = "SELECT count FROM tallies WHERE what = $1 AND key = $2 AND day = $3";
        Ok(self
            .db
            .find(sql, &[&what.word(), &key, &day(now)], |row| row.get(0))?
            .unwrap_or_default())
    }
}

impl Store {
    /// Adds `more` to the count under this key today.
    pub fn count(&self, what: RateLimit, key: &str, more: u32, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO tallies (what, key, day, count) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (what, key, day) DO UPDATE SET count = tallies.count + excluded.count";
        self.db.execute(sql, &[&what.word(), &key, &day(now), &more])?;
        Ok(())
    }
}
