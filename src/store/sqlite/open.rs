//! How a database is opened, and how SQLite is set for it.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::migrate;
use crate::store::Result;

/// How much of the log is kept once it is in the database.
const LONGEST_LOG_BYTES: u32 = 64 * 1024 * 1024;

/// How much of the database the connection that writes keeps in memory.
const CACHE_KIBIBYTES: i64 = 8 * 1024;

/// Opens the database for writing, made if it is not there, at the newest migration.
pub(super) fn for_writing(path: &Path) -> Result<Connection> {
    let mut conn = Connection::open(path)?;
    // WAL lets readers look while the engine writes; FULL makes each commit durable before 250 is said.
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "FULL")?;
    // A batch touches more pages than the 2 MB that SQLite keeps by itself, most of them those of the batch before.
    conn.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    // While somebody reads for long the log grows; afterwards it is not to keep the room.
    conn.pragma_update(None, "journal_size_limit", LONGEST_LOG_BYTES)?;
    prepare(&conn)?;
    migrate::run(&mut conn, path)?;
    // What a savepoint would need to take back a message is kept in memory: in a file, every page that a message
    // changes is written once more. A batch bounds it; a migration does not, and is run before.
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(conn)
}

/// Opens a database that exists, for reading only.
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
    conn.busy_timeout(Duration::from_secs(5))?;
    conn.pragma_update(None, "foreign_keys", 1)?;
    conn.set_prepared_statement_cache_capacity(128);
    // A plan does not depend on the values that are bound: otherwise SQLite plans many a statement again each time.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}
