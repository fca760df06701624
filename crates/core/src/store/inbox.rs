//! The record of each received message, and the digest by which duplicates are recognised.

use chrono::{DateTime, Utc};

use pbmserv_mail::{Address, cut};

use super::row::Row;
use super::value::ToValue;
use super::{Reader, Result, Store};

/// The outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Its commands were carried out.
    Done,
    /// Its commands were refused, and the sender got an answer that says why.
    Refused,
    /// Neither executed nor answered, because this kind of mail must never be answered (RFC 3834).
    Ignored,
    /// Dropped: its sender is over a limit.
    Dropped,
    /// An internal error. The message is kept for the operator.
    Failed,
}

impl State {
    /// The word for it in the database and in listings.
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

/// A message to record: its envelope, a few header fields, and its commands with secrets masked.
#[derive(Clone, Debug)]
pub struct Received {
    /// When the server took it.
    pub received_at: DateTime<Utc>,
    /// The name of the interface by which it came.
    pub door: &'static str,
    /// The envelope sender; `None` for the null reverse-path.
    pub sender: Option<String>,
    /// The envelope recipient.
    pub recipient: String,
    /// The first mailbox in the `From` field.
    pub header_from: Option<String>,
    /// Without angle brackets.
    pub message_id: Option<String>,
    /// With secrets masked.
    pub commands: String,
}

/// What has become of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its final state.
    pub state: State,
    /// The reason for the state, if there is one; of what was done on a page, what the page says of it.
    pub reason: Option<String>,
    /// Whether its writer was authenticated.
    pub is_proven: bool,
    /// The digest that makes later copies duplicates: of the message, if it was carried out or its writer was
    /// authenticated; otherwise of this copy, since somebody else may have sent it. One of its own if it was refused and nothing
    /// of it was carried out. `None`: nothing identifies it.
    pub identity: Option<[u8; 32]>,
}

impl Outcome {
    /// The outcome of a message that has proven nothing and makes no copy a duplicate.
    #[must_use]
    pub const fn of(state: State, reason: String) -> Self {
        Self {
            state,
            reason: Some(reason),
            is_proven: false,
            identity: None,
        }
    }
}

/// Where a refusal went.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Why the message was refused.
    pub reason: String,
    /// The address that the answer went to.
    pub address: Address,
    /// The player whose address that is, if it was written to as such.
    pub userid: Option<String>,
}

