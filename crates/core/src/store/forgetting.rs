//! Forgetting: what is too old goes, in steps that are short enough to stand between two mails.
//!
//! A round goes through the kinds of rows one after the other, each from its oldest rows on; messages and mails in the
//! order of their numbers, which is that of their times. It notes only the number that it has come to: a round that is
//! broken off loses nothing, since the next one begins at the oldest row again, and what was done is gone.
//!
//! Known limit: what was written while the machine's clock was ahead by more than a day is forgotten later, by as much, and
//! so may be what was written soon after it was set right.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};

use crate::letters::LetterKind;

use super::inbox::REMEMBERED_BYTES;
use super::joins::JOIN_DAYS;
use super::value::day;
use super::{Result, Store};

/// For how many days messages and mails are kept.
pub const MAILS_DAYS: i64 = 90;

/// A round ends at the first row that is younger by so much. The clock may have been set by less since, so that a row with a
/// higher number is older.
const OUT_OF_ORDER: TimeDelta = TimeDelta::days(1);

/// Rows that one statement deletes. The time is looked at after each, so this bounds how far a step can overrun.
const ROWS_AT_ONCE: i64 = 4;

/// What is forgotten, in this order: a message goes after the mails that it caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Tallies,
    Guesses,
    Proposals,
    Joins,
    Uninvited,
    Mails,
    Messages,
    Nothing,
}

impl Kind {
    const fn next(self) -> Self {
        match self {
            Self::Tallies => Self::Guesses,
            Self::Guesses => Self::Proposals,
            Self::Proposals => Self::Joins,
            Self::Joins => Self::Uninvited,
            Self::Uninvited => Self::Mails,
            Self::Mails => Self::Messages,
            Self::Messages | Self::Nothing => Self::Nothing,
        }
    }
}

/// How far a round has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Round {
    kind: Kind,
    /// The number of the last row that was looked at.
    after: i64,
    /// Rows deleted so far.
    pub rows: usize,
}

impl Round {
    /// Whether nothing is left to forget.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.kind == Kind::Nothing
    }

    /// Goes on with the next kind of rows.
    #[must_use]
    pub const fn of_next_kind(self) -> Self {
        Self {
            kind: self.kind.next(),
            after: 0,
            ..self
        }
    }
}

/// How much one step may do. The first bound that is reached ends it.
#[derive(Clone, Copy, Debug)]
pub struct StepBounds {
    /// The time that it may take before its commit.
    pub time: Duration,
    /// Rows looked at. It bounds the pages that the commit writes.
    pub rows: usize,
}

/// The predicate of a mail that somebody still needs after its time: the newest one to an address about a board that
/// runs, which the next letter continues; and a question about an address that is still open.
fn needed() -> String {
    format!(
        "EXISTS (SELECT 1 FROM boards WHERE boards.id = outbox.board AND boards.ended_at IS NULL \
    AND NOT EXISTS (SELECT 1 FROM outbox AS later WHERE later.board = outbox.board \
    AND later.recipient_key = outbox.recipient_key AND later.id > outbox.id)) \
    OR (kind = '{}' AND EXISTS (SELECT 1 FROM addresses \
    WHERE addresses.id = outbox.about AND addresses.confirmed_at IS NULL))",
        LetterKind::Question.name()
    )
}

/// The newest row always stays: its number would be given again, and the start looks at its time.
fn delete_mails() -> String {
    format!(
        "DELETE FROM outbox WHERE id > $1 AND id <= $2 AND created_at < $3 AND state NOT IN ('waiting', 'held') \
         AND id < (SELECT MAX(id) FROM outbox) AND NOT ({})",
        needed()
    )
}

/// Those that stay lose their text, unless they may still be sent.
const EMPTY_MAILS: &str = "UPDATE outbox SET letter = NULL, inbox = NULL \
    WHERE id > $1 AND id <= $2 AND created_at < $3 AND state NOT IN ('waiting', 'held') \
    AND (letter IS NOT NULL OR inbox IS NOT NULL)";

/// A message that failed stays for the operator, and one whose mail may still be sent.
const OLD_MESSAGES: &str = "id > $1 AND id <= $2 AND received_at < $3 AND state <> 'failed' \
    AND id < (SELECT MAX(id) FROM inbox) AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.inbox = inbox.id)";

/// Nothing came of an ignored or dropped message, so a copy of it may be taken for a new one.
fn remember_messages() -> String {
    format!(
        "INSERT INTO remembered (digest, inbox) SELECT substr(identity, 1, {REMEMBERED_BYTES}), id FROM inbox \
         WHERE {OLD_MESSAGES} AND identity IS NOT NULL AND state IN ('done', 'refused') ON CONFLICT DO NOTHING"
    )
}

fn delete_messages() -> String {
    format!("DELETE FROM inbox WHERE {OLD_MESSAGES}")
}

const EMPTY_MESSAGES: &str = "UPDATE inbox SET commands = '', header_from = NULL, \
    reason = CASE WHEN state = 'done' THEN NULL ELSE reason END \
    WHERE id > $1 AND id <= $2 AND received_at < $3 AND (commands <> '' OR header_from IS NOT NULL)";

