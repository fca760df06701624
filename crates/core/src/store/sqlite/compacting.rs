//! Compacting: writing a database again, without the pages that are not in use.

use std::path::Path;

use rusqlite::Connection;

use super::open;
use crate::store::{Error, Result};

/// SQLite's steps between two reports of progress: a hundred reports a second or so.
const STEPS: i32 = 100_000;

/// The pages of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pages {
    /// The size of the file in bytes.
    pub bytes: u64,
    /// Of these in pages that are not in use; new rows use them first.
    pub free_bytes: u64,
}

impl Pages {
    pub(super) fn of(conn: &Connection) -> Result<Self> {
        let sql = "SELECT page_count * page_size, freelist_count * page_size \
                   FROM pragma_page_count, pragma_page_size, pragma_freelist_count";
        let (bytes, free): (i64, i64) = conn.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Self {
            bytes: u64::try_from(bytes).unwrap_or_default(),
            free_bytes: u64::try_from(free).unwrap_or_default(),
        })
    }
}

/// A database that nobody else reads or writes, as a single file without a WAL.
#[derive(Debug)]
pub struct Alone(Connection);

impl Alone {
    /// Opens a database that is there, and keeps all others out of it. Its WAL is folded into it, so that the file is
    /// complete when another one takes its place.
    ///
    /// # Errors
    /// Another process has it open, or it is damaged.
    pub fn open(path: &Path) -> Result<Self> {
        let conn = open::existing(path)?;
        // Leaving WAL needs the exclusive lock, and fails if anybody has the file open.
        conn.pragma_update(None, "journal_mode", "DELETE")?;
        conn.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        conn.execute_batch("BEGIN EXCLUSIVE; COMMIT")?;
        Ok(Self(conn))
    }

    /// Its pages.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn pages(&self) -> Result<Pages> {
        Pages::of(&self.0)
    }

    /// Writes all its rows into a new file, which only this account may read. `report` is called often meanwhile.
    ///
    /// # Errors
    /// For example a full disk; the new file is then incomplete.
    pub fn write_anew(&mut self, target: &Path, report: impl Fn() + Send + 'static) -> Result<()> {
        open::create(target).map_err(|error| open::cannot_open(&error))?;
        let Some(name) = target.to_str() else {
            return Err(Error::Corrupt(format!("{} is no text", target.display())));
        };
        self.0.progress_handler(
            STEPS,
            Some(move || {
                report();
                false
            }),
        )?;
        self.0.execute("VACUUM INTO $1", [name])?;
        self.0.progress_handler(STEPS, None::<fn() -> bool>)?;
        Ok(())
    }
}
