//! The database: all SQL stands in this folder, one file a family of tables. Domain types go in and out.
//!
//! There is one writer, the [`Store`]; whoever only looks has a [`Reader`] with a connection of its own.

mod accounts;
mod addresses;
mod audit;
mod blocks;
mod boards;
mod clocks;
mod digests;
mod history;
mod inbox;
mod listings;
mod migrate;
mod numbers;
mod outbox;
mod place;
mod preferences;
mod ratings;
mod restore;
mod seeks;
mod tallies;
mod vacations;
mod watchers;
mod watching;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::{DateTime, NaiveDate, TimeZone, Utc};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

pub use accounts::NewPlayer;
pub use addresses::AddressRow;
pub use audit::Audited;
pub use boards::BoardFilter;
pub use history::Score;
pub use inbox::{Received, ReceivedRow, State};
pub use listings::{GameStats, PlayerRow, PlayersAddress, Stats, player_state};
pub use migrate::newest as newest_migration;
pub use outbox::{Due, Kept, LEAVE, MailState, NewMail, OutboxRow, Reply, Thread};
pub use place::Displaced;
pub use ratings::Ranked;
pub use restore::{BOARDS_LEAP, Contents, fold_log, open_copy};
pub use seeks::Seek;
pub use tallies::{Counted, hourly};
pub use watchers::{Watched, Watcher};
pub use watching::{Census, Queues, Waiting};

/// The database failed us, or holds what cannot be. Never a player's fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite refused.
    #[error("database: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A row that this program cannot have written.
    #[error("database: {0}")]
    Corrupt(String),
    /// The database was written by a newer program.
    #[error(
        "the database {path} is at migration {found}, this program knows {known}: install the newer program"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its migration.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// The file of an open database is not what it was.
    #[error("database: {0}")]
    Displaced(Displaced),
}

impl Error {
    /// Whether the database itself is in trouble - a full disk, a lock of another process, a damaged file - and
    /// not one statement. Then the transaction may be over already, whatever its savepoints say
    /// (<https://www.sqlite.org/lang_transaction.html>, "Response To Errors Within A Transaction").
    #[must_use]
    pub const fn ends_the_transaction(&self) -> bool {
        match self {
            Self::Sqlite(rusqlite::Error::SqliteFailure(failure, _)) => !matches!(
                failure.code,
                ErrorCode::ConstraintViolation
                    | ErrorCode::TypeMismatch
                    | ErrorCode::TooBig
                    | ErrorCode::ParameterOutOfRange
            ),
            // A statement that cannot be prepared fails for everybody.
            Self::Sqlite(rusqlite::Error::SqlInputError { .. }) => true,
            // What a row holds is not what was expected of it: other rows are not concerned.
            Self::Sqlite(_) | Self::Corrupt(_) | Self::Newer { .. } => false,
            Self::Displaced(_) => true,
        }
    }

    /// Whether another process has the database locked.
    #[must_use]
    pub const fn is_locked(&self) -> bool {
        matches!(
            self.code(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        )
    }

    /// Whether what is there is no database, or a damaged one.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(
            self.code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        ) || matches!(self, Self::Sqlite(rusqlite::Error::SqlInputError { .. }))
    }

    /// What somebody can do about a database in trouble.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match (self, self.code()) {
            (Self::Displaced(Displaced::Moved { .. }), _) => "move it back: nothing else is needed",
            (Self::Displaced(Displaced::Deleted), _) => "it is written anew from what is still open",
            (Self::Displaced(Displaced::Another { .. }), _) => {
                "put the file back, or start the server again with the one that is there now; a backup is put into place by pbmserv restore"
            }
            (Self::Displaced(Displaced::Overwritten), _) => {
                "stop the server and put a backup into place by pbmserv restore"
            }
            (_, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) => {
                "another program keeps it locked, such as an open sqlite3: end that"
            }
            (_, Some(ErrorCode::DiskFull)) => "make room on its disk",
            (_, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)) => {
                "stop the server, look with pbmserv check, and put a backup into place by pbmserv restore"
            }
            (_, Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen)) => {
                "the account that the server runs as must be able to write it and its folder"
            }
            (_, Some(ErrorCode::SystemIoFailure)) => "is its disk full, or broken?",
            _ => "look with pbmserv check",
        }
    }

    const fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(rusqlite::Error::SqliteFailure(failure, _)) => Some(failure.code),
            _ => None,
        }
    }
}

