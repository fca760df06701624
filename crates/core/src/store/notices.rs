//! Notices of turns to a web address or a second mail address: where they go, and those that wait to be posted.
//!
//! A notice is the board that waits for its player; its words are made when it is posted. What fails puts off all of a player's.

use chrono::{DateTime, TimeDelta, Utc};

use crate::table::{Board, BoardId, PlayerId};

use super::row::Row;
use super::{Error, Reader, Result, Store};

/// In which form a notice goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeForm {
    Mail,
    /// The line alone, to a web address.
    Text,
    /// An object of JSON, to a web address.
    Json,
}

impl NoticeForm {
    const ALL: [Self; 3] = [Self::Mail, Self::Text, Self::Json];

    /// The word in the database and in `set notify`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// Where a player wants notices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeTarget {
    /// Whose notices they are.
    pub player: PlayerId,
    /// A web address or a mail address.
    pub target: String,
    /// How they go there.
    pub form: NoticeForm,
    /// When its player named it: what its code is made of.
    pub asked_at: DateTime<Utc>,
    /// Whether the code has come back, so that notices go there.
    pub is_on: bool,
    /// How many deliveries in a row have failed.
    pub failures: u32,
}

/// What is to be posted to a web address.
#[derive(Clone, Debug)]
pub struct Posting {
    pub to: NoticeTarget,
    /// What; `None`: nothing waits any more.
    pub what: Option<Posted>,
}

/// What a posting says.
#[derive(Clone, Debug)]
pub enum Posted {
    /// The code that is to come back.
    Code,
    /// It is the player's turn on this board since then.
    Turn(Box<Board>, DateTime<Utc>),
    /// The same, but it is not their turn any more, or the notice is a day old.
    Stale(BoardId, DateTime<Utc>),
}

/// A notice is dropped when it is older.
const KEPT_FOR: TimeDelta = TimeDelta::days(1);

const TARGET: &str = "SELECT player, target, form, asked_at, is_on, failures FROM notice_targets";

fn postings_sql() -> String {
    format!("{TARGET} WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at, player LIMIT $2")
}

impl Reader {
    /// Where a player wants notices.
    pub fn notice_target(&self, player: PlayerId) -> Result<Option<NoticeTarget>> {
        self.db
            .find(&format!("{TARGET} WHERE player = $1"), &[&player], target)
    }

    /// What is to be posted now, at most one for each web address.
    pub fn postings(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<Posting>> {
        let due = self.db.all(&postings_sql(), &[&now, &limit], target)?;
        let posting = |to: NoticeTarget| {
            let what = match to.is_on {
                false => Some(Posted::Code),
                true => self.first_notice(to.player, now)?,
            };
            Ok(Posting { to, what })
        };
        due.into_iter().map(posting).collect()
    }

    fn first_notice(&self, player: PlayerId, now: DateTime<Utc>) -> Result<Option<Posted>> {
        let sql = "SELECT board, made_at FROM notices WHERE player = $1 ORDER BY made_at, board LIMIT 1";
        let first: Option<(BoardId, DateTime<Utc>)> = self
            .db
            .find(sql, &[&player], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let Some((id, made_at)) = first else {
            return Ok(None);
        };
        let board = self.board_by_id(id)?;
        let wanted = board.filter(|board| board.is_turn_of(player) && now - made_at < KEPT_FOR);
        Ok(Some(match wanted {
            Some(board) => Posted::Turn(Box::new(board), made_at),
            None => Posted::Stale(id, made_at),
        }))
    }

    /// When something is to be posted next.
    pub fn next_posting(&self) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT MIN(due_at) FROM notice_targets WHERE due_at IS NOT NULL";
        self.db.one(sql, &[], |row| row.get(0))
    }

    /// Whose notice this mail is; `None`: it is another mail.
    pub fn noticed_by(&self, mail: i64) -> Result<Option<PlayerId>> {
        let sql = "SELECT player FROM outbox WHERE id = $1 AND kind = 'notice'";
        Ok(self.db.find(sql, &[&mail], |row| row.get(0))?.flatten())
    }
}

impl Store {
    /// Notes where a player wants notices, in the place of what was noted before. A web address is due for its code.
    pub fn set_notice_target(
        &self,
        player: PlayerId,
        target: &str,
        form: NoticeForm,
        now: DateTime<Utc>,
    ) -> Result<()> {
        self.end_notices(player)?;
        let due_at = (form != NoticeForm::Mail).then_some(now);
        let sql = "INSERT INTO notice_targets (player, target, form, asked_at, is_on, failures, due_at) \
                   VALUES ($1, $2, $3, $4, 0, 0, $5)";
        self.db
            .write(sql, &[&player, &target, &form.word(), &now, &due_at])
    }

