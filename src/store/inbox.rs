//! The record of each message that was taken, and what makes a second copy known.

use chrono::{DateTime, Utc};

use super::sqlite::Row;
use super::value::ToValue;
use super::{Reader, Result, Store};

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It did what it asked for.
    Done,
    /// It asked for what cannot be; it was told so.
    Refused,
    /// It is of a kind that is never answered, so it was not executed either.
    Ignored,
    /// Its sender is over a limit.
    Dropped,
    /// Handling it failed through a fault of ours; its bytes are kept.
    Failed,
}

impl State {
    /// The word in the database and in listings.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => "refused",
            Self::Ignored => "ignored",
            Self::Dropped => "dropped",
            Self::Failed => "failed",
        }
    }
}

/// A message as it is recorded: its envelope, a few header fields, its commands with secrets masked.
#[derive(Clone, Debug)]
pub struct Received {
    /// The digest that a second copy would share; `None` if nothing tells it from another message.
    pub identity: Option<[u8; 32]>,
    /// When it was taken.
    pub received_at: DateTime<Utc>,
    /// By which door.
    pub door: &'static str,
    /// The envelope sender; `None` for the null sender.
    pub sender: Option<String>,
    /// The key by which limits count the sender.
    pub sender_key: String,
    /// The envelope recipient.
    pub recipient: String,
    /// The mailbox in `From`.
    pub header_from: Option<String>,
    /// Its Message-ID.
    pub message_id: Option<String>,
    /// Its commands, secrets masked.
    pub commands: String,
}

/// A recorded message, for the operator.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ReceivedRow {
    /// Its number.
    pub id: i64,
    /// When it was taken, in milliseconds since 1970.
    pub received_at: i64,
    /// By which door.
    pub door: String,
    /// The envelope sender; `None` for the null sender.
    pub sender: Option<String>,
    /// The envelope recipient.
    pub recipient: String,
    /// Its commands, secrets masked.
    pub commands: String,
    /// What became of it.
    pub state: String,
    /// Why, if there is more to say.
    pub reason: Option<String>,
    /// Its Message-ID.
    pub message_id: Option<String>,
}

const RECEIVED: &str =
    "SELECT id, received_at, door, sender, recipient, commands, state, reason, message_id FROM inbox";

fn received_row(row: &Row<'_>) -> Result<ReceivedRow> {
    Ok(ReceivedRow {
        id: row.get(0)?,
        received_at: row.get(1)?,
        door: row.get(2)?,
        sender: row.get(3)?,
        recipient: row.get(4)?,
        commands: row.get(5)?,
        state: row.get(6)?,
        reason: row.get(7)?,
        message_id: row.get(8)?,
    })
}

impl Reader {
    /// The number of the message that has this identity, if one was taken.
    pub fn seen(&self, identity: &[u8; 32]) -> Result<Option<i64>> {
        let sql = "SELECT id FROM inbox WHERE identity = $1";
        self.db.find(sql, &[&identity], |row| row.get(0))
    }

