//! Sending: the mails that are due, and the result of each delivery.

use chrono::{DateTime, TimeDelta, Utc};

use crate::letters::{Draft, LetterKind};
use crate::table::PlayerId;
use pbmserv_mail::Address;

use super::outbox::UNSENT;
use super::row::Row;
use super::value::ToValue;
use super::{Error, Purpose, Reader, Result, Store};

/// A token to put into a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The use that the token is limited to.
    pub purpose: Purpose,
    /// The row that it names.
    pub row: i64,
    /// The recipient of the mail.
    pub player: PlayerId,
    /// The generation of the player's account; a new generation makes old tokens invalid.
    pub generation: i64,
    /// How often the player has had new links to the pages.
    pub renewed: i64,
}

/// A mail to send with its tokens: the one for `Reply-To`, the one for `List-Unsubscribe`, and the key to all pages of its
/// reader in the letter that brings it.
pub type Due = (Outgoing, Vec<Reply>);

/// A mail of the outbox with what its parts are made of, tokens filled in; `None` if the row has none that can be read.
pub type Outgoing = pbmserv_mail::outbox::Outgoing<Option<Draft>>;

/// How many mails a batch has if few causes have any: with those that nobody has proven to cause, twenty go before one of
/// another cause. Of more causes each has one.
const AT_A_TIME: u32 = 12;

/// The same as a share of the batch, if a large one is asked for.
const SHARE: u32 = 25;

/// The most mails caused by unproven messages in one batch.
const UNPROVEN_AT_A_TIME: u32 = 8;

/// The cause that was served last, among proven and among unproven messages: the next ones come first.
#[derive(Clone, Copy, Debug)]
pub struct Served([i64; 2]);

impl Default for Served {
    fn default() -> Self {
        Self([i64::MIN; 2])
    }
}

const OUTGOING: &str = "SELECT id, recipient, message_id, in_reply_to, refs, is_reply, list, reply_to, about, \
    subject, letter, created_at, attempts, (SELECT generation FROM players WHERE players.id = outbox.player), \
    is_watching, kind, unsubscribe, player, sender_name, \
    (SELECT renewed FROM page_links WHERE page_links.player = outbox.player), cause FROM outbox";

/// The first due mail of each cause after one. From cause to cause the index is searched, so that what waits behind the first
/// mail of each is not read.
fn firsts_sql() -> String {
    let waiting = format!("state = 'waiting' AND {UNSENT} AND is_unproven = $1");
    format!(
        "{OUTGOING} WHERE id IN (WITH RECURSIVE causes (cause) AS (\
         SELECT MIN(cause) FROM outbox WHERE {waiting} AND cause > $2 UNION ALL \
         SELECT (SELECT MIN(later.cause) FROM outbox AS later WHERE {waiting} AND later.cause > causes.cause) \
         FROM causes WHERE causes.cause IS NOT NULL) \
         SELECT (SELECT id FROM outbox AS own WHERE {waiting} AND own.cause = causes.cause AND due_at <= $3 \
         ORDER BY due_at, id LIMIT 1) FROM causes \
         WHERE EXISTS (SELECT 1 FROM outbox AS own WHERE {waiting} AND own.cause = causes.cause AND due_at <= $3) \
         LIMIT $4) ORDER BY cause"
    )
}

/// The first due mails of a cause.
fn due_sql() -> String {
    format!(
        "{OUTGOING} WHERE state = 'waiting' AND {UNSENT} AND is_unproven = $1 AND cause = $2 AND due_at <= $3 \
         ORDER BY due_at, id LIMIT $4"
    )
}

fn next_sql() -> String {
    format!("SELECT MIN(due_at) FROM outbox WHERE state = 'waiting' AND {UNSENT} AND is_unproven = $1")
}

impl Reader {
    /// Some of the mails that are due, each with its tokens: of each cause in turn, in the order in which they were written. So
    /// whoever causes very many makes those of others wait for a few only. `served` goes on with each call.
    pub fn due(&self, now: DateTime<Utc>, limit: u32, served: &mut Served) -> Result<Vec<Due>> {
        let Served([proven, unproven]) = served;
        let few = AT_A_TIME.min(limit).max(limit / SHARE);
        let mut due = self.in_turn(false, now, (limit, few), proven)?;
        let few = UNPROVEN_AT_A_TIME.min(limit).max(limit / SHARE);
        due.extend(self.in_turn(true, now, (few, few), unproven)?);
        due.sort_by_key(|(mail, _)| mail.id);
        Ok(due)
    }

