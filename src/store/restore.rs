//! What a restored backup needs before it is the database again.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::sqlite::Database;
use super::value::time;
use super::{Reader, Result, Store};

/// How far the numbers of rows leap: more than can have been given out since any backup.
const LEAP: i64 = 1_000_000;

/// How far the numbers of boards leap, which players see.
pub const BOARDS_LEAP: i64 = 100;

/// How much a database holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Contents {
    /// Players, those who deleted their accounts too.
    pub players: i64,
    /// Boards, finished ones too.
    pub boards: i64,
    /// Turns on all of them.
    pub turns: i64,
    /// Mails taken.
    pub mails: i64,
    /// When the last mail was taken, in milliseconds since 1970.
    pub last_mail_at: Option<i64>,
}

impl Contents {
    /// When the last mail was taken.
    #[must_use]
    pub fn last_mail(&self) -> Option<DateTime<Utc>> {
        self.last_mail_at.map(time)
    }
}

impl Reader {
    /// How much the database holds.
    pub fn contents(&self) -> Result<Contents> {
        let sql = "SELECT (SELECT COUNT(*) FROM players), (SELECT COUNT(*) FROM boards), \
                   (SELECT COUNT(*) FROM turns), (SELECT COUNT(*) FROM inbox), (SELECT MAX(received_at) FROM inbox)";
        self.db.one(sql, &[], |row| {
            Ok(Contents {
                players: row.get(0)?,
                boards: row.get(1)?,
                turns: row.get(2)?,
                mails: row.get(3)?,
                last_mail_at: row.get(4)?,
            })
        })
    }
}

/// Opens a copy that lies somewhere, for reading only, and checks that it is whole.
///
/// # Errors
/// It is no database of ours, it is damaged, or a newer program wrote it.
pub fn open_copy(path: &Path) -> Result<Reader> {
    let db = Database::open_copy(path)?;
    Ok(Reader { db })
}

impl Store {
    /// Readies a restored copy: no number that a lost row may have had is given again, and the stop before the
    /// backup counts as clean.
    pub fn leap(&self) -> Result<()> {
        self.db.execute("UPDATE numbers SET next = next + $1", &[&LEAP])?;
        self.db
            .execute("UPDATE games SET next_number = next_number + $1", &[&BOARDS_LEAP])?;
        self.set_note("running", "0")
    }

    /// Gives the mails that wait here the state that they have in another copy of this database, where they do
    /// not wait any more; gives their number.
    pub fn settle_mails_as_in(&self, other: &Path) -> Result<usize> {
        let sql = "UPDATE main.outbox SET state = known.state, settled_at = known.settled_at, \
                   attempts = known.attempts, last_error = known.last_error FROM other.outbox AS known \
                   WHERE known.message_id = main.outbox.message_id AND main.outbox.state = 'waiting' \
                   AND known.state <> 'waiting'";
        self.db.execute_with(other, sql)
    }

    /// Holds back all mails that wait; gives their number.
    pub fn hold_mails(&self) -> Result<usize> {
        let sql = "UPDATE outbox SET state = 'held' WHERE state = 'waiting'";
        self.db.execute(sql, &[])
    }
}
