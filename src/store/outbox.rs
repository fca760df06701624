//! The mails to be sent and those sent: one row a mail and address.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{OptionalExtension, Row};

use crate::mail::Address;
use crate::outbox::{Draft, Outgoing};
use crate::table::{BoardId, PlayerId};

use super::{Error, Reader, Result, Store, millis, time};

/// Where a mail stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailState {
    /// It goes out when its time has come.
    Waiting,
    /// The operator keeps it back.
    Held,
    /// It was handed to the transport.
    Sent,
    /// It was refused for good, or for too long.
    Failed,
    /// The operator took it out.
    Dropped,
}

impl MailState {
    /// The word in the database and in listings.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Held => "held",
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }
}

/// A mail that is to be sent.
#[derive(Clone, Debug)]
pub struct NewMail<'a> {
    /// The message that caused it.
    pub inbox: Option<i64>,
    /// The letter's folder in `templates/`.
    pub kind: &'static str,
    /// The player it goes to, if it goes to one.
    pub player: Option<PlayerId>,
    /// The board it is about.
    pub board: Option<BoardId>,
    /// The row that the token in its `Reply-To` names.
    pub about: Option<i64>,
    /// The address it goes to.
    pub recipient: &'a Address,
    /// Its Message-ID.
    pub message_id: String,
    /// The Message-ID it answers.
    pub in_reply_to: Option<&'a str>,
    /// The Message-IDs of its thread.
    pub references: &'a [String],
    /// Whether it answers a mail.
    pub is_reply: bool,
    /// The board's list.
    pub list: Option<String>,
    /// What the token in its `Reply-To` is for.
    pub reply_to: Option<&'static str>,
    /// The subject.
    pub subject: &'a str,
    /// The text part.
    pub body: &'a str,
    /// What its HTML part is made of when it is sent; `None` for plain text alone.
    pub facts: Option<&'a str>,
    /// The game that the picture in it shows, as a record.
    pub picture: Option<&'a str>,
    /// What an answer to its `List-Unsubscribe` ends: the number that the token there names.
    pub unsubscribe: Option<i64>,
    /// Whether it comes because its reader watches.
    pub is_watching: bool,
    /// A file that goes with it: its name and its text.
    pub attachment: Option<(String, String)>,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// The Message-IDs of the mails about one board to one address.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// The first.
    pub first: Option<String>,
    /// The newest.
    pub last: Option<String>,
}

/// What a Message-ID of ours was for.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The letter's folder in `templates/`.
    pub kind: String,
    /// Which address it went to.
    pub recipient_key: String,
    /// What the token in its `Reply-To` was for, and for which row.
    pub purpose: Option<(String, i64)>,
}

/// What a token in a mail is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Its purpose.
    pub purpose: String,
    /// The row that it names.
    pub row: i64,
    /// Whom the mail goes to.
    pub player: PlayerId,
    /// The generation of that player's account.
    pub generation: i64,
}

/// A mail, for the operator.
#[derive(Clone, Debug, serde::Serialize)]
pub struct OutboxRow {
    /// Its number.
    pub id: i64,
    /// The letter's kind.
    pub kind: String,
    /// The address it goes to.
    pub recipient: String,
    /// Its subject.
    pub subject: String,
    /// Where it stands.
    pub state: String,
    /// How many deliveries have failed.
    pub attempts: u32,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
    /// When it is tried next, in milliseconds since 1970.
    pub due_at: i64,
    /// Why the last delivery failed.
    pub last_error: Option<String>,
}

const OUTGOING: &str = "SELECT id, recipient, message_id, in_reply_to, refs, is_reply, list, reply_to, about, \
    subject, body, created_at, attempts, (SELECT generation FROM players WHERE players.id = outbox.player), \
    is_watching, attachment_name, attachment, kind, facts, picture, unsubscribe, player FROM outbox";
/// Of which kinds of mails `outbox_by_limit` knows, in its words: it is used by who says the same.
const LIMITED: &str = "kind IN ('apology', 'dead', 'forgot', 'message', 'notdone', 'question')";
const ROW: &str =
    "SELECT id, kind, recipient, subject, state, attempts, created_at, due_at, last_error FROM outbox";

/// How the mails of such a kind to a mailbox are counted.
fn counted() -> String {
    format!(
        "SELECT COUNT(*) FROM outbox WHERE limit_key = $1 AND kind = $2 AND created_at > $3 AND {LIMITED}"
    )
}

