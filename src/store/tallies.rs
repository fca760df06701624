//! What is counted a day or an hour (UTC) for limits. A count costs the same however much was counted: what comes in
//! a flood is not looked through again with each mail.

use chrono::{DateTime, Timelike, Utc};

use super::value::day;
use super::{Reader, Result, Store};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimit {
    /// Mails to others about their accounts that somebody has asked for: questions and tokens.
    Asked,
    /// Boards begun against a player.
    Challenged,
    /// Words sent to a player.
    Said,
    /// Answers to an address.
    Answered,
    /// Messages of a sender, in one hour, that proved nothing.
    Unproven,
}

impl RateLimit {
    /// The word in the database.
    const fn word(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Challenged => "challenged",
            Self::Said => "said",
            Self::Answered => "answered",
            Self::Unproven => "unproven",
        }
    }
}

/// The key of what is counted in the hour of this time.
#[must_use]
pub fn hourly(key: &str, now: DateTime<Utc>) -> String {
    format!("{:02} {key}", now.hour())
}

impl Reader {
    /// How often this was counted under this key today.
    pub fn tally(&self, what: RateLimit, key: &str, now: DateTime<Utc>) -> Result<u32> {
        let sql = "SELECT count FROM tallies WHERE what = $1 AND key = $2 AND day = $3";
        Ok(self
            .db
            .find(sql, &[&what.word(), &key, &day(now)], |row| row.get(0))?
            .unwrap_or_default())
    }
}

impl Store {
    /// Counts so many more under this key today.
    pub fn count(&self, what: RateLimit, key: &str, more: u32, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO tallies (what, key, day, count) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (what, key, day) DO UPDATE SET count = tallies.count + excluded.count";
        self.db.execute(sql, &[&what.word(), &key, &day(now), &more])?;
        Ok(())
    }

    /// Forgets what was counted before today.
    pub fn forget_tallies(&self, now: DateTime<Utc>) -> Result<()> {
        let sql = "DELETE FROM tallies WHERE day < $1";
        self.db.execute(sql, &[&day(now)])?;
        Ok(())
    }
}