/// A recorded message, as the operator sees it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ReceivedRow {
    /// The number of the row.
    pub id: i64,
    /// Milliseconds since 1970.
    pub received_at: i64,
    /// The name of the interface by which it came.
    pub door: String,
    /// The envelope sender; `None` for the null reverse-path.
    pub sender: Option<String>,
    /// The envelope recipient.
    pub recipient: String,
    /// With secrets masked.
    pub commands: String,
    /// The word of its [`State`].
    pub state: String,
    /// The reason for the state, if there is one.
    pub reason: Option<String>,
    /// Without angle brackets.
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
    /// The number of the message with one of these digests, if one was received, however long ago.
    pub fn seen(&self, identities: [&[u8; 32]; 2]) -> Result<Option<i64>> {
        // One search after the other: a list after IN would first become a table.
        let sql = "SELECT id FROM inbox WHERE identity = $1 UNION ALL SELECT id FROM inbox WHERE identity = $2 UNION ALL \
                   SELECT inbox FROM remembered WHERE digest = $3 UNION ALL SELECT inbox FROM remembered WHERE digest = $4 \
                   LIMIT 1";
        let [message, copy] = identities;
        let [remembered, remembered_copy] = identities.map(|identity| &identity[..REMEMBERED_BYTES]);
        let values: [&dyn ToValue; 4] = [&message, &copy, &remembered, &remembered_copy];
        self.db.find(sql, &values, |row| row.get(0))
    }

    /// The answers to the message in this row, if it was refused: one for each address.
    pub fn refusals(&self, id: i64) -> Result<Vec<Refusal>> {
        let sql = "SELECT DISTINCT i.reason, o.recipient, p.userid FROM inbox i JOIN outbox o ON o.inbox = i.id \
                   LEFT JOIN players p ON p.id = o.player WHERE i.id = $1 AND i.state = 'refused' AND o.is_reply = 1";
        let found = self.db.all(sql, &[&id], |row| {
            let address = Address::parse(row.get(1)?).ok();
            let reason: Option<String> = row.get(0)?;
            let userid: Option<String> = row.get(2)?;
            Ok(address.map(|address| Refusal {
                reason: reason.unwrap_or_default(),
                address,
                userid,
            }))
        })?;
        let mut refusals: Vec<Refusal> = found.into_iter().flatten().collect();
        refusals.sort_by(|a, b| {
            a.address
                .key()
                .cmp(&b.address.key())
                .then(b.userid.cmp(&a.userid))
        });
        refusals.dedup_by(|a, b| a.address.key() == b.address.key());
        Ok(refusals)
    }

    /// The recorded messages, newest first: all, or those in one state.
    pub fn received(&self, state: Option<State>, limit: u32) -> Result<Vec<ReceivedRow>> {
        let which = match state {
            None => "",
            // Nearly all are done: the newest ones are found fastest by their number, and they have no place in the index.
            Some(State::Done) => "WHERE state = $1",
            Some(_) => &format!("WHERE state = $1 AND {UNDONE}"),
        };
        let sql = format!("{RECEIVED} {which} ORDER BY id DESC LIMIT {limit}");
        let word = state.map(State::word);
        let value = word.as_ref().map(|word| word as &dyn ToValue);
        self.db.all(&sql, value.as_slice(), received_row)
    }

    /// One recorded message, if it exists.
    pub fn received_by_id(&self, id: i64) -> Result<Option<ReceivedRow>> {
        let sql = format!("{RECEIVED} WHERE id = $1");
        self.db.find(&sql, &[&id], received_row)
    }

    /// How many times since an unclean stop the server began to handle this message, and when last. More than once means
    /// that the message may crash the server.
    pub fn begun(&self, digest: &[u8; 32]) -> Result<Option<(u32, DateTime<Utc>)>> {
        let sql = "SELECT times, at FROM begun WHERE digest = $1";
        self.db
            .find(sql, &[&digest], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

/// The predicate of the partial index `inbox_by_state`, in which messages that were carried out, nearly all, have no place.
/// Queries must repeat it word for word to use the index.
pub(super) const UNDONE: &str = "state <> 'done'";

/// As much of the digest of a message is remembered when its row is gone: no two messages share it.
pub(super) const REMEMBERED_BYTES: usize = 16;

/// At most this many bytes of a message's commands are stored: enough to see what was wanted.
const MAX_COMMANDS: usize = 8000;

fn bounded(commands: &str) -> &str {
    cut::bytes(commands, MAX_COMMANDS)
}

impl Store {
    /// Lets a failed message be received again: a second copy no longer counts as a duplicate. Returns false if there
    /// is no such failed message.
    pub fn let_come_again(&self, id: i64) -> Result<bool> {
        let sql = "UPDATE inbox SET identity = NULL WHERE id = $1 AND state = 'failed'";
        Ok(self.db.execute(sql, &[&id])? == 1)
    }

    /// Sets the final state of a failed message. Returns false if there is no such failed message.
    pub fn settle_failed(&self, id: i64, state: State, reason: &str) -> Result<bool> {
        let sql = "UPDATE inbox SET state = $1, reason = $2 WHERE id = $3 AND state = 'failed'";
        Ok(self.db.execute(sql, &[&state.word(), &reason, &id])? == 1)
    }

    /// Records a message with the outcome that it will probably have, and returns its number. If it has another, that is set
    /// later by [`settle_received`](Self::settle_received).
    pub fn add_received(&self, new: &Received, outcome: &Outcome) -> Result<i64> {
        let sql = "INSERT INTO inbox (received_at, door, sender, recipient, header_from, message_id, \
                   commands, state, reason, proven, identity) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        let values: [&dyn ToValue; 11] = [
            &new.received_at,
            &new.door,
            &new.sender,
            &new.recipient,
            &new.header_from,
            &new.message_id,
            &bounded(&new.commands),
            &outcome.state.word(),
            &outcome.reason,
            &outcome.is_proven,
            &outcome.identity,
        ];
        self.db.insert(sql, &values)
    }

    /// Remembers a digest of something that happens once for a message.
    pub fn remember(&self, digest: &[u8; 32], inbox: i64) -> Result<()> {
        let sql = "INSERT INTO remembered (digest, inbox) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        self.db.write(sql, &[&&digest[..REMEMBERED_BYTES], &inbox])
    }

    /// Removes a message that has caused nothing.
    pub fn remove_received(&self, id: i64) -> Result<()> {
        self.db.write("DELETE FROM inbox WHERE id = $1", &[&id])
    }

    /// Sets the outcome of a message, which was recorded with another one, and its commands as they were parsed, with secrets
    /// masked.
    pub fn settle_received(
        &self,
        id: i64,
        before: &Outcome,
        outcome: &Outcome,
        commands: &str,
    ) -> Result<()> {
        let Outcome {
            state,
            reason,
            is_proven,
            identity,
        } = outcome;
        let (word, commands) = (state.word(), bounded(commands));
        // What is in an index is not written again for nothing.
        if *identity == before.identity {
            let sql = "UPDATE inbox SET state = $1, reason = $2, proven = $3, commands = $4 WHERE id = $5";
            return self.db.write(sql, &[&word, reason, is_proven, &commands, &id]);
        }
        let sql = "UPDATE inbox SET state = $1, reason = $2, proven = $3, commands = $4, identity = $5 WHERE id = $6";
        self.db
            .write(sql, &[&word, reason, is_proven, &commands, identity, &id])
    }

    /// Counts one more attempt to handle a message.
    pub fn add_begun(&self, digest: &[u8; 32], now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO begun (digest, times, at) VALUES ($1, 1, $2) \
                   ON CONFLICT (digest) DO UPDATE SET times = begun.times + 1, at = excluded.at";
        self.db.write(sql, &[&digest, &now])?;
        Ok(())
    }

    /// Deletes the attempts of a message: it was handled.
    pub fn remove_begun(&self, digest: &[u8; 32]) -> Result<()> {
        self.db.write("DELETE FROM begun WHERE digest = $1", &[&digest])?;
        Ok(())
    }

    /// Deletes attempts from before this time.
    pub fn forget_begun_before(&self, then: DateTime<Utc>) -> Result<()> {
        self.db.write("DELETE FROM begun WHERE at < $1", &[&then])?;
        Ok(())
    }
}
