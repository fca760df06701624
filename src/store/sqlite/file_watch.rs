//! Checks that the file at the database's path is still the open one, unchanged by others.
//!
//! SQLite does not notice: a connection goes on writing into a file that was deleted, moved or overwritten. We must not
//! open the file to check it, because closing it would release SQLite's locks
//! (<https://www.sqlite.org/howtocorrupt.html>, section 2.2). So we use `stat` on the path.

use std::cell::Cell;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::open;
use crate::store::{Error, FileFault, Result};

/// Identity, size and time of the file. Only checkpoints write to the database file itself, and only we run them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    bytes: u64,
    written: (i64, i64),
}

impl From<&Metadata> for Stamp {
    fn from(about: &Metadata) -> Self {
        Self {
            file: (about.dev(), about.ino()),
            bytes: about.size(),
            written: (about.mtime(), about.mtime_nsec()),
        }
    }
}

/// The newest message and the newest mail. If the file changed but is intact and still has these rows, another process
/// only checkpointed the WAL; otherwise the file was overwritten.
type NewestRows = (Option<i64>, Option<i64>);

/// The last known state of the file.
#[derive(Debug, Default)]
pub(super) struct FileWatch {
    left: Cell<Option<(Stamp, NewestRows)>>,
    /// Its state when it was found overwritten: the costly check runs again only after another change.
    spoilt: Cell<Option<Stamp>>,
}

impl FileWatch {
    /// Records the file as we leave it, unless another file is at the path.
    pub(super) fn remember(&self, conn: &Connection, path: &Path) -> Result<()> {
        let stamp = fs::metadata(path).ok().map(|about| Stamp::from(&about));
        let known = self.left.get().map(|(known, _)| known.file);
        if let Some(stamp) = stamp.filter(|stamp| known.is_none_or(|known| known == stamp.file)) {
            self.left.set(Some((stamp, newest_rows(conn)?)));
        }
        Ok(())
    }

    /// Compares the file with its last known state.
    pub(super) fn check(&self, conn: &Connection, path: &Path) -> Result<()> {
        let Some((left, newest)) = self.left.get() else {
            return Ok(());
        };
        let there = fs::metadata(path).ok().map(|about| Stamp::from(&about));
        match there {
            Some(there) if there == left => Ok(()),
            Some(there) if there.file == left.file => {
                // An empty file is not opened: SQLite would delete the WAL beside it.
                let is_spoilt = there.bytes == 0 || self.spoilt.get() == Some(there);
                if is_spoilt || !is_still_ours(path, newest)? {
                    self.spoilt.set(Some(there));
                    return Err(Error::FileFault(FileFault::Overwritten));
                }
                tracing::warn!(path = %path.display(), "another program has written to the database; it is intact");
                self.remember(conn, path)
            }
            there => Err(Error::FileFault(fault_of(left.file, there.is_some()))),
        }
    }
}

/// Whether a file that another process wrote to is still this database: intact, and with the newest rows.
fn is_still_ours(path: &Path, left: NewestRows) -> Result<bool> {
    // A new connection: ours caches pages that the file may no longer have.
    let looked = open::for_reading(path).and_then(|fresh| {
        let sql = "PRAGMA integrity_check(1)";
        let verdict: String = fresh.query_row(sql, [], |row| row.get(0))?;
        Ok(verdict == "ok" && newest_rows(&fresh)? == left)
    });
    match looked {
        // Damage means that this is not our database. Other errors, such as a lock, say nothing about that.
        Err(error) if error.is_damage() => Ok(false),
        looked => looked,
    }
}

fn newest_rows(conn: &Connection) -> Result<NewestRows> {
    let sql = "SELECT (SELECT MAX(id) FROM inbox), (SELECT MAX(id) FROM outbox)";
    let mut statement = conn.prepare_cached(sql)?;
    Ok(statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// Renames the WAL of an overwritten database, so that neither closing it nor the next start applies it to the new
/// content. Returns the new name.
pub(super) fn set_log_aside(conn: &Connection, path: &Path, name: &str) -> Result<io::Result<PathBuf>> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let with = |tail: &str| {
        let mut path = path.to_owned().into_os_string();
        path.push(tail);
        PathBuf::from(path)
    };
    let aside = with(&format!("-wal.{name}"));
    Ok(fs::rename(with("-wal"), &aside).map(|()| aside))
}

/// What happened to an open file that is not at its path.
fn fault_of(file: (u64, u64), is_replaced: bool) -> FileFault {
    let open = open_file(file);
    let is_deleted = open.as_ref().is_some_and(|(_, links)| *links == 0);
    match (is_replaced, is_deleted) {
        (true, is_deleted) => FileFault::Another { is_deleted },
        (false, true) => FileFault::Deleted,
        (false, false) => FileFault::Moved {
            to: open.map(|(path, _)| path),
        },
    }
}

/// The path and the number of links of an open file, from `/proc`.
fn open_file(file: (u64, u64)) -> Option<(PathBuf, u64)> {
    let open = fs::read_dir("/proc/self/fd").ok()?.flatten();
    open.map(|entry| entry.path()).find_map(|entry| {
        let about = fs::metadata(&entry).ok()?;
        let is_it = (about.dev(), about.ino()) == file;
        is_it.then(|| Some((fs::read_link(&entry).ok()?, about.nlink())))?
    })
}