    /// What became of a message, and why if there is more to say.
    ///
    /// # Errors
    /// There is no such message.
    pub fn fate(&self, id: i64) -> Result<(String, Option<String>)> {
        let sql = "SELECT state, reason FROM inbox WHERE id = $1";
        self.db.one(sql, &[&id], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Recorded messages, newest first; those in this state only, if one is named.
    pub fn received(&self, state: Option<State>, limit: u32) -> Result<Vec<ReceivedRow>> {
        let which = state.map_or("", |_| "WHERE state = $1");
        let sql = format!("{RECEIVED} {which} ORDER BY id DESC LIMIT {limit}");
        let word = state.map(State::word);
        let value = word.as_ref().map(|word| word as &dyn ToValue);
        self.db.all(&sql, value.as_slice(), received_row)
    }

    /// One message; `None` if there is none of this number.
    pub fn received_by_id(&self, id: i64) -> Result<Option<ReceivedRow>> {
        let sql = format!("{RECEIVED} WHERE id = $1");
        self.db.find(&sql, &[&id], received_row)
    }

    /// How often handling of this message was begun since an unclean stop, and when last.
    pub fn begun(&self, digest: &[u8; 32]) -> Result<Option<(u32, DateTime<Utc>)>> {
        let sql = "SELECT times, at FROM begun WHERE digest = $1";
        self.db
            .find(sql, &[&digest], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

/// The most that is kept of the commands of a message, in bytes: enough to see what was wanted.
const LONGEST_COMMANDS: usize = 8000;

/// How what is old is forgotten, and by which index it is found: never by a look at all that was ever sent. What may
/// still go out keeps its text; it is named as what is left out, since the index of states would find nearly all.
const FORGET: [(&str, &str); 3] = [
    (
        "DELETE FROM inbox WHERE state = 'ignored' AND received_at < $1",
        "inbox_by_state",
    ),
    (
        "UPDATE inbox SET commands = '', header_from = NULL \
         WHERE received_at < $1 AND (commands <> '' OR header_from IS NOT NULL)",
        "inbox_with_text",
    ),
    (
        "UPDATE outbox SET body = '', attachment = NULL \
         WHERE created_at < $1 AND body <> '' AND state NOT IN ('waiting', 'held')",
        "outbox_with_text",
    ),
];

fn bounded(commands: &str) -> &str {
    &commands[..commands.floor_char_boundary(LONGEST_COMMANDS)]
}

impl Store {
    /// Lets a failed message come again: it counts as a duplicate of this record no more. False if there is no
    /// such failed message.
    pub fn let_come_again(&self, id: i64) -> Result<bool> {
        let sql = "UPDATE inbox SET identity = NULL WHERE id = $1 AND state = 'failed'";
        Ok(self.db.execute(sql, &[&id])? == 1)
    }

    /// Says of a failed message what has become of it since. False if there is no such failed message.
    pub fn settle_failed(&self, id: i64, state: State, reason: &str) -> Result<bool> {
        let sql = "UPDATE inbox SET state = $1, reason = $2 WHERE id = $3 AND state = 'failed'";
        Ok(self.db.execute(sql, &[&state.word(), &reason, &id])? == 1)
    }

    /// Records a message; gives its number. What became of it is said with [`settle_received`](Self::settle_received).
    pub fn add_received(&self, new: &Received) -> Result<i64> {
        let sql = "INSERT INTO inbox (identity, received_at, door, sender, sender_key, recipient, header_from, \
                   message_id, commands, state) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id";
        let values: [&dyn ToValue; 10] = [
            &new.identity,
            &new.received_at,
            &new.door,
            &new.sender,
            &new.sender_key,
            &new.recipient,
            &new.header_from,
            &new.message_id,
            &bounded(&new.commands),
            &State::Done.word(),
        ];
        self.db.one(sql, &values, |row| row.get(0))
    }

    /// Says what became of a message.
    pub fn settle_received(&self, id: i64, state: State, reason: Option<&str>, proven: bool) -> Result<()> {
        let sql = "UPDATE inbox SET state = $1, reason = $2, proven = $3 WHERE id = $4";
        self.db.execute(sql, &[&state.word(), &reason, &proven, &id])?;
        Ok(())
    }

    /// Records the commands of a message as they were understood, secrets masked.
    pub fn set_commands(&self, id: i64, commands: &str) -> Result<()> {
        let sql = "UPDATE inbox SET commands = $1 WHERE id = $2";
        self.db.execute(sql, &[&bounded(commands), &id])?;
        Ok(())
    }

    /// A message was begun once more.
    pub fn add_begun(&self, digest: &[u8; 32], now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO begun (digest, times, at) VALUES ($1, 1, $2) \
                   ON CONFLICT (digest) DO UPDATE SET times = begun.times + 1, at = excluded.at";
        self.db.execute(sql, &[&digest, &now])?;
        Ok(())
    }

    /// A message that was begun has been finished.
    pub fn remove_begun(&self, digest: &[u8; 32]) -> Result<()> {
        self.db
            .execute("DELETE FROM begun WHERE digest = $1", &[&digest])?;
        Ok(())
    }

    /// Forgets what was begun last before this time.
    pub fn forget_begun_before(&self, then: DateTime<Utc>) -> Result<()> {
        self.db.execute("DELETE FROM begun WHERE at < $1", &[&then])?;
        Ok(())
    }

    /// Empties what was kept of messages and letters from before this time; their identities stay. What was ignored
    /// goes whole: it did nothing, and another copy would be ignored as well.
    pub fn forget_texts_before(&self, then: DateTime<Utc>) -> Result<()> {
        for (sql, _) in FORGET {
            self.db.execute(sql, &[&then])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_old_is_found_without_a_look_at_everything() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("test.sqlite")).unwrap();
        for (sql, index) in FORGET {
            let plan = store.db.plan(sql);
            assert!(plan.contains(index), "{sql}: {plan}");
        }
    }
}
