//! Opening a database, and SQLite's settings.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::migrate;
use crate::store::migrations::{lacks_migrations, migrations, refuse_older};
use crate::store::{Error, ErrorKind, Result};

/// The size to which SQLite truncates the WAL after a checkpoint.
const MAX_LOG_BYTES: u32 = 64 * 1024 * 1024;

/// How long a lock is waited for.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// The page cache of the writing connection.
const CACHE_KIBIBYTES: i64 = 8 * 1024;

/// Opens the database for writing, or creates it. One in use that lacks migrations is refused as it is.
pub(super) fn for_writing(path: &Path) -> Result<Connection> {
    let conn = connect(path)?;
    match migrate::found(&conn)? {
        0 => {}
        found => refuse_older(path.display(), found)?,
    }
    make_current(conn, path, &mut |_, _| {})
}

/// Opens the database for writing, or creates it. Missing migrations are applied, all or none: `applying` is called with
/// the number of each, and that of the last.
pub(super) fn migrated(path: &Path, applying: &mut dyn FnMut(i64, i64)) -> Result<Connection> {
    make_current(connect(path)?, path, applying)
}

fn connect(path: &Path) -> Result<Connection> {
    // Opened and closed only if it is new: closing it would release the locks of another connection in this process.
    match create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(cannot_open(&error)),
        _ => {}
    }
    let conn = Connection::open(path)?;
    prepare(&conn)?;
    // Before anything is written.
    lacks_migrations(path.display(), migrate::found(&conn)?)?;
    Ok(conn)
}

fn make_current(mut conn: Connection, path: &Path, applying: &mut dyn FnMut(i64, i64)) -> Result<Connection> {
    // WAL lets readers work while the engine writes. FULL makes each commit durable before the client gets 250.
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    // A batch touches more pages than SQLite's default cache of 2 MB holds, most of them the pages of the batch before.
    conn.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    // What is erased must not stay readable in the file.
    conn.pragma_update(None, "secure_delete", 1)?;
    // A long read makes the WAL grow; afterwards the disk space is to be freed.
    conn.pragma_update(None, "journal_size_limit", MAX_LOG_BYTES)?;
    migrate::run(&mut conn, path, migrations(), applying)?;
    // Savepoints keep their undo data in memory. In a file, each page that a message changes would be written twice.
    // The size of a batch bounds this memory; that of a migration does not, so migrations run before.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(conn)
}

/// Creates a new database file for this account alone, whatever the umask. SQLite gives the WAL and the other files beside
/// it the same mode.
pub(super) fn create(path: &Path) -> io::Result<()> {
    File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map(drop)
}

pub(super) fn cannot_open(error: &io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::DiskFull,
        io::ErrorKind::ReadOnlyFilesystem => ErrorKind::ReadOnly,
        _ => ErrorKind::CannotOpen,
    };
    Error::Database {
        kind,
        message: error.to_string(),
    }
}

/// Opens an existing database as it is, to be changed by nobody else.
pub(super) fn existing(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(Duration::from_secs(1))?;
    Ok(conn)
}

/// Opens an existing database read-only.
pub(super) fn for_reading(path: &Path) -> Result<Connection> {
    let conn = read_only(path)?;
    prepare(&conn)?;
    Ok(conn)
}

pub(super) fn read_only(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Ok(Connection::open_with_flags(path, flags)?)
}

fn prepare(conn: &Connection) -> Result<()> {
    conn.busy_timeout(BUSY)?;
    conn.pragma_update(None, "foreign_keys", 1)?;
    conn.set_prepared_statement_cache_capacity(128);
    // Query plans must not depend on bound values: otherwise SQLite prepares many statements again at each run.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}
