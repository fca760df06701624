//! Checks that the file at the database's path is still the open one, unchanged by others, and so are its WAL and shm.
//!
//! SQLite does not notice: a connection goes on writing into a file that was deleted, moved or overwritten. We must not
//! open the file to check it, because closing it would release SQLite's locks
//! (<https://www.sqlite.org/howtocorrupt.html>, section 2.2). So we use `stat` on the path.

use std::cell::Cell;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::open;
use crate::store::{Error, FileFault, Result};

/// Identity, size and time of the file. Only checkpoints write to the database file itself: ours, and those of a program
/// that copies it elsewhere, such as Litestream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    file: FileId,
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
/// used SQLite on it; otherwise the file was overwritten.
type NewestRows = (Option<i64>, Option<i64>);

/// How long a checkpoint of another process may take until the WAL says that it was one.
const CHECKPOINT_WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(10);

/// The frames of the WAL, and how many of them a checkpoint has written to the file.
#[derive(Clone, Copy, Debug)]
struct Frames {
    all: i64,
    in_file: i64,
}

impl Frames {
    fn read(conn: &Connection) -> Result<Self> {
        // It does no work, but tells the numbers.
        let mut statement = conn.prepare_cached("PRAGMA wal_checkpoint(NOOP)")?;
        Ok(statement.query_row([], |row| {
            Ok(Self {
                all: row.get(1)?,
                in_file: row.get(2)?,
            })
        })?)
    }

    /// Whether there was a checkpoint since then. After a whole one the WAL begins again.
    fn were_checkpointed_since(self, then: Self) -> bool {
        self.in_file > then.in_file || self.all < then.all
    }
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    fs::metadata(path).ok().map(|about| Stamp::from(&about))
}

/// How the names of the WAL and of its shared memory end. Both exist as long as the database is open.
const WAL_SUFFIXES: [&str; 2] = ["-wal", "-shm"];

/// Device and inode of a file.
type FileId = (u64, u64);

fn with_suffix(path: &Path, tail: &str) -> PathBuf {
    let mut path = path.to_owned().into_os_string();
    path.push(tail);
    path.into()
}

fn wal_ids(path: &Path) -> [Option<FileId>; 2] {
    WAL_SUFFIXES.map(|tail| stamp_of(&with_suffix(path, tail)).map(|stamp| stamp.file))
}

/// What we left behind.
#[derive(Clone, Copy, Debug)]
struct Left {
    stamp: Stamp,
    newest: NewestRows,
    frames: Frames,
}

/// The last known state of the file.
#[derive(Debug, Default)]
pub(super) struct FileWatch {
    left: Cell<Option<Left>>,
    /// The WAL and the shm, when they were first looked at.
    wal_ids: Cell<Option<[Option<FileId>; 2]>>,
    /// Its state when it was found overwritten: the costly check runs again only after another change.
    spoilt: Cell<Option<Stamp>>,
}

impl FileWatch {
    /// Records the file as we leave it, unless another file is at the path.
    pub(super) fn remember(&self, conn: &Connection, path: &Path) -> Result<()> {
        // The frames first: a checkpoint that ends between the two is then seen by the next check.
        let frames = Frames::read(conn)?;
        let stamp = stamp_of(path);
        let known = self.left.get().map(|left| left.stamp.file);
        if let Some(stamp) = stamp.filter(|stamp| known.is_none_or(|known| known == stamp.file)) {
            self.left.set(Some(Left {
                stamp,
                newest: newest_rows(conn)?,
                frames,
            }));
        }
        if self.wal_ids.get().is_none() {
            self.wal_ids.set(Some(wal_ids(path)));
        }
        Ok(())
    }

    /// Whether other content may stand in the place of our WAL: a program has opened the database after ours was removed.
    pub(super) fn has_other_log(&self, path: &Path) -> bool {
        let [ours, _] = self.wal_ids.get().unwrap_or_default();
        let there = stamp_of(&with_suffix(path, "-wal"));
        there.is_some_and(|there| there.bytes > 0 && Some(there.file) != ours)
    }

