//! The operator's view of the outgoing mails, and the operator's actions on them.

use chrono::{DateTime, Utc};

use crate::letters::{Draft, LetterKind};
use crate::table::BoardId;
use pbmserv_mail::Address;

use super::row::Row;
use super::sending::draft;
use super::value::ToValue;
use super::{MailState, Reader, Result, Store};

/// A mail, as the operator sees it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct OutboxRow {
    /// The number of the row.
    pub id: i64,
    /// The name of its [`LetterKind`], or of one that only a newer version knows.
    pub kind: String,
    /// The address that it goes to.
    pub recipient: String,
    /// As sent, on one line.
    pub subject: String,
    /// The word of its [`MailState`].
    pub state: String,
    /// The number of failed delivery attempts.
    pub attempts: u32,
    /// When it was written, in milliseconds since 1970.
    pub created_at: i64,
    /// The time of the next attempt, in milliseconds since 1970.
    pub due_at: i64,
    /// The error of the last attempt.
    pub last_error: Option<String>,
}

const ROW: &str =
    "SELECT id, kind, recipient, subject, state, attempts, created_at, due_at, last_error FROM outbox";

impl Reader {
    /// Mails, newest first: all, or those in one state.
    pub fn mails(&self, state: Option<MailState>, limit: u32) -> Result<Vec<OutboxRow>> {
        let which = match state {
            None => "",
            // Nearly all mails are sent: the newest ones are found fastest by their number.
            Some(MailState::Sent) => "WHERE state = $1",
            Some(_) => "WHERE state = $1 AND state <> 'sent'",
        };
        let sql = format!("{ROW} {which} ORDER BY id DESC LIMIT {limit}");
        let word = state.map(MailState::word);
        let value = word.as_ref().map(|word| word as &dyn ToValue);
        self.db.all(&sql, value.as_slice(), outbox_row)
    }

    /// One mail with what its text is made of, if it exists; that is forgotten after some time.
    pub fn mail(&self, id: i64) -> Result<Option<(OutboxRow, Option<Draft>)>> {
        let sql = format!("{ROW} WHERE id = $1");
        let Some(row) = self.db.find(&sql, &[&id], outbox_row)? else {
            return Ok(None);
        };
        let sql = "SELECT letter FROM outbox WHERE id = $1";
        let draft = self.db.one(sql, &[&id], |row| draft(id, row.get(0)?))?;
        Ok(Some((row, draft)))
    }

    /// The kind of the mail with this Message-ID, if it is known, and what it was made of, unless that is forgotten.
    pub fn sent_letter(&self, message_id: &str) -> Result<Option<(Option<LetterKind>, Draft)>> {
        let sql = "SELECT id, kind, letter FROM outbox WHERE message_id = $1";
        Ok(self.db.find(sql, &[&message_id], letter)?.flatten())
    }

    /// The same of the oldest and the newest mails about a board to an address whose tokens have this number.
    pub fn letters_about(
        &self,
        board: BoardId,
        recipient: &Address,
        about: i64,
    ) -> Result<Vec<(Option<LetterKind>, Draft)>> {
        let mut letters = Vec::new();
        for order in ["", "DESC"] {
            let sql = format!(
                "SELECT id, kind, letter FROM outbox WHERE board = $1 AND recipient_key = $2 AND about = $3 \
                 ORDER BY id {order} LIMIT 2"
            );
            let found = self.db.all(&sql, &[&board, &recipient.key(), &about], letter)?;
            letters.extend(found.into_iter().flatten());
        }
        Ok(letters)
    }
}

fn letter(row: &Row<'_>) -> Result<Option<(Option<LetterKind>, Draft)>> {
    let kind = LetterKind::of(row.get(1)?);
    Ok(draft(row.get(0)?, row.get(2)?)?.map(|draft| (kind, draft)))
}

impl Store {
    /// Makes a waiting, held, failed or dropped mail due now. Returns false if there is no such mail.
    pub fn retry_mail(&self, id: i64, now: DateTime<Utc>) -> Result<bool> {
        let sql = "UPDATE outbox SET state = 'waiting', due_at = $1, settled_at = NULL \
                   WHERE id = $2 AND state IN ('waiting', 'held', 'failed', 'dropped') AND letter IS NOT NULL";
        Ok(self.db.execute(sql, &[&now, &id])? == 1)
    }

    /// Holds a waiting mail. Returns false if there is no such mail.
    pub fn hold_mail(&self, id: i64) -> Result<bool> {
        let sql = "UPDATE outbox SET state = 'held' WHERE id = $1 AND state = 'waiting'";
        Ok(self.db.execute(sql, &[&id])? == 1)
    }

    /// Drops a waiting or held mail. Returns false if there is no such mail.
    pub fn drop_mail(&self, id: i64, now: DateTime<Utc>) -> Result<bool> {
        let sql = "UPDATE outbox SET state = 'dropped', settled_at = $1 WHERE id = $2 AND state IN ('waiting', 'held')";
        let is_dropped = self.db.execute(sql, &[&now, &id])? == 1;
        self.mail_is_settled(id, now)?;
        Ok(is_dropped)
    }
}

fn outbox_row(row: &Row<'_>) -> Result<OutboxRow> {
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
