//! Counters for rate limits, by day or hour (UTC). A lookup costs the same however high the count: a flood of mail does
//! not make each mail slower.

use chrono::{DateTime, Timelike, Utc};

use super::counts::Key;
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
    /// Letters to a player that answers by a mailing list are not read; counted for each day of a week ahead.
    Listed,
    /// Wrong passwords from one source in one hour, whosever they are.
    Guessed,
    /// The same from what is around a source.
    GuessedAround,
    /// Hints to a player.
    Hinted,
    /// Words of a player to a computer, which nobody reads.
    ToComputer,
    /// Mails with the link to a player's page, asked for without a password.
    Paged,
    /// Letters with all that is stored of a player.
    Exported,
    /// The same by the link in such a letter.
    Fetched,
    /// Codes to a place that is to get notices, and codes that a player has had sent.
    Codes,
    /// Letters to a player about what another one did, other than words and what must be mailed.
    News,
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
            Self::Listed => "listed",
            Self::Guessed => "guessed",
            Self::GuessedAround => "guessed-around",
            Self::Hinted => "hinted",
            Self::ToComputer => "to computer",
            Self::Paged => "paged",
            Self::Exported => "exported",
            Self::Fetched => "fetched",
            Self::Codes => "codes",
            Self::News => "news",
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
        self.count_of(&(what.word(), day(now), key.to_owned()))
    }

    fn count_of(&self, key: &Key) -> Result<u32> {
        if let Some(count) = self.db.counts.known(key) {
            return Ok(count);
        }
        let (what, day, name) = key;
        let sql = "SELECT count FROM tallies WHERE day = $1 AND what = $2 AND key = $3";
        let found = self.db.find(sql, &[day, what, name], |row| row.get(0))?;
        let count = found.unwrap_or_default();
        self.db.counts.keep(key, count);
        Ok(count)
    }
}

impl Store {
    /// Adds `more` to the count under this key today. Within a transaction it is written before the commit.
    pub fn count(&self, what: RateLimit, key: &str, more: u32, now: DateTime<Utc>) -> Result<()> {
        let key = (what.word(), day(now), key.to_owned());
        let count = self.count_of(&key)?.saturating_add(more);
        match self.db.counts.change(&key, count) {
            true => Ok(()),
            false => self.set_count(&key, count),
        }
    }

    /// Writes what the messages of the batch have counted.
    pub(super) fn write_counts(&self) -> Result<()> {
        for (key, count) in self.db.counts.changed() {
            self.set_count(&key, count)?;
        }
        Ok(())
    }

    fn set_count(&self, (what, day, key): &Key, count: u32) -> Result<()> {
        let sql = "INSERT INTO tallies (day, what, key, count) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (day, what, key) DO UPDATE SET count = excluded.count";
        self.db.write(sql, &[day, what, key, &count])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::place_of_tests::place;

    #[test]
    fn counts_are_those_of_the_messages_that_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let store = Store::open(&place).unwrap();
        let reader = Reader::open(&place).unwrap();
        let now = Utc::now();
        let count = |more| store.count(RateLimit::Said, "a>b", more, now).unwrap();
        let counted = || store.tally(RateLimit::Said, "a>b", now).unwrap();
        let stored = || reader.tally(RateLimit::Said, "a>b", now).unwrap();
        count(1);
        assert_eq!((counted(), stored()), (1, 1), "without a transaction");
        store.begin().unwrap();
        store.begin_message().unwrap();
        count(2);
        store.keep_message().unwrap();
        store.begin_message().unwrap();
        count(4);
        count(8);
        store.begin_message().unwrap();
        count(16);
        store.keep_message().unwrap();
        assert_eq!(counted(), 31);
        store.undo_message().unwrap();
        assert_eq!(
            (counted(), stored()),
            (3, 1),
            "the savepoint is rolled back, and that within it"
        );
        store.commit().unwrap();
        assert_eq!((counted(), stored()), (3, 3));
        store.begin().unwrap();
        count(32);
        store.rollback();
        assert_eq!((counted(), stored()), (3, 3), "the batch is rolled back");
        store
            .count(RateLimit::Said, "a>b", 1, now + chrono::TimeDelta::days(1))
            .unwrap();
        assert_eq!(counted(), 3, "of another day");
    }
}
