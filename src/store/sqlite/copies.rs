//! Copies of a database: those that a backup makes, and what a restored one needs of SQLite.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::Backup;

use super::{Database, migrate, open, place};
use crate::store::{Error, Result};

impl Database {
    /// Copies the whole database, as of one moment, to a new file.
    pub(in crate::store) fn copy_to(&self, target: &Path) -> Result<()> {
        let mut copy = Connection::open(target)?;
        {
            let backup = Backup::new(&self.conn, &mut copy)?;
            backup.run_to_completion(256, Duration::ZERO, None)?;
        }
        // The copy is one file that stands alone, without a write-ahead log.
        copy.pragma_update(None, "journal_mode", "DELETE")?;
        let verdict: String = copy.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        if verdict == "ok" {
            Ok(())
        } else {
            Err(Error::Corrupt(format!("the copy is damaged: {verdict}")))
        }
    }

    /// Opens a copy for reading and checks that it is whole.
    pub(in crate::store) fn open_copy(path: &Path) -> Result<Self> {
        let conn = open::read_only(path)?;
        let verdict: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if verdict != "ok" {
            // The first line names the database only.
            let found = verdict.lines().find(|line| !line.starts_with("***"));
            let found = found.unwrap_or_default();
            return Err(Error::Corrupt(format!("{} is damaged: {found}", path.display())));
        }
        let found: i64 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if found > migrate::newest() {
            return Err(Error::Newer {
                path: path.display().to_string(),
                found,
                known: migrate::newest(),
            });
        }
        if found < 1 {
            return Err(Error::Corrupt(format!(
                "{} is no database of pbmserv",
                path.display()
            )));
        }
        Ok(Self::of(conn, path))
    }

    /// Runs a statement that calls this database `main` and another one `other`; gives the number of rows changed.
    pub(in crate::store) fn execute_with(&self, other: &Path, sql: &str) -> Result<usize> {
        let other = other.to_str().unwrap_or_default();
        self.conn.execute("ATTACH DATABASE $1 AS other", [other])?;
        let changed = self.conn.execute(sql, []);
        self.run("DETACH DATABASE other")?;
        Ok(changed?)
    }

    /// Brings the whole log into the database and empties it, wherever its file is now: so that it is complete, and
    /// nothing of it lies beside another file. False: another process reads it.
    pub(in crate::store) fn empty_log(&self) -> Result<bool> {
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy: bool = self.conn.query_row(sql, [], |row| row.get(0))?;
        self.save_displaced()?;
        Ok(!is_busy)
    }

    /// Puts the log of a database that was written over under another name; gives that name.
    pub(in crate::store) fn set_log_aside(&self, name: &str) -> Result<io::Result<PathBuf>> {
        place::set_log_aside(&self.conn, &self.path, name)
    }

    /// Closes the database so that it is one file that stands alone.
    pub(in crate::store) fn close_alone(self) -> Result<()> {
        self.conn.pragma_update(None, "journal_mode", "DELETE")?;
        self.conn.close().map_err(|(_, error)| error.into())
    }
}

/// Writes what stands in the log beside a database into it, and removes the log.
///
/// # Errors
/// The database is damaged, for example.
pub fn fold_log(path: &Path) -> Result<()> {
    let conn = Connection::open(path)?;
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    conn.close().map_err(|(_, error)| error.into())
}
