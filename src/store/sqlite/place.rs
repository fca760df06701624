//! The database as a file: whether what stands at its path is what is open, as it was left.
//!
//! Nothing in SQLite tells: a connection goes on writing into a file that has been deleted, moved away or written
//! over. The file itself must not be opened to look, since closing it would give up SQLite's locks
//! (<https://www.sqlite.org/howtocorrupt.html>, section 2.2); so its path is asked for.

use std::cell::Cell;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::open;
use crate::store::{Displaced, Error, Result};

/// Which file, and how it was left: the database's own file is written by checkpoints only, and those are ours.
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

/// The newest message and the newest mail: by these, and by its being whole, a file that another process has brought the
/// log into is told from one that was written over.
type Newest = (Option<i64>, Option<i64>);

/// What is remembered of the file.
#[derive(Debug, Default)]
pub(super) struct Place {
    left: Cell<Option<(Stamp, Newest)>>,
    /// As it was when it was found written over: it is not looked through again until it changes.
    spoilt: Cell<Option<Stamp>>,
}

impl Place {
    /// Remembers the file as it is left.
    pub(super) fn save_displaced(&self, conn: &Connection, path: &Path) -> Result<()> {
        let stamp = fs::metadata(path).ok().map(|about| Stamp::from(&about));
        let known = self.left.get().map(|(known, _)| known.file);
        if let Some(stamp) = stamp.filter(|stamp| known.is_none_or(|known| known == stamp.file)) {
            self.left.set(Some((stamp, newest(conn)?)));
        }
        Ok(())
    }

    /// Looks whether the file is there as it was left.
    pub(super) fn look(&self, conn: &Connection, path: &Path) -> Result<()> {
        let Some((left, newest)) = self.left.get() else {
            return Ok(());
        };
        let there = fs::metadata(path).ok().map(|about| Stamp::from(&about));
        match there {
            Some(there) if there == left => Ok(()),
            Some(there) if there.file == left.file => {
                // An empty one is not even opened: SQLite would remove the log beside it.
                let is_spoilt = there.bytes == 0 || self.spoilt.get() == Some(there);
                if is_spoilt || !is_still_ours(path, newest)? {
                    self.spoilt.set(Some(there));
                    return Err(Error::Displaced(Displaced::Overwritten));
                }
                tracing::warn!(path = %path.display(), "something else has written the database; it is whole");
                self.save_displaced(conn, path)
            }
            there => Err(Error::Displaced(displaced(left.file, there.is_some()))),
        }
    }
}

/// Whether a file that was written to by somebody else is still this database: whole, with what it held.
fn is_still_ours(path: &Path, left: Newest) -> Result<bool> {
    // Our own connection remembers pages that may be there no more.
    let looked = open::for_reading(path).and_then(|fresh| {
        let sql = "PRAGMA integrity_check(1)";
        let verdict: String = fresh.query_row(sql, [], |row| row.get(0))?;
        Ok(verdict == "ok" && newest(&fresh)? == left)
    });
    match looked {
        // Not what a failing disk or a lock says: what is there is no database, or none of ours.
        Err(error) if error.is_damage() => Ok(false),
        looked => looked,
    }
}

fn newest(conn: &Connection) -> Result<Newest> {
    let sql = "SELECT (SELECT MAX(id) FROM inbox), (SELECT MAX(id) FROM outbox)";
    let mut statement = conn.prepare_cached(sql)?;
    Ok(statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?)
}

/// Puts the log of a database that was written over beside it under another name, so that neither our end nor the
/// next start mixes the two; gives that name.
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

/// What has become of an open file that is not at its path.
fn displaced(file: (u64, u64), is_replaced: bool) -> Displaced {
    let open = open_file(file);
    let is_deleted = open.as_ref().is_some_and(|(_, links)| *links == 0);
    match (is_replaced, is_deleted) {
        (true, is_deleted) => Displaced::Another { is_deleted },
        (false, true) => Displaced::Deleted,
        (false, false) => Displaced::Moved {
            to: open.map(|(path, _)| path),
        },
    }
}

/// The path of a file that this process has open, and how many names it has, as the system tells.
fn open_file(file: (u64, u64)) -> Option<(PathBuf, u64)> {
    let open = fs::read_dir("/proc/self/fd").ok()?.flatten();
    open.map(|entry| entry.path()).find_map(|entry| {
        let about = fs::metadata(&entry).ok()?;
        let is_it = (about.dev(), about.ino()) == file;
        is_it.then(|| Some((fs::read_link(&entry).ok()?, about.nlink())))?
    })
}
