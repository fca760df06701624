//! Copies of a database: making a backup, and restoring one.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::{Database, file_watch, migrate, open};
use crate::store::{Error, Result};

/// How much is copied between two reports: a few milliseconds.
const PAGES_A_STEP: i32 = 256;

/// The pause while the source is locked.
const BUSY: Duration = Duration::from_millis(10);

impl Database {
    /// Copies the whole database to a new file, as one consistent snapshot. Only this account may read the file.
    /// `copied` is called with the number of pages that are copied and of all.
    pub(in crate::store) fn copy_to(&self, target: &Path, copied: &mut dyn FnMut(u64, u64)) -> Result<()> {
        open::create(target).map_err(|error| open::cannot_open(&error))?;
        let mut copy = Connection::open(target)?;
        {
            let backup = Backup::new(&self.conn, &mut copy)?;
            loop {
                let step = backup.step(PAGES_A_STEP)?;
                let at = backup.progress();
                let pages = |count: i32| u64::try_from(count).unwrap_or_default();
                copied(pages(at.pagecount - at.remaining), pages(at.pagecount));
                match step {
                    StepResult::Done => break,
                    StepResult::More => {}
                    // By a checkpoint, which takes a moment.
                    _ => thread::sleep(BUSY),
                }
            }
        }
        // The copy is a single file, without a WAL.
        copy.pragma_update(None, "journal_mode", "DELETE")?;
        let verdict: String = copy.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        if verdict == "ok" {
            Ok(())
        } else {
            Err(Error::Corrupt(format!("the copy is damaged: {verdict}")))
        }
    }

    /// Opens a copy read-only and checks its integrity.
    pub(in crate::store) fn open_copy(path: &Path) -> Result<Self> {
        let conn = open::read_only(path)?;
        let verdict = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
        // Some damage is an error of the check itself.
        let verdict: String = match verdict.map_err(Error::from) {
            Err(error) if error.is_damage() => error.to_string(),
            verdict => verdict?,
        };
        if verdict != "ok" {
            // Lines with `***` only name the database.
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

    /// Runs a statement in which this database is `main` and another one is `other`; returns the number of rows
    /// changed.
    pub(in crate::store) fn execute_with(&self, other: &Path, sql: &str) -> Result<usize> {
        let other = other.to_str().unwrap_or_default();
        self.conn.execute("ATTACH DATABASE $1 AS other", [other])?;
        let changed = self.conn.execute(sql, []);
        self.run("DETACH DATABASE other")?;
        Ok(changed?)
    }

    /// Checkpoints the whole WAL into the database and truncates it, even if the file was moved. The file is then
    /// complete, and no stale WAL remains beside another database. Returns false if another process is reading.
    pub(in crate::store) fn empty_log(&self) -> Result<bool> {
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let is_busy: bool = self.conn.query_row(sql, [], |row| row.get(0))?;
        self.remember_file()?;
        Ok(!is_busy)
    }

    /// Renames the WAL of an overwritten database; returns the new name.
    pub(in crate::store) fn set_log_aside(&self, name: &str) -> Result<io::Result<PathBuf>> {
        file_watch::set_log_aside(&self.conn, &self.path, name)
    }

    /// Closes the database as a single file, without a WAL.
    pub(in crate::store) fn close_alone(self) -> Result<()> {
        self.conn.pragma_update(None, "journal_mode", "DELETE")?;
        self.conn.close().map_err(|(_, error)| error.into())
    }
}

/// Checkpoints the WAL of a database into it, and removes the WAL.
///
/// # Errors
/// For example, the database is damaged.
pub fn fold_log(path: &Path) -> Result<()> {
    let conn = Connection::open(path)?;
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    conn.close().map_err(|(_, error)| error.into())
}