impl Reader {
    /// The mails whose time has come, in the order in which they are due, each with what its tokens are for.
    ///
    /// # Errors
    /// SQLite's, or an address that is none.
    pub fn due(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<Due>> {
        let sql = format!("{OUTGOING} WHERE state = 'waiting' AND due_at <= $1 ORDER BY due_at, id LIMIT $2");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let found = statement.query_map((millis(now), limit), outgoing)?;
        found.map(|row| row?).collect()
    }

    /// The letters that one message caused, in the order in which they were written.
    ///
    /// # Errors
    /// SQLite's, or an address that is none.
    pub fn caused_by(&self, inbox: i64) -> Result<Vec<Outgoing>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{OUTGOING} WHERE inbox = $1 ORDER BY id"))?;
        let found = statement.query_map([inbox], outgoing)?;
        found.map(|row| row?.map(|(mail, _)| mail)).collect()
    }

    /// When the next waiting mail is due.
    ///
    /// # Errors
    /// SQLite's.
    pub fn next_due(&self) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT MIN(due_at) FROM outbox WHERE state = 'waiting'";
        let due: Option<i64> = self.conn.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(due.map(time))
    }

    /// The thread of a board for one address.
    ///
    /// # Errors
    /// SQLite's.
    pub fn thread(&self, board: BoardId, recipient: &Address) -> Result<Thread> {
        let end = |order: &str| {
            let sql = format!(
                "SELECT message_id FROM outbox WHERE board = $1 AND recipient_key = $2 ORDER BY id {order} LIMIT 1"
            );
            let mut statement = self.conn.prepare_cached(&sql)?;
            statement
                .query_row((board.0, recipient.key()), |row| row.get(0))
                .optional()
        };
        Ok(Thread {
            first: end("ASC")?,
            last: end("DESC")?,
        })
    }

    /// What the mail with this Message-ID was for.
    ///
    /// # Errors
    /// SQLite's.
    pub fn kept(&self, message_id: &str) -> Result<Option<Kept>> {
        let sql = "SELECT kind, recipient_key, reply_to, about FROM outbox WHERE message_id = $1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let kept = |row: &Row<'_>| {
            let (purpose, row_number): (Option<String>, Option<i64>) = (row.get(2)?, row.get(3)?);
            Ok(Kept {
                kind: row.get(0)?,
                recipient_key: row.get(1)?,
                purpose: purpose.zip(row_number),
            })
        };
        Ok(statement.query_row([message_id], kept).optional()?)
    }

    /// How many mails of these kinds, of those that are counted for a limit, went to an address since a time.
    ///
    /// # Errors
    /// SQLite's.
    pub fn sent_since(&self, recipient: &Address, kinds: &[&str], since: DateTime<Utc>) -> Result<u32> {
        debug_assert!(
            kinds.iter().all(|kind| LIMITED.contains(&format!("'{kind}'"))),
            "{kinds:?} are not all counted"
        );
        let mut statement = self.conn.prepare_cached(&counted())?;
        let mut count = 0;
        for kind in kinds {
            count += statement.query_row((recipient.limit_key(), kind, millis(since)), |row| {
                row.get::<_, u32>(0)
            })?;
        }
        Ok(count)
    }

    /// Mails, newest first; those in this state only, if one is named.
    ///
    /// # Errors
    /// SQLite's.
    pub fn mails(&self, state: Option<MailState>, limit: u32) -> Result<Vec<OutboxRow>> {
        let which = match state {
            None => "",
            // Nearly all are sent, and the newest soonest found among all; an expression keeps the index of states out.
            Some(MailState::Sent) => "WHERE state || '' = $1",
            Some(_) => "WHERE state = $1",
        };
        let sql = format!("{ROW} {which} ORDER BY id DESC LIMIT {limit}");
        let mut statement = self.conn.prepare_cached(&sql)?;
        let words: Vec<_> = state.map(MailState::word).into_iter().collect();
        let found = statement.query_map(rusqlite::params_from_iter(words), outbox_row)?;
        Ok(found.collect::<rusqlite::Result<_>>()?)
    }
}

impl Reader {
    /// One mail with its text; `None` if there is none of this number.
    ///
    /// # Errors
    /// SQLite's.
    pub fn mail(&self, id: i64) -> Result<Option<(OutboxRow, String)>> {
        let sql = format!("{ROW} WHERE id = $1");
        let row = self
            .conn
            .prepare_cached(&sql)?
            .query_row([id], outbox_row)
            .optional()?;
        let Some(row) = row else { return Ok(None) };
        let mut statement = self
            .conn
            .prepare_cached("SELECT body FROM outbox WHERE id = $1")?;
        let text = statement.query_row([id], |row| row.get(0))?;
        Ok(Some((row, text)))
    }
}