/// How much of the log is kept once it is in the database.
const LONGEST_LOG_BYTES: u32 = 64 * 1024 * 1024;

/// Results of this folder.
pub type Result<T> = std::result::Result<T, Error>;

/// How much of the database the connection that writes keeps in memory.
const CACHE_KIBIBYTES: i64 = 8 * 1024;

/// A connection that only looks.
#[derive(Debug)]
pub struct Reader {
    conn: Connection,
    path: PathBuf,
}

/// The one connection that writes.
#[derive(Debug)]
pub struct Store {
    reader: Reader,
    place: place::Place,
}

impl Deref for Store {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl Store {
    /// Opens the database, made if it is not there, and brings it to the newest migration.
    ///
    /// # Errors
    /// The file cannot be opened or written, or a newer program wrote it.
    pub fn open(path: &Path) -> Result<Self> {
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
        let store = Self {
            reader: Reader {
                conn,
                path: path.to_owned(),
            },
            place: place::Place::default(),
        };
        store.recount_if_outdated()?;
        store.leave()?;
        Ok(store)
    }

    /// Begins the transaction of a batch and takes the right to write.
    ///
    /// # Errors
    /// SQLite's.
    pub fn begin(&self) -> Result<()> {
        Ok(self.conn.execute_batch("BEGIN IMMEDIATE")?)
    }

    /// Makes the batch durable, in the file that stands at the path of the database.
    ///
    /// # Errors
    /// SQLite's, such as a full disk, or [`Error::Displaced`]; then nothing of the batch is kept.
    pub fn commit(&self) -> Result<()> {
        self.look()?;
        self.conn.execute_batch("COMMIT")?;
        // It is kept, whatever becomes of the look at it.
        drop(self.leave());
        Ok(())
    }

    /// Forgets the batch. A full disk may have ended the transaction already: that is no error here.
    pub fn rollback(&self) {
        if !self.conn.is_autocommit()
            && let Err(error) = self.conn.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "rollback");
        }
    }

    /// Begins the part of the batch that one message is.
    ///
    /// # Errors
    /// SQLite's.
    pub fn begin_message(&self) -> Result<()> {
        Ok(self.conn.execute_batch("SAVEPOINT message")?)
    }

    /// Adds the message's part to the batch.
    ///
    /// # Errors
    /// SQLite's.
    pub fn keep_message(&self) -> Result<()> {
        Ok(self.conn.execute_batch("RELEASE message")?)
    }

    /// Takes back all that the message did.
    ///
    /// # Errors
    /// SQLite's; then the whole batch is lost.
    pub fn undo_message(&self) -> Result<()> {
        Ok(self.conn.execute_batch("ROLLBACK TO message; RELEASE message")?)
    }

    /// Remembers something about the service itself.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_note(&self, name: &str, value: &str) -> Result<()> {
        let sql = "INSERT INTO notes (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.conn.prepare_cached(sql)?.execute((name, value))?;
        Ok(())
    }
}

impl Reader {
    /// Opens a database that exists, for looking only.
    ///
    /// # Errors
    /// It is not there or cannot be read.
    pub fn open(path: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(path, flags)?;
        prepare(&conn)?;
        Ok(Self {
            conn,
            path: path.to_owned(),
        })
    }

    /// Another connection to the same database, for another thread.
    ///
    /// # Errors
    /// It cannot be opened any more.
    pub fn again(&self) -> Result<Self> {
        Self::open(&self.path)
    }

    /// What was remembered about the service under this name.
    ///
    /// # Errors
    /// SQLite's.
    pub fn note(&self, name: &str) -> Result<Option<String>> {
        use rusqlite::OptionalExtension;
        let mut statement = self
            .conn
            .prepare_cached("SELECT value FROM notes WHERE name = $1")?;
        Ok(statement.query_row([name], |row| row.get(0)).optional()?)
    }

    /// What is wrong with the database as a file and with its references; empty if nothing.
    ///
    /// # Errors
    /// SQLite's.
    pub fn faults(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        let mut statement = self.conn.prepare("PRAGMA integrity_check(10)")?;
        for line in statement.query_map([], |row| row.get::<_, String>(0))? {
            found.push(line?.replace('\n', " "));
        }
        found.retain(|line| line != "ok");
        let mut statement = self.conn.prepare("PRAGMA foreign_key_check")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()?
            && found.len() < 20
        {
            let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
            let id: Option<i64> = row.get(1)?;
            found.push(format!(
                "row {} of {table} names a row of {parent} that is not there",
                id.unwrap_or_default()
            ));
        }
        Ok(found)
    }