    /// The code has come back.
    pub fn begin_notices(&self, player: PlayerId) -> Result<()> {
        let sql = "UPDATE notice_targets SET is_on = 1, failures = 0, due_at = NULL WHERE player = $1";
        self.db.write(sql, &[&player])
    }

    /// Nothing is sent any more.
    pub fn end_notices(&self, player: PlayerId) -> Result<()> {
        for sql in [
            "DELETE FROM notices WHERE player = $1",
            "DELETE FROM notice_targets WHERE player = $1",
        ] {
            self.db.write(sql, &[&player])?;
        }
        Ok(())
    }

    /// A board waits for a player who wants notices at a web address. One that waits to be posted already is posted once.
    pub fn add_notice(&self, player: PlayerId, board: BoardId, now: DateTime<Utc>) -> Result<()> {
        let sql = "INSERT INTO notices (player, board, made_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (player, board) DO UPDATE SET made_at = excluded.made_at";
        self.db.write(sql, &[&player, &board, &now])?;
        let sql = "UPDATE notice_targets SET due_at = $1 WHERE player = $2 AND due_at IS NULL";
        self.db.write(sql, &[&now, &player])
    }

    /// What was posted, or is not worth it, waits no more. A target that was named later is not touched.
    pub fn posted(&self, posting: &Posting, is_taken: bool, now: DateTime<Utc>) -> Result<()> {
        let (player, asked_at) = (posting.to.player, posting.to.asked_at);
        let seen = match &posting.what {
            Some(Posted::Turn(board, made_at)) => Some((board.id, *made_at)),
            Some(Posted::Stale(board, made_at)) => Some((*board, *made_at)),
            Some(Posted::Code) | None => None,
        };
        if let Some((board, made_at)) = seen {
            // One that was made since stays.
            let sql = "DELETE FROM notices WHERE player = $1 AND board = $2 AND made_at = $3";
            self.db.write(sql, &[&player, &board, &made_at])?;
        }
        let kept = i64::from(!is_taken);
        let sql = "UPDATE notice_targets SET failures = failures * $1, due_at = NULL WHERE player = $2 AND asked_at = $3";
        self.db.write(sql, &[&kept, &player, &asked_at])?;
        let sql = "UPDATE notice_targets SET due_at = $1 WHERE player = $2 AND asked_at = $3 \
                   AND EXISTS (SELECT 1 FROM notices WHERE notices.player = notice_targets.player)";
        self.db.write(sql, &[&now, &player, &asked_at])
    }

    /// Puts off all notices of a player, after so many failures in a row.
    pub fn put_off_notices(&self, player: PlayerId, failures: u32, until: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE notice_targets SET failures = $1, \
                   due_at = CASE WHEN form = 'mail' THEN due_at ELSE $2 END WHERE player = $3";
        self.db.write(sql, &[&failures, &until, &player])
    }

    /// Lets none wait for a time that the machine's clock made wrong.
    pub(super) fn mend_notices(&self, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE notice_targets SET due_at = $1 WHERE due_at IS NOT NULL AND due_at > $1";
        self.db.write(sql, &[&now])
    }
}

fn target(row: &Row<'_>) -> Result<NoticeTarget> {
    let form: &str = row.get(2)?;
    let form = NoticeForm::ALL.into_iter().find(|known| known.word() == form);
    Ok(NoticeTarget {
        player: row.get(0)?,
        target: row.get(1)?,
        form: form.ok_or_else(|| Error::Corrupt("a place for notices has an unknown form".to_owned()))?,
        asked_at: row.get(3)?,
        is_on: row.get(4)?,
        failures: row.get(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_posted_is_found_by_its_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("test.sqlite")).unwrap();
        let plan = store.db.plan(&postings_sql());
        assert!(
            plan.contains("notice_targets_by_due") && !plan.contains("TEMP B-TREE"),
            "{plan}"
        );
    }
}