impl Store {
    /// Adds a mail to be sent at once; gives its number.
    ///
    /// # Errors
    /// SQLite's.
    pub fn add_mail(&self, new: &NewMail<'_>) -> Result<i64> {
        let sql = "INSERT INTO outbox (inbox, kind, player, board, about, recipient, recipient_key, message_id, \
                   in_reply_to, refs, is_reply, list, reply_to, subject, body, facts, picture, unsubscribe, created_at, \
                   state, due_at, is_watching, attachment_name, attachment, limit_key) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, \
                   'waiting', $20, $21, $22, $23, $24) RETURNING id";
        let (attachment_name, attachment) = new.attachment.as_ref().map(|(name, text)| (name, text)).unzip();
        let values = rusqlite::params![
            new.inbox,
            new.kind,
            new.player.map(|player| player.0),
            new.board.map(|board| board.0),
            new.about,
            new.recipient.as_str(),
            new.recipient.key(),
            new.message_id,
            new.in_reply_to,
            new.references.join(" "),
            new.is_reply,
            new.list,
            new.reply_to,
            new.subject,
            new.body,
            new.facts,
            new.picture,
            new.unsubscribe,
            millis(new.created_at),
            millis(new.created_at),
            new.is_watching,
            attachment_name,
            attachment,
            new.recipient.limit_key(),
        ];
        Ok(self
            .conn
            .prepare_cached(sql)?
            .query_row(values, |row| row.get(0))?)
    }

    /// A mail was handed to the transport. What only its sending needed is forgotten. A text that went to no player is
    /// of no more use: a stranger who asks for long answers fills no disk.
    ///
    /// # Errors
    /// SQLite's.
    pub fn mail_sent(&self, id: i64, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE outbox SET state = 'sent', last_error = NULL, settled_at = $1, facts = NULL, picture = NULL, \
                   body = CASE WHEN player IS NULL THEN '' ELSE body END, \
                   attachment = CASE WHEN player IS NULL THEN NULL ELSE attachment END WHERE id = $2 AND state = 'waiting'";
        self.conn.prepare_cached(sql)?.execute((millis(now), id))?;
        self.mail_is_settled(id, now)
    }

    /// A delivery failed; it is tried again at `until`.
    ///
    /// # Errors
    /// SQLite's.
    pub fn mail_deferred(&self, id: i64, until: DateTime<Utc>, why: &str) -> Result<()> {
        let sql = "UPDATE outbox SET attempts = attempts + 1, due_at = $1, last_error = $2 \
                   WHERE id = $3 AND state = 'waiting'";
        self.conn.prepare_cached(sql)?.execute((millis(until), why, id))?;
        Ok(())
    }

    /// A mail will not be delivered any more; gives the address that it went to. `None`: it waits no more.
    ///
    /// # Errors
    /// SQLite's, or an address that is none.
    pub fn mail_failed(&self, id: i64, why: &str, now: DateTime<Utc>) -> Result<Option<Address>> {
        let sql = "UPDATE outbox SET state = 'failed', attempts = attempts + 1, last_error = $1, settled_at = $2 \
                   WHERE id = $3 AND state = 'waiting' RETURNING recipient";
        let failed = self.fail(sql, id, why, now)?;
        self.mail_is_settled(id, now)?;
        Ok(failed)
    }

    /// A mail that was handed over has come back undelivered; gives the address that it went to. `None`: there is no
    /// such mail, or it has failed before. It was settled when it was sent: otherwise whoever sends a warning back would
    /// have another day.
    ///
    /// # Errors
    /// SQLite's, or an address that is none.
    pub fn mail_bounced(&self, id: i64, why: &str, now: DateTime<Utc>) -> Result<Option<Address>> {
        let sql = "UPDATE outbox SET state = 'failed', last_error = $1, settled_at = COALESCE(settled_at, $2) \
                   WHERE id = $3 AND state IN ('waiting', 'sent') RETURNING recipient";
        self.fail(sql, id, why, now)
    }