    /// The first due mail of each cause after the one that was served last, or several of each if there are few causes.
    fn in_turn(
        &self,
        is_unproven: bool,
        now: DateTime<Utc>,
        (limit, few): (u32, u32),
        served: &mut i64,
    ) -> Result<Vec<Due>> {
        let firsts = |after: i64, limit: u32| {
            let sql = firsts_sql();
            let values: [&dyn ToValue; 4] = [&is_unproven, &after, &now, &limit];
            self.db
                .all(&sql, &values, |row| Ok((row.get::<i64>(20)?, outgoing(row)?)))
        };
        let count = |found: &[_]| u32::try_from(found.len()).unwrap_or(u32::MAX);
        let mut due = firsts(*served, limit)?;
        let left = limit.saturating_sub(count(&due));
        if left > 0 && *served > i64::MIN {
            let again = firsts(i64::MIN, left)?;
            due.extend(again.into_iter().filter(|(cause, _)| cause <= served));
        }
        let Some((last, _)) = due.last() else {
            return Ok(Vec::new());
        };
        *served = *last;
        if count(&due) > few / 2 {
            return Ok(due.into_iter().map(|(_, mail)| mail).collect());
        }
        let mut queues = Vec::new();
        for (cause, _) in due {
            let mails = self
                .db
                .all(&due_sql(), &[&is_unproven, &cause, &now, &few], outgoing)?;
            queues.push(mails.into_iter());
        }
        let mut in_turn = Vec::new();
        for _ in 0..few {
            in_turn.extend(queues.iter_mut().filter_map(Iterator::next));
        }
        in_turn.truncate(few.try_into().unwrap_or(usize::MAX));
        Ok(in_turn)
    }

    /// The mails that one message caused, in the order in which they were written, but for those that were dropped.
    pub fn caused_by(&self, inbox: i64) -> Result<Vec<Due>> {
        let sql = format!("{OUTGOING} WHERE inbox = $1 AND state <> 'dropped' ORDER BY id");
        self.db.all(&sql, &[&inbox], outgoing)
    }

    /// When the next waiting mail is due.
    pub fn next_due(&self) -> Result<Option<DateTime<Utc>>> {
        let sql = next_sql();
        let next = |is_unproven: bool| self.db.one(&sql, &[&is_unproven], |row| row.get::<Option<_>>(0));
        Ok(next(false)?.into_iter().chain(next(true)?).min())
    }
}

impl Store {
    /// Marks a mail as sent. Mail that went to no player loses its letter: otherwise a stranger could fill the disk by
    /// requesting long answers.
    pub fn mail_sent(&self, id: i64, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE outbox SET state = 'sent', last_error = NULL, settled_at = $1, \
                   letter = CASE WHEN player IS NULL THEN NULL ELSE letter END WHERE id = $2 AND state = 'waiting'";
        self.db.write(sql, &[&now, &id])?;
        self.mail_is_settled(id, now)?;
        self.forget_last(id)
    }

    /// Forgets a mail that went to somebody who is no player any more, once it is settled.
    fn forget_last(&self, id: i64) -> Result<()> {
        // The number stays: a bounce names its mail by it.
        let sql = "UPDATE outbox SET recipient = '', recipient_key = '', subject = '', sender_name = '', letter = NULL \
                   WHERE id = $1 AND is_last = 1 AND state <> 'waiting' RETURNING id";
        if self.db.find(sql, &[&id], |row| row.get::<i64>(0))?.is_some() {
            self.db.erases();
        }
        Ok(())
    }

    /// Records a temporary failure; the next attempt is at `until`.
    pub fn mail_deferred(&self, id: i64, until: DateTime<Utc>, why: &str) -> Result<()> {
        let sql = "UPDATE outbox SET attempts = attempts + 1, due_at = $1, last_error = $2 \
                   WHERE id = $3 AND state = 'waiting'";
        self.db.write(sql, &[&until, &why, &id])?;
        Ok(())
    }

    /// Marks a mail as failed; returns its address. `None`: it was no longer waiting.
    pub fn mail_failed(&self, id: i64, why: &str, now: DateTime<Utc>) -> Result<Option<Address>> {
        let sql = "UPDATE outbox SET state = 'failed', attempts = attempts + 1, last_error = $1, settled_at = $2 \
                   WHERE id = $3 AND state = 'waiting' RETURNING recipient";
        let failed = self.fail(sql, id, why, now)?;
        self.mail_is_settled(id, now)?;
        self.forget_last(id)?;
        Ok(failed)
    }

    /// Marks a sent mail as bounced; returns its address. `None`: there is no such mail, or it has failed before. The
    /// time at which it was settled stays: otherwise a player could gain another day by bouncing a warning.
    pub fn mail_bounced(&self, id: i64, why: &str, now: DateTime<Utc>) -> Result<Option<Address>> {
        let sql = "UPDATE outbox SET state = 'failed', last_error = $1, settled_at = COALESCE(settled_at, $2) \
                   WHERE id = $3 AND state IN ('waiting', 'sent') RETURNING recipient";
        self.fail(sql, id, why, now)
    }