const DELETE_TALLIES: &str = "DELETE FROM tallies WHERE (day, what, key) IN \
    (SELECT day, what, key FROM tallies WHERE day < $1 ORDER BY day LIMIT $2)";

/// Wrong passwords that no longer count.
pub(super) const DELETE_GUESSES: &str =
    "DELETE FROM guesses WHERE id IN (SELECT id FROM guesses WHERE at <= $1 ORDER BY at LIMIT $2)";

const DELETE_PROPOSALS: &str = "DELETE FROM proposals WHERE id IN \
    (SELECT id FROM proposals WHERE asked_at < $1 ORDER BY asked_at LIMIT $2)";

const DELETE_JOINS: &str =
    "DELETE FROM joins WHERE id IN (SELECT id FROM joins WHERE asked_at < $1 ORDER BY asked_at LIMIT $2)";

const DELETE_UNINVITED: &str = "DELETE FROM uninvited WHERE hash IN (SELECT hash FROM uninvited WHERE until < $1 ORDER BY until LIMIT $2)";

/// The last of the next rows, and whether one of them is young. A time in the future is no time: it was given when the
/// clock was wrong.
const NEXT_MAILS: &str = "SELECT MAX(id), MAX(CASE WHEN created_at >= $1 AND created_at <= $2 THEN 1 ELSE 0 END) FROM \
    (SELECT id, created_at FROM outbox WHERE id > $3 ORDER BY id LIMIT $4) AS next";
const NEXT_MESSAGES: &str = "SELECT MAX(id), MAX(CASE WHEN received_at >= $1 AND received_at <= $2 THEN 1 ELSE 0 END) FROM \
    (SELECT id, received_at FROM inbox WHERE id > $3 ORDER BY id LIMIT $4) AS next";

impl Store {
    /// Takes one step of a round; returns how far the round has come then. `proposals_for` is how long a proposal
    /// stands.
    pub fn forget(
        &self,
        mut round: Round,
        bounds: StepBounds,
        proposals_for: TimeDelta,
        now: DateTime<Utc>,
    ) -> Result<Round> {
        let (begun, mut looked_at) = (Instant::now(), 0);
        while !round.is_over() && looked_at < bounds.rows && begun.elapsed() < bounds.time {
            let is_more = match round.kind {
                Kind::Tallies => self.forget_few(DELETE_TALLIES, day(now), &mut round)?,
                Kind::Guesses => {
                    let old = now - TimeDelta::hours(1);
                    self.forget_few(DELETE_GUESSES, old.timestamp_millis(), &mut round)?
                }
                Kind::Proposals => {
                    let old = now - proposals_for;
                    self.forget_few(DELETE_PROPOSALS, old.timestamp_millis(), &mut round)?
                }
                Kind::Joins => {
                    let old = now - TimeDelta::days(JOIN_DAYS);
                    self.forget_few(DELETE_JOINS, old.timestamp_millis(), &mut round)?
                }
                Kind::Uninvited => self.forget_few(DELETE_UNINVITED, now.timestamp_millis(), &mut round)?,
                Kind::Mails => {
                    let sql = [&delete_mails(), EMPTY_MAILS];
                    self.forget_next(NEXT_MAILS, None, sql, &mut round, now)?
                }
                Kind::Messages => {
                    let sql = [&delete_messages(), EMPTY_MESSAGES];
                    let first = remember_messages();
                    self.forget_next(NEXT_MESSAGES, Some(&first), sql, &mut round, now)?
                }
                Kind::Nothing => false,
            };
            looked_at += usize::try_from(ROWS_AT_ONCE).unwrap_or_default();
            if !is_more {
                round = round.of_next_kind();
            }
        }
        Ok(round)
    }

    /// Deletes some rows of before a time; returns whether there may be more.
    fn forget_few(&self, sql: &str, before: i64, round: &mut Round) -> Result<bool> {
        let rows = self.db.execute(sql, &[&before, &ROWS_AT_ONCE])?;
        round.rows += rows;
        Ok(rows > 0)
    }

    /// Goes on by some rows; returns whether there may be more.
    fn forget_next(
        &self,
        next: &str,
        first: Option<&str>,
        [delete, empty]: [&str; 2],
        round: &mut Round,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let then = now - TimeDelta::days(MAILS_DAYS);
        let (last, is_young) = self.db.one(
            next,
            &[&(then + OUT_OF_ORDER), &now, &round.after, &ROWS_AT_ONCE],
            |row| Ok((row.get::<Option<i64>>(0)?, row.get::<Option<bool>>(1)?)),
        )?;
        let Some(last) = last else {
            return Ok(false);
        };
        if let Some(first) = first {
            self.db.write(first, &[&round.after, &last, &then])?;
        }
        round.rows += self.db.execute(delete, &[&round.after, &last, &then])?;
        self.db.write(empty, &[&round.after, &last, &then])?;
        round.after = last;
        Ok(is_young != Some(true))
    }
}

#[cfg(test)]
#[path = "forgetting_tests.rs"]
mod tests;
