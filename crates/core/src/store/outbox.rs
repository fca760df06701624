//! Outgoing mails: one row for each mail and address.

use chrono::{DateTime, TimeDelta, Utc};

use crate::letters::LetterKind;
use crate::table::{BoardId, PlayerId};
use pbmserv_mail::Address;

use super::memo::Rows;
use super::row::Row;
use super::value::ToValue;
use super::{Purpose, Reader, Result, Store};

/// The state of an outgoing mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailState {
    /// To be sent when it is due.
    Waiting,
    /// Held by the operator.
    Held,
    /// The transport accepted it.
    Sent,
    /// Given up: refused permanently, or deferred for too long.
    Failed,
    /// Dropped by the operator.
    Dropped,
}

impl MailState {
    /// The word for it in the database and in listings.
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

/// A mail to send.
#[derive(Clone, Debug)]
pub struct NewMail<'a> {
    /// The message that caused it.
    pub inbox: Option<i64>,
    /// Which letter it is.
    pub kind: LetterKind,
    /// The player it goes to, if any.
    pub player: Option<PlayerId>,
    /// The board it is about.
    pub board: Option<BoardId>,
    /// The row that the token in its `Reply-To` names.
    pub about: Option<i64>,
    /// The address that it goes to.
    pub recipient: &'a Address,
    /// Without angle brackets.
    pub message_id: String,
    /// The Message-ID of the mail that it answers.
    pub in_reply_to: Option<&'a str>,
    /// The Message-IDs of its thread.
    pub references: &'a [String],
    /// Whether it answers a mail.
    pub is_reply: bool,
    /// The `List-Id` of its board.
    pub list: Option<String>,
    /// The purpose of the token in its `Reply-To`.
    pub reply_to: Option<Purpose>,
    /// The display name in `From`; empty for the name of the server.
    pub sender_name: &'a str,
    /// Decoded, on one line.
    pub subject: &'a str,
    /// What its text and HTML are made of when it is sent: a packed [`Draft`](crate::letters::Draft).
    pub letter: &'a [u8],
    /// The row number in the token of its `List-Unsubscribe`.
    pub unsubscribe: Option<i64>,
    /// Whether the recipient gets it as a watcher.
    pub is_watching: bool,
    /// Whether it goes to somebody who is no player any more, so that nothing of it is kept once it is sent.
    pub is_last: bool,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// What it waits a minute for: that makes it needless.
    pub awaits: Option<Awaits>,
    /// Whether the message that caused it proves nobody. Of these mails only a few are sent at a time.
    pub is_unproven: bool,
    /// The player or the source that caused it: mails are sent in turn by this.
    pub cause: i64,
}

/// How long a mail waits for what makes it needless.
const AWAITED_FOR: TimeDelta = TimeDelta::seconds(60);

/// What makes a mail of a player against a computer needless, if it comes within a minute. The letter with the computer's answer
/// has all that a receipt says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaits {
    /// The answer takes its place.
    Answer,
    /// The same; the mail had words for the computer, and it is to be said that nobody reads them.
    AnswerToWords,
    /// A page shows its reader the board as it does: the turn that the computer answers was played there.
    Look,
}

impl Awaits {
    pub(super) const fn number(self) -> i64 {
        match self {
            Self::Answer => 1,
            Self::AnswerToWords => 2,
            Self::Look => 3,
        }
    }
}

/// The purpose of a mail that we sent, found by its Message-ID.
#[derive(Clone, Debug)]
pub struct SentMail {
    /// The key of the address that it went to.
    pub recipient_key: String,
    /// The purpose of the token in its `Reply-To`, and the row that the token names.
    pub purpose: Option<(Purpose, i64)>,
}

/// The predicate of the partial index `outbox_by_turn`, in which sent mails, nearly all, have no place. Queries must repeat it
/// word for word to use the index.
pub(super) const UNSENT: &str = "state <> 'sent'";

/// The predicate of the partial index `outbox_by_limit`. Queries must repeat it word for word to use the index.
fn limited() -> String {
    let limited = LetterKind::ALL.iter().filter(|kind| kind.is_limited());
    let names: Vec<_> = limited.map(|kind| format!("'{}'", kind.name())).collect();
    format!("kind IN ({})", names.join(", "))
}

/// The predicate that finds the mails of limited kinds to one mailbox.
fn counted() -> String {
    format!(
        "SELECT COUNT(*) FROM outbox WHERE limit_key = $1 AND kind = $2 AND created_at > $3 AND {}",
        limited()
    )
}

