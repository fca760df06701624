//! Copies of a database: making a backup, and restoring one.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::{Backup, Progress, StepResult};
use serde::{Deserialize, Serialize};

use super::{Sqlite, file_watch, migrate, open};
use crate::store::migrations::lacks_migrations;
use crate::store::{Error, Result};

/// How many pages are copied at a time: a megabyte.
const STEP_PAGES: i32 = 256;

/// The pause before the next try if another connection is in the way.
const LOCKED: Duration = Duration::from_millis(10);

/// What a copy is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Copying {
    /// How many pages of all are copied.
    Pages {
        /// Pages copied so far.
        done: u64,
        /// Pages of the whole database.
        total: u64,
    },
    /// The copy is checked.
    Check,
}

impl Sqlite {
    /// Copies the whole database to a new file, as one consistent snapshot. Only this account may read the file.
    pub(in crate::store) fn copy_to(&self, target: &Path, at: &mut dyn FnMut(Copying)) -> Result<()> {
        open::create(target).map_err(|error| open::cannot_open(&error))?;
        let mut copy = Connection::open(target)?;
        self.copy_pages(&mut copy, at)?;
        at(Copying::Check);
        // The copy is a single file, without a WAL.
        copy.pragma_update(None, "journal_mode", "DELETE")?;
        let verdict: String = copy.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        if verdict == "ok" {
            Ok(())
        } else {
            Err(Error::Corrupt(format!("the copy is damaged: {verdict}")))
        }
    }

    fn copy_pages(&self, copy: &mut Connection, at: &mut dyn FnMut(Copying)) -> Result<()> {
        // SQLite begins a copy again whenever another connection has written, unless one read lasts all the time.
        let _read = match self.conn.is_autocommit() {
            true => Some(self.conn.unchecked_transaction()?),
            false => None,
        };
        self.conn
            .query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
        let backup = Backup::new(&self.conn, copy)?;
        loop {
            let step = backup.step(STEP_PAGES)?;
            let Progress { remaining, pagecount } = backup.progress();
            let [remaining, total] = [remaining, pagecount].map(|pages| u64::try_from(pages).unwrap_or(0));
            let done = total.saturating_sub(remaining);
            at(Copying::Pages { done, total });
            match step {
                StepResult::Done => return Ok(()),
                StepResult::More => {}
                _ => thread::sleep(LOCKED),
            }
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
        let found = migrate::found(&conn)?;
        lacks_migrations(path.display(), found)?;
        if found == 0 {
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

    pub(in crate::store) fn has_other_log(&self) -> Result<bool> {
        Ok(self.file_watch.has_other_log(&self.path))
    }

    /// Renames the WAL of an overwritten database; returns the new name.
    pub(in crate::store) fn set_log_aside(&self, name: &str) -> Result<io::Result<PathBuf>> {
        file_watch::set_log_aside(&self.conn, &self.path, name)
    }

    pub(in crate::store) fn set_aside(&self, aside: &Path) -> Result<io::Result<()>> {
        file_watch::set_aside(&self.conn, &self.path, aside)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Reader, Store};

    #[test]
    fn a_copy_is_not_begun_again_because_the_server_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pbmserv.sqlite");
        let store = Store::open(&path).unwrap();
        let note = |number: i64| store.set_note(&number.to_string(), &"x".repeat(100_000)).unwrap();
        (0..40).for_each(note);
        let mut stages = Vec::new();
        let reader = Reader::open(&path).unwrap();
        let copy = folder.path().join("copy.sqlite");
        let copied = reader.copy_to(&copy, &mut |at| {
            note(10_000 + stages.len() as i64);
            stages.push(at);
            assert!(stages.len() < 100, "{stages:?}");
        });
        copied.unwrap();
        assert_eq!(stages.pop(), Some(Copying::Check));
        let done: Vec<_> = stages
            .iter()
            .map(|at| match at {
                Copying::Pages { done, total } => (*done, *total),
                Copying::Check => panic!("{stages:?}"),
            })
            .collect();
        assert!(done.len() > 3 && done.is_sorted(), "{done:?}");
        assert!(done.last().is_some_and(|(done, total)| done == total), "{done:?}");
        assert!(Reader::open(&copy).unwrap().faults().unwrap().is_empty());
    }
}