    fn fail(&self, sql: &str, id: i64, why: &str, now: DateTime<Utc>) -> Result<Option<Address>> {
        let failed = self.db.find(
            sql,
            &[&why, &now, &id],
            |row| Ok(Address::parse(row.get(0)?).ok()),
        )?;
        Ok(failed.flatten())
    }

    /// Moves the times of waiting mails by the amount that the machine's clock was set, so that they are retried as
    /// soon and as long as before.
    pub(super) fn shift_waiting_mails(&self, by: TimeDelta) -> Result<()> {
        let sql = "UPDATE outbox SET due_at = due_at + $1, created_at = created_at + $1 \
                   WHERE state = 'waiting' AND state <> 'sent'";
        self.db.write(sql, &[&by])?;
        Ok(())
    }

    /// Repairs the times of waiting mails after the machine's clock was set back while the server was down: none waits
    /// for a time that was wrong.
    pub(super) fn mend_waiting_mails(&self, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE outbox SET due_at = $1, created_at = CASE WHEN created_at > $1 THEN $1 ELSE created_at END \
                   WHERE state = 'waiting' AND state <> 'sent' AND due_at > $1";
        self.db.write(sql, &[&now])?;
        Ok(())
    }
}

/// What a mail is made of. A letter that cannot be read is that mail's fault alone: the others are sent.
pub(super) fn draft(id: i64, letter: Option<&[u8]>) -> Result<Option<Draft>> {
    let draft = letter.map(Draft::unpacked).transpose();
    Ok(draft.unwrap_or_else(|error| {
        tracing::error!(mail = id, "the outbox has a letter that cannot be read: {error}");
        None
    }))
}

/// Stands for an address that cannot be read. The mail is given no letter, so that it alone fails, and goes nowhere.
fn nobody(id: i64) -> Result<Address> {
    tracing::error!(mail = id, "the outbox has an address that cannot be read");
    Address::parse("nobody@outbox.invalid")
        .map_err(|_| Error::Corrupt(format!("outbox row {id} has no address")))
}

fn outgoing(row: &Row<'_>) -> Result<Due> {
    let id = row.get(0)?;
    let (to, has_address) = match Address::parse(row.get(1)?) {
        Ok(to) => (to, true),
        Err(_) => (nobody(id)?, false),
    };
    let references: &str = row.get(4)?;
    let player = row.get::<Option<_>>(17)?.unwrap_or(PlayerId(0));
    let generation = row.get::<Option<_>>(13)?.unwrap_or_default();
    let mut draft = draft(id, row.get(10)?)?.filter(|_| has_address);
    let mail = Outgoing {
        id,
        kind: row.get(15)?,
        to,
        message_id: row.get(2)?,
        in_reply_to: row.get(3)?,
        references: references.split_whitespace().map(str::to_owned).collect(),
        is_reply: row.get(5)?,
        list: row.get(6)?,
        reply_detail: None,
        unsubscribe_detail: None,
        unsubscribe_url: None,
        sender_name: row.get(18)?,
        subject: row.get(9)?,
        text: String::new(),
        is_watching: row.get(14)?,
        attachment: draft.as_mut().and_then(|draft| draft.attachment.take()),
        created_at: row.get(11)?,
        attempts: row.get(12)?,
        draft,
        page: None,
    };
    let (reply_to, about): (Option<&str>, Option<i64>) = (row.get(7)?, row.get(8)?);
    let reply_to = reply_to.and_then(Purpose::of).zip(about);
    let unsubscribe: Option<i64> = row.get(16)?;
    let leave = unsubscribe.map(|row| (Purpose::Leave, row));
    let is_page = LetterKind::of(&mail.kind) == Some(LetterKind::PageLink) && player.0 != 0;
    let page = is_page.then_some((Purpose::Page, player.0));
    let renewed = row.get::<Option<i64>>(19)?.unwrap_or_default();
    let replies = reply_to.into_iter().chain(leave).chain(page);
    let reply = |(purpose, row)| Reply {
        purpose,
        row,
        player,
        generation,
        renewed,
    };
    Ok((mail, replies.map(reply).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_is_found_and_sorted_by_the_index_without_sent_mails() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("test.sqlite")).unwrap();
        for (sql, index) in [
            (
                due_sql(),
                "outbox_by_cause (state=? AND is_unproven=? AND cause=?",
            ),
            (next_sql(), "outbox_by_turn (state=? AND is_unproven=?"),
        ] {
            let plan = store.db.plan(&sql);
            assert!(plan.contains(index), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
        let plan = store.db.plan(&firsts_sql());
        assert!(plan.contains("SEARCH outbox USING INTEGER PRIMARY KEY"), "{plan}");
        let searches = ["cause>?)", "cause=? AND due_at<?)"];
        for search in searches.map(|end| format!("outbox_by_cause (state=? AND is_unproven=? AND {end}")) {
            assert!(plan.contains(&search), "{plan}");
        }
        assert!(!plan.contains("SCAN outbox"), "{plan}");
    }
}
