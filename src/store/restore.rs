//! What a restored backup needs before it is the database again.

use std::path::Path;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;

use super::{Error, Reader, Result, Store, newest_migration, time};

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
    ///
    /// # Errors
    /// SQLite's.
    pub fn contents(&self) -> Result<Contents> {
        let sql = "SELECT (SELECT COUNT(*) FROM players), (SELECT COUNT(*) FROM boards), \
                   (SELECT COUNT(*) FROM turns), (SELECT COUNT(*) FROM inbox), (SELECT MAX(received_at) FROM inbox)";
        Ok(self.conn.query_row(sql, [], |row| {
            Ok(Contents {
                players: row.get(0)?,
                boards: row.get(1)?,
                turns: row.get(2)?,
                mails: row.get(3)?,
                last_mail_at: row.get(4)?,
            })
        })?)
    }
}

/// Opens a copy that lies somewhere, for looking only, and checks that it is whole.
///
/// # Errors
/// It is no database of ours, it is damaged, or a newer program wrote it.
pub fn open_copy(path: &Path) -> Result<Reader> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    let verdict: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        // The first line names the database only.
        let found = verdict.lines().find(|line| !line.starts_with("***"));
        let found = found.unwrap_or_default();
        return Err(Error::Corrupt(format!("{} is damaged: {found}", path.display())));
    }
    let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > newest_migration() {
        return Err(Error::Newer {
            path: path.display().to_string(),
            found,
            known: newest_migration(),
        });
    }
    if found < 1 {
        return Err(Error::Corrupt(format!(
            "{} is no database of pbmserv",
            path.display()
        )));
    }
    Ok(Reader {
        conn,
        path: path.to_owned(),
    })
}

/// Writes what stands in the log beside a database into it, and removes the log.
///
/// # Errors
/// SQLite's: the database is damaged, for example.
pub fn fold_log(path: &Path) -> Result<()> {
    let conn = Connection::open(path)?;
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    conn.close().map_err(|(_, error)| error.into())
}

impl Store {
    /// Readies a restored copy: no number that a lost row may have had is given again, and the stop before the
    /// backup counts as clean.
    ///
    /// # Errors
    /// SQLite's.
    pub fn leap(&self) -> Result<()> {
        self.conn.execute("UPDATE numbers SET next = next + $1", [LEAP])?;
        self.conn
            .execute("UPDATE games SET next_number = next_number + $1", [BOARDS_LEAP])?;
        self.set_note("running", "0")
    }

    /// Gives the mails that wait here the state that they have in another copy of this database, where they do
    /// not wait any more; gives their number.
    ///
    /// # Errors
    /// SQLite's.
    pub fn settle_mails_as_in(&self, other: &Path) -> Result<usize> {
        let other = other.to_str().unwrap_or_default();
        self.conn.execute("ATTACH DATABASE $1 AS other", [other])?;
        let sql = "UPDATE main.outbox SET state = known.state, settled_at = known.settled_at, \
                   attempts = known.attempts, last_error = known.last_error FROM other.outbox AS known \
                   WHERE known.message_id = main.outbox.message_id AND main.outbox.state = 'waiting' \
                   AND known.state <> 'waiting'";
        let settled = self.conn.execute(sql, []);
        self.conn.execute_batch("DETACH DATABASE other")?;
        Ok(settled?)
    }

    /// Holds back all mails that wait; gives their number.
    ///
    /// # Errors
    /// SQLite's.
    pub fn hold_mails(&self) -> Result<usize> {
        let sql = "UPDATE outbox SET state = 'held' WHERE state = 'waiting'";
        Ok(self.conn.execute(sql, [])?)
    }

    /// Closes the database so that it is one file that stands alone.
    ///
    /// # Errors
    /// SQLite's.
    pub fn close_alone(self) -> Result<()> {
        let conn = self.reader.conn;
        conn.pragma_update(None, "journal_mode", "DELETE")?;
        conn.close().map_err(|(_, error)| error.into())
    }
}