    /// The number of the migration that the database has reached.
    ///
    /// # Errors
    /// SQLite's.
    pub fn migration(&self) -> Result<i64> {
        Ok(self.conn.query_row("PRAGMA user_version", [], |row| row.get(0))?)
    }

    /// Copies the whole database, as of one moment, to a new file.
    ///
    /// # Errors
    /// SQLite's: the target cannot be written, for example.
    pub fn copy_to(&self, target: &Path) -> Result<()> {
        let mut copy = Connection::open(target)?;
        {
            let backup = rusqlite::backup::Backup::new(&self.conn, &mut copy)?;
            backup.run_to_completion(256, Duration::ZERO, None)?;
        }
        // The copy is one file that stands alone: no write-ahead log beside it.
        copy.pragma_update(None, "journal_mode", "DELETE")?;
        let verdict: String = copy.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        if verdict == "ok" {
            Ok(())
        } else {
            Err(Error::Corrupt(format!("the copy is damaged: {verdict}")))
        }
    }
}

#[cfg(test)]
impl Store {
    /// From now on the database grows by so many pages only: then SQLite says that the disk is full.
    pub(crate) fn leave_room_for(&self, pages: u32) {
        let count: u32 = self
            .conn
            .query_row("PRAGMA page_count", [], |row| row.get(0))
            .unwrap();
        let most: u32 = self
            .conn
            .query_row(&format!("PRAGMA max_page_count = {}", count + pages), [], |row| {
                row.get(0)
            })
            .unwrap();
        assert_eq!(most, count + pages);
    }

    /// Whether a transaction is open.
    pub(crate) fn is_in_transaction(&self) -> bool {
        !self.conn.is_autocommit()
    }
}

fn prepare(conn: &Connection) -> Result<()> {
    conn.busy_timeout(Duration::from_secs(5))?;
    conn.pragma_update(None, "foreign_keys", 1)?;
    conn.set_prepared_statement_cache_capacity(128);
    // A plan does not depend on the values that are bound: otherwise SQLite plans many a statement anew each time.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// A point in time as it is stored: milliseconds since 1970.
pub(crate) const fn millis(time: DateTime<Utc>) -> i64 {
    time.timestamp_millis()
}

/// The day (UTC) of a point in time as it is stored: days since 1970.
pub(crate) const fn day(time: DateTime<Utc>) -> i64 {
    time.timestamp().div_euclid(24 * 3600)
}

/// A stored number as a day; one out of range is the first of 1970.
pub(crate) fn date(day: i64) -> NaiveDate {
    let seconds = day.checked_mul(24 * 3600).unwrap_or_default();
    DateTime::from_timestamp(seconds, 0)
        .unwrap_or_default()
        .date_naive()
}

/// A stored number as a point in time; a number out of range is the start of 1970.
pub(crate) fn time(millis: i64) -> DateTime<Utc> {
    Utc.timestamp_millis_opt(millis).single().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No test can see what a machine loses that goes dark, so the promise itself is looked at.
    #[test]
    fn a_commit_is_on_the_disk_before_it_returns() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("database")).unwrap();
        let pragma = |name: &str| {
            let sql = format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}");
            let value: String = store.conn.query_row(&sql, [], |row| row.get(0)).unwrap();
            value
        };
        assert_eq!(pragma("journal_mode"), "wal");
        assert_eq!(pragma("synchronous"), "2", "FULL");
    }

    #[test]
    fn a_refused_statement_is_no_trouble_of_the_database() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("database")).unwrap();
        let error = |sql: &str| Error::from(store.conn.execute(sql, []).unwrap_err());
        let refused = error("INSERT INTO displays (player, game, display) VALUES (999, 'x', 'y')");
        assert!(!refused.ends_the_transaction(), "{refused}");
        let unknown = error("SELECT * FROM nowhere");
        assert!(unknown.ends_the_transaction(), "{unknown}");
        let other = Connection::open(folder.path().join("database")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        store.conn.busy_timeout(Duration::ZERO).unwrap();
        assert!(store.begin().unwrap_err().ends_the_transaction());
    }
}