impl Reader {
    /// The Message-ID of the newest mail about a board to an address, and the first one in its `References`.
    pub fn newest_mail(
        &self,
        board: BoardId,
        recipient: &Address,
    ) -> Result<Option<(String, Option<String>)>> {
        let key = (board, recipient.key().to_owned());
        self.db.memo.once(Rows::Threads, key, |(board, recipient)| {
            let sql = "SELECT message_id, refs FROM outbox WHERE board = $1 AND recipient_key = $2 ORDER BY id DESC LIMIT 1";
            self.db.find(sql, &[board, recipient], |row| {
                let references: String = row.get(1)?;
                let first = references.split(' ').next().filter(|id| !id.is_empty());
                Ok((row.get(0)?, first.map(str::to_owned)))
            })
        })
    }

    /// The purpose of the mail with this Message-ID.
    pub fn sent_mail(&self, message_id: &str) -> Result<Option<SentMail>> {
        let sql = "SELECT recipient_key, reply_to, about FROM outbox WHERE message_id = $1";
        let sent_mail = |row: &Row<'_>| {
            let (purpose, row_number): (Option<&str>, Option<i64>) = (row.get(1)?, row.get(2)?);
            Ok(SentMail {
                recipient_key: row.get(0)?,
                purpose: purpose.and_then(Purpose::of).zip(row_number),
            })
        };
        self.db.find(sql, &[&message_id], sent_mail)
    }

    /// The number of the mail with this Message-ID.
    pub fn mail_number(&self, message_id: &str) -> Result<Option<i64>> {
        let sql = "SELECT id FROM outbox WHERE message_id = $1";
        self.db.find(sql, &[&message_id], |row| row.get(0))
    }

    /// The reasons in the records of the newest messages since a time that letters about this board to this player have answered,
    /// at most so many.
    pub fn last_answered(
        &self,
        board: BoardId,
        player: PlayerId,
        most: u32,
        since: DateTime<Utc>,
    ) -> Result<Vec<Option<String>>> {
        let sql = "SELECT DISTINCT i.id, i.reason FROM outbox o JOIN inbox i ON i.id = o.inbox \
                   WHERE o.board = $1 AND o.player = $2 AND o.is_reply = 1 AND o.created_at > $3 \
                   ORDER BY i.id DESC LIMIT $4";
        self.db
            .all(sql, &[&board, &player, &since, &most], |row| row.get(1))
    }

    /// How many mails of these kinds went to an address since a time. The kinds must be limited: only those are counted.
    pub fn sent_since(&self, recipient: &Address, kinds: &[LetterKind], since: DateTime<Utc>) -> Result<u32> {
        debug_assert!(
            kinds.iter().all(|kind| kind.is_limited()),
            "{kinds:?} are not all counted"
        );
        let sql = counted();
        let key = recipient.limit_key();
        let count = |kind: &LetterKind| -> Result<u32> {
            self.db.one(&sql, &[&key, &kind.name(), &since], |row| row.get(0))
        };
        kinds.iter().map(count).sum()
    }
}

impl Store {
    /// Adds a mail that is due at once, or in a minute if it awaits something; returns its number.
    pub fn add_mail(&self, new: &NewMail<'_>) -> Result<i64> {
        let sql = "INSERT INTO outbox (inbox, kind, player, board, about, recipient, recipient_key, message_id, \
                   in_reply_to, refs, is_reply, list, reply_to, subject, letter, unsubscribe, created_at, \
                   state, due_at, is_unproven, is_watching, limit_key, sender_name, awaits, cause, is_last) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
                   'waiting', $18, $19, $20, $21, $22, $23, $24, $25)";
        if let Some(board) = new.board {
            self.db
                .memo
                .forget(Rows::Threads, &(board, new.recipient.key().to_owned()));
        }
        // Nothing is counted of the other kinds, which are nearly all.
        let limit_key = new.kind.is_limited().then(|| new.recipient.limit_key());
        let due_at = match new.awaits {
            Some(_) => new.created_at + AWAITED_FOR,
            None => new.created_at,
        };
        let values: [&dyn ToValue; 25] = [
            &new.inbox,
            &new.kind.name(),
            &new.player,
            &new.board,
            &new.about,
            &new.recipient.as_str(),
            &new.recipient.key(),
            &new.message_id,
            &new.in_reply_to,
            &new.references.join(" "),
            &new.is_reply,
            &new.list,
            &new.reply_to.map(Purpose::word),
            &new.subject,
            &new.letter,
            &new.unsubscribe,
            &new.created_at,
            &due_at,
            &new.is_unproven,
            &new.is_watching,
            &limit_key,
            &new.sender_name,
            &new.awaits.map_or(0, Awaits::number),
            &new.cause,
            &new.is_last,
        ];
        self.db.insert(sql, &values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_limit_is_counted_by_its_partial_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("test.sqlite")).unwrap();
        let plan = store.db.plan(&counted());
        assert!(plan.contains("outbox_by_limit"), "{plan}");
    }
}