    fn fail(&self, sql: &str, id: i64, why: &str, now: DateTime<Utc>) -> Result<Option<Address>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let found: Option<String> = statement
            .query_row((why, millis(now), id), |row| row.get(0))
            .optional()?;
        let parse = |text: String| {
            Address::parse(&text).map_err(|_| Error::Corrupt(format!("outbox row {id} has no address")))
        };
        found.map(parse).transpose()
    }

    /// The clock of the machine was set by so much: mails that wait are tried as soon as they would have been, and for as
    /// long.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn shift_waiting_mails(&self, by: TimeDelta) -> Result<()> {
        let sql =
            "UPDATE outbox SET due_at = due_at + $1, created_at = created_at + $1 WHERE state = 'waiting'";
        self.conn.prepare_cached(sql)?.execute([by.num_milliseconds()])?;
        Ok(())
    }

    /// The clock of the machine was set back while the server was down: no mail waits for a time that was wrong.
    ///
    /// # Errors
    /// SQLite's.
    pub(super) fn mend_waiting_mails(&self, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE outbox SET due_at = $1, created_at = CASE WHEN created_at > $1 THEN $1 ELSE created_at END \
                   WHERE state = 'waiting' AND due_at > $1";
        self.conn.prepare_cached(sql)?.execute([millis(now)])?;
        Ok(())
    }

    /// Has a mail that waits, is held, failed or was dropped tried again now; false if there is none such.
    ///
    /// # Errors
    /// SQLite's.
    pub fn retry_mail(&self, id: i64, now: DateTime<Utc>) -> Result<bool> {
        let sql = "UPDATE outbox SET state = 'waiting', due_at = $1, settled_at = NULL \
                   WHERE id = $2 AND state IN ('waiting', 'held', 'failed', 'dropped') AND body <> ''";
        Ok(self.conn.prepare_cached(sql)?.execute((millis(now), id))? == 1)
    }

    /// Keeps a waiting mail back; false if there is none such.
    ///
    /// # Errors
    /// SQLite's.
    pub fn hold_mail(&self, id: i64) -> Result<bool> {
        let sql = "UPDATE outbox SET state = 'held' WHERE id = $1 AND state = 'waiting'";
        Ok(self.conn.prepare_cached(sql)?.execute([id])? == 1)
    }

    /// Takes a mail that waits or is held out; false if there is none such.
    ///
    /// # Errors
    /// SQLite's.
    pub fn drop_mail(&self, id: i64, now: DateTime<Utc>) -> Result<bool> {
        let sql = "UPDATE outbox SET state = 'dropped', settled_at = $1 WHERE id = $2 AND state IN ('waiting', 'held')";
        let is_dropped = self.conn.prepare_cached(sql)?.execute((millis(now), id))? == 1;
        self.mail_is_settled(id, now)?;
        Ok(is_dropped)
    }
}

fn outbox_row(row: &Row<'_>) -> rusqlite::Result<OutboxRow> {
    Ok(OutboxRow {
        id: row.get(0)?,
        kind: row.get(1)?,
        recipient: row.get(2)?,
        subject: row.get(3)?,
        state: row.get(4)?,
        attempts: row.get(5)?,
        created_at: row.get(6)?,
        due_at: row.get(7)?,
        last_error: row.get(8)?,
    })
}

/// A mail to send, and what its tokens are for: the one in its `Reply-To`, and that of its `List-Unsubscribe`, whose
/// purpose is [`LEAVE`].
pub type Due = (Outgoing, Vec<Reply>);

/// The purpose of the token in a `List-Unsubscribe`.
pub const LEAVE: &str = "leave";

fn outgoing(row: &Row<'_>) -> rusqlite::Result<Result<Due>> {
    let id: i64 = row.get(0)?;
    let (address, references): (String, String) = (row.get(1)?, row.get(4)?);
    let (reply_to, about): (Option<String>, Option<i64>) = (row.get(7)?, row.get(8)?);
    let created_at: i64 = row.get(11)?;
    let generation = row.get::<_, Option<i64>>(13)?.unwrap_or_default();
    let player = PlayerId(row.get::<_, Option<i64>>(21)?.unwrap_or_default());
    let (attachment_name, attachment): (Option<String>, Option<String>) = (row.get(15)?, row.get(16)?);
    let kind: String = row.get(17)?;
    let (facts, record): (Option<String>, Option<String>) = (row.get(18)?, row.get(19)?);
    let Ok(to) = Address::parse(&address) else {
        return Ok(Err(Error::Corrupt(format!("outbox row {id} has no address"))));
    };
    let mail = Outgoing {
        id,
        to,
        message_id: row.get(2)?,
        in_reply_to: row.get(3)?,
        references: references.split_whitespace().map(str::to_owned).collect(),
        is_reply: row.get(5)?,
        list: row.get(6)?,
        reply_detail: None,
        unsubscribe_detail: None,
        subject: row.get(9)?,
        text: row.get(10)?,
        is_watching: row.get(14)?,
        attachment: attachment_name.zip(attachment),
        created_at: time(created_at),
        attempts: row.get(12)?,
        draft: facts.map(|facts| Draft {
            kind,
            facts,
            record,
            player,
            generation,
        }),
        page: None,
    };
    let unsubscribe: Option<i64> = row.get(20)?;
    let leave = unsubscribe.map(|row| (LEAVE.to_owned(), row));
    let replies = reply_to.zip(about).into_iter().chain(leave);
    let reply = |(purpose, row)| Reply {
        purpose,
        row,
        player,
        generation,
    };
    Ok(Ok((mail, replies.map(reply).collect())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_limit_counts_is_found_by_the_index_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("test.sqlite")).unwrap();
        let sql = format!("EXPLAIN QUERY PLAN {}", counted());
        let plan: String = store
            .conn
            .query_row(&sql, ("a@b.example", "dead", 0), |row| row.get(3))
            .unwrap();
        assert!(plan.contains("outbox_by_limit"), "{plan}");
    }
}
