//! Preparing a restored backup, or an adopted copy, for use.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::table::Events;

use super::database::Database;
use super::value::time;
use super::{Reader, Result, Store};

/// How far row numbers jump: more than any server gives out after a backup.
const LEAP: i64 = 1_000_000;

/// How far board numbers jump. Players see these, so the jump is small.
pub const BOARDS_LEAP: i64 = 100;

/// Totals of a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Contents {
    /// Including deleted accounts.
    pub players: i64,
    /// Including finished boards.
    pub boards: i64,
    /// Turns on all boards.
    pub turns: i64,
    /// Received messages.
    pub mails: i64,
    /// When the last message came, in milliseconds since 1970.
    pub last_mail_at: Option<i64>,
}

impl Contents {
    /// When the last message came.
    #[must_use]
    pub fn last_mail(&self) -> Option<DateTime<Utc>> {
        self.last_mail_at.map(time)
    }
}

impl Reader {
    /// Whether nobody has written yet, so that no letter was sent.
    pub fn is_new(&self) -> Result<bool> {
        let sql =
            "SELECT NOT EXISTS (SELECT 1 FROM players WHERE id > 0) AND NOT EXISTS (SELECT 1 FROM outbox)";
        self.db.one(sql, &[], |row| row.get(0))
    }

    /// How many mails wait to be sent.
    pub fn waiting_mails(&self) -> Result<u32> {
        let sql = "SELECT COUNT(*) FROM outbox WHERE state = 'waiting'";
        self.db.one(sql, &[], |row| row.get(0))
    }

    /// Counts what the database contains.
    pub fn contents(&self) -> Result<Contents> {
        let sql = "SELECT (SELECT COUNT(*) FROM players WHERE id > 0), (SELECT COUNT(*) FROM boards), \
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

/// Opens a copy of a database read-only and checks that it is complete.
///
/// # Errors
/// It is no database of this program, it is damaged, or a newer program wrote it.
pub fn open_copy(path: &Path) -> Result<Reader> {
    let db = Database::open_copy(path)?;
    Ok(Reader { db })
}

impl Store {
    /// Prepares a restored copy: raises all counters, so that no number of a lost row is given again, and marks the
    /// last stop as clean. A
    /// letter that shows lost turns can be told from one of the same board as it goes on.
    pub fn leap(&self, now: DateTime<Utc>) -> Result<()> {
        self.clocks_are_set(now)?;
        self.db.write("UPDATE numbers SET next = next + $1", &[&LEAP])?;
        self.db
            .write("UPDATE games SET next_number = next_number + $1", &[&BOARDS_LEAP])?;
        self.db.write(
            "UPDATE boards SET restored_event = $1 + (SELECT MAX(event) FROM (SELECT position_event AS event UNION ALL \
             SELECT offer_event UNION ALL SELECT submitted_event UNION ALL SELECT restored_event) AS events)",
            &[&Events::SKIPPED],
        )?;
        self.set_note("running", "0")
    }

    /// Copies the state of mails that still wait here but are settled in another copy of this database. Those that it has
    /// forgotten were settled long ago, and are held. Returns the number of both.
    pub fn settle_mails_as_in(&self, other: &Path) -> Result<usize> {
        let sql = "UPDATE main.outbox SET state = known.state, settled_at = known.settled_at, \
                   attempts = known.attempts, last_error = known.last_error FROM other.outbox AS known \
                   WHERE known.message_id = main.outbox.message_id AND main.outbox.state = 'waiting' \
                   AND known.state <> 'waiting'";
        let settled = self.db.execute_with(other, sql)?;
        let sql = "UPDATE main.outbox SET state = 'held' WHERE state = 'waiting' \
                   AND id < (SELECT MAX(id) FROM other.outbox) AND NOT EXISTS (SELECT 1 FROM other.outbox AS known \
                   WHERE known.message_id = main.outbox.message_id)";
        Ok(settled + self.db.execute_with(other, sql)?)
    }

    /// Holds all waiting mails; returns their number.
    pub fn hold_mails(&self) -> Result<usize> {
        let sql = "UPDATE outbox SET state = 'held' WHERE state = 'waiting'";
        self.db.execute(sql, &[])
    }
}