    /// Compares the file with its last known state.
    pub(super) fn check(&self, path: &Path) -> Result<()> {
        let Some(left) = self.left.get() else {
            return Ok(());
        };
        let there = stamp_of(path);
        match there {
            Some(there) if there == left.stamp => match self.wal_ids.get() {
                Some(known) if known != wal_ids(path) => Err(Error::FileFault(FileFault::LogLost)),
                _ => Ok(()),
            },
            // A checkpoint of what was in a lost WAL would spoil a file that others wrote to, so that is found out first.
            Some(there) if there.file == left.stamp.file => {
                // An empty file is not opened: SQLite would delete the WAL beside it.
                let is_spoilt = there.bytes == 0 || self.spoilt.get() == Some(there);
                let found = match is_spoilt {
                    true => None,
                    false => is_still_ours(path, left)?,
                };
                let Some(frames) = found else {
                    self.spoilt.set(Some(there));
                    return Err(Error::FileFault(FileFault::Overwritten));
                };
                // If it was written to meanwhile, these frames may be newer than the stamp: the next check looks again.
                if stamp_of(path) == Some(there) {
                    self.left.set(Some(Left {
                        stamp: there,
                        frames,
                        ..left
                    }));
                }
                Ok(())
            }
            there => Err(Error::FileFault(fault_of(left.stamp.file, there.is_some()))),
        }
    }
}

/// Whether a file that another process wrote to is still this database: then the frames of its WAL.
///
/// A checkpoint is told by the WAL, and is common beside Litestream. Whatever else wrote to the file, all of it is read.
fn is_still_ours(path: &Path, left: Left) -> Result<Option<Frames>> {
    // A new connection: ours caches pages that the file may no longer have.
    let looked = open::for_reading(path).and_then(|fresh| {
        let until = Instant::now() + CHECKPOINT_WAIT;
        loop {
            if newest_rows(&fresh)? != left.newest {
                return Ok(None);
            }
            let frames = Frames::read(&fresh)?;
            if frames.were_checkpointed_since(left.frames) {
                tracing::debug!(?frames, "another program has checkpointed the WAL");
                return Ok(Some(frames));
            }
            if Instant::now() > until {
                break;
            }
            sleep(PAUSE);
        }
        let sql = "PRAGMA integrity_check(1)";
        let verdict: String = fresh.query_row(sql, [], |row| row.get(0))?;
        let frames = Frames::read(&fresh)?;
        let is_ours = verdict == "ok" && newest_rows(&fresh)? == left.newest;
        if is_ours {
            tracing::warn!(path = %path.display(), "another program has written to the database; it is intact");
        }
        Ok(is_ours.then_some(frames))
    });
    match looked {
        // Damage means that this is not our database. Other errors, such as a lock, say nothing about that.
        Err(error) if error.is_damage() => Ok(None),
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
    let aside = with_suffix(path, &format!("-wal.{name}"));
    Ok(fs::rename(with_suffix(path, "-wal"), &aside).map(|()| aside))
}

/// Renames the database with the WAL that another program has begun, so that its place is free. Closing ours does not write into it.
pub(super) fn set_aside(conn: &Connection, path: &Path, aside: &Path) -> Result<io::Result<()>> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let if_there = |moved: io::Result<()>| match moved {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    // The WAL first: it must never be beside another database.
    let moved = if_there(fs::rename(with_suffix(path, "-wal"), with_suffix(aside, "-wal")))
        .and_then(|()| if_there(fs::remove_file(with_suffix(path, "-shm"))))
        .and_then(|()| fs::rename(path, aside));
    Ok(moved)
}

/// What happened to an open file that is not at its path.
fn fault_of(file: FileId, is_replaced: bool) -> FileFault {
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
fn open_file(file: FileId) -> Option<(PathBuf, u64)> {
    let open = fs::read_dir("/proc/self/fd").ok()?.flatten();
    open.map(|entry| entry.path()).find_map(|entry| {
        let about = fs::metadata(&entry).ok()?;
        let is_it = (about.dev(), about.ino()) == file;
        is_it.then(|| Some((fs::read_link(&entry).ok()?, about.nlink())))?
    })
}
