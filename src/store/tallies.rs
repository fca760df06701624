//! Counters for rate limits, by day or hour (UTC). A lookup costs the same however high the count: a flood of mail does
//! not make each mail slower.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use chrono::{DateTime, Timelike, Utc};

use super::sqlite::Database;
use super::value::day;
use super::{Reader, Result, Store};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// What is counted: of which limit, on which day, under which key.
type Key = (RateLimit, i64, String);

/// The counts that the open batch has read and changed. Its messages count the same things again and again, so each count is
/// read once and written once, before the commit.
#[derive(Debug, Default)]
pub(super) struct Counts {
    is_open: Cell<bool>,
    known: RefCell<BTreeMap<Key, Count>>,
    /// What stood there before each change in the open savepoints.
    before: RefCell<Vec<(Key, Count)>>,
    /// Where in that list each of these savepoints began.
    savepoints: RefCell<Vec<usize>>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    count: u32,
    is_changed: bool,
}

impl Counts {
    /// Begins with nothing known, at the begin of a transaction.
    pub(super) fn begin(&self) {
        self.end();
        self.is_open.set(true);
    }

    /// Forgets everything, at the end of a transaction.
    pub(super) fn end(&self) {
        self.is_open.set(false);
        self.known.borrow_mut().clear();
        self.before.borrow_mut().clear();
        self.savepoints.borrow_mut().clear();
    }

    /// A savepoint begins.
    pub(super) fn begin_savepoint(&self) {
        self.savepoints.borrow_mut().push(self.before.borrow().len());
    }

    /// A savepoint ends, and what was counted in it stays.
    pub(super) fn keep_savepoint(&self) {
        let mut savepoints = self.savepoints.borrow_mut();
        savepoints.pop();
        if savepoints.is_empty() {
            self.before.borrow_mut().clear();
        }
    }

    /// A savepoint is rolled back.
    pub(super) fn undo_savepoint(&self) {
        let begun = self.savepoints.borrow_mut().pop().unwrap_or_default();
        for (key, count) in self.before.borrow_mut().drain(begun..).rev() {
            self.known.borrow_mut().insert(key, count);
        }
    }

    /// Writes the counts that have changed.
    pub(super) fn write(&self, db: &Database) -> Result<()> {
        let known = self.known.borrow();
        for ((what, day, key), count) in known.iter().filter(|(_, count)| count.is_changed) {
            let sql = "INSERT INTO tallies (what, key, day, count) VALUES ($1, $2, $3, $4) \
                       ON CONFLICT (what, key, day) DO UPDATE SET count = excluded.count";
            db.execute(sql, &[&what.word(), key, day, &count.count])?;
        }
        Ok(())
    }
}

impl Reader {
    /// The count under this key today.
    pub fn tally(&self, what: RateLimit, key: &str, now: DateTime<Utc>) -> Result<u32> {
        Ok(self.count_of(&(what, day(now), key.to_owned()))?.count)
    }

    fn count_of(&self, key: &Key) -> Result<Count> {
        let counts = &self.db.counts;
        if let Some(count) = counts.known.borrow().get(key) {
            return Ok(*count);
        }
        let (what, day, name) = key;
        let sql = "SELECT count FROM tallies WHERE what = $1 AND key = $2 AND day = $3";
        let found = self.db.find(sql, &[&what.word(), name, day], |row| row.get(0))?;
        let count = Count {
            count: found.unwrap_or_default(),
            is_changed: false,
        };
        if counts.is_open.get() {
            counts.known.borrow_mut().insert(key.clone(), count);
        }
        Ok(count)
    }
}

impl Store {
    /// Adds `more` to the count under this key today. Within a transaction it is written before the commit.
    pub fn count(&self, what: RateLimit, key: &str, more: u32, now: DateTime<Utc>) -> Result<()> {
        let key = (what, day(now), key.to_owned());
        let before = self.count_of(&key)?;
        let after = Count {
            count: before.count.saturating_add(more),
            is_changed: true,
        };
        let counts = &self.db.counts;
        counts.known.borrow_mut().insert(key.clone(), after);
        if counts.is_open.get() {
            counts.before.borrow_mut().push((key, before));
            return Ok(());
        }
        let written = counts.write(&self.db);
        counts.end();
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_messages_that_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tallies.sqlite");
        let store = Store::open(&path).unwrap();
        let reader = Reader::open(&path).unwrap();
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
